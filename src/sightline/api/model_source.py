"""The source of an audit as a value: a model to train, a saved one, one from the user's code, or
one in memory.

    source = choose(parse_data("csv:reviews.csv"), "bilstm+additive")
    trained, audit = audit_source(source)

Choosing reads no data, trains nothing and loads no torch.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from sightline._io.atomic_write import put_back
from sightline._io.home_folder import from_home
from sightline.api.run_options import TO_THE_END, AuditOptions, Stopping, TrainingOptions
from sightline.config.measure_registry import with_default_measures
from sightline.config.presets import build_specs
from sightline.config.registry import ENCODERS
from sightline.config.spec_syntax import ANSWERS, ELSEWHERE, HF, HF_CAUSAL, PY, place_and_options
from sightline.config.specs import DataSpec, ModelSpec, RunSpec
from sightline.config.user_tables import LABELS_SEPARATOR, WITH_LABELS
from sightline.config.word_maps import is_attribution
from sightline.core.errors import ModelError, SpecError, setting
from sightline.data.word_vectors import with_vectors
from sightline.experiments.callbacks import Display
from sightline.experiments.preprocessing import SHAPING, prepared_alike
from sightline.training.control_models import read_companions

if TYPE_CHECKING:
    from sightline.core.protocols import Auditable
    from sightline.data.external_scores import Scores
    from sightline.experiments.forecast_result import Forecast
    from sightline.experiments.pipeline import Trained
    from sightline.experiments.training_jobs import TrainOrLoad

MODEL_FILE = "model.json"
"""The file that identifies a saved model."""
FOR_TRANSFORMERS = (HF, HF_CAUSAL)
FIT = ("epochs", "batch_size", "learning_rate")
"""Settings of the training that have an option of their own."""
NO_TRAINING, USUAL = TrainingOptions(), AuditOptions()


@dataclass(frozen=True)
class TrainedFirst:
    """A model that is trained first."""

    spec: RunSpec
    scores: Path | str | None = None
    """Scores of words by another tool; they are not part of the run."""
    labels: tuple[str, ...] = ()
    """The labels to audit, for a model with several; none means all."""

    def trained(
        self, display: Display | None = None, device: str = "cpu", keep: TrainOrLoad | None = None
    ) -> Trained:
        """Train it; ``keep`` may return an earlier training."""
        from sightline.experiments.pipeline import train  # noqa: PLC0415  (torch)
        from sightline.experiments.training_jobs import train_always  # noqa: PLC0415  (torch)

        return train(self.spec, display or Display(), device, keep or train_always)

    def about(self, trained: Trained) -> dict[str, Any]:
        """Describe the run."""
        from sightline.experiments.training_jobs import describe  # noqa: PLC0415  (torch)

        return describe(self.spec)

    def doubts_of(self, trained: Trained) -> tuple[str, ...]:
        """List the trainings that the cap on epochs ended, and other doubts."""
        from sightline.experiments.pipeline import doubts_of  # noqa: PLC0415  (torch)

        return tuple(doubts_of(trained))

    def forecast(
        self,
        device: str,
        tokens: int,
        attribution: str | None = None,
        stopping: Stopping = TO_THE_END,
    ) -> Forecast:
        """Estimate what training and auditing it will cost."""
        from sightline.experiments.forecast import forecast  # noqa: PLC0415  (torch)

        spec = replace(self.spec, limit=stopping.most_texts(self.spec.limit))
        scores_of(self, None, spec.limit)
        return forecast(
            spec,
            device,
            tokens,
            attribution,
            bearing=stopping.early,
            budget=stopping.budget,
            labels=self.labels,
        )

    @property
    def data(self) -> DataSpec:
        """The data of the run."""
        return self.spec.data

    @property
    def asked(self) -> RunSpec:
        """The options of its audit, which are part of the run."""
        return self.spec

    @property
    def of_labels(self) -> AuditOptions:
        """The options for the audits of its labels, if it has several."""
        spec = self.spec
        return AuditOptions(
            seed=spec.seed,
            limit=spec.limit,
            gradient=spec.gradient,
            measures=spec.measures,
            labels=self.labels,
            scores=self.scores,
        )

    @property
    def trains(self) -> bool:
        """Whether the model is trained first."""
        return True

    def name_of(self, trained: Trained) -> str:
        """Return the name of the model for a person."""
        return trained.model.name

    def with_seed(self, seed: int) -> TrainedFirst:
        """Return the same run with another seed."""
        return replace(self, spec=replace(self.spec, seed=seed))


class _Audited(ABC):
    """The common part of sources whose options are not those of a run."""

    asked: AuditOptions

    @abstractmethod
    def trained(
        self, display: Display | None = None, device: str = "cpu", keep: TrainOrLoad | None = None
    ) -> Trained:
        """Return the model with the data to audit it on."""

    def forecast(
        self,
        device: str,
        tokens: int,
        attribution: str | None = None,
        stopping: Stopping = TO_THE_END,
    ) -> Forecast:
        """Estimate what auditing it will cost."""
        from sightline.adapters.label_views import has_labels  # noqa: PLC0415  (torch)
        from sightline.api.label_choice import first_label  # noqa: PLC0415  (torch)
        from sightline.experiments.forecast import forecast_audit  # noqa: PLC0415  (torch)

        began = perf_counter()
        trained = self.trained(device=device)
        reading = perf_counter() - began
        asked, labels = self.asked, 1
        most = stopping.most_texts(asked.limit)
        scores_of(self, trained, most)
        if has_labels(trained.model):
            trained, labels = first_label(trained, asked, most)
        found = forecast_audit(
            trained,
            asked.seed,
            most,
            tokens,
            asked.measures,
            attribution=attribution,
            bearing=stopping.early,
            budget=stopping.budget,
        ).times(labels, "labels")
        return replace(found, seconds_reading=reading)

    @property
    def scores(self) -> Path | str | None:
        """Scores of words by another tool."""
        return self.asked.scores

    @property
    def of_labels(self) -> AuditOptions:
        """The options for the audits of its labels, if it has several."""
        return self.asked

    @property
    def trains(self) -> bool:
        """Whether the model is trained first."""
        return False

    def name_of(self, trained: Trained) -> str:
        """Return the name of the model for a person."""
        return trained.model.name

    def doubts_of(self, trained: Trained) -> tuple[str, ...]:
        """Return nothing: the training command has reported its doubts, or the training
        is unknown.
        """
        return ()

    def with_seed(self, seed: int) -> TrainedFirst:
        """Refuse: the model is trained already."""
        message = "expected a model that is trained first: another seed would not change this one"
        raise SpecError(
            f"{message}; leave it out, or name a spec such as bilstm+additive", field="seeds"
        )


@dataclass(frozen=True)
class SavedModel(_Audited):
    """A model that `sightline train` wrote, and the data to audit it on."""

    folder: Path
    data: DataSpec
    asked: AuditOptions

    def trained(
        self, display: Display | None = None, device: str = "cpu", keep: TrainOrLoad | None = None
    ) -> Trained:
        """Read it."""
        from sightline.experiments.load_models import load_trained  # noqa: PLC0415  (torch)

        asked = self.asked
        return load_trained(
            self.folder, self.data, asked.seed, device, asked.label_map, asked.measures
        )

    def about(self, trained: Trained) -> dict[str, Any]:
        """Describe the audit, and how the model was trained."""
        about = {
            "data": str(self.data),
            "model": str(self.folder),
            "trained": trained.record.get("run"),
        }
        return about | ({"label_map": dict(self.asked.label_map)} if self.asked.label_map else {})


def notes_of(model: Auditable) -> tuple[str, ...]:
    """List what a model notes itself, though it can be audited."""
    from sightline.core.protocols import SupportsNotes  # noqa: PLC0415  (torch)

    return model.notes if isinstance(model, SupportsNotes) else ()


@dataclass(frozen=True)
class ImportedModel(_Audited):
    """A model made elsewhere (``py:package.module:factory``, ``hf:FOLDER``, ``hf-causal:FOLDER(…)``
    or ``answers:package.module:function``), and the data to audit it on.
    """

    factory: str
    data: DataSpec
    asked: AuditOptions

    def name_of(self, trained: Trained) -> str:
        """Return the name that the user gave."""
        return self.factory

    def trained(
        self, display: Display | None = None, device: str = "cpu", keep: TrainOrLoad | None = None
    ) -> Trained:
        """Build it; a model from the user's own code stays on its device."""
        from sightline.experiments.load_models import load_imported  # noqa: PLC0415  (torch)

        asked = self.asked
        return load_imported(
            self.factory, self.data, asked.seed, asked.device, asked.label_map, asked.measures
        )

    def doubts_of(self, trained: Trained) -> tuple[str, ...]:
        """List what the model itself notes; its training is unknown."""
        return notes_of(trained.model)

    def about(self, trained: Trained) -> dict[str, Any]:
        """Describe the audit; the training is unknown."""
        about = {"data": str(self.data), "model": self.factory}
        return about | ({"label_map": dict(self.asked.label_map)} if self.asked.label_map else {})


