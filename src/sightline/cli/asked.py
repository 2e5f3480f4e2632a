"""The words of the command that is running, so that a report can say what made it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from contextvars import ContextVar

_WORDS: ContextVar[tuple[str, ...]] = ContextVar("_WORDS", default=())


def remember(words: Sequence[str]) -> None:
    """Keep the words of a command line, without the name of the program."""
    _WORDS.set(tuple(words))


def command() -> str:
    """Write the command line as a shell would read it."""
    return shlex.join(["sightline", *_WORDS.get()])
