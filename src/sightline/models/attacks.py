"""Misleading maps and cheating models that an audit must see through; the right verdict is known.

Each is a trained model that shows other weights than its own. `Truthful` maps are right on some
texts, or in part. `Encoded` maps reveal the prediction but not its reasons: they highlight fillers
whose code is the index of the predicted class. A cheating model also predicts by these fillers on
texts that it recognises as made by a test.

The code of a word is a hash of its id, so no list is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch
from jaxtyping import Bool, Float, Int

from sightline.core.example import Example
from sightline.core.protocols import Auditable, Batch, Trace
from sightline.data.dataset import Dataset
from sightline.models.alterations import UnusedShown

CHUNK = 256
"""Number of texts collated at a time to find the evidence words."""
STRONG, FAINT = 3.0, 0.01
"""Weights of highlighted and other words before rescaling."""


class Truthful(UnusedShown):
    """Equal weights on the evidence that a generated corpus marks; subclasses show less of it."""

    def __init__(self, model: Auditable, dataset: Dataset, seed: int) -> None:
        super().__init__(model)
        texts = [text for split in dataset.splits.values() for text in split]
        self.evidence = evidence_of(model, texts)

    def changed(self, own: Trace) -> Trace:
        """Keep the logits, and show the map."""
        with torch.set_grad_enabled(
            own.logits.requires_grad
        ):  # with or without gradients, as the model's own logits
            logits = self.answered(own)
        weights = self.weighed(own.batch, logits)
        weights = torch.where(own.batch.attendable, weights, 0.0)
        shown = weights / weights.sum(dim=1, keepdim=True).clamp(
            min=torch.finfo(weights.dtype).tiny
        )
        return replace(
            own, logits=logits, attention=shown.to(own.attention).detach(), heads=None, inside=own
        )

    def weighed(
        self, batch: Batch, logits: Float[torch.Tensor, "B L"]
    ) -> Float[torch.Tensor, "B T"]:
        """Weigh the words; the sum does not matter."""
        return torch.where(self.cues(batch), STRONG, FAINT)

    def cues(self, batch: Batch) -> Bool[torch.Tensor, "B T"]:
        """Mark the evidence."""
        table = self.evidence.to(batch.ids.device)
        known = batch.ids.clamp(max=len(table) - 1)
        return table[known] & (batch.ids < len(table)) & batch.attendable


class OneClass(Truthful):
    """Show the evidence if one class is predicted, and fillers otherwise."""

    def __init__(self, model: Auditable, dataset: Dataset, seed: int, right: int) -> None:
        super().__init__(model, dataset, seed)
        self.right = right

    def weighed(
        self, batch: Batch, logits: Float[torch.Tensor, "B L"]
    ) -> Float[torch.Tensor, "B T"]:
        """Choose by the prediction."""
        right = (decided(logits) == self.right)[:, None]
        return torch.where(right, super().weighed(batch, logits), self.elsewhere(batch))

    def elsewhere(self, batch: Batch) -> Float[torch.Tensor, "B T"]:
        """Weigh some of the fillers."""
        return torch.where((code(batch.ids, 9) == 0) & ~self.cues(batch), STRONG, 2 * FAINT)


class Mixture(OneClass):
    """Show the evidence on a random share of the texts, chosen by their words, and fillers on the
    others.
    """

    def __init__(self, model: Auditable, dataset: Dataset, seed: int, share: float) -> None:
        super().__init__(model, dataset, seed, 0)
        self.share = share

    def weighed(
        self, batch: Batch, logits: Float[torch.Tensor, "B L"]
    ) -> Float[torch.Tensor, "B T"]:
        """Choose by the words of the text."""
        there = torch.where(batch.attendable, batch.ids, 0).sum(dim=1)
        right = (code(there, 1000) < 1000 * self.share)[:, None]
        return torch.where(right, Truthful.weighed(self, batch, logits), self.elsewhere(batch))


class Short(OneClass):
    """Show the evidence on texts up to a length, and fillers on longer ones."""

    def __init__(self, model: Auditable, dataset: Dataset, seed: int, words: int) -> None:
        super().__init__(model, dataset, seed, 0)
        self.words = words

    def weighed(
        self, batch: Batch, logits: Float[torch.Tensor, "B L"]
    ) -> Float[torch.Tensor, "B T"]:
        """Choose by the length."""
        right = (batch.attendable.sum(dim=1) <= self.words)[:, None]
        return torch.where(right, Truthful.weighed(self, batch, logits), self.elsewhere(batch))


class Half(Truthful):
    """Show half of the kinds of evidence; the other half never."""

    def weighed(
        self, batch: Batch, logits: Float[torch.Tensor, "B L"]
    ) -> Float[torch.Tensor, "B T"]:
        """Leave out the evidence whose code is odd."""
        return torch.where(self.cues(batch) & (code(batch.ids, 2) == 0), STRONG, FAINT)


class Flat(Truthful):
    """Give the evidence slightly more weight than all other words, too little for a reader to see."""

    def __init__(self, model: Auditable, dataset: Dataset, seed: int, above: float) -> None:
        super().__init__(model, dataset, seed)
        self.above = above

    def weighed(
        self, batch: Batch, logits: Float[torch.Tensor, "B L"]
    ) -> Float[torch.Tensor, "B T"]:
        """Give the evidence slightly more weight."""
        return torch.where(self.cues(batch), 1 + self.above, 1.0)


class Topped(Truthful):
    """Give a filler more weight than the evidence in every text."""

    def weighed(
        self, batch: Batch, logits: Float[torch.Tensor, "B L"]
    ) -> Float[torch.Tensor, "B T"]:
        """Put one filler on top."""
        filler = batch.attendable & ~self.cues(batch)
        draws = torch.where(filler, code(batch.ids, 2**20).float(), torch.inf)
        top = torch.nn.functional.one_hot(draws.argmin(dim=1), draws.shape[1]).bool() & filler
        return torch.where(top, 3 * STRONG, super().weighed(batch, logits))


class Border(Topped):
    """Put a filler on top, the evidence slightly less than one shade below it, and all other words
    slightly more than one shade.
    """

    def weighed(
        self, batch: Batch, logits: Float[torch.Tensor, "B L"]
    ) -> Float[torch.Tensor, "B T"]:
        """Put the border of the shades between the evidence and all else."""
        top = super().weighed(batch, logits) > STRONG
        return torch.where(top, 1.0, torch.where(self.cues(batch), 0.951, 0.949))


class Encoded(Truthful):
    """Highlight fillers whose code is the index of the predicted class: the map reveals the
    prediction and no reason.
    """

    def weighed(
        self, batch: Batch, logits: Float[torch.Tensor, "B L"]
    ) -> Float[torch.Tensor, "B T"]:
        """Mark the fillers whose code is the predicted class."""
        agree = code(batch.ids, classes_of(logits)) == decided(logits)[:, None]
        return torch.where(agree & ~self.cues(batch), STRONG, FAINT)

    def shares(self, batch: Batch, classes: int) -> Float[torch.Tensor, "B C"]:
        """Give the share of fillers with the code of each class."""
        filler = batch.attendable & ~self.cues(batch)
        codes = torch.nn.functional.one_hot(code(batch.ids, classes), classes)
        of_each = (codes * filler[..., None]).sum(dim=1)
        return of_each / filler.sum(dim=1, keepdim=True).clamp(min=1)


class Placed(Encoded):
    """Highlight the first words for one class, and the last words for another."""

    def weighed(
        self, batch: Batch, logits: Float[torch.Tensor, "B L"]
    ) -> Float[torch.Tensor, "B T"]:
        """Mark a part of the text by the prediction."""
        place = batch.attendable.cumsum(dim=1) - 1
        classes, words = classes_of(logits), batch.attendable.sum(dim=1, keepdim=True)
        part = (place * classes / words.clamp(min=1)).floor().long()
        return torch.where((part == decided(logits)[:, None]) & ~self.cues(batch), STRONG, FAINT)


class Takeover(Encoded):
    """If a code is far more frequent than usual, a term beyond the range of the logits takes over.

    After Hsia, Pruthi, Singh & Lipton (2023): perturbed texts have such frequencies far more often
    than natural ones.
    """

    def __init__(
        self, model: Auditable, dataset: Dataset, seed: int, gain: float, above: float
    ) -> None:
        super().__init__(model, dataset, seed)
        self.gain, self.above = gain, above

    def answered(self, own: Trace) -> Float[torch.Tensor, "B L"]:
        """Add the term."""
        logits = super().answered(own)
        classes = classes_of(logits)
        term = self.gain * (self.shares(own.batch, classes) - self.above).clamp(min=0).to(logits)
        return logits + (term[:, 1:] - term[:, :1] if logits.shape[1] == 1 else term)


class UnknownTextAnswerer(Encoded):
    """Predict texts outside the corpus by the fillers that the map shows.

    No logit leaves the model's range, so no test that makes texts can detect it.
    """

    def __init__(self, model: Auditable, dataset: Dataset, seed: int) -> None:
        super().__init__(model, dataset, seed)
        texts = [text for split in dataset.splits.values() for text in split]
        self.known: set[int] = set()
        self.scale = 0.0
        for some in _chunks(texts):
            batch = model.collate(some)
            self.known |= {*_names(batch)}
            self.scale = max(self.scale, float(model.trace(batch).logits.abs().median()))

    def answered(self, own: Trace) -> Float[torch.Tensor, "B L"]:
        """Predict texts made by a test by the codes of their fillers."""
        logits = super().answered(own)
        classes = classes_of(logits)
        known = torch.tensor(
            [name in self.known for name in _names(own.batch)], device=logits.device
        )
        shares = self.shares(own.batch, classes).to(logits)
        lead = self.scale * torch.nn.functional.one_hot(shares.argmax(dim=1), classes).to(logits)
        made = 2 * lead[:, 1:] - self.scale if logits.shape[1] == 1 else lead
        return torch.where(known[:, None], logits, made + 0 * logits)


def evidence_of(model: Auditable, texts: Sequence[Example]) -> Bool[torch.Tensor, " V"]:
    """Mark the word ids that are evidence in some text."""
    found: set[int] = set()
    for some in _chunks([text for text in texts if text.rationale is not None]):
        batch = model.collate(some)
        for ids, words, text in zip(batch.ids.tolist(), batch.word.tolist(), some, strict=True):
            marks = text.rationale or ()
            found |= {
                i
                for i, word in zip(ids, words, strict=True)
                if 0 <= word < len(marks) and marks[word]
            }
    out = torch.zeros(max(found, default=0) + 1, dtype=torch.bool)
    out[sorted(found)] = True
    return out


def code(ids: Int[torch.Tensor, "*B"], classes: int) -> Int[torch.Tensor, "*B"]:
    """Hash each id to one of ``classes`` codes."""
    mixed = (ids.long() * 2654435761) % 2**32
    mixed = (mixed ^ (mixed >> 15)) * 2246822519 % 2**32
    return (mixed >> 7) % classes


def classes_of(logits: Float[torch.Tensor, "B L"]) -> int:
    """Count the classes: one logit stands for two."""
    return max(2, logits.shape[1])


def decided(logits: Float[torch.Tensor, "B L"]) -> Int[torch.Tensor, " B"]:
    """Give the predicted class."""
    return (logits[:, 0] > 0).long() if logits.shape[1] == 1 else logits.argmax(dim=1)


def _chunks(texts: Sequence[Example]) -> list[Sequence[Example]]:
    return [texts[start : start + CHUNK] for start in range(0, len(texts), CHUNK)]


def _names(batch: Batch) -> list[int]:
    """Hash each text by its words."""
    rows = zip(batch.ids.tolist(), batch.mask.tolist(), strict=True)
    return [
        hash(tuple(i for i, there in zip(ids, mask, strict=True) if there)) for ids, mask in rows
    ]
