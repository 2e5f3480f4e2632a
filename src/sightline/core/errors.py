"""Every error that a user can cause, as one hierarchy.

    SightlineError
    ├── DataError      a file, a row or a split is not what was expected
    ├── SpecError      a spec text or a flag cannot be read
    ├── ModelError     a model or a checkpoint does not do what an audit needs
    │   ├── ChangedModelError    a model gave another answer than before
    │   └── AnswerError    a function gave no answer, or one that is no answer
    ├── StoreError     a saved result is missing, torn or from another version
    └── MissingExtra   an optional package is not installed

Each message says what was expected, what was found, and what to do. The command line turns each of
them into one line on stderr and exit code 2; any other exception is our bug (exit code 1).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from pathlib import Path

_SETTING = re.compile("\0([a-z_]+) ?([^\0]*)\0")


def setting(name: str, value: object = "") -> str:
    """Name a setting inside a message, with or without its value; each interface spells it its own
    way.

    >>> str(SightlineError(f"there is no such column; name it with {setting('text')}"))
    'there is no such column; name it with text='
    """
    return f"\0{name} {value}\0"


def near_it(name: str, known: Iterable[str], likeness: float = 0.6) -> str:
    """Write the known names nearest to an unknown one, to end a sentence; empty if none is near.

    >>> near_it("tranfser", ["transfer", "need"])
    '; near it: transfer'
    """
    near = get_close_matches(name, [*known], n=3, cutoff=likeness)
    return f"; near it: {', '.join(near)}" if near else ""


def _in_python(name: str, value: str) -> str:
    return f"{name}={value}"


class SightlineError(Exception):
    """Base of all errors that are about the input, not about this code.

    ``field`` names the wrong setting, if any, as Python spells it, and the message begins with it.
    Code that reads settings from flags or a file can translate the name.
    """

    def __init__(self, message: str, *, field: str = "") -> None:
        self.field = field
        self._message = message
        self.message = self.spelled(_in_python)
        super().__init__(f"{field}: {self.message}" if field else self.message)

    def spelled(self, call: Callable[[str, str], str]) -> str:
        """Give the message with each `setting` spelled by ``call`` from its name and value."""
        return _SETTING.sub(lambda found: call(found[1], found[2]), self._message)


class SpecError(SightlineError):
    """A spec text, a flag or a setting cannot be read."""


class ModelError(SightlineError):
    """A model or a checkpoint does not do what an audit needs; ``wrong`` describes the problem,
    ``change`` the remedy.
    """

    def __init__(self, message: str, *, change: str = "", field: str = "") -> None:
        super().__init__(f"{message}; {change}" if change else message, field=field)
        self.wrong = message
        self.change = change


class ChangedModelError(ModelError):
    """A model gave another answer than before, so nothing that was measured of it can be trusted."""


class AnswerError(ModelError):
    """A function gave no prediction, or one that cannot be used; ``text`` is its input.

    It ends the whole audit: an endpoint that is down is not the failure of one measure.
    """

    def __init__(self, message: str, *, change: str = "", text: str = "") -> None:
        super().__init__(message, change=change)
        self.text = text


class StoreError(SightlineError):
    """A saved result is missing, torn, or written by another version."""


class MissingExtra(SightlineError):
    """An optional package is not installed; the message names the extra."""


class DataError(SightlineError):
    """A file, a row or a split is not as expected; the message names the file and, if known, the
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
    """Tell whether a Rust library panicked; each such library raises its own exception class."""
    return type(error).__name__ == "PanicException"
