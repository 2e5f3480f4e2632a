"""The start time of this process and the packages that a command needs; it imports only the
standard library.
"""

from time import perf_counter

from sightline.core.installation import version_of

BEGAN = perf_counter()
"""The start of the command, before slow imports."""
PACKAGES = ("sightline", "torch", "numpy", "scipy", "safetensors", "typer", "rich", "jinja2")


def packages() -> str:
    """Name the packages that a command needs, with their versions; a missing one is an error."""
    return ", ".join(f"{name} {version_of(name)}" for name in PACKAGES)
