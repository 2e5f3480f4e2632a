"""The scale of an effect, in the same words on the terminal, the page and in the docs."""

from __future__ import annotations

from sightline.findings.claim import Claim
from sightline.findings.claims import CLAIMS
from sightline.report.sentences import listed


def _codes(kind: str) -> str:
    return listed(code for code, claim in CLAIMS.items() if claim.kind == kind)


EXCEEDS = tuple(sorted(code for code, claim in CLAIMS.items() if claim.exceeds))
"""The claims whose effect can be above 1."""
SCALE = (
    "Effects: 0 is chance, 1 the best achievable; below 0 is worse than chance. "
    f"{listed(EXCEEDS)} can exceed 1: there 1 is a strong reference. "
    f"{_codes('weakest drop')} is accuracy or F1 lost, {_codes('share without')} a share of texts."
)
"""How to read an effect, whichever claim it is of."""
DEFINED = (
    "An effect is (number − floor) / (ceiling − floor), each summed over texts. The floor is the "
    "chance level: what the number would be if the claim were empty. The ceiling is the best "
    "achievable, and 1 where none is named."
)
"""How an effect is computed."""


def formula(claim: Claim) -> str:
    """Say what the effect of a claim is.

    >>> [formula(CLAIMS[code]) for code in ("SL-101", "SL-001")]
    ['(number − floor) / (1 − floor)', 'accuracy or F1 lost']
    """
    if claim.kind == "weakest drop":
        return "accuracy or F1 lost"
    if claim.kind == "share without":
        return "share of texts"
    return f"(number − floor) / ({'ceiling' if claim.ceiling else '1'} − floor)"
