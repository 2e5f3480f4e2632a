"""One door for bytes that somebody else wrote: regular files alone, unpacked as they are read,
never beyond a bound.
"""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import cast

from sightline._io.limits import GRACE, RATIO, Bound
from sightline._io.safe_open import open_regular
from sightline.core.errors import DataError

Reading = Callable[[str | Path], AbstractContextManager[None]]
"""Says of a file what is wrong with it, where the disk or a torn archive breaks off."""
_TOO_DENSE = (
    f"unpacks to far more than a text would, above {RATIO.most} times its size; {RATIO.instead}"
)


@contextmanager
def opened(
    file: Path, largest: Bound | None, reading: Reading, *, packed: bool
) -> Iterator[io.BufferedIOBase]:
    """Open a file, and unpack it where it is ``packed``; neither packed nor unpacked is it above
    its bound.
    """
    with reading(file), open_regular(file, largest) as raw:
        if not packed:
            yield raw
            return
        with gzip.GzipFile(fileobj=raw) as inner:
            yield bounded(inner, str(file), file.stat().st_size, largest, reading)


def bounded(
    inner: io.BufferedIOBase, shown: str, packed: int, largest: Bound | None, reading: Reading
) -> io.BufferedIOBase:
    """Give what ``packed`` bytes unpack to, as a stream that ends in an error where it goes beyond
    its bounds.
    """
    return io.BufferedReader(
        cast(io.RawIOBase, _Bounded(inner, shown, packed, largest, reading)), 2**16
    )


class _Bounded(io.RawIOBase):
    """Pass on what is unpacked, up to a limit; what breaks on the way is an error about the
    file.
    """

    def __init__(
        self,
        inner: io.BufferedIOBase,
        shown: str,
        packed: int,
        largest: Bound | None,
        reading: Reading,
    ) -> None:
        self._inner, self._shown, self._reading = inner, shown, reading
        self._left, self._describe = max(GRACE.most, RATIO.most * packed), _TOO_DENSE
        if largest is not None and largest.now < self._left:
            self._left, self._describe = largest.now, largest.passed()

    def readable(self) -> bool:
        """Say that this is for reading."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # any buffer will do
        """Read as `io.RawIOBase` has it."""
        with self._reading(self._shown):
            data = self._inner.read(len(buffer))
        self._left -= len(data)
        if self._left < 0:
            raise DataError(self._describe, self._shown)
        buffer[: len(data)] = data
        return len(data)
