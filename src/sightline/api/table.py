"""A paper's table for audits of the user's own models."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from sightline.audits.audit_result import Audit
from sightline.core.errors import SpecError
from sightline.core.results import Table
from sightline.experiments.audit_lookup import named_audits as named_audits
from sightline.experiments.audit_lookup import refuse_repeats
from sightline.report.redact import redacted
from sightline.report.tables.markdown_table import to_markdown
from sightline.report.tables.terminal_table import to_text
from sightline.studies.papers.own_models import OwnAudit, table_of_audits


class PaperTable(Table):
    """A table or figure of a paper, as numbers. It prints as ``sightline table`` prints it."""

    def __str__(self) -> str:
        """Write the table as the command line does."""
        return to_text(self)

    def _repr_markdown_(self) -> str:
        return to_markdown(self)


def table(name: str, *audits: Audit | str | Path, average: bool = False) -> PaperTable:
    """Read of audits what a table or figure of a paper reads of its models.

    Parameters
    ----------
    name
        The id of the table or figure, such as ``jain2019:J-2``; ``sightline study list`` names all.
    audits
        Audits, or where they are: a folder that `Audit.save` wrote, or a run as ``STORE:KEY``.
        Audits of models that were trained under several seeds, and differ in nothing else, are
        averaged.
    average
        Whether all audits are of one model that was trained elsewhere under several seeds: their
        numbers are averaged.
    """
    if not audits:
        raise SpecError("expected an audit or more, got none", field="audits")
    given = [one for one in audits if isinstance(one, Audit)]
    if len({id(one) for one in given}) < len(given):
        raise SpecError("an audit is given twice; leave it out once", field="audits")
    places = named_audits([str(one) for one in audits if not isinstance(one, Audit)])
    refuse_repeats(places)
    own = [OwnAudit(f"audit {number}", one) for number, one in enumerate(given, start=1)]
    own += [OwnAudit(str(place), Audit(**vars(place.read()))) for place in places]
    # What a failed measure said may quote a text, and a table is for a paper.
    own = [replace(one, audit=redacted(one.audit, texts=False)) for one in own]
    return PaperTable(**vars(table_of_audits(name, own, average=average)))
