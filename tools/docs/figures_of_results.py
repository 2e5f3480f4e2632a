"""Draw figures of the papers from the results file: means over all seeds, which no single audit has.

``python tools/docs/figures.py`` writes them into ``docs/images``. Their numbers are the numbers of
the tables in ``docs/tables``, as both average the same rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from docs_tables import all_kept

from sightline.core.results import Estimate
from sightline.report.figures.palette import INK, PALE, Shade, shade
from sightline.report.figures.plot import Plot, PlotRow
from sightline.report.number_format import count_range
from sightline.stats.across_seeds import across_seeds
from sightline.stats.intervals import Bounds
from sightline.studies.aggregate import Number, RunNumbers
from sightline.studies.paper_pages import UNTRAINED_FROM
from sightline.studies.papers.meister2021 import IMPORTANCES
from sightline.studies.papers.paper_index import PAPER_TABLES
from sightline.studies.papers.study_models import BILSTM
from sightline.studies.papers.wen2022 import ENCODERS, RANKED, SCORERS, TAUS
from sightline.studies.run_numbers import TAU
from sightline.studies.study_catalogue import INFORMATION

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SST, NEWS = "sst", "news"
CORPORA = {SST: "SST", NEWS: "20 Newsgroups"}
ENCODER_NAMES = {"bilstm": "BiLSTM", "cnn": "CNN", "mlp": "MLP"}
ESTIMATE = ("value", "low", "high", "n")
BY_T = "95 % intervals of the mean over seeds (Student’s t)"
ADVERSARIES, ENDS, SWEEP, RANKS = (
    "tutek2020:T-F1", "meister2021:M-6", "meister2021:M-F3", "wen2022:W-F2",
)  # fmt: skip


@dataclass(frozen=True)
class OverSeeds:
    """A quantity of one model on one corpus: its mean, its chance level, and what each seed has."""

    mean: Estimate
    by_seed: tuple[float, ...]
    chance: Estimate | None = None


def over_seeds(table: str, corpus: str) -> Mapping[tuple[str, str], OverSeeds]:
    """Average every number of a paper's table over the seeds, by model and quantity."""
    runs = all_kept()[table].read((corpus,))
    return {
        (line.model, line.quantity): OverSeeds(
            line.found.value, _by_seed(runs, line.model, line.quantity), line.found.baseline
        )
        for line in PAPER_TABLES[table].lines(runs)
        if line.corpus == corpus
    }


def _by_seed(runs: Iterable[RunNumbers], model: str, quantity: str) -> tuple[float, ...]:
    """Give the number of each seed, in the order of the seeds."""
    numbers = {run.seed: said.get(quantity) for run, said in runs if run.model == model}
    return tuple(one.value.value for _, one in sorted(numbers.items()) if isinstance(one, Number))


def _cells(one: Estimate) -> PlotRow:
    return tuple(getattr(one, name) for name in ESTIMATE)


def _n(drawn: Iterable[OverSeeds]) -> str:
    """Say how many texts and seeds the drawn means have."""
    every = [*drawn]
    texts = count_range(one.mean.n for one in every)
    return f"n = {texts} texts, {count_range(len(one.by_seed) for one in every)} seeds"


# ------------------------------------------------------------- Tutek & Šnajder 2020, figure 1

JSD, TVD = "JSD of attention", "TVD of answers"
MODELS_KEPT = {
    BILSTM: "Plain model: BiLSTM, additive",
    f"{BILSTM}+mlm": "The same, trained with masked words",
}
NEAR = 0.035
"""Nats within which the labels of two points stand to the left and to the right of them."""


@dataclass(frozen=True)
class AdversaryPoint:
    """The adversaries of one model under one λ: how far attention and outputs are from the base."""

    setting: float
    jsd: OverSeeds
    tvd: OverSeeds


