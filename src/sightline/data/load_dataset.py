"""Load any kind of data: from a spec and a seed to a `Dataset`."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from math import log2
from pathlib import Path
from typing import Any

from sightline._io.safe_open import naming_what_needs_memory
from sightline._io.unused_memory import give_back
from sightline.config.specs import GIVEN, OFFICIAL, DataSpec
from sightline.config.user_tables import IN_LINES
from sightline.core.errors import DataError, SpecError, setting
from sightline.data.assembly.assemble import assemble
from sightline.data.assembly.corpus import Corpus
from sightline.data.assembly.corpus_format import PaperRecipe
from sightline.data.assembly.fingerprints import fingerprint
from sightline.data.assembly.split_rules import CLEAN, UNPUBLISHED, SplitRule, as_paper
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
"""Approximate number of bytes read from a table to estimate the cost of the whole."""
A_TEXT = 600
"""Bytes that a text takes in memory in addition to its characters and words."""


def load(
    spec: DataSpec,
    seed: int,
    *,
    training: bool = True,
    kept: Collection[str] = SPLITS,
    seen: frozenset[str] | None = None,
) -> Dataset:
    """Read tables or a published corpus, or generate a planted one; the same spec, files and seed
    give the same splits.

    Tables: named splits are followed, and 15 % of training become validation if none is named.
    Without splits, texts are divided 70/15/15, class by class, with copies and groups together. The
    card counts what was left out, cut or found twice. For a trained model, ``training`` texts may
    be missing. Of a table, only the texts of the ``kept`` splits stay in memory, and the card
    describes the others.

    ``seen`` holds the fingerprints of a model's known training texts. With it, a table without
    splits is not divided: every text is a test text, unless the model has seen one of them.

    What every source guarantees (``tests/contract/test_loaders.py``): each text has its own id and
    number, its offsets match its words, in order and without overlap, and its label has a name. No
    text is without words. Reading again gives the same texts; another seed at most divides them
    differently.

    The last dataset stays in memory, so that the runs of a study read a file once. The bytes are
    checked every time, and a changed file is read again.
    """
    _check(spec)
    digest = content_digest(spec)
    if spec.digest and spec.digest != digest:
        message = "has changed since the run was named by its bytes; read the study again"
        raise DataError(message, ", ".join(spec.places))
    dataset = _load(replace(spec, digest=digest), seed, str(spec), training, tuple(kept), seen)
    if _WATCHING and any(
        note.startswith((DIVIDED, UNPUBLISHED)) for note in dataset.card.get("notes", ())
    ):
        read = {fingerprint(example) for example in (*dataset.train, *dataset.validation)}
        for divided in _WATCHING:
            divided.setdefault(digest, set()).update(read)
    return dataset


def load_frame(frame: Frame, seed: int, name: str = "data frame", **settings: Any) -> Dataset:
    """Load the rows of a data frame like the rows of a table; ``settings`` are fields of a
    `DataSpec`.
    """
    spec = DataSpec(GIVEN, name, **settings)
    _check_preparation(spec)
    training = not spec.every_row
    rows = read_frame(frame, name, wanted_columns(spec))
    corpus = read_in_memory(spec, rows, training=training)
    return assemble(name, corpus, spec, own_rule(spec, training), seed)


Divided = dict[str, set[str]]
"""By the digest of a file that was divided: the fingerprints of its training and validation texts."""
_WATCHING: list[Divided] = []
_DIVIDED_BY: dict[str, Divided] = {}


@contextmanager
def watching_divisions(spec: str) -> Iterator[Divided]:
    """Collect what is divided by the seed while a function of the user runs, and what it divided
    before in this process; of a file that it never read, what its module divided, because a module
    that is imported already does not read its file again.

    The function may train its model on one part of a file; an audit must not use that part.
    """
    divided: Divided = {}
    _WATCHING.append(divided)
    try:
        yield divided
    finally:
        _WATCHING.pop()
        own, others = (_DIVIDED_BY.setdefault(code, {}) for code in (spec, spec.rpartition(":")[0]))
        for digest, read in divided.items():
            for known in (own, others):
                known.setdefault(digest, set()).update(read)
        divided.update({**others, **own})


@dataclass(frozen=True)
class TablePart:
    """A part of a table, for estimating the cost of the whole."""

    dataset: Dataset
    share: float
    unread_bytes: int = 0
    """The estimated memory of the texts that were not read."""

    def grown(self, vocabulary: Vocabulary) -> Vocabulary:
        """Extrapolate the vocabulary to all texts by Heaps' law, a power of the number of texts."""
        if self.share == 1:
            return vocabulary
        half = len(Vocabulary.fit(self.dataset.train[::2]))
        power = log2(max(1.0, len(vocabulary) / half))
        more = int(len(vocabulary) * (self.share**-power - 1))
        return Vocabulary((*vocabulary.words, *(f"\0{number}" for number in range(more))))


