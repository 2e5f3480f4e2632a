"""Layers before a site do not run again where that changes nothing, and where it would it is found
out.
"""

from collections.abc import Callable

import pytest
import torch
from torch import nn

from sightline.adapters.tap.prefix_cache import PrefixOutput, _same, layers_before, skippable
from sightline.adapters.tap.softmax_tracer import Site
from sightline.adapters.tap.tap import Weights, editing


class Layer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.mix = nn.Linear(4, 4)
        self.runs = 0

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        self.runs += 1
        weights = torch.softmax(hidden @ hidden.transpose(1, 2), -1)
        return hidden + torch.tanh(self.mix(weights @ hidden))


class Stack(nn.Module):
    """Three layers; the answer may also read what the first one gave, as a skip over the others
    does.
    """

    def __init__(self, *, over: bool = False, turns: int = 1) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.layers = nn.ModuleList(Layer() for _ in range(3))
        self.over, self.turns = over, turns

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        first = hidden
        for _ in range(self.turns):
            for number, layer in enumerate(self.layers):
                hidden = layer(hidden)
                first = hidden if number == 0 else first
        return hidden[:, 0] + (first[:, 1] if self.over else 0)


TEXTS = torch.randn(2, 5, 4, generator=torch.Generator().manual_seed(1))
LAST = Site("layers.2")


def uniform(weights: Weights) -> Weights:
    return torch.full_like(weights, 1 / weights.shape[-1])


def tried(stack: Stack, site: Site = LAST) -> tuple[str, ...]:
    return skippable(stack, site, len(TEXTS), uniform, lambda: stack(TEXTS))


def test_layers_before_the_site_do_not_run_and_the_answer_is_the_same() -> None:
    stack = Stack()
    ahead = PrefixOutput(tried(stack))
    assert ahead.layers == ("layers.0", "layers.1")
    with torch.no_grad():
        with ahead.kept(stack):
            stack(TEXTS)
        with editing(stack, {LAST: uniform}, len(TEXTS)):
            wanted = stack(TEXTS)
            before_it = [layer.runs for layer in stack.layers]  # type: ignore[union-attr]
            with ahead.skipped(stack):
                found = stack(TEXTS)
    assert torch.equal(found, wanted)
    assert [layer.runs - n for layer, n in zip(stack.layers, before_it, strict=True)] == [0, 0, 1]  # type: ignore[operator]


def test_a_layer_that_reads_an_earlier_one_is_found_out() -> None:
    assert tried(Stack(over=True)) == ()
    assert tried(Stack(over=True), Site("layers.1")) == (
        "layers.0",
    )  # which is the very layer that is read again


@pytest.mark.parametrize(
    ("stack", "site"), [(Stack(), Site("layers.0")), (Stack(turns=2), LAST), (Stack(), Site("x"))]
)
def test_nothing_runs_before_the_first_layer_or_in_turns_or_outside_a_stack(
    stack: Stack, site: Site
) -> None:
    assert tried(stack, site) == ()
    assert layers_before(Stack(), Site("layers.2", turn=1)) == ()


def test_the_module_is_as_it_was_whatever_happens() -> None:
    stack, called = Stack(), list[str]()
    own: Callable[[torch.Tensor], torch.Tensor] = lambda hidden: (called.append("own"), hidden)[1]  # noqa: E731
    stack.layers[0].forward = own  # type: ignore[method-assign,assignment]
    with (
        pytest.raises(RuntimeError),
        PrefixOutput(("layers.0", "layers.1"), [TEXTS[:, :, :3]]).skipped(stack),
    ):
        stack(TEXTS)  # the last layer cannot read what it is given
    assert not called
    stack(TEXTS)
    assert called == ["own"]
    assert "forward" not in stack.layers[1].__dict__


def test_answers_are_the_same_up_to_the_rounding_of_the_largest() -> None:
    logits = torch.tensor([[0.65, 0.0065]])
    assert _same(
        logits, logits + torch.tensor([0.0, 3e-7])
    )  # a small one is a difference of large numbers
    assert not _same(logits, logits + torch.tensor([0.0, 3e-5]))
    assert not _same(1e-6 * logits, torch.zeros(1, 2))
