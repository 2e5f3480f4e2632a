"""Pieces of a base: taken over, left as they are, or both; a model that is never trained."""

from dataclasses import replace

import pytest
import torch

from sightline.config.registry import COMPANIONS
from sightline.config.spec_syntax import parse_data, parse_model
from sightline.config.specs import BUT_ATTENTION, MODEL_PARTS, FitSpec, RunSpec
from sightline.core.errors import SpecError
from sightline.experiments.pipeline import train
from sightline.experiments.training_jobs import drawn_seed
from sightline.models.classifier import AttentionClassifier
from sightline.training.control_models import (
    companions_of,
    read_companions,
    record_name,
    training_title,
)
from sightline.training.freeze import MODULES, copy_parts, freeze_parts
from tests.texts import untrained

RUN = RunSpec(
    parse_data("planted:needle(n=200,length=6)"),
    parse_model("mlp(hidden=6)+additive"),
    FitSpec(epochs=2),
    companions=(),
)


def weights(model: AttentionClassifier, piece: str) -> list[torch.Tensor]:
    return [tensor for module in MODULES[piece](model) for tensor in module.state_dict().values()]


def same(one: AttentionClassifier, other: AttentionClassifier, piece: str) -> bool:
    return all(map(torch.equal, weights(one, piece), weights(other, piece)))


@pytest.mark.parametrize("spec", ["bilstm(hidden=4)+entmax(learned=true)", "mlp(hidden=4)+query"])
def test_the_pieces_are_the_whole_model(spec: str) -> None:
    model = untrained(spec)
    of_pieces = {
        id(p)
        for piece in MODEL_PARTS
        for module in MODULES[piece](model)
        for p in module.parameters()
    }
    assert of_pieces == {id(p) for p in model.parameters()}


@pytest.mark.parametrize("piece", MODEL_PARTS)
def test_a_piece_is_taken_alone_and_fixed_alone(piece: str) -> None:
    one, other = (untrained("mlp(hidden=4)+entmax(learned=true)", seed=seed) for seed in (1, 2))
    with torch.no_grad():
        other.projection.theta += 0.1
    copy_parts(one, other, [piece])
    assert {name for name in MODEL_PARTS if same(one, other, name)} == {piece}
    freeze_parts(one, [piece])
    assert {id(p) for p in one.parameters() if not p.requires_grad} == {
        id(p) for module in MODULES[piece](one) for p in module.parameters()
    }


def test_a_fixed_representation_is_that_of_the_base_and_the_rest_is_new() -> None:
    """Wen et al. 2022, Table 2: attention and decoder are trained anew over a trained encoder."""
    fit = replace(RUN.fit, from_base=("embedding", "encoder"), fixed=("embedding", "encoder"))
    made = train(replace(RUN, fit=fit, companions=("base", "untrained")))
    own, base, start = made.model, made.companions["base"], made.companions["untrained"]
    assert {piece: same(own, base, piece) for piece in MODEL_PARTS} == {
        "embedding": True, "encoder": True, "attention": False, "decoder": False
    }  # fmt: skip
    assert not same(own, start, "decoder")


def test_companions_are_parts_with_options() -> None:
    names = "uniform,frozen,constant,scorer,untrained,seed(by=3),adversary(weight=0.5,divergence=jsd),adversary(frozen=true)"
    made = companions_of(replace(RUN, companions=read_companions(names)))
    assert [str(one.model.source) for one in made.values()] == [
        "uniform",
        "frozen",
        "constant",
        *["learned"] * 5,
    ]
    fits = [one.fit for one in made.values()]
    assert fits[:3] == [RUN.fit] * 3
    assert fits[3:] == [
        replace(RUN.fit, fixed=("attention",)),
        replace(RUN.fit, epochs=0),
        replace(RUN.fit, draw=3),
        replace(RUN.fit, adversary="jsd", adversary_weight=0.5),
        replace(RUN.fit, adversary="kl", from_base=BUT_ATTENTION, fixed=BUT_ATTENTION),
    ]
    assert {one.partition("(")[0] for one in made} | {"base"} == set(COMPANIONS)
    assert (
        record_name("adversary(weight=0.5)")
        == "companion (the same answers from other attention: weight=0.5)"
    )
    with pytest.raises(SpecError, match="base: this run starts from none"):
        companions_of(replace(RUN, companions=("base",)))
    with pytest.raises(SpecError, match="companions: seed\\(by=0\\): expected by from 1"):
        read_companions("seed(by=0)")


def test_one_that_is_never_trained_is_as_it_started() -> None:
    made = train(replace(RUN, fit=replace(RUN.fit, epochs=0), companions=("untrained", "uniform")))
    assert list(made.companions) == ["uniform"]  # the other would be the model itself
    assert made.record["summary"] == {"epochs": 0, "kept": 0, "converged": True}
    trained = train(replace(RUN, companions=("untrained",)))
    assert all(same(made.model, trained.companions["untrained"], piece) for piece in MODEL_PARTS)
    assert not same(made.model, trained.model, "encoder")


def test_another_draw_has_another_start_and_the_same_texts() -> None:
    made = train(replace(RUN, companions=("seed(by=1)",)))
    other = train(replace(RUN, fit=replace(RUN.fit, draw=1)))
    assert made.dataset.train == other.dataset.train
    assert all(same(made.companions["seed(by=1)"], other.model, piece) for piece in MODEL_PARTS)
    assert not same(made.model, other.model, "encoder")
    assert (
        len({drawn_seed(replace(RUN, fit=replace(RUN.fit, draw=draw))) for draw in range(5)}) == 5
    )
    assert drawn_seed(RUN) == RUN.seed


def test_the_scorer_of_a_companion_stays_as_it_was_drawn() -> None:
    made = train(replace(RUN, companions=("scorer", "untrained")))
    kept, start = made.companions["scorer"], made.companions["untrained"]
    assert [same(kept, start, piece) for piece in MODEL_PARTS] == [False, False, True, False]


def test_people_read_of_control_models_and_records_keep_their_word() -> None:
    recorded = record_name("seed(by=2)")
    assert recorded == "companion (another start and order: by=2)"
    assert training_title(recorded) == "control model (another start and order: by=2)"
    assert training_title("model") == "model"
