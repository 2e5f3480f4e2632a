"""The BiLSTM that learns, one way at a time over padded texts, against the packed one and against
texts alone.
"""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.models.encoders.bilstm import BiLSTM, in_one_piece, turning

WITHIN = {torch.float32: 1e-6, torch.float64: 1e-12}
"""How far rounding takes two orders of the same sums apart, for numbers near 1."""
LENGTHS = st.lists(st.integers(0, 7), min_size=1, max_size=5).filter(any)


def case(
    lengths: list[int], layers: int, kind: torch.dtype, seed: int, padding: int = 0
) -> tuple[BiLSTM, torch.Tensor, torch.Tensor]:
    """Make an encoder, texts of these lengths with noise in their padding, and their mask."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        encoder = BiLSTM(3, hidden=4, layers=layers).to(kind)
        embeddings = torch.randn(len(lengths), max(lengths) + padding, 3, dtype=kind)
    mask = torch.arange(embeddings.shape[1]) < torch.tensor(lengths)[:, None]
    return encoder, embeddings, mask


def learned(
    encoder: BiLSTM, embeddings: torch.Tensor, mask: torch.Tensor, states: torch.Tensor
) -> list[torch.Tensor]:
    """Give the states, and the gradients of a mean of them that knows each from the other."""
    weights = torch.linspace(-1, 1, states.numel(), dtype=states.dtype).view_as(states)
    found = torch.autograd.grad((weights * states).mean(), [embeddings, *encoder.parameters()])
    return [states.detach(), *found]


@pytest.mark.parametrize("kind", WITHIN)
@settings(max_examples=40, deadline=None)
@given(
    lengths=LENGTHS, layers=st.integers(1, 3), seed=st.integers(0, 99), padding=st.integers(0, 2)
)
def test_learning_changes_neither_states_nor_gradients(
    kind: torch.dtype, lengths: list[int], layers: int, seed: int, padding: int
) -> None:
    encoder, embeddings, mask = case(lengths, layers, kind, seed, padding)
    embeddings.requires_grad_()
    found = learned(encoder, embeddings, mask, encoder(embeddings, mask))
    packed = learned(
        encoder, embeddings, mask, encoder._packed(embeddings, mask) * mask[:, :, None]
    )
    for one, other in zip(found, packed, strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=WITHIN[kind])
    with torch.no_grad():
        torch.testing.assert_close(encoder(embeddings, mask), found[0], rtol=0, atol=WITHIN[kind])


def test_each_text_has_the_states_and_gradients_it_has_alone() -> None:
    encoder, embeddings, mask = case([6, 0, 1, 4], 2, torch.float64, 0, padding=1)
    states = encoder(embeddings.requires_grad_(), mask)
    (slopes,) = torch.autograd.grad(states.square().sum(), embeddings)
    for row, length in enumerate(mask.sum(1).tolist()):
        alone = embeddings[row : row + 1, :length].detach().requires_grad_()
        read = encoder.lstm(alone)[0] if length else alone.new_zeros(1, 0, 8)
        torch.testing.assert_close(states[row, :length], read[0], rtol=0, atol=1e-12)
        (expected,) = torch.autograd.grad(read.square().sum() + 0 * alone.sum(), alone)
        torch.testing.assert_close(slopes[row, :length], expected[0], rtol=0, atol=1e-12)
        assert (states[row, length:] == 0).all()
        assert (slopes[row, length:] == 0).all()


def test_lengths_are_asked_for_only_where_nothing_learns(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a GPU, to ask is to wait for all that was begun."""
    encoder, embeddings, mask = case([3, 2], 1, torch.float32, 0)
    asked = []
    monkeypatch.setattr(torch.Tensor, "cpu", lambda self: asked.append(1) or self)
    encoder(embeddings, mask)
    encoder.requires_grad_(False)
    encoder(embeddings.requires_grad_(), mask)
    assert not asked
    encoder(embeddings.detach(), mask)
    assert asked
    asked.clear()
    encoder.requires_grad_(True)
    with torch.no_grad():
        encoder(embeddings, mask)
    assert asked


@given(lengths=LENGTHS)
def test_turning_a_text_twice_leaves_it(lengths: list[int]) -> None:
    mask = torch.arange(max(lengths) + 1) < torch.tensor(lengths)[:, None]
    order = turning(mask)
    assert order.gather(1, order).equal(torch.arange(mask.shape[1]).expand_as(order))
    for row, length in enumerate(lengths):
        assert order[row, :length].tolist() == [*range(length)][::-1]


def test_weights_in_one_piece_are_the_same_and_learn() -> None:
    """In the order in which cuDNN keeps them: the matrices, then the biases."""
    encoder, *_ = case([1], 1, torch.float64, 0)
    weights = encoder.lstm.all_weights[1]
    pieces = in_one_piece(weights)
    assert all(piece.equal(weight) for piece, weight in zip(pieces, weights, strict=True))
    begins = [piece.storage_offset() for piece in pieces]
    assert begins == [0, 48, 112, 128]
    assert len({piece.untyped_storage().data_ptr() for piece in pieces}) == 1
    sum((place + 1) * piece.sum() for place, piece in enumerate(pieces)).backward()
    assert [weight.grad.unique().tolist() for weight in weights] == [[1], [2], [3], [4]]
