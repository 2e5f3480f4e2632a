"""Audits whose answer is known, because the evidence was planted or the model was made so."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from sightline.audits.audit_result import Audit
from sightline.audits.run import audit
from sightline.config.spec_syntax import parse_data, parse_model
from sightline.config.specs import FitSpec, RunSpec
from sightline.core.results import Failed
from sightline.experiments.pipeline import run
from sightline.models.alterations import alter
from sightline.models.attention import GivenWeights
from sightline.studies.calibration import random_attention
from tests.texts import sharpened, trained

NEEDLE = "planted:needle(n=600,length=12)"
OF_WORDS = ("agreement", "types", "erasure")
"""What the claims about single words are judged by."""


def answers(result: Audit) -> dict[str, str]:
    assert not [m for m in result.measurements.values() if isinstance(m, Failed)], (
        result.measurements
    )
    return {f.code: f.result for f in result.findings}


def test_learned_attention_of_an_mlp_is_found_faithful() -> None:
    result = run(
        replace(random_attention.run_spec("MLP, learned attention"), measures=OF_WORDS, limit=120)
    )[1]
    found = answers(result)
    assert result.metrics["accuracy"].value == 1.0
    assert [found[code] for code in ("SL-101", "SL-102", "SL-104", "SL-301")] == ["passed"] * 4
    by_code = {f.code: f for f in result.findings}
    assert by_code["SL-104"].number.value > 0.9
    missed, chance = (
        result.estimates[f"agreement.{kind}.free_gradient"].value for kind in ("captured", "chance")
    )
    assert missed > chance  # where no state has saturated
    marks = np.concatenate([np.array(text.rationale, float) for text in result.texts])
    weights = result.measurements["outputs"].values["attention"].flat
    assert (weights * marks).sum() / len(result.texts) > 0.8  # the weight lies on the planted word


def test_random_attention_of_an_mlp_is_used_but_not_chosen() -> None:
    result = run(
        replace(random_attention.run_spec("MLP, random attention"), measures=OF_WORDS, limit=120)
    )[1]
    found = answers(result)
    assert (
        result.estimates["agreement.tau.gradient"].low > 0.5
    )  # what the papers print looks like agreement
    assert found["SL-101"] == "passed"
    assert found["SL-104"] != "passed"
    coupled, observed = (
        result.estimates[f"agreement.{kind}.gradient"].value for kind in ("coupling", "captured")
    )
    assert observed == pytest.approx(coupled, abs=0.05)  # and is all mechanics


@pytest.mark.slow
def test_random_attention_of_a_bilstm_is_neither() -> None:
    """A smaller one than `make validate` counts."""
    data, model = (
        parse_data("planted:needle(n=800,length=10)"),
        parse_model("bilstm(hidden=32)+random(scale=1.0)"),
    )
    fit = FitSpec(epochs=15, patience=10, learning_rate=3e-3)
    result = run(RunSpec(data, model, fit, companions=(), measures=OF_WORDS))[1]
    found = answers(result)
    assert result.metrics["accuracy"].low > 0.9
    assert "passed" not in [found[code] for code in ("SL-101", "SL-102", "SL-104")]


def test_displayed_weights_that_are_not_used_are_not_supported() -> None:
    model, dataset = trained(NEEDLE, "mlp(hidden=64)+additive+uniform")
    result = audit(alter("random", model, dataset, 0), dataset, limit=100)
    found = answers(result)
    assert "passed" not in [
        found[code] for code in ("SL-001", "SL-101", "SL-102", "SL-104", "SL-301")
    ]
    assert result.verdict.level == "must not be shown"


def test_equal_token_logits_are_attention_proof_and_have_no_permutation() -> None:
    model, dataset = trained(NEEDLE, "mlp(hidden=16)+additive", epochs=2)
    with torch.no_grad():
        model.embedding.weight[1:] = model.embedding.weight[4]
    generator = np.random.default_rng(0)
    model.source = GivenWeights({e.index: generator.random(len(e.tokens)) for e in dataset.test})
    result = audit(model, dataset, limit=120)
    found = answers(result)
    assert result.estimates["reach.proof"].value == 1.0
    assert found["SL-201"] == "failed"
    assert found["SL-202"] == "not run"
    counted = result.undefined()["permutation.ratio"]
    assert counted == {"no permutation moves the output": 120}


def test_a_constant_model_has_zero_importance_and_counted_undefined_tau() -> None:
    model, dataset = trained(NEEDLE, "bilstm(hidden=8)+additive", epochs=1)
    sharpened(model)
    torch.nn.init.zeros_(model.decoder.affine.weight)
    result = audit(model, dataset, limit=110)
    for name in ("gradient", "gradient_through", "deletion", "free_gradient", "free_deletion"):
        assert (result.measurements["agreement"].values[name].flat == 0).all()
        assert result.undefined()[f"agreement.tau.{name}"] == {"constant or zero reference": 110}
    found = answers(result)
    assert [found[code] for code in ("SL-101", "SL-102", "SL-103", "SL-104", "SL-202")] == [
        "not run"
    ] * 5
    assert [found[code] for code in ("SL-301", "SL-303")] == [
        "not run"
    ] * 2  # nothing moves what does not move
    assert result.verdict.level == "cannot tell"
    assert "for every one of 110 texts: nothing to explain" in str(result.verdict.reasons[0])


@pytest.mark.slow
def test_shuffled_labels_make_no_finding_of_choice() -> None:
    """A model that learned noise: its weights may be used, but on no evidence; no free reference is
    a needle.
    """
    spec = RunSpec(
        parse_data("planted:needle(n=800,length=12,strength=0.5)"),
        parse_model("mlp(hidden=32)+additive"),
    )
    result = run(replace(spec, fit=FitSpec(epochs=4), companions=(), limit=100))[1]
    assert result.metrics["accuracy"].low < 0.5 < result.metrics["accuracy"].high
    assert answers(result)["SL-001"] != "passed"
    assert result.verdict.level != "can be shown"


@pytest.mark.slow
def test_the_needle_is_found_also_where_its_state_saturates() -> None:
    """Here the gradient without attention misses the needle, because its state has saturated;
    deletion does not.
    """
    spec = RunSpec(
        parse_data("planted:needle"),
        parse_model("mlp+additive"),
        FitSpec(epochs=20, patience=4),
        limit=100,
    )
    result = run(replace(spec, companions=(), measures=OF_WORDS))[1]
    found = answers(result)
    assert [found[code] for code in ("SL-101", "SL-102", "SL-104", "SL-301")] == ["passed"] * 4
    missed, chance = (
        result.estimates[f"agreement.{kind}.free_gradient"].value for kind in ("captured", "chance")
    )
    assert missed < chance
