"""How often the exact results hold: thousands of small texts against brute force, a search, and
models built by hand.

Each check of ``tests/numerics/exactly.py`` is made on texts with ties, zeros, one token and
saturated outputs. The search is the one of Jain & Wallace (2019), on token logits, at one
tolerance in one unit. In the models attention is decisive by construction, or irrelevant, and both
tests of attention must distinguish the two.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import torch
from checkout import ROOT
from gates import exactly
from scipy.special import expit

from sightline.core.results import Estimate
from sightline.numerics.max_divergence import bound_gap, farthest
from sightline.studies.study_definition import gate

sys.path.insert(0, str(ROOT))

from tests.numerics.exactly import CHECKS, case
from tests.planted.by_hand import CODES, WORLDS, effects
from tests.reference.flips import compare
from tests.reference.searching import found, search

CASES, SEEDS, LEAST = 2_000, 200, 198
SEARCHED, LONGEST, EPSILON = 2_000, 20, 0.01


def exact(cases: int = CASES, seeds: int = SEEDS) -> dict[str, Any]:
    """Repeat every check, search the texts, and audit models of each kind."""
    with ProcessPoolExecutor(2) as pool:
        held = {
            name: sum(pool.map(partial(_holds, name), range(cases), chunksize=50))
            for name in CHECKS
        }
        flips = sum(pool.map(_flips_hold, range(cases), chunksize=50))
        worlds = {
            name: list(pool.map(partial(effects, name), range(seeds), chunksize=5))
            for name in WORLDS
        }
    searched = _searched(SEARCHED)
    return {
        "cases": cases,
        "seeds": seeds,
        "searched": {name: value for name, value in searched.items() if name != "above"},
        "worlds": [_world(name, found) for name, found in worlds.items()],
        "gates": [
            *(exactly(f"exact: {name}", count, cases) for name, count in held.items()),
            exactly(
                "exact: the smallest set without which a decision flips, all subsets", flips, cases
            ),
            exactly(
                "exact: the search is never above",
                searched["texts"] - searched["above"],
                searched["texts"],
            ),
            *_gates(worlds),
        ],
    }


def _holds(name: str, seed: int) -> bool:
    """Make one check of one text."""
    try:
        CHECKS[name][0](*case(name, seed))
    except AssertionError as error:
        print(f"{name}, seed {seed}: {error}", file=sys.stderr)
        return False
    return True


def _flips_hold(seed: int) -> bool:
    """Try every set of the words of one text."""
    try:
        compare(seed)
    except AssertionError as error:
        print(f"flips, seed {seed}: {error}", file=sys.stderr)
        return False
    return True


def _searched(texts: int) -> dict[str, Any]:
    """Search texts about as long as those of SST, and count where it exceeds the exact value."""
    generator = np.random.default_rng(0)
    mask = np.arange(LONGEST) < generator.integers(1, LONGEST + 1, (texts, 1))
    z, scores = generator.normal(0, 3, mask.shape), generator.normal(0, 2, mask.shape)
    weights = np.where(mask, np.exp(scores), 0.0)
    weights /= weights.sum(axis=1, keepdims=True)
    own = (weights * z).sum(axis=1)
    best = farthest(z, weights, mask, *bound_gap(own, expit(own), expit(-own), EPSILON)).divergence
    logits, attention = torch.from_numpy(z), torch.from_numpy(weights)

    def decode(some: torch.Tensor) -> torch.Tensor:
        return (some * logits).sum(-1).sigmoid()

    ended = search(decode, attention, torch.from_numpy(mask), EPSILON)
    reached = found(decode, ended, attention, EPSILON).numpy()
    return {
        "texts": texts,
        "epsilon": EPSILON,
        "exact_mean": round(float(best.mean()), 4),
        "search_mean": round(float(reached.mean()), 4),
        "above": int((reached > best + 1e-6).sum()),
    }


def _world(name: str, found: list[dict[str, Estimate]]) -> dict[str, Any]:
    """Give the range of the effects of a scenario over its seeds."""
    return {"world": name} | {code: _spread([one[code].value for one in found]) for code in CODES}


def _spread(values: list[float]) -> dict[str, float]:
    of = {"mean": np.mean, "least": np.min, "most": np.max}
    return {what: round(float(function(values)), 4) for what, function in of.items()}


def _gates(worlds: dict[str, list[dict[str, Estimate]]]) -> Iterator[dict[str, Any]]:
    """Count the seeds in which the whole interval of an effect lies on its side of δ."""
    for (name, audits), code in product(worlds.items(), CODES):
        right = sum(WORLDS[name].right(code, one[code]) for one in audits)
        least = f"≥ {LEAST} of {SEEDS}"
        yield gate(
            f"{name}: {code} {WORLDS[name].wanted}",
            right,
            len(audits),
            least,
            holds=right * SEEDS >= LEAST * len(audits),
        )
