"""Tables of sparse attention: its agreement with inputs and states, and the trend along λ."""

from __future__ import annotations

from collections.abc import Iterator

from docs_tables import Stored, number, table, unfinished

_REFERENCES = ("gradient_through", "deletion", "state_gradient", "state_deletion")
_HEAD = (
    "corpus",
    "model",
    "seeds",
    "accuracy",
    *(f"τ: {one}" for one in _REFERENCES),
    "words with weight",
    "both zero",
)


_EVEN = (
    "corpus",
    "model",
    "seeds",
    "entropy of the importance for states",
    "published",
    "at initialisation",
    "own share",
)


def _even(one: Stored) -> Iterator[str]:
    yield from (
        one["corpus"],
        f"`{one['model']}`",
        str(one["seeds"]),
        number(one["values"].get("mixing.entropy")),
    )
    yield number(one["printed"]["entropy"])
    drawn = one["values"].get("mixing.focus.untrained")
    yield "—" if drawn is None else f"{1 - drawn['value']:.2f}"
    yield number(one["values"].get("mixing.own"))


def sparse(stored: Stored) -> str:
    """Table each model: τ, its coupling and τ within its support; then the trends along λ."""
    means = [one for one in stored["means"] if "sparsegen" not in one["model"]]
    left = unfinished(stored, len(stored["rows"]))
    text = f"{left}{table(_HEAD, map(_mean, means))}\n{table(_EVEN, map(_even, means))}"
    rows = [row for sweep in stored["sweeps"] for row in _along(sweep)]
    settings = sorted(
        {
            point["setting"]
            for s in stored["sweeps"]
            for one in s["along"].values()
            for point in one["points"]
        }
    )
    head = ("corpus", "number", *(f"λ = {setting:g}" for setting in settings), "τ-b with λ")
    return (
        f"{text}\n{table(head, (tuple(_cells(row, settings)) for row in rows))}" if rows else text
    )


def _mean(one: Stored) -> Iterator[str]:
    """Write τ, followed by its coupling and the τ within the support."""
    yield from (one["corpus"], f"`{one['model']}`", str(one["seeds"]), number(one["accuracy"]))
    values = one["values"]
    for name in _REFERENCES:
        tau, coupling, within = (
            number(values[f"{kind}.{name}"]) for kind in ("tau", "coupling_tau", "within_tau")
        )
        printed = number(one["printed"][name])
        yield (
            f"{tau} (published {printed}); coupling {coupling.partition(' ')[0]}; within "
            f"{within.partition(' ')[0]}"
        )
    yield from (number(values[name]) for name in ("support", "both_zero"))


def _along(sweep: Stored) -> Iterator[tuple[str, str, Stored, str]]:
    """Give each number along λ, and once the words with weight."""
    for name, one in sweep["along"].items():
        yield (
            sweep["corpus"],
            f"`{name}`",
            {point["setting"]: point["value"] for point in one["points"]},
            number(one["with_lambda"]) + _beside(sweep, name),
        )
    first = next(iter(sweep["along"].values()))
    yield (
        sweep["corpus"],
        "words with weight",
        {point["setting"]: point["support"] for point in first["points"]},
        "—",
    )


def _cells(row: tuple[str, str, Stored, str], settings: list[float]) -> Iterator[str]:
    corpus, name, values, with_lambda = row
    yield from (corpus, name)
    yield from (number(values.get(setting)) for setting in settings)
    yield with_lambda


def _beside(sweep: Stored, name: str) -> str:
    """Give the printed value, for the one number that has one."""
    if name != "entropy.gradient_through" or sweep["printed"] is None:
        return ""
    return f" (published {sweep['printed']:.2f})"
