"""Runs that say one number, for tests of what all runs say."""

from sightline.results import Estimate
from sightline.spec.texts import parse_data, parse_model
from sightline.spec.values import RunSpec
from sightline.statistics.intervals import Bounds
from sightline.studies.lines import Found, Read, Run


def read(quantity: str, model: str, seed: int, value: float, bounds: Bounds = None, texts: int = 9) -> Read:
    """Give a run on SST that says one number of some texts."""
    spec = RunSpec(parse_data("planted:needle"), parse_model("mlp"))
    return Run("sst", model, seed, spec), {quantity: Found(Estimate(value, value, value, texts, ""), None, bounds)}
