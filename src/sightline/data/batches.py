"""Turn examples into padded batches of texts of similar length, bounded in memory, with a seeded
order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import torch

from sightline.core.error_excerpts import show_id
from sightline.core.errors import DataError
from sightline.core.example import Example
from sightline.core.protocols import Batch
from sightline.data.vocabulary import BOS, EOS, PAD, Vocabulary

MAX_TOKENS = 32_768
"""The most padded tokens in a batch, so that one text of 30,000 words does not pad its neighbours
to gigabytes."""


def collate(
    examples: Sequence[Example],
    vocabulary: Vocabulary,
    boundaries: bool = False,
    classes: int | None = None,
) -> Batch:
    """Turn texts into a padded batch, optionally with boundary tokens that attention cannot see.

    Guarantees that ``mask`` is True on real tokens, boundaries included, and ``word`` is the
    position of a token in ``Example.tokens``, −1 on boundaries and padding. Queries get their own
    boundaries. Given the number of ``classes``, ``candidates`` is True on the answers that a text
    allows, if any text of the batch names them.
    """
    if not examples:
        raise DataError("expected at least one text to make a batch, got none")
    if empty := next((example for example in examples if not example.tokens), None):
        raise DataError(
            f"text {show_id(empty.id)} has no words; drop it before batching, a model cannot attend to "
            "nothing"
        )
    edge = int(boundaries)
    ids, mask = _pad([vocabulary.ids(example.tokens) for example in examples], boundaries)
    places = torch.arange(ids.shape[1]) - edge
    attendable = (places >= 0) & (places < mask.sum(1, keepdim=True) - 2 * edge)
    query_ids, query_mask = _queries(examples, vocabulary, boundaries)
    return Batch(
        ids=ids,
        mask=mask,
        attendable=attendable,
        word=torch.where(attendable, places, -1),
        labels=torch.tensor([example.label for example in examples]),
        index=torch.tensor([example.index for example in examples]),
        query_ids=query_ids,
        query_mask=query_mask,
        candidates=None if classes is None else _candidates(examples, classes),
    )


def _pad(rows: Sequence[Sequence[int]], boundaries: bool) -> tuple[torch.Tensor, torch.Tensor]:
    """Give the padded ids of words, and where a row has ids."""
    if boundaries:
        rows = [[BOS, *row, EOS] for row in rows]
    lengths = np.array([len(row) for row in rows])
    ids = np.full((len(rows), lengths.max()), PAD, dtype=np.int64)
    mask = np.arange(ids.shape[1]) < lengths[:, None]
    ids[mask] = [number for row in rows for number in row]
    return torch.from_numpy(ids), torch.from_numpy(mask)


def _queries(
    examples: Sequence[Example], vocabulary: Vocabulary, boundaries: bool
) -> tuple[torch.Tensor, torch.Tensor] | tuple[None, None]:
    if all(example.query is None for example in examples):
        return None, None
    if without := next((example for example in examples if not example.query), None):
        raise DataError(
            f"text {show_id(without.id)} has no query, or one without words, and others have one; drop "
            "it before batching"
        )
    return _pad([vocabulary.ids(example.query or ()) for example in examples], boundaries)


def _candidates(examples: Sequence[Example], classes: int) -> torch.Tensor | None:
    """Mark the answers that each text allows, all if it names none; None if no text names any."""
    if all(example.candidates is None for example in examples):
        return None
    allowed = torch.zeros(len(examples), classes, dtype=torch.bool)
    for row, example in enumerate(examples):
        named = range(classes) if example.candidates is None else example.candidates
        if not named or not all(0 <= candidate < classes for candidate in named):
            raise DataError(
                f"text {show_id(example.id)}: expected candidates from 0 to {classes - 1}, got "
                f"{tuple(named)}"
            )
        allowed[row, list(named)] = True
    return allowed


def length_batches(examples: Sequence[Example], batch_size: int) -> list[list[int]]:
    """Divide texts, as positions in ``examples``, into batches sorted by length; equal lengths keep
    their order.
    """
    lengths = [len(example.tokens) for example in examples]
    order = sorted(range(len(lengths)), key=lengths.__getitem__)
    return _cut(order, lengths, batch_size, MAX_TOKENS)


def training_batches(
    lengths: Sequence[int], batch_size: int, generator: np.random.Generator
) -> list[list[int]]:
    """Divide texts into batches of similar length, in random order, different in each epoch.

    Texts are sorted by ``length · (1 + u)``, u uniform in ±10 %: batches have little padding, and
    no two texts are always together.
    """
    noisy = np.asarray(lengths) * (1 + generator.uniform(-0.1, 0.1, len(lengths)))
    # Without noise, a stable sort would keep the order of equal lengths; with noise, ties are
    # random.
    order = np.argsort(noisy, kind="stable").tolist()
    batches = _cut(order, lengths, batch_size, MAX_TOKENS)
    return [batches[position] for position in generator.permutation(len(batches))]


def _cut(
    order: Iterable[int], lengths: Sequence[int], batch_size: int, limit: int
) -> list[list[int]]:
    """Divide an order into runs of at most ``batch_size`` texts and ``limit`` padded tokens; a
    longer text is alone.
    """
    batches: list[list[int]] = []
    widest = 0
    for position in order:
        widest = max(widest, lengths[position])
        if not batches or len(batches[-1]) == batch_size or widest * (len(batches[-1]) + 1) > limit:
            batches.append([])
            widest = lengths[position]
        batches[-1].append(position)
    return batches
