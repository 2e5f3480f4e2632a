"""The model with queries, written out for one text in numpy: what the class decides from its own
weights.
"""

import numpy as np

from sightline.core.example import Example
from sightline.models.classifier import AttentionClassifier


def answer(
    model: AttentionClassifier, example: Example, attention: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Attention and logits of an MLP with additive scores: ``v·tanh(W₁h + b₁ + W₂q + b₂)``,
    ``W₃tanh(W₁c + b₁ + W₂q + b₂) + b₃``.

    Answers that are no candidates get −∞.
    """
    weight = {name: value.double().numpy() for name, value in model.state_dict().items()}

    def affine(name: str, x: np.ndarray) -> np.ndarray:
        return x @ weight[f"{name}.weight"].T + weight.get(f"{name}.bias", 0.0)

    def encode(table: str, encoder: str, words: tuple[str, ...]) -> np.ndarray:
        return np.tanh(
            affine(f"{encoder}.affine", weight[f"{table}.weight"][model.vocabulary.ids(words)])
        )

    states = encode("embedding", "encoder", example.tokens)
    query = encode("query_embedding", "query_encoder", example.query).mean(axis=0)
    if attention is None:
        scores = affine(
            "scorer.outer", np.tanh(affine("scorer.inner", states) + affine("scorer.asked", query))
        )[:, 0]
        attention = np.exp(scores - scores.max()) / np.exp(scores - scores.max()).sum()
    hidden = np.tanh(affine("decoder.context", attention @ states) + affine("decoder.asked", query))
    logits = affine("decoder.outer", hidden)
    absent = [c for c in range(len(logits)) if c not in example.candidates]
    logits[absent] = -np.inf
    return attention, logits
