"""Makes any PyTorch module an `Auditable`, from a few functions that its owner writes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from itertools import chain
from typing import Any, get_args

import torch
from jaxtyping import Float
from torch import nn

from sightline.adapters.label_views import SIGMOIDS, LabelViews, checked_labels, of_label
from sightline.adapters.length_groups import by_length, in_order
from sightline.adapters.shared_pieces import with_own_tokens
from sightline.adapters.validate_outputs import batch_of, call_user_code, entry, tensor
from sightline.core.errors import ModelError
from sightline.core.example import Example
from sightline.core.protocols import Batch, Capability, Link, Origin, Trace

Pair = tuple[torch.Tensor, torch.Tensor]
Returned = Mapping[str, Any] | Trace
"""The result of the user's trace, which decode and token_logits receive."""
Collate = Callable[[Sequence[Example]], Batch | Pair]
Embed = Callable[[Batch], torch.Tensor]
Tracer = Callable[[Batch, torch.Tensor], Returned]
Decode = Callable[[Any, torch.Tensor], torch.Tensor]
TokenLogits = Callable[[Any], torch.Tensor]
States = Callable[[Any], torch.Tensor]


@dataclass(frozen=True)
class Calls:
    """The user's functions for one module."""

    collate: Collate
    embed: Embed
    trace: Tracer
    decode: Decode | None = None
    token_logits: TokenLogits | None = None
    states: States | None = None


@dataclass(frozen=True)
class TracedPart:
    """The result of trace for some texts of a batch, their places in it, and the number of tokens
    to which they were padded.
    """

    places: torch.Tensor
    returned: Any
    width: int


