"""Our Adam is torch's, to the bit, without the compiler that torch's loads
(`tests/cli/test_audit.py` asks for that).
"""

import pytest
import torch

from sightline.training.adam import Adam, ParameterGroup


def parameters() -> list[torch.nn.Parameter]:
    """Of several shapes; the last one never has a gradient, and the third has one now and then."""
    drawn = torch.Generator().manual_seed(1)
    return [
        torch.nn.Parameter(torch.randn(shape, generator=drawn))
        for shape in ((3, 4), (5,), (2, 2), (7,))
    ]


def moved(
    all_of_them: list[torch.nn.Parameter], optimiser: Adam | torch.optim.Adam, steps: int = 5
) -> None:
    drawn = torch.Generator().manual_seed(2)
    for step in range(steps):
        for number, parameter in enumerate(all_of_them):
            gradient = torch.randn(parameter.shape, generator=drawn)
            parameter.grad = gradient if number < 2 or (number == 2 and step % 2) else None
        optimiser.step()


@pytest.mark.parametrize("amsgrad", [False, True])
def test_each_step_is_that_of_torch_to_the_bit(amsgrad: bool) -> None:
    ours, theirs = parameters(), parameters()
    mine = Adam([ParameterGroup(ours[:1], 0.1, 0.5), ParameterGroup(ours[1:], 0.01, 0.0)], amsgrad)
    moved(ours, mine)
    groups = [
        {"params": theirs[:1], "lr": 0.1, "weight_decay": 0.5},
        {"params": theirs[1:], "lr": 0.01},
    ]
    torchs = torch.optim.Adam(groups, amsgrad=amsgrad, fused=True)
    moved(theirs, torchs)
    assert all(one.equal(other) for one, other in zip(ours, theirs, strict=True))
    assert not ours[0].equal(parameters()[0])
    kept = torchs.state_dict()["state"]
    assert mine.averages.keys() == kept.keys() == {0, 1, 2}
    for number, averages in kept.items():
        assert averages.keys() == mine.averages[number].keys()
        assert all(value.equal(mine.averages[number][name]) for name, value in averages.items())
