"""Vector files are read as they come, and refused by line; vectors made here are the same each time
and mean something.
"""

import gzip
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sightline.config.run_keys import run_key
from sightline.config.spec_syntax import parse_data, parse_model
from sightline.config.specs import FitSpec, RunSpec
from sightline.core.errors import DataError, SpecError
from sightline.core.example import Example
from sightline.data.load_dataset import load
from sightline.data.ppmi import SCALE, count_pairs, nearest, ppmi_vectors, weigh
from sightline.data.vocabulary import SPECIALS, Vocabulary
from sightline.data.word_vectors import read_dimension, read_vectors, with_vectors, write_vectors
from sightline.experiments.load_models import save_trained
from sightline.experiments.pipeline import doubts_of, run, train
from sightline.models.classifier import build
from sightline.training.embedding_init import start
from tests.snapshots import refused
from tests.texts import example

GLOVE = "the 0.5 -1 2e-1\n. . . 1 1 1\ncat 3 4 5\ncat 9 9 9\nrare 6 6 6\n"


def file_of(folder: Path, text: str | bytes, name: str = "v.txt") -> Path:
    path = folder / name
    data = text if isinstance(text, bytes) else text.encode()
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return path


@pytest.mark.parametrize("name", ["v.txt", "v.txt.gz"])
@pytest.mark.parametrize("head", ["", "5 3\n"])
def test_wanted_rows_are_kept_and_a_header_is_known(tmp_path, name, head):
    path = file_of(tmp_path, head + GLOVE, name)
    assert read_dimension(path) == 3
    found = read_vectors(path, ["cat", ". . .", "the", "absent"])
    assert found.words == ("the", ". . .", "cat")
    np.testing.assert_allclose(found.rows, [[0.5, -1, 0.2], [1, 1, 1], [3, 4, 5]])
    assert found.rows.dtype == np.float32
    assert read_vectors(path, ["absent"]).rows.shape == (0, 3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (GLOVE + "short 1 2\n", ":6: expected a word and 3 numbers as on the first line, got 2"),
        (GLOVE + "long 1 2 3 4\n", ":6: expected a word and 3 numbers as on the first line, got 4"),
        ("the 1 2 3\ncat 1 x 3\n", ":2: expected a word and its numbers: could not convert"),
        ("the 1 2 3\ncat 1 nan 3\n", ":2: expected finite numbers"),
        ("words without numbers\n", ":1: expected a word and its numbers"),
        (b"the 1 2\ncaf\xe9 1 2\n", ":2: expected UTF-8"),
        ("", ": expected word vectors"),
    ],
)
def test_a_file_of_vectors_that_cannot_be_read(tmp_path, text, message):
    path = file_of(tmp_path, text)
    with pytest.raises(DataError, match=f"v.txt{message}"):
        read_vectors(path, ["cat"])


def test_no_file_or_a_folder(tmp_path):
    for path in (tmp_path, tmp_path / "nowhere.txt"):
        with refused(DataError):
            with_vectors(parse_model("mlp"), path)


def test_vectors_survive_their_file(tmp_path):
    rows = np.random.default_rng(0).normal(size=(3, 4))
    path = write_vectors(tmp_path / "v.txt", ("a", "b", "c"), rows)
    np.testing.assert_allclose(read_vectors(path, "abc").rows, rows, atol=1e-6)


def texts(n: int = 400) -> list[Example]:
    """Two pairs of synonyms, each pair among neighbours of its own, among common fillers."""
    draw = np.random.default_rng(0)
    made = []
    for i in range(n):
        topic = i % 2
        words = [f"filler{w}" for w in draw.integers(0, 20, 6)]
        near = [f"near{topic}{w}" for w in draw.integers(0, 4, 4)]
        synonym = ("happy", "glad") if topic else ("sad", "gloomy")
        made.append(
            example(
                " ".join([*words[:3], *near[:2], synonym[draw.integers(2)], *near[2:], *words[3:]]),
                i,
            )
        )
    return made


def test_planted_synonyms_are_nearest():
    train = texts()
    vocabulary = Vocabulary.fit(train)
    rows = ppmi_vectors(train, vocabulary, 20, 3)
    for one, other in (("happy", "glad"), ("sad", "gloomy")):
        assert nearest(vocabulary.words, rows, one)[0][0] == other
        assert nearest(vocabulary.words, rows, other)[0][0] == one
    assert nearest(vocabulary.words, rows, "absent") == []
    assert np.sqrt((rows**2).mean()) == pytest.approx(SCALE)


def test_the_same_texts_give_the_same_vectors():
    train = texts(60)
    vocabulary = Vocabulary.fit(train)
    first, again = (ppmi_vectors(train, vocabulary, 8, 3) for _ in range(2))
    np.testing.assert_array_equal(first, again)
    assert (first[np.abs(first).argmax(axis=0), np.arange(8)] > 0).all()


