"""The change of the log-weights needed to flip the prediction: exact, in nats (SL-203).

Changing every log-weight by at most r multiplies every weight by a factor from ``exp(−r)`` to
``exp(r)`` before normalisation. Of a softmax, it is the change of the scores. With a temperature,
or another projection, scores move weights by another rule. The sign of ``Σ c_t α_t`` does not
depend on normalisation, so the best change is known: raise all words against the class, and lower
all words for it.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool, Float

Array = np.ndarray


def nats_to_flip(
    gaps: Float[Array, "B T K"], attention: Float[Array, "B T"], mask: Bool[Array, "B T"]
) -> Float[Array, " B"]:
    """Least r such that changes of the log-weights within ±r make a rival level with the predicted
    class; ∞ if none can.

    ``gaps`` are the logits of the class minus those of each of K rivals. A rival is level from ``r
    = ½ log(Σ_{c>0} c_t α_t / Σ_{c<0} |c_t| α_t)`` on, and the nearest rival decides. NaN if a real
    token has no weight: no factor restores it.
    """
    weighed = np.where(mask[:, :, None], gaps * attention[:, :, None], 0.0)
    ahead, behind = np.maximum(weighed, 0.0).sum(axis=1), np.maximum(-weighed, 0.0).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        each = np.where(behind > 0, (np.log(ahead) - np.log(behind)) / 2, np.inf)
    nearest = np.maximum(each.min(axis=1), 0.0)  # if level already, it may round below 0
    return np.asarray(np.where((mask & (attention <= 0)).any(axis=1), np.nan, nearest))
