"""Choose the attention source to show: the best by four criteria on a few texts. The remaining
texts audit it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import isnan, nan
from typing import Any

import numpy as np
from jaxtyping import Bool

from sightline.audits.attention_sources.choice_split import choosing_texts
from sightline.audits.attention_sources.head_mixture import learned_shares
from sightline.audits.attention_sources.removal_effect import SourceRemoval
from sightline.audits.attention_sources.source_agreement import SourceAgreement
from sightline.audits.attention_sources.source_ranking import (
    Difference,
    PairScores,
    RatioScores,
    Texts,
    agreement,
    not_worse,
    removal,
    worst_class,
)
from sightline.audits.attention_sources.source_transfer import SourceTransfer
from sightline.audits.measure_pass import Progress, measure
from sightline.core.errors import DataError, ModelError
from sightline.core.example import Example
from sightline.core.protocols import Auditable, SupportsAttentionSources
from sightline.core.results import Measurement, Outcome
from sightline.core.seeds import Seeds
from sightline.measures.predictions import Predictions
from sightline.stats.dyads import PairSums
from sightline.stats.paired_differences import ScoreDifference

Array = np.ndarray
LEARNED_FROM = 100
"""The most validation texts that a mixture of heads is learned from."""
FEWEST_TEXTS = 2
"""The fewest texts to choose a source, and the fewest to audit it; with fewer, no source is chosen."""
TRIED = (Predictions(), SourceRemoval())
"""The measures taken on the texts that choose."""
MOST_SOURCES = 16
"""The most sources for which Transfer and agreement are measured: those with the best Removal
scores in their worst class."""
ALIKE = 1e-9
"""Scores that differ by less count as equal."""
PairsOf = Callable[[Measurement, str, Bool[Array, " N"]], tuple[PairSums, PairSums, PairSums]]
"""Gives three sums over pairs of texts: the number, the chance level and the score of SL-303 are
ratios of them."""


@dataclass(frozen=True)
class SourceChoice:
    """The model with the chosen source, the texts that had no part in the choice, and a description
    for the report.
    """

    model: Auditable
    rest: tuple[Example, ...]
    description: dict[str, Any]


@dataclass(frozen=True)
class ChoiceSettings:
    """How sources are compared: seed, batch size, and the settings of the later audit."""

    seed: int
    batch_size: int
    on_progress: Progress
    pairs: PairsOf
    least: int
    """The minimum sample size of a test: as many texts of each predicted class are left for the
    audit, if it has them."""

    def measured(
        self, model: Auditable, texts: Sequence[Example], measures: Sequence[Any]
    ) -> dict[str, Outcome]:
        """Take measures on texts, with the settings of the comparison."""
        return measure(
            model, texts, measures, {}, Seeds(self.seed), self.batch_size, self.on_progress
        )


def choose(
    model: SupportsAttentionSources,
    texts: Sequence[Example],
    validation: Sequence[Example],
    settings: ChoiceSettings,
) -> SourceChoice:
    """Try every source on a few texts of each predicted class, including a mixture of heads learned
    on validation texts.
    """
    answers = _taken(settings.measured(model, texts, (Predictions(),))["outputs"])
    taken = choosing_texts(answers["predicted"], answers["cluster"], settings.seed, settings.least)
    tried, rest = (
        [text for text, here in zip(texts, taken, strict=True) if here == side]
        for side in (True, False)
    )
    if min(len(tried), len(rest)) < FEWEST_TEXTS:
        message = (
            f"expected at least {FEWEST_TEXTS} texts to choose an attention source and {FEWEST_TEXTS} to "
            "audit it"
        )
        raise DataError(
            f"{message}, got {len(tried)} and {len(rest)} of {len(texts)}; name a source"
        )
    learned = validation[:LEARNED_FROM]
    shares = learned_shares(model, learned, settings.batch_size) if learned else {}
    known = model.mixed(shares) if shares else model
    search = _Search(known, tried, settings)
    best = search.best()
    about = {
        "chosen": best,
        "texts": len(tried),
        "of_class": _counted(answers["predicted"][taken], model.labels),
        "left_of_class": _counted(answers["predicted"][~taken], model.labels),
        "learned_from": len(learned),
        "shares": shares,
        "left_by": search.left_by,
        "alike": [name for name in search.left if name != best],
        "uncompared": search.uncompared,
        "tried": search.rows(),
    }
    return SourceChoice(known.under(best), tuple(rest), about)


@dataclass
class _Search:
    """The sources that are left, and the scores that each criterion gave."""

    model: SupportsAttentionSources
    texts: Sequence[Example]
    settings: ChoiceSettings
    left: tuple[str, ...] = ()
    left_by: dict[str, int] = field(default_factory=dict)
    """The number of sources that each criterion left, in the order of the criteria."""
    uncompared: int = 0
    """The number of sources that were left out without a comparison: they have no score by a
    criterion, or were not among the first `MOST_SOURCES`."""
    found: dict[str, dict[str, Any]] = field(default_factory=dict)
    """For each criterion by name, the score of each source."""

    def best(self) -> str:
        """Apply one criterion after the other, and take the remaining source whose weakest score is
        highest.
        """
        outcomes = self.settings.measured(self.model, self.texts, TRIED)
        answers, lost = (_taken(outcomes[name]) for name in ("outputs", "readings"))
        clusters = np.unique(answers["cluster"], return_inverse=True)[1]
        texts = Texts(clusters, answers["predicted"], self.settings.seed)
        removed = removal(lost, texts)
        self.found = {name: {"removal": removed.score(name)} for name in removed.sums}
        self._by_removal(removed)
        if len(self.left) > 1:
            self._by_the_rest(texts)
        return self._first()

    def rows(self) -> list[dict[str, Any]]:
        """Give the scores of each source as JSON values: Removal (SL-301), and the other criteria
        where they were applied.
        """
        return [
            {"reading": name, "words": self.model.description(name)}
            | asdict(found["removal"])
            | {name: value for name, value in found.items() if name != "removal"}
            for name, found in self.found.items()
        ]

    def _by_removal(self, removed: RatioScores) -> None:
        """Apply Removal over all texts, then in each source's worst predicted class."""
        scores = {name: found["removal"].value for name, found in self.found.items()}
        if all(map(isnan, scores.values())):
            message = (
                "no attention source could be compared: deleting words changes these predictions "
                "no more than chance"
            )
            raise ModelError(message, change="audit more texts, or name a source")
        self.left = tuple(scores)
        self._narrow("removal", scores, removed.compare)
        worst = worst_class(removed, self.left)
        for name, (score, _) in worst.items():
            self.found[name]["worst_class"] = score

        def in_its_worst(name: str, best: str, comparisons: int) -> ScoreDifference:
            return removed.compare(name, best, comparisons, worst[name][1])

        self._narrow(
            "worst_class", {name: score for name, (score, _) in worst.items()}, in_its_worst
        )

    def _by_the_rest(self, texts: Texts) -> None:
        """Apply Transfer and agreement to the remaining sources."""
        first = sorted(self.left, key=lambda name: -_number(self.found[name]["worst_class"]))[
            :MOST_SOURCES
        ]
        names = tuple(name for name in self.left if name in first)
        outcomes = self.settings.measured(
            self.model, self.texts, (SourceTransfer(sources=names), SourceAgreement(sources=names))
        )
        if isinstance(moved := outcomes["moved"], Measurement):
            donors = np.ones(len(self.texts), dtype=bool)
            by_pairs = PairScores(
                {name: self.settings.pairs(moved, f"carried.{name}", donors)[2] for name in names},
                texts,
            )
            self._ask("transfer", by_pairs)
        if isinstance(outcomes["agreed"], Measurement):
            self._ask("agreement", agreement(_taken(outcomes["agreed"]), names, texts))

    def _ask(self, criterion: str, found: RatioScores | PairScores) -> None:
        names = [name for name in self.left if name in found.sums]
        scores = {name: found.score(name).value for name in names}
        for name, score in scores.items():
            self.found[name][criterion] = score
        self._narrow(criterion, scores, found.compare)

    def _narrow(self, criterion: str, scores: Mapping[str, float], compare: Difference) -> None:
        """Keep the sources that a criterion cannot distinguish from its best source."""
        before, self.left = self.left, not_worse(scores, compare)
        gone = [name for name in before if name not in self.left]
        self.uncompared += sum(isnan(scores.get(name, nan)) for name in gone)
        self.left_by[criterion] = len(self.left)

    def _first(self) -> str:
        """Take the source whose weakest score is highest. Among equals take the first: heads come
        first, because a head can decode.
        """
        weakest = {name: self._weakest(name) for name in self.left}
        most = max(weakest.values())
        return next(name for name, score in weakest.items() if score >= most - ALIKE)

    def _weakest(self, name: str) -> float:
        scores = (
            self.found[name].get(criterion, nan)
            for criterion in ("worst_class", "transfer", "agreement")
        )
        known = [min(score, 1.0) for score in scores if not isnan(score)]
        return min(known, default=-np.inf)


def _number(score: float) -> float:
    return -np.inf if isnan(score) else score


def _counted(predicted: Array, labels: Sequence[str] | None) -> dict[str, int]:
    numbers, counts = np.unique(predicted, return_counts=True)
    names = [labels[int(one)] if labels and int(one) < len(labels) else str(one) for one in numbers]
    return dict(zip(names, counts.tolist(), strict=True))


def _taken(outcome: Outcome) -> dict[str, np.ndarray]:
    if not isinstance(outcome, Measurement):
        message = (
            f"the attention sources could not be compared: {getattr(outcome, 'error', outcome)}"
        )
        raise ModelError(message, change="name one source")
    return {name: np.asarray(values) for name, values in outcome.values.items()}
