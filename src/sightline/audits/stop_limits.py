"""The limits of an audit that stops when its verdict is settled, checked before anything is loaded,
and what listens to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from sightline.core.errors import SpecError, setting

if TYPE_CHECKING:
    from pathlib import Path

    from sightline.verdict.settled import LookState

MOST_TEXTS = 800
"""The default number of planned texts: more rarely settle a verdict that is still open."""


class OnLook(Protocol):
    """Called after each look."""

    def __call__(self, state: LookState, /) -> None:
        """Receive the state of the verdict."""


class OnMeasures(Protocol):
    """Called before some measures are taken."""

    def __call__(self, codes: Sequence[str], /) -> None:
        """Receive their codes, and "other maps" if these are measured as well."""


def ignore(*progress: object) -> None:
    """The default listener."""


@dataclass(frozen=True)
class Limits:
    """The limits of a sequential audit: its seconds, the folder for resuming, and the listeners
    after each look and before each stage.
    """

    seconds: float | None = None
    kept_in: Path | None = None
    on_look: OnLook = ignore
    on_measures: OnMeasures = ignore


def is_sequential(budget: float | None, max_texts: int | None, *, full: bool) -> bool:
    """Whether an audit stops when its verdict is settled; limits that contradict each other or
    allow nothing are an error.
    """
    named = {"budget": budget, "max_texts": max_texts}
    for name, value in named.items():
        if value is None:
            continue
        if full:
            message = "expected no limit in an audit that measures everything"
            raise SpecError(f"{message}; keep it, or {setting('full')}", field=name)
        if not value > 0:
            raise SpecError(f"expected more than 0, got {value:g}", field=name)
    return any(value is not None for value in named.values())


def most_texts(
    limit: int | None,
    budget: float | None = None,
    max_texts: int | None = None,
    *,
    full: bool = False,
) -> int | None:
    """The most texts that an audit takes; an audit with looks plans no more than it can need."""
    if not is_sequential(budget, max_texts, full=full):
        return limit
    return min(one for one in (limit, max_texts or MOST_TEXTS) if one is not None)


def flags_for(
    texts: int,
    limit: int | None,
    budget: float | None = None,
    max_texts: int | None = None,
    *,
    full: bool = False,
) -> str:
    """Name the flags that let an audit take so many texts, where its own let it take fewer."""
    bounds = {"--limit": limit}
    if is_sequential(budget, max_texts, full=full):
        bounds["--max-texts"] = max_texts or MOST_TEXTS
    fewer = [flag for flag, most in bounds.items() if most is not None and most < texts]
    return " ".join(f"{flag} {texts}" for flag in fewer)
