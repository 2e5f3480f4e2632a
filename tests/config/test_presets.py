"""Presets against what the papers say, fact by fact: each line says where it is from."""

import pytest

from sightline.config.presets import PRESETS, build_specs
from sightline.config.spec_syntax import parse_model

J_CODE = "the code released with Jain & Wallace 2019"
FACTS = [
    # preset, model, (field, value) …, where it says so
    (
        "jain2019",
        "bilstm",
        {"bilstm.hidden": 128, "additive.hidden": 0},
        J_CODE,
    ),  # 0: half of the states, as theirs
    ("jain2019", "mlp", {"mlp.hidden": 128}, J_CODE),
    ("jain2019", "cnn", {"cnn.kernels": "1-3-5-7", "cnn.channels": 32}, J_CODE),
    (
        "jain2019",
        "bilstm",
        {"amsgrad": True, "learning_rate": 1e-3, "batch_size": 32, "epochs": 8},
        J_CODE,
    ),
    (
        "jain2019",
        "bilstm",
        {"weight_decay": 1e-5, "attention_weight_decay": 0.0, "gradient_clipping": 0.0},
        J_CODE,
    ),
    ("jain2019", "bilstm", {"reduction": "sum", "class_weights": True, "keep": "auc"}, J_CODE),
    (
        "jain2019",
        "bilstm",
        {"boundaries": True, "embedding": 200},
        J_CODE,
    ),  # the size where there are no vectors
    (
        "jain2019-babi",
        "bilstm+query",
        {"bilstm.hidden": 32, "embedding": 50, "embedding_std": 1.0},
        J_CODE,
    ),
    ("jain2019-babi", "mlp+query", {"mlp.hidden": 32}, J_CODE),
    ("jain2019-babi", "cnn+query", {"cnn.channels": 8, "cnn.kernels": "1-3-5-7"}, J_CODE),
    (
        "jain2019-babi",
        "bilstm+query",
        {"batch_size": 50, "epochs": 100, "keep": "accuracy"},
        J_CODE,
    ),
    (
        "jain2019-snli",
        "bilstm+query",
        {"batch_size": 128, "epochs": 25, "bilstm.hidden": 128},
        J_CODE,
    ),
    (
        "jain2019-cnn",
        "bilstm+query",
        {"batch_size": 90, "epochs": 25, "bilstm.hidden": 128},
        J_CODE,
    ),
    *(
        (
            f"jain2019-{of}",
            "bilstm+query",
            {"weight_decay": 1e-5, "attention_weight_decay": 1e-5, "amsgrad": True},
            J_CODE,
        )
        for of in ("babi", "snli", "cnn")
    ),
    *(
        (
            f"jain2019-{of}",
            "bilstm+query",
            {"reduction": "mean", "class_weights": False, "learning_rate": 1e-3},
            J_CODE,
        )
        for of in ("babi", "snli", "cnn")
    ),
    (
        "wiegreffe2019",
        "bilstm",
        {"epochs": 8, "keep": "auc", "bilstm.hidden": 128},
        "their released code",
    ),
    (
        "wen2022",
        "bilstm",
        {"bilstm.hidden": 128, "learning_rate": 1e-3, "batch_size": 32},
        "appendix A",
    ),
    ("wen2022", "mlp", {"mlp.hidden": 128, "weight_decay": 1e-5, "keep": "accuracy"}, "appendix A"),
    ("wen2022", "cnn", {"cnn.kernels": "1-3-5-7-15", "cnn.channels": 128}, "appendix A"),
    ("wen2022", "mlp+dot", {"dot.scaled": False}, "eq. 5"),
    (
        "tutek2020",
        "bilstm",
        {"embedding": 300, "bilstm.hidden": 150, "learning_rate": 1e-3},
        "Table 4",
    ),
    (
        "tutek2020",
        "bilstm",
        {"gradient_clipping": 5.0, "batch_size": 32, "weight_decay": 1e-5},
        "Table 4",
    ),
    ("tutek2020", "bilstm+dot", {"dot.start": "normal"}, "appendix C"),
    (
        "meister2021",
        "bilstm",
        {"bilstm.hidden": 128, "learning_rate": 1e-4, "amsgrad": True},
        "appendix B, Table 4",
    ),
    (
        "meister2021",
        "transformer",
        {"transformer.hidden": 128, "transformer.layers": 2},
        "appendix B",
    ),
    (
        "meister2021",
        "transformer",
        {"learning_rate": 1e-5, "batch_size": 32, "weight_decay": 1e-5},
        "Table 4",
    ),
    (
        "meister2021",
        "bilstm",
        {"attention_weight_decay": 0.0, "attention_rate_factor": 1.0},
        "appendix B: the same",
    ),
    (
        "meister2021-x10",
        "bilstm",
        {"attention_weight_decay": 0.0, "attention_rate_factor": 10.0},
        "appendix B: or 10x",
    ),
]


@pytest.mark.parametrize(("preset", "text", "facts", "where"), FACTS)
def test_a_preset_is_what_its_paper_says(
    preset: str, text: str, facts: dict[str, object], where: str
) -> None:
    model, fit = build_specs(text, preset)
    options = {
        f"{room.name}.{name}": value
        for room in model.parts.values()
        for name, value in room.options
    }
    usual = {
        "bilstm.hidden": 128,
        "mlp.hidden": 128,
        "transformer.hidden": 128,
        "transformer.layers": 2,
    }
    usual |= {
        "cnn.kernels": "1-3-5-7",
        "cnn.channels": 32,
        "additive.hidden": 0,
    }  # what a model has where none is said
    values = {**usual, **vars(model), **vars(fit), **options}
    assert {name: values[name] for name in facts} == facts, where


def test_epochs_that_a_paper_runs_are_all_run() -> None:
    papers = [name for name in PRESETS if name.startswith(("jain", "wiegreffe", "tutek"))]
    assert all(PRESETS[name].fit.patience == PRESETS[name].fit.epochs for name in papers)


def test_what_is_usual_is_what_the_catalogue_says() -> None:
    for encoder, width in (("bilstm", 256), ("mlp", 128), ("cnn", 128), ("transformer", 128)):
        assert parse_model(encoder).states == width


def test_a_preset_that_follows_another_differs_in_what_it_says() -> None:
    jain, wiegreffe = PRESETS["jain2019"], PRESETS["wiegreffe2019"]
    assert (wiegreffe.fit, wiegreffe.model, wiegreffe.parts) == (jain.fit, jain.model, jain.parts)
    fast, slow = PRESETS["meister2021-x10"], PRESETS["meister2021"]
    assert {n for n, v in vars(fast.fit).items() if v != vars(slow.fit)[n]} == {
        "attention_rate_factor"
    }
    assert fast.training == slow.training
    assert len({preset.source for preset in PRESETS.values()}) == len(PRESETS)
