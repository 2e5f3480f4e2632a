"""Read the TOML file of a study as plain values, within limits of size."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from sightline._io.limits import LINE
from sightline._io.safe_open import open_regular
from sightline.core.errors import DataError, SpecError


def read_toml(file: Path) -> dict[str, Any]:
    """Read the file of a study as plain values; an unreadable file is a `SpecError` that
    names it.
    """
    try:
        with open_regular(file, LINE) as stream:
            text = stream.read(LINE.most).decode("utf-8-sig")
    except FileNotFoundError:
        raise SpecError(
            f"{file}: expected the TOML file of a study; there is no such file, check the path"
        ) from None
    except DataError as error:  # a device, a pipe, a file without end
        raise SpecError(str(error)) from None
    except (OSError, UnicodeDecodeError) as error:
        raise SpecError(
            f"{file}: expected the TOML file of a study, in UTF-8; it cannot be read ({error})"
        ) from error
    try:
        tree = tomllib.loads(text)
        _check_whole_numbers(tree)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"at line (\d+)", str(error))
        number = (
            int(line[1]) if line else text.count("\n") + 1
        )  # otherwise TOML complains about the end
        raise SpecError(
            f'{file}:{number}: not TOML: {error}; quote text, and dotted names ("data.text")'
        ) from error
    except (ValueError, RecursionError) as error:  # a number, or nested tables, without end
        raise SpecError(
            f"{file}: expected the TOML file of a study, got something else: {error}"
        ) from None
    return tree


OF_FLAGS: Mapping[str, str] = {"controls": "companions"}
"""Fields whose flag has another name, by the name of the flag."""


def field_called(name: str, fields: Collection[str]) -> str | None:
    """Find the field that a study means, by its own name or by the name of its flag if only one
    field has it.

    >>> field_called("max-tokens", ["data", "data.max_tokens", "fit.epochs"])
    'data.max_tokens'
    """
    spelled = name.removeprefix("--").replace("-", "_")
    spelled = OF_FLAGS.get(spelled, spelled)
    if spelled in fields:
        return spelled
    inside = [field for field in fields if field.rpartition(".")[2] == spelled]
    return inside[0] if len(inside) == 1 else None


def nearest(name: str, fields: Collection[str]) -> str:
    """Name the field nearest to an unknown name, if any is near."""
    flags = {field.rpartition(".")[2]: field for field in fields}
    spelled = name.replace("-", "_")
    found = get_close_matches(spelled, [*fields, *flags], n=1) or get_close_matches(
        spelled.rpartition(".")[2], flags
    )
    return f"the nearest is {flags.get(found[0], found[0])}; " if found else ""


def _check_whole_numbers(value: Any) -> None:
    """Refuse a whole number that needs more than the 64 bits of TOML; some could not even be
    printed.
    """
    for inside in (
        value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    ):
        _check_whole_numbers(inside)
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise ValueError(f"a whole number of {value.bit_length():,} bits, where there are 64")
