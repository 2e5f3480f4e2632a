"""The values that flow through an audit, and the protocols of models and measures.

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
from sightline.core.results import Measurement, Values
from sightline.core.seeds import Seeds

Link = Literal["sigmoid", "softmax", "sigmoids"]
"""How logits become probabilities. A model with ``sigmoids`` has one logit and one sigmoid for each
of several labels, and is audited one label at a time (`SupportsLabels`)."""
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
"""What a model can do beyond a trace. ``decode``: predict under any attention. ``token_logits``:
predict from each token alone. ``embedding_grad``: give gradients with respect to the embeddings.
The others are described at `SupportsVariants`, `SupportsDeletion`, `SupportsLayers`,
`SupportsStates`, `SupportsStateReplacement` and `SupportsInfluence`."""
Origin = Literal["here", "elsewhere"]
"""Whether this package built the model, or its code comes from elsewhere and needs the
compatibility checks."""
Survey = Literal["train", "validation", "half", "audited"]
"""Texts that a measure may learn from before it measures: the texts of a split; a seeded half of
the audited texts, which are then not measured; or all audited texts, if nothing learned from them
reveals the predictions on them."""
Arrays = Mapping[str, Values]
"""Raw numbers by quantity, in one of these shapes: ``N``, ``N R``, two bounds of shape ``N``, or
one row of varying length for each text."""
GRADIENT_TOKENS = 2**8
"""Most tokens of which a model from elsewhere takes gradients together. They take the most memory
of an audit, and a processor is not faster on more."""


@dataclass(frozen=True)
class Batch:
    """Texts as padded tensors; ``word`` gives the index of the word that each token belongs to (−1:
    none).

    Texts with a query include its padded tokens; ``candidates`` is True on the answers that a text
    allows.
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
        """Select texts by row; a row may be repeated."""
        return replace(self, **{name: tensor[index] for name, tensor in self._tensors()})

    def keep(self, kept: Bool[torch.Tensor, "B T"]) -> Batch:
        """Delete every token that is not kept: texts become shorter, padding moves to the right,
        queries stay.

        At least one column stays: a batch of empty texts is one column of padding.
        """
        kept = kept & self.mask
        order = kept_columns(kept)
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


def kept_columns(kept: Bool[torch.Tensor, "B T"]) -> Int[torch.Tensor, "B S"]:
    """Give the columns of the kept tokens of each row, in order, as `Batch.keep` packs them; S is
    the longest row.

    If no row keeps a token, S is 1: recurrent and convolutional encoders refuse texts without
    columns.
    """
    return torch.argsort((~kept).to(torch.uint8), dim=1, stable=True)[
        :, : max(1, int(kept.sum(1).max()))
    ]


@dataclass(frozen=True)
class Trace:
    """The result of one forward pass of any model; detached, unless the embeddings require
    gradients.

    ``elsewhere`` is the share of a text's attention on tokens that belong to no word; ``attention``
    divides the rest among the words. ``heads`` are the weights that ``attention`` is the mean of,
    if the model can replace them all at once: for each head, or each head and row, scaled to sum to
    one over the words. ``in_sight`` marks the tokens of words that the attention can reach at all,
    if a window hides some (None: all). ``inside`` is private to the model's own ``decode``.
    """

    batch: Batch
    embeddings: Float[torch.Tensor, "B T E"]
    attention: Float[torch.Tensor, "B T"]
    logits: Float[torch.Tensor, "B L"]
    token_logits: Float[torch.Tensor, "B T L"] | None = None
    elsewhere: Float[torch.Tensor, " B"] | None = None
    heads: Float[torch.Tensor, "*N B T"] | None = field(default=None, kw_only=True)
    in_sight: Bool[torch.Tensor, "B T"] | None = field(default=None, kw_only=True)
    inside: Any = field(default=None, kw_only=True)

    @property
    def own(self) -> Float[torch.Tensor, "*N B T"]:
        """The weights that make `decode` reproduce the logits of the trace: all heads, if the trace
        has heads.
        """
        return self.attention if self.heads is None else self.heads

    @property
    def finite(self) -> Bool[torch.Tensor, " B"]:
        """Tell for each text whether attention and logits are finite; −∞ is valid for an answer
        that the text does not allow.
        """
        known = torch.isfinite(self.logits)
        if self.batch.candidates is not None:
            known = known | (torch.isneginf(self.logits) & ~self.batch.candidates)
        return known.all(dim=1) & torch.isfinite(self.attention).all(dim=1)


