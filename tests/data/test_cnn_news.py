"""Questions about CNN's articles: entities are the answers, of each text its own; and every form
that is not one.
"""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from sightline.config.spec_syntax import parse_data
from sightline.core.errors import DataError
from sightline.data.corpora.cnn_news import SPLITS, read_question
from sightline.data.dataset import Dataset
from sightline.data.load_dataset import load
from tests.data.corpora import archive_of, cnn, folder_of, question
from tests.snapshots import refused


def read(path: Path, recipe: str = "clean") -> Dataset:
    return load(replace(parse_data(f"cnn:{path}"), recipe=recipe), 0)


def test_a_question_has_the_entities_of_its_article_as_candidates(tmp_path):
    data = read(folder_of(tmp_path, cnn()))
    assert data.label_names == (
        "@entity0",
        "@entity1",
        "@entity2",
    )  # the fourth is in no training article
    first = data.test[0]
    assert first.text == "( @entity0 ) @entity1 met @entity2 and @entity3 , said test0"
    assert first.tokens == tuple(first.text.split())
    assert first.query == ("@placeholder", "met", "the", "first", ".")
    assert (data.label_names[first.label], first.candidates) == ("@entity1", (0, 1, 2))
    assert {len(split) for split in data.splits.values()} == {8}


def test_candidates_are_those_of_the_text_and_not_all(tmp_path):
    article = "@entity20 met @entity3 , and @entity20 won in 1"
    more = {
        "questions/training/x.question": question(
            article, "@placeholder won", "@entity20", ("20", "3", "7")
        )
    }
    data = read(folder_of(tmp_path, cnn() | more))
    assert data.label_names == (
        "@entity0",
        "@entity1",
        "@entity2",
        "@entity3",
        "@entity20",
    )  # by number, not by sign
    odd = next(e for e in data.train if e.id == "cnn/train/x.question")
    assert (odd.candidates, odd.label) == (
        (3, 4),
        4,
    )  # the seventh is named, and not in the article


def test_questions_of_one_name_in_two_splits_are_two(tmp_path):
    files = {
        f"questions/{split}/1.question": cnn(1)[f"questions/{split}/{split}0_1.question"]
        for split in SPLITS
    }
    data = read(folder_of(tmp_path, files))
    assert [split[0].id for split in data.splits.values()] == [
        f"cnn/{name}/1.question" for name in data.splits
    ]


def test_questions_of_one_article_are_a_group_whatever_their_split(tmp_path):
    data = read(folder_of(tmp_path, cnn(2)))
    assert len({e.group for e in data.test}) == 2
    assert data.card["text_in_training"] == {"validation": 0, "test": 0}


def test_an_answer_that_cannot_be_given_is_counted_and_left_out(tmp_path):
    base = "@entity0 met @entity3 in 1"
    more = {
        "questions/test/x.question": question(base, "@placeholder won", "@entity3"),
        "questions/test/y.question": question(base, "@placeholder won", "@entity1"),
    }
    data = read(folder_of(tmp_path, cnn() | more))
    assert data.card["dropped"] == {
        "answer not in training, in test": 1,
        "answer not in the text, in test": 1,
    }
    assert data.card["found"]["test"] == "10 of 3198"


def test_what_names_hold_does_not_matter_and_is_not_read(tmp_path):
    text = question("@entity0 won 1", "@placeholder won", "@entity0", "0")
    odd = text.replace("Name 0: of one", "<script>: “naïve”: ,,\t@entity9:x").replace("\n", "\r\n")
    found = read_question("\ufeff" + odd, "x")
    assert (found.entities, found.answer, found.article) == (
        {"@entity0"},
        "@entity0",
        "@entity0 won 1",
    )


def test_the_papers_recipe_is_the_published_split_with_rarer_words_unknown(tmp_path):
    folder = folder_of(tmp_path, cnn())
    clean, paper = read(folder), read(folder, "paper")
    assert [e.tokens for e in paper.train] == [e.tokens for e in clean.train]
    assert (paper.card["min_count"], clean.card["min_count"]) == (8, 1)


GOOD = question("@entity0 met @entity1 in 1", "@placeholder met him", "@entity0", "01")
BROKEN = {
    "empty": ("", 1, "expected the address of the article, got nothing"),
    "no article": ("http://x\n\n\n\nq\n\na\n", 3, "expected the article, got nothing"),
    "torn": ("http://x\n\nan article", 5, "expected the question, got nothing"),
    "no empty line": (
        GOOD.replace("in 1\n\n", "in 1\nand more\n"),
        4,
        "expected an empty line after the article",
    ),
    "no placeholder": (
        GOOD.replace("@placeholder", "somebody"),
        5,
        "expected a question with one @placeholder, got 0",
    ),
    "two placeholders": (
        GOOD.replace("him", "@placeholder"),
        5,
        "expected a question with one @placeholder, got 2",
    ),
    "no answer": (
        GOOD.replace("\n\n@entity0\n\n", "\n\n\n\n"),
        7,
        "expected the answer, got nothing",
    ),
    "a word as answer": (
        GOOD.replace("\n\n@entity0\n", "\n\nJoe\n"),
        7,
        "one of the 2 entities below, got 'Joe'",
    ),
    "an unknown entity": (
        GOOD.replace("\n\n@entity0\n", "\n\n@entity9\n"),
        7,
        "entities below, got '@entity9'",
    ),
    "no entities": (
        GOOD[: GOOD.index("@entity0:")],
        7,
        "expected as answer one of the 0 entities below",
    ),
    "no colon": (
        GOOD.replace("@entity1:", "@entity1 "),
        10,
        "expected @entityN:NAME, got '@entity1 Name",
    ),
    "no number": (
        GOOD.replace("@entity1:", "@entity:"),
        10,
        "expected @entityN:NAME, got '@entity:Name",
    ),
    "a gap": (GOOD.replace("@entity1:", "\n@entity1:"), 10, "expected @entityN:NAME, got ''"),
    "twice": (GOOD.replace("@entity1:", "@entity0:"), 10, "@entity0 is named twice"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_question_that_cannot_be_read(tmp_path, name):
    text, line, message = BROKEN[name]
    path = "questions/training/broken.question"
    folder = folder_of(tmp_path, cnn() | {path: text})
    with pytest.raises(
        DataError, match=rf"^{folder / path}:{line}: .*{re.escape(message)}.*fetch the file again"
    ):
        read(folder)


def test_files_that_are_no_questions(tmp_path):
    folder = folder_of(
        tmp_path / "a", cnn() | {"questions/test/odd.question": GOOD.encode() + b"\xe9"}
    )
    with refused(DataError):
        read(folder)
    packed = folder_of(tmp_path / "b", cnn())
    (packed / "questions" / "test" / "torn.question.gz").write_bytes(b"\x1f\x8b\x08 torn")
    with refused(DataError):
        read(packed)
    with pytest.raises(DataError, match=r"found none of them"):
        read(packed / "questions" / "test" / "torn.question.gz")


def test_two_questions_of_one_name_are_refused(tmp_path):
    twice = {f"{top}/{name}": text for top in ("a", "b") for name, text in cnn(1).items()}
    with refused(DataError):
        read(archive_of(tmp_path / "twice.tar", twice))
