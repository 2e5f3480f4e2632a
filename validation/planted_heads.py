"""The verdict on a BERT whose heads are written by hand, so that the right attention source is
known: seed by seed.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from typing import Any

from checkout import ROOT
from gates import exactly

import sightline
from sightline.config.spec_syntax import parse_data
from sightline.measures.default_measures import default_measures

sys.path.insert(0, str(ROOT))  # the model comes from the tests
SEEDS, TEXTS = 5, 60
LEFT_OUT = "permutation"
"""SL-202: no row reached here looks at it, and it takes longer than all other measures
together."""


def planted_heads(seeds: int = SEEDS) -> dict[str, Any]:
    """Audit every attention source of every scenario under so many seeds, each for the words, the
    texts and the audit.
    """
    from tests.adapters.huggingface.planted import DATA, READINGS, WORLDS  # noqa: PLC0415  (transformers)

    asked = list(product(WORLDS, READINGS, range(seeds)))
    with ProcessPoolExecutor(2) as pool:
        found = list(pool.map(_audited, *zip(*asked, strict=True), chunksize=1))
    by_world: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for (world, reading, _), one in zip(asked, found, strict=True):
        by_world.setdefault((world, reading), []).append(one)
    groups = [_group(world, reading, audits) for (world, reading), audits in by_world.items()]
    return {
        "data": DATA,
        "texts": TEXTS,
        "seeds": seeds,
        "groups": groups,
        "gates": [gate for one in groups for gate in _promised(one)],
    }


def _audited(world: str, reading: str, seed: int) -> Mapping[str, Any]:
    """Make one audit, and keep what is counted."""
    from tests.adapters.huggingface.planted import (  # noqa: PLC0415  (transformers)
        DATA,
        READINGS,
        planted_bert,
        sunk,
        tells_of_special_tokens,
    )

    texts = sightline.load(parse_data(DATA), seed)
    model = sightline.transformer(*planted_bert(world, seed), **READINGS[reading])
    measures = [one for one in default_measures() if one.code != LEFT_OUT]
    limit = 2 * TEXTS if model.choosing else TEXTS  # half of the texts choose
    audit = sightline.audit(model, texts, seed=seed, limit=limit, measures=measures)
    return {
        "row": audit.verdict.row,
        "accuracy": audit.metrics["accuracy"].value,
        "sunk": sunk(audit),
        "told": tells_of_special_tokens(audit),
    }


def _group(world: str, reading: str, audits: list[Mapping[str, Any]]) -> dict[str, Any]:
    from tests.adapters.huggingface.planted import CAN, READINGS, WORLDS  # noqa: PLC0415  (transformers)

    rows = Counter(one["row"] for one in audits)
    made = WORLDS[world]
    right = made.right[list(READINGS).index(reading)]
    return {
        "world": world,
        "reading": reading,
        "chosen": READINGS[reading],
        "audits": len(audits),
        "accuracy_mean": round(sum(one["accuracy"] for one in audits) / len(audits), 3),
        "rows": {str(row): rows[row] for row in sorted(rows)},
        "right": list(right),
        "is_right": sum(one["row"] in right for one in audits),
        "sunk": {"wanted": made.sunk, "count": sum(one["sunk"] for one in audits)},
        "told": {"wanted": made.sunk and right == CAN, "count": sum(one["told"] for one in audits)},
    }


def _promised(group: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Compare the counts with what holds by construction: each time, because nothing here is
    trained.
    """
    name, of = f"{group['world']}, {group['reading']}", group["audits"]
    if group["right"]:
        yield exactly(f"{name}: row {' or '.join(map(str, group['right']))}", group["is_right"], of)
    if "reading" in group["chosen"]:
        return  # the weight on special tokens differs between attention sources
    for what, label in (
        ("sunk", "more on special tokens than chance puts there"),
        ("told", "and the verdict says so"),
    ):
        count = group[what]["count"]
        yield (
            exactly(f"{name}: {label}", count, of)
            if group[what]["wanted"]
            else _never(f"{name}: {label}", count, of)
        )


def _never(name: str, count: int, of: int) -> dict[str, Any]:
    return exactly(f"{name}: never", of - count, of)
