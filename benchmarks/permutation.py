"""100 permutations of the weights of every text: on token logits, against pooling the states anew
for each.

The baseline goes the way of Jain & Wallace's released code, one product with the hidden states for
each permutation. That costs about 5 ms a text there (SST, mean length 18, 256 state units, one
thread); ours costs far less, as printed beside the ratio, so the ratio is against a fast baseline
and says nothing about that code.
"""

from __future__ import annotations

import numpy as np
import torch
from compare import compare, model_and_batch, quick

from sightline.core.seeds import Seeds
from sightline.measures.batch_words import words_of
from sightline.measures.trace_arrays import shuffled
from sightline.numerics.divergences import probabilities, total_variation
from sightline.numerics.tensors import to_numpy

PERMUTATIONS = 100


def main() -> None:
    """Time both on the same permutations and compare their medians."""
    model, batch = model_and_batch(texts=64 if quick() else 512)
    trace = model.trace(batch)
    words = words_of(trace)
    drawn = shuffled(words.attention, words.mask, words.index, PERMUTATIONS, Seeds(0), "bench")
    own = probabilities(to_numpy(trace.logits))[:, None]

    def on_token_logits() -> np.ndarray:
        logits = np.einsum("rbt,btl->brl", drawn, to_numpy(trace.token_logits))
        return np.median(total_variation(probabilities(logits), own), axis=1)

    def on_states() -> np.ndarray:
        logits = [
            to_numpy(model.decode(trace, torch.from_numpy(w).to(trace.attention))) for w in drawn
        ]
        return np.median(total_variation(probabilities(np.stack(logits, axis=1)), own), axis=1)

    compare(
        "permutation on token logits",
        "pooling the states anew for each permutation",
        on_token_logits,
        on_states,
        lambda ours, theirs: bool(np.allclose(ours, theirs, atol=1e-5)),
        "medians of the total variation equal to 1e-5",
        len(batch),
    )


if __name__ == "__main__":
    main()
