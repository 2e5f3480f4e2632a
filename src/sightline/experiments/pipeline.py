"""One run from its spec: load → build → fit (and control models) → audit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from sightline.adapters.label_data import LabelledSets, labelled_sets
from sightline.adapters.label_views import label_view, labels_of
from sightline.adapters.shared_logits import LabelAnswers, SharedLogits, sharing
from sightline.audits.audit_result import Audit
from sightline.audits.run import audit
from sightline.config.specs import RunSpec
from sightline.config.word_maps import Reduction
from sightline.core.protocols import Auditable
from sightline.data.dataset import Dataset
from sightline.data.load_dataset import load
from sightline.data.word_vectors import MANY
from sightline.experiments.callbacks import SILENT, Display
from sightline.experiments.run_size import run_size
from sightline.experiments.training_jobs import (
    LoadModel,
    Trainings,
    TrainOrLoad,
    describe,
    no_store,
    train_always,
)
from sightline.measures.default_measures import default_measures
from sightline.models.alterations import alter, check_alterable
from sightline.report.data_notes import worth_noting
from sightline.training.control_models import companions_of, record_name, training_title


@dataclass(frozen=True)
class Trained:
    """A trained model, its training data, and the control models that its audit needs."""

    model: Auditable
    dataset: Dataset
    companions: Mapping[str, Auditable]
    record: dict[str, Any]

    def __repr__(self) -> str:
        controls = f", with {', '.join(self.companions)}" if self.companions else ""
        return (
            f"<Trained {self.model.name!r} on {self.dataset.name!r}{controls}; next: "
            "sightline.audit(model, data)>"
        )


def of_label(
    trained: Trained,
    label: str,
    sets: LabelledSets | None = None,
    shared: SharedLogits | None = None,
) -> Trained:
    """Return one label of a model with several, and the texts with that label as yes or no;
    ``shared`` holds the logits of all labels.
    """
    names = labels_of(trained.model)
    sets = sets or labelled_sets(trained.dataset, names)
    view = label_view(trained.model, label)
    if shared is not None:
        view = sharing(view, LabelAnswers(shared, names.index(label)))
    companions = {name: label_view(one, label) for name, one in trained.companions.items()}
    return replace(
        trained,
        model=view,
        dataset=sets.of(label),
        companions=companions,
    )


def run(
    spec: RunSpec,
    display: Display = SILENT,
    device: str = "cpu",
    keep: TrainOrLoad = train_always,
    named: LoadModel = no_store,
    **options: Any,
) -> tuple[Trained, Audit]:
    """Train the model of a spec and audit it on the test split; ``options`` go to
    `sightline.audits.run.audit`.
    """
    trained = train(spec, display, device, keep, named)
    return trained, audit_as_asked(trained, spec, display, spec=describe(spec), **options)


def train(
    spec: RunSpec,
    display: Display = SILENT,
    device: str = "cpu",
    keep: TrainOrLoad = train_always,
    named: LoadModel = no_store,
) -> Trained:
    """Train the model and its control models on the training split; validation chooses the epoch.

    ``keep`` may return an earlier training instead of making it; ``named`` finds the model of a run
    that lends its attention.
    """
    companions_of(spec)  # first: an unknown control model is refused before data are read
    dataset = load(spec.data, spec.seed)
    for note in worth_noting(dataset.card):
        display.on_data(note)
    return train_on(dataset, spec, display, device, keep, named)


def train_on(
    dataset: Dataset,
    spec: RunSpec,
    display: Display = SILENT,
    device: str = "cpu",
    keep: TrainOrLoad = train_always,
    named: LoadModel = no_store,
) -> Trained:
    """Train as `train` does, on data that are already read."""
    others = companions_of(spec)
    check_alterable(spec.altered, dataset)
    trainings = Trainings(dataset, display, device, keep, named)
    model, record = trainings.get(spec, "model")
    companions, records = dict[str, Auditable](), {"model": record["summary"]}
    for name, other in others.items():
        recorded = record_name(name)
        companion, its_record = trainings.get(other, training_title(recorded))
        companions[name], records[recorded] = companion, its_record["summary"]
    altered = alter(spec.altered, model, dataset, spec.seed)
    return Trained(
        altered, card_with_vectors(dataset, record), companions, record | {"trainings": records}
    )


def card_with_vectors(dataset: Dataset, record: Mapping[str, Any]) -> Dataset:
    """Add to the card how many words started from a vector of a file."""
    return (
        replace(dataset, card={**dataset.card, "vectors": record["vectors"]})
        if "vectors" in record
        else dataset
    )


class AuditRequest(Protocol):
    """The options of an audit that a run's spec and `AuditOptions` share."""

    @property
    def seed(self) -> int:
        """The seed of every random draw."""

    @property
    def limit(self) -> int | None:
        """The largest number of test texts; None for all."""

    @property
    def measures(self) -> tuple[str, ...]:
        """Names of measures, if they differ from the usual ones."""

    @property
    def gradient(self) -> Reduction:
        """How the gradient of a word becomes one number."""


