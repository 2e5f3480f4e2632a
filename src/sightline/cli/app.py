"""The command line: commands by name; every outcome becomes one exit code.

    0  done
    1  our bug
    2  wrong input: data, model or flags
    3  a gate (``--fail-on``) closed
    4  some runs of a study failed, or another process makes them
    130  interrupted
    143  terminated

Nothing here, and nothing at the top of a command's file, imports torch, so ``sightline --help``
answers at once.
"""

from __future__ import annotations

import io
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise
from shlex import quote
from typing import Annotated

import typer

from sightline.api.model_source import is_trained
from sightline.cli import flags
from sightline.cli.audit import audit
from sightline.cli.card import card
from sightline.cli.check_data import check_data
from sightline.cli.check_model import check_model
from sightline.cli.command import ContextCommand, StrictCommand, with_home
from sightline.cli.compare import compare
from sightline.cli.demo import demo
from sightline.cli.doctor import doctor
from sightline.cli.exit_codes import BUG, DONE, INTERRUPTED, READER_GONE, TERMINATED, WRONG_INPUT
from sightline.cli.export import export
from sightline.cli.figure import figure
from sightline.cli.list_ import listing
from sightline.cli.look import look
from sightline.cli.os_errors import closed_stream, drop_output, system_refusal
from sightline.cli.predict import predict
from sightline.cli.process import PACKAGES
from sightline.cli.report import report
from sightline.cli.results import results
from sightline.cli.signals import STOPS, Terminated, heed_stops, leave, say_stopped, stop_code
from sightline.cli.study import study
from sightline.cli.table import table
from sightline.cli.train import train
from sightline.cli.vectors import vectors
from sightline.core.error_excerpts import LEFT_OUT, without_excerpts
from sightline.core.errors import SightlineError, panicked
from sightline.core.installation import AGAIN, version_of
from sightline.report.sanitize import one_line

_TAKE_MEMORY = ("--memory", "--batch-size", "--max-tokens", "--dimension", "--workers")
"""Flags that reduce memory when lowered, if a command has them."""
_HIDE = ("--no-texts", "--no-ids")
"""Flags that leave values of files out of messages."""
_LEFT = "code that is not sightline's ended the command; let the model raise an error instead"


app = typer.Typer(
    name="sightline",
    help=(
        "Audit whether a text classifier's attention weights can be read as an explanation of "
        "its predictions."
    ),
    epilog="Begin with: sightline demo",
    add_completion=False,
    context_settings={"help_option_names": ["--help"]},
)


def _add(
    name: str, command: Callable[..., None], kind: type[StrictCommand] = StrictCommand
) -> None:
    app.command(name, cls=kind)(with_home(command))


_add("demo", demo)
_add("train", train)
_add("audit", audit, ContextCommand)
_add("look", look)
_add("predict", predict)
_add("report", report)
_add("card", card)
_add("figure", figure)
_add("table", table)
_add("compare", compare)
_add("export", export)
_add("study", study)
_add("results", results)
_add("list", listing)
_add("check-data", check_data)
_add("check-model", check_model)
_add("vectors", vectors)
_add("doctor", doctor)


def _show_version(wanted: bool) -> bool:
    if wanted:
        print(f"sightline {version_of('sightline')}")
        raise typer.Exit
    return wanted


@app.callback()
def _everywhere(
    show_version: Annotated[
        bool,
        typer.Option(
            "--version",
            metavar=flags.SWITCH,
            callback=_show_version,
            is_eager=True,
            help="Print the version and stop.",
        ),
    ] = False,
    debug: Annotated[
        bool,
        typer.Option(
            "--debug",
            metavar=flags.SWITCH,
            help="Print a traceback where sightline breaks (also: SIGHTLINE_DEBUG=1).",
        ),
    ] = False,
) -> None:
    """Audit whether a text classifier's attention weights can be read as an explanation of its
    predictions.
    """


_made = cache(typer.main.get_command)
"""The commands as typer builds them, once: an error needs their flags too."""


def main() -> None:
    """Run the shell's command and leave with its exit code."""
    heed_stops()
    try:
        code = _opened() or run(sys.argv[1:])
    except STOPS:  # stopped while reporting how a command ended
        code = say_stopped()
    leave(code)


