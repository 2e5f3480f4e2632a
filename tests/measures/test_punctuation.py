"""Words and marks: which is which, what attention rests on, and what losing the marks does."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.audits.measure_pass import measure
from sightline.core.example import Example
from sightline.core.results import Measurement
from sightline.core.seeds import Seeds
from sightline.measures.punctuation import Punctuation, is_mark
from sightline.models.attention import GivenWeights
from sightline.models.classifier import AttentionClassifier
from tests.reference import asked, formulas
from tests.texts import WORDS, example, examples, untrained

DOTTED = [example(f"{text.text} .", text.index) for text in examples((7, 4, 6, 2, 5))]


def take(
    model: AttentionClassifier, texts: list[Example], batch_size: int = 3, **settings: float
) -> Measurement:
    outcome = measure(
        model, texts, (Punctuation(**settings),), {}, Seeds(0), batch_size, lambda done, total: None
    )["marks"]
    assert isinstance(outcome, Measurement), outcome
    return outcome


@given(
    st.text(min_size=1, max_size=4)
    | st.sampled_from(["[CLS]", "[unused7]", "<s>", "</s>", "<unk>", "<|end|>"])
)
def test_a_mark_is_what_has_no_letter_digit_or_picture(token: str) -> None:
    assert is_mark(token) == asked.is_mark(token)


@pytest.mark.parametrize(
    "token", [".", "!", "…", "—", "[CLS]", "[SEP]", "<s>", "</s>", "<unk>", "<|endoftext|>"]
)
def test_marks(token: str) -> None:
    assert is_mark(token)


@pytest.mark.parametrize("token", ["a", "é", "7", "3.50", "don't", "中", "🙂", "unk", "½"])
def test_words(token: str) -> None:
    assert not is_mark(token)


@pytest.mark.parametrize("spec", ["mlp(hidden=6)+additive", "bilstm(hidden=6)+additive"])
def test_each_number_is_the_literal_one(spec: str) -> None:
    model = untrained(spec)
    values = take(model, DOTTED).values
    for row, text in enumerate(DOTTED):
        trace = model.trace(model.collate([text]))
        weights, whole = trace.attention[0].double().numpy(), formulas.run_alone(model, text)
        n = len(text.tokens)
        assert values["words"][row] == pytest.approx(1 - weights[-1], abs=1e-6)
        assert values["flat"][row] == pytest.approx((n - 1) / n)
        assert values["length"][row] == n
        assert values["removed"][row] == pytest.approx(
            formulas.total_variation(
                whole, formulas.run_alone(model, formulas.without(text, {n - 1}))
            ),
            abs=1e-6,
        )
        left = np.append(weights[:-1] / weights[:-1].sum(), 0)
        z = trace.token_logits[0].double().numpy()
        other = formulas.probabilities(left @ z)
        assert values["without"][row] == pytest.approx(
            formulas.total_variation(whole, other), abs=1e-6
        )


def test_attention_on_the_full_stop_is_seen() -> None:
    """All attention on the final "." of every text; taking its weight away gives the words even
    weights.
    """
    model = untrained("mlp(hidden=6)+additive")
    model.source = GivenWeights({t.index: np.eye(len(t.tokens))[-1] for t in DOTTED})
    values = take(model, DOTTED).values
    assert (values["words"] == 0).all()
    for row, text in enumerate(DOTTED):
        z = model.trace(model.collate([text])).token_logits[0].double().numpy()
        before, after = formulas.probabilities(z[-1]), formulas.probabilities(z[:-1].mean(0))
        assert values["without"][row] == pytest.approx(
            formulas.total_variation(before, after), abs=1e-6
        )


@pytest.mark.parametrize(("texts", "marks"), [(20, 1), (19, 0)])
def test_a_word_of_every_text_is_a_mark_where_there_are_enough_texts(
    texts: int, marks: int
) -> None:
    """One in twenty may do without it."""
    same = WORDS[0]
    others = [word for word in WORDS if word != same]
    made = [example(f"{same} {others[i]} {others[i + 1]}", i) for i in range(texts - 1)]
    made.append(example(f"{others[3]} {others[4]}", texts - 1))
    values = take(untrained("mlp(hidden=6)+additive"), made).values
    assert values["marks"].tolist() == [marks] * (texts - 1) + [0]
    assert (values["removed"][-1], values["flat"][-1]) == (
        (0, 1) if marks else pytest.approx((np.nan, np.nan), nan_ok=True)
    )


def test_without_marks_there_is_nothing_to_ask() -> None:
    outcome = take(untrained("mlp(hidden=6)+additive"), examples((7, 4, 6)))
    for name in ("words", "flat", "without", "removed"):
        assert np.isnan(outcome.values[name]).all()
        assert outcome.undefined[name] == {"no marks": 3}


def test_a_text_of_marks_alone_cannot_lose_them() -> None:
    texts = [*DOTTED, example("! ?", 5)]
    outcome = take(untrained("mlp(hidden=6)+additive"), texts)
    of_all = ("words", "flat", "removed", "without")
    assert outcome.undefined == {name: {"only marks": 1} for name in of_all}
    assert [bool(np.isnan(outcome.values[name][5])) for name in of_all] == [True] * 4


def test_texts_of_marks_alone_do_not_move_the_score() -> None:
    model = untrained("mlp(hidden=6)+additive")
    perfect = {t.index: np.r_[np.ones(len(t.tokens) - 1), 0] for t in DOTTED}
    model.source = GivenWeights(perfect | {i: np.ones(2) for i in (5, 6)})
    values = take(model, [*DOTTED, example("! ?", 5), example("… .", 6)]).values
    assert np.nansum(values["words"] - values["flat"]) == pytest.approx(
        np.nansum(1 - values["flat"])
    )


def test_a_text_without_marks_loses_exactly_nothing() -> None:
    texts = [*DOTTED, replace(examples((6,), seed=4)[0], index=5, id="t5")]
    values = take(untrained("bilstm(hidden=6)+additive"), texts).values
    assert (values["without"][5], values["removed"][5], values["words"][5]) == (
        0,
        0,
        pytest.approx(1, abs=1e-6),
    )
