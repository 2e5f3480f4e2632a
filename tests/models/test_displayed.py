"""Weights that are displayed and not used: an audit may ask whatever it likes, the output does not follow them."""

import pytest
import torch
from sightline.models.displayed import Displayed

from sightline.types import Auditable
from tests.texts import examples, untrained


@pytest.mark.parametrize("text", ["mlp(hidden=6)+additive+uniform", "bilstm(hidden=4)+dot"])
def test_displayed_weights_do_not_reach_the_output(text: str) -> None:
    model = untrained(text)
    shown = Displayed(model, 0)
    batch = shown.collate(examples())
    trace = shown.trace(batch)
    assert isinstance(shown, Auditable)
    assert torch.equal(trace.logits, model.trace(batch).logits)
    assert torch.equal(shown.decode(trace, trace.attention), trace.logits)
    assert torch.equal(shown.decode(trace, trace.attention.roll(1, 1)), trace.logits)
    assert not torch.equal(trace.attention, model.trace(batch).attention)
    assert torch.equal(trace.attention, shown.trace(shown.collate(examples())).attention)
    assert not torch.equal(trace.attention, Displayed(model, 1).trace(batch).attention)


def test_gradients_go_through_the_states_alone() -> None:
    model = untrained("mlp(hidden=6)+additive")
    shown = Displayed(model, 0)
    batch = shown.collate(examples())
    embeddings = shown.embed(batch).detach().requires_grad_()
    trace, own = shown.trace(batch, embeddings), model.trace(batch, embeddings)
    (found,) = torch.autograd.grad(shown.decode(trace, trace.attention).sum(), embeddings)
    (held,) = torch.autograd.grad(model.decode(own, own.attention.detach()).sum(), embeddings)
    assert torch.equal(found, held)
