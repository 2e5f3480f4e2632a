"""Match the texts that two audits share, and compare their attention on these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from sightline.core.results import Measurement, Ragged, Results, TextRecord
from sightline.numerics.divergences import jensen_shannon

Array = np.ndarray
SAME_TEXTS = "to compare models, keep one file of texts and audit each model on all of it"
"""What to do if two audits have other texts, and neither a recipe nor a sample says why."""


@dataclass(frozen=True)
class MatchedTexts:
    """The rows of the shared texts in both audits, in the order of the first, or why no texts are
    paired.

    ``alone`` counts the texts that only the first audit has, and only the second.
    """

    first: Int[Array, " N"]
    second: Int[Array, " N"]
    alone: tuple[int, int]
    unpaired: str = ""
    notes: tuple[str, ...] = ()


def match(
    first: Results, second: Results, labels: Sequence[str], others: Sequence[str]
) -> MatchedTexts:
    """Find the texts that two audits share: with the same id, text and query."""
    place = {_known_by(text): row for row, text in enumerate(second.texts)}
    found = [(row, place.pop(_known_by(text), -1)) for row, text in enumerate(first.texts)]
    rows = np.array([pair for pair in found if pair[1] >= 0], dtype=np.int64).reshape(-1, 2)
    alone = len(first.texts) - len(rows), len(second.texts) - len(rows)
    why = _unpaired(first, second, labels, others, len(rows))
    shared = rows[:0] if why else rows
    return MatchedTexts(
        shared[:, 0], shared[:, 1], alone, why, () if why else _notes(first, second, rows)
    )


def _known_by(text: TextRecord) -> tuple[str, str, tuple[str, ...] | None]:
    return text.id, text.text, text.query


def _unpaired(
    first: Results, second: Results, labels: Sequence[str], others: Sequence[str], common: int
) -> str:
    """Say why no texts can be paired."""
    if not (first.texts and second.texts):
        return "an audit holds no texts, so it is unknown which texts are the same"
    if set(labels) != set(others):
        text = " and ".join(
            ", ".join(map(repr, names)) for names in (sorted(labels), sorted(others))
        )
        return f"the models answer different questions: their labels are {text}"
    if common:
        return ""
    found = [*_recipes(first, second), *_samples(first, second)] or [SAME_TEXTS]
    return "; ".join(["no text of one is among the texts of the other, by id and text", *found])


def _recipes(first: Results, second: Results) -> list[str]:
    """Say that each audit prepared its texts in another way."""
    recipes = [audit.cards.get("data", {}).get("recipe") for audit in (first, second)]
    if None in recipes or recipes[0] == recipes[1]:
        return []
    return [
        f"their texts were prepared by the recipes {' and '.join(map(str, recipes))}: give both "
        "audits one --recipe"
    ]


def _notes(first: Results, second: Results, rows: Int[Array, "N 2"]) -> tuple[str, ...]:
    pairs = [(first.texts[a], second.texts[b]) for a, b in rows]
    labels = sum(a.label != b.label for a, b in pairs)
    words = sum(a.tokens != b.tokens for a, b in pairs)
    counted = (
        (labels, "have another label in the second audit"),
        (words, "were read as other words, or cut elsewhere"),
    )
    entries = tuple(f"{n} of {len(pairs)} shared texts {what}" for n, what in counted if n)
    return (*_samples(first, second), *entries)


def _samples(first: Results, second: Results) -> list[str]:
    """Explain why audits of the same test set share few texts: each took its own sample."""
    sizes, seeds = zip(*map(_sample, (first, second)), strict=True)
    if None in seeds or seeds[0] == seeds[1]:
        return []
    return [
        "each audit took its own sample of the test texts "
        f"({' and '.join(map(str, sizes))}, by the seeds {' and '.join(map(str, seeds))}): "
        "without a limit, or with one seed for both audits, they share more"
    ]


def _sample(audit: Results) -> tuple[int, int | None]:
    """Give the number of audited texts, and the seed that sampled them; None if all were taken."""
    card = audit.cards.get("data", {}).get("sample", {})
    return len(audit.texts), card.get("seed")


def attention_apart(
    first: Results, second: Results, matched: MatchedTexts
) -> tuple[Float[Array, " N"], tuple[str, ...]]:
    """Give the Jensen-Shannon divergence of the two attentions of each shared text, each scaled to
    sum to one.

    NaN if the text was split into other words, or if a map has no finite weight.
    """
    maps = [_attention(audit) for audit in (first, second)]
    if maps[0] is None or maps[1] is None:
        return np.full(len(matched.first), np.nan), (
            "an audit holds no attention, so maps cannot be compared",
        )
    pairs = zip(matched.first.tolist(), matched.second.tolist(), strict=True)
    apart = np.array(
        [_apart(maps[0][a], maps[1][b], first.texts[a], second.texts[b]) for a, b in pairs]
    )
    lost = int(np.isnan(apart).sum())
    return apart, (
        f"{lost} of {len(apart)} shared texts have no two maps that could be compared",
    ) if lost else ()


def _attention(audit: Results) -> list[Array] | None:
    outputs = audit.measurements.get("outputs")
    found = outputs.values.get("attention") if isinstance(outputs, Measurement) else None
    return found.rows() if isinstance(found, Ragged) else None


def _apart(first: Array, second: Array, one: TextRecord, other: TextRecord) -> float:
    if one.tokens != other.tokens or len(first) != len(second):
        return np.nan
    totals = first.sum(), second.sum()
    if not all(np.isfinite(total) and total > 0 for total in totals):
        return np.nan
    return float(jensen_shannon(first / totals[0], second / totals[1]))
