"""The check for functions from texts to probabilities alone: words joined by spaces must get the
same predictions as the original text.
"""

from __future__ import annotations

from sightline.adapters.answers_model import AnswersModel
from sightline.adapters.checks.probe_batch import CheckResult, ProbeBatch

MOST_CHANGED = 0.5
"""The largest allowed share of predictions that change by the spelling alone."""


def joined(on: ProbeBatch) -> CheckResult:
    """Write texts as the tests write theirs: their words, joined by spaces."""
    assert isinstance(on.model, AnswersModel)  # other models skip this check
    moved, changed = on.model.joined(on.examples).T
    if changed.mean() <= MOST_CHANGED:
        return CheckResult(measured=float(moved.max()))
    return CheckResult(
        f"{int(changed.sum())} of {len(changed)} predictions change when a text is written as its "
        "words, joined by spaces, as tests write texts",
        "let the function bring such texts into the form that it knows, or audit the model itself "
        "(sightline.wrap, sightline.tap, hf:FOLDER)",
        float(moved.max()),
    )
