"""Count Table 2 of Wen et al. (2022) under other numbers of ranks.

    python validation/ranks_of_fixed_attention.py STORE --data DIR [--corpora sst babi1]

The paper takes the smaller of two numbers of ranks in one place (a percentile of the lengths, and
the rank up to which most texts have weight), and the second alone in another. The audits take the
smaller, and no more than `MOST`. Each model of the table whose training a store holds is read
again, under all three. Writes ``docs/verified/rank_rules.json``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from checkout import VERIFIED
from ties_of_fixed_attention import FIXED, TABLE, count, ranks_of

from sightline.config.run_keys import training_key
from sightline.experiments.store import Store
from sightline.measures.states_by_rank import Ranks
from sightline.studies.papers.paper_index import plan_named
from sightline.studies.papers.study_models import BILSTM
from sightline.studies.study_corpora import vectors_of
from sightline.studies.study_definition import Params

OUT = VERIFIED / "rank_rules.json"
MODELS = {BILSTM: "learned", FIXED: "fixed"}
UNLIMITED = 10**6


def by_rule(ranks: Ranks) -> Mapping[str, Mapping[str, float]]:
    """Give the published τ, and the number of ranks, under each rule."""
    rules = {
        "audited": ranks,
        "both": replace(ranks, most=UNLIMITED),
        "weight": replace(ranks, most=UNLIMITED, rule="weight"),
    }
    return {
        name: {
            "ranks": one.ranks,
            "tau": float(one.published().tau("output", one.published_weights()).mean()),
        }
        for name, one in rules.items()
    }


def rows(store: Store, data: Path, corpora: tuple[str, ...]) -> Iterator[Mapping[str, object]]:
    """Give a row for each model, corpus and seed whose run is done and whose training is kept."""
    plan = plan_named(TABLE, Params(data, None, corpora, vectors=vectors_of(data, None)))
    for run in plan.runs(store):
        if run.model in MODELS and store.training_folder(training_key(run.spec)).exists():
            found = by_rule(ranks_of(run.spec, store))
            row = {"corpus": run.corpus, "seed": run.seed, "attention": MODELS[run.model], **found}
            print(row, file=sys.stderr)
            yield row


if __name__ == "__main__":
    sys.exit(count(__doc__, rows, OUT))
