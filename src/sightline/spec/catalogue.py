"""Every part that a spec can name."""

from __future__ import annotations

ENCODERS = ("bilstm", "cnn", "mlp", "transformer")
SCORERS = ("additive", "dot", "deep")
PROJECTIONS = ("softmax", "sparsemax", "sparsegen", "entmax", "gumbel")
SOURCES = ("learned", "uniform", "random")
DECODERS = ("linear", "query")
RETENTIONS = ("none", "concat", "residual", "tying", "mlm")
