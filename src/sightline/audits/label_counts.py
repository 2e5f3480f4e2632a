"""Number of texts for which each label of a model is predicted, from one run a text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil

import numpy as np
import torch
from jaxtyping import Bool, Float, Int

from sightline.adapters.label_views import labels_of
from sightline.adapters.truncation import visible_dataset
from sightline.adapters.validate_outputs import call_user_code
from sightline.audits.measure_pass import BATCH
from sightline.core.protocols import Auditable, SupportsLabels
from sightline.data.dataset import Dataset
from sightline.measures.trace_arrays import cluster_of
from sightline.numerics.tensors import to_numpy
from sightline.report.number_format import rounded_up

Array = np.ndarray
SURE = 2
"""Standard deviations by which a label should exceed the fewest texts in the texts that are named:
with the number that is enough on average, every second audit would have too few."""


@dataclass(frozen=True)
class LabelCount:
    """Number of texts for which a label is predicted, of texts for which it is not, and of texts
    without a finite output.

    ``independent`` counts the first two again, with copies, and texts of one group, as one: an audit
    needs so many.
    """

    positive: int
    negative: int
    broken: int
    independent: tuple[int, int]

    @property
    def texts(self) -> int:
        """Number of texts that were counted."""
        return self.positive + self.negative + self.broken

    def too_few(self, fewest: int) -> str:
        """Give the reason why a label cannot be audited; empty if it can."""
        if self.broken:
            needs = f"an audit needs {fewest} finite ones of each kind"
            return f"no finite output for {self.broken} of {self.texts} texts; {needs}"
        kinds = (("positives", self.positive), ("negatives", self.negative))
        for (kind, found), counted in zip(kinds, self.independent, strict=True):
            if counted < fewest:
                as_one = f", which count as {counted}" if counted < found else ""
                needs = f"an audit needs {fewest}"
                return f"too few {kind}: {found} of {self.texts} texts{as_one}; {needs}"
        return ""

    def more(self, fewest: int, there: int, flags: Callable[[int], str]) -> str:
        """Say how many texts may do, of so many that are ``there``; ``flags`` names what takes them.

        The share of the kind that is too few is known from the texts that were counted alone.
        """
        rarest = min(self.independent)
        if self.broken or not rarest:
            return "" if self.broken else f"the data have {there} texts to test on"
        enough = ceil(fewest * self.texts / rarest)
        if enough > there:
            return f"about {rounded_up(enough)} texts may do, the data have {there} to test on"
        # A label that comes by chance in more or fewer of them: so many hold enough in most cases.
        safe = rounded_up(ceil((fewest + SURE * fewest**0.5) * self.texts / rarest))
        taken = min(safe, there)
        return f"about {taken} of the {there} texts to test on may do: {flags(taken)}"


def predicted_counts(
    model: Auditable, data: Dataset, batch_size: int = BATCH
) -> dict[str, LabelCount]:
    """Count the predictions of every label on the test texts, and the clusters of these texts."""
    names = labels_of(model)
    assert isinstance(model, SupportsLabels)
    texts = visible_dataset(data, model).test
    found = [
        call_user_code(
            "label_logits", model.label_logits, model.collate(texts[at : at + batch_size])
        )
        for at in range(0, len(texts), batch_size)
    ]
    logits = to_numpy(torch.cat(found))
    finite = np.isfinite(logits)
    clusters = np.array([cluster_of(text) for text in texts])
    return {name: _counted(logits[:, k], finite[:, k], clusters) for k, name in enumerate(names)}


def _counted(
    logits: Float[Array, " N"], finite: Bool[Array, " N"], clusters: Int[Array, " N"]
) -> LabelCount:
    kinds = ((logits > 0) & finite, (logits <= 0) & finite)
    positive, negative = (len(clusters[kind]) for kind in kinds)
    ones, others = (len(np.unique(clusters[kind])) for kind in kinds)
    return LabelCount(positive, negative, len(logits) - positive - negative, (ones, others))
