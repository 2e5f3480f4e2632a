"""What ``--seeds`` adds to an audit: the same again from other seeds, on one page and in one folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sightline.cli.output import emit, note_kept, note_unsealed, say, tell, writing
from sightline.cli.pages import write_card
from sightline.cli.places import Folder
from sightline.experiments.several import FILES, load_several, members, save_several
from sightline.report.sentences import headline

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sightline.audits import Audit
    from sightline.experiments.subject import ToTrain
    from sightline.results import Results

SEVERAL = Folder("a folder with the audits of several seeds", FILES)


def each_seed(subjects: Sequence[ToTrain], make: Callable[[ToTrain], Audit], *, quiet: bool) -> dict[int, Audit]:
    """Train and audit once for each seed, and say which one it is."""
    found = {}
    for number, subject in enumerate(subjects, 1):
        if not quiet:
            tell(f"seed {subject.seed} ({number} of {len(subjects)})")
        found[subject.seed] = make(subject)
    return found


def write_seeds(
    audits: Mapping[int, Results], out: Path, save: Path | None, card: Path | None, *, texts: bool, ids: bool
) -> None:
    """Save the audits where that is asked for, then write page and card of the first with what all of them say."""
    from sightline.findings.seeds import across  # noqa: PLC0415  (scipy)
    from sightline.report.page.render import write_page  # noqa: PLC0415  (jinja2)

    if save is not None:
        with writing(save):
            save_several(audits, save)
        note_kept(save, texts=texts, ids=ids)
    found = across(audits)
    with writing(out):
        write_page(_first(audits), out, texts=texts, ids=ids, seeds=found)
    write_card(_first(audits), card, found)


def show_seeds(audits: Mapping[int, Results], out: Path, save: Path | None, as_json: bool) -> None:
    """Print what all seeds say, then the audit of the first, and where everything was written."""
    from sightline.findings.seeds import across  # noqa: PLC0415  (scipy)
    from sightline.report.across import told  # noqa: PLC0415  (the statistics that it is made of)
    from sightline.report.sheets.across import across_lines  # noqa: PLC0415  (the same)
    from sightline.report.sheets.summary import lines  # noqa: PLC0415  (the same)

    found, first = across(audits), _first(audits)
    places = [f"report: {out}", *([f"saved audits: {save}"] if save is not None else [])]
    if not as_json:
        return say([*across_lines(found), "", f"Seed {found.seeds[0]}:", *lines(first), "", *places])
    head = f"{told(found)}; seed {found.seeds[0]}: {headline(first.verdict)}"
    emit(first.to_json() | {"headline": head, "seeds": found.to_json()})
    for place in places:
        tell(place)
    return None


def report_seeds(folder: Path, out: Path, card: Path | None, as_json: bool, *, texts: bool, ids: bool) -> None:
    """Draw the saved audits of several seeds again."""
    audits = load_several(folder)
    for place in members(folder):
        note_unsealed(place)
    write_seeds(audits, out, None, card, texts=texts, ids=ids)
    from sightline.findings.seeds import across  # noqa: PLC0415  (scipy)
    from sightline.report.across import told  # noqa: PLC0415  (the statistics that it is made of)

    head = told(across(audits))
    if as_json:
        return emit({"report": str(out), "verdict": _first(audits).verdict.text, "headline": head})
    return say([head, f"report: {out}"])


def _first(audits: Mapping[int, Results]) -> Results:
    return next(iter(audits.values()))
