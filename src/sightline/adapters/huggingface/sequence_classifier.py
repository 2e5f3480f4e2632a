"""A Hugging Face classifier: runs texts and replaces whole layers of attention."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import torch
from jaxtyping import Bool, Float, Int

from sightline._io.unused_memory import Returning
from sightline.adapters.huggingface.architecture_probe import Architecture
from sightline.adapters.huggingface.attention_reduction import readable_tokens
from sightline.adapters.huggingface.forward_pass import plain_logits, run
from sightline.adapters.huggingface.read_logits import LastLayerReader, last_layer_reader
from sightline.adapters.huggingface.read_row import ReadRow
from sightline.adapters.huggingface.subword_alignment import NO_WORD, SubwordReader
from sightline.adapters.huggingface.weight_substitution import WeightSums, added, constant, uniform
from sightline.adapters.label_views import LabelView, of_label
from sightline.adapters.tap.prefix_cache import PrefixOutput
from sightline.adapters.tap.softmax_tracer import Site
from sightline.adapters.tap.tap import Change
from sightline.core.errors import ModelError
from sightline.core.example import Example
from sightline.core.protocols import Batch, Trace

SOME = 50
"""The most known words that are listed."""
RETURNING = Returning(2**14)
"""Gives memory back between the runs of shortened texts, whose tensors have many sizes."""


@dataclass(frozen=True)
class ShownAttention:
    """The record of a run: the logits, and the weights of each attention source, special tokens
    included.

    ``own`` are the replaceable rows, as the model computed them. ``ahead`` has the outputs of the
    layers before a site, for each part of the batch that was run together.
    """

    logits: Float[torch.Tensor, "B L"]
    rows: Float[torch.Tensor, "R B T"]
    own: Float[torch.Tensor, "*N B T"] | None
    ahead: Mapping[Site, Sequence[PrefixOutput]]
    last: ReadRow | None = None
    """The token that is read, with what the last layer mixes into it, if that layer can run for it
    alone."""

    @property
    def row(self) -> Float[torch.Tensor, "B T"]:
        """The weights of the first attention source."""
        return self.rows[0]


@dataclass(frozen=True)
class TextGroup:
    """Texts of a batch that are run together, and their places in it."""

    ids: Int[torch.Tensor, "N T"]
    mask: Bool[torch.Tensor, "N T"]
    readable: Bool[torch.Tensor, "N T"]
    word: Int[torch.Tensor, "N T"]
    places: Int[torch.Tensor, " N"]

    def of(self, each: Float[torch.Tensor, "*K B Tmax"]) -> Float[torch.Tensor, "*K N T"]:
        """Take these texts' part of a tensor whose last axes are texts and tokens."""
        return each[..., self.places, : self.ids.shape[1]]


AttentionChanges = Callable[[TextGroup], Mapping[Site, Change]]


