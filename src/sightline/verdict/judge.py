"""Turn evidence into test results and a verdict (docs/findings/ explains the tests)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import ceil, inf, isnan

from sightline.config.measures.moved_word_rows import donors_of_each
from sightline.core.results import (
    Answer,
    Estimate,
    Finding,
    Learned,
    Measurement,
    Outcome,
    Verdict,
)
from sightline.stats.contrasts import benjamini_hochberg
from sightline.stats.sample_size import texts_needed
from sightline.verdict.audit_test import AuditTest
from sightline.verdict.catalogue import AUDIT_TESTS
from sightline.verdict.close_calls import close_calls
from sightline.verdict.decision_rule import (
    WAYS_DISAGREE,
    decide,
    disagreement,
    explain,
    join_alternatives,
    join_must_agree,
    weakest,
)
from sightline.verdict.evidence import Evidence
from sightline.verdict.model_accuracy import learned_of
from sightline.verdict.scoring_rules import KINDS, JudgedComparisons
from sightline.verdict.verdict_table import verdict_of

NO_DELTA = "no threshold has been set for this test"
NO_CLASS_PASSES = "so no class passes, though of classes only the first is asked"
"""Follows the results of two ways of asking that are opposite over all texts."""


@dataclass(frozen=True)
class Judgement:
    """The conclusions of an audit."""

    findings: tuple[Finding, ...]
    verdict: Verdict
    learned: Learned | None


def judge(evidence: Evidence, learned: Learned | None = None) -> Judgement:
    """Run every test in order, and apply the verdict table.

    ``learned`` is how well the model predicts, if it comes from more texts than the evidence.
    """
    found = {claim.code: _answered(evidence, claim) for claim in AUDIT_TESTS.values()}
    adjusted = benjamini_hochberg({code: one.p for code, one in found.items() if one.p is not None})
    held = {
        code: replace(_held_back(one, found), p_adjusted=adjusted.get(code))
        for code, one in found.items()
    }
    learned = learned or learned_of(evidence)
    verdict = verdict_of(held, evidence, learned)
    verdict = replace(verdict, close=close_calls(held, evidence, learned, verdict))
    return Judgement(tuple(held.values()), verdict, learned)


def _answered(evidence: Evidence, claim: AuditTest) -> Finding:
    """Judge one test by its kind."""
    threshold, fewest = evidence.thresholds.of(claim), evidence.thresholds.fewest(claim.code)
    judged = KINDS[claim.kind](evidence, claim)
    if isinstance(judged, str):
        return Finding(
            claim.code, claim.name, "not run", claim.role, notes=(judged,), threshold=threshold
        )
    answer, lead, note = _joined(
        judged, {name: test.score for name, test in judged.tests.items()}, threshold, fewest
    )
    test = judged.tests[lead]
    # A comparison of whole texts alone has no classes, also where it decides over all texts.
    named = dict.fromkeys(of for one in judged.tests.values() for of in one.by_class)
    classes = {of: _joined(judged, _of_class(judged, of), threshold, fewest) for of in named}
    answers = {of: one for of, (one, _, _) in classes.items()}
    apart = _opposed(judged, threshold, fewest) and "passed" in answers.values()
    if apart:
        answers = {of: "inconclusive" if one == "passed" else one for of, one in answers.items()}
    by_class = {of: judged.tests[leads].by_class[of] for of, (_, leads, _) in classes.items()}
    most = most_taken(evidence.measurement(claim.measure), len(evidence.classes))
    compared = (
        NO_DELTA if threshold is None else explain(test.score, threshold, fewest, claim.worse, most)
    )
    decided = {of: leads for of, (_, leads, _) in classes.items() if leads != lead}
    notes = (
        *judged.notes, note, NO_CLASS_PASSES if apart else "", *_decided_otherwise(decided),
        disagreement(answers, by_class),
    )  # fmt: skip
    return Finding(
        claim.code, claim.name, answer, claim.role, compared, tuple(filter(None, notes)), threshold,
        test.number, test.baseline, test.score, test.p, by_class=by_class, answers=answers,
        needed=needed_texts(
            test.score, answer, threshold, fewest, len(evidence.predicted), most
        ), comparison=lead,
    )  # fmt: skip


def _opposed(judged: JudgedComparisons, threshold: float | None, fewest: int) -> bool:
    """Whether ways that must agree have opposite results over all texts."""
    known = {_open_or(test.score, threshold, fewest) for test in judged.tests.values()}
    return judged.join == "must agree" and {"passed", "failed"} <= known


def _decided_otherwise(classes: Mapping[str, str]) -> Iterator[str]:
    """Name the deciding comparison of a class, if another one decides over all texts."""
    for of, comparison in classes.items():
        yield f"for predicted {of!r} another comparison decides: {comparison}"


def needed_texts(
    score: Estimate,
    answer: Answer,
    threshold: float | None,
    fewest: int,
    audited: float,
    most: float,
) -> int | None:
    """Number of texts to audit that would settle the test; None if more would not help.

    The score is about some of the ``audited`` texts, and the test never takes more than ``most``.
    """
    if answer != "inconclusive" or threshold is None or decide(score, threshold, fewest) != answer:
        return None
    needed = texts_needed(score, threshold, fewest)
    return None if needed is None or needed > most else ceil(needed * audited / score.n)


def most_taken(taken: Outcome | None, classes: int, *, of_one: bool = False) -> float:
    """Most texts that a measure takes of one predicted class, or of all: Transfer draws donors."""
    if not isinstance(taken, Measurement) or "donors" not in taken.settings:
        return inf
    of_each = donors_of_each(taken.settings["donors"], taken.settings["fewest"], classes)
    return of_each if of_one else of_each * classes


def _of_class(judged: JudgedComparisons, of: str) -> dict[str, Estimate]:
    return {name: test.by_class[of] for name, test in judged.tests.items() if of in test.by_class}


def _joined(
    judged: JudgedComparisons, effects: Mapping[str, Estimate], threshold: float | None, fewest: int
) -> tuple[Answer, str, str]:
    """Join the results of all comparisons, name the one that decides, and say what each gives.

    A test without threshold is inconclusive. If all comparisons have to agree, the first one with
    the joint result decides.
    """
    answers = {name: _open_or(score, threshold, fewest) for name, score in effects.items()}
    if judged.join != "weakest":
        joined = (join_alternatives if judged.join == "alternatives" else join_must_agree)(
            answers.values()
        )
        alike = [name for name, answer in answers.items() if answer == joined]
        lead = (alike or [*effects])[0]
    else:
        lead = weakest(answers, effects)
        joined = answers[lead]
    return joined, lead, "" if threshold is None else _said(judged, effects, answers, lead)


def _open_or(score: Estimate, threshold: float | None, fewest: int) -> Answer:
    """Compare with the threshold; inconclusive without one."""
    return "inconclusive" if threshold is None else decide(score, threshold, fewest)


def _said(
    judged: JudgedComparisons,
    effects: Mapping[str, Estimate],
    answers: Mapping[str, Answer],
    lead: str,
) -> str:
    """Say the result of each comparison, and which decides; empty if there is only one."""
    if len(answers) == 1:
        return ""
    known = {
        name: "" if isnan(one.value) else f" ({one.value:z.3f})" for name, one in effects.items()
    }
    each = ", ".join(f"{name}: {answer}{known[name]}" for name, answer in answers.items())
    if judged.join == "weakest":
        return f"{each}; the weakest decides: {lead}"
    alike = len(set(answers.values())) == 1
    return each if alike else f"{each}; {WAYS_DISAGREE}"


def _held_back(finding: Finding, found: Mapping[str, Finding]) -> Finding:
    """Make a result inconclusive, over all texts and of each class, if the test that it waits on
    failed.
    """
    other = AUDIT_TESTS[finding.code].waits_on
    if not other or found[other].result != "failed" or finding.result == "not run":
        return finding
    why = f"left open, because {AUDIT_TESTS[other].title} failed: {AUDIT_TESTS[other].failed}"
    return replace(
        finding, result="inconclusive", answers={}, notes=(why, *finding.notes), needed=None
    )
