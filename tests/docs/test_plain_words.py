"""`tools/docs/plain_words.py` finds words in prose, and skips what is no prose."""

import plain_words
import pytest


@pytest.mark.parametrize(
    ("page", "places"),
    [
        ("It is told.\n", [(1, "told")]),
        (
            "One.\n\nA number beside another, and that of a third.\n",
            [(3, "beside"), (3, "that of")],
        ),
        ("`told` and [what it means](page.md#beside)\n", []),
        ("## beside\n\nBeside it.\n", [(3, "Beside")]),
        ("## What stands beside\n", [(1, "beside")]),
        ('measures = ["beside"]\n', []),
        ("<!-- table: a -->\n| as drawn |\nIt is told.\n<!-- /table: a -->\n", [(3, "told")]),
        ("| as drawn |\n", [(1, "as drawn")]),
    ],
)
def test_words_of_a_page_are_found_and_names_are_not(
    page: str, places: list[tuple[int, str]]
) -> None:
    assert [*plain_words.found_in_page(page)] == places


@pytest.mark.parametrize(
    ("source", "places"),
    [
        ('"""A docstring.\n\nIt goes on."""\n', [(3, "goes on")]),
        ("x = 1  # beside it\n", [(1, "beside")]),
        ('kind = "beside"\n', []),
        ('anchor = f"beside-{at + 1}"\n', []),
        ("text = f\"{row['told']} of {row['all']}\"\n", []),
        ("text = f\"it is told of {row['told']}\"\n", [(1, "told")]),
    ],
)
def test_words_of_a_source_are_found_and_names_are_not(
    source: str, places: list[tuple[int, str]]
) -> None:
    assert [*plain_words.found_in_python(source)] == places
