"""What a command works on, as a value: a model to train from its spec, or one that was saved."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sightline.cli.output import tell
from sightline.errors import ModelError, SpecError
from sightline.spec.catalogue import ENCODERS
from sightline.spec.presets import build_specs
from sightline.spec.values import DataSpec, RunSpec

if TYPE_CHECKING:
    from sightline.audits import Audit
    from sightline.experiments.forecast import Forecast
    from sightline.experiments.run import Display, Trained

MODEL_FILE = "model.json"
"""The file by which a saved model is known."""
PY = "py:"
"""What the name of a model from the user's own code begins with."""


@dataclass(frozen=True)
class ToTrain:
    """A model that is trained first; ``capped`` where the user has chosen how many epochs at most."""

    spec: RunSpec
    capped: bool = False

    def trained(self, display: Display, device: str) -> Trained:
        """Train it."""
        from sightline.experiments.run import train  # noqa: PLC0415  (torch)

        return train(self.spec, display, device)

    def about(self, trained: Trained) -> dict[str, Any]:
        """Say what was run."""
        from sightline.experiments.run import describe  # noqa: PLC0415  (torch)

        return describe(self.spec)

    def forecast(self, device: str, tokens: int) -> Forecast:
        """Estimate what training and auditing it will cost."""
        from sightline.experiments.forecast import forecast  # noqa: PLC0415  (torch)

        return forecast(self.spec, device, tokens)

    @property
    def seed(self) -> int:
        """The seed of the run."""
        return self.spec.seed

    @property
    def limit(self) -> int | None:
        """How many test texts to audit at most."""
        return self.spec.limit


@dataclass(frozen=True)
class Saved:
    """A model that `sightline train` wrote, and the data to audit it on."""

    folder: Path
    data: DataSpec
    seed: int
    limit: int | None

    def trained(self, display: Display, device: str) -> Trained:
        """Read it."""
        from sightline.experiments.run import load_trained  # noqa: PLC0415  (torch)

        return load_trained(self.folder, self.data, self.seed, device)

    def about(self, trained: Trained) -> dict[str, Any]:
        """Say what was audited, and how it was trained."""
        return {"data": str(self.data), "model": str(self.folder), "trained": trained.record.get("run")}

    def forecast(self, device: str, tokens: int) -> Forecast:
        """Estimate what auditing it will cost."""
        return _forecast_audit(self, device, tokens)


@dataclass(frozen=True)
class Imported:
    """A model from the user's own code, ``py:package.module:factory``, and the data to audit it on."""

    factory: str
    data: DataSpec
    seed: int
    limit: int | None
    device: str = "auto"

    def trained(self, display: Display, device: str) -> Trained:
        """Call the factory; the model stays on the device it was built on."""
        from sightline.experiments.run import load_imported  # noqa: PLC0415  (torch)

        return load_imported(self.factory, self.data, self.seed, self.device)

    def about(self, trained: Trained) -> dict[str, Any]:
        """Say what was audited; how it was trained is not known."""
        return {"data": str(self.data), "model": self.factory}

    def forecast(self, device: str, tokens: int) -> Forecast:
        """Estimate what auditing it will cost."""
        return _forecast_audit(self, device, tokens)


Work = ToTrain | Saved | Imported


def _forecast_audit(work: Saved | Imported, device: str, tokens: int) -> Forecast:
    """Estimate what auditing a model will cost that needs no training."""
    from sightline.experiments.forecast import forecast_audit  # noqa: PLC0415  (torch)
    from sightline.experiments.run import Display  # noqa: PLC0415  (torch)

    return forecast_audit(work.trained(Display(), device), work.seed, work.limit, tokens)


def plan(
    data: DataSpec,
    model: str,
    training: Mapping[str, Any],
    *,
    seed: int,
    limit: int | None = None,
    device: str = "auto",
) -> Work:
    """Decide what ``--model`` names; flags of a training are refused for a model that is trained already."""
    if model.startswith(PY):
        _refuse_training(training, f"of {model}")
        return Imported(model, data, seed, limit, device)
    folder = saved_folder(model)
    if folder is None:
        return plan_training(data, model, training, seed=seed, limit=limit)
    _refuse_training(training, f"in {folder}")
    return Saved(folder, data, seed, limit)


def _refuse_training(training: Mapping[str, Any], where: str) -> None:
    if given := [name for name, value in training.items() if value is not None]:
        flag = given[0].replace("_", "-")
        raise SpecError(f"--{flag} is about training, and the model {where} is trained already; leave it out")


def plan_training(
    data: DataSpec, model: str, training: Mapping[str, Any], *, seed: int, limit: int | None = None
) -> ToTrain:
    """Read the spec of a model and its training; what is None keeps the value of the preset."""
    fit = {name: value for name, value in training.items() if name in ("epochs", "batch_size", "learning_rate")}
    chosen, fitting = build_specs(model, training.get("preset") or "default", **fit)
    if training.get("vectors"):
        from sightline.data.vectors import with_vectors  # noqa: PLC0415  (torch)

        chosen = with_vectors(chosen, Path(training["vectors"]).expanduser())
    companions = () if training.get("companions") == "none" else ("uniform",)
    return ToTrain(RunSpec(data, chosen, fitting, seed, limit, companions), capped=training.get("epochs") is not None)


def saved_folder(model: str) -> Path | None:
    """Give the folder that ``--model`` names, or None where it is a spec; a path to nothing is an error."""
    path = Path(model).expanduser()
    if (path / MODEL_FILE).is_file():
        return path
    named = os.sep in model or "/" in model or model.startswith((".", "~"))
    encoder = model.partition("+")[0].partition("(")[0].strip()
    if not named and (encoder in ENCODERS or not path.exists()):
        return None
    found = f"there is no {MODEL_FILE} in it" if path.exists() else "there is no such folder"
    raise ModelError(
        f"--model {model}: {found}; expected a folder that `sightline train` wrote, or a spec such as bilstm+additive"
    )


def audited(work: Work, display: Display, device: str, tokens: int, command: str) -> tuple[Trained, Audit]:
    """Train or read the model, and audit it."""
    from sightline.experiments.run import audit_trained, cut_short  # noqa: PLC0415  (torch)
    from sightline.measures import default_measures  # noqa: PLC0415  (torch)

    trained = work.trained(display, device)
    for name in cut_short(trained) if isinstance(work, ToTrain) and not work.capped else ():
        tell(f"note: training of the {name} was ended by its cap on epochs; --epochs allows more")
    audit = audit_trained(
        trained,
        work.seed,
        display,
        limit=work.limit,
        spec=work.about(trained) | {"command": command},
        measures=default_measures(tokens),
    )
    return trained, audit
