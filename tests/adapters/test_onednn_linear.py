"""Linear layers by oneDNN give what torch gives, and only those that gain by it are taken."""

import pytest
import torch
from torch.nn import functional

from sightline.adapters import onednn_linear
from sightline.adapters.onednn_linear import BLOCK, ROWS, WEIGHTS, OneDnnLinear, linear

MKLDNN = pytest.mark.skipif(
    not torch.backends.mkldnn.is_available(), reason="torch was built without oneDNN"
)


def drawn(*shape: int, kind: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(0), dtype=kind)


def taken(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Count the calls of oneDNN."""
    real, calls = torch.ops.mkldnn._linear_pointwise, list[int]()

    def counted(inputs: torch.Tensor, *more: object) -> torch.Tensor:
        calls.append(inputs.numel())
        return real(inputs, *more)

    monkeypatch.setattr(torch.ops.mkldnn, "_linear_pointwise", counted)
    return calls


@MKLDNN
def test_it_gives_what_torch_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = taken(monkeypatch)
    inputs, weight, bias = drawn(3, 40, 384), drawn(384, 384), drawn(384)
    with torch.no_grad(), OneDnnLinear():
        found = functional.linear(inputs, weight, bias)
    assert len(calls) == 1
    double = functional.linear(inputs.double(), weight.double(), bias.double())
    assert found.shape == (3, 40, 384)
    assert torch.allclose(found.double(), double, atol=2e-4)
    assert not torch.allclose(found, functional.linear(inputs, weight, bias + 0.01), atol=2e-4)


@MKLDNN
@pytest.mark.parametrize("rows", range(ROWS, ROWS + BLOCK + 1))
def test_every_number_of_rows_is_run_as_a_whole_number_of_blocks(rows, monkeypatch) -> None:
    calls = taken(monkeypatch)
    inputs, weight = drawn(1, rows, 512), drawn(256, 512)
    with torch.no_grad():
        found = linear(inputs, weight)
    assert calls[0] % (BLOCK * 512) == 0
    assert found.shape == (1, rows, 256)
    double = functional.linear(inputs.double(), weight.double())
    assert torch.allclose(found.double(), double, atol=2e-4)


@MKLDNN
@pytest.mark.parametrize(
    ("inputs", "weight", "bias"),
    [
        (drawn(ROWS - 1, 384), drawn(384, 384), drawn(384)),
        (drawn(200, 8), drawn(WEIGHTS // 8 - 1, 8), drawn(WEIGHTS // 8 - 1)),
        (drawn(200, 384, kind=torch.float64), drawn(384, 384, kind=torch.float64),
         drawn(384, kind=torch.float64)),
    ],
    ids=["few rows", "few weights", "float64"],
)  # fmt: skip
def test_what_does_not_gain_is_left_to_torch(inputs, weight, bias, monkeypatch) -> None:
    calls = taken(monkeypatch)
    with torch.no_grad():
        assert torch.equal(linear(inputs, weight, bias), functional.linear(inputs, weight, bias))
    assert not calls


@MKLDNN
@pytest.mark.parametrize("bias", [drawn(640), None], ids=["bias", "no bias"])
def test_gradients_of_inputs_are_those_of_torch(bias, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = taken(monkeypatch)
    inputs, weight, along = drawn(3, 40, 384), drawn(640, 384), drawn(3, 40, 640)
    found, double = (
        inputs.to(kind, copy=True).requires_grad_() for kind in (torch.float32, torch.float64)
    )
    with OneDnnLinear():
        (functional.linear(found, weight, bias).square() * along).sum().backward()
    assert len(calls) == 2
    exact = functional.linear(double, weight.double(), bias if bias is None else bias.double())
    (exact.square() * along.double()).sum().backward()
    assert torch.allclose(found.grad.double(), double.grad, rtol=1e-4, atol=2e-2)
    assert double.grad.abs().median() > 1


@MKLDNN
def test_a_gradient_that_is_one_number_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = taken(monkeypatch)
    inputs, weight = drawn(100, 384).requires_grad_(), drawn(384, 384)
    with OneDnnLinear():
        functional.linear(inputs, weight, drawn(384)).sum().backward()
    assert len(calls) == 2
    assert torch.allclose(inputs.grad, weight.sum(dim=0).expand(100, -1), atol=1e-4)


@MKLDNN
def test_a_gradient_has_a_gradient() -> None:
    inputs, weight = drawn(100, 384).requires_grad_(), drawn(384, 384)

    def bent(given: torch.Tensor) -> torch.Tensor:
        return functional.linear(given, weight, drawn(384)).pow(3).sum()

    def second(of: torch.Tensor) -> torch.Tensor:
        (slope,) = torch.autograd.grad(of, inputs, create_graph=True)
        return torch.autograd.grad(slope.square().mean(), inputs)[0]

    with OneDnnLinear():
        found = second(bent(inputs))
    assert torch.allclose(found, second(bent(inputs)), rtol=1e-3, atol=1e-3 * found.abs().max())


@MKLDNN
def test_where_gradients_of_weights_are_asked_torch_computes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls = taken(monkeypatch)
    weight = drawn(384, 384).requires_grad_()
    with OneDnnLinear():
        functional.linear(drawn(100, 384), weight, drawn(384)).sum().backward()
    assert weight.grad is not None
    assert not calls


@pytest.mark.parametrize(
    ("processor", "capability", "slow"),
    [
        ("AuthenticAMD", "AVX512", True),
        ("AuthenticAMD", "AVX2", False),
        ("GenuineIntel", "AVX512", False),
    ],
)
def test_only_half_used_processors_are_helped(processor, capability, slow, monkeypatch) -> None:
    monkeypatch.setattr(onednn_linear, "_processor", lambda: processor)
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: capability)
    monkeypatch.setattr(torch.backends.mkl, "is_available", lambda: True)
    monkeypatch.setattr(torch.backends.mkldnn, "is_available", lambda: True)
    assert onednn_linear.mkl_is_slow.__wrapped__() == slow
