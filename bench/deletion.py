"""Leave-one-out by true deletion: all shortened texts of a batch together, against position by position.

The baseline goes the way of Jain & Wallace's released code: delete position i from every text of a padded batch, run
it, and go on to the next. That costs about 10 ms a text there (SST, mean length 18, 256 state units, one thread); what
it costs here is printed beside the ratio.
"""

from __future__ import annotations

import numpy as np
import torch
from compare import compare, model_and_batch, quick

from sightline.maths.divergences import probabilities, total_variation
from sightline.measures.arrays import to_numpy
from sightline.measures.importance import deletion_importance


def main() -> None:
    """Time both on the same texts and compare the importances."""
    model, batch = model_and_batch(texts=32 if quick() else 128)
    trace = model.trace(batch)
    own = probabilities(to_numpy(trace.logits))

    def together() -> np.ndarray:
        return deletion_importance(model, trace, {})["own"]

    def position_by_position() -> np.ndarray:
        out = np.zeros(tuple(batch.ids.shape))
        for column in range(batch.ids.shape[1]):
            rows = torch.nonzero(batch.attendable[:, column])[:, 0]
            kept = batch.mask[rows] & (torch.arange(batch.ids.shape[1]) != column)
            shorter = model.trace(batch.rows(rows).keep(kept))
            change = total_variation(probabilities(to_numpy(shorter.logits)), own[to_numpy(rows)])
            out[to_numpy(rows), column] = change
        return out

    compare(
        "deletion, all shortened texts together",
        "deletion, one position at a time",
        together,
        position_by_position,
        lambda ours, theirs: bool(np.allclose(ours, theirs, atol=1e-5)),
        "importances equal to 1e-5",
        len(batch),
    )


if __name__ == "__main__":
    main()
