"""The verdict over all texts and for each predicted class: the first row of the table that applies
(docs/verdict.md).

The rows name no test. Each test says itself what its result does (`AuditTest.veto`,
`for_caveats`, `for_all`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from sightline.core.results import (
    BY_ABSENCE,
    CAN,
    CANNOT_TELL,
    CAVEATS,
    MUST_NOT,
    Answer,
    Estimate,
    Finding,
    Learned,
    Level,
    Reason,
    Verdict,
    may_be_guessing,
)
from sightline.core.word_lists import join_words
from sightline.numerics.text_clusters import AS_ONE
from sightline.verdict.audit_test import AuditTest, Requirement, Veto
from sightline.verdict.catalogue import AUDIT_TESTS, DECIDING, OWN, TOP_WORD
from sightline.verdict.decision_rule import WAYS_DISAGREE, below_chance, decide, written

if TYPE_CHECKING:
    from sightline.verdict.evidence import (
        Evidence,  # with its statistics, which the words of the table do not need
    )

IDENTITY = 1e-4
"""Largest difference allowed between the model's logits and those decoded from its own
attention."""

UNFIT, FAITHFUL = 1, 4
"""The rows that apply if nothing can be concluded, and if the map can be shown without caveats."""
TOO_FEW = "too few texts"
"""How the reason begins where a verdict or a recommendation lacks texts."""
BY_QUERY = "transplant.same"
"""Marks the pairs of Transfer in which the receiver’s query decides, whatever the words."""
MOST_BY_QUERY = 0.5
"""Largest share of such pairs, of all or of those into texts of a class, without a caveat."""
ENOUGH_TEXTS = 0.8
"""Share of texts in which the top words must matter, with its whole interval, for *can be
shown* (docs/decisions/0146-what-most-texts-leaves-out.md)."""
NO_BETTER = "the model is no better than guessing the most common class, as far as these texts show"
"""Why no map of a model is shown that has learned nothing, as far as these texts show."""


@dataclass(frozen=True)
class VerdictContext:
    """What a row of the table uses: the findings over all texts, or over those of one predicted
    class.
    """

    found: Mapping[str, Finding]
    evidence: Evidence
    learned: Learned | None = None
    of: str = ""
    classes: Mapping[str, Verdict] | None = None
    top_words: Mapping[str, bool] = field(default_factory=dict)
    """By class, or under an empty name for all texts: whether the top words are taken to matter
    in enough texts, where more texts may still settle it."""
    absence: bool = True
    """Whether the class may be one that the model predicts when it finds no evidence."""

    def answer(self, code: str) -> Answer:
        """Give the result of a test; a test about the task or the model has one result for all
        classes.
        """
        finding = self.found[code]
        return finding.result if self._of_all(code) else finding.answers.get(self.of, "not run")

    def score(self, code: str) -> Estimate | None:
        """Give the score that decided the result."""
        finding = self.found[code]
        return finding.score if self._of_all(code) else finding.by_class.get(self.of)

    def _of_all(self, code: str) -> bool:
        return not self.of or AUDIT_TESTS[code].of_all_texts

    def vetoing(self, *how: Veto) -> tuple[AuditTest, ...]:
        """Name the tests that can keep the map from being shown in one of these ways."""
        return tuple(claim for claim in AUDIT_TESTS.values() if claim.veto in how)

    def failed(self, claim: AuditTest) -> bool:
        """Check whether a test failed."""
        return self.answer(claim.code) == "failed"

    def spoiled(self, code: str) -> bool:
        """Check whether a test failed for the class, or failed over all texts without passing for
        the class.
        """
        answer = self.answer(code)
        return answer == "failed" or (answer != "passed" and self.found[code].result == "failed")

    def upheld(self, code: str) -> bool:
        """Check whether a test passed for the class, or passed over all texts without failing for
        the class.
        """
        answer = self.answer(code)
        return answer == "passed" or (answer != "failed" and self.found[code].result == "passed")

    def below(self, claim: AuditTest) -> bool:
        """Check whether a test failed with the whole interval of its score below chance."""
        score = self.score(claim.code)
        return self.failed(claim) and score is not None and below_chance(score)

    def short(self) -> tuple[str, ...]:
        """Name the tests that affect the verdict and did not pass."""
        return tuple(c for c in AUDIT_TESTS if self.found[c].bears and self.answer(c) != "passed")

    def reasons(self, *codes: str) -> tuple[Reason, ...]:
        """Say what the result of each test means, and why it is the result."""
        return tuple(
            Reason(self._said(code), code, self.answer(code), self._because(code)) for code in codes
        )

    def _said(self, code: str) -> str:
        claim, answer = AUDIT_TESTS[code], self.answer(code)
        if answer == "failed":
            return claim.below if claim.below and self.below(claim) else claim.failed
        if answer == "passed":
            return claim.passed
        return (
            f"{'it could not be shown that' if answer == 'inconclusive' else 'not tested whether'} "
            f"{claim.passed}"
        )

    def _because(self, code: str) -> str:
        if not self.of:
            return self.found[code].reason
        score, finding = self.score(code), self.found[code]
        if self.answer(code) != "not run":
            return "" if score is None else f"{written(score)}{self._at_odds(code, score)}"
        if finding.result == "not run":
            return finding.reason
        # A finding that is held back for another test has a score, and no result for any class.
        held_back = score is not None and not finding.answers and finding.notes
        return finding.notes[0] if held_back else NO_SCORE

    def _at_odds(self, code: str, score: Estimate) -> str:
        """Say if a test of a class is open although its score lies off the threshold."""
        threshold = self.found[code].threshold
        if threshold is None or self.answer(code) != "inconclusive":
            return ""
        known = decide(score, threshold, self.evidence.thresholds.fewest(code))
        return f"; {WAYS_DISAGREE}" if known in ("passed", "failed") else ""


NO_SCORE = "no text that is predicted as this class has a score"
"""Why a test was not run for a class alone."""
Basis = tuple[tuple[str, ...], tuple[Reason, ...]]
"""The codes of the deciding tests, and the reasons."""


@dataclass(frozen=True)
class VerdictRule:
    """One row: when it applies, in words and as a function that gives its basis; its verdict."""

    number: int
    verdict: Level
    words: str
    basis: Callable[[VerdictContext], Basis | None]


def verdict_of(
    found: Mapping[str, Finding],
    evidence: Evidence,
    learned: Learned | None,
    top_words: Mapping[str, bool] = MappingProxyType({}),
) -> Verdict:
    """Apply the table to the texts of each predicted class, and then to all.

    ``top_words`` is for those who ask what more texts could change (`VerdictContext`).
    """
    classes = {} if evidence.measurement("outputs") is None else evidence.classes
    each: dict[str, Verdict] = {}
    if len(classes) > 1:
        alone = {
            of: VerdictContext(found, evidence, learned, of, top_words=top_words) for of in classes
        }
        each = {of: _first(one) for of, one in alone.items()}
        if all(one.level == BY_ABSENCE for one in each.values()):
            # Not every class can be predicted for want of evidence for another.
            each = {of: _first(replace(one, absence=False)) for of, one in alone.items()}
    of_all = VerdictContext(found, evidence, learned, classes=each, top_words=top_words)
    return replace(_first(of_all), by_class=each)


def _first(case: VerdictContext) -> Verdict:
    """Apply the first row that fits."""
    for row in TABLE:
        basis = row.basis(case)
        if basis is not None:
            return Verdict(row.verdict, row.number, *basis)
    raise AssertionError("the last row always applies")


def left_open(case: VerdictContext) -> Verdict:
    """Give the verdict of the last row, also where another would apply."""
    return Verdict(CANNOT_TELL, TABLE[-1].number, *_open(case))


def _unfit(case: VerdictContext) -> Basis | None:
    """Say what makes any conclusion impossible."""
    if broken := _broken(case.evidence):  # this applies to every class
        return (), (broken,)
    if all(case.answer(code) == "not run" for code in DECIDING):
        return DECIDING, case.reasons(*DECIDING)
    fewest = {code: case.evidence.thresholds.fewest(code) for code in DECIDING}
    there = {code: _texts(case, code) for code in DECIDING}
    if all(there[code] < fewest[code] for code in DECIDING):
        clustered = any(there[code] < _scored(case, code) for code in DECIDING)
        counted = "independent texts" if clustered else "texts"
        text = ", ".join(f"{code} rests on {n} {counted}" for code, n in there.items())
        most = max(there.values())
        words = (
            f"{TOO_FEW} ({most}) for a verdict, which rests on at least {min(fewest.values())}"
            f"{AS_ONE if clustered else ''}"
        )
        return DECIDING, (Reason(words, behind=text, too_few=most, clustered=clustered),)
    return None


def _absent(case: VerdictContext) -> Basis | None:
    """Check whether the class is what the model predicts when it finds no evidence."""
    from sightline.verdict.default_class import by_absence  # noqa: PLC0415  (statistics, as above)

    if not case.of or not case.absence:
        return None
    if not by_absence(case.evidence, case.of, case.answer(OWN)):
        return None
    text = f"this is what the model predicts when it finds no evidence for another class; {NO_WORD}"
    return (OWN,), (Reason(text, behind=_flips(case)), *case.reasons(OWN))


def _flips(case: VerdictContext) -> str:
    """Say how many predictions of the class change when words are removed, and how often it is
    predicted of a word of another text.
    """
    from sightline.verdict.default_class import (  # noqa: PLC0415  (statistics, as above)
        flipped_share,
        share_without_evidence,
    )

    share = flipped_share(case.evidence, case.of)
    alone = share_without_evidence(case.evidence, case.of)
    assert share is not None  # a class decided by absence has both
    assert alone is not None
    return (
        f"removing words flips {100 * share.value:.1f} % of its predictions, n = {share.n}; alone, "
        f"{100 * alone.value:.1f} % of single words of texts of other classes get it, n = {alone.n}"
    )


NO_WORD = "no highlighted word can explain it"


def _texts(case: VerdictContext, code: str) -> int:
    """Count the texts that a test rests on; texts of one cluster count as one.

    A cause that one group in ten has is missed by three groups of many texts more often than not,
    however narrow the interval over them (``docs/decisions/0131-fewest-groups.md``).
    """
    there = _scored(case, code)
    # An open test that is taken as passed or failed has more texts than there are so far.
    return (
        min(there, case.evidence.independent(case.of))
        if there <= len(case.evidence.predicted)
        else there
    )


def _scored(case: VerdictContext, code: str) -> int:
    score = case.score(code)
    return 0 if score is None else score.n


def _broken(evidence: Evidence) -> Reason | None:
    """Say what is wrong with the model's outputs, if anything is."""
    if evidence.measurement("outputs") is None:
        return Reason("the model could not be run", behind=evidence.why_not("outputs"))
    n, odd = len(evidence.predicted), int((~evidence.finite).sum())
    if odd:
        return Reason(
            f"on {odd} of {n} texts the model’s outputs are not finite numbers: mend the "
            "model first"
        )
    if changed := _unanswered(evidence):
        return Reason(
            f"on {changed} of {n} texts the model’s outputs are not finite numbers once a test "
            "changes their words: mend the model first"
        )
    if len(evidence.classes) == 1:
        only = next(iter(evidence.classes))
        return Reason(f"the model predicts {only!r} for every one of {n} texts: nothing to explain")
    if n < (least := evidence.thresholds.least):
        return Reason(f"{n} test texts; a verdict rests on at least {least}: audit more texts")
    error = (
        float(np.max(evidence.array("need.identity_error")))
        if evidence.has("need.identity_error")
        else 0.0
    )
    if not error <= IDENTITY:
        missed = (
            f"decoding the model's own attention misses its logits by {error:.2g}, allowed: "
            f"{IDENTITY:g}"
        )
        return Reason(
            "the model's answers differ from what its attention gives: mend the model first",
            behind=missed,
        )
    return None


