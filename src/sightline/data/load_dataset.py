"""One door for every kind of data: a spec and a seed in, a `Dataset` out."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from math import log2
from pathlib import Path
from typing import Any

from sightline._io.safe_open import naming_what_needs_memory
from sightline.config.specs import GIVEN, OFFICIAL, DataSpec
from sightline.config.user_tables import IN_LINES
from sightline.core.errors import DataError, SpecError, setting
from sightline.data.assembly.assemble import assemble
from sightline.data.assembly.corpus import Corpus
from sightline.data.assembly.corpus_format import PaperRecipe
from sightline.data.assembly.split_rules import CLEAN, SplitRule, as_paper
from sightline.data.assembly.split_tables import wanted_columns
from sightline.data.assembly.user_corpus import read_in_memory, read_table
from sightline.data.assembly.user_splits import DIVIDED, own_rule
from sightline.data.corpora.corpus_registry import FORMATS
from sightline.data.corpus_cache import content_digest, read_corpus
from sightline.data.dataset import SPLITS, Dataset, keep_splits
from sightline.data.readers.data_frame import Frame, read_frame
from sightline.data.synthetic.generators import generate, read_options
from sightline.data.vocabulary import Vocabulary

PART = 2**23
"""Bytes of a table, about, that are read to know what all of it would cost."""
A_TEXT = 600
"""Bytes that a text takes in memory beside its letters and words."""


def load(
    spec: DataSpec,
    seed: int,
    *,
    training: bool = True,
    kept: Collection[str] = SPLITS,
    seen: frozenset[str] | None = None,
) -> Dataset:
    """Read tables or a published corpus, or generate a planted one; the same spec, files and seed,
    the same splits.

    Tables: named splits are followed, and 15 % of training becomes validation if none is named;
    without splits, texts are divided 70/15/15, class by class, copies of a text and texts of a
    group together. What was left out, cut or found twice is counted in the card. For a model that
    is trained already, no ``training`` texts are needed: where none are named, the others are read
    without them. Of a table, the texts of the splits that are ``kept`` stay in memory, and of the
    others what the card tells.

    ``seen`` are the fingerprints of the texts that a model is known to have learned from. With it,
    a table that names no splits is not divided: every text is a test text, unless the model has
    seen one of them.

    What every source promises (``tests/contract/test_loaders.py``): each text has an id of its own
    and a number of its own, its words stand where their offsets say, in order and without overlap,
    and its label has a name. No text is without words. Reading again gives the same texts; another
    seed divides them otherwise at most.

    What was loaded last stays in memory, so that the cells of a study read a file once; its bytes
    are looked at every time, and a file that has changed is read anew.
    """
    _check(spec)
    digest = content_digest(spec)
    if spec.digest and spec.digest != digest:
        message = "has changed since the run was named by its bytes; read the study again"
        raise DataError(message, ", ".join(spec.places))
    dataset = _load(replace(spec, digest=digest), seed, str(spec), training, tuple(kept), seen)
    if any(note.startswith(DIVIDED) for note in dataset.card.get("notes", ())):
        for digests in _WATCHING:
            digests.add(digest)
    return dataset


def load_frame(frame: Frame, seed: int, name: str = "data frame", **settings: Any) -> Dataset:
    """Divide the rows of a data frame as those of a table are; ``settings`` are fields of a
    `DataSpec`.
    """
    spec = DataSpec(GIVEN, name, **settings)
    _check_preparation(spec)
    training = not spec.every_row
    rows = read_frame(frame, name, wanted_columns(spec))
    corpus = read_in_memory(spec, rows, training=training)
    return assemble(name, corpus, spec, own_rule(spec, training), seed)


_WATCHING: list[set[str]] = []


@contextmanager
def watching_divisions() -> Iterator[set[str]]:
    """Collect the digests of the files that are read meanwhile and divided by the seed.

    A user's own function may train its model on one part of a file: an audit then has to divide
    that file likewise.
    """
    digests = set[str]()
    _WATCHING.append(digests)
    try:
        yield digests
    finally:
        _WATCHING.pop()


@dataclass(frozen=True)
class TablePart:
    """Some of the texts of a table, for who only wants to know what all of them would cost."""

    dataset: Dataset
    share: float
    unread_bytes: int = 0
    """What the texts that were not read would take of memory."""

    def grown(self, vocabulary: Vocabulary) -> Vocabulary:
        """Add as many words as all texts would have more, by Heaps' law: a power of the number of
        texts.
        """
        if self.share == 1:
            return vocabulary
        half = len(Vocabulary.fit(self.dataset.train[::2]))
        power = log2(max(1.0, len(vocabulary) / half))
        more = int(len(vocabulary) * (self.share**-power - 1))
        return Vocabulary((*vocabulary.words, *(f"\0{number}" for number in range(more))))


def load_part(spec: DataSpec, seed: int) -> TablePart:
    """Load a part of a large table, and all of anything else, or where too little would be left to
    divide.
    """
    _check(spec)
    if (size := _bytes_in_lines(spec)) > PART:
        with suppress(DataError):
            corpus = read_table(spec, PART / size)
            held = sum(len(text.text) + 8 * len(text.tokens) + A_TEXT for text in corpus.texts)
            dataset = _assembled(corpus, spec, seed, own_rule(spec, training=True))
            return TablePart(dataset, PART / size, round(held * (size / PART - 1)))
    return TablePart(load(spec, seed), 1.0)


def _bytes_in_lines(spec: DataSpec) -> int:
    """Count the bytes of tables of which a part can be read; none where a table is written
    otherwise.
    """
    tables = spec.tables.values()
    if not all(table.kind in IN_LINES for table in tables):
        return 0
    return sum(Path(table.path).stat().st_size for table in tables)


def fit_vocabulary(dataset: Dataset, spec: DataSpec) -> Vocabulary:
    """Know the words of training, as often as the spec asks for, or a paper's recipe where that
    says more.
    """
    return Vocabulary.fit(dataset.train, dataset.card.get("min_count", spec.min_count))


def _check(spec: DataSpec) -> None:
    """Refuse what no file could make good."""
    if spec.kind == GIVEN:
        raise SpecError(
            f"{spec}: these texts were handed over in Python; hand them over again", field="data"
        )
    _check_preparation(spec)


def _check_preparation(spec: DataSpec) -> None:
    """Refuse a recipe that there is not, and a length that no text can have."""
    if spec.recipe == "paper" and _paper(spec) is None:
        raise SpecError(f"no paper here has a recipe for {spec}; use clean", field="recipe")
    if spec.kind != "planted":
        if spec.max_tokens < 1:
            raise SpecError(f"expected at least 1, got {spec.max_tokens}", field="max_tokens")
        return
    assert spec.part is not None  # a planted spec without one cannot be made
    if (longest := read_options(spec.part).longest) > spec.max_tokens:
        raise SpecError(
            f"{spec}: texts have up to {longest} words, above "
            f"{setting('max_tokens', spec.max_tokens)}; lower length"
        )


# Two, so that models that take turns find the texts of both; datasets of one corpus share its
# words.
@lru_cache(maxsize=2)
def _load(
    spec: DataSpec,
    seed: int,
    digest_note: str,
    training: bool,
    kept: tuple[str, ...],
    seen: frozenset[str] | None,
) -> Dataset:
    """Load by the digest of the spec; ``told``, its text, keeps 1 and 1.0 apart, which are equal
    but read otherwise.
    """
    if spec.kind == "planted":
        assert spec.part is not None  # it was checked
        return generate(spec.part, seed)
    with naming_what_needs_memory(", ".join(spec.places)):
        return (
            _load_published(spec, seed, kept)
            if spec.kind in OFFICIAL
            else _load_own(spec, seed, training, kept, seen)
        )


def _load_own(
    spec: DataSpec, seed: int, training: bool, kept: tuple[str, ...], seen: frozenset[str] | None
) -> Dataset:
    rule = own_rule(spec, training, seen)
    if kept == SPLITS:
        return _assembled(_own(_to_read(spec), training), spec, seed, rule)
    return keep_splits(
        _assembled(read_table(_to_read(spec), training=training), spec, seed, rule), kept
    )


def _assembled(corpus: Corpus, spec: DataSpec, seed: int, rule: SplitRule) -> Dataset:
    return assemble(Path(spec.places[-1]).name, corpus, spec, rule, seed)


def _load_published(spec: DataSpec, seed: int, kept: tuple[str, ...]) -> Dataset:
    # How texts are cut and which words are known is decided later, and no part of a corpus.
    whole = replace(spec, max_tokens=DataSpec.max_tokens, min_count=DataSpec.min_count)
    paper = _paper(spec) if spec.recipe == "paper" else None
    if kept != SPLITS and paper is None:  # an audit reads it once, and needs a part of it
        corpus = read_corpus(whole, spec.digest, spec.max_tokens)
        return keep_splits(assemble(spec.kind, corpus, spec, CLEAN, seed), kept)
    rule = CLEAN if paper is None else as_paper(paper)
    return assemble(spec.kind, _published(whole), spec, rule, seed)


def _to_read(spec: DataSpec) -> DataSpec:
    """Leave out what is decided later, and no part of a corpus: which words are known, and what
    becomes of copies.
    """
    return replace(spec, min_count=DataSpec.min_count, on_copies=DataSpec.on_copies)


# One of each: cells that differ in their seed divide the same texts anew.
@lru_cache(maxsize=1)
def _own(spec: DataSpec, training: bool) -> Corpus:
    return read_table(spec, training=training)


@lru_cache(maxsize=1)
def _published(spec: DataSpec) -> Corpus:
    return read_corpus(spec, spec.digest)


def _paper(spec: DataSpec) -> PaperRecipe | None:
    return FORMATS[spec.kind].recipe(spec.options()) if spec.kind in OFFICIAL else None
