"""What the parts of a model require of each other, checked on the spec alone: before data are read
and before torch is imported.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sightline.config.part_syntax import Part
from sightline.config.registry import resolve_options, row_of
from sightline.config.registry_row import States
from sightline.core.errors import SpecError

Parts = Mapping[str, Part]
"""The parts of a model by their kind."""


def states_width(encoder: Part) -> int:
    """Give the width of an encoder's states."""
    return _states(encoder).width(resolve_options("encoder", encoder))


def pooled_width(parts: Parts, embedding: int) -> int:
    """Give the width of the vectors that attention scores and sums."""
    return states_width(parts["encoder"]) + (
        embedding if parts["retention"].name == "concat" else 0
    )


def check_together(parts: Parts, embedding: int) -> None:
    """Refuse a part whose requirement another part does not meet; the error names an alternative."""
    for room, part in parts.items():
        for need in row_of(room, part.name).needs:
            if message := _MISSED[need](parts, embedding):
                raise SpecError(f"{part}: {message}", field="model")


def _states(encoder: Part) -> States:
    states = row_of("encoder", encoder.name).states
    assert states is not None, f"the row of {encoder.name} does not say how wide its states are"
    return states


def _not_as_the_embeddings(parts: Parts, embedding: int) -> str:
    encoder = parts["encoder"]
    states = states_width(encoder)
    if states == embedding:
        return ""
    return (
        f"needs states as wide as the embeddings, got {states} and {embedding}; take "
        f"embedding={states}, or {encoder.name} with {_states(encoder).words} = {embedding}"
    )


def _not_as_the_query(parts: Parts, embedding: int) -> str:
    states, pooled = states_width(parts["encoder"]), pooled_width(parts, embedding)
    if parts["decoder"].name != "query" or states == pooled:
        return ""
    return (
        f"a dot product needs states as wide as the query, got {pooled} and {states}; "
        "concat widens the states: take residual, or another scorer"
    )


def _alone(parts: Parts, embedding: int) -> str:
    encoder = parts["encoder"]
    if _states(encoder).read_others(resolve_options("encoder", encoder)):
        return ""
    return (
        f"a masked word is guessed from its neighbours, and the states of {encoder} see none; "
        "take another encoder"
    )


def _by_label(parts: Parts, embedding: int) -> str:
    if parts["decoder"].name != "labelwise":
        return ""
    return "needs one attention for each text, and labelwise has one for each label; take learned"


_MISSED: Mapping[str, Callable[[Parts, int], str]] = {
    "states as wide as the embeddings": _not_as_the_embeddings,
    "states as wide as the query": _not_as_the_query,
    "states that have read others": _alone,
    "one attention for each text": _by_label,
}
"""For each requirement, a check that describes what is missing, or gives an empty text."""
