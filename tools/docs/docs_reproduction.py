"""Tables of the reproduction: what the protocol asks for, what was found of each claim, and every
line of every table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from docs_tables import Stored, number, table

from sightline.studies.papers.claims import RESULTS
from sightline.studies.papers.margins import COUNT, FIXED, TAU_OF_QUESTIONS
from sightline.studies.papers.paper_index import PAPER_TABLES
from sightline.studies.papers.protocol import (
    ABSENT,
    NOT_RUN,
    PRIMARY,
    SECONDARY,
    STAGES,
    amounts_of,
)
from sightline.studies.papers.published_comparison import NOT_COMPARABLE

KINDS = ("within", "outside", "undetermined", NOT_COMPARABLE)


def overview(stored: Stored, *, by_paper: bool = False) -> str:
    """Table every table and figure: how much of it is done, and how its numbers compare with what
    is printed; each line stands on this page, or on that of its paper.
    """
    head = ("id", "what", "runs", "missing: runs (hours)", "printed numbers", *KINDS)
    once = stored["once"]
    text = (
        f"**{once['done']:,} of {once['planned']:,} runs of these tables are done**; the rest "
        f"would take about {once['hours_left']:,.0f} hours of one worker. Tables share runs, which "
        "this counts once, and each line below as its own.\n\n"
    )
    rows = (_overview(one, by_paper=by_paper) for one in stored["artefacts"])
    return text + table(head, rows)


def _overview(one: Stored, *, by_paper: bool) -> Iterator[str]:
    kinds = kinds_of([one])
    page = f"{_paper_of(one)}.md" if by_paper else ""
    yield f"[`{one['id']}`]({page}#{anchor(one)})" if one["lines"] else f"`{one['id']}`"
    yield f"{one['place']}: {one['told']}"
    yield f"{one['done']} of {one['planned']}"
    yield "; ".join(map(_missing, one["missing"])) or "—"
    yield str(kinds.total())
    yield from (str(kinds[kind]) for kind in KINDS)


def runs_and_numbers(stored: Stored, paper: str = "") -> str:
    """Table how much of each corpus is done, and how its numbers compare with the printed ones: of
    all papers or of one.
    """
    own = [one for one in stored["artefacts"] if not paper or _paper_of(one) == paper]
    of_corpora = {
        *(corpus for one in own for corpus in one["runs"]),
        *(line["corpus"] for one in own for line in one["lines"]),
    }
    ordered = [corpus for corpus in (*PRIMARY, *SECONDARY) if corpus in of_corpora]
    rows = (_of_corpus(own, name) for name in (*ordered, *sorted(of_corpora - {*ordered})))
    head = ("corpus", "runs", "numbers compared", "of models", *KINDS)
    return table(head, rows) + (
        "\nA run counts in each table that it serves. Numbers compared are those that a paper prints "
        "and that a run or a count here has, too; those that are not of models are counts of texts "
        "and words.\n"
    )


def _of_corpus(artefacts: Sequence[Stored], corpus: str) -> Iterator[str]:
    runs = [one["runs"][corpus] for one in artefacts if corpus in one["runs"]]
    lines = [line for one in artefacts for line in one["lines"] if line["corpus"] == corpus]
    kinds = Counter(line["result"] for line in lines if line["result"])
    yield corpus
    yield f"{sum(run['done'] for run in runs)} of {sum(run['planned'] for run in runs)}"
    yield str(kinds.total())
    yield str(sum(bool(line["result"] and line["model"]) for line in lines))
    yield from (str(kinds[kind]) for kind in KINDS)


def kinds_of(artefacts: Sequence[Stored], of: str = "") -> Counter[str]:
    """Count the lines that have a printed number by their result: of models, of corpora, or all."""
    return Counter(
        line["result"]
        for one in artefacts
        for line in one["lines"]
        if line["result"] and (not of or bool(line["model"]) == (of == "models"))
    )


def _missing(one: Stored) -> str:
    many = "all" if one["missing"] == one["planned"] else f"{one['missing']} of {one['planned']}"
    return f"{one['corpus']} {many} ({one['hours_left']:.1f})"


def anchor(one: Stored) -> str:
    """Name the heading of a table as a link does."""
    return (
        f"{one['id']}-{one['place']}".lower()
        .replace(":", "")
        .replace(" ", "-")
        .replace("§", "")
        .replace(",", "")
    )


def artefacts(stored: Stored, paper: str = "") -> str:
    """Table each table or figure that has a number, of all papers or of one."""
    every = [one for one in stored["artefacts"] if not paper or _paper_of(one) == paper]
    known = [one for one in every if one["lines"]]
    return "\n".join(map(_artefact, known)) or "No run is done yet.\n"


def _paper_of(one: Stored) -> str:
    paper: str = one["id"].partition(":")[0]
    return paper


def _artefact(one: Stored) -> str:
    head = ("corpus", "model", "quantity", "published", "ours", "chance level", "seeds", "result")
    notes = "".join(f"* {note}\n" for note in [*_start(one), *one["notes"]])
    description = one["told"][0].upper() + one["told"][1:]
    lines = table(head, map(_line, one["lines"]))
    return f"### {one['id']} {one['place']}\n\n{description}.\n\n{notes}\n{lines}"


def _start(one: Stored) -> Iterator[str]:
    if "start" in one:
        yield f"words of these runs start from: {one['start']}"


def _line(line: Stored) -> Iterator[str]:
    sample = f" (of {line['limit']} texts)" if line["limit"] else ""
    yield line["corpus"] + sample
    yield from (line["model"], line["quantity"])
    sd = "" if line["sd"] is None else f" ± {line['sd']:g}"
    later = "" if line["later"] is None else f" (later run {line['later']:g})"
    yield ("—" if line["published"] is None else f"{line['published']:,g}{sd}") + later
    yield _ours(line["ours"])
    yield "—" if line["floor"] is None else f"{line['floor']['value']:.3f}"
    yield str(line["seeds"] or "—")
    yield line["said"] or ""


def _ours(found: Stored) -> str:
    if found["method"] == "counted":
        return f"{found['value']:,g}"
    if found["low"] is None:
        return f"{found['value']:.3f}, n = {found['n']}"
    return number(found)


# ------------------------------------------------------------- the summary


def summary(stored: Stored) -> str:
    """Say how many runs are done, and how many printed numbers ours is within, outside or neither
    of.
    """
    once = stored["once"]
    share = once["done"] / once["planned"] if once["planned"] else 0.0
    of_models, of_corpora = (
        ", ".join(
            f"{kinds[kind]} {kind}"
            for kinds in [kinds_of(stored["artefacts"], of)]
            for kind in KINDS
        )
        for of in ("models", "corpora")
    )
    results = Counter(_best(one)["result"] if _best(one) else "" for one in stored["claims"])
    claims = ", ".join(f"{results[result]} {result}" for result in RESULTS)
    return (
        f"**{once['done']:,} of {once['planned']:,} runs of the protocol are done ({share:.0%}); "
        f"the rest would take about {once['hours_left']:,.0f} hours of one worker.** "
        f"Printed numbers about models: {of_models}. Counts of corpora: {of_corpora}. "
        f"Claims: {claims}, {results['']} without a run. *Replicated, but at chance level* means: the "
        "numbers stand in the order that the paper found, and weights without any meaning show that "
        "order as strongly, so it says nothing of attention "
        "([how results are made](protocol.md)).\n"
    )


def all_findings(stored: Stored, paper: str) -> str:
    """Table what was found of each claim of a paper on every corpus."""
    head = ("claim", "criterion", "corpus", "effect (95 % CI), seeds", "by chance", "result")
    rows = [
        (one["says"], one["criterion"], *_found(each))
        for one in stored["claims"]
        if _paper_of(one) == paper
        for each in one["findings"] or [None]
    ]
    return table(head, rows)


def _found(finding: Stored | None) -> Iterator[str]:
    if finding is None:
        yield from ("—", "not run yet", "—", "—")
        return
    yield finding["corpus"]
    yield f"{number(finding['effect'])}, {finding['seeds']}"
    yield number(finding["chance"])
    yield f"**{finding['result']}**"


def claims(stored: Stored) -> str:
    """Table each claim by the first primary corpus that says something of it."""
    head = ("paper", "claim", "corpus", "effect (95 % CI), seeds", "by chance", "result")
    return table(head, map(_claim, stored["claims"]))


def _best(one: Stored) -> Stored | None:
    found: Stored | None = next(
        (each for each in one["findings"] if each["result"] != "undetermined"),
        next(iter(one["findings"]), None),
    )
    return found


def _claim(one: Stored) -> Iterator[str]:
    yield one["paper"]
    yield one["says"]
    yield from _found(_best(one))


# ------------------------------------------------------------- the protocol


def corpora() -> str:
    """Table the corpora by what rests on them."""
    rows = [
        ("primary", "complete training data", ", ".join(PRIMARY)),
        ("secondary", "a part of the training data; no conclusion rests on them",
         ", ".join(SECONDARY)),
        ("not available here", "work from a copy of your own", ", ".join(ABSENT)),
    ]  # fmt: skip
    return table(("corpora", "what is at hand", "names"), rows)


def stages() -> str:
    """Table the stages in the order in which they are run, with what is left out below."""
    rows = [
        (
            str(place),
            stage.asks,
            ", ".join(name.partition(":")[2] for name in stage.tables),
            ", ".join(stage.corpora),
            str(stage.seeds),
        )
        for place, stage in enumerate(STAGES, 1)
    ]
    left_out = "".join(f"* {one}.\n" for one in NOT_RUN)
    return f"{table(('', 'question', 'tables', 'corpora', 'seeds'), rows)}\n{left_out}"


def amounts() -> str:
    """Table how many seeds each table has on each corpus, and the test texts of its runs at
    most.
    """
    every = (*PRIMARY, *SECONDARY)

    def cell(study: str, corpus: str) -> str:
        amount = amounts_of(PAPER_TABLES[study]).get(corpus)
        if amount is None:
            return "—"
        return str(amount.seeds) + (f" ({amount.limit})" if amount.limit else "")

    rows = [(f"`{name}`", *(cell(name, corpus) for corpus in every)) for name in PAPER_TABLES]
    return table(("table", *every), rows)


def margins() -> str:
    """Table the margins."""
    rows = [(", ".join(f"{name} …" for name in names), f"{margin:g}") for names, margin in FIXED]
    rows.insert(1, ("the same on questions and inference", f"{TAU_OF_QUESTIONS:g}"))
    rows.append(("counts of a corpus", f"{COUNT:.0%} of the printed count"))
    return table(("quantity", "margin"), rows)
