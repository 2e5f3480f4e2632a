"""The table of a study: columns that are chosen, means with what stands beside them, and nothing
beyond what can be.
"""

import csv
import math
import re
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from sightline.config.measure_registry import MEASURES
from sightline.core.errors import SpecError
from sightline.core.results import Estimate, Failed, Finding, NotRun, Table, TableCell
from sightline.experiments.grid import Grid, read_grid
from sightline.experiments.missing_values import NEEDS_COMPANION, why_absent
from sightline.experiments.store import Conclusion, Summary
from sightline.experiments.tabulate import ALONE, COLUMNS, Spread, choosable, tabulate
from sightline.report.tables.csv_table import to_csv
from sightline.report.tables.latex_table import to_latex
from sightline.report.tables.markdown_table import to_markdown
from sightline.report.tables.terminal_table import to_text
from sightline.verdict.catalogue import AUDIT_TESTS
from tests.report import audits

STUDY = """
name = "s"
[base]
data = "planted:needle(n=40,length=5)"
[axes]
model = ["mlp(hidden=4)", "bilstm(hidden=4)"]
seed = [0, 1, 2]
"""
ACCURACY = (0.99, 0.90, 1.0)


@pytest.fixture(scope="module")
def grid(tmp_path_factory: pytest.TempPathFactory) -> Grid:
    file = tmp_path_factory.mktemp("study") / "s.toml"
    file.write_text(STUDY)
    return read_grid(file)


def estimate(value: float, n: int = 20) -> Estimate:
    return Estimate(value, value - 0.1, value + 0.1, n, "bootstrap")


def summary(grid: Grid, index: int, accuracy: float) -> Summary:
    effects = {"SL-101": Conclusion("passed", estimate(accuracy / 2))}
    about = ("planted:needle", "mlp", grid.specs[index].seed, "done", 1.0, "")
    return Summary(
        grid.keys[index], *about, "cannot tell", effects, {"accuracy": estimate(accuracy)}
    )


@pytest.fixture(scope="module")
def found(grid: Grid) -> dict[str, Summary]:
    """Three seeds of the first model, and one of the second."""
    return {grid.keys[i]: summary(grid, i, (*ACCURACY, 0.5)[i]) for i in range(4)}


def test_columns_are_those_that_are_chosen_in_their_order(
    grid: Grid, found: dict[str, Summary]
) -> None:
    table = tabulate(grid, found, columns=("SL-101", "verdict"))
    assert table.columns == ("SL-101", "verdict")
    assert [cell.value for cell in table.rows[0]] == [
        pytest.approx(np.mean(ACCURACY) / 2),
        "cannot tell",
    ]
    usual = tabulate(grid, found)
    (note,) = [one for one in usual.notes if one.startswith("left out")]
    left = note.partition(": ")[2].split(", ")
    assert left == ["SL-401", "SL-107"], "no run was asked for them"
    assert usual.columns == tuple(name for name in COLUMNS if name not in left)
    assert {len(cells) for cells in usual.rows} == {len(usual.columns)}
    assert tabulate(grid, found, columns=("SL-401",)).columns == ("SL-401",)


def test_a_column_that_no_audit_has_is_refused_with_those_that_there_are(grid: Grid) -> None:
    with pytest.raises(
        SpecError,
        match=r"^columns: expected some of verdict, accuracy, f1, SL-303, .*; got 'acuracy'; ne",
    ):
        tabulate(grid, {}, columns=("verdict", "acuracy"))
    with pytest.raises(
        SpecError, match=r"got 'agreement.tau.grad'; near it: .*agreement.tau.gradient"
    ):
        tabulate(grid, {}, columns=("agreement.tau.grad",))
    with pytest.raises(SpecError, match="columns: f1 is named twice"):
        tabulate(grid, {}, columns=("f1", "verdict", "f1"))


