"""The built-in classifier: a chain of parts, with attention that can be replaced when decoding."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import torch
from jaxtyping import Float, Int
from torch import nn

from sightline.config.part_syntax import Part
from sightline.config.registry import row_of
from sightline.config.specs import ModelSpec
from sightline.core.error_excerpts import show_id
from sightline.core.errors import ModelError
from sightline.core.example import Example
from sightline.core.protocols import Batch, Capability, Link, Origin, Trace
from sightline.core.seeds import seed_for
from sightline.data.batches import collate
from sightline.data.dataset import classes_of
from sightline.data.vocabulary import PAD, Vocabulary
from sightline.models.attention import LearnedAttention, Source
from sightline.models.build_part import build_part
from sightline.models.classifier_trace import ClassifierTrace, LabelwiseTrace
from sightline.models.decoders import Decoder, LabelDecoder, LinearDecoder, QueryDecoder
from sightline.models.embedding_table import EmbeddingTable
from sightline.models.encoder_protocol import Encoder
from sightline.models.encoders.mlp import MLP
from sightline.models.external_attention import BorrowedAttention
from sightline.models.fast import leave_one_out
from sightline.models.fast.prefix_dedup import SharesPrefixes
from sightline.models.fast.state_jacobian import EncoderInfluence
from sightline.models.fast.text_variants import Chain, VariantTrace
from sightline.models.projection_layers import Projector
from sightline.models.retention import Retention, Setting
from sightline.models.scorers import Scorer
from sightline.numerics.projections import softmax


class AttentionClassifier(nn.Module):
    """A classifier of texts, or of queries about them, with attention over encoded tokens; an
    `Auditable`.

    The attention source is an argument (``source``): learned, uniform, random or given. A model
    that reads queries has separate embeddings and a separate encoder for them, as published. A
    model with several labels has one attention for each; `view` gives one label as a two-class
    model with shared weights.
    """

    def __init__(
        self, spec: ModelSpec, vocabulary: Vocabulary, label_names: tuple[str, ...], seed: int
    ) -> None:
        super().__init__()
        self.spec = spec
        self.seed = seed
        self.vocabulary = vocabulary
        self.label_names = label_names
        self.reads_queries = spec.decoder.name == "query"
        self.labelwise = spec.labelwise
        self.view_of = ""
        """The name of the whole model, if this is one of several labels."""
        self.shared: Callable[[Batch], torch.Tensor] | None = None
        """Gives its logits, from runs shared with the other labels."""
        self.projection: Projector = build_part("projection", spec.projection, seed)
        self.source: Source = build_part("source", spec.source, self.projection, seed)
        # The order of construction determines the weights that a seed gives each part.
        self.embedding = _embeddings(vocabulary, spec)
        self.encoder: Encoder = build_part("encoder", spec.encoder, spec.embedding)
        query = spec.states if self.reads_queries else 0
        self.retention: Retention = build_part(
            "retention", spec.retention, Setting(spec, self.embedding, self.encoder, seed)
        )
        rows = len(label_names) if self.labelwise else 1
        self.scorer: Scorer = build_part("scorer", spec.scorer, spec.pooled, query, rows)
        self.decoder: Decoder = build_part(
            "decoder", spec.decoder, spec.pooled, query, len(label_names)
        )
        if self.reads_queries:
            self.query_embedding = _embeddings(vocabulary, spec)
            self.query_encoder: Encoder = build_part("encoder", spec.encoder, spec.embedding)

    @property
    def embeddings(self) -> tuple[EmbeddingTable, ...]:
        """The embedding tables: one for texts, and one for queries if the model reads them."""
        return (self.embedding, self.query_embedding) if self.reads_queries else (self.embedding,)

    @property
    def name(self) -> str:
        """The spec text of the model, with its label if it is one of several."""
        return f"{self.view_of}: {self.label_names[1]}" if self.view_of else str(self.spec)

    @property
    def link(self) -> Link:
        """A sigmoid for two classes and for each of several labels, a softmax for more classes and
        for answers to queries.
        """
        if self.labelwise:
            return "sigmoids"
        return "sigmoid" if len(self.label_names) == 2 and not self.reads_queries else "softmax"

    @property
    def labels(self) -> tuple[str, ...]:
        """The class names, in the order of the logits."""
        return self.label_names

    @property
    def origin(self) -> Origin:
        """Here: the contract tests check every combination of parts."""
        return "here"

    @property
    def offers(self) -> frozenset[Capability]:
        """The capabilities of the decoder (token logits if it is affine), then of the encoder. A
        model with several labels offers nothing: each label is audited by itself.
        """
        if self.labelwise:
            return frozenset()
        always: frozenset[Capability] = frozenset(
            {"decode", "embedding_grad", "states", "from_states"}
        )
        able: dict[Capability, bool] = {
            "influence": isinstance(self.encoder, EncoderInfluence) and self.encoder.influences
        }
        if not self.reads_queries:
            able |= {"token_logits": True, "variants": self._shares, "deletion": self._alone}
        return always | {offer for offer, can in able.items() if can}

    @property
    def device(self) -> torch.device:
        """The device of the parameters."""
        return self.embedding.weight.device

    def collate(self, examples: Sequence[Example]) -> Batch:
        """Turn texts into a padded batch on the model's device; texts must have a query iff the
        model reads one.
        """
        if odd := next(
            (one for one in examples if (one.query is not None) != self.reads_queries), None
        ):
            got, cure = (
                ("no query", "leave +query out, or name their column with --query")
                if odd.query is None
                else ("a query", "add +query to the model")
            )
            raise ModelError(
                (
                    f"text {show_id(odd.id)}: {self.name} expects {'a' if self.reads_queries else 'no'} "
                    f"query, got {got}"
                ),
                change=cure,
            )
        return collate(examples, self.vocabulary, self.spec.boundaries, len(self.label_names)).to(
            self.device
        )

    def embed(self, batch: Batch) -> Float[torch.Tensor, "B T E"]:
        """Look up the embeddings of a batch."""
        vectors: torch.Tensor = self.embedding(batch.ids)
        return vectors

    def forward(self, batch: Batch) -> Float[torch.Tensor, "B L"]:
        """Compute the logits, with gradients to every parameter: for training."""
        return self.run(batch).logits

    def trace(
        self, batch: Batch, embeddings: Float[torch.Tensor, "B T E"] | None = None
    ) -> ClassifierTrace:
        """Run the model; detached, unless embeddings are given to take gradients with respect to."""
        if embeddings is not None:
            return self._explained(self._run(batch, embeddings))
        with torch.no_grad():
            return self._explained(self._run(batch, self.embed(batch)))

    def view(self, label: int) -> AttentionClassifier:
        """Give one label as a two-class model that shares the weights: of the scorer and the
        decoder, the label's rows.
        """
        assert isinstance(self.decoder, LabelDecoder)  # only labelwise models have several labels
        spec = replace(self.spec, decoder=Part("linear"))
        one = build(spec, self.vocabulary, classes_of(self.label_names[label]), self.seed)
        by_label = {id(row) for row in (*self.scorer.last.parameters(), *self.decoder.parameters())}
        weights = {
            name: (tensor[label : label + 1] if id(tensor) in by_label else tensor).detach()
            for name, tensor in self.state_dict(keep_vars=True).items()
        }
        one.load_state_dict(weights, assign=True)
        one.view_of = self.name
        return one

    @property
    def answers_together(self) -> bool:
        """Whether the encoder dominates the cost, so that scoring all labels adds little."""
        states = row_of("encoder", self.spec.encoder.name).states
        return self.labelwise and states is not None and states.costly

    def label_logits(self, batch: Batch) -> Float[torch.Tensor, "B K"]:
        """Compute the logits of all labels in one run; texts may share most of their words."""
        with torch.no_grad():
            if not self._shares:
                return self.run(batch).logits
            scores, token_logits = self._chain.read(batch)
            attention = self._attend(scores.movedim(1, -1), batch)
            bias = self._affine.bias
            return torch.einsum("bkt,btk->bk", attention, token_logits - bias) + bias

    def trace_variants(self, batch: Batch) -> VariantTrace:
        """Run texts that share most of their words, computing shared vectors once."""
        with torch.no_grad():
            scores, token_logits = self._chain.read(batch)
            attention = self._attend(scores, batch)
            nowhere = scores.new_zeros(*scores.shape, 0)
            return VariantTrace(
                batch, nowhere, attention, self._mix(token_logits, attention), token_logits
            )

    def deletion_logits(
        self, trace: Trace, attentions: Mapping[str, Float[torch.Tensor, "B T"]]
    ) -> dict[str, Float[torch.Tensor, "B T L"]]:
        """Give the logits without each token, under the model's own attention and each given one."""
        assert isinstance(trace, ClassifierTrace)  # offered only in this case
        assert trace.token_logits is not None
        there, z = trace.batch.attendable, trace.token_logits
        return {"own": leave_one_out.under_softmax(trace.scores, there, z)} | {
            name: leave_one_out.logits_without_each(weights, there, z)
            for name, weights in attentions.items()
        }

    def decode(
        self, trace: Trace, attention: Float[torch.Tensor, "B T"]
    ) -> Float[torch.Tensor, "B L"]:
        """Pool under any attention and decode; for a variant, mix its token logits."""
        if isinstance(trace, VariantTrace):
            assert trace.token_logits is not None  # a variant has only these
            return self._mix(trace.token_logits, attention)
        own = self._own(trace)
        return self._decode(trace.batch, own.pooled, attention, own.query)

    def states(self, trace: Trace) -> Float[torch.Tensor, "B T P"]:
        """Give the vectors that attention pools, one for each token."""
        return self._own(trace).pooled

    def influence(self, trace: Trace, facet: int | None = None) -> Float[torch.Tensor, "B T T"]:
        """Give the gradient size of each state's length, or of one component, with respect to each
        token, in one pass through the encoder.
        """
        own, encoder = self._own(trace), self.encoder
        assert isinstance(encoder, EncoderInfluence)  # offered only in this case
        states, embeddings = (one.detach().requires_grad_() for one in (own.states, own.embeddings))
        with torch.enable_grad():
            pooled = self.retention.pool(states, embeddings)
            asked = (
                torch.linalg.vector_norm(pooled, dim=2) if facet is None else pooled[:, :, facet]
            )
        along, own_gradient = torch.autograd.grad(
            asked.sum(), (states, embeddings), materialize_grads=True
        )
        with torch.no_grad():
            return encoder.influence(embeddings, own.batch.mask, along, own_gradient)

    def from_states(
        self,
        trace: Trace,
        states: Float[torch.Tensor, "B T P"],
        order: Int[torch.Tensor, "B T"] | None = None,
    ) -> tuple[Float[torch.Tensor, "B T"], Float[torch.Tensor, "B L"]]:
        """Score the given states, attend and decode;
        `sightline.core.protocols.SupportsStateReplacement` defines an order.
        """
        own = self._own(trace)
        scores = _in_order(self.scorer(states, own.query), order)
        attention = self._attend(scores, own.batch)
        return attention, self._decode(own.batch, states, attention, own.query)

    def without_states(
        self, trace: Trace, order: Int[torch.Tensor, "B T"] | None = None
    ) -> Float[torch.Tensor, "B T L"]:
        """Attend and decode without each state in turn; the other scores do not change, so they are
        computed once.
        """
        own = self._own(trace)
        scores = _in_order(self.scorer(own.pooled, own.query), order)

        def without(place: int) -> Float[torch.Tensor, "B L"]:
            attendable = own.batch.attendable.clone()
            attendable[:, place] = False
            batch = replace(own.batch, attendable=attendable)
            attention = self._attend(scores, batch)
            return self._decode(batch, own.pooled, attention, own.query)

        return torch.stack([without(place) for place in range(scores.shape[1])], dim=1)

    def auxiliary_loss(self, trace: ClassifierTrace) -> Float[torch.Tensor, ""] | None:
        """Give the retention loss that training adds for a batch; None if there is none."""
        return self.retention.penalty(trace, self.embedding, self.encoder)

    def run(self, batch: Batch) -> ClassifierTrace:
        """Run the model with gradients to every parameter: for training."""
        return self._run(batch, self.embed(batch))

    def _own(self, trace: Trace) -> ClassifierTrace:
        if isinstance(trace, ClassifierTrace):
            return trace
        message = f"{self.name}: expected a trace of its own, got another model's"
        raise ModelError(message, change="trace the batch again")

    @property
    def _shares(self) -> bool:
        """Tell whether the encoder shares vectors between texts, and attention follows from the
        states: a lender reads the texts by itself.
        """
        shares = isinstance(self.encoder, SharesPrefixes) and self.encoder.shares
        return shares and not isinstance(self.source, BorrowedAttention)

    @property
    def _alone(self) -> bool:
        """Tell whether states are independent of each other and attention is the softmax of their
        scores.
        """
        plain = isinstance(self.source, LearnedAttention) and self.projection.project is softmax
        return plain and isinstance(self.encoder, MLP)

    @property
    def _affine(self) -> nn.Linear:
        """The affine layer that gives the token logits."""
        assert not isinstance(self.decoder, QueryDecoder)  # its tanh is not affine
        return self.decoder.affine

    @property
    def _chain(self) -> Chain:
        return Chain(self.embedding, self.encoder, self.retention, self.scorer, self._affine)

    def _attend(
        self, scores: Float[torch.Tensor, "B *K T"], batch: Batch
    ) -> Float[torch.Tensor, "B *K T"]:
        """Turn scores into weights; with several labels, each text is repeated for every label."""
        if scores.ndim == 2:
            return self.source(self.projection.disturb(scores, batch), batch)
        texts, labels, _ = scores.shape
        rows = batch.rows(torch.arange(texts, device=scores.device).repeat_interleave(labels))
        return self._attend(scores.flatten(0, 1), rows).reshape(scores.shape)

    def _mix(
        self, token_logits: Float[torch.Tensor, "B T L"], attention: Float[torch.Tensor, "B T"]
    ) -> Float[torch.Tensor, "B L"]:
        """Mix token logits with weights that may not sum to one: a text without words gets the bias
        only.
        """
        bias = self._affine.bias
        return torch.einsum("bt,btl->bl", attention, token_logits - bias) + bias

    def _decode(
        self,
        batch: Batch,
        pooled: Float[torch.Tensor, "B T P"],
        attention: Float[torch.Tensor, "B *K T"],
        query: Float[torch.Tensor, "B H"] | None,
    ) -> Float[torch.Tensor, "B L"]:
        context = torch.einsum("b...t,btp->b...p", attention, pooled)
        asked = (query, batch.candidates) if self.reads_queries else ()
        logits: torch.Tensor = self.decoder(context, *asked)
        return logits

    def _run(self, batch: Batch, embeddings: Float[torch.Tensor, "B T E"]) -> ClassifierTrace:
        states = self.encoder(embeddings, batch.mask)
        pooled = self.retention.pool(states, embeddings)
        query = self._read_query(batch)
        scores = self.scorer(pooled, query)
        attention = self._attend(scores, batch)
        kind = LabelwiseTrace if self.labelwise else ClassifierTrace
        return kind(
            batch=batch,
            embeddings=embeddings,
            attention=attention,
            logits=self._decode(batch, pooled, attention, query),
            states=states,
            pooled=pooled,
            scores=scores,
            query=query,
        )

    def _read_query(self, batch: Batch) -> Float[torch.Tensor, "B H"] | None:
        if not self.reads_queries:
            return None
        assert batch.query_ids is not None  # checked by collate
        assert batch.query_mask is not None
        states = self.query_encoder(self.query_embedding(batch.query_ids), batch.query_mask)
        return self.query_encoder.summary(states, batch.query_mask)

    def _explained(self, trace: ClassifierTrace) -> ClassifierTrace:
        return (
            replace(trace, token_logits=self.decoder(trace.pooled))
            if isinstance(self.decoder, LinearDecoder)
            else trace
        )


def _embeddings(vocabulary: Vocabulary, spec: ModelSpec) -> EmbeddingTable:
    table = EmbeddingTable(len(vocabulary), spec.embedding, padding_idx=PAD)
    nn.init.normal_(table.weight, std=spec.embedding_std)
    with torch.no_grad():
        table.weight[PAD] = 0
    return table


def build(
    spec: ModelSpec, vocabulary: Vocabulary, label_names: tuple[str, ...], seed: int
) -> AttentionClassifier:
    """Build an untrained classifier; its weights depend on the seed only, not on earlier random
    draws.
    """
    spec.check_together()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed_for(seed, "weights"))
        return AttentionClassifier(spec, vocabulary, label_names, seed).eval()


def _in_order(
    scores: Float[torch.Tensor, "B T"], order: Int[torch.Tensor, "B T"] | None
) -> Float[torch.Tensor, "B T"]:
    return scores if order is None else scores + (scores.gather(1, order) - scores).detach()
