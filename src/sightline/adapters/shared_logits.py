"""Stores the logits of texts, so that no text is run twice: for the labels of a model, or for the
measures of an audit.

One run of a text answers for all labels. In about half of all cases, audits of several labels
change texts in the same ways: they delete each word, and the same random words. Such a text is run
once. Texts without a label's highlighted words, and texts with words of another class, belong to
one label alone.

Measures of one audit ask for the same texts, too: a text without its first word is asked for by
leave-one-out, and by each map that has this word at the top.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import torch
from jaxtyping import Float
from torch import nn

from sightline.adapters.label_views import labels_of
from sightline.adapters.precision import to_float64
from sightline.core.protocols import Auditable, Batch, SupportsLabels

KEPT_BYTES, OF_ONE_AUDIT = 2**28, 2**24
"""About the most memory that is used, by all labels and by the measures of one audit. The first
entries stay: labels are audited one after the other, and the first audit meets most of what they
share."""
KEY, OVERHEAD = 16, 200
"""The bytes of a text's name, and Python's overhead in addition to the numbers."""


class SharedLogits:
    """The logits of a model, for all of its labels, of texts that have been run."""

    def __init__(self, run: Callable[[Batch], torch.Tensor], labels: int, most: int) -> None:
        self.run, self.labels = run, labels
        self.most = most // (OVERHEAD + 8 * labels)
        self.known = dict[bytes, np.ndarray]()
        self.asked = self.ran = 0

    def __deepcopy__(self, copied: dict[int, object]) -> Self:
        """Return the same store: a copy of a label's model shares it."""
        return self

    def __call__(self, batch: Batch) -> Float[torch.Tensor, "B K"]:
        """Give the logits of all labels, and run texts that are not stored."""
        keys = names_of(batch)
        wanted = list(dict.fromkeys(key for key in keys if key not in self.known))
        found = self.known
        if wanted:
            first = {key: row for row, key in reversed([*enumerate(keys)])}
            rows = torch.tensor([first[key] for key in wanted], device=batch.ids.device)
            ran = self.run(shortest(batch.rows(rows))).cpu().numpy()
            fresh = dict(zip(wanted, ran, strict=True))
            self._store(fresh)
            found = {**fresh, **{key: self.known[key] for key in keys if key in self.known}}
        self.asked, self.ran = self.asked + len(keys), self.ran + len(wanted)
        return torch.from_numpy(np.stack([found[key] for key in keys])).to(batch.ids.device)

    def keep(self, batch: Batch, logits: Float[torch.Tensor, "B K"]) -> None:
        """Store the logits of texts that were run in another way."""
        self._store(dict(zip(names_of(batch), logits.cpu().numpy(), strict=True)))

    def _store(self, found: Mapping[bytes, np.ndarray]) -> None:
        new = [key for key in found if key not in self.known]
        room = max(0, self.most - len(self.known))
        self.known |= {key: found[key].copy() for key in new[:room]}


@dataclass(frozen=True)
class LabelAnswers:
    """The logits of one label, taken from the logits of all."""

    store: SharedLogits
    label: int

    def __call__(self, batch: Batch) -> Float[torch.Tensor, "B 1"]:
        """Give the logit of the label for each text."""
        return self.store(batch)[:, self.label : self.label + 1]


def shared_logits(model: Auditable) -> SharedLogits | None:
    """Make a store for the labels of a model, in the precision of its audit. None if a run for all
    labels costs many times a run for one.
    """
    assert isinstance(model, SupportsLabels)
    if not model.answers_together:
        return None
    whole = to_float64(model)
    assert isinstance(whole, SupportsLabels)
    return SharedLogits(whole.label_logits, len(labels_of(model)), KEPT_BYTES)


def sharing(view: Any, answers: Callable[[Batch], torch.Tensor]) -> Auditable:
    """Let a model, or a view of one label, take its logits from a store."""
    shares: Auditable
    if isinstance(view, nn.Module):
        view.shared = answers  # type: ignore[assignment]
        shares = view  # type: ignore[assignment]
    else:
        shares = replace(view, shared=answers)
    return shares


def names_of(batch: Batch) -> list[bytes]:
    """Name each text by all that its model reads of it; padding does not count."""
    mask = batch.mask.cpu().numpy()
    read = np.stack(
        [one.cpu().numpy().astype(np.int64) for one in (batch.ids, batch.attendable, batch.word)],
        axis=2,
    )
    return [
        hashlib.blake2b(
            index.to_bytes(8, "little", signed=True) + row[there].tobytes(), digest_size=KEY
        ).digest()
        for index, row, there in zip(batch.index.tolist(), read, mask, strict=True)
    ]


def shortest(batch: Batch) -> Batch:
    """Remove the padding that no text needs."""
    return batch.keep(batch.mask)
