"""What the system refuses is told in a line with the place and a way on, and is no bug of ours."""

import errno
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from sightline.cli.os_errors import system_refusal
from sightline.cli.output import writing
from sightline.core.errors import StoreError
from tests.cli.conftest import Call

LONG = "b/" * 2100


@pytest.mark.parametrize(
    "argv",
    [
        ("results", "--store", LONG),
        ("report", LONG),
        ("study", LONG + "s.toml", "--store", "st"),
        ("check-data", "--data", f"{LONG}t.csv"),
        (
            "audit",
            "--data",
            "planted:needle(n=60)",
            "--model",
            f"mlp(hidden={'9' * 5000})+additive",
        ),
        ("train", "--data", "planted:needle(n=60)", "--vectors", LONG, "--out", "m"),
    ],
)
def test_a_name_that_is_too_long(sightline: Call, here: Path, no_training, argv) -> None:
    done = sightline(*argv)
    assert (done.code, done.out) == (2, "")
    assert re.fullmatch(r"error: .*(too long|digits).*\n", done.err), done.err
    assert not any(here.iterdir())


def test_a_folder_that_must_not_be_searched_and_what_is_our_own_mistake() -> None:
    result = system_refusal(PermissionError(errno.EACCES, "Permission denied", "closed/t.csv"))
    assert result == "closed/t.csv: Permission denied; allow it, or name another place"
    long = system_refusal(OSError(errno.ENAMETOOLONG, "File name too long", LONG))
    assert long is not None
    assert len(long) < 200
    assert (
        system_refusal(OSError(errno.EIO, "Input/output error", 7))
        == "7: Input/output error; is the disk well?"
    )
    for bug in (
        FileNotFoundError(errno.ENOENT, "x", "y"),
        OSError("no number"),
        OSError(errno.EBADF, "x"),
        ValueError("x"),
    ):
        assert system_refusal(bug) is None


def shell(command: str, here: Path) -> tuple[int, str, str]:
    """Run a line of a shell, in which `sightline` is the command."""
    line = command.replace("sightline", f"{shlex.quote(sys.executable)} -m sightline", 1)
    buffered = {
        name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"
    }  # as shells have it
    done = subprocess.run(
        ["sh", "-c", line], cwd=here, env=buffered, capture_output=True, text=True, timeout=120
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (
            "sightline list presets > /dev/full",
            (2, "error: No space left on device; make room, or write elsewhere\n"),
        ),
        (
            "sightline --help > /dev/full",
            (2, "error: No space left on device; make room, or write elsewhere\n"),
        ),
        (
            "sightline list presets >&-",
            (2, "error: stdout is closed; send it to a file, or to /dev/null\n"),
        ),
        ("sightline list presets 2>&- >&-", (2, "")),
    ],
)
def test_a_stdout_that_takes_nothing(tmp_path: Path, command, expected) -> None:
    code, out, err = shell(command, tmp_path)
    assert (code, err) == expected
    assert out == ""


def test_a_closed_stderr_does_not_speak_on_stdout(tmp_path: Path) -> None:
    assert shell("sightline report nothere 2>&-", tmp_path) == (2, "", "")


@pytest.mark.parametrize(
    ("number", "advice"),
    [
        (errno.EFBIG, "File too large; write elsewhere, or raise the limit"),
        (errno.ENOSPC, "No space left on device; make room, or write elsewhere"),
        (errno.ENOENT, "No such file or directory; name another place"),
    ],
)
def test_what_cannot_be_written_says_what_to_do(number: int, advice: str) -> None:
    with (
        pytest.raises(StoreError, match=rf"^cannot write x\.html: {advice}$"),
        writing(Path("x.html")),
    ):
        raise OSError(number, os.strerror(number), "elsewhere")
