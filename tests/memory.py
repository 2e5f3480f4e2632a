"""How much memory something takes at most, as Python and numpy count it."""

import tracemalloc
from collections.abc import Callable


def peak(do: Callable[[], object]) -> int:
    """Give the most bytes that are held at once while something is done."""
    tracemalloc.start()
    try:
        do()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
