"""Do texts that contain the highlighted words get the prediction? Against literal counts, and where
it is known.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.core.protocols import MeasureContext
from sightline.core.seeds import Seeds
from sightline.measures.attribution_maps import AttributionMaps
from sightline.measures.transfer.transfer import Transfer
from sightline.measures.transfer.word_presence import (
    ALL_WORDS,
    TOP,
    highlighted,
    presence,
    word_weights,
)
from tests.measures.test_transfer import TEXTS, evened, take
from tests.reference import moving
from tests.texts import untrained

row_of_text = st.tuples(
    st.sets(st.integers(0, 5), min_size=1),
    st.sets(st.integers(0, 5)),
    st.integers(0, 2),
    st.booleans(),
)


@given(st.lists(row_of_text, min_size=2, max_size=14))
def test_it_is_counted_text_by_text(rows: list[tuple[set[int], set[int], int, bool]]) -> None:
    words, tops, classes, half = (list(column) for column in zip(*rows, strict=True))
    partner = np.full((len(rows), 2), -1)
    for x in range(len(rows)):
        others = [y for y in range(len(rows)) if half[y] == half[x] and classes[y] != classes[x]]
        partner[x, : len(others[:2])] = others[:2]
    types = [np.array(sorted(one), dtype=float) for one in words]
    shown = {"attention": [frozenset(map(float, one)) for one in tops]}
    known = np.ones(len(rows), dtype=bool)
    found = presence(types, shown, np.array(classes), np.array(half), partner, known)["attention"]
    for (x, k), y in np.ndenumerate(partner):
        if y < 0:
            assert np.isnan(found[x, k])
            continue
        names, marked = ([{str(word) for word in one} for one in each] for each in (words, tops))
        assert found[x, k] == moving.present(names, marked, classes, half, x, y)


def test_measured_presence_is_that_of_the_literal_counts() -> None:
    model = evened(untrained("bilstm(hidden=6)+additive"), TEXTS)
    values = take(model, TEXTS, Transfer(donors=8, fewest=1, partners=2)).values
    classes = [moving.Reading(model).predicted(text) for text in TEXTS]
    kinds = [set(text.tokens) for text in TEXTS]
    tops: dict[str, list[set[str]]] = {
        "all": kinds,
        "attention": [],
        "deletion": [],
        "signed_contribution": [],
    }
    for text in TEXTS:
        maps = AttributionMaps(
            MeasureContext(model, texts=(text,)), model.trace(model.collate([text])), Seeds(0)
        )
        keys = Seeds(0).generator("ties", text.index).random(len(text.tokens)).tolist()
        number = moving.count(len(text.tokens), TOP, len(text.tokens))
        for name in ("attention", "deletion", "signed_contribution"):
            scores, signed = maps[name][0].tolist(), name.startswith("signed")
            unknown = np.isnan(scores).any()  # what a text loses without its only word
            places = (
                set() if unknown else moving.top(scores, number, keys, text.index, signed=signed)
            )
            tops[name].append({text.tokens[place] for place in places})
    pairs = 0
    for (x, k), y in np.ndenumerate(values["partner"]):
        for name, marked in tops.items():
            ours = values[f"present.{name}"][x, k]
            if y < 0:
                assert np.isnan(ours)
            else:
                assert ours == moving.present(
                    kinds, marked, classes, values["half"].tolist(), x, y
                ), name
                pairs += 1
    assert pairs > 20
    assert {0.5, 1.0} <= set(np.unique(values["present.attention"][values["partner"] >= 0]))


# ---------------------------------------------------------------- what is known beforehand


def corpus(
    count: int = 400, length: int = 12
) -> tuple[list[np.ndarray], np.ndarray, np.ndarray, np.ndarray]:
    """Texts of fillers, 10 to 49, with one cue of their class, 0 or 1; every text faces one of the
    other class.
    """
    generator = np.random.default_rng(0)
    classes = np.arange(count) % 2
    words = generator.integers(10, 50, (count, length)).astype(float)
    words[np.arange(count), generator.integers(length, size=count)] = classes
    half = np.arange(count) % 4 < 2
    partner = (np.where(classes == 0, np.arange(count) + 1, np.arange(count) - 1))[:, None]
    return list(words), classes, half, partner


def shown(how: str) -> float:
    """Mean presence of the words that a map of this kind highlights."""
    words, classes, half, partner = corpus()
    generator = np.random.default_rng(1)
    maps = []
    for row, (text, one) in enumerate(zip(words, classes, strict=True)):
        cue, code = text < 10, text % 2 == one
        maps.append(
            {
                "cue": cue * 1.0,
                "encoded": 1.0 * (code & ~cue),
                "placed": 1.0 * ((np.arange(len(text)) < 6) == (one == 0)) * ~cue,
                "drawn": generator.random(len(text)),
                "constant": np.ones(len(text)),
                "other": 1.0 * (row % 2 == 0) * cue,
            }[how]
        )
    tops = highlighted(words, {"attention": maps}, np.arange(len(words)), Seeds(0))
    return float(presence(words, tops, classes, half, partner, half | ~half)["attention"].mean())


def test_texts_with_the_cue_of_their_class_always_have_more_of_its_words() -> None:
    assert shown("cue") == 1.0


def test_of_a_class_whose_words_are_never_shown_a_pair_is_undecided() -> None:
    """Where only one class has words, the donors of the other have as many as their receivers:
    none.
    """
    words, classes, half, partner = corpus()
    tops = [frozenset({1.0}) if one else frozenset[float]() for one in classes]
    known = np.ones(len(words), dtype=bool)
    found = presence(words, {"attention": tops}, classes, half, partner, known)["attention"][:, 0]
    assert (found[classes == 1] == 1.0).all()
    assert (found[classes == 0] == 0.5).all()


def test_a_text_whose_class_is_not_known_teaches_no_word() -> None:
    words, classes, half, partner = corpus()
    tops = [frozenset({1.0}) if one else frozenset[float]() for one in classes]
    broken = np.random.default_rng(0).random(len(words)) < 0.2
    partner[broken | broken[partner[:, 0]]] = -1  # as in Transfer, it takes part in no pair
    wrong = np.where(broken, 1 - classes, classes)
    found, of_wrong = (
        presence(words, {"attention": tops}, given, half, partner, ~broken)["attention"]
        for given in (classes, wrong)
    )
    assert np.isfinite(found).any()
    assert np.array_equal(found, of_wrong, equal_nan=True)


@pytest.mark.parametrize("how", ["encoded", "placed"])
def test_a_map_that_encodes_the_prediction_in_fillers_is_at_chance(how: str) -> None:
    """Which fillers are shown depends on the class, but texts of a class do not have more of
    them.
    """
    assert shown(how) == pytest.approx(0.5, abs=3 * 0.5 / np.sqrt(400))


@pytest.mark.parametrize("how", ["drawn", "constant"])
def test_a_map_without_knowledge_finds_less_than_one_that_shows_the_cue(how: str) -> None:
    assert shown(how) < 0.97 < shown("cue")


def test_without_words_or_without_the_other_class_nothing_speaks() -> None:
    half = np.ones(3, bool)
    classes = np.array([0, 0, 1])
    assert word_weights([frozenset()] * 3, half, classes, 0) == {}
    assert word_weights([{1.0}] * 3, ~half, classes, 0) == {}  # no texts at all
    assert word_weights([{1.0}, {1.0}, set()], half, classes, 1) == {}
    (gain,) = word_weights([{1.0}, {1.0}, set()], half, classes, 0).values()
    p = 2 / 3
    assert gain == pytest.approx(np.log((2 + 2 * p) / 4) - np.log((0 + 2 * p) / 3))


def test_top_words_are_a_tenth_and_an_unknown_map_has_none() -> None:
    types = [np.arange(20.0), np.arange(3.0)]
    maps = {"attention": [np.arange(20.0), np.array([0.0, np.nan, 1.0])]}
    found = highlighted(types, maps, np.array([4, 7]), Seeds(0))
    assert found["attention"] == [frozenset({18.0, 19.0}), frozenset()]
    assert found[ALL_WORDS] == [frozenset(range(20)), frozenset(range(3))]
