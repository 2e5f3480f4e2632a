"""Check the inputs and outputs of a command by flag: before any work, refuse outputs that would
destroy existing files.

Every command that writes calls `check_places` once, with everything that it reads and writes.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations, product
from pathlib import Path
from typing import TYPE_CHECKING

from sightline._io.atomic_write import hidden_name, is_free, kind_of, put_back
from sightline.api.data_source import data_places
from sightline.api.folders import store_files
from sightline.api.model_source import model_place, prompt_files
from sightline.cli import own_files
from sightline.cli.output import print_message, writing
from sightline.cli.report_files import PAGES
from sightline.core.errors import SpecError, StoreError

if TYPE_CHECKING:
    from sightline.api.data_source import DataSpec

CARD, JUNIT = "--card", "--junit"
Input = tuple[str, Path | None]
"""A flag and the file or folder that it reads; None if there is none."""


@dataclass(frozen=True)
class Folder:
    """A folder that is written, recognised by the first of its ``files``; these are replaced unless
    it is ``kept``.
    """

    what: str
    files: tuple[str, ...]
    kept: bool = False

    def is_at(self, place: Path) -> bool:
        """Tell whether there is such a folder at a place."""
        return (place / self.files[0]).is_file()


@dataclass(frozen=True)
class Output:
    """A flag and the place that it writes: a file, or a folder of some kind.

    ``like`` is the pattern in `own_files` of a file that may be replaced.
    """

    flag: str
    path: Path
    folder: Folder | None = None
    like: bytes = b""

    def __str__(self) -> str:
        return f"{self.flag} {self.path}"

    @property
    def place(self) -> Path:
        """The place without links and dots, for comparisons."""
        return _real(self.path)


def inputs(data: DataSpec, model: str | None = None, **files: Path | None) -> list[Input]:
    """Name what a command reads: its data, the folder or code of its model, and files by their
    flags.
    """
    read = [(f"--{name}", path) for name, path in data_places(data)]
    return [
        *read,
        *model_inputs("--model", model),
        *((f"--{name}", path) for name, path in files.items()),
    ]


def model_inputs(flag: str, model: str | None) -> list[Input]:
    """Name the folder or code of a model, and the files of its prompt."""
    if model is None:
        return []
    return [(flag, place) for place in (model_place(model), *prompt_files(model))]


def unfinished(out: Path, save: Path | None = None) -> Output:
    """Name the folder in which a command keeps its trainings until its output is written.

    It is named after the output; or after the saved folder if the output lies in that folder, which
    is replaced.
    """
    inside = (
        save is not None and Path(os.path.realpath(save)) in Path(os.path.realpath(out)).parents
    )
    whole = save if inside and save is not None else out
    folder = Folder("what is unfinished", store_files(), kept=True)
    return Output("--out", Path(f"{whole}.partial"), folder)


def check_places(inputs: Sequence[Input], *outputs: Output | None) -> None:
    """Refuse an output that cannot be written, or that would replace an input, another output or a
    file that is not ours.
    """
    asked = [output for output in outputs if output is not None]
    for output in asked:
        with writing(output.path):
            _check_above(output)
            _check_kind(output)
    for (flag, path), output in product(inputs, asked):
        if path is not None:
            _check_input(output, flag, path)
    for output, other in permutations(asked, 2):
        _check_other(output, other)
    for output in asked:
        with writing(output.path):
            _check_ours(output)


def note_replaced(*outputs: Output | None) -> None:
    """Note before the work which folders of ours it replaces; a model may have taken long to train.

    They are not refused: a repeated command should replace its own outputs.
    """
    for output in filter(None, outputs):
        folder = output.folder
        if folder is not None and not folder.kept and folder.is_at(output.path):
            print_message(
                f"note: {output} holds {folder.what}, which is replaced; other files in it stay"
            )


def _check_above(output: Output) -> None:
    """Refuse an output inside a file, or in a folder that cannot be written."""
    place = output.path.absolute()
    above = next(
        folder for folder in (*place.parents, place) if os.path.lexists(folder)
    )  # the root has no parent
    if not above.is_dir():
        raise StoreError(
            f"{output}: {above} is a {kind_of(above)}, not a folder; name another place"
        )
    kept = output.folder is not None and output.folder.kept and output.path.is_dir()
    if not kept:  # a store may be read in a folder that cannot be written
        _check_permission(output, above)


def _check_permission(output: Output, folder: Path) -> None:
    if not os.access(folder, os.W_OK | os.X_OK):
        raise StoreError(f"{output}: no permission to write in {folder}; name another place")


def _check_kind(output: Output) -> None:
    """Refuse an existing output of the wrong kind, such as a link, a pipe or a device."""
    put_back(output.path)
    folder, found = output.folder, kind_of(output.path)
    if folder is not None and folder.kept and output.path.is_dir():
        return  # a link to a store is as good as the store: nothing replaces it
    wanted = "file" if folder is None else "folder"
    if found not in ("nothing", wanted):
        raise StoreError(
            f"{output}: expected the name of a {wanted}, got a {found}; name another place"
        )
    if folder is not None and found == "folder":
        _check_replaced(output, folder)
    kind_of(hidden_name(output.path))  # refused here: a name too long for its temporary file


def _check_ours(output: Output) -> None:
    """Refuse to replace a file of the user."""
    if output.folder is None and output.path.is_file() and not may_be_ours(output):
        raise StoreError(
            f"{output}: exists and is no such file of sightline; name another file, or move this one"
        )


def may_be_ours(output: Output) -> bool:
    """Check whether a file that would be replaced begins like a file that sightline writes there."""
    like = output.like or {CARD: own_files.CARD, JUNIT: own_files.SUITES}.get(output.flag, b"")
    if not like and output.path.suffix.lower() in PAGES:
        like = own_files.PAGE
    return not like or own_files.is_ours(output.path, like)


def _check_replaced(output: Output, folder: Folder) -> None:
    if not (is_free(output.path) or folder.is_at(output.path)):
        raise StoreError(f"{output}: exists and is not {folder.what}; name a new folder")
    if output.path.name in ("", "..") or Path.cwd().is_relative_to(output.place):
        raise StoreError(
            f"{output}: expected a folder by its name, and not the one you are in; change to "
            "one above it"
        )
    _check_permission(output, output.path)  # a folder that cannot be written cannot be moved either


def _check_input(output: Output, flag: str, path: Path) -> None:
    """Refuse an output that is an input, lies in an input, or would replace a folder with an input
    in it.
    """
    place, sources = (
        output.place,
        {_real(path), _real(path.parent) / path.name},
    )  # a link, and its target
    if place in sources:
        raise SpecError(
            f"{flag} and {output.flag} both name {output.path}; give them different names"
        )
    if sources & set(place.parents):
        raise SpecError(
            f"{output}: lies in {flag} {path}, which is only read; name a place outside of it"
        )
    replaced = output.folder is not None and not output.folder.kept
    if replaced and any(place in source.parents for source in sources):
        raise SpecError(f"{output}: is replaced, and {flag} {path} lies in it; name another folder")


def _check_other(output: Output, other: Output) -> None:
    """Refuse an output that another output replaces; a file may lie in a folder, which is written
    first.
    """
    if output.place == other.place:
        raise SpecError(
            f"{output.flag} and {other.flag} both name {other.path}; give them different names"
        )
    if other.place not in output.place.parents:
        return
    own = other.folder.files if other.folder else ()
    if output.folder or not other.folder or output.place.relative_to(other.place).parts[0] in own:
        raise SpecError(f"{output}: is in the way of what {other} writes; give it another name")


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))  # `resolve` fails at circular links
