"""A causal language model as a classifier: it answers a prompt with one of a few tokens."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import nn

from sightline.core.errors import ModelError

SAME = 1e-5
"""Logits that differ by less, relative to the largest, are equal."""


@dataclass(frozen=True)
class Calibration:
    """The offsets of the logit of each class, and the texts that they were measured on."""

    offsets: tuple[float, ...]
    seen: frozenset[str]
    """The fingerprints of these texts, which are never audited."""
    texts: int


@dataclass(frozen=True)
class AnswerLogits:
    """The logits of the answers."""

    logits: Float[torch.Tensor, "B L"]


class PromptedModel(nn.Module):
    """The logits of some tokens of the vocabulary, at the last token that is no padding.

    The output layer computes only these tokens. The given model stays unchanged; both models share
    its layers.
    """

    def __init__(self, model: Any, tokens: Sequence[int]) -> None:
        """Take a model, and the tokens that are its answers."""
        super().__init__()
        self.model = _with_output(model, tokens)
        self.config = model.config.get_text_config()
        self.training = model.training
        self.prefix = torch.zeros(0, dtype=torch.long)
        self.layers: list[tuple[torch.Tensor, torch.Tensor]] = []
        self.offsets = torch.zeros(len(tokens), device=self.device)
        self.calibration: Calibration | None = None

    @property
    def device(self) -> torch.device:
        """The device of the model."""
        found: torch.device = self.model.device
        return found

    def get_input_embeddings(self) -> nn.Module:
        """The part that looks up embeddings."""
        found: nn.Module = self.model.get_input_embeddings()
        return found

    def shift(self, offsets: Float[torch.Tensor, " L"], calibration: Calibration) -> None:
        """Add an offset to the logit of each answer, whatever the text is."""
        self.offsets, self.calibration = offsets.to(self.offsets), calibration

    def keep_prefix(self, prefix: Sequence[int], prompt: Sequence[int]) -> None:
        """Store the keys and values of the tokens with which every prompt begins.

        They are stored only if ``prompt``, which begins with them, gets the same logits with them
        and without.
        """
        text = torch.tensor([list(prompt)], device=self.device)
        there = torch.ones_like(text)
        with torch.no_grad(), suppress(AttributeError, LookupError, RuntimeError, TypeError):
            start = text[:, : len(prefix)]
            cache = self._cache(1)  # empty: nothing is kept yet
            self.model(input_ids=start, past_key_values=cache)
            self.layers = [(layer.keys, layer.values) for layer in cache.layers]
            self.prefix = start[0]
            whole, continued = self(text, there).logits, self(text, there, reuse=True).logits
            if bool((whole - continued).abs().max() <= SAME * whole.abs().max()):
                return
        self.prefix, self.layers = torch.zeros(0, dtype=torch.long), []

    def shared(self, ids: Int[torch.Tensor, "B T"]) -> int:
        """Count the first tokens of these texts whose keys and values are stored."""
        size = len(self.prefix)
        begins = 0 < size < ids.shape[1] and bool((ids[:, :size] == self.prefix).all())
        return size if begins else 0

    def forward(
        self,
        input_ids: Int[torch.Tensor, "B T"],
        attention_mask: Int[torch.Tensor, "B T"],
        *,
        reuse: bool = False,
    ) -> AnswerLogits:
        """The logits of texts padded at the right: a causal model does not see what follows.

        With ``reuse``, the tokens that all texts begin with are not run again.
        """
        kept = {"past_key_values": self._cache(len(input_ids))} if reuse else {"use_cache": False}
        start = len(self.prefix) if reuse else 0
        every = self.model(
            input_ids=input_ids[:, start:], attention_mask=attention_mask, **kept
        ).logits
        rows = torch.arange(len(input_ids), device=input_ids.device)
        return AnswerLogits(every[rows, attention_mask.sum(1) - 1 - start] + self.offsets)

    def _cache(self, texts: int) -> Any:
        """Give each text the keys and values of the prefix."""
        from transformers import DynamicCache  # noqa: PLC0415  (an extra)

        cache = DynamicCache()
        for number, (keys, values) in enumerate(self.layers):
            cache.update(keys.expand(texts, -1, -1, -1), values.expand(texts, -1, -1, -1), number)
        return cache


def _with_output(model: Any, tokens: Sequence[int]) -> Any:
    """Give a model that shares all parts with another, except its output layer, which is cut to
    some rows.
    """
    output = model.get_output_embeddings()
    if not isinstance(output, nn.Linear):
        message = (
            f"{type(model).__name__}: expected a causal language model with an output layer, got "
            f"{type(output).__name__}"
        )
        raise ModelError(message, change="load it with AutoModelForCausalLM; hf: takes classifiers")
    chosen = list(tokens)
    cut = nn.Linear(output.in_features, len(chosen), bias=output.bias is not None)
    with torch.no_grad():
        cut.weight = nn.Parameter(output.weight[chosen].clone())
        if output.bias is not None:
            cut.bias = nn.Parameter(output.bias[chosen].clone())
    other = copy(model)
    other._modules = dict(model._modules)
    other.set_output_embeddings(cut.train(model.training))
    if model.get_output_embeddings() is not output:  # it belongs to a shared part
        model.set_output_embeddings(output)
        message = f"{type(model).__name__}: its output layer cannot be cut to the answers"
        raise ModelError(message, change="use another causal language model")
    return other
