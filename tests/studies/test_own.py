"""A study of a user's own: what its file shows, and the figure it was written for."""

import csv
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import sightline
from sightline.core.errors import DataError, SpecError
from sightline.core.results import Table, TableCell
from sightline.experiments.study_outputs import StudyOutputs, shown_from
from sightline.experiments.tabulate import COLUMNS
from sightline.report.figures.study_means import means

GUIDE = Path(__file__).parents[2] / "docs" / "own-study.md"


def the_ten_lines() -> str:
    return re.search(r"```toml\n(.*?)```", GUIDE.read_text(), re.DOTALL)[1]


@pytest.mark.slow
def test_the_guide_gives_its_figure_at_the_first_try(tmp_path: Path) -> None:
    """Word for word but for fewer and smaller runs."""
    lines = the_ten_lines()
    assert (
        len([line for line in lines.splitlines() if line.strip() and not line.startswith("[")])
        <= 10
    )
    file = tmp_path / "entmax.toml"
    file.write_text(
        lines.replace("n=640", "n=120")
        .replace("hidden=16", "hidden=4")
        .replace("epochs = 25", "epochs = 1")
        .replace("[0, 1, 2, 3, 4]", "[0, 1]")
        .replace(', "planted:vote(n=120)"', "")
    )
    found = sightline.study(file, store=tmp_path / "store", out=tmp_path / "out")
    names = {
        f"entmax{end}"
        for end in (
            ".md",
            ".csv",
            ".tex",
            *(f"-means{one}" for one in (".pdf", ".png", ".svg", ".csv")),
        )
    }
    assert (
        {path.name for path in found.files}
        == names
        == {path.name for path in (tmp_path / "out").iterdir() if path.name[0] != "."}
    )
    assert found.not_drawn == ()
    assert ElementTree.parse(tmp_path / "out" / "entmax-means.svg").getroot().tag.endswith("svg")
    with (tmp_path / "out" / "entmax-means.csv").open(newline="") as numbers:
        drawn = {(row["model"], row["column"]): row for row in csv.DictReader(numbers)}
    table = found.table
    for names_of, cells in zip(table.row_names, table.rows, strict=True):
        for column, cell in zip(table.columns, cells, strict=True):
            if isinstance(cell.value, float):
                row = drawn[names_of[table.row_axes.index("model")], column]
                assert (float(row["value"]), int(row["n"]), int(row["seeds"])) == (
                    cell.value,
                    cell.n,
                    len(cell.seeds),
                )
    assert {column for _, column in drawn} == {"accuracy", "SL-303"}
    assert "entmax(alpha=1.3)" in str(found)


def test_plain_values_are_a_study_too(tmp_path: Path) -> None:
    tree = {
        "name": "plain",
        "base": {
            "data": "planted:needle(n=120)",
            "model": "mlp(hidden=4)",
            "measures": ["agreement"],
            "fit.epochs": 1,
        },
        "axes": {"seed": [0]},
        "show": {"figures": ["tau-by-class", "ranks"]},
    }
    found = sightline.study(tree, store=tmp_path / "store", out=tmp_path / "out")
    assert (tmp_path / "out" / "plain-tau-by-class.png").exists()
    (why,) = found.not_drawn
    assert why.startswith("plain-ranks: the figure needs what ranks know")


@pytest.mark.parametrize(
    ("show", "message"),
    [
        ({"figures": ["tau-by-clas"]}, "figures: .*got 'tau-by-clas'; near it: tau-by-class"),
        ({"columns": ["accuracies"]}, "columns: .*got 'accuracies'"),
        ({"figure": ["means"]}, "show: unknown 'figure'; expected columns, figures"),
        ("means", "show: expected a table, headed"),
        ({"figures": "means"}, "figures"),
    ],
)  # fmt: skip
def test_what_cannot_be_shown_is_refused(show: object, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        shown_from({"show": show}, "s.toml")


def test_nothing_said_shows_what_it_showed_before() -> None:
    assert shown_from({}) == StudyOutputs(COLUMNS, ())


def test_a_table_without_numbers_has_no_figure() -> None:
    words = Table("t", ("verdict",), ((TableCell("cannot tell"),),), (("a",),), ("model",))
    with pytest.raises(DataError, match="needs a column with numbers"):
        means(words)


def test_every_number_is_drawn_and_an_empty_cell_is_not() -> None:
    cells = (TableCell(0.5, 0.4, 0.6, 9, (0, 1)), TableCell(None, note="not run"))
    table = Table(
        "t",
        ("accuracy",),
        tuple((cell,) for cell in cells),
        (("a",), ("b",)),
        ("model",),
        partial="1 missing",
    )
    plot = means(table)
    assert plot.rows == [("a", "accuracy", 0.5, 0.4, 0.6, 9, 2)]
    assert "Partial: 1 missing." in plot.notes[0]


@pytest.mark.parametrize(
    ("data", "datasets", "message"),
    [
        ("nowhere", (), "nowhere: expected a folder"),
        (".", ("ssd",), "'ssd': jain2019:J-2 is of sst"),
        (".", (), "has none"),
    ],
)
def test_a_papers_table_of_what_is_not_there_is_refused_in_python_too(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    data: str,
    datasets: tuple[str, ...],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SpecError, match=message):
        sightline.study("jain2019:J-2", store="store", data=data, datasets=datasets)


@pytest.mark.parametrize(
    "options", [{"seeds": 3}, {"datasets": ("sst",)}, {"data": "."}, {"limit": 5}, {"vectors": "v"}]
)
def test_options_of_a_papers_table_are_refused_where_a_study_says_these_itself(
    tmp_path: Path, options: dict[str, Any]
) -> None:
    with pytest.raises(SpecError) as caught:
        sightline.study({"name": "small", "base": {}}, store=tmp_path / "store", **options)
    assert [caught.value.field] == [*options]
    assert not (tmp_path / "store").exists()


@pytest.mark.parametrize("name", ["seeds", "limit"])
@pytest.mark.parametrize("number", [-1, 0, "2", 1.5])
def test_a_number_that_counts_nothing_is_refused(tmp_path: Path, name: str, number: Any) -> None:
    with pytest.raises(SpecError) as caught:
        sightline.study("jain2019:J-2", store=tmp_path / "st", data=tmp_path, **{name: number})
    assert caught.value.field == name
    assert not (tmp_path / "st").exists()


@pytest.mark.parametrize("name", ["worlds", "papers"])
def test_a_named_study_is_said_to_be_for_the_command_line(tmp_path: Path, name: str) -> None:
    with pytest.raises(SpecError, match=f"sightline study {name}") as caught:
        sightline.study(name, store=tmp_path / "st")
    assert "near it" not in str(caught.value)


def test_a_finished_study_removes_what_killed_processes_left(tmp_path: Path) -> None:
    study = {
        "name": "small",
        "base": {
            "data": "planted:needle(n=120,length=6)",
            "model": "mlp(hidden=4)",
            "companions": [],
            "measures": ["agreement"],
            "fit": {"epochs": 1},
        },
    }
    place = tmp_path / "store"
    first = sightline.study(study, store=place)
    kept = [path for room in ("runs", "trainings") for path in (place / room).glob("??/*")]
    assert len(kept) == 2
    for one in kept:
        one.with_name(f".{one.name}.killed").mkdir()
    assert sightline.study(study, store=place).table == first.table
    assert list(place.rglob(".*")) == []
