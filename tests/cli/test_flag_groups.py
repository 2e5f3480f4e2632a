"""Flags in groups: typer sees each as a parameter, and the command gets one value a group."""

import inspect
from dataclasses import dataclass
from typing import Annotated

import typer

from sightline.cli.flag_groups import AuditedTexts, Columns, Texts, grouped

Length = Annotated[int, typer.Option("--length", min=1)]
Word = Annotated[str, typer.Option("--word")]


@dataclass(frozen=True, kw_only=True)
class Group:
    length: Length = 3
    word: Word


def test_a_group_is_flattened_in_place_and_filled() -> None:
    called = []

    @grouped
    def command(first: Word, group: Group, last: Length = 1) -> None:
        """Say what it does."""
        called.append((first, group, last))

    parameters = inspect.signature(command).parameters
    assert list(parameters) == ["first", "length", "word", "last"]
    assert parameters["length"].default == 3
    assert parameters["word"].default is inspect.Parameter.empty
    assert command.__doc__ == "Say what it does."
    command(first="a", length=2, word="b", last=5)
    assert called == [("a", Group(length=2, word="b"), 5)]


def test_what_is_not_said_of_texts_is_left_to_the_model() -> None:
    assert AuditedTexts(data="planted:needle").description == {}
    assert AuditedTexts(data="planted:needle", max_tokens=9).description == {"max_tokens": 9}
    assert Texts(data="planted:needle").source().max_tokens == 512
    assert issubclass(Texts, Columns)
