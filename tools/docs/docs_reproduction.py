"""Tables of the reproduction: what is done by table and corpus, and every line of every table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from docs_tables import Stored, number, table, verified

from sightline.core.results import Estimate
from sightline.data.word_vectors import MANY
from sightline.studies.papers.claims import FEWEST_SEEDS
from sightline.studies.papers.margins import (
    OUTSIDE,
    UNDETERMINED,
    margin_for,
    result_of,
)
from sightline.studies.papers.margins import (
    RESULTS as COMPARED,
)
from sightline.studies.papers.paper_index import PAPER_TABLES
from sightline.studies.papers.protocol import (
    PRIMARY,
    SECONDARY,
)
from sightline.studies.papers.published_comparison import NOT_COMPARABLE
from sightline.studies.run_plan import Plan
from sightline.studies.study_definition import Params

VECTORS = "vectors"
"""The campaign that counts the words with a vector."""
KINDS = (*COMPARED, NOT_COMPARABLE)


def overview(stored: Stored) -> str:
    """Table every table and figure: how much of it is done, and how its numbers compare with the
    printed ones. Each line links to the page of its paper.
    """
    head = ("id", "what", "runs", "missing: runs (hours)", "printed numbers", *KINDS)
    once = stored["once"]
    text = (
        f"**{once['done']:,} of {once['planned']:,} runs of these tables are done**; the rest "
        f"would take about {once['hours_left']:,.0f} hours of one worker. Tables share runs, which "
        "this counts once, and each line below as its own.\n\n"
    )
    return text + table(head, map(_overview, stored["tables"]))


def _overview(one: Stored) -> Iterator[str]:
    kinds = kinds_of([one])
    page = f"{paper_of(one)}.md#{anchor(one)}"
    yield f"[`{one['id']}`]({page})" if one["lines"] else f"`{one['id']}`"
    yield f"{one['place']}: {one['told']}"
    yield f"{one['done']} of {one['planned']}"
    yield "; ".join(map(_missing, one["missing"])) or "—"
    yield str(kinds.total())
    yield from (str(kinds[kind]) for kind in KINDS)


def runs_and_numbers(stored: Stored, paper: str = "") -> str:
    """Table how much of each corpus is done, and how its numbers compare with the printed ones, for
    all papers or for one.
    """
    own = [one for one in stored["tables"] if not paper or paper_of(one) == paper]
    of_corpora = {
        *(corpus for one in own for corpus in one["runs"]),
        *(line["corpus"] for one in own for line in one["lines"]),
    }
    ordered = [corpus for corpus in (*PRIMARY, *SECONDARY) if corpus in of_corpora]
    rows = (_of_corpus(own, name) for name in (*ordered, *sorted(of_corpora - {*ordered})))
    head = (
        "corpus",
        "runs (one counts in each table that it serves)",
        "printed numbers of models",
        "printed counts of texts and words",
    )
    return table(head, rows) + (
        "\nOnly numbers and counts that a paper prints, and that a run or a count has here, too.\n"
    )


def _of_corpus(tables: Sequence[Stored], corpus: str) -> Iterator[str]:
    runs = [one["runs"][corpus] for one in tables if corpus in one["runs"]]
    own = [
        {**one, "lines": [line for line in one["lines"] if line["corpus"] == corpus]}
        for one in tables
    ]
    yield corpus
    yield f"{sum(run['done'] for run in runs)} of {sum(run['planned'] for run in runs)}"
    for of in ("models", "corpora"):
        kinds = kinds_of(own, of)
        there = [kind for kind in KINDS if kinds[kind]]
        yield f"{kinds.total()}: {counted_kinds(kinds, there)}" if there else "0"


def kinds_of(tables: Sequence[Stored], of: str = "") -> Counter[str]:
    """Count the lines with a printed number by their result: of models, of corpora, or all."""
    return results_of(
        line
        for line in lines_of(tables)
        if line["result"] and (not of or bool(line["model"]) == (of == "models"))
    )


def lines_of(tables: Iterable[Stored]) -> Iterator[Stored]:
    """Give the lines of all tables."""
    for _, line in lines_once(tables):
        yield line


def lines_once(tables: Iterable[Stored]) -> Iterator[tuple[Stored, Stored]]:
    """Give the lines of all tables, each with its table: a number of a model that a paper prints in
    two tables only in the first.
    """
    seen = set[tuple[str, ...]]()
    for one in tables:
        for line in one["lines"]:
            of = (paper_of(one), line["corpus"], line["model"], line["quantity"], line["written"])
            if not (line["model"] and line["written"] and of in seen):
                yield one, line
            if line["result"]:
                seen.add(of)


def results_of(lines: Iterable[Stored]) -> Counter[str]:
    """Count lines by their result."""
    return Counter(line["result"] for line in lines)


def is_far_by_one_seed(line: Stored) -> bool:
    """Whether the number of one seed would be outside if its interval over texts decided."""
    return (
        line["result"] == UNDETERMINED
        and bool(line["model"])
        and line["seeds"] == 1
        and _result(line, line["ours"], FEWEST_SEEDS) == OUTSIDE
    )


def is_small(line: Stored) -> bool:
    """Whether a printed number is no larger than its margin, so that 0 would be within it, too."""
    margin = margin_for(line["quantity"], line["corpus"])
    return margin is not None and abs(line["published"]) <= margin


def is_full(line: Stored) -> bool:
    """Whether a printed number, none of which can be above 1, is so near to 1 that 1 would be
    within its margin, too.
    """
    margin = margin_for(line["quantity"], line["corpus"])
    return margin is not None and 1 - line["published"] <= margin


def _result(line: Stored, ours: Stored, seeds: int) -> str:
    margin = margin_for(line["quantity"], line["corpus"])
    if margin is None or ours["low"] is None:
        return ""
    return result_of(line["published"], margin, Estimate(**ours), seeds)


def counted_kinds(found: Counter[str], kinds: Sequence[str]) -> str:
    return ", ".join(f"{found[kind]} {kind}" for kind in kinds)


def counts_once(tables: Sequence[Stored]) -> Counter[str]:
    """Count the counts of corpora by their result, each once: papers repeat counts of others, and
    print sums of them.
    """
    found, seen = Counter[str](), set[tuple[str, str, float]]()
    for one in tables:
        for line in one["lines"]:
            of = line["corpus"], line["quantity"], line["published"]
            if line["model"] or not line["result"] or of in seen:
                continue
            seen.add(of)
            found[line["result"]] += 1
        seen |= _sums(one["lines"])
    return found


def _sums(lines: Sequence[Stored]) -> set[tuple[str, str, float]]:
    """Sum the printed counts of the classes of each corpus, which another paper may print."""
    sums = Counter[tuple[str, str]]()
    for line in lines:
        split, of_class, _ = line["quantity"].partition(" texts of ")
        if of_class and line["published"] is not None:
            sums[line["corpus"], split] += line["published"]
    return {(corpus, f"{split} texts", total) for (corpus, split), total in sums.items()}


def _missing(one: Stored) -> str:
    many = "all" if one["missing"] == one["planned"] else f"{one['missing']} of {one['planned']}"
    return f"{one['corpus']} {many} ({one['hours_left']:.1f})"


def anchor(one: Stored) -> str:
    """Name the heading of a table in the form of a link."""
    return (
        f"{one['id']}-{one['place']}".lower()
        .replace(":", "")
        .replace(" ", "-")
        .replace("§", "")
        .replace(",", "")
    )


def paper_tables(stored: Stored, paper: str) -> str:
    """Table each table or figure of a paper that has a number."""
    known = [one for one in stored["tables"] if paper_of(one) == paper and one["lines"]]
    return "\n".join(map(_paper_table, _without_repeats(known))) or "No run is done yet.\n"


def _without_repeats(tables: Sequence[Stored]) -> Iterator[Stored]:
    """Leave out lines that stand in a table above with the same number, and notes that stand there,
    and say so.
    """
    shown = dict[str, tuple[str, str]]()
    noted = dict[str, str]()
    for one in tables:
        lines, again = [], Counter[str]()
        for line in one["lines"]:
            table, written = shown.setdefault(_said(line), (one["id"], line["written"]))
            if table != one["id"] and line["written"] in ("", written):
                again[table] += 1
            else:
                lines.append(line)
        places = [(note, noted.setdefault(note, one["id"])) for note in one["notes"]]
        above = dict.fromkeys(table for _, table in places if table != one["id"])
        yield {
            **one,
            "lines": lines,
            "notes": [
                *_without_vectors(one),
                *(note for note, table in places if table == one["id"]),
                *([f"more notes: as under {', '.join(above)}"] if above else []),
                *(_left_out(one, table, n) for table, n in again.items() if lines),
                *([_nothing_else(one, again)] if not lines else []),
            ],
        }


def _left_out(one: Stored, table: str, lines: int) -> str:
    return f"lines left out, as they stand under {table}: {lines}"


def _nothing_else(one: Stored, again: Mapping[str, int]) -> str:
    """Say why a table shows no line: all stand above, and its other runs are missing."""
    there = ", ".join(f"{n} under {table}" for table, n in again.items())
    study = PAPER_TABLES[one["id"]]
    planned = Plan(study, Params(Path(), 1), study.corpora[:1], {}).planned
    known = {line["model"] for line in one["lines"]}
    lacking = dict.fromkeys(run.model for run in planned if run.model not in known)
    waits = any(missing["corpus"] in study.corpora[:1] for missing in one["missing"])
    undone = f"; not run yet: {', '.join(lacking)}" if lacking and waits else ""
    return f"all lines that there are stand above ({there}){undone}"


def _without_vectors(one: Stored) -> Iterator[str]:
    """Say on which corpora of the runs many words have no vector."""
    if (known := verified(VECTORS)) is None:
        return
    of_models = {line["corpus"] for line in one["lines"] if line["model"]}
    for corpus, found in known["corpora"].items():
        if corpus in of_models and found["tokens_without"] >= MANY:
            yield (
                f"{corpus}: {1 - found['found'] / found['words']:.0%} of the words and "
                f"{found['tokens_without']:.0%} of the tokens of the training texts have no vector"
            )


def _said(line: Stored) -> str:
    return repr([line[name] for name in ("corpus", "model", "quantity", "ours", "floor", "seeds")])


def paper_of(one: Stored) -> str:
    """Give the paper of a table or figure."""
    paper: str = one["id"].partition(":")[0]
    return paper


def _paper_table(one: Stored) -> str:
    head = ("corpus", "model", "quantity", "published", "ours", "chance level", "seeds", "result")
    notes = "".join(f"* {note}\n" for note in one["notes"])
    first = one["told"][0]  # a Greek capital would read as another letter
    description = (first.upper() if first.isascii() else first) + one["told"][1:]
    lines = table(head, map(cells_of, one["lines"])) if one["lines"] else ""
    return f"### {one['id']} {one['place']}\n\n{description}.\n\n{notes}\n{lines}"


def cells_of(line: Stored) -> Iterator[str]:
    """Give the cells of a line: whose number it is, the printed one, ours, and the result."""
    sample = f" (of {line['limit']} texts)" if line["limit"] else ""
    yield line["corpus"] + sample
    yield from (line["model"], line["quantity"])
    yield (line["written"] or "—") + (f" (later run {line['later']})" if line["later"] else "")
    yield written_value(line["ours"], 3 if _rounding_decides(line) else 2)
    yield number(line["floor"])
    yield seeds_done(line["seeds"], line["planned"]) if line["seeds"] else "—"
    yield line["said"] or ""


def seeds_done(done: int, planned: int) -> str:
    return f"{done} of {planned}, interim" if done < planned else str(done)


def _rounding_decides(line: Stored) -> bool:
    """Whether the ends in two digits would give another result."""
    found = line["ours"]
    if found["low"] is None or line["result"] not in COMPARED:
        return False
    rounded = found | {end: round(found[end], 2) for end in ("low", "high")}
    return _result(line, rounded, line["seeds"]) not in ("", line["result"])


def written_value(found: Stored, digits: int = 2) -> str:
    if found["method"] == "counted":
        return f"{found['value']:,g}"
    if found["low"] is None:
        return f"{found['value']:.3f}, n = {found['n']}"
    return number(found, digits)
