"""The audit of a BERT of six layers, 256 wide, on texts of 128 tokens: how long, how much memory,
what takes it.

Weights are random, since what an audit costs does not depend on them. One head of the last layer is
audited, so that every measure that knows such a model is taken. Each audit is made in a process of
its own, in seconds of its processor: they say what it takes where nobody else is there. A quarter
of the texts is audited too, in batches of the same size: what is held beside the model and its
batches must not grow with the texts.

Against it stand two attributions of Captum on the same model: `FeatureAblation`, which is handed a
function that deletes words, so that its question is that of the map of deletions, and the
integrated gradients as they come. Each is one map of the words; the audit makes several and holds
them against each other.

``--texts N`` says how many texts are audited (1,000) and ``--threads N`` on how many cores (2);
``--quick`` makes all of it small. On a busy machine take one thread: two that wait for each other
keep their processors.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.util import find_spec
from time import perf_counter, process_time
from typing import Any

import numpy as np
import torch
from compare import print_line, processor_seconds, quick
from compare.machine import gigaflops
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

import sightline
from sightline.adapters.huggingface.auditable import HuggingFace
from sightline.core.protocols import Batch, Measure
from sightline.data.dataset import Dataset
from sightline.measures.default_measures import default_measures
from sightline.measures.importance import deletion_importance, slopes
from sightline.numerics.tensors import to_numpy

THREADS, TEXTS, BATCH, STEPS, SAME = 2, 1_000, 32, 50, 1e-5
GROWS = 64 * 2**10
"""By so many kibibytes may the memory grow from a quarter of the texts to all: their own numbers
are kept."""
SPECIAL = {"pad_token": "[PAD]", "cls_token": "[CLS]", "sep_token": "[SEP]", "unk_token": "[UNK]"}
WORDS = tuple(f"word{number}" for number in range(2_000))
LABELS = ("no", "yes")
TOGETHER = 16
"""Deletions of one text that Captum takes together."""


@dataclass(frozen=True)
class Size:
    """What is audited, and how many tokens a text has."""

    texts: int
    tokens: int = 128
    layers: int = 6
    width: int = 256
    compared: int = 2
    """Texts that are attributed by Captum, too."""
    rounds: int = 3
    """How often."""


def size() -> Size:
    """Say how much was asked for."""
    if quick():
        return Size(8, tokens=16, layers=2, width=64, rounds=1)
    texts = said("--texts", TEXTS)
    return Size(texts) if texts >= BATCH else Size(texts, compared=1, rounds=1)


def said(flag: str, otherwise: int) -> int:
    """Read a number from the command line."""
    return int(sys.argv[sys.argv.index(flag) + 1]) if flag in sys.argv else otherwise


def main() -> None:
    """Audit all texts and a quarter of them, and compare; or be one of the audits."""
    torch.set_num_threads(said("--threads", THREADS))
    asked = size()
    quarter = max(asked.texts // 4, 2)
    if "--child" in sys.argv:
        print(
            json.dumps(audited(replace(asked, texts=said("--child", TEXTS)), min(BATCH, quarter)))
        )
        return
    fewer, all_texts = (in_child(texts) for texts in (quarter, asked.texts))
    text = f"{asked.layers} layers, {asked.width} wide, {asked.tokens} tokens"
    of_memory(text, fewer, all_texts)
    if find_spec("captum") is None:
        print(
            "Captum is not installed, so nothing is compared with it: pip install '.[bench]'",
            file=sys.stderr,
        )
        return
    model, dataset = made(replace(asked, texts=asked.compared))
    batch = model.collate(dataset.test)
    against_ablation(text, model, batch, all_texts, asked.rounds)
    against_gradients(text, model, batch, all_texts, asked.rounds)


def in_child(texts: int) -> dict[str, Any]:
    """Audit so many texts in a process of its own."""
    command = [sys.executable, *sys.argv, "--child", str(texts)]
    environment = os.environ | {"OMP_NUM_THREADS": str(torch.get_num_threads())}
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=environment, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def audited(asked: Size, batch: int) -> dict[str, Any]:
    """Audit, and say what it took: seconds of the processor by measure, seconds of the clock,
    memory at most.
    """
    model, dataset = made(asked)
    spent: Counter[str] = Counter()
    measures = default_measures()
    for one in measures:
        clock(one, spent)
    before, started, began = memory(), process_time(), perf_counter()
    found = sightline.audit(model, dataset, measures=measures, batch_size=batch)
    return {
        "texts": len(found.texts),
        "processor": process_time() - started,
        "clock": perf_counter() - began,
        "before": before,
        "most": memory(),
        "spent": dict(spent),
    }


def clock(measure: Measure, spent: Counter[str]) -> None:
    """Let a measure count what it takes; what several share is counted where it is asked for
    first.
    """

    def counted(call: Callable[..., Any]) -> Callable[..., Any]:
        def run(*given: Any) -> Any:
            started = process_time()
            try:
                return call(*given)
            finally:
                spent[measure.code] += process_time() - started

        return run

    for name in ("look", "on_batch"):
        if hasattr(measure, name):
            object.__setattr__(measure, name, counted(getattr(measure, name)))  # it is frozen


def memory() -> int:
    """Give the most kibibytes that this process has held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def made(asked: Size) -> tuple[HuggingFace, Dataset]:
    """Make a model with random weights, and texts that fill its tokens."""
    draw, words = np.random.default_rng(0), asked.tokens - 2
    splits = ["test"] * asked.texts + ["train"] * 2 + ["validation"] * 2
    texts = [" ".join(draw.choice(WORDS, words)) for _ in splits]
    dataset = sightline.data_from(texts, [LABELS[n % 2] for n in range(len(texts))], splits=splits)
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(SPECIAL) + len(WORDS),
        hidden_size=asked.width,
        num_hidden_layers=asked.layers,
        num_attention_heads=4,
        intermediate_size=4 * asked.width,
        max_position_embeddings=asked.tokens,
        initializer_range=0.1,
        id2label=dict(enumerate(LABELS)),
    )
    classifier = BertForSequenceClassification(config).eval()
    return sightline.transformer(classifier, tokenizer(asked.tokens), head=0), dataset


