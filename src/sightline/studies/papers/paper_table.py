"""The names by which the command line and the front know a study of a paper and what is asked."""

from sightline.studies.run_plan import Plan, plan_of
from sightline.studies.study_definition import SEEDS
from sightline.studies.study_definition import Params as Asked

__all__ = ["SEEDS", "Asked", "Plan", "plan_of"]
