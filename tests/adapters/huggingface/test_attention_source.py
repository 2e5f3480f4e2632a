"""A reading is named by layer and head, counted from 0, and says what there is where it is not."""

import pytest

from sightline.adapters.huggingface.attention_source import (
    AttentionSource,
    choose_attention_source,
    parse_attention_source,
)
from sightline.core.errors import SpecError


def read(asked: str) -> AttentionSource:
    return choose_attention_source(2, 4, **parse_attention_source(asked))


@pytest.mark.parametrize(
    ("asked", "message", "words"),
    [
        ("", "(layer=1,head=mean)", "layer 1, mean of all heads"),
        ("(layer=0)", "(layer=0,head=mean)", "layer 0, mean of all heads"),
        ("(head=3)", "(layer=1,head=3)", "layer 1, head 3"),
        ("(head=mean, layer=0)", "(layer=0,head=mean)", "layer 0, mean of all heads"),
        ("(reading=rollout)", "(reading=rollout)", "rollout through all layers"),
        (
            "(reading=values)",
            "(reading=values,layer=1)",
            "weight × length of the value, layer 1, all heads",
        ),
        (
            "(reading=evidence,head=2)",
            "(reading=evidence,layer=1,head=2)",
            "weight × its slope, layer 1, head 2",
        ),
    ],
)
def test_a_reading_is_read(asked: str, message: str, words: str) -> None:
    found = read(asked)
    assert (str(found), found.description) == (message, words)
    assert read(message) == found


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("(layer=2)", "layer=2: expected 0 to 1"),
        ("(layer=-1)", "layer=-1: expected 0 to 1"),
        ("(head=4)", "head=4: expected 0 to 3, or mean"),
        ("(head=all)", "head=all: expected 0 to 3"),
        ("(layer=mean)", "layer=mean: expected 0 to 1"),
        ("(layer=true)", "layer=True: expected 0 to 1"),
        (
            "(reading=mixture)",
            "reading=mixture: expected one of weights, values, evidence, rollout, all",
        ),
        (
            "(reading=rollout,layer=0)",
            "reading=rollout: it is of all layers and heads; name none of them",
        ),
        ("(row=1)", "expected reading, layer and head, got row"),
    ],
)
def test_what_is_not_there_is_an_error(asked: str, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        read(asked)
