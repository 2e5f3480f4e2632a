"""An audit as an evaluation of MLflow: through MLflow itself, and through what stands in for it."""

import sys
from collections.abc import Sequence
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

import sightline
from sightline.api.mlflow_evaluator import SightlineEvaluator
from sightline.core.errors import DataError, SpecError

TEXTS = [f"{cue} film number {n}" for n in range(30) for cue in ("good", "bad")]
LABELS = ["pos", "neg"] * 30


def predict(texts: Sequence[str]) -> np.ndarray:
    good = np.asarray([0.9 if "good" in text else 0.1 for text in texts])
    return np.stack([1 - good, good], axis=1)


def answering() -> Any:
    return sightline.answers(predict, labels=("neg", "pos"), name="words")


class Frame(dict[str, Any]):
    """A data frame of which columns are asked alone."""

    @property
    def columns(self) -> list[str]:
        return list(self)


def dataset(labels: Any = LABELS, **columns: Any) -> Any:
    return SimpleNamespace(
        name="reviews", features_data=Frame(columns), labels_data=labels and np.asarray(labels)
    )


def nested(config: dict[str, Any]) -> dict[str, Any]:
    return {"sightline": config}


@pytest.fixture
def logged(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Stand in for MLflow, and keep what it is given."""
    kept: dict[str, Any] = {}
    mlflow, models = ModuleType("mlflow"), ModuleType("mlflow.models")
    report = lambda path, artifact_path: kept.update(report=Path(path).read_text("utf-8"))  # noqa: E731
    mlflow.__dict__.update(log_metrics=kept.update, set_tags=kept.update, log_artifact=report)
    models.__dict__.update(EvaluationResult=SimpleNamespace)
    monkeypatch.setitem(sys.modules, "mlflow", mlflow)
    monkeypatch.setitem(sys.modules, "mlflow.models", models)
    return kept


@pytest.mark.parametrize("given", [dict, nested])
def test_the_model_that_the_configuration_names_is_audited(
    given: Any, logged: dict[str, Any]
) -> None:
    config = given({"model": answering(), "text": "body", "limit": 40})
    evaluator = SightlineEvaluator()
    assert evaluator.can_evaluate(model_type="classifier", evaluator_config=config)
    found = evaluator.evaluate(dataset=dataset(body=TEXTS), run_id="1", evaluator_config=config)
    assert found.metrics["sightline/accuracy/value"] == 1
    assert found.metrics["sightline/accuracy/n"] == 40
    assert found.metrics.items() <= logged.items()
    assert logged["sightline.verdict"] == "cannot tell"
    assert "film number" not in logged["report"]


def test_what_is_missing_is_named(logged: dict[str, Any]) -> None:
    evaluate, config = SightlineEvaluator().evaluate, {"model": answering()}
    with pytest.raises(SpecError, match='"model": "hf:my-classifier"'):
        evaluate(dataset=dataset(text=TEXTS), evaluator_config={})
    with pytest.raises(DataError, match="column 'text', got body"):
        evaluate(dataset=dataset(body=TEXTS), evaluator_config=config)
    with pytest.raises(DataError, match='targets="label"'):
        evaluate(dataset=dataset(None, text=TEXTS), evaluator_config=config)
    assert logged == {}


def test_mlflow_finds_it() -> None:
    (found,) = entry_points(group="mlflow.model_evaluator", name="sightline")
    assert found.load() is SightlineEvaluator


@pytest.mark.filterwarnings("default")
def test_an_evaluation_of_mlflow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # where MLflow puts artifacts
    mlflow = pytest.importorskip("mlflow", reason="no mlflow")
    pandas = pytest.importorskip("pandas", reason="no pandas")
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path / 'runs.db'}")
    frame = pandas.DataFrame({"text": TEXTS, "label": LABELS})
    with mlflow.start_run() as run:
        found = mlflow.models.evaluate(
            lambda data: ["pos" if "good" in text else "neg" for text in data["text"]],
            data=frame,
            targets="label",
            model_type="classifier",
            evaluators="sightline",
            evaluator_config={"sightline": {"model": answering(), "limit": 40}},
        )
    kept = mlflow.get_run(run.info.run_id).data
    assert found.metrics["sightline/accuracy/n"] == kept.metrics["sightline/accuracy/n"] == 40
    assert kept.tags["sightline.verdict"] == "cannot tell"
    files = mlflow.artifacts.list_artifacts(run_id=run.info.run_id, artifact_path="sightline")
    assert [one.path for one in files] == ["sightline/report.html"]
