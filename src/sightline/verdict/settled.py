"""Is a verdict settled? It is where no test that is still open could change it.

A test is open where its interval holds the threshold, where it rests on too few texts, or where it
was not run yet, and there are more texts to come. The verdict table asks in one direction: a passed
test never makes a verdict worse, and a failed one never better. So the verdict under which all that
is open passes is the best there can be, and the one under which all of it fails the worst; where
both are one, nothing that is open can change it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from sightline.config.measure_registry import RIVALS, SIGNED_RIVALS
from sightline.core.results import Answer, Estimate, Finding, Level, Verdict
from sightline.verdict.accuracy_drop import DROPS
from sightline.verdict.audit_test import AuditTest
from sightline.verdict.catalogue import AUDIT_TESTS
from sightline.verdict.decision_rule import decide
from sightline.verdict.default_class import own_effect, ruled_out
from sightline.verdict.evidence import Evidence
from sightline.verdict.judge import Judgement
from sightline.verdict.verdict_table import verdict_of

PASSED = Estimate(1.0, 1.0, 1.0, 10**9, "as if passed")
FAILED = Estimate(-1.0, -1.0, -1.0, 10**9, "as if failed")
"""What an open test is taken for: its interval lies above every threshold, or below chance."""


OTHER_MAPS = "other maps"
"""Stands among what is pending for the maps that could be shown instead of attention."""


def measures_of(claim: AuditTest) -> set[str]:
    """Name the measures that a test rests on."""
    named = {claim.number, claim.baseline, claim.ceiling, *claim.second} - {""}
    drops = {DROPS[one.name].measure for one in claim.quantities() if one.name in DROPS}
    return {name.partition(".")[0] for name in named} | drops


@dataclass(frozen=True)
class Settled:
    """Whether the verdict is settled, of all texts and of those of each predicted class; the tests
    that are open and bear on it.
    """

    whole: bool
    by_class: Mapping[str, bool]
    open: tuple[str, ...]

    @property
    def all(self) -> bool:
        """Whether nothing can change any more."""
        return self.whole and all(self.by_class.values())


@dataclass(frozen=True)
class LookState:
    """What a look of an audit came to: its number, the texts, and what is settled of the verdict."""

    number: int
    looks: int
    texts: int
    planned: int
    seconds: float
    verdict: Verdict
    settled: Settled


@dataclass(frozen=True)
class OpenTests:
    """What may still change: tests that wait for their measure, and classes with texts to come."""

    evidence: Evidence
    found: Mapping[str, Finding]
    pending: Collection[str]
    growing: Collection[str]

    def waits(self, claim: AuditTest) -> bool:
        """Tell whether a measure of a test was not taken yet."""
        return bool(measures_of(claim) & {*self.pending})

    def is_open(self, code: str, of: str = "") -> bool:
        """Tell whether the result of a test may change, of all texts or of a class."""
        claim, finding = AUDIT_TESTS[code], self.found[code]
        if self.waits(claim):
            return True
        if not self.growing if not of or claim.of_all_texts else of not in self.growing:
            return False
        if claim.waits_on and self.found[claim.waits_on].result != "passed":
            return self.is_open(claim.waits_on)
        answer = finding.answers.get(of, "not run") if of else finding.result
        return answer == "inconclusive" and not self._in_conflict(finding, of)

    def _in_conflict(self, finding: Finding, of: str) -> bool:
        """Tell whether ways of asking are decided and disagree: more texts change nothing then."""
        score = finding.by_class.get(of) if of else finding.score
        if score is None or finding.threshold is None:
            return False
        fewest = self.evidence.thresholds.fewest(finding.code)
        return decide(score, finding.threshold, fewest) != "inconclusive"

    def completed(self, code: str, answer: Answer) -> Finding:
        """Give a finding in which all that is open has one answer."""
        finding, score = self.found[code], PASSED if answer == "passed" else FAILED
        classes = [of for of in self.evidence.classes if self.is_open(code, of)]
        if self.is_open(code):
            finding = replace(finding, result=answer, score=score)
        return replace(
            finding,
            answers={**finding.answers, **dict.fromkeys(classes, answer)},
            by_class={**finding.by_class, **dict.fromkeys(classes, score)},
        )

    def absence_is_open(self, of: str) -> bool:
        """Tell whether it may still turn out that a class is decided by absence, or that it is
        not.
        """
        if "transplant" in self.pending:
            return True
        own = own_effect(self.evidence, "attention", of)
        if own == "failed" and ruled_out(self.evidence, of):
            return False
        if own == "failed" and OTHER_MAPS in self.pending:
            return True
        if own != "failed" or of not in self.growing:
            return own == "inconclusive" and of in self.growing
        others = {own_effect(self.evidence, name, of) for name in (*RIVALS, *SIGNED_RIVALS)}
        if "passed" in others:
            return False
        return "inconclusive" in others or "erasure" in self.pending


def asks_other_maps(evidence: Evidence) -> bool:
    """Tell whether it takes other maps to say that some class is decided by absence, or not."""
    return any(
        own_effect(evidence, "attention", of) == "failed" and not ruled_out(evidence, of)
        for of in evidence.classes
    )


def settled(
    evidence: Evidence, judged: Judgement, pending: Collection[str], growing: Collection[str]
) -> Settled:
    """Say what of a verdict is settled.

    ``pending`` names the measures that were not taken yet, and `OTHER_MAPS` where these were not
    compared; ``growing`` the predicted classes of which there are texts to come.
    """
    found = {finding.code: finding for finding in judged.findings}
    tests = OpenTests(evidence, found, pending, growing)
    best, worst = (
        verdict_of(
            {code: tests.completed(code, answer) for code in found}, evidence, judged.learned
        )
        for answer in ("passed", "failed")
    )
    classes = evidence.classes if best.by_class else {}
    of_class = {
        of: _level(best, of) == _level(worst, of) and not tests.absence_is_open(of)
        for of in classes
    }
    bearing = [code for code, claim in AUDIT_TESTS.items() if claim.bears]
    open_ = [
        code for code in bearing if any(tests.is_open(code, of) for of in ("", *evidence.classes))
    ]
    return Settled(best.level == worst.level, of_class, tuple(open_))


def _level(verdict: Verdict, of: str) -> Level:
    return verdict.by_class[of].level
