"""A command that trains, stopped and started again: what it had is beside its output, and said."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from sightline.cli.output import tell, writing
from sightline.cli.places import Folder, Output
from sightline.experiments.store import FILES
from sightline.experiments.unfinished import Unfinished

if TYPE_CHECKING:
    from sightline.experiments.run import Keep


def beside(out: Path) -> Output:
    """Name the folder in which a command keeps what it has trained until its output is written."""
    return Output("--out", out.with_name(f"{out.name}.partial"), Folder("what is unfinished", FILES, kept=True))


@contextmanager
def resumable(kept: Unfinished, device: str) -> Iterator[Keep]:
    """Give what keeps the trainings of a command; say to whoever stops it how it goes on."""
    if kept.threads is not None:
        tell(f"going on with what is kept in {kept.folder}")
    try:
        with writing(kept.folder):
            yield partial(kept.keep, device)
    except BaseException:
        if kept.holds():
            kept.release()
            tell(f"stopped: what is trained is kept in {kept.folder}, and the same command goes on from there")
        else:
            kept.remove()
        raise
    kept.remove()
