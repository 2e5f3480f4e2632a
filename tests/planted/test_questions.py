"""BiLSTM + additive learns the generated questions and pairs, and its audits run from training to
page.
"""

import math
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from sightline.audits.audit_result import Audit
from sightline.config.spec_syntax import parse_data, parse_model
from sightline.config.specs import FitSpec, RunSpec
from sightline.core.results import CANNOT_TELL, VERDICTS, Failed
from sightline.experiments.load_models import load_trained, save_trained
from sightline.experiments.pipeline import run
from sightline.report.html.audit_page import write_page
from sightline.report.html.token_highlights import SHOWN

SMALL = {"embedding": 32, "embedding_std": 1.0}
CORPORA = {
    "pair": ("pair(n=1200,length=8,things=1,fillers=10)", 8, 5e-3, 0.95),
    "one fact": ("world(n=1000,people=2,places=3,sentences=4)", 10, 1e-2, 0.95),
    "two facts": ("world(n=1200,facts=2,people=2,places=3,things=1,sentences=5)", 12, 5e-3, 0.6),
}
"""Sizes that are learned in half a minute, the epochs and the rate it takes, and the accuracy to
reach."""


@cache
def audited(name: str) -> tuple[RunSpec, object, Audit]:
    data, epochs, rate, _ = CORPORA[name]
    fit = FitSpec(
        epochs=epochs, patience=epochs, batch_size=16, learning_rate=rate, keep="accuracy"
    )
    model = parse_model("bilstm(hidden=32)+additive+query", **SMALL)
    spec = RunSpec(
        parse_data(f"planted:{data}"),
        model,
        fit,
        limit=150,
        companions=("uniform",) if name == "pair" else (),
    )
    return (spec, *run(spec))


@pytest.mark.slow
@pytest.mark.parametrize("name", CORPORA)
def test_the_answers_are_learned_and_the_audit_runs_to_the_end(name: str, tmp_path: Path) -> None:
    _, _, result = audited(name)
    assert result.metrics["accuracy"].value >= CORPORA[name][3]
    assert result.cards["data"]["best_accuracy"] == 1.0
    assert not [m for m in result.measurements.values() if isinstance(m, Failed)], (
        result.measurements
    )
    assert not [counts for counts in result.undefined().values() if "unexplained" in counts]
    assert result.verdict.level in VERDICTS
    assert result.verdict.level != CANNOT_TELL
    found = {finding.code: finding for finding in result.findings}
    for code in ("SL-201", "SL-203", "SL-205"):
        assert found[code].result == "not run"
        assert "the logits of each word alone" in found[code].reason
    assert found["SL-202"].result != "not run"
    unknown = {one for one, value in result.estimates.items() if not math.isfinite(value.value)}
    assert unknown <= {
        one for one in result.undefined() if one.startswith("marks.")
    }  # texts without a mark
    page = result.to_html(tmp_path / "page.html").read_text(encoding="utf-8")
    shown = re.findall(r'<p class="about">query: <bdi>(.*?)</bdi></p>', page)
    assert len(shown) == SHOWN
    assert set(shown) <= {" ".join(text.query) for text in result.texts}
    hidden = write_page(result, tmp_path / "hidden.html", texts=False).read_text(encoding="utf-8")
    assert "query: <bdi>" not in hidden
    assert Audit.load(result.save(tmp_path / "audit")).texts == result.texts


@pytest.mark.slow
def test_attention_is_on_what_the_query_asks_for() -> None:
    """The marked words are few, and hold more of the weight than as many words at random."""
    for name in CORPORA:
        _, _, result = audited(name)
        weights = result.measurements["outputs"].values["attention"].rows()
        marks = [np.array(text.rationale) for text in result.texts]
        held = np.mean([row[mark].sum() for row, mark in zip(weights, marks, strict=True)])
        assert held > np.mean([mark.mean() for mark in marks]) + 0.1, name


@pytest.mark.slow
def test_a_saved_model_answers_as_before(tmp_path: Path) -> None:
    spec, trained, _ = audited("one fact")
    folder = save_trained(trained, tmp_path / "model")
    again = load_trained(folder, spec.data, spec.seed)
    batch = again.model.collate(again.dataset.test[:20])
    before = trained.model.trace(trained.model.collate(trained.dataset.test[:20]))
    assert (again.model.trace(batch).logits == before.logits).all()
