"""What Table 2 of Wen et al. (2022) says under each way of breaking ties."""

from __future__ import annotations

from collections.abc import Iterator

from docs_other_settings import over_seeds
from docs_tables import Stored, table

from sightline.studies.papers.published_values import value_of

TABLE, FIXED, LOST = "wen2022:W-2", "bilstm+additive, attention fixed", "τ lost"
WAYS = ("first", "last", "drawn")


def ties(stored: Stored) -> str:
    """Table τ lost under fixed attention by corpus, printed and for each way."""
    corpora = dict.fromkeys(row["corpus"] for row in stored["rows"])
    head = (
        "corpus", "published", "in the order of the text", "backwards",
        f"drawn, mean of {stored['draws']}", "single draws", "seeds",
    )  # fmt: skip
    return table(head, (_corpus(corpus, stored) for corpus in corpora))


def _corpus(corpus: str, stored: Stored) -> Iterator[str]:
    rows = [row for row in stored["rows"] if row["corpus"] == corpus]
    yield corpus
    printed = value_of(TABLE, corpus, FIXED, LOST)
    yield "—" if printed is None else f"{printed:g}"
    for way in WAYS:
        yield over_seeds([row["learned"] - row[way] for row in rows])
    least, most = (
        edge(row["learned"] - row[name] for row in rows)
        for edge, name in ((min, "drawn_most"), (max, "drawn_least"))
    )
    yield f"{least:.2f} to {most:.2f}"
    yield str(len(rows))
