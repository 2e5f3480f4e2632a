"""Find saved audits by name: a folder, or a run of a store as ``STORE:KEY``."""

from __future__ import annotations

from sightline.audits.audit_storage import load_results as load_results
from sightline.experiments.audit_lookup import audits_of as audits_of
from sightline.experiments.audit_lookup import place_of as place_of
from sightline.experiments.audit_lookup import torn_runs_of as torn_runs_of
