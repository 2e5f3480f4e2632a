"""Which words a state rests on: its own, or others too (SL-403, beside SL-402)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

import numpy as np
from jaxtyping import Float

from sightline.config.measure_needs import NEEDS, PAPERS
from sightline.core.protocols import UNTRAINED, Arrays, MeasureContext, SupportsStates, Trace
from sightline.core.results import Measurement
from sightline.core.seeds import Seeds
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
    """Shares of the gradient of the length of each state, ``‖∂‖s_p‖₂ / ∂e_i‖₂ / Σ_k ‖∂‖s_p‖₂ /
    ∂e_k‖₂``.

    ``own`` is what the word itself has of them, averaged over the states as attention weighs them,
    ``own_plain`` over all alike; ``entropy`` how evenly they are spread over the words, and
    ``focus`` what it lacks of the most there is.
    """

    code: str = "mixing"
    needs: frozenset[str] = NEEDS["mixing"]
    paper: str = PAPERS["mixing"]

    def on_batch(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> Arrays:
        """Take the shares of every state, and those of a companion that was not trained, where
        there is one.
        """
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

    def finish(self, arrays: Arrays) -> Measurement:
        """Count the texts that have nothing to mix, and those whose states nothing moves."""
        values, undefined = with_reasons(arrays)
        why = f"needs a companion ({UNTRAINED})"
        names = (f"own.{UNTRAINED}", f"focus.{UNTRAINED}")
        return Measurement(
            self.code, values, undefined, missing={one: why for one in names if one not in values}
        )


@dataclass(frozen=True)
class MixingOtherwise:
    """The same by two other importances: deletion of the word, and the gradient of every number of
    a state.

    What is deleted leaves no state, so its own share says nothing there, and only the spread is
    told.
    """

    tokens_at_once: int = TOKENS_AT_ONCE
    code: str = "mixing_otherwise"
    needs: frozenset[str] = NEEDS["mixing_otherwise"]
    paper: str = PAPERS["mixing_otherwise"]

    def on_batch(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> Arrays:
        """Delete every word, and take a backward pass for every number of every state."""
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
        """Count the texts that have nothing to mix, and those whose states nothing moves."""
        return Measurement(self.code, *with_reasons(arrays))


def _of_states(
    importance: Float[Array, "B W W"], trace: Trace
) -> tuple[Float[Array, "B W"], Float[Array, "B W"]]:
    """Give the share that each state's own word has of it, and how evenly its shares are spread."""
    mask = words_of(trace).mask
    parts = shares(importance, mask)
    return np.diagonal(parts, axis1=1, axis2=2), evenness(parts, mask)


def _untrained(
    subject: MeasureContext, trace: Trace
) -> tuple[Float[Array, " B"], Float[Array, " B"]]:
    """Measure the companion on the same texts: its own shares, as its own attention weighs them,
    and its focus.
    """
    other = subject.companions[UNTRAINED]
    taken = StateFocus().on_batch(
        replace(subject, model=other, companions={}), other.trace(trace.batch), Seeds(0)
    )
    return np.asarray(taken["own"]), np.asarray(taken["focus"])
