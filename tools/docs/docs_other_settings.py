"""What numbers that lie outside become under settings that the papers leave open."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

import docs_tried as tried
import numpy as np
from docs_numbers import protocol_lines
from docs_seeds import across, ends_of, numbers_of, over_seeds
from docs_tables import Stored, number, table

from sightline.core.results import Estimate
from sightline.report.number_format import interval
from sightline.stats.intervals import LEVEL
from sightline.studies.papers.claim_list import FIXED_ATTENTION, LOST_TAU, TAU_BY_RANK
from sightline.studies.papers.margins import OUTSIDE, compare_to
from sightline.studies.papers.published_values import printed_values_in
from sightline.studies.papers.study_models import BILSTM

HEAD = (
    "table",
    "model",
    "set otherwise",
    "quantity",
    "published",
    "protocol",
    "so set",
    "change, same seeds",
    "chance level",
    "seeds",
    "result",
)
Of = tuple[str, str, str, str]
BySeed = Mapping[tuple[str, str, str, int], Mapping[str, float]]


def other_settings(stored: Stored) -> str:
    """Table the numbers of each setting that a paper prints, next to those of the protocol."""
    rows = [*stored["rows"], *_tried_outside()]
    settings = dict.fromkeys(
        (row["table"], row["corpus"], row["model"], row["setting"]) for row in rows
    )
    tables = {row["table"] for row in rows}
    protocol = _protocol(), _by_seed(tables), _by_seed(tables, chance=True)
    lines = [line for setting in settings for line in _lines(setting, rows, protocol)]
    changes = [change for _, change in lines if change is not None and change.low < change.high]
    sure = sum(change.low > 0 or change.high < 0 for change in changes)
    return (
        f"{len(lines)} numbers under {len(settings)} settings of a model. {len(changes)} changes have "
        f"an interval over seeds, and {sure} of these exclude 0; if no setting mattered, about "
        f"{(1 - LEVEL) * len(changes):.0f} would by luck. None is corrected for their number.\n\n"
        f"{table(HEAD, [cells for cells, _ in lines])}"
    )


def _lines(
    setting: Of, rows: Sequence[Stored], protocol: tuple[Mapping[Of, str], BySeed, BySeed]
) -> Iterator[tuple[tuple[str, ...], Estimate | None]]:
    """Give the cells of each number of a setting, and its change from the protocol’s runs."""
    paper_table, corpus, model, says = setting
    means, by_seed, chances = protocol
    every = [
        row
        for row in rows
        if (row["table"], row["corpus"], row["model"], row["setting"]) == setting
    ]
    for printed in printed_values_in(paper_table):
        own = [row for row in every if printed.quantity in row["numbers"]]
        if (printed.corpus, printed.model) == (corpus, model) and own:
            found = across(
                [row["numbers"][printed.quantity] for row in own], ends_of(printed.quantity)
            )
            by_chance = [
                row["by_chance"][printed.quantity]
                for row in own
                if printed.quantity in row["by_chance"]
            ]
            compared = compare_to(printed, found, len(own))
            changes = _changes(own, printed.quantity, by_seed)
            cells = (
                paper_table,
                f"{model} on {corpus}",
                says,
                printed.quantity,
                printed.written,
                means.get((paper_table, *printed.of), "—"),
                interval(found),
                over_seeds(changes) if changes else "—",
                _chance(by_chance, own, printed.quantity, chances),
                str(len(own)),
                "" if compared is None else compared.result,
            )
            yield cells, across(changes) if len(changes) > 1 else None


def _protocol() -> dict[Of, str]:
    """Give the numbers of the protocol's runs by table, corpus, model and quantity."""
    return {of: number(line["ours"]) for of, line in protocol_lines().items() if line["model"]}


def _chance(values: Sequence[float], own: Sequence[Stored], quantity: str, before: BySeed) -> str:
    """Write a chance level, and how far it moves over the seeds for which the protocol has one."""
    if not values:
        return "—"
    changes = _changes(own, quantity, before, of="by_chance")
    moved = f" ({np.mean(changes):+.2f})".replace("-", "−") if changes else ""
    return over_seeds(values, ends_of(quantity)) + moved


def _tried_outside() -> list[Stored]:
    """Give what other tables of the protocol try, for the numbers that lie outside."""
    lines = protocol_lines()
    return [
        row | {"numbers": kept}
        for row in tried.rows()
        if (
            kept := {
                quantity: value
                for quantity, value in row["numbers"].items()
                if lines.get((row["table"], row["corpus"], row["model"], quantity), {}).get(
                    "result"
                )
                == OUTSIDE
            }
        )
    ]


def _changes(
    own: Sequence[Stored], quantity: str, by_seed: BySeed, of: str = "numbers"
) -> list[float]:
    """Give the change from the protocol's run of the same seed, for each seed."""
    changes = []
    for row in own:
        before = by_seed.get((row["table"], row["corpus"], row["model"], row["seed"]), {})
        if quantity in before and quantity in row[of]:
            changes.append(row[of][quantity] - before[quantity])
    return changes


def _by_seed(tables: Collection[str], *, chance: bool = False) -> BySeed:
    """Give the numbers of each of the protocol's runs, or their chance levels, by table, corpus,
    model and seed.
    """
    found = {
        (name, corpus, model, seed): {**said}
        for name in tables
        for (corpus, model), seeds in numbers_of(name, chance=chance).items()
        for seed, said in seeds.items()
    }
    for (name, corpus, model, seed), said in found.items():  # a loss is of two runs of a seed
        plain = found.get((name, corpus, BILSTM, seed), {})
        if model == FIXED_ATTENTION and TAU_BY_RANK in plain and TAU_BY_RANK in said:
            said[LOST_TAU] = plain[TAU_BY_RANK] - said[TAU_BY_RANK]
    return found