@dataclass(frozen=True)
class GivenModel(_Audited):
    """A model and data that Python holds already."""

    held: Trained
    asked: AuditOptions
    labels: int = 0
    """For a model with several labels: the number of labels audited one after the other, of which
    this is the first."""

    def trained(
        self, display: Display | None = None, device: str = "cpu", keep: TrainOrLoad | None = None
    ) -> Trained:
        """Return it unchanged."""
        return self.held

    def about(self, trained: Trained) -> dict[str, Any]:
        """Describe the audit, and the training if it is known."""
        dataset, record = trained.dataset, trained.record
        about = {"data": str(dataset.card.get("source", dataset.name)), "model": trained.model.name}
        return about | ({"trained": record["run"]} if "run" in record else {})


ChosenModel = TrainedFirst | SavedModel | ImportedModel
"""A model named by a text."""
ModelSource = ChosenModel | GivenModel


def scores_of(
    source: _Audited | TrainedFirst, trained: Trained | None, limit: int | None
) -> Scores | None:
    """Read the file with scores of a source for the texts that will be audited; None if it names no
    file.

    Without ``trained``, the model is trained first: it sees every word, and its data stay in memory
    until then.
    """
    from sightline.adapters.truncation import visible_text  # noqa: PLC0415  (torch)
    from sightline.data.dataset import sample_test  # noqa: PLC0415  (as late as it is needed)
    from sightline.data.external_scores import read_scores  # noqa: PLC0415  (as late as it is needed)
    from sightline.data.load_dataset import load  # noqa: PLC0415  (as late as it is needed)

    if source.scores is None or is_attribution(source.scores):
        return None
    seed = source.asked.seed
    if trained is None:
        assert isinstance(source, TrainedFirst)
        return read_scores(source.scores, sample_test(load(source.data, seed), limit, seed).test)
    texts = sample_test(trained.dataset, limit, seed).test
    seen = [visible_text(trained.model, text) for text in texts]
    return read_scores(source.scores, texts, seen)


