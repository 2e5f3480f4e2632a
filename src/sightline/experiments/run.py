"""One run from its spec: load → build → fit (and companions) → audit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from sightline.auditing import audit
from sightline.audits import Audit
from sightline.data.dataset import Dataset
from sightline.data.loading import fit_vocabulary, load
from sightline.experiments.seen import seen_texts
from sightline.measures import default_measures
from sightline.models.altered import alter, check_alterable
from sightline.models.classifier import AttentionClassifier, build
from sightline.spec.keys import OF_AN_AUDIT, run_key, training_key
from sightline.spec.values import RunSpec
from sightline.taking.measuring import Progress
from sightline.training.companions import HOW, companions_of
from sightline.training.fit import fit
from sightline.training.start import start_from_vectors
from sightline.training.states import NO_STATES, Epoch, States
from sightline.types import Auditable


@dataclass(frozen=True)
class Display:
    """Where a run tells how far it is; every part may be left out."""

    on_epoch: Callable[[str, Epoch, int], None] = lambda name, epoch, epochs: None
    on_texts: Progress = lambda done, total: None
    on_batch: Callable[[str, int, int, int, int], None] = lambda name, epoch, epochs, done, total: None


Fitted = tuple[AttentionClassifier, dict[str, Any]]
"""A trained model and the record of its training."""
Make = Callable[[States], Fitted]
"""Makes a training, which goes on from the state it finds."""
Keep = Callable[[RunSpec, Make], Fitted]
"""Gives the training of a spec: makes it, or takes it from where it was kept."""


def make_anew(spec: RunSpec, make: Make) -> Fitted:
    """Keep nothing: every training is made."""
    return make(NO_STATES)


@dataclass(frozen=True)
class Trained:
    """A trained model, what it was trained on, and the companions its audit needs."""

    model: Auditable
    dataset: Dataset
    companions: Mapping[str, Auditable]
    record: dict[str, Any]

    def __repr__(self) -> str:
        beside = f", beside it {', '.join(self.companions)}" if self.companions else ""
        return f"<Trained {self.model.name!r} on {self.dataset.name!r}{beside}; next: sightline.audit(model, data)>"


def run(
    spec: RunSpec, display: Display = Display(), device: str = "cpu", keep: Keep = make_anew, **options: Any
) -> tuple[Trained, Audit]:
    """Train what the spec describes and audit it on the test split; ``options`` go to `sightline.auditing.audit`."""
    trained = train(spec, display, device, keep)
    options.setdefault("measures", default_measures(chosen=spec.measures, gradient=spec.gradient))
    return trained, audit_trained(trained, spec.seed, display, limit=spec.limit, spec=describe(spec), **options)


def train(spec: RunSpec, display: Display = Display(), device: str = "cpu", keep: Keep = make_anew) -> Trained:
    """Train the model and its companions on the training split; validation chooses the epoch.

    ``keep`` may give back a training that was done before instead of making it.
    """
    companions_of(spec)  # first: what nobody can make is refused before data are read
    return train_on(load(spec.data, spec.seed), spec, display, device, keep)


def train_on(
    dataset: Dataset, spec: RunSpec, display: Display = Display(), device: str = "cpu", keep: Keep = make_anew
) -> Trained:
    """Train as `train` does, on data that are read already."""
    others = companions_of(spec)
    check_alterable(spec.altered, dataset)
    model, record = keep(spec, partial(_fit, spec, dataset, "model", display, device))
    companions, trainings = dict[str, Auditable](), {"model": record["summary"]}
    for name, other in others.items():
        companion, beside = keep(other, partial(_fit, other, dataset, HOW[name].title, display, device))
        companions[name] = companion.to(device)  # one that was kept is read on the processor
        trainings[HOW[name].title] = beside["summary"]
    altered = alter(spec.altered, model.to(device), dataset, spec.seed)
    return Trained(altered, card_with_vectors(dataset, record), companions, record | {"trainings": trainings})


def card_with_vectors(dataset: Dataset, record: Mapping[str, Any]) -> Dataset:
    """Say in the card how many words started from a vector of a file."""
    return replace(dataset, card={**dataset.card, "vectors": record["vectors"]}) if "vectors" in record else dataset


def audit_trained(
    trained: Trained, seed: int, display: Display, *, spec: Mapping[str, Any] | None = None, **options: Any
) -> Audit:
    """Audit a trained model on the test split of its dataset; ``spec`` says what was run, for the report."""
    about = {**(spec or {}), "trainings": trained.record.get("trainings", {})}
    about |= {"training_key": trained.record["key"]} if "key" in trained.record else {}
    return audit(
        trained.model, trained.dataset, trained.companions, seed, spec=about, on_progress=display.on_texts, **options
    )


def cut_short(trained: Trained) -> list[str]:
    """Name the trainings that the cap on epochs ended while validation could still improve."""
    trainings = trained.record.get("trainings", {})
    return [name for name, training in trainings.items() if not training["converged"]]


def describe(spec: RunSpec) -> dict[str, Any]:
    """Say in spec texts what was run, for a report and for running it again."""
    return {"data": str(spec.data), "model": str(spec.model), "key": run_key(spec), "run": spec.to_json()}


def _fit(spec: RunSpec, dataset: Dataset, name: str, display: Display, device: str, states: States) -> Fitted:
    """Train one model; its record says how, and on which texts, so that it is never audited on them."""
    vocabulary = fit_vocabulary(dataset, spec.data)
    model = build(spec.model, vocabulary, dataset.label_names, spec.seed).to(device)

    started = {"vectors": start_from_vectors(model)} if spec.model.vectors else {}

    def tell(epoch: Epoch) -> None:
        display.on_epoch(name, epoch, spec.fit.epochs)

    def step(epoch: int, done: int, total: int) -> None:
        display.on_batch(name, epoch, spec.fit.epochs, done, total)

    record = fit(model, dataset.train, dataset.validation, spec.fit, spec.seed, tell, step, states)
    alone = replace(spec, **OF_AN_AUDIT)
    about = {"run": describe(alone), "key": training_key(alone), "fit": record.to_json(), "summary": record.summary()}
    return model, about | started | {"seen": seen_texts(dataset)}
