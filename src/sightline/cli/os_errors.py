"""Messages for errors of the system in any command: a name that is too long, a full disk, a closed
stream.

A command names the flag if it can; this covers every other place.
"""

from __future__ import annotations

import errno
import os
import sys

from sightline.report.sanitize import shortened

_OUTSIDE = {
    errno.EACCES: "allow it, or name another place",
    errno.EPERM: "allow it, or name another place",
    errno.EROFS: "name another place",
    errno.ENAMETOOLONG: "give it a shorter name",
    errno.ELOOP: "name the place that the links should lead to",
    errno.ENOTDIR: "check the path",
    errno.ENXIO: "name a file",
    errno.ENODEV: "name a file",
    errno.EIO: "is the disk well?",
    errno.ENOSPC: "make room, or write elsewhere",
    errno.EDQUOT: "make room, or write elsewhere",
    errno.EFBIG: "write elsewhere, or raise the limit",
    errno.EMFILE: "raise the number of files that may be open",
    errno.ENFILE: "raise the number of files that may be open",
}
"""Errors that our code cannot cause, and what to do about them; all others count as bugs."""
_LENGTH = 120


def what_to_do(error: OSError) -> str:
    """Say what to do where the system refused to write."""
    return _OUTSIDE.get(error.errno or 0, "name another place")


def system_refusal(error: BaseException) -> str | None:
    """Say what the system refused, for which file, and what to do; None for other errors."""
    if not isinstance(error, OSError) or error.errno not in _OUTSIDE:
        return None
    what = "" if error.filename is None else f"{shortened(str(error.filename), _LENGTH)}: "
    return f"{what}{error.strerror}; {_OUTSIDE[error.errno]}"


def closed_stream() -> str | None:
    """Make printing safe, and return a message if stdout is closed.

    Python has no stream if the shell closed it, and the next file that is opened would take its
    place.
    """
    if sys.stderr is None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115  (a stream for as long as the process lives)
    return "stdout is closed; send it to a file, or to /dev/null" if sys.stdout is None else None


def drop_output() -> None:
    """Drop what stdout did not accept, which Python would otherwise write again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
