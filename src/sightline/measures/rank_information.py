"""Information of hidden states by the rank of their attention: about the output, the output under
uniform attention, and the label.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from sightline.config.measure_needs import NEEDS, PAPERS
from sightline.config.measure_registry import MEASURES
from sightline.config.word_maps import DECOUPLED, LABEL, OUTPUT, TARGETS
from sightline.core.needs import UNTRAINED
from sightline.core.protocols import Arrays, MeasureContext, Survey, Trace
from sightline.core.results import Estimate, Measurement
from sightline.core.seeds import Seeds
from sightline.measures.batch_words import words_of
from sightline.measures.states_by_rank import Ranks, survey_batch
from sightline.measures.trace_arrays import WHY, cluster_of, with_reasons
from sightline.numerics.rank_coupling import Coupling
from sightline.numerics.rank_curves import (
    contrast,
    ends,
    error_of_contrast,
    exchanged,
    rarity,
    resampled,
    slope,
    span,
)
from sightline.numerics.rank_information_wen2022 import Published
from sightline.numerics.rank_probe_scores import Family
from sightline.numerics.simplex import decision
from sightline.numerics.tensors import to_numpy
from sightline.numerics.weighted_tau import critical_value, effective_pairs, weighted_tau

_SET = MEASURES["information"].settings
Array = np.ndarray
MOST: int = _SET["most"]
"""Most ranks that are compared: in long texts the last ranks have next to no weight."""
EXCHANGES, KEPT = int(_SET["exchanges"]), int(_SET["kept"])
"""Rank exchanges behind a p-value, and how many of them the report keeps."""
RESAMPLES: int = _SET["resamples"]
SHORT = "fewer words than ranks"
KINDS, RARE = ("D", "B", "range", "tau", "best"), ("D", "B", "tau")
"""Summaries of a curve over ranks (`best` is its largest value), and which get a p-value."""
_POWER = 2.8
"""Standard errors from 0 to an effect that four of five samples detect: 1.96 + 0.84."""


@dataclass(frozen=True)
class TargetScores:
    """How well hidden states of each rank predict one target: a score by text and rank, the family
    of probes, the largest possible score, and the cluster of each text.
    """

    scores: Float[Array, "n K"]
    family: Family
    most: Float[Array, " n"]
    clusters: Int[Array, " n"]


@dataclass(frozen=True)
class RankSurvey:
    """What all texts show together; ``rows`` maps a text index to its row of the scores, ``first``
    gives for each row the index of the first text of its cluster.
    """

    rows: Mapping[int, int]
    refused: str
    first: Int[Array, " n"] | None = None
    asked: Mapping[str, TargetScores] = field(default_factory=dict)
    untrained: Mapping[str, TargetScores] = field(default_factory=dict)
    ranks: Ranks | None = None
    coupling: Coupling | None = None
    published: Published | None = None


@dataclass(frozen=True)
class RankInformation:
    """Scores of probes that predict a target from a word's hidden state, by the rank of its weight
    (docs/information.md).

    Probes are scored on unseen texts. ``output`` is computed from attention, so the state with the
    largest weight shares most with it whatever it encodes; ``decoupled`` and ``label`` are not. The
    estimate of Wen et al. (2022) is reported, too, with shuffled attention as its baseline, and the
    same for a model that was never trained.
    """

    shuffles: int = _SET["shuffles"]
    code: str = "information"
    needs: frozenset[str] = NEEDS["information"]
    paper: str = PAPERS["information"]
    surveys: Survey = _SET["surveys"]

    def look(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> Arrays:
        """Take hidden states, weights and outputs of the model and its untrained control model."""
        found = survey_batch(subject.model, trace, seeds, self.shuffles, MOST)
        if (other := subject.companions.get(UNTRAINED)) is not None and {
            "states",
            "decode",
        } <= other.offers:
            read = survey_batch(other, other.trace(trace.batch), seeds, 0, MOST)
            found |= {f"{UNTRAINED}.{name}": one for name, one in read.items()}
        return {
            "index": words_of(trace).index,
            "label": to_numpy(trace.batch.labels),
            "cluster": np.array([cluster_of(text) for text in subject.texts]),
            **found,
        }

    def learn(self, arrays: Arrays, seeds: Seeds) -> RankSurvey:
        """Score the hidden states of every rank on every target."""
        ranks = Ranks.of(arrays, seeds, MOST)
        kept = np.asarray(arrays["index"])[ranks.kept]
        rows = {int(index): row for row, index in enumerate(kept)}
        if ranks.refused:
            if ranks.refused_alone:
                return RankSurvey(rows, ranks.refused)
            return RankSurvey(rows, ranks.refused, ranks=ranks, published=ranks.published())
        asked = {name: _asked(ranks, name) for name in TARGETS}
        untrained = {}
        if f"{UNTRAINED}.states" in arrays:
            other = Ranks.of(arrays, seeds, MOST, f"{UNTRAINED}.")
            untrained = (
                {} if other.refused else {name: _asked(other, name) for name in (DECOUPLED, LABEL)}
            )
        coupled = ranks.coupled(asked[OUTPUT].family) if self.shuffles else None
        first = kept[np.unique(ranks.clusters, return_index=True)[1]][ranks.clusters]
        return RankSurvey(rows, "", first, asked, untrained, ranks, coupled, ranks.published())

    def on_batch(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> Arrays:
        """Give the scores of each text, and of its first word when ranks are exchanged."""
        index, learned = words_of(trace).index, subject.learned
        row = np.array([learned.rows.get(int(one), -1) for one in index])
        out: dict[str, Array] = {}
        for name in TARGETS:
            out |= {
                f"{kind}.{name}": one
                for kind, one in _of_texts(learned, name, row, index, seeds).items()
            }
        too_short = row < 0
        reasons = (
            {learned.refused: np.ones(len(row), dtype=bool)}
            if learned.refused
            else {SHORT: too_short}
        )
        return out | {f"{WHY}{why}": applies for why, applies in reasons.items()}

    def finish(self, arrays: Arrays) -> Measurement:
        """Count the texts with too few words."""
        values, undefined = with_reasons(arrays)
        return Measurement(self.code, values, undefined, {"shuffles": self.shuffles})

    def conclude(self, measurement: Measurement, learned: RankSurvey, seeds: Seeds) -> Measurement:
        """Add what only all texts together have: curves, contrasts, p-values, and the published
        figures.
        """
        whole, settings = (
            _too_few(learned, seeds) if learned.refused else _concluded(learned, seeds)
        )
        return replace(measurement, settings={**measurement.settings, **settings}, whole=whole)


def _too_few(learned: RankSurvey, seeds: Seeds) -> tuple[dict[str, Estimate], dict[str, Any]]:
    """Give the published figures alone if clusters are too few and texts are not."""
    whole, settings = _undefined(learned), dict[str, Any]()
    if learned.published is not None and learned.ranks is not None:
        printed, settings = _printed(learned.published, learned.ranks, seeds)
        whole |= printed
    return whole, settings


def _undefined(learned: RankSurvey) -> dict[str, Estimate]:
    """Name the quantities that every audit reports, without a value."""
    names = [
        f"{kind}.{name}"
        for name in TARGETS
        for kind in (*KINDS, *(f"exchanged.{kind}" for kind in RARE))
    ]
    names += [
        *(f"paper.tau.{name}" for name in TARGETS),
        *(f"coupled.{kind}" for kind in RARE),
        "flatness",
    ]
    names += [f"untrained.D.{name}" for name in (DECOUPLED, LABEL)]
    nan = float("nan")
    return dict.fromkeys(names, Estimate(nan, nan, nan, 0, learned.refused))


def _asked(ranks: Ranks, name: str) -> TargetScores:
    target = ranks.target(name)
    scores, family = target.scores(ranks.features)
    return TargetScores(scores, family, target.surprise(), ranks.clusters)


def _of_texts(
    learned: RankSurvey, name: str, row: Int[Array, " B"], index: Int[Array, " B"], seeds: Seeds
) -> dict[str, Array]:
    """Assign the scores of a target to the texts of a batch; NaN for texts that are too short. The
    draws are of the same ranks in all texts of a cluster.
    """
    scores, most = np.full((len(row), MOST), np.nan), np.full(len(row), np.nan)
    draws = np.full((len(row), KEPT), np.nan)
    there = row >= 0
    if not learned.refused and there.any():
        one, first = learned.asked[name], learned.first
        assert first is not None  # `refused` is empty
        own = one.scores[row[there]]
        scores[there, : own.shape[1]], most[there] = own, one.most[row[there]]
        draws[there] = [
            seeds.generator(f"exchanged ranks, {name}", int(i)).choice(mine, KEPT)
            for i, mine in zip(first[row[there]], own, strict=True)
        ]
    ranks = learned.ranks.ranks if learned.ranks else MOST
    return {
        "scores": scores,
        "first": scores[:, 0],
        "rest": scores[:, 1:ranks].mean(1),
        "most": most,
        "draws": draws,
    }


def _concluded(learned: RankSurvey, seeds: Seeds) -> tuple[dict[str, Estimate], dict[str, Any]]:
    assert learned.ranks is not None  # `refused` is empty
    assert learned.published is not None
    weights = learned.ranks.mean
    whole = _about(learned.ranks, learned.asked, seeds)
    for name, one in learned.asked.items():
        whole |= _summaries(one.scores, weights, name, seeds, one.clusters)
    for name, one in learned.untrained.items():
        kinds, stage = {f"untrained.D.{name}": contrast}, f"untrained, {name}"
        whole |= _means(one.scores, kinds, stage, seeds, one.clusters)
    if learned.coupling is not None:
        both = learned.coupling
        for kind, p in (("D", both.contrast), ("B", both.slope), ("tau", both.tau)):
            whole[f"coupled.{kind}"] = _chance(p, both.draws, f"shuffled attention; {both.by}")
    printed, settings = _printed(learned.published, learned.ranks, seeds)
    families = {name: one.family for name, one in learned.asked.items()}
    found = {
        name: round(_POWER * error_of_contrast(one.scores, one.clusters), 4)
        for name, one in learned.asked.items()
    }
    return whole | printed, settings | {
        "families": families,
        "ranks": learned.ranks.ranks,
        "contrast_found": found,
    }


STABILITY = "range of stability over resampled texts"
"""What stands in the place of an interval of τ."""


def _summaries(
    scores: Float[Array, "n K"],
    weights: Float[Array, " K"],
    name: str,
    seeds: Seeds,
    clusters: Int[Array, " n"],
) -> dict[str, Estimate]:
    """Summarise a curve over ranks: its values, D, B, R and τ, and their p-values among exchanged
    ranks.
    """
    generator = seeds.generator("resampled ranks", name)
    curve, again = scores.mean(0)[None], resampled(scores, RESAMPLES, generator, clusters)
    shuffled = exchanged(scores, seeds.generator("exchanged ranks", name), clusters, EXCHANGES)
    kinds: Mapping[str, Callable[[Array], Array]] = {
        "D": contrast,
        "B": lambda one: slope(one, weights),
        "range": span,
        "tau": lambda one: weighted_tau(one, weights),
        "best": _column(int(scores.mean(0).argmax())),
        **{f"V.{rank + 1}": _column(rank) for rank in range(scores.shape[1])},
    }
    out = {}
    for kind, summary in kinds.items():
        value, drawn, method = float(summary(curve)[0]), summary(again), _bootstrap(clusters)
        if kind == "tau":  # no sample of texts has the same curve, so it may lie outside of their τ
            drawn, method = np.append(drawn, value), STABILITY
        out[f"{kind}.{name}"] = _between(value, drawn, len(scores), method)
        if kind in RARE:
            p = rarity(value, summary(shuffled))
            out[f"exchanged.{kind}.{name}"] = _chance(p, EXCHANGES, "ranks exchanged within texts")
    return out


def _means(
    values: Float[Array, "n K"],
    kinds: Mapping[str, Callable[[Array], Array]],
    stage: str,
    seeds: Seeds,
    clusters: Int[Array, " n"],
) -> dict[str, Estimate]:
    """Estimate functions of the mean of some values over the same resampled clusters."""
    again, once = (
        resampled(values, RESAMPLES, seeds.generator("resampled ranks", stage), clusters),
        values.mean(0)[None],
    )
    method = _bootstrap(clusters)
    return {
        name: _between(float(kind(once)[0]), kind(again), len(values), method)
        for name, kind in kinds.items()
    }


def _bootstrap(clusters: Int[Array, " n"]) -> str:
    """Name the interval, with the number of clusters where they are fewer than the texts."""
    apart = len(np.unique(clusters))
    over = f" over {apart} clusters of texts" if apart < len(clusters) else ""
    return f"bootstrap of {RESAMPLES}{over}"


def _column(place: int) -> Callable[[Array], Array]:
    return lambda curves: np.asarray(curves[:, place])


def _between(value: float, again: Float[Array, " R"], n: int, method: str) -> Estimate:
    return Estimate(value, *ends(again), n, method)


def _chance(p: float, draws: int, method: str) -> Estimate:
    """Give a p-value with the interval due to its number of draws (Clopper & Pearson 1934)."""
    if np.isnan(p):
        return Estimate(p, p, p, draws, method)
    hits = round(p * (draws + 1)) - 1
    from scipy.stats import beta  # noqa: PLC0415  (half a second, where it is used)

    low = 0.0 if hits == 0 else float(beta.ppf(0.025, hits, draws - hits + 1))
    high = 1.0 if hits == draws else float(beta.ppf(0.975, hits + 1, draws - hits))
    return Estimate(p, low, max(high, p), draws, method)


def _about(ranks: Ranks, asked: Mapping[str, TargetScores], seeds: Seeds) -> dict[str, Estimate]:
    """Estimate how uneven attention is, how often ties decide, how often the decoupled output
    agrees, and the entropies.
    """
    falling = -np.sort(-ranks.weights[ranks.kept], axis=1)[:, : ranks.ranks]
    weights = {f"weight.{rank + 1}": _column(rank) for rank in range(ranks.ranks)}
    same = (decision(ranks.logits) == decision(ranks.flat))[ranks.kept]
    each = {
        "tied": ranks.tied,
        "agreement": same,
        **{f"entropy.{name}": one.most for name, one in asked.items()},
    }
    columns = np.stack([one.astype(float) for one in each.values()], axis=1)
    named = {name: _column(place) for place, name in enumerate(each)}
    return {
        **_means(
            falling, {"flatness": _first_to_last, **weights}, "weights", seeds, ranks.clusters
        ),
        **_means(columns, named, "texts", seeds, ranks.clusters),
    }


def _first_to_last(curves: Float[Array, "R K"]) -> Float[Array, " R"]:
    last = curves[:, -1]
    return np.asarray(
        np.divide(curves[:, 0], last, out=np.full(len(curves), np.inf), where=last > 0)
    )


def _printed(
    found: Published, ranks: Ranks, seeds: Seeds
) -> tuple[dict[str, Estimate], dict[str, Any]]:
    """Give the published figures with their spread over k-means, and their settings."""
    weights = ranks.published_weights()
    rare = critical_value(weights, seeds.generator("null of tau"))
    out = {}
    for name, curves in found.curves.items():
        tau, n = found.tau(name, weights), int(found.texts[0])
        method = f"mean and range of {len(tau)} starts of k-means"
        out[f"paper.tau.{name}"] = Estimate(
            float(tau.mean()), float(tau.min()), float(tau.max()), n, method
        )
        for rank, (mean, low, high) in enumerate(
            zip(curves.mean(0), curves.min(0), curves.max(0), strict=True)
        ):
            count = int(found.texts[rank])
            out[f"paper.m.{name}.{rank + 1}"] = Estimate(
                float(mean), float(low), float(high), count, method
            )
    settings = {
        "clusters": found.count.clusters,
        "two_in_each": found.count.kept,
        "smallest": found.smallest,
        "floors": {
            name: [round(float(one), 4) for one in floors] for name, floors in found.floors.items()
        },
        "texts": [int(one) for one in found.texts],
        "effective_pairs": round(effective_pairs(weights), 2),
        "critical_tau": round(rare, 3) if np.isfinite(rare) else None,
    }
    return out, settings
