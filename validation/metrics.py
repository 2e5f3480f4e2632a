"""Published metrics that no audit takes, measured on planted models whose truth is known.

* **Normalised AOPC** (Edin et al. 2025): the area over the curve of the loss of the predicted
  class's probability while words are deleted one by one, between the smallest and the largest area
  that a greedy search for an order finds.
* **Insertion** (Petsiuk, Das & Saenko 2018): the area under the curve of that probability while words are put into an
  empty text, the highest first.
* **ICE** (Basu & Chakraborty 2026), as its package `ice-faithfulness` ships it: the share of random sets of words that
  the top 20 % beat in sufficiency, and by how many standard deviations of these sets; 50 sets, its
  operators *lite* (deletion, and words of other texts). The package is no part of the project:
  without it ICE is left out.

Models come from a store that `verify.py --only worlds` filled: each training is read, and nothing
is written there. Runs are drawn in a fixed order from those with a known truth. Each is a line of
``--rows``, so a killed count resumes.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from checkout import ROOT
from json_lines import add_line, read_lines

from sightline.config.run_keys import run_key, training_key
from sightline.config.specs import RunSpec
from sightline.core.example import Example
from sightline.core.protocols import Auditable, Batch
from sightline.data.load_dataset import load
from sightline.data.vocabulary import PAD, SPECIALS, UNK
from sightline.experiments.store import Store
from sightline.models.alterations import alter
from sightline.models.model_storage import load_classifier
from sightline.studies.calibration import scenarios
from sightline.studies.calibration.score_separation import quality

TEXTS, LONGEST, ORDER = 12, 45, 0
"""Texts of a run, the most words of a text, and the seed of the order of runs."""
ICE, SETS, TOP = "ice-faithfulness", 50, 0.2
AOPC, INSERTION = "normalised AOPC (Edin et al. 2025)", "insertion (Petsiuk et al. 2018)"
WINS, DISTANCE = "ICE: win rate (Basu & Chakraborty 2026)", "ICE: distance from random sets"
WRITTEN = ROOT / "docs" / "verified" / "metrics.json"
Order = Callable[[int], Sequence[int]]


def main() -> int:
    """Measure runs until all are done or time is over, and table the results."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--store", type=Path, default=ROOT / "runs" / "verified")
    parser.add_argument("--rows", type=Path, default=ROOT / "runs" / "metrics.jsonl")
    parser.add_argument("--seeds", type=int, default=1, help="of each world and encoder")
    parser.add_argument(
        "--minutes", type=float, default=float("inf"), help="stop measuring after so many minutes"
    )
    flags = parser.parse_args()
    store, until = Store(flags.store, make=False), time.monotonic() + 60 * flags.minutes
    flags.rows.parent.mkdir(parents=True, exist_ok=True)
    rows = {row["run"]: row for row in read_lines(flags.rows)}
    runs = planned(flags.seeds, store)
    for number, (kind, spec) in enumerate(runs):
        if time.monotonic() > until:
            break
        if run_key(spec) in rows:
            continue
        rows[run_key(spec)] = row = {
            "run": run_key(spec),
            "kind": kind,
            "scores": scores(spec, store),
        }
        add_line(flags.rows, row)
        print(f"{time.strftime('%H:%M:%S')} {number + 1}/{len(runs)}", file=sys.stderr, flush=True)
    done = [rows[run_key(spec)] for _, spec in runs if run_key(spec) in rows]
    description = json.dumps(table(done, len(runs), store), indent=1, ensure_ascii=False)
    WRITTEN.write_text(description + "\n", encoding="utf-8")
    return 0


def planned(seeds: int, store: Store) -> list[tuple[str, RunSpec]]:
    """Give the runs of a store whose truth is known and whose texts are short enough, with their
    kind, in a fixed order.
    """
    grid, kinds = (
        scenarios.grid(seeds),
        {world.name: scenarios.kind_of(world) for world in scenarios.WORLDS},
    )
    found = store.find(grid.keys)
    known = [
        (kinds[label[0]], spec)
        for label, spec, key in zip(grid.labels, grid.specs, grid.keys, strict=True)
        if kinds[label[0]]
        and key in found
        and "length=120" not in str(spec.data)
        and "length=60" not in str(spec.data)
    ]
    random.Random(ORDER).shuffle(known)
    return known


def table(rows: Sequence[Mapping[str, Any]], runs: int, store: Store) -> dict[str, Any]:
    """Compare each metric, and the scores of the audits of the same runs, with the truth."""
    known = [(row["kind"], store.audit(row["run"])) for row in rows]
    return {
        "runs": len(rows),
        "planned": runs,
        "texts": TEXTS,
        "ice": {"version": _version(), "sets": SETS, "top": TOP, "operators": "lite"},
        "quality": quality(known, [row["scores"] for row in rows]),
        "rows": [*rows],
    }


def _version() -> str | None:
    try:
        return version(ICE)
    except PackageNotFoundError:
        return None


def scores(spec: RunSpec, store: Store) -> dict[str, float]:
    """Give each metric of a run: its mean over a few test texts."""
    dataset = load(spec.data, spec.seed)
    model, _ = load_classifier(store.training_folder(training_key(spec)))
    shown = alter(spec.altered, model, dataset, spec.seed)
    texts = [text for text in dataset.test if 1 < len(text.tokens) <= LONGEST][:TEXTS]
    cases = [Case.of(shown, text) for text in texts]
    found = {AOPC: _mean(map(normalised_aopc, cases)), INSERTION: _mean(map(insertion, cases))}
    return found | (ice(shown, cases) if _version() else {})


