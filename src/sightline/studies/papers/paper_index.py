"""Every table and figure by its id, ``PAPER:ID``, in the order of the papers."""

from __future__ import annotations

from collections.abc import Mapping

from sightline.core.errors import SpecError, near_it
from sightline.studies.papers import jain2019, meister2021, tutek2020, wen2022, wiegreffe2019
from sightline.studies.papers.protocol import asked_of, quickly
from sightline.studies.run_plan import Plan, plan_of
from sightline.studies.study_definition import Params, Study

PAPER_TABLES: Mapping[str, Study] = {
    one.id: one
    for paper in (jain2019, tutek2020, meister2021, wen2022, wiegreffe2019)
    for one in paper.PAPER_TABLES
}


def paper_table_named(name: str) -> Study:
    """Find a table or figure; an unknown name is refused with the nearest."""
    if name not in PAPER_TABLES:
        near = near_it(name, PAPER_TABLES, likeness=0.3)
        raise SpecError(
            f"{name}: no table or figure of a paper{near}; sightline study list names all "
            f"{len(PAPER_TABLES)}"
        )
    return PAPER_TABLES[name]


def plan_named(name: str, asked: Params, *, quick: bool = False) -> Plan:
    """Plan a table or figure by its id; what is not set follows the protocol. A folder without its
    corpora, or another corpus, is refused.
    """
    found = paper_table_named(name)
    if not asked.folder.is_dir():
        raise SpecError(
            f"{asked.folder}: expected a folder that holds {', '.join(found.corpora)}", field="data"
        )
    if unknown := [one for one in asked.corpora if one not in found.corpora]:
        raise SpecError(
            f"{unknown[0]!r}: {name} is of {', '.join(found.corpora)}", field="datasets"
        )
    plan = plan_of(found, asked_of(found, asked))
    if quick:
        plan = plan_of(found, quickly(asked, plan.corpora))
    if not plan.corpora:
        message = "; ".join(f"{corpus}: {why}" for corpus, why in plan.absent.items())
        raise SpecError(
            f"{asked.folder} has none of the corpora that {name} is of ({message})", field="data"
        )
    return plan
