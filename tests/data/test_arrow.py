"""Parquet files and saved datasets: read by columns, with the names of classes; what is torn or too
large is refused.
"""

import builtins
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from sightline._io.limits import FILE, ROWS
from sightline.config.spec_syntax import parse_data
from sightline.core.errors import DataError, MissingExtra
from sightline.data.corpus_cache import content_digest
from sightline.data.load_dataset import load
from tests.snapshots import refused, same_text
from tests.troubles.tables import rows, table

CLASSES = ("bad", "good")


def arrow(records: list[tuple[str, str]], *, numbered: bool = False, **more: list[Any]) -> pa.Table:
    """Give a table as `datasets` makes it: labels are numbers of classes, which the schema
    names.
    """
    labels = [("neg", "pos").index(label) if numbered else label for _, label in records]
    made = pa.table({"text": [text for text, _ in records], "label": labels, **more})
    features = {
        "text": {"dtype": "string", "_type": "Value"},
        "label": {"names": CLASSES, "_type": "ClassLabel"},
    }
    return made.replace_schema_metadata(
        {"huggingface": json.dumps({"info": {"features": features}})} if numbered else {}
    )


def save(made: pa.Table, folder: Path, parts: int = 1) -> Path:
    """Write a dataset as `save_to_disk` does: streams beside a state that names them."""
    folder.mkdir(parents=True)
    names = [f"data-{i:05}-of-{parts:05}.arrow" for i in range(parts)]
    step = -(-made.num_rows // parts)
    for i, name in enumerate(names):
        with pa.ipc.new_stream(str(folder / name), made.schema) as stream:
            stream.write_table(made.slice(i * step, step))
    (folder / "state.json").write_text(
        json.dumps({"_data_files": [{"filename": name} for name in names]})
    )
    (folder / "dataset_info.json").write_text("{}")
    return folder


def save_splits(folder: Path, **splits: pa.Table) -> Path:
    for name, made in splits.items():
        save(made, folder / name)
    (folder / "dataset_dict.json").write_text(json.dumps({"splits": [*splits]}))
    return folder


def test_a_parquet_file_reads_as_its_csv_does(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(table(rows()))
    parquet.write_table(
        arrow(rows(), picture=[b"\xff"] * 60), tmp_path / "t.parquet", row_group_size=7
    )
    csv, found = (load(parse_data(str(tmp_path / f"t.{kind}")), 0) for kind in ("csv", "parquet"))
    for one, other in zip(csv.splits.values(), found.splits.values(), strict=True):
        assert [(e.text, e.label, e.tokens) for e in one] == [
            (e.text, e.label, e.tokens) for e in other
        ]
    assert {e.id for e in found.train} <= {f"t.parquet:{row}" for row in range(1, 61)}


def test_numbers_of_classes_have_their_names(tmp_path: Path) -> None:
    parquet.write_table(arrow(rows(), numbered=True), tmp_path / "t.parquet")
    found = load(parse_data(f"parquet:{tmp_path}/t.parquet"), 0)
    assert found.label_names == CLASSES
    values = {text: CLASSES[("neg", "pos").index(label)] for text, label in rows()}
    assert all(CLASSES[e.label] == values[e.text] for e in found.train)
    none = arrow(rows(), numbered=True).set_column(1, "label", pa.array([0] * 59 + [-1]))
    parquet.write_table(none, tmp_path / "u.parquet")
    with refused(DataError):
        load(parse_data(f"{tmp_path}/u.parquet"), 0)


@pytest.mark.parametrize("kind", ["List", "Sequence", "a list of one"])
def test_lists_of_classes_have_their_names(tmp_path: Path, kind: str) -> None:
    """As `datasets` has written them in its versions."""
    one = {"names": ("fear", "anger", "joy"), "_type": "ClassLabel"}
    features = {"label": [one] if kind == "a list of one" else {"feature": one, "_type": kind}}
    lists = [[i % 3, (i + 1) % 3] if i % 4 else [] for i in range(60)]
    made = pa.table({"text": [text for text, _ in rows()], "label": lists})
    about = {"huggingface": json.dumps({"info": {"features": features}})}
    parquet.write_table(made.replace_schema_metadata(about), tmp_path / "t.parquet")
    asked = parse_data(f"{tmp_path}/t.parquet", labels_sep=";", split="all")
    found = load(asked, 0, training=False)
    named = [json.loads(found.label_names[example.label]) for example in found.test]
    assert named[:3] == [[], ["anger", "joy"], ["fear", "joy"]]
    lists[5] = [1, 3]
    wrong = made.set_column(1, "label", pa.array(lists)).replace_schema_metadata(about)
    parquet.write_table(wrong, tmp_path / "u.parquet")
    with pytest.raises(DataError) as refused_at:
        load(parse_data(f"{tmp_path}/u.parquet", labels_sep=";"), 0)
    assert refused_at.value.line == 6


def test_parquet_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "t.parquet"

    def record() -> str:
        with pytest.raises(DataError) as caught:
            load(parse_data(str(file)), 0)
        return str(caught.value)

    same_text("notes", record())
    file.write_bytes(b"text,label\n")
    same_text("notes", record())
    parquet.write_table(arrow(rows()), file)
    file.write_bytes(file.read_bytes()[:-20])
    same_text("notes", record())
    parquet.write_table(pa.table({"words": ["a"], "label": ["b"]}), file)
    assert (
        "t.parquet:1: there is no column 'text' to read as 'text'; the table has the columns 'words', 'label'"
        in record()
    )
    parquet.write_table(pa.table({"text": ["a", None], "label": ["b", "c"]}), file)
    same_text("notes", record())
    parquet.write_table(
        pa.table({"text": pa.array([], pa.string()), "label": pa.array([], pa.string())}), file
    )
    same_text("notes", record())
    parquet.write_table(arrow(rows()), file)
    monkeypatch.setenv(ROWS.setting, "59")
    same_text("notes", record())
    monkeypatch.delenv(ROWS.setting)
    monkeypatch.setenv(FILE.setting, "1K")
    assert "expected a file of at most 1,024 bytes" in record()


def test_what_a_parquet_file_unpacks_to_is_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["word " * 200 + str(i) for i in range(200)]
    parquet.write_table(
        pa.table({"text": words, "label": ["a", "b"] * 100}),
        tmp_path / "t.parquet",
        compression="zstd",
    )
    assert (tmp_path / "t.parquet").stat().st_size < 2**15
    monkeypatch.setenv(FILE.setting, "32K")
    with pytest.raises(DataError, match=r"t.parquet: .* 32,768 bytes, got \d+,\d{3} bytes"):
        load(parse_data(f"{tmp_path}/t.parquet"), 0)


def test_a_saved_dataset_is_read_by_split(tmp_path: Path) -> None:
    made = arrow(rows(), numbered=True)
    folder = save_splits(
        tmp_path / "d", train=made.slice(0, 40), test=made.slice(40), unsupervised=made.slice(0, 3)
    )
    data = load(parse_data(f"hf:{folder}"), 0)
    assert [len(split) for split in data.splits.values()] == [34, 6, 20]
    assert data.label_names == CLASSES
    assert data.test[0].id == "test:1"
    same_text("notes", data.card["notes"][0])
    assert len(load(parse_data(f"hf:{folder}", split="all"), 0, training=False).test) == 60
    known = content_digest(parse_data(f"hf:{folder}"))
    (folder / "test" / "data-00000-of-00001.arrow").write_bytes(b"")
    assert content_digest(parse_data(f"hf:{folder}")) != known


def test_a_dataset_in_parts_is_divided(tmp_path: Path) -> None:
    data = load(parse_data(f"hf:{save(arrow(rows()), tmp_path / 'd', 3)}"), 0)
    assert sorted(text.id for split in data.splits.values() for text in split) == sorted(
        f"d:{i}" for i in range(1, 61)
    )
    assert data.label_names == ("neg", "pos")


def wrong(folder: Path, what: str) -> None:
    state, streams = folder / "state.json", folder / "data-00000-of-00001.arrow"
    if what == "torn":
        streams.write_bytes(streams.read_bytes()[:500])
    elif what == "missing":
        streams.unlink()
    elif what == "outside":
        state.write_text(json.dumps({"_data_files": [{"filename": "../x.arrow"}]}))
    elif what == "old":
        state.write_text(
            json.dumps({"_data_files": [{"filename": streams.name}], "_indices_data_files": [1]})
        )
    elif what == "no json":
        state.write_text("{")
    elif what == "a list":
        state.write_text("[]")
    elif what == "none":
        state.unlink()
    elif what == "two":
        state.rename(folder / "x.json")
        (folder / "dataset_dict.json").write_text(json.dumps({"splits": ["dev", "valid"]}))
    elif what == "others":
        state.rename(folder / "x.json")
        (folder / "dataset_dict.json").write_text(json.dumps({"splits": ["unsupervised"]}))


@pytest.mark.parametrize(
    ("what", "message"),
    [
        (
            "torn",
            r"d/data-00000-of-00001.arrow: the file cannot be read: Expected to be able to read",
        ),
        ("missing", r"d/data-00000-of-00001.arrow: there is no such file; check the path"),
        (
            "outside",
            r"d/state.json: expected the names of data files in its folder, as datasets writes them",
        ),
        (
            "old",
            (
                r"d/state.json: its rows are chosen by a file of their own, as older versions of "
                r"datasets wrote"
            ),
        ),
        ("no json", r"d/state.json: expected JSON as datasets writes it, got something else"),
        ("a list", r"d/state.json: expected JSON as datasets writes it, got something else"),
        (
            "none",
            (
                r"d: expected a folder that save_to_disk of datasets wrote, with state.json or "
                r"dataset_dict.json in it"
            ),
        ),
        ("two", r"d/dataset_dict.json: dev and valid are both for validation; keep one"),
        ("others", r"d: expected a split train, validation or test, got unsupervised"),
    ],
)
def test_a_saved_dataset_that_cannot_be_read(tmp_path: Path, what: str, message: str) -> None:
    wrong(save(arrow(rows()), tmp_path / "d"), what)
    with pytest.raises(DataError, match=message):
        load(parse_data(f"hf:{tmp_path / 'd'}"), 0)


def test_rows_and_bytes_of_a_saved_dataset_are_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = parse_data(f"hf:{save(arrow(rows()), tmp_path / 'd')}")
    monkeypatch.setenv(ROWS.setting, "59")
    with refused(DataError):
        load(spec, 0)


def test_without_pyarrow_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parquet.write_table(arrow(rows()), tmp_path / "t.parquet")
    found = builtins.__import__

    def without(name: str, *arguments: Any, **options: Any) -> Any:
        if name.startswith("pyarrow"):
            raise ModuleNotFoundError(f"No module named {name!r}", name="pyarrow")
        return found(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    with refused(MissingExtra):
        load(parse_data(f"{tmp_path}/t.parquet"), 0)
