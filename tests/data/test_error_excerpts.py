"""What a file holds is shown in errors, shortened, or left out; names of classes are always shown."""

from dataclasses import replace
from pathlib import Path

import pytest

from sightline.config.spec_syntax import parse_data
from sightline.core.errors import DataError
from sightline.data.error_excerpts import list_names, show, show_name, without_excerpts
from sightline.data.load_dataset import load


def test_a_long_value_is_shortened() -> None:
    assert len(show("x" * 100)) == 61
    assert show(None) == "nothing"


def test_what_is_left_out_is_shown_again_afterwards() -> None:
    with without_excerpts():
        assert "note" not in show("note")
        assert show_name("spam") == "'spam'"
        assert list_names(["spam"]) == "'spam'"
    with without_excerpts(active=False):
        assert show("note") == "'note'"
    assert show("note") == "'note'"


HEADERLESS = "SECRET said it hurts,yes\nmore words,no"
TWICE = "text,label,id\none word,a,SECRET\nmore words,b,SECRET"


@pytest.mark.parametrize(
    ("name", "content", "column"), [("bare.csv", HEADERLESS, None), ("twice.csv", TWICE, "id")]
)
def test_no_cell_of_a_file_is_in_an_error(
    tmp_path: Path, name: str, content: str, column: str | None
) -> None:
    (tmp_path / name).write_text(content)
    spec = replace(parse_data(str(tmp_path / name)), id=column)
    with pytest.raises(DataError, match="SECRET"):
        load(spec, seed=0)
    with without_excerpts(), pytest.raises(DataError) as caught:
        load(spec, seed=0)
    assert "SECRET" not in str(caught.value)
    assert name in str(caught.value)
