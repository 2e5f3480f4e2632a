"""What may be said of ranks in aggregate, from what an audit measured of them: the first line that
applies.

The output is computed from attention, so that it is no witness by itself; nor is a contrast that
shuffled attention has, too. It is about ranks over all texts, not about a single one.
"""

from __future__ import annotations

from sightline.core.results import Estimate
from sightline.verdict.evidence import Evidence

FLAT = 1.3
"""Mean weight of the first rank over that of the last below which ranks are next to alike."""
SMALL = 0.02
"""Of the entropy of a target: a contrast within so little either way is nothing to rank by."""
RARE = 0.05
WITNESSES = {"decoupled": "its answer under uniform attention", "label": "the label"}
"""Targets that are not computed from attention."""


def describe_ranks(evidence: Evidence) -> str:
    """Say what ranks know; empty where it was not measured."""
    known = {name: evidence.estimate(f"information.{name}") for name in _NAMES}
    there = {name: one for name, one in known.items() if one is not None and one.n > 0}
    return _describe(there) if len(there) >= len(_ALWAYS) else ""


def _describe(known: dict[str, Estimate]) -> str:
    """Apply the rule."""
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