def adversaries_words_kept() -> Plot:
    """Draw adversaries of the plain model and of the model with masked words on SST."""
    found = over_seeds(ADVERSARIES, SST)
    panels = {name: _over_settings(found, model) for model, name in MODELS_KEPT.items()}
    every = [
        one for points in panels.values() for point in points for one in (point.jsd, point.tvd)
    ]
    return Plot(
        "How far adversaries move attention and outputs, with and without masked words",
        (
            "After Tutek & Šnajder 2020, figure 1; SST. Each adversary is trained to attend "
            "elsewhere than its base and to keep its outputs; a larger λ rewards other attention "
            f"more. Large marks: means over seeds; crosses: {BY_T}, cut off at the smallest and "
            "largest possible number (JSD: 0 and ln 2 = 0.693 nats). Small marks, dotted: "
            f"each seed. {_n(every)} a point.",
        ),
        lambda figure: _draw_adversaries(figure, panels),
        ("model", "lambda", *(f"{kind}_{end}" for kind in ("jsd", "tvd") for end in ESTIMATE)),
        [
            (name, point.setting, *_cells(point.jsd.mean), *_cells(point.tvd.mean))
            for name, points in panels.items()
            for point in points
        ],
        6.4,
    )


def _over_settings(
    found: Mapping[tuple[str, str], OverSeeds], model: str
) -> Sequence[AdversaryPoint]:
    """Give the adversaries of one model in the order of λ."""
    points = (
        AdversaryPoint(float(at.rpartition("λ ")[2]), one, found[at, TVD])
        for (at, quantity), one in found.items()
        if quantity == JSD and at.partition(", ")[0] == model
    )
    return sorted(points, key=lambda point: point.setting)


def _draw_adversaries(figure: Figure, panels: Mapping[str, Sequence[AdversaryPoint]]) -> None:
    every = figure.subplots(len(panels), 1, squeeze=False, sharex=True, sharey=True)[:, 0]
    for place, (axes, (name, points)) in enumerate(zip(every, panels.items(), strict=True)):
        look = shade(place)
        _draw_seeds(axes, points, look)
        for point in points:
            jsd, tvd = point.jsd.mean, point.tvd.mean
            axes.plot([jsd.low, jsd.high], [tvd.value] * 2, "-", color=look.colour, linewidth=0.9)
            axes.plot([jsd.value] * 2, [tvd.low, tvd.high], "-", color=look.colour, linewidth=0.9)
        across, up = ([getattr(p, of).mean.value for p in points] for of in ("jsd", "tvd"))
        axes.plot(across, up, **{**look.marked_line, "markersize": 6, "linewidth": 1.6}, zorder=3)
        _write_settings(axes, points)
        axes.set_title(name, loc="left", fontsize=8, pad=3)
        axes.set_ylabel("change of the output\n(total variation)")
        axes.tick_params(axis="x", labelbottom=True)
    every[0].set_xlim(-0.06, 0.75)
    every[0].set_ylim(0, 0.2)
    every[-1].set_xlabel("change of attention (JSD, nats)")


def _draw_seeds(axes: Axes, points: Sequence[AdversaryPoint], look: Shade) -> None:
    """Join the points of each seed in the order of λ, so that a seed apart is seen as one."""
    paths = zip(
        *(zip(one.jsd.by_seed, one.tvd.by_seed, strict=True) for one in points), strict=True
    )
    for path in paths:
        across, up = zip(*path, strict=True)
        axes.plot(
            across, up, marker=look.mark, markersize=3, color=PALE, linewidth=0.8, linestyle=":",
            markerfacecolor="white", markeredgecolor=INK, markeredgewidth=0.5,
        )  # fmt: skip


def _write_settings(axes: Axes, points: Sequence[AdversaryPoint]) -> None:
    """Write λ on top of the upright interval of each point, where no point can be."""
    at = [point.jsd.mean.value for point in points]
    for place, point in enumerate(points):
        near_left = place > 0 and at[place] - at[place - 1] < NEAR
        near_right = place + 1 < len(at) and at[place + 1] - at[place] < NEAR
        side, shift = ("left", 1) if near_left else ("right", -1) if near_right else ("center", 0)
        axes.annotate(
            f"λ {point.setting:g}",
            (at[place], point.tvd.mean.high),
            (shift, 2),
            textcoords="offset points",
            ha=side,
            va="bottom",
            fontsize=7,
        )


# ------------------------------------------------------------- Meister et al. 2021, figure 3

