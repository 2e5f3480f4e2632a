"""How a claim is judged: one function a kind, from the evidence to the numbers that are held against δ."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sightline.findings.claim import Claim, Kind
from sightline.findings.decide import decide, strongest, weakest
from sightline.findings.drops import DROPS, WORDS, lost
from sightline.findings.evidence import Evidence
from sightline.results import Estimate
from sightline.statistics import bootstrap
from sightline.statistics.contrast import p_value, paired


@dataclass(frozen=True)
class Judged:
    """The numbers of a claim, as far as its kind has them, and what is to be said of them."""

    number: Estimate
    floor: Estimate | None
    effect: Estimate
    by_class: Mapping[str, Estimate]
    p: float | None = None
    notes: tuple[str, ...] = ()


def contrast(evidence: Evidence, claim: Claim) -> Judged | str:
    """Compare the number with its floor, paired by text."""
    found = evidence.contrast(claim)
    if found is None:
        return evidence.why_not(claim.measure, claim.number.partition(".")[2])
    if found.effect.n == 0:
        return _undefined(evidence, claim)
    observed, floor = evidence.array(claim.number), evidence.array(claim.floor)
    by_class = {
        name: paired(observed[rows], floor[rows], evidence.seed, f"{claim.number} {name}").effect
        for name, rows in evidence.by_class().items()
    }
    p = p_value(observed, evidence.array(claim.draws)) if claim.draws else None
    return Judged(found.number, found.floor, found.effect, by_class, p)


def share_without(evidence: Evidence, claim: Claim) -> Judged | str:
    """Take the share of texts of which the number is not true: exact on each text, so without a floor."""
    if evidence.taken(claim.measure) is None:
        return evidence.why_not(claim.measure)
    without = 1 - evidence.array(claim.number)
    share = bootstrap.proportion(without)
    if share.n == 0:
        return _undefined(evidence, claim)
    by_class = {name: bootstrap.proportion(without[rows]) for name, rows in evidence.by_class().items()}
    return Judged(share, None, share, by_class)


def weakest_drop(evidence: Evidence, claim: Claim) -> Judged | str:
    """Judge every way of not choosing that was measured; the claim must survive all of them.

    In one comparison a drop in accuracy or in macro-F1 is enough, because each is blind to something.
    """
    drops = _drops(evidence, claim)
    if not drops:
        return evidence.why_not(claim.measure)
    delta = evidence.thresholds.delta.get(claim.code, 0.0)
    leading = {
        name: strongest({metric: decide(drop, delta) for metric, drop in metrics.items()})
        for name, metrics in drops.items()
    }
    answers = {name: decide(drops[name][metric], delta) for name, metric in leading.items()}
    name = weakest(answers)
    drop = drops[name][leading[name]]
    said = ", ".join(f"{WORDS[other]}: {answer}" for other, answer in answers.items())
    without = () if "retrained" in drops else (f"no retrained model to compare ({evidence.why_not('retrained')})",)
    decided = f"the weakest decides: {leading[name]} {WORDS[name]}"
    return Judged(drop, None, drop, _lost_by_class(evidence, name), notes=(said, *without, decided))


def _drops(evidence: Evidence, claim: Claim) -> dict[str, dict[str, Estimate]]:
    """Gather the drops by comparison and metric, as far as they were measured."""
    drops: dict[str, dict[str, Estimate]] = {}
    for one in claim.quantities():
        drop = evidence.estimate(one.name)
        if drop is not None:
            drops.setdefault(DROPS[one.name].comparison, {})[DROPS[one.name].metric] = drop
    return drops


def _lost_by_class(evidence: Evidence, name: str) -> dict[str, Estimate]:
    """Drop in accuracy on the texts of each predicted class."""
    measure = next(drop.measure for drop in DROPS.values() if drop.comparison == name)
    values = lost(*evidence.decisions(measure, name))
    return {
        label: bootstrap.mean(values[rows], evidence.seed, f"{name} {label}")
        for label, rows in evidence.by_class().items()
    }


def _undefined(evidence: Evidence, claim: Claim) -> str:
    """Say why a number is undefined on every text, from the reasons that were counted."""
    measurement = evidence.taken(claim.measure)
    assert measurement is not None  # callers have asked `taken` first
    counts = measurement.undefined.get(claim.number.partition(".")[2], {})
    return "undefined for every text: " + ", ".join(f"{reason} ({n})" for reason, n in counts.items())


KINDS: Mapping[Kind, Callable[[Evidence, Claim], Judged | str]] = {
    "contrast": contrast,
    "share without": share_without,
    "weakest drop": weakest_drop,
}
"""Each gives the numbers of a claim, or why there are none."""
