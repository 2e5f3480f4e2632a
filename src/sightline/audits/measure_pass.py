"""Batches of texts × measures → raw numbers: one pass over the texts, and others for measures that
learn first.

What learns from other texts looks at these before the pass. What learns from all audited texts
looks at them in the pass, beside the measures whose maps it shares (`MeasureContext.shared`), and
measures them in a second one: no map is made twice, and none is held longer than its batch.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from jaxtyping import Bool, Float, Int

from sightline.adapters.trace_checks import asked
from sightline.audits.collate import checked, extended, finished, first, joined, numbered, unlearned
from sightline.audits.determinism import Steady
from sightline.audits.isolation import IsolatedMeasure, enter
from sightline.audits.prepass import half, learns_from_all, texts_of
from sightline.core.example import Example
from sightline.core.protocols import (
    ANY_COMPANION,
    COMPANION,
    OTHER_ATTENTION,
    Arrays,
    Auditable,
    Measure,
    MeasureContext,
    SupportsConclusion,
    SupportsSurvey,
)
from sightline.core.results import Outcome
from sightline.core.seeds import Seeds
from sightline.data.batches import length_batches
from sightline.measures.trace_arrays import to_numpy


def give_back() -> None:
    """Let the system have the memory that batches leave in holes, where the allocator can: texts of
    many lengths left 90 MB of 916 in an audit of a transformer.
    """
    with suppress(OSError, AttributeError, TypeError):  # of Linux alone
        ctypes.CDLL(None).malloc_trim(0)


Progress = Callable[[int, int], None]
Call = Literal["look", "on_batch"]


def measure(
    model: Auditable,
    examples: Sequence[Example],
    measures: Sequence[Measure],
    companions: Mapping[str, Auditable],
    seeds: Seeds,
    batch_size: int,
    on_progress: Progress,
    others: Mapping[str, Sequence[Example]] | None = None,
    given: Mapping[str, Float[np.ndarray, " W"]] | None = None,
    signed: Mapping[str, Float[np.ndarray, " W"]] | None = None,
) -> dict[str, Outcome]:
    """Take every measure on every text; one that breaks is stored as failed, by name, and the
    others go on.

    ``others`` are the texts of other splits by name, for measures that learn from them
    (`SupportsSurvey`); ``given`` are scores of words that somebody brought, by the id of a text,
    ``signed`` the same where they take sides.
    """
    subject = MeasureContext(
        model, companions, audited=tuple(examples), given=given or {}, signed=signed or {}
    )
    whole = TextPass(subject, measures, seeds, batch_size, others or {})
    whole.advance(whole.names, len(examples), on_progress)
    whole.ask_again()
    return whole.outcomes(len(examples))


def _offered(model: Auditable, companions: Mapping[str, Auditable]) -> frozenset[str]:
    """Name what measures may need that is there: what the model offers, and the companions."""
    beside = {f"{COMPANION}{name}" for name in companions} | (
        {ANY_COMPANION} if companions else set()
    )
    decodes = model.offers & {"decode", "token_logits"}
    return model.offers | beside | ({OTHER_ATTENTION} if decodes else set())


@dataclass(eq=False)
class MeasuredTexts:
    """One measure, and what it has of the first ``texts`` of an audit.

    ``rows`` are the arrays of ``on_batch``. A measure that learns from all audited texts is
    ``late``: it has ``looked`` at them before, and measures all of them again when there are more.
    """

    guarded: IsolatedMeasure
    late: bool
    texts: int = 0
    rows: Arrays | None = None
    looked: Arrays | None = None

    @property
    def open(self) -> bool:
        """Whether there is no outcome yet, such as an error."""
        return self.guarded.outcome is None


class TextPass:
    """The measures of an audit on the first of its texts, and on more of them when that is asked.

    ``growing`` says that more will be asked: what late measures have looked at is kept for it.
    """

    def __init__(
        self,
        subject: MeasureContext,
        measures: Sequence[Measure],
        seeds: Seeds,
        batch_size: int,
        others: Mapping[str, Sequence[Example]],
        *,
        growing: bool = False,
    ) -> None:
        self.texts, self.others, self.growing = subject.audited, others, growing
        subject = replace(subject, answered={} if growing else None)
        self.run = _Run(subject, seeds, batch_size, {} if growing else None)
        entered = enter(measures, _offered(subject.model, subject.companions))
        self.measures = {
            one.name: MeasuredTexts(one, one.outcome is None and learns_from_all(one.one))
            for one in entered
        }
        self.finite = np.ones(len(self.texts), dtype=bool)
        self.steady = Steady(subject.model) if subject.model.origin == "elsewhere" else None

    @property
    def names(self) -> tuple[str, ...]:
        """Name the measures in their order."""
        return tuple(self.measures)

    def exchange(self, measures: Mapping[str, Measure]) -> None:
        """Take other measures in the place of some, from the first text on; what had an outcome
        keeps it.
        """
        for name, one in measures.items():
            if self.measures[name].open:
                self.measures[name] = MeasuredTexts(
                    IsolatedMeasure(name, one), learns_from_all(one)
                )

    def advance(
        self,
        names: Collection[str],
        upto: int,
        on_progress: Progress = lambda done, total: None,
    ) -> None:
        """Take some measures on the first ``upto`` texts, of which they may have some already."""
        some = [one for name, one in self.measures.items() if name in names and one.texts < upto]
        for one in some:
            self._begin(one, upto)
        late = [one for one in some if one.late and one.open]
        starts = sorted({one.texts for one in some})
        total = sum(upto - start for start in starts) + (upto if late else 0)
        whole, done = max((upto - start for start in starts), default=0), 0

        def told(here: int, _: int) -> None:
            on_progress((done + here) * whole // max(total, 1), whole)

        for start in starts:
            self._add([one for one in some if one.texts == start], start, upto, told)
            done += upto - start
        for one in late:
            self._learn(one)
        if late:
            seen = self.run.over(
                self.texts[:upto], [one.guarded for one in late], (), told, self.steady
            )
            for one in late:
                one.rows = self._joined(one, seen, None)

    def outcomes(self, upto: int) -> dict[str, Outcome]:
        """Conclude every measure that has the first ``upto`` texts, or has an outcome already."""
        found = {name: self.outcome(name, upto) for name in self.names}
        return {name: one for name, one in found.items() if one is not None}

    def outcome(self, name: str, upto: int) -> Outcome | None:
        """Conclude one measure on the first texts; None where it has fewer."""
        one = self.measures[name]
        if one.guarded.outcome is not None or one.rows is None or one.texts < upto:
            return one.guarded.outcome
        ending = IsolatedMeasure(name, one.guarded.one)
        examples, seeds = self.texts[:upto], self.run.seeds
        with ending.step("joining"):
            arrays = first(one.rows, upto)
            if _surveys(one) == "half":
                arrays = unlearned(arrays, half(examples, seeds))
            arrays = numbered(arrays, self.finite[:upto])
        if ending.outcome is None:
            with ending.step("finish"):
                made = ending.one.finish(arrays)
                if isinstance(ending.one, SupportsConclusion):
                    made = ending.one.conclude(made, one.guarded.learned, seeds)
                ending.outcome = finished(made, name, upto)
        if not self.growing:
            one.rows = None
        return ending.outcome

    def ask_again(self) -> None:
        """Hold a model from elsewhere to its first answers."""
        if self.steady is not None:
            self.steady.ask_again()

    def _begin(self, one: MeasuredTexts, upto: int) -> None:
        """Let a measure look at texts of its own, which may be half of the audited ones."""
        if not one.open or one.late or not isinstance(one.guarded.one, SupportsSurvey):
            return
        if one.texts and _surveys(one) != "half":
            return
        one.texts, one.rows = 0, None
        with one.guarded.step("survey"):
            texts = texts_of(one.guarded.one, self.texts[:upto], self.others, self.run.seeds)
            seen = self.run.over(texts, [one.guarded], [one.guarded])
            one.looked = None
            self._learn(one, seen)

    def _add(
        self, some: Sequence[MeasuredTexts], start: int, upto: int, on_progress: Progress
    ) -> None:
        """Take measures on more texts; late ones look at them."""
        seen = self.run.over(
            self.texts[start:upto],
            [one.guarded for one in some],
            [one.guarded for one in some if one.late],
            on_progress,
            self.steady,
        )
        self.finite[start:upto] = seen.finite
        for one in some:
            if one.late:
                one.looked = self._joined(one, seen, one.looked, "learn")
            else:
                one.rows = self._joined(one, seen, one.rows)
            one.texts = upto

    def _joined(
        self, one: MeasuredTexts, seen: _Seen, before: Arrays | None, step: str = "joining"
    ) -> Arrays | None:
        """Put the batches of a pass behind what a measure has; None where it broke."""
        found: Arrays | None = None
        if one.open:
            with one.guarded.step(step):
                found = extended(before, joined(one.guarded.parts, seen.order))
        one.guarded.parts.clear()
        return found

    def _learn(self, one: MeasuredTexts, seen: _Seen | None = None) -> None:
        """Let a measure learn from what it has looked at."""
        looked = one.looked if seen is None else self._joined(one, seen, None, "learn")
        if one.open and isinstance(one.guarded.one, SupportsSurvey) and looked is not None:
            with one.guarded.step("learn"):
                one.guarded.learned = one.guarded.one.learn(looked, self.run.seeds)
        if not self.growing:
            one.looked = None


def _surveys(one: MeasuredTexts) -> str:
    return one.guarded.one.surveys if isinstance(one.guarded.one, SupportsSurvey) else ""


@dataclass(frozen=True)
class _Seen:
    """What one pass over the texts leaves: in which order its rows are theirs, and whose outputs
    are numbers.
    """

    order: Int[np.ndarray, " N"]
    finite: Bool[np.ndarray, " N"]


@dataclass(frozen=True)
class _Run:
    """What stays the same from batch to batch."""

    subject: MeasureContext
    seeds: Seeds
    batch_size: int
    kept: dict[tuple[int, ...], dict[str, Any]] | None
    """Where measures of the same texts are taken one after the other: the maps of each batch."""

    def over(
        self,
        texts: Sequence[Example],
        guarded: Sequence[IsolatedMeasure],
        looking: Sequence[IsolatedMeasure],
        on_progress: Progress = lambda done, total: None,
        steady: Steady | None = None,
    ) -> _Seen:
        """Show each batch to every open measure, some of which only look; ``steady`` holds the
        model to its answers.
        """
        batches, finite, done = length_batches(texts, self.batch_size), list[np.ndarray](), 0
        for rows in batches:
            here = tuple(texts[i] for i in rows)
            trace = asked(self.subject.model, here)
            if steady is not None:
                steady.hold(here, trace)
            finite.append(to_numpy(trace.finite))
            at_hand = replace(self.subject, texts=here, shared=self._shared(here))
            # Who only looks comes last: one that measures makes several maps at once, of which
            # these are some.
            for one in sorted(
                (one for one in guarded if one.outcome is None), key=lambda one: one in looking
            ):
                call: Call = "look" if one in looking else "on_batch"
                # What is computed from no number is none, which is counted at the end: no reason to
                # warn.
                with one.step(call), np.errstate(all=None if finite[-1].all() else "ignore"):
                    arrays = getattr(one.one, call)(
                        replace(at_hand, learned=one.learned), trace, self.seeds
                    )
                    one.parts.append(checked(arrays, len(rows)))
            if self.subject.model.origin == "elsewhere":
                give_back()
            done += len(rows)
            on_progress(done, len(texts))
        order = np.argsort(np.concatenate([np.asarray(rows) for rows in batches]))
        return _Seen(order, np.concatenate(finite)[order])

    def _shared(self, texts: Sequence[Example]) -> dict[str, Any]:
        """Give what measures of a batch share, which may be there from an earlier pass."""
        if self.kept is None:
            return {}
        return self.kept.setdefault(tuple(text.index for text in texts), {})
