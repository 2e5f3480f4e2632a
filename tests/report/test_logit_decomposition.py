"""The page shows a base value, the sum over the words and the logit, only where they agree, and
says where they do not.
"""

import json
from dataclasses import replace

import numpy as np

from sightline.audits.audit_result import Audit
from sightline.core.results import Measurement, NotRun
from sightline.report.html.audit_page import render
from sightline.report.html.logit_decomposition import sums_of
from sightline.report.html.view_model import held_texts
from tests.report.audits import audit, compared
from tests.report.pages import Page
from tests.report.test_data_blocks import unpacked
from tests.report.test_explorer import scripts
from tests.snapshots import same_text


def told_with(**values: list[float]) -> Audit:
    made = compared()
    kept = made.measurements["signs"]
    assert isinstance(kept, Measurement)
    more = {
        name: np.array((value * len(made.texts))[: len(made.texts)])
        for name, value in values.items()
    }
    signs = replace(kept, values={**kept.values, **more}, undefined={})
    return replace(made, measurements={**made.measurements, "signs": signs})


def test_each_text_has_its_three_numbers_with_as_many_decimals() -> None:
    sums = sums_of(told_with(base=[-0.31], added=[2.1404], total=[1.8304]))
    assert sums is not None
    assert sums.texts[0] == ("−0.310", "+2.140", "1.830")
    same_text("report", sums.terms[2])
    same_text("report", sums.description)


def test_of_several_classes_it_is_the_lead_over_the_others() -> None:
    sums = sums_of(told_with(classes=[3]))
    assert sums is not None
    same_text("report", sums.terms[2])
    assert "adds up to the lead of the predicted class" in sums.description


def test_a_text_that_does_not_add_up_shows_no_sum_and_is_counted() -> None:
    made = compared()
    held = held_texts(made)
    assert held.sums is not None
    assert [place for place, one in enumerate(held.sums.texts) if one is None] == [1]
    html = Page(render(made)).text()
    assert "on 23 of 24 texts, within rounding; on the others it is off by more" in html
    assert html.count("Weight × logit has no sum here") == (1 if 1 in held.order[:20] else 0)


def test_the_explorer_carries_the_sums_behind_the_maps() -> None:
    made = compared()
    held = held_texts(made)
    assert held.sums is not None
    found = scripts(made)
    assert json.loads(found["index"])["sums"]["terms"] == list(held.sums.terms)
    for place, row in zip(held.order, unpacked(found["numbers-0"]), strict=True):
        assert row[len(held.maps) :] == [
            None if held.sums.texts[place] is None else list(held.sums.texts[place] or ())
        ]


def test_an_audit_without_sums_is_drawn_and_names_the_maps_it_lacks() -> None:
    old = audit()
    assert sums_of(old) is None
    assert json.loads(scripts(old)["index"])["sums"] is None
    text = Page(render(old)).text()
    assert "adds up" not in text
    assert (
        "weight × logit, signed gradient, signed leave-one-out and signed weight × logit maps"
        in text
    )
    closed = replace(old, measurements={**old.measurements, "signs": NotRun("signs", "x")})
    assert sums_of(closed) is None
    assert sums_of(replace(compared(), texts=compared().texts[:3])) is None


def test_without_texts_no_sum_of_a_text_is_told() -> None:
    html = render(compared(), texts=False)
    assert json.loads(Page(html).scripts()["index"])["sums"] is None
    assert "base value" not in Page(html).text()
