"""Count Table 2 of Wen et al. (2022) under three ways of breaking ties.

    python validation/ties_of_fixed_attention.py STORE --data DIR [--corpora sst news]

Under fixed attention all weights of a text are equal, so its ranks are ties, and the paper does not
say how it breaks them. Each model of the table with fixed attention whose training a store holds is
read again. Its ranks follow the text, follow it backwards, or are drawn (the mean of `DRAWS`). τ lost
is τ of the learned attention of the same seed, less that. Writes ``docs/verified/ties.json``.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

import numpy as np
from checkout import VERIFIED

from sightline._io.atomic_write import write_bytes
from sightline.audits.collate import join_batches
from sightline.config.run_keys import training_key
from sightline.config.specs import RunSpec
from sightline.core.protocols import MeasureContext
from sightline.core.seeds import Seeds
from sightline.data.dataset import sample_test
from sightline.experiments.pipeline import train
from sightline.experiments.run_in_store import keep_training
from sightline.experiments.store import Store
from sightline.measures.rank_information import MOST, RankInformation
from sightline.measures.states_by_rank import Ranks
from sightline.numerics.rank_selection import by_weight
from sightline.studies.papers.paper_index import plan_named
from sightline.studies.papers.protocol import PRIMARY
from sightline.studies.papers.study_models import BILSTM
from sightline.studies.papers.wen2022 import TAU_BY_RANK, TAUS
from sightline.studies.study_corpora import vectors_of
from sightline.studies.study_definition import Params

DRAWS = 10
TABLE, FIXED = "wen2022:W-2", f"{BILSTM}, attention fixed"
TAU, _ = TAUS[TAU_BY_RANK]
OUT = VERIFIED / "ties.json"
BATCH = 32
Rows = Callable[[Store, Path, tuple[str, ...]], Iterator[Mapping[str, object]]]
"""Gives the rows of some corpora, from a store and the folder of the corpora."""


def ranks_of(spec: RunSpec, store: Store) -> Ranks:
    """Read a trained model, and take the states and weights of the texts of its audit."""
    trained = train(spec, keep=partial(keep_training, store))
    texts = sample_test(trained.dataset, spec.limit, spec.seed).test
    measure, seeds = RankInformation(shuffles=0), Seeds(spec.seed)
    ordered = sorted(range(len(texts)), key=lambda place: len(texts[place].tokens))
    parts = []
    for start in range(0, len(texts), BATCH):
        some = tuple(texts[place] for place in ordered[start : start + BATCH])
        subject = MeasureContext(trained.model, {}, some, texts)
        trace = trained.model.trace(trained.model.collate(some))
        parts.append(measure.look(subject, trace, seeds))
    return Ranks.of(join_batches(parts, np.argsort(ordered)), seeds, MOST)


def by_tie(ranks: Ranks, seed: int) -> Mapping[str, float]:
    """Give the published τ for each way of breaking ties."""
    weights, mask = ranks.weights, ranks.mask
    backwards = np.argsort(np.where(mask, -np.arange(mask.shape[1]), 1), axis=1)
    drawn = [
        _tau(ranks, by_weight(weights, mask, np.random.default_rng((seed, draw))))
        for draw in range(DRAWS)
    ]
    return {
        "first": _tau(ranks, by_weight(weights, mask)),
        "last": _tau(ranks, backwards),
        "drawn": float(np.mean(drawn)),
        "drawn_least": min(drawn),
        "drawn_most": max(drawn),
    }


def _tau(ranks: Ranks, places: np.ndarray) -> float:
    found = ranks.published(places)
    return float(found.tau("output", ranks.published_weights()).mean())


def rows(store: Store, data: Path, corpora: tuple[str, ...]) -> Iterator[Mapping[str, object]]:
    """Give a row for each seed and corpus whose models are both done."""
    plan = plan_named(TABLE, Params(data, None, corpora, vectors=vectors_of(data, None)))
    done = {(run.corpus, run.seed, run.model): run for run in plan.runs(store)}
    for (corpus, seed, model), run in done.items():
        learned = done.get((corpus, seed, BILSTM))
        trained = store.training_folder(training_key(run.spec)).exists()
        if model != FIXED or learned is None or not trained:
            continue
        own = learned.audit().estimates[TAU].value
        known = run.audit().estimates[TAU].value
        found = by_tie(ranks_of(run.spec, store), seed)
        print(corpus, seed, own, known, found, file=sys.stderr)
        yield {"corpus": corpus, "seed": seed, "learned": own, "audited": known, **found}


def count(description: str, rows: Rows, out: Path, **more: object) -> int:
    """Read the command line, and write the rows of its store and corpora to a file."""
    parser = argparse.ArgumentParser(description=description.partition("\n")[0])
    parser.add_argument("store", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--corpora", nargs="+", default=PRIMARY)
    asked = parser.parse_args()
    found = [*rows(Store(asked.store), asked.data, tuple(asked.corpora))]
    write_bytes(out, (json.dumps({**more, "rows": found}, indent=1) + "\n").encode())
    return 0


if __name__ == "__main__":
    sys.exit(count(__doc__, rows, OUT, draws=DRAWS))
