"""The trainings of a run: the model, its control models, and their starting points; each is made
once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from sightline.config.base_runs import as_trained, base_of
from sightline.config.run_keys import OF_AN_AUDIT, run_key, training_key
from sightline.config.specs import RunSpec
from sightline.core.errors import DataError, SpecError, setting
from sightline.core.seeds import seed_for
from sightline.data.batches import length_batches
from sightline.data.dataset import Dataset
from sightline.data.load_dataset import fit_vocabulary
from sightline.experiments.callbacks import Display
from sightline.experiments.leakage import seen_texts
from sightline.models.classifier import AttentionClassifier, build
from sightline.models.external_attention import BorrowedAttention, Constant
from sightline.models.lend_attention import attention_of, borrow_attention
from sightline.training.adversary import BATCH, AdversaryObjective
from sightline.training.embedding_init import start
from sightline.training.freeze import copy_parts, freeze_parts
from sightline.training.loop import fit
from sightline.training.resume_state import NO_STATES, Epoch, ResumePoint

Fitted = tuple[AttentionClassifier, dict[str, Any]]
"""A trained model and the record of its training."""
TrainOnce = Callable[[ResumePoint], Fitted]
"""Makes a training, continuing from the state it finds."""
TrainOrLoad = Callable[[RunSpec, TrainOnce], Fitted]
"""Returns the training of a spec: makes it, or takes it from where it was kept."""
LoadModel = Callable[[str], AttentionClassifier]
"""Returns the trained model of a run by its key."""


def train_always(spec: RunSpec, make: TrainOnce) -> Fitted:
    """Keep nothing: every training is made."""
    return make(NO_STATES)


def no_store(key: str) -> AttentionClassifier:
    """Know no run by its key."""
    message = (
        f"given(run={key}): expected a study, whose store has runs by their keys; got a command "
        "without one"
    )
    raise SpecError(
        f"{message}; write a study file, and `sightline study run` it in that store", field="model"
    )


@dataclass
class Trainings:
    """Makes the trainings of a run on its data, or takes them from where they are kept."""

    dataset: Dataset
    display: Display
    device: str
    keep: TrainOrLoad
    named: LoadModel
    made: dict[str, Fitted] = field(default_factory=dict)

    def get(self, spec: RunSpec, title: str) -> Fitted:
        """Return a training; one that is needed twice, such as the base of another, is
        made once.
        """
        key = training_key(spec)
        if key not in self.made:
            model, record = self.keep(spec, partial(self._fit, spec, title))
            self.made[key] = (
                model.to(self.device),
                record,
            )  # a training that was kept is read on the processor
        return self.made[key]

    def _fit(self, spec: RunSpec, title: str, states: ResumePoint) -> Fitted:
        """Train one model; its record says how, and on which texts, so that it is never audited on
        them.
        """
        data, training, seed = self.dataset, as_trained(spec.fit), drawn_seed(spec)
        wanted = base_of(spec)
        base = None if wanted is None else self.get(wanted, f"base of the {title}")[0]
        check_labels(data, spec)
        vocabulary = fit_vocabulary(data, spec.data)
        model = build(spec.model, vocabulary, data.labels, seed).to(self.device)
        frozen = "embedding" in {*spec.fit.fixed} - {*spec.fit.from_base}
        started = start(model, data.train, frozen=frozen)
        self._prepare(model, base, spec)
        objective = None if base is None or not spec.fit.adversary else self._against(base, spec)

        def tell(epoch: Epoch) -> None:
            self.display.on_epoch(title, epoch, training.epochs)

        def step(epoch: int, done: int, total: int) -> None:
            self.display.on_batch(title, epoch, training.epochs, done, total)

        record = fit(
            model,
            data.train,
            data.validation,
            training,
            seed,
            tell,
            step,
            states,
            objective,
            data.label_sets,
        )
        return model, self._describe(spec, record.to_json(), record.summary()) | started

    def _prepare(
        self, model: AttentionClassifier, base: AttentionClassifier | None, spec: RunSpec
    ) -> None:
        """Initialise a model as its spec says, and exclude fixed parts from its training."""
        if base is not None:
            copy_parts(model, base, spec.fit.from_base)
            if isinstance(model.source, Constant):
                train = self.dataset.train
                batches = (
                    base.collate([train[i] for i in rows]) for rows in length_batches(train, BATCH)
                )
                model.source.learn(
                    weights for batch in batches for weights in attention_of(base, batch)
                )
        if isinstance(model.source, BorrowedAttention):
            borrow_attention(model, self.named(model.source.run).to(self.device))
        freeze_parts(model, spec.fit.fixed)

    def _against(self, base: AttentionClassifier, spec: RunSpec) -> AdversaryObjective:
        return AdversaryObjective(base, (*self.dataset.train, *self.dataset.validation), spec.fit)

    def _describe(
        self, spec: RunSpec, record: dict[str, Any], summary: dict[str, Any]
    ) -> dict[str, Any]:
        alone = replace(spec, **OF_AN_AUDIT)
        about = {
            "run": describe(alone),
            "key": training_key(alone),
            "fit": record,
            "summary": summary,
        }
        return about | {"seen": seen_texts(self.dataset)}


def check_labels(data: Dataset, spec: RunSpec) -> None:
    """Refuse texts with several labels for a model of one class, and the reverse."""
    if data.several != spec.model.labelwise:
        got, change = (
            ("several", "add +labelwise")
            if data.several
            else (
                "one",
                f"leave +labelwise out, or separate labels by {setting('labels_sep', ';')}",
            )
        )
        raise DataError(
            f"{data.name}: {spec.model} expects {'one label' if data.several else 'several labels'} "
            f"for each text, got {got}; {change}",
            field="model",
        )
    if data.several and len(data.labels) < 2:
        raise DataError(
            f"{data.name}: expected two labels or more in all texts, got {len(data.labels)}; a "
            "single label is a class: name yes and no, and leave +labelwise out",
            field="label",
        )


def drawn_seed(spec: RunSpec) -> int:
    """Return the seed of initialisation and of the order of texts; splits always use the run's own
    seed.
    """
    return seed_for(spec.seed, "draw", spec.fit.draw) if spec.fit.draw else spec.seed


def describe(spec: RunSpec) -> dict[str, Any]:
    """Describe a run in spec texts, for a report and for repeating it."""
    return {
        "data": str(spec.data),
        "model": str(spec.model),
        "key": run_key(spec),
        "run": spec.to_json(),
    }
