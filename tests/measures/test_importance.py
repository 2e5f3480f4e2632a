"""The references against literal twins: finite differences, texts really shortened, closed
forms.
"""

import numpy as np
import pytest
import torch

from sightline.measures import importance
from sightline.measures.importance import deletion_importance, slopes
from sightline.models.classifier import AttentionClassifier
from sightline.numerics.log_odds import log_odds
from sightline.numerics.projections import uniform
from tests.adapters.plain import wrapped
from tests.gradients import gradient_importance
from tests.reference import formulas
from tests.texts import examples, untrained

TEXTS = examples((7, 4, 12, 2))


@pytest.fixture(params=["mlp(hidden=6)", "bilstm(hidden=6)"])
def model(request: pytest.FixtureRequest) -> AttentionClassifier:
    return untrained(f"{request.param}+additive", boundaries="bilstm" in request.param)


def differences(model: AttentionClassifier, text: object, *, held: bool) -> np.ndarray:
    """|Δ log-odds| when an embedding grows along itself, by central differences in float64."""
    double = model.double()
    trace = double.trace(double.collate([text]))
    step, out = 1e-5, []
    for t in torch.nonzero(trace.batch.attendable[0])[:, 0]:
        ends = []
        for sign in (1, -1):
            moved = trace.embeddings.clone()
            moved[0, t] *= 1 + sign * step
            again = double.trace(trace.batch, moved)
            ends.append(
                double.decode(again, trace.attention if held else again.attention)[0, 0].item()
            )
        out.append(abs(ends[0] - ends[1]) / (2 * step))
    model.float()
    return np.array(out)


@pytest.mark.parametrize("held", [True, False])
def test_gradient_is_the_slope_along_the_embedding(model: AttentionClassifier, held: bool) -> None:
    for text in TEXTS:
        slopes = differences(model, text, held=held)
        trace = model.trace(model.collate([text]))
        ours = gradient_importance(model, trace, held=held)[0]
        assert ours[trace.batch.attendable[0].numpy()] == pytest.approx(slopes, rel=1e-3, abs=1e-5)
        assert (ours[~trace.batch.attendable[0].numpy()] == 0).all()


def test_holding_attention_matters() -> None:
    model = untrained("mlp(hidden=6)+additive")
    trace = model.trace(model.collate(TEXTS))
    held, through = (gradient_importance(model, trace, held=h) for h in (True, False))
    assert np.abs(held - through).max() > 0.05 * held.max()


