"""Audits of several labels run each changed text once for all, and every number stays what it is."""

from copy import deepcopy
from functools import cache

import numpy as np
import pytest
import torch

import sightline
from sightline.adapters.shared_logits import OVERHEAD, SharedLogits, names_of, shared_logits
from sightline.core.protocols import Auditable
from sightline.core.results import Measurement
from sightline.data.dataset import Dataset
from sightline.experiments import pipeline
from sightline.experiments.pipeline import Trained
from tests.planted import many_labels
from tests.planted.labelwise import data, trained
from tests.texts import untrained

FEW = 120
"""Texts enough for the labels to have their fifty."""


def audited(model: Auditable, texts: Dataset, *, sharing: bool) -> sightline.LabelAudits:
    """Audit the labels, with or without what they share."""
    if sharing:
        return sightline.audit_labels(model, texts, limit=FEW)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sightline.adapters.shared_logits.shared_logits", lambda model: None)
        return sightline.audit_labels(model, texts, limit=FEW)


@cache
def built_in() -> tuple[sightline.LabelAudits, SharedLogits, tuple[int, int]]:
    """Give audits of a model from here, what they share, and how many texts the first label asked
    for and ran.
    """
    stores, counts, usual = list[SharedLogits](), list[tuple[int, int]](), pipeline.of_label

    def noted(held: Trained, label: str, sets: object, shared: SharedLogits) -> Trained:
        stores.append(shared)
        counts.append((shared.asked, shared.ran))
        found: Trained = usual(held, label, sets, shared)  # type: ignore[arg-type]
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipeline, "of_label", noted)
        return audited(trained(), data(), sharing=True), stores[0], counts[1]


@cache
def in_doubles() -> Auditable:
    """The module of the door for modules, whose numbers do not depend on their batch."""
    own = many_labels.functions()
    doubles = deepcopy(own["module"]).double()

    def trace(batch, vectors):  # type: ignore[no-untyped-def]
        states = doubles.encode(vectors, batch.mask)
        attention = doubles.attend(states, batch.attendable)
        logits = doubles.classify(states, attention, batch.mask)
        return {"states": states, "attention": attention, "logits": logits}

    return sightline.wrap(
        doubles,
        collate=own["collate"],
        embed=lambda batch: doubles.embedding(batch.ids),
        trace=trace,
        decode=lambda traced, weights: doubles.classify(
            traced["states"], weights, traced["batch"].mask
        ),
        link="sigmoids",
        labels=many_labels.LABELS,
    )


@pytest.mark.parametrize("door", ["built in", "wrapped"])
def test_what_is_shared_changes_no_number(door: str) -> None:
    if door == "built in":
        shares, alone = built_in()[0], audited(trained(), data(), sharing=False)
    else:
        texts = many_labels.data()
        shares, alone = (audited(in_doubles(), texts, sharing=each) for each in (True, False))
    assert [*shares.audits] == [*alone.audits]
    assert len(shares.audits) == 2
    compared = 0
    for label, one in shares.audits.items():
        assert one.verdict.level == alone.audits[label].verdict.level
        for name, taken in one.measurements.items():
            other = alone.audits[label].measurements[name]
            if not isinstance(taken, Measurement):
                assert type(taken) is type(other)
                continue
            assert isinstance(other, Measurement)
            for quantity, values in taken.values.items():
                if isinstance(values, np.ndarray) and values.dtype.kind == "f":
                    np.testing.assert_allclose(
                        values, other.values[quantity], atol=1e-6, rtol=0, err_msg=quantity
                    )
                    compared += 1
    assert compared > 60


def test_a_later_label_runs_fewer_texts() -> None:
    _, store, (asked, ran) = built_in()
    known_again = 1 - (store.ran - ran) / (store.asked - asked)
    assert asked > 10_000
    assert len(store.known) == store.ran
    assert known_again > 1 - ran / asked + 0.1


def test_what_is_kept_is_bounded_and_what_is_not_kept_is_run_again() -> None:
    model = untrained("bilstm(hidden=4)+additive+labelwise", 3)
    batch = model.collate(data().test[:6])
    few = SharedLogits(model.label_logits, 3, 2 * (OVERHEAD + 8 * 3))
    for _ in range(2):
        torch.testing.assert_close(few(batch), model.label_logits(batch))
    assert len(few.known) == 2
    assert (few.asked, few.ran) == (12, 6 + 4)
    twice = batch.rows(torch.tensor([5, 5, 0]))
    torch.testing.assert_close(few(twice), model.label_logits(twice))
    assert few.ran == 11
    assert deepcopy(few) is few


def test_a_text_is_named_by_its_words_and_not_by_its_padding() -> None:
    model = untrained("bilstm(hidden=4)+additive+labelwise", 3)
    together = model.collate(data().test[:4])
    alone = [names_of(model.collate([text]))[0] for text in data().test[:4]]
    assert names_of(together) == alone
    assert len({*alone}) == 4
    kept = together.mask.clone()
    kept[:, 2] = False
    assert not {*names_of(together.keep(kept))} & {*alone}


@pytest.mark.parametrize(
    ("encoder", "shares"),
    [("mlp(hidden=4)", False), ("cnn(channels=2)", False), ("bilstm(hidden=4)", True)],
)
def test_an_encoder_that_is_soon_done_shares_nothing(encoder: str, shares: bool) -> None:
    model = untrained(f"{encoder}+additive+labelwise", 3)
    assert (shared_logits(model) is not None) == shares
