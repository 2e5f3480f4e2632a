"""A model that is known only by its answers: texts go in, probabilities come out.

    model = sightline.answers(predict, labels=("bad", "good"))
    audit = sightline.audit(model, data)

The audited map takes the place of attention: the user's own scores, scores of a file, or
leave-one-out.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int

from sightline.adapters.answer_cache import AnswerCache, Predict
from sightline.adapters.isolated_function import IsolatedFunction
from sightline.adapters.validate_outputs import call_user_code
from sightline.adapters.wrap import checked_answers
from sightline.core.audited_map import AuditedMap
from sightline.core.error_excerpts import show_id
from sightline.core.errors import AnswerError, ModelError, SpecError
from sightline.core.example import Example, shortened
from sightline.core.protocols import Batch, Capability, Link, Origin, Trace
from sightline.numerics.divergences import total_variation

Array = np.ndarray
Weights = Float[np.ndarray, " W"]
FLOOR = 1e-12
"""The smallest probability: an answer of exactly 0 has no logarithm."""
LEAVE_ONE_OUT = AuditedMap(
    "the leave-one-out map",
    "how far the probabilities move when the word is left out, asked here word by word",
    same_as="deletion",
)
_PLACES = 2**32
"""The number of a token combines the row of its text at reading and its place in the text."""


@dataclass(frozen=True)
class AnswerBatch(Batch):
    """A batch that knows the texts of its tokens, so that words can become texts again."""

    sources: tuple[Example, ...] = ()

    def _tensors(self) -> list[tuple[str, torch.Tensor]]:
        return [(name, one) for name, one in super()._tensors() if name != "sources"]

    def written(self) -> Iterator[tuple[Example, Int[Array, " W"]]]:
        """Give for each row its text, and the places of the remaining words."""
        for ids, mask in zip(self.ids.cpu().numpy(), self.mask.cpu().numpy(), strict=True):
            left = ids[mask]
            yield self.sources[int(left[0] // _PLACES) if len(left) else 0], left % _PLACES


@dataclass(frozen=True)
class WordScores:
    """A user's function that scores the words of texts."""

    function: Callable[..., Any]
    name: str

    def of(self, examples: Sequence[Example]) -> list[Weights]:
        """Give one number for each word of each text."""
        texts = [example.text for example in examples]
        words = [[example.text[a:b] for a, b in example.offsets] for example in examples]
        name = f"scores of {self.name}"
        returned = call_user_code(
            name, self.function, texts, *([words] if self._takes_words else [])
        )
        if not hasattr(returned, "__len__") or len(returned) != len(texts):
            got = len(returned) if hasattr(returned, "__len__") else type(returned).__name__
            raise AnswerError(
                f"{name}: expected {len(texts)} rows of numbers, one a text, got {got}",
                change="give a list with one number a word for each text",
            )
        return [self._row(name, row, one) for row, one in zip(returned, examples, strict=True)]

    @property
    def _takes_words(self) -> bool:
        try:
            inspect.signature(self.function).bind([], [])
        except (TypeError, ValueError):
            return False
        return True

    def _row(self, name: str, row: Any, example: Example) -> Weights:
        try:
            found = np.array(row, dtype=np.float64)
        except (TypeError, ValueError):
            found = np.full(0, np.nan)
        if found.shape != (len(example.tokens),) or not np.isfinite(found).all():
            wanted = f"{len(example.tokens)} finite numbers, one for each word"
            got = f"{found.size} numbers" if found.size else type(row).__name__
            raise AnswerError(
                f"{name}: text {show_id(example.id)}: expected {wanted}, got {got}"
                f"{'' if np.isfinite(found).all() else ', not all finite'}",
                change=(
                    "take a second argument, which is given the words of each text, and give one "
                    "number for each of them"
                ),
            )
        return found


