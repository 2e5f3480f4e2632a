"""No character that hides, reorders or commands reaches a reader unseen."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.report.sanitize import one_line, shortened, visible


@pytest.mark.parametrize(
    ("hidden", "shown"),
    [
        ("\x00", "␀"),
        ("\x1b[31m", "␛[31m"),
        ("\x7f", "⟦U+007F⟧"),
        ("\x9b", "⟦U+009B⟧"),
        ("\u202e", "⟦U+202E⟧"),
        ("\u2066", "⟦U+2066⟧"),
        ("\u200b", "⟦U+200B⟧"),
        ("\u2028", "⟦U+2028⟧"),
        ("\ud800", "⟦U+D800⟧"),
        ("\ufffe", "⟦U+FFFE⟧"),
        ("\u206a", "⟦U+206A⟧"),
        ("\ufff9", "⟦U+FFF9⟧"),
        ("\U000e0041", "⟦U+E0041⟧"),
        ("a\r\nb", "a\nb"),
        ("a\rb", "a␍b"),
    ],
)
def test_what_hides_is_shown(hidden: str, shown: str) -> None:
    assert visible(hidden) == shown


@pytest.mark.parametrize(
    "text", ["plain", "tab\tand\nline", "émoji 👨‍👩‍👧", "שלום", "می‌خواهم", "<b>&amp;"]
)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert visible(text) == text


@given(st.text(st.characters()))
def test_shown_text_can_be_written_and_shown_again(text: str) -> None:
    shown = visible(text)
    shown.encode("utf-8")
    assert visible(shown) == shown


@given(st.text(), st.text())
def test_each_character_is_shown_for_itself(left: str, right: str) -> None:
    if not (left.endswith("\r") and right.startswith("\n")):
        assert visible(left + right) == visible(left) + visible(right)


def test_a_line_stays_one_line() -> None:
    assert one_line("a\n b\t\x00c") == "a b ␀c"


def test_a_cut_is_marked() -> None:
    assert shortened("abcdef", 4) == "abc…"
    assert shortened("abcd", 4) == "abcd"
