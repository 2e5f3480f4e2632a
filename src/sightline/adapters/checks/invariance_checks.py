"""Checks of what must change no output: more padding, other texts in the batch, and deleting a word
from the batch rather than the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import torch

from sightline.adapters.checks.probe_batch import (
    TOLERANCE,
    CheckResult,
    ProbeBatch,
    answers,
    furthest,
)
from sightline.core.error_excerpts import show_id
from sightline.core.example import Example, shortened
from sightline.core.protocols import (
    Auditable,
    Batch,
    SupportsTruncatedCount,
    SupportsVariants,
    without_cache,
)
from sightline.numerics import subwords

EXTRA = 3
"""Columns of padding that are added."""
_WITHOUT_PADDING = (
    "; a module that ignores its mask can be run without padding: one_length=True, which audits "
    "its answers to texts without padding"
)
"""The advice for `wrap` and `tap`; other models have no such option."""


def padding(on: ProbeBatch) -> CheckResult:
    """Add columns of padding; no output may change."""
    one_length = getattr(on.model, "one_length", None)
    if one_length:
        return CheckResult(not_asked="texts of one length are run together, so there is none")
    extra = _room(on)
    row, apart = furthest(answers(on.model.trace(widened(on.batch, extra))), answers(on.trace))
    if apart <= TOLERANCE:
        return CheckResult(measured=apart)
    return CheckResult(
        (
            f"{extra} more columns of padding change the answer on text "
            f"{show_id(on.examples[row].id)} (by {apart:.2g})"
        ),
        "keep padding out of the states (pack_padded_sequence, or a mask) and out of the "
        "softmax; padding may hold any id, so go by batch.mask"
        + ("" if one_length is None else _WITHOUT_PADDING),
        apart,
    )


def _room(on: ProbeBatch) -> int:
    """The number of columns that may be added: batches of a model that cuts texts are never wider
    than its length.
    """
    if not isinstance(on.model, SupportsTruncatedCount):
        return EXTRA
    longest = max(on.examples, key=lambda text: len(text.tokens))
    widest = on.model.collate([_repeated(longest, EXTRA + 1)]).ids.shape[1]
    return min(EXTRA, max(0, widest - on.batch.ids.shape[1]))


def _repeated(example: Example, times: int) -> Example:
    """Repeat a text."""
    text, offsets = example.as_read, example.offsets
    step = len(text) + 1
    return replace(
        example,
        text=" ".join([text] * times),
        tokens=example.tokens * times,
        places=tuple(
            (start + n * step, end + n * step) for n in range(times) for start, end in offsets
        ),
        rationale=None,
        read_to=None,
    )


def widened(batch: Batch, extra: int = EXTRA) -> Batch:
    """Add columns of padding, as another batch might."""

    def more(values: torch.Tensor, filling: int | bool) -> torch.Tensor:
        return torch.cat([values, values.new_full((len(values), extra), filling)], dim=1)

    return replace(
        batch,
        ids=more(batch.ids, 0),
        mask=more(batch.mask, False),
        attendable=more(batch.attendable, False),
        word=more(batch.word, -1),
    )


def alone(on: ProbeBatch) -> CheckResult:
    """Run each text by itself."""
    model = without_cache(on.model)
    single = [answers(model.trace(model.collate([example])))[0] for example in on.examples]
    row, apart = furthest(single, answers(on.trace))
    if apart <= TOLERANCE:
        return CheckResult(measured=apart)
    return CheckResult(
        f"text {show_id(on.examples[row].id)} gets another answer alone than among others (by "
        f"{apart:.2g})",
        (
            "let no text see its neighbours: no statistics over the batch, padding at the right, "
            "never read, rows in order"
        ),
        apart,
    )


def deletion(on: ProbeBatch) -> CheckResult:
    """Delete a word from the batch and from the text: both must give the same output."""
    chosen = {
        row: gone
        for row, text in enumerate(on.examples)
        if (gone := _word_to_delete(on, row, text)) is not None
    }
    if not chosen:
        return CheckResult()
    several = list(chosen)
    rows = torch.tensor(several, device=on.batch.ids.device)
    deleted = _deleted(on.batch.rows(rows), list(chosen.values()))
    cut = _logits(on.model, deleted)
    read = on.model.collate([without(on.examples[row], t) for row, t in chosen.items()])
    if (
        read.word.shape == deleted.word.shape
    ):  # in a cut batch words keep their numbers, and may be known by them
        read = replace(read, word=deleted.word)
    row, apart = furthest(list(cut), list(_logits(on.model, read)))
    if apart <= TOLERANCE:
        return CheckResult(measured=apart)
    return CheckResult(
        f"text {show_id(on.examples[several[row]].id)} with a word deleted from its batch is not the "
        f"text read without it (the logits differ by {apart:.2g})",
        (
            "let trace use nothing of collate's but batch.ids and batch.mask: only these are "
            "made again on deletion"
        ),
        apart,
    )


def _logits(model: Auditable, batch: Batch) -> torch.Tensor:
    """The logits of texts whose map is never shown."""
    return (
        cast(SupportsVariants, model).trace_variants(batch).logits
        if "variants" in model.offers
        else model.trace(batch).logits
    )


def _word_to_delete(on: ProbeBatch, row: int, text: Example) -> int | None:
    """Choose the middle word, or the nearest word whose deletion does not change how the tokenizer
    reads the others.

    A tokenizer may split words differently next to other words; that is no fault of the model.
    """
    middle, words = len(text.tokens) // 2, range(len(text.tokens) if len(text.tokens) > 1 else 0)
    if not _in_pieces(on.batch) and not _has_unseen(text):
        return middle if words else None
    for gone in sorted(words, key=lambda word: abs(word - middle)):
        cut = _deleted(on.batch.rows(torch.tensor([row], device=on.batch.ids.device)), [gone])
        if torch.equal(cut.ids[cut.mask], on.model.collate([without(text, gone)]).ids[0]):
            return gone
    return None


def _in_pieces(batch: Batch) -> bool:
    return bool((batch.mask & ~batch.attendable).any()) or subwords.has_split_words(
        batch.word.cpu().numpy()
    )


def _has_unseen(text: Example) -> bool:
    """Whether a text has words that share a subword with another word, which the model cannot see."""
    ends = [0, *(end for _, end in text.offsets)]
    begins = [*(begin for begin, _ in text.offsets), len(text.as_read)]
    return any(text.text[a:b].strip() for a, b in zip(ends, begins, strict=True))


def _deleted(batch: Batch, gone: Sequence[int]) -> Batch:
    return batch.keep(
        batch.mask & (batch.word != torch.tensor(gone, device=batch.word.device)[:, None])
    )


def without(example: Example, position: int) -> Example:
    """Take one word out of a text."""
    return shortened(example, set(range(len(example.tokens))) - {position})