@dataclass(frozen=True, eq=False)
class AnswersModel:
    """A function from texts to probabilities behind the interface of an audit; make one with
    `answers`.
    """

    cache: AnswerCache
    labels: tuple[str, ...]
    name: str
    scores: WordScores | None = None
    given: Mapping[str, Weights] | None = None
    source: str = ""
    """The source of scores from another tool."""
    asks_fresh: bool = False

    @property
    def link(self) -> Link:
        """Softmax: the logits are the logarithms of the probabilities."""
        return "softmax"

    @property
    def origin(self) -> Origin:
        """Elsewhere: the function has to be checked."""
        return "elsewhere"

    @property
    def offers(self) -> frozenset[Capability]:
        """Only answers; changed texts are answered without a map of their own."""
        return frozenset({"variants"})

    @property
    def fresh(self) -> AnswersModel:
        """The same model, which calls the function even for known texts."""
        return replace(self, asks_fresh=True)

    @property
    def audited_map(self) -> AuditedMap:
        """The map that takes the place of attention."""
        if self.given is None and self.scores is None:
            return LEAVE_ONE_OUT
        made_by = self.source or f"the function that came with {self.name}"
        return AuditedMap("the score map", f"the size of the word’s score, from {made_by}")

    def for_audit(
        self, texts: Sequence[Example], given: Mapping[str, Array] | None, source: str
    ) -> tuple[AnswersModel, Mapping[str, Array] | None, Mapping[str, Array]]:
        """Fix the audited map for these texts, and count from zero.

        Gives the model, the scores that are one more map to compare, and the signed scores, if the
        audited map has signs.
        """
        compared = given if self.scores is not None else None
        made = None if given is None else {name: np.asarray(one) for name, one in given.items()}
        if self.scores is not None:
            seen = [_read(text) for text in texts]
            rows = self.scores.of(seen)
            made, source = {text.id: row for text, row in zip(texts, rows, strict=True)}, ""
        elif made is not None:
            self._check_given(texts, made)
        model = replace(self, cache=self.cache.restarted(), given=made, source=source)
        signed = {} if made is None or all((one >= 0).all() for one in made.values()) else made
        return model, compared, signed

    def forgetting(self) -> AnswersModel:
        """Give the same model without its stored answers, to measure the cost of calls."""
        return replace(self, cache=self.cache.restarted(empty=True))

    def about(self) -> dict[str, Any]:
        """Give the number of texts that were needed and sent in this audit, as plain values."""
        cache = self.cache
        return {
            "texts_needed": len(cache.used),
            "texts_asked": cache.asked,
            "failed_calls": cache.failures,
        }

    def collate(self, examples: Sequence[Example]) -> AnswerBatch:
        """Number the words of texts by their places, padded to a batch."""
        if any(example.query is not None for example in examples):
            raise ModelError(
                f"{self.name}: expected texts alone, got texts with a query",
                change="leave the query out, or write it into the text; a function from texts to "
                "probabilities is given one text",
            )
        width = max((len(example.tokens) for example in examples), default=0)
        mask = torch.zeros((len(examples), max(width, 1)), dtype=torch.bool)
        for row, example in enumerate(examples):
            mask[row, : len(example.tokens)] = True
        places = torch.arange(mask.shape[1]).expand(mask.shape)
        rows = torch.arange(len(examples))[:, None] * _PLACES
        return AnswerBatch(
            ids=(places + rows) * mask,
            mask=mask,
            attendable=mask,
            word=places.masked_fill(~mask, -1),
            labels=torch.tensor([example.label for example in examples], dtype=torch.long),
            index=torch.tensor([example.index for example in examples], dtype=torch.long),
            sources=tuple(_read(example) for example in examples),
        )

    def embed(self, batch: Batch) -> Float[torch.Tensor, "B T E"]:
        """Give zeros: the embeddings are unknown, and no measure uses them."""
        return torch.zeros((*batch.ids.shape, 1), dtype=torch.float64)

    def trace(self, batch: Batch, embeddings: Float[torch.Tensor, "B T E"] | None = None) -> Trace:
        """Answer texts, and give the audited map of those with all their words."""
        found = self.trace_variants(batch)
        whole = [
            (row, source)
            for row, (source, left) in enumerate(_sources(batch))
            if len(left) == len(source.tokens) > 0
        ]
        weights = found.attention.clone()
        for (row, source), one in zip(whole, self._maps([s for _, s in whole]), strict=True):
            sizes = np.abs(one)
            if sizes.sum() > 0:
                weights[row, : len(source.tokens)] = torch.from_numpy(sizes / sizes.sum())
        return replace(found, attention=weights)

    def trace_variants(self, batch: Batch) -> Trace:
        """Answer texts whose map is never shown: the weights are all equal."""
        asked = [
            (source, source.text if len(left) == len(source.tokens) else _without(source, left))
            for source, left in _sources(batch)
        ]
        chances = self._answers(asked, fresh=self.asks_fresh)
        even = batch.attendable / batch.attendable.sum(1, keepdim=True).clamp(min=1)
        logits = torch.from_numpy(np.log(np.maximum(chances, FLOOR)))
        return Trace(batch, self.embed(batch), even.double(), logits)

    def decode(
        self, trace: Trace, attention: Float[torch.Tensor, "B T"]
    ) -> Float[torch.Tensor, "B L"]:
        """Raise an error: the function takes texts and no weights."""
        raise ModelError(
            f"{self.name}: cannot decode other attention, only its answers are known",
            change="audit the model itself (sightline.wrap, sightline.tap, hf:FOLDER)",
        )

    def _maps(self, sources: Sequence[Example]) -> list[Weights]:
        """Give the audited map of whole texts."""
        if self.given is not None:
            rows = [self.given.get(source.id) for source in sources]
            return [
                row if row is not None and len(row) == len(source.tokens) else np.zeros(1)
                for row, source in zip(rows, sources, strict=True)
            ]
        if self.scores is not None:
            return self.scores.of(sources) if sources else []
        return self._left_out(sources)

    def _left_out(self, sources: Sequence[Example]) -> list[Weights]:
        """Leave each word out of its text in turn; a text of one word has nothing left to answer."""
        asked = [
            [(one, _without(one, np.delete(np.arange(n), place))) for place in range(n)]
            if n > 1
            else []
            for one in sources
            for n in [len(one.tokens)]
        ]
        if not sources:
            return []
        found = self._answers([*((one, one.text) for one in sources), *chain(*asked)])
        whole, rest = found[: len(sources)], found[len(sources) :]
        ends = np.cumsum([len(each) for each in asked])
        return [
            total_variation(part, own[None])
            for own, part in zip(whole, np.split(rest, ends[:-1]), strict=True)
        ]

    def _answers(
        self, asked: Sequence[tuple[Example, str]], *, fresh: bool = False
    ) -> Float[np.ndarray, "N C"]:
        """Answer texts; an error about one names the audited text that it was made of."""
        try:
            return self.cache.answers([text for _, text in asked], fresh=fresh)
        except AnswerError as error:
            source = next((one for one, text in asked if text == error.text), None)
            if source is None:
                raise
            copy = "" if error.text == source.text else "a changed copy of "
            raise AnswerError(
                f"{error.wrong}; it is {copy}text {show_id(source.id)}",
                change=error.change,
                text=error.text,
            ) from error

    def _check_given(self, texts: Sequence[Example], made: Mapping[str, Array]) -> None:
        lacking = [text.id for text in texts if text.id not in made]
        if lacking:
            raise SpecError(
                f"expected scores of all {len(texts)} audited texts, because they are the audited "
                f"map, got none for {len(lacking)}, such as {show_id(lacking[0])!r:.60}; score these texts "
                "too, or leave them out of the data",
                field="scores",
            )
        for text in texts:
            if len(made[text.id]) != len(text.tokens) or not np.isfinite(made[text.id]).all():
                raise SpecError(
                    f"text {show_id(text.id)!r:.60}: expected {len(text.tokens)} finite numbers, one a "
                    f"word, got {len(made[text.id])}; score the words as sightline cuts them",
                    field="scores",
                )


