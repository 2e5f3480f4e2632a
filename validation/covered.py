"""How often an interval contains the true value: texts are drawn repeatedly from a population whose
truth is known.

A text has a score, whose mean is the truth, in one of four shapes: normal; rare (5 % of texts have
one); lognormal; clustered (sources of five texts, which share most of it). It is estimated as a
mean, and as a ratio: the gain of a text over its largest possible gain, which differs from text to
text and is now and then below 0. Pairs have scores of the donor and of the receiver, which are
related, and noise; a donor has four partners, all of another class. Over classes, which differ, a
ratio is estimated in which each class has the same weight. A share of texts is estimated over
clusters of unequal sizes.

The scores of whole audits are simulated, too (``validation/covered_scores.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from covered_scores import scores

from sightline.core.results import Estimate
from sightline.core.seeds import Seeds
from sightline.stats import bootstrap
from sightline.stats.dyads import dyads
from sightline.stats.intervals import LEVEL
from sightline.stats.ratios import ratio
from sightline.stats.strata import Strata

Array = np.ndarray
Random = np.random.Generator
SIZES, REPETITIONS, LEAST, FROM = (50, 200, 1000), 2000, 0.93, 200
MEAN, APART, OF_A_SOURCE, PARTNERS, RARE = 0.3, 0.6, 5, 4, 8
MANY = "twenty classes"
UNEQUAL, LARGE = "clusters of five and single texts", "five clusters of two thirds"


def _normal(random: Random, n: int) -> Array:
    return random.normal(MEAN, 0.2, n)


def _rare(random: Random, n: int) -> Array:
    return np.where(random.random(n) < 0.05, random.normal(20 * MEAN, 0.2, n), 0.0)


def _lognormal(random: Random, n: int) -> Array:
    return random.lognormal(np.log(MEAN) - 0.5, 1.0, n)


def _clustered(random: Random, n: int) -> Array:
    return MEAN + random.normal(0, 0.2, n)[_sources(n)] + random.normal(0, 0.1, n)


def _sources(n: int) -> Array:
    return np.arange(n) // OF_A_SOURCE


SHAPES: Mapping[str, Callable[[Random, int], Array]] = {
    "normal": _normal,
    "rare": _rare,
    "lognormal": _lognormal,
    "clustered": _clustered,
}


def _mean(shape: str, n: int, seed: int) -> Estimate:
    random = Seeds(seed).generator(f"mean {shape}", n)
    clusters = _sources(n) if shape == "clustered" else None
    return bootstrap.mean(SHAPES[shape](random, n), seed, None, clusters)


def _share(shape: str, n: int, seed: int) -> Estimate:
    """A share of texts in clusters of unequal sizes; the texts of a cluster share half of what
    makes them differ.
    """
    random = Seeds(seed).generator(f"share {shape}", n)
    sizes = [OF_A_SOURCE] * (n // 10) if shape == UNEQUAL else [2 * n // 15] * 5
    sizes += [1] * (n - sum(sizes))
    probability = random.beta(MEAN, 1 - MEAN, len(sizes))  # a correlation of 1/2
    clusters = np.repeat(np.arange(len(sizes)), sizes)
    return bootstrap.proportion((random.random(n) < probability[clusters]).astype(float), clusters)


def _ratio(shape: str, n: int, seed: int) -> Estimate:
    random = Seeds(seed).generator(f"ratio {shape}", n)
    clusters = _sources(n) if shape == "clustered" else None
    effects, room = SHAPES[shape](random, n), random.lognormal(0, 0.8, n) + random.normal(0, 0.3, n)
    return ratio(effects * room, room, seed, clusters, bounds=None)


PAIRS: Mapping[str, tuple[bool, float, bool]] = {
    "two classes": (False, 0.2, False),
    "eight texts of a class": (True, 0.2, False),
    "two classes, skewed": (False, 0.4, True),
    "eight texts of a class, skewed": (True, 0.4, True),
    "two classes, noise alone": (False, 0.0, False),
}
"""Whether one class is rare, the spread of the scores of texts, and whether it is skewed
(exponential)."""


def _pairs(shape: str, n: int, seed: int) -> Estimate:
    random = Seeds(seed).generator(f"pairs {shape}", n)
    rare, spread, skewed = PAIRS[shape]
    few = RARE if rare else n // 2
    draw = (lambda: random.exponential(1, n) - 1) if skewed else (lambda: random.normal(0, 1, n))
    shared = draw()
    donor, receiver = spread * shared, spread * (0.5 * shared + 0.75**0.5 * draw())
    first = np.repeat(np.arange(n), PARTNERS)
    others = (np.arange(few, n), np.arange(few))
    second = np.concatenate(
        [random.choice(others[i >= few], PARTNERS, replace=False) for i in range(n)]
    )
    weight = np.where(first < few, n / few, n / (n - few))  # each class has the same weight
    room = random.lognormal(0, 0.4, len(first)) * weight
    return dyads(
        room * (MEAN + donor[first] + receiver[second] + random.normal(0, 0.3, len(first))),
        room,
        first,
        second,
    )


def _classes(shape: str, n: int, seed: int) -> Estimate:
    random = Seeds(seed).generator(f"classes {shape}", n)
    if shape == MANY:
        return _many_classes(random, n, seed)
    rare, spread, skewed = PAIRS[shape]
    classes = (np.arange(n) >= (RARE if rare else n // 2)).astype(int)
    share = Strata.of(np.arange(n), classes).weight[classes == 0].sum() / n
    apart = np.where(classes == 0, 1 - share, -share)
    effects = (
        MEAN
        + APART * apart
        + spread * (random.exponential(1, n) - 1 if skewed else random.normal(0, 1, n))
    )
    room = random.lognormal(0, 0.4, n)
    return ratio(effects * room, room, seed, bounds=None, classes=classes)


def _many_classes(random: Random, n: int, seed: int) -> Estimate:
    """Texts of twenty classes of the same frequency, whose means lie evenly around the truth."""
    classes = random.integers(0, 20, n)
    means = MEAN + APART * np.linspace(-1, 1, 20)
    room = random.lognormal(0, 0.4, n)
    effects = means[classes] + random.normal(0, 0.2, n)
    return ratio(effects * room, room, seed, bounds=None, classes=classes)


KINDS: Mapping[str, tuple[Callable[[str, int, int], Estimate], tuple[str, ...]]] = {
    "mean": (_mean, tuple(SHAPES)),
    "ratio": (_ratio, tuple(SHAPES)),
    "share": (_share, (UNEQUAL, LARGE)),
    "pairs": (_pairs, tuple(PAIRS)),
    "classes": (_classes, (*tuple(PAIRS)[:4], MANY)),
}
NOT_PROMISED = {("classes", "eight texts of a class, skewed"), ("share", LARGE)}
"""Half of the estimate is eight skewed values, or two thirds of it five clusters, whatever the rest
is, and no interval of so few is right."""


def coverage(repetitions: int = REPETITIONS) -> dict[str, Any]:
    """Count, for every kind, shape and size, how often the interval contained the truth, and on
    which side it missed.
    """
    cases = [
        (kind, shape, n)
        for kind, (_, shapes) in KINDS.items()
        for shape, n in product(shapes, SIZES)
    ]
    with ProcessPoolExecutor(2) as pool:
        rows = [
            _row(case, list(pool.map(partial(_held, case), range(repetitions), chunksize=25)))
            for case in cases
        ]
    simulated = scores(repetitions)
    return {
        "repetitions": repetitions,
        "level": LEVEL,
        "rows": rows,
        "gates": [_gate(row, repetitions) for row in rows if _is_promised(row)]
        + simulated.pop("gates"),
        "scores": simulated,
    }


def _held(case: tuple[str, str, int], seed: int) -> tuple[bool, bool, float]:
    """Whether the truth lies below the interval, and above it, and how wide the interval is."""
    kind, shape, n = case
    found = KINDS[kind][0](shape, n, seed)
    return found.low > MEAN, found.high < MEAN, found.high - found.low


def _row(case: tuple[str, str, int], held: list[tuple[bool, bool, float]]) -> dict[str, Any]:
    below, above, widths = np.array(held, dtype=float).T
    undefined = np.isnan(widths)
    return {
        **dict(zip(("kind", "shape", "n"), case, strict=True)),
        "held": round(float((1 - below - above)[~undefined].mean()), 4),
        "truth_below": int(below.sum()),
        "truth_above": int(above.sum()),
        "without_interval": int(undefined.sum()),
        "median_width": round(float(np.nanmedian(widths)), 4),
    }


def _is_promised(row: Mapping[str, Any]) -> bool:
    return row["n"] >= FROM and (row["kind"], row["shape"]) not in NOT_PROMISED


def _gate(row: Mapping[str, Any], repetitions: int) -> dict[str, Any]:
    of = repetitions - row["without_interval"]
    count = of - row["truth_below"] - row["truth_above"]
    name = f"{row['kind']}, {row['shape']}, n = {row['n']}"
    return {
        "name": name,
        "count": count,
        "of": of,
        "limit": f"≥ {LEAST}",
        "holds": count >= LEAST * of,
    }
