"""Is a model the same at the end of its audit as at the beginning? What it answered first is kept
and compared.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from sightline.adapters.checks.probe_batch import TOLERANCE, answers, difference
from sightline.adapters.trace_checks import asked
from sightline.core.errors import ModelError
from sightline.core.example import Example
from sightline.core.protocols import Auditable, Trace, fresh_of

AGAIN = 2
"""How often the first batch is run again at the end: twice, so that a model that alternates is
noticed, too."""


class Steady:
    """Keeps the logits and the attention of each text, and refuses a model that later gives others.

    Such a model has no one answer that attention could explain, and no number of its audit can be
    trusted. So the audit ends with an error, and without a verdict.
    """

    def __init__(self, model: Auditable) -> None:
        self.model = model
        self._first: Sequence[Example] = ()
        self._answers: dict[tuple[str, int], torch.Tensor] = {}

    def hold(self, texts: Sequence[Example], trace: Trace) -> None:
        """Keep what a batch gave; a batch that was there before must give the same."""
        self._first = self._first or tuple(texts)
        for text, answer in zip(texts, answers(trace), strict=True):
            now = answer.to("cpu", copy=True)
            before = self._answers.setdefault((text.id, text.index), now)
            apart = _apart(now, before)
            if not apart <= TOLERANCE:
                raise _changed(self.model, text, apart)

    def ask_again(self) -> None:
        """Run the first batch again at the end; what resumed with all it needed has run none."""
        for _ in range(AGAIN if self._first else 0):
            self.hold(self._first, asked(fresh_of(self.model), self._first))


def _apart(now: torch.Tensor, before: torch.Tensor) -> float:
    """Say how far two answers are apart; NaN in the same place is the same."""
    if now.shape != before.shape:
        return float("inf")
    known = ~(now.isnan() & before.isnan()) & (now != before)
    return difference(now[known], before[known])


def _changed(model: Auditable, text: Example, apart: float) -> ModelError:
    return ModelError(
        f"{model.name}: it changed during the audit, or is not deterministic: text {text.id} "
        f"got another answer than the first time (by {apart:.2g}, allowed: {TOLERANCE:g}), so "
        "no number of this audit can be trusted",
        change=(
            "let no call change what a later call gives: no counters, no caches of other texts, "
            "no noise"
        ),
    )