def test_a_standard_deviation_is_that_of_the_seeds_and_one_seed_has_none(
    grid: Grid, found: dict[str, Summary]
) -> None:
    (first,), (second,) = tabulate(grid, found, columns=("accuracy",), spread="sd").rows
    assert (first.value, first.sd) == (
        pytest.approx(np.mean(ACCURACY)),
        pytest.approx(np.std(ACCURACY, ddof=1)),
    )
    assert (first.low, first.high, first.n, first.seeds) == (None, None, 20, (0, 1, 2))
    assert (second.value, second.sd, second.note) == (0.5, None, ALONE)


def test_the_interval_of_a_share_stays_between_0_and_1(
    grid: Grid, found: dict[str, Summary]
) -> None:
    (accuracy, score), _ = tabulate(grid, found, columns=("accuracy", "SL-101")).rows
    assert (accuracy.high, score.high) == (
        1.0,
        pytest.approx(score.value + (score.value - score.low)),
    )
    assert accuracy.low < accuracy.value < 1


@pytest.mark.parametrize(
    ("failed", "note"),
    [
        ([], "no run is done"),
        ([3, 4], "2 of 3 runs failed, the others are not done"),
        ([3, 4, 5], "all 3 runs failed"),
    ],
)
def test_a_row_whose_runs_failed_is_not_one_that_was_never_run(
    grid: Grid, found: dict[str, Summary], failed: list[int], note: str
) -> None:
    broken = {grid.keys[i]: replace(summary(grid, i, 0.0), state="failed") for i in failed}
    first = {key: one for key, one in found.items() if key in grid.keys[:3]}
    known, lacking = tabulate(grid, first | broken, columns=("accuracy", "verdict")).rows
    assert [cell.note for cell in lacking] == [note] * 2
    assert [cell.value for cell in lacking] == [None] * 2
    assert known[0].value is not None


@pytest.mark.parametrize("spread", ["interval", "sd"])
def test_a_seed_without_a_value_is_not_counted_and_marked(
    grid: Grid, found: dict[str, Summary], spread: Spread
) -> None:
    nothing = Estimate(math.nan, math.nan, math.nan, 0, "undefined: one text is in every pair")
    key = grid.keys[0]
    without = replace(found[key], metrics={"accuracy": nothing})
    ((cell,), _) = tabulate(grid, found | {key: without}, columns=("accuracy",), spread=spread).rows
    assert (cell.seeds, cell.note) == ((1, 2), "2 of 3 seeds have this number")
    assert cell.runs == grid.keys[1:3]
    lost = {one: replace(found[one], metrics={"accuracy": nothing}) for one in grid.keys[:3]}
    ((cell,), _) = tabulate(grid, found | lost, columns=("accuracy",), spread=spread).rows
    assert (cell.value, cell.seeds, cell.note) == (None, (), nothing.method)


@pytest.mark.parametrize("write", [to_markdown, to_latex, to_text])
def test_the_tests_behind_codes_are_named_below(
    grid: Grid, found: dict[str, Summary], write: Callable[[Table], str]
) -> None:
    printed = write(tabulate(grid, found, columns=("SL-101", "accuracy")))
    assert f"SL-101: {AUDIT_TESTS['SL-101'].name}" in printed.replace("\\", "")  # of Markdown


def test_why_there_is_no_number_is_told_by_the_summary_where_that_keeps_it(
    grid: Grid, found: dict[str, Summary]
) -> None:
    kept = {
        key: replace(one, absent={"SL-106": "not run: no text has a mark"})
        for key, one in found.items()
    }
    table = tabulate(
        grid, kept, columns=("SL-106",), audits=lambda key: pytest.fail("read without need")
    )
    assert next(cell.note for (cell,) in table.rows) == "not run: no text has a mark"
    older = tabulate(grid, found, columns=("SL-106",), audits=lambda key: audits.audit())
    assert next(cell.note for (cell,) in older.rows) == why_absent("SL-106", audits.audit())


