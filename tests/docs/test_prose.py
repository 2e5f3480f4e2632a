"""The prose agrees with the catalogue, and each check that says so can fail."""

import docs_checks as checks
import docs_prose as prose
import docs_results as results
import docs_tables as tables
import make_docs
import pytest

from sightline.core.results import VERDICTS
from sightline.verdict.catalogue import AUDIT_TESTS
from sightline.verdict.verdict_table import TABLE
from tests.snapshots import same_text

HEAD = "| a | b |\n|---|---|\n"


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return make_docs.read_pages() | make_docs.read_beside()


def test_the_prose_agrees_with_the_catalogue(pages):
    assert prose.prose_complaints(pages) == []


def test_every_exception_is_still_needed(pages):
    assert [
        where for where in [*prose.PARTS, *prose.SPARED] if where[1] not in pages[where[0]]
    ] == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{HEAD}| 1 | 2 |\n", 0),
        (f"{HEAD}| 1 \\| 2 | `x` |\n", 0),
        (f"```\n{HEAD}| 1 |\n```\n", 0),
        (f"{HEAD}| 1 |\n", 1),
        (f"{HEAD}| 1 | 2 | 3 |\n", 1),
        (f"{HEAD}| 1 | 2 |\n\n| 3 | 4 |\n", 1),
        (f"{HEAD}| 1 | 2 |\n\n| 3 | 4 |\n| 5 | 6 |\n", 1),
    ],
)
def test_a_torn_table_is_named(text, message):
    assert len(prose.check_tables({"docs/a.md": text})) == message


def test_the_verdicts_of_the_table_are_those_there_are():
    assert {row.verdict for row in TABLE} == {*VERDICTS}


@pytest.mark.parametrize("page", ["README.md", "docs/verdict.md"])
def test_a_list_of_verdicts_is_that_of_the_code(pages, page):
    assert [head[0] for head, *_ in prose.tables(pages[page])].count(
        "verdict"
    ) == 1  # or nothing is looked at
    message = pages[page].replace("cannot tell", "can never be shown")
    assert len(prose.check_verdicts({page: message})) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{len(AUDIT_TESTS)} findings", 0),
        (f"{prose.NUMBERS[len(AUDIT_TESTS)].capitalize()} findings, each with", 0),
        ("Eighteen findings, each with", 1),
        ("Two notebooks in `examples/`", 1),
        ("2 notebooks", 1),
        ("(17 proofs", 1),
        ("the three verdicts", 1),
        ("findings of two models", 0),
    ],
)
def test_a_number_of_what_there_is_must_be_right(text, message):
    assert len(prose.check_totals({"CHANGELOG.md": text})) == message


def test_a_number_of_a_part_is_spared_on_its_page_alone():
    message = "Three more findings see"
    assert prose.check_totals({"docs/full-stop.md": message}) == []
    assert len(prose.check_totals({"README.md": message})) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("This version never says it: one claim it asks for is not measured yet", 3),
        ("SL-401 is not measured yet.", 1),
        ("that half is not measured", 1),
    ],
)
def test_nothing_is_called_not_measured(text, message):
    assert len(prose.check_measured({"README.md": text})) == message
    assert prose.check_measured({"docs/own-measure.md": "that half is not measured"}) == []


def test_a_code_or_a_corpus_that_there_is_not_is_named():
    message = (
        "[SL-501 is context], SL-101, `planted:votes(n=320)`, `planted:needle(n=40)` and "
        "`planted:needle(…)`"
    )
    same_text("docs", prose.check_codes({"docs/plausible.md": message}))
    (refused,) = prose.check_specs({"docs/own-study.md": message})
    assert refused.startswith("docs/own-study.md: planted:votes(n=320): ")


@pytest.mark.parametrize(
    ("heading", "link", "message"),
    [
        ("JSON of `sightline look`", "b.md#json-of-sightline-look", 0),
        ("`sightline look --json`", "b.md#sightline-look---json", 1),  # the site joins the dashes
        ("`sightline look --json`", "b.md#sightline-look-json", 1),  # the repository does not
        ('Šnajder & Co\n\n<a id="tutek2020"></a>', "b.md#tutek2020", 0),
        ('Šnajder & Co\n\n<a id="tutek2020"></a>', "b.md#snajder-co", 1),
    ],
)
def test_a_link_leads_to_its_heading_in_the_repository_and_on_the_site(heading, link, message):
    pages = {"docs/a.md": f"[x]({link})", "docs/b.md": f"## {heading}\n"}
    assert len(checks.check_links(pages, lambda name: False)) == message


def test_every_link_is_followed_in_what_else_people_read(pages):
    assert {"CHANGELOG.md", "CONTRIBUTING.md"} <= {*pages}
    assert any(name.startswith("docs/decisions/") for name in pages)
    assert checks.check_links(pages, checks.exists_here) == []


def test_the_menu_names_findings_as_the_catalogue_does():
    menu = make_docs.NAV.read_text(encoding="utf-8")
    assert checks.check_menu(menu) == []
    other = menu.replace(f"{AUDIT_TESTS['SL-403'].name} (SL-403)", "mixing")
    assert other != menu
    assert len(checks.check_menu(other)) == 1
    assert checks.nav_with_findings(other) == menu


def test_the_home_page_lists_every_finding_in_its_words(pages):
    rows = [
        row
        for head, *rows in prose.tables(pages["docs/index.md"])
        if head[0] == "test"
        for row in rows[1:]
    ]
    assert [(row[1], row[2]) for row in rows] == [
        (claim.passed, claim.role) for claim in AUDIT_TESTS.values()
    ]


def test_gates_are_told_with_what_is_counted():
    held = {"name": "a", "count": 1, "of": 1, "limit": "1", "holds": True}
    part = tables.gates({"gates": [held], "planned": 8150}, 291)
    same_text("docs", part)
    whole = "**1 of 1 gates hold.**\n"
    assert [
        tables.gates({"gates": [held], "planned": 291}, 291),
        tables.gates({"gates": [held]}),
    ] == [whole, whole]


def test_the_section_on_worlds_begins_with_how_many_are_counted(pages, monkeypatch):
    section = pages["docs/calibration.md"].partition(
        "\n## Verdicts in scenarios with a known answer\n"
    )[2]
    assert section.lstrip().startswith("<!-- counted: worlds -->\n**Counted are ")
    stored = {
        "worlds": {"cells": 7, "planned": 9000},
        "worlds-confirmation": {"cells": 5, "planned": 8000},
    }
    monkeypatch.setattr(results, "verified", stored.get)
    assert "**Counted are 7 of 9,000 planned runs, and 5 of 8,000 on" in results.worlds_counted()
