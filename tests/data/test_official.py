"""Each published form is read as published: from a folder, packed, or an archive; and the errors
say where.
"""

import io
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.config.spec_syntax import parse_data
from sightline.config.specs import OFFICIAL
from sightline.core.errors import DataError, SightlineError, SpecError
from sightline.data.corpora.ag_news import read_news
from sightline.data.corpora.babi import read_questions
from sightline.data.corpora.corpus_registry import FORMATS
from sightline.data.corpora.newsgroups import strip
from sightline.data.corpora.sst import read_tree
from sightline.data.corpus_cache import content_digest
from sightline.data.dataset import Dataset
from sightline.data.load_dataset import load
from sightline.data.readers.archives import File
from sightline.data.readers.csv_jsonl import read_objects
from tests.data.corpora import CORPORA, archive_of, folder_of, forget
from tests.data.eraser_writing import write_eraser
from tests.snapshots import refused, same_text

MISSING = {"mimic": "NOTEEVENTS"}
"""What is taken away of a corpus whose test texts have no file of their own."""


def read(kind: str, path: Path, options: str = "", recipe: str = "clean", seed: int = 0) -> Dataset:
    return load(replace(parse_data(f"{kind}:{path}{options}"), recipe=recipe), seed)


def contents(data: Dataset) -> list:
    return [
        (name, e.id, e.text, e.tokens, e.offsets, e.label, e.query, e.rationale)
        for name, split in data.splits.items()
        for e in split
    ]


def test_the_list_of_published_corpora_is_that_of_the_code():
    assert set(FORMATS) == set(OFFICIAL)


@pytest.mark.parametrize("kind", OFFICIAL)
def test_folders_packed_files_and_archives_give_the_same_texts(kind, tmp_path):
    files = {f"top/{name}": content for name, content in CORPORA[kind].items()}
    plain = read(kind, folder_of(tmp_path / "a", files))
    assert all(plain.splits.values())
    assert contents(read(kind, folder_of(tmp_path / "b", files, packed=True))) == contents(plain)
    for name in ("c.tar.gz", "d.tar"):
        assert contents(read(kind, archive_of(tmp_path / name, files))) == contents(plain)
    for example in (e for split in plain.splits.values() for e in split):
        assert [example.text[start:end].lower() for start, end in example.offsets] == list(
            example.tokens
        )


@pytest.mark.parametrize("kind", OFFICIAL)
def test_what_is_missing_is_named_with_where_it_was_looked_for(kind, tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir()
    with refused(DataError):
        read(kind, empty)
    needed = MISSING.get(kind, "test")
    without = {name: text for name, text in CORPORA[kind].items() if needed not in name}
    with pytest.raises(DataError, match=rf"{tmp_path / 'part'}: expected .*{needed}"):
        read(kind, folder_of(tmp_path / "part", without))


def test_sst_by_both_recipes(tmp_path):
    folder = folder_of(tmp_path, CORPORA["sst"])
    clean = read("sst", folder)
    assert [(e.tokens, e.label) for e in clean.train] == [
        (("a", "fine", "film"), 1),
        (("(", "dull", "n't"), 0),
    ]
    assert clean.card["dropped"] == {"neutral in train": 1}
    assert clean.card["found"] == {
        "train": "3 of 8544",
        "validation": "2 of 1101",
        "test": "2 of 2210",
    }
    words = ["(3 " + " ".join(f"(2 w{i}_{n})" for i in range(n)) + ")\n" for n in (5, 6, 7, 8)]
    long = folder_of(tmp_path / "long", dict.fromkeys(CORPORA["sst"], "".join(words)))
    paper = read("sst", long, recipe="paper")
    assert [len(e.tokens) for e in paper.train] == [6, 7]  # more than 5, and fewer than the longest
    assert paper.card["dropped"]["not between 5 and 8 words in train"] == 2
    assert "n't is two words" in paper.card["kept_as_published"]["1"]
    assert "kept_as_published" not in clean.card


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("(3 (2 a) (2 b)", "1 brackets do not close"),
        ("(3 (2 a)) (2 b)", "expected one tree"),
        ("(3 (2 a)))", "expected one tree"),
        ("3 a", "expected one tree"),
        ("(5 a)", "expected a label from 0 to 4 after a bracket, got '5'"),
        ("((2 a))", "expected a label from 0 to 4 after a bracket, got '\\('"),
        ("(2)", "it has no words"),
        ("(", "expected a label from 0 to 4 after a bracket, got ''"),
    ],
)
def test_a_tree_that_cannot_be_read(line, message, tmp_path):
    folder = folder_of(tmp_path, CORPORA["sst"] | {"dev.txt": f"(4 (2 Great) (2 fun))\n{line}\n"})
    with pytest.raises(DataError, match=rf"dev.txt:2: .*{message}"):
        read("sst", folder)


