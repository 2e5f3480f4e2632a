"""Tables of the studies of adversaries and of ablations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from docs_tables import Stored, number, table, unfinished

_MAPS = ("attention", "gradient", "deletion", "contribution")
_ADVERSARY = (
    "divergence",
    "λ",
    "trained",
    "accuracy",
    "JSD",
    "TVD",
    "SL-303",
    *(f"carried: {name}" for name in _MAPS),
    "epochs",
)
_ABLATION = (
    "corpus",
    "model",
    "seeds",
    "accuracy",
    "macro-F1",
    "carried by attention",
    "SL-303 by seed",
)


def adversaries(stored: Stored) -> str:
    """Table the base and the distance to its other seeds, then each adversary."""
    base = next(row for row in stored["rows"] if row["kind"] == "base")
    others = [row for row in stored["rows"] if row["kind"] != "base"]
    seeds = [
        (name.partition(".")[2], number(one), number(base["beside"][name.replace("jsd", "tvd")]))
        for name, one in base["beside"].items()
        if name.startswith("jsd.")
    ]
    accuracy = base["metrics"]["accuracy"]
    return (
        f"{unfinished(stored, len(stored['rows']))}**The base**: accuracy {number(accuracy)} "
        f"on {accuracy['n']:,} test texts, SL-303 {_describe(base)}. Its attention and "
        "answers compared with the same model from other "
        f"seeds:\n\n{table(('seed', 'JSD', 'TVD'), seeds)}\n**Its "
        f"adversaries**:\n\n{table(_ADVERSARY, map(_adversary, others))}"
    )


def _adversary(row: Stored) -> Iterator[str]:
    yield from (row["divergence"].upper(), row["weight"], row["kind"])
    yield number(row["metrics"]["accuracy"])
    yield from (number(row["beside"][f"{kind}.base"]) for kind in ("jsd", "tvd"))
    yield _describe(row)
    carried = {one["name"]: one["carried"] for one in row["maps"]}
    yield from (number(carried.get(name)) for name in _MAPS)
    yield f"{row['kept']} of {row['epochs']}{'' if row['converged'] else ', not converged'}"


def _describe(row: Stored) -> str:
    found: dict[str, Any] = row["SL-303"]
    return (
        f"{found['answer']} ({number(found['effect'])})"
        if found.get("effect")
        else found.get("answer", "—")
    )


def ablations(stored: Stored) -> str:
    """Table each model over its seeds."""
    return f"{unfinished(stored, len(stored['rows']))}{table(_ABLATION, map(_ablation, stored['means']))}"


def _ablation(mean: Stored) -> Iterator[str]:
    yield from (mean["corpus"], mean["kind"], str(mean["seeds"]))
    yield from (number(mean[name]) for name in ("accuracy", "f1", "carried"))
    yield ", ".join(mean["answers"])
