"""Read τ of attention with the removal of hidden states (Meister et al. 2021, Table 6) under two other
meanings of *removed*: the paper does not say how it is done.

The audits leave a state out before the weights are computed. Here its numbers are set to 0 and the
weights are computed from these states again, or its part of the mixed state is left out while the
other weights stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

import numpy as np
import torch

from sightline.config.specs import RunSpec
from sightline.core.protocols import MeasureContext, SupportsStateReplacement, Trace
from sightline.core.seeds import Seeds
from sightline.data.dataset import sample_test
from sightline.experiments.pipeline import train
from sightline.experiments.run_in_store import keep_training
from sightline.experiments.store import Store
from sightline.measures.attribution_maps import AttributionMaps
from sightline.measures.state_agreement import StateAgreement, shuffled_orders
from sightline.numerics.divergences import probabilities, total_variation
from sightline.numerics.rank_agreement import kendall_tau_b
from sightline.numerics.tensors import to_numpy

BATCH = 32
QUANTITY = "τ with removal of states"
Order = torch.Tensor | None
Removal = Callable[[SupportsStateReplacement, Trace, Order], Iterator[torch.Tensor]]
"""Gives the logits without the state of each place in turn."""


def set_to_zero(
    model: SupportsStateReplacement, trace: Trace, order: Order
) -> Iterator[torch.Tensor]:
    """Set each state to 0; its score and all weights follow from that."""
    states = model.states(trace)
    for place in range(states.shape[1]):
        without = states.clone()
        without[:, place] = 0
        yield model.from_states(trace, without, order)[1]


def with_other_weights_held(
    model: SupportsStateReplacement, trace: Trace, order: Order
) -> Iterator[torch.Tensor]:
    """Leave each state out of the mixed state; the other weights stay as they are."""
    attention, _ = model.from_states(trace, model.states(trace), order)
    for place in range(attention.shape[1]):
        held = attention.clone()
        held[:, place] = 0
        yield model.decode(trace, held)


def taus(spec: RunSpec, store: Store, removal: Removal) -> tuple[Mapping[str, float], ...]:
    """Give the number of a run as the table names it, and its chance level."""
    trained = train(spec, keep=partial(keep_training, store))
    model = trained.model
    assert isinstance(model, SupportsStateReplacement)  # models of this package
    texts = sample_test(trained.dataset, spec.limit, spec.seed).test
    ordered = sorted(texts, key=lambda one: len(one.tokens))
    own, by_chance = [], []
    for start in range(0, len(texts), BATCH):
        trace = model.trace(model.collate(ordered[start : start + BATCH]))
        subject = MeasureContext(model, {}, audited=texts)
        maps = AttributionMaps(subject, trace, Seeds(spec.seed))
        own.append(_tau(maps, None, removal))
        shuffled = shuffled_orders(maps, StateAgreement().shuffles)
        by_chance.append(np.mean([_tau(maps, order, removal) for order in shuffled], axis=0))
    return tuple(
        {QUANTITY: round(float(np.nanmean(np.concatenate(found))), 6)} for found in (own, by_chance)
    )


@torch.no_grad()
def _tau(maps: AttributionMaps, order: Order, removal: Removal) -> np.ndarray:
    """τ of the weights with how far the output moves, text by text; a text of one word has none."""
    model, trace, mask = maps.subject.model, maps.trace, maps.words.mask
    assert isinstance(model, SupportsStateReplacement)
    attention, logits = model.from_states(trace, model.states(trace), order)
    whole = probabilities(to_numpy(logits))
    moved = np.stack(
        [
            total_variation(probabilities(to_numpy(one)), whole)
            for one in removal(model, trace, order)
        ],
        axis=1,
    )
    found = kendall_tau_b(maps.words.of(to_numpy(attention)), np.where(mask, moved, 0.0), mask)
    return np.where(mask.sum(axis=1) < 2, np.nan, found)
