"""Made-up measurements whose answer is known."""

import numpy as np

from sightline.findings.claims import CLAIMS
from sightline.findings.evidence import Evidence
from sightline.findings.thresholds import Thresholds
from sightline.results import Measurement, NotApplicable, Outcome

N = 120
THRESHOLDS = Thresholds(dict.fromkeys(CLAIMS, 0.1), minimum_texts=50)
PREDICTED = np.arange(N) % 2


def evidence(texts: int = 60, error: float = 0.0) -> Evidence:
    """What the verdict looks at beside the findings."""
    taken = {
        "outputs": Measurement("outputs", {"predicted": np.zeros(texts, int)}),
        "need": Measurement("need", {"identity_error": np.full(texts, error)}),
    }
    return Evidence(taken, ("a", "b"), THRESHOLDS, 0)


def agreement(effects: dict[str, float]) -> Measurement:
    """Draw captured importance so many above chance."""
    generator = np.random.default_rng(0)
    values: dict[str, np.ndarray] = {}
    for name in ("gradient", "deletion", "free", "references"):
        values[f"chance.{name}"] = generator.uniform(0.1, 0.3, N)
        values[f"captured.{name}"] = values[f"chance.{name}"] + effects.get(name, 0.4) + generator.normal(0, 0.05, N)
        values[f"draws.{name}"] = values[f"chance.{name}"][:, None] + generator.normal(0, 0.05, (N, 99))
    return Measurement("agreement", values)


def outcomes(agreed: Outcome, learned: np.ndarray, uniform: np.ndarray) -> dict[str, Outcome]:
    """Everything that is measured, so that all is well but for what is given."""
    labels = PREDICTED
    need = {
        "label": labels,
        "learned": learned,
        "uniform": uniform,
        "permuted": np.stack([uniform] * 3, 1),
        "identity_error": np.zeros(N),
    }
    floor = np.full((N, 2), 0.1)
    return {
        "outputs": Measurement("outputs", {"predicted": PREDICTED, "label": labels}),
        "need": Measurement("need", need),
        "retrained": NotApplicable("retrained", "needs a companion (uniform)"),
        "agreement": agreed,
        "reach": Measurement("reach", {"proof": (np.arange(N) < 30).astype(float)}),
        "permutation": Measurement("permutation", {"ratio": np.full(N, 0.5), "ratio_floor": floor}),
        "erasure": Measurement("erasure", {"area": np.full(N, 0.5), "floor": floor}),
    }