def _unanswered(evidence: Evidence) -> int:
    """Count the texts with no finite answer to what a test makes of them: to any removal, move or
    replacement, of the highlighted words or of those they are compared with.

    Left out, they would not count against the map, whatever else they have in common.
    """
    counts = [
        int(np.nansum(evidence.array(f"{measure}.unanswered")))
        for measure in evidence.outcomes
        if evidence.has(f"{measure}.unanswered")
    ]
    return max(counts, default=0)


def _left_behind(case: VerdictContext) -> Basis | None:
    return _grounded(case, [claim for claim in case.vetoing("moved") if case.failed(claim)])


def _not_used(case: VerdictContext) -> Basis | None:
    alone = [claim for claim in case.vetoing("alone") if case.failed(claim)]
    together = case.vetoing("together")
    both = list(together) if all(map(case.failed, together)) else []
    # If a class has few words of its own, its evidence under uniform attention lies in the hidden
    # states of other words. Then the model as it is decides: it needs the highlighted words.
    removed = any(case.answer(claim.code) == "passed" for claim in case.vetoing("alone"))
    below = [claim for claim in case.vetoing("below zero") if case.below(claim) and not removed]
    return _grounded(case, alone + both + below)


def _grounded(case: VerdictContext, claims: list[AuditTest]) -> Basis | None:
    codes = tuple(claim.code for claim in claims)
    return (codes, case.reasons(*codes)) if codes else None


