"""Every artefact by its id, ``PAPER:ID``: one list, in the order of the papers."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches

from sightline.errors import SpecError
from sightline.studies import jain2019, meister2021, tutek2020, wen2022, wiegreffe2019
from sightline.studies.artefact import Artefact

ARTEFACTS: Mapping[str, Artefact] = {
    f"{paper.__name__.rpartition('.')[2]}:{one.name}": one
    for paper in (jain2019, tutek2020, meister2021, wen2022, wiegreffe2019)
    for one in paper.ARTEFACTS
}


def artefact(name: str) -> Artefact:
    """Find an artefact; a name that means none is refused with the nearest."""
    if name not in ARTEFACTS:
        near = get_close_matches(name, ARTEFACTS, n=3, cutoff=0.3)
        told = f"; near it: {', '.join(near)}" if near else ""
        raise SpecError(f"{name}: no artefact of a paper{told}; sightline study list names all {len(ARTEFACTS)}")
    return ARTEFACTS[name]
