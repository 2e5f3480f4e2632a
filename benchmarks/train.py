"""Training: texts a second and memory, against the plain way, and where the time goes.

The plain way (`compare.plain`) is what Jain & Wallace 2019 describe, with torch alone. Every
training runs in a process of its own on one thread, in seconds of its processor, and the two ways
take turns. Ours is preset ``jain2019`` with 300-d embeddings and decoupled weight decay; beside it
the same with the penalty in the gradient, as published. Of IMDB some batches are taken, of SST
whole epochs. Without the data, planted texts stand in.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

import torch
from compare import print_line, quick
from compare.machine import gigaflops
from compare.plain import PlainTraining

from sightline.config.presets import build_specs
from sightline.config.spec_syntax import parse_data
from sightline.config.specs import DataSpec
from sightline.data.dataset import Dataset, Split
from sightline.data.load_dataset import fit_vocabulary, load
from sightline.data.vocabulary import Vocabulary
from sightline.models.classifier import build
from sightline.training.adam import Adam
from sightline.training.loop import fit
from sightline.training.objective import SingleLabelLoss
from sightline.training.sparse_embedding_updates import DeferredUpdates

DATA = Path(os.environ.get("SIGHTLINE_DATA", ""))
SST, IMDB = DATA / "sst", DATA / "imdb" / "aclImdb_v1_labelled.tar.gz"
WANTED = {"bilstm": 2.5, "mlp": 4.0}
"""How many times the texts a second of the plain way, on SST."""
CHECKED = 200
"""Texts of validation where only some are trained on; so few batches teach little."""


@dataclass(frozen=True)
class Case:
    """What is trained on: all texts where ``texts`` is 0, and for how many epochs."""

    name: str
    data: str
    epochs: int
    texts: int = 0

    def read(self) -> tuple[Dataset, Vocabulary]:
        """Read the texts, evenly over the split where some are taken."""
        spec: DataSpec = replace(
            parse_data(self.data), recipe="paper" if "planted" not in self.data else "clean"
        )
        dataset = load(spec, 0)
        vocabulary = fit_vocabulary(dataset, spec)
        if self.texts:
            dataset = replace(
                dataset,
                train=some(dataset.train, self.texts),
                validation=some(dataset.validation, CHECKED),
            )
        return dataset, vocabulary


def some(split: Split, texts: int) -> Split:
    """Take so many texts, evenly over a split, whose labels may stand in order."""
    return split[:: max(1, len(split) // texts)][:texts]


def main() -> None:
    """Compare both ways on each corpus with each encoder, or be one of the two."""
    torch.set_num_threads(1)
    if "--child" in sys.argv:
        way, encoder, *case = json.loads(sys.argv[-1])
        print(json.dumps(taken(way, encoder, Case(*case))))
        return
    for case in cases():
        for encoder, wanted in WANTED.items():
            against(case, encoder, wanted if case.name == "SST" else 0.0)


def cases() -> list[Case]:
    """Name the corpora there are."""
    if quick() or not SST.is_dir():
        return [Case("planted texts", "planted:needle(n=300,length=20)", 1)]
    found = [Case("SST", f"sst:{SST}", 2)]
    return [*found, Case("640 texts of IMDB", f"imdb:{IMDB}", 1, 640)] if IMDB.exists() else found


def against(case: Case, encoder: str, wanted: float) -> None:
    """Run the three ways in turn, and print how many times as long the plain one takes."""
    runs = {way: list[dict[str, Any]]() for way in ("plain", "decoupled", "coupled")}
    for _ in range(1 if quick() else 3):
        for way, done in runs.items():
            done.append(run(way, encoder, case))
    for way in ("decoupled", "coupled"):
        ratios = [
            plain["seconds"] / one["seconds"]
            for plain, one in zip(runs["plain"], runs[way], strict=True)
        ]
        asked = wanted if way == "decoupled" else 0.0
        said = f"at least {asked} times" if asked else "measured; no number is wanted"
        print_line(
            f"{encoder} on {case.name}, {way} decay",
            "the plain way",
            ratios,
            min(ratios) >= asked,
            said,
        )
    for way, done in runs.items():
        figures = (
            "ms_a_text",
            "collate",
            "forward",
            "backward",
            "optimiser",
            "peak_mb",
            "matrix_gflops",
        )
        middle = {name: round(median(one[name] for one in done), 2) for name in figures}
        accuracies = [one["accuracy"] for one in done][:1]
        print(
            json.dumps(
                {
                    "name": f"{encoder} on {case.name}",
                    "way": way,
                    **middle,
                    "accuracy": accuracies[0],
                }
            )
        )
    sys.stdout.flush()


def run(way: str, encoder: str, case: Case) -> dict[str, Any]:
    """Train in a process of its own, and add the most of memory that it held."""
    asked = json.dumps([way, encoder, *vars(case).values()])
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    started = subprocess.Popen(
        [sys.executable, __file__, "--child", asked],
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )
    assert started.stdout is not None  # it was asked for
    description = started.stdout.read()
    _, status, used = os.wait4(started.pid, 0)
    if code := os.waitstatus_to_exitcode(status):
        raise RuntimeError(f"{asked} ended with {code}")
    return json.loads(description) | {"peak_mb": used.ru_maxrss / 1024}


def taken(way: str, encoder: str, case: Case) -> dict[str, Any]:
    """Train one way: seconds of one processor without validation, in ms a text and epoch, and by
    what was done.
    """
    dataset, vocabulary = case.read()
    train = plainly if way == "plain" else in_our_way
    seconds, accuracy = train(dataset, vocabulary, encoder, case.epochs, way)
    texts = len(dataset.train) * case.epochs
    by_part = {name: 1000 * value / texts for name, value in seconds.items()}
    total = sum(seconds.values())
    return {
        "seconds": total,
        "ms_a_text": 1000 * total / texts,
        **by_part,
        "accuracy": accuracy,
        "matrix_gflops": gigaflops(),
    }


def plainly(
    dataset: Dataset, vocabulary: Vocabulary, encoder: str, epochs: int, way: str
) -> tuple[Counter[str], float]:
    """Train the plain way; give its seconds by what was done, and the accuracy in validation after
    the last epoch.
    """
    training = PlainTraining(dataset.train, vocabulary, encoder, 0)
    for _ in range(epochs):
        training.epoch()
    return training.seconds, training.accuracy(dataset.validation, vocabulary)


def in_our_way(
    dataset: Dataset, vocabulary: Vocabulary, encoder: str, epochs: int, way: str
) -> tuple[Counter[str], float]:
    """Train with `fit`; steps that were put off count as the optimiser's, also where a lookup makes
    them.
    """
    model_spec, fit_spec = build_specs(f"{encoder}+additive", "jain2019", epochs=epochs, decay=way)
    model = build(replace(model_spec, embedding=300), vocabulary, dataset.label_names, 0)
    objective, seconds = SingleLabelLoss(dataset.train, 2, fit_spec), Counter[str]()
    timed(model, "collate", seconds, "collate")
    timed(objective, "losses", seconds, "losses")
    timed(DeferredUpdates, "copies", seconds, "copies")
    timed(DeferredUpdates, "end", seconds, "end")
    timed(Adam, "gather", seconds, "gather")
    timed(Adam, "step", seconds, "step")
    whole, ends, began = Counter[str](), list[float](), [process_time()]

    def batch(epoch: int, done: int, total: int) -> None:
        if done == total:
            ends.append(process_time() - began[-1])
            whole.update(seconds)
            seconds.clear()

    def epoch_done(epoch: object) -> None:
        whole["end"] += seconds["end"]
        seconds.clear()
        began.append(process_time())

    record = fit(
        model,
        dataset.train,
        dataset.validation,
        fit_spec,
        0,
        epoch_done,
        batch,
        objective=objective,
    )
    parts = Counter(
        collate=whole["collate"],
        forward=whole["losses"] - whole["collate"] - whole["copies"],
        optimiser=whole["copies"] + whole["gather"] + whole["step"] + whole["end"],
    )
    backward = sum(ends) + whole["end"] - sum(parts.values())
    return parts + Counter(backward=backward), record.epochs[-1].accuracy


def timed(owner: Any, name: str, seconds: Counter[str], part: str) -> None:
    """Add to the seconds of a part what a method takes."""
    do: Callable[..., Any] = getattr(owner, name)

    def counted(*given: Any) -> Any:
        began = process_time()
        done = do(*given)
        seconds[part] += process_time() - began
        return done

    setattr(owner, name, counted)


if __name__ == "__main__":
    main()
