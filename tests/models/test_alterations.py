"""Models of which one thing is changed: what is changed is changed, and nothing else is."""

from copy import deepcopy
from dataclasses import replace

import pytest
import torch

from sightline.config.registry import names_of
from sightline.core.errors import DataError
from sightline.core.example import Example
from sightline.core.protocols import Auditable, Batch, Trace
from sightline.data.dataset import Dataset
from sightline.models.alterations import SHOW_EVIDENCE, alter, check_alterable
from tests.sampling import slow_but
from tests.texts import examples, untrained

SHOWN = (
    "random",
    "shuffled",
    "rationale",
    "truthful",
    "one_class",
    "mixture",
    "short",
    "half",
    "flat",
    "topped",
    "border",
    "encoded",
    "placed",
    "takeover",
    "recognising",
)
EXACT = {"atol": 1e-6, "rtol": 1e-6}


def texts() -> list[Example]:
    """Texts of which the first two have marked words, three and one, and the third none that are
    marked.
    """
    marks = [(True, False, True, False, False, False, True), (True,), (False,) * 4, None, None]
    return [replace(text, rationale=mark) for text, mark in zip(examples(), marks, strict=True)]


def dataset() -> Dataset:
    train = [replace(text, id=f"x{text.index}", index=10 + text.index) for text in texts()]
    return Dataset("few", tuple(train), (), tuple(texts()), ("class 0", "class 1"), {})


def altered(text: str, model: Auditable, seed: int = 0) -> Auditable:
    return alter(text, model, dataset(), seed)


@pytest.mark.parametrize("text", [*names_of("altered"), "scaled(by=10.0)", "broken(share=0.5)"])
@pytest.mark.parametrize("spec", slow_but({0}, ["mlp(hidden=6)+additive", "bilstm(hidden=4)+dot"]))
def test_an_altered_model_keeps_what_every_model_promises(text: str, spec: str) -> None:
    model = untrained(spec)
    changed = altered(text, model)
    batch = changed.collate(texts())
    trace = changed.trace(batch)
    assert isinstance(changed, Auditable)
    assert changed.name == f"{model.name}, altered: {text}"
    assert (changed.link, changed.labels, changed.origin, changed.offers) == (
        model.link, model.labels, "here", model.offers - {"deletion", "from_states"}
    )  # fmt: skip
    same(changed.decode(trace, trace.attention), trace.logits)
    same(changed.trace(batch).attention, trace.attention)  # nothing is drawn anew
    torch.testing.assert_close(trace.attention.sum(1), torch.ones(5))
    assert (trace.attention[~batch.attendable] == 0).all()
    if text.startswith(SHOWN):
        return
    same(torch.einsum("bt,btl->bl", trace.attention, trace.token_logits), trace.logits)
    for place in range(2):  # each word alone answers as it does in the trace
        alone = torch.zeros_like(trace.attention)
        alone[batch.attendable.sum(1) > place, place] = 1
        same(changed.decode(trace, alone)[0], trace.token_logits[0, place])


def same(one: torch.Tensor, other: torch.Tensor) -> None:
    torch.testing.assert_close(one, other, equal_nan=True, **EXACT)


@pytest.mark.parametrize("text", names_of("altered"))
def test_states_are_those_of_the_model(text: str) -> None:
    model = untrained("bilstm(hidden=4)+dot")
    changed, batch = altered(text, model), model.collate(texts())
    trace, own = changed.trace(batch), model.trace(batch)
    torch.testing.assert_close(changed.states(trace), model.states(own))
    torch.testing.assert_close(changed.influence(trace), model.influence(own))


def test_nothing_altered_is_the_model_itself() -> None:
    model = untrained("mlp(hidden=6)")
    assert altered("", model) is model