def test_counts_are_those_of_a_slow_twin():
    train = texts(12)
    vocabulary = Vocabulary.fit(train[:8])  # some words are unknown
    n = len(vocabulary.words)
    slow = np.zeros((n, n))
    for one in train:
        ids = [number - SPECIALS for number in vocabulary.ids(one.tokens)]
        for i, first in enumerate(ids):
            for second in ids[max(0, i - 3) : i] + ids[i + 1 : i + 4]:
                if first >= 0 and second >= 0:
                    slow[first, second] += 1
    pairs = count_pairs(train, vocabulary, 3)
    np.testing.assert_array_equal(pairs.toarray(), slow)
    words, contexts = slow.sum(1), slow.sum(1) ** 0.75
    with np.errstate(divide="ignore"):
        pmi = np.log(slow / slow.sum()) - np.log(
            np.outer(words / words.sum(), contexts / contexts.sum())
        )
    np.testing.assert_allclose(weigh(pairs).toarray(), np.maximum(pmi, 0), atol=1e-12)


def test_more_dimensions_than_words_are_refused():
    train = texts(4)
    vocabulary = Vocabulary.fit(train)
    with refused(SpecError):
        ppmi_vectors(train, vocabulary, 300, 3)


# ---------------------------------------------------------------- a model that starts from vectors


MASKED = "bilstm(hidden=4)+mlm(eta=0.1)"


def spec_with(path: Path, **fit: int) -> RunSpec:
    data = parse_data("planted:needle(n=120,length=6,fillers=20)")
    return RunSpec(
        data, with_vectors(parse_model("mlp(hidden=4)"), path), FitSpec(**{"epochs": 1} | fit)
    )


def vectors_of(folder: Path, words: int) -> Path:
    known = Vocabulary.fit(
        load(parse_data("planted:needle(n=120,length=6,fillers=20)"), 0).train
    ).words[:words]
    return write_vectors(folder / "v.txt", known, np.arange(words * 5).reshape(words, 5) / 10)


def test_known_words_start_from_their_vectors_and_others_as_they_did(tmp_path):
    spec = spec_with(vectors_of(tmp_path, 3))
    data = load(spec.data, 0)
    assert spec.model.embedding == 5
    model, plain = (
        build(spec.model, Vocabulary.fit(data.train), data.label_names, 0) for _ in range(2)
    )
    about = start(model, data.train)
    weights = model.embedding.weight.detach().numpy()
    np.testing.assert_allclose(
        weights[SPECIALS : SPECIALS + 3], np.arange(15).reshape(3, 5) / 10, atol=1e-6
    )
    np.testing.assert_array_equal(
        weights[SPECIALS + 3 :], plain.embedding.weight.detach().numpy()[SPECIALS + 3 :]
    )
    running = [word for text in data.train for word in text.tokens]
    without = sum(word not in model.vocabulary.words[:3] for word in running) / len(running)
    found = {
        "file": "v.txt",
        "digest": spec.model.vectors_digest,
        "dimension": 5,
        "words_found": 3,
        "of": len(model.vocabulary.words),
        "tokens_without": pytest.approx(without),
        "without_vector": "random",
    }
    assert about == {"vectors": found}
    assert len(spec.model.vectors_digest) == 64
    assert (
        start(
            build(parse_model("mlp(hidden=4)"), plain.vocabulary, data.label_names, 0), data.train
        )
        == {}
    )


def test_words_without_a_vector_and_marks_start_from_zero_where_that_is_asked_for(tmp_path):
    spec = spec_with(vectors_of(tmp_path, 3))
    data = load(spec.data, 0)
    zero = replace(spec.model, without_vector="zero", vectors_scale=2.0)
    model = build(zero, Vocabulary.fit(data.train), data.label_names, 0)
    about = start(model, data.train)["vectors"]
    weights = model.embedding.weight.detach().numpy()
    np.testing.assert_allclose(
        weights[SPECIALS : SPECIALS + 3], 2 * np.arange(15).reshape(3, 5) / 10, atol=1e-6
    )
    assert not weights[:SPECIALS].any()
    assert not weights[SPECIALS + 3 :].any()
    assert (about["without_vector"], about["scale"]) == ("zero", 2.0)
    keys = {run_key(replace(spec, model=one)) for one in (spec.model, zero)}
    assert len(keys) == 2


@pytest.mark.parametrize(
    "wrong", [{"without_vector": "one"}, {"vectors_scale": 0.0}, {"vectors_scale": math.inf}]
)
def test_a_start_that_there_is_not_is_refused(wrong):
    with pytest.raises(SpecError) as error:
        replace(parse_model("mlp"), **wrong)
    assert error.value.field == next(iter(wrong))


def test_many_words_without_a_vector_are_said(tmp_path):
    few = spec_with(vectors_of(tmp_path, 3))
    (tmp_path / "all").mkdir()
    count = len(Vocabulary.fit(load(few.data, 0).train))
    every = spec_with(vectors_of(tmp_path / "all", count - SPECIALS))
    said = []
    for spec in (few, replace(few, model=replace(few.model, without_vector="zero")), every):
        trained = train(replace(spec, fit=FitSpec(epochs=1, patience=1), companions=()))
        said.append([one for one in doubts_of(trained) if "has no vector for" in one])
    assert [len(one) for one in said] == [1, 1, 0]
    assert said[0][0].endswith("they start at random")
    assert said[1][0].endswith("they start from zero")


