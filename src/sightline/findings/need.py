"""SL-001: is attention needed? The drop in accuracy and F1 without the learned choice."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from jaxtyping import Int

from sightline.findings.claims import CLAIMS
from sightline.findings.decide import decide, disagreement, explain, strongest, weakest
from sightline.findings.evidence import Evidence
from sightline.maths.scores import accuracy, confusion, macro_f1
from sightline.results import Estimate, Finding
from sightline.statistics import bootstrap

Array = np.ndarray
CODE = "SL-001"
_WORDS = {
    "uniform": "with uniform weights put in",
    "permuted": "with the weights permuted",
    "retrained": "against a model retrained with uniform attention",
}


def need_finding(evidence: Evidence) -> Finding:
    """Judge every way of not choosing that was measured; the claim must survive all of them.

    In one comparison a drop in accuracy or in macro-F1 is enough, because each is blind to something.
    """
    comparisons = drops(evidence)
    delta = evidence.thresholds.delta[CODE]
    if not comparisons:
        return Finding(CODE, CLAIMS[CODE].text, "not applicable", evidence.why_not("need"), True, delta)
    leading = {
        name: strongest({metric: decide(drop, delta) for metric, drop in metrics.items()})
        for name, metrics in comparisons.items()
    }
    answers = {name: decide(comparisons[name][metric], delta) for name, metric in leading.items()}
    name = weakest(answers)
    drop = comparisons[name][leading[name]]
    by_class = _by_class(evidence, name)
    said = ", ".join(f"{_WORDS[other]}: {answer}" for other, answer in answers.items())
    without = "" if "retrained" in comparisons else f"; no retrained model to compare ({evidence.why_not('retrained')})"
    reason = (
        f"{said}{without}; the weakest decides, {leading[name]} {_WORDS[name]}: {explain(answers[name], drop, delta)}"
    )
    return Finding(
        CODE, CLAIMS[CODE].text, answers[name], reason + disagreement(by_class, delta), True, delta,
        number=drop, effect=drop, by_class=by_class,
    )  # fmt: skip


def drops(evidence: Evidence) -> dict[str, dict[str, Estimate]]:
    """Estimate the drop in accuracy and in macro-F1 for each comparison that was measured."""
    return {
        name: _drop(evidence, measure, name)
        for measure, name in (("need", "uniform"), ("need", "permuted"), ("retrained", "retrained"))
        if evidence.taken(measure) is not None
    }


def _drop(evidence: Evidence, measure: str, name: str) -> dict[str, Estimate]:
    labels = evidence.array(measure, "label").astype(np.int64)
    classes = len(evidence.label_names)
    pair = [confusion(labels, _columns(evidence.array(measure, quantity)), classes) for quantity in ("learned", name)]
    both = np.stack(pair, axis=1)
    metrics: Mapping[str, object] = {"accuracy": accuracy, "F1": macro_f1}
    return {
        metric: bootstrap.statistic(
            both,
            lambda counts, score=score: score(counts[:, 0]) - score(counts[:, 1]),  # type: ignore[misc]
            evidence.seed,
            f"{name} {metric}",
        )
        for metric, score in metrics.items()
    }


def _by_class(evidence: Evidence, name: str) -> dict[str, Estimate]:
    """Drop in accuracy on the texts of each predicted class."""
    measure = "retrained" if name == "retrained" else "need"
    labels = evidence.array(measure, "label")[:, None]
    learned, other = (_columns(evidence.array(measure, quantity)) for quantity in ("learned", name))
    lost = (learned == labels).mean(axis=1) - (other == labels).mean(axis=1)
    return {
        label: bootstrap.mean(lost[rows], evidence.seed, f"{name} {label}")
        for label, rows in evidence.by_class().items()
    }


def _columns(decisions: Array) -> Int[Array, "N R"]:
    return (decisions if decisions.ndim == 2 else decisions[:, None]).astype(np.int64)
