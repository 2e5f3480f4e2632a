"""Does a hidden state depend on few words? (SL-403, read with SL-402)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
import torch
from jaxtyping import Bool, Float, Int

from sightline.config.measure_needs import NEEDS, PAPERS
from sightline.core.needs import COMPANION, UNTRAINED, needed
from sightline.core.protocols import Arrays, MeasureContext, SupportsStates, Trace
from sightline.core.results import Measurement
from sightline.core.seeds import Seeds, seed_for
from sightline.measures.batch_words import words_of
from sightline.measures.importance import TOKENS_AT_ONCE
from sightline.measures.state_importance import (
    deletion_of_states,
    facet_importance,
    state_importance,
)
from sightline.measures.trace_arrays import WHY, with_reasons
from sightline.numerics.state_concentration import evenness, over_states, shares

Array = np.ndarray


@dataclass(frozen=True)
class StateFocus:
    """Shares of words in the gradient of the norm of each hidden state, ``‖∂‖s_p‖₂ / ∂e_i‖₂ / Σ_k
    ‖∂‖s_p‖₂ / ∂e_k‖₂``.

    ``own`` is the share of the state's own word, averaged over the states by attention;
    ``own_plain`` is its unweighted average. ``entropy`` is the normalised entropy of the shares,
    and ``focus`` is 1 minus that.
    """

    focus_texts: int | None = None
    """Most texts that are measured, sampled by seed from the audited ones; None: all."""
    code: str = "mixing"
    needs: frozenset[str] = NEEDS["mixing"]
    paper: str = PAPERS["mixing"]

    def on_batch(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> Arrays:
        """Compute the shares of every hidden state, and of an untrained control model if there is
        one.
        """
        if self.focus_texts is not None and self.focus_texts < len(subject.audited):
            return self._of_some(subject, trace, seeds, self.focus_texts)
        words, several = words_of(trace), words_of(trace).mask.sum(1) > 1
        own, entropy = _of_states(
            state_importance(cast(SupportsStates, subject.model), trace), trace
        )
        even = np.where(several, 1 / np.maximum(words.mask.sum(1), 1), np.nan)
        spread = over_states(entropy, words.mask)
        found = {
            "own": np.where(several, over_states(own, words.mask, words.attention), np.nan),
            "own_plain": np.where(several, over_states(own, words.mask), np.nan),
            "even": even,
            "entropy": spread,
            "focus": 1 - spread,
            "spread": np.where(np.isnan(spread), np.nan, 0.0),
        }
        if UNTRAINED in subject.companions:
            found[f"own.{UNTRAINED}"], found[f"focus.{UNTRAINED}"] = _untrained(subject, trace)
        return found | {
            "unmoved": (np.isnan(own) & words.mask).sum(1),
            "words": words.mask.sum(1),
            f"{WHY}one word": ~several,
            f"{WHY}no word moves a state that is attended to": several & np.isnan(found["own"]),
        }

    def _of_some(
        self, subject: MeasureContext, trace: Trace, seeds: Seeds, most: int
    ) -> dict[str, Array]:
        """Measure only the sampled texts of a batch; the others get NaN."""
        index = [text.index for text in subject.texts]
        drawn = np.isin(index, _drawn(tuple(one.index for one in subject.audited), seeds, most))
        # If none is sampled, one text is measured for the names of the arrays, and discarded.
        rows = np.flatnonzero(drawn) if drawn.any() else np.arange(1)
        some = replace(subject, texts=tuple(subject.texts[row] for row in rows), shared={})
        at = torch.from_numpy(rows).to(trace.batch.ids.device)
        found = replace(self, focus_texts=None).on_batch(
            some, subject.model.trace(trace.batch.rows(at)), seeds
        )
        whole = {name: _spread(np.asarray(values), rows, drawn) for name, values in found.items()}
        return {f"{WHY}not among the {most} texts that were drawn": ~drawn, **whole}

    def finish(self, arrays: Arrays) -> Measurement:
        """Count the texts of one word, and the texts whose hidden states no word changes."""
        values, undefined = with_reasons(arrays)
        why = needed({f"{COMPANION}{UNTRAINED}"})
        names = (f"own.{UNTRAINED}", f"focus.{UNTRAINED}")
        return Measurement(
            self.code, values, undefined, missing={one: why for one in names if one not in values}
        )


@dataclass(frozen=True)
class MixingOtherwise:
    """The same by two other importances: deletion of the word, and the gradient of every element of
    a hidden state.

    A deleted word has no hidden state, so its own share means nothing there; only the entropy is
    reported.
    """

    tokens_at_once: int = TOKENS_AT_ONCE
    code: str = "mixing_otherwise"
    needs: frozenset[str] = NEEDS["mixing_otherwise"]
    paper: str = PAPERS["mixing_otherwise"]

    def on_batch(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> Arrays:
        """Delete every word, and take a backward pass for every element of every hidden state."""
        words, model = words_of(trace), cast(SupportsStates, subject.model)
        several = words.mask.sum(1) > 1
        removed = np.nan_to_num(deletion_of_states(model, trace, self.tokens_at_once))
        own, spread = _of_states(facet_importance(model, trace), trace)
        return {
            "entropy.deletion": over_states(_of_states(removed, trace)[1], words.mask),
            "entropy.facets": over_states(spread, words.mask),
            "own.facets": np.where(several, over_states(own, words.mask, words.attention), np.nan),
            "words": words.mask.sum(1),
            f"{WHY}one word": ~several,
            f"{WHY}no word moves a state that is attended to": several,
        }

    def finish(self, arrays: Arrays) -> Measurement:
        """Count the texts of one word, and the texts whose hidden states no word changes."""
        return Measurement(self.code, *with_reasons(arrays))


def _of_states(
    importance: Float[Array, "B W W"], trace: Trace
) -> tuple[Float[Array, "B W"], Float[Array, "B W"]]:
    """Give the share of each state's own word, and the normalised entropy of its shares."""
    mask = words_of(trace).mask
    parts = shares(importance, mask)
    return np.diagonal(parts, axis1=1, axis2=2), evenness(parts, mask)


def _untrained(
    subject: MeasureContext, trace: Trace
) -> tuple[Float[Array, " B"], Float[Array, " B"]]:
    """Measure the untrained control model on the same texts: the share of own words, averaged by
    its own attention, and its focus.
    """
    other = subject.companions[UNTRAINED]
    taken = StateFocus().on_batch(
        replace(subject, model=other, companions={}), other.trace(trace.batch), Seeds(0)
    )
    return np.asarray(taken["own"]), np.asarray(taken["focus"])


def _drawn(index: Sequence[int], seeds: Seeds, most: int) -> Int[Array, " K"]:
    """Sample the audited texts by their index."""
    rank = np.argsort([seed_for(seeds.seed, "focus", one) for one in index], kind="stable")
    return np.asarray(index)[rank[:most]]


def _spread(values: Array, rows: Int[Array, " K"], drawn: Bool[Array, " N"]) -> Array:
    """Put the rows of the sampled texts in their places; the others have no value."""
    out = np.full(drawn.shape, np.nan if values.dtype.kind == "f" else 0, dtype=values.dtype)
    if drawn.any():
        out[rows] = values
    return out
