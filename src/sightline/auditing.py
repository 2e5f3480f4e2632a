"""One audit: batches of texts × measures → findings and a verdict, as one value."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np
import torch

from sightline.adapters.conformance import require
from sightline.adapters.labels import numbered_for
from sightline.adapters.module import WrappedModule
from sightline.audits import Audit
from sightline.data.batching import length_batches
from sightline.data.dataset import Dataset, sample_test
from sightline.errors import DataError
from sightline.findings.estimates import estimates, metrics, with_context
from sightline.findings.evidence import Evidence
from sightline.findings.judge import judge
from sightline.findings.thresholds import Thresholds, committed
from sightline.measures import default_measures
from sightline.results import Failed, Measurement, NotApplicable, Outcome, Ragged, TextRecord
from sightline.seeds import Seeds
from sightline.types import Arrays, Auditable, Companions, Example, Measure

Progress = Callable[[int, int], None]
TRAINED_ELSEWHERE = "unknown: this model was trained elsewhere, and may have seen the texts it was audited on"
"""What the card says of a model that was handed in trained."""
_MEANING = {
    "token_logits": "token_logits (the logits of each word alone, which only an affine decoder has)",
}
"""What a need is, in words, where its name does not say it."""


def audit(
    model: Auditable,
    dataset: Dataset,
    companions: Companions | None = None,
    seed: int = 0,
    *,
    limit: int | None = None,
    measures: Sequence[Measure] | None = None,
    thresholds: Thresholds | None = None,
    batch_size: int = 32,
    spec: Mapping[str, Any] | None = None,
    on_progress: Progress = lambda done, total: None,
) -> Audit:
    """Ask whether a model's attention can be trusted as an explanation, on the test texts of a dataset.

    Parameters
    ----------
    model
        Anything that satisfies `sightline.types.Auditable`; used as it is, never changed. One that `sightline.wrap`
        made must first pass the proofs of `sightline.adapters.conformance`.
    dataset
        Its test split is audited; ``limit`` takes a seeded sample of it, said in the report.
    companions
        Other models that some measures need; without them these are "not applicable", with the reason.
    seed
        Determines every random draw, text by text: batching and order cannot matter.
    on_progress
        Called with (texts done, texts in all) after each batch.
    """
    companions = companions or Companions()
    thresholds = thresholds or committed()
    measures = default_measures(companions) if measures is None else measures
    if isinstance(model, WrappedModule) and model.labels is not None:
        dataset = numbered_for(dataset, model.labels)
    sampled = dataset if limit is None else sample_test(dataset, limit, seed)
    if not sampled.test:
        raise DataError(f"{dataset.name}: no test text to audit")
    for wrapped in (one for one in (model, companions.uniform) if isinstance(one, WrappedModule)):
        require(wrapped, sampled.test, dataset.label_names)
    outcomes = measure(model, sampled.test, measures, companions, Seeds(seed), batch_size, on_progress)
    evidence = Evidence(outcomes, dataset.label_names, thresholds, seed)
    judgement, numbers = judge(evidence), estimates(evidence)
    return Audit(
        verdict=judgement.verdict,
        findings=with_context(judgement.findings, numbers),
        estimates=numbers,
        metrics=metrics(evidence),
        measurements=outcomes,
        spec={"seed": seed, "limit": limit, **(spec or {})},
        environment=environment(str(model.collate(sampled.test[:1]).ids.device)),
        cards={"data": dict(sampled.card), "model": model_card(model, dataset)},
        texts=_records(sampled.test, dataset.label_names, outcomes),
    )


def measure(
    model: Auditable,
    examples: Sequence[Example],
    measures: Sequence[Measure],
    companions: Companions,
    seeds: Seeds,
    batch_size: int,
    on_progress: Progress,
) -> dict[str, Outcome]:
    """Take every measure on every text; one that breaks is stored as failed and the others go on."""
    offers = model.offers | companions.offers
    outcomes: dict[str, Outcome] = {m.code: _refusal(m, offers) for m in measures if m.needs - offers}
    parts: dict[str, list[Arrays]] = {m.code: [] for m in measures if m.code not in outcomes}
    batches, done = length_batches(examples, batch_size), 0
    for rows in batches:
        trace = model.trace(model.collate([examples[i] for i in rows]))
        for one in (m for m in measures if m.code not in outcomes):
            try:
                parts[one.code].append(one.on_batch(model, trace, seeds))
            except Exception as error:  # a broken measure must not cost the others; it is stored, named, and shown
                outcomes[one.code] = Failed(one.code, f"{type(error).__name__}: {error}")
        done += len(rows)
        on_progress(done, len(examples))
    order = np.argsort(np.concatenate([np.asarray(rows) for rows in batches]))
    for one in (m for m in measures if m.code not in outcomes):
        outcomes[one.code] = one.finish(_join(parts[one.code], order), seeds)
    return {m.code: outcomes[m.code] for m in measures}


def _refusal(one: Measure, offers: frozenset[str]) -> NotApplicable:
    missing = sorted(one.needs - offers)
    named = [
        f"a companion ({n.removeprefix('companion.')})" if n.startswith("companion.") else _MEANING.get(n, n)
        for n in missing
    ]
    return NotApplicable(one.code, f"needs {', '.join(named)}")


def _join(parts: Sequence[Arrays], order: np.ndarray) -> dict[str, np.ndarray | Ragged]:
    """Put the batches together, texts in the order of the split."""
    return {name: _join_one([part[name] for part in parts], order) for name in parts[0]}


def _join_one(values: Sequence[np.ndarray | Ragged], order: np.ndarray) -> np.ndarray | Ragged:
    rows = [row for value in values for row in (value.rows() if isinstance(value, Ragged) else value)]
    ordered = [rows[i] for i in order]
    if isinstance(values[0], Ragged):
        return Ragged(np.concatenate(ordered), np.array([len(row) for row in ordered], dtype=np.int64))
    return np.stack(ordered)


def _records(
    examples: Sequence[Example], names: tuple[str, ...], outcomes: Mapping[str, Outcome]
) -> tuple[TextRecord, ...]:
    outputs = outcomes.get("outputs")
    if not isinstance(outputs, Measurement):
        return ()
    predicted = np.asarray(outputs.values["predicted"])
    return tuple(
        TextRecord(e.id, e.text, e.tokens, e.offsets, names[e.label], names[int(predicted[i])], e.rationale, e.query)
        for i, e in enumerate(examples)
    )


def model_card(model: Auditable, dataset: Dataset) -> dict[str, Any]:
    """Say what was audited; of a module that was handed in, also what cannot be known."""
    unknown = {"training_texts": TRAINED_ELSEWHERE} if isinstance(model, WrappedModule) else {}
    return unknown | {
        "name": model.name,
        "link": model.link,
        "offers": sorted(model.offers),
        "labels": list(dataset.label_names),
        "reading": "one attention weight a word, used by the decoder",
    }


def environment(device: str) -> dict[str, Any]:
    """Record what the numbers may depend on beside the seed."""
    packages = ("sightline", "torch", "numpy", "scipy")
    return {
        "versions": {name: version(name) for name in packages} | {"python": platform.python_version()},
        "platform": platform.platform(),
        "device": device,
        "threads": torch.get_num_threads(),
    }
