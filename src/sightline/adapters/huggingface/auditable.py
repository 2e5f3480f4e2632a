"""A Hugging Face classifier as an `Auditable`, with one attention source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property, partial

import torch
from jaxtyping import Float, Int

from sightline._io.unused_memory import give_back
from sightline.adapters.huggingface.architecture_probe import logits_of
from sightline.adapters.huggingface.attention_reduction import (
    LayerOutput,
    RecordedRun,
    shown_weights,
)
from sightline.adapters.huggingface.attention_source import AttentionSource
from sightline.adapters.huggingface.forward_pass import run
from sightline.adapters.huggingface.pretrained_parts import unused_weights
from sightline.adapters.huggingface.prompted_model import Calibration, PromptedModel
from sightline.adapters.huggingface.read_row import read_row, runs_alone
from sightline.adapters.huggingface.sequence_classifier import (
    RETURNING,
    Classifier,
    ShownAttention,
    TextGroup,
)
from sightline.adapters.huggingface.weight_substitution import uniform
from sightline.adapters.label_views import of_label
from sightline.adapters.shared_logits import SharedLogits
from sightline.adapters.tap.attention_row import AttentionRow
from sightline.adapters.tap.prefix_cache import PrefixOutput, skippable
from sightline.adapters.tap.softmax_tracer import Site
from sightline.adapters.tap.tap import Change, Weights
from sightline.core.errors import ModelError
from sightline.core.protocols import Batch, Capability, Link, Origin, Trace
from sightline.numerics.log_odds import log_odds
from sightline.numerics.projections import renormalise

HELD = 2**25
"""The most weights of all layers that are held at once."""


@dataclass(frozen=True, eq=False)
class HuggingFace(Classifier):
    """A classifier with the attention of one `AttentionSource`, over the words of a text.

    Special tokens keep the weight that the model gives them. What is shown, shuffled and replaced
    is the share of each word in the rest, as a distribution. The weights of one head, or of all
    heads of a layer at once, can be replaced, so both can decode. Numbers computed from weights
    cannot be put back.
    """

    reading: AttentionSource
    labels: tuple[str, ...]
    link: Link
    choosing: bool = False
    """Whether the audit chooses among all attention sources."""
    unused: tuple[str, ...] = ()
    """The weights of its folder that the module has no place for."""
    class_notes: tuple[str, ...] = ()
    """What to know where built-in classes were loaded in the place of its folder's own code."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user should know of the model before an audit."""
        unused = (unused_weights(self.unused),) if self.unused else ()
        return tuple(f"{self.name}: {note}" for note in (*self.class_notes, *unused))

    @property
    def calibration(self) -> Calibration | None:
        """The offsets of a prompted model's logits, if it is calibrated."""
        return self.module.calibration if isinstance(self.module, PromptedModel) else None

    @property
    def origin(self) -> Origin:
        """Elsewhere: checks must show that the tap reads and replaces the weights that the model
        uses.
        """
        return "elsewhere"

    @property
    def offers(self) -> frozenset[Capability]:
        """Gradients and whole layers always; other weights for words only if the source shows the
        weights of one layer.
        """
        always: frozenset[Capability] = frozenset({"embedding_grad", "layers"})
        return always | {"decode"} if self.reading.kind == "weights" else always

    @property
    def shows(self) -> str:
        """The attention source in words."""
        return self.reading.description

    @cached_property
    def site(self) -> Site:
        """The site of the weights that can be replaced."""
        return self.architecture.sites[self.reading.layers(len(self.architecture.sites))[-1]]

    @property
    def choice(self) -> AttentionRow:
        """Which weights of that site are replaced."""
        return AttentionRow(self.site, self.reading.head, self.architecture.row, by_token=True)

    @property
    def readings(self) -> dict[str, AttentionSource]:
        """Every attention source by its name, including a learned mixture if there is one."""
        learned = [self.reading] if self.reading.kind == "mixture" else []
        return {str(one): one for one in (*self.architecture.readings, *learned)}

    @property
    def heads(self) -> tuple[str, ...]:
        """The attention sources that are a single head."""
        return tuple(
            name
            for name, one in self.readings.items()
            if one.kind == "weights" and one.head is not None
        )

    def trace(self, batch: Batch, embeddings: Float[torch.Tensor, "B T E"] | None = None) -> Trace:
        """Run the model and read the shown weights. They are detached unless embeddings are given
        for gradients.
        """
        sloped = embeddings is not None and embeddings.requires_grad
        if sloped:
            give_back()  # what is kept for a gradient is the most that an audit holds
        with torch.set_grad_enabled(sloped):
            answer = self._answer(batch, embeddings, keep=embeddings is None)
        start = self.embed(batch) if embeddings is None else embeddings
        words = batch.attendable
        attention, elsewhere = renormalise(answer.row, words), (answer.row * ~words).sum(1)
        heads = None if answer.own is None or self.choice.one else renormalise(answer.own, words)
        in_sight = None if answer.own is None else self.choice.in_sight(answer.own, words)
        return Trace(
            batch,
            start,
            attention,
            answer.logits,
            elsewhere=elsewhere,
            heads=heads,
            in_sight=in_sight,
            inside=answer,
        )

    def decode(
        self, trace: Trace, attention: Float[torch.Tensor, "*N B T"]
    ) -> Float[torch.Tensor, "B L"]:
        """Run the model again with other weights on the words; special tokens keep theirs, in each
        head.
        """
        shown = self.shown_in(trace)
        if shown.own is None:
            change = "choose a layer, or a head of it"
            raise ModelError(
                f"{self.name}: {self.reading.description} cannot be replaced", change=change
            )
        # The weight of special tokens is fixed if attention is fixed, and depends on the embeddings
        # if attention does.
        own = shown.own if attention.requires_grad else shown.own.detach()
        if shown.last is not None and not attention.requires_grad:
            return self.decode_many(trace, attention[None])[0]
        put = self.choice.replaced(own, attention, trace.batch.attendable)

        def changes(some: TextGroup) -> dict[Site, Change]:
            return {self.site: self.choice.put(some.of(put), some.readable)}

        with torch.set_grad_enabled(
            torch.is_grad_enabled() and (put.requires_grad or trace.embeddings.requires_grad)
        ):
            ahead = shown.ahead.get(self.site, ())
            return self.answer_under(
                trace.batch, changes, None if ahead else trace.embeddings, ahead
            )

    def decode_many(
        self, trace: Trace, attention: Float[torch.Tensor, "R *N B T"]
    ) -> Float[torch.Tensor, "R B L"]:
        """Decode several weights of the words: all at once if the last layer can run for the one
        token that is read.
        """
        shown = self.shown_in(trace)
        if shown.last is None or shown.own is None:
            return torch.stack([self.decode(trace, one) for one in attention])
        put = torch.stack(
            [self.choice.replaced(shown.own, one, trace.batch.attendable) for one in attention]
        ).to(shown.last.weights)
        weights = self._with_rows(shown.last.weights, put)
        answer = shown.last.answer(self.module, weights, **self.extra_inputs(shown.last.ids))
        return of_label(answer, self.label)

    @property
    def answers_under(self) -> bool:
        """Whether a run can end at the last layer, whose weights are shown."""
        return self.last_alone and self.last_layer is not None

    def logits_under(
        self, batch: Batch, attention: Mapping[str, Float[torch.Tensor, "B T"]]
    ) -> dict[str, Float[torch.Tensor, "B L"]]:
        """Give the logits under the model's own weights and under others on the words; the layers
        before the last run once.
        """
        ids, head, reader = self._ids(batch), self.choice.head, self.last_layer
        assert reader is not None  # offered only in this case
        last = reader.weights(ids, batch.mask, **self.extra_inputs(ids, batch.word))
        weights = last.weights * batch.mask[:, None]
        own = weights.movedim(0, -2) if head is None else weights[:, head]
        put = [self.choice.replaced(own, one, batch.attendable) for one in attention.values()]
        changed = self._with_rows(weights, torch.stack([own, *put]))
        answers = last.answer(self.module, changed, **self.extra_inputs(last.ids))
        found = of_label(answers, self.label)
        RETURNING.ran(ids.numel())
        if isinstance(self.shared, SharedLogits):
            self.shared.keep(batch, found[0])
        return dict(zip(("own", *attention), found, strict=True))

    def _with_rows(
        self, weights: Float[torch.Tensor, "B N T"], rows: Float[torch.Tensor, "R *N B T"]
    ) -> Float[torch.Tensor, "R B N T"]:
        """Put rows of attention into all heads of the last layer, or into the shown head."""
        if self.choice.head is None:
            return rows.movedim(1, 2)
        changed = weights.repeat(len(rows), 1, 1, 1)
        changed[:, :, self.choice.head] = rows
        return changed

    def read_all(self, batch: Batch) -> dict[str, Float[torch.Tensor, "B T"]]:
        """Give the weights of the words in every source, a few texts at a time, because all weights
        of all layers are held.
        """
        names, readings = zip(*self.readings.items(), strict=True)
        size = sum(self.architecture.heads) * batch.mask.shape[1] ** 2
        parts = torch.arange(len(batch), device=batch.mask.device).chunk(
            -(-len(batch) * size // HELD)
        )
        rows = torch.cat(
            [self._answer(batch.rows(some), None, readings=readings).rows for some in parts], dim=1
        )
        return {
            name: renormalise(row, batch.attendable)
            for name, row in zip(names, rows.detach(), strict=True)
        }

    def description(self, name: str) -> str:
        """Describe an attention source in words."""
        return self.readings[name].description

    def under(self, name: str) -> HuggingFace:
        """Give the same model with another of its attention sources."""
        return replace(self, reading=self.readings[name], choosing=False)

    def mixed(self, shares: Mapping[str, float]) -> HuggingFace:
        """Give the same model with a mixture of heads, named by their sources, as an additional
        source.
        """
        known = {
            (self.readings[name].layer, self.readings[name].head): share
            for name, share in shares.items()
        }
        sizes = enumerate(self.architecture.heads)
        by_layer = tuple(
            tuple(known.get((layer, head), 0.0) for head in range(heads)) for layer, heads in sizes
        )
        return replace(self, reading=AttentionSource(kind="mixture", shares=by_layer))

    def _answer(
        self,
        batch: Batch,
        embeddings: Float[torch.Tensor, "B T E"] | None,
        readings: Sequence[AttentionSource] = (),
        *,
        keep: bool = False,
    ) -> ShownAttention:
        """Run texts, read their weights, and with ``keep`` store the outputs of the layers before
        the sites that may be changed.
        """
        wanted, width = readings or (self.reading,), batch.mask.shape[1]
        found, places = list[ShownAttention](), list[torch.Tensor]()
        layers = self.changed if keep else {}
        ahead: dict[Site, list[PrefixOutput]] = {site: [] for site in layers}
        alone = keep and self.last_alone and wanted == (self.reading,)
        for some in self.parts(batch):
            given = None if embeddings is None else embeddings[some.places, : some.ids.shape[1]]
            with ExitStack() as keeping:
                for site, kept in ahead.items():
                    kept.append(PrefixOutput(layers[site]))
                    keeping.enter_context(kept[-1].kept(self.module))
                before = ahead[self.site][-1] if alone else None
                found.append(self._run(some, given, wanted, before))
            places.append(some.places)
        back = torch.cat(places).argsort()
        rows = [torch.nn.functional.pad(one.rows, (0, width - one.rows.shape[2])) for one in found]
        wide = [self.choice.widened(one.own, width) for one in found if one.own is not None]
        own = torch.cat(wide, dim=-2)[..., back, :] if wide else None
        return ShownAttention(
            torch.cat([one.logits for one in found])[back],
            torch.cat(rows, dim=1)[:, back],
            own,
            ahead,
            found[0].last if len(found) == 1 else None,
        )

    @cached_property
    def changed(self) -> dict[Site, tuple[str, ...]]:
        """For the last layer and for the shown layer, the layers that need not run again under
        other weights there.
        """
        sites = {self.architecture.sites[-1], *([self.site] if "decode" in self.offers else [])}
        text = self.architecture.text.to(self.device)
        tried = partial(
            skippable, texts=len(text), change=uniform, logits=lambda: logits_of(self.module, text)
        )
        return {site: layers for site in sorted(sites) if (layers := tried(self.module, site))}

    @cached_property
    def last_alone(self) -> bool:
        """Whether the shown layer is the last one and can run for the one token that is read."""
        last = self.architecture.sites[-1]
        if not self.together or "decode" not in self.offers or self.site != last:
            return False
        text = self.architecture.text.to(self.device)
        return runs_alone(
            self.module, last, self.architecture.row, self.changed.get(last, ()), text
        )

    def _run(
        self,
        some: TextGroup,
        embeddings: Float[torch.Tensor, "B T E"] | None,
        wanted: Sequence[AttentionSource],
        before: PrefixOutput | None = None,
    ) -> ShownAttention:
        numbers = sorted(
            {layer for one in wanted for layer in one.layers(len(self.architecture.sites))}
        )
        sites = [self.architecture.sites[number] for number in numbers]
        sloped = any(one.kind == "evidence" for one in wanted)
        with torch.set_grad_enabled(sloped or torch.is_grad_enabled()):
            start = self._sloped(some.ids, embeddings) if sloped else embeddings
            valued = [] if before is None else [self.site]
            answer = run(
                self.module,
                some.ids,
                some.mask,
                start,
                sites,
                {},
                valued,
                every_row=False,
                **self.extra_inputs(some.ids, some.word),
            )
            weights = [answer.kept.weights[site] for site in sites]
            found = of_label(answer.logits, self.label)
            slopes = (
                _slopes(found, weights, keep=embeddings is not None)
                if sloped
                else [None] * len(sites)
            )
        if embeddings is None:
            weights = [one.detach() for one in weights]
        lengths = [answer.kept.lengths.get(site) for site in sites]
        layers = zip(numbers, weights, lengths, slopes, strict=True)
        by_layer = {
            number: LayerOutput(weight, long, slope) for number, weight, long, slope in layers
        }
        ran = RecordedRun(some.mask, some.readable, self.architecture.row, by_layer)
        logits = found if embeddings is not None else found.detach()
        rows = torch.stack([shown_weights(ran, one) for one in wanted]) * some.mask
        replaced = "decode" in self.offers and wanted == (self.reading,)
        own = self.choice.rows(weights[0], some.readable) * some.mask if replaced else None
        last = None
        if before is not None:
            made = answer.kept
            last = read_row(
                self.site,
                self.architecture.row,
                some.ids,
                some.readable,
                before,
                made.weights[self.site],
                made.values[self.site],
                answer.shared,
            )
        return ShownAttention(logits, rows, own, {}, last)

    def _sloped(
        self, ids: Int[torch.Tensor, "B T"], embeddings: Float[torch.Tensor, "B T E"] | None
    ) -> Float[torch.Tensor, "B T E"]:
        """Give embeddings with a graph for slopes, even if the weights of the module are frozen."""
        if embeddings is None:
            embeddings = self.module.get_input_embeddings()(ids)
        elif embeddings.requires_grad:  # the graph of who asks
            return embeddings
        return embeddings.detach().requires_grad_()


def _slopes(
    logits: Float[torch.Tensor, "B L"], weights: Sequence[Weights], *, keep: bool
) -> tuple[Weights, ...]:
    """Take ``∂ log-odds / ∂α`` of the predicted class at every site; weights of later layers depend
    on earlier ones.
    """
    decided = logits.detach()
    chosen = decided.argmax(1) if decided.shape[1] > 1 else (decided[:, 0] > 0).long()
    target = log_odds(logits, chosen).sum()
    return torch.autograd.grad(target, weights, retain_graph=keep, materialize_grads=True)