def test_it_is_told_how_many_words_stay_as_drawn_where_embeddings_are_frozen(tmp_path):
    data = load(parse_data("planted:needle(n=120,length=6,fillers=20)"), 0)
    plain, words = replace(parse_model(MASKED), embedding=8), Vocabulary.fit(data.train).words
    some, every = (
        write_vectors(tmp_path / f"{n}.txt", words[:n], np.ones((n, 8))) for n in (3, len(words))
    )
    known = read_vectors(some, words).words
    running = [word for text in data.train for word in text.tokens]
    shares = {}
    for name, spec in (
        ("none", plain),
        ("some", with_vectors(plain, some)),
        ("all", with_vectors(plain, every)),
    ):
        model = build(spec, Vocabulary.fit(data.train), data.label_names, 0)
        shares[name] = start(model, data.train)["frozen_as_drawn"]
    without = sum(word not in known for word in running) / len(running)
    assert shares == {"none": 1.0, "some": pytest.approx(without), "all": 0.0}
    assert 0.05 < without < 0.95


def test_a_model_whose_words_stay_as_drawn_is_doubted(tmp_path):
    spec = spec_with(vectors_of(tmp_path, 3), patience=1)
    frozen = replace(spec, model=replace(parse_model(MASKED), embedding=8), companions=())
    trained = train(frozen)
    message = "100% of the words of its training texts, repeats counted, keep the random vector"
    assert [message in doubt for doubt in doubts_of(trained)] == [False, True]
    few = replace(trained, record=trained.record | {"frozen_as_drawn": 0.03})
    assert len(doubts_of(few)) == 1


@pytest.mark.parametrize(("from_base", "doubted"), [((), True), (("embedding",), False)])
def test_a_training_that_freezes_random_words_is_doubted(from_base, doubted):
    model = replace(parse_model("mlp(hidden=4)"), embedding=8)
    fit = FitSpec(epochs=1, patience=1, fixed=("embedding",), from_base=from_base)
    run = RunSpec(parse_data("planted:needle(n=120,length=6)"), model, fit, companions=())
    record = train(run).record
    assert record.get("frozen_as_drawn") == (1.0 if doubted else None)


def test_both_tables_of_a_model_that_reads_queries_start_from_the_vectors(tmp_path):
    data = load(parse_data("planted:pair(n=60,length=8)"), 0)
    vocabulary = Vocabulary.fit(data.train)
    path = write_vectors(
        tmp_path / "v.txt", vocabulary.words[:2], np.array([[1.0, 2.0], [3.0, 4.0]])
    )
    model = build(
        with_vectors(parse_model("mlp(hidden=4)+query"), path), vocabulary, data.label_names, 0
    )
    start(model, data.train)
    assert len(model.embeddings) == 2
    for table in model.embeddings:
        assert table.weight[SPECIALS : SPECIALS + 2].tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_the_card_says_how_many_words_were_found_also_of_a_saved_model(tmp_path):
    from sightline.experiments.load_models import load_trained

    spec = spec_with(vectors_of(tmp_path, 3))
    trained, audit = run(spec)
    assert audit.cards["data"]["vectors"]["words_found"] == 3
    assert trained.record["vectors"]["words_found"] == 3
    folder = save_trained(trained, tmp_path / "model")
    (tmp_path / "v.txt").unlink()  # a saved model needs no vectors
    assert load_trained(folder, spec.data, 0).dataset.card["vectors"]["words_found"] == 3


def test_vectors_that_do_not_fit_are_refused(tmp_path):
    spec = spec_with(vectors_of(tmp_path, 3))
    wrong = replace(spec, model=replace(spec.model, embedding=7))
    with refused(SpecError):
        train(wrong)
    (tmp_path / "v.txt").write_text("nothing 1 2 3 4 5\n")
    with refused(DataError):
        train(spec)
    with refused(DataError):
        train(spec_with(tmp_path / "v.txt"))


def test_topic_words_of_real_text_are_nearer_within_than_between(real_data):
    """Sport and business words of AG News, four topics: a cosine within a topic exceeds one between
    them.
    """
    data = load(parse_data(f"agnews:{real_data('ag_news')}(classes=4)"), 0)
    vocabulary = Vocabulary.fit(data.train, 5)
    rows = ppmi_vectors(data.train, vocabulary, 50, 5)
    topics = (
        ("team", "season", "coach", "game"),
        ("profit", "shares", "quarter", "sales"),
        ("troops", "iraq", "killed", "police"),
    )
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    places = [[vocabulary.words.index(word) for word in topic] for topic in topics]
    within = np.mean(
        [unit[i] @ unit[j] for topic in places for i in topic for j in topic if i != j]
    )
    between = np.mean(
        [unit[i] @ unit[j] for a in places for b in places for i in a for j in b if a is not b]
    )
    assert within > between + 0.2
