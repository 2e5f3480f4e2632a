"""Estimate the cost of training and auditing a source by doing a little of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter

from sightline.api.compute_resources import Machine, Resources, tokens_at_once
from sightline.api.model_source import ChosenModel, ModelSource
from sightline.api.resume import kept_threads
from sightline.api.run_options import TO_THE_END, Stopping
from sightline.audits.captum_maps import known_attribution
from sightline.audits.one_look import few_before, size_of_first_look
from sightline.config.word_maps import is_attribution
from sightline.experiments.forecast import quick_seconds
from sightline.experiments.forecast_result import Forecast as Forecast
from sightline.experiments.pipeline import Trained
from sightline.experiments.run_size import run_size
from sightline.verdict.thresholds import default_thresholds


def forecast(
    source: ChosenModel,
    resources: Resources,
    runs: int = 1,
    *,
    kept_in: Path | None = None,
    began: float | None = None,
    stopping: Stopping = TO_THE_END,
) -> Forecast:
    """Estimate so many runs. A file of scores is checked now, as it would be later; an attribution
    is timed.

    ``kept_in`` is the folder of a stopped run, whose number of threads is used; ``began`` is the
    start of the process.
    """
    machine = resources.machine(None if kept_in is None else kept_threads(kept_in, [source]))
    attribution = None
    if is_attribution(source.scores):
        attribution = str(source.scores)
        known_attribution(attribution)
    before = 0.0 if began is None else perf_counter() - began
    tokens = machine.tokens_at_once or tokens_at_once(None)
    found = source.forecast(machine.device, tokens, attribution, stopping).times(runs)
    return replace(found, seconds_start=found.seconds_start + before, budget=stopping.budget)


@dataclass(frozen=True)
class QuickEstimate:
    """The largest number of texts to audit, and the estimated seconds.

    For an audit that stops when its verdict is settled: also both for its first look, and the
    seconds in which another map is ``compared`` afterwards, if attention must not be shown. ``few``
    are the texts that such an audit measures first if its budget may end before that look.
    """

    texts: int
    seconds: float
    first: tuple[int, float] | None = None
    compared: float = 0.0
    few: int = 0

    def times(self, audits: int) -> QuickEstimate:
        """Estimate so many audits of the same texts, one after the other."""
        first = self.first and (self.first[0], self.first[1] * audits)
        return replace(
            self, seconds=self.seconds * audits, first=first, compared=self.compared * audits
        )


def quick_estimate(
    source: ModelSource, trained: Trained, machine: Machine, stopping: Stopping = TO_THE_END
) -> QuickEstimate:
    """Count the texts to audit, and estimate the seconds with a short trial."""
    asked, there = source.asked, len(trained.dataset.test)
    texts = min(there, stopping.most_texts(asked.limit) or there)
    size = run_size(trained.model, trained.dataset.test, machine.memory, machine.tokens_at_once)
    attribution = (
        str(source.scores) if source.scores is not None and is_attribution(source.scores) else None
    )
    seconds, compared = quick_seconds(
        trained,
        asked.seed,
        texts,
        size.tokens or tokens_at_once(None),
        asked.measures,
        attribution=attribution,
        bearing=stopping.early,
    )
    if not stopping.early:
        return QuickEstimate(texts, seconds)
    test = trained.dataset.test
    first = size_of_first_look(trained.model, test, texts, stopping.budget)
    few = few_before(trained.model, first, default_thresholds().least)
    return QuickEstimate(texts, seconds, (first, seconds * first / texts), compared, few)
