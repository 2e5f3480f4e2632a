"""The values that flow through an audit, and what a model and a measure must offer.

Axis letters, used in every signature of the package:

    B texts of a batch      T tokens of a text      Q tokens of a query     E embedding
    H hidden units          P pooled units          C classes or candidates L logits (1 or C)
    R random draws          K shuffles or restarts  N heads, and rows of each where all rows are read

Masks are ``True`` on real tokens. Boundary tokens are real but not *attendable*.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
import torch
from jaxtyping import Bool, Float, Int

from sightline.core.audited_map import AuditedMap
from sightline.core.example import Example
from sightline.core.needs import AFFINE as AFFINE
from sightline.core.needs import ANY_COMPANION as ANY_COMPANION
from sightline.core.needs import COMPANION as COMPANION
from sightline.core.needs import OTHER_ATTENTION as OTHER_ATTENTION
from sightline.core.needs import UNTRAINED as UNTRAINED
from sightline.core.results import Measurement, Values
from sightline.core.seeds import Seeds

Link = Literal["sigmoid", "softmax", "sigmoids"]
"""How logits become probabilities. A model with ``sigmoids`` has a logit and a sigmoid for each of
several labels, and is audited one label at a time (`SupportsLabels`)."""
Capability = Literal[
    "decode",
    "token_logits",
    "embedding_grad",
    "variants",
    "deletion",
    "layers",
    "states",
    "from_states",
    "influence",
]
"""What a model can do beyond a trace: take any attention, answer for each token alone, be asked for
gradients; run texts that share most of their words from what they share (`SupportsVariants`),
delete each token in closed form (`SupportsDeletion`); replace all weights of a layer
(`SupportsLayers`); say what its attention mixes (`SupportsStates`), attend to and answer from other
such states (`SupportsStateReplacement`), and say what of them each word moves, all at once
(`SupportsInfluence`)."""
Origin = Literal["here", "elsewhere"]
"""Who made and trained a model: this package, or somebody whose code has to be proved first."""
Survey = Literal["train", "validation", "half", "audited"]
"""Texts that a measure may look at before it measures: those of a split, a seeded half of the
audited ones, which are then not measured, or all of these, where it takes from them what says
nothing of how it will be answered."""
Arrays = Mapping[str, Values]
"""Raw numbers by quantity: ``N``, ``N R``, two ends each ``N``, or one row of its own length for
each text."""
GRADIENT_TOKENS = 2**8
"""Tokens of a model from elsewhere of which gradients are taken together: what is kept for them is
the most that an audit holds, and a processor is not faster on more."""


@dataclass(frozen=True)
class Batch:
    """Texts as padded tensors; ``word`` says which word of its text a token belongs to (−1: none).

    Texts with a query bring its tokens, padded likewise; ``candidates`` is True on the answers a
    text allows.
    """

    ids: Int[torch.Tensor, "B T"]
    mask: Bool[torch.Tensor, "B T"]
    attendable: Bool[torch.Tensor, "B T"]
    word: Int[torch.Tensor, "B T"]
    labels: Int[torch.Tensor, " B"]
    index: Int[torch.Tensor, " B"]
    query_ids: Int[torch.Tensor, "B Q"] | None = None
    query_mask: Bool[torch.Tensor, "B Q"] | None = None
    candidates: Bool[torch.Tensor, "B C"] | None = None

    def __len__(self) -> int:
        """The number of texts."""
        return self.ids.shape[0]

    def to(self, device: torch.device | str) -> Batch:
        """Move every tensor to a device."""
        return replace(self, **{name: tensor.to(device) for name, tensor in self._tensors()})

    def rows(self, index: Int[torch.Tensor, " N"] | slice) -> Batch:
        """Take texts by row, a row as often as it is named."""
        return replace(self, **{name: tensor[index] for name, tensor in self._tensors()})

    def keep(self, kept: Bool[torch.Tensor, "B T"]) -> Batch:
        """Delete every token that is not kept: texts become shorter, padding closes up at the
        right; queries stay.

        At least one place stays: a batch of texts without tokens is one place of padding.
        """
        kept = kept & self.mask
        order = closed_up(kept)
        mask = kept.gather(1, order)
        ids = self.ids.gather(1, order) * mask
        word = self.word.gather(1, order).masked_fill(~mask, -1)
        return replace(
            self, ids=ids, mask=mask, attendable=self.attendable.gather(1, order) & mask, word=word
        )

    def _tensors(self) -> list[tuple[str, torch.Tensor]]:
        return [
            (f.name, getattr(self, f.name))
            for f in fields(self)
            if getattr(self, f.name) is not None
        ]


def closed_up(kept: Bool[torch.Tensor, "B T"]) -> Int[torch.Tensor, "B S"]:
    """Give the columns of the kept tokens of each row, in order, as `Batch.keep` closes them up; S
    is the longest.

    Where no row keeps a token, S is 1: recurrent and convolutional encoders refuse texts without
    places.
    """
    return torch.argsort((~kept).to(torch.uint8), dim=1, stable=True)[
        :, : max(1, int(kept.sum(1).max()))
    ]


@dataclass(frozen=True)
class Trace:
    """What one forward pass of any model knows; detached unless its embeddings asked for gradients.

    ``elsewhere`` is the share of a text's attention that lies on tokens of no word, where there are
    any: ``attention`` says how the rest is shared among the words. ``heads`` are the weights that
    ``attention`` is the mean of, where the model can replace all of them at once: of each head, or
    of each head and row, scaled to sum to one over the words. ``inside`` is what the model keeps
    for its own ``decode``, and nobody else reads it.
    """

    batch: Batch
    embeddings: Float[torch.Tensor, "B T E"]
    attention: Float[torch.Tensor, "B T"]
    logits: Float[torch.Tensor, "B L"]
    token_logits: Float[torch.Tensor, "B T L"] | None = None
    elsewhere: Float[torch.Tensor, " B"] | None = None
    heads: Float[torch.Tensor, "*N B T"] | None = field(default=None, kw_only=True)
    inside: Any = field(default=None, kw_only=True)

    @property
    def own(self) -> Float[torch.Tensor, "*N B T"]:
        """What `decode` takes to give the logits of the trace again: the weights of all heads,
        where there are any.
        """
        return self.attention if self.heads is None else self.heads

    @property
    def finite(self) -> Bool[torch.Tensor, " B"]:
        """Tell for each text whether attention and logits are numbers; of an answer it does not
        allow, −∞ is one.
        """
        known = torch.isfinite(self.logits)
        if self.batch.candidates is not None:
            known = known | (torch.isneginf(self.logits) & ~self.batch.candidates)
        return known.all(dim=1) & torch.isfinite(self.attention).all(dim=1)


@runtime_checkable
class Auditable(Protocol):
    """What an audit asks of a model; ``decode(trace, trace.own)`` must give ``trace.logits``."""

    @property
    def name(self) -> str:
        """What the report calls the model."""
        ...

    @property
    def link(self) -> Link:
        """How logits become probabilities: one logit and a sigmoid, C logits and a softmax, or a
        sigmoid for each of several labels.
        """
        ...

    @property
    def labels(self) -> tuple[str, ...] | None:
        """The names of the classes in the order of the logits; None where nobody wrote them
        down.
        """
        ...

    @property
    def origin(self) -> Origin:
        """Where the model comes from; one from elsewhere is proved before anything is measured."""
        ...

    @property
    def offers(self) -> frozenset[Capability]:
        """What the model can do beyond a trace."""
        ...

    def collate(self, examples: Sequence[Example]) -> Batch:
        """Turn texts into a padded batch."""
        ...

    def embed(self, batch: Batch) -> Float[torch.Tensor, "B T E"]:
        """Look up the embeddings of a batch."""
        ...

    def trace(self, batch: Batch, embeddings: Float[torch.Tensor, "B T E"] | None = None) -> Trace:
        """Run the model, from given embeddings where there are any (then gradients flow)."""
        ...

    def decode(
        self, trace: Trace, attention: Float[torch.Tensor, "*N B T"]
    ) -> Float[torch.Tensor, "B L"]:
        """Compute the logits under any attention: one map, which all heads get, or one each if the
        trace has heads.
        """
        ...


@runtime_checkable
class SupportsLabels(Auditable, Protocol):
    """A model with several labels, each with a logit and a sigmoid: its link is ``sigmoids``."""

    def view(self, label: int) -> Auditable:
        """Give the same model as a classifier of one label, by its number: one logit, and the
        classes ``not LABEL`` and ``LABEL``.
        """
        ...

    def label_logits(self, batch: Batch) -> Float[torch.Tensor, "B K"]:
        """Give the logits of all labels in one run, without gradients."""
        ...

    @property
    def answers_together(self) -> bool:
        """Whether a run for all labels costs about as much as one for a single label."""
        ...


@runtime_checkable
class SupportsSharedLogits(Auditable, Protocol):
    """One label of a model with several, which may know the logits that others were audited by."""

    @property
    def shared(self) -> Callable[[Batch], torch.Tensor] | None:
        """Gives the logit of each text, ``B 1``, run for all labels at once; None where nothing is
        shared.
        """
        ...


@runtime_checkable
class SupportsLogitsUnder(Auditable, Protocol):
    """A model that answers texts with its own attention and with others in one run, where nothing
    is asked of them but logits.
    """

    @property
    def answers_under(self) -> bool:
        """Whether it can, under the attention that is shown."""
        ...

    def logits_under(
        self, batch: Batch, attention: Mapping[str, Float[torch.Tensor, "B T"]]
    ) -> dict[str, Float[torch.Tensor, "B L"]]:
        """Give the logits of a trace as ``own``, and what `Auditable.decode` gives of it for each
        attention by its name.
        """
        ...


@runtime_checkable
class SupportsManyDecodings(Auditable, Protocol):
    """A model that decodes several weights at once, sooner than one after the other."""

    def decode_many(
        self, trace: Trace, attention: Float[torch.Tensor, "R *N B T"]
    ) -> Float[torch.Tensor, "R B L"]:
        """Compute what `Auditable.decode` gives for each of several weights, without
        gradients.
        """
        ...


@runtime_checkable
class SupportsLogits(Auditable, Protocol):
    """A model that answers sooner where nobody asks for its attention."""

    def logits(self, batch: Batch) -> Float[torch.Tensor, "B L"]:
        """Give the logits of texts, without gradients, and nothing else of the run."""
        ...


@runtime_checkable
class SupportsFreshAnswers(Auditable, Protocol):
    """A model that keeps its answers: checks ask for a fresh one."""

    @property
    def fresh(self) -> Auditable:
        """The same model, answering without what it has kept."""
        ...


def fresh_of(model: Auditable) -> Auditable:
    """Give a model as it answers a text that it has not kept."""
    return model.fresh if isinstance(model, SupportsFreshAnswers) else model


@runtime_checkable
class SupportsAuditedMap(Auditable, Protocol):
    """A model that shows another map in the place of attention."""

    @property
    def audited_map(self) -> AuditedMap:
        """What is shown in its place: the attention of its traces."""
        ...


@runtime_checkable
class SupportsTruncation(Protocol):
    """A model that may not see all words of a text: it takes so many pieces, or has no piece for
    some.
    """

    def seen(self, example: Example) -> Example:
        """Give a text with the words that the model sees."""
        ...


@runtime_checkable
class SupportsTruncatedCount(SupportsTruncation, Protocol):
    """A model that takes so many pieces of a text, and says how many words lie behind them."""

    def beyond(self, example: Example) -> int:
        """Count the words that lie behind the length of the model."""
        ...


@runtime_checkable
class SupportsUnknownToken(Protocol):
    """A model whose tokenizer has a piece that stands for all it does not know."""

    @property
    def unknown(self) -> int | None:
        """The number of that piece; None where the tokenizer has none."""
        ...

    @property
    def words(self) -> tuple[str, ...]:
        """Some words that the tokenizer knows, from which checks make texts."""
        ...


@runtime_checkable
class SupportsAttentionSources(Auditable, Protocol):
    """A model with many weights, of which it shows one reading; where it is ``choosing``, the audit
    chooses which.
    """

    @property
    def shows(self) -> str:
        """What is shown, in words."""
        ...

    @property
    def choosing(self) -> bool:
        """Whether the reading is still to be chosen."""
        ...

    @property
    def readings(self) -> Collection[str]:
        """The names of all readings there are."""
        ...

    @property
    def heads(self) -> Sequence[str]:
        """The readings that are one head each."""
        ...

    def read_all(self, batch: Batch) -> Mapping[str, Float[torch.Tensor, "B T"]]:
        """Give what every reading shows of the words, each text's summing to one."""
        ...

    def description(self, name: str) -> str:
        """Say in words what a reading is."""
        ...

    def under(self, name: str) -> Auditable:
        """Give the same model under one of its readings."""
        ...

    def mixed(self, shares: Mapping[str, float]) -> SupportsAttentionSources:
        """Give the same model with a mixture of heads among its readings."""
        ...