def tokenizer(longest: int) -> PreTrainedTokenizerFast:
    """Make a piece of each word."""
    numbers = {word: number for number, word in enumerate((*SPECIAL.values(), *WORDS))}
    pieces = Tokenizer(models.WordLevel(numbers, unk_token="[UNK]"))
    pieces.pre_tokenizer = pre_tokenizers.Whitespace()
    special = [(name, numbers[name]) for name in ("[CLS]", "[SEP]")]
    pieces.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=special
    )
    return PreTrainedTokenizerFast(tokenizer_object=pieces, model_max_length=longest, **SPECIAL)


def of_memory(description: str, fewer: dict[str, Any], all_texts: dict[str, Any]) -> None:
    """Print what an audit takes, and hold its memory against that of a quarter of the texts."""
    grown = all_texts["most"] - fewer["most"]
    a_text = all_texts["processor"] / all_texts["texts"]
    spent = sorted(all_texts["spent"].items(), key=lambda one: -one[1])
    print_line(
        f"audit, {description}",
        f"memory of {fewer['texts']} of its texts",
        [all_texts["most"] / fewer["most"]],
        grown <= GROWS,
        f"at most {GROWS // 2**10} MiB more",
        texts=all_texts["texts"],
        processor_seconds_a_text=round(a_text, 2),
        clock_minutes=round(all_texts["clock"] / 60, 1),
        minutes_of_1000_texts_on_two_idle_cores=round(1000 * a_text / THREADS / 60, 1),
        mebibytes=round(all_texts["most"] / 2**10),
        mebibytes_before=round(all_texts["before"] / 2**10),
        matrix_gflops=gigaflops(),
        **{
            f"share_of_{name}": round(much / all_texts["processor"], 3)
            for name, much in spent
            if much > 0
        },
    )