PAIRS = {BILSTM: "BiLSTM, additive", "transformer+dot": "Transformer, dot"}
INPUTS, STATES = (*IMPORTANCES,)[:2], (*IMPORTANCES,)[2:]
LEGEND = dict(zip(IMPORTANCES, ("gradient", "leave-one-out", "gradient", "removal"), strict=True))
"""The importances in a legend; the title of the panel says whether of inputs or of states."""
ALONG = "τ of λ with {}"
PROJECTIONS = {"softmax": "", "sparsemax": "+sparsemax"}
"""The projections by the ending of a model's name in the table, the dense one first."""
OWN, SHUFFLED = "attention", "shuffled weights"
HOLLOW: Mapping[str, Any] = {"linestyle": "--", "markerfacecolor": "white"}
"""How a chance level is drawn, in the colour and mark of its importance."""


def sparsity() -> Plot:
    """Draw agreement under a dense and a sparse projection, and its trend over λ, each with what
    shuffled weights have.
    """
    ends, sweep = over_seeds(ENDS, SST), over_seeds(SWEEP, SST)
    drawn = [
        *(one for (_, quantity), one in ends.items() if quantity in IMPORTANCES),
        *(sweep[f"{pair}+sparsegen", ALONG.format(one)] for pair in PAIRS for one in INPUTS),
    ]
    return Plot(
        "Sparser attention agrees more with inputs, and so do shuffled weights",
        (
            "After Meister et al. 2021, figure 3; SST. Dashed, hollow: the chance level, of weights "
            "that were shuffled within each text and then used by the model. Left and middle: τ-b of "
            "the weights with importance, mean over texts. Right: τ-b, within each text, of this "
            "agreement with λ of sparsegen (seven λ from −30 to 0.9; 0 is sparsemax); "
            f"above 0 agreement rises as attention gets sparser. Lines: {BY_T}. {_n(drawn)}.",
        ),
        lambda figure: _draw_sparsity(figure, ends, sweep),
        ("model", "importance", "number", "weights", *ESTIMATE, "seeds"),
        [*_sparsity_rows(ends, sweep)],
        6.0,
    )


def _sparsity_rows(
    ends: Mapping[tuple[str, str], OverSeeds], sweep: Mapping[tuple[str, str], OverSeeds]
) -> Iterable[PlotRow]:
    for pair, name in PAIRS.items():
        for importance in IMPORTANCES:
            legend = f"{'inputs' if importance in INPUTS else 'states'}, {LEGEND[importance]}"
            for projection, ending in PROJECTIONS.items():
                one = ends[f"{pair}{ending}", importance]
                yield from _with_chance((name, legend, f"τ-b under {projection}"), one)
            if importance in INPUTS:
                one = sweep[f"{pair}+sparsegen", ALONG.format(importance)]
                yield from _with_chance((name, legend, "τ-b of λ and τ-b"), one)


def _with_chance(names: tuple[str, ...], one: OverSeeds) -> Iterable[PlotRow]:
    """Give the row of the model and the row of its chance level."""
    for weights, estimate in ((OWN, one.mean), (SHUFFLED, _chance(one))):
        yield (*names, weights, *_cells(estimate), len(one.by_seed))


def _chance(one: OverSeeds) -> Estimate:
    assert one.chance is not None, "the table has a chance level of each agreement"
    return one.chance


def _draw_sparsity(
    figure: Figure,
    ends: Mapping[tuple[str, str], OverSeeds],
    sweep: Mapping[tuple[str, str], OverSeeds],
) -> None:
    every = figure.subplots(len(PAIRS), 3, width_ratios=(1, 1, 1.15))
    for axes, (pair, name) in zip(every, PAIRS.items(), strict=True):
        titles = (f"{name}: inputs", "states")
        for panel, importances, of in zip(axes[:2], (INPUTS, STATES), titles, strict=True):
            for importance in importances:
                found = [ends[f"{pair}{ending}", importance] for ending in PROJECTIONS.values()]
                _draw_slope(panel, found, importance)
            panel.axhline(0, color=PALE, linewidth=0.8)
            panel.set_title(of, loc="left", fontsize=8, pad=3)
            panel.set_xticks(range(len(PROJECTIONS)), [*PROJECTIONS])
            panel.set_xlim(-0.3, 1.3)
            panel.set_ylim(-0.08, 1)
        axes[0].set_ylabel("τ-b with importance")
        _draw_trends(axes[2], [sweep[f"{pair}+sparsegen", ALONG.format(one)] for one in INPUTS])
        axes[2].set_title("inputs: trend over λ", loc="left", fontsize=8, pad=3)
    for panel in every[-1][:2]:
        panel.legend(loc="upper left", bbox_to_anchor=(-0.05, -0.12), fontsize=7, borderpad=0)


