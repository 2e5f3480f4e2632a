"""Time two ways to the same result in turn, so that a machine whose speed drifts drifts for
both.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
import torch

from sightline.config.spec_syntax import parse_model
from sightline.core.example import Example
from sightline.core.protocols import Batch
from sightline.data.vocabulary import Vocabulary
from sightline.models.classifier import AttentionClassifier, build

Result = TypeVar("Result")
Clock = Callable[[Callable[[], object]], float]
"""Says how many seconds something takes."""
WORDS = tuple(f"word{i}" for i in range(500))


def quick() -> bool:
    """Tell whether a short run was asked for."""
    return "--quick" in sys.argv[1:]


def model_and_batch(texts: int) -> tuple[AttentionClassifier, Batch]:
    """Build an untrained BiLSTM of the papers' size and a batch of texts about as long as those of
    SST.
    """
    model, examples = model_and_texts(texts)
    return model, model.collate(examples)


def model_and_texts(
    texts: int, spec: str = "bilstm+additive"
) -> tuple[AttentionClassifier, list[Example]]:
    """Build the same model, or another, and the texts themselves."""
    torch.set_num_threads(1)
    generator = np.random.default_rng(0)
    lengths = generator.integers(6, 31, size=texts)
    tokens = [tuple(generator.choice(WORDS, size=n)) for n in lengths]
    examples = [
        Example(f"t{i}", i, " ".join(t), t, ((0, 1),) * len(t), i % 2) for i, t in enumerate(tokens)
    ]
    return build(
        parse_model(spec, embedding=300), Vocabulary.fit(examples), ("a", "b"), 0
    ), examples


def compare(
    name: str,
    against: str,
    ours: Callable[[], Result],
    theirs: Callable[[], Result],
    relation: Callable[[Result, Result], bool],
    said: str,
    texts: int,
    *,
    wanted: float = 0.0,
    clock: Clock | None = None,
    **more: float,
) -> None:
    """Print one JSON line: how many times longer the other way takes, by pairs, and whether the
    results relate.

    Where a ratio is ``wanted``, it holds only if that is reached, too. ``clock`` says how long
    something takes.
    """
    seconds, holds = clock or _seconds, relation(ours(), theirs())  # also the warm-up
    ratios = [seconds(theirs) / seconds(ours) for _ in range(3 if quick() else 9)]
    baseline = round(1000 * seconds(theirs) / texts, 2)
    if wanted:
        said, holds = (
            f"{said}, at least {wanted:g} times",
            holds and bool(np.median(ratios) >= wanted),
        )
    print_line(name, against, ratios, holds, said, baseline_ms_a_text=baseline, **more)


def print_line(
    name: str, against: str, ratios: Sequence[float], holds: bool, relation: str, **more: float
) -> None:
    """Print one comparison as a JSON line: the ratios by their median and range, and whatever was
    measured beside.
    """
    line = {
        "name": name,
        "against": against,
        "ratio": round(float(np.median(ratios)), 2),
        "low": round(float(min(ratios)), 2),
        "high": round(float(max(ratios)), 2),
        "n": len(ratios),
        "holds": holds,
        "relation": relation,
        "threads": torch.get_num_threads(),
    }
    print(json.dumps(line | more))


def processor_seconds(run: Callable[[], object]) -> float:
    """Say how long something keeps the processor: the rest of a busy machine is not in it."""
    started = time.process_time()
    run()
    return time.process_time() - started


def _seconds(run: Callable[[], object]) -> float:
    started = time.perf_counter()
    run()
    return time.perf_counter() - started
