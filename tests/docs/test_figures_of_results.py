"""The pictures that are drawn from the results file show its numbers, each with its chance level."""

import csv
import gzip
import math
from collections.abc import Iterator
from itertools import combinations
from statistics import fmean, stdev

import figures
import figures_of_results as drawn
import pytest
from docs_tables import RESULTS_FILE
from matplotlib.figure import Figure

from sightline.report.figures.figure_registry import FIGURES
from sightline.report.figures.matplotlib_output import render_figure
from sightline.report.figures.plot import Plot, PlotRow

T_OF = {3: 4.302652729911275, 5: 2.7764451051977987, 10: 2.2621571627409915}
"""The 97.5th percentile of Student's t by the number of seeds (2, 4 and 9 degrees of freedom)."""
PLOTS = [draw for pictures in drawn.FROM_RESULTS.values() for draw in pictures.values()]


@pytest.fixture(scope="module")
def rows() -> list[dict[str, str]]:
    with gzip.open(RESULTS_FILE, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def cells(rows: list[dict[str, str]], column: str = "value", **labels: str) -> list[float]:
    """Give a column of the rows with these labels, one for each seed, in the order of the seeds."""
    found = [row for row in rows if all(row[name] == value for name, value in labels.items())]
    assert len({row["seed"] for row in found}) == len(found)
    return [float(row[column]) for row in sorted(found, key=lambda row: int(row["seed"]))]


def by_hand(values: list[float], least: float, most: float) -> tuple[float, float, float]:
    """Give the mean and Student's t interval, cut off at the possible numbers."""
    mean, k = fmean(values), len(values)
    half = T_OF[k] * stdev(values) / math.sqrt(k)
    return mean, max(least, mean - half), min(most, mean + half)


def picked(plot: Plot, *names: object) -> PlotRow:
    (row,) = (row for row in plot.rows if row[: len(names)] == names)
    return row[len(names) :]


@pytest.mark.parametrize("setting", [0.00105, 0.01, 0.03, 0.1, 0.3])
@pytest.mark.parametrize(("model", "name"), drawn.MODELS_KEPT.items())
def test_a_cross_is_the_mean_over_seeds_with_its_interval(
    rows: list[dict[str, str]], model: str, name: str, setting: float
) -> None:
    of = {"study": "tutek2020:T-F1", "corpus": "sst", "model": f"{model}, λ {setting}"}
    jsd = cells(rows, **of, quantity="JSD of attention")
    tvd = cells(rows, **of, quantity="TVD of answers")
    assert len(jsd) == len(tvd) == 3
    *numbers, n = picked(drawn.adversaries_words_kept(), name, setting)
    expected = (*by_hand(jsd, 0, math.log(2)), 1725, *by_hand(tvd, 0, 1))
    assert numbers == pytest.approx(expected)
    assert n == 1725


def test_outputs_of_the_plain_model_move_more_under_every_seed(rows: list[dict[str, str]]) -> None:
    """As the page says."""
    of = {"study": "tutek2020:T-F1", "corpus": "sst", "quantity": "TVD of answers"}
    for setting in ("0.00105", "0.01", "0.03", "0.1", "0.3"):
        plain, masked = (cells(rows, **of, model=f"{m}, λ {setting}") for m in drawn.MODELS_KEPT)
        assert all(one > other for one, other in zip(plain, masked, strict=True))


@pytest.mark.parametrize("model", drawn.PAIRS)
@pytest.mark.parametrize(("weights", "column"), [(drawn.OWN, "value"), (drawn.SHUFFLED, "chance")])
def test_every_agreement_stands_next_to_its_chance_level(
    rows: list[dict[str, str]], model: str, weights: str, column: str
) -> None:
    plot, of = drawn.sparsity(), {"corpus": "sst"}
    trend = cells(
        rows, column, **of, study="meister2021:M-F3", model=f"{model}+sparsegen",
        quantity="τ of λ with τ with deletion of inputs",
    )  # fmt: skip
    row = picked(plot, drawn.PAIRS[model], "inputs, leave-one-out", "τ-b of λ and τ-b", weights)
    assert row == pytest.approx((*by_hand(trend, -1, 1), 1725, 5))
    for name, ending in (("softmax", ""), ("sparsemax", "+sparsemax")):
        tau = cells(
            rows, column, **of, study="meister2021:M-6", model=f"{model}{ending}",
            quantity="τ with gradient of states",
        )  # fmt: skip
        row = picked(plot, drawn.PAIRS[model], "states, gradient", f"τ-b under {name}", weights)
        assert row == pytest.approx((*by_hand(tau, -1, 1), 1725, 5))


def test_ranks_have_all_models_and_seeds_and_names_of_the_field(
    rows: list[dict[str, str]],
) -> None:
    plot = drawn.ranks()
    assert len(plot.rows) == 2 * (9 + 1) * 3
    own, under_uniform = drawn.TAUS
    for corpus in ("sst", "news"):
        of = {"study": "wen2022:W-F2", "corpus": corpus, "model": "cnn+dot"}
        tau = cells(rows, **of, quantity=under_uniform)
        row = picked(plot, corpus, "CNN, dot", under_uniform)
        assert row[:3] == pytest.approx(by_hand(tau, -1, 1))
        assert row[-1] == len(tau) == 3
        never = cells(
            rows, study="information", corpus=corpus, setting=drawn.UNTRAINED_FROM,
            quantity="numbers/paper.tau.output",
        )  # fmt: skip
        row = picked(plot, corpus, drawn.NEVER, own)
        assert row[:3] == pytest.approx(by_hand(never, -1, 1))
        assert row[-1] == len(never) == 10


def boxes(figure: Figure) -> Iterator[list[tuple[float, float, float, float]]]:
    """Give the places of the λ of each panel, in pixels."""
    figure.draw_without_rendering()
    for axes in figure.axes:
        yield [one.get_window_extent().extents for one in axes.texts]


def test_no_two_settings_cover_each_other_or_a_point() -> None:
    plot = drawn.adversaries_words_kept()
    figure = Figure(figsize=(6.5, plot.height), layout="constrained")
    plot.draw(figure)
    for axes, written in zip(figure.axes, boxes(figure), strict=True):
        assert len(written) == 5
        for one, other in combinations(written, 2):
            apart = one[2] < other[0] or other[2] < one[0] or one[3] < other[1] or other[3] < one[1]
            assert apart
        for line in axes.lines:
            if line.get_marker() not in ("None", None):
                half = line.get_markersize() / 2 * figure.dpi / 72
                for x, y in axes.transData.transform(line.get_xydata()):
                    assert not any(
                        left - half < x < right + half and low - half < y < high + half
                        for left, low, right, high in written
                    )


@pytest.mark.parametrize("draw", PLOTS)
def test_equal_numbers_give_equal_bytes(draw) -> None:
    assert render_figure(draw(), ".png") == render_figure(draw(), ".png")


@pytest.mark.parametrize("draw", PLOTS)
def test_each_picture_says_its_n_its_seeds_and_its_intervals(draw) -> None:
    said = " ".join(draw().notes)
    assert "1,725" in said
    assert "seed" in said
    assert "95 % intervals of the mean over seeds" in said


def test_no_picture_is_drawn_from_audits_and_from_the_results_file() -> None:
    named = {(name, end) for name, pictures in drawn.FROM_RESULTS.items() for end in pictures}
    assert {name for name, _ in named} <= FIGURES.keys()
    assert not named & {(name, "") for name in figures.PAPER_FIGURES}
