"""How sightline is called where it is installed from, and the lines that install it.

Standard library only: the command line reads this before it knows what is missing.
"""

from __future__ import annotations

from importlib import metadata

DISTRIBUTION = "sightline-audit"
"""Our distribution. The name ``sightline`` on the public package index belongs to another
project."""
AGAIN = "install sightline again, in its checkout: pip install --force-reinstall ."
"""What mends a broken installation. The checkout is named because the index has no release yet."""


def version_of(package: str) -> str:
    """Give the installed version of a package, ours by the name that people import."""
    return metadata.version(DISTRIBUTION if package == "sightline" else package)


def install_line(extra: str) -> str:
    """Give the command that adds an optional part to this installation.

    pip takes the extra from the installed metadata, so the line needs no release on an index.

    >>> install_line("hf")
    "pip install 'sightline-audit[hf]'"
    """
    return f"pip install '{DISTRIBUTION}[{extra}]'"
