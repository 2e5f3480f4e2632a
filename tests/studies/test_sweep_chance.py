"""Agreement along λ is held against the agreement of shuffled weights along λ."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from sightline.studies.papers import meister2021

LAMBDAS = (-3.0, 0.0, 0.5)


def test_an_agreement_that_rises_as_shuffled_weights_do_is_at_its_chance_level(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """τ rises with λ in every text; that of shuffled weights rises more steeply."""
    chance, agreement = np.array([0.0, 0.2, 0.5]), np.array([0.1, 0.25, 0.3])

    def numbers(place: int, name: str) -> dict[str, np.ndarray]:
        at = LAMBDAS.index(place)
        found = {"support": np.full(4, 3.0), "entropy.gradient_through": np.full(4, 0.9 - 0.1 * at)}
        for importance in ("gradient_through", "deletion"):
            found[f"tau.{importance}"] = np.full(4, agreement[at])
            found[f"coupling_tau.{importance}"] = np.full(4, chance[at])
        return found

    monkeypatch.setattr(meister2021, "numbers_of", numbers)
    monkeypatch.setattr(meister2021, "clusters_of", lambda place: np.arange(4))
    runs = [
        SimpleNamespace(
            seed=0,
            audit=lambda at=at: at,
            spec=SimpleNamespace(
                model=SimpleNamespace(projection=SimpleNamespace(options=(("lambda", str(at)),)))
            ),
        )
        for at in LAMBDAS
    ]
    found = meister2021._along(runs)
    for label in ("τ with gradient of inputs", "τ with deletion of inputs"):
        of = found[f"τ of λ with {label}"]
        assert of.value.value == of.baseline.value == 1
        left = found[f"τ of λ with {label} less chance"]  # 0.10, 0.05, −0.20
        assert (left.value.value, left.baseline.value) == (-1, 0)
    evenness = found["τ of λ with evenness of inputs for the answer"]
    assert (evenness.value.value, evenness.baseline.value) == (-1, 0)
