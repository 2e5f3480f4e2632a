"""Write files whole or not at all, and convert values to strict JSON."""

from __future__ import annotations

import errno
import math
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from sightline._io.home_folder import from_home
from sightline.core.errors import StoreError

fcntl: Any
try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None

_KINDS = {
    stat.S_IFREG: "file",
    stat.S_IFDIR: "folder",
    stat.S_IFLNK: "symbolic link",
    stat.S_IFIFO: "pipe",
    stat.S_IFSOCK: "socket",
}
_MEANWHILE = (errno.ENOENT, errno.EEXIST, errno.ENOTEMPTY)
"""Errors of a rename when another process has just removed or created the folder."""
_TRIES = 3
_LOCK = "in-use"
"""The file that a writer holds locked in its folder."""
_MADE_UP = re.compile(r"[a-z0-9_]{8}")
"""What `tempfile.mkdtemp` adds to a name."""


def plain(value: Any) -> Any:
    """Convert a value to strict JSON: numpy scalars become numbers, NaN and infinities become null."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def kind(mode: int) -> str:
    """Name the kind of a file by its mode, for an error message."""
    return _KINDS.get(stat.S_IFMT(mode), "device")


def kind_of(place: Path) -> str:
    """Name the kind of file at a path, without following links: nothing, file, folder, or a kind
    that must not be replaced.
    """
    try:
        mode = place.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return "nothing"
    return kind(mode)


def write_whole(
    path: str | Path, write: Callable[[Path], None], own: Collection[str] | None = None
) -> Path:
    """Let ``write`` fill a file or folder next to ``path``, then rename it into place.

    A reader finds the old content or the new, never a mix. A killed process can leave a folder
    under its hidden name; the next reader or writer restores it (`put_back`). What it leaves of the
    new content is removed by the next writer of the same place.

    The new content keeps the permissions of the old. Anything but a file or a folder is refused.
    ``own`` names the files of a folder that may be replaced, as relative paths; all other files
    there belong to the user and stay. Without ``own`` the whole folder is replaced.
    """
    final = from_home(path)
    if final.name in ("", ".."):  # the folder above it has no place for what it replaces
        raise StoreError(f"{path}: expected a file or a folder by its name; name another place")
    put_back(final)
    final.parent.mkdir(parents=True, exist_ok=True)
    _remove_killed(final)
    aside = Path(tempfile.mkdtemp(prefix=f".{final.name}.", dir=final.parent))
    try:
        with _in_use(aside):
            write(aside / "new")
            _check_replaceable(final, aside / "new")
            _keep_mode(final, aside / "new")
            if own is not None and kind_of(final) == "folder":
                # Before the renames: a kill at any moment leaves the user's files in one of the two
                # folders or in both (decision 0055).
                _carry_over(final, aside / "new", own)
            _place(aside / "new", final)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return final


@contextmanager
def _in_use(aside: Path) -> Iterator[None]:
    """Lock a file in the folder of a writer; the system releases the lock when the process ends,
    however it ends.
    """
    unnamed = aside / "unlocked"
    lock = os.open(unnamed, os.O_CREAT | os.O_WRONLY)
    try:
        # Where there are no locks, the folder stays when its writer is killed.
        with suppress(OSError, AttributeError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Renamed after it is locked, so that nobody finds it unlocked while the writer lives.
            unnamed.rename(aside / _LOCK)
        yield
    finally:
        os.close(lock)


def _remove_killed(final: Path) -> None:
    """Remove the folders next to a place whose writers were killed. They may hold texts, and nothing
    else would ever remove them.
    """
    start = f".{final.name}."
    with suppress(OSError), os.scandir(final.parent) as found:
        for one in found:
            ours = one.name.startswith(start) and _MADE_UP.fullmatch(one.name, len(start))
            if ours and one.is_dir(follow_symlinks=False) and _was_killed(Path(one.path)):
                shutil.rmtree(one.path, ignore_errors=True)


def _was_killed(aside: Path) -> bool:
    """Tell whether a folder has the lock of a writer that no longer holds it."""
    try:
        lock = os.open(aside / _LOCK, os.O_WRONLY)
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (OSError, AttributeError):
        return False
    finally:
        os.close(lock)
    return True


def write_bytes(path: str | Path, content: bytes) -> Path:
    """Write a file whole, as bytes: text mode would convert line ends."""
    return write_whole(path, lambda aside: _write(aside, content))


def _write(path: Path, content: bytes) -> None:
    path.write_bytes(content)


def put_back(final: Path) -> None:
    """Restore the old folder if a process was killed between the two renames of a replacement.

    Every reader of a folder calls this first. If the rename fails, the folder stays hidden and its
    path reads as empty.
    """
    with suppress(OSError):
        if kind_of(final) == "nothing" and kind_of(hidden_name(final)) == "folder":
            hidden_name(final).rename(final)


def hidden_name(final: Path) -> Path:
    """Name the path of the old folder between the two renames; the name is fixed, so it can be
    found again.
    """
    return final.with_name(f".{final.name}.sightline-old")


def _check_replaceable(final: Path, new: Path) -> None:
    found, wanted = kind_of(final), kind_of(new)
    if found not in ("nothing", wanted):
        raise StoreError(
            f"{final}: expected nothing there or a {wanted}, got a {found}; name another place"
        )


def _keep_mode(final: Path, new: Path) -> None:
    """Copy the permissions of the replaced file, on file systems that have permissions."""
    with suppress(FileNotFoundError):
        mode = stat.S_IMODE(final.stat().st_mode)
        if mode != stat.S_IMODE(new.stat().st_mode):
            new.chmod(mode)


def is_free(place: Path) -> bool:
    """Tell whether a folder may be written at a path: nothing or an empty folder is there."""
    return kind_of(place) == "nothing" or (kind_of(place) == "folder" and not any(place.iterdir()))


def _carry_over(old: Path, new: Path, own: Collection[str], inside: str = "") -> None:
    """Link the user's files from the old folder into the new one; until the old one is removed,
    both have them.
    """
    for path in sorted(old.iterdir()):
        name, target = f"{inside}{path.name}", new / path.name
        if name in own:
            continue
        new.mkdir(exist_ok=True)
        shared = kind_of(target) == "folder" or any(one.startswith(f"{name}/") for one in own)
        if kind_of(path) == "folder" and shared:
            _carry_over(path, target, own, f"{name}/")
        elif kind_of(path) == "folder":
            shutil.copytree(path, target, symlinks=True, copy_function=_link)
        elif kind_of(target) == "nothing":
            _link(path, target)


def _link(source: str | Path, target: str | Path) -> None:
    """Hard-link a file, or copy it if the disk has no hard links."""
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:
        shutil.copy2(source, target, follow_symlinks=False)


def _place(new: Path, final: Path) -> None:
    """Put the new file or folder in place; retry if another process interfered."""
    for left in reversed(range(_TRIES)):
        try:
            return _place_once(new, final)
        except OSError as error:
            if error.errno not in _MEANWHILE or not left:
                raise


def _place_once(new: Path, final: Path) -> None:
    """Put the new file or folder in place; an old folder is moved away first, then removed.

    Python has no system call that replaces a non-empty folder, so a folder takes two renames. If
    the second fails, the first is undone.
    """
    if kind_of(final) != "folder":
        new.replace(final)
        return
    between = hidden_name(final)
    _move_out(between, new)  # an old folder left by a killed write
    try:
        final.rename(between)
        new.rename(final)
    finally:
        put_back(final)
    _move_out(between, new)


def _move_out(between: Path, new: Path) -> None:
    """Move a folder away before removing it: a half-removed folder must never be found under the
    hidden name.
    """
    with suppress(FileNotFoundError):  # usually nothing is there, or another process was faster
        between.rename(Path(tempfile.mkdtemp(dir=new.parent)) / "old")
