"""The examples in docstrings give what they show."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

SRC = Path(__file__).resolve().parents[2] / "src"
WITH_EXAMPLES = [
    ".".join(file.relative_to(SRC).with_suffix("").parts)
    for file in sorted(SRC.rglob("*.py"))
    if "    >>> " in file.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("module", WITH_EXAMPLES)
def test_an_example_gives_what_it_shows(module: str) -> None:
    found = doctest.testmod(import_module(module))
    assert found.attempted > 0
    assert found.failed == 0
