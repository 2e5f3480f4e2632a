"""What answers at once must not wait for torch, nor for the figures."""

import subprocess
import sys

import pytest

ASK = """
import sys
from sightline.cli.app import run
code = run(sys.argv[1:])
heavy = {"torch", "matplotlib", "scipy"} & set(sys.modules)
sys.exit(f"{heavy} loaded" if heavy else code)
"""


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--help"], 0),
        (["audit", "--help"], 0),
        (["--version"], 0),
        (["list", "models"], 0),
        (["list", "findings"], 0),
        (["list", "data"], 0),
        (["list", "presets"], 0),
        (["check-data", "--data", "planted:needle"], 0),
        (["audit", "--data", "x.csv", "--fail-on", "never"], 2),
        (["audit", "--data", "x.csv", "--model", "no/where"], 2),
        (["audit", "--data", "x.csv", "--model", "bilstm(hiden=3)"], 2),
        (["audit", "--data", "x.csv", "--model", "bilstm(hidden=abc)"], 2),
        (["audit", "--data", "x.csv", "--model", "lstm"], 2),
        (["audit", "--data", "x.csv", "--model", "mlp+mlm"], 2),
        (["audit", "--data", "planted:needle(classes=1)", "--model", "mlp"], 2),
        (["audit", "--data", "babi:dir(task=4)", "--model", "mlp"], 2),
    ],
)
def test_without_torch(arguments, code):
    done = subprocess.run([sys.executable, "-c", ASK, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr


def test_the_package_itself_is_light():
    code = "import sys, sightline; assert 'torch' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_study_that_is_done_is_read_and_tabulated_without_torch():
    modules = "sightline.experiments.store, sightline.experiments.grid, sightline.experiments.tabulate"
    code = f"import sys, {modules}; assert not {{'torch', 'scipy.stats'}} & set(sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
