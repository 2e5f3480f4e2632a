"""Tables of the reproduction: the plan of the protocol, the result of each claim, and every line of
every table.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from docs_tables import EARLIER_RUNS, Stored, number, table, verified

from sightline.core.results import Estimate
from sightline.data.word_vectors import MANY
from sightline.report.number_format import count_phrase
from sightline.studies.papers.claim_list import CLAIMS, OURS, SPREAD
from sightline.studies.papers.claims import (
    ABOVE,
    ADDED,
    AT_CHANCE,
    BY_LUCK,
    CHANGED,
    EITHER,
    FEWEST_SEEDS,
    NOT_REPLICATED,
    REPLICATED,
    RESULTS,
    UNDETERMINED,
)
from sightline.studies.papers.claims import (
    FIXED as FIXED_BEFORE,
)
from sightline.studies.papers.jain2019 import HIGH, STARTS_OF_VECTORS
from sightline.studies.papers.margins import (
    COUNT,
    FIXED,
    TAU_OF_QUESTIONS,
    apart_from_themselves,
    kind_of,
    margin_for,
    margin_of,
    result_of,
)
from sightline.studies.papers.margins import (
    RESULTS as COMPARED,
)
from sightline.studies.papers.paper_index import PAPER_TABLES
from sightline.studies.papers.protocol import (
    ABSENT,
    DECIDES,
    NOT_RUN,
    PRIMARY,
    SECONDARY,
    STAGES,
    amounts_of,
)
from sightline.studies.papers.published_comparison import NOT_COMPARABLE
from sightline.studies.papers.published_values import PAPERS, later_values, printed_values
from sightline.studies.papers.study_models import BILSTM
from sightline.studies.run_plan import Plan
from sightline.studies.study_definition import Params

VECTORS = "vectors"
"""The campaign that counts the words with a vector."""
KINDS = ("within", "outside", "undetermined", NOT_COMPARABLE)


def overview(stored: Stored, *, by_paper: bool = False) -> str:
    """Table every table and figure: how much of it is done, and how its numbers compare with the
    printed ones. Each line links to this page, or to the page of its paper.
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
    page = f"{paper_of(one)}.md" if by_paper else ""
    yield f"[`{one['id']}`]({page}#{anchor(one)})" if one["lines"] else f"`{one['id']}`"
    yield f"{one['place']}: {one['told']}"
    yield f"{one['done']} of {one['planned']}"
    yield "; ".join(map(_missing, one["missing"])) or "—"
    yield str(kinds.total())
    yield from (str(kinds[kind]) for kind in KINDS)


def runs_and_numbers(stored: Stored, paper: str = "") -> str:
    """Table how much of each corpus is done, and how its numbers compare with the printed ones, for
    all papers or for one.
    """
    own = [one for one in stored["artefacts"] if not paper or paper_of(one) == paper]
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


def _of_corpus(artefacts: Sequence[Stored], corpus: str) -> Iterator[str]:
    runs = [one["runs"][corpus] for one in artefacts if corpus in one["runs"]]
    own = [
        {**one, "lines": [line for line in one["lines"] if line["corpus"] == corpus]}
        for one in artefacts
    ]
    yield corpus
    yield f"{sum(run['done'] for run in runs)} of {sum(run['planned'] for run in runs)}"
    for of in ("models", "corpora"):
        kinds = kinds_of(own, of)
        there = [kind for kind in KINDS if kinds[kind]]
        yield f"{kinds.total()}: {_counted(kinds, there)}" if there else "0"


def kinds_of(artefacts: Sequence[Stored], of: str = "") -> Counter[str]:
    """Count the lines with a printed number by their result: of models, of corpora, or all."""
    return Counter(
        line["result"]
        for one in artefacts
        for line in one["lines"]
        if line["result"] and (not of or bool(line["model"]) == (of == "models"))
    )


