"""Sentences for test results and verdicts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from sightline.core.audited_map import ATTENTION
from sightline.core.needs import ALONE, MORE, NEEDS_PREFIX, REPLACED, UNASKED
from sightline.core.results import (
    BY_ABSENCE,
    CAN,
    CANNOT_TELL,
    MUST_NOT,
    VERDICTS,
    Answer,
    Estimate,
    Finding,
    Level,
    Reason,
    Verdict,
)
from sightline.core.word_lists import join_words
from sightline.report.number_format import (
    KEEP,
    approximate_count,
    p_value,
    texts,
    trimmed_number,
    with_n,
)
from sightline.report.sanitize import one_line, shortened
from sightline.stats.sample_size import texts_needed
from sightline.verdict.catalogue import AUDIT_TESTS
from sightline.verdict.decision_rule import TAKES_TOO_FEW, WORSE, below_chance
from sightline.verdict.thresholds import default_thresholds
from sightline.verdict.verdict_table import TABLE

Side = Literal["above threshold", "below threshold", "below 0", "holds threshold", "undefined"]

ALL_TOGETHER = "for all texts together"
QUESTION = "Can this model’s attention be shown as an explanation?"


@dataclass(frozen=True)
class HeadlinePart:
    """A part of the headline: the verdict for some texts, and its reason."""

    text: str
    level: Level
    why: str = ""
    advised: bool = True
    """Whether it is advice. If classes have their own verdicts, the verdict over all texts is not:
    a map is shown for a text, and every text has a class."""
    classes: tuple[str, ...] = ()
    """The predicted classes whose texts it is about; empty for all texts."""


def question(verdict: Verdict) -> str:
    """Ask the question of the verdict, with the name of the audited map."""
    if verdict.of_map == ATTENTION:
        return QUESTION
    return f"Can {verdict.of_map} be shown as an explanation of this model?"


def headline(verdict: Verdict) -> str:
    """Say the verdict; if predicted classes differ, say which class has which.

    >>> fine, bad = Verdict(CAN, 4, (), ()), Verdict(MUST_NOT, 2, (), (Reason("it leads astray"),))
    >>> headline(Verdict(CAN, 4, (), (), {"yes": fine, "no": bad}))
    "can be shown for texts predicted 'yes'; must not be shown for texts predicted 'no': it leads astray"
    """
    return "; ".join(
        f"{part.text}: {part.why}" if part.why else part.text for part in answers(verdict)
    )


def answers(verdict: Verdict) -> tuple[HeadlinePart, ...]:
    """Give the parts of the headline: one if all classes agree, otherwise one for each verdict."""
    alike: dict[Level, dict[str, Verdict]] = {}
    for name, one in verdict.by_class.items():
        alike.setdefault(one.level, {})[name] = one
    if alike.keys() <= {verdict.level}:
        return (HeadlinePart(verdict.level, verdict.level),)
    known = [level for level in VERDICTS if level in alike]
    classes = tuple(_for_classes(level, alike[level]) for level in known)
    if verdict.level in alike:
        return classes
    text = f"{verdict.level} {ALL_TOGETHER}"
    if verdict.level.permits and not any(level.permits for level in known):
        return (
            *classes,
            HeadlinePart(f"{text}, but for no class by itself", verdict.level, advised=False),
        )
    if verdict.level.permits and BY_ABSENCE in known:
        # no map can explain texts of such a class, so none can be shown for all texts
        return classes
    return (HeadlinePart(text, verdict.level, advised=False), *classes)


def _for_classes(level: Level, classes: Mapping[str, Verdict]) -> HeadlinePart:
    """Give the verdict of some classes, with the reason if the map must not be shown for them."""
    text = f"{level}{of_classes(tuple(classes), level)}"
    why = dict.fromkeys(one.reasons[0].words for one in classes.values() if one.reasons)
    return HeadlinePart(
        text, level, join_words(why) if level == MUST_NOT and why else "", classes=tuple(classes)
    )


def by_absence(verdict: Verdict) -> tuple[str, ...]:
    """Name the predicted classes that are decided by absence, which no map can explain."""
    return of_level(verdict, BY_ABSENCE)


def shown_parts(verdict: Verdict) -> list[HeadlinePart]:
    """Give the parts of the headline for whose texts the map may be shown."""
    return [part for part in answers(verdict) if part.advised and part.level.permits]


def forbidden_for_all(verdict: Verdict) -> bool:
    """Check whether the map must not be shown for any texts, which no open test changes."""
    return {part.level for part in answers(verdict)} == {MUST_NOT}


def of_level(verdict: Verdict, level: str) -> tuple[str, ...]:
    """Name the predicted classes that have this verdict of their own."""
    return tuple(name for name, one in verdict.by_class.items() if one.level == level)


_LACKS: Mapping[str, str] = {
    MORE.rstrip(": "): "because only the answers of this model are known",
    f"{NEEDS_PREFIX}{REPLACED}": f"for this attention source ({NEEDS_PREFIX}{REPLACED})",
    f"{NEEDS_PREFIX}{ALONE}": f"for this model ({NEEDS_PREFIX}{ALONE})",
    UNASKED: f"because {UNASKED}",
}
"""Beginnings of the reasons why a test was not run, and their wording for several tests."""


@dataclass(frozen=True)
class NotRunTests(Reason):
    """One line about several tests that were not run."""

    tests: tuple[str, ...] = ()
    """Their codes."""


class Caveat(NamedTuple):
    """A reason of the verdict, the texts that it is about in words (empty: all texts), and their
    predicted classes, if it is about some.
    """

    reason: Reason
    which: str = ""
    classes: tuple[str, ...] = ()


def caveat_reasons(verdict: Verdict) -> list[Caveat]:
    """Give what a reader must know: first about some classes, by name, then about all texts.

    If classes have different verdicts, a reason over all texts says so, because it may be true for
    only some of them. If a map may then be shown for a class, what to know of it are the reasons of
    this class, and caveats of all texts would contradict them.
    """
    differ = len(answers(verdict)) > 1
    shown = [name for name, one in verdict.by_class.items() if differ and one.level.permits]
    reasons: dict[str, Sequence[Reason]] = {}
    for name in sorted(verdict.by_class, key=lambda name: name in shown):
        one = verdict.by_class[name]
        own = _folded(one.reasons) if name in shown else _of_class(verdict, one)
        reasons[name] = _absent(own) if one.level == BY_ABSENCE else own
    by_class = [*map(_together, _said_alike(reasons))]
    if shown and verdict.level.permits:
        return by_class
    of_all = (Caveat(why, _of_all_texts(verdict, why)) for why in _folded(verdict.reasons))
    return [*by_class, *of_all]


def class_caveats(verdict: Verdict, classes: Sequence[str]) -> list[Caveat]:
    """Give what a reader must know of texts predicted as one of some classes, and of which of these
    classes, if not of all.
    """
    reasons = {name: _folded(verdict.by_class[name].reasons) for name in classes}
    return [
        Caveat(next(iter(of.values()))) if len(of) == len(classes) else _together(of)
        for of in _said_alike(reasons)
    ]


def _said_alike(reasons: Mapping[str, Sequence[Reason]]) -> Iterable[Mapping[str, Reason]]:
    """Give each reason that some classes have in the same words once, with the reason of each."""
    found: dict[tuple[str, str], dict[str, Reason]] = {}
    for name, own in reasons.items():
        for reason in own:
            found.setdefault((reason.code, reason.words), {})[name] = reason
    return found.values()


def _folded(reasons: Sequence[Reason]) -> Sequence[Reason]:
    """Combine the tests that were not run into one line, if there are several."""
    silent = [one for one in reasons if one.result == "not run"]
    if len(silent) < 2:
        return reasons
    return [*(one for one in reasons if one not in silent), not_run(silent)]


def not_run(reasons: Sequence[Reason]) -> NotRunTests:
    """Name the tests that were not run, grouped by what they lack.

    >>> not_run([Reason("", code, "not run", "needs weights that can be replaced") for code in ("SL-104", "SL-001")]).words
    'not run for this attention source (needs weights that can be replaced): Attention-free agreement and Need'
    """
    by_lack: dict[str, list[str]] = {}
    for one in reasons:
        by_lack.setdefault(_lack(one.behind), []).append(one.code)
    named = (
        (
            f"{lack}: "
            f"{join_words(AUDIT_TESTS[code].name if code in AUDIT_TESTS else code for code in codes)}"
        )
        for lack, codes in by_lack.items()
    )
    behind = "; ".join(f"{one.code}: {one.behind or 'no reason was kept'}" for one in reasons)
    tests = tuple(one.code for one in reasons)
    words = f"not run {'; '.join(named)}"
    return NotRunTests(words, result="not run", behind=behind, tests=tests)


def _lack(behind: str) -> str:
    """Say why a test was not run, from the reason in the audit."""
    known = (lack for need, lack in _LACKS.items() if behind.startswith(need))
    return next(known, f"({behind})" if behind else "without a reason")


def _absent(reasons: Sequence[Reason]) -> list[Reason]:
    """Join the reasons of a class decided by absence: the first one's words, its test's numbers."""
    first, *tested = reasons or [Reason("")]
    words = f"{BY_ABSENCE}: {first.words}" if first.words else BY_ABSENCE
    return [replace(tested[0] if tested else first, words=words)]


def _of_all_texts(verdict: Verdict, why: Reason) -> str:
    """Say that a reason is about all texts, if classes differ and it was tested."""
    tested = why.result in ("failed", "inconclusive")
    return ALL_TOGETHER if tested and len(answers(verdict)) > 1 else ""


def _of_class(verdict: Verdict, one: Verdict) -> Sequence[Reason]:
    """Give the reasons against showing a map for a class, if classes differ; otherwise the tests
    that failed only for this class.

    Inconclusive tests are reported over all texts, because a class has fewer texts and always more
    open tests. Only a class that stays open while all texts do not has its inconclusive required
    tests. Results about the task or the model are not reported by class.
    """
    if one.level == BY_ABSENCE:
        return one.reasons
    if one.level == MUST_NOT:
        return one.reasons if len(answers(verdict)) > 1 else ()
    of_all = {code for code, claim in AUDIT_TESTS.items() if claim.of_all_texts}
    unsaid = _found(verdict.reasons, "failed").keys() | of_all
    found = _found(one.reasons, "failed")
    if one.level == CANNOT_TELL != verdict.level:
        asked = {code for code, claim in AUDIT_TESTS.items() if claim.for_caveats == "passed"}
        open_ = _found(one.reasons, "inconclusive")
        found |= {
            code: why for code, why in open_.items() if code in asked and why not in verdict.reasons
        }
    return [why for code, why in found.items() if code not in unsaid]


def _found(reasons: Iterable[Reason], answer: Answer) -> dict[str, Reason]:
    """Select the reasons with this result, by the code of the test."""
    return {why.code: why for why in reasons if why.code and why.result == answer}


def _together(classes: Mapping[str, Reason]) -> Caveat:
    """Say a reason of several classes once, with the numbers of each class."""
    reason = next(iter(classes.values()))
    each = "; ".join(f"{quoted(name)}: {one.behind}" for name, one in classes.items() if one.behind)
    which = f"for texts predicted {join_words(map(quoted, classes))}"
    said = replace(reason, behind=each) if len(classes) > 1 else reason
    return Caveat(said, which, tuple(classes))


def caveats(verdict: Verdict) -> list[str]:
    """Say in one sentence each what a reader must know, first about single classes."""
    parts = (
        f"{which}: {reason.words}" if which else reason.words
        for reason, which, _ in caveat_reasons(verdict)
    )
    return [f"{opened(one)}." for one in parts]


def caveats_title(verdict: Verdict) -> str:
    """Give the title of the list of `caveats`."""
    if verdict.level == CAN:
        # Of a class that is decided by absence, the reason begins with that.
        not_run = all(
            reason.result == "not run" and not {*classes} & {*by_absence(verdict)}
            for reason, _, classes in caveat_reasons(verdict)
        )
        return "Not run" if not_run else "Limits"
    return "Caveats" if verdict.level.permits else "Why"


def quoted(name: str) -> str:
    """Quote the whole name of a class: others may differ from it at the end alone."""
    return f"'{one_line(name)}'"


def quoted_start(text: str) -> str:
    """Quote the start of a word, a column or a label that no verdict is about."""
    return f"'{shortened(one_line(text), 40)}'"


def of_classes(classes: Sequence[str], level: Level | None = None) -> str:
    """Name the texts of some predicted classes, to follow a noun; empty for all texts.

    If a verdict is open, only the first of many classes are named. If a map can or must not be
    shown, a reader has to know all classes.

    >>> of_classes(["a", "b"]), of_classes([])
    (" for texts predicted 'a' and 'b'", '')
    >>> of_classes("abcdefghij", CANNOT_TELL)
    " for texts predicted 'a', 'b', 'c', 'd', 'e', 'f' and 4 more classes"
    """
    if not classes:
        return ""
    named = name_classes(classes) if level == CANNOT_TELL else join_words(map(quoted, classes))
    return f" for texts predicted {named}"


MOST_NAMED = 6
"""Most classes that are named where it matters little which they are."""


def name_classes(classes: Sequence[str]) -> str:
    """Name classes in a sentence; the first of many, and how many more there are."""
    left = len(classes) - MOST_NAMED
    if left < 2:
        return join_words(map(quoted, classes))
    return join_words([*map(quoted, classes[:MOST_NAMED]), f"{left} more classes"])


def but_not_for(failed: Sequence[str], absent: Sequence[str] = ()) -> str:
    """Name the predicted classes for whose texts a map fails or explains nothing; empty if none.

    >>> but_not_for(["a"])
    ", but not for texts predicted 'a', for which it was not shown to work"
    >>> but_not_for([], ["b"])
    ", but not for texts predicted 'b' by absence"
    """
    others = [name for name in absent if name not in failed]
    description = (
        [f"texts predicted {join_words(map(quoted, failed))}, for which it was not shown to work"]
        if failed
        else []
    )
    description += (
        [f"texts predicted {join_words(map(quoted, others))} by absence"] if others else []
    )
    return f", but not for {', nor for '.join(description)}" if description else ""


def row_condition(row: int) -> str:
    """Say when a row of the verdict table applies."""
    words = {one.number: one.words for one in TABLE}
    return words.get(row, "this version does not know the row")


def opened(text: str) -> str:
    """Start a text with a capital letter."""
    return text[:1].upper() + text[1:]


def null_of(finding: Finding) -> str:
    """Name the chance level of a test, which is also the null hypothesis of its p-value."""
    words = (
        AUDIT_TESTS[finding.code].baseline_words
        if finding.code in AUDIT_TESTS
        else "the chance level of this test"
    )
    return words[:1].lower() + words[1:]


def side(score: Estimate, threshold: float) -> Side:
    """Say on which side of the threshold, or of 0, the whole interval of a score lies."""
    if math.isnan(score.low) or math.isnan(score.high):
        return "undefined"
    if score.low > threshold:
        return "above threshold"
    if score.high < threshold:
        return "below 0" if below_chance(score) else "below threshold"
    return "holds threshold"


def sentences(finding: Finding) -> list[str]:
    """Say the numbers of a test: the number, its chance level, and the score compared with the
    threshold.
    """
    what, baseline = _phrases(finding)
    said = []
    if finding.number is not None:
        said.append(f"{what}: {with_n(finding.number)}.")
    if finding.baseline is not None:
        said.append(f"{opened(baseline)}: {with_n(finding.baseline)}.")
    if finding.score is not None:
        said.append(
            f"{_effect(finding, finding.score)} {_against_threshold(finding, finding.score)}".strip()
        )
    return said


def reason(finding: Finding) -> str:
    """Give the remaining notes: the sentences already compare the score with the threshold."""
    return "; ".join(finding.notes)


def _phrases(finding: Finding) -> tuple[str, str]:
    """Name the number and its chance level; in general words if the test is unknown."""
    if finding.code not in AUDIT_TESTS:
        return "The number of this test", "Its chance level"
    return AUDIT_TESTS[finding.code].words_of(finding.comparison)


def _effect(finding: Finding, score: Estimate) -> str:
    if finding.baseline is None and finding.number == score:
        return "The chance level is zero, so this is the score."
    return f"The score is {with_n(score)}."


def _against_threshold(finding: Finding, score: Estimate) -> str:
    if finding.threshold is None:
        return ""
    where = side(score, finding.threshold)
    named = f"the threshold, {trimmed_number(finding.threshold)}"
    if where == "undefined":
        return f"It could not be compared with {named}."
    if where == "holds threshold":
        return f"Its interval contains {named}: the test is inconclusive."
    fewest = default_thresholds().fewest(finding.code)
    if finding.result == "inconclusive" and score.n < fewest:
        return f"It is on fewer than the {fewest} texts that this test needs to be compared with {named}."
    if where == "below 0":
        return f"Its whole interval lies below 0: {_worse(finding)}."
    return f"Its whole interval lies {where.removesuffix(' threshold')} {named}."


def _worse(finding: Finding) -> str:
    return AUDIT_TESTS[finding.code].worse if finding.code in AUDIT_TESTS else WORSE


def chance(finding: Finding) -> str:
    """Give the p-value with its null hypothesis and its correction; empty if there is none."""
    if finding.p is None:
        return ""
    corrected = (
        ""
        if finding.p_adjusted is None
        else f" Corrected over this report: {p_value(finding.p_adjusted)}."
    )
    return f"{p_value(finding.p)}. Null: {null_of(finding)}.{corrected}"


def to_settle(finding: Finding) -> str:
    """Say how many texts would settle an inconclusive test; empty if more texts would not help."""
    if finding.result != "inconclusive" or finding.score is None or finding.threshold is None:
        return ""
    if finding.needed is not None:
        text = f"Audit about {approximate_count(finding.needed)}{KEEP}texts in all"
        return f"{text}: this may settle it, if the score stays the same."
    if side(finding.score, finding.threshold) != "holds threshold":
        return ""
    if TAKES_TOO_FEW in finding.compared:
        return f"{opened(TAKES_TOO_FEW)}."
    if texts_needed(finding.score, finding.threshold) is not None:
        return ""  # another test leaves it open
    return (
        f"The score is too near the threshold: even many times these {texts(finding.score.n)} "
        "would not settle it."
    )
