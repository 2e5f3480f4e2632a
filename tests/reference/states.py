"""What words do to states, and what tells their evidence: text by text, state by state, word by
word.
"""

from collections.abc import Sequence
from math import log

import numpy as np

from sightline.core.example import Example
from sightline.models.classifier import AttentionClassifier


def importance(model: AttentionClassifier, example: Example) -> np.ndarray:
    """Run the text alone for each state, and take the gradient of its length backwards (Meister et
    al. 2021, eq. 5).
    """
    batch = model.collate([example])
    words = batch.attendable[0].nonzero()[:, 0].tolist()
    rows = []
    for word in words:
        embeddings = model.embed(batch).detach().requires_grad_()
        state = model.states(model.trace(batch, embeddings))[0, word]
        (state**2).sum().sqrt().backward()
        rows.append([float((embeddings.grad[0, other] ** 2).sum().sqrt()) for other in words])
    return np.array(rows)


def removal(model: AttentionClassifier, example: Example, without: int) -> list[float]:
    """Delete a word: how the length of the state of each other word changes, and all of the length
    of its own.
    """

    def lengths(tokens: tuple[str, ...]) -> list[float]:
        batch = model.collate([Example("", 0, "", tokens, ((0, 1),) * len(tokens), 0)])
        states = model.states(model.trace(batch))[0][batch.attendable[0]]
        return [float((state**2).sum().sqrt()) for state in states]

    left = lengths(example.tokens[:without] + example.tokens[without + 1 :])
    left.insert(without, 0.0)
    return [
        abs(before - after) for before, after in zip(lengths(example.tokens), left, strict=True)
    ]


def evenness(values: Sequence[float]) -> float:
    """Entropy of the shares, over the most there is."""
    parts = [value / sum(values) for value in values]
    return -sum(part * log(part) for part in parts if part) / log(len(parts))


def explained(
    texts: Sequence[Sequence[str]],
    values: Sequence[Sequence[np.ndarray]],
    weights: Sequence[Sequence[float]],
    clusters: Sequence[int] | None = None,
) -> list[tuple[float, float, float] | None]:
    """Guess each token from the same word in texts of other clusters, from the rest of its text,
    and from all texts of other clusters; without clusters each text is one.
    """
    of = range(len(texts)) if clusters is None else clusters
    out = []
    for here, words in enumerate(texts):
        whole = word_error = text_error = 0.0
        found = False
        for place, word in enumerate(words):
            others = [
                (t, p) for t in range(len(texts)) for p in range(len(texts[t])) if of[t] != of[here]
            ]
            same = [values[t][p] for t, p in others if texts[t][p] == word]
            rest = [values[here][p] for p in range(len(words)) if p != place]
            if not same or not rest:
                continue
            having = [t for t in range(len(texts)) if word in texts[t]]
            repeated = len(having) > len({of[t] for t in having})
            found, weight, value = True, weights[here][place], values[here][place]
            whole += weight * _squared(value, [values[t][p] for t, p in others])
            word_error += weight * (_halved if repeated else _squared)(value, same)
            text_error += weight * _squared(value, rest)
        out.append((whole, whole - word_error, whole - text_error) if found else None)
    return out


def _halved(value: np.ndarray, others: Sequence[np.ndarray]) -> float:
    """Half the mean squared distance from others, of which some may be copies of each other."""
    return float(np.mean([((value - other) ** 2).sum() for other in others])) / 2


def _squared(value: np.ndarray, others: Sequence[np.ndarray]) -> float:
    """The squared error of the mean of others, less what that mean errs itself."""
    return float(((value - np.mean(others, axis=0)) ** 2).sum()) * len(others) / (len(others) + 1)
