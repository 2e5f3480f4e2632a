"""What several seeds say together: each effect by seed, its mean, and how often each answer
came.
"""

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from sightline.api.seed_audits import Audits
from sightline.core.results import CAN, MUST_NOT, Results, Verdict
from sightline.stats.across_seeds import across_seeds
from sightline.stats.bootstrap import proportion
from sightline.verdict.seed_summary import NeededTexts, summarise_seeds
from tests.report.audits import MAPS
from tests.verdict.cases import PREDICTED, agreement, known, outcomes, transplant
from tests.verdict.test_compare_audits import HALF, results
from tests.verdicts import reached


@cache
def usual() -> Results:
    """An audit made once; that of `test_compare_audits` has fewer resamples."""
    return results()


def test_effects_answers_and_verdicts_are_counted_by_seed() -> None:
    shares = (0.8, 0.3, 0.75)
    audits = {
        7 + i: results(outcomes(agreement({}), PREDICTED, HALF, transplant=transplant(one)))
        for i, one in enumerate(shares)
    }
    found = summarise_seeds(audits)
    assert found.seeds == (7, 8, 9)
    moved = found.claims[0]
    each = [audit.findings[0].score for audit in audits.values()]
    assert (moved.code, moved.score.by_seed, moved.score.mean) == (
        "SL-303",
        tuple(each),
        across_seeds(each, (-math.inf, 1.0)),
    )
    assert moved.score.mean.value == pytest.approx(np.mean([one.value for one in each]))
    assert moved.answers == ("passed", "failed", "passed")
    assert found.same_texts
    turned = {7: usual(), 8: replace(usual(), texts=usual().texts[::-1])}
    assert summarise_seeds(turned).same_texts, "whatever their order"
    numbered = Audits(turned, together=True).redacted(ids=False)
    assert numbered.by_seed[7].texts[0].id == numbered.by_seed[8].texts[0].id
    assert numbered.across.same_texts, "though each audit numbers them in its own order"
    assert found.verdicts == tuple(audit.verdict.level for audit in audits.values())
    assert found.disagree
    assert found.to_json()["counts"] == {"can be shown": 2, "must not be shown": 1}


def test_a_seed_without_an_effect_is_left_out_and_other_texts_are_noticed() -> None:
    first = usual()
    without = replace(
        first,
        findings=tuple(replace(one, score=None) for one in first.findings),
        texts=first.texts[1:],
    )
    found = summarise_seeds(
        {0: first, 1: replace(without, verdict=reached(first.verdict.level, 1, (), ()))}
    )
    assert found.claims[0].score.by_seed == (first.findings[0].score, None)
    assert found.claims[0].score.mean == first.findings[0].score
    assert (found.same_texts, found.disagree) == (False, False)


def verdict(text: str, **by_class: str) -> Verdict:
    return reached(
        text, 3, (), (), {name: reached(one, 3, (), ()) for name, one in by_class.items()}
    )


def test_classes_that_end_otherwise_are_counted_though_all_texts_end_alike() -> None:
    first = usual()
    ends = (
        verdict(MUST_NOT, a=CAN, b=MUST_NOT),
        verdict(MUST_NOT, a=MUST_NOT, b=MUST_NOT),
        verdict(MUST_NOT),
    )
    found = summarise_seeds({i: replace(first, verdict=one) for i, one in enumerate(ends)})
    assert (found.disagree, found.classes_disagree) == (False, True)
    assert found.by_class == {"a": (CAN, MUST_NOT, None), "b": (MUST_NOT, MUST_NOT, None)}
    two, none = found.endings("b")
    assert (two.verdict, two.times, none.verdict, none.times) == (MUST_NOT, 2, None, 1)
    assert two.share == proportion(np.array([1.0, 1.0, 0.0]))
    assert [one.times for one in found.endings()] == [3]
    output = found.to_json()
    assert (output["by_class"], output["classes_disagree"]) == (found.by_class, True)
    assert output["details"][1]["by_class"]["a"]["level"] == MUST_NOT
    alike = summarise_seeds(
        {0: replace(first, verdict=ends[0]), 1: replace(first, verdict=ends[0])}
    )
    assert not alike.classes_disagree


def test_the_map_that_may_be_shown_is_told_by_seed_and_the_most_texts_that_are_needed() -> None:
    shown = replace(
        MAPS[0], name="gradient", signed=False, chosen=True, answer="passed", against=("b",)
    )
    kept = replace(shown, answer="inconclusive")
    finding = replace(usual().findings[0], needed=900)
    some = replace(usual(), maps=(shown,), findings=(finding, *usual().findings[1:]))
    more = replace(
        some, maps=(kept,), findings=(replace(finding, needed=2000), *usual().findings[1:])
    )
    found = summarise_seeds({0: some, 1: more})
    (maps,) = found.maps
    assert (maps.signed, maps.by_seed, maps.against) == (False, ("gradient", None), ("b",))
    assert found.needed == NeededTexts(2000, finding.score.n, len(more.texts))
    sampled = replace(
        more, cards={**more.cards, "data": {"sample": {"n": 120, "of": 700, "seed": 0}}}
    )
    assert summarise_seeds({0: sampled, 1: sampled}).needed.there == 700


def test_the_mean_of_a_metric_and_its_interval_stay_between_0_and_1() -> None:
    audits = {
        i: replace(usual(), metrics={"accuracy": known(one)})
        for i, one in enumerate((0.99, 0.9, 1.0))
    }
    (accuracy,) = summarise_seeds(audits).metrics
    assert accuracy.mean.high == 1.0
