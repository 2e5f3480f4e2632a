"""Group adversarial models with the base model that they were trained against."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from jaxtyping import Float

from sightline.config.base_runs import base_of
from sightline.config.json_reader import read_as
from sightline.config.run_keys import training_key
from sightline.config.specs import MODEL_PARTS, FitSpec, RunSpec
from sightline.core.results import Estimate, Measurement, Ragged, Results, Values
from sightline.report.provenance import without_folders
from sightline.stats.distribution_shapes import largest

BASE = "base"
"""The control model that is the base of a run."""


@dataclass(frozen=True)
class ModelDistance:
    """Distance between two models, in attention (``jsd``) and outputs (``tvd``): means, and
    attention by text.
    """

    name: str
    jsd: Estimate
    tvd: Estimate
    by_text: Float[np.ndarray, " N"]
    texts: tuple[str, ...]


@dataclass(frozen=True)
class Adversary:
    """An adversarial model: its run, what was trained and from where, its divergence and λ, and its
    distance to the base.
    """

    run: str
    trained: str
    divergence: str
    weight: float
    apart: ModelDistance

    @property
    def series(self) -> str:
        """Name of the series of models that differ only in λ."""
        return f"{self.divergence.upper()}, {self.trained}"


@dataclass
class AdversaryFamily:
    """A base, its control models, and its adversarial models by λ."""

    base: str
    name: str
    controls: list[ModelDistance] = field(default_factory=list)
    adversaries: list[Adversary] = field(default_factory=list)
    weights: Mapping[str, float] = field(default_factory=dict)
    """The largest weight of the base in each text, if the base was audited."""

    @property
    def undefined(self) -> int:
        """Count the texts without a divergence, over control and adversarial models."""
        aparts = [*self.controls, *(one.apart for one in self.adversaries)]
        return sum(int((~np.isfinite(one.by_text)).sum()) for one in aparts)

    def series(self) -> dict[str, list[Adversary]]:
        """Group the models that differ only in λ, in its order."""
        ordered = sorted(self.adversaries, key=lambda one: (one.series, one.weight))
        return {
            name: [one for one in ordered if one.series == name]
            for name in {one.series: 0 for one in ordered}
        }


def families(audits: Iterable[Results]) -> list[AdversaryFamily]:
    """Group the audits that have the measure ``beside`` by base model; others are skipped."""
    found: dict[str, AdversaryFamily] = {}
    for audit in audits:
        run, measured = run_of(audit), audit.measurements.get("beside")
        if run is not None and isinstance(measured, Measurement):
            _gather(found, run, audit, measured.values)
    return sorted(found.values(), key=lambda one: (one.name, one.base))


def _gather(
    found: dict[str, AdversaryFamily], run: RunSpec, audit: Results, values: Mapping[str, Values]
) -> None:
    base = base_of(run) if run.fit.adversary else run
    if base is None or (base is not run and f"jsd.{BASE}" not in values):
        return
    key = training_key(base)
    family = found.setdefault(key, AdversaryFamily(key, f"{model_on(base)}, seed {base.seed}"))
    if base is not run:
        training = (_trained(run.fit), run.fit.adversary, run.fit.adversary_weight)
        family.adversaries.append(
            Adversary(str(audit.spec.get("key", "")), *training, _apart(audit, values, BASE))
        )
    elif not family.controls:
        names = [name.partition(".")[2] for name in values if name.startswith("jsd.")]
        family.controls = [_apart(audit, values, name) for name in names if name != BASE]
        family.weights = _weights(audit)


def control_title(name: str) -> str:
    """Name a control model in a figure: a seed by how far it is from the base's."""
    if name == "seeds":
        return "mean of seeds"
    return f"seed + {name[len('seed(by=') : -1]}" if name.startswith("seed(by=") else name


def run_of(audit: Results) -> RunSpec | None:
    """Read the run of an audit; None for a model that no run trained."""
    stored: Any = audit.spec.get("run")
    if not isinstance(stored, Mapping):
        return None
    run: RunSpec = read_as(
        RunSpec, {name: value for name, value in stored.items() if name != "meaning"}, "run"
    )
    return run


def model_on(run: RunSpec) -> str:
    """Name a model and its data, without the seed."""
    return f"{run.model} on {without_folders(str(run.data))}"


def _trained(fit: FitSpec) -> str:
    """Say which parts of an adversarial model were trained, and where they started from."""
    trained = [piece for piece in MODEL_PARTS if piece not in fit.fixed]
    what = "whole" if len(trained) == len(MODEL_PARTS) else f"{' and '.join(trained)} alone"
    return (
        f"{what}, from the base" if set(trained) <= set(fit.from_base) else f"{what}, from scratch"
    )


def _apart(audit: Results, values: Mapping[str, Values], name: str) -> ModelDistance:
    jsd, tvd = (audit.estimates[f"beside.{kind}.{name}"] for kind in ("jsd", "tvd"))
    by_text = np.asarray(values[f"jsd.{name}"], dtype=float)
    return ModelDistance(name, jsd, tvd, by_text, tuple(text.id for text in audit.texts))


def _weights(audit: Results) -> dict[str, float]:
    """Give the largest weight of each text by its id; empty if attention was not kept."""
    outputs = audit.measurements.get("outputs")
    attention = outputs.values.get("attention") if isinstance(outputs, Measurement) else None
    if not isinstance(attention, Ragged):
        return {}
    return dict(zip((text.id for text in audit.texts), largest(attention).tolist(), strict=True))
