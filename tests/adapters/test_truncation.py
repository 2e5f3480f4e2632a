"""What a model does not see of a text is left out before anything is measured, and the card counts
it.
"""

from dataclasses import dataclass, replace
from typing import Any

from sightline.adapters.truncation import visible_dataset, visible_words
from sightline.core.errors import DataError
from sightline.core.example import Example
from sightline.data.dataset import Dataset
from tests.snapshots import refused
from tests.texts import examples, untrained


@dataclass(frozen=True)
class ShortSighted:
    """Sees the first words of a text."""

    words: int

    def seen(self, example: Example) -> Example:
        return replace(
            example, tokens=example.tokens[: self.words], places=example.offsets[: self.words]
        )


@dataclass(frozen=True)
class WithoutToken(ShortSighted):
    """Has no token for the first word of a text, either."""

    def seen(self, example: Example) -> Example:
        seen = super().seen(example)
        return replace(seen, tokens=seen.tokens[1:], places=seen.offsets[1:])

    def beyond(self, example: Example) -> int:
        return max(0, len(example.tokens) - self.words)


@dataclass(frozen=True)
class JoinedWords(ShortSighted):
    """Has no token for the second word of a text, and says nothing of its length."""

    def seen(self, example: Example) -> Example:
        seen = super().seen(example)
        return seen.only([place for place in range(len(seen.tokens)) if place != 1])


class Everything:
    """Sees all that is left."""

    def seen(self, example: Example) -> Example:
        return example


def dataset() -> Dataset:
    texts = examples((3, 8, 5, 2))
    return Dataset(
        "texts",
        texts[:1],
        (),
        texts[1:],
        ("a", "b"),
        {"truncated": 2, "words_cut": 7, "splits": {"train": {"n": 9}}},
    )


def test_words_beyond_sight_are_left_out_and_counted() -> None:
    seen = visible_dataset(dataset(), ShortSighted(4))  # type: ignore[arg-type]  # it is asked for nothing else
    assert [len(text.tokens) for text in (*seen.train, *seen.test)] == [3, 4, 4, 2]
    assert (seen.card["truncated"], seen.card["words_cut"]) == (2 + 2, 7 + 4 + 1)
    assert [text.cut for text in (*seen.train, *seen.test)] == [0, 4, 1, 0]
    assert seen.card["splits"]["test"]["tokens"]["max"] == 4
    assert seen.card["splits"]["train"] == {"n": 9}


def test_a_text_that_was_cut_before_is_counted_once() -> None:
    data = dataset()
    once = tuple(replace(text, cut=3 if len(text.tokens) == 8 else 0) for text in data.test)
    seen = visible_dataset(replace(data, test=once), ShortSighted(4))  # type: ignore[arg-type]  # as above
    assert (seen.card["truncated"], seen.card["words_cut"]) == (2 + 1, 7 + 4 + 1)


def test_words_without_a_token_are_not_counted_as_cut() -> None:
    seen = visible_dataset(dataset(), WithoutToken(4))  # type: ignore[arg-type]  # as above
    assert [text.cut for text in seen.test] == [4 + 1, 1 + 1, 1]
    assert [text.unseen for text in seen.test] == [1, 1, 1]
    assert (seen.card["truncated"], seen.card["words_cut"]) == (2 + 2, 7 + 4 + 1)


def test_without_a_count_a_word_before_one_that_is_seen_is_not_counted_as_cut() -> None:
    model: Any = JoinedWords(4)
    seen = visible_dataset(dataset(), model)
    assert [text.cut - text.unseen for text in seen.test] == [4, 1, 1]  # the last has two words
    assert [text.unseen for text in seen.test] == [1, 1, 0]
    assert (seen.card["truncated"], seen.card["words_cut"]) == (2 + 3, 7 + 4 + 1 + 1)
    assert [visible_words(model, text).beyond for text in dataset().test] == [4, 1, 1]


def test_what_was_left_out_is_counted_once_however_often_it_is_asked() -> None:
    seen = visible_dataset(dataset(), WithoutToken(4))  # type: ignore[arg-type]  # as above
    assert visible_dataset(seen, Everything()) == seen  # type: ignore[arg-type]  # as above


def test_a_text_that_is_not_seen_at_all_is_an_error() -> None:
    with refused(DataError):
        visible_dataset(dataset(), ShortSighted(0))  # type: ignore[arg-type]  # it is asked for nothing else


def test_a_model_that_sees_everything_changes_nothing() -> None:
    data = dataset()
    assert visible_dataset(data, untrained("mlp(hidden=4)")) is data