def _faithful(case: VerdictContext) -> Basis | None:
    asked = {code: one.for_all for code, one in AUDIT_TESTS.items()}
    unlike = case.classes is not None and any(one.row != FAITHFUL for one in case.classes.values())
    if not _meets(case, asked) or unlike or case.learned is None or _guesses(case):
        return None
    if _of_the_query(case) or _top_words_idle(case):
        return None
    untested = tuple(code for code in case.short() if case.answer(code) == "not run")
    return tuple(code for code, what in asked.items() if what), case.reasons(*untested)


def _with_caveats(case: VerdictContext) -> Basis | None:
    asked = {code: claim.for_caveats for code, claim in AUDIT_TESTS.items()}
    if not _meets(case, asked) or _guesses(case):
        return None
    short = case.short()
    basis = tuple(
        code for code, claim in AUDIT_TESTS.items() if claim.for_caveats and code not in short
    )
    return (*basis, *short), (*case.reasons(*short), *_remarks(case))


def _agrees_as_written(case: VerdictContext) -> bool:
    """Check whether a test on natural texts passed.

    A model that recognises the texts of the other tests could use its map on those only, and pass.
    A model that does not allow these tests gets no exception (docs/decisions/0111-only-answers.md).
    """
    return any(case.upheld(claim.code) for claim in AUDIT_TESTS.values() if claim.as_written)


