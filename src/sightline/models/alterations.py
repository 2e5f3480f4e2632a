"""Trained models with one alteration, so that the right result of their audit is known.

Three alterations show weights that the model does not use: `RandomShown`, `ShuffledShown`,
`RationaleShown`. `Sharpened` makes the used weights more uneven, `Scaled` multiplies the logits
without changing any prediction, and `Broken` gives NaN logits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import nn

from sightline.config.part_syntax import parse_part
from sightline.core.errors import DataError
from sightline.core.example import Example
from sightline.core.protocols import (
    Auditable,
    Batch,
    Capability,
    Link,
    Origin,
    SupportsInfluence,
    SupportsStates,
    SupportsVariants,
    Trace,
)
from sightline.core.seeds import seed_for
from sightline.data.dataset import Dataset, has_marks
from sightline.models.attention import GivenWeights, Random, drawn_by_word
from sightline.models.build_part import build_part
from sightline.numerics.projections import softmax


def alter(text: str, model: Auditable, dataset: Dataset, seed: int) -> Auditable:
    """Alter a model as a part such as ``scaled(by=10.0)`` says; an empty text leaves it unchanged."""
    if not text:
        return model
    altered: Altered = build_part("altered", parse_part(text), model, dataset, seed)
    altered.name = f"{model.name}, altered: {text}"
    return altered


def check_alterable(text: str, dataset: Dataset) -> None:
    """Refuse, before training, data that lack what an alteration needs."""
    name = parse_part(text).name if text else ""
    if name == "rationale" and not has_marks(dataset.test):
        raise DataError(f"{dataset.name}: expected rationales to show, got none", field="altered")
    if name in SHOW_EVIDENCE and not any(map(has_marks, dataset.splits.values())):
        raise DataError(
            f"{dataset.name}: expected marked evidence for {name} to show, got none; take a "
            "generated corpus (planted:…) or data with rationales",
            field="altered",
        )


SHOW_EVIDENCE = (
    "truthful", "one_class", "mixture", "short", "half", "flat", "topped", "border",
)  # fmt: skip
"""Alterations that show marked evidence, or a part of it."""


OF_ANOTHER_TRACE: frozenset[Capability] = frozenset({"deletion", "from_states"})
"""What an altered model does not offer: its outputs would belong to an unaltered trace."""


class Altered(nn.Module):
    """A wrapper that leaves a model unchanged; an `Auditable` of this package.

    It is a module, so that copying it in another precision includes the model.
    """

    origin: Origin = "here"

    def __init__(self, model: Auditable) -> None:
        super().__init__()
        self.model = model
        self.name = model.name
        self.link: Link = model.link
        self.labels = model.labels
        self.offers: frozenset[Capability] = model.offers - OF_ANOTHER_TRACE

    def collate(self, examples: Sequence[Example]) -> Batch:
        """Collate as the model does."""
        return self.model.collate(examples)

    def embed(self, batch: Batch) -> Float[torch.Tensor, "B T E"]:
        """Embed as the model does."""
        return self.model.embed(batch)

    def trace(self, batch: Batch, embeddings: Float[torch.Tensor, "B T E"] | None = None) -> Trace:
        """Run the model, and alter its trace."""
        return self.changed(self.model.trace(batch, embeddings))

    def trace_variants(self, batch: Batch) -> Trace:
        """Run the model on text variants, and alter its trace."""
        assert isinstance(self.model, SupportsVariants)  # offered only for such models
        return self.changed(self.model.trace_variants(batch))

    def changed(self, own: Trace) -> Trace:
        """Leave the trace unchanged."""
        return own

    def decode(
        self, trace: Trace, attention: Float[torch.Tensor, "B T"]
    ) -> Float[torch.Tensor, "B L"]:
        """Decode as the model does."""
        return self.model.decode(trace, attention)

    def states(self, trace: Trace) -> Float[torch.Tensor, "B T P"]:
        """Give the hidden states of the model."""
        assert isinstance(self.model, SupportsStates)  # offered only for such models
        return self.model.states(trace)

    def influence(self, trace: Trace, facet: int | None = None) -> Float[torch.Tensor, "B T T"]:
        """Give the influence of each token on the model's states."""
        assert isinstance(self.model, SupportsInfluence)  # offered only for such models
        return self.model.influence(trace, facet)


class UnusedShown(Altered):
    """Show weights that the model does not use."""

    def changed(self, own: Trace) -> Trace:
        """Show other weights."""
        return replace(own, attention=self.shown(own).detach(), heads=None, inside=own)

    def decode(
        self, trace: Trace, attention: Float[torch.Tensor, "B T"]
    ) -> Float[torch.Tensor, "B L"]:
        """Decode with the model's own weights, ignoring the given attention."""
        return self.answered(trace.inside)

    def answered(self, own: Trace) -> Float[torch.Tensor, "B L"]:
        """Give the model's logits, decoded again from its own weights if the model can decode."""
        return self.model.decode(own, own.own.detach()) if "decode" in self.offers else own.logits

    def shown(self, own: Trace) -> Float[torch.Tensor, "B T"]:
        """Give the weights to show."""
        raise NotImplementedError


