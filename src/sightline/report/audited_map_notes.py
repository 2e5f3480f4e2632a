"""What a verdict rests on if only the predictions of a model are known, and which tests could not
be run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sightline.core.results import Results
from sightline.report.number_format import count

ONLY_ANSWERS = (
    "Only the answers of this model are known. Tests that need its gradients, its hidden states or "
    "other weights could not be asked, so no verdict is better than “can be shown with caveats”."
)
OF_ITSELF = (
    "Leave-one-out cannot confirm itself, so Leave-one-out agreement (SL-102) was not run, and no "
    "verdict is better than “cannot tell”. Bring the scores of another map to audit that one."
)


def noted(audit: Results) -> Iterator[str]:
    """Name the audited map, count the texts that the model was asked, and describe the texts that
    tests make.
    """
    card = audit.cards.get("model")
    if not isinstance(card, Mapping) or "answers" not in card:
        return
    yield f"The audited map is {card['reading']}."
    yield ONLY_ANSWERS
    if card["audited_map"]["same_as"]:
        yield OF_ITSELF
    asked = card["answers"]
    failed = (
        f"; {count(n)} calls failed and were tried again" if (n := asked["failed_calls"]) else ""
    )
    yield (
        f"The model was asked {count(asked['texts_asked'])} texts in this audit, which needed the "
        f"answers to {count(asked['texts_needed'])} different ones{failed}."
    )