@runtime_checkable
class SupportsStates(Auditable, Protocol):
    """A model that offers ``states``."""

    def states(self, trace: Trace) -> Float[torch.Tensor, "B T P"]:
        """Give what attention mixes of each token, in a trace of its own; gradients flow where the
        trace has them.
        """
        ...


@runtime_checkable
class SupportsInfluence(SupportsStates, Protocol):
    """A model that offers ``influence``: gradients of all its states from one sweep."""

    def influence(self, trace: Trace, facet: int | None = None) -> Float[torch.Tensor, "B T T"]:
        """Give ``‖∂‖s_p‖₂ / ∂e_i‖₂`` of the state of every token p by every token i, in a trace of
        its own.

        Of one number of each state, where a ``facet`` is given, in the place of its length.
        """
        ...


@runtime_checkable
class SupportsStateReplacement(SupportsStates, Protocol):
    """A model that offers ``from_states``."""

    def from_states(
        self,
        trace: Trace,
        states: Float[torch.Tensor, "B T P"],
        order: Int[torch.Tensor, "B T"] | None = None,
    ) -> tuple[Float[torch.Tensor, "B T"], Float[torch.Tensor, "B L"]]:
        """Attend to states in place of a trace's own, and answer; gradients flow to them through
        weights and all.

        By an ``order`` each token gets the score of another, as a constant added to its own: the
        weights are others, and the slope of its score is what it was.
        """
        ...

    def without_states(
        self, trace: Trace, order: Int[torch.Tensor, "B T"] | None = None
    ) -> Float[torch.Tensor, "B T L"]:
        """Answer without the state of each token: it is left out before the weights are
        computed.
        """
        ...