def _draw_slope(axes: Axes, found: Sequence[OverSeeds], importance: str) -> None:
    """Join agreement under the two projections: solid the model's, dashed of shuffled weights."""
    place = [*IMPORTANCES].index(importance)
    # Marks stand side by side, because a model and its chance level often have the same value.
    left = (-0.09, 0.03)[place % 2]
    for step, (name, estimates, more) in enumerate(
        (
            (LEGEND[importance], [one.mean for one in found], {}),
            (f"{LEGEND[importance]}, shuffled", [*map(_chance, found)], HOLLOW),
        )
    ):
        at = [end + left + 0.06 * step for end in range(len(found))]
        for x, one in zip(at, estimates, strict=True):
            axes.plot([x, x], [one.low, one.high], "-", color=shade(place).colour, linewidth=0.9)
        look = {**shade(place).marked_line, "linestyle": "-", **more}
        axes.plot(at, [one.value for one in estimates], **look, label=name)


def _draw_trends(axes: Axes, found: Sequence[OverSeeds]) -> None:
    """Draw the trend of each importance of inputs, and under it the trend of shuffled weights."""
    names = []
    for place, one in enumerate(found):
        for step, (estimate, more) in enumerate(((one.mean, {}), (_chance(one), HOLLOW))):
            row, look = 2 * place + step, {**shade(place).marked_line, **more}
            colour, line = shade(place).colour, "--" if more else "-"
            axes.plot([estimate.low, estimate.high], [row] * 2, line, color=colour, linewidth=1.2)
            axes.plot([estimate.value], [row], **{**look, "linestyle": "none"})
            axes.annotate(
                f"{estimate.value:.2f}",
                (estimate.value, row),
                (0, 5),
                textcoords="offset points",
                ha="center",
                fontsize=7,
            )
            names.append("shuffled" if step else LEGEND[INPUTS[place]])
    axes.axvline(0, color=PALE, linewidth=0.8)
    axes.set_yticks(range(len(names)), names, fontsize=7)
    axes.set_ylim(len(names) - 0.5, -0.7)
    axes.set_xlim(-0.05, 1)
    axes.set_xlabel("τ-b of λ and agreement")


# ------------------------------------------------------------- Wen et al. 2022, figure 2

TARGETS = dict(
    zip(
        TAUS,
        ("about its own output, as published", "about its output under uniform attention"),
        strict=True,
    )
)
FIRST = next(iter(RANKED))
"""The contrast of the first rank about the gold label."""
NEVER = "BiLSTM, additive, never trained"
UNTRAINED = dict(
    zip((*TAUS, FIRST), ("paper.tau.output", "paper.tau.decoupled", "D.label"), strict=True)
)
"""The numbers of models that were never trained, by the names of the paper's table."""


def ranks() -> Plot:
    """Draw how well information follows attention over ranks, by encoder, scorer and target."""
    panels = {corpus: ranked(corpus) for corpus in CORPORA}
    models = [one for panel in panels.values() for name, one in panel.items() if name != NEVER]
    never = [panel[NEVER] for panel in panels.values()]
    texts = "; ".join(
        f"{CORPORA[corpus]}: {_texts(panel, *TAUS)} (left), {_texts(panel, FIRST)} (right)"
        for corpus, panel in panels.items()
    )
    seeds = [len(one.by_seed) for model in models for one in model.values()]
    untrained = [len(one.by_seed) for model in never for one in model.values()]
    return Plot(
        "Does information fall from rank to rank as attention does?",
        (
            "After Wen et al. 2022, figure 2. Ranks: the words of a text sorted by attention. Left: "
            "Shieh’s τ of mean attention and of the information that the states of a rank have "
            "about the model’s output; 1: both fall together. Attention enters the model’s own "
            "output, so there τ is high even in a model that was never trained (weights to the "
            "power 100). Right: how much more the first rank says about the gold label than the "
            f"others, on held-out texts. Large marks: means; lines: {BY_T}; small marks: each seed. "
            f"n of texts, {texts}. Seeds: {count_range(seeds)}; never trained: {count_range(untrained)}.",
        ),
        lambda figure: _draw_ranks(figure, panels),
        ("corpus", "model", "quantity", *ESTIMATE, "seeds"),
        [
            (corpus, name, quantity, *_cells(one.mean), len(one.by_seed))
            for corpus, panel in panels.items()
            for name, model in panel.items()
            for quantity, one in model.items()
        ],
        7.6,
    )