def _meets(case: VerdictContext, asked: Mapping[str, Requirement]) -> bool:
    """Check whether every test has the result that is required of it."""
    passed = [code for code, what in asked.items() if what == "passed"]
    some = [code for code, what in asked.items() if what == "one of these"]
    spared = [code for code, what in asked.items() if what == "not failed"]
    return (
        all(case.answer(code) == "passed" for code in passed)
        and any(case.answer(code) == "passed" for code in some)
        and not any(map(case.spoiled, spared))
        and _agrees_as_written(case)
    )


def _open(case: VerdictContext) -> Basis:
    return case.short(), (*_guesses(case), *case.reasons(*case.short()), *_remarks(case))


def _remarks(case: VerdictContext) -> tuple[Reason, ...]:
    """Say what else a reader who shows the map must know."""
    of_texts = (*_of_the_query(case), *_top_words_idle(case))
    return of_texts if case.of else (*_unused(case.evidence), *of_texts)


def _unused(evidence: Evidence) -> tuple[Reason, ...]:
    """Say that the model does not use the weights that are shown, if replacing them changes no
    logit.
    """
    moved = evidence.array("need.moved") if evidence.has("need.moved") else np.empty(0)
    if np.isnan(moved).all() or np.nanmax(moved) > 0:
        return ()
    return (
        Reason(
            "not used by the model: no answer changes, by no logit, when other weights take "
            "the place of those shown"
        ),
    )


def _of_the_query(case: VerdictContext) -> tuple[Reason, ...]:
    """Say that most pairs of Transfer are in no score, because the query of the receiver decides.

    Pairs are counted by the class of the receiver, whose query it is. Counted by text, most queries
    of a class may decide although each donor has one receiver of whom that is not so.
    """
    evidence = case.evidence
    if not evidence.has(BY_QUERY):
        return ()
    partner = evidence.array("transplant.partner").astype(np.int64)
    pairs = (partner >= 0) & (evidence.array("transplant.weight") > 0)[:, None]
    pairs &= evidence.rows(case.of)[partner]
    asked, same = int(pairs.sum()), int((evidence.array(BY_QUERY).astype(bool) & pairs).sum())
    if same <= MOST_BY_QUERY * asked:
        return ()
    return (
        Reason(
            f"in {same:,} of {asked:,} cases, the words of another text get a text’s prediction "
            "under its query: the query may decide these texts, and no score of moved words speaks "
            "of them"
        ),
    )


def _top_words_idle(case: VerdictContext) -> tuple[Reason, ...]:
    """Say in how many texts the top words do hardly anything, if these may be more than a few.

    Top word is a score over all texts. Where it passed, readers take it to be said of each text.
    """
    share = case.evidence.top_words_matter(case.of)
    if share is None or case.answer(TOP_WORD) != "passed":
        return ()
    if case.top_words.get(case.of, share.low > ENOUGH_TEXTS):
        return ()
    idle = round(share.n * (1 - share.value))
    return (
        Reason(
            f"in {idle:,} of {share.n:,} texts, {AUDIT_TESTS[TOP_WORD].failed}",
            behind=f"share of the other texts {share.value:z.3f} [{share.low:z.3f}, "
            f"{share.high:z.3f}], asked: above {ENOUGH_TEXTS:g}",
        ),
    )


