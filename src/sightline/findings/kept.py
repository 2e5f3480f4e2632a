"""What is estimated of what states keep of their words: means, and ratios of sums over texts; context, and no claim."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sightline.findings.claim import Shown
from sightline.statistics.intervals import Bounds


@dataclass(frozen=True)
class Ratio:
    """What is added up over the texts, above the line and below it, and between which ends a text's share lies."""

    top: str
    bottom: str
    bounds: Bounds = None


_KNOWN = "input_information"
RATIOS: Mapping[str, Ratio] = {
    "token_evidence.share": Ratio("token_evidence.within", "token_evidence.total", (0.0, 1.0)),
    f"{_KNOWN}.nats": Ratio(f"{_KNOWN}.gained", f"{_KNOWN}.words"),
    f"{_KNOWN}.nats_half": Ratio(f"{_KNOWN}.gained_half", f"{_KNOWN}.words"),
    f"{_KNOWN}.share": Ratio(f"{_KNOWN}.gained", f"{_KNOWN}.entropy"),
}
"""The share of what varies that varies within texts; and what a probe gains on a word, in nats and of what there is."""
KEPT: Mapping[str, Shown] = {
    "token_evidence.probability": Shown("token_evidence.probability", how="mean of shares"),
    "token_evidence.gap": Shown("token_evidence.gap", how="unbounded mean"),
}
"""The means."""