def test_imdb_keeps_a_review_that_is_in_both_splits_in_test_alone(tmp_path):
    folder = folder_of(tmp_path, CORPORA["imdb"])
    clean = read("imdb", folder)
    assert sum(n for why, n in clean.card["dropped"].items() if "and in a later split" in why) == 1
    assert (len(clean.train) + len(clean.validation), len(clean.test)) == (15, 16)
    assert "<br" not in clean.train[0].text
    paper = read("imdb", folder, recipe="paper")
    words = {token for split in paper.splits.values() for e in split for token in e.tokens}
    assert "br" in words
    assert not words & set(",.!<>/")
    assert paper.card["min_count"] == 10


def test_agnews_has_two_classes_of_descriptions_or_four_of_both(tmp_path):
    folder = folder_of(tmp_path, CORPORA["agnews"])
    two, four = read("agnews", folder), read("agnews", folder, "(classes=4)")
    assert (two.label_names, four.label_names) == (
        ("World", "Business"),
        ("World", "Sports", "Business", "Sci/Tech"),
    )
    assert {e.text.split("\n")[0] for e in two.test} == {f'The "test" story {i}' for i in range(8)}
    assert all(e.text.startswith("Title") for e in four.test)
    assert (
        two.test[1].id == "agnews/test.csv:5"
    )  # World and Business are the 1st and the 3rd, two lines each
    with pytest.raises(SpecError, match="expected classes=2 or classes=4, got 3"):
        read("agnews", folder, "(classes=3)")


def test_parts_of_a_training_file_are_joined_unless_the_whole_is_there(tmp_path):
    files = dict(CORPORA["agnews"])
    whole = files.pop("train.csv")
    files |= {"train_a.csv": whole, "train_joined.csv": '"1","Title and text together"\n'}
    part = read("agnews", folder_of(tmp_path / "a", files))
    assert part.card["found"]["train"] == "17 of 60000"
    assert (
        "title and description are joined, and the description alone is asked for"
        in part.card["dropped"]
    )
    assert "training texts from train_a.csv, train_joined.csv" in part.card["notes"]
    both = read("agnews", folder_of(tmp_path / "b", files | {"train.csv": whole}))
    assert both.card["found"]["train"] == "16 of 60000"
    four = read("agnews", tmp_path / "a", "(classes=4)")
    assert "Title and text together" in {e.text for e in (*four.train, *four.validation)}


def test_a_message_without_headers_quotations_and_footer():
    message = CORPORA["20news"]["20news-bydate-train/rec.sport.hockey/100"].decode("latin-1")
    same_text("notes", strip(message))
    same_text("notes", strip(message, every_footer=True))
    assert strip("A: b\n\nOne.\n\nTwo.\n", every_footer=True) == "One."
    assert strip("A: b\n\nOne.\n\nTwo.\n") == "One.\n\nTwo."
    assert strip("Subject: only a header") == ""
    assert strip("In article <x@y> b@c (Bob) writes:\nJD> no\n\nYes.") == "Yes."


def test_newsgroups_by_both_recipes(tmp_path):
    folder = folder_of(tmp_path, CORPORA["20news"])
    clean, paper = read("20news", folder), read("20news", folder, recipe="paper")
    assert (len(clean.train) + len(clean.validation), len(clean.test)) == (16, 16)
    ids = {e.id.split("/")[1] for e in paper.test}
    assert ids == {"train", "test"}  # the split by date is given up
    assert paper.card["min_count"] == 2


def test_snli_has_queries_and_drops_what_has_no_label(tmp_path):
    data = read("snli", folder_of(tmp_path, CORPORA["snli"]))
    assert data.label_names == ("contradiction", "entailment", "neutral")
    first = data.train[0]
    assert (first.query, first.label, first.candidates) == (
        ("he", "2nd", "sleeps", "!"),
        2,
        (0, 1, 2),
    )
    assert first.query_text == first.asked == "He 2nd sleeps!"
    assert data.card["dropped"] == {
        f"no gold label in {name}": 1 for name in ("train", "validation", "test")
    }
    paper = read("snli", tmp_path, recipe="paper")
    assert paper.train[0].query == ("he", "qqq", "sleeps", "!")
    assert paper.train[0].asked == "he qqq sleeps !"


