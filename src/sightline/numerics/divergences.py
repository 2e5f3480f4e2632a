"""Divergences between distributions, and entropy; natural logarithms throughout.

Distributions lie along the last axis; masked entries are 0.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float
from scipy.special import entr, expit, rel_entr

Array = np.ndarray


def probabilities(logits: Float[Array, "*B L"]) -> Float[Array, "*B C"]:
    """Turn logits into class probabilities: one logit gives (1 − σ, σ), several a softmax.

    With one logit the total variation between two results is ``|σ(s) − σ(s')|``, as in Jain &
    Wallace (2019).
    """
    if logits.shape[-1] == 1:
        return np.concatenate([expit(-logits), expit(logits)], axis=-1)
    return softmax(logits)


def softmax(logits: Float[Array, "*B L"]) -> Float[Array, "*B L"]:
    """Give ``exp(s) / Σ exp(s)``, in the same steps as SciPy: bit-identical results, without the
    overhead of its call on small arrays.
    """
    shifted = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return np.asarray(shifted / shifted.sum(axis=-1, keepdims=True))


def total_variation(p: Float[Array, "*#B C"], q: Float[Array, "*#B C"]) -> Float[Array, "*B"]:
    """Half the L1 distance: the largest difference in probability of any set of classes."""
    return np.asarray(0.5 * np.abs(p - q).sum(axis=-1))


def entropy(p: Float[Array, "*B T"]) -> Float[Array, "*B"]:
    """``−Σ p log p``, with 0 log 0 = 0."""
    return np.asarray(entr(p).sum(axis=-1))


def jensen_shannon(p: Float[Array, "*#B T"], q: Float[Array, "*#B T"]) -> Float[Array, "*B"]:
    """``½ KL(p‖m) + ½ KL(q‖m)``, m the mean of the two (Jain & Wallace 2019); at most log
    2, never below 0.
    """
    middle = (p + q) / 2
    return np.asarray(np.maximum((rel_entr(p, middle) + rel_entr(q, middle)).sum(axis=-1) / 2, 0.0))
