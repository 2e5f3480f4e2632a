"""The summary of the reproduction, and its claims with their results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from docs_reproduction import (
    KINDS,
    counted_kinds,
    counts_once,
    is_far_by_one_seed,
    is_full,
    is_small,
    lines_of,
    paper_of,
    results_of,
    seeds_done,
)
from docs_tables import Stored, number, table

from sightline.report.number_format import count_phrase
from sightline.studies.papers.claim_list import CLAIMS, OURS
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
from sightline.studies.papers.margins import WITHIN
from sightline.studies.papers.paper_index import PAPER_TABLES
from sightline.studies.papers.protocol import (
    DECIDES,
    PRIMARY,
    SECONDARY,
    amounts_of,
)
from sightline.studies.papers.published_values import (
    PAPERS,
)


def summary(stored: Stored) -> str:
    """Say how many runs are done, how our numbers compare with the printed ones, and the results of
    the claims.
    """
    once, tables = stored["once"], stored["tables"]
    share = once["done"] / once["planned"] if once["planned"] else 0.0
    models = [line for line in lines_of(tables) if line["result"] and line["model"]]
    apart = [line for line in models if line["corpus"] in SECONDARY]
    compared = [line for line in models if line["corpus"] not in SECONDARY]
    interim = sum(line["seeds"] < line["planned"] for line in compared)
    alone = [line for line in compared if line["result"] == UNDETERMINED and line["seeds"] == 1]
    within = [line for line in compared if line["result"] == WITHIN]
    return (
        f"**{once['done']:,} of {once['planned']:,} runs of the protocol are done ({share:.0%}); "
        f"the rest would take about {once['hours_left']:,.0f} hours of one worker.** "
        f"Printed numbers about models: {counted_kinds(results_of(compared), KINDS)}; "
        f"{interim} of them are interim (fewer seeds than planned). Of those within "
        f"{sum(map(is_small, within))} are so small that 0 would be within, too, and "
        f"{sum(map(is_full, within))} so large that 1 would be. {len(alone)} of those undetermined have one seed, "
        "and one seed is always undetermined; by their intervals over texts "
        f"{sum(map(is_far_by_one_seed, alone))} of these would be "
        "[outside](../tables/outside.md#one-seed-alone). A number that a paper prints in two tables "
        f"counts once, by the first. On corpora that are here in part: {counted_kinds(results_of(apart), KINDS)}. "
        f"Counts of corpora, each once: {counted_kinds(counts_once(tables), KINDS)}."
        f"\n\n{_of_claims(stored['claims'])}"
    )


def _of_claims(claims: Sequence[Stored]) -> str:
    """Count the claims by result, and say how many luck would give."""
    deciding = [(one, found) for one in claims if (found := _deciding(one)) is not None]
    results = Counter(found["result"] for _, found in deciding)
    there = [result for result in RESULTS if results[result]] or [RESULTS[0]]
    replicated = [(one, found) for one, found in deciding if found["result"] == REPLICATED]
    without = sum(found["against"] is None or one["low"] for one, found in replicated)
    ours = Counter(found["result"] for one, found in deciding if one["source"].startswith(OURS))
    exploratory = sum(_is_exploratory(one, found) for one, found in deciding)
    every = [each for one in claims for each in one["findings"] if each["seeds"] >= FEWEST_SEEDS]
    luck = BY_LUCK * len(every)
    standings = Counter(one["standing"] for one in claims)
    in_part = sum(each["corpus"] in SECONDARY for each in every)
    other = sum(bool(one.get("made_on")) for one, _ in deciding)
    where = f"on {DECIDES}" + (f" ({other} on the corpus it is about)" if other else "")
    return (
        f"{_as_fixed([found for _, found in deciding])}**By the criteria of today**, {where}: "
        f"{counted_kinds(results, there)}, {len(claims) - len(deciding)} without a "
        f"run. Of the {len(deciding)} results {sum(found['interim'] for _, found in deciding)} are "
        f"interim, {exploratory} exploratory. Of those replicated {without} were not held against a "
        f"chance level. {ours.total()} of the {len(deciding)} are ours: "
        f"{counted_kinds(ours, [result for result in RESULTS if ours[result]])} ([what each result "
        "means](protocol.md#claims)). "
        f"Of all criteria {standings[FIXED_BEFORE]} were fixed before numbers of the protocol were "
        f"seen; {standings[CHANGED]} were changed and {standings[ADDED]} added after "
        "([what changed](protocol-changes.md#changed-after-numbers-were-seen)).\n\n"
        "A result is the outcome of one claim on one corpus under two seeds or more: "
        f"{len(every)} of the {planned_results()} that the protocol plans are there, {in_part} of "
        "them on corpora that are here in part. If every effect were exactly 0, about "
        f"{luck:.1f} of these {len(every)} would come out above 0 by luck ({100 * BY_LUCK:g} % "
        "each). An effect is a difference less the limit in its claim, so a claim with a limit "
        "(“lower by less than 0.03”) can hold where there is no difference at all; and results of "
        "the same models depend on each other.\n"
    )


def _as_fixed(findings: Sequence[Stored]) -> str:
    """Count the results of the claims that had a criterion beforehand, by that criterion."""
    results = Counter(found["result_before"] for found in findings if found["result_before"])
    if not results:
        return ""
    there = [result for result in RESULTS if results[result] or result == NOT_REPLICATED]
    return (
        f"**By the criteria fixed beforehand**, of the {results.total()} that had one, on "
        f"{DECIDES} or all runs together: {counted_kinds(results, there)}; one more was [given "
        "up](protocol-changes.md#changed-after-numbers-were-seen). "
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
    yield f"{_decisive(finding['effect'])}, {seeds_done(finding['seeds'], finding['planned'])}"
    yield number(finding["chance"])
    yield against(one, finding)
    yield _result(one, finding)


NEAR = 0.005
"""Smaller numbers are 0 in two digits."""
NOT_HELD = "attention stands on the smaller side alone, so it is not held against chance"


def against(one: Stored, finding: Stored) -> str:
    """Compare an effect with chance; where attention stands on the smaller side alone, compare
    attention itself with chance.
    """
    if finding["beyond"] is None:
        known = "it is of one seed" if finding["chance_seeds"] else "none is known on this corpus"
        return f"no baseline: {one['no_chance'] or known}"
    if one["low"]:
        beyond = number(_turned(finding["beyond"]))
        return f"not held against chance; attention is above its own chance level by {beyond}"
    few = finding["chance_seeds"]
    seeds = f", {count_phrase(few, 'seed')}" if few < finding["seeds"] else ""
    return f"{_side(finding)}: {_decisive(finding['beyond'], finding['margin'])}{seeds}"


def _decisive(estimate: Stored, margin: float = 0.0) -> str:
    """Write an estimate whose interval is compared with 0 and with a margin: an end near these has
    its third digit.
    """
    ends = [abs(end) for end in (estimate["low"], estimate["high"]) if end]
    near = any(0 < abs(end - limit) < NEAR for end in ends for limit in (0.0, margin))
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
        UNHELD * (finding["result"] == REPLICATED and _is_unheld(one, finding)),
        "interim" * finding["interim"],
        "one seed is planned" * (finding["planned"] == 1),
        "exploratory" * _is_exploratory(one, finding),
    ]
    said = ", ".join(mark for mark in marks if mark)
    return f"**{finding['result']}**" + (f" ({said})" if said else "")


UNHELD = "no baseline"


def _is_unheld(one: Stored, finding: Stored) -> bool:
    """Whether no chance level is known with which an effect would be compared."""
    return not one["low"] and finding["beyond"] is None


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
    authors, _, _ = one["paper"].rpartition(" ")  # the year makes its column wider than it need be
    yield f"[{authors}]({paper_of(one)}.md#claims)"
    yield _of_any_model(one["says"]) + (" (ours)" if one["source"].startswith(OURS) else "")
    _, effect, _, less, result = _found(one, deciding)
    less = less.partition(":")[0] if one["no_chance"] else less  # its paper's page says why
    yield from (effect, less, "; ".join([result, *_elsewhere(one, deciding)]))


def _of_any_model(says: str) -> str:
    """Leave out the model and its scorer where the page has said them.

    >>> _of_any_model("weak (BiLSTM; below 0.5)"), _of_any_model("less (BiLSTM) than (BiLSTM)")
    ('weak (below 0.5)', 'less than')
    """
    said = says.replace("(additive attention; ", "(").replace("(BiLSTM; ", "(")
    return said.replace("; BiLSTM)", ")").replace(" (BiLSTM)", "")


def _elsewhere(one: Stored, deciding: Stored | None) -> Iterator[str]:
    """Name the results on other primary corpora that are not as on the deciding one."""
    if deciding is None:
        return
    others: dict[tuple[str, bool], list[str]] = {}
    for each in one["findings"]:
        if each["corpus"] in PRIMARY and each["seeds"] >= FEWEST_SEEDS:
            unheld = each["result"] == REPLICATED and _is_unheld(one, each)
            others.setdefault((each["result"], unheld), []).append(each["corpus"])
    for (result, unheld), corpora in others.items():
        if result != deciding["result"]:
            said = result.removeprefix(f"{REPLICATED}, but ") + f" ({UNHELD})" * unheld
            yield f"{', '.join(corpora)}: {said}"
