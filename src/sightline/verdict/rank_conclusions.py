"""Conclude what ranks of attention know over all texts: the first rule that applies.

The output is computed from attention, so it is no evidence by itself. Nor is a contrast that
shuffled attention shows, too. The conclusion is about ranks over all texts, not about a single
text.
"""

from __future__ import annotations

from sightline.core.results import Estimate
from sightline.verdict.evidence import Evidence

FLAT = 1.3
"""Ratio of the mean weights of the first and the last rank below which attention counts as flat."""
SMALL = 0.02
"""Share of a target's entropy: a contrast within so little of 0 counts as none."""
RARE = 0.05
WITNESSES = {"decoupled": "its answer under uniform attention", "label": "the label"}
"""Targets that are not computed from attention."""


def describe_ranks(evidence: Evidence) -> str:
    """Say what ranks know; empty if it was not measured."""
    known = {name: evidence.estimate(f"information.{name}") for name in _NAMES}
    there = {name: one for name, one in known.items() if one is not None and one.n > 0}
    return _describe(there) if len(there) >= len(_ALWAYS) else ""


def _describe(known: dict[str, Estimate]) -> str:
    """Apply the rules in order."""
    if not any(known[f"best.{of}"].low > 0 for of in ("output", *WITNESSES)):
        return "no information: no rank tells anything"
    if known["flatness"].value < FLAT:
        return f"flat attention: the first rank weighs {known['flatness'].value:.2f} times the last"
    if all(_nothing(known, of) for of in WITNESSES):
        return "nothing to rank: all ranks know about as much"
    if "coupled.D" not in known:
        return "coupling not tested, so nothing is concluded from ranks"
    if not _passes(known, "output"):
        return "inconclusive of ranks"
    found = [words for of, words in WITNESSES.items() if _passes(known, of)]
    if not found or known["coupled.D"].value > RARE:
        return (
            "coupling only: the state that weighs most shares most with the output, as it would "
            "whatever it knew"
        )
    return f"ranks track information about {' and '.join(found)}"


def _passes(known: dict[str, Estimate], of: str) -> bool:
    return known[f"D.{of}"].low > 0 and known[f"exchanged.D.{of}"].value <= RARE


def _nothing(known: dict[str, Estimate], of: str) -> bool:
    limit = SMALL * known[f"entropy.{of}"].value
    return -limit <= known[f"D.{of}"].low and known[f"D.{of}"].high <= limit


_ALWAYS = [
    "flatness",
    *(
        f"{what}.{of}"
        for of in ("output", *WITNESSES)
        for what in ("D", "exchanged.D", "entropy", "best")
    ),
]
_NAMES = [*_ALWAYS, "coupled.D"]
