"""The outputs of an audit command: saved audits, report, card, and the terminal."""

from __future__ import annotations

from shutil import get_terminal_size
from typing import TYPE_CHECKING

from sightline.api import folders
from sightline.api.seed_audits import Audits
from sightline.cli.flag_groups import AuditReport, Console, Report
from sightline.cli.output import emit, note_kept, print_lines, print_message, write_text, writing
from sightline.cli.output_checks import Folder, Output
from sightline.core.results import CANNOT_TELL
from sightline.report.advice import first_of_all, look_command
from sightline.report.junit import junit
from sightline.report.sentences import shown_parts
from sightline.report.sequential_note import is_unfinished

if TYPE_CHECKING:
    from sightline.audits.label_audits import LabelAudits

AUDIT = Folder("a saved audit", folders.AUDIT)
_NAMES = {"report": "Report", "card": "Card", "JUnit XML": "JUnit"}
LABELS = Folder("the audits of several labels", folders.LABELS)
SEVERAL = Folder("a folder with the audits of several seeds", folders.AUDITS)


def audit_outputs(report: Report | AuditReport, *, several: bool = False) -> list[Output | None]:
    """Name what `write_audits` writes."""
    save = report.save if isinstance(report, AuditReport) else None
    kind = SEVERAL if several else AUDIT
    if save is not None and LABELS.is_at(save):
        kind = LABELS
    saved = None if save is None else Output("--save", save, kind)
    files = {"--card": report.card, "--junit": report.junit}
    more = (None if file is None else Output(flag, file) for flag, file in files.items())
    return [Output("--out", report.out), saved, *more]


def write_audits(
    audits: Audits | LabelAudits, report: Report | AuditReport
) -> Audits | LabelAudits:
    """Save audits if asked for, then write their report and card; give them as they are shown."""
    save = report.save if isinstance(report, AuditReport) else None
    texts, ids = not report.no_texts, not report.no_ids
    if save is not None:  # first: the report may lie in this folder
        with writing(save):
            audits.save(save)
        if isinstance(audits, Audits) or audits.audits:  # without any, nothing of a text was saved
            note_kept(save, texts=texts, ids=ids)
    shown = audits.redacted(texts=texts, ids=ids)
    with writing(report.out):
        shown.to_html(report.out, texts=texts, ids=ids, title=report.title)
    if report.card is not None:
        write_text(report.card, shown.card(report.card.suffix.lower()))
    if report.junit is not None:
        written = (
            junit(shown.by_seed)
            if isinstance(shown, Audits)
            else junit(shown.audits, shown.left_out, shown.failed)
        )
        write_text(report.junit, written)
    return shown


def show_audits(audits: Audits | LabelAudits, report: AuditReport, console: Console) -> None:
    """Print audits, and where they were written."""
    several = not isinstance(audits, Audits) or audits.together
    saved = f"saved audit{'s' if several else ''}"
    files = {
        "report": report.out,
        saved: report.save,
        "card": report.card,
        "JUnit XML": report.junit,
    }
    places = {name: place for name, place in files.items() if place is not None}
    if console.as_json:
        emit(audits.to_json())
        for name, place in places.items():
            print_message(f"{name}: {place}")
        return
    named = [f"{_NAMES.get(name, 'Saved'):<10}{place}" for name, place in places.items()]
    print_lines([*_lines(audits, verbose=console.verbose), "", *named, *_next(audits, report)])


def _next(audits: Audits | LabelAudits, report: AuditReport) -> list[str]:
    """Name the next step: more texts after *cannot tell*, or the card, unless it was written."""
    if isinstance(audits, Audits):
        if is_unfinished(audits.first):
            return ["Next      the same command with a larger --budget, which continues from here"]
        if first_of_all(audits.first):
            return ["Next      do what Why says above, and audit again"]
        if audits.first.verdict.level == CANNOT_TELL:
            return ["Next      audit more texts, or what the lines above say is missing"]
        if look := look_command(audits.first, _folder_of(audits, report)):
            return [f"Next      {look}"]
        shown = bool(shown_parts(audits.first.verdict))
    else:
        shown = any(one.may_be_shown_for for one in audits.audits.values())
    # The caption belongs under a map, so a map that may be shown for no text has none to paste.
    if report.card is not None or not shown:
        return []
    return ["Next      add --card card.md for a card with the caption to paste under a heat map"]


def _folder_of(audits: Audits, report: AuditReport) -> str:
    """Name the folder of the saved audit; of several, none is the one that was looked at."""
    return "" if report.save is None or audits.together else str(report.save)


def _lines(audits: Audits | LabelAudits, *, verbose: bool) -> list[str]:
    from sightline.report.text.audit_summary import WIDTH, lines  # noqa: PLC0415  (the same)
    from sightline.report.text.multi_seed_text import across_lines  # noqa: PLC0415  (the statistics that it is made of)

    if not isinstance(audits, Audits):
        return audits.lines()
    width = min(WIDTH, get_terminal_size((WIDTH, 24)).columns)
    if audits.across is None:
        return lines(audits.first, verbose=verbose, width=width)
    seed = f"Seed {audits.across.seeds[0]}, in full:"
    first = lines(audits.first, alone=False, verbose=verbose, width=width)
    return [*across_lines(audits.across), "", seed, *first]
