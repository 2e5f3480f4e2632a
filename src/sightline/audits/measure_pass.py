"""Takes measures on batches of texts: one pass over the texts, and a second for measures that learn
first.

A measure that learns from other texts looks at them before the pass. A measure that learns from all
audited texts looks at them during the pass, and measures them in a second one. In the first pass it
shares maps with the other measures (`MeasureContext.shared`): no map is made twice, and each is
dropped after its batch.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from jaxtyping import Bool, Float, Int

from sightline._io.unused_memory import give_back
from sightline.adapters.trace_checks import checked_trace
from sightline.audits.collate import (
    blank_learned_texts,
    blank_nonfinite_texts,
    checked,
    extended,
    finished,
    first,
    join_batches,
)
from sightline.audits.determinism import DeterminismCheck
from sightline.audits.isolation import IsolatedMeasure, enter
from sightline.audits.look_hashes import HashTable
from sightline.audits.prepass import half, learns_from_all, texts_of
from sightline.audits.stop_limits import ignore
from sightline.core.example import Example
from sightline.core.needs import ANY_COMPANION, COMPANION, offered
from sightline.core.protocols import (
    Arrays,
    Auditable,
    Measure,
    MeasureContext,
    SupportsConclusion,
    SupportsSurvey,
    Trace,
)
from sightline.core.results import Outcome
from sightline.core.seeds import Seeds
from sightline.data.batches import length_batches
from sightline.numerics.tensors import to_numpy

Progress = Callable[[int, int], None]
Call = Literal["look", "on_batch"]
BATCH = 32
"""Texts of a batch of an audit, if its caller does not say."""


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
    """Take every measure on every text; an error in one is stored under its name, and the others
    continue.

    ``others`` are the texts of other splits by name, for measures that learn from them
    (`SupportsSurvey`). ``given`` are word scores from another tool, by the id of a text; ``signed``
    are the same scores with signs.
    """
    subject = MeasureContext(
        model, companions, audited=tuple(examples), given=given or {}, signed=signed or {}
    )
    whole = TextPass(subject, measures, seeds, batch_size, others or {})
    whole.advance(whole.names, len(examples), on_progress)
    whole.ask_again()
    return whole.outcomes(len(examples))


def _offered(model: Auditable, companions: Mapping[str, Auditable]) -> frozenset[str]:
    """Name the needs that are met: by the model, and by the control models."""
    controls = {f"{COMPANION}{name}" for name in companions} | (
        {ANY_COMPANION} if companions else set()
    )
    return offered(model.offers) | controls


@dataclass(eq=False)
class MeasuredTexts:
    """One measure, and its numbers for the first ``texts`` of an audit.

    ``rows`` are the arrays of ``on_batch``. A measure that learns has ``looked`` at other arrays
    first. One that learns from all audited texts is ``late``: it measures all of them again when
    more texts come.
    """

    guarded: IsolatedMeasure
    late: bool
    texts: int = 0
    rows: Arrays | None = None
    looked: Arrays | None = None

    @property
    def open(self) -> bool:
        """Whether the measure has no outcome yet, such as an error."""
        return self.guarded.outcome is None


class TextPass:
    """The measures of an audit on its first texts, and later on more of them.

    ``growing`` says that more texts will come, so the rows that measures learn from are kept.
    ``steady`` is the check of an earlier pass, whose outputs this one must repeat.
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
        steady: DeterminismCheck | None = None,
    ) -> None:
        self.texts, self.others, self.growing = subject.audited, others, growing
        subject = replace(subject, answered={} if growing else None)
        self.run = _Run(subject, seeds, batch_size, KeptBatches() if growing else None)
        entered = enter(measures, _offered(subject.model, subject.companions))
        self.measures = {
            one.name: MeasuredTexts(one, one.outcome is None and learns_from_all(one.one))
            for one in entered
        }
        self.finite = np.ones(len(self.texts), dtype=bool)
        changes = subject.model.origin == "elsewhere"
        self.steady = DeterminismCheck(subject.model, steady) if changes else None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the measures, in order."""
        return tuple(self.measures)

    @cached_property
    def hashes(self) -> HashTable:
        """The hashes that the numbers of a measure may hold: of the audited texts, and of those of
        other splits that a measure learns from.
        """
        surveyed = sorted({_surveys(one) for one in self.measures.values()})
        others = (text for name in surveyed for text in self.others.get(name, ()))
        return HashTable.of((*self.texts, *others))

    def exchange(self, measures: Mapping[str, Measure]) -> None:
        """Replace measures by others, starting from the first text; a measure with an outcome keeps
        it.
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
        on_progress: Progress = ignore,
    ) -> None:
        """Take the named measures on the first ``upto`` texts; texts already measured are skipped."""
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
            self.learn(one)
        if late:
            seen = self.run.over(
                self.texts[:upto], [one.guarded for one in late], (), told, self.steady
            )
            for one in late:
                one.rows = self._joined(one, seen, None)

    def outcomes(self, upto: int) -> dict[str, Outcome]:
        """Conclude every measure that has the first ``upto`` texts, or already has an outcome."""
        found = {name: self.outcome(name, upto) for name in self.names}
        return {name: one for name, one in found.items() if one is not None}

    def outcome(self, name: str, upto: int) -> Outcome | None:
        """Conclude one measure on the first texts; None if it has fewer."""
        one = self.measures[name]
        if one.guarded.outcome is not None or one.rows is None or one.texts < upto:
            return one.guarded.outcome
        ending = IsolatedMeasure(name, one.guarded.one)
        examples, seeds = self.texts[:upto], self.run.seeds
        with ending.step("joining"):
            arrays = first(one.rows, upto)
            if _surveys(one) == "half":
                arrays = blank_learned_texts(arrays, half(examples, seeds))
            arrays = blank_nonfinite_texts(arrays, self.finite[:upto])
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
        """Check that a model from elsewhere still gives its first outputs."""
        if self.steady is not None:
            self.steady.ask_again()

    def _begin(self, one: MeasuredTexts, upto: int) -> None:
        """Let a measure look at the texts it learns from, which may be half of the audited ones."""
        if not one.open or one.late or not isinstance(one.guarded.one, SupportsSurvey):
            return
        if one.texts and _surveys(one) != "half":
            return
        one.texts, one.rows = 0, None
        with one.guarded.step("survey"):
            texts = texts_of(one.guarded.one, self.texts[:upto], self.others, self.run.seeds)
            seen = self.run.over(texts, [one.guarded], [one.guarded])
            one.looked = self._joined(one, seen, None, "learn")
            self.learn(one)

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
        """Append the batches of a pass to a measure's rows; None if the measure failed."""
        found: Arrays | None = None
        if one.open:
            with one.guarded.step(step):
                found = extended(before, join_batches(one.guarded.parts, seen.order))
        one.guarded.parts.clear()
        return found

    def learn(self, one: MeasuredTexts) -> None:
        """Let a measure learn from what it has looked at."""
        if one.open and isinstance(one.guarded.one, SupportsSurvey) and one.looked is not None:
            with one.guarded.step("learn"):
                one.guarded.learned = one.guarded.one.learn(one.looked, self.run.seeds)
        if not self.growing:
            one.looked = None


