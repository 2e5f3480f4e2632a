"""The parts of a model against their formulas: encoders, their summaries, scorers, decoders."""

import numpy as np
import pytest
import torch
from torch import nn

from sightline.config.part_syntax import parse_part
from sightline.config.spec_syntax import parse_model
from sightline.data.batches import collate
from sightline.data.vocabulary import Vocabulary
from sightline.models.build_part import build_part
from sightline.models.decoders import QueryDecoder
from sightline.models.encoders.bilstm import BiLSTM
from sightline.models.encoders.cnn import CNN
from sightline.models.encoders.mlp import MLP
from sightline.models.encoders.transformer import Transformer, positions
from sightline.models.projection_layers import LearnedEntmax
from sightline.models.scorers import Additive, Deep, Dot
from tests.texts import WORDS, examples

EXACT = {"atol": 1e-5, "rtol": 1e-5}


def drawn(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


MASK = torch.tensor([[True] * 6, [True] * 4 + [False] * 2])


def numbers(tensor: torch.Tensor) -> np.ndarray:
    return tensor.detach().numpy()


def test_a_convolution_is_a_weighted_sum_of_neighbours() -> None:
    encoder = CNN(3, kernels=(1, 5), channels=2)
    embeddings = drawn(2, 6, 3)
    states = numbers(encoder(embeddings, MASK))
    for row, length in enumerate((6, 4)):
        for t in range(length):
            expected = []
            for convolution, width in zip(encoder.convolutions, (1, 5), strict=True):
                total = numbers(convolution.bias).copy()
                for k in range(width):
                    at = t + k - width // 2
                    if 0 <= at < length:
                        total += numbers(convolution.weight)[:, :, k] @ embeddings[row, at].numpy()
                expected += [max(value, 0) for value in total]
            assert states[row, t] == pytest.approx(expected, abs=1e-5)
    assert (states[1, 4:] == 0).all()
    assert states.shape[2] == 4
    assert parse_model("cnn").states == 128  # Jain & Wallace's
    assert parse_model("cnn(kernels=1-3-5-7-15,channels=128)").states == 640  # Wen et al.'s


def test_a_transformer_is_that_of_torch() -> None:
    """The same weights in torch's own layers, one text at a time and without padding."""
    ours = Transformer(3, hidden=8, layers=2)
    embeddings = drawn(2, 6, 3)
    states = ours(embeddings, MASK)
    for row, length in enumerate((6, 4)):
        one = ours.input(embeddings[row : row + 1, :length]) * 8**0.5 + positions(
            length, 8, embeddings
        )
        for layer in ours.layers:
            one = torchs(layer)(one)
        torch.testing.assert_close(states[row, :length], one[0], **EXACT)
    assert (states[1, 4:] == 0).all()


def torchs(layer: nn.Module) -> nn.Module:
    theirs = nn.TransformerEncoderLayer(
        8, nhead=1, dim_feedforward=8, dropout=0.0, batch_first=True
    )
    none = torch.zeros(8)
    with torch.no_grad():
        theirs.self_attn.in_proj_weight.copy_(
            torch.cat([layer.query.weight, layer.key.weight, layer.value.weight])
        )
        theirs.self_attn.in_proj_bias.copy_(torch.cat([layer.query.bias, none, layer.value.bias]))
    for name, part in (
        ("out_proj", layer.output), ("linear1", layer.wide), ("linear2", layer.narrow),
        ("norm1", layer.after_attention), ("norm2", layer.after_affine),
    ):  # fmt: skip
        where = theirs.self_attn if name == "out_proj" else theirs
        getattr(where, name).load_state_dict(part.state_dict())
    return theirs.train()  # in training torch takes no fast path


def test_positions_are_those_of_the_formula() -> None:
    table = positions(50, 6, torch.zeros(1))
    for place, unit in ((0, 0), (3, 2), (49, 5), (7, 1)):
        angle = place / 10_000 ** (unit // 2 * 2 / 6)
        assert table[place, unit].item() == pytest.approx(
            np.cos(angle) if unit % 2 else np.sin(angle), abs=1e-5
        )


def test_a_transformer_knows_the_order() -> None:
    encoder, embeddings = Transformer(3, hidden=8, layers=2), drawn(1, 6, 3)
    turned = encoder(embeddings.flip(1), MASK[:1]).flip(1)
    assert (encoder(embeddings, MASK[:1]) - turned).abs().max() > 0.01


def test_summaries() -> None:
    states = torch.relu(drawn(2, 6, 8)) * MASK[:, :, None]
    mean = torch.stack([states[0].mean(0), states[1, :4].mean(0)])
    torch.testing.assert_close(MLP(3, hidden=8).summary(states, MASK), mean)
    torch.testing.assert_close(Transformer(3, 8, 2).summary(states, MASK), mean)
    torch.testing.assert_close(CNN(3, (1, 3), 4).summary(states, MASK), states.amax(1))


def test_a_bilstm_sums_up_by_the_last_state_of_each_direction() -> None:
    encoder = BiLSTM(3, hidden=4, layers=2)
    embeddings = drawn(2, 6, 3)
    summary = encoder.summary(encoder(embeddings, MASK), MASK)
    for row, length in enumerate((6, 4)):
        _, (last, _) = encoder.lstm(embeddings[row : row + 1, :length])
        torch.testing.assert_close(summary[row], torch.cat([last[-2, 0], last[-1, 0]]), **EXACT)


def test_additive_scores() -> None:
    states, query = drawn(2, 6, 4), drawn(2, 3, seed=1)
    for asked in (None, query):
        scorer = Additive(4, 0 if asked is None else 3, 1, hidden=5)
        found = numbers(scorer(states) if asked is None else scorer(states, asked))
        for row in range(2):
            more = (
                0
                if asked is None
                else numbers(scorer.asked.weight) @ query[row].numpy() + numbers(scorer.asked.bias)
            )
            for t in range(6):
                inner = (
                    numbers(scorer.inner.weight) @ states[row, t].numpy()
                    + numbers(scorer.inner.bias)
                    + more
                )
                assert found[row, t] == pytest.approx(
                    float((numbers(scorer.outer.weight) @ np.tanh(inner))[0]), abs=1e-5
                )


def test_additive_scores_in_float64_are_the_same_with_and_without_a_gradient() -> None:
    """Without a gradient tanh is taken another way, and the input must stay as it is."""
    scorer = Additive(4, 0, 1, hidden=5).double()
    states = torch.cat([drawn(3, 40, 4).double() * size for size in (1e-3, 1, 30)])
    inner = scorer.inner(states).detach()
    with torch.no_grad():
        before = inner.clone()
        found = scorer.rest(inner)
    assert torch.equal(inner, before)
    by_hand = numbers(scorer.outer.weight) @ np.tanh(numbers(inner)).swapaxes(1, 2)
    np.testing.assert_allclose(numbers(found), by_hand[:, 0], atol=1e-14, rtol=0)
    again = inner.clone().requires_grad_()
    scorer.rest(again).sum().backward()
    assert again.grad is not None
    slope = numbers(scorer.outer.weight)[0] * (1 - np.tanh(numbers(inner)) ** 2)
    np.testing.assert_allclose(numbers(again.grad), slope, atol=1e-14, rtol=0)


def test_dot_scores_are_scaled_but_where_a_paper_does_not() -> None:
    states, query = drawn(2, 6, 4), drawn(2, 4, seed=1)
    scaled, plain = (
        Dot(4, 0, 1, start="uniform", scaled=True),
        Dot(4, 0, 1, start="uniform", scaled=False),
    )
    plain.load_state_dict(scaled.state_dict())
    by_hand = states.numpy() @ numbers(scaled.vector.weight)[0]
    assert numbers(plain(states)) == pytest.approx(by_hand, abs=1e-5)
    assert numbers(scaled(states)) == pytest.approx(by_hand / 2, abs=1e-5)
    asked = Dot(4, 4, 1, start="uniform", scaled=True)
    assert not list(asked.parameters())
    assert asked(states, query)[1, 2].item() == pytest.approx(
        float(states[1, 2] @ query[1]) / 2, abs=1e-5
    )


def test_where_the_vector_of_dot_starts() -> None:
    usual, normal = (
        Dot(4096, 0, 1, start=start, scaled=True).vector.weight for start in ("uniform", "normal")
    )
    assert usual.abs().max() <= 1 / 64
    assert normal.std().item() == pytest.approx(1, abs=0.05)


@pytest.mark.parametrize("layers", [1, 2, 4])
def test_deep_scores(layers: int) -> None:
    states, query = drawn(1, 6, 4), drawn(1, 3, seed=1)
    scorer = Deep(4, 3, 1, layers=layers, hidden=5)
    assert len(scorer.stack) == layers - 1
    x = numbers(scorer.inner.weight) @ states[0, 2].numpy() + numbers(scorer.inner.bias)
    x = x + numbers(scorer.asked.weight) @ query[0].numpy() + numbers(scorer.asked.bias)
    for layer in scorer.stack:
        x = numbers(layer.weight) @ np.maximum(x, 0) + numbers(layer.bias)
    by_hand = float((numbers(scorer.outer.weight) @ np.maximum(x, 0))[0])
    assert scorer(states, query)[0, 2].item() == pytest.approx(by_hand, abs=1e-5)


def test_the_query_decoder() -> None:
    decoder = build_part("decoder", parse_part("query"), 6, 4, 3)
    assert isinstance(decoder, QueryDecoder)
    context, query = drawn(2, 6), drawn(2, 4, seed=1)
    allowed = torch.tensor([[True, False, True], [True, True, True]])
    logits = numbers(decoder(context, query, allowed))
    for row in range(2):
        inner = numbers(decoder.context.weight) @ context[row].numpy() + numbers(
            decoder.context.bias
        )
        inner = (
            inner + numbers(decoder.asked.weight) @ query[row].numpy() + numbers(decoder.asked.bias)
        )
        by_hand = numbers(decoder.outer.weight) @ np.tanh(inner) + numbers(decoder.outer.bias)
        assert logits[row][allowed[row]] == pytest.approx(by_hand[allowed[row]], abs=1e-5)
    assert logits[0, 1] == -np.inf
    assert decoder.context.out_features == 2  # half of the query's width
    assert np.isfinite(numbers(decoder(context, query, None))).all()


def test_a_learned_alpha_starts_where_it_is_told_and_stays_inside() -> None:
    learned = build_part("projection", parse_part("entmax(alpha=1.2,learned=true)"), 0)
    assert isinstance(learned, LearnedEntmax)
    assert learned.alpha.item() == pytest.approx(1.2, abs=1e-6)
    for theta in (-100.0, 100.0):
        nn.init.constant_(learned.theta, theta)
        assert 1.005 < learned.alpha.item() < 1.995
        weights = learned(drawn(2, 6), MASK)
        assert torch.isfinite(weights).all()
        torch.testing.assert_close(weights.sum(1), torch.ones(2))


BATCH = collate(examples((2, 2)), Vocabulary(WORDS))


def test_training_noise_depends_on_the_seed_and_on_how_far_it_is() -> None:
    gumbel, twin, other = (
        build_part("projection", parse_part("gumbel"), seed).train() for seed in (0, 0, 1)
    )
    scores = torch.zeros(2, 1000)
    first = gumbel.disturb(scores, BATCH)
    assert torch.equal(twin.disturb(scores, BATCH), first)
    assert not torch.equal(gumbel.disturb(scores, BATCH), first)
    assert not torch.equal(other.disturb(scores, BATCH), first)
    assert (first[0] - first[1]).var().item() == pytest.approx(
        np.pi**2 / 3, rel=0.15
    )  # a logistic law
    assert torch.equal(gumbel.eval().disturb(scores, BATCH), scores)
