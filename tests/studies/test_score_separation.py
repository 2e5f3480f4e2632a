"""How good each test is: the area under the ROC curve against a literal count of pairs, and rows
that tell.
"""

from dataclasses import replace

import numpy as np
import pytest

from sightline.core.results import Answer, Estimate
from sightline.studies.calibration.score_separation import FRAUD, MISLEADING, RIGHT, auroc, quality
from tests.report.audits import audit, estimate


def test_the_area_is_the_share_of_pairs_in_which_the_right_map_scores_higher() -> None:
    right, wrong = np.array([0.9, 0.5, 0.5, 0.2]), np.array([0.5, 0.1, 0.3])
    found = auroc(right, wrong)
    pairs = [1.0 if a > b else 0.5 if a == b else 0.0 for a in right for b in wrong]
    assert found is not None
    assert found.value == pytest.approx(sum(pairs) / len(pairs))
    assert (found.n, found.low < found.value < found.high <= 1) == (7, True)
    other = auroc(wrong, right)
    assert other is not None
    assert other.value == pytest.approx(1 - found.value)


def test_scores_that_never_cross_have_an_interval_and_too_few_runs_none() -> None:
    apart = auroc(np.array([0.8, 0.9, 0.7]), np.array([0.1, 0.2]))
    assert apart is not None
    assert (apart.value, apart.high) == (1.0, 1.0)
    assert apart.low < 0.95  # five runs show no certainty
    assert auroc(np.array([0.9]), np.array([0.1, 0.2])) is None


def scored(score: float, answer: Answer) -> tuple[object, ...]:
    """The numbers of an audit in which one test has a score and an answer."""
    one = next(finding for finding in audit().findings if finding.code == "SL-301")
    return (replace(one, result=answer, score=estimate(score)),)


def test_a_row_counts_what_passes_wrongly_and_what_fails_wrongly() -> None:
    runs = [
        (RIGHT, scored(0.9, "passed")), (RIGHT, scored(0.1, "failed")),
        (MISLEADING, scored(0.2, "passed")), (MISLEADING, scored(0.0, "failed")),
        (FRAUD, scored(0.8, "passed")), (FRAUD, scored(0.3, "not run")),
    ]  # fmt: skip
    estimates = {
        "erasure.area": estimate(0.4),
        "sufficiency.area": estimate(0.3),
        "sufficiency.floor": estimate(0.1),
    }
    audits = [(kind, replace(audit(), findings=found, estimates=estimates)) for kind, found in runs]
    rows = {row["name"]: row for row in quality(audits)}
    test = rows["SL-301"]
    assert test["false_passes"] == {"count": 2, "n": 3}
    assert test["false_failures"] == {"count": 1, "n": 2}
    assert test[MISLEADING]["value"] == 0.75
    assert test[FRAUD]["value"] == 0.5
    published = rows["sufficiency less that of random words"]
    assert published[MISLEADING]["value"] == 0.5  # one score everywhere tells nothing
    assert published["false_passes"] is None
    assert "comprehensiveness less that of random words" not in rows  # its floor was not measured


def test_of_sufficiency_less_is_more() -> None:
    def of(area: float) -> dict[str, Estimate]:
        return {"sufficiency.area": estimate(area)}

    areas = ((RIGHT, 0.1), (RIGHT, 0.2), (MISLEADING, 0.6), (MISLEADING, 0.7))
    (row,) = quality(
        (kind, replace(audit(), findings=(), estimates=of(area))) for kind, area in areas
    )
    assert (row["name"], row[MISLEADING]["value"]) == ("sufficiency (DeYoung et al. 2020)", 1.0)
