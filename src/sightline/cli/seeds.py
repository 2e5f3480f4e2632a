"""What ``--seeds`` adds to an audit: the same again from other seeds, on one page and in one folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
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
    from sightline.findings.seeds import AcrossSeeds
    from sightline.results import Results

SEVERAL = Folder("a folder with the audits of several seeds", FILES)


@dataclass(frozen=True)
class Several:
    """The audits of several seeds, the first one first, and what they say together, which is put together once."""

    audits: Mapping[int, Results]
    found: AcrossSeeds

    @property
    def first(self) -> Results:
        """The audit that is shown in full."""
        return next(iter(self.audits.values()))


def several_of(audits: Mapping[int, Results]) -> Several:
    """Put the audits of several seeds together."""
    from sightline.findings.seeds import across  # noqa: PLC0415  (scipy)

    return Several(audits, across(audits))


def each_seed(subjects: Sequence[ToTrain], make: Callable[[ToTrain], Audit], *, quiet: bool) -> Several:
    """Train and audit once for each seed, and say which one it is."""
    found = {}
    for number, subject in enumerate(subjects, 1):
        if not quiet:
            tell(f"seed {subject.seed} ({number} of {len(subjects)})")
        found[subject.seed] = make(subject)
    return several_of(found)


def write_seeds(several: Several, out: Path, save: Path | None, card: Path | None, *, texts: bool, ids: bool) -> None:
    """Save the audits where that is asked for, then write page and card of the first with what all of them say."""
    from sightline.report.page.render import write_page  # noqa: PLC0415  (jinja2)

    if save is not None:
        with writing(save):
            save_several(several.audits, save)
        note_kept(save, texts=texts, ids=ids)
    with writing(out):
        write_page(several.first, out, texts=texts, ids=ids, seeds=several.found)
    write_card(several.first, card, several.found)


def show_seeds(several: Several, out: Path, save: Path | None, as_json: bool) -> None:
    """Print what all seeds say, then the audit of the first, and where everything was written."""
    from sightline.report.across import told  # noqa: PLC0415  (the statistics that it is made of)
    from sightline.report.sheets.across import across_lines  # noqa: PLC0415  (the same)
    from sightline.report.sheets.summary import lines  # noqa: PLC0415  (the same)

    found, first = several.found, several.first
    places = [f"report: {out}", *([f"saved audits: {save}"] if save is not None else [])]
    if not as_json:
        shown = lines(first, alone=False)
        return say([*across_lines(found), "", f"Seed {found.seeds[0]}, in full:", *shown, "", *places])
    head = f"{told(found)}; seed {found.seeds[0]}: {headline(first.verdict)}"
    emit(first.to_json() | {"headline": head, "seeds": found.to_json()})
    for place in places:
        tell(place)
    return None


def report_seeds(folder: Path, out: Path, card: Path | None, as_json: bool, *, texts: bool, ids: bool) -> None:
    """Draw the saved audits of several seeds again."""
    from sightline.report.across import told  # noqa: PLC0415  (the statistics that it is made of)

    several = several_of(load_several(folder))
    for place in members(folder):
        note_unsealed(place)
    write_seeds(several, out, None, card, texts=texts, ids=ids)
    head = told(several.found)
    if as_json:
        return emit({"report": str(out), "verdict": several.first.verdict.level, "headline": head})
    return say([head, f"report: {out}"])
