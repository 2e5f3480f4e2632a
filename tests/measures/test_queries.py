"""Every measure on a model that answers queries: against literal twins, over the candidates, only
the text deleted.
"""

from dataclasses import replace

import numpy as np
import pytest
import torch

from sightline.audits.measure_pass import measure
from sightline.config.measure_registry import BY_NAME, MEASURES, WHERE_OFFERED
from sightline.core.example import Example
from sightline.core.needs import needed
from sightline.core.results import Measurement, NotRun, Ragged
from sightline.core.seeds import Seeds
from sightline.measures.attention_need import AttentionNeed
from sightline.measures.default_measures import default_measures
from sightline.measures.importance import deletion_importance
from sightline.measures.removal import Removal
from sightline.models.classifier import AttentionClassifier
from sightline.numerics.log_odds import log_odds
from sightline.verdict.evidence import Evidence
from sightline.verdict.judge import judge
from sightline.verdict.thresholds import default_thresholds
from tests.gradients import gradient_importance
from tests.measures.queries import asked
from tests.reference import formulas, moving, ties
from tests.reference.query import answer
from tests.texts import sharpened, untrained

TEXTS = asked()
MODELS = {"mlp": "mlp(hidden=6)+additive+query", "bilstm": "bilstm(hidden=6)+additive+query"}


def model(name: str = "mlp", seed: int = 3) -> AttentionClassifier:
    return untrained(MODELS[name], 4, seed, boundaries=name == "bilstm")


def take(one: AttentionClassifier, texts: list[Example], batch_size: int = 8) -> dict[str, object]:
    beside = {"uniform": 5, "frozen": 6}
    companions = {
        name: untrained(str(one.spec), 4, seed, boundaries=one.spec.boundaries).to(
            one.embedding.weight.dtype
        )
        for name, seed in beside.items()
    }
    return measure(
        one, texts, default_measures(), companions, Seeds(0), batch_size, lambda done, total: None
    )


def test_the_model_is_what_its_formula_says() -> None:
    one = model()
    trace = one.trace(one.collate(TEXTS))
    for row, text in enumerate(TEXTS):
        attention, logits = answer(one, text)
        assert trace.attention[row, : len(text.tokens)].numpy() == pytest.approx(
            attention, abs=1e-6
        )
        assert trace.logits[row].numpy() == pytest.approx(logits, abs=1e-5)
        assert np.isneginf(logits).sum() == 4 - len(text.candidates)


def test_deletion_takes_a_word_of_the_text_and_leaves_the_query() -> None:
    one = model()
    trace = one.trace(one.collate(TEXTS))
    flat = trace.batch.attendable / trace.batch.attendable.sum(1, keepdim=True)
    ours = deletion_importance(one, trace, {"free": flat}, tokens_at_once=20)
    for row, text in enumerate(TEXTS[:5]):
        n = len(text.tokens)
        whole = [
            formulas.probabilities(answer(one, text, weights)[1])
            for weights in (None, np.full(n, 1 / n))
        ]
        for t in range(n):
            left = formulas.without(text, {t})
            shorter = [
                answer(one, left, weights)[1] for weights in (None, np.full(n - 1, 1 / (n - 1)))
            ]
            own, free = (
                formulas.total_variation(p, formulas.probabilities(z))
                for p, z in zip(whole, shorter, strict=True)
            )
            assert own > 1e-6
            assert (ours["own"][row, t], ours["free"][row, t]) == pytest.approx(
                (own, free), abs=1e-6
            )


def test_deletion_in_a_recurrent_model_is_the_text_run_again() -> None:
    one = model("bilstm")
    trace = one.trace(one.collate(TEXTS))
    ours = deletion_importance(one, trace, {})["own"]
    for row, text in enumerate(TEXTS[:5]):
        assert ours[row, trace.batch.attendable[row].numpy()] == pytest.approx(
            formulas.leave_one_out(one, text), abs=1e-6
        )


def test_the_gradient_is_the_slope_of_the_log_odds_among_candidates() -> None:
    one = model().double()
    for text in TEXTS:
        trace = one.trace(one.collate([text]))
        chosen = int(trace.logits[0].argmax())
        slopes = []
        for t in range(len(text.tokens)):
            ends = []
            for sign in (1, -1):
                moved = trace.embeddings.clone()
                moved[0, t] *= 1 + sign * 1e-5
                logits = (
                    one.decode(one.trace(trace.batch, moved), trace.attention)[0].detach().numpy()
                )
                p = formulas.probabilities(logits)
                rest = sum(p[c] for c in text.candidates if c != chosen)
                ends.append(np.log(p[chosen]) - np.log(rest))
            slopes.append(abs(ends[0] - ends[1]) / 2e-5)
        assert max(slopes) > 1e-3
        assert gradient_importance(one, trace)[0] == pytest.approx(slopes, rel=1e-4, abs=1e-7)