def answers(
    predict: Predict,
    *,
    labels: Sequence[str],
    scores: Callable[..., Any] | None = None,
    name: str | None = None,
    batch: int = 64,
    retries: int = 0,
    isolated: bool = False,
) -> AnswersModel:
    """Make a function from texts to probabilities auditable.

    Parameters
    ----------
    predict
        Takes a list of texts and gives an array of probabilities, a row a text and a column a
        class. The same text must always get the same answer.
    labels
        The names of the classes, in the order of the columns.
    scores
        The map that you would show: a function from a list of texts to one number a word for
        each text. A second argument, if it has one, gets the words of each text as they are
        written. Without it, the audited map is the scores given to the audit, or leave-one-out.
    name
        What the report calls the model.
    batch
        The most texts in one call of ``predict``.
    retries
        How often a failed call is repeated.
    isolated
        Whether ``predict`` runs in a process of its own; it must then be a function of a module.
    """
    for what, number, least in (("batch", batch, 1), ("retries", retries, 0)):
        whole: object = number
        if isinstance(whole, bool) or not isinstance(whole, int) or number < least:
            raise SpecError(f"expected a whole number from {least}, got {number!r}", field=what)
    for what, function in (("predict", predict), ("scores", scores)):
        if function is not None and not callable(function):
            raise ModelError(
                f"{what}: expected a function, got {type(function).__name__}",
                change="give a function from a list of texts",
            )
    given: object = labels
    if (
        isinstance(given, str)
        or not isinstance(given, Sequence | np.ndarray)
        or not all(isinstance(one, str) for one in given)
    ):
        raise ModelError(
            f"labels: expected names, got {labels!r:.60}",
            change="give a list with the name of each class, in the order of the columns",
        )
    _, names = checked_answers("softmax", labels)
    assert names is not None
    title = name or str(getattr(predict, "__name__", type(predict).__name__))
    asked = IsolatedFunction(predict) if isolated else predict
    cache = AnswerCache(asked, names, title, batch, retries)
    return AnswersModel(cache, names, title, None if scores is None else WordScores(scores, title))


def _sources(batch: Batch) -> Iterator[tuple[Example, Int[Array, " W"]]]:
    assert isinstance(batch, AnswerBatch)  # it was collated here
    return batch.written()


def _read(example: Example) -> Example:
    """Give a text as far as the model reads it: cut texts end with their last word."""
    return replace(example, text=example.as_read, places=example.offsets)


def _without(source: Example, left: Int[Array, " W"]) -> str:
    """Write a text without its deleted words."""
    return shortened(source, set(left.tolist())).text
