"""The caption to paste under a heat map, or the reason why no heat map should be shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from sightline.core.audited_map import reword_for_map
from sightline.core.results import BY_ABSENCE, CANNOT_TELL, CAVEATS, MUST_NOT, Estimate, Results
from sightline.core.word_lists import join_words
from sightline.report.advice import NOT_YET, first_of_all
from sightline.report.alternative_maps import families
from sightline.report.first_screen import of_tests, reasons, score_of_map, scores_of
from sightline.report.map_names import map_title
from sightline.report.number_format import CHANCE_TO_BEST, bracketed, count, percent, texts
from sightline.report.provenance import audit_date
from sightline.report.sentences import (
    HeadlinePart,
    NotRunTests,
    answers,
    caveat_reasons,
    class_caveats,
    of_classes,
    opened,
    quoted,
)
from sightline.report.sequential_note import BUDGET_SPENT, is_unfinished
from sightline.report.transfer_summary import TRANSFER, of_top_words
from sightline.verdict.catalogue import AUDIT_TESTS
from sightline.verdict.verdict_table import UNFIT

TITLE, TITLE_WITHOUT = "To paste under a heat map", "To pass on to those who would show attention"
SHARE_OF_TEXTS = "SL-308"
_SHADE = "The more strongly a word is highlighted, the more weight {of_map} gives it."
_RELIED = "This model relied on the most highlighted words{of}."
NO_OTHER = "No other map that was tested may be shown instead."
NO_OTHER_OF_IMPORTANCE = (
    "No other map of how much each word matters that was tested may be shown instead."
)
_MODEL_ALONE = "what the model did, not whether it is right."


def caption(audit: Results) -> list[str]:
    """Write the caption, one sentence an item: for all texts, or for each predicted class."""
    return [*_body(audit), f"{_made(audit)}."]


def title(audit: Results) -> str:
    """Name the caption; if attention may be shown for no texts, the title says whom it is for."""
    permitted = not first_of_all(audit) and any(part.level.permits for part in _parts(audit))
    return TITLE if permitted else reword_for_map(TITLE_WITHOUT, audit.verdict.of_map)


def _parts(audit: Results) -> list[HeadlinePart]:
    """The answers that the caption follows: for all texts, or for each predicted class."""
    verdict = audit.verdict
    parts = [part for part in answers(verdict) if part.advised]
    if verdict.level == MUST_NOT and all(part.level == CANNOT_TELL for part in parts):
        return [HeadlinePart(MUST_NOT, MUST_NOT)]
    why = next((one.words for one in verdict.reasons), "")
    return [
        part if level == part.level else replace(part, level=level, why=why)
        for part in parts
        for level in [verdict.closed(part.level)]
    ]


def _body(audit: Results) -> Iterator[str]:
    if first := first_of_all(audit):
        yield NOT_YET
        yield first
        return
    parts = _parts(audit)
    shown = [part for part in parts if part.level.permits]
    if shown:
        yield from _shown(audit, shown)
        return
    for part in parts:
        yield from _not_shown(audit, part)
    if any(part.level == MUST_NOT for part in parts):
        yield _instead(
            audit, [name for part in parts if part.level == MUST_NOT for name in part.classes]
        )


def _shown(audit: Results, parts: Sequence[HeadlinePart]) -> Iterator[str]:
    """Say what readers of the map have to know. For which other texts it must not be shown is no
    matter of theirs: the verdict says it.
    """
    yield _SHADE.format(of_map=audit.verdict.of_map)
    for part in parts:
        yield _RELIED.format(of=of_classes(part.classes))
        yield from _tested(audit, part)
    yield f"They explain {_MODEL_ALONE}"
    if with_caveats := [part for part in parts if part.level == CAVEATS]:
        yield from _caveats(audit, [name for part in with_caveats for name in part.classes])


def _caveats(audit: Results, classes: Sequence[str]) -> Iterator[str]:
    """Say the caveats of the texts that the map is shown for, without their numbers, which the
    report has.

    What holds of all texts together may not hold of a class, so a class has its own.
    """
    found = (
        _of_classes(audit, classes)
        if classes
        else [
            *((one.which, one.words) for one in of_tests(audit, scores=False) if one.permits),
            *_not_tested(audit),
        ]
    )
    if said := [*_said_once(found)]:
        yield f"Caveats: {' '.join(said)}"


def _of_classes(audit: Results, classes: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Give the caveats of some predicted classes, each with the test that it comes from: the texts
    that it is about, and its words.
    """
    for reason, which, _ in class_caveats(audit.verdict, classes):
        if isinstance(reason, NotRunTests):
            yield _not_run(reason.tests)
            continue
        finding = audit.by_test.get(reason.code)
        test = "" if finding is None else f" ({finding.name})"
        yield which, f"{reason.words}{test}"


