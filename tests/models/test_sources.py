"""Where attention comes from when nobody learns it."""

import pytest
import torch

from sightline.config.specs import FitSpec
from sightline.core.seeds import Seeds
from sightline.models.attention import FrozenWeights
from sightline.models.classifier import AttentionClassifier
from sightline.training.loop import fit
from tests.texts import WORDS, example, examples, untrained

TEXT = "bara dosen bara kitif"


def weights(model: AttentionClassifier, text: str) -> list[float]:
    return model.trace(model.collate([example(text)])).attention[0].tolist()


def test_a_word_has_the_same_frozen_score_in_every_text_and_at_every_place() -> None:
    model = untrained("mlp(hidden=6)+frozen(scale=2.0)")
    batch = model.collate(examples((7, 12, 4)))
    found = model.trace(batch).attention.log()
    scores: dict[int, float] = {}
    for row in range(3):
        first = found[row, 0].item()
        for place in range(int(batch.attendable[row].sum())):
            id, score = int(batch.ids[row, place]), found[row, place].item() - first
            known = scores.setdefault(id, score + scores.get(int(batch.ids[row, 0]), 0.0))
            assert score + scores[int(batch.ids[row, 0])] == pytest.approx(known, abs=1e-4)
    again = weights(model, TEXT)
    assert again[0] == again[2]
    assert len(set(again)) == 3


def test_frozen_scores_are_drawn_literally_by_the_number_of_the_word() -> None:
    """Whatever else is in the batch: the score of word k is the k-th draw."""
    model = untrained("mlp(hidden=6)+frozen(scale=2.0)", seed=5)
    batch = model.collate([example(TEXT)])
    drawn = Seeds(5).generator("frozen attention").normal(0.0, 2.0, size=1000)
    scores = torch.tensor(drawn[batch.ids[0].numpy()]).exp()
    assert weights(model, TEXT) == pytest.approx((scores / scores.sum()).tolist(), abs=1e-6)
    both = model.trace(model.collate([example(TEXT), example(" ".join(WORDS), 1)])).attention[0, :4]
    assert both.tolist() == pytest.approx(weights(model, TEXT), abs=1e-6)


def test_the_seed_and_the_scale_are_those_of_frozen_weights() -> None:
    plain, other = (untrained("mlp(hidden=6)+frozen", seed=seed) for seed in (3, 4))
    assert plain.source == FrozenWeights(plain.projection, 3, 1.0)
    assert weights(plain, TEXT) != weights(other, TEXT)
    flat = weights(untrained("mlp(hidden=6)+frozen(scale=0.001)"), TEXT)
    assert flat == pytest.approx([0.25] * 4, abs=1e-3)


def test_training_does_not_move_frozen_weights_and_the_decoder_uses_them() -> None:
    model = untrained("bilstm(hidden=4)+frozen(scale=2.0)")
    before = weights(model, TEXT)
    texts = tuple(examples((5,) * 8))
    fit(model, texts, texts, FitSpec(epochs=2, learning_rate=0.1), 0)
    assert weights(model, TEXT) == before
    trace = model.trace(model.collate([example(TEXT)]))
    assert not torch.allclose(model.decode(trace, trace.attention.roll(1, 1)), trace.logits)
