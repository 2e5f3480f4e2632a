"""Estimates of how much hidden states keep of their words: means and ratios of sums; context,
without a test.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sightline.stats.intervals import Bounds


@dataclass(frozen=True)
class Ratio:
    """Numerator and denominator of a ratio of sums over texts, and the bounds of a text's share."""

    top: str
    bottom: str
    bounds: Bounds = None


_KNOWN = ("input_information", "input_information_drawn")
RATIOS: Mapping[str, Ratio] = {
    "token_evidence.share": Ratio("token_evidence.within", "token_evidence.total", (0.0, 1.0)),
    **{f"{known}.nats": Ratio(f"{known}.gained", f"{known}.words") for known in _KNOWN},
    **{f"{known}.nats_half": Ratio(f"{known}.gained_half", f"{known}.words") for known in _KNOWN},
    **{f"{known}.share": Ratio(f"{known}.gained", f"{known}.entropy") for known in _KNOWN},
}
"""The share of the variance of token logits within texts; and the gain of a probe on a word, in
nats and as a share of the entropy."""
KEPT = ("token_evidence.probability", "token_evidence.gap")
"""Estimates that are means over texts."""
