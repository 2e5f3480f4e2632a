"""What is left of an answer when only the first words of an order are kept, text by text against
single runs.
"""

from dataclasses import replace

import numpy as np
import pytest

from sightline.audits.measure_pass import measure
from sightline.core.example import Example
from sightline.core.protocols import MeasureContext
from sightline.core.results import Measurement
from sightline.core.seeds import Seeds
from sightline.measures.attribution_maps import AttributionMaps, rivals
from sightline.measures.removal import Removal
from sightline.measures.sufficiency import Sufficiency
from sightline.models.classifier import AttentionClassifier
from tests.measures.queries import asked
from tests.reference import moving, ties
from tests.texts import examples, untrained

TEXTS = examples((7, 1, 4, 12, 2, 9))
MODELS = {
    "one logit": (untrained("bilstm(hidden=6)+additive", boundaries=True).double(), TEXTS),
    "three logits": (untrained("mlp(hidden=6)+additive", 3).double(), TEXTS),
    "queries": (untrained("mlp(hidden=6)+additive+query", 4).double(), asked()),
}


def take(model: AttentionClassifier, texts: list[Example], **more: object) -> Measurement:
    found = measure(
        model, texts, (Sufficiency(),), {}, Seeds(0), 4, lambda done, total: None, **more
    )["sufficiency"]
    assert isinstance(found, Measurement), found
    return found


@pytest.mark.parametrize("name", MODELS)
def test_each_number_is_that_of_single_runs(name: str) -> None:
    model, texts = MODELS[name]
    values = take(model, texts).values
    maps = AttributionMaps(
        MeasureContext(model, texts=tuple(texts)), model.trace(model.collate(texts)), Seeds(0)
    )
    for row, text in enumerate(texts):
        if len(text.tokens) < 2:
            continue
        keys = Seeds(0).generator("erasure", text.index).random(len(text.tokens))
        for of, read in (
            *((one, one) for one in rivals(maps.subject)),
            ("most", "signed_deletion"),
        ):
            scores = maps[read][row, maps.words.mask[row]].tolist()
            order = ties.falling(scores if of == "most" else moving.seen(scores, text.index), keys)
            odds, drop = moving.kept(model, text, order)
            assert values[f"curve.{of}"][row] == pytest.approx(odds, abs=1e-8), f"{of} of {text.id}"
            assert values[f"kept.{of}"][row] == pytest.approx(np.mean(odds), abs=1e-8)
            assert of != "attention" or values["area"][row] == pytest.approx(drop, abs=1e-8)


def test_random_words_are_the_mean_over_draws_and_both_words_of_two_occur() -> None:
    model, texts = MODELS["one logit"]
    found = measure(
        model, texts, (Sufficiency(draws=60),), {}, Seeds(0), 4, lambda done, total: None
    )["sufficiency"]
    first, second = (np.mean(moving.kept(model, texts[4], order)[0]) for order in ([0, 1], [1, 0]))
    share = (found.values["kept.random"][4] - second) / (first - second)
    assert 0.3 < share < 0.7
    assert share * 60 == pytest.approx(round(share * 60), abs=1e-6)


def test_the_words_that_are_kept_are_those_that_are_removed_elsewhere() -> None:
    """Of a text of two words each order keeps what the other removes, so the two measures must
    agree.
    """
    model, texts = MODELS["one logit"]
    ours = take(model, texts).values
    both = measure(model, texts, (Removal(),), {}, Seeds(0), 4, lambda done, total: None)[
        "erasure"
    ].values
    assert ours["floor"].shape == both["floor"].shape == (len(texts), 5)
    two = 4
    ends = sorted({*np.round(ours["floor"][two], 8), *np.round(both["floor"][two], 8)})
    assert len(ends) == 2
    assert np.round(ours["floor"][two] + both["floor"][two], 8) == pytest.approx(sum(ends))


def test_what_has_no_log_odds_is_counted() -> None:
    model, texts = MODELS["queries"]
    certain = [*texts[:2], *(replace(one, candidates=(2,), label=2) for one in texts[2:])]
    found = take(model, certain)
    assert found.undefined["kept.attention"] == {"one word": 1, "one candidate": 3}
    assert found.undefined["whole"] == {"one word": 1, "one candidate": 3}
    assert found.undefined["area"] == {"one word": 1}


def test_a_text_without_scores_is_counted_for_them_alone() -> None:
    found = take(MODELS["one logit"][0], TEXTS, given={"t0": np.arange(7.0)})
    assert found.undefined["kept.given"] == {"one word": 1, "no scores for the text": 4}
    assert found.undefined["kept.deletion"] == {"one word": 1}


def test_comprehensiveness_at_each_share_averages_to_what_is_told_of_it() -> None:
    model, texts = MODELS["three logits"]
    found = measure(model, texts, (Removal(),), {}, Seeds(0), 4, lambda done, total: None)[
        "erasure"
    ].values
    for name in ("attention", "deletion", "random", "most"):
        assert found[f"curve.{name}"].shape == (len(texts), 5)
        assert found[f"curve.{name}"].mean(axis=1) == pytest.approx(
            found[f"deleted.{name}"], nan_ok=True
        )
