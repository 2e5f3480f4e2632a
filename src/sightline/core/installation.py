"""The name of the distribution, and the commands that install it.

Standard library only: the command line reads this before it knows what is missing.
"""

from __future__ import annotations

from importlib import metadata

DISTRIBUTION = "sightline-audit"
"""The name of our distribution. The name ``sightline`` on the public package index belongs to
another project."""
AGAIN = "install sightline again, in its checkout: pip install --force-reinstall ."
"""The command that repairs a broken installation. It names the checkout, because the index has no
release yet."""


def version_of(package: str) -> str:
    """Give the installed version of a package; ours goes by its import name."""
    return metadata.version(DISTRIBUTION if package == "sightline" else package)


def bit_versions() -> dict[str, str]:
    """Give the versions on which the bits of a result depend."""
    return {name: version_of(name) for name in ("sightline", "torch", "numpy")}


def install_line(extra: str) -> str:
    """Give the command that installs an extra.

    pip reads the extra from the installed metadata, so the command needs no release on an index.

    >>> install_line("hf")
    "pip install 'sightline-audit[hf]'"
    """
    return f"pip install '{DISTRIBUTION}[{extra}]'"