@runtime_checkable
class SupportsLayers(Auditable, Protocol):
    """A model that offers ``layers``: attention in several, of which each can be replaced whole,
    all heads and rows.
    """

    @property
    def layers(self) -> int:
        """The number of layers."""
        ...

    @property
    def last_heads(self) -> int:
        """Count the heads of the last layer."""
        ...

    def with_rows(
        self, trace: Trace, rows: Float[torch.Tensor, "B N T"]
    ) -> Float[torch.Tensor, "B L"]:
        """Answer with these weights in the row of each head of the last layer that the classifier
        reads.
        """
        ...

    def added_weights(self, batch: Batch, sums: Sequence[Any]) -> Sequence[Any]:
        """Add the weights of a batch to sums, a layer each; ``means`` of a sum are those of all
        texts so far.
        """
        ...

    def without_choice(
        self, batch: Batch, layer: int | None, means: Sequence[Any] | None
    ) -> Float[torch.Tensor, "B L"]:
        """Answer with weights at a layer, or at all, that no text chose: these means, or uniform
        ones.
        """
        ...


@runtime_checkable
class SupportsVariants(Auditable, Protocol):
    """A model that offers ``variants``."""

    def trace_variants(self, batch: Batch) -> Trace:
        """Run texts that share most of their words; what is asked of the trace is what
        `Auditable.trace` would give.

        Such a trace has no embeddings. ``decode`` takes it, where that is offered.
        """
        ...