def test_erasure_deletes_attended_words_of_the_text() -> None:
    one = model()
    outcome = measure(one, TEXTS, (Removal(),), {}, Seeds(0), 8, lambda done, total: None)[
        "erasure"
    ]
    for row, text in enumerate(TEXTS[:5]):
        keys = Seeds(0).generator("erasure", text.index).random(len(text.tokens))
        order = ties.falling(moving.seen(answer(one, text)[0].tolist(), text.index), keys)
        whole = formulas.probabilities(answer(one, text)[1])
        drops = []
        for share in Removal().shares:
            gone = set(order[: min(max(int(share * len(order) + 0.5), 1), len(order) - 1)])
            drops.append(
                whole.max()
                - formulas.probabilities(answer(one, formulas.without(text, gone))[1])[
                    whole.argmax()
                ]
            )
        assert outcome.values["area"][row] == pytest.approx(np.mean(drops), abs=1e-6)


def test_need_decides_among_candidates_and_its_proof_is_a_number() -> None:
    one = model()
    values = measure(one, TEXTS, (AttentionNeed(),), {}, Seeds(0), 8, lambda done, total: None)[
        "need"
    ].values
    assert (values["identity_error"] < 1e-5).all()
    for row, text in enumerate(TEXTS):
        n = len(text.tokens)
        assert values["learned"][row] == answer(one, text)[1].argmax()
        assert values["uniform"][row] == answer(one, text, np.full(n, 1 / n))[1].argmax()
        assert set(values["permuted"][row]) <= set(text.candidates)


def test_a_decoding_that_misses_the_logits_is_still_seen() -> None:
    class Wrong(AttentionClassifier):
        def decode(self, trace, attention):
            return super().decode(trace, attention) + 0.5

    one = model()
    one.__class__ = Wrong
    values = measure(one, TEXTS, (AttentionNeed(),), {}, Seeds(0), 8, lambda done, total: None)[
        "need"
    ].values
    assert values["identity_error"] == pytest.approx(0.5, abs=1e-5)


@pytest.mark.parametrize("name", MODELS)
def test_every_measure_is_taken_or_says_why_not(name: str) -> None:
    outcomes = take(model(name), TEXTS)
    why = needed({"token_logits"})
    exact = {"counterfactual", "flips", "own_word", "token_evidence"}
    for code in sorted(exact):
        assert outcomes.pop(code) == NotRun(code, why)
    assert set(outcomes) == set(MEASURES) - BY_NAME - WHERE_OFFERED - exact
    for outcome in outcomes.values():
        assert isinstance(outcome, Measurement), outcome
        assert "unexplained" not in [
            reason for counts in outcome.undefined.values() for reason in counts
        ]
    judged = judge(
        Evidence(take(sharpened(model(name)), TEXTS), ("a", "b", "c", "d"), default_thresholds(), 0)
    )
    said = {finding.code: (finding.result, finding.reason) for finding in judged.findings}
    assert said["SL-201"] == said["SL-203"] == said["SL-205"] == ("not run", why)
    answered = ("SL-001", "SL-101", "SL-102", "SL-104", "SL-202", "SL-301")
    assert "not run" not in [said[code][0] for code in answered]


@pytest.mark.parametrize("name", MODELS)
def test_batched_is_alone(name: str) -> None:
    """In float64: a ratio of two small numbers shows how sums are rounded, which is not alike on
    all processors.
    """
    precise = model(name).double()
    whole, alone = take(precise, TEXTS), take(precise, TEXTS[::-1], batch_size=1)
    for code, outcome in whole.items():
        for quantity, value in outcome.values.items() if isinstance(outcome, Measurement) else ():
            other = alone[code].values[quantity]
            if quantity == "partner":
                other = np.where(
                    other >= 0, len(TEXTS) - 1 - other, other
                )  # its rows are turned round too
            pairs = (
                zip(value.rows(), other.rows()[::-1], strict=True)
                if isinstance(value, Ragged)
                else [(value, other[::-1])]
            )
            assert all(a == pytest.approx(b, abs=1e-7, nan_ok=True) for a, b in pairs), (
                f"{code}.{quantity}"
            )


def test_where_one_candidate_is_left_the_answer_is_certain_and_nothing_matters() -> None:
    one = model()
    texts = [replace(text, candidates=(2,), label=2) for text in TEXTS[:3]]
    outcome = take(one, texts)["agreement"]
    for name in ("gradient", "gradient_through", "deletion", "free_gradient", "free_deletion"):
        assert (outcome.values[name].flat == 0).all()
        assert outcome.undefined[f"captured.{name}"] == {"constant or zero reference": 3}


def test_log_odds_leave_absent_answers_out() -> None:
    logits = torch.tensor(
        [[0.3, -torch.inf, 2.0, -1.0], [-torch.inf, 0.4, -torch.inf, -torch.inf]],
        requires_grad=True,
    )
    p = torch.softmax(logits[0, [0, 2, 3]].detach(), 0)
    odds = log_odds(logits, torch.tensor([0, 1]))
    assert odds.tolist() == pytest.approx(
        [float(torch.log(p[0] / (1 - p[0]))), float("inf")], abs=1e-6
    )
    (gradient,) = torch.autograd.grad(odds.sum(), logits)
    assert torch.isfinite(gradient).all()
    assert gradient[1].tolist() == [0, 0, 0, 0]
