"""What texts share is computed once, and what comes of it is what each text gives by itself: on
every part.
"""

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.config.registry import PROJECTIONS, RETENTIONS, SCORERS, SOURCES
from sightline.core.protocols import Auditable, Batch, kept_columns
from sightline.measures.importance import deletion_importance
from sightline.models.alterations import Altered
from sightline.models.classifier import AttentionClassifier
from sightline.models.fast import text_variants
from sightline.models.fast.leave_one_out import logits_without_each
from sightline.models.fast.prefix_dedup import beginnings
from sightline.numerics.projections import renormalise, uniform
from tests.parts import small_part
from tests.texts import WORDS, examples, untrained

CLOSE = {torch.float32: 1e-5, torch.float64: 1e-10}
SHARING = ("bilstm(hidden=4)", "cnn(channels=2)", "mlp(hidden=8)")
NOT_LEARNED = [name for name in SOURCES if name not in ("learned", "given")]
SPECS = [f"{one}+{small_part('scorer', scorer)}" for one in SHARING for scorer in SCORERS]
SPECS += [
    f"{one}+additive+{small_part('projection', name)}"
    for one in SHARING
    for name in PROJECTIONS[1:]
]
SPECS += [f"{one}+additive+{small_part('source', name)}" for one in SHARING for name in NOT_LEARNED]
SPECS += [
    f"{one}+dot(start=normal)+{name}"
    for one in SHARING
    for name in RETENTIONS[1:]
    if (one[0], name) != ("m", "mlm")
]
SPECS += [f"{one}+additive+gumbel(test_noise=true)+concat" for one in SHARING]
ALONE = (
    "transformer(hidden=8)",
    "bilstm(hidden=4,layers=2)",
    "mlp(hidden=8)+query",
    "cnn(kernels=33)",
)


def plain(model: AttentionClassifier) -> Auditable:
    """Give the same model, of which nobody knows that it can share anything."""
    found = Altered(model)
    found.offers = model.offers - {"variants", "deletion"}
    return found


def shortened(batch: Batch, seed: int = 0) -> Batch:
    """Give every text five times, each time without some of its words, but with one of them."""
    rows = torch.arange(len(batch)).repeat(5)
    drawn = (
        torch.rand(len(rows), batch.ids.shape[1], generator=torch.Generator().manual_seed(seed))
        < 0.7
    )
    first = batch.attendable[rows].int().argmax(1)
    return batch.rows(rows).keep(drawn.scatter(1, first[:, None], True) | ~batch.attendable[rows])


def close(model: AttentionClassifier, batch: Batch) -> None:
    ours, theirs = model.trace_variants(batch), model.trace(batch)
    limit = CLOSE[theirs.logits.dtype] * max(1.0, float(theirs.logits.abs().max()))
    assert (ours.logits - theirs.logits).abs().max() <= limit
    assert (ours.attention - theirs.attention).abs().max() <= limit
    assert (ours.token_logits - theirs.token_logits)[batch.mask].abs().max() <= limit
    flat = uniform(batch.attendable, theirs.attention)
    assert (model.decode(ours, flat) - model.decode(theirs, flat)).abs().max() <= limit
    assert not ours.logits.requires_grad
    assert ours.embeddings.shape == (*batch.ids.shape, 0)


@pytest.mark.parametrize("spec", SPECS)
def test_variants_are_the_texts_run_by_themselves(spec: str) -> None:
    number = SPECS.index(spec)
    model = untrained(spec, 3 if number % 2 else 2, boundaries=number % 3 == 0)
    assert "variants" in model.offers
    batch = shortened(model.collate(examples((7, 1, 4, 12, 2), classes=len(model.label_names))))
    close(model, batch)
    close(model.double(), batch)


@pytest.mark.parametrize("spec", ALONE)
def test_what_shares_nothing_is_run_as_any_text(spec: str) -> None:
    assert not {"variants", "deletion"} & untrained(spec, 3).offers


def test_attention_that_is_lent_is_asked_of_the_lender() -> None:
    assert "variants" not in untrained("mlp(hidden=8)+additive+given").offers


@pytest.mark.parametrize("encoder", SHARING)
@settings(max_examples=25, deadline=None)
@given(
    texts=st.lists(
        st.lists(st.sampled_from(WORDS[:3]), min_size=1, max_size=6), min_size=1, max_size=6
    ),
    boundaries=st.booleans(),
)
def test_whatever_texts_share(encoder: str, texts: list[list[str]], boundaries: bool) -> None:
    """Three words alone, so that texts begin, end, and are alike."""
    model = untrained(f"{encoder}+additive+concat", boundaries=boundaries).double()
    close(model, model.collate([replace(examples((1,))[0], tokens=tuple(one)) for one in texts]))