def load_part(spec: DataSpec, seed: int) -> TablePart:
    """Load a part of a large table; other data, or a part too small to divide, is loaded whole."""
    _check(spec)
    if (size := _bytes_in_lines(spec)) > PART:
        with suppress(DataError):
            corpus = read_table(spec, PART / size)
            held = sum(len(text.text) + 8 * len(text.tokens) + A_TEXT for text in corpus.texts)
            dataset = _assembled(corpus, spec, seed, own_rule(spec, training=True))
            return TablePart(dataset, PART / size, round(held * (size / PART - 1)))
    return TablePart(load(spec, seed), 1.0)


def _bytes_in_lines(spec: DataSpec) -> int:
    """Count the bytes of line-based tables; 0 for other formats, and where one cannot be found."""
    tables = spec.tables.values()
    if not all(table.kind in IN_LINES for table in tables):
        return 0
    try:
        return sum(Path(table.path).stat().st_size for table in tables)
    except OSError:  # `load` names what is wrong
        return 0


def fit_vocabulary(dataset: Dataset, spec: DataSpec) -> Vocabulary:
    """Build the vocabulary of training words, with the spec's ``min_count`` or the recipe's if it
    is higher.
    """
    return Vocabulary.fit(dataset.train, dataset.card.get("min_count", spec.min_count))


def _check(spec: DataSpec) -> None:
    """Refuse a spec that is invalid whatever the files contain."""
    if spec.kind == GIVEN:
        raise SpecError(
            f"{spec}: these texts were handed over in Python; hand them over again", field="data"
        )
    _check_preparation(spec)


def _check_preparation(spec: DataSpec) -> None:
    """Refuse a recipe that no paper has, and an impossible length or count."""
    if spec.recipe == "paper" and _paper(spec) is None:
        raise SpecError(f"no paper here has a recipe for {spec}; use clean", field="recipe")
    for name in ("max_tokens", "min_count"):
        if (number := getattr(spec, name)) < 1:
            raise SpecError(f"expected at least 1, got {number}", field=name)
    if spec.kind != "planted":
        return
    assert spec.part is not None  # a planted spec without one cannot be made
    if (longest := read_options(spec.part).longest) > spec.max_tokens:
        raise SpecError(
            f"{spec}: texts have up to {longest} words, above "
            f"{setting('max_tokens', spec.max_tokens)}; lower length"
        )


_SIGNS = 16
"""Signs of a digest that tell two files apart."""


# Two, for models that alternate between datasets; datasets of one corpus share its words.
@lru_cache(maxsize=2)
def _load(
    spec: DataSpec,
    seed: int,
    digest_note: str,
    training: bool,
    kept: tuple[str, ...],
    seen: frozenset[str] | None,
) -> Dataset:
    """Load by the digest of the spec. ``digest_note``, the text of the spec, separates 1 and 1.0,
    which are equal but read differently.
    """
    if spec.kind == "planted":
        assert spec.part is not None  # checked before
        return replace(generate(spec.part, seed), max_tokens=spec.max_tokens)
    with naming_what_needs_memory(", ".join(spec.places)):
        found = (
            _load_published(spec, seed, kept)
            if spec.kind in OFFICIAL
            else _load_own(spec, seed, training, kept, seen)
        )
    return replace(found, card={**found.card, "digest": spec.digest[:_SIGNS]})


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
    # Truncation and vocabulary are decided later and are no part of a corpus.
    whole = replace(spec, max_tokens=DataSpec.max_tokens, min_count=DataSpec.min_count)
    paper = _paper(spec) if spec.recipe == "paper" else None
    if kept != SPLITS and paper is None:  # an audit reads it once, and needs a part of it
        corpus = read_corpus(whole, spec.digest, spec.max_tokens)
        found = keep_splits(assemble(spec.kind, corpus, spec, CLEAN, seed), kept)
        del corpus
        give_back()
        return found
    rule = CLEAN if paper is None else as_paper(paper)
    return assemble(spec.kind, _published(whole), spec, rule, seed)


def _to_read(spec: DataSpec) -> DataSpec:
    """Reset fields that are decided later and are no part of a corpus: the vocabulary, and the
    treatment of copies.
    """
    return replace(spec, min_count=DataSpec.min_count, on_copies=DataSpec.on_copies)


# One of each: runs that differ in their seed divide the same texts again.
@lru_cache(maxsize=1)
def _own(spec: DataSpec, training: bool) -> Corpus:
    return read_table(spec, training=training)


@lru_cache(maxsize=1)
def _published(spec: DataSpec) -> Corpus:
    return read_corpus(spec, spec.digest)


def _paper(spec: DataSpec) -> PaperRecipe | None:
    return FORMATS[spec.kind].recipe(spec.options()) if spec.kind in OFFICIAL else None
