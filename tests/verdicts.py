"""Verdicts for tests, written shortly: levels by their words, and reasons as they are printed."""

import re
from collections.abc import Iterable, Mapping

from sightline.core.results import Level, Reason, Verdict

_PRINTED = re.compile(
    r"(?:([A-Z]+-\d+) (passed|failed|inconclusive|not run): )?(.*?)(?: \((.*)\))?", re.DOTALL
)


def why(printed: str | Reason) -> Reason:
    """Read a reason as it is printed: ``SL-301 failed: it changes nothing (score 0.01)``."""
    if isinstance(printed, Reason):
        return printed
    found = _PRINTED.fullmatch(printed)
    assert found is not None
    code, result, words, behind = found.groups()
    return Reason(words, code or "", result, behind or "")  # type: ignore[arg-type]


def too_few(texts: int, clustered: bool = False) -> Reason:
    """Make the reason of a verdict that lacks texts."""
    words = f"too few texts ({texts}) for a verdict, which rests on at least 50"
    return Reason(words, too_few=texts, clustered=clustered)


def whys(*printed: str | Reason) -> tuple[Reason, ...]:
    """Read several reasons."""
    return tuple(map(why, printed))


def reached(
    level: str,
    row: int,
    decided_by: tuple[str, ...] = (),
    reasons: Iterable[str | Reason] = (),
    by_class: Mapping[str, Verdict] | None = None,
) -> Verdict:
    """Make a verdict."""
    return Verdict(Level(level), row, decided_by, whys(*reasons), by_class or {})