def audit_as_asked(
    trained: Trained,
    asked: AuditRequest,
    display: Display = SILENT,
    *,
    tokens_at_once: int | None = None,
    memory: int | None = None,
    focus_texts: int | None = None,
    **options: Any,
) -> Audit:
    """Audit a trained model with the measures, the limit and the seed asked for; ``options``
    override them.

    ``memory`` bounds what a transformer runs at once, and ``focus_texts`` the texts of SL-403.
    """
    size = run_size(trained.model, trained.dataset.test, memory, tokens_at_once)
    if size.texts is not None:
        options.setdefault("batch_size", size.texts)
    if "measures" not in options:
        options["measures"] = default_measures(
            size.tokens, asked.measures, asked.gradient, focus_texts
        )
    return audit_trained(trained, asked.seed, display, **{"limit": asked.limit, **options})


def audit_trained(
    trained: Trained,
    seed: int,
    display: Display,
    *,
    spec: Mapping[str, Any] | None = None,
    **options: Any,
) -> Audit:
    """Audit a trained model on the test split of its dataset; ``spec`` describes the run in the
    report.
    """
    about = {**(spec or {}), "trainings": trained.record.get("trainings", {})}
    about |= {"training_key": trained.record["key"]} if "key" in trained.record else {}
    return audit(
        trained.model,
        trained.dataset,
        trained.companions,
        seed,
        spec=about,
        on_progress=display.on_texts,
        on_look=display.on_look,
        on_measures=display.on_measures,
        **options,
    )


def doubts_of(trained: Trained) -> list[str]:
    """List warnings about a training, such as a cap on epochs or words that kept random vectors."""
    lines = []
    if ended := cut_short(trained):
        lines.append(
            f"the cap on epochs ended the training of: {', '.join(ended)}; --epochs allows more"
        )
    vectors = trained.record.get("vectors", {})
    zero = vectors.get("without_vector") == "zero"
    if (share := trained.record.get("frozen_as_drawn", 0.0)) >= MANY:
        kept = "the zero vector they started from" if zero else "the random vector drawn for them"
        lines.append(
            f"the model freezes its embeddings, and {share:.0%} of the words of its training "
            f"texts, repeats counted, keep {kept}; --vectors FILE starts words from what they mean"
        )
    elif (share := vectors.get("tokens_without", 0.0)) >= MANY:
        types = 1 - vectors["words_found"] / vectors["of"]
        lines.append(
            f"{vectors['file']} has no vector for {types:.0%} of the training words, which are "
            f"{share:.0%} of the words of the training texts; they start "
            f"{'from zero' if zero else 'at random'}"
        )
    return lines


def cut_short(trained: Trained) -> list[str]:
    """Name the trainings that the cap on epochs ended while validation could still improve."""
    trainings = trained.record.get("trainings", {})
    return [training_title(name) for name, one in trainings.items() if not one["converged"]]
