"""Pieces belong to the words they stand in; what the model cannot see is left out, and counted."""

from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.adapters.compatibility import check
from sightline.adapters.huggingface.from_pretrained import transformer
from sightline.adapters.huggingface.subword_alignment import NO_WORD, SubwordReader
from sightline.core.error_excerpts import without_excerpts
from sightline.core.errors import DataError
from sightline.core.example import Example
from sightline.core.tokeniser import tokenise
from tests.adapters.huggingface.toys import bytes_in_pairs, classifier, joining, word_pieces

CPU = torch.device("cpu")
BERT, GPT = SubwordReader(word_pieces(), 24, 0), SubwordReader(bytes_in_pairs(""), None, 0)


def example(text: str, query: tuple[str, ...] | None = None) -> Example:
    words, places = tokenise(text)
    return Example("a", 0, text, tuple(words), tuple(places), 0, query)


def test_special_tokens_and_the_query_are_no_words() -> None:
    text = example("the story was bad", ("very", "good"))
    read = BERT.read(text)
    pieces = BERT.tokenizer.convert_ids_to_tokens(list(read.ids))
    assert (pieces[0], pieces[-1]) == ("[CLS]", "[SEP]")
    of_words = [piece for piece, word in zip(pieces, read.words, strict=True) if word != NO_WORD]
    assert "".join(of_words).replace("##", "") == "thestorywasbad"
    second = pieces.index("[SEP]")
    assert set(read.words[second:]) == {NO_WORD}
    assert list(dict.fromkeys(word for word in read.words if word != NO_WORD)) == [0, 1, 2, 3]


@settings(max_examples=40)
@given(
    st.lists(
        st.sampled_from(["the", "film!", "…so", "naïve", "bad", "not-good", "🙂", "\u3000x"]),
        min_size=1,
        max_size=6,
    )
)
def test_each_piece_lies_on_its_word(words: list[str]) -> None:
    """By the letters of a word there is a piece for each, and each piece has letters of its own
    word alone.
    """
    text = example("  ".join(words))
    read = GPT.tokenizer(text.text, return_offsets_mapping=True)
    for (start, end), word in zip(read["offset_mapping"], GPT.read(text).words, strict=True):
        here = [n for n, (a, b) in enumerate(text.offsets) if min(b, end) > max(a, start)]
        assert word in (here or [NO_WORD])
    assert {*GPT.read(text).words} - {NO_WORD} == set(range(len(text.tokens)))


def test_a_text_beyond_the_length_of_the_model_keeps_what_fits() -> None:
    long = example("the film was good and " * 8)
    seen = BERT.seen(long)
    assert 0 < len(seen.tokens) < len(long.tokens)
    assert seen.tokens == long.tokens[: len(seen.tokens)]
    assert BERT.read(seen).words == BERT.read(long).words
    assert len(BERT.read(seen).ids) <= 24
    assert BERT.seen(seen) is seen


@pytest.mark.parametrize("reader", [BERT, GPT])
def test_words_that_were_cut_before_are_not_read(reader: SubwordReader) -> None:
    """What is left out of a text because it is too long is not read by the model, either."""
    text = replace(example("the film was bad"), tokens=("the", "film"), places=None)
    assert reader.read(text) == reader.read(example("the film"))
    assert (reader.seen(text), reader.beyond(text)) == (text, 0)
    long = replace(example("the film was good and " * 8), tokens=("the", "film") * 20, places=None)
    assert len(reader.seen(long).tokens) + reader.beyond(long) == 40
    assert reader.read(reader.seen(long)).ids == reader.read(long).ids


def test_a_blank_beyond_the_length_of_the_model_is_no_word() -> None:
    short = replace(GPT, longest=4)
    for blank in (" ", "  ", "   "):
        text = example(f"the film was good and{blank}bad")
        assert len(short.seen(text).tokens) + short.beyond(text) == len(text.tokens)


def test_a_last_word_without_a_piece_of_its_own_stays_in_the_text() -> None:
    """It is no word that was cut: the model reads it with the word before."""
    reader = SubwordReader(joining("byte-pair"), 24, 0)
    text = example("so good!!")
    seen = reader.seen(text)
    assert len(seen.tokens) < len(text.tokens)
    assert reader.read(seen).ids == reader.read(text).ids


