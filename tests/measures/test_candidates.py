"""Of a long text some words are compared: drawn by the text, asked one by one, and no others."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
import torch

from sightline.adapters.precision import to_float64
from sightline.core.protocols import Arrays, MeasureContext
from sightline.core.seeds import Seeds
from sightline.measures import attribution_maps
from sightline.measures.agreement import Agreement
from sightline.measures.attribution_maps import AttributionMaps
from sightline.measures.polarity import Polarity
from sightline.measures.removal import Removal
from sightline.measures.removal_curves import FEW_DRAWS
from sightline.models.attention import GivenWeights
from sightline.numerics.rank_agreement import top_count
from tests.adapters.plain import wrapped
from tests.texts import examples, untrained

LONG, SHORT, MOST = 30, 6, 10
TEXTS = tuple(examples((LONG, SHORT, 24)))
OURS = to_float64(untrained("bilstm(hidden=6)+additive"))
with torch.no_grad():
    for weights in OURS.scorer.parameters():
        weights.mul_(8)  # attention that a reader sees differences of
MODEL = wrapped(OURS)
SEEDS = Seeds(0)


def maps_of(
    model: object = MODEL, texts: tuple = TEXTS, most: int | None = MOST
) -> AttributionMaps:
    subject = MeasureContext(model, texts=texts, audited=texts)
    trace = model.trace(model.collate(texts))
    return AttributionMaps(subject, trace, SEEDS, 64, most=most)


def taken(measure: object, texts: tuple = TEXTS) -> Arrays:
    subject = MeasureContext(MODEL, texts=texts, audited=TEXTS)
    found: Arrays = measure.on_batch(subject, MODEL.trace(MODEL.collate(texts)), SEEDS)
    return found


def test_a_long_text_has_so_many_candidates_and_a_short_one_all() -> None:
    maps = maps_of()
    assert maps.candidates.sum(1).tolist() == [MOST, SHORT, MOST]
    assert not (maps.candidates & ~maps.words.mask).any()
    assert np.array_equal(maps_of(most=None).candidates, maps.words.mask)


def test_candidates_are_drawn_by_the_text_alone() -> None:
    together = maps_of().candidates
    for row, text in enumerate(TEXTS):
        alone = maps_of(texts=(text,)).candidates[0]
        assert np.array_equal(together[row, : len(alone)], alone)


def test_a_model_that_knows_all_deletions_at_once_is_asked_for_all() -> None:
    assert np.array_equal(maps_of(OURS).candidates, maps_of(OURS).words.mask)


def test_candidates_alone_are_left_out_and_have_the_numbers_of_all() -> None:
    some, every = maps_of(), maps_of(most=None)
    for name in ("deletion", "signed_deletion", "free_deletion"):
        known = ~np.isnan(some[name]) & some.words.mask
        assert np.array_equal(known, some.candidates)
        assert np.allclose(some[name][known], every[name][known], atol=1e-6)


def test_maps_of_some_words_are_kept_apart_from_those_of_all() -> None:
    some = maps_of()
    assert np.isnan(some["deletion"]).any()
    every = replace(some, most=None)
    assert not np.isnan(every["deletion"][every.words.mask]).any()


def test_a_text_whose_candidates_weigh_the_same_has_constant_attention(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(attribution_maps, "shares_texts", lambda model: False)
    candidates = maps_of().candidates
    given = {
        text.index: np.where(candidates[row, : len(text.tokens)], 1.0, 5.0)
        for row, text in enumerate(TEXTS)
    }
    given[TEXTS[1].index] = 1.0 + np.arange(SHORT)
    ours = to_float64(untrained("bilstm(hidden=6)+additive"))
    ours.source = GivenWeights(given)
    measure, subject = Agreement(candidates=MOST), MeasureContext(ours, texts=TEXTS, audited=TEXTS)
    found = measure.finish(measure.on_batch(subject, ours.trace(ours.collate(TEXTS)), SEEDS))
    assert found.undefined["captured.deletion"] == {"constant attention": 2}


def test_attention_and_leave_one_out_are_compared_over_the_candidates() -> None:
    some = maps_of()
    found = taken(Agreement(candidates=MOST, reported_too=False))
    for row in range(len(TEXTS)):
        here = some.candidates[row]
        weights, reference = some["attention"][row, here], some["deletion"][row, here]
        count = int(top_count(np.array(here.sum())))
        held = reference[np.argsort(-weights)[:count]].sum()
        most = np.sort(reference)[::-1][:count].sum()
        assert np.asarray(found["captured.deletion"])[row] == pytest.approx(held / most, rel=1e-3)
        chance = reference.sum() * count / here.sum() / most
        assert np.asarray(found["chance.deletion"])[row] == pytest.approx(chance, rel=1e-3)
        shared = weights / weights.sum()
        assert np.asarray(found["mass.deletion"])[row] == pytest.approx(
            (shared * reference).sum() / reference.max(), rel=1e-3
        )


def same(
    found: Mapping[str, object], wanted: Mapping[str, object], row: int, but: tuple[str, ...] = ()
) -> None:
    for name, value in wanted.items():
        if isinstance(value, np.ndarray) and not name.endswith(but):
            assert np.allclose(found[name][row], value[row], atol=1e-6, equal_nan=True), name


@pytest.mark.parametrize(
    ("kind", "drawn"), [(Agreement, ()), (Removal, ("floor", "random")), (Polarity, ())]
)
def test_a_short_text_is_measured_as_without_a_bound(kind: type, drawn: tuple[str, ...]) -> None:
    found, wanted = taken(kind(candidates=MOST)), taken(kind())
    assert found.keys() == wanted.keys()
    same(found, wanted, 1, drawn)
    with pytest.raises(AssertionError):
        same(found, wanted, 0)


def test_fewer_texts_are_run_for_long_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    counts: dict[bool, int] = {}
    for few in (False, True):
        run, trace = [0], type(MODEL).trace

        def counted(self: object, batch: object, *more: object, run=run, trace=trace) -> object:
            run[0] += len(batch)
            return trace(self, batch, *more)

        monkeypatch.setattr(type(MODEL), "trace", counted)
        taken(Removal(candidates=MOST if few else None, rivals_too=False), TEXTS[:1])
        monkeypatch.undo()
        counts[few] = run[0]
    assert counts[True] < counts[False] - (LONG - MOST)


def test_random_orders_are_fewer_and_the_first_of_those_of_a_full_audit() -> None:
    few = np.asarray(taken(Removal(candidates=LONG, rivals_too=False))["floor"])
    every = np.asarray(taken(Removal(rivals_too=False))["floor"])
    assert few.shape == every.shape
    assert np.allclose(few[:, :FEW_DRAWS], every[:, :FEW_DRAWS], atol=1e-6)
    for some, all_of_them in zip(few, every, strict=True):
        assert len(np.unique(some.round(7))) == FEW_DRAWS < len(np.unique(all_of_them.round(7)))


def test_a_model_that_shares_texts_has_all_random_orders() -> None:
    subject = MeasureContext(OURS, texts=TEXTS, audited=TEXTS)
    trace = OURS.trace(OURS.collate(TEXTS))
    few, every = (
        np.asarray(
            Removal(candidates=one, rivals_too=False).on_batch(subject, trace, SEEDS)["floor"]
        )
        for one in (MOST, None)
    )
    assert np.array_equal(few, every)
