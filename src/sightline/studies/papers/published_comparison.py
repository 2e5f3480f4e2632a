"""What a paper prints beside ours: one table, a line for each quantity, saying whether the two
agree.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence

from sightline.core.results import Estimate, Table, TableCell
from sightline.experiments.store import Store
from sightline.report.number_format import counted, number
from sightline.studies.aggregate import AggregateLine, Read
from sightline.studies.papers.published_values import PAPERS, Printed, printed_in
from sightline.studies.run_plan import COUNTED, Plan
from sightline.studies.study_definition import Study

Key = tuple[str, str, str]
"""A corpus, a model (none of a corpus itself) and a quantity."""
COLUMNS = ("published", "ours", "chance level", "seeds", "agrees")
AGREES, DIFFERS, APART = "agrees", "differs", "not comparable"
HOW = (
    (
        "agrees: what is printed lies in our interval or within half a step of its last digit; "
        "differs: it does not"
    ),
    "of one seed the interval is over its texts (95 %), and only how far apart the two are "
    "is said; of several it is Student’s t over seeds, and of two so wide that of what lies "
    "in it, too, only that is said; ± of what is published is its standard deviation over "
    "texts",
)


def compare(plan: Plan, store: Store, read: Sequence[Read] | None = None) -> Table:
    """Put what is printed of an artefact beside the runs there are; its notes say what is missing,
    and why.

    ``read`` is what was read of runs already, some perhaps of another store.
    """
    artefact = plan.artefact
    ours = {line.of: line for line in plan.lines(plan.read(store) if read is None else read)}
    theirs = {one.of: one for one in printed_in(artefact.id) if _wanted(one, plan)}
    keys = sorted({*ours, *theirs}, key=order([*theirs, *ours]))
    missing = _missing(plan, store)
    return Table(
        title=f"{PAPERS[artefact.paper]}, {artefact.place}: {artefact.description}",
        columns=COLUMNS,
        rows=tuple(
            row_beside(
                artefact,
                theirs.get(key),
                ours.get(key),
                key,
                plan.absent.get(key[0], "no run is done"),
            )
            for key in keys
        ),
        row_names=tuple(keys),
        row_axes=("corpus", "model", "quantity"),
        notes=tuple(_notes(artefact, plan, theirs.values(), missing)),
        partial=_partial(missing, plan),
    )


def _wanted(one: Printed, plan: Plan) -> bool:
    return (
        not plan.asked.corpora
        or one.corpus in plan.asked.corpora
        or one.corpus not in plan.artefact.corpora
    )


def order(keys: Iterable[Key]) -> Callable[[Key], tuple[int, ...]]:
    """Keep the paper's order of corpora, of models and of quantities, each by where it is first
    named.
    """
    firsts: list[dict[str, int]] = [{}, {}, {}]
    for key in keys:
        for first, name in zip(firsts, key, strict=True):
            first.setdefault(name, len(first))
    return lambda key: tuple(first[name] for first, name in zip(firsts, key, strict=True))


def row_beside(
    artefact: Study,
    theirs: Printed | None,
    ours: AggregateLine | None,
    key: Key | None = None,
    lacking: str = "no run is done",
) -> tuple[TableCell, ...]:
    """Give the cells of one line: published, ours, chance level, seeds, and whether the two
    agree.
    """
    value, baseline = (None, None) if ours is None else (ours.found.value, ours.found.baseline)
    seeds = 0 if ours is None else ours.seeds
    of = key or (ours.of if ours is not None else ("", "", ""))
    return (
        TableCell(None, note="not printed")
        if theirs is None
        else TableCell(theirs.value, sd=theirs.sd),
        _cell(value, why=lacking),
        _cell(baseline, why="") if baseline else TableCell(""),
        TableCell(seeds or ""),
        TableCell(_said(theirs, value, _why(artefact, of), seeds)),
    )


def _cell(found: Estimate | None, why: str) -> TableCell:
    if found is None:
        return TableCell(None, note=why)
    if found.method == COUNTED:
        return TableCell(found.value, method=found.method)
    if math.isnan(found.low):
        return TableCell(found.value, n=found.n, method=found.method)
    return TableCell(found.value, found.low, found.high, found.n, method=found.method)


def _why(artefact: Study, key: Key) -> str:
    corpus, _, quantity = key
    return next(
        (artefact.apart[name] for name in (*key, (corpus, quantity)) if name in artefact.apart), ""
    )


def _said(theirs: Printed | None, ours: Estimate | None, why: str, seeds: int) -> str:
    if theirs is None or ours is None or math.isnan(ours.value):
        return ""
    if why:
        return f"{APART}: {why}"
    low, high = (ours.value, ours.value) if math.isnan(ours.low) else (ours.low, ours.high)
    apart = number(ours.value - theirs.value)
    if seeds == 1:
        return f"apart by {apart}, one seed"
    if low - theirs.step / 2 <= theirs.value <= high + theirs.step / 2:
        return f"apart by {apart}, two seeds" if seeds == 2 else AGREES
    return f"{DIFFERS} by {apart}"


def _missing(plan: Plan, store: Store) -> list[str]:
    """Name the runs that are not done, and how each ended that failed."""
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
        [f"{len(missing)} of {counted(len(plan.grid.cells), 'run')} not done"] if missing else []
    )
    parts += [f"not there: {', '.join(plan.absent)}"] if plan.absent else []
    return ", ".join(parts)


def _notes(
    artefact: Study, plan: Plan, theirs: Iterable[Printed], missing: Sequence[str]
) -> Iterator[str]:
    places = dict.fromkeys(one.place for one in theirs)
    yield (
        f"published: {', '.join(places)}"
        if places
        else f"published: {artefact.place}, without numbers"
    )
    yield from HOW
    yield from artefact.notes
    yield from (f"{corpus}: {why}" for corpus, why in plan.absent.items())
    if plan.asked.limit is not None:
        yield f"ours: a sample of at most {plan.asked.limit:,} test texts of each run"
    yield from missing
