"""What is to be audited, as a value: a model to train from its spec, one that was saved, or one from the user's code.

    subject = choose(parse_data("csv:reviews.csv"), "bilstm+additive", seed=0)
    trained, audit = audited(subject)

Choosing reads no data, trains nothing and loads no torch.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from sightline.data.vectors import with_vectors
from sightline.errors import ModelError, SpecError, setting
from sightline.experiments.remembered import SHAPING, prepared_alike
from sightline.files import put_back
from sightline.questions import Reduction, beside_default
from sightline.spec.catalogue import ENCODERS
from sightline.spec.presets import build_specs
from sightline.spec.values import DataSpec, RunSpec
from sightline.training.companions import read_companions

if TYPE_CHECKING:
    from sightline.audits import Audit
    from sightline.data.scores import Scores
    from sightline.experiments.forecasted import Forecast
    from sightline.experiments.run import Trained
    from sightline.experiments.trainings import Display, Keep

MODEL_FILE = "model.json"
"""The file by which a saved model is known."""
PY, HF = "py:", "hf:"
ELSEWHERE = (PY, HF)
"""What the name of a model begins with that was made elsewhere: by the user's own code, or for transformers."""
FIT = ("epochs", "batch_size", "learning_rate")
"""Settings of the training that may be chosen by name."""


@dataclass(frozen=True)
class ToTrain:
    """A model that is trained first."""

    spec: RunSpec

    def trained(self, display: Display | None = None, device: str = "cpu", keep: Keep | None = None) -> Trained:
        """Train it; ``keep`` may give back what was trained before."""
        from sightline.experiments.run import train  # noqa: PLC0415  (torch)
        from sightline.experiments.trainings import Display, make_anew  # noqa: PLC0415  (torch)

        return train(self.spec, display or Display(), device, keep or make_anew)

    def about(self, trained: Trained) -> dict[str, Any]:
        """Say what was run."""
        from sightline.experiments.trainings import describe  # noqa: PLC0415  (torch)

        return describe(self.spec)

    def doubts_of(self, trained: Trained) -> tuple[str, ...]:
        """Say which trainings the cap on epochs ended, whoever chose it, and what else is to be known of them."""
        from sightline.experiments.run import doubts_of  # noqa: PLC0415  (torch)

        return tuple(doubts_of(trained))

    def forecast(self, device: str, tokens: int, attribution: str | None = None) -> Forecast:
        """Estimate what training and auditing it will cost."""
        from sightline.experiments.forecast import forecast  # noqa: PLC0415  (torch)

        return forecast(self.spec, device, tokens, attribution)

    @property
    def data(self) -> DataSpec:
        """The data of the run."""
        return self.spec.data

    @property
    def seed(self) -> int:
        """The seed of the run."""
        return self.spec.seed

    @property
    def limit(self) -> int | None:
        """How many test texts to audit at most."""
        return self.spec.limit

    @property
    def gradient(self) -> Reduction:
        """How its audit makes one number of a word's gradient."""
        return self.spec.gradient

    @property
    def measures(self) -> tuple[str, ...]:
        """What its audit takes, where that is not what every audit does."""
        return self.spec.measures


@dataclass(frozen=True)
class Saved:
    """A model that `sightline train` wrote, and the data to audit it on."""

    folder: Path
    data: DataSpec
    seed: int
    limit: int | None
    gradient: Reduction = "input"
    measures: tuple[str, ...] = ()
    label_map: tuple[tuple[str, str], ...] = ()
    """Labels of the data, each with the class of the model that it is."""

    def trained(self, display: Display | None = None, device: str = "cpu", keep: Keep | None = None) -> Trained:
        """Read it."""
        from sightline.experiments.saved import load_trained  # noqa: PLC0415  (torch)

        return load_trained(self.folder, self.data, self.seed, device, dict(self.label_map))

    def about(self, trained: Trained) -> dict[str, Any]:
        """Say what was audited, and how it was trained."""
        about = {"data": str(self.data), "model": str(self.folder), "trained": trained.record.get("run")}
        return about | ({"label_map": dict(self.label_map)} if self.label_map else {})

    def doubts_of(self, trained: Trained) -> tuple[str, ...]:
        """Say nothing: it was told when the model was trained."""
        return ()

    def forecast(self, device: str, tokens: int, attribution: str | None = None) -> Forecast:
        """Estimate what auditing it will cost."""
        return _forecast_audit(self, device, tokens, attribution)


