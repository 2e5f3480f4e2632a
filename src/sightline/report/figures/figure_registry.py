"""All figures by name, and how a figure is written together with its numbers."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from sightline._io.atomic_write import plain, write_bytes
from sightline.core.results import Results
from sightline.report.figures.adversary_distance import adversaries
from sightline.report.figures.heat_map import heat_map
from sightline.report.figures.importance_entropy import evenness
from sightline.report.figures.information_by_rank import ranks
from sightline.report.figures.kendall_tau import tau_by_class, tau_differences
from sightline.report.figures.matplotlib_output import render_figure
from sightline.report.figures.max_jsd import farthest_by_class, farthest_by_weight
from sightline.report.figures.permutation_plot import permutation_by_weight
from sightline.report.figures.plot import Plot
from sightline.report.figures.seed_divergence import seeds_and_adversaries
from sightline.report.figures.transfer_plot import transplant
from sightline.report.tables.csv_table import write_rows

Audits = Iterable[Results]


@dataclass(frozen=True)
class Figure:
    """A figure: its description, and what draws it, from one audit or several, and maybe from one
    text.
    """

    description: str
    draw: Callable[[Audits, str | None], Plot]
    several: bool = False
    of_a_text: bool = False


def _of_one(description: str, draw: Callable[[Results], Plot]) -> Figure:
    return Figure(description, lambda audits, text: draw(*audits))


def _of_a_text(description: str, draw: Callable[[Results, str | None], Plot]) -> Figure:
    return Figure(description, lambda audits, text: draw(next(iter(audits)), text), of_a_text=True)


def _of_several(description: str, draw: Callable[[Audits], Plot]) -> Figure:
    return Figure(description, lambda audits, text: draw(audits), several=True)


def _when_drawn(name: str) -> Callable[..., Plot]:
    """Import a figure's module only when it is drawn: it needs scipy, and listing figures should
    not wait for that.
    """
    return lambda *given: getattr(import_module(f"sightline.report.figures.{name}"), name)(*given)


FIGURES: Mapping[str, Figure] = {
    "tau-by-class": _of_one(
        "Kendall’s τ-b of attention and gradient: texts counted, by predicted class", tau_by_class
    ),
    "tau-by-class-deletion": _of_one(
        "the same of attention and leave-one-out", lambda audit: tau_by_class(audit, "deletion")
    ),
    "tau-differences": _of_one(
        "τ-b of gradient and leave-one-out minus τ-b of attention with each: texts counted",
        tau_differences,
    ),
    "permutation-by-weight": _of_one(
        "how far the output moves under permuted weights, by the largest weight of a text",
        permutation_by_weight,
    ),
    "transplant": _of_one(
        "what the top words of every map carry, or lose when removed", transplant
    ),
    "farthest": _of_one(
        "how far attention could be from the model’s own with the same output, by predicted class",
        farthest_by_class,
    ),
    "farthest-by-weight": _of_one("the same, by the largest weight of a text", farthest_by_weight),
    "heat-map": _of_a_text(
        (
            "one text under the model’s attention, and under the farthest attention with the "
            "same output"
        ),
        heat_map,
    ),
    "words-alone": Figure(
        "how sure models would be of one text by each of its words alone",
        _when_drawn("single_word_logits"),
        several=True,
        of_a_text=True,
    ),
    "adversaries": _of_several(
        "how far the attention and the outputs of adversaries are from their base’s, over λ",
        adversaries,
    ),
    "seeds-and-adversaries": _of_several(
        ("how far attention is from the base’s under other seeds and in adversaries, text by text"),
        seeds_and_adversaries,
    ),
    "plausible": _of_several(
        "how well each map finds the rationale, and how much of the prediction its words carry",
        _when_drawn("plausibility"),
    ),
    "ranks": _of_several(
        (
            "how well information follows attention over ranks, by model and target, as "
            "published and as it should be"
        ),
        ranks,
    ),
    "evenness": _of_several(
        (
            "how evenly the importance of inputs is spread over the words, by gradient and by "
            "leave-one-out, text by text"
        ),
        evenness,
    ),
    "sparsity": _of_several(
        (
            "Kendall’s τ-b of attention and importance over λ of the projection, with how many "
            "words have weight"
        ),
        _when_drawn("sparsity_sweep"),
    ),
}


def numbers_of(path: Path) -> Path:
    """Give the path of a figure's numbers: the same name with the ending .csv."""
    return path.with_suffix(".csv")


def write_figure(audits: Audits, name: str, path: Path, text: str | None = None) -> Path:
    """Write a figure in the format of its file's ending, and its numbers as CSV in full precision;
    undefined values are empty.

    ``text`` is the id of the text to draw, if the figure is about one. Both files are made before
    one is written.
    """
    return write_plot(FIGURES[name].draw(audits, text), path)


def write_plot(plot: Plot, path: Path) -> Path:
    """Write a plot, and its numbers, in the same way."""
    picture = render_figure(plot, path.suffix.lower())
    out = io.StringIO()
    write_rows(out, [plot.columns, *map(plain, plot.rows)])
    write_bytes(path, picture)  # first: numbers without a figure look like a file of somebody's
    write_bytes(numbers_of(path), out.getvalue().encode("utf-8", "backslashreplace"))
    return path
