"""Batches of texts × measures → raw numbers: one pass over the texts, and others for measures that
learn first.

What learns from other texts looks at these before the pass. What learns from all audited texts
looks at them in the pass, beside the measures whose maps it shares (`MeasureContext.shared`), and
measures them in a second one: no map is made twice, and none is held longer than its batch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from jaxtyping import Bool, Float, Int

from sightline.adapters.trace_checks import asked
from sightline.audits.collate import checked, finished, joined, numbered, unlearned
from sightline.audits.determinism import Steady
from sightline.audits.isolation import IsolatedMeasure, enter
from sightline.audits.prepass import half, learns_from_all, texts_of
from sightline.core.example import Example
from sightline.core.protocols import (
    ANY_COMPANION,
    COMPANION,
    OTHER_ATTENTION,
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
    guarded = enter(measures, _offered(model, companions))
    subject = MeasureContext(
        model, companions, audited=tuple(examples), given=given or {}, signed=signed or {}
    )
    run = _Run(subject, seeds, batch_size)
    late = [one for one in guarded if one.outcome is None and learns_from_all(one.one)]
    for one in guarded:
        if one not in late:
            _survey(run, one, examples, others or {})
    passes = 2 if late else 1
    steady = Steady(model) if model.origin == "elsewhere" else None
    seen = run.over(
        examples, guarded, late, lambda done, total: on_progress(done // passes, total), steady
    )
    for one in late:
        _learn(run, one, seen)
    if late:
        run.over(
            examples,
            late,
            (),
            lambda done, total: on_progress((total + done) // passes, total),
            steady,
        )
    if steady is not None:
        steady.ask_again()
    for one in guarded:
        _finish(run, one, examples, seen)
    return {one.name: one.outcome for one in guarded if one.outcome is not None}


def _offered(model: Auditable, companions: Mapping[str, Auditable]) -> frozenset[str]:
    """Name what measures may need that is there: what the model offers, and the companions."""
    beside = {f"{COMPANION}{name}" for name in companions} | (
        {ANY_COMPANION} if companions else set()
    )
    decodes = model.offers & {"decode", "token_logits"}
    return model.offers | beside | ({OTHER_ATTENTION} if decodes else set())


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
            at_hand = replace(self.subject, texts=here, shared={})
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
            done += len(rows)
            on_progress(done, len(texts))
        order = np.argsort(np.concatenate([np.asarray(rows) for rows in batches]))
        return _Seen(order, np.concatenate(finite)[order])


def _survey(
    run: _Run,
    one: IsolatedMeasure,
    examples: Sequence[Example],
    others: Mapping[str, Sequence[Example]],
) -> None:
    """Let a measure look at texts of its own before all others, where it asks to, and learn from
    them.
    """
    if one.outcome is not None or not isinstance(one.one, SupportsSurvey):
        return
    with one.step("survey"):
        _learn(run, one, run.over(texts_of(one.one, examples, others, run.seeds), [one], [one]))


def _learn(run: _Run, one: IsolatedMeasure, seen: _Seen) -> None:
    """Let a measure learn from what it has looked at."""
    if one.outcome is None and isinstance(one.one, SupportsSurvey):
        with one.step("learn"):
            one.learned = one.one.learn(joined(one.parts, seen.order), run.seeds)
    one.parts.clear()


def _finish(run: _Run, one: IsolatedMeasure, examples: Sequence[Example], seen: _Seen) -> None:
    if one.outcome is not None:
        return
    with one.step("joining"):
        arrays = joined(one.parts, seen.order)
        if isinstance(one.one, SupportsSurvey) and one.one.surveys == "half":
            arrays = unlearned(arrays, half(examples, run.seeds))
        arrays = numbered(arrays, seen.finite)
    if one.outcome is None:
        with one.step("finish"):
            made = one.one.finish(arrays)
            if isinstance(one.one, SupportsConclusion):
                made = one.one.conclude(made, one.learned, run.seeds)
            one.outcome = finished(made, one.name, len(examples))
    one.parts.clear()
