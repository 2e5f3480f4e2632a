"""The mixture of heads that best predicts the effect of deleting each word, learned on other texts
than those audited.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from sightline.adapters.trace_checks import checked_trace
from sightline.core.example import Example
from sightline.core.protocols import MeasureContext, SupportsAttentionSources
from sightline.core.seeds import Seeds
from sightline.data.batches import length_batches
from sightline.measures.attribution_maps import AttributionMaps
from sightline.measures.batch_words import words_of

Array = np.ndarray


def learned_shares(
    model: SupportsAttentionSources, texts: Sequence[Example], batch_size: int
) -> dict[str, float]:
    """Give the positive share of each head; empty if no deletion lowers the log-odds of a
    prediction.
    """
    heads = list(model.heads)
    found = [
        _seen(model, [texts[i] for i in rows], heads) for rows in length_batches(texts, batch_size)
    ]
    shown, lost = (np.concatenate(parts) for parts in zip(*found, strict=True))
    shares = fitted(shown, lost)
    return {head: float(share) for head, share in zip(heads, shares, strict=True) if share > 0}


def fitted(shown: Float[Array, "W H"], lost: Float[Array, " W"]) -> Float[Array, " H"]:
    """Minimise ``‖A w − d‖²`` over w ≥ 0, and scale w to sum to one; zeros where nothing fits."""
    from scipy.optimize import nnls  # noqa: PLC0415  (half a second, where it is used)

    shares, _ = nnls(shown, lost)
    return np.asarray(shares / shares.sum() if shares.sum() > 0 else shares)


def _seen(
    model: SupportsAttentionSources, texts: Sequence[Example], heads: Sequence[str]
) -> tuple[Float[Array, "W H"], Float[Array, " W"]]:
    """Give each word's weight in every head, and its part of the log-odds that its text's words can
    cost.
    """
    trace = checked_trace(model, texts)
    maps, shown = (
        AttributionMaps(MeasureContext(model, texts=tuple(texts)), trace, Seeds(0)),
        model.read_all(trace.batch),
    )
    lost = np.clip(np.nan_to_num(maps["signed_deletion"], posinf=0), 0, None) * maps.words.mask
    total = lost.sum(1, keepdims=True)
    kept = maps.words.mask & (total > 0) & np.isfinite(total)
    by_head = [words_of(replace(trace, attention=shown[head])).attention[kept] for head in heads]
    return np.stack(by_head, axis=1), (lost / np.where(total > 0, total, 1))[kept]
