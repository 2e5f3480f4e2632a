"""Words are cut where readers would cut them, found again where they stood, and known only from
training.
"""

import sys
import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.core.errors import DataError, SpecError
from sightline.core.example import Example
from sightline.core.tokeniser import tokenise
from sightline.data.vocabulary import BOS, EOS, PAD, UNK, Vocabulary
from tests.snapshots import refused

TRICKY = st.text(
    alphabet=st.sampled_from(
        "aZé\u0301İß '’-‐.,0٣私ふ👍🏽\u200d🇫🇷\ufe0f\u200b\u202e\xad\u200c\n\t<>_&ﬁשः"
    )
)


def words(text):
    return list(tokenise(text)[0])


@given(st.text() | TRICKY)
def test_an_offset_finds_its_token_in_the_text_as_given(text):
    tokens, offsets = tokenise(text)
    assert [text[start:end].lower() for start, end in offsets] == list(tokens)
    ends = [0, *[end for _, end in offsets]]
    assert all(before <= start < end for before, (start, end) in zip(ends, offsets, strict=False))


@given(st.text(alphabet=st.characters(categories=["L", "N", "P", "S", "Zs"])))
def test_only_space_is_left_between_tokens(text):
    _, offsets = tokenise(text)
    edges = [0, *[edge for offset in offsets for edge in offset], len(text)]
    between = [text[edges[i] : edges[i + 1]] for i in range(0, len(edges), 2)]
    assert "".join(between).strip() == ""


@given(TRICKY, TRICKY)
def test_texts_apart_are_cut_apart(first, second):
    assert words(f"{first} \n {second}") == words(first) + words(second)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It's rock-n-roll, isn’t it?", ["it's", "rock-n-roll", ",", "isn’t", "it", "?"]),
        ("'quoted' well--known -", ["'", "quoted", "'", "well", "-", "-", "known", "-"]),
        (
            "3.50 1,000.25 covid-19 12:30 5.",
            ["3.50", "1,000.25", "covid-19", "12", ":", "30", "5", "."],
        ),
        ("İstanbul ÉTÉ", ["i̇stanbul", "été"]),
        ("cafe\u0301s हिन्दी", ["cafe\u0301s", "हिन्दी"]),
        ("שלום, مرحبا", ["שלום", ",", "مرحبا"]),
        ("می\u200cخواهم", ["می\u200cخواهم"]),
        ("私は学生です", ["私", "は", "学", "生", "です"]),
        ("ok👍🏽👨‍👩‍👧🇫🇷❤️!!", ["ok", "👍🏽", "👨‍👩‍👧", "🇫🇷", "❤️", "!", "!"]),
        ("\u202eabc\u202c\u200bx\ufeff", ["abc", "x"]),
        ("<b>&amp;", ["<", "b", ">", "&", "amp", ";"]),
        (" \n\t\u3000", []),
    ],
)
def test_words_are_cut_where_readers_would(text, expected):
    assert words(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "a" * 300_000 + "'",
        "a'" * 150_000,
        "e\u0301" * 150_000,
        "1." * 150_000,
        "👍\u200d" * 150_000,
    ],
)
def test_no_text_takes_more_than_linear_time(text):
    start = time.process_time()
    tokenise(text)
    assert time.process_time() - start < 5


def examples(*texts, query=None):
    return [
        Example(str(i), i, text, *tokenise(text), 0, query=query) for i, text in enumerate(texts)
    ]


def test_a_mark_of_any_script_belongs_to_its_letter():
    """The tokeniser looks for combining marks in some planes of Unicode alone; here they are looked
    for in all.
    """
    marks = [
        chr(code)
        for code in range(sys.maxunicode + 1)
        if unicodedata.category(chr(code)).startswith("M")
    ]
    assert len(marks) > 2000
    assert [mark for mark in marks if words(f"a{mark}a") != [f"a{mark}a"]] == []


def test_specials_come_first_and_words_sorted():
    vocabulary = Vocabulary.fit(examples("b a", "c a"))
    assert vocabulary.words == ("a", "b", "c")
    assert (PAD, UNK, BOS, EOS) == (0, 1, 2, 3)
    assert vocabulary.ids(["a", "c", "never"]) == [4, 6, UNK]
    assert len(vocabulary) == 7
    assert max(vocabulary.ids(vocabulary.words)) == len(vocabulary) - 1


def test_min_count_counts_texts_not_occurrences():
    assert Vocabulary.fit(examples("a a a b", "b c", "c"), min_count=2).words == ("b", "c")


def test_words_of_queries_are_known():
    assert Vocabulary.fit(examples("a", query=("where",))).words == ("a", "where")


def test_bad_vocabularies_are_refused():
    with pytest.raises(DataError, match="got 'a' twice"):
        Vocabulary(("a", "b", "a"))
    with refused(DataError):
        Vocabulary.fit(examples("a", "b"), min_count=2)
    with pytest.raises(SpecError, match="min_count: expected at least 1"):
        Vocabulary.fit(examples("a"), min_count=0)
