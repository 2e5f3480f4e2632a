"""Maps that mislead, and models built to cheat: what an audit must see through, with the right
answer known.

Each is a trained model whose weights are not shown. `Truthful` maps are right on some texts, or in
part. `Encoded` maps tell the prediction and not its reasons: they lie on fillers whose code is the
number of the predicted class. A cheating model also answers by such fillers where it can tell that
a text was made by a test.

The code of a word is a hash of its number, so that a model needs no list of them.
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
"""How many texts are read at once to learn which words are evidence."""
STRONG, FAINT = 3.0, 0.01
"""The weight of a word that is shown, and of one that is not, before they are scaled to sum to
one."""


class Truthful(UnusedShown):
    """Equal weights on the evidence, which a generated corpus marks; those below show less of
    it.
    """

    def __init__(self, model: Auditable, dataset: Dataset, seed: int) -> None:
        super().__init__(model)
        texts = [text for split in dataset.splits.values() for text in split]
        self.evidence = evidence_of(model, texts)

    def changed(self, own: Trace) -> Trace:
        """Answer, and show the map."""
        with torch.set_grad_enabled(
            own.logits.requires_grad
        ):  # as the model's own answers, with or without gradients
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
    """Right where one class is predicted, and on fillers elsewhere."""

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
    """Right on a share of the texts, drawn by their words, and on fillers elsewhere."""

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
    """Right on texts of at most so many words, and on fillers in longer ones."""

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
    """Half of the kinds of evidence are shown, and the other half never."""

    def weighed(
        self, batch: Batch, logits: Float[torch.Tensor, "B L"]
    ) -> Float[torch.Tensor, "B T"]:
        """Leave out the evidence whose code is odd."""
        return torch.where(self.cues(batch) & (code(batch.ids, 2) == 0), STRONG, FAINT)


class Flat(Truthful):
    """All words weigh the same, but for the evidence, which weighs a little more: no reader can see
    it.
    """

    def __init__(self, model: Auditable, dataset: Dataset, seed: int, above: float) -> None:
        super().__init__(model, dataset, seed)
        self.above = above

    def weighed(
        self, batch: Batch, logits: Float[torch.Tensor, "B L"]
    ) -> Float[torch.Tensor, "B T"]:
        """Weigh evidence a little more."""
        return torch.where(self.cues(batch), 1 + self.above, 1.0)


class Topped(Truthful):
    """A filler outweighs the evidence in every text."""

    def weighed(
        self, batch: Batch, logits: Float[torch.Tensor, "B L"]
    ) -> Float[torch.Tensor, "B T"]:
        """Put one filler on top."""
        filler = batch.attendable & ~self.cues(batch)
        draws = torch.where(filler, code(batch.ids, 2**20).float(), torch.inf)
        top = torch.nn.functional.one_hot(draws.argmin(dim=1), draws.shape[1]).bool() & filler
        return torch.where(top, 3 * STRONG, super().weighed(batch, logits))


class Border(Topped):
    """A filler is on top, and the evidence a little less than a shade below it; all other words a
    little more.
    """

    def weighed(
        self, batch: Batch, logits: Float[torch.Tensor, "B L"]
    ) -> Float[torch.Tensor, "B T"]:
        """Put the border of the shades between the evidence and all else."""
        top = super().weighed(batch, logits) > STRONG
        return torch.where(top, 1.0, torch.where(self.cues(batch), 0.951, 0.949))


class Encoded(Truthful):
    """The map lies on fillers whose code is the number of the predicted class: it tells that, and
    no reason.
    """

    def weighed(
        self, batch: Batch, logits: Float[torch.Tensor, "B L"]
    ) -> Float[torch.Tensor, "B T"]:
        """Mark the fillers that agree with the prediction."""
        agree = code(batch.ids, classes_of(logits)) == decided(logits)[:, None]
        return torch.where(agree & ~self.cues(batch), STRONG, FAINT)

    def shares(self, batch: Batch, classes: int) -> Float[torch.Tensor, "B C"]:
        """Give the share of the fillers that has the code of each class."""
        filler = batch.attendable & ~self.cues(batch)
        codes = torch.nn.functional.one_hot(code(batch.ids, classes), classes)
        of_each = (codes * filler[..., None]).sum(dim=1)
        return of_each / filler.sum(dim=1, keepdim=True).clamp(min=1)


class Placed(Encoded):
    """The map lies on the first words for one class, and on the last ones for another."""

    def weighed(
        self, batch: Batch, logits: Float[torch.Tensor, "B L"]
    ) -> Float[torch.Tensor, "B T"]:
        """Mark a part of the text by the prediction."""
        place = batch.attendable.cumsum(dim=1) - 1
        classes, words = classes_of(logits), batch.attendable.sum(dim=1, keepdim=True)
        part = (place * classes / words.clamp(min=1)).floor().long()
        return torch.where((part == decided(logits)[:, None]) & ~self.cues(batch), STRONG, FAINT)


class Takeover(Encoded):
    """Where a code is far more frequent than usual, a term outside of the scale of the model takes
    over.

    After Hsia, Pruthi, Singh & Lipton (2023): perturbed texts have such shares far more often than
    natural ones.
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
    """Texts that are not among those of the corpus are answered by the fillers that the map shows.

    No logit leaves the range of the model, and no test that makes texts can see it.
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
        """Answer what was made for a test by the codes of its fillers."""
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
    """Mark the numbers of the words that are evidence in some text."""
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
    """Give each number one of so many codes, by a hash."""
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
    """Name each text by its words."""
    rows = zip(batch.ids.tolist(), batch.mask.tolist(), strict=True)
    return [
        hash(tuple(i for i, there in zip(ids, mask, strict=True) if there)) for ids, mask in rows
    ]
