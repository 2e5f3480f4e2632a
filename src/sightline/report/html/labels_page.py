"""The page of several labels: the labels for which attention may be shown, with links to their
reports.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

from sightline._io.atomic_write import write_bytes, write_whole
from sightline._io.home_folder import from_home
from sightline.core.results import Results
from sightline.report.html.audit_page import write_page
from sightline.report.html.page_template import frame, template
from sightline.report.label_rows import HEAD, LabelRow, by_verdict, cells, intervals_note, summary


def pages_folder(path: Path) -> Path:
    """Name the folder with the reports of the labels, next to the page."""
    return path.with_name(f"{path.stem}-labels")


def write_labels(
    rows: Sequence[LabelRow],
    audits: Mapping[str, Results],
    path: Path,
    *,
    texts: bool = True,
    ids: bool = True,
    title: str = "",
) -> Path:
    """Write the reports of the labels to a folder, then the page that links to them."""
    path = from_home(path)
    folder, names = pages_folder(path), page_names(audits)

    def write(aside: Path) -> None:
        aside.mkdir()
        for label, audit in audits.items():
            write_page(audit, aside / names[label], texts, ids, title=title)

    write_whole(
        folder, write, {*names.values(), *(one.name for one in folder.glob("label-*.html"))}
    )
    if not any(folder.iterdir()):  # no label was audited, and nobody else keeps files there
        folder.rmdir()
    audited, left = (
        [(cells(row), _link(folder, names.get(row.label, ""))) for row in some]
        for some in by_verdict(rows)
    )
    page = template("labels.html.j2").render(
        **frame(),
        title=title,
        head=HEAD,
        rows=audited,
        left=left,
        found=summary(rows),
        note=intervals_note(rows),
    )
    return write_bytes(path, page.encode("utf-8"))


def page_names(labels: Mapping[str, object]) -> dict[str, str]:
    """Name the page of each label by its position, because a label may contain anything."""
    return {label: f"label-{number:03d}.html" for number, label in enumerate(labels, 1)}


def _link(folder: Path, name: str) -> str:
    return f"{quote(folder.name)}/{name}" if name else ""
