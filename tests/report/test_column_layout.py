"""Columns stand under one another on a terminal, whatever script is in them."""

from dataclasses import replace

import pytest
from rich.cells import cell_len

from sightline.core.results import Table, TableCell
from sightline.report.column_layout import aligned
from sightline.report.tables.terminal_table import to_text
from sightline.report.text.audit_summary import lines
from tests.report.audits import audit

WORDS = ("short", "漢字很長", "é e\u0301", "한국어", "👩 family")


def starts(case: list[str], mark: str) -> set[int]:
    """Where a terminal begins to draw the mark in each line that has it."""
    return {cell_len(line[: line.index(mark)]) for line in case if mark in line}


def in_cells() -> list[str]:
    return aligned([[word, "|"] for word in WORDS], indent="  ")


def in_a_table() -> list[str]:
    rows = tuple((TableCell("|"),) for _ in WORDS)
    return to_text(
        Table("t", ("c",), rows, tuple((word,) for word in WORDS), ("axis",))
    ).splitlines()


def in_a_summary() -> list[str]:
    one = audit().findings[1]
    return lines(
        replace(audit(), findings=tuple(replace(one, code=word, name="|") for word in WORDS))
    )


@pytest.mark.parametrize("printed", [in_cells, in_a_table, in_a_summary])
def test_chinese_aligns_in_every_printing_of_columns(printed) -> None:
    result = printed()
    assert sum("|" in line for line in result) == len(WORDS)
    assert len(starts(result, "|")) == 1


def test_what_a_terminal_would_obey_becomes_visible() -> None:
    assert aligned([["a\x1b[2J", "b\nc"]]) == ["a␛[2J  b c"]


def test_no_rows_are_no_lines() -> None:
    assert aligned([]) == []
