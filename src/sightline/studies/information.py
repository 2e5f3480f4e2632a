"""What ranks know in models of the papers' make: the published number beside contrasts that attention has no part in.

Encoders and scorers of Wen et al. (2022) on SST; models that were never trained, with their weights as they are and
sharpened to nearly one word; and MLP and BiLSTM on two newsgroups and on questions about stories, where there are few
texts. The corpora are not shipped: the grid is made for the folder they lie in.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from sightline.audits import Audit
from sightline.experiments.grid import Grid, pin
from sightline.experiments.store import Store
from sightline.findings.ends import ends_of
from sightline.findings.evidence import Evidence
from sightline.findings.ranks import told_of_ranks
from sightline.findings.thresholds import Thresholds
from sightline.results import Estimate, Measurement
from sightline.spec.keys import lasting_key
from sightline.spec.presets import build_specs
from sightline.spec.values import RunSpec
from sightline.statistics.across import across_seeds
from sightline.studies.corpora import data_of
from sightline.studies.study import Counted, grid_of
from sightline.studies.trained import BILSTM, SEEDS

ENCODERS, SCORERS = ("mlp", "bilstm", "cnn"), ("additive", "dot", "deep")
AXES = ("corpus", "model", "kind", "seed")
TRAINED, UNTRAINED = "trained", "untrained"
SHARPENED: Mapping[str, str] = {f"untrained, weights ^{power}": f"sharpened(power={power}.0)" for power in (300, 1000)}
"""What is left of learning where nothing was learned, by how much attention was sharpened."""
ONCE = 1
"""Seeds of questions about stories: they are asked what so few texts could have shown, not what seeds do."""
PRINTED: Mapping[str, float] = {"bilstm+additive": 0.92, "cnn+additive": 0.88, "cnn+deep": 0.83, "bilstm+deep": 0.80}
"""τ in Wen et al. 2022, §5: means over all their corpora, of ten seeds each. They print no value by corpus."""
TOLD = ("D.output", "D.decoupled", "D.label", "paper.tau.output", "paper.tau.decoupled", "paper.tau.label", "flatness")
"""What is averaged over seeds."""


@dataclass(frozen=True)
class Asked:
    """Models of one corpus, under a preset, and of which seeds."""

    corpus: str
    preset: str
    models: tuple[str, ...]
    seeds: tuple[int, ...] = SEEDS


ASKED = (
    Asked("sst", "wen2022", tuple(f"{encoder}+{scorer}" for encoder in ENCODERS[:2] for scorer in SCORERS)),
    Asked("news", "wen2022", ("mlp+additive", BILSTM)),
    Asked("babi1", "jain2019-babi", ("mlp+additive+query", f"{BILSTM}+query"), SEEDS[:ONCE]),
    Asked("sst", "wen2022", tuple(f"cnn+{scorer}" for scorer in SCORERS)),
)


def cell(folder: Path, corpus: str, preset: str, model: str, kind: str, seed: int) -> RunSpec:
    """Describe one run."""
    spec, fit = build_specs(model, preset)
    made = fit if kind == TRAINED else replace(fit, epochs=0)
    altered = SHARPENED.get(kind, "")
    return RunSpec(data_of(folder, corpus), spec, made, seed, companions=(), measures=("information",), altered=altered)


def grid(folder: Path, seeds: int | None = None) -> Grid:
    """List the runs."""
    return grid_of("information", AXES, _cells(folder, seeds))


def _cells(folder: Path, seeds: int | None) -> Iterator[tuple[tuple[str, ...], RunSpec]]:
    for kind in (UNTRAINED, *SHARPENED):
        for seed in SEEDS[:seeds]:
            yield ("sst", BILSTM, kind, str(seed)), pin(cell(folder, "sst", "wen2022", BILSTM, kind, seed))
    for asked in ASKED:
        for seed in asked.seeds[:seeds]:
            for model in asked.models:
                label = (asked.corpus, model.removesuffix("+query"), TRAINED, str(seed))
                yield label, pin(cell(folder, asked.corpus, asked.preset, model, TRAINED, seed))


def table(grid: Grid, store: Store) -> dict[str, Any]:
    """Give every run, and the means over seeds beside what the paper prints; there are no gates."""
    return summed(counted(grid, store))


def counted(grid: Grid, store: Store) -> Counted:
    """Count each run."""
    cells = zip(grid.labels, grid.cells, grid.keys, strict=True)
    return {"rows": [{"run": lasting_key(run), **row(labels, store.audit(key))} for labels, run, key in cells]}


def summed(counted: Counted) -> dict[str, Any]:
    """Average runs over seeds."""
    rows = counted["rows"]
    named = dict.fromkeys((one["corpus"], one["model"], one["kind"]) for one in rows)
    return {"rows": rows, "means": [_mean(name, rows) for name in named], "gates": []}


def row(labels: Sequence[str], audit: Audit) -> dict[str, Any]:
    """Give what one run says of ranks."""
    taken = audit.measurements["information"]
    assert isinstance(taken, Measurement), taken
    evidence = Evidence(audit.measurements, tuple(audit.cards["model"]["labels"] or ()), Thresholds({}, 1), 0)
    return {
        **dict(zip(AXES, labels, strict=True)),
        "texts": len(audit.texts),
        "accuracy": asdict(audit.metrics["accuracy"]),
        "said": told_of_ranks(evidence) or "; ".join(taken.undefined.get("first.label", {})),
        "numbers": {name: asdict(one) for name, one in taken.whole.items() if one.n},
        "settings": dict(taken.settings),
    }


def _mean(named: tuple[str, ...], rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    corpus, model, kind = named
    found = [one for one in rows if (one["corpus"], one["model"], one["kind"]) == named]
    numbers = {name: [Estimate(**one["numbers"][name]) for one in found if name in one["numbers"]] for name in TOLD}
    means = {name: asdict(across_seeds(each, ends_of(f"information.{name}"))) for name, each in numbers.items() if each}
    printed = PRINTED.get(model) if (corpus, kind) == ("sst", TRAINED) else None
    said = [one["said"].partition(":")[0] for one in found]
    return {**dict(zip(AXES, named, strict=False)), "seeds": len(found), "printed": printed, "said": said, **means}
