"""How far log-odds can fall, and where predictions flip: bounds that hold whatever a model
answers.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.measures.log_odds_bounds import FARTHEST, LAST, LOST, bounded, flipped, odds_of_all
from tests.reference import moving

number = st.floats(-1e9, 1e9)
of_text = st.tuples(
    st.lists(st.floats(-8, 8), min_size=3, max_size=3), st.lists(number, min_size=4, max_size=4)
)


@given(st.lists(of_text, min_size=1, max_size=9))
def test_no_text_loses_more_than_lies_between_it_and_texts_predicted_otherwise(texts: list) -> None:
    logits, lost = (np.array(column) for column in zip(*texts, strict=True))
    chosen, odds = logits.argmax(1), odds_of_all(logits)
    arrays = {"odds": odds, "chosen": chosen, "kept": chosen, f"{LOST}deleted.attention": lost}
    arrays |= {
        f"{LOST}deleted.random": lost[:, :, None].repeat(2, 2) * [1.0, -1.0],
        f"{LOST}replaced.most": -lost,
    }
    arrays |= {f"{LOST}deleted.most": lost[:, ::-1]}
    gone = lost[:, 1]  # what the top words do once the next ones are gone
    arrays |= {
        f"{LAST}attention": gone,
        f"{LAST}most": 0 * gone,
        f"{LAST}random": gone[:, None] * [0.0, 1.0],
    }
    found = bounded(arrays)
    assert found.keys() == {
        "kept",
        *(
            f"{kind}.{of}"
            for kind in ("deleted", "curve", "top")
            for of in ("attention", "random", "most")
        ),
        "replaced.most",
    }
    for row, one in enumerate(chosen):
        others = [odds[i, one] for i in range(len(chosen)) if chosen[i] != one]
        room = max(0.0, odds[row, one] - moving.quantile(others, FARTHEST)) if others else np.inf
        literal = [moving.within(float(value), room) for value in lost[row]]
        assert found["curve.attention"][row] == pytest.approx(literal, rel=1e-9, abs=1e-9)
        assert found["deleted.attention"][row] == pytest.approx(
            np.mean(literal), rel=1e-9, abs=1e-6
        )
        first, last = (
            abs(literal[0]),
            abs(literal[-1]),
        )  # up or down: a top word may speak against the prediction
        top = max(first, abs(literal[1]))
        assert found["top.attention"][row] == pytest.approx(top, rel=1e-9, abs=1e-9)
        assert found["top.random"][row] == pytest.approx(
            (first + top) / 2, rel=1e-9, abs=1e-9
        )  # of both draws
        assert found["top.most"][row] == pytest.approx(max(top, last), rel=1e-9, abs=1e-9)
        assert found["top.most"][row] >= max(
            found["top.attention"][row], found["top.random"][row]
        ) * (1 - 1e-12)
        assert found["replaced.most"][row] == pytest.approx(-np.mean(literal), rel=1e-9, abs=1e-6)
        assert found["curve.random"][row] == pytest.approx(
            [0.0] * 4, abs=1e-6
        )  # cut draw by draw, then averaged
        assert abs(found["deleted.attention"][row]) <= room * (1 + 1e-9)


def test_a_text_without_the_odds_of_a_class_has_no_bound_and_sets_none() -> None:
    odds = np.array([[2.0, -2.0], [np.inf, -np.inf], [-3.0, 3.0], [np.nan, np.nan]])
    arrays = {
        "odds": odds,
        "chosen": np.array([0, 0, 1, 0]),
        f"{LOST}replaced.attention": np.full((4, 2), 100.0),
    }
    assert bounded(arrays)["replaced.attention"].tolist() == [5.0, 100.0, 5.0, 100.0]
    # Of a text less sure of its class than texts of another are of it nothing is left to lose.
    odds = np.array([[-0.6, -0.7, -0.8], [-0.1, 0.1, -9.0]])
    arrays = {
        "odds": odds,
        "chosen": np.array([0, 1]),
        f"{LOST}replaced.attention": np.full((2, 2), 100.0),
    }
    assert bounded(arrays)["replaced.attention"].tolist() == pytest.approx([0.0, 0.8])
    # Of three classes each text allows two: each has its bound, by the texts that allow its class.
    few = np.array(
        [[2.0, -2.0, -np.inf], [-np.inf, 1.0, -1.0], [-np.inf, -3.0, 3.0], [-4.0, -np.inf, 4.0]]
    )
    arrays = {
        "odds": few,
        "chosen": np.array([0, 1, 2, 2]),
        f"{LOST}replaced.attention": np.full((4, 2), 100.0),
    }
    assert bounded(arrays)["replaced.attention"].tolist() == pytest.approx(
        [6.0, 1.0 + 2.95, 4.0, 5.0]
    )


@given(
    st.lists(st.lists(st.integers(-9, 9), min_size=3, max_size=3), min_size=1, max_size=6),
    st.integers(0, 3),
)
def test_a_flip_is_the_same_under_every_rising_change_of_logits(
    logits: list[list[int]], which: int
) -> None:
    rising = (lambda x: 1e6 * x, lambda x: x**3, np.arctan, lambda x: x - 40.0)[which]
    left = np.array(logits, dtype=float)
    chosen = np.array([0, 1])
    rows = np.arange(len(left)) % 2
    found = flipped(left, chosen, rows)
    assert found.tolist() == [
        float(one.argmax() != chosen[row]) for one, row in zip(left, rows, strict=True)
    ]
    assert flipped(rising(left), chosen, rows).tolist() == found.tolist()


def test_a_class_that_a_text_does_not_allow_leaves_the_flip_known() -> None:
    left = np.array([[1.0, -np.inf, 0.0], [np.nan, 0.0, 1.0], [-np.inf] * 3, [-np.inf, 1.0, 2.0]])
    assert flipped(left, np.array([0]), np.zeros(4, int)) == pytest.approx(
        [0.0, np.nan, np.nan, 1.0], nan_ok=True
    )
    assert flipped(np.array([[0.5], [-0.5]]), np.array([1]), np.zeros(2, int)).tolist() == [
        0.0,
        1.0,
    ]
