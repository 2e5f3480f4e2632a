"""What each word alone would be answered, text by text and word by word; and what makes no
difference to its shares.
"""

from dataclasses import replace

import numpy as np
import pytest
import torch

from sightline.audits.measure_pass import measure
from sightline.core.example import Example
from sightline.core.results import Measurement
from sightline.core.seeds import Seeds
from sightline.measures.predictions import Predictions
from sightline.measures.token_logits import TokenLogits, margins
from sightline.models.classifier import AttentionClassifier
from sightline.verdict.evidence import Evidence
from sightline.verdict.thresholds import default_thresholds
from tests.reference.formulas import probabilities
from tests.texts import examples, untrained

LENGTHS = (7, 4, 12, 2, 1, 9, 5)


def labelled(model: AttentionClassifier, wrong: tuple[int, ...] = ()) -> list[Example]:
    """Texts whose labels are the model's decisions, but for some."""
    texts = examples(LENGTHS)
    logits = model.trace(model.collate(texts)).logits.detach().double().numpy()
    decided = [int(np.argmax(probabilities(row))) for row in logits]
    return [
        replace(text, label=(d + (i in wrong)) % model.classes)
        for i, (text, d) in enumerate(zip(texts, decided, strict=True))
    ]


def taken(model: AttentionClassifier, texts: list[Example], batch_size: int = 3) -> Measurement:
    found = measure(
        model,
        texts,
        (Predictions(), TokenLogits()),
        {},
        Seeds(0),
        batch_size,
        lambda done, total: None,
    )
    outcome = found["token_evidence"]
    assert isinstance(outcome, Measurement), outcome
    return outcome


def words_alone(model: AttentionClassifier, text: Example) -> list[np.ndarray]:
    """The logits with all attention on each word, one after the other."""
    trace = model.trace(model.collate([text]))
    out = []
    for word in range(len(text.tokens)):
        alone = torch.zeros_like(trace.attention)
        alone[0, word] = 1
        out.append(model.decode(trace, alone)[0].detach().double().numpy())
    return out


def literal_margins(logits: np.ndarray) -> list[float]:
    """With two classes the log-odds for and against; else the logit less the mean of the
    others'.
    """
    both = [-logits[0], logits[0]] if len(logits) == 1 else logits.tolist()
    if len(logits) == 1:
        return both
    return [one - (sum(both) - one) / (len(both) - 1) for one in both]


@pytest.fixture(params=[2, 3])
def model(request: pytest.FixtureRequest) -> AttentionClassifier:
    built = untrained("bilstm(hidden=6)+additive", request.param)
    built.classes = request.param
    return built


def test_it_is_the_decoder_on_every_word_by_itself(model: AttentionClassifier) -> None:
    texts = labelled(model, wrong=(1,))
    found = taken(model, texts)
    middles, within = [], {}
    for row, text in enumerate(texts):
        if row == 1:
            assert np.isnan(
                [found.values[name][row] for name in ("probability", "within", "total")]
            ).all()
            continue
        alone = words_alone(model, text)
        chances = [probabilities(logits)[text.label] for logits in alone]
        assert found.values["probability"][row] == pytest.approx(
            sum(chances) / len(chances), abs=1e-5
        )
        if len(alone) == 1:
            continue
        said = np.array([literal_margins(logits) for logits in alone])
        middles.append(said.mean(0))
        within[row] = [((said[:, c] - said[:, c].mean()) ** 2).mean() for c in range(said.shape[1])]
        assert found.values["within"][row] == pytest.approx(np.mean(within[row]), rel=1e-4)
    about = np.mean(middles, axis=0)
    for row, middle in zip(within, middles, strict=True):
        total = np.mean(within[row]) + ((middle - about) ** 2).mean()
        assert found.values["total"][row] == pytest.approx(total, rel=1e-4)
    wrong = {"the decision is wrong": 1}
    assert found.undefined == {
        "probability": wrong,
        "within": wrong | {"one word": 1},
        "total": wrong | {"one word": 1},
    }
    assert found.missing == {"gap": "no audited text has a rationale"}


def share(measurement: Measurement) -> float:
    return float(np.nansum(measurement.values["within"]) / np.nansum(measurement.values["total"]))


def test_how_sure_a_decoder_is_moves_the_probability_and_not_the_shares(
    model: AttentionClassifier,
) -> None:
    texts = [
        replace(text, rationale=tuple(i % 3 == 0 for i in range(len(text.tokens))))
        for text in labelled(model)
    ]
    before = taken(model, texts)
    with torch.no_grad():
        model.decoder.affine.weight *= 0.25
        model.decoder.affine.bias *= 0.25
    after = taken(model, texts)
    assert np.abs(after.values["probability"] - before.values["probability"]).max() > 0.01
    assert share(after) == pytest.approx(share(before), rel=1e-5)
    assert after.values["gap"] == pytest.approx(before.values["gap"], nan_ok=True, abs=1e-4)


def test_words_that_all_say_what_the_text_is_vary_between_texts_alone() -> None:
    """Signs are not turned to the decision: words that all agree with it would otherwise not vary
    at all.
    """
    sides = np.array([1.0, -1.0, 1.0, -1.0])
    arrays = {
        "right": np.ones(4, dtype=bool),
        "words": np.full(4, 3),
        "probability": np.full(4, 0.9),
        "within": np.zeros(4),
        "middle": np.stack([-2 * sides, 2 * sides], axis=1),
    }
    found = TokenLogits().finish(arrays)
    assert found.values["total"].tolist() == [4, 4, 4, 4]
    assert share(found) == 0


def test_the_gap_is_in_standard_deviations_of_all_words(model: AttentionClassifier) -> None:
    texts = labelled(model)
    marks = [tuple(i == 1 for i in range(length)) for length in LENGTHS]
    marks[1], marks[3] = (False,) * 4, (True,) * 2
    texts = [
        replace(text, rationale=None if row == 0 else one)
        for row, (text, one) in enumerate(zip(texts, marks, strict=True))
    ]
    found = taken(model, texts)
    spread = np.sqrt(np.nanmean(found.values["total"]))
    for row in (2, 5, 6):
        said = [
            literal_margins(logits)[texts[row].label] for logits in words_alone(model, texts[row])
        ]
        others = [one for i, one in enumerate(said) if i != 1]
        assert found.values["gap"][row] == pytest.approx(
            (said[1] - sum(others) / len(others)) / spread, abs=1e-4
        )
    assert found.undefined["gap"] == {
        "no marks for the text": 1, "no word is marked": 1, "every word is marked": 1, "one word": 1
    }  # fmt: skip


def test_an_absent_candidate_has_no_part() -> None:
    found = margins(np.array([[[1.0, 3.0, -np.inf]], [[2.0, 2.0, 5.0]]]))
    assert found.tolist() == [[[-2.0, 2.0, 0.0]], [[-1.5, -1.5, 3.0]]]


def test_the_share_is_a_ratio_of_sums_and_has_an_interval(model: AttentionClassifier) -> None:
    texts = labelled(model)
    found = measure(
        model, texts, (Predictions(), TokenLogits()), {}, Seeds(0), 3, lambda done, total: None
    )
    evidence = Evidence(found, tuple("abc"[: model.classes]), default_thresholds(), 0)
    result = evidence.estimate("token_evidence.share")
    assert result.value == pytest.approx(share(found["token_evidence"]))
    assert 0 <= result.low < result.value < result.high <= 1
    assert result.n == 6
    assert evidence.estimate("token_evidence.probability").n == 7
    assert evidence.estimate("input_information.nats") is None
