"""Comparisons whose answer is known: one model audited twice differs from itself in nothing, and a
changed one does.
"""

from dataclasses import replace
from pathlib import Path

import pytest

from sightline.audits.audit_result import Audit, compare
from sightline.audits.run import audit
from sightline.measures.default_measures import default_measures
from sightline.models.alterations import alter
from tests.texts import trained

NEEDLE = "planted:needle(n=240,length=7,ending=true)"
CHOSEN = ("erasure", "marks")


@pytest.fixture(scope="module")
def audits() -> dict[str, Audit]:
    """One model by two seeds of the audit, and with its weights shown on other words."""
    model, dataset = trained(NEEDLE, "mlp(hidden=8)+additive", epochs=8, learning_rate=0.01)
    shuffled = alter("shuffled", model, dataset, 0)
    measures = default_measures(chosen=CHOSEN)
    made = {"first": (model, 0), "again": (model, 1), "shuffled": (shuffled, 0)}
    return {
        name: audit(one, dataset, seed=seed, measures=measures)
        for name, (one, seed) in made.items()
    }


def test_one_model_is_not_told_apart_from_itself_and_a_changed_one_is(
    audits: dict[str, Audit], tmp_path: Path
) -> None:
    found = compare(*audits.values())
    again, shuffled = found.pairs
    assert again.common == shuffled.common == 60
    assert again.decided.value == shuffled.decided.value == 0
    assert again.attention.value == pytest.approx(0, abs=1e-12)
    assert not [claim for claim in again.claims if claim.answer == "different"]
    assert sum(claim.p is not None for claim in again.claims) >= 3
    apart = {claim.code for claim in shuffled.claims if claim.answer == "different"}
    assert "SL-301" in apart
    assert "accuracy" not in apart
    by_code = {claim.code: claim for claim in shuffled.claims if claim.way != "replaced"}
    assert by_code["SL-301"].difference.high < 0
    page = found.to_html(tmp_path / "page.html").read_text(encoding="utf-8")
    assert "No score is surely different between A and B" in page
    assert page.count("B: attention</h4>") == 0  # no text is decided otherwise, and no map differs


def test_an_effect_is_that_of_its_finding_where_all_texts_are_in_both(
    audits: dict[str, Audit],
) -> None:
    first, again = audits["first"], audits["again"]
    effects = {one.code: one.score for one in first.findings}
    (beside,) = first.compare(again).pairs
    for claim in beside.claims:
        if claim.code == "SL-106":
            assert claim.first == effects[claim.code]
    some = replace(again, texts=again.texts)  # another value, equal in everything
    (equal,) = again.compare(some).pairs
    assert {claim.answer for claim in equal.claims} <= {"not told apart", "not compared"}
    assert all(claim.difference.value == 0 for claim in equal.claims if claim.p is not None)