@dataclass(frozen=True, eq=False)
class WrappedModule(LabelViews):
    """A module behind the interface of an audit; make one with `wrap`."""

    module: nn.Module
    calls: Calls
    link: Link
    name: str
    labels: tuple[str, ...] | None = None
    one_length: bool = False
    """Whether texts are run one length at a time, without padding."""

    def _all_logits(self, batch: Batch) -> Float[torch.Tensor, "B K"]:
        with torch.no_grad(), exact_recurrence(self.module, self.device):
            known = _entries(self._returned(batch, self.embed(batch)))
        shape = (len(batch), self.width or len(self.labels or ()))
        return tensor("trace: logits", entry(known, "logits"), shape, batch.ids.device).detach()

    @property
    def origin(self) -> Origin:
        """Elsewhere: the functions have to be checked."""
        return "elsewhere"

    @property
    def offers(self) -> frozenset[Capability]:
        """The functions that were given; nothing is guessed from the module."""
        given: dict[Capability, object] = {
            "decode": self.calls.decode,
            "token_logits": self.calls.token_logits,
            "states": self.calls.states,
        }
        return frozenset(
            {"embedding_grad", *(name for name, function in given.items() if function is not None)}
        )

    @property
    def device(self) -> torch.device:
        """The device of the module's first tensor; the CPU if it has none."""
        return device_of(self.module)

    def collate(self, examples: Sequence[Example]) -> Batch:
        """Turn texts into a padded batch on the module's device."""
        return batch_of(self.calls.collate, examples, self.device)

    def seen(self, example: Example) -> Example:
        """Leave out words that share their only subword with the word before."""
        return call_user_code("collate", with_own_tokens, self.calls.collate, example)

    def embed(self, batch: Batch) -> Float[torch.Tensor, "B T E"]:
        """Look up the embeddings of a batch."""
        vectors = call_user_code("embed", self.calls.embed, batch)
        return tensor("embed", vectors, (*batch.ids.shape, None), batch.ids.device)

    def trace(self, batch: Batch, embeddings: Float[torch.Tensor, "B T E"] | None = None) -> Trace:
        """Run the module; detached, unless embeddings are given to take gradients of."""
        if embeddings is not None:
            with exact_recurrence(self.module, self.device):
                return self._run(batch, embeddings)
        with torch.no_grad(), exact_recurrence(self.module, self.device):
            return _detached(self._run(batch, self.embed(batch)))

    def decode(
        self, trace: Trace, attention: Float[torch.Tensor, "B T"]
    ) -> Float[torch.Tensor, "B L"]:
        """Compute the logits under any attention with the user's decode, from the result of the
        user's trace.
        """
        if self.calls.decode is None:
            raise ModelError(
                f"{self.name}: cannot decode other attention", change="give decode= to wrap"
            )
        parts = self._parts(trace)
        with exact_recurrence(self.module, self.device):
            found = [self._decoded(self.calls.decode, part, trace, attention) for part in parts]
        return found[0] if len(found) == 1 else in_order(found, [part.places for part in parts])

    def states(self, trace: Trace) -> Float[torch.Tensor, "B T P"]:
        """Give the hidden states that attention mixes, with the user's states, from the result of
        the user's trace.
        """
        if self.calls.states is None:
            raise ModelError(
                f"{self.name}: does not give hidden states", change="give states= to wrap"
            )
        parts, found = self._parts(trace), list[torch.Tensor]()
        for part in parts:
            states = call_user_code("states", self.calls.states, part.returned)
            shape = (len(part.places), part.width, None)
            found.append(tensor("states", states, shape, trace.attention.device))
        return in_order(found, [part.places for part in parts], trace.batch.ids.shape[1])

    def _parts(self, trace: Trace) -> Sequence[TracedPart]:
        """Give what trace returned: of all texts together, or of the texts of each length."""
        if trace.inside is None:
            message = f"{self.name}: expected a trace of its own to decode, got another model's"
            raise ModelError(message, change="trace the batch again")
        if isinstance(trace.inside, tuple):
            return trace.inside
        places = torch.arange(len(trace.attention), device=trace.attention.device)
        return (TracedPart(places, trace.inside, trace.batch.ids.shape[1]),)

    def _decoded(
        self,
        decode: Decode,
        part: TracedPart,
        trace: Trace,
        attention: Float[torch.Tensor, "B T"],
    ) -> Float[torch.Tensor, "N L"]:
        """Decode the texts that were run together, with the weights of their own tokens only."""
        given = attention
        if isinstance(trace.inside, tuple):
            given = attention[part.places, : part.width]
        logits = call_user_code(
            "decode", decode, part.returned, self._among_labels(part.returned, given)
        )
        shape = (len(part.places), self.width or trace.logits.shape[1])
        return of_label(tensor("decode", logits, shape, attention.device), self.label)

    def _among_labels(
        self, returned: Returned, attention: Float[torch.Tensor, "B T"]
    ) -> Float[torch.Tensor, "B *K T"]:
        """Give attention in the form of trace. If the module has an attention for each label, only
        this label's changes.
        """
        own = _entries(returned)["attention"]
        if self.label is None or own.ndim == attention.ndim:
            return attention
        given = [attention if k == self.label else own[:, k] for k in range(own.shape[1])]
        return torch.stack(given, dim=1)

    def _run(self, batch: Batch, embeddings: Float[torch.Tensor, "B T E"]) -> Trace:
        if not self.one_length:
            return self._run_together(batch, embeddings)
        places, found = list[torch.Tensor](), list[Trace]()
        for at, texts in by_length(batch):
            places.append(at)
            found.append(self._run_together(texts, embeddings[at, : texts.ids.shape[1]]))
        alone = [one.token_logits for one in found if one.token_logits is not None]
        width = batch.ids.shape[1]
        return Trace(
            batch,
            embeddings,
            in_order([one.attention for one in found], places, width),
            in_order([one.logits for one in found], places),
            token_logits=in_order(alone, places, width) if alone else None,
            inside=tuple(
                TracedPart(at, one.inside, one.batch.ids.shape[1])
                for at, one in zip(places, found, strict=True)
            ),
        )

    def _returned(self, batch: Batch, embeddings: Float[torch.Tensor, "B T E"]) -> Returned:
        returned = call_user_code("trace", self.calls.trace, batch, embeddings)
        if not isinstance(returned, (Mapping, Trace)):
            raise ModelError(
                (
                    "trace: expected a mapping with 'attention' and 'logits', or a Trace, got "
                    f"{type(returned).__name__}"
                ),
                change="return {'attention': …, 'logits': …} and whatever decode needs",
            )
        checked: Returned = returned
        return checked

    def _run_together(self, batch: Batch, embeddings: Float[torch.Tensor, "B T E"]) -> Trace:
        returned = self._returned(batch, embeddings)
        known = _entries(returned)
        own = (
            {**returned, "batch": batch, "embeddings": embeddings}
            if isinstance(returned, Mapping)
            else returned
        )
        trace = self._read(known, batch, embeddings, own)
        if self.calls.token_logits is None:
            return trace
        found = call_user_code("token_logits", self.calls.token_logits, own)
        shape = (*batch.ids.shape, self.width or trace.logits.shape[1])
        alone = tensor("token_logits", found, shape, batch.ids.device)
        return replace(trace, token_logits=of_label(alone, self.label))

    def _read(
        self,
        known: Mapping[str, Any],
        batch: Batch,
        embeddings: Float[torch.Tensor, "B T E"],
        own: Returned,
    ) -> Trace:
        """Build a `Trace` from the result of trace, and keep the whole result for decode."""
        texts, tokens = batch.ids.shape
        device, attention = batch.ids.device, entry(known, "attention")
        if self.label is not None and getattr(attention, "ndim", 0) == 3:
            by_label = (texts, self.width, tokens)
            attention = tensor("trace: attention", attention, by_label, device)[:, self.label]
        attention = tensor("trace: attention", attention, (texts, tokens), device)
        logits = tensor("trace: logits", entry(known, "logits"), (texts, self.width), device)
        return Trace(batch, embeddings, attention, of_label(logits, self.label), inside=own)