def test_a_long_query_is_cut_as_texts_are_and_by_no_paper(tmp_path):
    path = folder_of(tmp_path, CORPORA["snli"])
    file = path / "snli_1.0_test.jsonl"
    lines = file.read_text().splitlines()
    long = json.loads(lines[0]) | {"sentence2": "It goes on and on and on."}
    file.write_text("\n".join([json.dumps(long), *lines[1:]]))

    def at(longest, recipe):
        return load(replace(parse_data(f"snli:{path}"), max_tokens=longest, recipe=recipe), 0)

    assert at(6, "clean").test[0].query == ("it", "goes", "on", "and", "on", "and")
    assert at(6, "clean").test[0].asked == "It goes on and on and"
    assert [at(longest, "clean").card["truncated"] for longest in (6, 8)] == [
        1,
        0,
    ]  # premises have 5 words
    assert len(at(6, "paper").test[0].query) == 8
    assert at(6, "paper").card["truncated"] == 0


def test_texts_that_training_has_under_another_query_are_counted(tmp_path):
    files = dict(CORPORA["snli"])
    files["snli_1.0_test.jsonl"] = (
        files["snli_1.0_test.jsonl"].replace("test 0", "train 0").replace("He 2nd", "She 2nd")
    )
    card = read("snli", folder_of(tmp_path, files)).card
    assert card["text_in_training"] == {"validation": 0, "test": 1}
    assert card["same_words_as_training"] == {"validation": 0, "test": 0}


def test_babi_marks_the_supporting_facts(tmp_path):
    folder = folder_of(tmp_path, CORPORA["babi"])
    data = read("babi", folder, "(task=1)", seed=1)
    second = data.test[1]
    same_text("notes", second.text)
    marked = [token for token, mark in zip(second.tokens, second.rationale, strict=True) if mark]
    assert (marked, second.query) == (
        ["mary", "went", "to", "the", "kitchen", "."],
        ("where", "is", "mary", "?"),
    )
    assert second.asked == "Where is Mary?"
    assert [len(data.validation), data.validation[0].group in {e.group for e in data.train}] == [
        1,
        True,
    ]
    assert data.card["group_in_training"] == {"validation": 1, "test": 0}
    assert "group_in_training" not in read("snli", folder_of(tmp_path / "s", CORPORA["snli"])).card
    assert data.label_names[second.label] == "kitchen"
    assert second.candidates == tuple(range(len(data.label_names)))
    paper = read("babi", folder, "(task=2)", recipe="paper")
    same_text("notes", paper.test[0].text)
    assert paper.test[0].query == ("where", "is", "mary")
    with refused(SpecError):
        read("babi", folder, "(task=4)")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 Mary moved.\n3 John went.\n", ":2: expected the number 2, or 1 for a new story, got 3"),
        ("one Mary moved.\n", ":1: expected ID and text"),
        (
            "1 Mary moved.\n2 Where is Mary?\thall\t2\n",
            ":2: expected question<TAB>answer<TAB>numbers",
        ),
        ("1 Mary moved.\n2 Where is Mary?\thall\n", ":2: expected question<TAB>answer<TAB>numbers"),
    ],
)
def test_a_story_that_cannot_be_read(text, message, tmp_path):
    files = CORPORA["babi"] | {"tasks/en-10k/qa1_some-facts_test.txt": text}
    with pytest.raises(DataError, match=f"qa1_some-facts_test.txt{message}"):
        read("babi", folder_of(tmp_path, files))


def test_evidence_without_groups_is_read_as_groups_are(tmp_path):
    grouped = read("eraser", folder_of(tmp_path / "a", CORPORA["eraser"]))
    flat = {
        name: text.replace("[[", "[").replace("]]", "]") for name, text in CORPORA["eraser"].items()
    }
    assert flat != CORPORA["eraser"]
    found = read("eraser", folder_of(tmp_path / "b", flat))
    assert [e.rationale for e in found.test] == [e.rationale for e in grouped.test]
    assert any(found.test[0].rationale)


