"""Every error a user can cause, in one tree.

    SightlineError
    ├── DataError      a file, a row or a split is not what was expected
    ├── SpecError      a spec text or a flag cannot be read
    ├── ModelError     a model or a checkpoint does not do what an audit needs
    ├── StoreError     a saved result is missing, torn or from another version
    └── MissingExtra   an optional package is not installed

Each message says what was expected, what was found, and what to do. The command line turns any of
them into one line on stderr and exit code 2; anything else that escapes is our bug (exit code 1).
"""

from __future__ import annotations

from pathlib import Path


class SightlineError(Exception):
    """Base of all errors that are about the input, not about this code.

    ``field`` names the setting that is wrong, where there is one, as Python spells it: the message begins with it, and
    whoever reads settings from elsewhere (flags, a file) can say what it is called there.
    """

    def __init__(self, message: str, *, field: str = "") -> None:
        super().__init__(f"{field}: {message}" if field else message)
        self.field = field
        self.told = message


class SpecError(SightlineError):
    """A spec text, a flag or a setting cannot be read."""


class ModelError(SightlineError):
    """A model or a checkpoint does not do what an audit needs; ``wrong`` says what, ``change`` what to do about it."""

    def __init__(self, message: str, *, change: str = "", field: str = "") -> None:
        super().__init__(f"{message}; {change}" if change else message, field=field)
        self.wrong = message
        self.change = change


class StoreError(SightlineError):
    """A saved result is missing, torn, or written by another version."""


class MissingExtra(SightlineError):
    """An optional package is not installed; the message names the extra."""


class DataError(SightlineError):
    """A file, a row or a split is not what was expected; names the file and, where known, the line."""

    def __init__(
        self, message: str, file: str | Path | None = None, line: int | None = None, *, field: str = ""
    ) -> None:
        where = "" if file is None else f"{file}:{line}: " if line is not None else f"{file}: "
        super().__init__(where + message, field=field)
        self.file = None if file is None else str(file)
        self.line = line
