"""Two other ways to remove a hidden state: literal ones, and τ as the audit computes it."""

from collections.abc import Iterator

import numpy as np
import pytest
import removed_states
import torch
from removed_states import set_to_zero, with_other_weights_held

from sightline.core.protocols import MeasureContext
from sightline.core.seeds import Seeds
from sightline.measures.attribution_maps import AttributionMaps
from sightline.measures.state_agreement import StateAgreement, shuffled_orders
from tests.texts import examples, untrained

TEXTS = tuple(examples((7, 4, 12, 2, 1)))
SPECS = ("bilstm(hidden=4)+additive", "mlp(hidden=5)+additive+sparsemax", "mlp(hidden=5)+dot")


@pytest.mark.parametrize("spec", SPECS)
def test_a_state_is_removed_as_written_out(spec: str) -> None:
    model = untrained(spec, embedding=3).double()
    for text in TEXTS[:4]:
        trace = model.trace(model.collate([text]))
        states, weights = model.states(trace)[0], trace.attention[0]
        zeroed = torch.stack([*set_to_zero(model, trace, None)], dim=1)[0]
        held = torch.stack([*with_other_weights_held(model, trace, None)], dim=1)[0]
        for place in range(len(text.tokens)):
            kept = states * (torch.arange(len(states)) != place)[:, None]
            again = model.projection.project(
                model.scorer(kept[None], None), torch.ones(1, len(kept), dtype=torch.bool)
            )[0]
            for found, mixed in ((zeroed, again @ kept), (held, weights @ kept)):
                expected = model.decoder(mixed[None])[0]
                assert found[place].tolist() == pytest.approx(expected.tolist(), abs=1e-9)


def left_out(model, trace, order) -> Iterator[torch.Tensor]:
    yield from model.without_states(trace, order).unbind(1)


@pytest.mark.parametrize("spec", SPECS)
def test_where_states_are_left_out_it_is_the_number_of_the_audit(spec: str) -> None:
    model = untrained(spec, embedding=3).double()
    trace = model.trace(model.collate(TEXTS))
    subject = MeasureContext(model, {}, texts=TEXTS, audited=TEXTS)
    maps = AttributionMaps(subject, trace, Seeds(0), gradient="norm")
    audited = StateAgreement(shuffles=1).on_batch(subject, trace, Seeds(0))
    (order,) = shuffled_orders(maps, 1)
    own, shuffled = (removed_states._tau(maps, one, left_out) for one in (None, order))
    np.testing.assert_allclose(own, audited["tau.state_deletion"])
    np.testing.assert_allclose(shuffled, audited["coupling_tau.state_deletion"])
    assert np.isnan(own[4])
