"""Measure how far a search for adversarial attention falls short of the exact maximum, text by
text, on models of the papers.

With one logit the maximal adversarial attention is known exactly
(`sightline.numerics.max_divergence`). So the result of the published search (Jain & Wallace 2019,
figure 7) can be compared with it at one tolerance. The exact value is computed here from
the stored logits of each word alone; it shares only the model with the searches. The models are
those from the study `trained`, trained once for both. The corpora are not shipped: the grid is made
for their folder.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float
from scipy.special import expit

from sightline.config.specs import RunSpec
from sightline.core.results import Measurement, Ragged, Results
from sightline.experiments.grid import pin
from sightline.numerics.max_divergence import bound_gap, farthest
from sightline.stats.bootstrap import mean, proportion
from sightline.studies.papers.study_models import BILSTM, SEEDS, PaperModel
from sightline.studies.papers.study_models import run_spec as trained_spec
from sightline.studies.study_corpora import data_of
from sightline.studies.study_definition import FinishedRun, Labels, Params, Rows, Study, gate

Array = np.ndarray
CORPORA: Mapping[str, tuple[int, int | None]] = {"sst": (len(SEEDS), None), "imdb": (1, 1000)}
"""The number of seeds, and the most test texts."""
MEASURES = ("reach", "searched")
EPSILON, ROUNDING, SHORT = 0.01, 1e-6, 0.05
"""The tolerance in total variation, the same for all; the allowed excess of a search over the exact
value; and the shortfall that counts as much too low."""
BINS = np.linspace(0, 0.7, 41)
"""As in figure 7 of Jain & Wallace 2019."""
SEARCHES: Mapping[str, str] = {
    "published": "the published search, five starts",
    "one start": "its first start alone",
    "ours": "single words, pairs, gradients",
}


def run_spec(folder: Path, corpus: str, seed: int) -> RunSpec:
    """Describe one run: a model of the study `trained`, and two searches on its test texts."""
    run = trained_spec(data_of(folder, corpus), PaperModel(corpus, "jain2019", BILSTM), seed, None)
    return pin(replace(run, limit=CORPORA[corpus][1], measures=MEASURES))


def _runs(params: Params) -> Iterator[tuple[Labels, RunSpec]]:
    for corpus, (count, _) in CORPORA.items():
        for seed in SEEDS[:count][: params.seeds]:
            yield (corpus, str(seed)), run_spec(params.folder, corpus, seed)


def _summary(rows: Rows) -> dict[str, Any]:
    """Return how often a search exceeds the exact value, with the bins of all histograms."""
    return {**rows, "bins": BINS.round(4).tolist(), "gates": list(_gates(rows["rows"]))}


def _values(run: FinishedRun) -> dict[str, Any]:
    """Return the exact value, the result of each search, and how often a search is much too low."""
    audit = run.audit()
    searched = audit.measurements["searched"]
    assert isinstance(searched, Measurement)
    values = {name: np.asarray(one, dtype=float) for name, one in searched.values.items()}
    several, exact = values["words"] > 1, exact_of(audit)
    found = {
        "published": values["published"][:, -1],
        "one start": values["published"][:, 0],
        "ours": values["ours"][:, -1],
    }
    fields = {name: _held(one[several], exact[several], run.seed) for name, one in found.items()}
    released = values["released"][several]
    return {
        "texts": int(several.sum()),
        "one_word": int((~several).sum()),
        "exact": {
            "mean": asdict(mean(exact[several], run.seed, (0.0, 1.0))),
            "histogram": _histogram(exact[several]),
        },
        "searches": fields,
        "released": {
            "mean": asdict(mean(released, run.seed, (0.0, 1.0))),
            "above": int((released > exact[several] + ROUNDING).sum()),
            "histogram": _histogram(released),
        },
        "ends_outside": float(
            values["outside"][several].sum() / (several.sum() * int(searched.settings["starts"]))
        ),
        "decodes": {
            name: float(values[f"decodes_{name}"][several].mean()) for name in ("published", "ours")
        },
        "seconds": round(run.summary().seconds),
    }


def _held(found: Float[Array, " N"], exact: Float[Array, " N"], seed: int) -> dict[str, Any]:
    """Compare what a search found with the exact value of the same texts."""
    return {
        "mean": asdict(mean(found, seed, (0.0, 1.0))),
        "short": asdict(mean(exact - found, seed, (-1.0, 1.0))),
        "much_too_low": asdict(proportion((exact - found > SHORT).astype(float))),
        "above": int((found > exact + ROUNDING).sum()),
        "most_above": float((found - exact).max()),
        "most_short": float((exact - found).max()),
        "histogram": _histogram(found),
    }


def exact_of(audit: Results) -> Float[Array, " N"]:
    """Compute the divergence of the maximal adversarial attention from the log-odds of each word
    alone.
    """
    reach, outputs = audit.measurements["reach"], audit.measurements["outputs"]
    assert isinstance(reach, Measurement)
    assert isinstance(outputs, Measurement)
    odds, weights = reach.values["evidence"], outputs.values["attention"]
    assert isinstance(odds, Ragged)
    assert isinstance(weights, Ragged)
    return np.array([_exact(z, a) for z, a in zip(odds.rows(), weights.rows(), strict=True)])


def _exact(odds: Float[Array, " T"], attention: Float[Array, " T"]) -> float:
    own = attention @ odds
    low, high = bound_gap(np.array([own]), expit([own]), expit([-own]), EPSILON)
    found = farthest(odds[None], attention[None], np.ones((1, len(odds)), dtype=bool), low, high)
    return float(found.divergence[0])


def _histogram(values: Float[Array, " N"]) -> list[int]:
    counts: list[int] = np.histogram(values, BINS)[0].tolist()
    return counts


def _gates(rows: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Check that no search exceeds the exact value at the same tolerance, on any text."""
    for row in rows:
        for name in SEARCHES:
            above = row["searches"][name]["above"]
            text = (
                f"{row['corpus']}, seed {row['seed']}: {name} above the exact value by more than "
                f"{ROUNDING:g}"
            )
            yield gate(text, above, row["texts"], "0", holds=above == 0)


STUDY = Study(
    "farthest",
    "how far a search for other attention falls short of the farthest there is",
    _runs,
    ("corpus", "seed"),
    estimates=_values,
    summary=_summary,
)
