"""What answers at once must not wait for torch, nor for the figures."""

import json
import subprocess
import sys

import pytest

ASK = """
import contextlib, io, json, sys
from sightline.cli.app import run
for line in sys.stdin:
    out, before = io.StringIO(), set(sys.modules)
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        code = run(json.loads(line))
    heavy = sorted({"torch", "matplotlib", "scipy", "ray"} & (set(sys.modules) - before))
    print(json.dumps([code, heavy, out.getvalue()]))
"""
ASKED = [
    (["--help"], 0),
    (["audit", "--help"], 0),
    (["--version"], 0),
    (["list", "models"], 0),
    (["list", "findings"], 0),
    (["list", "measures"], 0),
    (["list", "data"], 0),
    (["list", "presets"], 0),
    (["list", "figures"], 0),
    (["figure", "nothing", "sa", "--out", "f.svg"], 2),
    (["check-data", "--data", "planted:needle"], 0),
    (["audit", "--data", "x.csv", "--fail-on", "never"], 2),
    (["audit", "--data", "x.csv", "--model", "no/where"], 2),
    (["audit", "--data", "x.csv", "--model", "bilstm(hiden=3)"], 2),
    (["audit", "--data", "x.csv", "--model", "bilstm(hidden=abc)"], 2),
    (["audit", "--data", "x.csv", "--model", "lstm"], 2),
    (["audit", "--data", "x.csv", "--model", "mlp+mlm"], 2),
    (["audit", "--data", "planted:needle(classes=1)", "--model", "mlp"], 2),
    (["audit", "--data", "babi:dir(task=4)", "--model", "mlp"], 2),
]


@pytest.fixture(scope="module")
def answers() -> list[tuple[int, list[str], str]]:
    """Ask all in one process: the exit code of each, what it loaded that is heavy, and what it
    printed.
    """
    asked = "".join(json.dumps(arguments) + "\n" for arguments, _ in ASKED)
    done = subprocess.run(
        [sys.executable, "-c", ASK], input=asked, capture_output=True, text=True, check=True
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize(
    "place", range(len(ASKED)), ids=[" ".join(arguments) for arguments, _ in ASKED]
)
def test_without_torch(answers, place):
    code, heavy, printed = answers[place]
    assert (code, heavy) == (ASKED[place][1], []), printed


EVERY_MEASURE = (
    "from sightline.config.measure_registry import MEASURES\n"
    "from sightline.measures.default_measures import default_measures\n"
    "default_measures(chosen=tuple(MEASURES))"
)
STEPS = {
    "import sightline": {"torch"},
    "import sightline.experiments.store, sightline.experiments.grid": {"torch", "scipy.stats"},
    "import sightline.experiments.tabulate": {"torch", "scipy.stats"},
    "import sightline.experiments.executors.ray_cluster": {"torch", "ray"},
    "from sightline.cli.app import run; run(['list'])": {"torch", "scipy.stats", "scipy.optimize"},
    "import sightline.experiments.pipeline": {"scipy.stats", "scipy.optimize"},
    EVERY_MEASURE: {
        "scipy.stats",
        "scipy.optimize",
    },
}
"""What is done one after the other in one process, and what is not loaded after each step."""


def test_what_is_slow_to_import_is_imported_where_it_is_used():
    asked = "".join(
        f"{step}\nfound = {heavy!r} & set(sys.modules)\nif found: sys.exit({step + ': '!r} + str(found))\n"
        for step, heavy in STEPS.items()
    )
    done = subprocess.run(
        [sys.executable, "-c", "import sys\n" + asked], check=False, capture_output=True
    )
    assert done.returncode == 0, done.stderr
