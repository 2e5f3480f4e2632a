"""Texts with several labels each: how they are read, counted, divided and matched with a model."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sightline
from sightline.adapters.label_data import labelled_sets
from sightline.api.model_source import choose
from sightline.config.specs import DataSpec
from sightline.core.errors import DataError, SpecError
from sightline.data.dataset import Dataset, read_set
from sightline.report.data_notes import worth_noting


def table(folder: Path, rows: str, ending: str = "csv") -> str:
    file = folder / f"notes.{ending}"
    file.write_text(rows, encoding="utf-8")
    return str(file)


def sets(data: Dataset) -> list[tuple[str, ...]]:
    return [read_set(data.label_names[example.label]) for example in data.test]


def test_labels_stand_apart_in_a_cell_or_in_a_list(tmp_path: Path) -> None:
    rows = "text,label\none note,b; a ;b\ntwo notes,\nthree,a\n"
    csv = sightline.load(table(tmp_path, rows), labels_sep=";", split="all")
    lines = '{"text": "one note", "label": ["a", "b"]}\n{"text": "two notes", "label": []}\n'
    lines += '{"text": "three", "label": "a"}\n{"text": "four", "label": [1, true]}\n'
    jsonl = sightline.load(table(tmp_path, lines, "jsonl"), labels_sep=";", split="all")
    assert sets(csv) == [("a", "b"), (), ("a",)]
    assert sets(jsonl) == [("a", "b"), (), ("a",), ("1", "true")]
    assert csv.several
    assert csv.card["splits"]["test"]["labels"] == {"a": 2, "b": 1}
    plain = sightline.load(table(tmp_path, rows.replace(",\n", ",c\n")), split="all")
    assert not plain.several
    assert plain.label_names == ("a", "b; a ;b", "c")


def test_columns_of_zeros_and_ones_are_labels(tmp_path: Path) -> None:
    rows = "text,flu,fall,cut\none note,1,0,1\ntwo notes,0,0,0\nthree,0, 1,0\n"
    csv = sightline.load(table(tmp_path, rows), label="flu, fall,cut", labels_sep=";", split="all")
    assert sets(csv) == [("cut", "flu"), (), ("fall",)]
    assert csv.several
    lines = '{"text": "one", "a": true, "b": 0}\n{"text": "two", "a": 0.0, "b": 1}\n'
    jsonl = sightline.load(
        table(tmp_path, lines, "jsonl"), label="a,b", labels_sep=";", split="all"
    )
    assert sets(jsonl) == [("a",), ("b",)]
    whole = 'text,"a,b"\none,x;y\ntwo,\n'
    named = sightline.load(table(tmp_path, whole), label="a,b", labels_sep=";", split="all")
    assert sets(named) == [("x", "y"), ()]


@pytest.mark.parametrize("cell", ["", "2", "yes", "nan", "0.5"])
def test_what_is_neither_zero_nor_one_is_named_by_line(tmp_path: Path, cell: str) -> None:
    file = table(tmp_path, f"text,a,b\none,1,0\ntwo,0,{cell}\n")
    with pytest.raises(DataError, match="expected 0 or 1 in 'b'") as caught:
        sightline.load(file, label="a,b", labels_sep=";", split="all")
    assert caught.value.line == 3


def test_columns_of_labels_must_be_there_and_be_asked_for(tmp_path: Path) -> None:
    file = table(tmp_path, "text,a,b\none,1,0\n")
    with pytest.raises(DataError, match="no column 'c'"):
        sightline.load(file, label="a,b,c", labels_sep=";", split="all")
    with pytest.raises(DataError, match="no column 'c'"):
        sightline.load(file, label="c,a", labels_sep=";", split="all")
    with pytest.raises(SpecError, match="labels_sep=;"):
        sightline.load(file, label="a,b", split="all")
    for label in ("a,a", "a,text"):
        with pytest.raises(SpecError, match="a column of its own"):
            sightline.load(file, label=label, labels_sep=";", split="all")


def test_columns_of_labels_are_read_from_parquet_and_frames(tmp_path: Path) -> None:
    rows = pa.table({"text": ["one", "two"], "a": [1, 0], "other": [7, 7], "b": [True, False]})
    file = tmp_path / "notes.parquet"
    pq.write_table(rows, file)
    for source in (str(file), rows):
        data = sightline.load(source, label="a,b", labels_sep=";", split="all")
        assert sets(data) == [("a", "b"), ()]


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("null", "got nothing"),
        ("[0, 1, 0]", "got zeros and ones"),
        ('["a", ""]', "expected labels"),
        ('["a", [1]]', "expected labels"),
    ],
)
def test_what_is_no_labels_is_named_by_line(tmp_path: Path, cell: str, said: str) -> None:
    file = table(
        tmp_path, f'{{"text": "one", "label": []}}\n{{"text": "two", "label": {cell}}}\n', "jsonl"
    )
    with pytest.raises(DataError, match=said) as caught:
        sightline.load(file, labels_sep=";", split="all")
    assert caught.value.line == 2


def test_a_list_where_one_label_is_expected_names_the_setting(tmp_path: Path) -> None:
    file = table(tmp_path, '{"text": "one", "label": ["a", "b"]}\n', "jsonl")
    with pytest.raises(DataError, match="labels_sep=;"):
        sightline.load(file, split="all")


def test_a_text_without_a_label_names_the_setting_that_allows_it(tmp_path: Path) -> None:
    file = table(tmp_path, "text,label\none,a;b\ntwo,\n")
    with pytest.raises(DataError, match="labels_sep=;") as caught:
        sightline.load(file, split="all")
    assert caught.value.line == 3


def test_sets_of_labels_that_are_rare_are_divided_all_the_same() -> None:
    texts = [f"word{n} text" for n in range(40)]
    data = sightline.data_from(texts, [[f"l{n}", f"l{n % 3}"] for n in range(40)])
    assert [len(split) for split in data.splits.values()] == [28, 6, 6]
    assert not any("class by class" in note for note in data.card["notes"])
    named = sightline.data_from(
        texts, [[f"l{n}"] for n in range(40)], splits=["train", "validation", "test", "test"] * 10
    )
    assert len(named.test) == 20


def test_each_label_of_a_model_gets_a_dataset_of_two_classes() -> None:
    data = sightline.data_from(["one", "two", "three"], [["A", "b"], [], ["b"]], splits="all")
    found = labelled_sets(data, ("a", "b", "c"))
    assert found.counts == {"a": 1, "b": 2, "c": 0}
    one = found.of("b")
    assert one.label_names == ("not b", "b")
    assert [example.label for example in one.test] == [1, 0, 1]
    assert one.card["splits"]["test"]["labels"] == {"not b": 1, "b": 2}
    assert not one.several
    assert any("'c'" in note for note in found.dataset.card["notes"])


def test_texts_with_a_label_each_are_sets_of_one() -> None:
    data = sightline.data_from(["one", "two"], ["a", "b"], splits="all")
    assert labelled_sets(data, ("a", "b")).counts == {"a": 1, "b": 1}


def test_a_label_that_the_model_lacks_is_an_error_and_can_be_mapped() -> None:
    data = sightline.data_from(["one", "two"], [["a", "x"], []], splits="all")
    with pytest.raises(DataError, match="no class for 'x'") as caught:
        labelled_sets(data, ("a", "b"))
    assert "'x' (1 text, texts:0)" in str(caught.value)
    assert "empty cell or list" in str(caught.value)
    assert labelled_sets(data, ("a", "b"), {"x": "b"}).counts == {"a": 1, "b": 1}
    with pytest.raises(DataError, match="no text has a label"):
        labelled_sets(sightline.data_from(["one", "two"], [[], []], splits="all"), ("a",))


def test_unseparated_labels_name_the_setting() -> None:
    data = sightline.data_from(["one", "two"], ["a;b", "b"], splits="all")
    with pytest.raises(DataError, match="labels_sep=;"):
        labelled_sets(data, ("a", "b"))


def test_models_that_predict_one_class_refuse_several_labels() -> None:
    data = sightline.data_from([f"word{n} text" for n in range(9)], [["a", "b"]] * 9)
    with pytest.raises(DataError, match="labelwise"):
        sightline.train(data)
    with pytest.raises(SpecError, match="predict one class"):
        choose(DataSpec("csv", "notes.csv", labels_sep=";"), "mlp+additive")


NAMES = ("sepsis", "fall", "rare")


@pytest.mark.parametrize("cells", [("1", "0", " 1"), ("true", "False", "1.0")])
def test_one_column_of_zeros_and_ones_is_a_label_of_its_own(
    tmp_path: Path, cells: tuple[str, ...]
) -> None:
    rows = "".join(f"note {n},{cell}\n" for n, cell in enumerate(cells))
    file = table(tmp_path, f"text,sepsis\n{rows}")
    data = sightline.load(file, label="sepsis", labels_sep=";", split="all")
    assert [bool(one) for one in sets(data)] == [
        cell.strip() in {"1", "1.0", "true"} for cell in cells
    ]
    assert data.labels == ("sepsis",)
    found = labelled_sets(data, NAMES)
    assert found.counts == {"sepsis": sum(map(bool, sets(data))), "fall": 0, "rare": 0}
    said = worth_noting(found.dataset.card)
    assert any("'sepsis' holds 0 and 1 alone" in note for note in said)
    assert any("no text has the labels 'fall', 'rare'" in note for note in said)
    # Without a separator of labels they are classes, as ever.
    assert set(sightline.load(file, label="sepsis", split="all").label_names) == {
        cell.strip() for cell in cells
    }


def test_zeros_and_ones_in_lists_or_among_others_are_names(tmp_path: Path) -> None:
    lines = '{"text": "one", "label": [1]}\n{"text": "two", "label": [0]}\n'
    rows = ("text,label\none,1\ntwo,\n", "text,label\none,1\ntwo,0;1\n", "text,label\none,1;\n")
    for number, (written, ending) in enumerate([(lines, "jsonl"), *((one, "csv") for one in rows)]):
        (folder := tmp_path / str(number)).mkdir()
        data = sightline.load(table(folder, written, ending), labels_sep=";", split="all")
        assert sets(data)[0] == ("1",)


def test_a_column_is_one_label_if_it_is_in_every_file(tmp_path: Path) -> None:
    for name, cells in (("train", ("0;1", "1", "0")), ("test", ("0", "1", "0"))):
        rows = "".join(f"{name} note {n},{cell}\n" for n, cell in enumerate(cells))
        (tmp_path / f"{name}.csv").write_text(f"text,codes\n{rows}", encoding="utf-8")
    files = f"files:train={tmp_path / 'train.csv'},test={tmp_path / 'test.csv'}"
    data = sightline.load(files, label="codes", labels_sep=";")
    assert sets(data) == [("0",), ("1",), ("0",)]


def test_labels_that_are_named_zero_and_one_keep_their_texts(tmp_path: Path) -> None:
    file = table(tmp_path, "text,codes\none,1\ntwo,0\nthree,1\n")
    data = sightline.load(file, label="codes", labels_sep=";", split="all")
    found = labelled_sets(data, ("0", "1", "2"))
    assert found.counts == {"0": 1, "1": 2, "2": 0}
    assert not any("alone" in note for note in found.dataset.card["notes"])
    assert labelled_sets(data, NAMES, {"1": "fall", "0": "rare"}).counts == {
        "sepsis": 0,
        "fall": 2,
        "rare": 1,
    }
    assert labelled_sets(data, NAMES, {"codes": "fall"}).counts["fall"] == 2
    with pytest.raises(DataError, match="no class for 'codes'") as caught:
        labelled_sets(data, NAMES)
    assert "'codes' holds 0 and 1 alone, so it was read as one label" in str(caught.value)
    assert 'label_map="0=sepsis,1=fall"' in str(caught.value)


@pytest.mark.parametrize("labels", [["0", "1"], [0, 1], [True, False], [[0], [1]], [["1"], []]])
def test_zeros_and_ones_alone_are_never_indices_of_labels(labels: list[object]) -> None:
    data = sightline.data_from(["one", "two"], labels, splits="all")
    with pytest.raises(DataError) as caught:
        labelled_sets(data, NAMES)
    assert "labels_sep=;" in str(caught.value) or "write its name" in str(caught.value)


def test_indices_of_labels_are_paired_at_the_head_of_a_report() -> None:
    data = sightline.data_from(["one", "two"], [[0, 2], [1]], splits="all")
    found = labelled_sets(data, NAMES)
    assert found.counts == {"sepsis": 1, "fall": 1, "rare": 1}
    [note] = worth_noting(found.dataset.card)
    assert "0 = sepsis, 1 = fall, 2 = rare" in note


def test_cells_that_are_neither_zero_nor_one_are_counted(tmp_path: Path) -> None:
    file = table(tmp_path, "text,a,b\none,1,0\ntwo,0,no\nthree,1,\nfour,0,1\n")
    with pytest.raises(DataError, match="2 of 4 rows have neither, 1 of these nothing") as caught:
        sightline.load(file, label="a,b", labels_sep=";", split="all")
    assert caught.value.line == 3
