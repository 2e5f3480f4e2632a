"""Texts of a training are no test texts, unless a published corpus has them in both."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sightline.config.spec_syntax import parse_data
from sightline.core.errors import DataError
from sightline.data.load_dataset import load
from sightline.experiments.leakage import refuse_seen, seen_texts


@pytest.mark.parametrize(("recipe", "refused"), [("clean", True), ("paper", False)])
def test_copies_between_splits_belong_to_a_papers_recipe(recipe: str, refused: bool) -> None:
    data = load(parse_data("planted:needle(n=120,length=6)"), 0)
    copies = tuple(
        replace(one, id=f"copy of {one.id}", index=test.index)
        for one, test in zip(data.train[:5], data.test, strict=False)
    )
    copied = replace(data, test=copies, card={**data.card, "recipe": recipe})
    seen = frozenset(seen_texts(copied))
    if not refused:
        return refuse_seen(copied, seen, "model")
    with pytest.raises(DataError):
        refuse_seen(copied, seen, "model")


def test_texts_of_another_training_are_refused_under_a_papers_recipe() -> None:
    data = load(parse_data("planted:needle(n=120,length=6)"), 0)
    read = replace(data, card={**data.card, "recipe": "paper"})
    with pytest.raises(DataError):
        refuse_seen(read, frozenset(seen_texts(replace(data, train=data.test, test=()))), "model")
