"""The table of the study of searches against the exact value."""

from __future__ import annotations

from collections.abc import Iterator

from docs_tables import Stored, gates, number, table, unfinished

_HEAD = (
    "corpus",
    "seed",
    "texts",
    "exact",
    "published",
    "from one start",
    "ours",
    "released selection",
    "published more than 0.05 too low",
    "too low at most: published, ours",
    "released selection above the exact value",
    "ends outside",
    "decodings, published and ours",
)


def farthest(stored: Stored) -> str:
    """Table what each search found and the exact value, a row a model."""
    rows = stored["rows"]
    return f"{unfinished(stored, len(rows))}{gates(stored)}\n{table(_HEAD, map(_row, rows))}"


def _row(row: Stored) -> Iterator[str]:
    yield from (row["corpus"], row["seed"], f"{row['texts']:,}", number(row["exact"]["mean"]))
    yield from (
        number(row["searches"][name]["mean"]) for name in ("published", "one start", "ours")
    )
    yield number(row["released"]["mean"])
    yield number(row["searches"]["published"]["much_too_low"])
    yield ", ".join(f"{row['searches'][name]['most_short']:.4f}" for name in ("published", "ours"))
    yield f"{row['released']['above']:,} texts"
    yield f"{row['ends_outside']:.1%}"
    yield f"{row['decodes']['published']:,.0f}, {row['decodes']['ours']:,.0f}"
