"""One line about each part a spec can name, for ``sightline list``; tests hold them against the code."""

from __future__ import annotations

from dataclasses import dataclass

from sightline.spec.parts import Part, Value


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
    Line("encoder", _part("cnn", kernels="1-3-5-7", channels=32), "convolutions: each state has read its neighbours"),
    Line("encoder", _part("mlp", hidden=128), "one layer for each word: states do not see each other"),
    Line("encoder", _part("transformer", hidden=128, layers=2), "self-attention: each state has read the whole text"),
    Line(
        "scorer", _part("additive", hidden=0), "a score from each state, v · tanh(W h + b); 0 is half the state's size"
    ),
    Line(
        "scorer",
        _part("dot", start="uniform", scaled=True),
        "a score from each state, w · h / √H; start=normal draws w from N(0, 1)",
    ),
    Line(
        "scorer",
        _part("deep", layers=2, hidden=0),
        "a score from each state by a stack of ReLU layers; 0 is half the state's size",
    ),
    Line("projection", _part("softmax"), "scores to weights that are never zero"),
    Line("projection", _part("sparsemax"), "scores to the nearest weights: many are zero"),
    Line("projection", _part("sparsegen", **{"lambda": 0.5}), "sparsemax, sparser as lambda goes to 1"),
    Line(
        "projection",
        _part("entmax", alpha=1.5, learned=False),
        "between softmax (alpha=1) and sparsemax (alpha=2); learned=true lets training choose",
    ),
    Line(
        "projection",
        _part("gumbel", temperature=0.8, test_noise=False),
        "softmax of scores with noise: in training, and at test only with test_noise=true",
    ),
    Line("source", _part("learned"), "attention is what the scores say"),
    Line("source", _part("uniform"), "every word weighs the same, in training as in use"),
    Line("source", _part("random", scale=1.0), "weights drawn once for each word of each text: chosen by nobody"),
    Line("decoder", _part("linear"), "one affine layer over what attention sums"),
    Line("decoder", _part("query"), "answers a query that comes with each text, among its candidates"),
    Line("retention", _part("none"), "nothing keeps the input in the states"),
    Line("retention", _part("concat"), "attention sums states with their embeddings beside them"),
    Line("retention", _part("residual"), "attention sums states plus embeddings"),
    Line("retention", _part("tying", delta=10.0), "training pulls states to their embeddings"),
    Line("retention", _part("mlm", eta=1.0, p=0.15), "training guesses masked words; embeddings are frozen"),
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
    Line(
        "planted",
        _part("pair", n=2000, length=12, things=2, kinds=4, colours=4, fillers=50, noise=0.0),
        "does the text say the colour of the thing that the query says; has queries, three labels",
    ),
    Line(
        "planted",
        _part("world", n=2000, facts=1, sentences=6, people=3, places=4, things=2, named=False),
        "people go about, take and leave things; the query asks for a place, which facts sentences tell",
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
"""Published corpora, named as NAME:PATH(option=value,…); plain or .gz; those with queries need +query."""

TABLES = (
    ("csv", "csv:FILE", "comma-separated, with a header; a path that ends in .csv or .csv.gz is one"),
    ("tsv", "tsv:FILE", "tab-separated, with a header; a path that ends in .tsv or .tsv.gz is one"),
    ("jsonl", "jsonl:FILE", "one JSON object a line; a path that ends in .jsonl or .jsonl.gz is one"),
)
