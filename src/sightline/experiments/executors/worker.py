"""What a worker process does. Light at the top: its parent is watched before torch is imported,
which takes seconds.
"""

from __future__ import annotations

from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path

from sightline.config.specs import RunSpec
from sightline.core.errors import StoreError
from sightline.experiments.executors.parent_watch import end_with_parent
from sightline.experiments.store import State, Store


def work(pipe: Connection, root: Path, again: bool) -> None:
    """Do the cells that come through a pipe, until it is closed or the parent is gone."""
    end_with_parent()
    import torch  # noqa: PLC0415  (only now: see above)

    torch.set_num_threads(1)
    with suppress(EOFError, BrokenPipeError):  # the parent is gone: what is done is kept
        while True:
            pipe.send(_tried(pipe.recv(), root, again))


def _tried(spec: RunSpec, root: Path, again: bool) -> State | Exception:
    """Do one cell; what the disk refuses and what is our bug goes back and ends the study: no cell
    failed there.
    """
    from sightline.experiments.run_in_store import run_stored  # noqa: PLC0415  (torch)

    try:
        return run_stored(spec, Store(root), again=again)
    except StoreError as error:
        return error
    except Exception as error:  # told in words: not every error can go through a pipe
        return RuntimeError(f"{type(error).__name__}: {error}")