def _surveys(one: MeasuredTexts) -> str:
    return one.guarded.one.surveys if isinstance(one.guarded.one, SupportsSurvey) else ""


@dataclass(frozen=True)
class _Seen:
    """The result of one pass over the texts: the order of its rows, and the texts with finite
    outputs.
    """

    order: Int[np.ndarray, " N"]
    finite: Bool[np.ndarray, " N"]


TRACES, OF_A_TRACE = 2**24, 4
"""The most bytes of traces that an audit keeps, and how many tensors as large as its embeddings a
trace may hold: these, the states before the last layer, their values, and all the rest."""


@dataclass(eq=False)
class KeptBatches:
    """What measures of a batch share that are taken one after the other on the same texts: its maps,
    and its trace while there is room.
    """

    maps: dict[tuple[int, ...], dict[str, Any]] = field(default_factory=dict)
    traces: dict[tuple[int, ...], Trace] = field(default_factory=dict)

    def keep(self, batch: tuple[int, ...], trace: Trace) -> None:
        """Keep a trace if there is room."""
        held = sum(one.embeddings.nbytes for one in (*self.traces.values(), trace))
        if OF_A_TRACE * held <= TRACES:
            self.traces[batch] = trace


@dataclass(frozen=True)
class _Run:
    """The settings that stay the same from batch to batch."""

    subject: MeasureContext
    seeds: Seeds
    batch_size: int
    kept: KeptBatches | None

    def over(
        self,
        texts: Sequence[Example],
        guarded: Sequence[IsolatedMeasure],
        looking: Sequence[IsolatedMeasure],
        on_progress: Progress = ignore,
        steady: DeterminismCheck | None = None,
    ) -> _Seen:
        """Show each batch to every open measure, some of which only look. ``steady`` checks that
        the model repeats its outputs.
        """
        batches, finite, done = length_batches(texts, self.batch_size), list[np.ndarray](), 0
        for rows in batches:
            here = tuple(texts[i] for i in rows)
            trace = self._trace(here)
            if steady is not None:
                steady.hold(here, trace)
            finite.append(to_numpy(trace.finite))
            at_hand = replace(self.subject, texts=here, shared=self._shared(here))
            # Measures that only look come last: the others make several maps at once, and
            # these are among them.
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
        """Give the maps that measures of a batch share, which an earlier pass may have made."""
        if self.kept is None:
            return {}
        return self.kept.maps.setdefault(_numbers(texts), {})

    def _trace(self, texts: Sequence[Example]) -> Trace:
        """Run a batch, unless an earlier pass has and its trace is kept."""
        kept, batch = self.kept, _numbers(texts)
        if kept is not None and batch in kept.traces:
            return kept.traces[batch]
        trace = checked_trace(self.subject.model, texts)
        if kept is not None:
            kept.keep(batch, trace)
        return trace


def _numbers(texts: Sequence[Example]) -> tuple[int, ...]:
    return tuple(text.index for text in texts)