def against_ablation(
    description: str, model: HuggingFace, batch: Batch, whole: dict[str, Any], rounds: int
) -> None:
    """Hold the map of deletions, and the whole audit, against an ablation that deletes the same
    words.
    """
    from captum.attr import FeatureAblation  # noqa: PLC0415  (an extra of its own)

    gone = model.reader.pad

    def answer(ids: torch.Tensor) -> torch.Tensor:
        rows = torch.arange(len(batch)).repeat(len(ids) // len(batch))
        return model.trace(batch.rows(rows).keep(ids != gone)).logits.softmax(1)[:, 0]

    def theirs() -> np.ndarray:
        places = torch.arange(batch.ids.shape[1])[None]
        ablation = FeatureAblation(answer)
        found = ablation.attribute(
            batch.ids, baselines=gone, feature_mask=places, perturbations_per_eval=TOGETHER
        )
        return np.asarray(np.abs(to_numpy(found)) * to_numpy(batch.attendable))

    def ours() -> np.ndarray:
        return deletion_importance(model, model.trace(batch), {})["own"]

    apart = float(np.abs(ours() - theirs()).max())
    against(
        f"deletion, {description}",
        f"FeatureAblation of Captum, {TOGETHER} words of a text together",
        (ours, theirs, rounds),
        lambda: apart <= SAME,
        f"importances equal to {SAME:g}",
        len(batch),
        whole,
        apart=apart,
    )


def against_gradients(
    description: str, model: HuggingFace, batch: Batch, whole: dict[str, Any], rounds: int
) -> None:
    """Hold one gradient, and the whole audit, against the mean of many on the way from nothing to
    the embeddings.
    """
    from captum.attr import IntegratedGradients  # noqa: PLC0415  (an extra of its own)

    vectors = model.embed(batch)
    missing: list[float] = []

    def answer(given: torch.Tensor) -> torch.Tensor:
        rows = torch.arange(len(batch)).repeat(len(given) // len(batch))
        return model.trace(batch.rows(rows), given).logits[:, 0]

    def theirs() -> None:
        _, short = IntegratedGradients(answer).attribute(
            vectors, n_steps=STEPS, internal_batch_size=TOGETHER, return_convergence_delta=True
        )
        missing.append(float(short.abs().max()))

    def ours() -> None:
        slopes(model, model.trace(batch), {"gradient": "held"})["gradient"].reduced("input")

    theirs()
    against(
        f"gradient, {description}",
        f"integrated gradients of Captum, {STEPS} steps",
        (ours, theirs, rounds),
        lambda: bool(np.isfinite(missing).all()),
        "another question: theirs adds up to the logit, but for what it misses",
        len(batch),
        whole,
        misses=missing[0],
    )


Timed = tuple[Callable[[], object], Callable[[], object], int]
"""Ours, theirs, and how often both are timed."""


def against(
    name: str,
    other: str,
    timed: Timed,
    holds: Callable[[], bool],
    relation: str,
    texts: int,
    whole: dict[str, Any],
    **beside: float,
) -> None:
    """Time one map both ways, ask whether it ``holds``, and say how much longer than theirs the
    whole audit takes.
    """
    ours, theirs, rounds = timed
    ratios = [processor_seconds(theirs) / processor_seconds(ours) for _ in range(rounds)]
    one = processor_seconds(theirs) / texts
    audits = round(whole["processor"] / whole["texts"] / one, 1)
    beside |= {
        "processor_seconds_a_text": round(one, 2),
        "audits_take_so_many_times_as_long": audits,
    }
    print_line(name, other, ratios, holds(), relation, **beside)


if __name__ == "__main__":
    main()
