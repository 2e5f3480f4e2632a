"""Texts that Python holds already, as a `Dataset`: checked, divided and described as the rows of a table are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sightline.data.corpora.assemble import assemble
from sightline.data.corpora.rules import BY_COLUMNS
from sightline.data.corpora.table import corpus_of
from sightline.data.dataset import Dataset
from sightline.data.sources.rows import Row, Rows
from sightline.errors import DataError
from sightline.files import plain
from sightline.spec.values import GIVEN, DataSpec


def data_from(
    texts: Iterable[str],
    labels: Iterable[Any],
    *,
    splits: Iterable[str] | None = None,
    queries: Iterable[str] | None = None,
    name: str = "texts",
    seed: int = 0,
    max_tokens: int = DataSpec.max_tokens,
    min_count: int = DataSpec.min_count,
) -> Dataset:
    """Make a dataset of texts and their labels, one of each a text; a mistake is named as ``NAME:PLACE``, from 0.

    ``splits`` says train, validation or test of each text; without it, texts are divided by the seed. ``queries`` are
    questions or hypotheses, for a model that reads them.
    """
    given = {"text": texts, "label": labels, "split": splits, "query": queries}
    columns = {column: _listed(column, values) for column, values in given.items() if values is not None}
    spec = DataSpec(GIVEN, name, max_tokens=max_tokens, min_count=min_count, query="" if queries is None else "query")
    return assemble(name, corpus_of(spec, lambda: _rows(name, columns)), spec, BY_COLUMNS, seed)


def _listed(column: str, values: Iterable[Any]) -> list[Any]:
    """Take the values of a column, those of numpy as Python's own."""
    if isinstance(values, str):
        raise DataError(
            f"expected a list with a {column} for each text, got one text: {values[:40]!r}; put it in a list"
        )
    found: list[Any] = plain(list(values))
    return found


def _rows(name: str, columns: dict[str, list[Any]]) -> Rows:
    """Lay the columns side by side, which must be of one length."""
    n = len(columns["text"])
    if odd := next((column for column, values in columns.items() if len(values) != n), None):
        raise DataError(f"expected a {odd} for each of {n} texts, got {len(columns[odd])}", name)
    if not n:
        raise DataError("expected texts and labels, got none", name)
    cells = (dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True))
    return Rows(name, tuple(columns), tuple(Row(place, one) for place, one in enumerate(cells)), 0)
