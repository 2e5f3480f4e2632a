"""One door for every kind of data: a spec and a seed in, a `Dataset` out."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from sightline.collector import collector_paused
from sightline.data.corpora.assemble import assemble
from sightline.data.corpora.cache import content_digest, read_corpus
from sightline.data.corpora.corpus import Corpus
from sightline.data.corpora.format import PaperRecipe
from sightline.data.corpora.own_rule import own_rule
from sightline.data.corpora.rules import CLEAN, as_paper
from sightline.data.corpora.table import read_table
from sightline.data.dataset import Dataset
from sightline.data.official.formats import FORMATS
from sightline.data.planted.generated import generate, read_options
from sightline.data.vocabulary import Vocabulary
from sightline.errors import DataError, SpecError
from sightline.regular import naming_what_needs_memory
from sightline.spec.values import GIVEN, OFFICIAL, DataSpec


def load(spec: DataSpec, seed: int, *, training: bool = True) -> Dataset:
    """Read tables or a published corpus, or generate a planted one; the same spec, files and seed, the same splits.

    Tables: named splits are followed, and 15 % of training becomes validation if none is named; without splits, texts
    are divided 70/15/15, class by class, copies of a text and texts of a group together. What was left out, cut or
    found twice is counted in the card. For a model that is trained already, no ``training`` texts are needed: where
    none are named, the others are read without them.

    What was loaded last stays in memory, so that the cells of a study read a file once; its bytes are looked at every
    time, and a file that has changed is read anew.
    """
    _check(spec)
    digest = content_digest(spec)
    if spec.digest and spec.digest != digest:
        told = "has changed since the run was named by its bytes; read the study again"
        raise DataError(told, ", ".join(spec.places))
    with collector_paused():
        return _load(replace(spec, digest=digest), seed, str(spec), training)


def fit_vocabulary(dataset: Dataset, spec: DataSpec) -> Vocabulary:
    """Know the words of training, as often as the spec asks for, or a paper's recipe where that says more."""
    return Vocabulary.fit(dataset.train, dataset.card.get("min_count", spec.min_count))


def _check(spec: DataSpec) -> None:
    """Refuse what no file could make good."""
    if spec.kind == GIVEN:
        raise SpecError(f"{spec}: these texts were handed over in Python; hand them over again", field="data")
    if spec.recipe == "paper" and _paper(spec) is None:
        raise SpecError(f"no paper here has a recipe for {spec}; use clean", field="recipe")
    if spec.kind != "planted":
        if spec.max_tokens < 1:
            raise SpecError(f"expected at least 1, got {spec.max_tokens}", field="max_tokens")
        return
    assert spec.part is not None  # a planted spec without one cannot be made
    if (longest := read_options(spec.part).longest) > spec.max_tokens:
        raise SpecError(f"{spec}: texts have up to {longest} words, above max_tokens={spec.max_tokens}; lower length")


# Two, so that models that take turns find the texts of both; datasets of one corpus share its words.
@lru_cache(maxsize=2)
def _load(spec: DataSpec, seed: int, told: str, training: bool) -> Dataset:
    """Load by the digest of the spec; ``told``, its text, keeps 1 and 1.0 apart, which are equal but read otherwise."""
    if spec.kind == "planted":
        assert spec.part is not None  # it was checked
        return generate(spec.part, seed)
    with naming_what_needs_memory(", ".join(spec.places)):
        return _load_published(spec, seed) if spec.kind in OFFICIAL else _load_own(spec, seed, training)


def _load_own(spec: DataSpec, seed: int, training: bool) -> Dataset:
    corpus = _own(_to_read(spec), training)
    return assemble(Path(spec.places[-1]).name, corpus, spec, own_rule(spec, training), seed)


def _load_published(spec: DataSpec, seed: int) -> Dataset:
    corpus = _published(_to_read(spec))
    paper = _paper(spec) if spec.recipe == "paper" else None
    return assemble(spec.kind, corpus, spec, CLEAN if paper is None else as_paper(paper), seed)


def _to_read(spec: DataSpec) -> DataSpec:
    """Leave out what is decided later, and no part of a corpus: how texts are cut, which words are known, copies."""
    later = ("max_tokens", "min_count", "on_copies")
    return replace(spec, **{name: getattr(DataSpec, name) for name in later})


# One of each: cells that differ in their seed divide the same texts anew.
@lru_cache(maxsize=1)
def _own(spec: DataSpec, training: bool) -> Corpus:
    return read_table(spec, training=training)


@lru_cache(maxsize=1)
def _published(spec: DataSpec) -> Corpus:
    return read_corpus(spec, spec.digest)


def _paper(spec: DataSpec) -> PaperRecipe | None:
    return FORMATS[spec.kind].paper if spec.kind in OFFICIAL else None
