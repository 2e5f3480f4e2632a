"""The protocol of encoders; the registry row of an encoder gives the width of its states and
whether they see other tokens.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import torch
from jaxtyping import Bool, Float


@runtime_checkable
class Encoder(Protocol):
    """From embeddings to states, and from the states of a query to one vector.

    ``tests/contract/test_parts.py`` checks these guarantees for every encoder of the registry:

    * States have the width that the row of the encoder names, and the type and device of the
      embeddings.
    * States of padding are zero. A text without tokens gets zero states, and so does a batch of
      such texts.
    * A text has the same states alone and in any batch, under any padding, whatever numbers stand
      on the padding.
    * Gradients of states reach the embeddings of real tokens, are finite, and are zero on padding.
      Every parameter of the encoder gets a gradient.
    * Embeddings and mask are not modified. The same embeddings give the same states; nothing is
      random.
    """

    def __call__(
        self, embeddings: Float[torch.Tensor, "B T E"], mask: Bool[torch.Tensor, "B T"]
    ) -> Float[torch.Tensor, "B T H"]:
        """Encode each token; padding and texts without tokens get zeros."""
        ...

    def summary(
        self, states: Float[torch.Tensor, "B Q H"], mask: Bool[torch.Tensor, "B Q"]
    ) -> Float[torch.Tensor, "B H"]:
        """Summarise a query in one vector, independent of padding; a query without tokens gives
        zeros.
        """
        ...


def masked_mean(
    states: Float[torch.Tensor, "B Q H"], mask: Bool[torch.Tensor, "B Q"]
) -> Float[torch.Tensor, "B H"]:
    """Average over the real tokens; zeros where there is none."""
    real = mask[:, :, None]
    return (states * real).sum(1) / real.sum(1).clamp(min=1)
