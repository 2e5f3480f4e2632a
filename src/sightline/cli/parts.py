"""One line about each part a spec can name, for ``sightline list``; tests hold them against the code."""

from __future__ import annotations

from dataclasses import dataclass

from sightline.spec import Part, Value


@dataclass(frozen=True)
class Line:
    """A part: the room it belongs to, its options at their defaults, and what it is."""

    kind: str
    part: Part
    about: str


def _part(name: str, **options: Value) -> Part:
    return Part(name, tuple(sorted(options.items())))


MODELS = (
    Line("encoder", _part("bilstm", hidden=128, layers=1), "a bidirectional LSTM: each state has read the whole text"),
    Line("encoder", _part("mlp", hidden=128), "one layer for each word: states do not see each other"),
    Line(
        "scorer", _part("additive", hidden=0), "a score from each state, v · tanh(W h + b); 0 is half the state's size"
    ),
    Line("projection", _part("softmax"), "scores to weights that are never zero"),
    Line("source", _part("learned"), "attention is what the scores say"),
    Line("source", _part("uniform"), "every word weighs the same, in training as in use"),
    Line("source", _part("random", scale=1.0), "weights drawn once for each word of each text: chosen by nobody"),
)
"""Parts of a model spec, joined by +: an encoder, then any of the others."""

_COMMON: dict[str, Value] = {"n": 2000, "length": 30, "fillers": 200, "needles": 4, "noise": 0.0, "vary": True}
PLANTED = (
    Line(
        "planted",
        _part("needle", **_COMMON, classes=2, count=1, strength=1.0),
        "a word of the class stands among fillers",
    ),
    Line(
        "planted",
        _part("vote", **_COMMON, cues=5, strength=0.7),
        "several cue words vote for one of two classes",
    ),
    Line(
        "planted",
        _part("negated", **_COMMON),
        'a cue word means the other class when "not" stands right before it',
    ),
)
"""Generated corpora, named as planted:NAME(option=value,…)."""

PUBLISHED = (
    Line("published", _part("sst"), "Stanford Sentiment Treebank, negative or positive: train.txt, dev.txt, test.txt"),
    Line("published", _part("imdb"), "Large Movie Review Dataset: the folder aclImdb, or its .tar.gz"),
    Line(
        "published",
        _part("agnews", classes=2),
        "AG's news, World or Business (2), or all topics (4): train.csv, test.csv",
    ),
    Line("published", _part("20news"), "20 Newsgroups by date, baseball or hockey: the two folders, or a .tar.gz"),
    Line(
        "published", _part("snli"), "Stanford Natural Language Inference: snli_1.0_{train,dev,test}.jsonl; has queries"
    ),
    Line("published", _part("babi", task=1, size="10k"), "bAbI tasks 1 to 3: the folder tasks_1-20_v1-2; has queries"),
    Line("published", _part("eraser"), "ERASER with rationales, such as the movie reviews: a folder, or a .tar.gz"),
)
"""Published corpora, named as NAME:PATH(option=value,…); files plain or .gz. With queries: check-data only, so far."""

TABLES = (
    ("csv", "csv:FILE", "comma-separated, with a header; a path that ends in .csv or .csv.gz is one"),
    ("tsv", "tsv:FILE", "tab-separated, with a header; a path that ends in .tsv or .tsv.gz is one"),
    ("jsonl", "jsonl:FILE", "one JSON object a line; a path that ends in .jsonl or .jsonl.gz is one"),
)
