"""Choose the workers of a study: processes here, or the processors of a cluster."""

from __future__ import annotations

from sightline.experiments.executors.worker_choice import Workers as Workers
from sightline.experiments.executors.worker_choice import read_workers as read_workers
