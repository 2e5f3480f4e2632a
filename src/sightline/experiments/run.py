"""One run from its spec: load → build → fit (and companions) → audit; and the same from a saved model."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from sightline.adapters.conformance import require
from sightline.adapters.factory import load_factory
from sightline.adapters.labels import numbered_for
from sightline.adapters.module import WrappedModule
from sightline.auditing import Progress, audit
from sightline.audits import Audit
from sightline.data.dataset import Dataset
from sightline.data.loading import fit_vocabulary, load
from sightline.data.tokeniser import tokenise
from sightline.errors import DataError, ModelError, SpecError
from sightline.measures import default_measures
from sightline.models.checkpoint import load_classifier, save_classifier
from sightline.models.classifier import AttentionClassifier, build, with_uniform_attention
from sightline.models.displayed import Displayed
from sightline.spec.keys import run_key, training_key
from sightline.spec.values import COMPANIONS, DataSpec, RunSpec
from sightline.training.fit import Epoch, fit
from sightline.training.start import start_from_vectors
from sightline.types import Auditable, Companions, Example


@dataclass(frozen=True)
class Display:
    """Where a run tells how far it is; every part may be left out."""

    on_epoch: Callable[[str, Epoch, int], None] = lambda name, epoch, epochs: None
    on_texts: Progress = lambda done, total: None


Fitted = tuple[AttentionClassifier, dict[str, Any]]
"""A trained model and the record of its training."""
Keep = Callable[[RunSpec, Callable[[], Fitted]], Fitted]
"""Gives the training of a spec: makes it, or takes it from where it was kept."""


def make_anew(spec: RunSpec, make: Callable[[], Fitted]) -> Fitted:
    """Keep nothing: every training is made."""
    return make()


@dataclass(frozen=True)
class Trained:
    """A trained model, what it was trained on, and the companions its audit needs."""

    model: Auditable
    dataset: Dataset
    companions: Companions
    record: dict[str, Any]


def run(
    spec: RunSpec, display: Display = Display(), device: str = "cpu", keep: Keep = make_anew, **options: Any
) -> tuple[Trained, Audit]:
    """Train what the spec describes and audit it on the test split; ``options`` go to `sightline.auditing.audit`."""
    trained = train(spec, display, device, keep)
    if spec.measures:
        chosen = ("outputs", *spec.measures)
        options["measures"] = [one for one in default_measures(trained.companions) if one.code in chosen]
    return trained, audit_trained(trained, spec.seed, display, limit=spec.limit, spec=describe(spec), **options)


def train(spec: RunSpec, display: Display = Display(), device: str = "cpu", keep: Keep = make_anew) -> Trained:
    """Train the model and its companions on the training split; validation chooses the epoch.

    ``keep`` may give back a training that was done before instead of making it.
    """
    if unknown := sorted(set(spec.companions) - set(COMPANIONS)):
        raise SpecError(f"unknown companion {unknown[0]!r}; known: {', '.join(COMPANIONS)}")
    dataset = load(spec.data, spec.seed)
    model, record = keep(spec, lambda: _fit(spec, dataset, "model", display, device))
    uniform, trainings = None, {"model": record["summary"]}
    if "uniform" in spec.companions and spec.model.source.name != "uniform":
        other = replace(spec, model=with_uniform_attention(spec.model))
        uniform, compared = keep(other, lambda: _fit(other, dataset, "companion (uniform attention)", display, device))
        trainings["companion (uniform attention)"] = compared["summary"]
    shown = Displayed(model, spec.seed) if spec.displayed else model
    return Trained(shown, _told(dataset, record), Companions(uniform), record | {"trainings": trainings})


def _told(dataset: Dataset, record: Mapping[str, Any]) -> Dataset:
    """Say in the card how many words started from a vector of a file."""
    return replace(dataset, card={**dataset.card, "vectors": record["vectors"]}) if "vectors" in record else dataset


def audit_trained(
    trained: Trained, seed: int, display: Display, *, spec: Mapping[str, Any] | None = None, **options: Any
) -> Audit:
    """Audit a trained model on the test split of its dataset; ``spec`` says what was run, for the report."""
    about = {**(spec or {}), "trainings": trained.record.get("trainings", {})}
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


def _fit(spec: RunSpec, dataset: Dataset, name: str, display: Display, device: str) -> Fitted:
    """Train one model; its record says how, and on which texts, so that it is never audited on them."""
    vocabulary = fit_vocabulary(dataset, spec.data)
    model = build(spec.model, vocabulary, dataset.label_names, spec.seed).to(device)

    started = {"vectors": start_from_vectors(model)} if spec.model.vectors else {}

    def tell(epoch: Epoch) -> None:
        display.on_epoch(name, epoch, spec.fit.epochs)

    record = fit(model, dataset.train, dataset.validation, spec.fit, spec.seed, tell)
    seen = [fingerprint(example) for example in (*dataset.train, *dataset.validation)]
    alone = replace(
        spec, limit=None, companions=(), measures=(), displayed=""
    )  # what only an audit reads is no part of a training
    about = {"run": describe(alone), "key": training_key(alone), "fit": record.to_json(), "summary": record.summary()}
    return model, about | started | {"seen": seen}


def save_trained(trained: Trained, folder: str | Path, seed: int) -> Path:
    """Write a model and its companions to one folder, all of it or nothing."""
    if not isinstance(trained.model, AttentionClassifier):
        raise ModelError(f"{trained.model.name}: expected a built-in model to save, got another; save its own weights")
    known = {name: getattr(trained.companions, name) for name in COMPANIONS}
    companions = {name: companion for name, companion in known.items() if companion is not None}
    return save_classifier(trained.model, folder, seed, trained.record, companions)


def load_trained(folder: str | Path, data: DataSpec, seed: int, device: str = "cpu") -> Trained:
    """Read a saved model with its companions, and data to audit it on: never texts that it was trained on."""
    model, record = load_classifier(folder)
    dataset = numbered_for(load(data, seed), model.label_names)
    seen = frozenset(record.get("seen", ()))
    if data.recipe == "paper":  # its copies between splits are the paper's own; the card counts them
        seen -= {fingerprint(example) for example in (*dataset.train, *dataset.validation)}
    _refuse_seen(dataset, seen, str(folder))
    others = {
        name: load_classifier(Path(folder) / "companions" / name)[0].to(device)
        for name in COMPANIONS
        if (Path(folder) / "companions" / name).is_dir()
    }
    return Trained(model.to(device), _told(dataset, record), Companions(**others), record)


def fingerprint(example: Example) -> str:
    """Name a text by its words, so that a model can say whether it has seen it without keeping it.

    All its words, also those cut off: cutting elsewhere must not make it another text. Another query makes it one.
    """
    words = [*tokenise(example.text)[0], *(("\n", *example.query) if example.query else ())]
    return hashlib.blake2b(" ".join(words).encode(), digest_size=8).hexdigest()


def load_imported(spec: str, data: DataSpec, seed: int, device: str = "auto") -> Trained:
    """Call ``py:package.module:factory``, and read data to audit its model on; nobody can say what it has seen."""
    model = load_factory(spec)
    dataset = load(data, seed)
    if isinstance(model, WrappedModule):
        _check_place(spec, model.device, device)
        dataset = numbered_for(dataset, model.labels) if model.labels is not None else dataset
    else:
        require(model, dataset.test, dataset.label_names)  # a wrapped one is asked by `audit`
    return Trained(model, dataset, Companions(), {})


def _check_place(spec: str, found: torch.device, asked: str) -> None:
    """Refuse to move a model that was built elsewhere: what its functions hold beside it would stay behind."""
    if asked != "auto" and torch.empty(0, device=asked).device.type != found.type:
        raise ModelError(f"--device {asked}: the model of {spec} is on {found}; put it there in its factory")


def _refuse_seen(dataset: Dataset, seen: frozenset[str], folder: str) -> None:
    known = [example for example in dataset.test if fingerprint(example) in seen]
    if known:
        raise DataError(
            f"{dataset.name}: {len(known)} of {len(dataset.test)} test texts were used to train {folder} "
            f"(the first is {known[0].id}); use the seed of the training (--seed), or other texts"
        )


def pick_device(name: str) -> str:
    """Turn ``auto`` into the device at hand, and refuse one that is not there."""
    if name == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        torch.empty(1, device=name).item()  # a device that holds no numbers fails here
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise ModelError(f"--device {name}: {str(error).splitlines()[0]}; use auto, cpu or cuda") from error
    return name
