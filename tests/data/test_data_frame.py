"""A data frame is read as the table it would be written to, for each library that makes one."""

import builtins
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import sightline
from sightline._io.limits import ROWS
from sightline.core.errors import DataError, MissingExtra, SpecError
from sightline.data.assembly.user_splits import EVERY_ROW

Maker = Callable[[dict[str, list[Any]]], Any]


@pytest.fixture(params=["pyarrow", "pandas", "polars"])
def made(request: pytest.FixtureRequest) -> Maker:
    """Make a data frame of columns, by each library that is there."""
    if request.param == "pyarrow":
        return pa.table
    try:
        return import_module(request.param).DataFrame
    except ImportError:
        pytest.skip(f"no {request.param}")


def reviews(n: int = 30) -> dict[str, list[Any]]:
    return {
        "body": [f"{('good', 'bad')[i % 2]} film, number {i}" for i in range(n)],
        "stars": [i % 2 for i in range(n)],
    }


def shown(data: Any) -> list[Any]:
    return [
        [(e.text, e.tokens, e.label, e.index, e.query, e.rationale, e.group) for e in split]
        for split in data.splits.values()
    ]


def test_a_frame_is_divided_like_the_table(made: Maker, tmp_path: Path) -> None:
    found = sightline.load(made(reviews()), 3, text="body", label="stars", name="mine")
    rows = [f'"{text}",{stars}' for text, stars in zip(*reviews().values(), strict=True)]
    (tmp_path / "mine.csv").write_text("\n".join(["body,stars", *rows]))
    table = sightline.load(tmp_path / "mine.csv", 3, text="body", label="stars")
    assert shown(found) == shown(table)
    assert found.label_names == table.label_names == ("0", "1")
    assert found.card["columns"] == table.card["columns"]
    assert {int(e.id.removeprefix("mine:")) for s in found.splits.values() for e in s} == {
        *range(30)
    }
    assert (found.name, found.card["source"]) == ("mine", "mine")


def test_every_column_is_read(made: Maker) -> None:
    columns = {
        **reviews(12),
        "part": ["train"] * 6 + ["dev"] * 2 + ["test"] * 4,
        "why": [[[0, 4]], None] * 6,
        "ask": ["is it ?"] * 12,
        "key": [f"k{i}" for i in range(12)],
        "who": ["a"] * 6 + [None] * 6,
        "other": [b"x"] * 12,
    }
    named = {"split": "part", "rationale": "why", "query": "ask", "id": "key", "group": "who"}
    found = sightline.load(made(columns), text="body", label="stars", **named)
    assert [len(split) for split in found.splits.values()] == [6, 2, 4]
    first, second = found.train[:2]
    assert (first.id, first.query, first.group) == ("k0", ("is", "it", "?"), "a")
    assert first.rationale == (True, False, False, False, False)[: len(first.tokens)]
    assert second.rationale is None
    assert found.test[0].group == ""


def test_every_row_may_be_a_test_text(made: Maker) -> None:
    found = sightline.load(made(reviews(4)), text="body", label="stars", split="all")
    assert len(found.test) == 4
    assert found.train == ()
    assert any(EVERY_ROW in note for note in found.card["notes"])


def test_whole_numbers_with_a_decimal_point_are_labels(made: Maker) -> None:
    columns = reviews()
    columns["stars"] = [float(star) for star in columns["stars"]]
    found = sightline.load(made(columns), text="body", label="stars")
    assert found.label_names == ("0", "1")


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"body": ["a film", None, "b"]}, r"^data frame:1: expected a text in 'body', got nothing"),
    ({"stars": ["x", "y", None]}, r"^data frame:2: expected a label in 'stars'.*got nothing"),
    ({"stars": ["x", " ", "y"]}, r"^data frame:1: expected a label in 'stars'.*an empty one"),
    ({"stars": ["x", None, " "]}, r"^data frame:1: .*; 2 of 3 rows have none;"),
    ({"stars": [0.5, 1.0, 1.5]}, r"^data frame:0: expected a label in 'stars'.*got 0.5"),
    ({"split": ["train", "train", "tset"]}, r"^data frame:2: expected train, .*got 'tset'"),
    ({"rationale": ["0:4", "0:4", "0:99"]}, r"^data frame:2: expected character spans"),
]


@pytest.mark.parametrize(("changed", "message"), WRONG)
def test_what_is_wrong_names_its_row(made: Maker, changed: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        sightline.load(made(reviews(3) | changed), text="body", label="stars")


def test_a_frame_that_cannot_be_a_table_is_refused(
    made: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(DataError, match=r"^data frame: there is no column 'text'.*'body', 'stars'"):
        sightline.load(made(reviews()))
    with pytest.raises(DataError, match=r"^data frame: .*got no rows"):
        sightline.load(made({"text": [], "label": []}))
    with pytest.raises(SpecError, match="max_tokens: expected a whole number from 1"):
        sightline.load(made(reviews()), text="body", label="stars", max_tokens=0)
    with pytest.raises(SpecError, match="recipe"):
        sightline.load(made(reviews()), text="body", label="stars", recipe="paper")
    monkeypatch.setattr(type(ROWS), "now", 29)
    with pytest.raises(DataError, match=r"^data frame: .*29"):
        sightline.load(made(reviews()), text="body", label="stars")


def test_columns_that_cannot_be_told_apart_are_refused() -> None:
    twice = pa.Table.from_arrays([pa.array(["a"]), pa.array(["b"])], names=["text", "text"])
    with pytest.raises(DataError, match="'text' 2 times; rename one"):
        sightline.load(twice)


def test_columns_of_pandas_may_be_named_by_numbers() -> None:
    pandas = pytest.importorskip("pandas", reason="no pandas")
    texts, stars = reviews().values()
    found = sightline.load(pandas.DataFrame({0: texts, 1: stars}), text="0", label="1")
    assert found.label_names == ("0", "1")
    with pytest.raises(DataError, match="'1' twice"):
        sightline.load(pandas.DataFrame({0: texts, 1: stars, "1": stars}), text="0", label="1")


def test_what_only_has_columns_is_no_frame() -> None:
    class Odd:
        columns = ("text", "label")

    with pytest.raises(DataError, match=r"pandas, polars or pyarrow.*Odd"):
        sightline.load(Odd())


def test_without_narwhals_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    imported = builtins.__import__

    def without(name: str, *more: Any) -> Any:
        if name == "narwhals":
            raise ImportError(name)
        return imported(name, *more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtra, match=r"narwhals.*pip install 'sightline-audit\[frames\]'"):
        sightline.load(pa.table(reviews()))


def test_a_missing_value_of_pandas_is_nothing() -> None:
    pandas = pytest.importorskip("pandas", reason="no pandas")
    who = pandas.array(["a", None, "a", None], dtype="string")
    for missing in (who, [float("nan")] * 4):
        frame = pandas.DataFrame({**reviews(4), "who": missing})
        found = sightline.load(frame, text="body", label="stars", split="all", group="who")
        assert found.test[1].group == ""
    frame = pandas.DataFrame({**reviews(4), "why": [pandas.NA, "0:4", None, "0:3"]})
    found = sightline.load(frame, text="body", label="stars", split="all", rationale="why")
    assert [one.rationale is None for one in found.test] == [True, False, True, False]
