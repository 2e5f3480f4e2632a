"""Count how often Gumbel-softmax raises a number, and how often another seed does: Wen et al.
(2022), Table 5.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import permutations, product

import numpy as np

from sightline.core.results import Estimate
from sightline.stats.across_seeds import across_seeds
from sightline.stats.bootstrap import proportion
from sightline.stats.paired_differences import score_difference
from sightline.stats.ratios import RatioSums
from sightline.studies.aggregate import (
    AggregateLine,
    Lines,
    Number,
    RunNumbers,
    difference_of_runs,
    number_by_run,
    paired,
)
from sightline.studies.run_numbers import SHARE
from sightline.studies.study_corpora import BINARY

UNCHANGED = 0.02
"""The mean difference of τ between repeats of one seed (§5): smaller changes are called unchanged
here."""
TASKS: Mapping[str, tuple[str, ...]] = {
    "classification": BINARY, "questions": ("babi1", "babi2", "babi3"), "inference": ("snli",),
}  # fmt: skip
SCORERS = ("deep", "dot", "additive")
"""In the order of the table."""
RAISED = "share of models whose τ is higher or unchanged"
RAISED_BY_SEED = "share of models and seeds whose τ is higher or unchanged"
WITHOUT = "share of models without τ under any seed, which are not among those compared"
ALL = "all"
"""All tasks, or all scorers, together."""
Model = tuple[str, str]
"""The corpus of a model, and its name without Gumbel-softmax."""
Rises = Mapping[int, Estimate]
"""The increase of a number of one model, by seed."""


def count_rises(number: str) -> Lines:
    """Count the models whose ``number`` is higher under Gumbel-softmax or `UNCHANGED`, by task and
    scorer.
    """

    def lines(runs: Sequence[RunNumbers]) -> Iterator[AggregateLine]:
        rises, between = _rises(runs, number), _between_seeds(runs, number)
        for task, scorer in product((*TASKS, ALL), (*SCORERS, ALL)):
            here = [of for of in rises if _is_of(of, task, scorer)]
            yield from _by_model(task, scorer, [rises[of] for of in here])
            yield from _by_seed(
                task, scorer, [rises[of] for of in here], [between[of] for of in here]
            )

    return lines


def _is_of(of: Model, task: str, scorer: str) -> bool:
    corpus, model = of
    return (task == ALL or corpus in TASKS[task]) and scorer in (ALL, model.partition("+")[2])


def _by_model(task: str, scorer: str, rises: Sequence[Rises]) -> Iterator[AggregateLine]:
    """Return the share of models that rise; models without τ under any seed are counted apart."""
    means = [across_seeds([*by_seed.values()]) for by_seed in rises]
    if higher := [mean.value >= -UNCHANGED for mean in means if mean.n]:
        yield _share(task, scorer, RAISED, higher, _seeds_of(rises))
    without = [mean.n == 0 for mean in means]
    if any(without):
        yield _share(
            task, scorer, WITHOUT, without, len({seed for by_seed in rises for seed in by_seed})
        )


def _share(
    task: str, scorer: str, quantity: str, models: Sequence[bool], seeds: int
) -> AggregateLine:
    return AggregateLine(
        task,
        scorer,
        quantity,
        Number(proportion(np.array(models, dtype=float)), None, SHARE),
        seeds,
    )


def _by_seed(
    task: str, scorer: str, rises: Sequence[Rises], between: Sequence[Sequence[float]]
) -> Iterator[AggregateLine]:
    """Return the share of models and seeds that rise, and the share of plain models that rise under
    another seed.
    """
    found = _among([[rise.value for rise in by_seed.values()] for by_seed in rises])
    if found.n:
        baseline = _among(between)
        yield AggregateLine(
            task,
            scorer,
            RAISED_BY_SEED,
            Number(found, baseline if baseline.n else None, SHARE),
            _seeds_of(rises),
        )


def _among(differences: Sequence[Sequence[float]]) -> Estimate:
    """Return the share of differences that are a rise or `UNCHANGED`; the differences of one model
    count as one.
    """
    known = [[one for one in of_model if not math.isnan(one)] for of_model in differences]
    higher = np.array([one >= -UNCHANGED for of_model in known for one in of_model], dtype=float)
    found = proportion(
        higher, np.repeat(np.arange(len(known)), [len(of_model) for of_model in known])
    )
    return replace(found, method=f"Wilson over models: {sum(map(bool, known))}")


def rises_beyond_seeds(runs: Sequence[RunNumbers], number: str) -> Estimate:
    """Return how much more often Gumbel-softmax raises a number than another seed does: the
    difference of the two shares, with an interval over models that moves both.
    """
    rises, between = _rises(runs, number), _between_seeds(runs, number)
    counts = np.array(
        [
            (*_raised(rise.value for rise in by_seed.values()), *_raised(between[of]))
            for of, by_seed in rises.items()
        ]
    ).reshape(-1, 4)
    higher, seeds, by_chance, pairs = counts[counts.any(axis=1)].T.astype(float)
    return score_difference(RatioSums(by_chance, pairs), RatioSums(higher, seeds), 0).difference


def _raised(differences: Iterable[float]) -> tuple[int, int]:
    """Count the differences that are a rise or `UNCHANGED`, and all that are known."""
    known = [one >= -UNCHANGED for one in differences if not math.isnan(one)]
    return sum(known), len(known)


def _seeds_of(rises: Sequence[Rises]) -> int:
    return len(
        {seed for by_seed in rises for seed, rise in by_seed.items() if not math.isnan(rise.value)}
    )


def _rises(runs: Sequence[RunNumbers], number: str) -> Mapping[Model, Rises]:
    """Return the increase of a number under Gumbel-softmax, for each model and seed that
    has both.
    """
    return {
        (corpus, _plain_of(model)): {
            seed: difference_of_runs(gumbel, plain) for seed, (gumbel, plain) in by_seed.items()
        }
        for (corpus, model), by_seed in paired(runs, number, _plain_of).items()
    }


def _between_seeds(runs: Sequence[RunNumbers], number: str) -> Mapping[Model, Sequence[float]]:
    """Return the differences of a number of each model between its seeds."""
    known: dict[Model, list[float]] = {}
    for (corpus, model, _), one in number_by_run(runs, number).items():
        known.setdefault((corpus, model), []).append(one.value)
    return {
        of: [other - one for one, other in permutations(values, 2)] for of, values in known.items()
    }


def _plain_of(model: str) -> str:
    return model.removesuffix("+gumbel")
