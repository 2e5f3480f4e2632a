"""What a child process does in a test: here and not beside the tests, so that the child need not
import torch.
"""

import os
import signal
import sys
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from sightline.experiments.locks import claim


def die(pipe: Connection, root: Path, again: bool) -> None:
    """A worker that is killed by the run it is given."""
    pipe.recv()
    os.kill(os.getpid(), signal.SIGKILL)


def give_up(pipe: Connection, root: Path, again: bool) -> None:
    """A worker that cannot begin."""
    raise SystemExit(3)


def tell_path(pipe: Connection, root: Path, again: bool) -> None:
    """A worker that says how it was started."""
    pipe.send((os.environ.get("PYTHONSAFEPATH"), sys.flags.safe_path))


def hold(file: Path, held: Any, release: Any) -> None:
    """Another process that has a claim until it is told to let go."""
    with claim(file, wait=False) as mine:
        assert mine
        held.set()
        release.wait(30)
