"""The held-out probe of words: nothing where there is nothing, everything where states are words,
alike for any scale.
"""

import math

import numpy as np
import pytest
import torch

from sightline.numerics.mutual_information import comparable, plug_in, table
from sightline.numerics.word_probe import (
    LOWEST,
    ProbeTraining,
    WordProbe,
    _climbed,
    _slope,
    learned,
)

WORDS = 1000


def unrelated(pairs: int, seed: int) -> tuple[torch.Tensor, torch.Tensor, np.ndarray]:
    """States and words that know nothing of each other, ten to a text."""
    generator = np.random.default_rng(seed)
    states = torch.tensor(generator.normal(size=(pairs, 64)), dtype=torch.float32)
    return states, torch.tensor(generator.integers(WORDS, size=pairs)), np.arange(pairs) // 10


def usable(pairs: int, seed: int) -> float:
    """V of four fifths of the texts, on the others."""
    states, words, texts = unrelated(pairs, seed)
    inside = texts % 5 > 0
    probe = learned(
        states[inside], words[inside], texts[inside], WORDS, np.random.default_rng(seed)
    )
    return float(probe.gained(states[~inside], words[~inside])[0].mean())


def test_counting_a_thousand_words_finds_nats_where_there_are_none_and_the_probe_does_not() -> None:
    """Fewer pairs make the counted figure larger, and the held-out one no larger (two labellings
    drawn apart).
    """
    found = {}
    for pairs in (5000, 2500):
        generator = np.random.default_rng(pairs)
        found[pairs] = plug_in(
            table(generator.integers(WORDS, size=pairs), generator.integers(WORDS, size=pairs))
        )
    assert 3 < found[5000] < found[2500]
    assert usable(5000, 0) <= 0.02
    assert usable(2500, 0) <= 0.02
    assert not comparable(5000, 2500)


def states_of(words: np.ndarray, noise: float) -> torch.Tensor:
    vectors = np.random.default_rng(7).normal(size=(30, 12))
    generator = np.random.default_rng(8)
    return torch.tensor(
        vectors[words] + noise * generator.normal(size=(len(words), 12)), dtype=torch.float64
    )


def gain(
    states: torch.Tensor, words: np.ndarray, steps: ProbeTraining | None = None
) -> tuple[float, float]:
    texts = np.arange(len(words)) // 8
    inside = texts % 5 > 0
    probe = learned(
        states[inside],
        torch.tensor(words[inside]),
        texts[inside],
        30,
        np.random.default_rng(0),
        steps,
    )
    gained, alone = probe.gained(states[~inside], torch.tensor(words[~inside]))
    return float(gained.mean()), float(alone.mean())


def test_states_that_are_their_words_tell_nearly_all_of_them() -> None:
    words = np.random.default_rng(0).choice(30, size=4000, p=np.arange(1, 31) / 465)
    gained, alone = gain(states_of(words, 0.01), words, ProbeTraining(1500))
    shares = np.bincount(words, minlength=30) / 4000
    assert alone == pytest.approx(-(shares * np.log(shares)).sum(), abs=0.05)
    assert 0.9 * alone < gained <= alone


def test_any_linear_map_of_the_states_gives_the_same() -> None:
    """Whitening: a direction counts for what it tells, however small it is."""
    words = np.random.default_rng(1).integers(30, size=2000)
    states = states_of(words, 0.5)
    turned, _ = np.linalg.qr(np.random.default_rng(2).normal(size=(12, 12)))
    once, again = gain(states, words)[0], gain(states @ torch.tensor(turned) * 100 + 5, words)[0]
    assert once > 1
    assert again == pytest.approx(once, abs=0.05)


def test_states_that_are_all_alike_tell_nothing() -> None:
    words = np.random.default_rng(3).integers(30, size=400)
    assert gain(torch.ones(400, 12, dtype=torch.float64), words)[0] == pytest.approx(0, abs=0.02)


def test_the_slope_is_that_of_the_mean_loss() -> None:
    generator = torch.Generator().manual_seed(0)
    states = torch.randn(9, 5, generator=generator, dtype=torch.float64)
    words = torch.tensor([0, 1, 2, 3, 0, 1, 2, 3, 1])
    held = [
        torch.randn(5, 4, generator=generator, dtype=torch.float64),
        torch.randn(4, generator=generator).double(),
    ]
    for one in held:
        one.requires_grad_()
    loss = torch.nn.functional.cross_entropy(states @ held[0] + held[1], words)
    for ours, theirs in zip(
        _slope(states, words, held), torch.autograd.grad(loss, held), strict=True
    ):
        assert ours.detach().numpy() == pytest.approx(theirs.numpy(), abs=1e-12)


def test_what_a_pair_gains_is_its_log_probability_over_that_of_its_word() -> None:
    probe = WordProbe(
        torch.zeros(2), torch.eye(2), torch.tensor([[3.0, 0.0], [0.0, 100.0]]), torch.zeros(2),
        torch.tensor([0.75, 0.25]).log(),
    )  # fmt: skip
    gained, alone = probe.gained(torch.tensor([[1.0, 0.0], [0.0, 1.0]]), torch.tensor([0, 0]))
    assert alone.tolist() == pytest.approx([-math.log(0.75)] * 2)
    assert gained[0].item() == pytest.approx(
        math.log(1 / (1 + math.exp(-3))) - math.log(0.75), abs=1e-6
    )
    assert gained[1].item() == pytest.approx(LOWEST - math.log(0.75), abs=1e-5)


def test_the_steps_that_are_kept_are_the_best_on_texts_that_teach_nothing() -> None:
    """What is learned by heart is undone: outside, words are the other way round."""
    states, words = torch.eye(4, dtype=torch.float64).repeat(8, 1), torch.arange(4).repeat(8)
    zero = torch.zeros(4, dtype=torch.float64)
    blank = WordProbe(
        zero, torch.eye(4).double(), torch.zeros(4, 4).double(), zero.clone(), zero - math.log(4)
    )
    weights, intercepts = _climbed(
        (states, words),
        (states, (words + 1) % 4),
        blank,
        np.random.default_rng(0),
        ProbeTraining(50, rate=0.1),
    )
    assert not weights.any()
    assert not intercepts.any()
