"""Tables of the study of trained models: each with what the papers print, the settings that were
chosen, and every run.
"""

from __future__ import annotations

from collections.abc import Iterator

from docs_tables import Stored, gates, number, table, unfinished


def trained(stored: Stored) -> str:
    """Table each model over its seeds, the settings that validation chose among, and each run."""
    description = table(_MODEL, map(_model, stored["models"]))
    settings = table(_SETTING, map(_setting, stored["settings"])) if stored["settings"] else ""
    runs = table(_RUN, map(_run, stored["rows"]))
    done = len(stored["rows"]) + _left_out(stored)
    return (
        f"{unfinished(stored, done)}{gates(stored, done)}\n{description}\n{_chosen(settings)}**Every "
        f"run**:\n\n{runs}"
    )


_MODEL = (
    "corpus",
    "preset",
    "model",
    "seeds",
    "test texts",
    "accuracy",
    "F1",
    "asked",
    "printed; whether it is reached; how far our mean is from it",
)
_SETTING = ("corpus", "model", "validation score, seed 0")
_RUN = (
    "corpus",
    "preset",
    "model",
    "seed",
    "accuracy",
    "F1",
    "epochs",
    "kept",
    "converged",
    "seconds",
)


def _left_out(stored: Stored) -> int:
    """Count the runs of settings that were not chosen: they are done, and their test scores are not
    shown.
    """
    description = {row["run"] for row in stored["rows"]}
    return sum(one["run"] not in description for one in stored["settings"])


def _model(group: Stored) -> Iterator[str]:
    yield from (group["corpus"], f"`{group['preset']}`", f"`{group['model']}`", str(group["seeds"]))
    yield f"{group['accuracy']['n']:,}"
    yield from (number(group[name]) for name in ("accuracy", "F1"))
    yield "—" if group["least"] is None else number(group["least"])
    yield "; ".join(map(_printed, group["printed"])) or "—"


def _printed(one: Stored) -> str:
    description = {True: "yes", False: "no", None: "open"}[one["reached"]]
    return (
        f"{one['value']:.3g} {one['metric']} ({one['paper']}, {one['place']}): {description}, "
        f"{one['apart']:+.3f}"
    )


def _setting(one: Stored) -> tuple[str, ...]:
    return one["corpus"], f"`{one['model']}`", f"{one['validation']:.4f}"


def _chosen(settings: str) -> str:
    return f"**Settings that validation chose among**:\n\n{settings}\n" if settings else ""


def _run(row: Stored) -> Iterator[str]:
    yield from (row["corpus"], f"`{row['preset']}`", f"`{row['model']}`", row["seed"])
    yield from (number(row[name]) for name in ("accuracy", "F1"))
    yield from (
        str(row["epochs"]),
        str(row["kept"]),
        "yes" if row["converged"] else "no",
        f"{row['seconds']:,}",
    )