@runtime_checkable
class SupportsDeletion(Auditable, Protocol):
    """A model that offers ``deletion``: of a trace of its own."""

    def deletion_logits(
        self, trace: Trace, attentions: Mapping[str, Float[torch.Tensor, "B T"]]
    ) -> Mapping[str, Float[torch.Tensor, "B T L"]]:
        """Give the logits without each token: ``own``, and under each attention that is handed in,
        scaled to one.
        """
        ...


@dataclass(frozen=True)
class MeasureContext:
    """What a measure is given to look at, beside the trace of a batch.

    ``companions`` are other models by name, which read the same batches; ``texts`` are those of the
    batch, row by row, and ``audited`` all texts of the audit. ``given`` are scores of words that
    somebody brought, by the id of a text, and ``signed`` the same where they take sides.
    ``learned`` is what the measure's own survey found, where it asks for one (`SupportsSurvey`).
    ``shared`` lives as long as the batch: what one measure has computed there, another need not
    compute again.
    """

    model: Auditable
    companions: Mapping[str, Auditable] = field(default_factory=dict)
    texts: tuple[Example, ...] = ()
    audited: tuple[Example, ...] = ()
    given: Mapping[str, Float[np.ndarray, " W"]] = field(default_factory=dict)
    signed: Mapping[str, Float[np.ndarray, " W"]] = field(default_factory=dict)
    learned: Any = None
    shared: dict[str, Any] = field(default_factory=dict)


