"""Compare a paper's printed values with ours: one table, a line for each quantity, and how close
they are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from sightline.core.results import Estimate, Table, TableCell
from sightline.data.word_vectors import MANY
from sightline.experiments.store import Store
from sightline.experiments.tabulate import NONE_DONE
from sightline.report.number_format import count_phrase, number
from sightline.studies.aggregate import AggregateLine, RunNumbers
from sightline.studies.papers.margins import compare_to
from sightline.studies.papers.paper_table import FROM_RANDOM
from sightline.studies.papers.published_values import (
    PAPERS,
    PrintedValue,
    later_values_in,
    named_places,
    printed_values_in,
)
from sightline.studies.run_plan import COUNTED, Plan
from sightline.studies.study_definition import Study

Key = tuple[str, str, str]
"""A corpus, a model (none for the corpus itself) and a quantity."""
COLUMNS = ("published", "later run", "ours", "chance level", "seeds", "result")
NOT_COMPARABLE = "not comparable"
UNSAID = "no run says this quantity"
HOW = (
    "result: within, where our interval lies inside the margin (in brackets) around the printed "
    "number; outside, where it lies wholly beyond; undetermined otherwise, and always under one "
    "seed; apart by: ours less theirs",
    "ours: the mean over seeds with Student’s t interval (95 %), of one seed that over its texts; "
    "± of what is published is the standard deviation that is printed (Jain & Wallace: over texts; "
    "Meister et al. do not say over what)",
)
LATER = "later run: outputs that the authors committed with their code after the paper, one run"


def compare(plan: Plan, store: Store, read: Sequence[RunNumbers] | None = None) -> Table:
    """Compare the printed values of a table or figure with its finished runs; notes name the
    missing runs, with reasons.

    ``read`` holds earlier readings, some perhaps from another store.
    """
    study = plan.study
    read = [*plan.read(store)] if read is None else read
    ours, made = {line.of: line for line in plan.lines(read)}, _runs_of(plan, read)
    theirs = {one.of: one for one in printed_values_in(study.id) if _wanted(one, plan)}
    again = {one.of: one for one in later_values_in(study.id) if _wanted(one, plan)}
    keys = sorted({*ours, *theirs, *again}, key=order([*theirs, *ours, *again]))
    missing = _missing(plan, store)
    models = {(line.corpus, line.model) for line in ours.values()}
    return Table(
        title=f"{PAPERS[study.paper]}, {study.place}: {study.description}",
        columns=COLUMNS,
        rows=tuple(
            compared_row(
                study,
                theirs.get(key),
                again.get(key),
                ours.get(key),
                key,
                _lacking(key, plan, models),
                made.get(key, {}),
            )
            for key in keys
        ),
        row_names=tuple(keys),
        row_axes=("corpus", "model", "quantity"),
        notes=tuple(
            _notes(
                study,
                plan,
                theirs,
                again,
                [*_without_vectors(plan, store), *_unsaid(theirs, ours), *missing],
            )
        ),
        partial=_partial(missing, plan),
    )


def _runs_of(plan: Plan, read: Sequence[RunNumbers]) -> dict[Key, dict[int, str]]:
    """Give the keys of the runs behind each line of ours, by seed."""
    planned = zip(plan.planned, plan.grid.keys, strict=True)
    keys = {(run.corpus, run.model, run.seed): key for run, key in planned}
    found: dict[Key, dict[int, str]] = {}
    for run, numbers in read:
        if key := keys.get((run.corpus, run.model, run.seed)):
            for quantity in numbers:
                found.setdefault((run.corpus, run.model, quantity), {})[run.seed] = key
    return found


def _lacking(key: Key, plan: Plan, models: Container[tuple[str, str]]) -> str:
    """Say why we have no number."""
    if key[:2] in models:
        return UNSAID
    return plan.absent.get(key[0], NONE_DONE)


def _unsaid(theirs: Mapping[Key, PrintedValue], ours: Mapping[Key, AggregateLine]) -> Iterator[str]:
    """Name printed quantities that no run of their model has: a misspelt name, or a number that is
    not read.
    """
    models = {key[:2] for key in ours}
    for corpus, model, quantity in theirs:
        if (corpus, model) in models and (corpus, model, quantity) not in ours:
            yield f"{UNSAID}: {quantity!r} of {model or 'the corpus'} on {corpus}"


def _wanted(one: PrintedValue, plan: Plan) -> bool:
    return (
        not plan.asked.corpora
        or one.corpus in plan.asked.corpora
        or one.corpus not in plan.study.corpora
    )


def order(keys: Iterable[Key]) -> Callable[[Key], tuple[int, ...]]:
    """Keep the paper's order of corpora, models and quantities, each by its first occurrence."""
    firsts: list[dict[str, int]] = [{}, {}, {}]
    for key in keys:
        for first, name in zip(firsts, key, strict=True):
            first.setdefault(name, len(first))
    return lambda key: tuple(first[name] for first, name in zip(firsts, key, strict=True))


def compared_row(
    study: Study,
    theirs: PrintedValue | None,
    again: PrintedValue | None,
    ours: AggregateLine | None,
    key: Key | None = None,
    lacking: str = NONE_DONE,
    made: Mapping[int, str] = MappingProxyType({}),
) -> tuple[TableCell, ...]:
    """Return the cells of one line: published, their later run, ours, chance level, seeds and the
    result. ``made`` gives the keys of the runs behind our number, by seed.
    """
    value, baseline = (None, None) if ours is None else (ours.found.value, ours.found.baseline)
    seeds = 0 if ours is None else ours.seeds
    of = key or (ours.of if ours is not None else ("", "", ""))
    return (
        TableCell(None, note="not printed")
        if theirs is None
        else TableCell(theirs.value, sd=theirs.sd),
        TableCell("") if again is None else TableCell(again.value, sd=again.sd),
        _with_runs(number_cell(value, why=lacking), made),
        number_cell(baseline) if baseline else TableCell(""),
        TableCell(seeds or ""),
        TableCell(said_of(theirs, again, value, why_not_comparable(study, of), seeds)),
    )


