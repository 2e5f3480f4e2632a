"""When this process began, and the packages that a command needs; it imports nothing that may be
missing.
"""

from time import perf_counter

from sightline.core.installation import version_of

BEGAN = perf_counter()
"""When the command began, before anything that takes long is imported."""
PACKAGES = ("sightline", "torch", "numpy", "scipy", "safetensors", "typer", "rich", "jinja2")


def packages() -> str:
    """Name the packages that a command needs, with their versions; one that is missing is an
    error.
    """
    return ", ".join(f"{name} {version_of(name)}" for name in PACKAGES)