def under_reading(model: str, reading: str | None) -> str:
    """Append an attention source to the name of a model: ``all``, ``rollout``, or
    ``layer=3,head=2``.
    """
    if reading is None:
        return model
    if not model.startswith(FOR_TRANSFORMERS):
        message = (
            f"{reading}: only a model of Hugging Face (hf:FOLDER) has several readings, got {model}"
        )
        raise SpecError(message, field="reading")
    written = reading if "=" in reading else f"reading={reading}"
    place, options = place_and_options(model)
    named = {option.partition("=")[0].strip() for option in options.strip("()").split(",")}
    if named & {"reading", "layer", "head"} or (options and model.startswith(HF)):
        raise SpecError(f"{reading}: {model} names its reading already; keep one", field="reading")
    return f"{place}({','.join(filter(None, (options.strip('()'), written)))})"


def choose(
    data: DataSpec,
    model: str,
    training: TrainingOptions = NO_TRAINING,
    options: AuditOptions = USUAL,
    *,
    typed: Collection[str] = SHAPING,
) -> ChosenModel:
    """Resolve the name of a model: a spec, the folder of a saved model, or a model made elsewhere
    (`ELSEWHERE`).

    Options of a training are refused for a trained model. It remembers how its texts were prepared;
    of ``SHAPING``, only fields that were ``typed`` come from the data spec.
    """
    if data.files is not None:
        data.files.check_tested()
    if model.startswith(ELSEWHERE):
        _refuse_training(training, f"of {model}")
        return ImportedModel(model, data, _in_order(options))
    folder = saved_folder(model)
    if folder is None:
        if options.label_map:
            known = f"{model} is trained first, and has the labels of its data; leave it out"
            raise SpecError(known, field="label_map")
        return choose_training(data, model, training, options)
    _refuse_training(training, f"in {folder}")
    alike = prepared_alike(data, folder / MODEL_FILE, typed)
    return SavedModel(folder, alike, _in_order(options))


def choose_training(
    data: DataSpec,
    model: str,
    training: TrainingOptions = NO_TRAINING,
    options: AuditOptions = USUAL,
) -> TrainedFirst:
    """Read the spec of a model and its training; None keeps the value of the preset."""
    fit = {name: getattr(training, name) for name in FIT if getattr(training, name) is not None}
    if training.fit:
        fit |= _settings(training.fit, fit)
    chosen, fitting = build_specs(model, training.preset or "default", **fit)
    data = _with_labels(data, chosen, model, options.labels)
    if training.vectors:
        chosen = with_vectors(chosen, Path(training.vectors).expanduser())
    asked = training.companions
    companions = RunSpec.companions if asked is None else read_companions(asked)
    taken = with_default_measures(options.measures)
    spec = RunSpec(
        data,
        chosen,
        fitting,
        options.seed,
        options.limit,
        companions,
        measures=taken,
        gradient=options.gradient,
    )
    return TrainedFirst(spec, options.scores, options.labels)


