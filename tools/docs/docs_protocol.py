"""Tables of the protocol: corpora, starts of words, stages and margins."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from docs_reproduction import seeds_done, written_value
from docs_tables import Stored, table

from sightline.studies.papers.jain2019 import STARTS_OF_VECTORS
from sightline.studies.papers.margins import (
    COUNT,
    FIXED,
    TAU_OF_QUESTIONS,
    apart_from_themselves,
    kind_of,
    margin_of,
)
from sightline.studies.papers.paper_index import PAPER_TABLES
from sightline.studies.papers.protocol import (
    ABSENT,
    NOT_RUN,
    PRIMARY,
    SECONDARY,
    STAGES,
    amounts_of,
)
from sightline.studies.papers.published_values import (
    PAPERS,
    later_values,
    printed_values,
)
from sightline.studies.run_plan import Plan
from sightline.studies.study_definition import Params


def corpora() -> str:
    """Table the corpora by how much of the published files is here."""
    rows = [
        ("primary", "the whole published files; one of them decides the claims",
         ", ".join(PRIMARY)),
        ("secondary", "a part of the training data; no conclusion rests on them",
         ", ".join(SECONDARY)),
        ("not available here", "work from a copy of your own", ", ".join(ABSENT)),
    ]  # fmt: skip
    return table(("corpora", "what is at hand", "names"), rows)


def vectors(stored: Stored) -> str:
    """Name the file of vectors by its bytes, and table its share of the words of each corpus."""
    rows = [
        (
            corpus,
            f"{found['found']:,} of {found['words']:,}",
            f"{100 * found['tokens_without']:.1f} %",
        )
        for corpus, found in stored["corpora"].items()
    ]
    head = ("corpus", "words of the vocabulary that have a vector", "tokens without one")
    return (
        f"`{stored['file']}`: {stored['dimension']} numbers a word, SHA-256 `{stored['sha256']}`. "
        f"In the keys and cards of runs its digest is `{stored['digest']}`. The components of "
        f"the {stored['used']:,} vectors that are used have a standard deviation of "
        f"{stored['sd']:.2f}.\n\n{table(head, rows)}"
    )


STARTS, BY_START = "jain2019:J-V", "τ with gradient, class "


def starts_run(stored: Stored) -> str:
    """Table τ with gradients by the start of words on each corpus, and name the starts not run."""
    (one,) = (one for one in stored["tables"] if one["id"] == STARTS)
    study = PAPER_TABLES[STARTS]
    rows, notes = [], []
    for corpus in study.corpora:
        planned = [run.model for run in Plan(study, Params(Path(), 1), (corpus,), {}).planned]
        lines = [line for line in one["lines"] if line["model"] and line["corpus"] == corpus]
        done = dict.fromkeys(_start_of(line["model"]) for line in lines)
        wanted = dict.fromkeys([*map(_start_of, planned), *STARTS_OF_VECTORS])
        lacking = [start for start in wanted if start not in done]
        rows += [(corpus, start, *_by_start(lines, start)) for start in done]
        notes.append(f"* {corpus}, not run yet: {'; '.join(lacking) or 'none'}\n")
    head = ("corpus", "start of words", *(f"{model}, τ by class" for model in _MODELS), "seeds")
    shown = table(head, rows) if rows else "no run is done yet\n"
    return f"`J-V` so far (vectors × 1: the runs of Table 2):\n\n{shown}\n{''.join(notes)}"


_MODELS = ("bilstm+additive", "mlp+additive")


def _by_start(lines: Sequence[Stored], start: str) -> Iterator[str]:
    """Give the mean τ of each model by class, with its chance level, and the seeds."""
    own = [line for line in lines if _start_of(line["model"]) == start]
    seeds = dict[str, str]()
    for model in _MODELS:
        known = [
            line
            for line in own
            if line["model"].startswith(model) and line["quantity"].startswith(BY_START)
        ]
        taus, by_chance = (
            " and ".join(f"{line[of]['value']:.2f}" for line in known) for of in ("ours", "floor")
        )
        yield f"{taus} (chance {by_chance})" if known else "—"
        if known:
            seeds[model] = seeds_done(known[0]["seeds"], known[0]["planned"])
    same = len(set(seeds.values())) == 1
    yield next(iter(seeds.values())) if same else "; ".join(f"{a}: {b}" for a, b in seeds.items())


def _start_of(model: str) -> str:
    return model.partition(", ")[2]


def stages() -> str:
    """Table the stages in the order in which they run, and list below what is left out."""
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
    """Table how many seeds each table has on each corpus, and the largest number of test texts of
    its runs; a table without runs counts the corpus.
    """
    every = (*PRIMARY, *SECONDARY)

    def cell(study: str, corpus: str) -> str:
        amount = amounts_of(PAPER_TABLES[study]).get(corpus)
        if amount is None:
            return "—"
        if not amount.seeds:
            return "counts"
        return str(amount.seeds) + (f" ({amount.limit})" if amount.limit else "")

    rows = [(f"`{name}`", *(cell(name, corpus) for corpus in every)) for name in PAPER_TABLES]
    return table(("table", *every), rows)


def margins() -> str:
    """Table the margins."""
    rows = [(", ".join(f"{name} …" for name in names), f"{margin:g}") for names, margin in FIXED]
    rows.insert(1, ("the same on questions and inference", f"{TAU_OF_QUESTIONS:g}"))
    rows.append(
        (
            "counts of a corpus",
            f"{COUNT:.0%} of the printed count, and at least half a step of its last digit",
        )
    )
    return table(("quantity", "margin"), rows)


def corpora_differ(stored: Stored) -> str:
    """Table the counts of primary corpora that lie outside their margin, each once."""
    rows, seen = [], set[tuple[str, str, float]]()
    for one in stored["tables"]:
        for line in one["lines"]:
            of = line["corpus"], line["quantity"], line["published"]
            if line["model"] or line["corpus"] not in PRIMARY or of in seen:
                continue
            if line["result"] == "outside":
                seen.add(of)
                rows.append((*of[:2], line["written"], written_value(line["ours"]), one["paper"]))
    return table(("corpus", "count", "published", "ours", "printed by"), rows)


GAINED = "accuracy gained"


def authors_apart() -> str:
    """Table how far the later run of Jain & Wallace is from their paper, by kind of number."""
    found = apart_from_themselves(printed_values("jain2019"), later_values("jain2019"))
    rows = [
        (
            f"{kind} …" + (" on questions and inference" if on_questions else ""),
            str(len(apart)),
            f"{statistics.median(apart):.3f}",
            f"{max(apart):.3f}",
        )
        for (kind, on_questions), apart in found.items()
    ]
    small = Counter(
        GAINED if one.quantity.startswith(GAINED) else kind_of(one.quantity)
        for paper in PAPERS
        for one in printed_values(paper)
        if one.model and (margin := margin_of(one)) is not None and abs(one.value) <= margin
    )
    listed = ", ".join(f"{name} … {count}" for name, count in small.items())
    return (
        f"{table(('quantity', 'numbers', 'apart, median', 'apart, most'), rows)}\n"
        "So many printed numbers are no larger than their margin, so that 0 would be within it: "
        f"{listed}.\n"
    )
