"""A sequence classifier of Hugging Face transformers, under one reading of its attention, as an `Auditable`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
from jaxtyping import Bool, Float, Int

from sightline.adapters.huggingface.anatomy import Anatomy
from sightline.adapters.huggingface.reading import Reading
from sightline.adapters.huggingface.running import run
from sightline.adapters.huggingface.texts import Reader
from sightline.adapters.tap.mode import Site
from sightline.adapters.tap.tap import Change, Weights
from sightline.errors import ModelError
from sightline.example import Example
from sightline.maths.projections import renormalise
from sightline.types import Batch, Link, Offer, Origin, Trace


@dataclass(frozen=True)
class Shown:
    """What is shown of a run: the logits, and the weights in the row that the head reads, special tokens' too."""

    logits: Float[torch.Tensor, "B L"]
    row: Float[torch.Tensor, "B T"]


@dataclass(frozen=True, eq=False)
class HuggingFace:
    """A classifier whose attention is what one `Reading` shows, over the words of a text.

    Special tokens keep the weight that the model gives them: what is shown, shuffled and replaced is how the rest is
    shared among the words, as a distribution. Of one head in one row the weights can be put back, so it can decode; the
    mean of several is seen alone.
    """

    module: Any
    reader: Reader
    anatomy: Anatomy
    reading: Reading
    name: str
    labels: tuple[str, ...]
    link: Link
    segments: bool
    """Whether the model is told which piece is of the text and which of the query."""
    together: bool
    """Whether texts of several lengths may be run together, padded."""

    @property
    def origin(self) -> Origin:
        """Elsewhere: that the tap reads and replaces what the model uses has to be proved."""
        return "elsewhere"

    @property
    def offers(self) -> frozenset[Offer]:
        """Gradients always; other weights where what is shown is one row of one head."""
        one = self.reading.head is not None and self.anatomy.row != "all"
        return frozenset({"embedding_grad", "decode"}) if one else frozenset({"embedding_grad"})

    @property
    def device(self) -> torch.device:
        """Where the module is."""
        found: torch.device = next(self.module.parameters()).device
        return found

    @cached_property
    def site(self) -> Site:
        """Where the weights are made that are shown."""
        return self.anatomy.sites[self.reading.layer]

    def collate(self, examples: Sequence[Example]) -> Batch:
        """Cut texts into pieces, padded at the right."""
        return self.reader.batch(examples, self.device)

    def seen(self, example: Example) -> Example:
        """Leave out what is beyond the length of the model."""
        return self.reader.seen(example)

    def embed(self, batch: Batch) -> Float[torch.Tensor, "B T E"]:
        """Look up the embeddings of the pieces."""
        with torch.no_grad():
            found: torch.Tensor = self.module.get_input_embeddings()(self._ids(batch))
        return found

    def trace(self, batch: Batch, embeddings: Float[torch.Tensor, "B T E"] | None = None) -> Trace:
        """Run the model and read the weights that are shown; detached, unless embeddings are given."""
        with torch.set_grad_enabled(embeddings is not None):
            answer = self._answer(batch, embeddings)
        start = self.embed(batch) if embeddings is None else embeddings
        attention, elsewhere = renormalise(answer.row, batch.attendable), (answer.row * ~batch.attendable).sum(1)
        return Trace(batch, start, attention, answer.logits, elsewhere=elsewhere, inside=answer)

    def decode(self, trace: Trace, attention: Float[torch.Tensor, "B T"]) -> Float[torch.Tensor, "B L"]:
        """Run the model again with other weights on the words; special tokens keep theirs."""
        if "decode" not in self.offers:
            raise ModelError(f"{self.name}: {self.reading.told} cannot be replaced", change="choose one head")
        if not isinstance(trace.inside, Shown):
            told = f"{self.name}: expected a trace of its own to decode, got another model's"
            raise ModelError(told, change="trace the batch anew")
        words, row = trace.batch.attendable, trace.inside.row
        # What special tokens have is held where attention is held, and follows the embeddings where attention does.
        own = row if attention.requires_grad else row.detach()
        put = torch.where(words, attention.to(own.dtype) * (own * words).sum(1, keepdim=True), own)
        with torch.set_grad_enabled(torch.is_grad_enabled() and (put.requires_grad or trace.embeddings.requires_grad)):
            return self._answer(trace.batch, trace.embeddings, put).logits

    def _answer(
        self, batch: Batch, embeddings: torch.Tensor | None, row: Float[torch.Tensor, "B T"] | None = None
    ) -> Shown:
        """Run texts together, or those of one length at a time where padding would change them."""
        ids = self._ids(batch)
        if self.together:
            return self._run(ids, batch.mask, embeddings, row)
        lengths = batch.mask.sum(1)
        alike = [(length, (lengths == length).nonzero()[:, 0]) for length in sorted(set(lengths.tolist()))]
        found = []
        for length, some in alike:
            given = [None if each is None else each[some, :length] for each in (embeddings, row)]
            found.append(self._run(ids[some, :length], batch.mask[some, :length], *given))
        back = torch.cat([some for _, some in alike]).argsort()
        rows = [torch.nn.functional.pad(one.row, (0, ids.shape[1] - one.row.shape[1])) for one in found]
        return Shown(torch.cat([one.logits for one in found])[back], torch.cat(rows)[back])

    def _run(
        self,
        ids: Int[torch.Tensor, "B T"],
        mask: Bool[torch.Tensor, "B T"],
        embeddings: Float[torch.Tensor, "B T E"] | None,
        row: Float[torch.Tensor, "B T"] | None,
    ) -> Shown:
        changes = {} if row is None else {self.site: self._put(row, mask)}
        beside = {"token_type_ids": self._segments(ids)} if self.segments else {}
        answer = run(self.module, ids, mask, embeddings, (self.site,), changes, **beside)
        return Shown(answer.logits, self._row(answer.weights[self.site], mask) * mask)

    def _row(self, weights: Weights, mask: Bool[torch.Tensor, "B T"]) -> Float[torch.Tensor, "B T"]:
        """Take the row that the head of the classifier reads, or the mean of all, of one head or the mean of all."""
        of_heads = weights.mean(1) if self.reading.head is None else weights[:, self.reading.head]
        if self.anatomy.row == "all":
            real = mask.to(of_heads.dtype)[:, :, None]
            return (of_heads * real).sum(1) / real.sum(1)
        return of_heads[torch.arange(len(mask)), self._place(mask)]

    def _place(self, mask: Bool[torch.Tensor, "B T"]) -> Int[torch.Tensor, " B"]:
        return torch.zeros_like(mask[:, 0], dtype=torch.long) if self.anatomy.row == "first" else mask.sum(1) - 1

    def _put(self, row: Float[torch.Tensor, "B T"], mask: Bool[torch.Tensor, "B T"]) -> Change:
        def change(weights: Weights) -> Weights:
            changed = weights.clone()
            changed[torch.arange(len(mask)), self.reading.head, self._place(mask)] = row
            return changed

        return change

    def _segments(self, ids: Int[torch.Tensor, "B T"]) -> Int[torch.Tensor, "B T"]:
        """Number the parts of a pair by the separators before a token: a batch keeps nothing but ids and mask."""
        ends = torch.eq(ids, self.reader.separator or 0).long()
        return (ends.cumsum(1) - ends).clamp(max=1)

    def _ids(self, batch: Batch) -> Int[torch.Tensor, "B T"]:
        return batch.ids.masked_fill(~batch.mask, self.reader.pad)
