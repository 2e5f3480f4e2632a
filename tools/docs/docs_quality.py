"""Tables of how good each test is, and how often the intervals of scores contain the truth."""

from __future__ import annotations

from docs_tables import Stored, table


def quality(stored: Stored) -> str:
    """Table how well each test, and each published metric, separates right maps from others."""
    head = (
        "score",
        "against maps that mislead",
        "against frauds",
        "false passes",
        "false failures",
    )
    rows = [
        (
            one["name"],
            *(_area(one[kind]) for kind in ("misleading", "fraud")),
            *(_of(one[kind]) for kind in FALSE),
        )
        for one in stored.get("quality", ())
    ]
    return table(head, rows)


FALSE = ("false_passes", "false_failures")


def _area(one: Stored | None) -> str:
    return (
        "—"
        if one is None
        else f"{one['value']:.3f} [{one['low']:.3f}, {one['high']:.3f}], n = {one['n']}"
    )


def _of(one: Stored | None) -> str:
    return "—" if one is None else f"{one['count']} of {one['n']}"


def metrics_counted(stored: Stored) -> str:
    """Say how many runs the metrics were measured on, and with what."""
    known = stored["ice"]["version"]
    ice = f"ICE is `ice-faithfulness` {known}" if known else "ICE was not at hand"
    runs = f"{stored['runs']:,} of {stored['planned']:,} planned runs"
    return f"**Measured on {runs}**, {stored['texts']} test texts of each; {ice}.\n"


def metrics(stored: Stored) -> str:
    """Table how well metrics outside of audits separate maps, and the tests on the same runs."""
    return quality(stored)


def scores_covered(stored: Stored) -> str:
    """Table how often the intervals of scores contained the truth, by kind and number of texts."""
    scores = stored.get("scores")
    if scores is None:
        return "Not counted yet.\n"
    sizes = list(dict.fromkeys(row["n"] for row in scores["rows"]))
    held: dict[tuple[str, str, str, str], dict[int, str]] = {}
    for row in scores["rows"]:
        name = (row["score"], row["texts"], f"{row['truth']:.2f}", f"{row['level']:g}")
        without = f", {row['without_interval']} without" if row["without_interval"] else ""
        held.setdefault(name, {})[row["n"]] = f"{row['held']:.3f}{without}"
    rows = [(*name, *(of[n] for n in sizes)) for name, of in held.items()]
    head = ("score", "texts", "truth", "claimed", *(f"n = {n:,}" for n in sizes))
    return f"{scores['audits']:,} simulated audits of each.\n\n{table(head, rows)}"