def counts_once(artefacts: Sequence[Stored]) -> Counter[str]:
    """Count the counts of corpora by their result, each once: papers repeat counts of others, and
    print sums of them.
    """
    found, seen = Counter[str](), set[tuple[str, str, float]]()
    for one in artefacts:
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


def artefacts(stored: Stored, paper: str = "") -> str:
    """Table each table or figure that has a number, for all papers or for one."""
    every = [one for one in stored["artefacts"] if not paper or paper_of(one) == paper]
    known = [one for one in every if one["lines"]]
    return "\n".join(map(_artefact, _without_repeats(known))) or "No run is done yet.\n"


def _without_repeats(artefacts: Sequence[Stored]) -> Iterator[Stored]:
    """Leave out lines that stand in a table above with the same number, and notes that stand there,
    and say so.
    """
    shown = dict[str, tuple[str, str]]()
    noted = dict[str, str]()
    for one in artefacts:
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
                *_start(one),
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


def _start(one: Stored) -> Iterator[str]:
    """Say where words start, or on which corpora of the runs many words have no vector."""
    if "start" in one:
        yield f"words of these runs start from: {one['start']}"
        return
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


def _artefact(one: Stored) -> str:
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
    yield _ours(line["ours"], 3 if _rounding_decides(line) else 2)
    yield number(line["floor"])
    yield _seeds(line["seeds"], line["planned"]) if line["seeds"] else "—"
    yield line["said"] or ""


def _seeds(done: int, planned: int) -> str:
    return f"{done} of {planned}, interim" if done < planned else str(done)


def _rounding_decides(line: Stored) -> bool:
    """Whether the ends in two digits would give another result."""
    found = line["ours"]
    margin = margin_for(line["quantity"], line["corpus"])
    if margin is None or found["low"] is None or line["result"] not in COMPARED:
        return False
    ends = (round(found[end], 2) for end in ("low", "high"))
    rounded = Estimate(found["value"], *ends, found["n"], found["method"])
    return result_of(line["published"], margin, rounded, line["seeds"]) != line["result"]


def _ours(found: Stored, digits: int = 2) -> str:
    if found["method"] == "counted":
        return f"{found['value']:,g}"
    if found["low"] is None:
        return f"{found['value']:.3f}, n = {found['n']}"
    return number(found, digits)


# ------------------------------------------------------------- the summary


def summary(stored: Stored) -> str:
    """Say how many runs are done, how our numbers compare with the printed ones, and the results of
    the claims.
    """
    once, tables = stored["once"], stored["artefacts"]
    share = once["done"] / once["planned"] if once["planned"] else 0.0
    interim = sum(
        bool(line["result"]) and line["seeds"] < line["planned"]
        for one in tables
        for line in one["lines"]
    )
    return (
        f"**{once['done']:,} of {once['planned']:,} runs of the protocol are done ({share:.0%}); "
        f"the rest would take about {once['hours_left']:,.0f} hours of one worker.** "
        f"Printed numbers about models: {_counted(kinds_of(tables, 'models'), KINDS)}; {interim} of "
        "them are interim (fewer seeds than planned), and of those undetermined "
        f"{_of_one_seed(tables)} are of one seed, which is never more. A number that stands in two "
        "tables counts twice. Counts of corpora, each once: "
        f"{_counted(counts_once(tables), KINDS)}.\n\n{_of_claims(stored['claims'])}"
    )


def _of_one_seed(tables: Sequence[Stored]) -> int:
    return sum(
        line["result"] == UNDETERMINED and bool(line["model"]) and line["seeds"] == 1
        for one in tables
        for line in one["lines"]
    )


def _counted(found: Counter[str], kinds: Sequence[str]) -> str:
    return ", ".join(f"{found[kind]} {kind}" for kind in kinds)


