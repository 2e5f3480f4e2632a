"""A number that stands twice is the same twice, to the last digit: in the JSON of an audit and on
its page.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from sightline._io.atomic_write import plain
from sightline.audits.audit_result import Audit
from sightline.audits.run import audit as audit_model
from sightline.config.spec_syntax import parse_data, parse_model
from sightline.core.protocols import Measure
from sightline.data.load_dataset import load
from sightline.data.vocabulary import Vocabulary
from sightline.measures.predictions import Predictions
from sightline.models.classifier import build
from sightline.report.html.audit_page import render
from sightline.report.svg_figures import anchor
from sightline.verdict.catalogue import AUDIT_TESTS
from tests.report.audits import audit, explored
from tests.report.pages import Page

Cells = tuple[str, ...]


def real(together: int = 0, measures: Sequence[Measure] | None = None) -> Audit:
    """A whole audit of a model that was never trained, some of its texts of one word; so many texts
    form a group.
    """
    dataset = load(parse_data("planted:needle(n=300,length=9)"), 0)
    if together:
        grouped = tuple(
            replace(text, group=f"g{i // together}") for i, text in enumerate(dataset.test)
        )
        dataset = replace(dataset, test=grouped)
    model = build(
        parse_model("mlp(hidden=6)+additive"), Vocabulary.fit(dataset.train), dataset.label_names, 0
    )
    return audit_model(model, dataset, limit=60, measures=measures)


@pytest.fixture(scope="module", params=["real", "realistic", "explored"])
def audit_under_test(request: pytest.FixtureRequest) -> Audit:
    return {"real": real, "realistic": audit, "explored": explored}[request.param]()


def standing(summary: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every place of the JSON where a named number stands, under its name."""
    yield from summary["estimates"].items()
    for finding in summary["findings"]:
        claim = AUDIT_TESTS.get(finding["code"])
        if claim is None:
            continue
        if claim.kind == "contrast":
            # A second chance level may have decided; then it stands there.
            decided = claim.shown_by_words.get(finding["comparison"], claim.baseline)
            yield claim.number, finding["number"]
            yield decided, finding["baseline"]
        yield from (
            (claim.shown_by_words[words], number) for words, number in finding["beside"].items()
        )


def numbers(value: Any) -> Iterator[Mapping[str, Any]]:
    """Every estimate of the JSON, wherever it stands and whatever it is called."""
    if isinstance(value, dict) and {"value", "low", "high", "n", "method"} <= value.keys():
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from numbers(inner)


def test_every_name_of_the_json_has_one_number(audit_under_test: Audit) -> None:
    found: dict[str, list[str]] = {}
    for name, number in standing(plain(audit_under_test.to_json())):
        if number is not None:
            found.setdefault(name, []).append(json.dumps(number, sort_keys=True))
    assert {name: texts for name, texts in found.items() if len(set(texts)) > 1} == {}
    assert sum(len(texts) > 1 for texts in found.values()) >= (
        2 if audit_under_test.texts[0].id == "t0000" else 20
    )


def test_the_number_without_a_floor_is_one_of_the_estimates(audit_under_test: Audit) -> None:
    drops = [
        number for name, number in audit_under_test.estimates.items() if name.startswith("need.")
    ]
    for finding in audit_under_test.findings:
        if finding.code == "SL-001" and drops:
            assert finding.number == finding.score
            assert finding.number in drops


def test_a_value_met_again_has_the_interval_it_had() -> None:
    """Whatever it is called: the same digits, over the same texts, by the same method, are the same
    estimate.
    """
    found: dict[tuple[Any, ...], set[tuple[Any, ...]]] = {}
    summary = plain(real().to_json())
    # With one marked word a text they are counts of 60 texts, and as many texts may be right for
    # other reasons.
    summary["estimates"] = {
        name: one
        for name, one in summary["estimates"].items()
        if not name.startswith(("rationale.f1", "rationale.iou"))
    }
    for one in numbers(summary):
        if one["value"] not in (None, 0.0, 1.0):
            found.setdefault((one["value"], one["n"], one["method"]), set()).add(
                (one["low"], one["high"])
            )
    assert {value: intervals for value, intervals in found.items() if len(intervals) > 1} == {}
    assert len(found) > 30


def test_one_accuracy_has_one_interval_over_groups_where_there_are_groups() -> None:
    alone, grouped = (real(together, [Predictions()]) for together in (0, 4))
    assert grouped.metrics["accuracy"] == grouped.learned.accuracy
    assert "clusters of texts" in grouped.metrics["accuracy"].method
    assert "clusters of texts" in grouped.metrics["f1"].method
    assert (grouped.metrics["f1"].value, alone.metrics["f1"].method) == (
        alone.metrics["f1"].value,
        "BCa bootstrap over texts",
    )
    assert alone.metrics["accuracy"].method == "Wilson"


def rows(page: Page) -> list[tuple[str, Cells]]:
    """The rows of every table of the page, cell by cell, each with the id of the article it stands
    in.
    """
    found: dict[tuple[str, int], dict[int, str]] = {}
    for path, data in page.pieces:
        places = dict(path)
        cell = places.get("th", places.get("td"))
        if "tr" in places and cell is not None:
            cells = found.setdefault(
                (places.get("article", {}).get("id", ""), id(places["tr"])), {}
            )
            cells[id(cell)] = cells.get(id(cell), "") + data.replace("\xa0", " ")
    return [(article, tuple(cells.values())) for (article, _), cells in found.items()]


def test_the_page_writes_a_number_the_same_wherever_it_stands(audit_under_test: Audit) -> None:
    page = Page(render(audit_under_test))
    # A method that most rows share is said in the caption, and their last cell is empty.
    standing = [
        c
        for article, c in rows(page)
        if not article and c[0] in audit_under_test.estimates and len(c) in (4, 5)
    ]
    table = {name: numbers for name, *numbers in (c[:4] for c in standing)}
    assert table.keys() == audit_under_test.estimates.keys()
    text, compared = page.text().replace("\xa0", " "), 0
    for claim in (
        AUDIT_TESTS[one.code] for one in audit_under_test.findings if one.code in AUDIT_TESTS
    ):
        beside = {
            claim.shown_by_words[cells[0]]: [*cells[1:4]]
            for at, cells in rows(page)
            if cells[0] in claim.shown_by_words and at == anchor(claim.code)
        }
        assert beside == {name: table[name] for name in beside}
        value, span, n = table.get(claim.number, ("undefined", "", ""))
        if claim.kind == "contrast" and value != "undefined":
            assert f"{claim.number_words}: {value} {span}, n = {n}." in text
            compared += len(beside)
    assert compared
