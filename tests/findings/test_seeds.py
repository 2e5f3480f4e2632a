"""What several seeds say together: each effect by seed, its mean, and how often each answer came."""

from dataclasses import replace

import numpy as np
import pytest

from sightline.findings.seeds import across
from sightline.results import Verdict
from sightline.statistics.across import across_seeds
from tests.findings.cases import PREDICTED, agreement, outcomes, transplant
from tests.findings.test_compared import HALF, results, usual


def test_effects_answers_and_verdicts_are_counted_by_seed() -> None:
    shares = (0.8, 0.3, 0.75)
    audits = {
        7 + i: results(outcomes(agreement({}), PREDICTED, HALF, transplant=transplant(one)))
        for i, one in enumerate(shares)
    }
    found = across(audits)
    assert found.seeds == (7, 8, 9)
    moved = found.claims[0]
    each = [audit.findings[0].effect for audit in audits.values()]
    assert (moved.code, moved.effect.by_seed, moved.effect.mean) == ("SL-303", tuple(each), across_seeds(each))
    assert moved.effect.mean.value == pytest.approx(np.mean([one.value for one in each]))
    assert moved.answers == ("supported", "contradicted", "supported")
    assert found.same_texts
    assert found.verdicts == tuple(audit.verdict.text for audit in audits.values())
    assert found.disagree
    assert found.to_json()["counts"] == {"can be shown with caveats": 2, "must not be shown": 1}


def test_a_seed_without_an_effect_is_left_out_and_other_texts_are_noticed() -> None:
    first = usual()
    without = replace(first, findings=tuple(replace(one, effect=None) for one in first.findings), texts=first.texts[1:])
    found = across({0: first, 1: replace(without, verdict=Verdict(first.verdict.text, 1, (), ()))})
    assert found.claims[0].effect.by_seed == (first.findings[0].effect, None)
    assert found.claims[0].effect.mean == first.findings[0].effect
    assert (found.same_texts, found.disagree) == (False, False)
