"""Find out whether a verdict is settled, because no open test could change it.

A test is open if more texts are to come and its interval contains the threshold, or it has too few
texts; or if it was not run yet. Whether a class is decided by absence is open, too, while the
interval of its flipped share, or of how often it is predicted without evidence, contains the limit;
so is in how many texts the top words matter.
The verdict table is monotone: a passed test never makes a verdict worse, and a failed one never
makes it better. So the best possible verdict passes all open tests, and the worst possible one
fails all of them. If both are the same, the verdict is settled.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from sightline.config.word_maps import RIVALS, SIGNED_RIVALS
from sightline.core.results import Answer, Estimate, Finding, Level, Verdict
from sightline.verdict.accuracy_drop import DROPS
from sightline.verdict.audit_test import AuditTest
from sightline.verdict.catalogue import AUDIT_TESTS, TOP_WORD
from sightline.verdict.decision_rule import decide
from sightline.verdict.default_class import absence_ruled_out, limits_are_open, own_effect
from sightline.verdict.evidence import Evidence
from sightline.verdict.judge import Judgement
from sightline.verdict.verdict_table import ENOUGH_TEXTS, TABLE, verdict_of

PASSED = Estimate(1.0, 1.0, 1.0, 10**9, "as if passed")
FAILED = Estimate(-1.0, -1.0, -1.0, 10**9, "as if failed")
"""What an open test is replaced by: an interval above every threshold, or below chance."""


OTHER_MAPS = "other maps"
"""Stands among the pending measures for the maps that could be shown instead of attention."""


def measures_of(claim: AuditTest) -> set[str]:
    """Name the measures that a test needs."""
    named = {claim.number, claim.baseline, claim.ceiling, *claim.second} - {""}
    drops = {DROPS[one.name].measure for one in claim.quantities() if one.name in DROPS}
    return {name.partition(".")[0] for name in named} | drops


@dataclass(frozen=True)
class Settled:
    """Whether the verdict is settled, over all texts and for each predicted class, and which tests
    are open where it is not.
    """

    whole: bool
    by_class: Mapping[str, bool]
    open_of: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The open tests of each predicted class that is not settled, and under an empty name those of
    all texts. Instead of a decided test, the open one on which it waits is named."""

    @property
    def open(self) -> tuple[str, ...]:
        """The tests that are open anywhere."""
        found = {code for codes in self.open_of.values() for code in codes}
        return tuple(code for code in AUDIT_TESTS if code in found)

    @property
    def all(self) -> bool:
        """Whether nothing can change any more."""
        return self.whole and all(self.by_class.values())


@dataclass(frozen=True)
class LookState:
    """The state after a look of an audit: its number, texts, verdict, and what is settled."""

    number: int
    looks: int
    texts: int
    planned: int
    seconds: float
    verdict: Verdict
    settled: Settled


