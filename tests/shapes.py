"""Which modules say shapes in their signatures: those are checked whenever a test calls them."""

from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src"


def modules_with_shapes() -> Iterator[str]:
    """Name every module that takes its annotations from jaxtyping."""
    for file in sorted(SOURCE.rglob("*.py")):
        if "from jaxtyping import" in file.read_text(encoding="utf-8"):
            yield ".".join(file.relative_to(SOURCE).with_suffix("").parts)
