"""The kinds of data, one row each: generated corpora, published corpora and tables, with their
options.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sightline._io.limits import LENGTH, TEXTS, WORDS
from sightline.config.part_options import Option, bounded_option, chance, choice_option, flag, size
from sightline.config.registry_row import Row

_FILLERS = 6400
"""How many filler words of four letters can be made (`sightline.data.synthetic.cue_words`)."""
_CUES = 1000
"""The most votes in a text: counting more would overflow a float."""
SENTENCE = 6
"""Words in the longest sentence of a generated story."""
REVIEW_SENTENCE = 14
"""Words of the longest sentence of a review, with its full stop."""
_FACTS = 12
"""The most fact sentences in one review (`sightline.data.synthetic.product_reviews`)."""
_COMMON: Mapping[str, Option] = {
    "n": size(2000, TEXTS.most),
    "length": size(30, LENGTH.most),
    "fillers": bounded_option(200, 1, _FILLERS),
    "needles": size(4, _CUES),
    "noise": chance(0.0),
    "vary": flag(True),
    "opening": flag(False),
    "ending": flag(False),
}


def _too_many(chosen: Mapping[str, Any]) -> str:
    """Describe a corpus that would have too many words, before any word is generated."""
    words = chosen["n"] * (
        chosen["length"] if "length" in chosen else SENTENCE * chosen["sentences"]
    )
    return WORDS.passed(words) if words > WORDS.most else ""


def _too_many_reviews(chosen: Mapping[str, Any]) -> str:
    words = chosen["n"] * chosen["sentences"] * REVIEW_SENTENCE
    return WORDS.passed(words) if words > WORDS.most else ""


PLANTED = (
    Row(
        "planted",
        "needle",
        "a word of the class stands among fillers",
        {
            **_COMMON,
            "classes": bounded_option(2, 2, 24),
            "count": size(1, _CUES),
            "strength": chance(1.0),
        },
        wrong=_too_many,
    ),
    Row(
        "planted",
        "vote",
        "several cue words vote for one of two classes",
        {**_COMMON, "cues": size(5, _CUES), "strength": chance(0.7)},
        wrong=_too_many,
    ),
    Row(
        "planted",
        "negated",
        'a cue word means the other class when "not" stands right before it',
        _COMMON,
        wrong=_too_many,
    ),
    Row(
        "planted",
        "detector",
        "a word of one class stands among fillers, and the other class has fillers alone",
        {**_COMMON, "count": size(1, _CUES), "positives": Option(0.5, above=0.0, below=1.0)},
        wrong=_too_many,
    ),
    Row(
        "planted",
        "pair",
        "whether the text gives a thing the colour that the query claims; has queries, three "
        "labels",
        {
            "n": size(2000, TEXTS.most),
            "length": size(12, LENGTH.most),
            "things": bounded_option(2, 1, 8),
            "kinds": bounded_option(4, 1, 8),
            "colours": bounded_option(4, 2, 8),
            "fillers": bounded_option(50, 1, _FILLERS),
            "noise": chance(0.0),
        },
        wrong=_too_many,
    ),
    Row(
        "planted",
        "reviews",
        "reviews of films and products in English, with one opinion word of the class each",
        {
            "n": size(1200, TEXTS.most),
            "sentences": bounded_option(4, 2, _FACTS + 1),
            "opinions": bounded_option(8, 1, 8),
            "strength": chance(0.9),
        },
        wrong=_too_many_reviews,
    ),
    Row(
        "planted",
        "world",
        (
            "people move about, take and leave things; the query asks for a place, which "
            "follows from as many sentences as facts says"
        ),
        {
            "n": size(2000, TEXTS.most),
            "facts": bounded_option(1, 1, 3),
            "sentences": size(6, LENGTH.most // SENTENCE),
            "people": bounded_option(3, 1, 8),
            "places": bounded_option(4, 2, 10),
            "things": bounded_option(2, 1, 8),
            "named": flag(False),
        },
        wrong=_too_many,
    ),
)
"""Generated corpora, named as planted:NAME(option=value,…)."""

PUBLISHED = (
    Row(
        "published",
        "sst",
        "Stanford Sentiment Treebank, negative or positive: train.txt, dev.txt, test.txt",
    ),
    Row("published", "imdb", "Large Movie Review Dataset: the folder aclImdb, or its .tar.gz"),
    Row(
        "published",
        "agnews",
        "AG's news, World or Business (2), or all topics (4): train.csv, test.csv",
        {"classes": choice_option(2, 4)},
    ),
    Row(
        "published",
        "20news",
        "20 Newsgroups by date, baseball or hockey: the two folders, or a .tar.gz",
    ),
    Row(
        "published",
        "snli",
        "Stanford Natural Language Inference: snli_1.0_{train,dev,test}.jsonl; has queries",
    ),
    Row(
        "published",
        "babi",
        "bAbI tasks 1 to 3: the folder tasks_1-20_v1-2; has queries",
        {"task": bounded_option(1, 1, 3), "size": choice_option("10k", "1k")},
    ),
    Row(
        "published",
        "eraser",
        "ERASER with rationales, such as the movie reviews: a folder, or a .tar.gz",
    ),
    Row(
        "published",
        "adr",
        "tweets that report an adverse drug reaction or none: a .tsv, or train.tsv, test.tsv",
    ),
    Row(
        "published",
        "mimic",
        (
            "MIMIC-III, discharge summaries by their diagnoses: a folder with NOTEEVENTS.csv, "
            "DIAGNOSES_ICD.csv"
        ),
        {"task": choice_option("diabetes", "anemia")},
    ),
    Row(
        "published",
        "cnn",
        "CNN news with a blank to fill: the folder questions, or a .tar.gz; has queries",
    ),
)
"""Published corpora, named as NAME:PATH(option=value,…), plain or .gz. Corpora with queries need
+query."""

TABLES = (
    Row(
        "table", "csv", "comma-separated, with a header; a path that ends in .csv or .csv.gz is one"
    ),
    Row("table", "tsv", "tab-separated, with a header; a path that ends in .tsv or .tsv.gz is one"),
    Row("table", "jsonl", "one JSON object a line; a path that ends in .jsonl or .jsonl.gz is one"),
    Row(
        "table",
        "parquet",
        "Apache Parquet; a path that ends in .parquet is one; needs sightline-audit[parquet]",
    ),
)
"""Files of the user's own, named as NAME:FILE or by their ending."""

GATHERED = (
    Row("gathered", "files", "a table for each split: files:train=FILE,validation=FILE,test=FILE"),
    Row(
        "gathered",
        "folder",
        "a folder with one folder for each class of text files; split folders may stand above",
    ),
    Row(
        "gathered",
        "hf",
        "a folder that save_to_disk of Hugging Face datasets wrote; needs sightline-audit[parquet]",
    ),
)
"""Several files of the user's own that are read as one table, named as NAME:PATH."""
