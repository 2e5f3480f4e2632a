"""The table of several labels, on the terminal and as rows."""

from sightline.core.results import Level
from sightline.report.label_rows import LabelRow, intervals_note, lines, summary


def rows(count: int) -> list[LabelRow]:
    levels = [Level.CAN, Level.MUST_NOT, None]
    return [
        LabelRow(f"label {n}", n, 300, levels[n % 3], why="" if n % 3 < 2 else "too few positives")
        for n in range(count)
    ]


def test_a_long_table_ends_with_how_many_more_there_are() -> None:
    written = lines(rows(56))
    assert "and 31 more" in written
    assert sum(line.startswith("label ") for line in written) == 25 + 1
    assert not any(line.startswith("and ") for line in lines(rows(25)))


def test_the_headline_counts_and_names_few() -> None:
    few, many = summary(rows(5)), summary(rows(30))
    assert "can be shown for 2 (" in few
    assert "label 3" in few
    assert "not audited: 1" in few
    assert "must not be shown for 10;" in many
    assert "label" not in many.split(":", 1)[1]


def test_what_a_terminal_would_obey_is_shown() -> None:
    row = LabelRow("a\x1b[31m", 1, 2, why="x")
    assert not any("\x1b" in line for line in lines([row]))


def test_the_note_names_the_wider_level() -> None:
    plain = LabelRow("a", 1, 2, Level.CAN)
    assert "97.5" not in intervals_note([plain])
    assert "97.5 %" in intervals_note([plain, LabelRow("b", 1, 2, Level.CAN, level=0.975)])
