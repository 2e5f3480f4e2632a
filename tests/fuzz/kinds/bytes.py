"""Damage to bytes, as disks, editors and other programs do it."""

from __future__ import annotations

from random import Random

PIECES = (
    b"\x00",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b'"',
    b"\r",
    b"\n\n",
    b",",
    b"\t",
    b"\x1b[31m",
    b"\xed\xa0\x80",
    b"9" * 5000,
    b"x" * 200_000,
    "\u202e\u2028".encode(),
    b"[" * 3000,
    b"{",
    b"=",
    b"'''",
    b"#",
    b"\\u0000",
    b"\\ud800",
    b"-1",
    b"1e999",
    b"NaN",
    b"true",
)


def damaged(data: bytes, chance: Random) -> bytes:
    """Cut, flip, repeat or put something odd into bytes, once or some times."""
    for _ in range(chance.choice((1, 1, 2, 5))):
        at = chance.randrange(len(data) + 1)
        how = chance.randrange(6)
        if how == 0:
            data = data[:at]
        elif how == 1 and at < len(data):
            data = data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :]
        elif how == 2:
            data = data[:at] + data[at + chance.randrange(1, 40) :]
        elif how == 3:
            data = data[:at] + data[max(0, at - 50) : at] * chance.choice((1, 2, 100)) + data[at:]
        else:
            data = data[:at] + chance.choice(PIECES) + data[at:]
    return data