@dataclass(frozen=True)
class OpenTests:
    """What may still change: tests that wait for their measure, and classes with texts to come.

    ``short`` names the predicted classes of which too few texts are planned for a verdict.
    """

    evidence: Evidence
    found: Mapping[str, Finding]
    pending: Collection[str]
    growing: Collection[str]
    short: Collection[str] = ()

    def waits(self, claim: AuditTest) -> bool:
        """Check whether a test waits for a measure."""
        return bool(measures_of(claim) & {*self.pending})

    def is_open(self, code: str, of: str = "") -> bool:
        """Check whether the result of a test may change, over all texts or for a class."""
        claim, finding = AUDIT_TESTS[code], self.found[code]
        answer = finding.answers.get(of, "not run") if of else finding.result
        if self.waits(claim):
            return True
        # No class passes where two ways of asking end opposite over all texts.
        two_ways = claim.kind == "pairs" and claim.second
        if of and answer == "passed" and two_ways and self.is_open(code):
            return True
        if not self.growing if not of or claim.of_all_texts else of not in self.growing:
            return False
        if claim.waits_on and self.found[claim.waits_on].result != "passed":
            return self.is_open(claim.waits_on)
        if self.evidence.independent(of) < self.evidence.thresholds.fewest(code):
            return True
        return answer == "inconclusive" and not self._in_conflict(finding, of)

    def named(self, code: str, of: str) -> tuple[str, ...]:
        """Name what is open of a test that may change: the test, or the open one that a decided
        test waits on; nothing of a test without a measure, which no text decides.
        """
        claim, finding = AUDIT_TESTS[code], self.found[code]
        if self.waits(claim):
            return (code,)
        if finding.result == "not run" and self.evidence.measurement(claim.measure) is None:
            return ()
        answer = finding.answers.get(of, "not run") if of else finding.result
        enough = self.evidence.independent(of) >= self.evidence.thresholds.fewest(code)
        decided = enough and answer in ("passed", "failed")
        other = claim.waits_on
        if decided and other and self.found[other].result != "passed":
            return (other,)
        return (code,)

    def top_words_are_open(self, of: str) -> bool:
        """Check whether more texts could change in how many of them the top words matter enough."""
        share = self.evidence.top_words_matter(of)
        if share is None or not (of in self.growing if of else self.growing):
            return False
        return share.low <= ENOUGH_TEXTS < share.high

    def _in_conflict(self, finding: Finding, of: str) -> bool:
        """Check whether decided ways of asking disagree: more texts would not change that."""
        score = finding.by_class.get(of) if of else finding.score
        if score is None or finding.threshold is None:
            return False
        fewest = self.evidence.thresholds.fewest(finding.code)
        return decide(score, finding.threshold, fewest) != "inconclusive"

    def completed(self, code: str, answer: Answer) -> Finding:
        """Give a finding in which all that is open has the result ``answer``."""
        finding, score = self.found[code], PASSED if answer == "passed" else FAILED
        classes = [of for of in self.evidence.classes if self.is_open(code, of)]
        if self.is_open(code):
            finding = replace(finding, result=answer, score=score)
        return replace(
            finding,
            answers={**finding.answers, **dict.fromkeys(classes, answer)},
            by_class={**finding.by_class, **dict.fromkeys(classes, score)},
        )

    def has_too_few(self, best: Verdict, worst: Verdict, of: str) -> bool:
        """Check whether a class is in the first row and stays there, so that no other map matters.
        Transfer is measured even so: a report without any score says little.
        """
        rows = {one.by_class[of].row for one in (best, worst)}
        return rows == {TABLE[0].number} and of in self.short and "transplant" not in self.pending

    def absence_is_open(self, of: str) -> bool:
        """Check whether it is open that a class is decided by absence."""
        if absence_ruled_out(self.evidence, of):
            return False
        if "transplant" in self.pending:
            return True
        own = own_effect(self.evidence, "attention", of)
        if own == "failed" and OTHER_MAPS in self.pending:
            return True
        if own != "failed" or of not in self.growing:
            return own == "inconclusive" and of in self.growing
        others = {own_effect(self.evidence, name, of) for name in (*RIVALS, *SIGNED_RIVALS)}
        if "passed" in others:
            return False
        return (
            "inconclusive" in others
            or "erasure" in self.pending
            or limits_are_open(self.evidence, of)
        )


def asks_other_maps(evidence: Evidence) -> bool:
    """Check whether other maps are needed to say if some class is decided by absence."""
    return any(
        own_effect(evidence, "attention", of) == "failed" and not absence_ruled_out(evidence, of)
        for of in evidence.classes
    )


def find_settled(
    evidence: Evidence,
    judged: Judgement,
    pending: Collection[str],
    growing: Collection[str],
    short: Collection[str] = (),
) -> Settled:
    """Say what of a verdict is settled.

    ``pending`` names the measures that were not taken yet, and `OTHER_MAPS` if other maps were not
    compared; ``growing`` names the predicted classes with texts to come, and ``short`` those of
    which too few texts are planned for a verdict.
    """
    found = {finding.code: finding for finding in judged.findings}
    tests = OpenTests(evidence, found, pending, growing, short)
    unsure = [of for of in ("", *evidence.classes) if tests.top_words_are_open(of)]
    best, worst = (
        verdict_of(
            {code: tests.completed(code, answer) for code in found},
            evidence,
            judged.learned,
            dict.fromkeys(unsure, answer == "passed"),
        )
        for answer in ("passed", "failed")
    )
    classes = evidence.classes if best.by_class else {}
    of_class = {
        of: _level(best, of) == _level(worst, of)
        and (tests.has_too_few(best, worst, of) or not tests.absence_is_open(of))
        for of in classes
    }
    whole = best.level == worst.level
    waiting = [*([] if whole else [""]), *(of for of, done in of_class.items() if not done)]
    bearing = [code for code, claim in AUDIT_TESTS.items() if claim.bears]
    open_of = {
        of: tuple(
            named
            for code in bearing
            if tests.is_open(code, of) or (code == TOP_WORD and of in unsure)
            for named in tests.named(code, of)
        )
        for of in waiting
    }
    return Settled(whole, of_class, open_of)


def _level(verdict: Verdict, of: str) -> Level:
    return verdict.by_class[of].level
