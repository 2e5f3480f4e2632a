"""A command that trains, stopped and started again: what it had is beside its output, and said."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from sightline.cli.output import tell
from sightline.cli.places import Folder, Output
from sightline.experiments.store import FILES
from sightline.experiments.unfinished import Unfinished

if TYPE_CHECKING:
    from sightline.experiments.run import Keep


def beside(out: Path, save: Path | None = None) -> Output:
    """Name the folder in which a command keeps what it has trained until its output is written.

    It lies beside the output, or beside the folder that is saved where the output lies in that, which is replaced.
    """
    inside = save is not None and Path(os.path.realpath(save)) in Path(os.path.realpath(out)).parents
    whole = save if inside and save is not None else out
    return Output("--out", Path(f"{whole}.partial"), Folder("what is unfinished", FILES, kept=True))


@contextmanager
def resumable(kept: Unfinished, device: str) -> Iterator[Keep]:
    """Give what keeps the trainings of a command; say to whoever stops it how it goes on."""
    if kept.threads is not None:
        tell(f"going on with what is kept in {kept.folder}")
    try:
        yield partial(kept.keep, device)
    except BaseException:
        if kept.holds():
            kept.release()
            tell(f"stopped: what is trained is kept in {kept.folder}, and the same command goes on from there")
        else:
            kept.remove()
        raise
    kept.remove()
