"""What a file holds is shown in errors, shortened, or left out; names of classes are always shown."""

from dataclasses import replace
from pathlib import Path

import pytest

from sightline.adapters.label_alignment import match_labels
from sightline.config.spec_syntax import parse_data
from sightline.core.error_excerpts import (
    NOT_SHOWN,
    list_names,
    show,
    show_name,
    without_excerpts,
)
from sightline.core.errors import DataError, SpecError
from sightline.data.assembly.user_splits import UNSEEN_LABELS
from sightline.data.batches import collate
from sightline.data.corpora.sst import read_tree
from sightline.data.load_dataset import load
from sightline.data.vocabulary import Vocabulary
from tests.texts import example


def test_a_long_value_is_shortened() -> None:
    assert len(show("x" * 100)) == 61
    assert show(None) == "nothing"


def test_what_is_left_out_is_shown_again_afterwards() -> None:
    with without_excerpts():
        assert "note" not in show("note")
        assert show_name("spam") == "'spam'"
        assert list_names(["spam"]) == "'spam'"
    with without_excerpts(active=False):
        assert show("note") == "'note'"
    assert show("note") == "'note'"


def test_the_id_of_a_text_is_left_out_of_the_errors_of_a_model() -> None:
    shorter = replace(example("a dull film"), id="NOTE-12")
    for hidden in (False, True):
        with without_excerpts(active=hidden), pytest.raises(DataError) as caught:
            collate([replace(shorter, tokens=())], Vocabulary.fit([shorter]))
        assert ("NOTE-12" in str(caught.value), NOT_SHOWN in str(caught.value)) == (
            not hidden,
            hidden,
        )


HEADERLESS = "SECRET said it hurts,yes\nmore words,no"
TWICE = "text,label,id\none word,a,SECRET\nmore words,b,SECRET"


@pytest.mark.parametrize(
    ("name", "content", "column"), [("bare.csv", HEADERLESS, None), ("twice.csv", TWICE, "id")]
)
def test_no_cell_of_a_file_is_in_an_error(
    tmp_path: Path, name: str, content: str, column: str | None
) -> None:
    (tmp_path / name).write_text(content)
    spec = replace(parse_data(str(tmp_path / name)), id=column)
    with pytest.raises(DataError, match="SECRET"):
        load(spec, seed=0)
    with without_excerpts(), pytest.raises(DataError) as caught:
        load(spec, seed=0)
    assert "SECRET" not in str(caught.value)
    assert name in str(caught.value)


@pytest.mark.parametrize("line", ["(3 (2 SECRET) (2 b)", "SECRET a", "(SECRET a)"])
def test_no_tree_of_a_treebank_is_in_an_error(line: str) -> None:
    for hidden in (False, True):
        with without_excerpts(active=hidden), pytest.raises(DataError) as caught:
            read_tree(line, "dev.txt", 2)
        assert ("SECRET" in str(caught.value), NOT_SHOWN in str(caught.value)) == (
            not hidden,
            hidden,
        )
        assert "dev.txt:2" in str(caught.value)


NOTE = "Mr Secret has it"
"""A note in the column of labels."""


def named_splits(rows: int, test: tuple[str, ...]) -> str:
    taught = [f"word{i} so,{'ab'[i % 2]},train" for i in range(rows)]
    tested = [f"test{i} so,{label},test" for i, label in enumerate(test)]
    return "\n".join(["text,label,split", *taught, *tested])


def test_a_label_that_is_no_class_is_left_out_of_the_card(tmp_path: Path) -> None:
    for hidden, named in ((False, NOTE), (True, NOT_SHOWN)):
        file = tmp_path / f"{hidden}.csv"
        file.write_text(named_splits(40, ("a", "b", NOTE)))
        with without_excerpts(active=hidden):
            assert load(parse_data(str(file)), seed=0).card[UNSEEN_LABELS] == {named: 1}


def test_labels_of_the_data_are_left_out_where_they_do_not_match_the_model() -> None:
    wrong = {
        "unknown": (["a", NOTE], {}),
        "left out of the map": (["a", NOTE], {"a": "pos"}),
        "not there": (["a", NOTE], {"c": "pos"}),
    }
    for labels, label_map in wrong.values():
        with pytest.raises((DataError, SpecError), match=NOTE):
            match_labels("d", labels, ["pos", "neg"], label_map)
        with without_excerpts(), pytest.raises((DataError, SpecError)) as caught:
            match_labels("d", labels, ["pos", "neg"], label_map)
        assert NOTE not in str(caught.value)
        assert "LABEL=CLASS" in str(caught.value) or "c" in label_map


def test_a_label_of_too_few_texts_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f"text,label\none two,{NOTE}\nthree four,{NOTE} too")
    spec = parse_data(str(tmp_path / "a.csv"))
    with pytest.raises(DataError, match=NOTE):
        load(spec, seed=0)
    with without_excerpts(), pytest.raises(DataError) as caught:
        load(spec, seed=0)
    assert NOTE not in str(caught.value)
