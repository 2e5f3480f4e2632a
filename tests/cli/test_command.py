"""Flags that stand twice on a command line."""

from pathlib import Path

import pytest
import typer

from sightline.cli.app import app
from sightline.cli.command import StrictCommand
from tests.cli.conftest import Call

COMMANDS = typer.main.get_command(app).commands
ONE_VALUE = [
    (name, flag.opts[0])
    for name, command in COMMANDS.items()
    for flag in command.params
    if flag.opts[0].startswith("--") and not flag.is_flag and not flag.multiple
]


def test_every_command_reads_its_flags_alike() -> None:
    assert [
        name for name, command in COMMANDS.items() if not isinstance(command, StrictCommand)
    ] == []
    assert len(ONE_VALUE) > 60


@pytest.mark.parametrize(("command", "flag"), ONE_VALUE)
def test_a_flag_that_is_given_twice_is_refused_and_not_half_read(
    sightline: Call, here: Path, command: str, flag: str
) -> None:
    for given in ((flag, "1", flag, "2"), (f"{flag}=1", flag, "1")):
        done = sightline(command, *given)
        assert (done.code, done.out, done.err) == (
            2,
            "",
            f"error: {flag}: given 2 times; give it once\n",
        )


def test_what_takes_many_and_what_says_the_same_twice_is_no_mistake(sightline: Call) -> None:
    assert sightline("check-data", "--data", "planted:needle(n=90)", "--json", "--json").code == 0
    assert (
        "--fail-on"
        in sightline("audit", "--data", "planted:needle", "--fail-on", "x", "--fail-on", "y").err
    )