@pytest.mark.parametrize("encoder", SHARING)
@pytest.mark.parametrize("length", [1, 2, 20, 180])
def test_deletion_is_that_of_texts_run_by_themselves(encoder: str, length: int) -> None:
    drawn = np.random.default_rng(0).choice(WORDS, size=length)
    text = replace(examples((1,))[0], tokens=tuple(drawn))
    for dtype, limit in CLOSE.items():
        model = untrained(f"{encoder}+additive").to(dtype)
        trace = model.trace(model.collate([text, *examples((3,))]))
        mixed = {
            "free": uniform(trace.batch.attendable, trace.attention),
            "turned": trace.attention.flip(1),
        }
        ours, theirs = (deletion_importance(one, trace, mixed) for one in (model, plain(model)))
        assert ours.keys() == theirs.keys() == {"own", "signed", "free", "turned"}
        for name, values in theirs.items():
            assert np.isnan(ours[name][0]).all() == (length == 1)
            assert ours[name] == pytest.approx(values, rel=0, abs=limit, nan_ok=True), name


@pytest.mark.parametrize("encoder", SHARING)
def test_a_text_without_words_has_the_bias_alone(encoder: str) -> None:
    model = untrained(encoder)
    batch = model.collate(examples((3, 2)))
    close(model, batch.keep(batch.mask & torch.tensor([[True], [False]])))


@pytest.mark.parametrize("encoder", SHARING)
def test_other_texts_and_padding_change_nothing(encoder: str) -> None:
    model = untrained(f"{encoder}+additive").double()
    batch = model.collate(examples((12, 5, 7)))
    together, alone = (
        model.trace_variants(batch),
        model.trace_variants(model.collate(examples((12, 5, 7))[1:2])),
    )
    assert (together.logits[1] - alone.logits[0]).abs().max() < 1e-12
    assert (together.attention[1, :5] - alone.attention[0]).abs().max() < 1e-12
    assert (together.attention[1, 5:] == 0).all()


def test_places_scored_in_many_chunks_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    model = untrained("bilstm(hidden=4)+additive").double()
    batch = shortened(model.collate(examples()))
    whole = model.trace_variants(batch).logits
    monkeypatch.setattr(text_variants, "AT_ONCE", 3)
    assert torch.equal(model.trace_variants(batch).logits, whole)


def test_each_beginning_is_there_once() -> None:
    number = torch.tensor([[2, 1, 3, 0], [2, 1, 1, 1], [2, 1, 3, 3], [1, 1, 0, 0]])
    found = beginnings(number, number > 0)
    counts = [b - a for a, b in zip(found.ends, found.ends[1:], strict=False)]
    assert counts == [2, 2, 2, 2]

    def read(place: int, column: int) -> list[int]:
        return ([] if column == 0 else read(int(found.before[place]), column - 1)) + [
            int(found.last[place])
        ]

    for row, column in torch.nonzero(number > 0).tolist():
        assert read(int(found.at[row, column]), column) == number[row, : column + 1].tolist()


def test_a_state_is_computed_once_for_texts_that_begin_or_end_alike() -> None:
    """One word fewer in each of 12 texts: beginnings before the cut, and ends after it, are those
    of the others.
    """
    model = untrained("bilstm(hidden=4)+additive")
    batch = model.collate(examples((12,)))
    rows = torch.zeros(12, dtype=torch.long)
    shorter = batch.rows(rows).keep(~torch.eye(12, dtype=torch.bool))
    with torch.no_grad():
        forward, backward = model.encoder.distinct(text_variants.types_of(shorter, model.embedding))
    assert len(forward.vectors) == len(backward.vectors) == 11 + sum(range(1, 12))
    assert int(shorter.mask.sum()) == 12 * 11


@settings(max_examples=60, deadline=None)
@given(
    weights=st.lists(st.sampled_from([0.0, 1e-300, 1e-9, 0.3, 1.0]), min_size=2, max_size=7),
    seed=st.integers(0, 5),
)
def test_a_term_less_of_two_sums_is_the_text_with_the_weights_that_are_left(
    weights: list[float], seed: int
) -> None:
    """However little is left beside the word: a total less its term would have no digits."""
    size = len(weights)
    given_weights, mask = (
        torch.tensor([weights], dtype=torch.float64),
        torch.ones(1, size, dtype=torch.bool),
    )
    z = torch.randn(1, size, 2, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    ours = logits_without_each(given_weights, mask, z)
    for t in range(size):
        kept = mask.clone()
        kept[0, t] = False
        left = renormalise(given_weights, kept)
        assert ours[0, t].numpy() == pytest.approx(
            torch.einsum("bt,btl->bl", left, z)[0].numpy(), rel=1e-12, abs=1e-12
        )


def test_the_closed_form_has_its_digits_where_one_word_had_all_the_weight() -> None:
    model = untrained("mlp(hidden=8)+dot(start=normal)").double()
    model.scorer.vector.weight.data *= 3000  # scores so far apart that all weights but one are zero
    trace = model.trace(model.collate(examples((9, 5))))
    assert (trace.attention.max(1).values == 1).all()
    assert "deletion" in model.offers
    ours, theirs = (deletion_importance(one, trace, {}) for one in (model, plain(model)))
    assert ours["signed"] == pytest.approx(theirs["signed"], rel=0, abs=1e-10)
    assert np.abs(ours["signed"]).max() > 0.01


def test_closed_up_columns_are_those_of_the_kept() -> None:
    assert kept_columns(torch.tensor([[True, False, True], [False, True, False]])).tolist() == [
        [0, 2],
        [1, 0],
    ]
