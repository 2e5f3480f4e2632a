"""Ablate the attention or the representation of models: measure the cost, and what each map still
transfers.

Retrained under uniform weights (Wiegreffe & Pinter 2019; fixed attention in Wen et al. 2022,
Table 2), under the mean of their own by position, under weights drawn by word type, with the scorer
at initialisation; over the fixed representation of a trained model (Wen et al. 2022, Table 2);
guided onto or away from named words (Pruthi et al. 2020); and an MLP under the attention of the
BiLSTM, compared with one under its own (Wiegreffe & Pinter 2019).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from sightline.config.part_syntax import Part
from sightline.config.presets import build_specs
from sightline.config.run_keys import training_key
from sightline.config.specs import ModelPart, RunSpec
from sightline.data.dataset import Split
from sightline.data.load_dataset import load
from sightline.experiments.grid import pin
from sightline.studies.aggregate import by_labels, over_seeds
from sightline.studies.papers.adversaries import adversary_results
from sightline.studies.papers.study_models import BILSTM
from sightline.studies.run_numbers import SHARE
from sightline.studies.study_corpora import data_of
from sightline.studies.study_definition import Labels, Params, Rows, Study, of_audit

MLP = "mlp+additive"
CORPORA = ("news", "sst")
SEEDS = (0, 1, 2)
LIMIT = 600
MEASURES = ("need", "transplant")
REPRESENTATION: tuple[ModelPart, ...] = ("embedding", "encoder")
WORDS, FEWEST = 50, 20
"""How many words a guide names, and the least number of training texts for each."""
KINDS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "as it is": (BILSTM, {}),
    "uniform": (f"{BILSTM}+uniform", {}),
    "constant": (f"{BILSTM}+constant", {}),
    "drawn by word": (f"{BILSTM}+frozen", {}),
    "scorer as drawn": (BILSTM, {"fixed": ("attention",)}),
    "fixed representation": (BILSTM, {"from_base": REPRESENTATION, "fixed": REPRESENTATION}),
    "guided onto telling words": (BILSTM, {"guide": "onto"}),
    "guided away from telling words": (BILSTM, {"guide": "away"}),
    "MLP": (MLP, {}),
    "MLP, uniform": (f"{MLP}+uniform", {}),
    "MLP, attention of the BiLSTM": (f"{MLP}+given", {}),
}
"""The models, and how their training differs from the plain one."""


def run_spec(folder: Path, corpus: str, kind: str, seed: int) -> RunSpec:
    """Describe one run."""
    text, changes = KINDS[kind]
    model, training = build_specs(text, "jain2019")
    data = data_of(folder, corpus)
    fit = replace(training, **changes)
    if fit.guide:
        fit = replace(fit, guide_words=_words_of(folder, corpus, seed))
    if model.source.name == "given":
        lender = training_key(run_spec(folder, corpus, "as it is", seed))
        model = replace(model, source=Part("given", (("run", lender),)))
    return pin(RunSpec(data, model, fit, seed, LIMIT, (), measures=MEASURES))


@cache
def _words_of(folder: Path, corpus: str, seed: int) -> tuple[str, ...]:
    return telling_words(load(data_of(folder, corpus), seed).train)


def telling_words(train: Split) -> tuple[str, ...]:
    """Return the words of training texts that best separate the first class from the others, by the
    log-odds of texts.

    A word counts once per text; half a text is added to each count, and equal words are in
    alphabetical order.
    """
    texts = Counter[bool]()
    having: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    for text in train:
        first = text.label == 0
        texts[first] += 1
        having[first].update(set(text.tokens))

    def odds(word: str) -> float:
        there = {first: having[first][word] + 0.5 for first in having}
        return abs(
            sum(
                (1 if first else -1) * math.log(n / (texts[first] + 1 - n))
                for first, n in there.items()
            )
        )

    known = [
        word
        for word in {*having[True], *having[False]}
        if having[True][word] + having[False][word] >= FEWEST
    ]
    return tuple(sorted(sorted(known, key=lambda word: (-odds(word), word))[:WORDS]))


def runs_of(params: Params) -> Iterator[tuple[Labels, RunSpec]]:
    """List the runs; a model that lends its attention is trained before the MLP."""
    for corpus in params.among(CORPORA):
        for seed in SEEDS[: params.seeds]:
            for kind in KINDS:
                yield (corpus, kind, str(seed)), run_spec(params.folder, corpus, kind, seed)


def _summary(rows: Rows) -> dict[str, Any]:
    """Average over seeds the accuracy and transfer of each; this study has no
    acceptance criteria.
    """
    groups = by_labels(rows["rows"], ("corpus", "kind"))
    means = [_mean(corpus, kind, found) for (corpus, kind), found in groups.items()]
    return {**rows, "means": means, "words": WORDS, "gates": []}


def _mean(corpus: str, kind: str, found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    metrics = ("accuracy", "f1")
    scores = {name: over_seeds((row["metrics"][name] for row in found), SHARE) for name in metrics}
    carried = over_seeds(row["SL-303"].get("effect") for row in found)
    answers = [row["SL-303"].get("answer", "not run") for row in found]
    named = {"corpus": corpus, "kind": kind, "seeds": len(found)}
    return {**named, **scores, "carried": carried, "answers": answers}


STUDY = Study(
    "ablations",
    "models whose attention, or whose representation, is taken from them",
    runs_of,
    ("corpus", "kind", "seed"),
    estimates=of_audit(adversary_results),
    summary=_summary,
)