def _with_labels(
    data: DataSpec, chosen: ModelSpec, model: str, labels: Collection[str]
) -> DataSpec:
    """Read all labels of a text for a model with several, and refuse them for any other."""
    if chosen.labelwise:
        known = data.labels_sep or data.kind not in WITH_LABELS
        return data if known else replace(data, labels_sep=LABELS_SEPARATOR)
    for field, given in (("labels_sep", data.labels_sep), ("labels", labels)):
        if given:
            raise SpecError(
                f"{model} is trained to predict one class; {model}+labelwise has several labels "
                "for each text",
                field=field,
            )
    return data


def _in_order(options: AuditOptions) -> AuditOptions:
    """Name every measure of an audit if expensive ones are asked for."""
    return replace(options, measures=with_default_measures(options.measures))


def saved_folder(model: str) -> Path | None:
    """Return the folder of a saved model; None if the text names something else; a path to nothing
    is an error.
    """
    if model.startswith(ELSEWHERE):
        return None
    path = Path(model).expanduser()
    put_back(path)
    if (path / MODEL_FILE).is_file():
        return path
    encoder = model.partition("+")[0].partition("(")[0].strip()
    named = os.sep in model or "/" in model or model.startswith((".", "~")) or "-" in encoder
    if not named and (encoder in ENCODERS or not path.exists()):
        return None
    if path.suffix == ".gguf":
        raise ModelError(
            f"{model}: a language model, which a prompt asks for the class",
            change=f"name it '{HF_CAUSAL}{model}(template=FILE,answers=A|B)'",
            field="model",
        )
    if (path / "config.json").is_file():
        raise ModelError(
            f"{model}: a model for transformers", change=f"name it {HF}{model}", field="model"
        )
    found = f"there is no {MODEL_FILE} in it" if path.exists() else "there is no such folder"
    wanted = (
        f"a folder that `sightline train` wrote, {HF}FOLDER for transformers, or a spec such as "
        "bilstm+additive"
    )
    raise ModelError(f"{model}: {found}; expected {wanted}", field="model")


def is_trained(model: str) -> bool:
    """Tell whether a text names a model that is trained already; none is named by an empty one."""
    return bool(model) and (model.startswith(ELSEWHERE) or saved_folder(model) is not None)


def model_place(model: str) -> Path | None:
    """Return the folder of a saved model, or the file in this folder that builds one; None for a
    spec.
    """
    if model.startswith(FOR_TRANSFORMERS):
        place = Path(place_and_options(model.partition(":")[2])[0]).expanduser()
        return place if place.exists() else None
    prefix = next((one for one in (PY, ANSWERS) if model.startswith(one)), "")
    if not prefix:
        return saved_folder(model)
    package = model.removeprefix(prefix).partition(":")[0].partition(".")[0]
    folder, file = Path(package), Path(f"{package}.py")
    # As Python imports: a folder without __init__.py only where there is no file of that name.
    taken = (folder / "__init__.py").is_file() or (folder.is_dir() and not file.is_file())
    return folder if package and taken else file


def prompt_files(model: str) -> list[Path]:
    """Return the files of the prompt that a language model is asked with: template, answers, texts."""
    if not model.startswith(HF_CAUSAL):
        return []
    options = place_and_options(model)[1].strip("()").split(",")
    named = (from_home(option.partition("=")[2].strip()) for option in options)
    # A list of answers may be longer than a name can be, which only `os.path` calls no file.
    return [file for file in named if os.path.isfile(file)]  # noqa: PTH113


def _settings(typed: Collection[str], named: Collection[str]) -> dict[str, Any]:
    """Read settings of the training that have no option of their own."""
    from sightline.experiments.fit_settings import read_settings  # noqa: PLC0415  (where there are any)

    found = read_settings(typed)
    if twice := next((name for name in named if name in found), ""):
        raise SpecError(
            f"{twice} is given twice, there and by {setting(twice)}; keep one", field="fit"
        )
    return found


def _refuse_training(training: TrainingOptions, where: str) -> None:
    if given := training.given:
        message = f"this is about training, and the model {where} is trained already; leave it out"
        raise SpecError(message, field=given[0])
