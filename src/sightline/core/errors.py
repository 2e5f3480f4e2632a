"""Every error a user can cause, in one tree.

    SightlineError
    ├── DataError      a file, a row or a split is not what was expected
    ├── SpecError      a spec text or a flag cannot be read
    ├── ModelError     a model or a checkpoint does not do what an audit needs
    │   └── AnswerError    a function gave no answer, or one that is no answer
    ├── StoreError     a saved result is missing, torn or from another version
    └── MissingExtra   an optional package is not installed

Each message says what was expected, what was found, and what to do. The command line turns any of
them into one line on stderr and exit code 2; anything else that escapes is our bug (exit code 1).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

_SETTING = re.compile("\0([a-z_]+) ?([^\0]*)\0")


def setting(name: str, value: object = "") -> str:
    """Name a setting inside a message, with or without its value: it is spelled as it is typed
    where it is read.

    >>> str(SightlineError(f"there is no such column; name it with {setting('text')}"))
    'there is no such column; name it with text='
    """
    return f"\0{name} {value}\0"


def _in_python(name: str, value: str) -> str:
    return f"{name}={value}"


class SightlineError(Exception):
    """Base of all errors that are about the input, not about this code.

    ``field`` names the setting that is wrong, where there is one, as Python spells it: the message
    begins with it, and whoever reads settings from elsewhere (flags, a file) can say what it is
    called there.
    """

    def __init__(self, message: str, *, field: str = "") -> None:
        self.field = field
        self._message = message
        self.message = self.spelled(_in_python)
        super().__init__(f"{field}: {self.message}" if field else self.message)

    def spelled(self, call: Callable[[str, str], str]) -> str:
        """Give the message with each `setting` in it as ``call`` spells it, from its name and its
        value.
        """
        return _SETTING.sub(lambda found: call(found[1], found[2]), self._message)


class SpecError(SightlineError):
    """A spec text, a flag or a setting cannot be read."""


class ModelError(SightlineError):
    """A model or a checkpoint does not do what an audit needs; ``wrong`` says what, ``change`` what
    to do about it.
    """

    def __init__(self, message: str, *, change: str = "", field: str = "") -> None:
        super().__init__(f"{message}; {change}" if change else message, field=field)
        self.wrong = message
        self.change = change


class AnswerError(ModelError):
    """A function that is asked for answers gave none, or one that cannot be used; ``text`` is what
    it was asked.

    It ends an audit wherever it is raised: an endpoint that is down says nothing about one measure.
    """

    def __init__(self, message: str, *, change: str = "", text: str = "") -> None:
        super().__init__(message, change=change)
        self.text = text


class StoreError(SightlineError):
    """A saved result is missing, torn, or written by another version."""


class MissingExtra(SightlineError):
    """An optional package is not installed; the message names the extra."""


class DataError(SightlineError):
    """A file, a row or a split is not what was expected; names the file and, where known, the
    line.
    """

    def __init__(
        self,
        message: str,
        file: str | Path | None = None,
        line: int | None = None,
        *,
        field: str = "",
    ) -> None:
        where = "" if file is None else f"{file}:{line}: " if line is not None else f"{file}: "
        super().__init__(where + message, field=field)
        self.file = None if file is None else str(file)
        self.line = line


def panicked(error: BaseException) -> bool:
    """Tell whether a library that is written in Rust broke; each such library has a class of its
    own for it.
    """
    return type(error).__name__ == "PanicException"
