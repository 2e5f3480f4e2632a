"""How a test is judged: one function for each kind, from the evidence to scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from jaxtyping import Float

from sightline.core.results import Estimate
from sightline.stats import bootstrap
from sightline.stats.contrasts import p_value
from sightline.verdict.accuracy_drop import DROPS, WORDS, accuracy_losses
from sightline.verdict.audit_test import AuditTest, Kind
from sightline.verdict.decision_rule import decide, strongest
from sightline.verdict.evidence import (
    Evidence,
    ScoreQuantities,
    named_score_quantities,
    score_quantities,
)
from sightline.verdict.rank_conclusions import describe_ranks


@dataclass(frozen=True)
class ScoredComparison:
    """One comparison of a test: number, chance level, score over all texts and by class, and the
    p-value, if any.
    """

    number: Estimate
    baseline: Estimate | None
    score: Estimate
    by_class: Mapping[str, Estimate]
    p: float | None = None


@dataclass(frozen=True)
class JudgedComparisons:
    """The comparisons of a test by name, how their results are joined, and further notes.

    *weakest*: the test must pass all comparisons, and the weakest result counts. The others ask one
    question in several ways: *alternatives* fails only if all ways fail, *must agree* is inconclusive unless
    they agree.
    """

    tests: Mapping[str, ScoredComparison]
    join: Literal["weakest", "alternatives", "must agree"] = "weakest"
    notes: tuple[str, ...] = ()


def contrast(evidence: Evidence, claim: AuditTest) -> JudgedComparisons | str:
    """Compare the number with each of its one or two chance levels, paired by text."""
    ways = named_score_quantities(claim)
    if why := missing(evidence, ways[claim.baseline_words]):
        return why
    tests = {
        words: _test(evidence, names)
        for words, names in ways.items()
        if not missing(evidence, names)
    }
    if tests[claim.baseline_words].score.n == 0:
        return _undefined(evidence, claim.number)
    if claim.draws:
        p = p_value(evidence.array(claim.number), evidence.array(claim.draws), evidence.predicted)
        # The draws belong to the first chance level: a second one has no p-value.
        tests[claim.baseline_words] = replace(tests[claim.baseline_words], p=p)
    return JudgedComparisons(tests)


def by_rank(evidence: Evidence, claim: AuditTest) -> JudgedComparisons | str:
    """Compare the first rank with the others, and note what ranks know."""
    judged = contrast(evidence, claim)
    return judged if isinstance(judged, str) else replace(judged, notes=(describe_ranks(evidence),))


def two_operators(evidence: Evidence, claim: AuditTest) -> JudgedComparisons | str:
    """Ask twice, by two ways to remove words that damage a text differently."""
    known = {
        words: names
        for words, names in named_score_quantities(claim).items()
        if not missing(evidence, names)
    }
    if not known:
        return missing(evidence, score_quantities(claim)[0])
    tests = {words: _test(evidence, names) for words, names in known.items()}
    tests = {words: test for words, test in tests.items() if test.score.n}
    return JudgedComparisons(tests, "alternatives") if tests else _undefined(evidence, claim.number)


def pairs(evidence: Evidence, claim: AuditTest) -> JudgedComparisons | str:
    """Compare what words do when moved between texts, over pairs of texts."""
    (way, first), *others = named_score_quantities(claim).items()
    if why := missing(evidence, first):
        return why
    test = _test(evidence, first)
    if not test.score.n:
        return _undefined(evidence, claim.number)
    tests = {way: test}
    for other, names in others:
        if missing(evidence, names):
            continue
        whole = evidence.contrast(names)
        # For all texts only: if hybrids lie on the border of two classes, a bias moves all of them
        # to one class.
        tests[other] = ScoredComparison(whole.number, whole.baseline, whole.score, {})
    return JudgedComparisons(tests, "must agree")


def share(evidence: Evidence, claim: AuditTest) -> JudgedComparisons | str:
    """Average a share over texts, without a chance level."""
    if not evidence.has(claim.number):
        return evidence.why_not(claim.number)
    values = share_of(evidence, claim)
    classes, clusters = evidence.predicted, evidence.clusters
    whole = bootstrap.mean(
        values, evidence.seed, SHARES, clusters, evidence.level(""), classes=classes
    )
    if whole.n == 0:
        return _undefined(evidence, claim.number)
    by_class = {
        name: bootstrap.mean(
            values[rows], evidence.seed, SHARES, clusters[rows], evidence.level(name)
        )
        for name, rows in evidence.classes.items()
    }
    return JudgedComparisons({claim.number_words: ScoredComparison(whole, None, whole, by_class)})


SHARES = (0.0, 1.0)


def share_without(evidence: Evidence, claim: AuditTest) -> JudgedComparisons | str:
    """Give the share of texts for which the number is 0; it is exact for each text, so there is no
    chance level.
    """
    if not evidence.has(claim.number):
        return evidence.why_not(claim.number)
    without = share_of(evidence, claim)
    share = bootstrap.proportion(without, evidence.clusters, evidence.level(""))
    if share.n == 0:
        return _undefined(evidence, claim.number)
    by_class = {
        name: bootstrap.proportion(
            without[rows], clusters=evidence.clusters[rows], level=evidence.level(name)
        )
        for name, rows in evidence.classes.items()
    }
    return JudgedComparisons({claim.number_words: ScoredComparison(share, None, share, by_class)})


def share_of(evidence: Evidence, claim: AuditTest) -> Float[np.ndarray, " N"]:
    """Give the share of each text, or mark those of which the number of a *share without* is not
    true.
    """
    values = evidence.array(claim.number).astype(float)
    return np.asarray(1 - values if claim.kind == "share without" else values)


def weakest_drop(evidence: Evidence, claim: AuditTest) -> JudgedComparisons | str:
    """Judge every replacement of attention that was measured; the test must pass all of them.

    For one replacement, a drop in accuracy or in macro-F1 is enough, because each metric misses
    some drops.
    """
    drops = _drops(evidence, claim)
    if not drops:
        return evidence.why_not(claim.measure)
    threshold = evidence.thresholds.threshold.get(claim.code, 0.0)
    tests = {}
    for name, metrics in drops.items():
        metric = strongest(
            {metric: decide(one, threshold) for metric, one in metrics.items()}, metrics
        )
        drop = metrics[metric]
        tests[f"{WORDS[name]} ({metric})"] = ScoredComparison(
            drop, None, drop, _lost_by_class(evidence, name)
        )
    without = (
        ()
        if "retrained" in drops
        else (f"no retrained model to compare ({evidence.why_not('retrained')})",)
    )
    return JudgedComparisons(tests, notes=without)


def missing(evidence: Evidence, names: ScoreQuantities) -> str:
    """Say why a comparison cannot be made; empty if it can."""
    return next((evidence.why_not(name) for name in names if name and not evidence.has(name)), "")


def _test(evidence: Evidence, names: ScoreQuantities) -> ScoredComparison:
    whole = evidence.contrast(names)
    by_class = {name: evidence.contrast(names, name).score for name in evidence.classes}
    return ScoredComparison(whole.number, whole.baseline, whole.score, by_class)


def _drops(evidence: Evidence, claim: AuditTest) -> dict[str, dict[str, Estimate]]:
    """Collect the measured drops by comparison and metric."""
    drops: dict[str, dict[str, Estimate]] = {}
    for one in claim.quantities():
        drop = evidence.estimate(one.name) if one.how == "drop" else None
        if drop is not None:
            drops.setdefault(DROPS[one.name].comparison, {})[DROPS[one.name].metric] = drop
    return drops


def _lost_by_class(evidence: Evidence, name: str) -> dict[str, Estimate]:
    """Estimate the drop in accuracy on the texts of each predicted class."""
    values = losses_of_drop(evidence, name)
    return {
        label: bootstrap.mean(
            values[rows],
            evidence.seed,
            clusters=evidence.clusters[rows],
            level=evidence.level(label),
        )
        for label, rows in evidence.classes.items()
    }


def losses_of_drop(evidence: Evidence, name: str) -> Float[np.ndarray, " N"]:
    """Give the contribution of each text to the accuracy lost in a comparison."""
    measure = next(drop.measure for drop in DROPS.values() if drop.comparison == name)
    return accuracy_losses(*evidence.decisions(measure, name))


def _undefined(evidence: Evidence, number: str) -> str:
    """Say why a number is undefined for every text, from the counted reasons."""
    measure, _, quantity = number.partition(".")
    measurement = evidence.measurement(measure)
    assert measurement is not None  # callers have checked `has`
    counts = measurement.undefined.get(quantity, {})
    return "undefined for every text: " + ", ".join(
        f"{reason} ({n})" for reason, n in counts.items()
    )


KINDS: Mapping[Kind, Callable[[Evidence, AuditTest], JudgedComparisons | str]] = {
    "contrast": contrast,
    "by rank": by_rank,
    "two operators": two_operators,
    "pairs": pairs,
    "share": share,
    "share without": share_without,
    "weakest drop": weakest_drop,
}
"""The function of each kind: it gives the comparisons of a test, or why it was not run."""