def _opened() -> int:
    """Check that stdout is open, and make it accept every character; 0 if so."""
    if (closed := closed_stream()) is not None:
        return _failed(closed, WRONG_INPUT)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(
                errors="backslashreplace"
            )  # a narrow terminal encoding must not cost a finished audit
    return DONE


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code; an error becomes one line on stderr.

    A requested stop wins, whichever error it has been turned into.
    """
    asked = [
        word for word in arguments if word != "--debug"
    ]  # so that --debug may also follow the command
    try:
        code = _invoke(asked or ["--help"])
    except BaseException as error:
        return say_stopped() if stop_code() else _ended(error, asked, debug="--debug" in arguments)
    return say_stopped(code) if stop_code() or code == INTERRUPTED else code


def _ended(error: BaseException, asked: Sequence[str], *, debug: bool) -> int:
    """Report what ended a command, and return its exit code."""
    if isinstance(error, SightlineError):
        return _failed(_describe(error, asked) + _how_to_see(error.message, asked), WRONG_INPUT)
    if isinstance(error, STOPS):
        return say_stopped(TERMINATED if isinstance(error, Terminated) else INTERRUPTED)
    if isinstance(error, BrokenPipeError):
        return _hang_up()
    if isinstance(error, SystemExit):
        if isinstance(error.__context__, BrokenPipeError):  # typer caught it first
            return _hang_up()
        return _failed(f"{_LEFT}: sys.exit({error.code!r:.60})", WRONG_INPUT)
    if panicked(error):
        return _failed(
            f"a library written in Rust broke: {error}; is a file of the model damaged?",
            WRONG_INPUT,
        )
    if not isinstance(error, Exception):
        raise error
    if (message := _usage(error) or system_refusal(error)) is not None:
        return _refused(message)
    if debug or os.environ.get("SIGHTLINE_DEBUG") == "1":
        traceback.print_exception(error)
    # typer hides an EOFError from our own code in its Abort
    return _broken(
        error.__cause__ if isinstance(error, typer.Abort) and error.__cause__ else error, asked
    )


def _invoke(arguments: Sequence[str]) -> int:
    words = tuple(
        arguments
    )  # handed on as the context's object, so that a report can name the command
    with without_excerpts(active=not set(_HIDE).isdisjoint(words)):
        code = _made(app).main(list(words), prog_name="sightline", standalone_mode=False, obj=words)
    sys.stdout.flush()  # a reader that has gone is noticed here, before Python shuts down
    return code if isinstance(code, int) else DONE


def _usage(error: Exception) -> str | None:
    """Return the message of a mistake in the flags, as typer writes it; None for any other error.

    Recognised by its methods: typer has its own copy of click's errors since 0.26 and took click's
    before, so no class name fits both.
    """
    flag = getattr(error, "option_name", "")
    if flag and (called := _as_argument(error, flag)):
        return f"{flag}: this command takes it without a flag: {called}"
    compose = getattr(error, "format_message", None)
    if compose is None:
        return None
    command = getattr(getattr(error, "ctx", None), "command_path", "")
    unknown = flag and command and not getattr(error, "possibilities", None)
    more = f"; `{command} --help` lists its flags" if unknown else ""
    return f"{str(compose()).removesuffix('.')}{more}"


def _as_argument(error: Exception, flag: str) -> str:
    """Write how a command is called that takes what a flag names as an argument; empty if it takes
    none of that name.
    """
    context = getattr(error, "ctx", None)
    command = getattr(context, "command", None)
    named = [
        one.name for one in getattr(command, "params", ()) if one.param_type_name == "argument"
    ]
    if context is None or flag.removeprefix("--").replace("-", "_") not in named:
        return ""
    return " ".join([str(context.command_path), *(str(name).upper() for name in named)])


def _describe(error: SightlineError, asked: Sequence[str]) -> str:
    """Return the message of an error with settings spelled as flags; it starts with the flag of the
    error's field.
    """
    flags = _flags(asked)

    def spelled(name: str, value: str) -> str:
        if name not in flags:
            return f"{name}={value}"
        typed = value if value.startswith(("'", '"')) else quote(value)  # some are quoted already
        return f"{flags[name]} {typed}" if value else flags[name]

    description = error.spelled(spelled)
    return f"{_flag(error.field, asked)}: {description}" if error.field else description


def _how_to_see(message: str, asked: Sequence[str]) -> str:
    """Say how to see the values that a message leaves out."""
    hiding = [flag for flag in _HIDE if flag in asked]
    if not hiding or LEFT_OUT not in message:
        return ""
    without = f"this once without {' and '.join(hiding)}"
    return f"; to see what is {LEFT_OUT}, run `sightline check-data` on the data, or {without}"


def _flag(field: str, asked: Sequence[str]) -> str:
    """Return the running command's flag for a field of the library; a field without a flag keeps
    its name.
    """
    flags = _flags(asked)
    return flags.get(field) or flags.get(field.rpartition(".")[2]) or field


def _flags(asked: Sequence[str]) -> dict[str, str]:
    """Return the flags of the running command, by the library's names."""
    commands = getattr(_made(app), "commands", {})
    running = next((commands[word] for word in asked if word in commands), None)
    return {
        one.name: one.opts[0]
        for one in getattr(running, "params", ())
        if one.opts[0].startswith("--")
    }


def _failed(message: str, code: int) -> int:
    print(f"error: {one_line(message)}", file=sys.stderr)
    return code


def _refused(message: str) -> int:
    """Report what is wrong; if stdout itself fails, drop its pending output."""
    try:
        sys.stdout.flush()
    except OSError:
        drop_output()
    return _failed(message, WRONG_INPUT)


def _broken(error: BaseException, asked: Sequence[str]) -> int:
    message = f"{type(error).__name__}: {error}"
    if (
        isinstance(error, MemoryError)
        or "can't allocate memory" in message
        or "OutOfMemoryError" in message
    ):
        lower = " or ".join(flag for flag in _flags(asked).values() if _takes_memory(flag, asked))
        advice = (
            f"lower {lower}, or take fewer texts"
            if lower
            else "take fewer texts, or a smaller model"
        )
        return _failed(f"out of memory ({message}); {advice}", WRONG_INPUT)
    if isinstance(error, ModuleNotFoundError) and (error.name or "").partition(".")[0] in PACKAGES:
        return _failed(f"{error}; {AGAIN}", WRONG_INPUT)
    return _failed(
        f"{message}. This is a bug in sightline: please report it, with what --debug prints", BUG
    )


def _takes_memory(flag: str, asked: Sequence[str]) -> bool:
    """Tell whether lowering a flag reduces memory; a trained model refuses ``--batch-size``."""
    return flag in _TAKE_MEMORY and not (flag == "--batch-size" and is_trained(_model(asked)))


def _model(asked: Sequence[str]) -> str:
    """Return the model that a command line names by its flag; empty if it names none."""
    words = [
        part
        for word in asked
        for part in (word.split("=", 1) if word.startswith("--model=") else [word])
    ]
    return next((value for flag, value in pairwise(words) if flag == "--model"), "")


def _hang_up() -> int:
    """Leave quietly when the reader of our output has gone, as with `head`, with the code of a
    broken pipe.
    """
    drop_output()
    return READER_GONE
