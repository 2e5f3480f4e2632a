"""The first screen of an audit, in short sentences under names, for the terminal and the report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

from sightline.config.measure_needs import NEEDS
from sightline.core.audited_map import ATTENTION, reword_for_map
from sightline.core.needs import UNASKED, out_of_reach
from sightline.core.results import (
    BY_ABSENCE,
    CAN,
    CANNOT_TELL,
    MUST_NOT,
    Answer,
    Estimate,
    Finding,
    Level,
    Reason,
    Results,
    Verdict,
)
from sightline.core.results import CAVEATS as WITH_CAVEATS
from sightline.core.word_lists import join_words
from sightline.report import (
    accuracy_sentences,
    attention_source_notes,
    audited_map_notes,
    data_notes,
)
from sightline.report.advice import (
    changes,
    close_calls,
    first_of_all,
    more_of_classes,
    more_texts,
    one_training,
)
from sightline.report.alternative_maps import MapFamily, compared_on, families
from sightline.report.number_format import bracketed, ci_and_n, plainly, score, texts
from sightline.report.sentences import (
    ALL_TOGETHER,
    HeadlinePart,
    NotRunTests,
    answers,
    by_absence,
    caveat_reasons,
    forbidden_for_all,
    name_classes,
    of_classes,
    of_level,
    opened,
    quoted,
    shown_parts,
)
from sightline.report.sequential_note import BUDGET_SPENT, is_unfinished
from sightline.report.transfer_summary import transfer_sentences
from sightline.verdict.audit_test import OPERATORS
from sightline.verdict.catalogue import AUDIT_TESTS, OWN
from sightline.verdict.verdict_table import UNFIT

VERDICT, WHY, CAVEATS, NOT_RUN, MAPS = "VERDICT", "Why", "Caveats", "Not run", "Maps"
RESULTS: tuple[Answer, ...] = get_args(Answer)
REMOVAL = "SL-301"
ADD = "add --measure"
NEVER = "cannot be run on a Hugging Face model, and no setting changes that"
_SENTENCES: Mapping[Level, str] = {
    CAN: "Attention can be shown as an explanation of this model{of}.",
    WITH_CAVEATS: "Attention can be shown as an explanation of this model{of}, with caveats.",
    MUST_NOT: "Attention must not be shown as an explanation of this model{of}.",
    CANNOT_TELL: "These texts cannot tell whether attention explains this model{of}.",
    BY_ABSENCE: (
        "No map can be shown{of}: the model predicts that when it finds no evidence for another "
        "class."
    ),
}
_CUT_SHORT = "This audit ended too early to tell whether attention explains this model{of}."
_TONES = {MUST_NOT: "bad", CAN: "good", WITH_CAVEATS: "caveat", BY_ABSENCE: "absent"}
_REMOVED = {OPERATORS[0]: "Removing", OPERATORS[1]: "Replacing"}


@dataclass(frozen=True)
class Block:
    """Sentences under a name; each sentence starts a line."""

    name: str
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class VerdictSentence:
    """A sentence of the verdict, its level, and the predicted classes that it is about; none if it
    is about all texts.
    """

    text: str
    level: Level
    classes: tuple[str, ...] = ()

    @property
    def tone(self) -> str:
        """The colour class on a page."""
        return _TONES.get(self.level, "open")


@dataclass(frozen=True)
class TestReason:
    """A reason of the verdict that comes from a test, in words without their end."""

    which: str
    """The texts that it is about; empty for all texts."""
    words: str
    permits: bool
    """Whether a map may be shown for its texts."""
    classes: tuple[str, ...] = ()
    """The predicted classes of its texts, if it is about some."""

    @property
    def text(self) -> str:
        """The reason as a sentence."""
        return f"{opened(f'{self.which}: {self.words}' if self.which else self.words)}."


def blocks(audit: Results, *, alone: bool = True, scores: bool = True) -> list[Block]:
    """Collect the blocks of the first screen in order; empty blocks are left out.

    ``alone`` is False for one of several training runs, whose summary is shown elsewhere. Without
    ``scores`` they are left out, because the caption has them.
    """
    first = first_of_all(audit)
    why = (
        [first, *forbidden(audit, scores=scores)]
        if first
        else [*reasons(audit, scores=scores), *why_absent(audit)]
    )
    found = [
        Block(VERDICT, tuple(one.text for one in conclusions(audit))),
        Block(WHY, tuple(why)),
        Block(CAVEATS, () if first else tuple(caveats(audit, scores=scores))),
        Block(accuracy_sentences.TITLE, tuple(filter(None, [" ".join(_model(audit))]))),
        Block("Map", tuple(audited_map_notes.noted(audit))),
        Block("Source", tuple(filter(None, [attention_source_notes.said_of_source(audit)]))),
        Block("Texts", tuple(data_notes.noted(audit))),
        Block(NOT_RUN, () if first else tuple(not_run(audit))),
        Block(MAPS, () if first else tuple(maps(audit, scores=scores))),
        Block("Limits", () if first else tuple(limits(audit, alone=alone))),
    ]
    return [block for block in found if block.sentences]


def conclusions(audit: Results) -> list[VerdictSentence]:
    """Put the verdict into sentences, one for each answer that classes have.

    If classes have their own answers, a map is shown by class. So a sentence about all texts is
    left out if it would permit a map.
    """
    verdict = audit.verdict
    sentences = dict(_SENTENCES)
    if is_unfinished(audit):
        sentences[CANNOT_TELL] = _CUT_SHORT
    parts = [part for part in answers(verdict) if part.advised or not part.level.permits]
    return [
        VerdictSentence(
            reword_for_map(sentences[part.level], verdict.of_map).format(of=_of(part)),
            part.level,
            part.classes,
        )
        for part in parts
    ]


def _of(part: HeadlinePart) -> str:
    if part.classes or part.advised:
        return of_classes(part.classes, part.level)
    return f" {ALL_TOGETHER}"


def reasons(audit: Results, *, scores: bool = True) -> list[str]:
    """Say why: how much the highlighted words carry if a map may be shown, else what failed."""
    carried = [*transfer_sentences(audit, numbers=scores), *_removal(audit)]
    failed = (one.text for one in of_tests(audit, scores=scores) if not one.permits)
    return [*_cut_short(audit), *carried, *failed, *too_few(audit.verdict)]


def forbidden(audit: Results, *, scores: bool = True) -> Iterator[str]:
    """Say why a map must not be shown for the texts for which the verdict says so."""
    never = of_level(audit.verdict, MUST_NOT)
    for one in of_tests(audit, scores=scores):
        of_all = not one.classes and forbidden_for_all(audit.verdict)
        if of_all or (one.classes and {*one.classes} <= {*never}):
            yield one.text


def why_absent(audit: Results) -> Iterator[str]:
    """Say by which numbers a predicted class is one that the model predicts without evidence."""
    own = audit.by_test.get(OWN)
    if own is None:
        return
    for name in by_absence(audit.verdict):
        score = " and ".join(map(bracketed, scores_of(own, [name])))
        flips = audit.verdict.by_class[name].reasons[0].behind
        yield (
            f"For texts predicted {quoted(name)}: {own.name} failed"
            f"{f' (score {score})' if score else ''}, no other map passed it, and {flips}."
        )


def _cut_short(audit: Results) -> Iterator[str]:
    """Say that time ended the audit, before anything that more time might change."""
    if is_unfinished(audit) and audit.verdict.level == CANNOT_TELL:
        yield f"{opened(BUDGET_SPENT)}."


def too_few(verdict: Verdict) -> list[str]:
    """Say which predicted classes have too few texts for their own verdict."""
    by_reason: dict[str, dict[str, Reason]] = {}
    for name, one in verdict.by_class.items():
        if one.row == UNFIT and one.reasons:
            reason = one.reasons[0]
            words = reason.words.replace(f" ({reason.too_few})", "")
            by_reason.setdefault(words, {})[name] = reason
    return [
        f"For texts predicted {name_classes(tuple(of))}: {_shared(words, [*of.values()])}."
        for words, of in by_reason.items()
    ]


def _shared(words: str, each: Sequence[Reason]) -> str:
    """Say a reason of several classes once, with the smallest and the largest number of texts."""
    if len({one.words for one in each}) == 1:
        return each[0].words
    counts = [one.too_few for one in each if one.too_few is not None]
    return f"{words} ({min(counts)} to {max(counts)})"


def caveats(audit: Results, *, scores: bool = True) -> list[str]:
    """Say what else a reader must know if a map may be shown."""
    return [one.text for one in of_tests(audit, scores=scores) if one.permits]


def of_tests(audit: Results, *, scores: bool) -> Iterator[TestReason]:
    """Give each reason of the verdict that comes from a test."""
    none_shown = not shown_parts(audit.verdict)
    absent = {*by_absence(audit.verdict)}
    for reason, which, classes in caveat_reasons(audit.verdict):
        if _is_named_below(audit, reason) or absent & {*classes}:
            continue  # they have their own block, or the verdict has said why
        if none_shown and audit.verdict.level.permits and which in ("", ALL_TOGETHER):
            continue  # caveats of a map that may be shown for no class
        levels = [audit.verdict.by_class[name].level for name in classes] or [audit.verdict.level]
        yield TestReason(
            which,
            f"{reason.words}{_source(audit, reason, classes, scores=scores)}",
            all(level.permits for level in levels),
            classes,
        )


def _is_named_below(audit: Results, reason: Reason) -> bool:
    """Check whether a reason is of tests that no text has, which have their own block."""
    if not isinstance(reason, NotRunTests):
        return reason.result == "not run"
    of = audit.by_test
    return all(code in of and of[code].result == "not run" for code in reason.tests)


def _source(audit: Results, reason: Reason, classes: Sequence[str], *, scores: bool) -> str:
    """Name in brackets the test that gave a reason, with its scores."""
    finding = audit.by_test.get(reason.code)
    if finding is None:
        return ""
    of_all = finding.code in AUDIT_TESTS and AUDIT_TESTS[finding.code].of_all_texts
    known = scores_of(finding, () if of_all else classes) if scores else []
    numbers = f": score {join_words(map(bracketed, known))}" if known else ""
    return f" ({finding.name}{numbers})"


def scores_of(finding: Finding, classes: Sequence[str]) -> list[Estimate]:
    """Give the known scores of a test: over all texts, or for each of ``classes``."""
    found = [finding.by_class.get(name) for name in classes] if classes else [finding.score]
    return [one for one in found if one is not None and one.value == one.value]


def _removal(audit: Results) -> Iterator[str]:
    """Say how removing the highlighted words changes the prediction, if a map may be shown for all
    texts.
    """
    finding = audit.by_test.get(REMOVAL)
    if finding is None or not audit.verdict.level.permits or len(answers(audit.verdict)) > 1:
        return
    number, baseline = finding.number, finding.baseline
    way = _REMOVED.get(finding.comparison or OPERATORS[0])
    if way and number is not None and baseline is not None and finding.result == "passed":
        yield (
            f"{way} the highlighted words lowers the log-odds of the predicted class by "
            f"{plainly(number)}; random words: {score(baseline.value)} "
            f"({_same(baseline, number)})."
        )


def _same(estimate: Estimate, other: Estimate) -> str:
    """Write an interval, and n only if it differs from the number before."""
    text = ci_and_n(estimate)
    return text.partition(", n")[0] if estimate.n == other.n else text


def _model(audit: Results) -> list[str]:
    if audit.learned is None:
        return []
    learning = accuracy_sentences.learning(audit.learned, audit.verdict.reasons)
    return [*learning, *_calibrated(audit)]


def _calibrated(audit: Results) -> Iterator[str]:
    """Say what is added to the logits of a prompted model, and from how many texts it comes."""
    card = audit.cards.get("model")
    if isinstance(card, Mapping) and (found := card.get("calibration")):
        offsets = (f"{score(offset)} for {quoted(of)}" for of, offset in found["offsets"].items())
        yield (
            f"Its logits have offsets, from {texts(found['texts'])} that are not audited: "
            f"{', '.join(offsets)}."
        )


def deciding_tests(audit: Results) -> list[str]:
    """Give the codes of the tests that decided the verdict; one that was not run decided nothing."""
    of = audit.by_test
    return [
        code for code in audit.verdict.decided_by if code not in of or of[code].result != "not run"
    ]


def count_results(findings: Sequence[Finding]) -> str:
    """Count the tests of the verdict by result."""
    counts = Counter(one.result for one in findings if one.bears)
    return ", ".join(f"{counts[result]} {result}" for result in RESULTS)


def failed_for_classes(findings: Sequence[Finding], *, short: bool = False) -> list[str]:
    """Count the tests that failed for a predicted class but not for all texts, and name them unless
    it is to be ``short``.

    A test about the task or the model counts with its result for all texts.
    """
    of_all = {code for code, test in AUDIT_TESTS.items() if test.of_all_texts}
    failed: dict[str, list[str]] = {}
    for one in findings:
        if one.bears and one.result != "failed" and one.code not in of_all:
            for of in (of for of, answer in one.answers.items() if answer == "failed"):
                failed.setdefault(of, []).append(one.name)
    if short:
        return [f"{len(names)} failed for {quoted(of)} alone" for of, names in failed.items()]
    return [
        f"{len(names)} failed for texts predicted {quoted(of)} alone ({join_words(names)})"
        for of, names in failed.items()
    ]


def not_run(audit: Results) -> list[str]:
    """Name the tests that the verdict misses, and how to run them or why they cannot run."""
    from sightline.verdict.settled import measures_of  # noqa: PLC0415  (scipy)

    card = audit.cards.get("model")
    offers = card.get("offers") if isinstance(card, Mapping) else None
    of_tests = {code for one in AUDIT_TESTS.values() for code in measures_of(one)}
    by_remedy: dict[str, list[str]] = {}
    for one in audit.findings:
        if one.bears and one.result == "not run":
            remedy = _remedy(one, offers)
            if remedy.startswith(ADD) and forbidden_for_all(audit.verdict):
                remedy += " (does not change this verdict)"
            by_remedy.setdefault(remedy, []).append(one.title)
    for code, error in audit.errors.items():
        if code not in of_tests:  # no test says that it failed
            by_remedy.setdefault(f"the measure failed: {error}", []).append(code)
    return [f"{', '.join(titles)}: {remedy}" for remedy, titles in by_remedy.items()]


def _remedy(finding: Finding, offers: Collection[str] | None) -> str:
    """Say what runs a test, or why nothing does; ``offers`` is what the model can do, if known."""
    if finding.code in AUDIT_TESTS and offers is not None:
        needs = NEEDS[AUDIT_TESTS[finding.code].measure]
        if lacks := out_of_reach(needs, {*offers}):
            return f"{NEVER}: it needs {lacks}"
    if not finding.reason.startswith(UNASKED) or finding.code not in AUDIT_TESTS:
        return finding.reason or "no reason was kept"
    return f"{ADD} {AUDIT_TESTS[finding.code].measure}"


def maps(audit: Results, *, scores: bool = True) -> list[str]:
    """Say which map of each family may be shown."""
    return [
        f"{_kind(one)}: {_map(one, audit, scores=scores)}"
        for one in families(audit.maps, audit.verdict)
    ]


def _kind(family: MapFamily) -> str:
    return "for / against the class" if family.signed else "importance"


def _map(family: MapFamily, audit: Results, *, scores: bool) -> str:
    """Name the map that may be shown, with its score; attention has its score in the verdict."""
    carried = None if family.chosen is None else family.chosen.carried
    if not scores or carried is None or family.name == ATTENTION:
        return family.answer
    return family.with_score(f" ({score_of_map(audit, carried)})")


def score_of_map(audit: Results, carried: Estimate) -> str:
    """Write the transfer score of a map, and whether texts were held out to choose it."""
    which = "held-out texts" if compared_on(audit) is None else "texts"
    return f"Transfer score {bracketed(carried)} {which}"


def limits(audit: Results, *, alone: bool = True) -> list[str]:
    """Say what the audit leaves open, and what would settle it."""
    settle = (
        () if audit.verdict.level == MUST_NOT else [*more_of_classes(audit), *more_texts(audit)]
    )
    return [
        *settle,
        *([one_training(audit)] if alone else []),
        *changes(audit),
        *close_calls(audit),
    ]
