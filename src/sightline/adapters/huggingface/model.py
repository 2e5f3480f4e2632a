"""A sequence classifier of Hugging Face transformers, under one reading of its attention, as an `Auditable`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import torch
from jaxtyping import Bool, Float, Int

from sightline.adapters.huggingface.anatomy import Anatomy
from sightline.adapters.huggingface.filling import Sums, added, constant, put_rows, uniform
from sightline.adapters.huggingface.reading import Reading
from sightline.adapters.huggingface.running import run
from sightline.adapters.huggingface.texts import Reader
from sightline.adapters.huggingface.views import Layer, Ran, place, shown
from sightline.adapters.tap.mode import Site
from sightline.adapters.tap.tap import Change, Weights
from sightline.errors import ModelError
from sightline.example import Example
from sightline.maths.odds import log_odds
from sightline.maths.projections import renormalise
from sightline.types import Batch, Link, Offer, Origin, Trace

HELD = 2**25
"""Weights of all layers that are held at once, as numbers."""


@dataclass(frozen=True)
class Shown:
    """What is shown of a run: the logits, and what each reading makes of its weights, of special tokens too."""

    logits: Float[torch.Tensor, "B L"]
    rows: Float[torch.Tensor, "R B T"]

    @property
    def row(self) -> Float[torch.Tensor, "B T"]:
        """What the first reading makes of them."""
        return self.rows[0]


@dataclass(frozen=True, eq=False)
class HuggingFace:
    """A classifier whose attention is what one `Reading` shows, over the words of a text.

    Special tokens keep the weight that the model gives them: what is shown, shuffled and replaced is how the rest is
    shared among the words, as a distribution. Of one head in one row the weights can be put back, so it can decode; the
    mean of several, and what is computed from weights, is seen alone.
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
    choosing: bool = False
    """Whether an audit is to choose the reading, among all there are."""

    @property
    def origin(self) -> Origin:
        """Elsewhere: that the tap reads and replaces what the model uses has to be proved."""
        return "elsewhere"

    @property
    def offers(self) -> frozenset[Offer]:
        """Gradients and whole layers always; other weights for words where what is shown is one row of one head."""
        one = self.reading.kind == "weights" and self.reading.head is not None and self.anatomy.row != "all"
        always: frozenset[Offer] = frozenset({"embedding_grad", "layers"})
        return always | {"decode"} if one else always

    @property
    def device(self) -> torch.device:
        """Where the module is."""
        found: torch.device = next(self.module.parameters()).device
        return found

    @property
    def shows(self) -> str:
        """What is shown of the many weights, in words."""
        return self.reading.told

    @cached_property
    def site(self) -> Site:
        """Where the weights are made that can be replaced."""
        return self.anatomy.sites[self.reading.layers(len(self.anatomy.sites))[-1]]

    @property
    def readings(self) -> dict[str, Reading]:
        """Every reading there is, by its name; a mixture is one of them where it is learned."""
        learned = [self.reading] if self.reading.kind == "mixture" else []
        return {str(one): one for one in (*self.anatomy.readings, *learned)}

    @property
    def heads(self) -> tuple[str, ...]:
        """The readings that are one head each."""
        return tuple(name for name, one in self.readings.items() if one.kind == "weights" and one.head is not None)

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

    def read_all(self, batch: Batch) -> dict[str, Float[torch.Tensor, "B T"]]:
        """Give what every reading shows of the words, a few texts at a time: all weights of all layers are held."""
        names, readings = zip(*self.readings.items(), strict=True)
        size = sum(self.anatomy.heads) * batch.mask.shape[1] ** 2
        parts = torch.arange(len(batch), device=batch.mask.device).chunk(-(-len(batch) * size // HELD))
        rows = torch.cat([self._answer(batch.rows(some), None, readings=readings).rows for some in parts], dim=1)
        return {name: renormalise(row, batch.attendable) for name, row in zip(names, rows.detach(), strict=True)}

    @property
    def layers(self) -> int:
        """Count the layers of attention."""
        return len(self.anatomy.sites)

    @property
    def last_heads(self) -> int:
        """Count the heads of the last layer."""
        return self.anatomy.heads[-1]

    def with_rows(self, batch: Batch, rows: Float[torch.Tensor, "B N T"]) -> Float[torch.Tensor, "B L"]:
        """Answer with these weights in the rows of the last layer that are read."""
        logits, places = [], []
        for ids, mask, some in self._together(batch):
            changes = {self.anatomy.sites[-1]: put_rows(rows[some, :, : ids.shape[1]], mask, self.anatomy.row)}
            with torch.no_grad():
                logits.append(run(self.module, ids, mask, None, (), changes, **self._beside(ids)).logits)
            places.append(some)
        return torch.cat(logits)[torch.cat(places).argsort()]

    def added_weights(self, batch: Batch, sums: Sequence[Sums]) -> list[Sums]:
        """Add the weights of every layer up, place by place."""
        found: list[Sums | None] = list(sums) or [None] * self.layers
        for ids, mask, _ in self._together(batch):
            with torch.no_grad():
                kept = run(self.module, ids, mask, None, self.anatomy.sites, {}, **self._beside(ids)).kept
            found = [added(one, kept.weights[site], mask) for one, site in zip(found, self.anatomy.sites, strict=True)]
        return [one for one in found if one is not None]

    def without_choice(
        self, batch: Batch, layer: int | None, means: Sequence[torch.Tensor] | None
    ) -> Float[torch.Tensor, "B L"]:
        """Answer with the means of other texts, or uniform weights, at a layer or at all."""
        layers = range(self.layers) if layer is None else [layer]
        changes: dict[Site, Change] = {
            self.anatomy.sites[one]: uniform if means is None else partial(constant, means=means[one]) for one in layers
        }
        logits, places = [], []
        for ids, mask, rows in self._together(batch):
            with torch.no_grad():
                logits.append(run(self.module, ids, mask, None, (), changes, **self._beside(ids)).logits)
            places.append(rows)
        return torch.cat(logits)[torch.cat(places).argsort()]

    def told(self, name: str) -> str:
        """Say in words what a reading is."""
        return self.readings[name].told

    def under(self, name: str) -> HuggingFace:
        """Give the same model under another of its readings."""
        return replace(self, reading=self.readings[name], choosing=False)

    def mixed(self, shares: Mapping[str, float]) -> HuggingFace:
        """Give the same model with a mixture of heads, by the names of their readings, among its readings."""
        known = {(self.readings[name].layer, self.readings[name].head): share for name, share in shares.items()}
        sizes = enumerate(self.anatomy.heads)
        by_layer = tuple(tuple(known.get((layer, head), 0.0) for head in range(heads)) for layer, heads in sizes)
        return replace(self, reading=Reading(kind="mixture", shares=by_layer))

    def _answer(
        self,
        batch: Batch,
        embeddings: torch.Tensor | None,
        row: Float[torch.Tensor, "B T"] | None = None,
        readings: Sequence[Reading] = (),
    ) -> Shown:
        """Run texts together, or those of one length at a time where padding would change them."""
        wanted, width = readings or (self.reading,), batch.mask.shape[1]
        found, places = list[Shown](), list[torch.Tensor]()
        for ids, mask, some in self._together(batch):
            given = [None if each is None else each[some, : ids.shape[1]] for each in (embeddings, row)]
            found.append(self._run(ids, mask, given[0], given[1], wanted))
            places.append(some)
        back = torch.cat(places).argsort()
        rows = [torch.nn.functional.pad(one.rows, (0, width - one.rows.shape[2])) for one in found]
        return Shown(torch.cat([one.logits for one in found])[back], torch.cat(rows, dim=1)[:, back])

    def _together(self, batch: Batch) -> Iterator[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]:
        """Give ids, mask and rows of what is run together: all, or texts of one length where padding is not inert."""
        ids, lengths = self._ids(batch), batch.mask.sum(1)
        if self.together:
            yield ids, batch.mask, torch.arange(len(ids), device=ids.device)
            return
        for length in sorted(set(lengths.tolist())):
            some = (lengths == length).nonzero()[:, 0]
            yield ids[some, :length], batch.mask[some, :length], some

    def _run(
        self,
        ids: Int[torch.Tensor, "B T"],
        mask: Bool[torch.Tensor, "B T"],
        embeddings: Float[torch.Tensor, "B T E"] | None,
        row: Float[torch.Tensor, "B T"] | None,
        wanted: Sequence[Reading],
    ) -> Shown:
        changes = {} if row is None else {self.site: self._put(row, mask)}
        numbers = sorted({layer for one in wanted for layer in one.layers(len(self.anatomy.sites))})
        sites = [self.anatomy.sites[number] for number in numbers]
        sloped = any(one.kind == "evidence" for one in wanted)
        with torch.set_grad_enabled(sloped or torch.is_grad_enabled()):
            start = self._start(ids) if sloped and embeddings is None else embeddings
            answer = run(self.module, ids, mask, start, sites, changes, **self._beside(ids))
            weights = [answer.kept.weights[site] for site in sites]
            slopes = _slopes(answer.logits, weights, keep=embeddings is not None) if sloped else [None] * len(sites)
        if embeddings is None:
            weights = [one.detach() for one in weights]
        lengths = [answer.kept.lengths.get(site) for site in sites]
        told = zip(numbers, weights, lengths, slopes, strict=True)
        by_layer = {number: Layer(weight, long, slope) for number, weight, long, slope in told}
        ran = Ran(mask, self.anatomy.row, by_layer)
        logits = answer.logits if embeddings is not None else answer.logits.detach()
        return Shown(logits, torch.stack([shown(ran, one) for one in wanted]) * mask)

    def _start(self, ids: Int[torch.Tensor, "B T"]) -> Float[torch.Tensor, "B T E"]:
        """Look embeddings up to take slopes behind them, whether or not the weights of the module are frozen."""
        found: torch.Tensor = self.module.get_input_embeddings()(ids)
        return found.detach().requires_grad_()

    def _put(self, row: Float[torch.Tensor, "B T"], mask: Bool[torch.Tensor, "B T"]) -> Change:
        def change(weights: Weights) -> Weights:
            changed = weights.clone()
            changed[torch.arange(len(mask)), self.reading.head, place(mask, self.anatomy.row)] = row
            return changed

        return change

    def _beside(self, ids: Int[torch.Tensor, "B T"]) -> dict[str, torch.Tensor]:
        return {"token_type_ids": self._segments(ids)} if self.segments else {}

    def _segments(self, ids: Int[torch.Tensor, "B T"]) -> Int[torch.Tensor, "B T"]:
        """Number the parts of a pair by the separators before a token: a batch keeps nothing but ids and mask."""
        ends = torch.eq(ids, self.reader.separator or 0).long()
        return (ends.cumsum(1) - ends).clamp(max=1)

    def _ids(self, batch: Batch) -> Int[torch.Tensor, "B T"]:
        return batch.ids.masked_fill(~batch.mask, self.reader.pad)


def _slopes(logits: Float[torch.Tensor, "B L"], weights: Sequence[Weights], *, keep: bool) -> tuple[Weights, ...]:
    """Take ``∂ log-odds / ∂α`` of the decided class at every site; weights of later layers answer to earlier ones."""
    target = log_odds(logits, logits.detach().argmax(1)).sum()
    return torch.autograd.grad(target, weights, retain_graph=keep, materialize_grads=True)
