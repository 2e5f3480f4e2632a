"""What Meister et al. (2021) print of sparse attention, by corpus and model; ours stand beside it.

BiLSTM with additive attention, Transformer with dot; means over test texts; their standard deviations
are left out.
"""

from __future__ import annotations

from collections.abc import Mapping

_MODELS = tuple(
    f"{model}+{how}" for model in ("bilstm+additive", "transformer+dot") for how in ("softmax", "sparsemax")
)


def _of(corpus: str, *values: float) -> dict[tuple[str, str], float]:
    return {(corpus, model): value for model, value in zip(_MODELS, values, strict=True)}


TABLE_1: Mapping[tuple[str, str], float] = {
    **_of("imdb", 0.71, 0.72, 0.76, 0.72),
    **_of("news", 0.75, 0.68, 0.48, 0.46),
    **_of("sst", 0.93, 0.91, 0.73, 0.63),
}
"""Normalised entropy of the gradient importance of inputs for states."""
TABLE_2: Mapping[tuple[str, str], float] = {
    ("imdb", "bilstm"): -0.935, ("news", "bilstm"): -0.675, ("sst", "bilstm"): -0.866,
    ("imdb", "transformer"): -0.830, ("news", "transformer"): -0.409, ("sst", "transformer"): -0.810,
}  # fmt: skip
"""τ-b of sparsegen's λ with the entropy of the gradient importance of inputs for the output."""
TABLE_6: Mapping[str, Mapping[tuple[str, str], float]] = {
    "gradient_through": {
        **_of("imdb", 0.36, 0.31, 0.67, 0.44),
        **_of("news", 0.24, 0.25, 0.54, 0.47),
        **_of("sst", 0.25, 0.45, 0.72, 0.67),
    },
    "deletion": {
        **_of("imdb", 0.31, 0.25, 0.20, 0.21),
        **_of("news", 0.17, 0.23, 0.05, 0.14),
        **_of("sst", 0.35, 0.34, 0.33, 0.30),
    },
    "state_gradient": {
        **_of("imdb", 0.77, 0.98, 0.76, 0.92),
        **_of("news", 0.78, 0.98, 0.62, 0.76),
        **_of("sst", 0.80, 0.97, 0.89, 0.88),
    },
    "state_deletion": {
        **_of("imdb", 0.79, 0.98, 0.10, 0.19),
        **_of("news", 0.70, 0.99, 0.05, 0.15),
        **_of("sst", 0.49, 0.98, 0.16, 0.25),
    },
}
"""Mean τ-b of attention with each importance, of inputs and of states."""