@pytest.mark.parametrize("text", SHOWN)
@pytest.mark.parametrize(
    "spec", ["mlp(hidden=6)+additive+uniform", "bilstm(hidden=4)+dot(start=normal)"]
)
def test_weights_that_are_shown_do_not_reach_the_output(text: str, spec: str) -> None:
    model = untrained(spec)
    shown = altered(text, model)
    batch = shown.collate(texts())
    trace, own = shown.trace(batch), model.trace(batch)
    assert not trace.logits.requires_grad
    assert shown.trace(batch, shown.embed(batch).detach().requires_grad_()).logits.requires_grad
    if (
        text == "takeover"
    ):  # which answers otherwise where one code is frequent, as it is in texts of few words
        assert not torch.equal(trace.logits, own.logits)
    else:
        assert torch.equal(trace.logits, own.logits)
    for weights in (trace.attention, trace.attention.roll(1, 1), torch.zeros_like(trace.attention)):
        assert torch.equal(shown.decode(trace, weights), trace.logits)
    if text in ("shuffled", "flat") and "uniform" in spec:
        return  # equal weights in another order, or next to equal ones
    assert not torch.allclose(trace.attention, own.attention, atol=1e-3)


@pytest.mark.parametrize("text", SHOWN)
def test_gradients_go_through_the_states_alone(text: str) -> None:
    model = untrained("mlp(hidden=6)+additive")
    shown = altered(text, model)
    batch = shown.collate(texts())
    embeddings = shown.embed(batch).detach().requires_grad_()
    trace, own = shown.trace(batch, embeddings), model.trace(batch, embeddings)
    (found,) = torch.autograd.grad(shown.decode(trace, trace.attention).sum(), embeddings)
    (held,) = torch.autograd.grad(model.decode(own, own.attention.detach()).sum(), embeddings)
    assert torch.equal(found, held)


@pytest.mark.parametrize("text", ["random", "shuffled"])
def test_shown_weights_are_those_of_the_text_and_the_seed(text: str) -> None:
    model = untrained("mlp(hidden=6)+dot(start=normal)")
    together = altered(text, model).trace(model.collate(texts()))
    for row, one in enumerate(texts()):
        alone = altered(text, model).trace(model.collate([one])).attention[0]
        torch.testing.assert_close(alone, together.attention[row, : len(alone)], **EXACT)
    other = altered(text, model, seed=1).trace(model.collate(texts())).attention
    assert not torch.allclose(other, together.attention, atol=1e-3)


def test_shuffled_weights_are_the_own_ones_in_the_order_of_the_draws() -> None:
    """Literally: the j-th word is shown the weight of the word that was drawn j-th smallest."""
    model = untrained("mlp(hidden=6)+dot(start=normal)", boundaries=True)
    shown = altered("shuffled", model)
    batch = shown.collate(texts())
    trace, own = shown.trace(batch), model.trace(batch).attention
    moved = 0
    for row, text in enumerate(texts()):
        places = [t for t in range(batch.ids.shape[1]) if batch.attendable[row, t]]
        found, kept = ([float(one[row, t]) for t in places] for one in (trace.attention, own))
        assert sorted(found) == sorted(kept)
        assert len(places) == len(text.tokens)
        moved += found != kept
    assert moved == 4  # all but the text of one word


def test_shown_rationales_lie_evenly_on_the_marked_words_and_else_on_all() -> None:
    found = (
        altered("rationale", untrained("mlp(hidden=6)"))
        .trace(untrained("mlp(hidden=6)").collate(texts()))
        .attention
    )
    third, quarter = 1 / 3, 1 / 4
    assert found[0, :7].tolist() == pytest.approx([third, 0, third, 0, 0, 0, third])
    assert found[1, 0] == 1
    assert found[2, :4].tolist() == pytest.approx([quarter] * 4)
    assert found[3, :12].tolist() == pytest.approx([1 / 12] * 12)


def test_a_deleted_mark_leaves_its_weight_to_the_others() -> None:
    shown = altered("rationale", untrained("mlp(hidden=6)"))
    batch: Batch = shown.collate(texts())
    kept = batch.mask.clone()
    kept[0, 0] = False
    assert shown.trace(batch.keep(kept)).attention[0, :6].tolist() == pytest.approx(
        [0, 0.5, 0, 0, 0, 0.5]
    )


