"""The output of a model under any attention over the words: from token logits if there are any,
otherwise decoded.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

import numpy as np
import torch
from jaxtyping import Float

from sightline.core.needs import needed
from sightline.core.protocols import Auditable, SupportsManyDecodings, Trace
from sightline.measures.batch_words import Words, like
from sightline.numerics.adversarial_descent import DescentProblem
from sightline.numerics.tensors import to_numpy

Array = np.ndarray
NOT_AFFINE = needed({"token_logits"})
"""Why a model without token logits has no exact numbers."""
AT_ONCE = 25
"""Number of attentions that are decoded together, if the model can."""


@dataclass(frozen=True)
class Decoding:
    """Decodes one batch under weights of words; tokens share the weight of their word as in the
    model's own attention.

    If a model has several heads, one map replaces the weights of all of them, and weights made from
    `Words.own` replace them head by head.
    """

    model: Auditable
    trace: Trace
    words: Words

    def __call__(self, weights: Float[torch.Tensor, "R B W"]) -> Float[torch.Tensor, "R B L"]:
        """Decode one attention after the other, with gradients if the model allows them."""
        return torch.stack([self.model.decode(self.trace, one) for one in self._of_tokens(weights)])

    def logits(self, weights: Float[Array, "R B W"]) -> Float[Array, "R B L"]:
        """Decode weights given as arrays, without gradients."""
        return self._decoded(like(one, self.trace) for one in self.words.weights(weights))

    def by_head(self, own: Iterable[Float[Array, "*N B W"]]) -> Float[Array, "R B L"]:
        """Decode weights made from `Words.own`, one after the other, without gradients."""
        return self._decoded(like(self.words.by_head(one), self.trace) for one in own)

    def alone(self) -> Float[Array, "B W L"]:
        """Decode all weight on each word; its own attention where a text has no such word."""
        own, mask = self.words.attention, self.words.mask
        each = np.eye(mask.shape[1])
        alone = np.stack([np.where(mask[:, [w]], each[w], own) for w in range(mask.shape[1])])
        return self.logits(alone).swapaxes(0, 1)

    def _decoded(self, many: Iterable[torch.Tensor]) -> Float[Array, "R B L"]:
        """Decode without gradients, in chunks."""
        found, left = list[Array](), iter(many)
        with torch.no_grad():
            while some := list(islice(left, AT_ONCE)):
                if isinstance(self.model, SupportsManyDecodings):
                    found.append(to_numpy(self.model.decode_many(self.trace, torch.stack(some))))
                else:
                    found.extend(to_numpy(self.model.decode(self.trace, one))[None] for one in some)
        return np.concatenate(found)

    def _of_tokens(self, weights: Float[torch.Tensor, "R B W"]) -> Float[torch.Tensor, "R B T"]:
        """Split the weights of words among their tokens like `Words.weights`, with gradients."""
        if self.words.shares is None:
            return weights.to(self.trace.attention)
        place = torch.from_numpy(np.maximum(self.words.place, 0)).to(weights.device)
        shares = torch.from_numpy(np.where(self.words.place >= 0, self.words.shares, 0.0)).to(
            weights
        )
        return (weights.gather(-1, place.expand(len(weights), -1, -1)) * shares).to(
            self.trace.attention
        )


def task_of(model: Auditable, trace: Trace, words: Words) -> DescentProblem:
    """Define the search problem; with token logits in double precision, where decoding is one
    multiplication a word.
    """
    device = trace.attention.device
    if trace.token_logits is not None:
        z = torch.from_numpy(words.alone(to_numpy(trace.token_logits))).to(device)
        own = torch.from_numpy(words.attention).to(device)
        logits = torch.einsum("bt,btl->bl", own, z)
        return DescentProblem(
            lambda many: torch.einsum("kbt,btl->kbl", many, z),
            own,
            torch.from_numpy(words.mask).to(device),
            logits,
        )
    own = like(words.attention, trace)
    reached = torch.from_numpy(words.in_sight).to(device)
    return DescentProblem(Decoding(model, trace, words), own, reached, trace.logits)
