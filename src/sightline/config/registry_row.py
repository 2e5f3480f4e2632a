"""One row of the registry: a part that a spec can name, with its options, a one-line description,
and its builder.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sightline.config.part_options import Option
from sightline.config.part_syntax import Part, Value
from sightline.core.errors import SpecError


@dataclass(frozen=True)
class States:
    """The states of an encoder: their width, in words and as a function of its options; whether each
    has read other tokens; and whether they are ``costly``, so that scoring them again for each of
    several labels adds little.
    """

    words: str
    width: Callable[[Mapping[str, Any]], int]
    read_others: Callable[[Mapping[str, Any]], bool]
    costly: bool = False


@dataclass(frozen=True)
class Row:
    """A part that a spec can name: its kind, its options, a one-line description, and the builder
    of a model part.

    ``wrong`` describes an invalid combination of options, or gives an empty text. ``needs`` names
    what a part requires of the others (`sightline.config.part_compatibility`).
    """

    kind: str
    name: str
    about: str
    options: Mapping[str, Option] = field(default_factory=dict)
    built: str = ""
    wrong: Callable[[Mapping[str, Any]], str] = lambda chosen: ""
    states: States | None = None
    needs: tuple[str, ...] = ()

    @property
    def defaults(self) -> dict[str, Value]:
        """The defaults of the options."""
        return {key: option.default for key, option in self.options.items()}

    def chosen(self, part: Part) -> dict[str, Any]:
        """Give every option in the form that the part gets, with defaults for unset ones; an
        invalid value is an error.
        """
        try:
            self._check_known(part)
            given = dict(part.options)
            found = {
                key: option.take(key, given.get(key, option.default))
                for key, option in self.options.items()
            }
            if message := self.wrong(found):
                raise SpecError(message)
        except SpecError as error:
            planted = "planted:" if self.kind == "planted" else ""
            raise SpecError(f"{planted}{part}: {error}", field=field_of(self.kind)) from None
        return found

    def _check_known(self, part: Part) -> None:
        given = [key for key, _ in part.options]
        if part.name != self.name:
            raise SpecError(f"expected options of {self.name}")
        if unknown := sorted(set(given) - set(self.options)):
            names = ", ".join(sorted(self.options)) or "none"
            raise SpecError(
                f"unknown option {unknown[0]!r}; {self.name} has these options: {names}"
            )
        if len(set(given)) != len(given):
            raise SpecError("an option is given twice")


def field_of(kind: str) -> str:
    """Name the field of a run that holds parts of a kind."""
    if kind in ("altered", "companion"):
        return {"companion": "companions"}.get(kind, kind)
    return "data" if kind in ("planted", "published", "table", "gathered") else "model"
