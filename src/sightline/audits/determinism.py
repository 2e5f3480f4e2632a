"""Checks that a model gives the same outputs at the end of its audit as at the beginning."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from sightline._io.unused_memory import give_back
from sightline.adapters.checks.probe_batch import TOLERANCE, answers, difference
from sightline.adapters.trace_checks import checked_trace
from sightline.core.error_excerpts import show_id
from sightline.core.errors import ChangedModelError
from sightline.core.example import Example
from sightline.core.protocols import Auditable, Trace, without_cache

AGAIN = 2
"""How often the first batch runs again at the end: twice, so that a model that alternates is
noticed. Every other batch runs once more."""


class DeterminismCheck:
    """Keeps the logits and the attention of each text, and raises an error if the model later gives
    others.

    ``before`` is the check of an earlier pass, whose answers must be the same as well.

    Such a model has no single prediction that attention could explain, so no number of its audit
    can be trusted. The audit then ends with an error and without a verdict.
    """

    def __init__(self, model: Auditable, before: DeterminismCheck | None = None) -> None:
        self.model = model
        self._batches: list[tuple[Example, ...]] = []
        self._held: set[tuple[str, int]] = set()
        self._answers: dict[tuple[str, int], torch.Tensor] = before._answers if before else {}

    def hold(self, texts: Sequence[Example], trace: Trace) -> None:
        """Keep the outputs of a batch; the outputs of a repeated batch must be the same."""
        if not self._held.issuperset(map(_key, texts)):
            self._batches.append(tuple(texts))
            self._held.update(map(_key, texts))
        for text, answer in zip(texts, answers(trace), strict=True):
            now = answer.to("cpu", copy=True)
            before = self._answers.setdefault(_key(text), now)
            apart = _apart(now, before)
            if not apart <= TOLERANCE:
                raise _changed(self.model, text, apart)

    def ask_again(self) -> None:
        """Run every text of this check again at the end, because traces that were kept are not
        compared. A resumed audit that needed no run has none.
        """
        self.ask_first_again(AGAIN - 1)
        for texts in self._batches:
            self._ask(texts)

    def ask_first_again(self, times: int = AGAIN) -> None:
        """Run the first batch again, before more is measured of a model that changes."""
        for texts in self._batches[:1] * times:
            self._ask(texts)

    def _ask(self, texts: Sequence[Example]) -> None:
        self.hold(texts, checked_trace(without_cache(self.model), texts))
        give_back()


def _key(text: Example) -> tuple[str, int]:
    return text.id, text.index


def _apart(now: torch.Tensor, before: torch.Tensor) -> float:
    """The largest difference between two outputs; NaN in the same place counts as equal."""
    if now.shape != before.shape:
        return float("inf")
    known = ~(now.isnan() & before.isnan()) & (now != before)
    return difference(now[known], before[known])


def _changed(model: Auditable, text: Example, apart: float) -> ChangedModelError:
    return ChangedModelError(
        f"{model.name}: it changed during the audit, or is not deterministic: text {show_id(text.id)} "
        f"got another answer than the first time (by {apart:.2g}, allowed: {TOLERANCE:g}), so "
        "no number of this audit can be trusted",
        change=(
            "remove everything by which a call changes later calls: counters, caches of other texts, "
            "noise"
        ),
    )
