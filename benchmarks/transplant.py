"""Words moved between texts, for every map a model can give: how many forward passes over the split
that costs.

A price, not a gain: the ratio says how many times longer the whole measure takes, its survey with
every map included, than running the model once on the same texts in the same batches. Nearly all of
it are hybrids and deleted words, so its floor is their number a text.
"""

from __future__ import annotations

import numpy as np
import torch
from compare import compare, model_and_texts, quick

from sightline.audits.measure_pass import measure
from sightline.core.results import Measurement
from sightline.core.seeds import Seeds
from sightline.data.batches import length_batches
from sightline.measures.transfer.transfer import Transfer

BATCH = 32


def main() -> None:
    """Time the measure against one pass, on a model that decides half of the texts either way."""
    model, texts = model_and_texts(texts=24 if quick() else 96)
    with torch.no_grad():
        model.decoder.affine.bias -= model.trace(model.collate(texts)).logits.median()

    def one_pass() -> int:
        batches = [[texts[i] for i in rows] for rows in length_batches(texts, BATCH)]
        return sum(len(model.trace(model.collate(batch)).logits) for batch in batches)

    def moved() -> int:
        taken = measure(model, texts, (Transfer(),), {}, Seeds(0), BATCH, lambda done, total: None)[
            "transplant"
        ]
        return (
            int(np.isfinite(taken.values["whole"]).any(axis=1).sum())
            if isinstance(taken, Measurement)
            else 0
        )

    compare(
        "a forward pass over the split",
        "transplant by every map",
        one_pass,
        moved,
        lambda ours, theirs: ours >= theirs > ours / 2,
        "more than half of the texts gave words to others",
        len(texts),
    )


if __name__ == "__main__":
    main()
