"""What every built-in model owes: every encoder × scorer × projection × source, two classes and four, with and
without boundary tokens.
"""

from dataclasses import asdict
from itertools import product

import pytest
import torch

from sightline.maths.projections import uniform
from sightline.models.checkpoint import load_classifier, save_classifier
from sightline.models.classifier import AttentionClassifier
from sightline.spec import ENCODERS, PROJECTIONS, SCORERS, SOURCES, model_from_json, parse_model
from sightline.training.fit import cross_entropies
from tests.texts import examples, untrained

PARTS = ["+".join(parts) for parts in product(ENCODERS, SCORERS, PROJECTIONS, SOURCES)]
EXACT = {"atol": 1e-5, "rtol": 1e-5}  # float32 sums in another order


@pytest.fixture(params=[(parts, c, b) for parts in PARTS for c, b in ((2, False), (4, True))], ids=str)
def model(request: pytest.FixtureRequest) -> AttentionClassifier:
    parts, classes, boundaries = request.param
    return untrained(parts, classes, boundaries=boundaries)


def test_decode_of_its_own_attention_gives_the_logits(model: AttentionClassifier) -> None:
    trace = model.trace(model.collate(examples()))
    assert torch.equal(model.decode(trace, trace.attention), trace.logits)


def test_batched_is_alone(model: AttentionClassifier) -> None:
    texts = examples()
    together = model.trace(model.collate(texts))
    for row, text in enumerate(texts):
        alone = model.trace(model.collate([text]))
        size = alone.batch.ids.shape[1]
        torch.testing.assert_close(alone.logits[0], together.logits[row], **EXACT)
        torch.testing.assert_close(alone.attention[0], together.attention[row, :size], **EXACT)
        torch.testing.assert_close(alone.states[0], together.states[row, :size], **EXACT)


def test_padding_is_truncation(model: AttentionClassifier) -> None:
    batch = model.collate(examples((5, 5)))
    longer = model.collate(examples((5, 5, 20))).rows(torch.tensor([0, 1]))
    assert longer.ids.shape[1] > batch.ids.shape[1]
    torch.testing.assert_close(model.trace(longer).logits, model.trace(batch).logits, **EXACT)
    assert (model.trace(longer).attention[~longer.attendable] == 0).all()


def test_attention_is_a_distribution_over_words(model: AttentionClassifier) -> None:
    trace = model.trace(model.collate(examples()))
    assert (trace.attention >= 0).all()
    torch.testing.assert_close(trace.attention.sum(1), torch.ones(5))
    assert trace.batch.attendable.sum(1).tolist() == [7, 1, 4, 12, 2]


def test_logits_mix_the_token_logits(model: AttentionClassifier) -> None:
    trace = model.trace(model.collate(examples()))
    assert trace.token_logits is not None
    mixed = torch.einsum("bt,btl->bl", trace.attention, trace.token_logits)
    torch.testing.assert_close(mixed, trace.logits, **EXACT)
    flat = uniform(trace.batch.attendable, trace.attention)
    torch.testing.assert_close(torch.einsum("bt,btl->bl", flat, trace.token_logits), model.decode(trace, flat), **EXACT)


def test_a_trace_is_detached_and_leaves_its_batch_alone(model: AttentionClassifier) -> None:
    batch = model.collate(examples())
    before = [tensor.clone() for _, tensor in batch._tensors()]
    trace = model.trace(batch)
    assert not trace.logits.requires_grad
    assert not trace.states.requires_grad
    assert all(torch.equal(a, b) for a, (_, b) in zip(before, batch._tensors(), strict=True))
    embeddings = model.embed(batch).detach().requires_grad_()
    assert model.trace(batch, embeddings).logits.requires_grad


def test_gradients_reach_every_parameter_that_is_used(model: AttentionClassifier) -> None:
    batch = model.collate(examples())
    cross_entropies(model(batch), batch.labels).sum().backward()
    chosen = model.spec.source.name == "learned"
    for name, parameter in model.named_parameters():
        reached = parameter.grad is not None and bool(parameter.grad.abs().sum() > 0)
        assert reached == (chosen or not name.startswith("scorer.")), name


def test_the_seed_determines_the_bits(model: AttentionClassifier) -> None:
    settings = {"boundaries": model.spec.boundaries}
    torch.manual_seed(99)  # what was drawn before must not matter
    again = untrained(str(model.spec), len(model.label_names), **settings)
    other = untrained(str(model.spec), len(model.label_names), seed=4, **settings)
    assert all(torch.equal(a, b) for a, b in zip(model.state_dict().values(), again.state_dict().values(), strict=True))
    assert not torch.equal(model.embedding.weight, other.embedding.weight)


def test_spec_and_checkpoint_round_trip(model: AttentionClassifier, tmp_path: object) -> None:
    spec = parse_model(str(model.spec))
    assert (spec.encoder, spec.scorer, spec.projection, spec.source) == (
        model.spec.encoder, model.spec.scorer, model.spec.projection, model.spec.source,
    )  # fmt: skip
    assert model_from_json(asdict(model.spec)) == model.spec
    folder = save_classifier(model, f"{tmp_path}/saved", 3, {"note": 1})
    loaded, record = load_classifier(folder)
    batch = model.collate(examples())
    assert torch.equal(loaded.trace(loaded.collate(examples())).logits, model.trace(batch).logits)
    assert record == {"note": 1}


def test_words_keep_their_number_when_others_are_deleted(model: AttentionClassifier) -> None:
    batch = model.collate(examples())
    kept = batch.mask.clone()
    third = int(torch.nonzero(batch.word[0] == 2)[0])
    kept[0, third] = False
    shorter = batch.keep(kept)
    assert [int(w) for w in shorter.word[0][shorter.attendable[0]]] == [0, 1, 3, 4, 5, 6]
    left = batch.ids[0][kept[0]].tolist()
    assert shorter.ids[0][shorter.mask[0]].tolist() == left
    assert shorter.mask.sum(1).tolist() == (batch.mask.sum(1) - torch.tensor([1, 0, 0, 0, 0])).tolist()
