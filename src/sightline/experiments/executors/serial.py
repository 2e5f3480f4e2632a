"""Cells one after the other, in this process."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch

from sightline.config.specs import RunSpec
from sightline.experiments.executors.executor import RunOutcome
from sightline.experiments.run_in_store import run_stored
from sightline.experiments.store import Store


@dataclass(frozen=True)
class Serial:
    """One cell after the other, in this process, with one thread as in every worker."""

    def run(self, specs: Sequence[RunSpec], store: Store, *, again: bool) -> Iterator[RunOutcome]:
        """Run the cells in their order."""
        threads = torch.get_num_threads()
        torch.set_num_threads(1)  # equal threads, equal bits
        try:
            for spec in specs:
                yield RunOutcome(spec, run_stored(spec, store, again=again))
        finally:
            torch.set_num_threads(threads)