def wrap(
    module: nn.Module,
    *,
    collate: Collate,
    embed: Embed,
    trace: Tracer,
    decode: Decode | None = None,
    token_logits: TokenLogits | None = None,
    states: States | None = None,
    link: str = "softmax",
    name: str | None = None,
    labels: Sequence[str] | None = None,
    one_length: bool = False,
) -> WrappedModule:
    """Make any module auditable; it is used as it is, in its mode and on its device.

    Parameters
    ----------
    module
        The trained module, in evaluation mode.
    collate
        Texts to ``(ids, mask)``, one token for each of ``example.tokens``, True on real
        tokens; or to a `Batch`.
    embed
        A batch to its embeddings, ``B T E``.
    trace
        A batch and embeddings to a mapping with ``attention`` (``B T``), ``logits`` (``B L``) and
        whatever decode needs; or to a `Trace`. It must start from the embeddings that it is given.
    decode
        What trace returned (a mapping has ``batch`` and ``embeddings`` added), and any attention,
        to logits. Without it, the measures that replace attention are not run.
    token_logits
        What trace returned, to the logits of each token attended to alone, ``B T L``: only where
        logits are the mixture ``Σ attention · token logits``, so that exact answers may be computed
        from them.
    states
        What trace returned, to the hidden states that attention mixes, ``B T P``. Measures of
        states, such as rank information (SL-401), need them.
    link
        ``sigmoid`` for one logit of the second of two classes, ``softmax`` for a logit a class,
        ``sigmoids`` for a logit and a sigmoid for each of several labels. Then attention may be
        ``B K T``, one for each label, decode is given it so, and `sightline.audit_labels` audits
        the model.
    labels
        The names of the classes, or of the several labels, in the order of the logits; without
        them, the order of the data's labels is assumed.
    one_length
        Run texts of one length at a time, without padding: for a module that ignores the mask.
    """
    calls = Calls(collate, embed, trace, decode, token_logits, states)
    known, names = checked_answers(link, labels)
    return WrappedModule(module, calls, known, name or type(module).__name__, names, one_length)


def checked_answers(link: str, labels: Sequence[str] | None) -> tuple[Link, tuple[str, ...] | None]:
    """Check how logits become probabilities and the names of the classes, as a user gives them."""
    names = None if labels is None else tuple(labels)
    if link not in get_args(Link):
        raise ModelError(
            f"link: expected sigmoid, softmax or sigmoids, got {link!r}",
            change="one logit takes a sigmoid, several labels take sigmoids",
        )
    if link == SIGMOIDS:
        return SIGMOIDS, checked_labels(names)
    if names is not None and (
        len(set(names)) < max(len(names), 2) or (link == "sigmoid" and len(names) != 2)
    ):
        wanted = "two different names" if link == "sigmoid" else "two or more different names"
        change = "name each class once, in the order of the logits"
        raise ModelError(f"labels: expected {wanted}, got {names}", change=change)
    return "sigmoid" if link == "sigmoid" else "softmax", names


def device_of(module: nn.Module) -> torch.device:
    """The device of a module's first tensor; the CPU if it has none."""
    found = next(chain(module.parameters(), module.buffers()), None)
    return torch.device("cpu") if found is None else found.device


@contextmanager
def exact_recurrence(module: nn.Module, device: torch.device) -> Iterator[None]:
    """Run recurrent layers on a GPU without cuDNN, as the built-in models do.

    In evaluation mode cuDNN refuses their gradient (pytorch/pytorch#15788). Its TF32 would also
    make runs with gradients differ from runs without.
    """
    recurrent = device.type == "cuda" and any(
        isinstance(part, nn.RNNBase) for part in module.modules()
    )
    if not recurrent:
        yield
        return
    with torch.backends.cudnn.flags(enabled=False):
        yield


def _entries(returned: Returned) -> dict[str, Any]:
    if isinstance(returned, Trace):
        return {f.name: getattr(returned, f.name) for f in fields(Trace)}
    return dict(returned)


def _detached(trace: Trace) -> Trace:
    """Cut every graph, also in the values that decode receives: a trace must not hold the module's
    memory.
    """
    return replace(_cut_all(trace), inside=_returned_cut(trace.inside))


def _returned_cut(own: Any) -> Any:
    if isinstance(own, tuple):
        return tuple(replace(part, returned=_returned_cut(part.returned)) for part in own)
    return _cut_all(own) if isinstance(own, Trace) else {k: _cut(v) for k, v in own.items()}


def _cut_all(trace: Trace) -> Trace:
    return replace(trace, **{f.name: _cut(getattr(trace, f.name)) for f in fields(trace)})


def _cut(value: Any) -> Any:
    return value.detach() if isinstance(value, torch.Tensor) else value
