"""The page of a comparison: several audits and their score differences, as one HTML file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from jaxtyping import Float, Int

from sightline._io.atomic_write import write_bytes
from sightline.report import comparison_sentences
from sightline.report.html.page_template import frame, template
from sightline.report.html.result_view import MARKS
from sightline.report.html.token_highlights import TextMap, text_maps
from sightline.report.html.view_model import HeldTexts, held_texts
from sightline.report.map_names import Map
from sightline.report.number_format import count, number
from sightline.verdict.comparison.comparison_result import (
    AuditPair,
    ComparedScore,
    SharedTexts,
    Side,
    SideBySide,
)

SHOWN = 10
"""Texts of each kind that are drawn; the JSON has all with different predictions."""


@dataclass(frozen=True)
class SideView:
    """One audit: what it is about, and its own conclusions."""

    name: str
    about: str
    verdict: str
    maps: tuple[str, ...]
    metrics: tuple[str, ...]


@dataclass(frozen=True)
class AnswerRow:
    """A test, and its result in each audit."""

    code: str
    claim: str
    answers: tuple[str, ...]


@dataclass(frozen=True)
class ClaimRow:
    """One way to ask a test in two audits, as the cells of a row."""

    name: str
    claim: str
    cells: tuple[str, ...]
    n: str
    p: str
    answer: str
    why: str


@dataclass(frozen=True)
class PairView:
    """One text under both attentions; without rows if texts are left out."""

    id: str
    label: str
    first: str
    second: str
    other: str
    apart: str
    query: str
    rows: tuple[TextMap, ...]


@dataclass(frozen=True)
class TextSelection:
    """Texts that were chosen for one reason."""

    title: str
    description: str
    texts: tuple[PairView, ...]


@dataclass(frozen=True)
class ComparisonView:
    """One audit compared with the first."""

    name: str
    title: str
    anchor: str
    found: str
    counted: tuple[str, ...]
    caption: str
    rows: tuple[ClaimRow, ...]
    groups: tuple[TextSelection, ...]


def render_comparison(whole: SideBySide, texts: bool = True) -> str:
    """Draw a comparison as one self-contained HTML page; without ``texts`` it names texts only by
    id.
    """
    held = [held_texts(side.audit) for side in whole.sides]
    return template("compare.html.j2").render(
        **frame(),
        question=comparison_sentences.QUESTION,
        how=comparison_sentences.method(whole) if whole.comparisons else "",
        marks=MARKS,
        names=[side.name for side in whole.sides],
        sides=[_side(side) for side in whole.sides],
        answers=[*_answers(whole)],
        pairs=[
            _comparison(whole, at, (held[0], held[at + 1]), texts) for at in range(len(whole.pairs))
        ],
    )


def write_comparison(whole: SideBySide, path: str | Path, texts: bool = True) -> Path:
    """Write the page to a file, all or nothing."""
    return write_bytes(path, render_comparison(whole, texts).encode("utf-8"))


def _side(side: Side) -> SideView:
    maps, metrics = (
        tuple(comparison_sentences.maps(side)),
        tuple(comparison_sentences.metrics(side)),
    )
    return SideView(
        side.name,
        comparison_sentences.side_title(side),
        comparison_sentences.verdict(side),
        maps,
        metrics,
    )


def _answers(whole: SideBySide) -> Iterator[AnswerRow]:
    """Give every test that an audit has, in the order of the first audit with it."""
    names = {one.code: one.name for side in whole.sides for one in side.audit.findings}
    by_side = [side.audit.by_test for side in whole.sides]
    for code, name in names.items():
        results = (found[code].result if code in found else "" for found in by_side)
        yield AnswerRow(code, name, tuple(results))


def _comparison(
    whole: SideBySide, at: int, held: tuple[HeldTexts, HeldTexts], texts: bool
) -> ComparisonView:
    one, first, other = whole.pairs[at], whole.sides[0].name, whole.sides[at + 1].name
    paired = f"Scores on the texts that are in both, and the difference {other} − {first}"
    return ComparisonView(
        other,
        f"{other} compared with {first}",
        f"beside-{at + 1}",
        comparison_sentences.differences(whole, at),
        tuple(comparison_sentences.text_counts(whole, at)),
        f"Scores of each audit on its own texts, not paired: {one.unpaired}"
        if one.unpaired
        else paired,
        tuple(_claim(claim, one) for claim in one.claims),
        () if one.shared is None else tuple(_groups(one.shared, held, (first, other), texts)),
    )


def _claim(claim: ComparedScore, one: AuditPair) -> ClaimRow:
    p = comparison_sentences.p_of(claim)
    why = "" if one.unpaired else claim.why
    cells, n = tuple(comparison_sentences.cells(claim)), comparison_sentences.texts_of(claim)
    return ClaimRow(
        claim.code, comparison_sentences.words_of(claim, one), cells, n, p, claim.answer, why
    )


def _groups(
    shared: SharedTexts, held: tuple[HeldTexts, HeldTexts], names: tuple[str, str], texts: bool
) -> Iterator[TextSelection]:
    """Choose the texts with different predictions, and those of the others whose attentions differ
    most.
    """
    order = np.argsort(-shared.apart, kind="stable")  # undefined ones last
    otherwise, alike = order[shared.otherwise[order]], order[~shared.otherwise[order]]
    alike = alike[~np.isnan(shared.apart[alike])]
    chosen = (
        ("Different predictions", otherwise, "texts with different predictions"),
        (
            "Same prediction, from other words",
            alike,
            "texts with the same prediction whose attentions can be compared",
        ),
    )
    for title, places, what in chosen:
        shown = f"{count(min(SHOWN, len(places)))} of {count(len(places))} {what}"
        text = f"{shown}, starting with the largest distance between the attentions."
        yield TextSelection(title, text, _views(shared, places[:SHOWN], held, names, texts))


def _views(
    shared: SharedTexts,
    places: Int[np.ndarray, " K"],
    held: tuple[HeldTexts, HeldTexts],
    names: Sequence[str],
    texts: bool,
) -> tuple[PairView, ...]:
    return tuple(_view(shared, int(at), held, names, texts) for at in places)


def _view(
    shared: SharedTexts,
    at: int,
    held: tuple[HeldTexts, HeldTexts],
    names: Sequence[str],
    texts: bool,
) -> PairView:
    rows = int(shared.first[at]), int(shared.second[at])
    one, other = (each.records[row] for each, row in zip(held, rows, strict=True))
    maps = [
        one
        for each, row, name in zip(held, rows, names, strict=True)
        for one in _attention(each, row, name)
    ]
    apart = "" if np.isnan(shared.apart[at]) else number(float(shared.apart[at]))
    query = " ".join(one.query or ()) if texts else ""
    shown = text_maps(one, maps) if texts else ()
    return PairView(
        one.id, one.label, one.predicted, other.predicted, names[1], apart, query, shown
    )


def _attention(
    held: HeldTexts, row: int, name: str
) -> Iterator[tuple[Map, Float[np.ndarray, " T"]]]:
    """Give the audited map of one audit over a text, under its name; nothing if it has none."""
    for each in held.maps:
        if each.kind.quantity == "attention":
            yield replace(each.kind, name=f"{name}: {each.kind.name}"), each.rows[row]
