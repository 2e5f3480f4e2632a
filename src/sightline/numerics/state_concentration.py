"""How much each state depends on a single word: shares of influence by word, and their entropy."""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool, Float

from sightline.numerics.divergences import entropy

Array = np.ndarray


def shares(importance: Float[Array, "B W W"], mask: Bool[Array, "B W"]) -> Float[Array, "B W W"]:
    """Normalise the influence of words on each state to sum to one; NaN for a state that no word
    influences.
    """
    there = np.where(mask[:, :, None] & mask[:, None, :], importance, 0.0)
    whole = there.sum(axis=2, keepdims=True)
    return np.asarray(np.divide(there, whole, out=np.full(there.shape, np.nan), where=whole > 0))


def evenness(shares: Float[Array, "B S W"], mask: Bool[Array, "B W"]) -> Float[Array, "B S"]:
    """Give the normalised entropy of the shares of each state: 0 if one word has all, 1 if all
    shares are equal.

    ``H̃(g) = − Σ_i g_i log g_i / log W`` (Meister et al. 2021, §4 and footnote 1). NaN for a text
    of one word.

    >>> one, two = np.array([[[1.0, 0.0], [0.5, 0.5]]]), np.array([[True, True]])
    >>> evenness(one, two).tolist()
    [[0.0, 1.0]]
    """
    found, words = entropy(shares), mask.sum(axis=1, keepdims=True)
    return np.asarray(
        np.divide(
            found, np.log(np.maximum(words, 1)), out=np.full(found.shape, np.nan), where=words > 1
        )
    )


def over_states(
    values: Float[Array, "B W"],
    mask: Bool[Array, "B W"],
    weights: Float[Array, "B W"] | None = None,
) -> Float[Array, " B"]:
    """Average a number over the states of a text that have it; NaN if no state with weight has it."""
    known = mask & ~np.isnan(values)
    weighed = np.where(known, 1.0 if weights is None else weights, 0.0)
    whole = weighed.sum(axis=1)
    total = (np.where(known, values, 0.0) * weighed).sum(axis=1)
    return np.asarray(np.divide(total, whole, out=np.full(len(values), np.nan), where=whole > 0))
