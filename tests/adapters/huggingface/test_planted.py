"""Of a BERT whose heads are written down, the audit says of each reading what is so by
construction.

A small version of what ``validation/verify.py --only planted_heads`` counts over many seeds.
"""

from __future__ import annotations

import pytest

import sightline
from sightline.adapters.compatibility import check
from sightline.config.spec_syntax import parse_data
from sightline.data.dataset import Dataset
from sightline.measures.default_measures import default_measures
from tests.adapters.huggingface.planted import (
    CAN,
    DATA,
    HEAD,
    HEADS_ALONE,
    LAYER,
    READINGS,
    WORLDS,
    planted_bert,
    sunk,
    tells_of_special_tokens,
)
from tests.sampling import slow_but

DECIDING = ("agreement", "erasure", "transplant", "marks")
"""The measures on which the rows of the table rest, and that of special tokens."""


@pytest.fixture(scope="module")
def texts() -> Dataset:
    return sightline.load(parse_data(DATA), 0)


@pytest.mark.parametrize("world", slow_but({0, 1}, WORLDS))
def test_every_proof_holds(world: str, texts: Dataset) -> None:
    """Also where most of the weight is on special tokens, and the share of the words moves with the
    embeddings.
    """
    for chosen in READINGS.values():
        model = sightline.transformer(*planted_bert(world), **chosen)
        assert not [
            str(proof)
            for proof in check(model, texts.test, model.labels)
            if proof.outcome == "failed"
        ]


@pytest.mark.parametrize(
    "world", slow_but({1}, ["decoys", "sink"])
)  # each finding that the others end in is in one of these
def test_the_verdict_of_a_head_is_that_of_what_is_planted(world: str, texts: Dataset) -> None:
    wanted = WORLDS[world]
    for reading, right in zip(HEADS_ALONE, wanted.right, strict=False):
        model = sightline.transformer(*planted_bert(world, seed=1), **READINGS[reading])
        audit = sightline.audit(model, texts, limit=52, measures=default_measures(chosen=DECIDING))
        assert audit.verdict.row in right, reading
        assert sunk(audit) == wanted.sunk, reading
        assert tells_of_special_tokens(audit) == (wanted.sunk and right == CAN)


@pytest.mark.parametrize("world", slow_but({0}, ["decoys", "even sink"]))
def test_the_reading_that_is_chosen_is_right(world: str, texts: Dataset) -> None:
    """Where one head alone decides and the others point elsewhere it is chosen; where none shows
    it, none is praised.
    """
    model = sightline.transformer(*planted_bert(world, seed=1), reading="all")
    audit = sightline.audit(model, texts, limit=104, measures=default_measures(chosen=DECIDING))
    if world == "decoys":
        assert audit.spec["readings"]["chosen"] == f"(layer={LAYER},head={HEAD})"
    assert audit.verdict.row in WORLDS[world].right[list(READINGS).index("the best of all")]
