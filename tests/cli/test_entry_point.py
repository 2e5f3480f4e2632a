"""What is missing from an installation is said, by the doctor and by every other command, and never
as a traceback.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from sightline.core.installation import AGAIN
from tests.cli.conftest import Call


def without(package: str, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command where a package cannot be imported."""
    message = f"No module named {package!r}"
    (folder / f"{package}.py").write_text(
        f"raise ModuleNotFoundError({message!r}, name={package!r})"
    )
    command = [
        sys.executable,
        "-c",
        "from sightline.cli.entry_point import main; main()",
        *arguments,
    ]
    lacking = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), *sys.path])}
    return subprocess.run(
        command, env=lacking, cwd=folder, capture_output=True, text=True, timeout=300, check=False
    )


@pytest.mark.parametrize("package", ["numpy", "typer"])
def test_a_command_says_what_is_missing(package: str, tmp_path: Path) -> None:
    done = without(package, tmp_path, "list")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"error: No module named {package!r}; {AGAIN}\n"


def test_a_command_that_comes_as_far_as_its_work_says_so_too(tmp_path: Path) -> None:
    done = without(
        "torch", tmp_path, "train", "--data", "planted:needle", "--model", "mlp", "--out", "m"
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"error: No module named 'torch'; {AGAIN}\n"


def test_the_doctor_names_what_is_missing(tmp_path: Path) -> None:
    done = without("numpy", tmp_path, "doctor")
    assert (done.returncode, done.stderr) == (1, "")
    assert "FAILED  sightline  cannot be imported: No module named 'numpy'" in done.stdout
    output = json.loads(without("numpy", tmp_path, "doctor", "--json").stdout)
    assert output["ok"] is False
    assert [check["ok"] for check in output["checks"]] == [False, False]


def test_the_doctor_draws_a_page(sightline: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*arguments: object) -> None:
        raise FileNotFoundError("page.html")

    monkeypatch.setattr("sightline.report.html.audit_page.render", broken)
    done = sightline("doctor")
    assert done.code == 1
    assert re.search(
        r"^FAILED  a tiny audit +FileNotFoundError: page.html$", done.out, re.MULTILINE
    )
