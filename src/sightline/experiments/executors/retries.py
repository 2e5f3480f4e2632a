"""How often a cell is tried whose worker was killed, whoever runs it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from sightline.config.specs import RunSpec
from sightline.experiments.executors.executor import RunOutcome
from sightline.experiments.store import Store

ATTEMPTS = 3
"""How often a cell whose worker was killed is tried before it is kept as failed: it may be what
kills them."""


@dataclass
class Tries:
    """Counts how often each cell has been tried in vain."""

    counted: Counter[RunSpec] = field(default_factory=Counter)

    def killed(self, spec: RunSpec, description: str, store: Store) -> RunOutcome:
        """Count one more worker that was killed: the cell waits for another, or is kept as
        failed.
        """
        self.counted[spec] += 1
        if self.counted[spec] < ATTEMPTS:
            return RunOutcome(spec, "killed", description)
        store.write_failure(
            spec, f"{description} {ATTEMPTS} times, perhaps for want of memory", 0.0
        )
        return RunOutcome(spec, "failed", description)
