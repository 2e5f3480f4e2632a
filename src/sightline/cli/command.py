"""Parse the flags of every command as typer does, but refuse a repeated flag."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand

from sightline._io.home_folder import from_home
from sightline.core.errors import SpecError


def with_home(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command find its places where they start with ``~``, which no shell expands in
    ``--out=~/x``.
    """

    @wraps(command)
    def called(*arguments: Any, **given: Any) -> None:
        command(*arguments, **{name: _expanded(value) for name, value in given.items()})

    return called


def _expanded(value: Any) -> Any:
    return from_home(value) if isinstance(value, Path) else value


class StrictCommand(TyperCommand):
    """A command whose single-value flags may be given once."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the flags; a repeated flag is refused, because either value might be meant."""
        _, _, given = self.make_parser(ctx).parse_args(args=[*args])
        for flag, times in Counter(given).items():
            if times > 1 and not (
                getattr(flag, "multiple", True) or getattr(flag, "is_flag", True)
            ):
                raise SpecError(f"given {times} times; give it once", field=flag.name)
        return super().parse_args(ctx, args)


class ContextCommand(StrictCommand):
    """A command that gets its context as the class that its signature names, not a class
    above it.
    """

    context_class = typer.Context