def _not_tested(audit: Results) -> Iterator[tuple[str, str]]:
    """Name the tests that a caveat of all texts says were not run."""
    for reason, _, classes in caveat_reasons(audit.verdict):
        if not classes and isinstance(reason, NotRunTests):
            yield _not_run(reason.tests)
        elif not classes and reason.result == "not run":
            yield _not_run((reason.code,))


def _not_run(tests: Sequence[str]) -> tuple[str, str]:
    """Name tests that were not run; what they need is no matter of the map's readers."""
    return "not tested", join_words(AUDIT_TESTS[code].name for code in tests)


def _said_once(caveats: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Write caveats as sentences; for which texts one is, is left out where the one before says
    it.
    """
    before = ""
    for which, words in caveats:
        yield f"{opened(f'{which}: {words}' if which and which != before else words)}."
        before = which


def _tested(audit: Results, part: HeadlinePart) -> Iterator[str]:
    """Say what the most important test does, its score, and on how many of the texts it holds."""
    scores, shares = (_scores(audit, code, part) for code in (TRANSFER, SHARE_OF_TEXTS))
    numbers = f" (score {join_words(map(bracketed, scores))}; {CHANCE_TO_BEST})" if scores else ""
    yield (
        f"Tested on {_audited(audit, part.classes)}: moved into other texts, they took the model’s "
        f"prediction with them{numbers}."
    )
    if shares:
        found = join_words(map(percent, shares))
        yield f"Share of texts on which they did at least half of what words can do: {found}."
    yield from of_top_words(audit, part.classes)


def _audited(audit: Results, classes: Sequence[str]) -> str:
    """Count the audited texts, and those of them that are predicted as some classes."""
    if not classes:
        return texts(len(audit.texts))
    n = sum(one.predicted in classes for one in audit.texts)
    named = join_words(map(quoted, classes))
    return f"{texts(n)} predicted {named} (of {count(len(audit.texts))})"


def _scores(audit: Results, code: str, part: HeadlinePart) -> list[Estimate]:
    """Give the scores of a test: over all texts, or for each class; empty if it has none."""
    finding = audit.by_test.get(code)
    return [] if finding is None else scores_of(finding, part.classes)


def _not_shown(audit: Results, part: HeadlinePart) -> Iterator[str]:
    if part.level == BY_ABSENCE:
        yield (
            f"Do not display any map{of_classes(part.classes)}: the model predicts that when it finds no evidence "
            "for another class."
        )
    elif part.level == MUST_NOT:
        yield f"Do not display {audit.verdict.of_map} for this model{of_classes(part.classes)}."
        yield from _why(audit, part)
    else:
        few = part.classes and all(
            audit.verdict.by_class[name].row == UNFIT for name in part.classes
        )
        why = "there are too few of them" if few else _open(audit)
        yield (
            f"Do not display {audit.verdict.of_map} for this model"
            f"{of_classes(part.classes, part.level)} yet: "
            f"{why}."
        )


def _open(audit: Results) -> str:
    """Say why there is no conclusion: time ended the audit, or tests failed, are inconclusive, or
    could not run.
    """
    if is_unfinished(audit):
        return BUDGET_SPENT
    results = {one.result for one in audit.findings if one.bears}
    if "failed" in results:
        return "not every test that this takes was passed"
    if "inconclusive" in results:
        return "the tests are inconclusive"
    return "not enough of the tests could be run"


def _why(audit: Results, part: HeadlinePart) -> Iterator[str]:
    """Give the first reason; if classes differ, the reason of these classes."""
    if not part.classes:
        of_all = (one.text for one in of_tests(audit, scores=True) if not one.classes)
        yield from [*of_all, *reasons(audit)][:1]
    elif part.why:
        yield f"{opened(part.why)}."


def _instead(audit: Results, forbidden: Sequence[str]) -> str:
    """Say which other map may be shown; ``forbidden`` are the classes without attention, if not
    all.
    """
    known = families(audit.maps, audit.verdict)
    found = next((one for one in known if not one.signed), None)
    signed = any(one.signed and one.may_be_shown for one in known)
    none = NO_OTHER_OF_IMPORTANCE if signed else NO_OTHER
    if found is None or found.chosen is None or not found.may_be_shown or found.name == "attention":
        return none
    if forbidden and {*forbidden} <= {*found.against, *found.absent}:
        return none
    carried = found.chosen.carried
    numbers = f" ({score_of_map(audit, carried)}; {CHANCE_TO_BEST})" if carried is not None else ""
    return (
        f"{opened(map_title(found.name))} highlighting may be shown instead{numbers}"
        f"{found.but_not_for}. It explains {_MODEL_ALONE}"
    )


def _made(audit: Results) -> str:
    """Say which version made the audit, and when, if known."""
    versions = audit.environment.get("versions")
    version = versions.get("sightline", "") if isinstance(versions, Mapping) else ""
    day = audit_date(audit.spec)
    return ", ".join(filter(None, (f"Audited with sightline {version}".rstrip(), day)))
