"""What the system refuses, wherever a command meets it: a name that is too long, a disk that is
full, a closed stream.

A command names the flag where it can; this is for all the places that nobody would think of.
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
"""Errors that no code of ours can cause, and what to do about them; all others are bugs until shown
to be none."""
_LENGTH = 120


def refused(error: BaseException) -> str | None:
    """Say what the system refused, of what, and what to do; None where the error is not of that
    kind.
    """
    if not isinstance(error, OSError) or error.errno not in _OUTSIDE:
        return None
    what = "" if error.filename is None else f"{shortened(str(error.filename), _LENGTH)}: "
    return f"{what}{error.strerror}; {_OUTSIDE[error.errno]}"


def closed_stream() -> str | None:
    """Make it safe to print, and say so where the results would be printed for nobody.

    Python has no stream where the shell closed it, and the next file that is opened would take its
    place.
    """
    if sys.stderr is None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115  (a stream for as long as the process lives)
    return "stdout is closed; send it to a file, or to /dev/null" if sys.stdout is None else None


def drop_output() -> None:
    """Throw away what stdout did not take, which Python would try to write once more as it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
