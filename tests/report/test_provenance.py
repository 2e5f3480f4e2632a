"""At the head stand names of files; where they lie stands among the settings."""

import re
from dataclasses import replace

import pytest
from markupsafe import escape

from sightline.report.card import card
from sightline.report.card_text import card_markdown
from sightline.report.html.audit_page import render
from sightline.report.provenance import provenance_line, without_folders
from tests.report.audits import audit

SOURCES = {
    "csv:/home/me, here/a b.csv": "csv:a b.csv",
    "/home/me/reviews.csv.gz": "reviews.csv.gz",
    "files:train=csv:/x/a.csv,test=jsonl:/x/a.csv.d/a.csv": "files:train=csv:a.csv,test=jsonl:a.csv",
    "babi:/data/qa(task=2)": "babi:qa(task=2)",
    "folder:/": "folder:/",
    "planted:needle(n=20)": "planted:needle(n=20)",
    "my own texts / or not": "my own texts / or not",
}


@pytest.mark.parametrize("source", SOURCES)
def test_folders_are_left_out(source: str) -> None:
    assert without_folders(source) == SOURCES[source]


def test_the_head_names_a_file_and_the_details_say_where_it_lies() -> None:
    message = replace(
        audit(), cards={"data": {"source": "csv:/home/me/a.csv"}, "model": {"name": "mlp"}}
    )
    assert provenance_line(message) == "model: mlp · data: csv:a.csv · 24\xa0texts"
    page = render(message)
    assert "/home/me" not in page[: page.index('id="texts"')]
    assert f"<dd><bdi>{escape('csv:/home/me/a.csv')}</bdi></dd>" in page
    assert "- Data: csv:a.csv, 24" in re.sub(r"\\(.)", r"\1", card_markdown(card(message)))
