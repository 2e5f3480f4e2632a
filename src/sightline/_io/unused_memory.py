"""Returns unused memory to the system."""

from __future__ import annotations

import ctypes
from contextlib import suppress


def give_back() -> None:
    """Return the memory that is free, but in gaps, to the system, where the allocator can. Reading
    a corpus of 50,000 reviews left 170 MB of it, and runs of texts of 300 lengths as much.
    """
    with suppress(OSError, AttributeError, TypeError):  # only Linux has it
        ctypes.CDLL(None).malloc_trim(0)


class Returning:
    """Gives memory back each time so many tokens have been run: more often takes time, less often
    leaves gaps of hundreds of megabytes.
    """

    def __init__(self, tokens: int) -> None:
        self.tokens, self.since = tokens, 0

    def ran(self, tokens: int) -> None:
        """Count the tokens of a run."""
        self.since += tokens
        if self.since >= self.tokens:
            self.since = 0
            give_back()