@runtime_checkable
class Auditable(Protocol):
    """What an audit requires of a model; ``decode(trace, trace.own)`` must reproduce
    ``trace.logits``.
    """

    @property
    def name(self) -> str:
        """The name of the model in the report."""
        ...

    @property
    def link(self) -> Link:
        """How logits become probabilities: one logit and a sigmoid, C logits and a softmax, or a
        sigmoid for each of several labels.
        """
        ...

    @property
    def labels(self) -> tuple[str, ...] | None:
        """The class names in the order of the logits; None if unknown."""
        ...

    @property
    def origin(self) -> Origin:
        """Where the model comes from; a model from elsewhere must pass the compatibility checks
        first.
        """
        ...

    @property
    def offers(self) -> frozenset[Capability]:
        """The capabilities of the model beyond a trace."""
        ...

    def collate(self, examples: Sequence[Example]) -> Batch:
        """Turn texts into a padded batch."""
        ...

    def embed(self, batch: Batch) -> Float[torch.Tensor, "B T E"]:
        """Look up the embeddings of a batch."""
        ...

    def trace(self, batch: Batch, embeddings: Float[torch.Tensor, "B T E"] | None = None) -> Trace:
        """Run the model; given embeddings replace its own and receive gradients."""
        ...

    def decode(
        self, trace: Trace, attention: Float[torch.Tensor, "*N B T"]
    ) -> Float[torch.Tensor, "B L"]:
        """Compute the logits under any attention: one map for all heads, or one for each head of
        the trace.
        """
        ...


@runtime_checkable
class SupportsLabels(Auditable, Protocol):
    """A model with several labels, each with its own logit and sigmoid: its link is ``sigmoids``."""

    def view(self, label: int) -> Auditable:
        """Give the same model as a classifier of one label, by index: one logit, and the classes
        ``not LABEL`` and ``LABEL``.
        """
        ...

    def label_logits(self, batch: Batch) -> Float[torch.Tensor, "B K"]:
        """Compute the logits of all labels in one run, without gradients."""
        ...

    @property
    def answers_together(self) -> bool:
        """Whether a run for all labels costs about as much as one for a single label."""
        ...


@runtime_checkable
class SupportsSharedLogits(Auditable, Protocol):
    """One label of a model with several labels, which may share logits computed for the other
    labels.
    """

    @property
    def shared(self) -> Callable[[Batch], torch.Tensor] | None:
        """A function that gives this label's logits (``B 1``) from a run shared by all labels; None
        if nothing is shared.
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
    """A model that decodes several attention maps at once, faster than one by one."""

    def decode_many(
        self, trace: Trace, attention: Float[torch.Tensor, "R *N B T"]
    ) -> Float[torch.Tensor, "R B L"]:
        """Compute `Auditable.decode` for each of several attention maps, without gradients."""
        ...


@runtime_checkable
class SupportsLogits(Auditable, Protocol):
    """A model that can predict without computing its attention, which is faster."""

    def logits(self, batch: Batch) -> Float[torch.Tensor, "B L"]:
        """Compute only the logits, without gradients."""
        ...


@runtime_checkable
class SupportsFreshAnswers(Auditable, Protocol):
    """A model that caches its predictions; checks bypass the cache."""

    @property
    def fresh(self) -> Auditable:
        """The same model without its cache."""
        ...


def without_cache(model: Auditable) -> Auditable:
    """Give a model without its cache, if it has one."""
    return model.fresh if isinstance(model, SupportsFreshAnswers) else model


@runtime_checkable
class SupportsAuditedMap(Auditable, Protocol):
    """A model that shows another map instead of attention."""

    @property
    def audited_map(self) -> AuditedMap:
        """The map that its traces hold as attention."""
        ...


@runtime_checkable
class SupportsTruncation(Protocol):
    """A model that may not see all words of a text: its length is limited, or its tokenizer drops
    some words.
    """

    def seen(self, example: Example) -> Example:
        """Give a text reduced to the words that the model sees."""
        ...


@runtime_checkable
class SupportsTruncatedCount(SupportsTruncation, Protocol):
    """A model with a length limit that counts the words beyond it."""

    def beyond(self, example: Example) -> int:
        """Count the words beyond the model's length limit."""
        ...


