"""Runs that say one number, for tests of what all runs say."""

from sightline.config.spec_syntax import parse_data, parse_model
from sightline.config.specs import RunSpec
from sightline.core.results import Estimate
from sightline.stats.intervals import Bounds
from sightline.studies.aggregate import Number, RunNumbers, TableRun


def read(
    quantity: str, model: str, seed: int, value: float, bounds: Bounds = None, texts: int = 9
) -> RunNumbers:
    """Give a run on SST that says one number of some texts."""
    spec = RunSpec(parse_data("planted:needle"), parse_model("mlp"))
    return TableRun("sst", model, seed, spec), {
        quantity: Number(Estimate(value, value, value, texts, ""), None, bounds)
    }
