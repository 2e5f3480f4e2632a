"""What the documentation has people copy into other tools is read by these tools."""

import re
import shlex
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import typer
import yaml

from sightline.cli.app import app
from sightline.cli.report_files import check_endings
from sightline.report.gates import read_gates
from tests.report.audits import compared

DOCS = Path(__file__).resolve().parents[2] / "docs"


def block(page: str, language: str, holds: str) -> str:
    """Find the one piece of code of a page that holds something."""
    text = (DOCS / page).read_text(encoding="utf-8")
    found = re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    (code,) = (one for one in found if holds in one)
    return code


def test_the_workflow_calls_the_command_as_it_is() -> None:
    workflow = yaml.safe_load(block("ci-gate.md", "yaml", "jobs:"))
    assert workflow["permissions"] == {"contents": "read"}
    (job,) = workflow["jobs"].values()
    commands = [shlex.split(step["run"]) for step in job["steps"] if "run" in step]
    ((_, name, *arguments),) = (words for words in commands if words[0] == "sightline")
    command = typer.main.get_command(app).commands[name]
    given = command.make_context(name, arguments).params
    assert given["no_texts"]
    assert given["no_ids"]
    assert read_gates(given["fail_on"]) == ("must-not-be-shown",)
    check_endings(given["out"], given["card"])
    written = {str(given[file].parent) for file in ("out", "card", "junit")}
    (kept,) = (step["with"] for step in job["steps"] if "upload" in step.get("uses", ""))
    assert written == {kept["path"]}
    (summary,) = (step for step in job["steps"] if "SUMMARY" in step.get("run", ""))
    assert summary["run"].split()[1] == str(given["card"])
    assert f"'{given['card']}'" in summary["if"]


def test_the_lines_for_mlflow_run(monkeypatch: pytest.MonkeyPatch) -> None:
    logged = dict[str, Any]()

    class Run:
        def __enter__(self) -> None:
            logged["run"] = True

        def __exit__(self, *error: object) -> None:
            logged["ended"] = True

    mlflow: Any = ModuleType("mlflow")
    mlflow.start_run = Run
    mlflow.set_tags = lambda tags: logged.update(tags)
    mlflow.log_metrics = lambda metrics: logged.update(metrics)
    mlflow.log_artifact = lambda place, artifact_path: logged.update(file=Path(place).name)
    monkeypatch.setitem(sys.modules, "mlflow", mlflow)
    monkeypatch.setattr("sightline.api.audit.audit", lambda model, data, limit: compared())
    exec(block("faq.md", "python", "log_audit"), {"model": None, "data": None})
    assert logged["sightline.verdict"] == "must not be shown"
    assert {"run", "ended", "sightline/SL-301/score"} <= {*logged}
    assert logged["file"] == "report.html"
