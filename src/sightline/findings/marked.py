"""What is estimated of the agreement of each map with the words that people marked: context, and no claim."""

from __future__ import annotations

from collections.abc import Mapping

from sightline.findings.claim import Shown
from sightline.questions import MAPS

SCORES = ("auprc", "auprc_chance", "f1", "f1_chance", "iou", "iou_chance")
"""How well the marked words are found, each with what a permuted map would reach."""
MARKED: Mapping[str, Shown] = {
    name: Shown(name, how="mean of shares") for name in (f"rationale.{score}.{one}" for one in MAPS for score in SCORES)
}
"""Every estimate by its name; there is one where the data have marks and the model allows the map."""