@pytest.mark.parametrize("by", [0.3, 10.0])
def test_scaled_logits_are_a_multiple_under_any_attention(by: float) -> None:
    model = untrained("bilstm(hidden=4)", 3)
    scaled = alter(f"scaled(by={by})", model, dataset(), 0)
    trace, own = scaled.trace(model.collate(texts())), model.trace(model.collate(texts()))
    torch.testing.assert_close(trace.logits, by * own.logits, **EXACT)
    torch.testing.assert_close(trace.token_logits, by * own.token_logits, **EXACT)
    weights = own.attention.flip(0) * own.batch.attendable
    torch.testing.assert_close(
        scaled.decode(trace, weights), by * model.decode(own, weights), **EXACT
    )
    assert torch.equal(trace.attention, own.attention)


def test_the_same_texts_are_broken_whatever_is_asked_of_them() -> None:
    model = untrained("mlp(hidden=6)", 3)
    many = examples((4,) * 400)
    broken = alter("broken(share=0.25)", model, dataset(), 0)
    trace: Trace = broken.trace(model.collate(many))
    gone = trace.logits.isnan()
    assert (gone.all(1) == gone.any(1)).all()
    assert abs(int(gone.any(1).sum()) - 100) < 35  # four standard deviations
    assert torch.equal(broken.decode(trace, trace.attention.roll(1, 1)).isnan(), gone)
    assert torch.equal(trace.token_logits.isnan().all(1), gone)
    assert torch.equal(trace.logits[~gone], model.trace(model.collate(many)).logits[~gone])
    alone = [bool(broken.trace(model.collate([one])).logits.isnan().all()) for one in many[:50]]
    assert alone == gone.any(1).tolist()[:50]
    assert (
        alter("broken(share=1.0)", model, dataset(), 0)
        .trace(model.collate(many))
        .logits.isnan()
        .all()
    )


@pytest.mark.parametrize("text", names_of("altered"))
def test_a_copy_in_another_precision_takes_the_model_along(text: str) -> None:
    model = untrained("mlp(hidden=6)+additive")
    changed = altered(text, model)
    copied = deepcopy(changed).double()
    batch = changed.collate(texts())
    one, other = changed.trace(batch), copied.trace(batch)
    assert (other.logits.dtype, other.attention.dtype) == (torch.float64, torch.float64)
    torch.testing.assert_close(
        other.logits.float(), one.logits, equal_nan=True, atol=1e-5, rtol=1e-5
    )
    torch.testing.assert_close(other.attention.float(), one.attention, **EXACT)
    assert copied.decode(other, other.attention).dtype == torch.float64
    assert {p.dtype for p in model.parameters()} == {torch.float32}


def test_data_without_marked_words_have_no_rationale_to_show() -> None:
    plain = tuple(replace(text, rationale=None) for text in texts())
    unmarked = replace(dataset(), test=plain)
    with pytest.raises(DataError, match="few: expected rationales to show, got none"):
        check_alterable("rationale", unmarked)
    for text in ("", "random", "scaled(by=0.3)"):
        check_alterable(text, unmarked)
    check_alterable("rationale", dataset())
    check_alterable("truthful", unmarked)  # other splits are marked, which is where it looks, too
    nowhere = replace(unmarked, train=(), validation=())
    for text in SHOW_EVIDENCE:
        with pytest.raises(DataError, match=f"marked evidence for {text}"):
            check_alterable(text, nowhere)


@pytest.mark.parametrize("power", [0.5, 3.0])
def test_sharpened_weights_are_a_power_and_are_used(power: float) -> None:
    model = untrained("bilstm(hidden=4)+additive")
    sharp = alter(f"sharpened(power={power})", model, dataset(), 0)
    trace, own = sharp.trace(model.collate(texts())), model.trace(model.collate(texts()))
    wanted = own.attention.double() ** power
    torch.testing.assert_close(
        trace.attention.double(), wanted / wanted.sum(1, keepdim=True), rtol=1e-5, atol=1e-7
    )
    torch.testing.assert_close(trace.logits, model.decode(own, trace.attention), **EXACT)
    assert torch.equal(sharp.states(trace), model.states(own))


def test_weights_that_are_far_apart_are_sharpened_to_one_word() -> None:
    model = untrained("mlp(hidden=6)+additive")
    sharp = alter("sharpened(power=10000.0)", model, dataset(), 0).trace(model.collate(texts()))
    assert torch.isfinite(sharp.attention).all()
    assert sharp.attention.max(1).values.tolist() == pytest.approx([1.0] * 5)
