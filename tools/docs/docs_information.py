"""Tables of the study of what ranks know."""

from __future__ import annotations

from collections.abc import Iterator

from docs_tables import Stored, number, table, unfinished

_MEAN = (
    "corpus",
    "model",
    "seeds",
    "published τ",
    "τ, own answer",
    "τ, uniform attention",
    "τ, label",
    "D, own answer",
    "D, uniform attention",
    "D, label",
    "a₁ / a_k",
    "said of ranks, by seed",
)
_ROW = (
    "corpus",
    "model",
    "seed",
    "accuracy",
    "τ, own answer",
    "5 % critical",
    "D, own answer",
    "p, coupling",
    "D, uniform attention (p)",
    "D, label (p)",
    "label D found in 4 of 5",
    "a₁ / a_k",
    "n",
)
_TARGETS = ("output", "decoupled", "label")
NATS = 3
"""Decimals of small numbers: of nats, and of probabilities."""


def information(stored: Stored) -> str:
    """Table the means over seeds with the printed values, and then each run."""
    means, rows = (table(names, map(each, stored[key])) for names, each, key in
                   ((_MEAN, _mean, "means"), (_ROW, _row, "rows")))  # fmt: skip
    left = unfinished(stored, len(stored["rows"]))
    return (
        f"{left}**Means over seeds**, with the interval over these:\n\n{means}\n**Each "
        f"run**:\n\n{rows}"
    )


def _mean(mean: Stored) -> Iterator[str]:
    yield from (mean["corpus"], _named(mean), str(mean["seeds"]))
    yield number(mean["printed"])
    yield from (number(mean.get(f"paper.tau.{target}")) for target in _TARGETS)
    yield from (number(mean.get(f"D.{target}"), NATS) for target in _TARGETS)
    yield number(mean.get("flatness"))
    yield "; ".join(mean["said"])


def _row(row: Stored) -> Iterator[str]:
    found, settings = row["numbers"], row["settings"]
    yield from (row["corpus"], _named(row), row["seed"], number(row["accuracy"]))
    yield number(found.get("paper.tau.output"))
    yield number(settings.get("critical_tau"))
    yield number(found.get("D.output"), NATS)
    yield number(found.get("coupled.D", {}).get("value"), NATS)
    for target in _TARGETS[1:]:
        p = found.get(f"exchanged.D.{target}")
        yield number(found.get(f"D.{target}"), NATS) + (
            "" if p is None else f" (p = {p['value']:.3f})"
        )
    yield number(settings.get("contrast_found", {}).get("label"), NATS)
    yield number(found.get("flatness"))
    yield f"{found['D.label']['n']:,}" if "D.label" in found else f"{row['texts']:,}, {row['said']}"


def _named(row: Stored) -> str:
    return row["model"] if row["kind"] == "trained" else f"{row['model']}, {row['kind']}"
