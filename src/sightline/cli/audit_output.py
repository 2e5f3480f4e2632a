"""Audits as a command leaves them: saved, as a report, as a card, and on the terminal."""

from __future__ import annotations

from sightline.api import folders
from sightline.api.seed_audits import Audits
from sightline.cli.flag_groups import AuditReport, Report
from sightline.cli.output import emit, note_kept, say, tell, write_text, writing
from sightline.cli.output_checks import Folder, Output

AUDIT = Folder("a saved audit", folders.AUDIT)
SEVERAL = Folder("a folder with the audits of several seeds", folders.AUDITS)


def written(report: Report | AuditReport, *, several: bool = False) -> list[Output | None]:
    """Name what `write_audits` writes."""
    save = report.save if isinstance(report, AuditReport) else None
    saved = None if save is None else Output("--save", save, SEVERAL if several else AUDIT)
    card = None if report.card is None else Output("--card", report.card)
    return [Output("--out", report.out), saved, card]


def write_audits(audits: Audits, report: Report | AuditReport) -> None:
    """Save audits where that is asked for, then write their report and card."""
    save = report.save if isinstance(report, AuditReport) else None
    texts, ids = not report.no_texts, not report.no_ids
    if save is not None:  # first: the report may be meant to lie in this folder
        with writing(save):
            audits.save(save)
        note_kept(save, texts=texts, ids=ids)
    with writing(report.out):
        audits.write_report(report.out, texts=texts, ids=ids)
    if report.card is not None:
        write_text(report.card, audits.card(report.card.suffix.lower()))


def show_audits(audits: Audits, report: AuditReport, as_json: bool) -> None:
    """Print audits, and where they were written."""
    places = [f"report: {report.out}"]
    if report.save is not None:
        places.append(f"saved audit{'s' if audits.together else ''}: {report.save}")
    if not as_json:
        return say([*_lines(audits), "", *places])
    emit(audits.to_json())
    for place in places:
        tell(place)
    return None


def _lines(audits: Audits) -> list[str]:
    from sightline.report.text.audit_summary import lines  # noqa: PLC0415  (the same)
    from sightline.report.text.multi_seed_text import across_lines  # noqa: PLC0415  (the statistics that it is made of)

    if audits.across is None:
        return lines(audits.first)
    seed = f"Seed {audits.across.seeds[0]}, in full:"
    return [*across_lines(audits.across), "", seed, *lines(audits.first, alone=False)]