def _of_claims(claims: Sequence[Stored]) -> str:
    """Count the claims by result, and say how many luck would give."""
    deciding = [(one, found) for one in claims if (found := _deciding(one)) is not None]
    results = Counter(found["result"] for _, found in deciding)
    there = [result for result in RESULTS if results[result]] or [RESULTS[0]]
    replicated = [(one, found) for one, found in deciding if found["result"] == REPLICATED]
    without = sum(found["against"] is None or one["low"] for one, found in replicated)
    ours = sum(one["source"].startswith(OURS) for one, _ in replicated)
    exploratory = sum(_is_exploratory(one, found) for one, found in deciding)
    every = [each for one in claims for each in one["findings"] if each["seeds"] >= FEWEST_SEEDS]
    luck = BY_LUCK * len(every)
    standings = Counter(one["standing"] for one in claims)
    other = sum(bool(one.get("made_on")) for one, _ in deciding)
    where = f"on {DECIDES}" + (f" ({other} on the corpus it is about)" if other else "")
    return (
        f"{_as_fixed([found for _, found in deciding])}**By the criteria of today**, {where}: "
        f"{_counted(results, there)}, {len(claims) - len(deciding)} without a "
        f"run. Of the {len(deciding)} results {sum(found['interim'] for _, found in deciding)} are "
        f"interim, {exploratory} exploratory. Of those replicated {without} were not held against a "
        f"chance level, and {ours} no paper at hand claims "
        "([what each result means](protocol.md#claims)). "
        f"Of all criteria {standings[FIXED_BEFORE]} were fixed before numbers of the protocol were "
        f"seen; {standings[CHANGED]} were changed and {standings[ADDED]} added after "
        "([what changed](protocol-changes.md#changed-after-numbers-were-seen)).\n\n"
        "A result is the outcome of one claim on one corpus under two seeds or more: "
        f"{len(every)} of the {planned_results()} that the protocol plans are there. If no order "
        f"existed, about {luck:.1f} of these {len(every)} would come out above 0 by luck "
        f"({100 * BY_LUCK:g} % each).\n"
    )


def _as_fixed(findings: Sequence[Stored]) -> str:
    """Count the results of the claims that had a criterion beforehand, by that criterion."""
    results = Counter(found["result_before"] for found in findings if found["result_before"])
    if not results:
        return ""
    there = [result for result in RESULTS if results[result] or result == NOT_REPLICATED]
    return (
        f"**By the criteria fixed beforehand**, of the {results.total()} that had one, on "
        f"{DECIDES} or all runs together: {_counted(results, there)}. "
    )


def _is_exploratory(one: Stored, finding: Stored) -> bool:
    """Whether a result depends on what was changed after numbers were seen."""
    return one["standing"] != FIXED_BEFORE or finding["result"] != finding["result_before"]


def planned_results() -> int:
    """Count the claims on each corpus that the protocol judges, which takes two seeds or more."""
    return sum(
        1
        if claim.of_lines
        else sum(
            (amount.seeds or 0) >= FEWEST_SEEDS
            for corpus, amount in amounts_of(PAPER_TABLES[claim.table]).items()
            if claim.is_of(corpus)
        )
        for claim in CLAIMS
    )


def _deciding(one: Stored) -> Stored | None:
    """Give the result on the corpus named beforehand, or of all runs together; a claim about another
    corpus is decided there.
    """
    there = one.get("made_on") or (DECIDES, "all")
    found: Stored | None = next((each for each in one["findings"] if each["corpus"] in there), None)
    return found


FOUND = ("corpus", "effect (95 % CI), seeds", "by chance", "effect less chance", "result")


def claims_of(stored: Stored, paper: str) -> str:
    """Table the claims of a paper with their criteria."""
    own = [one for one in stored["claims"] if paper_of(one) == paper]
    head = ("claim", "where", "criterion", "fixed", "on printed numbers")
    link = f"Results on every corpus: [claims](../tables/claims.md#{paper}).\n"
    return f"{table(head, map(_about, own))}\n{link}"