@dataclass(frozen=True)
class Imported:
    """A model that was made elsewhere, ``py:package.module:factory`` or ``hf:FOLDER``, and the data to audit it on."""

    factory: str
    data: DataSpec
    seed: int
    limit: int | None
    device: str = "auto"
    gradient: Reduction = "input"
    measures: tuple[str, ...] = ()
    label_map: tuple[tuple[str, str], ...] = ()
    """Labels of the data, each with the class of the model that it is."""

    def trained(self, display: Display | None = None, device: str = "cpu", keep: Keep | None = None) -> Trained:
        """Make it; what the user's own code makes stays on the device it was built on."""
        from sightline.experiments.saved import load_imported  # noqa: PLC0415  (torch)

        return load_imported(self.factory, self.data, self.seed, self.device, dict(self.label_map))

    def about(self, trained: Trained) -> dict[str, Any]:
        """Say what was audited; how it was trained is not known."""
        about = {"data": str(self.data), "model": self.factory}
        return about | ({"label_map": dict(self.label_map)} if self.label_map else {})

    def doubts_of(self, trained: Trained) -> tuple[str, ...]:
        """Say nothing: nothing is known of its training."""
        return ()

    def forecast(self, device: str, tokens: int, attribution: str | None = None) -> Forecast:
        """Estimate what auditing it will cost."""
        return _forecast_audit(self, device, tokens, attribution)


Chosen = ToTrain | Saved | Imported


def under_reading(model: str, reading: str | None) -> str:
    """Write a reading behind the name of the model it is of: ``all``, ``rollout``, or ``layer=3,head=2``."""
    if reading is None:
        return model
    if not model.startswith(HF):
        told = f"{reading}: only a model of Hugging Face (hf:FOLDER) has several readings, got {model}"
        raise SpecError(told, field="reading")
    if model.endswith(")"):
        raise SpecError(f"{reading}: {model} names its reading already; keep one", field="reading")
    return f"{model}({reading if '=' in reading else f'reading={reading}'})"


def choose(
    data: DataSpec,
    model: str,
    training: Mapping[str, Any] | None = None,
    *,
    seed: int = 0,
    limit: int | None = None,
    device: str = "auto",
    gradient: Reduction = "input",
    measures: tuple[str, ...] = (),
    told: Collection[str] = SHAPING,
    label_map: Mapping[str, str] | None = None,
) -> Chosen:
    """Decide what a text names: a spec, the folder of a saved model, or one that was made elsewhere (`ELSEWHERE`).

    ``training`` holds what a training can be told (preset, epochs, companions, …; None: not told). Whatever is told is
    refused for a model that is trained already. How its texts were prepared it remembers; of ``SHAPING``, only what was
    ``told`` is taken from the data spec instead. ``measures`` are taken beside those of every audit. ``label_map`` says
    which class of a model that is trained already a label is.
    """
    if data.files is not None:
        data.files.check_tested()
    training = training or {}
    classes = tuple((label_map or {}).items())
    if model.startswith(ELSEWHERE):
        _refuse_training(training, f"of {model}")
        return Imported(model, data, seed, limit, device, gradient, beside_default(measures), classes)
    folder = saved_folder(model)
    if folder is None:
        if classes:
            told = f"{model} is trained first, and has the labels of its data; leave it out"
            raise SpecError(told, field="label_map")
        return choose_training(data, model, training, seed=seed, limit=limit, gradient=gradient, measures=measures)
    _refuse_training(training, f"in {folder}")
    alike = prepared_alike(data, folder / MODEL_FILE, told)
    return Saved(folder, alike, seed, limit, gradient, beside_default(measures), classes)


def choose_training(
    data: DataSpec,
    model: str,
    training: Mapping[str, Any],
    *,
    seed: int = 0,
    limit: int | None = None,
    gradient: Reduction = "input",
    measures: tuple[str, ...] = (),
) -> ToTrain:
    """Read the spec of a model and its training; what is None keeps the value of the preset."""
    fit = {name: training[name] for name in FIT if training.get(name) is not None}
    if told := training.get("fit"):
        fit |= _settings(told, fit)
    chosen, fitting = build_specs(model, training.get("preset") or "default", **fit)
    if training.get("vectors"):
        chosen = with_vectors(chosen, Path(training["vectors"]).expanduser())
    asked = training.get("companions")
    companions = RunSpec.companions if asked is None else read_companions(asked)
    taken = beside_default(measures)
    return ToTrain(RunSpec(data, chosen, fitting, seed, limit, companions, measures=taken, gradient=gradient))