def _texts(panel: Mapping[str, Mapping[str, OverSeeds]], *quantities: str) -> str:
    """Write how many texts the means of some quantities have."""
    return count_range(model[name].mean.n for model in panel.values() for name in quantities)


def ranked(corpus: str) -> Mapping[str, Mapping[str, OverSeeds]]:
    """Give the numbers of every model on a corpus, and last of models that were never trained."""
    found = over_seeds(RANKS, corpus)
    models = {
        f"{ENCODER_NAMES[encoder]}, {scorer}": {
            quantity: found[f"{encoder}+{scorer}", quantity] for quantity in (*TAUS, FIRST)
        }
        for encoder in ENCODERS
        for scorer in SCORERS
    }
    return {**models, NEVER: never_trained(corpus)}


def never_trained(corpus: str) -> Mapping[str, OverSeeds]:
    """Average the models that were never trained: the level that τ reaches without any learning.
    Their weights are taken to a power, as even weights have no ranks.
    """
    every: list[Mapping[str, Any]] = [
        dict[str, Any](said)["numbers"]
        for run, said in all_kept()[INFORMATION].read((corpus,))
        if run.setting == UNTRAINED_FROM
    ]
    return {
        quantity: _mean([Estimate(**one[name]) for one in every], None if "D" in name else TAU)
        for quantity, name in UNTRAINED.items()
    }


def _mean(every: Sequence[Estimate], bounds: Bounds) -> OverSeeds:
    return OverSeeds(across_seeds(every, bounds), tuple(one.value for one in every))


def _draw_ranks(
    figure: Figure, panels: Mapping[str, Mapping[str, Mapping[str, OverSeeds]]]
) -> None:
    every = figure.subplots(len(panels), 2, sharex="col", sharey="row", width_ratios=(3, 2))
    for (left, right), (corpus, models) in zip(every, panels.items(), strict=True):
        for place, (quantity, name) in enumerate(TARGETS.items()):
            found = [model[quantity] for model in models.values()]
            _draw_rows(left, found, shade(place), (-0.17, 0.17)[place], name)
        found = [model[FIRST] for model in models.values()]
        _draw_rows(right, found, shade(len(TARGETS)), 0, "about the gold label")
        left.set_yticks(range(len(models)), [*models])
        left.set_ylim(len(models) - 0.5, -0.5)
        left.set_xlim(-1.05, 1.05)
        for axes in (left, right):
            axes.axvline(0, color=PALE, linewidth=0.8)
            axes.axhline(len(models) - 1.5, color=PALE, linewidth=0.8, linestyle=":")
            axes.tick_params(axis="x", labelbottom=True)
        left.set_title(CORPORA[corpus], loc="left", fontsize=8, pad=3)
    every[-1][0].set_xlabel("τ of attention and information, over ranks")
    every[-1][1].set_xlabel("first rank minus others (nats)")
    for axes in every[0]:
        axes.legend(loc="lower left", bbox_to_anchor=(-0.02, 1.07), fontsize=8, borderpad=0)


def _draw_rows(
    axes: Axes, found: Sequence[OverSeeds], look: Shade, shift: float, name: str
) -> None:
    """Draw one row a model: each seed, the interval, and the mean."""
    for row, one in enumerate(found):
        y = row + shift
        axes.plot([one.mean.low, one.mean.high], [y, y], "-", color=look.colour, linewidth=1.4)
        axes.plot(
            one.by_seed, [y] * len(one.by_seed), look.mark, color="white", markeredgecolor=INK,
            markeredgewidth=0.5, markersize=2.5,
        )  # fmt: skip
    axes.plot(
        [one.mean.value for one in found],
        [row + shift for row in range(len(found))],
        **{**look.marked_line, "linestyle": "none"},
        label=name,
    )


FROM_RESULTS: Mapping[str, Mapping[str, Callable[[], Plot]]] = {
    "adversaries": {"-words-kept": adversaries_words_kept},
    "sparsity": {"": sparsity},
    "ranks": {"": ranks},
}
"""The pictures that are drawn from the results file, by figure and by the end of their names."""
