"""What only a function from texts to probabilities is asked: whether words joined by spaces are
still its texts.
"""

from __future__ import annotations

from sightline.adapters.answers_model import AnswersModel
from sightline.adapters.checks.probe_batch import CheckResult, ProbeBatch

MOST_CHANGED = 0.5
"""The share of predictions from which a model is refused that change by the spelling alone."""


def joined(on: ProbeBatch) -> CheckResult:
    """Write texts as tests write those that they put together: words in lower case, joined by
    spaces.
    """
    assert isinstance(on.model, AnswersModel)  # no other model is asked
    moved, changed = on.model.joined(on.examples).T
    if changed.mean() <= MOST_CHANGED:
        return CheckResult(measured=float(moved.max()))
    return CheckResult(
        f"{int(changed.sum())} of {len(changed)} predictions change when a text is written as its "
        "words in lower case, joined by spaces, as tests write texts",
        "let the function bring such texts into the form that it knows, or audit the model itself "
        "(sightline.wrap, sightline.tap, hf:FOLDER)",
        float(moved.max()),
    )
