"""The pytest plug-in: one audit for equal arguments, and an example that runs as it stands."""

import os
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path
from shutil import copy
from xml.etree import ElementTree as Xml

import numpy as np
import pytest

from sightline.api.pytest_plugin import _Audits

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "test_attention.py"


def test_pytest_finds_the_plug_in_by_its_entry_point() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (module,) = project["entry-points"]["pytest11"].values()
    assert hasattr(import_module(module), "sightline_audit")


def test_pytest_starts_without_torch() -> None:
    code = "import sys, sightline.api.pytest_plugin; print(sorted({'torch', 'numpy'} & {*sys.modules}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_an_audit_is_made_once_for_equal_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    def audit(model: object, data: object, **options: object) -> object:
        made.append(options)
        return len(made)

    monkeypatch.setattr("sightline.api.audit.audit", audit)
    data, scores = object(), np.zeros(3)
    ask = _Audits().audit
    assert ask("hf:model", data, limit=5, label_map={"a": "b"}) == 1
    assert ask("".join(["hf:", "model"]), data, label_map={"a": "b"}, limit=5) == 1
    assert ask("hf:model", data, limit=5.0, label_map={"a": "b"}) == 2
    assert ask("hf:model", data, limit=5, label_map={"a": "c"}) == 3
    assert ask("hf:model", object(), limit=5, label_map={"a": "b"}) == 4
    assert ask("hf:other", data, limit=5, label_map={"a": "b"}) == 5
    assert ask("hf:model", data, measures=("x", "y")) == 6
    assert ask("hf:model", data, measures=("x",)) == 7
    assert ask("hf:model", data, measures=("x", "y")) == 6
    assert ask("hf:model", data, scores=scores) == 8
    assert ask("hf:model", data, scores=np.zeros(3)) == 9  # equal, and never compared
    assert ask("hf:model", data, scores=scores) == 8
    assert len(made) == 9


def test_the_example_runs_in_a_session_of_its_own(tmp_path: Path) -> None:
    copy(EXAMPLE, tmp_path)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "sightline.api.pytest_plugin"]
    done = subprocess.run(
        [*command, "-p", "no:cacheprovider", "--junitxml", "found.xml", "--rootdir", "."],
        cwd=tmp_path,
        env=os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (suite,) = Xml.parse(tmp_path / "found.xml").getroot()
    assert [suite.get(key) for key in ("tests", "failures", "errors", "skipped")] == list("2000")


def test_the_page_shows_the_example_as_it_is() -> None:
    page = (ROOT / "docs" / "ci-gate.md").read_text(encoding="utf-8")
    shown = page.split("```python\n")[1].split("\n```")[0]
    assert shown.strip() in EXAMPLE.read_text(encoding="utf-8")