@dataclass(frozen=True, eq=False)
class Classifier(LabelView):
    """A classifier, its tokenizer and its attention layers, before an attention source is chosen."""

    module: Any
    reader: SubwordReader
    architecture: Architecture
    name: str
    segments: bool
    """Whether the model gets token type ids, which separate text and query."""
    together: bool
    """Whether texts of several lengths may be run together, padded."""

    @property
    def device(self) -> torch.device:
        """The device of the module."""
        found: torch.device = next(self.module.parameters()).device
        return found

    @property
    def layers(self) -> int:
        """Count the layers of attention."""
        return len(self.architecture.sites)

    def collate(self, examples: Sequence[Example]) -> Batch:
        """Tokenise texts and pad them at the right."""
        return self.reader.batch(examples, self.device)

    def seen(self, example: Example) -> Example:
        """Leave out the words beyond the model's length."""
        return self.reader.seen(example)

    def beyond(self, example: Example) -> int:
        """Count the words beyond the model's length."""
        return self.reader.beyond(example)

    @property
    def unknown(self) -> int | None:
        """The tokenizer's unknown token."""
        return self.reader.unknown

    @property
    def words(self) -> tuple[str, ...]:
        """Some words that the tokenizer knows: tokens that are whole words of letters, in order."""
        numbered = sorted(
            (number, piece) for piece, number in self.reader.tokenizer.get_vocab().items()
        )
        return tuple(piece for _, piece in numbered if piece.isalpha() and len(piece) > 1)[:SOME]

    def embed(self, batch: Batch) -> Float[torch.Tensor, "B T E"]:
        """Look up the embeddings of the tokens."""
        with torch.no_grad():
            found: torch.Tensor = self.module.get_input_embeddings()(self._ids(batch))
        return found

    def logits(self, batch: Batch) -> Float[torch.Tensor, "B L"]:
        """The logits of texts from the module as it is. Its attention is not read, so it may run
        fused. If possible, the last layer runs only for the token that is read.
        """
        found, places = [], []
        reader = self.last_layer
        with torch.no_grad():
            for some in self.parts(batch):
                extra = self.extra_inputs(some.ids, some.word)
                answer = (
                    reader.logits(some.ids, some.mask, **extra)
                    if reader
                    else plain_logits(self.module, some.ids, some.mask, **extra)
                )
                found.append(of_label(answer, self.label))
                places.append(some.places)
                RETURNING.ran(some.ids.numel())
        return torch.cat(found)[torch.cat(places).argsort()]

    def logits_in_use(self, example: Example) -> Float[torch.Tensor, " L"]:
        """The logits of ``module(**tokenizer(text))``, of the inputs that the module takes."""
        taken = inspect.signature(self.module.forward).parameters
        every = any(one.kind is one.VAR_KEYWORD for one in taken.values())
        given = {
            name: torch.tensor([numbers], device=self.device)
            for name, numbers in self.reader.inputs(example).items()
            if every or name in taken
        }
        with torch.no_grad():
            answer: torch.Tensor = self.module(**given).logits
        return of_label(answer, self.label)[0]

    @cached_property
    def last_layer(self) -> LastLayerReader | None:
        """Reads the last layer if it can run for one token alone. None otherwise, and on other
        devices, which it does not keep busy.
        """
        if not self.together or self.device.type != "cpu":
            return None
        ids = self.architecture.text.to(self.device)
        mask = torch.ones_like(ids, dtype=torch.bool)
        mask[-1, -max(1, ids.shape[1] // 4) :] = False  # texts of two lengths
        ids = ids.masked_fill(~mask, self.reader.pad)
        last, row, skipped = (
            self.architecture.sites[-1],
            self.architecture.row,
            self.architecture.skipped,
        )
        return last_layer_reader(
            self.module, last, row, skipped, ids, mask, **self.extra_inputs(ids)
        )

    def label_logits(self, batch: Batch) -> Float[torch.Tensor, "B K"]:
        """Give the logits of all labels in one run."""
        return replace(self, label=None).logits(batch)

    def added_weights(self, batch: Batch, sums: Sequence[WeightSums]) -> list[WeightSums]:
        """Add up the weights of every layer, place by place."""
        found: list[WeightSums | None] = list(sums) or [None] * self.layers
        for some in self.parts(batch):
            with torch.no_grad():
                kept = run(
                    self.module,
                    some.ids,
                    some.mask,
                    None,
                    self.architecture.sites,
                    {},
                    every_row=True,
                    **self.extra_inputs(some.ids, some.word),
                ).kept
            pairs = zip(found, self.architecture.sites, strict=True)
            found = [added(one, kept.weights[site], some.mask) for one, site in pairs]
        return [one for one in found if one is not None]

    def without_choice(
        self, batch: Batch, layer: int | None, means: Sequence[torch.Tensor] | None
    ) -> Float[torch.Tensor, "B L"]:
        """The logits with mean weights of other texts, or uniform weights, at one layer or at all."""
        layers = range(self.layers) if layer is None else [layer]
        changes: dict[Site, Change] = {
            self.architecture.sites[one]: uniform
            if means is None
            else partial(constant, means=means[one])
            for one in layers
        }
        with torch.no_grad():
            return self.answer_under(batch, lambda _: changes, every_row=True)

    def answer_under(
        self,
        batch: Batch,
        changes: AttentionChanges,
        embeddings: Float[torch.Tensor, "B T E"] | None = None,
        ahead: Sequence[PrefixOutput] = (),
        *,
        every_row: bool = False,
    ) -> Float[torch.Tensor, "B L"]:
        """The logits with changed weights, of ``every_row`` or of one. Layers ahead whose outputs
        are stored do not run.
        """
        logits, places = [], []
        for number, some in enumerate(self.parts(batch)):
            start = None if embeddings is None else embeddings[some.places, : some.ids.shape[1]]
            with ahead[number].skipped(self.module) if ahead else nullcontext():
                answer = run(
                    self.module,
                    some.ids,
                    some.mask,
                    start,
                    (),
                    changes(some),
                    every_row=every_row,
                    **self.extra_inputs(some.ids, some.word),
                )
            logits.append(of_label(answer.logits, self.label))
            places.append(some.places)
        return torch.cat(logits)[torch.cat(places).argsort()]

    def shown_in(self, trace: Trace) -> ShownAttention:
        """The record of a run that a trace of this model keeps."""
        if not isinstance(trace.inside, ShownAttention):
            message = f"{self.name}: expected a trace of its own to decode, got another model's"
            raise ModelError(message, change="trace the batch again")
        return trace.inside

    def parts(self, batch: Batch) -> Iterator[TextGroup]:
        """The texts that are run together: all, or the texts of one length if padding is not inert.
        A model of encoder and decoder takes only texts with equally many end tokens at once.
        """
        ids, lengths = self._ids(batch), batch.mask.sum(1)
        readable = readable_tokens(ids, batch.mask, self.architecture.skipped)
        ends = self._ends(ids, batch.mask)
        if self.together and ends is None:
            places = torch.arange(len(ids), device=ids.device)
            yield TextGroup(ids, batch.mask, readable, batch.word, places)
            return
        widths = torch.full_like(lengths, ids.shape[1]) if self.together else lengths
        kinds = torch.stack([widths, torch.zeros_like(widths) if ends is None else ends], dim=1)
        for width, ends_there in sorted(set(map(tuple, kinds.tolist()))):
            some = (kinds == kinds.new_tensor([width, ends_there])).all(1).nonzero()[:, 0]
            mask, word = batch.mask[some, :width], batch.word[some, :width]
            yield TextGroup(ids[some, :width], mask, readable[some, :width], word, some)

    def _ends(
        self, ids: Int[torch.Tensor, "B T"], mask: Bool[torch.Tensor, "B T"]
    ) -> Int[torch.Tensor, " B"] | None:
        """Count the end tokens of each text, where one written in a text is read as such; None of a
        model that does not ask for equally many.
        """
        config = self.module.config
        if not config.is_encoder_decoder or config.eos_token_id is None:
            return None
        ends: torch.Tensor = (torch.eq(ids, config.eos_token_id) & mask).sum(1)
        return ends

    def extra_inputs(
        self, ids: Int[torch.Tensor, "B T"], word: Int[torch.Tensor, "B T"] | None = None
    ) -> dict[str, torch.Tensor]:
        """The module's inputs in addition to ids and mask; without ``word``, of no word of a text."""
        return {"token_type_ids": self._segments(ids, word)} if self.segments else {}

    def _segments(
        self, ids: Int[torch.Tensor, "B T"], word: Int[torch.Tensor, "B T"] | None
    ) -> Int[torch.Tensor, "B T"]:
        """Number the parts of a pair by the separators before a token. One that is written in a
        text belongs to a word, and separates nothing.
        """
        ends = torch.eq(ids, self.reader.separator or 0)
        if word is not None:
            ends = ends & torch.eq(word, NO_WORD)
        return (ends.long().cumsum(1) - ends.long()).clamp(max=1)

    def _ids(self, batch: Batch) -> Int[torch.Tensor, "B T"]:
        return batch.ids.masked_fill(~batch.mask, self.reader.pad)