class RandomShown(UnusedShown):
    """Show random weights: the softmax of N(0, 1) draws for each word of each text."""

    def __init__(self, model: Auditable, dataset: Dataset, seed: int) -> None:
        super().__init__(model)
        self.drawn = Random(softmax, seed, 1.0)

    def shown(self, own: Trace) -> Float[torch.Tensor, "B T"]:
        """Draw them."""
        return self.drawn(own.attention, own.batch)


class ShuffledShown(UnusedShown):
    """Show the used weights on other words, in a random order for each text."""

    def __init__(self, model: Auditable, dataset: Dataset, seed: int) -> None:
        super().__init__(model)
        self.seed = seed

    def shown(self, own: Trace) -> Float[torch.Tensor, "B T"]:
        """Give the j-th word of the text the weight of the word with the j-th smallest draw."""
        there = own.batch.attendable
        draws = drawn_by_word(_uniform_draws, self.seed, "shuffled attention", own.batch)
        order = draws.masked_fill(~there, torch.inf).argsort(dim=1)
        places = (~there).to(torch.uint8).argsort(dim=1, stable=True)
        return torch.zeros_like(own.attention).scatter(1, places, own.attention.gather(1, order))


class RationaleShown(UnusedShown):
    """Show the rationale with equal weights; without a rationale, all words."""

    def __init__(self, model: Auditable, dataset: Dataset, seed: int) -> None:
        super().__init__(model)
        texts = [text for split in dataset.splits.values() for text in split]
        self.marks = GivenWeights(
            {
                text.index: np.array(text.rationale or [False] * len(text.tokens), float)
                for text in texts
            }
        )

    def shown(self, own: Trace) -> Float[torch.Tensor, "B T"]:
        """Look up the rationale."""
        return self.marks(own.attention, own.batch)


class Sharpened(Altered):
    """Raise the weights to a power, rescale and use them: with a high power, any model attends to
    nearly one word.
    """

    def __init__(self, model: Auditable, dataset: Dataset, seed: int, power: float) -> None:
        super().__init__(model)
        self.power = power

    def changed(self, own: Trace) -> Trace:
        """Sharpen the weights, and decode with them."""
        least = torch.finfo(own.attention.dtype).tiny
        weights = softmax(self.power * own.attention.clamp(min=least).log(), own.batch.attendable)
        return replace(own, attention=weights, heads=None, logits=self.model.decode(own, weights))


class Scaled(Altered):
    """Multiply all logits: another temperature, the same predictions."""

    def __init__(self, model: Auditable, dataset: Dataset, seed: int, by: float) -> None:
        super().__init__(model)
        self.by = by

    def changed(self, own: Trace) -> Trace:
        """Multiply the logits, and the token logits."""
        alone = None if own.token_logits is None else self.by * own.token_logits
        return replace(own, logits=self.by * own.logits, token_logits=alone)

    def decode(
        self, trace: Trace, attention: Float[torch.Tensor, "B T"]
    ) -> Float[torch.Tensor, "B L"]:
        """Decode, and multiply."""
        return self.by * self.model.decode(trace, attention)


class Broken(Altered):
    """Turn the logits of a random share of the texts into NaN."""

    def __init__(self, model: Auditable, dataset: Dataset, seed: int, share: float) -> None:
        super().__init__(model)
        self.seed = seed
        self.share = share

    def changed(self, own: Trace) -> Trace:
        """Break the logits, and the token logits."""
        gone = self._gone(own.batch)[:, None]
        alone = (
            None
            if own.token_logits is None
            else own.token_logits.masked_fill(gone[:, :, None], torch.nan)
        )
        return replace(own, logits=own.logits.masked_fill(gone, torch.nan), token_logits=alone)

    def decode(
        self, trace: Trace, attention: Float[torch.Tensor, "B T"]
    ) -> Float[torch.Tensor, "B L"]:
        """Decode, and break the same texts."""
        return self.model.decode(trace, attention).masked_fill(
            self._gone(trace.batch)[:, None], torch.nan
        )

    def _gone(self, batch: Batch) -> Bool[torch.Tensor, " B"]:
        generators = [
            np.random.default_rng(seed_for(self.seed, "broken", index))
            for index in batch.index.tolist()
        ]
        return torch.tensor(
            [one.random() < self.share for one in generators], device=batch.ids.device
        )


def _uniform_draws(generator: np.random.Generator, words: int) -> Float[np.ndarray, " W"]:
    return generator.random(words)