@runtime_checkable
class SupportsUnknownToken(Protocol):
    """A model whose tokenizer has an unknown token."""

    @property
    def unknown(self) -> int | None:
        """The id of the unknown token; None if there is none."""
        ...

    @property
    def words(self) -> tuple[str, ...]:
        """Some words that the tokenizer knows, for texts that checks make."""
        ...


@runtime_checkable
class SupportsNotes(Protocol):
    """A model with something to know before its audit, though it can be audited."""

    @property
    def notes(self) -> tuple[str, ...]:
        """One note a line."""
        ...


@runtime_checkable
class SupportsLogitsInUse(Protocol):
    """A model with a tokenizer of its own, which gives its logits without the audit's reading."""

    def logits_in_use(self, example: Example) -> Float[torch.Tensor, " L"]:
        """The logits of a text as its tokenizer and its module give them to any other user."""
        ...


@runtime_checkable
class SupportsAttentionSources(Auditable, Protocol):
    """A model with several attention sources, of which it shows one; if it is ``choosing``, the
    audit selects which.
    """

    @property
    def shows(self) -> str:
        """The attention source shown, in words."""
        ...

    @property
    def choosing(self) -> bool:
        """Whether the audit must select the attention source."""
        ...

    @property
    def readings(self) -> Collection[str]:
        """The names of all attention sources."""
        ...

    @property
    def heads(self) -> Sequence[str]:
        """The attention sources that are single heads."""
        ...

    def read_all(self, batch: Batch) -> Mapping[str, Float[torch.Tensor, "B T"]]:
        """Give the word weights of every attention source, summing to one in each text."""
        ...

    def description(self, name: str) -> str:
        """Describe an attention source."""
        ...

    def under(self, name: str) -> Auditable:
        """Give the same model with another attention source."""
        ...

    def mixed(self, shares: Mapping[str, float]) -> SupportsAttentionSources:
        """Give the same model with a mixture of heads as an additional attention source."""
        ...


@runtime_checkable
class SupportsStates(Auditable, Protocol):
    """A model that offers ``states``."""

    def states(self, trace: Trace) -> Float[torch.Tensor, "B T P"]:
        """Give the hidden states that attention mixes, for a trace of this model; gradients flow if
        the trace has them.
        """
        ...


