"""Splits cannot overlap, labels have names, and the card says what is there."""

import json
from dataclasses import replace

import pytest

from sightline.core.error_excerpts import without_excerpts
from sightline.core.errors import DataError, SpecError
from sightline.core.example import Example
from sightline.core.tokeniser import tokenise
from sightline.data.dataset import Dataset, make_card, sample_test
from tests.snapshots import refused


def example(index, text="one two", label=0, **more):
    tokens, offsets = tokenise(text)
    return Example(
        **(
            {"id": f"t:{index}", "index": index, "text": text, "tokens": tokens, "places": offsets}
            | more
        ),
        label=label,
    )


def dataset(train, validation, test, names=("neg", "pos")):
    splits = {"train": tuple(train), "validation": tuple(validation), "test": tuple(test)}
    return Dataset("toy", **splits, label_names=names, card=make_card(splits, names, source="toy"))


def toy(n_test=50):
    return dataset(
        [example(0), example(1, "a b c", label=1)],
        [example(2, "x")],
        [example(3 + i, label=i % 2) for i in range(n_test)],
    )


@pytest.mark.parametrize(
    ("again", "what"),
    [
        ({"id": "t:0"}, r"id 't:0' is in train and again in test"),
        ({"index": 0}, r"index 0 is in train"),
    ],
)
def test_a_text_in_two_splits_is_refused(again, what):
    with pytest.raises(DataError, match=what):
        dataset([example(0)], [], [replace(example(1), **again)])


def test_a_text_twice_in_one_split_is_refused():
    with refused(DataError):
        dataset([example(0), example(0)], [], [])


def test_an_id_that_is_there_twice_may_be_left_out_of_the_error():
    named = [replace(example(number), id="NOTE-12") for number in (0, 1)]
    with without_excerpts(), pytest.raises(DataError) as caught:
        dataset(named, [], [])
    assert "NOTE-12" not in str(caught.value)


@pytest.mark.parametrize("label", [-1, 2])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_label_without_a_name_is_refused_in_every_split(label, place):
    splits = [[], [], []]
    splits[place] = [example(0, label=label)]
    with refused(DataError):
        dataset(*splits)


def test_label_names_differ():
    with pytest.raises(DataError, match="label names that differ"):
        dataset([], [], [], names=("a", "a"))


def test_marks_and_offsets_are_one_a_token():
    with refused(DataError):
        dataset([example(0, rationale=(True,))], [], [])
    with refused(DataError):
        dataset([example(0, places=())], [], [])


def test_the_card_counts_texts_labels_and_lengths():
    train = [example(0, "a"), example(1, "a b", label=1), example(2, "a b c d", label=1)]
    card = dataset(train, [], [example(3)], names=("neg", "pos", "odd")).card
    assert card["splits"]["train"] == {
        "n": 3,
        "labels": {"neg": 1, "pos": 2, "odd": 0},
        "tokens": {"min": 1, "q25": 1, "median": 2, "q75": 4, "q95": 4, "max": 4},
    }
    assert card["splits"]["validation"] == {
        "n": 0,
        "labels": {"neg": 0, "pos": 0, "odd": 0},
        "tokens": {},
    }
    assert json.loads(json.dumps(card, allow_nan=False)) == card


def test_the_card_counts_groups_where_there_are_any():
    texts = [example(i, group=group) for i, group in enumerate(("p1", "p2", "p1", "", ""))]
    card = dataset(texts, [], [example(9)]).card
    assert card["splits"]["train"]["groups"] == {"n": 2, "without": 2}
    assert "groups" not in card["splits"]["test"]


def test_a_sample_is_seeded_keeps_the_order_and_says_so_in_the_card():
    data = toy()
    some = sample_test(data, 20, seed=1)
    places = [e.index for e in some.test]
    assert len(places) == 20
    assert places == sorted(places)
    assert some.test == sample_test(data, 20, seed=1).test != sample_test(data, 20, seed=2).test
    assert some.card["sample"] == {"n": 20, "of": 50, "seed": 1}
    assert some.card["splits"]["test"]["n"] == 20
    assert sum(some.card["splits"]["test"]["labels"].values()) == 20
    assert "20 of 50 test texts" in some.card["notes"][-1]
    assert (data.card["splits"]["test"]["n"], data.card["notes"]) == (50, [])
    assert (some.train, some.validation) == (data.train, data.validation)


def test_a_larger_sample_keeps_the_smaller_one():
    data = toy()
    assert set(sample_test(data, 10, seed=0).test) < set(sample_test(data, 30, seed=0).test)


def test_a_sample_of_everything_changes_nothing_and_of_nothing_is_refused():
    data = toy()
    assert sample_test(data, 50, seed=0) is data
    with refused(SpecError):
        sample_test(data, 0, seed=0)


def test_a_query_comes_with_every_text_or_with_none():
    asked = [example(i, query=("what",), label=i % 2) for i in range(3)]
    assert dataset(asked[:1], asked[1:2], asked[2:]).has_queries
    assert not toy().has_queries
    with refused(DataError):
        dataset(asked[:1], asked[1:2], [example(2)])
    with refused(DataError):
        dataset([example(0)], asked[1:2], [example(2)])


def test_a_label_that_is_no_candidate_is_refused():
    with refused(DataError):
        dataset(
            [example(0, candidates=(0, 1))], [example(1, label=1, candidates=(0,))], [example(2)]
        )
