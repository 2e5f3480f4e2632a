"""Predict the class of each text, with the probability of every class, batch by batch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, zip_longest
from typing import Any

import numpy as np

from sightline.adapters.label_views import has_labels, labels_of
from sightline.adapters.precision import to_float64
from sightline.adapters.trace_checks import checked_trace
from sightline.adapters.truncation import counted_visible_text
from sightline.adapters.validate_outputs import call_user_code
from sightline.api.hooks import OnNote
from sightline.api.model_argument import Model, class_names, known_model, longest_text
from sightline.api.unlabelled_texts import TextColumns, in_table, unlabelled
from sightline.config.specs import DataSpec
from sightline.config.user_tables import LABELS_SEPARATOR
from sightline.core.errors import DataError, SpecError
from sightline.core.example import Example
from sightline.core.explanation import Prediction
from sightline.core.protocols import Auditable, SupportsLabels
from sightline.core.whole_numbers import whole
from sightline.data.batches import length_batches
from sightline.measures.trace_arrays import decided
from sightline.numerics.divergences import probabilities
from sightline.numerics.tensors import to_numpy
from sightline.report.number_format import count_phrase

AT_ONCE = 2048
"""Texts sorted by length together; the memory used does not grow with the number of texts."""


def predict(
    model: Model,
    texts: Iterable[str],
    queries: Iterable[str] | None = None,
    *,
    max_tokens: int | None = None,
    batch_size: int = 32,
    device: str = "cpu",
) -> list[Prediction]:
    """Predict the class of each text; a text that cannot be read is an error that names its place,
    from 0.

    Computed as in an audit: in double precision for a built-in model, so that the other texts of a
    batch do not matter. ``model`` and ``queries`` are as in `sightline.look`; words beyond
    ``max_tokens`` are not read, or else beyond the length of the texts of its training, nor words
    beyond the model's own length. Each prediction counts them as its ``cut``.
    """
    if isinstance(texts, str) or isinstance(queries, str):
        raise DataError("expected a list of texts, got one text; put it in a list")
    if not isinstance(texts, Iterable):
        raise DataError(f"expected a list of texts, got {texts!r:.60}")
    longest = longest_text(model, max_tokens)
    examples = (
        unlabelled(*pair, longest, i, "texts") for i, pair in enumerate(_pairs(texts, queries))
    )
    known = known_model(model, device, several=True).model
    return list(predictions(known, examples, whole(batch_size, "batch_size", 1)))


def predict_each(
    model: Model, examples: Sequence[Example], device: str = "cpu"
) -> Iterator[tuple[Example, Prediction]]:
    """Read a model, and yield each text with its prediction."""
    return zip(
        examples,
        predictions(known_model(model, device, several=True).model, examples),
        strict=True,
    )


def read_texts(
    table: DataSpec | None,
    texts: Sequence[str],
    file: str,
    columns: TextColumns,
    max_tokens: int,
    on_note: OnNote,
) -> list[Example]:
    """Read every text of a table with named columns, or of a list that errors call ``file``; those
    that were cut are counted.
    """
    examples = (
        _listed(texts, file, columns, max_tokens)
        if table is None
        else _rows_of(table, columns, max_tokens, on_note)
    )
    if cut := sum(one.cut > 0 for one in examples):
        on_note(f"{count_phrase(cut, 'text')} cut to {max_tokens} words (max_tokens)")
    return examples


def note_truncated(
    found: Iterable[tuple[Example, Prediction]], on_note: OnNote
) -> Iterator[tuple[Example, Prediction]]:
    """Yield all predictions, and then count the texts that the model's own length cut."""
    lost, texts = [], 0
    for example, one in found:
        texts += 1
        if beyond := one.cut - example.cut:
            lost.append(beyond)
        yield example, one
    if lost:
        words = count_phrase(sum(lost), "word")
        on_note(
            f"{len(lost):,} of {count_phrase(texts, 'text')} truncated at the length of the model "
            f"({words} not read)"
        )


def _rows_of(
    table: DataSpec, columns: TextColumns, max_tokens: int, on_note: OnNote
) -> list[Example]:
    found = in_table(table.path, table.kind, columns, max_tokens)
    if found.blank:
        on_note(f"{table.path}: no prediction for {count_phrase(found.blank, 'empty row')}")
    if found.wordless:
        rows = count_phrase(found.wordless, "row")
        on_note(f"{table.path}: no prediction for {rows} without words in the text")
    return found.examples


def _listed(
    texts: Sequence[str], file: str, columns: TextColumns, max_tokens: int
) -> list[Example]:
    for field in ("query", "id"):
        if getattr(columns, field):
            raise SpecError(
                "names a column, and these texts have none; write them to a table", field=field
            )
    return [unlabelled(one, None, max_tokens, i, file) for i, one in enumerate(texts, 1)]


def predictions(
    model: Auditable, examples: Iterable[Example], batch_size: int = 32
) -> Iterator[Prediction]:
    """Yield a prediction for each text in their order, holding a few thousand texts at a time."""
    ready, waiting = to_float64(model), iter(examples)
    while some := list(islice(waiting, AT_ONCE)):
        found = dict[int, Prediction]()
        for rows in length_batches(some, batch_size):
            found |= zip(rows, _batch(ready, [some[row] for row in rows]), strict=True)
        yield from (found[row] for row in range(len(some)))


def _batch(model: Auditable, examples: list[Example]) -> Iterator[Prediction]:
    texts = [counted_visible_text(model, example) for example in examples]
    made = _labelled(model, texts) if has_labels(model) else _of_classes(model, texts)
    for text, one in zip(texts, made, strict=True):
        yield replace(one, cut=text.cut - text.unseen)


def _of_classes(model: Auditable, texts: list[Example]) -> Iterator[Prediction]:
    trace = checked_trace(model, texts)
    names, finite = class_names(model, trace.logits.shape[1]), to_numpy(trace.finite)
    with np.errstate(all="ignore"):  # a computation with NaN gives NaN
        chances, chosen = probabilities(to_numpy(trace.logits)), decided(trace)
    for row, known in enumerate(finite.tolist()):
        description = [float(chance) if known else np.nan for chance in chances[row]]
        yield Prediction(
            names[chosen[row]] if known else None, dict(zip(names, description, strict=True))
        )


def _labelled(model: Auditable, examples: list[Example]) -> Iterator[Prediction]:
    """Predict all labels of a text, joined by the separator that tables use."""
    assert isinstance(model, SupportsLabels)  # its link says so
    names = labels_of(model)
    logits = to_numpy(call_user_code("label_logits", model.label_logits, model.collate(examples)))
    for row in logits.astype(float):
        if not np.isfinite(row).all():
            yield Prediction(None, dict.fromkeys(names, np.nan))
            continue
        has = [name for name, logit in zip(names, row, strict=True) if logit > 0]
        chances = probabilities(row[:, None])[:, 1].tolist()
        yield Prediction(LABELS_SEPARATOR.join(has), dict(zip(names, chances, strict=True)))


def _pairs(texts: Iterable[str], queries: Iterable[str] | None) -> Iterator[tuple[str, str | None]]:
    """Pair each text with its query, if there are queries."""
    if queries is None:
        yield from ((text, None) for text in texts)
        return
    ended: Any = object()
    for place, (text, query) in enumerate(zip_longest(texts, queries, fillvalue=ended)):
        if text is ended or query is ended:
            raise DataError("expected a query for each text, got another number of them")
        if query is None:
            raise DataError("expected a query, got nothing; leave its text out", "texts", place)
        yield text, query
