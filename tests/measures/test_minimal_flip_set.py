"""Flip sets of whole models, text by text against trying every set, and on weights that hold the
decision or do not.
"""

from itertools import permutations

import numpy as np
import pytest
import torch

from sightline.audits.measure_pass import measure
from sightline.core.example import Example
from sightline.core.results import Measurement, NotRun
from sightline.core.seeds import Seeds
from sightline.measures.minimal_flip_set import MinimalFlipSet
from sightline.models.classifier import AttentionClassifier
from tests.gradients import gradient_importance
from tests.measures.queries import asked
from tests.reference import flips as literal
from tests.texts import examples, untrained

TEXTS = examples((7, 4, 6, 1, 5, 9))


def take(model: object, texts: list = TEXTS, **settings: int) -> Measurement:
    found = measure(
        model, texts, (MinimalFlipSet(**settings),), {}, Seeds(0), 4, lambda done, total: None
    )["flips"]
    assert isinstance(found, Measurement), found
    return found


def torn(spec: str, classes: int = 2) -> AttentionClassifier:
    """A model that has not made up its mind: the logits of its words are 0 on average."""
    model = untrained(spec, classes).double()
    z = torch.cat([model.trace(model.collate([text])).token_logits[0] for text in TEXTS])
    with torch.no_grad():
        model.decoder.affine.bias -= z.mean(dim=0)
    return model


def weighed(model: AttentionClassifier, text: Example) -> tuple[np.ndarray, np.ndarray]:
    trace = model.trace(model.collate([text]))
    return trace.token_logits[0].numpy(), trace.attention[0].numpy()


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("projection", ["softmax", "sparsemax"])
def test_each_number_is_that_of_trying_every_set(classes: int, projection: str) -> None:
    model = torn(f"bilstm(hidden=6)+additive+{projection}", classes)
    values = take(model).values
    sizes = []
    for row, text in enumerate(TEXTS):
        trace = model.trace(model.collate([text]))
        z, attention = trace.token_logits[0].numpy(), trace.attention[0].numpy()
        least = literal.smallest(z, attention)
        sizes.append(least)
        assert np.array_equal(values["size"][row], least, equal_nan=True)
        assert values["never"][row] == np.isnan(least)
        for name, ranking in (
            ("attention", attention),
            ("gradient", gradient_importance(model, trace)[0]),
        ):
            found = literal.along(z, attention, np.argsort(-ranking).tolist())
            found = (attention > 0).sum() if np.isnan(found) and not np.isnan(least) else found
            assert np.array_equal(values[f"size.{name}"][row], found, equal_nan=True), name
            assert values[f"found.{name}"][row] == pytest.approx(np.log(least / found), nan_ok=True)
    assert np.isfinite(sizes).any()


def test_the_floor_is_that_of_weights_which_are_shuffled_and_used() -> None:
    model, text = torn("mlp(hidden=6)"), TEXTS[1]
    drawn = take(model, [text], draws=400).values["found.shuffled"][0]
    z, attention = weighed(model, text)
    ratios = []
    for order in permutations(range(len(attention))):
        weights = attention[list(order)]
        least, found = (
            literal.smallest(z, weights),
            literal.along(z, weights, np.argsort(-weights).tolist()),
        )
        ratios.append(np.log(least / (len(weights) if np.isnan(found) else found)))
    assert np.isnan(drawn).mean() == pytest.approx(np.isnan(ratios).mean(), abs=0.08)
    assert np.nanmean(drawn) == pytest.approx(np.nanmean(ratios), abs=0.05)


def test_random_orders_take_every_order() -> None:
    model, text = torn("mlp(hidden=6)"), TEXTS[0]
    values = take(model, [text], draws=300).values
    z, attention = weighed(model, text)
    draw = np.random.default_rng(0)
    found = np.array(
        [literal.along(z, attention, draw.permutation(len(z)).tolist()) for _ in range(300)]
    )
    found = np.where(np.isnan(found), len(z), found)
    assert values["size.random"][0] == pytest.approx(found.mean(), rel=0.1)


def test_what_has_no_flip_or_no_order_is_counted_with_its_reason() -> None:
    flat = torn("mlp(hidden=6)+uniform")
    found = take(flat)
    never = int(found.values["never"].sum()) - 1
    assert found.undefined["size"] == {"one word": 1} | (
        {"no set of words flips the decision": never} if never else {}
    )
    assert found.undefined["found.attention"].get("constant attention", 0) == 5 - never
    assert found.undefined["found.shuffled"] == {"one word": 1, "constant attention": 5}


def test_a_decoder_that_is_not_affine_has_no_token_logits_to_take_weights_from() -> None:
    queries = untrained("mlp(hidden=6)+additive+query", 4)
    taken = measure(
        queries, asked(), (MinimalFlipSet(),), {}, Seeds(0), 4, lambda done, total: None
    )["flips"]
    assert isinstance(taken, NotRun)
