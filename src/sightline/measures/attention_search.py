"""How far can attention be from the model's own with the same output? Two searches: the published
one, and ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float

from sightline.config.measure_needs import NEEDS, PAPERS
from sightline.config.measure_registry import MEASURES
from sightline.core.protocols import Arrays, MeasureContext, Trace
from sightline.core.results import Measurement
from sightline.core.seeds import Seeds
from sightline.measures.batch_words import Words, words_of
from sightline.measures.decode_attention import task_of
from sightline.measures.trace_arrays import count_undefined
from sightline.numerics.adversarial_descent import Descent, descend
from sightline.numerics.divergences import jensen_shannon
from sightline.numerics.simplex_search import ClimbSettings, Probe, climb
from sightline.numerics.tensors import to_numpy
from sightline.numerics.tolerance import Tolerance

_SET = MEASURES["searched"].settings
Array = np.ndarray
SPREAD: float = _SET["spread"]
"""Standard deviation of the scores at which the published search starts."""


def _climb(settings: Mapping[str, Any]) -> ClimbSettings:
    return ClimbSettings(**{**settings, "descent": Descent(**settings["descent"])})


@dataclass(frozen=True)
class AttentionSearch:
    """Largest divergence from attention with the same output that two searches found; 0 if none.

    A search can miss what exists. The published search runs from ``starts`` and minimises a loss
    with the tolerance ``penalise``. Both searches must keep ``select``; the code of Jain & Wallace
    selects by ``released``. Our search follows the gradient from ``points``.
    """

    starts: int = _SET["starts"]
    penalise: Tolerance = field(default_factory=lambda: Tolerance(**_SET["penalise"]))
    select: Tolerance = field(default_factory=lambda: Tolerance(**_SET["select"]))
    released: Tolerance = field(default_factory=lambda: Tolerance(**_SET["released"]))
    descent: Descent = field(default_factory=lambda: Descent(**_SET["descent"]))
    points: int = _SET["points"]
    climb: ClimbSettings = field(default_factory=lambda: _climb(_SET["climb"]))
    code: str = "searched"
    needs: frozenset[str] = NEEDS["searched"]
    paper: str = PAPERS["searched"]

    def on_batch(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> Arrays:
        """Search each text twice; the second search takes no more decodings than the first."""
        words = words_of(trace)
        task = task_of(subject.model, trace, words)
        asked, loose, ours = (
            Probe(task, self.select),
            Probe(task, self.released),
            Probe(task, self.select),
        )
        starts = _starts(words, self.starts, seeds, "searched")
        reached = descend(
            task, torch.from_numpy(starts).to(task.attention), self.penalise, self.descent
        )
        points = to_numpy(reached)
        far, kept = jensen_shannon(points, words.attention), asked.holds(points)
        one = words.mask.sum(1) < 2
        stages = climb(ours, _starts(words, self.points, seeds, "searched, ours"), self.climb)
        found = {
            "published": np.maximum.accumulate(np.where(kept, far, 0.0)).T,
            "released": np.where(loose.holds(points), far, 0.0).max(axis=0),
            "ours": stages.T,
        }
        return {
            **{name: _where_several(values, one) for name, values in found.items()},
            "outside": (~kept).sum(axis=0),
            "decodes_published": asked.decodes + self.starts * self.descent.steps,
            "decodes_ours": ours.decodes,
            "words": words.mask.sum(1),
        }

    def finish(self, arrays: Arrays) -> Measurement:
        """Count the texts of one word, which have a single attention."""
        settings = {
            "starts": self.starts,
            "steps": self.descent.steps,
            **{name: str(getattr(self, name)) for name in ("penalise", "select", "released")},
        }
        undefined = count_undefined(arrays, {"one word": np.asarray(arrays["words"]) < 2})
        return Measurement(self.code, arrays, undefined, settings)


def _starts(words: Words, count: int, seeds: Seeds, stage: str) -> Float[Array, "K B W"]:
    """Draw the starting scores of a search; those of a text depend only on the text."""
    scores = np.zeros((count, *words.mask.shape))
    for row, real in enumerate(words.in_sight):
        generator = seeds.generator(stage, int(words.index[row]))
        scores[:, row, real] = SPREAD * generator.standard_normal((count, int(real.sum())))
    return scores


def _where_several(values: Float[Array, "B *K"], one: Bool[Array, " B"]) -> Float[Array, "B *K"]:
    """A text of one word has no other attention."""
    return np.where(one.reshape(-1, *(1,) * (values.ndim - 1)), np.nan, values)
