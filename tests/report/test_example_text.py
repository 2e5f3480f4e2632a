"""The example is the text on which attention and its best rival differ most, of those the verdict
warns of.
"""

from dataclasses import replace

import numpy as np
import pytest

from sightline.audits.audit_result import Audit
from sightline.core.results import MapRow, Measurement, Ragged
from sightline.report.html.example_text import LONGEST, ExampleView, example_view
from sightline.report.html.view_model import held_texts
from tests.report.audits import MAPS, audit, by_absence, by_class, compared, map_row, record
from tests.snapshots import same_text

TEXTS = tuple(record(f"one two three {index}", index) for index in range(4))
ATTENTION = np.array([[1.0, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0], [1, 1, 1, 1]])
GRADIENT = np.array([[9.0, 9, 0, 0], [0, 5, 0, 0], [0, 3, 0, 0], [0, 0, 0, 0]])


def drawn(case: Audit) -> ExampleView | None:
    return example_view(case, held_texts(case))


def small(maps: tuple[MapRow, ...] = (MAPS[0], replace(MAPS[1], chosen=True))) -> Audit:
    lengths = np.full(4, 4)
    kept = {
        "outputs": {"attention": ATTENTION},
        "agreement": {"gradient": GRADIENT, "deletion": GRADIENT[:, ::-1]},
    }
    measured = {
        code: Measurement(
            code, {name: Ragged(values.ravel(), lengths) for name, values in of.items()}
        )
        for code, of in kept.items()
    }
    return replace(audit(TEXTS), maps=maps, measurements=measured)


def test_it_is_the_text_on_which_the_two_maps_differ_most_the_first_among_equals() -> None:
    view = drawn(small())
    assert view is not None
    assert view.text.id == "t0001"  # t0002 differs as much, t0003 has no gradient at all
    assert [row.name for row in view.text.rows] == ["attention", "gradient"]
    same_text("report", view.description)


@pytest.mark.parametrize(
    ("maps", "rival"),
    [
        ((MAPS[0], MAPS[1], MAPS[2]), "leave-one-out"),  # carries more
        ((MAPS[0], MAPS[1], replace(MAPS[2], carried=None)), "gradient"),
        ((MAPS[0], replace(MAPS[1], chosen=True), MAPS[2]), "gradient"),
        (
            (replace(MAPS[0], chosen=True), MAPS[1], MAPS[2]),
            "leave-one-out",
        ),  # attention is no rival of itself
        (
            (MAPS[0], MAPS[1], map_row("contribution", "passed", 0.9, chosen=True)),
            "gradient",
        ),  # not held
    ],
)
def test_the_rival_is_the_chosen_map_else_the_best_that_is_held(
    maps: tuple[MapRow, ...], rival: str
) -> None:
    view = drawn(small(maps))
    assert view is not None
    assert view.text.rows[1].name == rival


def test_without_two_maps_there_is_no_example() -> None:
    assert drawn(small(())) is None
    assert drawn(small(MAPS[:1])) is None
    assert drawn(small(MAPS[5:])) is None  # signed maps are not held against weights
    assert drawn(replace(small(), texts=())) is None


def test_where_classes_differ_the_example_is_of_one_that_must_not_be_shown() -> None:
    view = drawn(compared(by_class()))
    assert view is not None
    assert view.text.predicted == "negative"
    assert "Of 18 texts predicted 'negative' of at most" in view.description


def test_a_text_seen_at_one_glance_goes_before_a_long_one() -> None:
    long = tuple(record("word " * (LONGEST + 1 + index), index) for index in range(30))
    short = record("a b c", 30)
    for texts, longest in (((*long, short), 3), (long, LONGEST + 20)):
        view = drawn(compared(texts=texts))
        assert view is not None
        assert f"of at most {longest} words" in view.description


def test_a_text_of_a_class_that_no_word_explains_is_no_example() -> None:
    texts = tuple(replace(one, predicted="ham" if one.id == "t0001" else "spam") for one in TEXTS)
    view = drawn(replace(small(), verdict=by_absence(), texts=texts))
    assert view is not None
    assert view.text.id == "t0002"
    same_text("report", view.description)
    assert (
        drawn(
            replace(
                small(),
                verdict=by_absence(),
                texts=tuple(replace(t, predicted="ham") for t in texts),
            )
        )
        is None
    )