def test_eraser_round_trips(tmp_path):
    data = read("eraser", folder_of(tmp_path / "a", CORPORA["eraser"]))
    assert data.train[0].rationale == (False, True, True, False, False, False)
    assert data.train[1].rationale is None
    again = read("eraser", write_eraser(data.splits, data.label_names, tmp_path / "b"))
    assert [c[0:1] + c[2:] for c in contents(again)] == [c[0:1] + c[2:] for c in contents(data)]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"start_token": 1, "end_token": 9},
            "expected a span within the 6 words of val_POS, got 1 to 9",
        ),
        ({"start_token": "1"}, "expected a span within"),
        ({"docid": "gone"}, "there is no document 'gone' in docs"),
        ({"docid": 3}, "each with a docid"),
    ],
)
def test_a_rationale_that_cannot_be(change, message, tmp_path):
    files = dict(CORPORA["eraser"])
    note = json.loads(files["val.jsonl"].split("\n")[0])
    note["evidences"][0][0] |= change
    files["val.jsonl"] = "\n" + json.dumps(note)
    with pytest.raises(DataError, match=rf"val.jsonl:2: .*{message}"):
        read("eraser", folder_of(tmp_path, files))


def test_only_a_paper_has_a_recipe_of_a_paper(tmp_path):
    with refused(SpecError):
        read("eraser", folder_of(tmp_path, CORPORA["eraser"]), recipe="paper")


def test_the_same_files_and_seed_give_the_same_splits(tmp_path):
    folder = folder_of(tmp_path, CORPORA["imdb"])
    first = contents(read("imdb", folder, seed=3))
    forget()
    assert contents(read("imdb", folder, seed=3)) == first
    assert contents(read("imdb", folder, seed=3)) != contents(read("imdb", folder, seed=4))


def test_files_that_change_are_noticed_by_a_run_that_names_them(tmp_path):
    spec = parse_data(f"sst:{folder_of(tmp_path, CORPORA['sst'])}")
    named = replace(spec, digest=content_digest(spec))
    assert contents(load(named, 0)) == contents(load(spec, 0))
    (tmp_path / "dev.txt").write_text("(4 (2 Other) (2 fun))\n(0 (2 No) (2 fun))\n")
    with refused(DataError):
        load(named, 0)


# ---------------------------------------------------------------- whatever a file holds, it is read or refused


def file_of(data: bytes) -> File:
    return File("any.txt", "any.txt", io.BytesIO(data))


def refusal(call: Callable[[], object]) -> SightlineError | None:
    """Give the error about the input that a call ends with; any other is not caught."""
    try:
        call()
    except SightlineError as error:
        return error
    return None


@settings(max_examples=300)
@given(
    st.one_of(
        st.text(),
        st.text(alphabet="()0123456789 ab-"),
        st.binary().map(lambda b: b.decode("latin-1")),
    )
)
def test_any_line_is_a_tree_or_an_error(line):
    refused = refusal(lambda: read_tree(line, "any.txt", 1))
    if refused is None:
        score, leaves = read_tree(line, "any.txt", 1)
        assert 0 <= score <= 4
        assert leaves
    else:
        assert str(refused).startswith("any.txt:1: expected ")


@settings(max_examples=200)
@given(
    st.one_of(
        st.binary(),
        st.text(alphabet='"1234,\n\\ ab').map(str.encode),
        st.lists(st.lists(st.text(), max_size=4)).map(lambda rows: json.dumps(rows).encode()),
        st.text(alphabet="12 \tab?.\n").map(str.encode),
        st.recursive(
            st.none() | st.text() | st.integers(), lambda x: st.dictionaries(st.text(), x)
        ).map(lambda value: json.dumps(value).encode()),
    )
)
def test_any_bytes_are_read_or_refused(data):
    for reading in (read_news, read_objects, lambda file: read_questions(file, "clean")):
        refused = refusal(lambda reading=reading: list(reading(file_of(data))))
        assert refused is None or re.match(r"any\.txt:\d+: ", str(refused))


@pytest.mark.parametrize("kind", ["sst", "snli", "babi", "eraser", "agnews", "adr", "mimic", "cnn"])
@settings(max_examples=25)
@given(data=st.data())
def test_a_corpus_with_a_hole_in_it_is_read_or_refused(kind, data, tmp_path_factory):
    files = dict(CORPORA[kind])
    name = data.draw(st.sampled_from(sorted(files)))
    content = files[name].encode() if isinstance(files[name], str) else files[name]
    place = data.draw(st.integers(0, len(content)))
    files[name] = (
        content[:place]
        + data.draw(st.binary(max_size=4))
        + content[place + data.draw(st.integers(0, 9)) :]
    )
    folder = folder_of(tmp_path_factory.mktemp("hole"), files)
    assert "\n" not in str(refusal(lambda: read(kind, folder)))
