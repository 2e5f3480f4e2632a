"""Number of texts for which each label of a model is predicted, from one run a text."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from sightline.adapters.label_views import labels_of
from sightline.adapters.truncation import visible_dataset
from sightline.adapters.validate_outputs import call_user_code
from sightline.audits.measure_pass import BATCH
from sightline.core.protocols import Auditable, SupportsLabels
from sightline.data.dataset import Dataset


@dataclass(frozen=True)
class LabelCount:
    """Number of texts for which a label is predicted, of texts for which it is not, and of texts
    without a finite output.
    """

    positive: int
    negative: int
    broken: int = 0

    def too_few(self, fewest: int) -> str:
        """Give the reason why a label cannot be audited; empty if it can."""
        of = f"of {self.positive + self.negative + self.broken} texts; an audit needs {fewest}"
        if self.broken:
            return f"no finite output for {self.broken} {of} finite ones of each kind"
        if self.positive < fewest:
            return f"too few positives: {self.positive} {of}"
        return f"too few negatives: {self.negative} {of}" if self.negative < fewest else ""


def predicted_counts(
    model: Auditable, data: Dataset, batch_size: int = BATCH
) -> dict[str, LabelCount]:
    """Count the predictions of every label on the test texts."""
    names = labels_of(model)
    assert isinstance(model, SupportsLabels)
    texts = visible_dataset(data, model).test
    found = [
        call_user_code(
            "label_logits", model.label_logits, model.collate(texts[at : at + batch_size])
        )
        for at in range(0, len(texts), batch_size)
    ]
    logits = torch.cat(found)
    finite = torch.isfinite(logits)
    positive = ((logits > 0) & finite).sum(0).tolist()
    broken = (~finite).sum(0).tolist()
    return {
        name: LabelCount(positive[k], len(logits) - positive[k] - broken[k], broken[k])
        for k, name in enumerate(names)
    }