def all_findings(stored: Stored) -> str:
    """Table the result of each claim on every corpus, paper by paper."""
    # Names have letters that repositories and sites write differently in links, so the id is fixed.
    papers = dict.fromkeys(map(paper_of, stored["claims"]))
    return "\n".join(
        f'<a id="{paper}"></a>\n\n## {PAPERS[paper]}\n\n{_findings(stored, paper)}'
        for paper in papers
    )


def _findings(stored: Stored, paper: str) -> str:
    rows = [
        (one["says"], *_found(one, each), each["result_before"] or "there was none")
        for one in stored["claims"]
        if paper_of(one) == paper
        for each in one["findings"]
    ]
    if not rows:
        return "None of its claims has a run yet.\n"
    return table(("claim", *FOUND, "by the criterion before"), rows)


def _about(one: Stored) -> Iterator[str]:
    """Say where a claim is made, its criterion, and, if so, why it is not compared with chance."""
    yield one["says"]
    yield one["source"]
    why = f"no baseline: {one['no_chance']}" if one["no_chance"] else NOT_HELD * one["low"]
    yield one["criterion"] + (f"; {why}" if why else "")
    yield one["standing"].replace("fixed before", "before")
    yield _printed(one)


def _printed(one: Stored) -> str:
    """Apply the criterion to the numbers that the paper itself prints."""
    effects = one["printed"]
    if not effects:
        return one["unprinted"] or "none printed"
    holds = sum(effect > 0 for effect in effects)
    return f"holds on {holds} of {len(effects)}: {min(effects):.2f} to {max(effects):.2f}"


def _found(one: Stored, finding: Stored | None) -> Iterator[str]:
    if finding is None:
        yield from ("—", "not run yet", "—", "—", "—")
        return
    yield finding["corpus"]
    yield f"{_decisive(finding['effect'])}, {_seeds(finding['seeds'], finding['planned'])}"
    yield number(finding["chance"])
    yield _against(one, finding)
    yield _result(one, finding)


NEAR = 0.005
"""Smaller numbers are 0 in two digits."""
NOT_HELD = "a small number is claimed, so it is not held against chance"


def _against(one: Stored, finding: Stored) -> str:
    """Compare an effect with chance; for a claim that something is small, compare attention itself
    with chance.
    """
    if finding["beyond"] is None:
        return f"no baseline: {one['no_chance'] or 'none is known on this corpus'}"
    if one["low"]:
        beyond = number(_turned(finding["beyond"]))
        return f"not held against chance; attention is above its own chance level by {beyond}"
    few = finding["chance_seeds"]
    seeds = f", {count_phrase(few, 'seed')}" if few < finding["seeds"] else ""
    return f"{_side(finding)}: {_decisive(finding['beyond'])}{seeds}"


def _decisive(estimate: Stored) -> str:
    """Write an estimate whose interval is compared with 0: an end near 0 has its third digit."""
    ends = [end for end in (estimate["low"], estimate["high"]) if end is not None]
    near = any(end and abs(end) < NEAR for end in ends)
    return number(estimate, 3 if near else 2)


def _side(finding: Stored) -> str:
    words = {ABOVE: "above chance", EITHER: "not distinguished from chance"}
    if finding["result"] == AT_CHANCE:
        return "at chance"
    below = "below chance" if (finding["beyond"]["high"] or 0.0) < 0 else "at chance"
    return words.get(finding["against"], below)


def _turned(estimate: Stored) -> Stored:
    return {
        **estimate,
        "value": -estimate["value"],
        "low": -estimate["high"],
        "high": -estimate["low"],
    }


def _result(one: Stored, finding: Stored) -> str:
    marks = [
        "no baseline" * (finding["against"] is None and finding["result"] == REPLICATED),
        "interim" * finding["interim"],
        "exploratory" * _is_exploratory(one, finding),
    ]
    said = ", ".join(mark for mark in marks if mark)
    return f"**{finding['result']}**" + (f" ({said})" if said else "")


