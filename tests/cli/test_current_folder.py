"""Nothing of the folder in which a command runs is imported, whatever its files are called."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from tests.cli.own_models import FILE

TRAP = (
    "import os\nwith open(os.path.join(os.path.dirname(__file__), 'SPRUNG'), 'a') as file: "
    "file.write(__name__ + '\\n')\n"
)
EVERYWHERE = {
    *sys.stdlib_module_names,
    *packages_distributions(),
    "sitecustomize",
    "usercustomize",
} - {"sightline"}
LATER = (
    "json",
    "multiprocessing",
    "numpy",
    "pickle",
    "random",
    "select",
    "signal",
    "socket",
    "torch",
    "typer",
)
"""Modules that nobody needs before `python -m` has come to our first line."""
STUDY = """
name = "trapped"
[base]
data = "planted:needle(n=120,length=6)"
model = "mlp(hidden=4)"
limit = 20
measures = ["need"]
[base.fit]
epochs = 1
[axes]
seed = [0, 1]
"""


def laid(folder: Path, names: Iterable[str]) -> Path:
    """Make a folder with a file of each name, which leaves a mark where it is imported."""
    folder.mkdir()
    for name in names:
        (folder / f"{name}.py").write_text(TRAP)
    return folder


def sprung(folder: Path) -> str:
    mark = folder / "SPRUNG"
    return mark.read_text() if mark.exists() else ""


def ended(folder: Path, *command: object) -> str:
    """Run Python in a folder, as somebody does who has set nothing that would make it safe."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    words = [sys.executable, *map(str, command)]
    done = subprocess.run(
        words, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_no_file_of_the_current_folder_is_run(tmp_path: Path) -> None:
    folder = laid(tmp_path / "trapped", EVERYWHERE)
    (folder / "study.toml").write_text(STUDY)
    late = "import wave\n"  # a module of Python's that nobody has loaded by then
    (folder / "mine.py").write_text(
        late + FILE.replace("OUTPUTS", "1").replace("LINK", "'sigmoid'")
    )
    script = tmp_path / "bin" / "sightline"  # as an installer makes it: in a folder of its own
    script.parent.mkdir()
    script.write_text(
        "from sightline.cli.app import main\nif __name__ == '__main__':\n    main()\n"
    )
    table = ended(
        folder,
        script,
        "study",
        "study.toml",
        "--store",
        "store",
        "--workers",
        2,
        "--json",
        "--quiet",
    )
    assert (json.loads(table)["partial"], sprung(folder)) == ("", "")
    ended(folder, script, "check-data", "--data", "planted:needle(n=40,length=6)")
    run = next((folder / "store" / "runs").glob("??/*"))
    ended(folder, script, "report", run, "--out", "page.html")
    assert sprung(folder) == ""
    # A model of the user's is looked for here, and nothing else is.
    audited = ("--data", "planted:needle(n=120,length=6)", "--limit", 20, "--quiet")
    assert "Tiny" in ended(folder, script, "audit", "--model", "py:mine:build", *audited, "--json")
    assert sprung(folder) == ""


def test_python_m_leaves_the_current_folder_as_soon_as_it_can(tmp_path: Path) -> None:
    folder = laid(tmp_path / "trapped", LATER)
    assert "bilstm" in ended(folder, "-m", "sightline", "list", "models")
    assert sprung(folder) == ""
