"""One command line of the fuzz, drawn at random: what it is given, and what it may leave behind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tests.fuzz.basis import Basis

Drawn = Callable[[Random, Path, Basis], "Case"]
"""Writes what a case needs into a folder, the one that it will run in, and gives the case."""


@dataclass(frozen=True)
class Case:
    """What is run, and the places, relative to its folder, at which it may write where all goes
    well.
    """

    argv: tuple[str, ...]
    writes: tuple[str, ...] = ()
    stdout: str = "file"
    """``file``, ``full`` (every write fails for want of space) or ``closed``."""