def claims(stored: Stored) -> str:
    """Table the claims with a result on the corpus named beforehand, and count the others by
    paper.
    """
    known = [one for one in stored["claims"] if one["findings"]]
    others = Counter((one["paper"], paper_of(one)) for one in stored["claims"] if one not in known)
    waiting = ", ".join(
        f"[{n} of {paper}]({name}.md#claims)" for (paper, name), n in others.items()
    )
    head = ("paper", "claim", "effect (95 % CI), seeds", "effect less chance", "result")
    text = f"\nNot run yet: {waiting}.\n" if waiting else ""
    return (table(head, map(_claim, known)) if known else "No claim has a run yet.\n") + text


def _claim(one: Stored) -> Iterator[str]:
    deciding = _deciding(one)
    yield f"[{one['paper']}]({paper_of(one)}.md#claims)"
    yield one["says"] + (" (ours)" if one["source"].startswith(OURS) else "")
    _, effect, _, less, result = _found(one, deciding)
    yield from (effect, less, result)


# ------------------------------------------------------------- the protocol


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
    (one,) = (one for one in stored["artefacts"] if one["id"] == STARTS)
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
            seeds[model] = _seeds(known[0]["seeds"], known[0]["planned"])
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
    its runs.
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
    rows.append(
        (
            "counts of a corpus",
            f"{COUNT:.0%} of the printed count, and at least half a step of its last digit",
        )
    )
    return table(("quantity", "margin"), rows)


def known_before(stored: Stored) -> str:
    """Say how many runs of the same tables had been seen, and the results of their claims."""
    once = stored["known_before"]
    text = (
        f"**{once['done']:,} earlier runs of the same tables had been seen**, on the same test texts, "
        f"from other word starts but on bAbI. {_limits_seen()}By the current criteria, the claims "
        "whose seeds are kept give, each on one corpus:\n\n"
    )
    rows = [
        (one["paper"], one["says"], each["corpus"], f"{number(each['effect'])}, {each['seeds']}",
         _against(one, each), each["result"])
        for one in stored["claims"]
        for each in [_before(one)]
        if each is not None
    ]  # fmt: skip
    head = ("paper", "claim", *(name for name in FOUND if name != "by chance"))
    return text + table(head, rows)


LIMITS = (
    ("meister2021:M-1", "evenness of inputs for states", SPREAD),
    ("tutek2020:T-1", "F1 lost under permuted weights", 0.05),
    ("jain2019:J-7", "ε-max JSD, at least", HIGH),
)
"""Limits in criteria that were written with earlier means in view; the second is given up."""


def _limits_seen() -> str:
    """Say which limits were set with earlier means in view, and give these means."""
    earlier = verified(EARLIER_RUNS)
    if earlier is None:
        return ""
    tables = {one["id"]: one["lines"] for one in earlier["artefacts"]}
    known = [
        f"{quantity}, limit {limit:g}, earlier {number(line['ours'], 3)}"
        for table, quantity, limit in LIMITS
        for line in tables.get(table, ())
        if (line["corpus"], line["model"], line["quantity"]) == (DECIDES, BILSTM, quantity)
    ]
    return f"Limits were set with earlier means in view (BiLSTM on {DECIDES}): {'; '.join(known)}. "


def _before(one: Stored) -> Stored | None:
    found: Stored | None = next(iter(one["before"]), None)
    return found


def corpora_differ(stored: Stored) -> str:
    """Table the counts of primary corpora that lie outside their margin, each once."""
    rows, seen = [], set[tuple[str, str, float]]()
    for one in stored["artefacts"]:
        for line in one["lines"]:
            of = line["corpus"], line["quantity"], line["published"]
            if line["model"] or line["corpus"] not in PRIMARY or of in seen:
                continue
            if line["result"] == "outside":
                seen.add(of)
                rows.append((*of[:2], line["written"], _ours(line["ours"]), one["paper"]))
    return table(("corpus", "count", "published", "ours", "printed by"), rows)


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
        kind_of(one.quantity)
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
