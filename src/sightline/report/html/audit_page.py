"""The report as one HTML file that needs no network and shows everything without its script."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from markupsafe import Markup

from sightline._io.atomic_write import write_whole
from sightline.core.audited_map import ATTENTION
from sightline.core.results import Results
from sightline.report import sentences
from sightline.report.accuracy_sentences import accuracy_notes
from sightline.report.advice import TITLE, first_of_all, look_command, recommended
from sightline.report.alternative_maps import MEASURED, at_odds, comparison_method, families
from sightline.report.attention_source_notes import MEASURED as READINGS_MEASURED
from sightline.report.attention_source_notes import heat, tried_sources
from sightline.report.caption import caption
from sightline.report.caption import title as caption_title
from sightline.report.card import card
from sightline.report.card_text import card_markdown
from sightline.report.effect_scale import DEFINED, SCALE
from sightline.report.first_screen import (
    CAVEATS,
    MAPS,
    VERDICT,
    WHY,
    blocks,
    caveats,
    conclusions,
    count_results,
    deciding_tests,
    failed_for_classes,
)
from sightline.report.html.example_text import example_view
from sightline.report.html.explorer import BUDGET, controls, pack_explorer_data
from sightline.report.html.page_template import frame, template
from sightline.report.html.result_view import MARKS, finding_view
from sightline.report.html.seed_section import seeds_view
from sightline.report.html.table_rows import (
    estimate_row,
    estimate_rows,
    map_lines,
    missing_rows,
    share_rows,
)
from sightline.report.html.token_highlights import token_view
from sightline.report.html.view_model import held_texts
from sightline.report.layer_table import DESCRIPTION as LAYERS_TOLD
from sightline.report.layer_table import TITLE as LAYERS
from sightline.report.layer_table import layer_rows
from sightline.report.number_format import count, level_of
from sightline.report.provenance import command, provenance_line, settings
from sightline.report.rationale_table import DESCRIPTION, marked_rows
from sightline.report.redact import redacted, remaining_content
from sightline.report.sequential_note import answered_texts, why_wider
from sightline.report.terms import TERMS
from sightline.verdict.seed_summary import SeedSummary

_DATA = Markup(
    "<!-- data -->"
)  # replaced by the data; no text of an audit can contain it, because texts are escaped


def render(
    audit: Results,
    texts: bool = True,
    budget: int = BUDGET,
    ids: bool = True,
    seeds: SeedSummary | None = None,
    title: str = "",
) -> str:
    """Draw an audit as one self-contained HTML page.

    Parameters
    ----------
    audit
        The audit; every number shown is one of its values, rounded.
    texts
        Whether to show the audited texts; without them the page names texts by id and says so.
    budget
        Most bytes of the page. If the texts need more, it has the texts with the largest
        disagreement.
    ids
        Whether to name texts by id; otherwise they are numbered.
    seeds
        The summary over several seeds, if the audit is the first of them.
    title
        The heading of the page; if empty, the question that the audit answers.

    Returns
    -------
    str
        The page. Equal audits give equal pages. It refers to nothing outside itself, and its
        content security policy allows only its own stylesheet and script: no font, no request. All
        text of the audit is escaped, and characters that would hide or reverse text are shown as
        signs.
    """
    left = remaining_content(texts=texts, ids=ids)
    shown = redacted(audit, texts=texts, ids=ids)
    return "".join(_parts(shown, texts, budget, left, seeds, title))


def _parts(
    audit: Results, texts: bool, budget: int, left: str, seeds: SeedSummary | None, title: str
) -> tuple[str, ...]:
    """Draw the page in parts: the data are most of it, in ASCII, and would take twice the memory in
    a string with other characters.
    """
    page, held = template("page.html.j2"), held_texts(audit)
    shown = {
        **frame(),
        **_head(audit, alone=seeds is None),
        **_describe(audit),
        "title": title,
        "view": token_view(held, texts),
        "with_texts": texts,
        "left": left,
    }
    shown["example"] = example_view(audit, held) if texts else None
    shown["seeds"], shown["card"] = seeds_view(seeds), card_markdown(card(audit, seeds))
    shown["held"] = held
    shown["signed"] = any(each.kind.signed for each in held.maps)
    empty = page.render(**shown, controls=controls(held, texts, recommended(audit)), data=_DATA)
    found = pack_explorer_data(held, texts, budget - len(empty.encode("utf-8")))
    if not found.held:
        return (page.render(**shown, controls=None, explorer_note=found.description),)
    before, _, after = empty.partition(_DATA)
    return before, found.elements, after


def _head(audit: Results, *, alone: bool = True) -> dict[str, Any]:
    """Collect the head of the page: the caption, the verdict and its reasons, which map may be
    shown, and further facts.
    """
    named = {block.name: block.sentences for block in blocks(audit, alone=alone, scores=False)}
    named.pop(VERDICT)
    decided = deciding_tests(audit)
    if CAVEATS in named:  # the caption has them without their scores
        named[CAVEATS] = tuple(caveats(audit))
    return {
        "headline": sentences.headline(audit.verdict),
        "level": level_of(one.score for one in audit.findings if one.bears),
        "caption": " ".join(caption(audit)),
        "to_paste": caption_title(audit),
        "answers": [(one.text, one.tone) for one in conclusions(audit)],
        "reasons": named.pop(WHY, ()),
        "maps": named.pop(MAPS, ()),
        "look": look_command(audit),
        "facts": named,
        "decided": decided,
        "undecided": [one for one in audit.verdict.decided_by if one not in decided],
        "counted": "; ".join([count_results(audit.findings), *failed_for_classes(audit.findings)]),
        "what_to_do": TITLE,
        "at_odds": at_odds(audit),
        "further": () if audit.learned is None else accuracy_notes(audit.learned),
        "kind": "attention audit" if audit.verdict.of_map == ATTENTION else "explanation audit",
        "first": first_of_all(audit),
        "families": [(family, map_lines(family)) for family in families(audit.maps, audit.verdict)],
        "measured": tuple(MEASURED.values()),
        "how": comparison_method(audit),
        "marks": MARKS,
    }


def _readings(audit: Results) -> dict[str, Any]:
    """Collect the attention sources that were tried, if one was chosen."""
    found = audit.spec.get("readings")
    if not found:
        return {"readings": ()}
    rows = [(one.chosen, estimate_row(one.words, one.carried)) for one in tried_sources(found)]
    return {"readings": rows, "heat": heat(found), "readings_measured": READINGS_MEASURED}


def _describe(audit: Results) -> dict[str, Any]:
    """Collect what the template shows below the head, except the texts."""
    views = [finding_view(finding, audit.verdict.of_map) for finding in audit.findings]
    # More texts might settle a test, and would not change such a verdict.
    if sentences.forbidden_for_all(audit.verdict):
        views = [replace(view, change="") for view in views]
    return {
        "audit": audit,
        "question": sentences.question(audit.verdict),
        "scale": f"{DEFINED} {SCALE}",
        "why_wider": why_wider(audit),
        "terms": TERMS,
        "condition": sentences.row_condition(audit.verdict.row),
        "condition_of": f" {sentences.ALL_TOGETHER}"
        if len(sentences.answers(audit.verdict)) > 1
        else "",
        "bearing": [view for view in views if view.finding.bears],
        "context": [view for view in views if not view.finding.bears],
        "links": {view.finding.code: view.anchor for view in views},
        "metrics": estimate_rows(audit.metrics),
        "measured_on": answered_texts(audit),
        "shares": share_rows(audit.learned),
        "estimates": estimate_rows(audit.estimates),
        "missing": missing_rows(audit),
        "marked": marked_rows(audit),
        "rationale_description": DESCRIPTION,
        "about": provenance_line(audit),
        "sample": audit.cards.get("data", {}).get("sample"),
        "settings": settings(audit),
        "command": command(audit.spec),
        **_readings(audit),
        "layers": layer_rows(audit),
        "layers_title": LAYERS,
        "layers_description": LAYERS_TOLD,
    }


def in_notebook(audit: Results) -> str:
    """Draw an audit as a block for a notebook: verdict and tests, without script and stylesheet."""
    n = len(audit.texts)
    views = (finding_view(one, audit.verdict.of_map) for one in audit.findings)
    rows = sorted(views, key=lambda view: not view.finding.bears)
    texts = f"{count(n)} {'text' if n == 1 else 'texts'} audited"
    return template("notebook.html.j2").render(
        rows=rows,
        question=sentences.question(audit.verdict),
        texts=texts,
        **_head(audit),
    )


def write_page(
    audit: Results,
    path: str | Path,
    texts: bool = True,
    ids: bool = True,
    seeds: SeedSummary | None = None,
    title: str = "",
) -> Path:
    """Write the page to a file, all or nothing; replaces an older page."""
    parts = _parts(
        redacted(audit, texts=texts, ids=ids),
        texts,
        BUDGET,
        remaining_content(texts=texts, ids=ids),
        seeds,
        title,
    )
    return write_whole(path, lambda aside: _write(aside, parts))


def _write(path: Path, parts: Sequence[str]) -> None:
    with path.open("wb") as file:  # bytes: the same file on every system
        file.writelines(part.encode("utf-8") for part in parts)
