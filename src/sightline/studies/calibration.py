"""How often the rule is right when the truth is known: planted evidence, weights nobody uses, weights nobody chose.

Three worlds for each seed and encoder, on the same kind of corpus:

* ``planted``: the model learns its attention on planted evidence; the claims are true;
* ``unused``: the decoder averages, and the weights displayed are drawn at random: (a), SL-101 and SL-102, is false;
* ``unchosen``: weights drawn at random are used by the decoder: (b), SL-104, is false, while (a) holds by construction.
"""

from __future__ import annotations

import json
import multiprocessing
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Float

from sightline.data.dataset import Dataset
from sightline.data.loading import load
from sightline.data.vocabulary import Vocabulary
from sightline.findings.claims import CLAIMS
from sightline.findings.evidence import Evidence
from sightline.findings.judge import judge
from sightline.findings.thresholds import Thresholds, committed
from sightline.maths.projections import softmax, uniform
from sightline.measures import default_measures
from sightline.models.attention import Random
from sightline.models.classifier import AttentionClassifier, build
from sightline.results import Finding, Measurement, Outcome
from sightline.seeds import Seeds
from sightline.spec.parts import Part
from sightline.spec.texts import parse_data, parse_model
from sightline.spec.values import FitSpec, ModelSpec
from sightline.taking.measuring import measure
from sightline.training.companions import with_uniform_attention
from sightline.training.fit import fit
from sightline.types import Auditable, Batch, Example, Link, Offer, Origin, Trace

WORLDS = ("planted", "unused", "unchosen")
ENCODERS: Mapping[str, str] = {"mlp": "mlp(hidden=64)+additive", "bilstm": "bilstm(hidden=32)+additive"}
TRAINING = FitSpec(epochs=20, patience=4)
CORPORA: Mapping[str, str] = {
    "vote": "planted:vote(n=800,length=30,cues=5,strength=0.7)",
    "needle": "planted:needle(n=800,length=30,strength=0.8)",
}
"""Evidence of moderate strength: the best possible accuracies are .837 and .8."""


@dataclass(frozen=True)
class Cell:
    """One model on one corpus, to be audited; at one δ for all findings where ``delta`` is given."""

    world: str
    encoder: str
    corpus: str
    seed: int
    texts: int | None = None
    measures: tuple[str, ...] = ("agreement",)
    delta: float | None = None

    def __str__(self) -> str:
        """Name the cell: the key under which its result is kept."""
        return json.dumps(asdict(self), sort_keys=True)


class Displayed:
    """A model that averages its states and displays weights it does not use; an `Auditable`."""

    def __init__(self, model: AttentionClassifier, seed: int) -> None:
        self.model = model
        self.shown = Random(softmax, seed, 1.0)
        self.name = f"{model.name}, random weights displayed"
        self.link: Link = model.link
        self.labels: tuple[str, ...] | None = model.labels
        self.origin: Origin = "here"
        self.offers: frozenset[Offer] = model.offers

    def collate(self, examples: Sequence[Example]) -> Batch:
        """Collate as the model does."""
        return self.model.collate(examples)

    def embed(self, batch: Batch) -> Float[torch.Tensor, "B T E"]:
        """Embed as the model does."""
        return self.model.embed(batch)

    def trace(self, batch: Batch, embeddings: Float[torch.Tensor, "B T E"] | None = None) -> Trace:
        """Run the model, and display other weights."""
        trace = self.model.trace(batch, embeddings)
        return replace(trace, attention=self.shown(trace.scores, batch).detach())

    def decode(self, trace: Trace, attention: Float[torch.Tensor, "B T"]) -> Float[torch.Tensor, "B L"]:
        """Average, whatever the attention."""
        return self.model.decode(trace, uniform(trace.batch.attendable, attention))


def run_cell(cell: Cell) -> dict[str, Any]:
    """Train and audit one cell; give the answer and the effect of every finding whose measure was taken."""
    torch.set_num_threads(1)
    dataset = load(parse_data(CORPORA[cell.corpus]), cell.seed)
    model, companions = _models(cell, dataset, needs_companion="retrained" in cell.measures)
    measures = [one for one in default_measures() if one.code in ("outputs", *cell.measures)]
    test = dataset.test[: cell.texts]
    outcomes = measure(model, test, measures, companions, Seeds(cell.seed), 32, lambda done, total: None)
    thresholds = committed() if cell.delta is None else Thresholds(dict.fromkeys(CLAIMS, cell.delta), 1)
    findings = judge(Evidence(outcomes, dataset.label_names, thresholds, cell.seed)).findings
    return asdict(cell) | {"n": len(test), "accuracy": _accuracy(outcomes), "findings": _summary(findings)}


def _models(
    cell: Cell, dataset: Dataset, *, needs_companion: bool
) -> tuple[AttentionClassifier | Displayed, dict[str, Auditable]]:
    spec = parse_model(ENCODERS[cell.encoder])
    averaging = with_uniform_attention(spec)
    if cell.world == "unused":
        return Displayed(_fit(averaging, dataset, cell.seed), cell.seed), {}
    if cell.world == "unchosen":
        spec = replace(spec, source=Part("random"))
    companions: dict[str, Auditable] = {"uniform": _fit(averaging, dataset, cell.seed)} if needs_companion else {}
    return _fit(spec, dataset, cell.seed), companions


def _fit(spec: ModelSpec, dataset: Dataset, seed: int) -> AttentionClassifier:
    model = build(spec, Vocabulary.fit(dataset.train), dataset.label_names, seed)
    fit(model, dataset.train, dataset.validation, TRAINING, seed)
    return model


def _accuracy(outcomes: Mapping[str, Outcome]) -> float:
    outputs = outcomes["outputs"]
    assert isinstance(outputs, Measurement)  # outputs need nothing, so they were taken
    return float(np.mean(np.asarray(outputs.values["label"]) == np.asarray(outputs.values["predicted"])))


def _summary(findings: Sequence[Finding]) -> dict[str, dict[str, Any]]:
    return {
        f.code: {"verdict": f.verdict, "effect": f.effect.value, "low": f.effect.low, "high": f.effect.high}
        for f in findings
        if f.effect is not None
    }


def sweep(cells: Sequence[Cell], kept: Path, workers: int, tell: Callable[[int, int], None]) -> list[dict[str, Any]]:
    """Run the cells on local processes; results gather in ``kept``, one JSON line each, so a killed sweep resumes."""
    kept.parent.mkdir(parents=True, exist_ok=True)
    done = _read(kept)
    todo = [cell for cell in cells if str(cell) not in done]
    with kept.open("a", encoding="utf-8") as file, _pool(workers) as pool:
        file.write("\n" if kept.read_bytes()[-1:] not in (b"", b"\n") else "")  # behind a line that was cut short
        waiting = {pool.submit(run_cell, cell): str(cell) for cell in todo}
        for count, future in enumerate(as_completed(waiting), len(cells) - len(todo) + 1):
            done[waiting[future]] = future.result()
            file.write(json.dumps([waiting[future], done[waiting[future]]]) + "\n")
            file.flush()
            tell(count, len(cells))
    return [done[str(cell)] for cell in cells]


def _pool(workers: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"))


def _read(kept: Path) -> dict[str, dict[str, Any]]:
    """Read what an earlier sweep finished; a last line cut short by a kill is done again."""
    done: dict[str, dict[str, Any]] = {}
    for line in kept.read_text(encoding="utf-8").splitlines() if kept.exists() else ():
        try:
            name, result = json.loads(line)
        except ValueError:
            continue
        done[name] = result
    return done
