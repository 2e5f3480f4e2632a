"""Names that are no good, and things that are no files, wherever a command takes a path."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path
from random import Random

from tests.fuzz.basis import TINY, Basis
from tests.fuzz.case import Case
from tests.fuzz.kinds.archives import CORPORA

NAMES = (
    "",
    " ",
    ".",
    "..",
    "/",
    "./",
    "-",
    "--",
    "-x",
    "~",
    "~nobody/x",
    "~nobody_knows",
    "a" * 300,
    "b/" * 2100,
    "x" * 255,
    "y" * 250 + ".csv",
    "new\nline",
    "esc\x1b[31m",
    "tab\there",
    "über",
    "\u202egnp.exe",
    "a:b",
    "http://x/y.csv",
    "file:t.csv",
    "csv:",
    "csv:t.csv",
    "sst:",
    "sst:.",
    "t.csv/",
    "t.csv/x",
    "nothere/x/y",
    "../beside",
    "../beside/keep.txt",
    "../beside/keep.txt/x",
    "$HOME",
    "*",
    "t.csv ",
    "\udce4.csv",
    "con",
    "%s%n",
    "{}",
)


def _loop(at: Path) -> None:
    at.symlink_to(at.name)


def _socket(at: Path) -> None:
    where = Path.cwd()
    os.chdir(at.parent)  # the name of a socket must be short
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(at.name)
    finally:
        os.chdir(where)


def _hole(at: Path) -> None:
    at.touch()
    os.truncate(at, 2**40)


def _closed(at: Path) -> None:
    at.mkdir()
    (at / "in.csv").write_text("text,label\na,b\n", encoding="utf-8")
    at.chmod(0)


def _unreadable(at: Path) -> None:
    at.write_text("text,label\na,b\n", encoding="utf-8")
    at.chmod(0)


THINGS: dict[str, Callable[[Path], None]] = {
    "loop": _loop,
    "pipe": os.mkfifo,
    "socket": _socket,
    "hole": _hole,
    "closed": _closed,
    "folder": Path.mkdir,
    "link": lambda at: at.symlink_to("../beside/keep.txt"),
    "dangling": lambda at: at.symlink_to("nothing"),
    "linked": lambda at: at.symlink_to("../beside"),
    "zero": lambda at: at.symlink_to("/dev/zero"),
    "null": lambda at: at.symlink_to("/dev/null"),
    "memory": lambda at: at.symlink_to("/proc/self/mem"),
    "unreadable": _unreadable,
}


def _name(chance: Random, here: Path) -> str:
    if chance.random() < 0.5:
        return chance.choice(NAMES)
    thing = chance.choice(list(THINGS))
    name = thing + chance.choice(("", ".csv", ".jsonl", ".tar.gz", ".toml", ".CSV.GZ"))
    THINGS[thing](here / name)
    return name + chance.choice(("", "", "/", "/x", "/in.csv"))


def read(chance: Random, here: Path, basis: Basis) -> Case:
    """Name something odd where a command reads."""
    odd = _name(chance, here)
    basis.take(here, "t.csv")
    data = ("--data", "t.csv")
    commands: tuple[tuple[str, ...], ...] = (
        ("check-data", "--data", odd),
        (
            "check-data",
            "--data",
            chance.choice(CORPORA) + odd,
        ),
        ("audit", *data, "--model", odd, "--quiet"),
        ("audit", *data, *TINY, "--limit", "4", "--scores", odd),
        ("train", *data, *TINY, "--vectors", odd, "--out", "out"),
        ("check-model", odd),
        ("check-model", f"py:{odd}"),
        ("report", odd),
        ("study", odd, "--store", "st"),
        ("results", "--store", odd),
    )
    return Case(chance.choice(commands), ("report.html", "out", "st"))


def written(chance: Random, here: Path, basis: Basis) -> Case:
    """Name something odd where a command writes; what can be written there may be, whatever its
    name.
    """
    odd = _name(chance, here)
    basis.take(here, "t.csv", "s.toml", "sa", "st")
    data = ("--data", "t.csv")
    commands: tuple[tuple[str, ...], ...] = (
        ("audit", *data, *TINY, "--limit", "4", "--out", odd),
        ("audit", *data, *TINY, "--limit", "4", "--save", odd),
        ("train", *data, *TINY, "--controls", "none", "--out", odd),
        ("vectors", *data, "--dimension", "3", "--out", odd),
        ("report", "sa", "--out", odd),
        ("study", "s.toml", "--store", odd, "--limit", "1", "--quiet"),
        ("study", "s.toml", "--store", "st", "--table", odd, "--quiet"),
        ("results", "--store", "st", "--csv", odd),
    )
    return Case(chance.choice(commands), ("report.html", _place(odd, here)))


def _place(name: str, here: Path) -> str:
    """Say where a name leads, by its links and dots: what a user names may be written, and nothing
    around it.
    """
    place = os.path.relpath(os.path.realpath(here / name), here)
    return place if set(Path(place).parts) - {".."} else "-"