def test_any_other_number_is_read_from_the_whole_audits(
    grid: Grid, found: dict[str, Summary]
) -> None:
    asked = []

    def whole(key: str) -> audits.Audit:
        asked.append(key)
        return replace(audits.audit(), estimates={"agreement.tau.gradient": estimate(0.3)})

    table = tabulate(grid, found, columns=("agreement.tau.gradient", "accuracy"), audits=whole)
    assert [cell.value for cell in table.rows[0]] == [
        pytest.approx(0.3),
        pytest.approx(np.mean(ACCURACY)),
    ]
    assert asked == [*grid.keys[:4]]
    tabulate(
        grid, found, columns=("accuracy",), audits=lambda key: pytest.fail("read without need")
    )


def test_a_number_of_a_finding_stays_between_the_ends_of_its_quantity(
    grid: Grid, found: dict[str, Summary]
) -> None:
    shares = dict(zip(grid.keys, (0.99, 0.9, 1.0, 0.5), strict=False))

    def whole(key: str) -> audits.Audit:
        pair = {"number": estimate(shares[key]), "baseline": estimate(1 - shares[key])}
        return replace(
            audits.audit(), findings=(Finding("SL-101", "c", "passed", "required", **pair),)
        )

    (number, baseline), _ = tabulate(
        grid, found, columns=("SL-101.number", "SL-101.baseline"), audits=whole
    ).rows
    assert (number.high, baseline.low) == (1.0, 0.0)
    assert 0 < number.low < number.value < 1


@pytest.mark.parametrize("printed", [to_text, to_markdown, to_latex])
def test_an_interval_over_seeds_is_named_under_every_printing(
    printed, grid: Grid, found: dict[str, Summary]
) -> None:
    result = printed(tabulate(grid, found, columns=("accuracy",)))
    assert "means with Student’s t interval over 3 seeds" in result
    assert "the interval of one seed alone is its own, over its n texts" in result
    three = {key: found[key] for key in grid.keys[:3]}
    assert "one seed alone" not in printed(tabulate(grid, three, columns=("accuracy",)))
    assert "Student" not in printed(tabulate(grid, found, columns=("accuracy",), spread="sd"))
    assert "Student" not in printed(tabulate(grid, found, columns=("verdict",)))


def test_a_number_without_an_interval_says_why(grid: Grid, found: dict[str, Summary]) -> None:
    equal = estimate(0.5)
    alike = {key: replace(one, metrics={"accuracy": equal}) for key, one in found.items()}
    shown = tabulate(grid, alike, columns=("accuracy",))
    assert any(math.isnan(cell.low) for (cell,) in shown.rows)
    assert sum("[no interval]" in note for note in shown.notes) == 1
    assert not any("[no interval]" in note for note in tabulate(grid, found).notes)


def test_an_interval_over_seeds_is_named_in_its_line_of_the_csv(
    grid: Grid, found: dict[str, Summary]
) -> None:
    first, second = csv.DictReader(
        to_csv(tabulate(grid, found, columns=("accuracy",))).splitlines()
    )
    assert (first["method"], second["method"]) == ("Student’s t over 3 seeds", "bootstrap")


MEASURED = STUDY.replace("[axes]", 'measures = ["need", "agreement"]\n[axes]')


@pytest.mark.parametrize(
    ("column", "outcome", "message"),
    [
        ("SL-303", None, "not asked for: transplant is not among the measures of the study"),
        ("SL-107", None, "not asked for: frozen is not among the measures of the study"),
        (
            "need.retrained.F1_drop",
            None,
            "not asked for: retrained is not among the measures of the study",
        ),
        (
            "maps.gradient.deleted",
            None,
            "not asked for: erasure is not among the measures of the study",
        ),
        ("agreement.tau.gradient", Failed("agreement", "it broke"), "failed: it broke"),
        ("SL-102", NotRun("agreement", "no gradient"), "not run: no gradient"),
        ("SL-102", None, "not run: undefined for every text"),
    ],
)
def test_a_column_without_a_number_says_why(
    column: str, outcome: Failed | NotRun | None, message: str, tmp_path: Path
) -> None:
    (tmp_path / "s.toml").write_text(MEASURED)
    asked = read_grid(tmp_path / "s.toml")
    runs = {asked.keys[i]: summary(asked, i, 0.5) for i in range(3)}
    finding = Finding("SL-102", "c", "not run", "required", notes=("undefined for every text",))
    taken = {} if outcome is None else {"agreement": outcome}
    audit = replace(audits.audit(), findings=(finding,), measurements=taken, estimates={})
    first, second = tabulate(asked, runs, columns=(column,), audits=lambda key: audit).rows
    assert (first[0].value, first[0].note, second[0].note) == (None, message, "no run is done")


