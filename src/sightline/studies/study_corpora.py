"""Find the papers' corpora in the user's folder; none is shipped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from sightline.config.spec_syntax import parse_data
from sightline.config.specs import DataSpec
from sightline.core.errors import SpecError

PLACES: Mapping[str, tuple[str, ...]] = {
    "sst": ("sst:sst",),
    "imdb": (
        "imdb:imdb/aclImdb_v1_labelled.tar.gz",
        "imdb:imdb/aclImdb_v1.tar.gz",
        "imdb:imdb/aclImdb",
        "imdb:imdb",
    ),
    "news": (
        "20news:20news/20news-bydate.rec.sport.tar.gz",
        "20news:20news/20news-bydate.tar.gz",
        "20news:20news",
    ),
    "agnews": ("agnews:ag_news",),
    "adr": ("adr:adr", "adr:adr.tsv"),
    **{task: (f"mimic:mimic(task={task})",) for task in ("diabetes", "anemia")},
    "cnn": ("cnn:cnn",),
    "snli": ("snli:snli",),
    **{
        f"babi{task}": (f"babi:babi/tasks_1-20_v1-2(task={task})", f"babi:babi(task={task})")
        for task in (1, 2, 3)
    },
}
"""The data spec of each corpus, relative to the folder, the usual place first."""


BINARY = ("sst", "imdb", "adr", "news", "agnews", "diabetes", "anemia")
QUESTIONS = ("cnn", "babi1", "babi2", "babi3", "snli")
"""Corpora whose texts come with a question or a second sentence."""
CORPORA = (*BINARY, *QUESTIONS)


VECTORS, NO_VECTORS = "vectors", "none"
"""The folder of word vectors next to the corpora, and the option for words that start at random."""
VECTOR_FILES = ("*.txt", "*.txt.gz", "*.vec", "*.vec.gz")


def vectors_of(folder: Path | None, given: str | Path | None) -> Path | None:
    """Return the file of initial word vectors: the given one, or else the one in the folder of the
    corpora.
    """
    if given is not None:
        return None if str(given) == NO_VECTORS else Path(given)
    place = None if folder is None else folder / VECTORS
    files = sorted(
        {file for ending in VECTOR_FILES for file in place.glob(ending)} if place else ()
    )
    if len(files) > 1:
        names = ", ".join(file.name for file in files)
        raise SpecError(
            f"{place}: expected one file of word vectors, got {names}; name one of them, or "
            f"{NO_VECTORS}",
            field="vectors",
        )
    return files[0] if files else None


def data_of(folder: Path, corpus: str) -> DataSpec:
    """Return the spec of a corpus by the papers' recipe, which cuts no text; a missing corpus gets
    its usual place.
    """
    every = [_spec(folder, place) for place in PLACES[corpus]]
    return next((spec for spec in every if Path(spec.path).exists()), every[0])


def lacking(folder: Path, corpus: str) -> str:
    """Say where a corpus was looked for; empty if it is there."""
    spec = data_of(folder, corpus)
    return "" if Path(spec.path).exists() else f"no {spec.path}"


def _spec(folder: Path, place: str) -> DataSpec:
    kind, _, path = place.partition(":")
    return replace(parse_data(f"{kind}:{folder / path}"), recipe="paper")
