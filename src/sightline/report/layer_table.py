"""A table of how much the model needs the attention of each layer."""

from __future__ import annotations

from dataclasses import dataclass

from sightline.core.results import Estimate, Results
from sightline.report.number_format import count, interval

TITLE = "What each layer’s attention is needed for"
DESCRIPTION = (
    "The share of texts whose prediction flips when all heads of a layer get weights that no "
    "text chose: uniform ones, or the mean of these texts (after Hassid et al. 2022). "
    "The model was not trained again: what is lost is what this model needs; another may do "
    "without."
)


@dataclass(frozen=True)
class LayerRow:
    """A layer, or all layers, as the cells of a row."""

    name: str
    uniform: str
    constant: str
    n: str


def layer_rows(audit: Results) -> list[LayerRow]:
    """List the layers in order, then all layers together; empty if none was replaced."""
    uniform = "layers.uniform_changed."
    found = {
        name.removeprefix(uniform): one
        for name, one in audit.estimates.items()
        if name.startswith(uniform)
    }
    return [
        _row(name, one, audit.estimates[f"layers.constant_changed.{name}"])
        for name, one in found.items()
    ]


def _row(name: str, uniform: Estimate, constant: Estimate) -> LayerRow:
    text = "all layers" if name == "all" else f"layer {name}"
    return LayerRow(text, interval(uniform), interval(constant), count(uniform.n))
