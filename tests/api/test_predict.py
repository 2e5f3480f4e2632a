"""Predictions are those of an audit, whatever stands beside a text."""

import math
from pathlib import Path
from typing import Any

import pytest

import sightline
from sightline.api import predict as module
from sightline.api.unlabelled_texts import TextColumns, in_table
from sightline.audits.audit_result import Audit
from sightline.core.errors import DataError, SpecError
from sightline.core.example import Example
from sightline.core.protocols import Trace
from sightline.data.dataset import Dataset
from sightline.experiments.pipeline import Trained
from sightline.models.alterations import Altered, Broken
from tests.adapters.plain import wrapped
from tests.texts import untrained


def test_predictions_are_those_of_an_audit(model: Trained, audit: Audit) -> None:
    found = sightline.predict(model, [text.text for text in audit.texts])
    assert [one.label for one in found] == [text.predicted for text in audit.texts]
    sure = [one.probabilities[one.label] for one in found if one.label]
    assert sure == pytest.approx(
        audit.measurements["outputs"].values["probability"].tolist(), abs=1e-12
    )
    assert all(sum(one.probabilities.values()) == pytest.approx(1) for one in found)


def test_order_and_neighbours_do_not_matter(
    model: Trained, data: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [text.text * (1 + i % 3) for i, text in enumerate(data.test)]
    whole = sightline.predict(model, iter(texts))
    monkeypatch.setattr(module, "AT_ONCE", 4)
    parts = sightline.predict(model, texts, batch_size=3)
    assert [one.label for one in parts] == [one.label for one in whole]
    for one, other in zip(parts, whole, strict=True):
        assert one.probabilities == pytest.approx(other.probabilities, abs=1e-12)
        assert list(one.probabilities) == list(data.label_names)


def test_only_so_many_texts_are_held(model: Trained, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "AT_ONCE", 4)
    taken = []
    examples = (taken.append(i) or module.unlabelled("one two", None, 9, i) for i in range(20))
    next(module.predictions(model.model, examples))
    assert len(taken) == 4


def test_an_output_that_is_no_number_is_no_class(model: Trained, data: Dataset) -> None:
    found = sightline.predict(Broken(model.model, data, 0, 1.0), ["one two"])
    assert found[0].label is None
    assert all(map(math.isnan, found[0].probabilities.values()))


class ShortSighted(Altered):
    """Reads the first two words of a text."""

    def changed(self, own: Trace) -> Trace:
        return own

    def seen(self, example: Example) -> Example:
        return example.only(range(min(2, len(example.tokens))))


def test_words_that_are_not_read_are_counted(model: Trained, data: Dataset) -> None:
    short = ShortSighted(model.model)
    texts = ["one", "one two", "one two three four five"]
    noted = list[str]()
    examples = module.read_texts(None, texts, "TEXT", TextColumns("text"), 4, noted.append)
    assert len(noted) == 1
    each = [*module.predictions(short, examples)]
    assert [one.cut for one in each] == [0, 0, 3]  # one word by max_tokens, two by the model
    assert "3 words not read" in repr(each[2])
    assert each[1].probabilities == each[2].probabilities
    found = zip(examples, each, strict=True)
    assert len([*module.note_truncated(found, noted.append)]) == 3
    assert len(noted) == 2
    assert noted[1].startswith("1 of 3 texts")
    assert "(2 words not read)" in noted[1]
    assert [*module.note_truncated(iter(()), noted.append)] == []
    assert len(noted) == 2


def test_a_model_of_ones_own_predicts_classes_by_number_where_they_have_no_names() -> None:
    assert list(sightline.predict(wrapped(), ["ba do"])[0].probabilities) == ["class 0", "class 1"]


def test_a_bad_text_is_named_by_its_place(model: Trained) -> None:
    with pytest.raises(DataError, match=r"texts:1: expected a text with words in it, got ' '"):
        sightline.predict(model, ["one", " "])
    with pytest.raises(DataError, match="put it in a list"):
        sightline.predict(model, "one")
    with pytest.raises(DataError, match="texts:0: expected a query"):
        sightline.predict(untrained("mlp(hidden=4)+query"), ["one"], [5])
    with pytest.raises(DataError, match="expected a query, got nothing"):
        sightline.predict(untrained("mlp(hidden=4)+query"), ["one"], [None])  # type: ignore[list-item]  # on purpose
    with pytest.raises(DataError, match="expected a text, got nothing"):
        sightline.predict(untrained("mlp(hidden=4)+query"), [None], ["why"])  # type: ignore[list-item]  # on purpose
    with pytest.raises(DataError, match="expected a query for each text, got another number"):
        sightline.predict(untrained("mlp(hidden=4)+query"), ["one", "two"], ["why"])
    assert (
        len(sightline.predict(untrained("mlp(hidden=4)+query"), ["one", "two"], ["why", "who"]))
        == 2
    )


@pytest.mark.parametrize("row", ['{"text": "one"}', '{"text": "one", "why": null}'])
def test_a_row_without_a_query_is_no_single_text(tmp_path: Path, row: str) -> None:
    table = tmp_path / "new.jsonl"
    table.write_text(f'{{"text": "one", "why": "two"}}\n{row}\n')
    with pytest.raises(DataError, match="expected a query") as caught:
        in_table(str(table), "jsonl", TextColumns("text", "why"), 9)
    assert caught.value.line == 2


@pytest.mark.parametrize("options", [{"max_tokens": -1}, {"max_tokens": 1.5}, {"batch_size": 0}])
def test_lengths_and_sizes_are_whole_numbers_from_1(
    model: Trained, options: dict[str, Any]
) -> None:
    with pytest.raises(SpecError) as caught:
        sightline.predict(model, ["one two"], **options)
    assert caught.value.field in options
