"""The table of maps: how well they find marked words, and how much their words carry."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from docs_tables import Stored, number, table, unfinished

_HEAD = (
    "model",
    "map",
    "AUPRC",
    "by chance",
    "above it",
    "F1",
    "by chance",
    "IOU F1",
    "by chance",
    "carried",
    "may be shown (by seed)",
)
_KINDS = ("auprc", "auprc_chance", "above_chance", "f1", "f1_chance", "iou", "iou_chance")


def plausible(stored: Stored) -> str:
    """Table every map of every model over its seeds, after the accuracy of the models."""
    models = table(
        ("model", "seeds", "test texts a seed", "accuracy"),
        (
            (one["model"], str(one["seeds"]), str(one["accuracy"]["n"]), number(one["accuracy"]))
            for one in stored["models"]
        ),
    )
    maps = (tuple(_map(model["model"], one)) for model in stored["models"] for one in model["maps"])
    return f"{unfinished(stored, len(stored['rows']))}{models}\n{table(_HEAD, maps)}"


def _map(model: str, one: Stored) -> Iterator[str]:
    yield from (f"`{model}`", f"`{one['name']}`")
    yield from (number(one[kind], 3) for kind in _KINDS)  # what is above chance may be a hundredth
    yield number(one["carried"])
    yield ", ".join(f"{answer} {count}" for answer, count in Counter(one["answers"]).items())
