"""Open untrusted files: regular files only, decompressed while reading, never beyond a bound."""

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
"""Makes the error for a file that a disk or archive error cut short."""
_TOO_DENSE = (
    f"unpacks to far more than a text would, above {RATIO.most} times its size; {RATIO.instead}"
)


@contextmanager
def opened(
    file: Path, largest: Bound | None, reading: Reading, *, packed: bool
) -> Iterator[io.BufferedIOBase]:
    """Open a file, decompressing it if ``packed``; both sizes are bounded."""
    with reading(file), open_regular(file, largest) as raw:
        if not packed:
            yield raw
            return
        with gzip.GzipFile(fileobj=raw) as inner:
            yield bounded(inner, str(file), file.stat().st_size, largest, reading)


def bounded(
    inner: io.BufferedIOBase, shown: str, packed: int, largest: Bound | None, reading: Reading
) -> io.BufferedIOBase:
    """Decompress ``packed`` bytes as a stream that raises an error beyond its bounds."""
    return io.BufferedReader(
        cast(io.RawIOBase, _Bounded(inner, shown, packed, largest, reading)), 2**16
    )


class _Bounded(io.RawIOBase):
    """Passes on decompressed bytes up to a limit; errors on the way name the file."""

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
        """Return True: this stream is for reading."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # any buffer will do
        """Read into a buffer (`io.RawIOBase`)."""
        with self._reading(self._shown):
            data = self._inner.read(len(buffer))
        self._left -= len(data)
        if self._left < 0:
            raise DataError(self._describe, self._shown)
        buffer[: len(data)] = data
        return len(data)
