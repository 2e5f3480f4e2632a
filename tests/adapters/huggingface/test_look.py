"""A look at one text: each number stands on its own word, and a word without one says so."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import AutoTokenizer
from typer.testing import CliRunner

import sightline
from sightline.api.look import Look
from sightline.api.unlabelled_texts import unlabelled
from sightline.cli.app import app
from sightline.core.errors import DataError, ModelError
from sightline.data.dataset import Dataset
from sightline.measures.default_measures import default_measures
from tests.adapters.huggingface.toys import (
    LONGEST,
    MARKED,
    WORDS,
    bytes_in_pairs,
    classifier,
    joining,
    whole_words,
    word_pieces,
)
from tests.sampling import slow_but
from tests.snapshots import refused

KINDS = ("word-piece", "byte-pair", "unigram")
JOINED = {kind: joining(kind) for kind in KINDS}
ODD = ("good film!! and bad", "the ... story", "(it was). bad day", "so </a> good", "...", *MARKED)


def looked(tokenizer: Any, text: str) -> tuple[Any, Look]:
    model = sightline.transformer(
        classifier("bert", tokenizer=tokenizer), tokenizer, layer=1, head=2
    )
    return model, sightline.look(model, text)


def seen_by_letters(tokenizer: Any, look: Look) -> list[bool]:
    """Which words begin a piece, or hold the most letters of one: computed letter by letter."""
    text = look.text
    read = tokenizer(text.text, return_offsets_mapping=True, truncation=True, max_length=LONGEST)
    owner = [-1] * len(text.text)
    for number, (start, end) in enumerate(text.offsets):
        owner[start:end] = [number] * (end - start)
    found = set()
    for start, end in read["offset_mapping"]:
        letters = [one for one in owner[start:end] if one >= 0]
        if letters:
            found.add(max(dict.fromkeys(letters), key=letters.count))
    return [number in found for number in range(len(text.tokens))]


@pytest.mark.parametrize("kind", slow_but({0}, KINDS))
def test_a_word_whose_marks_are_joined_has_no_number_and_the_others_have_their_own(
    kind: str,
) -> None:
    lost = 0
    for text in ODD:
        model, look = looked(JOINED[kind], text)
        wanted = seen_by_letters(JOINED[kind], look)
        assert list(look.seen) == wanted
        lost += wanted.count(False)
        batch = model.collate([model.seen(unlabelled(text, None, 512))])
        trace, numbers = model.trace(batch), iter(np.flatnonzero(wanted))
        places = {seen: int(word) for seen, word in enumerate(numbers)}
        for seen, word in places.items():
            own = float(trace.attention[0][batch.word[0] == seen].sum())
            assert look.maps["attention"][word] == pytest.approx(own, abs=1e-6)
        several = {
            name: values
            for name, values in look.maps.items()
            if sum(wanted) > 1 or name == "attention"
        }
        for name, values in several.items():  # no deletion leaves nothing
            assert np.isnan(values).tolist() == [not there for there in wanted], name
        rows = look.to_json()["words"]
        assert [row["seen"] for row in rows] == wanted
        assert [row["attention"] is None for row in rows] == [not there for there in wanted]
        json.dumps(look.to_json(), allow_nan=False)
        if not all(wanted):
            assert "(not seen)" in look._repr_html_()
            assert "(not seen)" in str(look)
    assert lost >= 3


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    tokenizer = whole_words(WORDS)
    classifier("bert", tokenizer=tokenizer).save_pretrained(tmp_path / "m")
    tokenizer.save_pretrained(tmp_path / "m")
    return tmp_path / "m"


@pytest.mark.parametrize(("words", "cut"), [(62, 0), (63, 1), (70, 8)])
def test_a_text_beyond_the_model_is_cut_and_says_so(whole: Path, words: int, cut: int) -> None:
    text = " ".join((WORDS * 4)[:words])
    found = CliRunner().invoke(
        app, ["look", f"hf:{whole}", text, "--map", "attention", "--json"], catch_exceptions=False
    )
    assert found.exit_code == 0, found.output
    output = json.loads(found.stdout)
    assert output["cut"] == cut
    assert [row["attention"] is None for row in output["words"]] == [False] * (words - cut) + [
        True
    ] * cut
    assert sum(row["attention"] or 0 for row in output["words"]) == pytest.approx(1, abs=1e-5)
    plain = CliRunner().invoke(
        app, ["look", f"hf:{whole}", text, "--map", "attention"], catch_exceptions=False
    )
    assert ("Cut: the last" in plain.output) == (cut > 0)
    assert ("not seen" in plain.output) == (cut > 0)  # beside each such word
    assert "Not seen:" not in plain.output


def test_an_audit_of_other_attention_or_other_weights_is_refused() -> None:
    tokenizer = word_pieces()
    module = classifier("bert", tokenizer=tokenizer)
    one, other = (
        sightline.transformer(module, tokenizer, layer=0, head=head) for head in ("mean", 0)
    )
    texts = tuple(
        replace(unlabelled(" ".join(WORDS[n : n + 4]), None, 9, n), label=n % 2) for n in range(8)
    )
    data = Dataset("texts", (), (), texts, one.labels, {})
    audit = sightline.audit(one, data, measures=default_measures(chosen=("erasure",)))
    assert sightline.look(one, "a text", maps="attention", audit=audit).audit is audit
    with refused(ModelError):
        sightline.look(other, "a text", maps="attention", audit=audit)
    assert sightline.look(one, "a text", maps="attention", audit=audit).doubt == ""
    with torch.no_grad():  # the same folder, trained again
        next(iter(module.classifier.parameters())).add_(1)
    with refused(ModelError):
        sightline.look(one, "a text", maps="attention", audit=audit)


def test_a_changed_text_is_read_anew(whole: Path) -> None:
    look = sightline.look(f"hf:{whole}", " ".join((WORDS * 4)[:63]), maps="attention")
    assert look.cut == 1
    assert look.without(0).cut == 0


def test_a_text_of_which_nothing_is_seen_is_an_error() -> None:
    pieces = word_pieces()
    with refused(DataError):
        sightline.look(
            sightline.transformer(classifier("bert", tokenizer=pieces), pieces), "\ufffd"
        )


def test_a_real_tokenizer_loses_no_word_and_shifts_none(real_data: Callable[[str], Path]) -> None:
    tokenizer = AutoTokenizer.from_pretrained(real_data("models/minilm-sst"), local_files_only=True)
    module = classifier("bert", tokenizer=tokenizer, max_position_embeddings=32)
    model = sightline.transformer(module, tokenizer)
    text = (
        "An unflinching, oddly beautiful film \ufffd (in 3-D)... </br> not so bad!! "
        + "good and " * 20
    )
    look = sightline.look(model, text)
    assert look.cut > 0
    assert 0 < look.elsewhere < 1
    assert "Hugging Face" in look.absent["signed_contribution"]
    assert 0 < sum(look.seen) < len(look.seen)
    assert not look.seen[look.text.tokens.index("\ufffd")]
    assert np.isnan(look.maps["attention"]).tolist() == [not there for there in look.seen]
    kept = [word for word, there in zip(look.text.tokens, look.seen, strict=True) if there]
    pieces = tokenizer(text, truncation=True, max_length=32)["input_ids"]
    assert tokenizer.decode(pieces, skip_special_tokens=True).replace(" ", "") == "".join(kept)


def test_a_query_is_read_as_it_is_written_and_stays(tmp_path: Path) -> None:
    """In a table, in a list, and in the text that is looked at again."""
    pieces = bytes_in_pairs()
    model = sightline.transformer(classifier("roberta", tokenizer=pieces), pieces, layer=1, head=0)
    read: list[str | None] = []
    reader = replace(model.reader, tokenizer=asked_for(model.reader.tokenizer, read))
    watched = replace(model, reader=reader)
    look = sightline.look(watched, "the film", "Not-bad, I say.")
    read.clear()
    look.again("the story")
    assert {*read} == {"Not-bad, I say."}
    (tmp_path / "t.csv").write_text("text,label,why\nthe film,a,Is it?\n", encoding="utf-8")
    table = sightline.load(str(tmp_path / "t.csv"), query="why", split="all", max_tokens=2)
    given = sightline.data_from(["the film"], ["a"], splits="all", queries=["Is it?"], max_tokens=2)
    for data in (table, given):
        read.clear()
        watched.collate(data.test)
        assert read == ["Is it"]


def asked_for(tokenizer: Any, read: list[str | None]) -> Callable[..., Any]:
    """A tokenizer that notes the queries it is given."""

    def call(text: str, query: str | None = None, **options: Any) -> Any:
        read.append(query)
        return tokenizer(text, query, **options)

    return call
