"""What each test is called, by its code, where a line names several."""

from __future__ import annotations

from collections.abc import Mapping

NAMES: Mapping[str, str] = {
    "SL-303": "Transfer",
    "SL-301": "Removal",
    "SL-304": "Own words",
    "SL-305": "Range",
    "SL-306": "Presence",
    "SL-307": "Top word",
    "SL-308": "Share of texts",
    "SL-101": "Gradient agreement",
    "SL-102": "Leave-one-out agreement",
    "SL-104": "Attention-free agreement",
    "SL-001": "Need",
    "SL-105": "Polarity",
    "SL-106": "Words, not punctuation",
    "SL-402": "Own word",
    "SL-202": "Permutation",
    "SL-205": "Prediction flip",
    "SL-401": "Rank information",
    "SL-103": "Comparison agreement",
    "SL-107": "Selection",
    "SL-201": "Sensitivity to attention",
    "SL-203": "Minimal attention mass",
    "SL-403": "Focus of states",
    "SL-302": "Sufficiency",
    "SL-601": "Seed stability",
}
