"""Corpora of the papers in their published form, small and made up: what tells a text's class is
one word of it.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

GOOD, BAD = ("fine", "superb", "witty"), ("dull", "awful", "bland")
PLAIN = (
    "the",
    "film",
    "was",
    "of",
    "a",
    "long",
    "day",
    "in",
    "some",
    "old",
    "town",
    "with",
    "two",
    "men",
)


def sentences(n: int, seed: int) -> Iterator[tuple[list[str], int]]:
    """Give sentences of 6 to 14 words that all differ, and their classes in turn."""
    rng = np.random.default_rng(seed)
    for number in range(n):
        words = rng.choice(PLAIN, rng.integers(6, 15)).tolist()
        words[rng.integers(len(words))] = str(rng.choice((BAD, GOOD)[number % 2]))
        yield [*words, f"w{seed}{number}"], number % 2


def sst(folder: Path, train: int = 40, test: int = 16) -> None:
    """Write trees of the Stanford Sentiment Treebank."""
    for name, n, seed in (("train", train, 1), ("dev", 16, 2), ("test", test, 3)):
        lines = [_tree(words, (0, 4)[label]) for words, label in sentences(n, seed)]
        _write(folder / "sst" / f"{name}.txt", "\n".join(lines) + "\n")


def _tree(words: list[str], label: int) -> str:
    tree = f"(2 {words[-1]})"
    for word in reversed(words[:-1]):
        tree = f"(2 (2 {word}) {tree})"
    return f"({label}{tree[2:]}"


def babi(folder: Path, n: int = 40) -> None:
    """Write stories of task 1: who went where last."""
    rng = np.random.default_rng(0)
    places = ("hall", "garden", "kitchen", "attic")
    for split in ("train", "test"):
        lines = []
        for _ in range(n):
            where = rng.choice(places, 2, replace=False)
            asked = int(rng.integers(2))
            lines += [f"1 Mary went to the {where[0]}.", f"2 John moved to the {where[1]}."]
            lines += [f"3 Where is {('Mary', 'John')[asked]}? \t{where[asked]}\t{asked + 1}"]
        _write(
            folder / "babi" / f"tasks_1-20_v1-2/en-10k/qa1_single-supporting-fact_{split}.txt",
            "\n".join(lines) + "\n",
        )


def snli(folder: Path, n: int = 30) -> None:
    """Write pairs of the Stanford Natural Language Inference corpus."""
    labels = ("contradiction", "entailment", "neutral")
    for split in ("train", "dev", "test"):
        pairs = [
            {
                "gold_label": labels[i % 3],
                "sentence1": " ".join(words),
                "sentence2": (*BAD, *GOOD)[i % 3],
            }
            for i, (words, _) in enumerate(sentences(n, len(split)))
        ]
        _write(
            folder / "snli" / f"snli_1.0_{split}.jsonl",
            "".join(json.dumps(pair) + "\n" for pair in pairs),
        )


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
