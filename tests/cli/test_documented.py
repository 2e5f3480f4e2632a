"""Every command and each of its flags says what it is for."""

import re
import tomllib
from pathlib import Path

import pytest
import typer

from sightline.cli.app import app
from sightline.cli.flags import read_memory
from sightline.experiments.run_size import MEMORY
from tests.cli.conftest import Call

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = typer.main.get_command(app).commands
COMMON = ("--json",)


def test_the_commands_are_those_that_were_promised():
    assert list(COMMANDS) == [
        "demo",
        "train",
        "audit",
        "look",
        "predict",
        "report",
        "card",
        "figure",
        "table",
        "compare",
        "export",
        "study",
        "results",
        "list",
        "check-data",
        "check-model",
        "vectors",
        "doctor",
    ]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_and_each_of_its_flags_is_described(name, sightline: Call, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    command = COMMANDS[name]
    assert command.help
    shown = sightline(name, "--help").out
    for parameter in command.params:
        assert parameter.help, parameter.name
        assert parameter.help.endswith("."), parameter.name
        assert parameter.help.split("  ")[0][:40] in shown
        for flag in parameter.opts:
            if flag.startswith("-"):
                assert flag.startswith("--")
                assert flag == flag.lower().replace("_", "-")
                assert flag in shown


@pytest.mark.parametrize("name", COMMANDS)
def test_a_flag_means_the_same_in_every_command(name):
    """One help text a flag, but for what a command is given or writes, and what its memory is
    for.
    """
    own = {"--model", "--out", "--query", "--csv", "--memory", "--label-name"}
    own |= {"--data"} if name == "study" else set()  # a folder of corpora
    others = (command for other, command in COMMANDS.items() if other != "study" or name == "study")
    values = {flag: p.help for other in others for p in other.params for flag in p.opts}
    for parameter in COMMANDS[name].params:
        for flag in set(parameter.opts) - own:
            assert parameter.help == values[flag]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_flag_without_a_value_shows_no_kind(name):
    flags = [one for one in COMMANDS[name].params if getattr(one, "is_flag", False)]
    assert {one.name for one in flags if one.metavar != ""} <= {"help"}


def test_the_memory_in_the_help_is_the_default():
    """The help does not read it, because the constant lies in a module that loads torch."""
    (memory,) = (one for one in COMMANDS["audit"].params if one.name == "memory")
    assert read_memory(memory.show_default) == MEMORY


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_speaks_json(name):
    flags = {flag for parameter in COMMANDS[name].params for flag in parameter.opts}
    assert set(COMMON) <= flags


def test_the_flags_of_the_app_are_described(sightline: Call):
    shown = sightline("--help").out
    for parameter in typer.main.get_command(app).params:
        assert parameter.help
        assert parameter.opts[0] in shown
    for name in COMMANDS:
        assert name in shown


EXTRAS = [
    *tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "optional-dependencies"
    ]
]


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_keeps_the_brackets_of_an_extra(name, sightline: Call, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    command = COMMANDS[name]
    written = " ".join([command.help, *(str(parameter.help) for parameter in command.params)])
    shown = re.sub(r"[\s│]+", "", sightline(name, "--help").out)
    for extra in EXTRAS:
        assert shown.count(f"[{extra}]") == written.count(f"[{extra}]"), extra


def test_some_help_names_an_extra():
    """Or the test above looks at nothing."""
    every = "".join(
        str(parameter.help) for command in COMMANDS.values() for parameter in command.params
    )
    assert {extra for extra in EXTRAS if f"[{extra}]" in every} >= {"captum", "parquet", "duckdb"}


@pytest.mark.parametrize("name", ["look", "predict", "check-model", "audit"])
def test_the_help_of_a_command_that_takes_a_hugging_face_model_says_so(
    name, sightline: Call, monkeypatch
):
    monkeypatch.setenv("COLUMNS", "200")
    assert "hf:FOLDER" in sightline(name, "--help").out
