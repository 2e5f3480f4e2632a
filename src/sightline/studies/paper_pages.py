"""The pages of the papers' tables and figures: progress, each line next to the printed value, and
the result of each claim.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sightline.core.results import Estimate, TableCell
from sightline.studies.aggregate import AggregateLine, Number, RunName, RunNumbers
from sightline.studies.kept_results import StudyResults
from sightline.studies.papers.claim_list import TAU_BY_RANK, UNTRAINED
from sightline.studies.papers.claims import (
    Claim,
    Finding,
    findings_of,
    printed_effects,
)
from sightline.studies.papers.margins import compare_to
from sightline.studies.papers.paper_index import PAPER_TABLES
from sightline.studies.papers.protocol import PRIMARY, amounts_of
from sightline.studies.papers.published_comparison import (
    NOT_COMPARABLE,
    compared_row,
    order,
    why_not_comparable,
)
from sightline.studies.papers.published_values import (
    PAPERS,
    PrintedValue,
    later_values_in,
    printed_values_in,
)
from sightline.studies.run_plan import is_joint
from sightline.studies.study_catalogue import INFORMATION
from sightline.studies.study_definition import Study

UNDONE: Mapping[str, Any] = {"planned": 0, "done": 0, "hours_left": 0.0}
"""The progress of a table that was never counted."""


def page_of(study: Study, kept: StudyResults) -> dict[str, Any]:
    """Return what a page shows of a table or figure: its progress, and each line."""
    missing = [{"corpus": corpus, **values} for corpus, values in kept.by_corpus.items()]
    return {
        "id": study.id,
        "paper": PAPERS[study.paper],
        "place": study.place,
        "told": study.description,
        **UNDONE,
        **kept.status,
        "missing": missing,
        "runs": runs_by_corpus(kept),
        "notes": [*study.notes, *study.notes_on_models],
        "lines": lines_compared(study, kept),
    }


def runs_by_corpus(kept: StudyResults) -> dict[str, dict[str, int]]:
    """Count planned and done runs of each corpus; a corpus without missing runs is known only by
    its readings.
    """
    found: dict[str, dict[str, int]] = {}
    for name, (row, _) in kept.readings.items():
        if row.corpus not in kept.by_corpus and not is_joint(name):
            runs = found.setdefault(row.corpus, {"planned": 0, "done": 0})
            found[row.corpus] = {name: count + 1 for name, count in runs.items()}
    for corpus, values in kept.by_corpus.items():
        planned, missing = (int(str(values[name])) for name in ("planned", "missing"))
        found[corpus] = {"planned": planned, "done": planned - missing}
    return found


def lines_compared(study: Study, kept: StudyResults) -> list[dict[str, Any]]:
    """Return each line of a study with the printed value, in the order of the paper."""
    known = all_lines(study, kept)
    theirs = {one.of: one for one in printed_values_in(study.id)}
    again = {one.of: one for one in later_values_in(study.id)}
    places = order([*theirs, *(line.of for line, _ in known)])
    known.sort(key=lambda one: (one[1] or 0, places(one[0].of)))
    return [
        _line(study, theirs.get(line.of), again.get(line.of), line, limit) for line, limit in known
    ]


def planned_seeds(study: Study, corpus: str) -> int:
    """Return the number of seeds in the protocol for a table on a corpus; 0 if corpora are averaged
    together.
    """
    amount = amounts_of(study).get(corpus)
    return 0 if amount is None else amount.seeds or 0


Limited = tuple[AggregateLine, int | None]


def all_lines(study: Study, kept: StudyResults) -> list[Limited]:
    """Return every line with the limit of its runs; of two means, the one over more seeds."""
    limits = {corpus: amount.limit for corpus, amount in amounts_of(study).items()}
    means = [line for line in kept.means if line.corpus in limits]
    lines = dict[tuple[str, str, str], AggregateLine]()
    for line in (*means, *study.lines(kept.read(tuple(limits)))):
        if line.of not in lines or line.seeds >= lines[line.of].seeds:
            lines[line.of] = line
    return [(line, limits.get(line.corpus)) for line in lines.values()]


def _line(
    study: Study,
    theirs: PrintedValue | None,
    again: PrintedValue | None,
    line: AggregateLine,
    limit: int | None,
) -> dict[str, Any]:
    published, _, ours, baseline, seeds, said = compared_row(study, theirs, again, line)
    return {
        "corpus": line.corpus,
        "model": line.model,
        "quantity": line.quantity,
        "published": published.value,
        "written": "" if theirs is None else theirs.written,
        "later": "" if again is None else again.written,
        "ours": _number(ours),
        "floor": _number(baseline),
        "seeds": seeds.value or 0,
        "planned": planned_seeds(study, line.corpus) if line.model else 0,
        "limit": limit if line.model else None,
        "said": said.value,
        "result": _result(study, theirs, line),
    }


def _result(study: Study, theirs: PrintedValue | None, line: AggregateLine) -> str:
    """Compare our number with the printed one, in one word."""
    if theirs is None:
        return ""
    if why_not_comparable(study, line.of):
        return NOT_COMPARABLE
    found = compare_to(theirs, line.found.value, line.seeds)
    return "" if found is None else found.result


def _number(cell: TableCell) -> dict[str, Any] | None:
    if not isinstance(cell.value, float):
        return None
    return {name: getattr(cell, name) for name in ("value", "low", "high", "n", "method")}


# ------------------------------------------------------------- claims

UNTRAINED_FROM = "kind=untrained, from vectors, weights ^100"
"""Its runs whose words start as in the protocol."""
UNTRAINED_TAU = "paper.tau.output"


def claim_page(claim: Claim, kept: Mapping[str, StudyResults]) -> dict[str, Any]:
    """Return what a page shows of a claim: its statement, its criterion applied to printed numbers,
    and its results, primary corpora first.
    """
    study = PAPER_TABLES[claim.table]
    own = kept.get(claim.table, StudyResults())
    found = sorted(_found_of(claim, study, own, kept), key=_rank)
    printed = {**printed_effects(claim, printed_values_in(claim.table))}
    undone = own.status.get("done", 0) < own.status.get("planned", 0)
    fixed = claim.as_fixed
    as_fixed = (
        {} if fixed is None else {one.corpus: one for one in _found_of(fixed, study, own, kept)}
    )
    return {
        "id": claim.id,
        "paper": PAPERS[claim.paper],
        "says": claim.says,
        "source": claim.source,
        "made_on": list(claim.made_on),
        "criterion": claim.criterion,
        "low": claim.low,
        "no_chance": claim.no_chance,
        "printed": list(printed.values()),
        "unprinted": claim.printed if isinstance(claim.printed, str) else "",
        "standing": claim.standing,
        "findings": [
            {
                **_finding(claim, one, study, undone=undone),
                "result_before": as_fixed[one.corpus].result_before
                if one.corpus in as_fixed
                else None,
            }
            for one in found
        ],
    }


def _found_of(
    claim: Claim,
    study: Study,
    own: StudyResults,
    kept: Mapping[str, StudyResults],
) -> Iterable[Finding]:
    read = own.read()
    lines = [*study.lines(read)] if claim.of_lines else ()
    of_chance = untrained(kept) if claim.chance else ()
    return findings_of(claim, [*read, *of_chance], lines)


def untrained(kept: Mapping[str, StudyResults]) -> list[RunNumbers]:
    """Return τ by rank of untrained models, as runs of a model of that name."""
    found = list[RunNumbers]()
    for run, said in kept.get(INFORMATION, StudyResults()).read():
        numbers: Mapping[str, Any] = dict[str, Any](said).get("numbers", {})
        if run.setting == UNTRAINED_FROM and UNTRAINED_TAU in numbers:
            number = Number(Estimate(**numbers[UNTRAINED_TAU]))
            found.append((RunName(run.corpus, UNTRAINED, run.seed), {TAU_BY_RANK: number}))
    return found


def _rank(finding: Finding) -> int:
    known: Sequence[str] = PRIMARY
    return known.index(finding.corpus) if finding.corpus in known else len(known)


def _finding(claim: Claim, finding: Finding, study: Study, *, undone: bool) -> dict[str, Any]:
    """Return a result; it is interim while seeds, or runs that are averaged together,
    are missing.
    """
    planned = planned_seeds(study, finding.corpus)
    return {
        "corpus": finding.corpus,
        "effect": _estimate(finding.effect),
        "chance": None if finding.chance is None else _estimate(finding.chance),
        "beyond": None if finding.beyond is None else _estimate(finding.beyond),
        "against": finding.against,
        "margin": claim.margin_on(finding.corpus),
        "seeds": finding.seeds,
        "chance_seeds": finding.chance_seeds,
        "planned": planned,
        "interim": finding.seeds < planned if planned else undone,
        "result": finding.result,
    }


def _estimate(estimate: Estimate) -> dict[str, Any]:
    return {"value": estimate.value, "low": estimate.low, "high": estimate.high, "n": estimate.n}
