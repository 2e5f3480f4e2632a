"""Models that are trained to keep their words (Tutek & Šnajder 2020): what their hidden states
encode, and what attention transfers.

Five ways of training, two scorers, two corpora, each model also at initialisation. The trainings
are those of the study `trained`. Counted information of words and states is compared with shuffled
words, and with a probe on unseen texts; token evidence with its share that differs within texts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from sightline.config.specs import RunSpec
from sightline.core.results import Results
from sightline.numerics.mutual_information import comparable
from sightline.stats.intervals import Bounds
from sightline.studies.aggregate import by_labels, over_seeds
from sightline.studies.papers.published_values import value_of
from sightline.studies.papers.study_models import (
    BILSTM,
    CHOSEN,
    RETENTION,
    PaperModel,
    positive_f1_of,
)
from sightline.studies.papers.study_models import run_spec as trained_spec
from sightline.studies.study_corpora import data_of
from sightline.studies.study_definition import Labels, Params, Rows, Study, of_audit
from sightline.verdict.number_bounds import ends_of

AXES = ("corpus", "scorer", "kind", "state", "seed")
CORPORA = ("sst", "news")
SCORERS = ("additive", "dot")
SHAPES: Mapping[str, str] = {"base": "", "residual": "+residual", "concat": "+concat"}
KINDS = (*SHAPES, "tying", "mlm")
STATES: Mapping[str, tuple[str, ...]] = {"trained": KINDS, "as drawn": (*SHAPES,)}
"""Whether a model is trained, and in which ways; at initialisation, tying and masked words add
nothing."""
SEEDS = (0, 1, 2)
LIMIT = 600
"""The most test texts, the same for all."""
MEASURES = ("need", "own_word", "reach", "transplant", "token_evidence", "input_information")
SHARES = ("F1", "token_evidence.probability", "token_evidence.share")
NUMBERS = (
    "input_information.counted",
    "input_information.counted_null",
    "input_information.word_entropy",
    "input_information.nats",
    "input_information.nats_half",
    "input_information.share",
)
CARRIED, STANDS = "SL-303", "SL-402"
BOUNDS: Mapping[str, Bounds] = {"F1": (0.0, 1.0), STANDS: (-math.inf, 1.0)}
"""Bounds of numbers that the catalogue does not know."""


def added(corpus: str, kind: str) -> str:
    """Write a way of keeping words after a scorer, with the δ or η that validation chose there, or
    else on SST.
    """
    if kind in SHAPES:
        return SHAPES[kind]
    return CHOSEN.get((corpus, kind), CHOSEN["sst", kind]).removeprefix(BILSTM)


def run_spec(
    data: Path, corpus: str, scorer: str, kind: str, state: str, seed: int, vectors: Path | None
) -> RunSpec:
    """Describe one run; a model at initialisation trains for no epoch."""
    model = PaperModel(corpus, RETENTION, f"bilstm+{scorer}{added(corpus, kind)}")
    run = replace(
        trained_spec(data_of(data, corpus), model, seed, vectors), limit=LIMIT, measures=MEASURES
    )
    if state == "as drawn":
        run = replace(run, fit=replace(run.fit, epochs=0))
    return run


def _runs(params: Params) -> Iterator[tuple[Labels, RunSpec]]:
    """List the runs; the words start from vectors, if there are any."""
    for corpus in CORPORA:
        for scorer in SCORERS:
            for state, kinds in STATES.items():
                for kind in kinds:
                    for seed in SEEDS[: params.seeds]:
                        labels = (corpus, scorer, kind, state, str(seed))
                        yield (
                            labels,
                            run_spec(
                                params.folder, *labels[:-1], seed, params.vectors_of.get(corpus)
                            ),
                        )


def _summary(rows: Rows) -> dict[str, Any]:
    """Average runs over seeds, with the printed values; this study has no acceptance criteria."""
    means = [_mean(group, found) for group, found in by_labels(rows["rows"], AXES[:-1]).items()]
    return {**rows, "means": means, "gates": []}


def _values(audit: Results) -> dict[str, Any]:
    found = {code: audit.by_test[code] for code in (CARRIED, STANDS) if code in audit.by_test}
    f1 = positive_f1_of(audit, int(audit.spec["seed"]))
    known = {
        name: asdict(audit.estimates[name])
        for name in (*SHARES, *NUMBERS)
        if name in audit.estimates
    }
    values = {code: one.score and asdict(one.score) for code, one in found.items()}
    answers = {code: one.result for code, one in found.items()}
    return {"F1": f1, **known, **values, "answers": answers}


def _mean(group: tuple[str, ...], found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    named = dict(zip(AXES[:-1], group, strict=True))
    means = {
        name: _across(name, [row.get(name) for row in found])
        for name in (*SHARES, *NUMBERS, CARRIED, STANDS)
    }
    printed = (
        _printed(named["corpus"], named["scorer"], named["kind"])
        if named["state"] == "trained"
        else {}
    )
    answers = {code: [row["answers"][code] for row in found] for code in (CARRIED, STANDS)}
    return {**named, "seeds": len(found), **means, "answers": answers, **printed}


def _across(name: str, by_seed: Sequence[Mapping[str, Any] | None]) -> dict[str, Any] | None:
    """Average over seeds; nothing if no seed has the number, or if the counts are over different
    numbers of pairs.
    """
    known = [one for one in by_seed if one is not None and not math.isnan(one["value"])]
    if name in NUMBERS[:2] and not all(comparable(one["n"], known[0]["n"]) for one in known):
        return None
    return over_seeds(known, BOUNDS.get(name) or ends_of(name))


def _printed(corpus: str, scorer: str, kind: str) -> dict[str, float | None]:
    model = f"bilstm+{scorer}" + f"+{kind}" * (kind != "base")
    return {
        "printed_probability": value_of(
            "tutek2020:T-3", corpus, model, "probability by one word alone"
        ),
        "printed_information": value_of(
            "tutek2020:T-2", corpus, model, "counted information, frequent words"
        ),
    }


STUDY = Study(
    "retained",
    "models that keep their words",
    _runs,
    AXES,
    estimates=of_audit(_values),
    summary=_summary,
)