def _with_runs(cell: TableCell, made: Mapping[int, str]) -> TableCell:
    """Name the runs behind our number."""
    seeds = tuple(sorted(made))
    return replace(cell, seeds=seeds, runs=tuple(made[seed] for seed in seeds)) if cell.n else cell


def number_cell(found: Estimate | None, why: str = "") -> TableCell:
    """Write a number with its interval, if it has one."""
    if found is None:
        return TableCell(None, note=why)
    if found.method == COUNTED:
        return TableCell(found.value, method=found.method)
    if math.isnan(found.low):
        return TableCell(found.value, n=found.n, method=found.method)
    return TableCell(found.value, found.low, found.high, found.n, method=found.method)


def why_not_comparable(study: Study, key: Key) -> str:
    """Say why a line cannot be compared with the printed value; empty if it can."""
    corpus, _, quantity = key
    return next(
        (study.apart[name] for name in (*key, (corpus, quantity), key) if name in study.apart),
        "",
    )


def said_of(
    theirs: PrintedValue | None,
    again: PrintedValue | None,
    ours: Estimate | None,
    reason: str,
    seeds: int,
) -> str:
    """Compare our number with the printed one, and with a later run of the authors."""
    if ours is None or math.isnan(ours.value) or theirs is again is None:
        return ""
    if reason:
        return f"{NOT_COMPARABLE}: {reason}"
    return (
        "; later run: ".join(
            _compared(one, ours, seeds) for one in (theirs, again) if one is not None
        )
        if theirs
        else f"later run: {_compared(again, ours, seeds)}"
    )


def _compared(printed: PrintedValue | None, ours: Estimate, seeds: int) -> str:
    found = None if printed is None else compare_to(printed, ours, seeds)
    if found is None:
        return "no margin was fixed"
    return f"{found.result} ({number(found.margin)}), apart by {number(found.apart)}"


def _without_vectors(plan: Plan, store: Store) -> Iterator[str]:
    """Name corpora with many words without a vector, from the first finished run of each."""
    first = {run.corpus: run for run in reversed(plan.runs(store)) if run.spec.model.vectors}
    for corpus in plan.corpora:
        known = first[corpus].audit().cards["data"].get("vectors", {}) if corpus in first else {}
        if known.get("tokens_without", 0.0) >= MANY:
            types = 1 - known["words_found"] / known["of"]
            yield (
                f"{corpus}: {types:.0%} of the words and {known['tokens_without']:.0%} of the "
                "tokens of the training texts have no vector"
            )


def _missing(plan: Plan, store: Store) -> list[str]:
    """Name the missing runs, and the errors of failed ones."""
    found = store.find(plan.grid.keys)
    lines = []
    for (corpus, model, seed), key in zip(plan.grid.labels, plan.grid.keys, strict=True):
        if key not in found:
            lines.append(f"missing: {model} on {corpus}, seed {seed}")
        elif found[key].state == "failed":
            lines.append(f"failed: {model} on {corpus}, seed {seed}: {found[key].error}")
    return lines


def _partial(missing: Sequence[str], plan: Plan) -> str:
    parts = (
        [f"{len(missing)} of {count_phrase(len(plan.grid.specs), 'run')} not done"]
        if missing
        else []
    )
    parts += [f"not there: {', '.join(plan.absent)}"] if plan.absent else []
    return ", ".join(parts)


def _notes(
    study: Study,
    plan: Plan,
    theirs: Mapping[Key, PrintedValue],
    again: Mapping[Key, PrintedValue],
    missing: Iterable[str],
) -> Iterator[str]:
    places = named_places(study.paper, theirs.values())
    yield f"published: {places or f'{study.place}, without numbers'}"
    yield from HOW
    if again:
        yield LATER
    yield from study.notes
    yield from study.notes_on_models
    if plan.planned:
        yield start_of(plan)
    yield from (f"{corpus}: {why}" for corpus, why in plan.absent.items())
    of_runs = plan.corpora if plan.planned else ()
    for limit in dict.fromkeys(plan.asked.at(corpus).limit for corpus in of_runs):
        if limit is not None:
            which = [corpus for corpus in plan.corpora if plan.asked.at(corpus).limit == limit]
            of = "" if len(which) == len(plan.corpora) else f" on {', '.join(which)}"
            yield f"ours: a sample of at most {limit:,} test texts of each run{of}"
    yield from missing


def start_of(plan: Plan) -> str:
    """Say where the words of the models start."""
    files = {
        (Path(run.spec.model.vectors).name, run.spec.model.vectors_digest[:12])
        for run in plan.planned
        if run.spec.model.vectors
    }
    if not files:
        return "words start at random"
    named = "; ".join(f"{name} (digest {digest}…)" for name, digest in sorted(files))
    others = [run.spec.model for run in plan.planned if run.spec.data.kind not in FROM_RANDOM]
    if len({(model.vectors, model.vectors_scale) for model in others}) > 1:
        where = f"as the names of rows say; vectors are of {named}"
    else:
        where = f"from {named}"
        where += ", those of bAbI at random" if len(others) < len(plan.planned) else ""
    return f"words start {where}; each audit says how many had none"
