"""A command that trains, stopped and started again: what it had is beside its output, and said."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sightline.cli.output import tell
from sightline.cli.places import Folder, Output
from sightline.experiments.unfinished import Found, Unfinished

if TYPE_CHECKING:
    from sightline.experiments.trainings import Fitted, Keep, Make
    from sightline.spec.values import RunSpec


def beside(out: Path, save: Path | None = None) -> Output:
    """Name the folder in which a command keeps what it has trained until its output is written.

    It lies beside the output, or beside the folder that is saved where the output lies in that, which is replaced.
    """
    from sightline.experiments.store import FILES  # noqa: PLC0415  (as late as it is needed)

    inside = save is not None and Path(os.path.realpath(save)) in Path(os.path.realpath(out)).parents
    whole = save if inside and save is not None else out
    return Output("--out", Path(f"{whole}.partial"), Folder("what is unfinished", FILES, kept=True))


TOLD: Mapping[Found, str] = {
    "kept": "going on with what is kept in {}",
    "made otherwise": "what is kept in {} was made with other threads, another device or another version: trained anew",
    "others": "what is kept in {} was trained with other settings or data: it is not used, and stays there",
    "busy": "another command is at work in {}: what this one trains is not kept until its output is written",
}
"""What is said of the folder of an output before the first training, where there is something to say."""


@contextmanager
def resumable(kept: Unfinished, device: str) -> Iterator[Keep]:
    """Give what keeps the trainings of a command; say what it begins with, and to whoever stops it how it goes on."""
    found: list[Found] = []

    def keep(spec: RunSpec, make: Make) -> Fitted:
        if not found:
            found.append(kept.find(device, spec))
            if told := TOLD.get(found[0]):
                tell(told.format(kept.folder))
        return kept.keep(device, spec, make)

    try:
        yield keep
    except BaseException:
        if kept.holds():
            kept.release()
            tell(f"stopped: what is trained is kept in {kept.folder}, and the same command goes on from there")
        else:
            kept.remove()
        raise
    kept.remove()