def saved_folder(model: str) -> Path | None:
    """Give the folder of a saved model that a text names; None where it names none; a path to nothing is an error."""
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
    if (path / "config.json").is_file():
        raise ModelError(f"{model}: a model for transformers", change=f"name it {HF}{model}", field="model")
    found = f"there is no {MODEL_FILE} in it" if path.exists() else "there is no such folder"
    wanted = f"a folder that `sightline train` wrote, {HF}FOLDER for transformers, or a spec such as bilstm+additive"
    raise ModelError(f"{model}: {found}; expected {wanted}", field="model")


def audited(
    subject: Chosen,
    display: Display | None = None,
    device: str = "cpu",
    *,
    tokens_at_once: int | None = None,
    scores: Path | str | None = None,
    about: Mapping[str, Any] | None = None,
    keep: Keep | None = None,
    on_ready: Callable[[Trained], None] = lambda trained: None,
) -> tuple[Trained, Audit]:
    """Train or read the model, and audit it; ``about`` is said in the report beside what was run.

    ``scores`` is a file with scores of words that another tool made (`sightline.data.scores`), or ``captum:NAME``.
    ``on_ready`` is called with the model and its data between the two.
    """
    from sightline.experiments.run import audit_trained  # noqa: PLC0415  (torch)
    from sightline.experiments.trainings import Display  # noqa: PLC0415  (torch)
    from sightline.measures import default_measures  # noqa: PLC0415  (torch)

    display = display or Display()
    given = None if scores is None else scores_of(subject, scores)  # first: what is wrong with it is said at once
    trained = subject.trained(display, device, keep)
    on_ready(trained)
    measures = default_measures(tokens_at_once, subject.measures, subject.gradient)
    said = subject.about(trained) | dict(about or {}) | ({} if given is None else {"scores": given.about()})
    asked = given.by_id if given else None if scores is None else str(scores)
    options: dict[str, Any] = {"limit": subject.limit, "measures": measures, "scores": asked}
    return trained, audit_trained(trained, subject.seed, display, spec=said, **options)


def scores_of(subject: Chosen, file: Path | str) -> Scores | None:
    """Read scores for the texts that will be audited; the data stay in memory, and are not read twice.

    An attribution is known by its name alone, and made of the model: None.
    """
    from sightline.data.dataset import sample_test  # noqa: PLC0415  (as late as it is needed)
    from sightline.data.loading import load  # noqa: PLC0415  (as late as it is needed)
    from sightline.data.scores import read_scores  # noqa: PLC0415  (as late as it is needed)
    from sightline.experiments.saved import load_to_audit  # noqa: PLC0415  (torch)
    from sightline.experiments.seen import seen_by  # noqa: PLC0415  (as late as it is needed)
    from sightline.taking.attributing import is_attribution, known_attribution  # noqa: PLC0415  (torch)

    if is_attribution(file):
        known_attribution(file)
        return None
    if isinstance(subject, ToTrain):
        dataset = load(subject.data, subject.seed)
    elif isinstance(subject, Saved):
        dataset = load_to_audit(subject.data, subject.seed, seen_by(subject.folder / MODEL_FILE))
    else:
        dataset = load_to_audit(subject.data, subject.seed)
    return read_scores(file, sample_test(dataset, subject.limit, subject.seed).test)


def _settings(told: Collection[str], named: Collection[str]) -> dict[str, Any]:
    """Read settings of the training that have no flag of their own."""
    from sightline.experiments.settings import read_settings  # noqa: PLC0415  (where there are any)

    found = read_settings(told)
    if twice := next((name for name in named if name in found), ""):
        raise SpecError(f"{twice} is given twice, there and by {setting(twice)}; keep one", field="fit")
    return found


def _refuse_training(training: Mapping[str, Any], where: str) -> None:
    if given := [name for name, value in training.items() if value is not None]:
        told = f"this is about training, and the model {where} is trained already; leave it out"
        raise SpecError(told, field=given[0])


def _forecast_audit(subject: Saved | Imported, device: str, tokens: int, attribution: str | None) -> Forecast:
    """Estimate what auditing a model will cost that needs no training."""
    from sightline.experiments.forecast import forecast_audit  # noqa: PLC0415  (torch)

    began = perf_counter()
    trained = subject.trained(device=device)
    reading = perf_counter() - began
    found = forecast_audit(trained, subject.seed, subject.limit, tokens, subject.measures, attribution=attribution)
    return replace(found, seconds_reading=reading)
