"""The page of the demo: the conclusion of each audit, and one text under each model's attention."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sightline._io.atomic_write import write_bytes
from sightline.core.results import Results
from sightline.report.caption import caption
from sightline.report.first_screen import conclusions
from sightline.report.html.page_template import frame, template
from sightline.report.html.token_highlights import TextMap, text_maps
from sightline.report.html.view_model import held_texts

ATTENTION = "attention"


@dataclass(frozen=True)
class Entry:
    """One audit of the demo, and the path of its report relative to the page."""

    title: str
    model: str
    report: str
    audit: Results


def write_index(entries: Sequence[Entry], path: Path) -> None:
    """Write the page, all or nothing."""
    shared = _shared(entries)
    shown = [
        {
            "entry": one,
            "answers": [(said.text, said.tone) for said in conclusions(one.audit)],
            "caption": " ".join(caption(one.audit)),
            "rows": () if shared is None else _drawn(one.audit, shared),
        }
        for one in entries
    ]
    text = "" if shared is None else entries[0].audit.texts[shared].predicted
    page = template("demo.html.j2").render(**frame(), entries=shown, predicted=text)
    write_bytes(path, page.encode("utf-8"))


def _shared(entries: Sequence[Entry]) -> int | None:
    """Choose the first text that every model predicts correctly; None if there is none."""
    texts = zip(*(one.audit.texts for one in entries), strict=True)
    right = (
        index
        for index, text in enumerate(texts)
        if len({one.text for one in text}) == 1 and all(one.predicted == one.label for one in text)
    )
    return next(right, None)


def _drawn(audit: Results, index: int) -> tuple[TextMap, ...]:
    """Draw a text by attention only."""
    held = held_texts(audit)
    record = replace(held.records[index], rationale=None)
    return text_maps(
        record,
        [(each.kind, each.rows[index]) for each in held.maps if each.kind.quantity == ATTENTION],
    )