def test_why_a_measure_that_nobody_asked_for_is_missing_is_told_without_reading_an_audit(
    grid: Grid, found
) -> None:
    (frozen,), _ = tabulate(
        grid, found, columns=("SL-107",), audits=lambda key: pytest.fail("read without need")
    ).rows
    assert frozen.note == "not asked for: frozen is not among the control models of the study"
    assert {*NEEDS_COMPANION} == {
        name
        for name, row in MEASURES.items()
        if any(need.startswith("companion.") for need in needs_of(row.made_by))
    }


def needs_of(made: str) -> frozenset[str]:
    """Read what a measure needs from its class."""
    module, _, name = made.partition(":")
    return frozenset(getattr(import_module(module), name)().needs)


def test_a_mean_over_the_seeds_that_have_a_number_says_of_how_many(
    grid: Grid, found: dict[str, Summary]
) -> None:
    without = {
        **found,
        grid.keys[1]: replace(found[grid.keys[1]], findings={"SL-101": Conclusion("passed", None)}),
    }
    (score,), _ = tabulate(grid, without, columns=("SL-101",)).rows
    assert (score.seeds, score.note) == ((0, 2), "2 of 3 seeds have this number")


def test_the_share_of_significant_taus_may_be_a_column() -> None:
    assert {
        "agreement.significant.gradient",
        "need.uniform.accuracy_drop",
        "rationale.f1.attention",
    } <= {*choosable()}


def test_each_printing_shows_the_standard_deviation(grid: Grid, found: dict[str, Summary]) -> None:
    table = tabulate(grid, found, columns=("accuracy",), spread="sd")
    assert "0.963 ± 0.055, n = 20" in to_markdown(table)
    assert "$0.963$ $\\pm 0.055$, $n = 20$" in to_latex(table)
    value = float(to_csv(table).splitlines()[1].rpartition(",")[2])
    assert value == pytest.approx(np.std(ACCURACY, ddof=1))
    assert "± is the standard deviation over the 3 seeds of a row" in to_markdown(table)


def widths(latex: str) -> list[int]:
    """Count what is printed of each line of a tabular, about."""
    rows = [line[:-2].split("&") for line in latex.splitlines() if line.endswith("\\\\")]
    cells = [
        [len(re.sub(r"\\text\w+|\\[, ]|[\\${}]", "", cell).strip()) for cell in row] for row in rows
    ]
    return [sum(line) + 2 * (len(line) - 1) for line in cells]


def test_a_wide_table_continues_below_and_its_codes_are_explained(
    grid: Grid, found: dict[str, Summary]
) -> None:
    latex = to_latex(tabulate(grid, found))
    assert latex.count("\\begin{tabular}") == latex.count("\\end{tabular}") > 2
    assert "\\footnotesize" in latex
    assert max(widths(latex)) <= 84
    assert "\\par SL-101: Gradient agreement" in latex
    narrow = to_latex(tabulate(grid, found, columns=("accuracy",)))
    assert narrow.count("\\begin{tabular}") == 1
    assert "SL-101" not in narrow
    assert "\\footnotesize" not in narrow


def test_long_names_of_rows_break_and_their_words_stay() -> None:
    name = "bilstm(hidden=128)+additive+sparsemax+linear"
    table = Table("t", ("need",), ((TableCell(0.5, n=7),),), ((name,),), ("model",))
    latex = to_latex(table)
    assert "\\begin{tabular}{p{0.35\\linewidth}l}" in latex
    assert name in latex.replace("+\\allowbreak{}", "+")
