"""What an audit measures if nothing is asked for: it stops when its verdict is settled."""

from dataclasses import replace

import numpy as np

import sightline
from sightline.api.run_options import Stopping
from sightline.audits.stop_limits import MOST_TEXTS
from sightline.core.errors import SpecError
from sightline.core.results import Measurement, NotRun
from sightline.measures.default_measures import default_measures
from tests.snapshots import refused


def test_an_audit_stops_early_unless_all_of_it_is_asked_for(needle) -> None:
    """The rule of the command and of Python: limits, named tests and an attribution."""
    early = Stopping(max_texts=MOST_TEXTS)
    assert Stopping.asked() == Stopping.asked(scores="scores.csv") == early
    whole = Stopping(full=True)
    assert Stopping.asked(full=True) == Stopping.asked(named=True) == whole
    assert Stopping.asked(scores="captum:IntegratedGradients") == whole
    assert Stopping.asked(budget=60, named=True) == Stopping(budget=60)
    with refused(SpecError):
        Stopping.asked(full=True, max_texts=3)
    model, data = needle
    named = default_measures(chosen=("signs",))
    assert "sequential" in sightline.audit(model, data, limit=10).spec
    assert "sequential" not in sightline.audit(model, data, limit=10, measures=named).spec


def test_marked_words_and_control_models_are_compared_in_an_early_audit(needle) -> None:
    model, data = needle
    early = sightline.audit(model, data, limit=20)
    assert isinstance(early.measurements["rationale"], Measurement)  # the cue is marked
    plain = replace(data, test=[replace(text, rationale=None) for text in data.test])
    unmarked = sightline.audit(model, plain, {"seed": model.model}, limit=20)
    assert isinstance(unmarked.measurements["rationale"], NotRun)
    assert isinstance(unmarked.measurements["beside"], Measurement)
    uniform = sightline.audit(model, plain, {"uniform": model.model}, limit=20)
    assert isinstance(uniform.measurements["beside"], NotRun)


def test_brought_scores_are_compared_in_an_early_audit(needle) -> None:
    model, data = needle
    scores = {text.id: np.arange(len(text.tokens), dtype=float) for text in data.test}
    rows = {row.name for row in sightline.audit(model, data, limit=20, scores=scores).maps}
    assert "given" in rows