@runtime_checkable
class SupportsInfluence(SupportsStates, Protocol):
    """A model that offers ``influence``: gradients of all its states in one pass."""

    def influence(self, trace: Trace, facet: int | None = None) -> Float[torch.Tensor, "B T T"]:
        """Give ``‖∂‖s_p‖₂ / ∂e_i‖₂`` for the state of every token p and every token i of a trace of
        this model.

        With ``facet``, the gradient is of that component of the state instead of its length.
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
        """Attend to the given states instead of the trace's own, and decode; gradients flow to
        them, also through the weights.

        With ``order``, each token gets the score of another token, by adding a constant to its own
        score: the weights change, and the gradient of its score does not.
        """
        ...

    def without_states(
        self, trace: Trace, order: Int[torch.Tensor, "B T"] | None = None
    ) -> Float[torch.Tensor, "B T L"]:
        """Compute the logits without the state of each token in turn, left out before the weights
        are computed.
        """
        ...


@runtime_checkable
class SupportsLayers(Auditable, Protocol):
    """A model that offers ``layers``: several layers of attention, each of which can be replaced
    with all its heads and rows.
    """

    @property
    def layers(self) -> int:
        """The number of layers."""
        ...

    def added_weights(self, batch: Batch, sums: Sequence[Any]) -> Sequence[Any]:
        """Add the weights of a batch to running sums, one for each layer; ``means`` of a sum covers
        all texts so far.
        """
        ...

    def without_choice(
        self, batch: Batch, layer: int | None, means: Sequence[Any] | None
    ) -> Float[torch.Tensor, "B L"]:
        """Compute the logits with text-independent weights, these means or uniform ones, at one
        layer or all.
        """
        ...


@runtime_checkable
class SupportsVariants(Auditable, Protocol):
    """A model that offers ``variants``."""

    def trace_variants(self, batch: Batch) -> Trace:
        """Run texts that share most of their words, faster; results equal those of
        `Auditable.trace`.

        Such a trace has no embeddings. ``decode`` accepts it, if the model offers ``decode``.
        """
        ...


@runtime_checkable
class SupportsDeletion(Auditable, Protocol):
    """A model that offers ``deletion``: leave-one-out in closed form, for its own traces."""

    def deletion_logits(
        self, trace: Trace, attentions: Mapping[str, Float[torch.Tensor, "B T"]]
    ) -> Mapping[str, Float[torch.Tensor, "B T L"]]:
        """Give the logits without each token: under the model's ``own`` attention, and under each
        given attention, rescaled to one.
        """
        ...


@dataclass(frozen=True)
class MeasureContext:
    """The input of a measure in addition to the trace of a batch.

    ``companions`` holds the control models by name, which read the same batches. ``texts`` are the
    texts of the batch, row by row, and ``audited`` all texts of the audit. ``given`` holds external
    word scores by text id, and ``signed`` the signed ones. ``learned`` is the result of the
    measure's own survey, if it has one (`SupportsSurvey`). ``shared`` lives as long as the batch,
    so that measures can reuse each other's computations. ``answered`` lives as long as an audit that
    takes several looks: measures keep there what a later look asks again. It is None otherwise.
    """

    model: Auditable
    companions: Mapping[str, Auditable] = field(default_factory=dict)
    texts: tuple[Example, ...] = ()
    audited: tuple[Example, ...] = ()
    given: Mapping[str, Float[np.ndarray, " W"]] = field(default_factory=dict)
    signed: Mapping[str, Float[np.ndarray, " W"]] = field(default_factory=dict)
    learned: Any = None
    shared: dict[str, Any] = field(default_factory=dict)
    answered: dict[str, dict[Any, Any]] | None = None


@runtime_checkable
class Measure(Protocol):
    """One question about a model: raw numbers for each text, observed and at chance level.

    What every measure guarantees (``tests/contract/test_measures.py``): each array has one row for
    each text. The numbers depend on model, texts and seed only, not on batches or order. Each NaN
    is counted with its reason. The trace is not modified.
    """

    @property
    def code(self) -> str:
        """A stable name: the anchor in the documentation and the key in an audit."""
        ...

    @property
    def needs(self) -> frozenset[str]:
        """The required capabilities (`Capability`, `OTHER_ATTENTION`) and control models
        (``companion.NAME``).
        """
        ...

    @property
    def paper(self) -> str:
        """The paper that introduced the measure."""
        ...

    def on_batch(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> Arrays:
        """Measure the texts of one batch, one row for each text."""
        ...

    def finish(self, arrays: Arrays) -> Measurement:
        """Combine all batches, in the order of the split, and count undefined values with reasons."""
        ...


@runtime_checkable
class SupportsSurvey(Measure, Protocol):
    """A measure that first learns from other texts; ``on_batch`` finds the result in
    ``subject.learned``.

    The texts of a survey of ``half`` of the audited texts are not measured: their rows are NaN, and
    counted.
    """

    @property
    def surveys(self) -> Survey:
        """The texts that it learns from."""
        ...

    def look(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> Arrays:
        """Collect the data to learn from in one batch of these texts, one row for each text."""
        ...

    def learn(self, arrays: Arrays, seeds: Seeds) -> Any:
        """Learn from all batches, once."""
        ...


@runtime_checkable
class SupportsConclusion(SupportsSurvey, Protocol):
    """A measure with numbers about all texts together, which come from its survey."""

    def conclude(self, measurement: Measurement, learned: Any, seeds: Seeds) -> Measurement:
        """Add the numbers about all texts to those measured text by text."""
        ...


@runtime_checkable
class SupportsSampling(SupportsSurvey, Protocol):
    """A measure that learns from a sample of its survey texts; only the sample is run."""

    def sample(self, texts: Sequence[Example], seeds: Seeds) -> Sequence[Example]:
        """Choose the sample."""
        ...