def test_a_query_is_read_as_it_is_written() -> None:
    written = replace(example("the film", ("not-bad", "!")), query_text="Not-bad!! ")
    read = GPT.tokenizer("the film", "Not-bad!")["input_ids"]
    assert GPT.read(written).ids == tuple(read)
    assert GPT.read(replace(written, query=("not-bad", "!", "!"))).ids == (
        *GPT.tokenizer("the film", "Not-bad!! ")["input_ids"],
    )
    assert GPT.read(replace(written, query_text=None)).ids != tuple(read)


def test_a_query_that_fills_the_model_is_named() -> None:
    assert BERT.read(example("the film", ("good",) * 20)).ids
    for words in (21, 60):
        with pytest.raises(DataError, match=f"text a: .* {words + 3} of its 24 tokens"):
            BERT.seen(example("the film", ("good",) * words))
    with without_excerpts(), pytest.raises(DataError, match=r"text \[not shown\]"):
        BERT.read(example("the film", ("good",) * 60))


def test_words_of_a_text_are_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a text of 512 tokens, finding them for each token took half a second."""
    text, asked = replace(example("the film was good " * 4), places=None), []
    monkeypatch.setattr(
        "sightline.core.example.tokenise", lambda one: asked.append(one) or tokenise(one)
    )
    GPT.read(text)
    assert len(asked) < 5


def test_a_word_without_a_piece_is_left_out_with_its_mark() -> None:
    text = Example(
        "a",
        0,
        "bad \u200d film",
        ("bad", "\u200d", "film"),
        ((0, 3), (4, 5), (6, 10)),
        0,
        rationale=(True, True, False),
    )
    seen = BERT.seen(text)
    assert (seen.tokens, seen.places, seen.rationale) == (
        ("bad", "film"),
        ((0, 3), (6, 10)),
        (True, False),
    )


def test_a_batch_pads_at_the_right() -> None:
    batch = BERT.batch([example("the film"), example("it was a very long night")], CPU)
    assert batch.mask.sum(1).tolist() == [
        len(BERT.read(example(text)).ids) for text in ("the film", "it was a very long night")
    ]
    assert not batch.ids[~batch.mask].any()
    assert (batch.word[~batch.attendable] == NO_WORD).all()
    assert not (batch.attendable & ~batch.mask).any()


@pytest.mark.parametrize("query", [None, ("very", "good")])
def test_a_separator_that_a_text_holds_ends_no_part_of_a_pair(
    query: tuple[str, ...] | None,
) -> None:
    pieces = word_pieces()
    pieces.model_input_names = ["input_ids", "token_type_ids", "attention_mask"]
    module = classifier("bert", tokenizer=pieces)
    text = "the film [SEP] was good"
    asked = None if query is None else " ".join(query)
    model = transformer(module, pieces)
    batch = model.collate([example(text, query), example("so bad", query)])
    read = pieces(text, asked, return_tensors="pt")
    assert read["token_type_ids"].any() == (query is not None)
    with torch.no_grad():
        own = module(**read).logits
    torch.testing.assert_close(model.trace(batch).logits[:1], own)
    torch.testing.assert_close(model.logits(batch)[:1], own)
    if model.answers_under:
        torch.testing.assert_close(model.logits_under(batch, {})["own"][:1], own)


def test_a_text_as_long_as_the_model_takes_is_no_reason_to_refuse_it() -> None:
    """There is no place for more padding, and no batch will ever have any there."""
    pieces = word_pieces()
    pieces.model_max_length = 24
    model = transformer(classifier("bert", tokenizer=pieces, max_position_embeddings=24), pieces)
    texts = [model.seen(example("the film was good and " * count)) for count in (1, 2, 8)]
    assert model.collate(texts).mask.shape[1] == 24
    found = {proof.name: proof.outcome for proof in check(model, texts)}
    assert "failed" not in found.values()
    assert found["padding"] == "passed"
