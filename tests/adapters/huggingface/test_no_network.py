"""Nothing asks huggingface.co, whatever is named and whoever imported its library first."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CACHED = "someone/clinical"
LOAD = """
import os, sys

def refuse(event, arguments):
    if event in ("socket.getaddrinfo", "socket.connect"):
        sys.stderr.write(f"NETWORK {event} {arguments}\\n")
        sys.stderr.flush()
        os._exit(3)

sys.addaudithook(refuse)
from importlib import import_module
if first := sys.argv[2:]:
    import_module(*first)
from sightline.cli.entry_point import main
place = sys.argv[1]
sys.argv[1:] = ["check-model", place]
try:
    main()
except SystemExit as ended:
    print("ended with", ended.code or 0)
from huggingface_hub import constants
print(constants.HF_HUB_OFFLINE, constants.HF_HUB_DISABLE_TELEMETRY)
"""


def cached(folder: Path, home: Path) -> None:
    """Put a saved model where transformers keeps what it downloaded."""
    place = home / "hub" / f"models--{CACHED.replace('/', '--')}"
    (place / "refs").mkdir(parents=True)
    (place / "refs/main").write_text("0" * 40, encoding="utf-8")
    shutil.copytree(folder, place / "snapshots" / ("0" * 40))


@pytest.mark.parametrize("first", [[], ["transformers"]], ids=["ours first", "theirs first"])
@pytest.mark.parametrize("named", ["FOLDER", CACHED, "someone/missing"])
def test_loading_a_model_asks_no_network(
    named: str, first: list[str], taught: Path, tmp_path: Path
) -> None:
    cached(taught, tmp_path / "hf")
    unset = {name for name in os.environ if name.startswith(("HF_", "TRANSFORMERS_"))}
    environ = {name: value for name, value in os.environ.items() if name not in unset}
    done = subprocess.run(
        [sys.executable, "-c", LOAD, f"hf:{taught if named == 'FOLDER' else named}", *first],
        env={**environ, "HF_HOME": str(tmp_path / "hf")},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    missing = named == "someone/missing"
    assert ("nothing is downloaded" in done.stderr) == missing, done.stderr
    # Users may go on downloading.
    assert done.stdout.splitlines()[-2:] == [f"ended with {2 * missing}", "False False"]
