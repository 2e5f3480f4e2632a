"""Weight × logit taken apart by hand: the weights of the affine layer, one text and one word at a
time.
"""

import numpy as np

from sightline.core.example import Example
from sightline.models.classifier import AttentionClassifier


def up(model: AttentionClassifier, text: Example) -> tuple[float, list[float], float]:
    """Give the base, what each word adds, and the total, from ``w · h_t + b`` and the weights of
    the words.

    With more than two classes the decided one is held against the others, each weighed by its
    probability among them.
    """
    trace = model.trace(model.collate([text]))
    affine = model.decoder.affine
    w, b = (one.detach().double().numpy() for one in (affine.weight, affine.bias))
    places = np.flatnonzero(trace.batch.attendable[0].numpy())
    states, weights = (
        one[0].detach().double().numpy()[places] for one in (trace.pooled, trace.attention)
    )
    evidence = [w @ state + b for state in states]
    logits = sum(a * z for a, z in zip(weights, evidence, strict=True))
    flat = sum(evidence) / len(evidence)

    def lead(s: np.ndarray) -> float:
        if len(logits) == 1:
            return float(s[0]) if logits[0] > 0 else -float(s[0])
        best = int(np.argmax(logits))
        rest = [c for c in range(len(logits)) if c != best]
        chance = np.exp([logits[c] for c in rest])
        return float(
            s[best] - sum(p * s[c] for p, c in zip(chance / chance.sum(), rest, strict=True))
        )

    each = [float(a) * (lead(z) - lead(flat)) for a, z in zip(weights, evidence, strict=True)]
    return lead(flat), each, lead(logits)
