"""A text that comes from stdin."""

from __future__ import annotations

import sys

from sightline.core.errors import DataError

STDIN = "-"
"""Stands for a text from stdin."""


def read_stdin() -> str:
    """Read all of stdin; anything but text is an error."""
    if sys.stdin is None:
        raise DataError("stdin is closed; name the text itself", "stdin")
    try:
        return sys.stdin.read()
    except UnicodeDecodeError as error:
        raise DataError(
            f"expected UTF-8 text, got byte 0x{error.object[error.start]:02x}", "stdin"
        ) from None