@runtime_checkable
class Measure(Protocol):
    """One question about a model: raw numbers for each text, observed and under their null.

    What every measure promises (``tests/contract/test_measures.py``): a row a text in each array;
    the same numbers whatever batch or order a text comes in; every number decided by model, texts
    and seed alone; each NaN counted with its reason; the trace left as it was.
    """

    @property
    def code(self) -> str:
        """A stable name: the anchor in the documentation and the key in an audit."""
        ...

    @property
    def needs(self) -> frozenset[str]:
        """What the model must offer (`Capability`, `OTHER_ATTENTION`), and which companions
        (``companion.NAME``).
        """
        ...

    @property
    def paper(self) -> str:
        """Where the question was asked first."""
        ...

    def on_batch(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> Arrays:
        """Measure the texts of one batch, a row a text."""
        ...

    def finish(self, arrays: Arrays) -> Measurement:
        """Take the texts of all batches, in the order of the split, and count what is undefined,
        with reasons.
        """
        ...


@runtime_checkable
class SupportsSurvey(Measure, Protocol):
    """A measure that first looks at other texts and learns from them; ``on_batch`` finds it in
    ``subject.learned``.

    After a survey of ``half`` of the audited texts, these are not measured: their rows are NaN, and
    counted.
    """

    @property
    def surveys(self) -> Survey:
        """Which texts it learns from."""
        ...

    def look(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> Arrays:
        """Take from one batch of those texts what is to be learned from, a row a text."""
        ...

    def learn(self, arrays: Arrays, seeds: Seeds) -> Any:
        """Learn from the texts of all batches, once."""
        ...


@runtime_checkable
class SupportsConclusion(SupportsSurvey, Protocol):
    """A measure some of whose numbers only all texts together have: they come from what its survey
    has learned.
    """

    def conclude(self, measurement: Measurement, learned: Any, seeds: Seeds) -> Measurement:
        """Add them to what was measured text by text."""
        ...


@runtime_checkable
class SupportsSampling(SupportsSurvey, Protocol):
    """A measure that learns from some of the texts that it may look at: it says which, and only
    these are run.
    """

    def sample(self, texts: Sequence[Example], seeds: Seeds) -> Sequence[Example]:
        """Choose the texts to look at."""
        ...