class Case:
    """A text, the model's output for any part of it, and the order of its words in the model's
    map.
    """

    def __init__(self, model: Auditable, batch: Batch, weights: Sequence[float]) -> None:
        self.model, self.batch, self.weights = model, batch, weights
        self.words = batch.ids.shape[1]
        self.chosen = int(probabilities(model, batch)[0].argmax())
        ties = np.random.default_rng([ORDER, *batch.ids[0].tolist()]).random(self.words)
        self.order = sorted(range(self.words), key=lambda word: (-weights[word], ties[word]))

    @classmethod
    def of(cls, model: Auditable, text: Example) -> Case:
        """Read a text as the model does."""
        batch = model.collate([text])
        return cls(model, batch, model.trace(batch).attention[0].tolist())

    def kept(self, parts: Sequence[Sequence[int]]) -> Sequence[float]:
        """Give the probability of the predicted class with only some of the words."""
        keep = torch.zeros(len(parts), self.words, dtype=torch.bool)
        for row, part in enumerate(parts):
            keep[row, list(part)] = True
        batch = self.batch.rows(torch.zeros(len(parts), dtype=torch.long)).keep(keep)
        return [float(one) for one in probabilities(self.model, batch)[:, self.chosen]]


def probabilities(model: Auditable, batch: Batch) -> torch.Tensor:
    """Give the probability of each class; one logit stands for two classes."""
    logits = model.trace(batch).logits.detach()
    both = torch.cat([torch.zeros_like(logits), logits], dim=1) if logits.shape[1] == 1 else logits
    return both.softmax(dim=1)


def normalised_aopc(case: Case) -> float:
    """Say where the area of the shown order lies between the smallest and the largest area of
    greedy orders.
    """
    least, most = (_aopc(case, _greedy(case, sign)) for sign in (-1, 1))
    return (_aopc(case, case.order) - least) / (most - least) if most > least else float("nan")


def _aopc(case: Case, order: Sequence[int]) -> float:
    """Average the loss of probability over all numbers of deleted words but the whole text."""
    whole, *left = case.kept([order[gone:] for gone in range(case.words)])
    return float(np.mean([whole - one for one in left]))


def _greedy(case: Case, sign: int) -> Sequence[int]:
    """Delete the word that costs the most (or, for −1, the least), again and again."""
    gone, there = list[int](), list(range(case.words))
    while len(there) > 1:
        left = case.kept([[word for word in there if word != one] for one in there])
        gone.append(there.pop(int(np.argmin(sign * np.array(left)))))
    return [*gone, *there]


def insertion(case: Case) -> float:
    """Average the probability over all numbers of words put in, the highest first."""
    return float(np.mean(case.kept([case.order[:count] for count in range(1, case.words + 1)])))


def ice(model: Auditable, cases: Sequence[Case]) -> dict[str, float]:
    """Run ICE's own evaluation on a model wrapped to look like one of Hugging Face, with the shown
    weights.
    """
    from ice import ICEConfig, ICEEvaluator  # noqa: PLC0415  (no part of the project)

    config = ICEConfig(
        k_values=[TOP], n_permutations=SETS, operators="lite", device="cpu", seed=ORDER
    )
    evaluator = ICEEvaluator(Seen(model), Words(), config)
    texts = [(case.batch.ids[0], case.batch.mask[0].long(), 0) for case in cases]
    shown = Weights({tuple(case.batch.ids[0].tolist()): case.weights for case in cases})
    found = evaluator.evaluate_dataset(texts, shown, k=TOP, show_progress=False)
    return {WINS: found.win_rate, DISTANCE: found.effect_size}


class Seen(torch.nn.Module):
    """A model with ICE's interface: word numbers and a mask in, logits of every class out; it runs
    no text twice.
    """

    def __init__(self, model: Auditable) -> None:
        super().__init__()
        self.model = model
        self.known: dict[tuple[int, ...], torch.Tensor] = {}

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> SimpleNamespace:
        """Run one text."""
        there = tuple(input_ids[0][attention_mask[0].bool()].tolist())
        if there not in self.known:
            self.known[there] = probabilities(self.model, _batch(there)).log()
        return SimpleNamespace(logits=self.known[there])


def _batch(ids: Sequence[int]) -> Batch:
    there = torch.ones(1, len(ids), dtype=torch.bool)
    nothing = torch.zeros(1, dtype=torch.long)
    return Batch(torch.tensor([ids]), there, there, torch.arange(len(ids))[None], nothing, nothing)


class Words:
    """The part of a tokenizer that ICE uses; an empty text is one place of padding, and fillers are
    numbers of words.
    """

    pad_token_id = PAD
    all_special_ids = tuple(range(SPECIALS))
    pad_token = "<pad>"

    def __call__(self, text: str, **_: Any) -> Mapping[str, torch.Tensor]:
        """Parse the output of `decode`."""
        ids = [int(one) for one in text.split()] or [PAD]
        return {
            "input_ids": torch.tensor([ids]),
            "attention_mask": torch.ones(1, len(ids), dtype=torch.long),
        }

    def encode(self, text: str, **_: Any) -> list[int]:
        """Know no word by its letters, so that ICE leaves none out."""
        return [UNK]

    def decode(self, ids: Sequence[int], **_: Any) -> str:
        """Write word numbers."""
        return " ".join(map(str, ids))


class Weights:
    """The weights that a model shows for each text, in the form of ICE's extractors."""

    def __init__(self, shown: Mapping[tuple[int, ...], Sequence[float]]) -> None:
        self.shown = shown

    def get_importance_scores(self, input_ids: torch.Tensor, *_: Any) -> torch.Tensor:
        """Look a text up."""
        return torch.tensor(self.shown[tuple(input_ids.flatten().tolist())])


def _mean(values: Iterator[float]) -> float:
    known = [value for value in values if np.isfinite(value)]
    return float(np.mean(known)) if known else float("nan")


if __name__ == "__main__":
    sys.exit(main())
