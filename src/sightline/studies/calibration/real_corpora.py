"""The verdict on the papers' models of real texts; nothing here was used to set or tune anything.

Sentiment (SST), two newsgroups and film reviews (IMDB) with four encoders and three seeds;
questions about stories (bAbI, task 1) and inference (SNLI) once. The corpora are not shipped: the
grid is made for their folder.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from sightline.audits.audit_result import Audit
from sightline.config.spec_syntax import parse_data, parse_model
from sightline.config.specs import FitSpec, RunSpec
from sightline.core.results import Verdict
from sightline.experiments.grid import pin
from sightline.studies.study_definition import Study, of_audit

ENCODERS: Mapping[str, str] = {
    "mlp": "mlp(hidden=64)+additive",
    "bilstm": "bilstm(hidden=64)+additive",
    "cnn": "cnn+additive",
    "transformer": "transformer(hidden=64,layers=1)+additive",
}


@dataclass(frozen=True)
class RealCorpus:
    """The place of a corpus in the folder, and its runs, with a sample of its test texts."""

    place: str
    limit: int
    fit: FitSpec
    encoders: tuple[str, ...] = tuple(ENCODERS)
    seeds: tuple[int, ...] = (0,)
    max_tokens: int = 512
    query: bool = False


CORPORA: Mapping[str, RealCorpus] = {
    "sst": RealCorpus("sst:sst", 1000, FitSpec(epochs=10, patience=3), seeds=(0, 1, 2)),
    "20news": RealCorpus(
        "20news:20news/20news-bydate.rec.sport.tar.gz",
        150,
        FitSpec(epochs=8, patience=3),
        seeds=(0, 1, 2),
        max_tokens=200,
    ),
    "babi": RealCorpus(
        "babi:babi/tasks_1-20_v1-2(task=1)", 1000, FitSpec(epochs=20), ("bilstm",), query=True
    ),
    "snli": RealCorpus("snli:snli", 1000, FitSpec(epochs=1), ("bilstm",), query=True),
    "imdb": RealCorpus(
        "imdb:imdb/aclImdb_v1_labelled.tar.gz",
        300,
        FitSpec(epochs=4, patience=2),
        ("mlp", "cnn", "transformer", "bilstm"),
        seeds=(0, 1, 2),
    ),
}
"""Long texts take long, because every word is deleted once. So fewer are audited, and the page says
how many."""


def run_spec(folder: Path, name: str, encoder: str, seed: int) -> RunSpec:
    """Describe one run, pinned to the bytes of its corpus."""
    corpus = CORPORA[name]
    kind, _, place = corpus.place.partition(":")
    data = replace(parse_data(f"{kind}:{folder / place}"), max_tokens=corpus.max_tokens)
    model = parse_model(ENCODERS[encoder] + "+query" * corpus.query)
    return pin(RunSpec(data, model, corpus.fit, seed, corpus.limit, companions=("uniform",)))


def _specs(folder: Path, names: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], RunSpec]]:
    for name in names:
        for seed in CORPORA[name].seeds:
            for encoder in CORPORA[name].encoders:
                yield (name, encoder, str(seed)), run_spec(folder, name, encoder, seed)


def _row(audit: Audit) -> dict[str, Any]:
    return {
        "texts": len(audit.texts),
        "learned": None if audit.learned is None else asdict(audit.learned),
        "verdict": _describe(audit.verdict),
        "by_class": {of: _describe(verdict) for of, verdict in audit.verdict.by_class.items()},
        "findings": {
            one.code: {"answer": one.result, "answers": dict(one.answers)}
            | ({} if one.score is None else {"effect": asdict(one.score)})
            for one in audit.findings
        },
        "maps": [asdict(row) for row in audit.maps],
    }


def _describe(verdict: Verdict) -> dict[str, Any]:
    return {"row": verdict.row, "text": verdict.level, "reasons": list(map(str, verdict.reasons))}


STUDY = Study(
    "real",
    "the verdict on the papers’ models of real texts",
    lambda params: _specs(params.folder, params.among(tuple(CORPORA))),
    ("corpus", "encoder", "seed"),
    estimates=of_audit(_row),
    summary=lambda rows: {**rows, "gates": []},
)
