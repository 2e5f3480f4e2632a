"""Two names that change places in one step, where the system can do that; Python itself has no call
for it.
"""

from __future__ import annotations

import ctypes
import errno
import os
from functools import cache
from pathlib import Path
from typing import Any

_HERE, _EXCHANGE = -100, 2
"""AT_FDCWD and RENAME_EXCHANGE of Linux."""
_CANNOT = (errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP, errno.EPERM)
"""An old kernel, a file system that has no exchange (as NFS), and a sandbox that does not know the
call."""


def exchange(one: Path, other: Path) -> bool:
    """Let two files or folders change names in one step; False, and nothing has changed, where that
    cannot be had.
    """
    call = _system_call()
    if call is None:
        return False
    if call(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE) == 0:
        return True
    if (code := ctypes.get_errno()) in _CANNOT:
        return False
    raise OSError(code, os.strerror(code), str(one), None, str(other))


@cache
def _system_call() -> Any:
    """Find Linux' renameat2 in the library of C; None where there is none."""
    if os.name != "posix":
        return None
    return getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
