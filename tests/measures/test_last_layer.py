"""Heads of the last layer on single words, by trying every choice there is on short texts."""

from itertools import product
from typing import Any

import numpy as np
import pytest
import torch

import sightline
from sightline.adapters.tap.tap import editing
from sightline.audits.measure_pass import measure
from sightline.core.results import Measurement
from sightline.core.seeds import Seeds
from sightline.measures.last_layer import LastLayer
from tests.adapters.huggingface.toys import WORDS, classifier, tokenizer_of
from tests.reference.formulas import probabilities
from tests.texts import example

TEXTS = [
    example(" ".join(WORDS[start : start + size]), number)
    for number, (start, size) in enumerate([(0, 3), (7, 2), (3, 1)])
]


def made(family: str) -> Any:
    tokenizer = tokenizer_of(family)
    return sightline.transformer(classifier(family, tokenizer=tokenizer), tokenizer)


def taken(model: Any, **settings: int) -> Measurement:
    one = LastLayer(**settings)
    found = measure(model, TEXTS, (one,), {}, Seeds(0), 2, lambda done, total: None)["last_layer"]
    assert isinstance(found, Measurement), found
    return found


def odds(model: Any, text: Any, words: tuple[int, ...], chosen: int) -> tuple[float, float]:
    """Log-odds of the decided class with each head on a word of its own, shared by its pieces as
    they share attention.
    """
    batch = model.collate([text])
    shown, word = model.trace(batch).attention[0], batch.word[0]

    def change(weights: torch.Tensor) -> torch.Tensor:
        weights = weights.clone()
        rows = (
            range(weights.shape[2])
            if model.anatomy.row == "all"
            else [{"first": 0, "last": -1}[model.anatomy.row]]
        )
        for head, chosen_word in enumerate(words):
            of_word = shown * (word == chosen_word)
            for row in rows:
                weights[0, head, row] = of_word / of_word.sum()
        return weights

    with torch.no_grad(), editing(model.module, {model.anatomy.sites[-1]: change}, 1):
        logits = (
            model.module(input_ids=batch.ids, attention_mask=batch.mask.long())
            .logits[0]
            .double()
            .numpy()
        )
    own = probabilities(model.trace(batch).logits[0].double().numpy())
    p = probabilities(logits)
    return float(np.log(p[chosen] / (1 - p[chosen]))), float(
        np.abs(np.array(p) - np.array(own)).sum() / 2
    )


@pytest.mark.parametrize("family", ["bert", "gpt2", "eurobert", "xlnet"])
def test_all_heads_on_the_word_that_costs_most_and_then_each_in_turn(family: str) -> None:
    model = made(family)
    values = taken(model).values
    for row, text in enumerate(TEXTS):
        chosen = int(model.trace(model.collate([text])).logits.argmax())
        every = range(len(text.tokens))
        best = min(
            ((word,) * 4 for word in every), key=lambda words: odds(model, text, words, chosen)[0]
        )
        least, moved = odds(model, text, best, chosen)
        assert values["moved_together"][row] == pytest.approx(moved, abs=1e-5)
        assert values["together"][row] == float(least < 0)
        for head in range(4):
            best = min(
                ((*best[:head], word, *best[head + 1 :]) for word in every),
                key=lambda words: odds(model, text, words, chosen)[0],
            )
        least, moved = odds(model, text, best, chosen)
        assert values["moved_each"][row] == pytest.approx(moved, abs=1e-5)
        assert values["each"][row] == float(least < 0)
    if family == "eurobert":  # its prediction changes in one text; BERT's pieces vary between runs
        assert {*values["each"]} == {0.0, 1.0}


def test_nothing_that_is_found_is_below_what_there_is() -> None:
    model = made("bert")
    few, many = taken(model).values, taken(model, rounds=3).values
    for row, text in enumerate(TEXTS[:2]):
        chosen = int(model.trace(model.collate([text])).logits.argmax())
        lowest = min(
            odds(model, text, words, chosen)[0]
            for words in product(range(len(text.tokens)), repeat=4)
        )
        for found in (few, many):
            assert found["each"][row] <= float(lowest < 0)
    assert (np.asarray(many["each"]) >= np.asarray(few["each"])).all()
