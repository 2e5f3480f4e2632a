"""The page of commands: every command and flag as the command line knows them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args, get_origin, get_type_hints

import typer
from docs_tables import table

from sightline.cli.app import app


def commands_page() -> str:
    """Document every command and flag as the command line knows them."""
    group: Any = typer.main.get_command(app)
    parts = [
        "# Commands\n",
        "Made by `make docs` from the command line itself. Results go to stdout, progress "
        "and errors to stderr; most flags may be given once, some several times; [exit "
        "codes](schema.md#exit-codes) and JSON are on the page of [files](schema.md).\n",
        "    sightline COMMAND [OPTIONS]\n",
        _parameters(group),
    ]
    for name, command in group.commands.items():
        arguments = "".join(f" {p.metavar}" for p in command.params if not is_option(p))
        parts += [
            f"## {name}\n",
            f"    sightline {name}{arguments} [OPTIONS]\n",
            _help(command),
            _parameters(command),
        ]
    return "\n".join(parts)


def _help(command: Any) -> str:
    return "\n\n".join(" ".join(part.split()) for part in _plain(command.help).split("\n\n")) + "\n"


def _parameters(command: Any) -> str:
    hints = get_type_hints(command.callback)
    rows = [(f"`{_spelled(p, hints)}`", _said(p)) for p in command.params if p.name in hints]
    return table(("flag or argument", ""), rows) if rows else ""


def _spelled(parameter: Any, hints: Mapping[str, Any]) -> str:
    if not is_option(parameter):
        return str(parameter.metavar)
    value = (
        ""
        if parameter.is_flag
        else parameter.metavar or " or ".join(_choices(hints[parameter.name]))
    )
    return f"{', '.join(parameter.opts)} {value}".rstrip()


def is_option(parameter: Any) -> bool:
    """Whether a parameter is a flag rather than an argument."""
    return bool(parameter.opts[0].startswith("--"))


def _choices(hint: Any) -> list[str]:
    """Find the values of a `Literal`, also inside an optional one."""
    if get_origin(hint) is Literal:
        return list(get_args(hint))
    return [choice for part in get_args(hint) for choice in _choices(part)]


def _said(parameter: Any) -> str:
    """Give the help of a parameter, and its default where it has one to show."""
    shown = parameter.show_default
    default = shown if isinstance(shown, str) else parameter.default
    silent = shown is False or default is None or default is False
    end = " Required." if parameter.required else "" if silent else f" Default: {default}."
    return _plain(str(parameter.help)).strip() + end


def _plain(text: str) -> str:
    """Remove the escapes that keep brackets of a help text from being read as markup."""
    return text.replace(r"\[", "[")


def flags() -> set[str]:
    """Give every flag of every command."""
    group: Any = typer.main.get_command(app)
    every = [*group.params, *(p for command in group.commands.values() for p in command.params)]
    return {flag for parameter in every for flag in parameter.opts if flag.startswith("--")} | {
        "--help"
    }
