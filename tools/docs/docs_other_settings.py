"""What numbers that lie outside become under settings that the papers leave open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from docs_tables import REPRODUCTION, Stored, number, table, verified

from sightline.core.results import Estimate
from sightline.report.number_format import interval
from sightline.stats.across_seeds import across_seeds
from sightline.stats.intervals import Bounds
from sightline.studies.papers.margins import compare_to
from sightline.studies.papers.published_values import printed_values_in

HEAD = (
    "table",
    "model",
    "set otherwise",
    "quantity",
    "published",
    "protocol",
    "so set",
    "chance level",
    "seeds",
    "result",
)
Of = tuple[str, str, str, str]


def other_settings(stored: Stored) -> str:
    """Table the numbers of each setting that a paper prints, next to those of the protocol."""
    rows = stored["rows"]
    settings = dict.fromkeys(
        (row["table"], row["corpus"], row["model"], row["setting"]) for row in rows
    )
    protocol = _protocol()
    lines = [line for setting in settings for line in _lines(setting, rows, protocol)]
    return table(HEAD, lines)


def _lines(
    setting: Of, rows: Sequence[Stored], protocol: Mapping[Of, str]
) -> Iterator[tuple[str, ...]]:
    artefact, corpus, model, says = setting
    own = [
        row
        for row in rows
        if (row["table"], row["corpus"], row["model"], row["setting"]) == setting
    ]
    for printed in printed_values_in(artefact):
        known = printed.quantity in own[0]["numbers"]
        if (printed.corpus, printed.model) == (corpus, model) and known:
            share = printed.quantity.startswith("significant")  # the others end nowhere near
            found = _across(
                [row["numbers"][printed.quantity] for row in own], (0.0, 1.0) if share else None
            )
            by_chance = [
                row["by_chance"][printed.quantity]
                for row in own
                if printed.quantity in row["by_chance"]
            ]
            compared = compare_to(printed, found, len(own))
            yield (
                artefact,
                f"{model} on {corpus}",
                says,
                printed.quantity,
                printed.written,
                protocol.get((artefact, *printed.of), "—"),
                interval(found),
                over_seeds(by_chance) if by_chance else "—",
                str(len(own)),
                "" if compared is None else compared.result,
            )


def _protocol() -> dict[Of, str]:
    """Give the numbers of the protocol's runs by table, corpus, model and quantity."""
    stored = verified(REPRODUCTION) or {"artefacts": ()}
    return {
        (one["id"], line["corpus"], line["model"], line["quantity"]): number(line["ours"])
        for one in stored["artefacts"]
        for line in one["lines"]
        if line["model"]
    }


def over_seeds(values: Sequence[float]) -> str:
    """Write a mean with its interval over seeds; one seed has none."""
    if len(values) == 1:
        return f"{values[0]:.2f}"
    return interval(_across(values))


def _across(values: Sequence[float], bounds: Bounds = None) -> Estimate:
    return across_seeds([Estimate(value, value, value, 1, "") for value in values], bounds)
