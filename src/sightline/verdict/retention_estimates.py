"""What is estimated of what states keep of their words: means, and ratios of sums over texts;
context, and no claim.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sightline.stats.intervals import Bounds
from sightline.verdict.audit_test import ReportedQuantity


@dataclass(frozen=True)
class Ratio:
    """What is added up over the texts, above the line and below it, and between which ends a text's
    share lies.
    """

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
"""The share of what varies that varies within texts; and what a probe gains on a word, in nats and
of what there is."""
KEPT: Mapping[str, ReportedQuantity] = {
    "token_evidence.probability": ReportedQuantity(
        "token_evidence.probability", how="mean of shares"
    ),
    "token_evidence.gap": ReportedQuantity("token_evidence.gap", how="unbounded mean"),
}
"""The means."""
