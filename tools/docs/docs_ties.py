"""What Table 2 of Wen et al. (2022) says under other ways of breaking ties, and other numbers of ranks."""

from __future__ import annotations

from collections.abc import Iterator

from docs_seeds import over_seeds
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
    yield _printed(corpus)
    for way in WAYS:
        yield over_seeds([row["learned"] - row[way] for row in rows])
    least, most = (
        edge(row["learned"] - row[name] for row in rows)
        for edge, name in ((min, "drawn_most"), (max, "drawn_least"))
    )
    yield f"{least:.2f} to {most:.2f}"
    yield str(len(rows))


RULES = ("audited", "both", "weight")
MODELS = ("learned", "fixed")


def rank_rules(stored: Stored) -> str:
    """Table τ lost under fixed attention by corpus, under each number of ranks."""
    head = (
        "corpus", "published", "as audited", "the smaller, without a limit", "by weight alone",
        "ranks of fixed attention", "of learned attention", "seeds",
    )  # fmt: skip
    corpora = dict.fromkeys(row["corpus"] for row in stored["rows"])
    return table(head, (_by_rule(corpus, stored) for corpus in corpora))


def _by_rule(corpus: str, stored: Stored) -> Iterator[str]:
    by_seed: dict[int, dict[str, Stored]] = {}
    for row in stored["rows"]:
        if row["corpus"] == corpus:
            by_seed.setdefault(row["seed"], {})[row["attention"]] = row
    pairs = [one for one in by_seed.values() if len(one) == len(MODELS)]
    yield corpus
    yield _printed(corpus)
    for rule in RULES:
        fixed = [one["fixed"][rule]["tau"] for one in pairs]
        lost = [one["learned"][rule]["tau"] - tau for one, tau in zip(pairs, fixed, strict=True)]
        yield over_seeds(lost) if any(fixed) else "—"
    for model in reversed(MODELS):
        yield ", ".join(_ranks(pairs, model, rule) for rule in RULES)
    yield str(len(pairs))


def _printed(corpus: str) -> str:
    printed = value_of(TABLE, corpus, FIXED, LOST)
    return "—" if printed is None else f"{printed:g}"


def _ranks(pairs: list[dict[str, Stored]], model: str, rule: str) -> str:
    counts = [one[model][rule]["ranks"] for one in pairs]
    return f"{min(counts)}" if min(counts) == max(counts) else f"{min(counts)} to {max(counts)}"
