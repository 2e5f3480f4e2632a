"""``sightline report``: write the report of a saved audit again."""

from __future__ import annotations

from sightline.cli import flags
from sightline.cli.audit_output import audit_outputs, write_audits
from sightline.cli.flag_groups import Report, grouped
from sightline.cli.output import emit, print_lines
from sightline.cli.output_checks import check_places
from sightline.cli.report_files import check_endings


@grouped
def report(folder: flags.SavedAudit, page: Report, as_json: flags.Json = False) -> None:
    """Write the report of a saved audit again: the same numbers and page, without the model or the
    data.
    """
    from sightline.api.find_audits import place_of  # noqa: PLC0415  (numpy)
    from sightline.api.seed_audits import Audits, load_audits  # noqa: PLC0415  (as late as it is needed)

    folder = place_of(folder)
    check_places((("AUDIT_DIR", folder),), *audit_outputs(page))
    check_endings(page.out, page.card)
    audits, _ = load_audits(folder)
    audits = write_audits(audits, page)
    if not isinstance(audits, Audits):
        summary = {"report": str(page.out), "headline": audits.headline}
        return (
            emit(summary) if as_json else print_lines([*audits.lines(), "", f"report: {page.out}"])
        )
    if as_json:
        verdict = audits.first.verdict
        classes = {name: one.level for name, one in verdict.by_class.items()}
        values = {"report": str(page.out), "verdict": verdict.level, "by_class": classes}
        return emit(values | ({"headline": audits.headline} if audits.together else {}))
    kind = "" if audits.together else "Verdict: "
    return print_lines([f"{kind}{audits.headline}", f"report: {page.out}"])
