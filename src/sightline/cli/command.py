"""How every command reads its flags: as typer does, and a flag that is given twice is refused
rather than half read.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import typer
from typer.core import TyperCommand

from sightline.core.errors import SpecError


class Once(TyperCommand):
    """A command of which a flag with one value takes one."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the flags; of one that stands there twice nobody can say which was meant."""
        _, _, given = self.make_parser(ctx).parse_args(args=[*args])
        for flag, times in Counter(given).items():
            if times > 1 and not (
                getattr(flag, "multiple", True) or getattr(flag, "is_flag", True)
            ):
                raise SpecError(f"given {times} times; give it once", field=flag.name)
        return super().parse_args(ctx, args)


class Contextual(Once):
    """A command that is handed its context, as the class that its signature names and not a class
    above it.
    """

    context_class = typer.Context
