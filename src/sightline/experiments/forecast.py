"""What a run will cost, from doing a little of it: nothing is kept and nothing is written."""

from __future__ import annotations

import resource
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter

import numpy as np
import torch

from sightline.adapters.precision import precise
from sightline.data.dataset import Dataset, Split, sample_test
from sightline.data.loading import fit_vocabulary, load
from sightline.example import Example
from sightline.experiments.run import Trained
from sightline.measures import default_measures
from sightline.measures.importance import TOKENS_AT_ONCE
from sightline.models.classifier import AttentionClassifier, build
from sightline.results import Measurement, Outcome
from sightline.seeds import Seeds
from sightline.spec.values import ModelSpec, RunSpec
from sightline.taking.measuring import measure
from sightline.training.companions import companions_of
from sightline.training.fit import fit

TRAINING_BATCHES = 6
AUDIT_TOKENS = 2**19
"""About as many tokens of shortened texts are run to time an audit: seconds, for the models there are."""
AUDIT_TEXTS = (2, 64)
AUDIT_BATCH = 32


@dataclass(frozen=True)
class Forecast:
    """Seconds and bytes that a run will take, and in words what that rests on."""

    seconds_training: float
    seconds_audit: float
    peak_bytes: int
    basis: str

    def times(self, runs: int) -> Forecast:
        """Give what so many such runs take, one after the other."""
        if runs == 1:
            return self
        basis = f"{self.basis}; {runs} seeds, one after the other"
        return Forecast(self.seconds_training * runs, self.seconds_audit * runs, self.peak_bytes, basis)


def forecast(spec: RunSpec, device: str = "cpu", tokens_at_once: int = TOKENS_AT_ONCE) -> Forecast:
    """Estimate a run from its spec, by training on a few batches and auditing a few texts.

    With T the words of a text, and sums over all texts against sums over the few that were timed::

        training = seconds · Σ T / Σ_timed T · epochs · (1 + companions)
        audit    = seconds · Σ T² / Σ_timed T²        (each of T words is deleted from T words)

    The epochs are the most there can be: training may stop earlier.
    """
    dataset = load(spec.data, spec.seed)
    model = _untrained(spec.model, dataset, spec, device)
    others = {name: _untrained(other.model, dataset, spec, device) for name, other in companions_of(spec).items()}
    a_pass, timed = _time_pass(model, dataset, spec)
    models = 1 + len(others)
    audit = forecast_audit(Trained(model, dataset, others, {}), spec.seed, spec.limit, tokens_at_once, spec.measures)
    about = f"an epoch on {timed} of {len(dataset.train)} training texts, {spec.fit.epochs} epochs, {models} models"
    return replace(audit, seconds_training=a_pass * spec.fit.epochs * models, basis=f"{about}; {audit.basis}")


def forecast_audit(
    trained: Trained,
    seed: int,
    limit: int | None = None,
    tokens_at_once: int = TOKENS_AT_ONCE,
    chosen: tuple[str, ...] = (),
) -> Forecast:
    """Estimate the audit of a model that needs no training."""
    dataset = sample_test(trained.dataset, limit, seed)
    squares = np.array([len(example.tokens) ** 2 for example in dataset.test], dtype=float)
    few = spread(dataset.test, int(np.clip(AUDIT_TOKENS // squares.mean(), *AUDIT_TEXTS)))
    measures = default_measures(tokens_at_once, chosen)
    model, others = precise(trained.model), {name: precise(other) for name, other in trained.companions.items()}

    def take(examples: Sequence[Example]) -> dict[str, Outcome]:
        return measure(model, examples, measures, others, Seeds(seed), AUDIT_BATCH, lambda done, total: None)

    take(few[:1])  # the first call of everything is slow
    seconds, outcomes = timed_call(lambda: take(few))
    share = float(squares.sum()) / sum(len(example.tokens) ** 2 for example in few)
    # Arrays of all texts are held twice while batches are joined.
    held = 2 * _bytes(outcomes) * len(dataset.test) // len(few)
    basis = f"an audit of {len(few)} of {len(dataset.test)} test texts, scaled by the square of their length"
    memory = "memory: the most that was held meanwhile, and the raw numbers of all texts"
    return Forecast(
        0.0, seconds * share, _peak_bytes(trained.model.collate(few[:1]).ids.device) + held, f"{basis}; {memory}"
    )


def spread(split: Split, count: int) -> Split:
    """Take texts evenly over the lengths, the shortest and the longest among them, in order of length."""
    ordered = sorted(split, key=lambda example: len(example.tokens))
    places = np.unique(np.linspace(0, len(ordered) - 1, min(count, len(ordered))).round().astype(int))
    return tuple(ordered[place] for place in places) if count > 1 else tuple(ordered[-1:])


def timed_call(call: Callable[[], dict[str, Outcome]]) -> tuple[float, dict[str, Outcome]]:
    """Call, and say how many seconds it took."""
    began = perf_counter()
    result = call()
    return perf_counter() - began, result


def _untrained(model: ModelSpec, dataset: Dataset, spec: RunSpec, device: str) -> AttentionClassifier:
    vocabulary = fit_vocabulary(dataset, spec.data)
    return build(model, vocabulary, dataset.label_names, spec.seed).to(device)


def _time_pass(model: AttentionClassifier, dataset: Dataset, spec: RunSpec) -> tuple[float, int]:
    """Time one epoch with its validation on a part of the texts, and scale it to all of them, by words."""
    few = spread(dataset.train, TRAINING_BATCHES * spec.fit.batch_size)
    validation = spread(dataset.validation, -(-len(dataset.validation) * len(few) // len(dataset.train)))
    once = replace(spec.fit, epochs=1, patience=1)
    fit(model, few[-spec.fit.batch_size :], validation[:1], once, spec.seed)  # the first call of everything is slow
    began = perf_counter()
    fit(model, few, validation, once, spec.seed)
    seconds = perf_counter() - began
    return seconds * _words(dataset.train) / _words(few), len(few)


def _words(split: Split) -> int:
    return sum(len(example.tokens) for example in split)


def _bytes(outcomes: dict[str, Outcome]) -> int:
    taken = [value for one in outcomes.values() if isinstance(one, Measurement) for value in one.values.values()]
    return sum(value.nbytes for value in taken)


def _peak_bytes(device: torch.device) -> int:
    """Give the most memory this process has held, on a device."""
    if device.type == "cuda":
        return int(torch.cuda.max_memory_allocated(device))
    status = Path("/proc/self/status")
    if status.exists():  # on Linux, getrusage may report the peak of the process that started this one
        lines = dict(line.split(":", 1) for line in status.read_text(encoding="utf-8").splitlines() if ":" in line)
        if "VmHWM" in lines:
            return int(lines["VmHWM"].split()[0]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
