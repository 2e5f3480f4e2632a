"""Rank information in models like the papers': compare the published number with contrasts in which
attention has no part.

Encoders and scorers of Wen et al. (2022) on SST; untrained models, with their weights unchanged and
sharpened to nearly one word; and MLP and BiLSTM on two newsgroups and on questions about stories,
which have few texts. The corpora are not shipped: the grid is made for their folder.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from sightline.audits.audit_result import Audit
from sightline.config.presets import build_specs
from sightline.config.specs import RunSpec
from sightline.core.results import Measurement
from sightline.studies.aggregate import by_labels, over_seeds
from sightline.studies.papers.paper_table import from_vectors
from sightline.studies.papers.published_values import value_of
from sightline.studies.papers.study_models import BILSTM, SEEDS
from sightline.studies.papers.wen2022 import TAU_BY_RANK
from sightline.studies.study_corpora import data_of
from sightline.studies.study_definition import Labels, Params, Rows, Study, of_audit
from sightline.verdict.evidence import Evidence
from sightline.verdict.number_bounds import ends_of
from sightline.verdict.rank_conclusions import describe_ranks
from sightline.verdict.thresholds import Thresholds

ENCODERS, SCORERS = ("mlp", "bilstm", "cnn"), ("additive", "dot", "deep")
AXES = ("corpus", "model", "kind", "seed")
TRAINED, UNTRAINED = "trained", "untrained"
FROM_VECTORS = "untrained, from vectors, weights ^100"
"""Untrained models whose words start as those of the papers' tables do. Of the powers 10, 30, 100
and 300 the one with the most τ that leaves all eight ranks, under two seeds on SST."""
FROM_RANDOM = {f"untrained, weights ^{power}": power for power in (300, 1000)}
POWERS: Mapping[str, int] = {**FROM_RANDOM, FROM_VECTORS: 100}
"""How much attention is sharpened in untrained models; it then seems to follow information."""
FROM_VECTORS_ON, FROM_VECTORS_SEEDS = ("sst", "news"), 10
ONCE = 1
"""Seeds for questions about stories: they only show what so few texts can detect, so one
is enough."""
PRINTED_OF = "all eleven"
"""Wen et al. 2022, §5, print means over all their corpora, of ten seeds each, and no value by
corpus."""
REPORTED = (
    "D.output",
    "D.decoupled",
    "D.label",
    "paper.tau.output",
    "paper.tau.decoupled",
    "paper.tau.label",
    "flatness",
)
"""The quantities that are averaged over seeds."""


@dataclass(frozen=True)
class CorpusModels:
    """The models of one corpus, under a preset, and their seeds."""

    corpus: str
    preset: str
    models: tuple[str, ...]
    seeds: tuple[int, ...] = SEEDS


ASKED = (
    CorpusModels(
        "sst",
        "wen2022",
        tuple(f"{encoder}+{scorer}" for encoder in ENCODERS[:2] for scorer in SCORERS),
    ),
    CorpusModels("news", "wen2022", ("mlp+additive", BILSTM)),
    CorpusModels("babi1", "jain2019-babi", ("mlp+additive+query", f"{BILSTM}+query"), SEEDS[:ONCE]),
    CorpusModels("sst", "wen2022", tuple(f"cnn+{scorer}" for scorer in SCORERS)),
)


def run_spec(folder: Path, corpus: str, preset: str, model: str, kind: str, seed: int) -> RunSpec:
    """Describe one run."""
    spec, fit = build_specs(model, preset)
    made = fit if kind == TRAINED else replace(fit, epochs=0)
    altered = f"sharpened(power={POWERS[kind]}.0)" if kind in POWERS else ""
    return RunSpec(
        data_of(folder, corpus),
        spec,
        made,
        seed,
        companions=(),
        measures=("information",),
        altered=altered,
    )


def _runs(params: Params) -> Iterator[tuple[Labels, RunSpec]]:
    for kind in (UNTRAINED, *FROM_RANDOM):
        for seed in SEEDS[: params.seeds]:
            yield (
                ("sst", BILSTM, kind, str(seed)),
                run_spec(params.folder, "sst", "wen2022", BILSTM, kind, seed),
            )
    if params.vectors is not None:
        for corpus in FROM_VECTORS_ON:
            for seed in range(params.seeds or FROM_VECTORS_SEEDS):
                run = run_spec(params.folder, corpus, "wen2022", BILSTM, FROM_VECTORS, seed)
                yield (corpus, BILSTM, FROM_VECTORS, str(seed)), from_vectors(params, run)
    for asked in ASKED:
        for seed in asked.seeds[: params.seeds]:
            for model in asked.models:
                label = (asked.corpus, model.removesuffix("+query"), TRAINED, str(seed))
                yield (
                    label,
                    run_spec(params.folder, asked.corpus, asked.preset, model, TRAINED, seed),
                )


def _summary(rows: Rows) -> dict[str, Any]:
    """Average runs over seeds, with the published values; this study has no acceptance criteria."""
    means = [_mean(named, found) for named, found in by_labels(rows["rows"], AXES[:-1]).items()]
    return {**rows, "means": means, "gates": []}


def values(audit: Audit) -> dict[str, Any]:
    """Return the rank information of one run."""
    taken = audit.measurements["information"]
    assert isinstance(taken, Measurement), taken
    evidence = Evidence(
        audit.measurements, tuple(audit.cards["model"]["labels"] or ()), Thresholds({}, 1), 0
    )
    return {
        "texts": len(audit.texts),
        "accuracy": asdict(audit.metrics["accuracy"]),
        "said": describe_ranks(evidence) or "; ".join(taken.undefined.get("first.label", {})),
        "numbers": {name: asdict(one) for name, one in taken.whole.items() if one.n},
        "settings": dict(taken.settings),
    }


def _mean(named: tuple[str, ...], found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    corpus, model, kind = named
    each = {name: [one["numbers"].get(name) for one in found] for name in REPORTED}
    means = {
        name: over_seeds(known, ends_of(f"information.{name}")) for name, known in each.items()
    }
    trained = (corpus, kind) == ("sst", TRAINED)
    printed = value_of("wen2022:W-F2", PRINTED_OF, model, TAU_BY_RANK) if trained else None
    about = {
        "seeds": len(found),
        "printed": printed,
        "said": [one["said"].partition(":")[0] for one in found],
    }
    known = {name: one for name, one in means.items() if one is not None}
    return {**dict(zip(AXES, named, strict=False)), **about, **known}


STUDY = Study(
    "information",
    "what ranks know",
    _runs,
    AXES,
    estimates=of_audit(values),
    summary=_summary,
)
