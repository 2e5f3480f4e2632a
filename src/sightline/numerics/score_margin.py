"""How far scores would have to move for another decision: exact, in nats, for attention that is a
softmax (SL-203).

A softmax multiplies: moving every score by at most r multiplies every weight by a factor from
``exp(−r)`` to ``exp(r)`` before they are normalised. The sign of ``Σ c_t α_t`` does not depend on
the normalisation, so the best move is known: up with all that speaks against the class, down with
all that speaks for it.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool, Float

Array = np.ndarray


def nats_to_flip(
    gaps: Float[Array, "B T K"], attention: Float[Array, "B T"], mask: Bool[Array, "B T"]
) -> Float[Array, " B"]:
    """Least r such that scores moved within ±r put a rival level with the decided class; ∞ where
    none does.

    ``gaps`` are the logits of the class less those of each of K rivals. A rival is level from ``r =
    ½ log(Σ_{c>0} c_t α_t / Σ_{c<0} |c_t| α_t)`` on, and the nearest rival decides. NaN where a real
    token has no weight: then the weights are no softmax, and no move of a score is known to bring
    it back.
    """
    weighed = np.where(mask[:, :, None], gaps * attention[:, :, None], 0.0)
    ahead, behind = np.maximum(weighed, 0.0).sum(axis=1), np.maximum(-weighed, 0.0).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        each = np.where(behind > 0, (np.log(ahead) - np.log(behind)) / 2, np.inf)
    nearest = np.maximum(each.min(axis=1), 0.0)  # level already, it may round below
    return np.asarray(np.where((mask & (attention <= 0)).any(axis=1), np.nan, nearest))
