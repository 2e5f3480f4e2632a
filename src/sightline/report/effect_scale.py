"""The scale of a score, in the same words on the terminal, in the report and in the docs."""

from __future__ import annotations

from sightline.core.word_lists import join_words
from sightline.verdict.audit_test import AuditTest
from sightline.verdict.catalogue import AUDIT_TESTS

SHARES = ("share", "share without")
"""The kinds of tests whose score is a share of texts, without a chance level."""


def _codes(*kinds: str) -> str:
    return join_words(sorted(code for code, claim in AUDIT_TESTS.items() if claim.kind in kinds))


OWN_WORDS = tuple(
    code for code, claim in AUDIT_TESTS.items() if claim.number.startswith("transplant.own.")
)
"""The tests of what words do by themselves, when they are put in and when they are taken out."""
EXCEEDS = tuple(sorted(code for code, claim in AUDIT_TESTS.items() if claim.exceeds))
"""The tests whose score can exceed 1."""
SCALE = (
    "Scores: 0 is chance, 1 the best achievable; below 0 is worse than chance. "
    f"{join_words(EXCEEDS)} can exceed 1: there 1 is a strong reference. "
    f"{_codes('weakest drop')} is accuracy or F1 lost; {_codes(*SHARES)} are shares of texts."
)
"""How to read a score of any test."""
DEFINED = (
    "A score is (number − chance) / (best − chance), each summed over texts. Chance is what the "
    "number would be if words were highlighted at random; best is the best achievable: 1, "
    "unless the related numbers of the test name another. "
    f"{join_words(OWN_WORDS)} counts words that come and words that go, and is at most 1."
)
"""How a score is computed."""


def formula(claim: AuditTest) -> str:
    """Give the formula of a test's score.

    >>> [formula(AUDIT_TESTS[code]) for code in ("SL-101", "SL-001")]
    ['(number − chance) / (1 − chance)', 'accuracy or F1 lost']
    """
    if claim.kind == "weakest drop":
        return "accuracy or F1 lost"
    if claim.kind in SHARES:
        return "share of texts"
    text = f"(number − chance) / ({'best' if claim.ceiling else '1'} − chance)"
    return f"2 {text}, at most 1" if claim.twice else text
