"""Plausible or faithful: compare how well each map finds a human rationale with how well its words
transfer the prediction.

Film reviews of ERASER (DeYoung et al. 2020), with complete human rationales in the test texts. The
corpus is not shipped: the grid is made for its folder. Texts and rationales are cut after the 512th
word.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sightline.config.presets import build_specs
from sightline.config.spec_syntax import parse_data
from sightline.config.specs import DataSpec, RunSpec
from sightline.config.word_maps import RIVALS, SIGNED_RIVALS
from sightline.core.results import MapRow, Results
from sightline.experiments.grid import pin
from sightline.stats.intervals import Bounds
from sightline.studies.aggregate import by_labels, over_seeds
from sightline.studies.run_numbers import SHARE, TAU
from sightline.studies.study_definition import Labels, Params, Rows, Study, of_audit
from sightline.verdict.rationale_estimates import above_chance

PLACE = "eraser_movies/movies.tar.gz"
MODELS = ("mlp(hidden=64)+additive", "bilstm(hidden=64)+additive")
SEEDS = (0, 1, 2)
LIMIT = 120
"""Of 199 test texts, another sample for each seed: a text of 500 words needs 700 shortened or
edited copies."""
MEASURES = ("transplant", "rationale")
SCORES = ("auprc", "f1", "iou")
"""The scores of each map, each with its chance level."""


def data_of(folder: Path) -> DataSpec:
    """Return the spec of the corpus."""
    return parse_data(f"eraser:{folder / PLACE}")


def run_spec(folder: Path, text: str, seed: int) -> RunSpec:
    """Describe one run."""
    model, fit = build_specs(text)
    return pin(RunSpec(data_of(folder), model, fit, seed, LIMIT, companions=(), measures=MEASURES))


def _runs(params: Params) -> Iterator[tuple[Labels, RunSpec]]:
    """List the runs, the cheap model first."""
    for text in MODELS:
        for seed in SEEDS[: params.seeds]:
            yield (text, str(seed)), run_spec(params.folder, text, seed)


def _values(audit: Results) -> dict[str, Any]:
    carried = {row.name: row for row in audit.maps}
    maps = [_map(audit, name) | _carried(carried, name) for name in (*RIVALS, *SIGNED_RIVALS)]
    accuracy = asdict(audit.metrics["accuracy"])
    return {"accuracy": accuracy, "maps": [one for one in maps if one["auprc"]]}


def _summary(rows: Rows) -> dict[str, Any]:
    """Average over seeds what each map finds and transfers; this study has no
    acceptance criteria.
    """
    models = [
        _mean(model, found) for (model,), found in by_labels(rows["rows"], ("model",)).items()
    ]
    return {**rows, "models": models, "gates": []}


def _map(audit: Results, name: str) -> dict[str, Any]:
    """Return how well one map finds the rationale and its spans, with the chance levels."""
    named = [kind for score in SCORES for kind in (score, f"{score}_chance")]
    found = {kind: audit.estimates.get(f"rationale.{kind}.{name}") for kind in named}
    found["above_chance"] = above_chance(audit, name)
    return {"name": name, **{kind: one and asdict(one) for kind, one in found.items()}}


def _carried(rows: Mapping[str, MapRow], name: str) -> dict[str, Any]:
    """Return how well the words of one map transfer the prediction, on the half of the texts that
    chose no map.
    """
    row = rows.get(name)
    if row is None:
        return {"carried": None, "answer": "not run"}
    return {"carried": row.carried and asdict(row.carried), "answer": row.answer}


def _mean(model: str, found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Average a model over its seeds."""
    names = dict.fromkeys(one["name"] for row in found for one in row["maps"])
    by_map = [
        _mean_map(name, [one for row in found for one in row["maps"] if one["name"] == name])
        for name in names
    ]
    accuracy = over_seeds((row["accuracy"] for row in found), SHARE)
    return {"model": model, "seeds": len(found), "accuracy": accuracy, "maps": by_map}


def _mean_map(name: str, found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Average one map over seeds. Chance levels are averaged too, because each seed has its own
    texts.
    """
    kinds = [kind for score in SCORES for kind in (score, f"{score}_chance")]
    bounds: dict[str, Bounds] = {
        **dict.fromkeys(kinds, SHARE),
        "above_chance": TAU,
        "carried": None,
    }
    means = {kind: over_seeds((one[kind] for one in found), ends) for kind, ends in bounds.items()}
    return {"name": name, **means, "answers": [one["answer"] for one in found]}


STUDY = Study(
    "plausible",
    "maps compared with human rationales",
    _runs,
    ("model", "seed"),
    estimates=of_audit(_values),
    summary=_summary,
)
