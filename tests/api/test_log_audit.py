"""An audit in MLflow: its numbers, its verdict and its report; also through what stands in for it."""

import builtins
import math
import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

import sightline
from sightline.core.errors import MissingExtra
from tests.report.audits import audit, compared, hostile

ALLOWED = re.compile(r"[\w.\- /]{1,250}")
"""The names that MLflow takes."""


@dataclass
class Fake:
    """The functions of MLflow that are used; what they are given is kept."""

    metrics: dict[str, float] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)

    def log_metrics(self, metrics: dict[str, float]) -> None:
        """A name is the place of a file, so that no other may lie in it."""
        assert not [name for name in metrics for other in metrics if other.startswith(f"{name}/")]
        self.metrics |= metrics

    def set_tags(self, tags: dict[str, str]) -> None:
        self.tags |= tags

    def log_artifact(self, local_path: str, artifact_path: str) -> None:
        place = Path(local_path)
        self.files[f"{artifact_path}/{place.name}"] = place.read_text(encoding="utf-8")


def test_scores_verdict_and_report_are_logged() -> None:
    found, fake = compared(), Fake()
    sightline.log_audit(found, fake)
    assert fake.tags["sightline.verdict"] == "must not be shown"
    assert fake.tags["sightline.SL-104"] == "failed"
    assert fake.metrics["sightline/accuracy/value"] == found.learned.accuracy.value
    assert fake.metrics["sightline/accuracy/n"] == 872
    for test in found.findings:
        name = f"sightline/{test.code}"
        logged = {key for key in fake.metrics if key.startswith(f"{name}/")}
        if test.score is None:
            assert not logged
            continue
        assert fake.metrics[f"{name}/score"] == test.score.value
        assert fake.metrics[f"{name}/low"] == test.score.low
        assert fake.metrics[f"{name}/high"] == test.score.high
        assert fake.metrics[f"{name}/n"] == test.score.n
        assert fake.metrics[f"{name}/threshold"] == test.threshold
    assert [*fake.files] == ["sightline/report.html"]
    assert fake.files["sightline/report.html"].startswith("<!DOCTYPE html>")


def test_texts_stay_here_unless_they_are_asked_for() -> None:
    here, there = Fake(), Fake()
    sightline.log_audit(audit(), here)
    sightline.log_audit(audit(), there, texts=True, ids=True)
    for part in ("wonderful", "t0003"):
        assert part not in here.files["sightline/report.html"]
        assert part in there.files["sightline/report.html"]


def test_what_is_undefined_or_hostile_is_no_trouble() -> None:
    base = hostile()
    findings = tuple(
        replace(one, score=replace(one.score, value=math.nan)) if one.score else one
        for one in base.findings
    )
    fake = Fake()
    sightline.log_audit(replace(base, findings=findings), fake)
    assert all(map(math.isfinite, fake.metrics.values()))
    assert not [name for name in fake.metrics if name.endswith("/score")]
    for name in (*fake.metrics, *fake.tags):
        assert ALLOWED.fullmatch(name), name
    assert all(len(text) <= 5000 and text.isprintable() for text in fake.tags.values())


def test_without_mlflow_the_error_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    imported = builtins.__import__

    def without(name: str, *more: Any) -> Any:
        if name == "mlflow":
            raise ImportError(name)
        return imported(name, *more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtra, match="pip install mlflow"):
        sightline.log_audit(audit())


@pytest.mark.filterwarnings("default")
def test_mlflow_takes_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mlflow = pytest.importorskip("mlflow", reason="no mlflow")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri((tmp_path / "runs").as_uri())
    with mlflow.start_run() as run:
        sightline.log_audit(compared())
    kept, fake = mlflow.get_run(run.info.run_id).data, Fake()
    sightline.log_audit(compared(), fake)
    assert kept.metrics == fake.metrics
    assert fake.tags.items() <= kept.tags.items()
    assert [*(tmp_path / "runs").rglob("sightline/report.html")]
