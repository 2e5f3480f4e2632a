"""How much does each word matter to each hidden state? By gradient (Meister et al. 2021, eq. 5),
and by deletion.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import cast

import numpy as np
import torch
from jaxtyping import Float

from sightline.core.protocols import SupportsInfluence, SupportsStates, Trace, kept_columns
from sightline.measures.batch_words import Words, words_of
from sightline.measures.importance import TOKENS_AT_ONCE, all_but, deletions
from sightline.numerics.tensors import to_numpy

Array = np.ndarray
Target = Callable[[Float[torch.Tensor, "B T P"]], Float[torch.Tensor, "B T"]]
"""Maps each hidden state to one number."""


def state_importance(model: SupportsStates, trace: Trace) -> Float[Array, "B W W"]:
    """``‖∂‖s_p‖₂ / ∂e_i‖₂`` of the hidden state of every word p by every word i (Meister et al.
    2021, numerator of eq. 5).

    For a word of several tokens, the norm is over all pairs of tokens.
    """
    return _of_words(words_of(trace), to_numpy(_squares(model, trace)))


def facet_importance(model: SupportsStates, trace: Trace) -> Float[Array, "B W W"]:
    """``‖∂s_p / ∂e_i‖`` (Frobenius): the influence on all elements of the hidden state together.

    Meister et al. (2021, App. A) found it "nearly identical" to the influence on the norm of the
    hidden state. It costs as many times more as a hidden state has elements.
    """
    total = sum(
        to_numpy(_squares(model, trace, facet)) for facet in range(model.states(trace).shape[2])
    )
    return _of_words(words_of(trace), np.asarray(total))


def _squares(
    model: SupportsStates, trace: Trace, facet: int | None = None
) -> Float[torch.Tensor, "B T T"]:
    """Square the norm of the gradient of the norm of each hidden state, or of its element
    ``facet``, by each token.

    A model that offers ``influence`` computes all of them at once; others take a backward pass for
    each hidden state.
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
    """Square the norm of the gradient of ``target`` by each token, one backward pass for each
    hidden state.

    A model of this package runs once. A foreign model runs once for each pass, because its graph
    might be freed after one use.
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
    """``|‖s_p‖₂ − ‖s_p without word i‖₂|``: eq. 6 of Meister et al. (2021) for hidden states
    instead of the output.

    A deleted word has no hidden state of its own, which counts as norm 0. NaN for a text of one
    word.
    """
    words, batch = words_of(trace), trace.batch
    out = np.zeros((*words.mask.shape, words.mask.shape[1]))
    whole = _lengths(words, torch.linalg.vector_norm(model.states(trace), dim=2))
    for rows, columns in deletions(words, batch, tokens_at_once):
        kept = all_but(words, batch, rows, columns)
        shorter = model.trace(batch.rows(rows).keep(kept))
        left = torch.linalg.vector_norm(model.states(shorter), dim=2) * shorter.batch.mask
        back = torch.zeros(kept.shape, dtype=left.dtype, device=left.device).scatter_(
            1, kept_columns(kept), left
        )
        row = to_numpy(rows)
        out[row, :, to_numpy(columns)] = np.abs(whole[row] - _lengths(words, back, row))
    alone = words.mask.sum(1) < 2
    return np.where(alone[:, None, None], np.nan, out)


def _pieces(words: Words) -> Float[Array, "B W T"]:
    """Mark the tokens of each word: the word itself, where every word is one token."""
    return np.asarray(
        words.place[:, None, :] == np.arange(words.mask.shape[1])[:, None], dtype=float
    )


def _of_words(words: Words, squares: Float[Array, "B T T"]) -> Float[Array, "B W W"]:
    """Sum squares between tokens over all tokens of both words, and take the root."""
    pieces = _pieces(words)
    return np.asarray(np.sqrt(pieces @ squares @ pieces.transpose(0, 2, 1)))


def _lengths(
    words: Words, lengths: Float[torch.Tensor, "N T"], row: Array | slice = slice(None)
) -> Array:
    """Give the norm of the hidden states of each word, over all its tokens."""
    return np.asarray(np.sqrt(np.einsum("nwt,nt->nw", _pieces(words)[row], to_numpy(lengths) ** 2)))
