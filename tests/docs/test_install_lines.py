"""No page, message or script installs a package of another project, and each extra that is named
exists.
"""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from sightline.core.installation import DISTRIBUTION, install_line, version_of

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
FOLDERS = ("src", "docs", "examples", "scripts", "validation", "tools", "benchmarks")
KINDS = {".py", ".md", ".sh", ".ipynb", ".toml", ".yml", ".html", ".j2", ".cff", ".txt", ""}
OTHERS = (
    re.compile(r"pip3?\s+install(?:[\s'\"f]+-{1,2}[\w-]+)*[\s'\"f]+sightline(?![\w-])"),
    re.compile(r"(?<![\w'\"-])['\"]?sightline\["),
)
"""A line that installs the package called sightline, and an extra of it."""
EXTRA = re.compile(re.escape(DISTRIBUTION) + r"\\*\[(\w+)\\*\]")


def texts() -> Iterator[tuple[str, str]]:
    """Give every text of the checkout that could name an installation, by its path."""
    inside = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*"))
    for path in sorted({*inside, *ROOT.iterdir()}):
        caches = {"__pycache__", ".ipynb_checkpoints", "verified"}
        if path.is_file() and path.suffix in KINDS and not caches & {*path.parts}:
            yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")


def of_others(text: str) -> list[str]:
    return [found[0] for pattern in OTHERS for found in pattern.finditer(text)]


def test_every_install_line_names_our_distribution() -> None:
    assert [(name, line) for name, text in texts() for line in of_others(text)] == []


@pytest.mark.parametrize(
    "line",
    [
        "pip install sightline",
        "pip install 'sightline[hf]'",
        "pip install --force-reinstall sightline\n",
        '"needs pip install "\n    "sightline[duckdb]."',
        "needs sightline[parquet]",
    ],
)
def test_an_install_line_of_another_project_is_found(line: str) -> None:
    assert of_others(line)


@pytest.mark.parametrize(
    "line", ["pip install 'sightline-audit[hf]'", "pip install .", "here['sightline']"]
)
def test_an_install_line_of_ours_is_not(line: str) -> None:
    assert not of_others(line)


def test_every_extra_that_is_named_exists() -> None:
    known = {*PROJECT["optional-dependencies"]}
    named = {(name, extra) for name, text in texts() for extra in EXTRA.findall(text)}
    assert len(named) > len(known) / 2  # or the pattern finds nothing any more
    assert sorted(one for one in named if one[1] not in known) == []


def test_what_is_installed_is_the_distribution_of_the_project() -> None:
    assert PROJECT["name"] == DISTRIBUTION
    assert version_of("sightline") == PROJECT["version"]
    assert EXTRA.findall(install_line("hf")) == ["hf"]
