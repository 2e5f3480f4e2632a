"""One row a word: its position, its rationale, and the number of every map."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, repeat

import numpy as np

from sightline.config.measures.quantity import TRUTH, Scale
from sightline.config.word_maps import MAPS
from sightline.core.results import Measurement, Ragged, Results
from sightline.report.export.column_frame import NAME, ColumnFrame, FrameColumn, column_of, distinct


def words_frame(audit: Results, texts: bool = True) -> ColumnFrame:
    """Collect the numbers of each word, one column a map; ``texts`` adds the words themselves."""
    ragged = [
        (one, name, each)
        for one in audit.taken.values()
        for name, each in one.values.items()
        if isinstance(each, Ragged)
    ]
    lengths = [len(text.tokens) for text in audit.texts]
    fitting = [(one, name, each) for one, name, each in ragged if _fits(each, lengths)]
    values = {
        f"{one.code}.{name}": "not one number a word"
        for one, name, each in ragged
        if not _fits(each, lengths)
    }
    maps = (column_of(one, name, each.flat, _called(one, name)) for one, name, each in fitting)
    return ColumnFrame(distinct(chain(_places(audit, texts), _marks(audit), maps)), values)


def _fits(values: Ragged, lengths: list[int]) -> bool:
    return values.flat.ndim == 1 and values.lengths.tolist() == lengths


def _called(measured: Measurement, name: str) -> str:
    return name if name in MAPS else f"{measured.code}.{name}"


def _places(audit: Results, texts: bool) -> Iterator[FrameColumn]:
    lengths = [len(text.tokens) for text in audit.texts]
    ids = chain.from_iterable(repeat(text.id, len(text.tokens)) for text in audit.texts)
    yield FrameColumn("id", "the text, by its id", NAME, [*ids])
    counted = [np.arange(length) for length in lengths]
    yield FrameColumn(
        "position", "place of the word in its text, from 0", Scale("count", 0), _joined(counted)
    )
    if texts:
        yield FrameColumn(
            "word",
            "the word as the model reads it",
            NAME,
            [word for text in audit.texts for word in text.tokens],
        )


def _marks(audit: Results) -> Iterator[FrameColumn]:
    """Give the rationales if there are any; words of a text without one have no value."""
    if all(text.rationale is None for text in audit.texts):
        return
    each = [
        np.full(len(t.tokens), np.nan) if t.rationale is None else np.array(t.rationale, float)
        for t in audit.texts
    ]
    unmarked = sum(len(text.tokens) for text in audit.texts if text.rationale is None)
    undefined = {"no marks for the text": unmarked} if unmarked else {}
    yield FrameColumn(
        "rationale",
        "whether people marked the word as evidence",
        TRUTH,
        _joined(each),
        undefined=undefined,
    )


def _joined(each: list[np.ndarray]) -> np.ndarray:
    return np.concatenate(each) if each else np.zeros(0, dtype=np.int64)