@pytest.mark.parametrize(("origin", "passes"), [("here", 1), ("elsewhere", 3)])
def test_gradients_of_a_batch_share_their_pass_where_the_model_was_made_here(
    origin: str, passes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = untrained("bilstm(hidden=6)+additive").double()
    trace = model.trace(model.collate(TEXTS))
    flat = uniform(trace.batch.attendable, trace.attention)
    ways = ((None, True), (None, False), (flat, True))
    alone = [gradient_importance(model, trace, one, held=held) for one, held in ways]
    ran, run = [], model.trace
    monkeypatch.setattr(model, "trace", lambda *given: ran.append(given) or run(*given))
    monkeypatch.setattr(AttentionClassifier, "origin", origin)
    together = slopes(model, trace, {"own": "held", "through": "through", "flat": flat})
    assert len(ran) == passes
    for ours, known in zip(together.values(), alone, strict=True):
        assert ours.reduced("input") == pytest.approx(known, rel=1e-12, abs=1e-15)


def test_deletion_is_the_text_run_again_without_the_word(model: AttentionClassifier) -> None:
    trace = model.trace(model.collate(TEXTS))
    ours = deletion_importance(model, trace, {})["own"]
    for row, text in enumerate(TEXTS):
        literal = formulas.leave_one_out(model, text)
        assert literal.max() > 1e-3  # the problem is not trivial
        assert ours[row, trace.batch.attendable[row].numpy()] == pytest.approx(literal, abs=1e-6)


def test_deletion_in_small_chunks_is_the_same(model: AttentionClassifier) -> None:
    trace = model.trace(model.collate(TEXTS))
    whole, pieces = (deletion_importance(model, trace, {}, size)["own"] for size in (2**15, 1))
    assert pieces == pytest.approx(whole, abs=1e-6)


@pytest.mark.parametrize(
    "hidden", [(), ("deletion",), ("deletion", "variants")], ids=lambda hidden: "+".join(hidden)
)
def test_deletion_under_given_weights_renormalises_what_is_left(
    hidden: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """MLP states do not see each other, so the deleted output is a mixture of the other token
    logits.
    """
    model = untrained("mlp(hidden=6)+additive")
    monkeypatch.setattr(AttentionClassifier, "offers", model.offers - set(hidden))
    trace = model.trace(model.collate(TEXTS[:1]))
    weights = torch.tensor([[0.4, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]])
    ours = deletion_importance(model, trace, {"mixed": weights})["mixed"][0]
    z = trace.token_logits[0, :, 0].double().numpy()
    alpha = weights[0].double().numpy()
    for t in range(7):
        left = np.delete(alpha, t) / np.delete(alpha, t).sum()
        pair = [formulas.probabilities(np.array([s])) for s in (alpha @ z, left @ np.delete(z, t))]
        assert ours[t] == pytest.approx(formulas.total_variation(*pair), abs=1e-6)


def test_own_deletion_of_an_mlp_has_a_closed_form() -> None:
    """``Δs = α_t/(1 − α_t) · (s − z_t)``: removing a token renormalises softmax over the others."""
    model = untrained("mlp(hidden=6)+additive")
    trace = model.trace(model.collate(TEXTS[:1]))
    alpha, z = trace.attention[0].double().numpy(), trace.token_logits[0, :, 0].double().numpy()
    s = alpha @ z
    closed = [s + a / (1 - a) * (s - zt) for a, zt in zip(alpha, z, strict=True)]
    expected = [
        abs(formulas.probabilities(np.array([c]))[1] - formulas.probabilities(np.array([s]))[1])
        for c in closed
    ]
    assert deletion_importance(model, trace, {})["own"][0] == pytest.approx(expected, abs=1e-6)


def test_the_only_word_cannot_be_deleted() -> None:
    model = untrained("mlp(hidden=6)+additive")
    trace = model.trace(model.collate(examples((1, 3))))
    out = deletion_importance(
        model, trace, {"free": uniform(trace.batch.attendable, trace.attention)}
    )
    assert all(
        np.isnan(values[0]).all() and not np.isnan(values[1]).any() for values in out.values()
    )


def test_log_odds_is_that_of_the_chosen_class() -> None:
    logits = torch.tensor([[0.3, -1.0, 2.0]])
    p = torch.softmax(logits, 1)[0, 0]
    assert log_odds(logits, torch.tensor([0])) == pytest.approx(
        float(torch.log(p / (1 - p))), abs=1e-6
    )
    one = torch.tensor([[0.7], [0.7]])
    assert log_odds(one, torch.tensor([1, 0])).tolist() == pytest.approx([0.7, -0.7])


def test_hidden_state_gradient_is_attention_itself() -> None:
    """With attention held and one affine logit, ``Σ_h ∂s/∂h_t = α_t · Σ w``: a free check of the
    detach.
    """
    model = untrained("bilstm(hidden=6)+additive")
    batch = model.collate(TEXTS[:1])
    embeddings = model.embed(batch).detach().requires_grad_()
    trace = model.trace(batch, embeddings)
    (gradient,) = torch.autograd.grad(
        model.decode(trace, trace.attention.detach()).sum(), trace.states
    )
    ratio = gradient.sum(-1) / trace.attention
    assert ratio.detach().numpy() == pytest.approx(
        model.decoder.affine.weight.sum().item(), rel=1e-4
    )


def test_gradients_of_a_model_from_elsewhere_are_taken_on_some_texts_at_a_time(monkeypatch) -> None:
    model = wrapped(untrained("bilstm(hidden=6)+additive"))
    trace = model.trace(model.collate(examples((7, 4, 12, 2, 9))))
    flat = uniform(trace.batch.attendable, trace.attention)
    ways = {"own": "held", "through": "through", "flat": flat}
    whole, sizes = slopes(model, trace, ways), list[int]()
    traced = type(model).trace

    def counted(self, batch, *more):
        sizes.append(len(batch))
        return traced(self, batch, *more)

    monkeypatch.setattr(type(model), "trace", counted)
    monkeypatch.setattr(importance, "GRADIENT_TOKENS", 24)
    parts = slopes(model, trace, ways)
    assert sizes == [2, 2, 1] * 3
    for name, one in whole.items():
        assert np.allclose(one.along, parts[name].along, atol=1e-9)
        assert np.allclose(one.length, parts[name].length, atol=1e-9)
        assert one.along.any()
