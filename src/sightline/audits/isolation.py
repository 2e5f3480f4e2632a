"""One measure, guarded: an error at any step is stored as its outcome, and the other measures
continue.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, get_args

from sightline.adapters.validate_outputs import is_fault
from sightline.config.measure_registry import WHERE_OFFERED
from sightline.core.errors import AnswerError
from sightline.core.needs import COMPANION, OTHER_ATTENTION, lacking, names_companion
from sightline.core.protocols import Arrays, Capability, Measure
from sightline.core.results import Failed, NotRun, Outcome


@dataclass(eq=False)
class IsolatedMeasure:
    """A measure in progress, and the name under which its outcome is stored; open until it has an
    outcome.
    """

    name: str
    one: Measure
    outcome: Outcome | None = None
    parts: list[Arrays] = field(default_factory=list)
    learned: Any = None

    @contextmanager
    def step(self, step: str) -> Iterator[None]:
        """Run one step; an error in it becomes the measure's outcome.

        Running out of memory is treated like any other error: the measure that needs most is lost,
        and the others continue.
        """
        try:
            yield
        except (
            BaseException
        ) as error:  # a broken measure must not cost the others; it is stored, named, and shown
            # The user wants to stop, or the model no longer answers: no fault of a measure.
            if not is_fault(error) or isinstance(error, AnswerError):
                raise
            self.outcome = Failed(self.name, f"{step}: {type(error).__name__}: {error}")


def enter(measures: Sequence[Measure], offers: frozenset[str]) -> list[IsolatedMeasure]:
    """Name every measure, and refuse those with a code already taken, or with unknown or unmet
    needs.
    """
    found: list[IsolatedMeasure] = []
    for one in (each for each in measures if not _unspoken(each, offers)):
        found.append(_entered(one, found))
        if found[-1].outcome is None:
            with found[-1].step("needs"):
                found[-1].outcome = _refusal(found[-1], offers)
    return found


def _unspoken(one: Measure, offers: frozenset[str]) -> bool:
    """Whether a measure is for models that offer more, and is left out without a note."""
    code = getattr(one, "code", None)
    return isinstance(code, str) and code in WHERE_OFFERED and not one.needs <= offers


def _entered(one: Measure, others: Sequence[IsolatedMeasure]) -> IsolatedMeasure:
    kind = type(one).__name__
    guarded = IsolatedMeasure(kind, one)
    with guarded.step("code"):
        code: Any = one.code
        if not isinstance(code, str) or not code or "/" in code:
            raise ValueError(f"expected a name without '/', got {code!r}")
        guarded.name = code
    first = next((other for other in others if other.name == guarded.name), None)
    if first is None:
        return guarded
    count = 2 + sum(other.name.startswith(f"{guarded.name} (") for other in others)
    name = f"{guarded.name} ({count})"
    message = (
        f"code: {kind} has the code {guarded.name!r}, which {type(first.one).__name__} has taken; "
        "give it another"
    )
    return IsolatedMeasure(name, one, Failed(name, message))


def _refusal(guarded: IsolatedMeasure, offers: frozenset[str]) -> NotRun | None:
    needs = frozenset(guarded.one.needs)
    known = (*get_args(Capability), OTHER_ATTENTION)
    if odd := next(
        (need for need in sorted(needs) if need not in known and not names_companion(need)), None
    ):
        raise ValueError(f"{odd!r} is not known; known: {', '.join(known)}, {COMPANION}NAME")
    missing = lacking(needs, offers)
    return NotRun(guarded.name, missing) if missing else None
