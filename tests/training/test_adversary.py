"""Adversaries: their loss by hand, what moves and what stays, and who chooses the epoch."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from sightline.config.base_runs import as_trained, base_of, plain
from sightline.config.spec_syntax import parse_data, parse_model
from sightline.config.specs import MODEL_PARTS, FitSpec, RunSpec
from sightline.core.errors import SpecError
from sightline.experiments.pipeline import train
from sightline.numerics import divergences
from sightline.training.adversary import (
    AdversaryObjective,
    jensen_shannon,
    kullback_leibler,
    total_variation,
)
from sightline.training.control_models import trainings_of
from tests.texts import examples, untrained

weights = st.lists(st.floats(0.0, 1.0), min_size=2, max_size=6).filter(lambda row: sum(row) > 0.1)


@given(weights, st.data())
def test_divergences_are_those_of_their_definitions(
    first: list[float], data: st.DataObject
) -> None:
    second = data.draw(st.lists(st.floats(0.01, 1.0), min_size=len(first), max_size=len(first)))
    a, b = (np.array(row) / np.sum(row) for row in (first, second))
    both = torch.tensor(a)[None], torch.tensor(b)[None]
    by_hand = sum(x * math.log(x / y) for x, y in zip(a, b, strict=True) if x > 0)
    assert kullback_leibler(*both).item() == pytest.approx(by_hand, abs=1e-12)
    assert jensen_shannon(*both).item() == pytest.approx(
        divergences.jensen_shannon(a, b), abs=1e-12
    )


@pytest.mark.parametrize("classes", [1, 3])
def test_total_variation_is_that_of_all_classes(classes: int) -> None:
    logits = np.random.default_rng(0).normal(size=(5, classes))
    others = divergences.probabilities(np.random.default_rng(1).normal(size=(5, classes)))
    wanted = divergences.total_variation(divergences.probabilities(logits), others)
    assert total_variation(torch.tensor(logits), torch.tensor(others)).numpy() == pytest.approx(
        wanted
    )


def test_a_weight_of_zero_has_a_gradient_that_is_a_number() -> None:
    scores = torch.tensor([[0.0, 1.0, 0.0]], requires_grad=True)
    jensen_shannon(scores, torch.tensor([[0.5, 0.0, 0.5]])).sum().backward()
    assert scores.grad is not None
    assert scores.grad.isfinite().all()


@pytest.mark.parametrize("divergence", ["kl", "jsd"])
@pytest.mark.parametrize(("model", "classes"), [("bilstm(hidden=4)", 2), ("mlp(hidden=4)", 3)])
def test_the_loss_is_the_change_of_the_answer_less_the_distance(
    divergence: str, model: str, classes: int
) -> None:
    texts = examples((7, 1, 4, 12, 2), classes=classes)
    own, base = untrained(model, classes), untrained(model, classes, seed=9)
    spec = FitSpec(adversary=divergence, adversary_weight=0.3)
    against = AdversaryObjective(base, texts, spec)
    with torch.no_grad():
        found = against.losses(own, texts).numpy()
    for row, text in enumerate(texts):  # one by one, without padding
        ours, theirs = (one.trace(one.collate([text])) for one in (own, base))
        p, q = (divergences.probabilities(one.logits.double().numpy())[0] for one in (ours, theirs))
        a, b = (one.attention.double().numpy()[0] for one in (ours, theirs))
        apart = (
            (a * np.log(a / b)).sum() if divergence == "kl" else divergences.jensen_shannon(a, b)
        )
        assert found[row] == pytest.approx(0.5 * np.abs(p - q).sum() - 0.3 * apart, abs=1e-5)
    assert against.judged(own, tuple(texts), np.zeros((5, 1))) == pytest.approx(found, abs=1e-6)


RUN = RunSpec(
    parse_data("planted:needle(n=300,length=8)"),
    parse_model("bilstm(hidden=8)+additive"),
    FitSpec(epochs=4),
    companions=(),
)
ADVERSARY = replace(
    RUN.fit, adversary="jsd", adversary_weight=1.0, adversary_epochs=15, adversary_patience=15
)


def test_the_base_of_a_run_is_its_plain_training() -> None:
    run = replace(
        RUN, fit=replace(ADVERSARY, from_base=MODEL_PARTS, fixed=("encoder",), draw=2), limit=9
    )
    assert base_of(run) == replace(RUN, fit=replace(RUN.fit, draw=2), limit=None)
    assert base_of(RUN) is None
    assert plain(replace(RUN.fit, guide="away", guide_words=("a",), guide_weight=3.0)) == RUN.fit


def test_an_adversary_has_epochs_of_its_own_and_is_chosen_by_what_it_makes_small() -> None:
    result = as_trained(replace(ADVERSARY, keep="auc"))
    assert (result.epochs, result.patience, result.keep) == (15, 15, "loss")
    assert as_trained(RUN.fit) == RUN.fit


@pytest.mark.parametrize("frozen", [False, True])
def test_an_adversary_moves_attention_and_keeps_the_answers(frozen: bool) -> None:
    fixed = ("embedding", "encoder", "decoder") if frozen else ()
    fit = replace(
        ADVERSARY, from_base=fixed, fixed=fixed, learning_rate=0.02
    )  # at the base itself no slope leads away
    made = train(replace(RUN, fit=fit, companions=("base",)))
    base, own = made.companions["base"], made.model
    batch = own.collate(made.dataset.test)
    traces = {"own": own.trace(batch), "base": base.trace(batch)}
    apart = divergences.jensen_shannon(*(trace.attention.numpy() for trace in traces.values()))
    assert apart.mean() > 0.3
    answers = [divergences.probabilities(traces[name].logits.numpy()) for name in ("own", "base")]
    assert divergences.total_variation(*answers).mean() < (0.5 if frozen else 0.2)
    kept = {
        piece: torch.equal(*(getattr(one, piece).state_dict()[name] for one in (own, base)))
        for piece, name in (
            ("embedding", "weight"),
            ("decoder", "affine.weight"),
            ("scorer", "outer.weight"),
        )
    }
    assert kept == {"embedding": frozen, "decoder": frozen, "scorer": False}


def test_labels_have_no_part_in_it() -> None:
    base = untrained("mlp(hidden=4)")
    texts = examples((5, 6, 7))
    other = [replace(text, label=1 - text.label) for text in texts]
    against = AdversaryObjective(base, texts, ADVERSARY)
    own = untrained("mlp(hidden=4)", seed=8)
    assert torch.equal(against.losses(own, texts), against.losses(own, other))


@pytest.mark.parametrize(
    ("fit", "model", "message"),
    [
        (
            {"adversary": "kl"},
            "mlp+sparsemax",
            "weights of sparsemax may be zero, and KL is infinite there; take jsd",
        ),
        ({"adversary": "jsd"}, "mlp+uniform", "nothing moves attention that is uniform"),
        ({"adversary": "jsd", "guide": "last"}, "mlp", "an adversary cannot have a guide"),
        (
            {"adversary": "jsd", "fixed": ("attention",)},
            "mlp",
            "an adversary moves attention, which is fixed",
        ),
        ({"fixed": MODEL_PARTS}, "mlp", "nothing is left to train"),
        (
            {"fixed": ("embedding", "encoder", "decoder")},
            "mlp+uniform",
            "nothing is left to train: attention is unif",
        ),
        (
            {"fixed": ("embedding", "encoder", "decoder")},
            "mlp+dot+query",
            "nothing is left to train: the dot product",
        ),
        (
            {"from_base": ("decoder", "encoder")},
            "mlp",
            "each once and in this order; got decoder, encoder",
        ),
        ({"guide_words": ("a",)}, "mlp", "needs fit.guide onto or away"),
        ({"adversary_weight": -1.0}, "mlp", "expected a number from 0"),
    ],
)
def test_what_no_training_could_mean_is_refused(fit: dict, model: str, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        replace(RUN, model=parse_model(model), fit=FitSpec(**fit))


@pytest.mark.parametrize("model", ["mlp+dot+query+entmax(learned=true)", "mlp+additive+query"])
def test_attention_with_parameters_may_be_all_that_is_trained(model: str) -> None:
    fit = FitSpec(fixed=("embedding", "encoder", "decoder"))
    assert replace(RUN, model=parse_model(model), fit=fit).model.attention_learns


def test_a_control_model_that_cannot_be_trained_is_refused_by_its_name() -> None:
    asked = replace(RUN, model=parse_model("mlp+dot+query"), companions=("adversary(frozen=true)",))
    with pytest.raises(SpecError) as refused:
        trainings_of(asked)
    assert refused.value.field == "companions"
