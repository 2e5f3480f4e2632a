"""How much each word matters to each state: by gradient (Meister et al. 2021, eq. 5), and by
deletion.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import cast

import numpy as np
import torch
from jaxtyping import Float

from sightline.core.protocols import SupportsInfluence, SupportsStates, Trace, closed_up
from sightline.measures.batch_words import Words, words_of
from sightline.measures.importance import TOKENS_AT_ONCE, all_but, deletions
from sightline.measures.trace_arrays import to_numpy

Array = np.ndarray
Target = Callable[[Float[torch.Tensor, "B T P"]], Float[torch.Tensor, "B T"]]
"""One number of each state."""


def state_importance(model: SupportsStates, trace: Trace) -> Float[Array, "B W W"]:
    """Give ``‖∂‖s_p‖₂ / ∂e_i‖₂`` of the state of every word p by every word i (Meister et al. 2021,
    eq. 5, the top).

    A word read in pieces has the length over all pairs of pieces.
    """
    return _of_words(words_of(trace), to_numpy(_squares(model, trace)))


def facet_importance(model: SupportsStates, trace: Trace) -> Float[Array, "B W W"]:
    """Give ``‖∂s_p / ∂e_i‖`` (Frobenius): the influence on every number of the state, and the
    magnitude of all of them.

    What Meister et al. (2021, App. A) found "nearly identical" to the influence on the length of
    the state, and dearer: the same again for every number that a state has.
    """
    total = sum(
        to_numpy(_squares(model, trace, facet)) for facet in range(model.states(trace).shape[2])
    )
    return _of_words(words_of(trace), np.asarray(total))


def _squares(
    model: SupportsStates, trace: Trace, facet: int | None = None
) -> Float[torch.Tensor, "B T T"]:
    """Square the length of the gradient of the length of each state, or of one number of it, by
    each token.

    A model that offers ``influence`` knows all of them at once; of others, each state is asked in a
    backward pass.
    """
    if "influence" in model.offers:
        return cast(SupportsInfluence, model).influence(trace, facet).square()
    length = partial(torch.linalg.vector_norm, dim=2)
    return asked_in_turn(
        model, trace, length if facet is None else partial(torch.select, dim=2, index=facet)
    )


def asked_in_turn(
    model: SupportsStates, trace: Trace, target: Target
) -> Float[torch.Tensor, "B T T"]:
    """Take the squared length of the gradient of one number of each state by each token, a backward
    pass a state.

    A model that was made here runs once. Anybody else's runs for each: its graph might not be there
    a second time.
    """
    squares, numbers, length = [], None, trace.batch.ids.shape[1]
    embeddings = trace.embeddings.detach().clone().requires_grad_()
    for place in range(length):
        if numbers is None or model.origin != "here":
            numbers = target(model.states(model.trace(trace.batch, embeddings)))
        (gradient,) = torch.autograd.grad(
            numbers[:, place].sum(), embeddings, retain_graph=place + 1 < length
        )
        squares.append(gradient.square().sum(2))
    return torch.stack(squares, dim=1)


def deletion_of_states(
    model: SupportsStates, trace: Trace, tokens_at_once: int = TOKENS_AT_ONCE
) -> Float[Array, "B W W"]:
    """Give ``|‖s_p‖₂ − ‖s_p without word i‖₂|``: what eq. 6 of Meister et al. (2021) asks of an
    answer, of each state.

    A word that is deleted leaves no state of its own, and counts as a state of length 0. NaN where
    the only word would go.
    """
    words, batch = words_of(trace), trace.batch
    out = np.zeros((*words.mask.shape, words.mask.shape[1]))
    whole = _lengths(words, torch.linalg.vector_norm(model.states(trace), dim=2))
    for rows, columns in deletions(words, batch, tokens_at_once):
        kept = all_but(words, batch, rows, columns)
        shorter = model.trace(batch.rows(rows).keep(kept))
        left = torch.linalg.vector_norm(model.states(shorter), dim=2) * shorter.batch.mask
        back = torch.zeros(kept.shape, dtype=left.dtype, device=left.device).scatter_(
            1, closed_up(kept), left
        )
        row = to_numpy(rows)
        out[row, :, to_numpy(columns)] = np.abs(whole[row] - _lengths(words, back, row))
    alone = words.mask.sum(1) < 2
    return np.where(alone[:, None, None], np.nan, out)


def _pieces(words: Words) -> Float[Array, "B W T"]:
    """Mark the pieces of each word: itself, where words are not read in pieces."""
    return np.asarray(
        words.place[:, None, :] == np.arange(words.mask.shape[1])[:, None], dtype=float
    )


def _of_words(words: Words, squares: Float[Array, "B T T"]) -> Float[Array, "B W W"]:
    """Give the length over all pieces of both words, of squares between tokens."""
    pieces = _pieces(words)
    return np.asarray(np.sqrt(pieces @ squares @ pieces.transpose(0, 2, 1)))


def _lengths(
    words: Words, lengths: Float[torch.Tensor, "N T"], row: Array | slice = slice(None)
) -> Array:
    """Give the length of the states of each word, all its pieces together."""
    return np.asarray(np.sqrt(np.einsum("nwt,nt->nw", _pieces(words)[row], to_numpy(lengths) ** 2)))
