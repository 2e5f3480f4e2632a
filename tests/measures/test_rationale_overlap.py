"""Every map beside the words that people marked: literal numbers, texts without marks, and nothing
where there are none.
"""

from dataclasses import replace

import numpy as np
import pytest

from sightline.audits.measure_pass import measure
from sightline.core.example import Example
from sightline.core.needs import needed
from sightline.core.protocols import MeasureContext
from sightline.core.results import Measurement
from sightline.core.seeds import Seeds
from sightline.measures.attribution_maps import AttributionMaps
from sightline.measures.rationale_overlap import UNMARKED, Rationale
from sightline.models.attention import GivenWeights
from sightline.models.classifier import AttentionClassifier
from tests.adapters.offering import Offering
from tests.reference import marked as slow
from tests.texts import examples, untrained

PLAIN = examples((7, 4, 6, 2, 5, 1))
MARKED = [
    replace(text, rationale=tuple(i % 3 == 1 for i in range(len(text.tokens)))) for text in PLAIN
]


def take(
    model: AttentionClassifier, texts: list[Example], batch_size: int = 3, **more: object
) -> Measurement:
    found = measure(
        model, texts, (Rationale(),), {}, Seeds(0), batch_size, lambda done, total: None, **more
    )
    assert isinstance(found["rationale"], Measurement), found
    return found["rationale"]


@pytest.mark.parametrize(
    "name", ["attention", "gradient", "evidence", "signed_deletion", "free_deletion"]
)
def test_each_map_has_the_literal_scores(name: str) -> None:
    model = untrained("bilstm(hidden=6)+additive")
    values = take(model, MARKED).values
    for row, text in enumerate(MARKED[:5]):
        maps = AttributionMaps(
            MeasureContext(model, texts=(text,), audited=(text,)),
            model.trace(model.collate([text])),
            Seeds(0),
        )
        scores = maps[name][0].tolist()
        assert values[f"auprc.{name}"][row] == pytest.approx(
            slow.average_precision(scores, text.rationale)
        )
        if len(scores) < 7:
            assert values[f"f1.{name}"][row] == pytest.approx(
                slow.f1_on_top(scores, text.rationale)
            )
            assert values[f"iou.{name}"][row] == pytest.approx(
                slow.iou_on_top(scores, text.rationale)
            )
        assert values[f"f1_chance.{name}"][row] == pytest.approx(sum(text.rationale) / len(scores))


def test_attention_on_the_marked_words_finds_them_all_and_even_attention_has_no_order() -> None:
    model = untrained("mlp(hidden=6)+additive")
    model.source = GivenWeights(
        {text.index: np.array(text.rationale, float) + 1e-3 for text in MARKED}
    )
    found = take(model, MARKED)
    assert found.values["auprc.attention"][:5] == pytest.approx(1)
    assert found.values["f1.attention"][:5] == pytest.approx(1)
    assert found.values["iou.attention"][:5] == pytest.approx(1)
    assert found.undefined["auprc.attention"] == {"no word is marked": 1}  # the text of one word
    model.source = GivenWeights({text.index: np.ones(len(text.tokens)) for text in MARKED})
    even = take(model, MARKED).undefined["f1.attention"]
    assert even == {"no word is marked": 1, "the map says the same of every word": 5}


def test_texts_without_marks_are_counted_apart_from_marked_ones_in_any_batch() -> None:
    some = [
        replace(MARKED[0], rationale=None),
        replace(MARKED[1], rationale=(True,) * 4),
        *MARKED[2:],
    ]
    found = take(untrained("mlp(hidden=6)+additive"), some, batch_size=1)
    values = {"no marks for the text": 1, "no word is marked": 1, "every word is marked": 1}
    assert found.undefined["auprc.gradient"] == found.undefined["f1_chance.gradient"] == values
    assert found.values["known"].tolist() == [False, *[True] * 5]


def test_without_any_marks_no_map_is_made_and_that_is_said() -> None:
    found = take(untrained("mlp(hidden=6)+additive"), PLAIN)
    assert set(found.values) == {"words", "marked", "known"}
    assert set(found.missing.values()) == {UNMARKED}


def test_a_map_that_the_model_cannot_give_is_missing_with_what_it_needs() -> None:
    found = take(Offering(untrained("mlp(hidden=6)+additive")), MARKED)
    assert found.missing["auprc.free_deletion"] == needed({"decode"})
    assert {name.removeprefix("auprc.") for name in found.values if name.startswith("auprc.")} == {
        "attention", "deletion", "signed_deletion"
    }  # fmt: skip


def test_brought_scores_are_scored_where_there_are_some() -> None:
    model = untrained("mlp(hidden=6)+additive")
    scores = {text.id: np.array(text.rationale, float) for text in MARKED[:2]}
    found = take(model, MARKED, given=scores)
    assert found.values["auprc.given"][:2].tolist() == [1, 1]
    assert found.undefined["auprc.given"] == {"no word is marked": 1, "no scores for the text": 3}


def test_spans_by_chance_are_those_of_the_text_alone_whatever_the_map_and_the_batch() -> None:
    model = untrained("mlp(hidden=6)+additive")
    together, alone = take(model, MARKED).values, take(model, MARKED, batch_size=1).values
    for name in ("iou_chance.attention", "iou_chance.deletion", "iou.attention"):
        np.testing.assert_allclose(together[name], alone[name])
    np.testing.assert_array_equal(together["iou_chance.attention"], together["iou_chance.deletion"])
    assert 0 < together["iou_chance.attention"][0] < 1