def _guesses(case: VerdictContext) -> tuple[Reason, ...]:
    """Say that the model is not surely better than guessing: what explains a guess explains nothing.
    Without labels nobody knows.
    """
    if not may_be_guessing(case.learned):
        return ()
    accuracy, guessing = case.learned.accuracy, case.learned.guessing
    numbers = (
        f"accuracy {accuracy.value:z.3f}, majority class {guessing.value:z.3f}, n = {accuracy.n}"
    )
    return (Reason(NO_BETTER, behind=numbers),)


def _named(asking: str, *answers: str) -> str:
    """List the tests with one of these requirements, for the words of the table."""
    rows = {code: getattr(claim, asking) for code, claim in AUDIT_TESTS.items()}
    return join_words([code for code, said in sorted(rows.items()) if said in answers])


_DECIDING, _MOVED, _ALONE = (
    _named("veto", "moved", "alone"),
    _named("veto", "moved"),
    _named("veto", "alone"),
)
_TOGETHER, _BELOW = _named("veto", "together"), _named("veto", "below zero")
_SUPPORTED, _ONE, _SPARED = (
    _named("for_all", said) for said in ("passed", "one of these", "not failed")
)
_OF_ALL_TEXTS = join_words([code for code, claim in AUDIT_TESTS.items() if claim.of_all_texts])
"""Tests whose result over all texts counts for every class."""
_AS_WRITTEN = join_words(sorted(code for code, claim in AUDIT_TESTS.items() if claim.as_written))
_NATURAL = f"one of {_AS_WRITTEN}, which make no texts, passed"
TABLE = (
    VerdictRule(
        UNFIT,
        CANNOT_TELL,
        "the model’s answers, to changed texts too, could not be taken or are not finite numbers, "
        "or are the same class for every text; or decoding the model’s own attention misses its "
        f"logits by more than {IDENTITY:g}; or there are too few texts for two required tests "
        f"({_DECIDING}{AS_ONE}), or neither of the two could be measured",
        _unfit,
    ),
    VerdictRule(
        7,
        BY_ABSENCE,
        "of the texts of one class: no map finds words of the class that do anything by "
        f"themselves ({OWN} failed, and is passed by no other map), removing words flips "
        "hardly any of its predictions, and most single words of texts of other classes get it; "
        "unless that holds for every class",
        _absent,
    ),
    VerdictRule(
        2,
        MUST_NOT,
        (
            "moved into another text, the highlighted words do not take the prediction with them "
            f"({_MOVED} failed)"
        ),
        _left_behind,
    ),
    VerdictRule(
        3,
        MUST_NOT,
        f"removing the highlighted words does not change the prediction ({_ALONE} failed, "
        "however words are removed), or neither gradients nor leave-one-out agree with "
        f"attention ({_TOGETHER} both failed), or the highlighted words matter less than "
        f"random words when attention is uniform ({_BELOW} lies below zero, and {_ALONE} did "
        "not pass)",
        _not_used,
    ),
    VerdictRule(
        FAITHFUL,
        CAN,
        f"{_SUPPORTED} passed, and one of {_ONE} did; none of {_SPARED} failed (each may be "
        f"inconclusive or not run); {_NATURAL}; single texts pass {TOP_WORD} in a share surely "
        f"above {ENOUGH_TEXTS:g}; the model is surely better than guessing; and the tests have the "
        f"same results for the texts of each predicted class alone (of {_OF_ALL_TEXTS} the result "
        "for all texts counts); no query decides most texts, or most of a class",
        _faithful,
    ),
    VerdictRule(
        5,
        CAVEATS,
        "the highlighted words take the prediction with them "
        f"({_named('for_caveats', 'passed')} passed), {_named('for_caveats', 'not failed')} "
        f"did not fail, and one of {_named('for_caveats', 'one of these')} passed; "
        f"{_NATURAL}; the model, where labels tell, is surely better than guessing; the caveats "
        "listed are the other tests with a role that did not pass",
        _with_caveats,
    ),
    VerdictRule(6, CANNOT_TELL, "no other row of the table applies", _open),
)
"""The rows in order; the first that applies gives the verdict."""
