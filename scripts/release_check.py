"""Say what a release still lacks: one version everywhere, and the addresses of the project.

``python scripts/release_check.py [--tag vX.Y.Z]`` exits with 1 if anything is missing.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
ADDRESSES = ("Repository", "Documentation")
"""The links that the package index needs."""


def missing(pyproject: str, citation: str, changelog: str, tag: str = "") -> Iterator[str]:
    """Say what must be done before a release, from the text of each file."""
    project = tomllib.loads(pyproject)["project"]
    version, urls = project["version"], project.get("urls", {})
    for name in ADDRESSES:
        if not str(urls.get(name, "")).startswith("https://"):
            yield f"pyproject.toml: expected an address {name} under [project.urls]; add it"
    if "repository-code" not in _entries(citation):
        yield "CITATION.cff: expected repository-code; add the address of the repository"
    if (cited := _entries(citation).get("version")) != version:
        yield f"CITATION.cff: expected version {version} as in pyproject.toml, got {cited}"
    if not re.search(rf"^## \[?{re.escape(version)}\b", changelog, re.MULTILINE):
        yield f"CHANGELOG.md: expected a heading with the version {version}"
    if tag and tag != f"v{version}":
        yield f"tag: expected v{version} as in pyproject.toml, got {tag}"


def _entries(citation: str) -> dict[str, str]:
    """Read the plain entries of a citation file."""
    return dict(re.findall(r"^([\w-]+): *(.+)$", citation, re.MULTILINE))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tag", default="", help="the tag of the release")
    files = ("pyproject.toml", "CITATION.cff", "CHANGELOG.md")
    texts = [(ROOT / name).read_text(encoding="utf-8") for name in files]
    found = [*missing(*texts, parser.parse_args().tag)]
    print("\n".join(found) or "nothing is missing for a release")
    sys.exit(bool(found))
