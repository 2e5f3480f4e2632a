"""Saved audits by what they are called: a folder, or a run of a store as ``STORE:KEY``."""

from __future__ import annotations

from sightline.experiments.named import audits_of as audits_of
from sightline.experiments.named import place_of as place_of
from sightline.saving import load_results as load_results
