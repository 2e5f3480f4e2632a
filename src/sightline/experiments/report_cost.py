"""Estimate the time to judge an audit and draw its page, by doing both with a few
repeated texts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from time import perf_counter

import numpy as np

from sightline.audits.collate import join_batches
from sightline.audits.run import conclude
from sightline.core.example import Example
from sightline.core.results import Measurement, Outcome
from sightline.experiments.pipeline import Trained
from sightline.report.html.audit_page import render
from sightline.verdict.thresholds import default_thresholds

TEXTS = 500
"""At most so many texts are judged; more take proportionally longer."""
_GROUPS = "cluster"


def time_judging(
    trained: Trained,
    few: Sequence[Example],
    outcomes: Mapping[str, Outcome],
    audited: int,
    seed: int,
) -> tuple[float, float]:
    """Return the seconds of judging and of drawing the page, for as many texts as are audited.

    The measurements of a few texts are repeated. Each copy counts as its own text and is predicted
    as its label says, so that there are as many classes as a trained model would predict.
    """
    texts = min(audited, TEXTS)
    rows = np.arange(texts) % len(few)
    many = {code: _many(one, rows) for code, one in outcomes.items()}
    test = tuple(replace(few[row], id=str(i), index=i) for i, row in enumerate(rows.tolist()))
    dataset = replace(trained.dataset, train=(), validation=(), test=test)
    began = perf_counter()
    found = conclude(trained.model, dataset, many, seed, thresholds=default_thresholds(), spec={})
    judged = perf_counter()
    render(found)
    return (judged - began) * audited / texts, (perf_counter() - judged) * audited / texts


def _many(outcome: Outcome, rows: np.ndarray) -> Outcome:
    if not isinstance(outcome, Measurement):
        return outcome
    values = join_batches([outcome.values], rows)
    if outcome.code == "outputs":
        values = {name: value for name, value in values.items() if name != _GROUPS} | {
            "predicted": values["label"]
        }
    return replace(outcome, values=values)
