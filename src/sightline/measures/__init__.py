"""What an audit asks of a model: one question a file, raw numbers for each text."""

from __future__ import annotations

from sightline.measures.agreement import Agreement
from sightline.measures.erasure import Erasure
from sightline.measures.importance import TOKENS_AT_ONCE
from sightline.measures.need import Need, RetrainedUniform
from sightline.measures.outputs import Outputs
from sightline.measures.permutation import Permutation
from sightline.measures.reach import Reach
from sightline.types import Measure


def default_measures(tokens_at_once: int = TOKENS_AT_ONCE) -> tuple[Measure, ...]:
    """List every measure of an audit, in the order of the report; deletion runs so many tokens together."""
    return (
        Outputs(),
        Need(),
        RetrainedUniform(),
        Agreement(tokens_at_once=tokens_at_once),
        Reach(),
        Permutation(),
        Erasure(),
    )
