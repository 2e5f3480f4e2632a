"""The output of ``--dry-run``, and the estimate before a long audit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from sightline.api.run_options import TO_THE_END, Stopping
from sightline.cli.output import emit, print_lines, print_message
from sightline.cli.process import BEGAN
from sightline.report.data_notes import worth_noting
from sightline.report.number_format import duration, duration_span
from sightline.report.sequential_note import as_given

if TYPE_CHECKING:
    from sightline.api.compute_resources import Machine, Resources
    from sightline.api.cost_forecast import Forecast, QuickEstimate
    from sightline.api.model_argument import Trained
    from sightline.api.model_source import ChosenModel, ModelSource

NOT_COUNTED = "not counted: what is saved next to the page, and that others may use the machine"


def made_forecast(
    source: ChosenModel,
    resources: Resources,
    kept_in: Path,
    runs: int = 1,
    stopping: Stopping = TO_THE_END,
) -> Forecast:
    """Estimate the cost of a command, including its start so far."""
    from sightline.api.cost_forecast import forecast  # noqa: PLC0415  (torch, and all that a run needs)

    return forecast(source, resources, runs, kept_in=kept_in, began=BEGAN, stopping=stopping)


SURELY = 1.5
"""An audit takes at most so many times its estimate."""
LESS_KEPT = ", without the time that kept looks save"
"""What is added to the estimate of an audit that may resume."""
FEWER = 100
"""The number of texts from which fewer may be enough for a verdict."""


def say_ready(
    source: ModelSource,
    trained: Trained,
    machine: Machine,
    *,
    quiet: bool,
    stopping: Stopping = TO_THE_END,
    resumes: bool = False,
) -> None:
    """Say how the data of a trained model were read, and about how long its audit takes.

    An audit that resumes takes less. How much less is known only once it has found what is kept
    to be its own.
    """
    if source.trains:
        return
    for note in worth_noting(trained.dataset.card):
        print_message(f"note: {note}")
    from sightline.experiments.forecast import few_texts  # noqa: PLC0415  (torch)

    asked = source.asked
    few = few_texts(trained.dataset, stopping.most_texts(asked.limit), asked.seed)
    if few and not _labels_of(source):  # a label is audited if enough predictions say yes
        print_message(f"note: {few}")
    if not quiet:
        # An unsuitable model may fail in any way; its audit reports what is wrong.
        with suppress(Exception):
            for line in _estimate(source, trained, machine, stopping, resumes=resumes):
                print_message(line)


def _labels_of(source: ModelSource) -> int:
    """Count the labels that are audited one after the other, starting with this one."""
    from sightline.api.model_source import GivenModel  # noqa: PLC0415  (as late as it is needed)

    return source.labels if isinstance(source, GivenModel) else 0


def _estimate(
    source: ModelSource,
    trained: Trained,
    machine: Machine,
    stopping: Stopping,
    *,
    resumes: bool,
) -> Iterator[str]:
    from sightline.api.cost_forecast import quick_estimate  # noqa: PLC0415  (torch)

    once = quick_estimate(source, trained, machine, stopping)
    yield about_audit(source.name_of(trained), once, _labels_of(source), stopping, resumes=resumes)
    if short := too_short(once.first, once.few, stopping.budget):
        yield f"note: {short}; press Ctrl-C to choose another budget"


def too_short(first: tuple[int, float] | None, few: int, budget: float | None) -> str:
    """Say what a budget gives that ends before the first look, and what would be enough; empty if
    it holds that look. A transformer may be judged by its first ``few`` texts.
    """
    if first is None or budget is None or budget >= first[1]:
        return ""
    texts, seconds = first
    by_class = f"a verdict of each predicted class takes {_surely(seconds)}"
    least = seconds * few / texts
    if not few:
        return f"--budget {as_given(budget)} ends before a verdict, which takes {_surely(seconds)}"
    if budget < SURELY * least:
        ends = "ends" if budget < least else "may end"
        whole = f"a verdict of all texts together takes {_surely(least)}"
        return f"--budget {as_given(budget)} {ends} before any verdict: {whole}, {by_class}"
    return f"--budget {as_given(budget)} gives a verdict of all texts together alone: {by_class}"


def _surely(seconds: float) -> str:
    return duration_span(seconds, SURELY * seconds)


def about_audit(
    name: str, once: QuickEstimate, labels: int, stopping: Stopping, *, resumes: bool
) -> str:
    """Say how many texts are audited, and about how long it takes from the beginning."""
    what = f"estimate from the beginning{LESS_KEPT}" if resumes else "estimate"
    found = once.times(max(1, labels))
    each = f" for each of {labels:,} labels" if labels > 1 else ""
    took = f"about {duration(found.seconds)}"
    if labels > 1:
        name = name.rpartition(": ")[0]  # without the name of the first label
    if found.first is not None:
        texts, seconds = found.first
        more = (
            f", {duration(found.compared)} more if maps are compared" if found.compared >= 1 else ""
        )
        if texts == found.texts:
            return (
                f"Auditing up to {texts:,} texts{each} with {name}: {took} in one look{more} "
                f"({what}{_at_most(stopping.budget, labels)})."
            )
        look = "first looks" if each else "first look"
        first = f"about {duration(seconds)} for the {look}, at {texts:,} texts"
        return (
            f"Auditing up to {found.texts:,} texts{each} with {name}: {first}, {took} for all"
            f"{more} ({what}{_at_most(stopping.budget, labels)})."
        )
    fewer = ", --limit takes fewer texts" if found.texts > FEWER else ""
    return (
        f"Auditing {found.texts:,} texts{each} with {name}, every test on every text: {took} "
        f"(estimate; --dry-run says more{fewer})."
    )


def _at_most(budget: float | None, labels: int) -> str:
    """Return the sum of the budgets of several labels."""
    if budget is None or labels < 2:
        return ""
    return f"; --budget is for each label, {duration(budget * labels)} in all"


def show_forecast(forecast: Forecast, as_json: bool, *, audits: bool = True) -> None:
    """Print an estimate of time and memory, with its basis; ``audits`` says whether the command
    audits.
    """
    before = (
        forecast.seconds_start + forecast.seconds_reading + (forecast.auditing if audits else 0.0)
    )
    least, most = (before + training for training in forecast.training)
    if as_json:
        return emit(asdict(forecast) | {"seconds_least": least, "seconds": most})
    for note in forecast.notes if audits else ():
        print_message(f"note: {note}")
    after = forecast.seconds_judging + forecast.seconds_page
    return print_lines(
        [
            f"start: about {duration(forecast.seconds_start)}",
            f"reading: about {duration(forecast.seconds_reading)}",
            *([_training(forecast)] if forecast.seconds_epoch else []),
            *([] if audits else ["an audit of it, a command of its own:"]),
            *_measuring(forecast),
            f"judging and page: about {duration(after)}",
            f"in all{'' if audits else ', without the audit'}: {duration_span(least, most)}",
            NOT_COUNTED,
            f"memory: about {forecast.peak_bytes / 2**20:,.0f} MiB",
            f"basis: {forecast.basis}",
            "dry run: nothing was written",
        ]
    )


def _measuring(forecast: Forecast) -> list[str]:
    """Return the time of measuring. For an audit that stops when its verdict is settled, add the
    time of the first look and whether it fits into the budget.
    """
    whole = f"measuring: about {duration(forecast.seconds_audit)}"
    if forecast.first_look is None:
        return [whole]
    texts, seconds = forecast.first_look
    each = " in each audit" if forecast.audits > 1 else ""
    lines = [
        f"{whole} for all planned texts",
        f"first look: {texts} texts, {duration(seconds)}{each}",
    ]
    if forecast.budget is None:
        return lines
    short = too_short(forecast.first_look, forecast.few, forecast.budget)
    fits = "ends before the first look" if short else "holds the first look"
    notes = [f"note: {short}"] if short else []
    return [*lines, f"budget: {as_given(forecast.budget)}{each}, {fits}", *notes]


def _training(forecast: Forecast) -> str:
    """Return the time of an epoch and the possible number of epochs: validation ends a training, so
    the number is not known in advance.
    """
    epoch, (fewest, most) = forecast.seconds_epoch, forecast.epochs
    return (
        f"training: {duration_span(*forecast.training)}, about {duration(epoch)} an epoch, {fewest} to "
        f"{most} epochs"
    )
