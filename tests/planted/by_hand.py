"""Models written down instead of trained: a score and the evidence of every word, so that what
attention does is known.

*Decisive*: one word of a text holds all of its evidence and most of the weight. *Irrelevant*: every word of a text
speaks for its class, so that no attention gives another decision, and the weights are drawn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from sightline.audits.measure_pass import measure
from sightline.core.example import Example
from sightline.core.protocols import Batch, Trace
from sightline.core.results import Answer, Estimate
from sightline.core.seeds import Seeds
from sightline.data.batches import collate
from sightline.data.vocabulary import Vocabulary
from sightline.measures.adversarial_attention import AdversarialAttention
from sightline.measures.permutation import Permutation
from sightline.measures.predictions import Predictions
from sightline.verdict.catalogue import AUDIT_TESTS
from sightline.verdict.decision_rule import decide
from sightline.verdict.evidence import Evidence, score_quantities
from sightline.verdict.thresholds import default_thresholds
from tests.texts import example

TEXTS, FILLERS, LENGTHS = 160, 4000, (8, 25)
NEEDLES = ("against", "for")
CODES = ("SL-202", "SL-203")


@dataclass(frozen=True)
class ByHand:
    """A model of two classes: softmax over the scores of words, and one logit, the evidence that
    this attends to.
    """

    vocabulary: Vocabulary
    scores: torch.Tensor
    evidence: torch.Tensor
    name: str = "by hand"
    link: str = "sigmoid"
    labels: tuple[str, ...] = NEEDLES
    origin: str = "here"
    offers: frozenset[str] = frozenset({"token_logits", "decode"})

    def collate(self, examples: Sequence[Example]) -> Batch:
        return collate(examples, self.vocabulary, boundaries=False, classes=2)

    def embed(self, batch: Batch) -> torch.Tensor:
        return self.evidence[batch.ids][..., None]

    def trace(self, batch: Batch, embeddings: torch.Tensor | None = None) -> Trace:
        attention = self.scores[batch.ids].masked_fill(~batch.mask, -torch.inf).softmax(1)
        alone = self.embed(batch)
        return Trace(
            batch, alone, attention, (attention[..., None] * alone).sum(1), token_logits=alone
        )

    def decode(self, trace: Trace, attention: torch.Tensor) -> torch.Tensor:
        return (attention[..., None] * trace.embeddings).sum(1)


@dataclass(frozen=True)
class World:
    """How the words of a text are chosen, and how much each is worth."""

    decisive: bool

    def made(self, seed: int) -> tuple[ByHand, list[Example]]:
        """Draw a model and its texts."""
        generator = np.random.default_rng([seed, self.decisive])
        texts = [self._text(index, generator) for index in range(TEXTS)]
        vocabulary = Vocabulary.fit(texts)
        about = {
            word: self._word(word, generator)
            for word in sorted({w for text in texts for w in text.tokens})
        }
        table = torch.zeros((len(vocabulary), 2), dtype=torch.float64)
        for word, both in about.items():
            table[vocabulary.ids((word,))[0]] = torch.tensor(both, dtype=torch.float64)
        return ByHand(vocabulary, table[:, 0], table[:, 1]), texts

    def _text(self, index: int, generator: np.random.Generator) -> Example:
        kind, words = NEEDLES[index % 2], int(generator.integers(*LENGTHS))
        chosen = [
            f"{'w' if self.decisive else kind}{n}"
            for n in generator.choice(FILLERS, words, replace=False)
        ]
        if self.decisive:
            chosen[int(generator.integers(words))] = kind
        return example(" ".join(chosen), index, index % 2)

    def _word(self, word: str, generator: np.random.Generator) -> tuple[float, float]:
        """Give the score and the evidence of a word."""
        side = 1.0 if word.startswith(NEEDLES[1]) else -1.0
        if self.decisive:
            return (5.0, 6 * side) if word in NEEDLES else (float(generator.normal(0, 0.5)), 0.0)
        return float(generator.normal(0, 1.5)), side * float(generator.uniform(1, 4))

    @property
    def wanted(self) -> Answer:
        """What both findings must say of it."""
        return "passed" if self.decisive else "failed"

    def right(self, code: str, score: Estimate) -> bool:
        """Tell whether a finding says so."""
        known = default_thresholds()
        return decide(score, known.threshold[code], known.fewest(code)) == self.wanted


WORLDS: Mapping[str, World] = {
    "attention decisive": World(True),
    "attention irrelevant": World(False),
}


def effects(name: str, seed: int) -> dict[str, Estimate]:
    """Audit a model of a world, and give the effects of both findings."""
    model, texts = WORLDS[name].made(seed)
    measures = (Predictions(), Permutation(permutations=30, draws=3), AdversarialAttention())
    taken = measure(model, texts, measures, {}, Seeds(seed), 64, lambda done, total: None)
    evidence = Evidence(taken, NEEDLES, default_thresholds(), seed)
    return {code: evidence.contrast(score_quantities(AUDIT_TESTS[code])[0]).score for code in CODES}
