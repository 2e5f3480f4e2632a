"""What ranks are said to know: of states that mean nothing, of a label that is written into them,
of flat attention.
"""

from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import numpy as np
import pytest
import torch

from sightline.audits.measure_pass import measure
from sightline.core.example import Example
from sightline.core.protocols import Batch, MeasureContext, Trace
from sightline.core.results import Measurement, Outcome
from sightline.core.seeds import Seeds
from sightline.data.batches import collate
from sightline.data.vocabulary import Vocabulary
from sightline.measures.batch_words import words_of
from sightline.measures.rank_information import MOST, RankInformation
from sightline.measures.states_by_rank import Ranks, survey_batch
from sightline.measures.trace_arrays import shuffled
from sightline.numerics import probes, rank_probe_scores
from sightline.numerics.rank_curves import contrast
from sightline.verdict.evidence import Evidence
from sightline.verdict.rank_conclusions import describe_ranks
from sightline.verdict.thresholds import Thresholds
from tests.texts import WORDS, example, examples, untrained

TEXTS, LENGTH, WIDTH, RANKS = 1000, 12, 64, 8
FEW = 210
"""Texts, a few more than the measure asks for."""


@dataclass(frozen=True)
class Written:
    """A model that is written down: the states, weights and decoder of each text, whatever it
    says.
    """

    states_of: np.ndarray
    attention: np.ndarray
    decoder: np.ndarray
    name: str = "written down"
    link: str = "sigmoid"
    labels: tuple[str, ...] | None = None
    origin: str = "here"
    offers: frozenset[str] = frozenset({"states", "decode"})

    def collate(self, texts: list[Example]) -> Batch:
        return collate(texts, Vocabulary(WORDS), False, 2)

    def embed(self, batch: Batch) -> torch.Tensor:
        return torch.zeros(*batch.ids.shape, 1)

    def trace(self, batch: Batch, embeddings: torch.Tensor | None = None) -> Trace:
        attention = torch.from_numpy(self.attention[batch.index.numpy()])
        made = Trace(
            batch, self.embed(batch), attention, torch.zeros(len(batch), 1, dtype=torch.float64)
        )
        return replace(made, logits=self.decode(made, attention))

    def states(self, trace: Trace) -> torch.Tensor:
        return torch.from_numpy(self.states_of[trace.batch.index.numpy()])

    def decode(self, trace: Trace, attention: torch.Tensor) -> torch.Tensor:
        return torch.einsum(
            "nt,ntd,d->n", attention.double(), self.states(trace), torch.from_numpy(self.decoder)
        )[:, None]


def world(seed: int = 0, signal: float = 0.0, sharp: float = 1.0) -> tuple[Written, list[Example]]:
    """Draw 1,000 texts of 12 states; the label may be written into what is decoded, less with each
    rank.

    The coordinate that is decoded holds half of the variance, as in trained models; clusters see
    little of others.
    """
    rng = np.random.default_rng(seed)
    states, logits = (
        rng.standard_normal((TEXTS, LENGTH, WIDTH)),
        sharp * rng.standard_normal((TEXTS, LENGTH)),
    )
    attention = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    labels = rng.integers(0, 2, TEXTS)
    ranks = np.argsort(np.argsort(-attention, axis=1), axis=1)
    states[:, :, 0] += signal * 0.75**ranks * (2 * labels[:, None] - 1)
    states[:, :, 0] *= np.sqrt(WIDTH - 1)
    texts = [
        replace(example(" ".join(WORDS[:LENGTH]), index, int(label)), group=f"source {index}")
        for index, label in enumerate(labels)
    ]
    return Written(states, attention, np.eye(WIDTH)[0]), texts


def informed(
    model: Any, texts: list[Example], companions: dict[str, Any] | None = None, shuffles: int = 1
) -> Measurement:
    asked = (RankInformation(shuffles=shuffles),)
    found = measure(model, texts, asked, companions or {}, Seeds(0), 250, lambda done, total: None)
    outcome: Outcome = found["information"]
    assert isinstance(outcome, Measurement), outcome
    return outcome


@cache
def known(signal: float) -> Measurement:
    """Ask both worlds once, with as many shuffles as p = .05 takes."""
    return informed(*world(signal=signal), shuffles=19)


def said(measurement: Measurement) -> str:
    return describe_ranks(Evidence({"information": measurement}, ("a", "b"), Thresholds({}, 1), 0))


def test_the_published_count_lets_tied_ranks_follow_the_text() -> None:
    """All weights are equal, so only the way of breaking ties decides which word has which rank."""
    drawn, texts = world()
    model = replace(drawn, attention=np.full_like(drawn.attention, 1 / LENGTH))
    trace = model.trace(model.collate(texts[:300]))
    subject = MeasureContext(model, {}, tuple(texts[:300]), audited=tuple(texts[:300]))
    arrays = RankInformation(shuffles=0).look(subject, trace, Seeds(0))
    ranks = Ranks.of(arrays, Seeds(0), MOST)
    assert ranks.tied.all()
    along = np.tile(np.arange(LENGTH), (300, 1))
    own, forward, backward = (
        ranks.published(order).curves["output"] for order in (None, along, along[:, ::-1])
    )
    np.testing.assert_array_equal(own, forward)
    assert not np.isclose(own, backward).any()


@pytest.mark.slow
def test_states_that_mean_nothing_are_coupling_and_no_more() -> None:
    found = known(0.0).whole
    assert found["paper.tau.output"].value >= 0.8
    assert found["coupled.tau"].value > 0.05
    assert found["D.label"].low < 0 < found["D.label"].high
    assert found["exchanged.D.label"].value > 0.05
    assert said(known(0.0)).startswith(("coupling only", "nothing to rank"))


@pytest.mark.slow
def test_a_label_that_is_written_into_states_by_rank_is_found() -> None:
    measured = known(1.2)
    found = measured.whole
    curve = [found[f"V.{rank + 1}.label"].value for rank in range(measured.settings["ranks"])]
    assert 0.35 <= curve[0] <= 0.45
    assert (np.diff(curve) < 0.01).all()
    assert abs(curve[-1]) < 0.03
    assert found["D.label"].value == pytest.approx(0.315, abs=0.05)
    assert found["D.label"].low > 0.2
    assert found["coupled.D"].value <= 0.05
    assert said(measured).startswith("ranks track information about ")
    assert said(measured).endswith("the label")


def test_its_numbers_are_those_of_its_texts() -> None:
    model, texts = world(signal=1.2)
    measured = informed(model, texts[:FEW], shuffles=0)
    ranks = measured.settings["ranks"]
    scores = np.asarray(measured.values["scores.label"])
    assert scores.shape == (FEW, MOST)
    assert np.isnan(scores[:, ranks:]).all()
    curve = scores[:, :ranks].mean(0)
    assert measured.whole["D.label"].value == pytest.approx(float(contrast(curve)), abs=1e-12)
    assert measured.values["first.label"] == pytest.approx(scores[:, 0])
    assert measured.values["rest.label"] == pytest.approx(scores[:, 1:ranks].mean(1))
    assert np.mean(measured.values["most.label"]) == pytest.approx(np.log(2), abs=0.01)
    among = np.asarray(measured.values["draws.label"])[:, :, None] == scores[:, None, :ranks]
    assert among.any(2).all()  # a draw is a score of the same text


def test_attention_that_is_constant_has_no_ranks() -> None:
    model, texts = world(signal=1.2)
    measured = informed(replace(model, attention=np.full((TEXTS, LENGTH), 1 / LENGTH)), texts[:FEW])
    assert measured.whole["paper.tau.output"].value == 0
    assert measured.whole["flatness"].value == pytest.approx(1)
    assert measured.whole["tied"].value == 1
    assert said(measured).startswith(("flat attention", "no information"))


def test_an_untrained_companion_is_asked_too() -> None:
    (model, texts), (other, _) = world(), world(signal=1.2)
    found = informed(model, texts[:300], {"untrained": other}, shuffles=0).whole
    assert found["untrained.D.label"].value == pytest.approx(0.3, abs=0.1)
    assert found["D.label"].low < 0.02


def test_short_texts_are_left_out_and_counted() -> None:
    model, texts = world()
    texts = [
        replace(example(" ".join(WORDS[:2]), one.index, one.label), group=one.group)
        if one.index < 20
        else one
        for one in texts
    ]
    lengths = np.where(np.arange(TEXTS) < 20, 2, LENGTH)
    there = np.arange(LENGTH) < lengths[:, None]
    shorter = replace(model, attention=np.where(there, model.attention, 0))
    measured = informed(shorter, texts[: FEW + 20], shuffles=0)
    assert measured.undefined["first.label"] == {"fewer words than ranks": 20}
    assert measured.whole["D.label"].n == FEW


def test_too_few_texts_are_refused_in_words() -> None:
    model, texts = world()
    measured = informed(model, texts[:150])
    (why,) = measured.undefined["first.label"]
    assert "expected at least 200 texts" in why
    assert measured.whole["D.label"].n == 0
    assert said(measured) == ""


def in_pairs(pairs: int) -> tuple[Written, list[Example]]:
    """Two near copies of each text, with one label, which is drawn at random."""
    model, texts = world()
    source = np.repeat(np.arange(pairs), 2)
    noise = 0.05 * np.random.default_rng(1).standard_normal((2 * pairs, LENGTH, WIDTH))
    labels = np.random.default_rng(2).integers(0, 2, pairs)
    twice = [
        replace(text, group=f"source {one}", label=int(labels[one]))
        for text, one in zip(texts, source.tolist(), strict=False)
    ]
    return replace(
        model, states_of=model.states_of[source] + noise, attention=model.attention[source]
    ), twice


def test_copies_give_no_information_about_a_label_of_their_own() -> None:
    model, texts = in_pairs(FEW)
    found, alone = (
        informed(model, some, shuffles=0)
        for some in (texts, [replace(text, group=text.id) for text in texts])
    )
    assert alone.whole["best.label"].low > 0.05
    assert found.whole["best.label"].low < 0
    assert found.whole["best.label"].method == f"bootstrap of 2000 over {FEW} clusters of texts"
    assert alone.whole["best.label"].method == "bootstrap of 2000"
    scores, draws = (np.asarray(found.values[f"{name}.label"]) for name in ("scores", "draws"))
    ranks = [scores[row, : found.settings["ranks"]].tolist().index for row in (0, 1)]
    first, second = ([of(draw) for draw in draws[row]] for row, of in enumerate(ranks))
    assert first == second


def test_texts_of_one_group_count_as_one_where_texts_are_too_few() -> None:
    model, texts = in_pairs(150)
    found, alone = (
        informed(model, some, shuffles=0)
        for some in (texts, [replace(text, group=text.id) for text in texts])
    )
    (why,) = found.undefined["first.label"]
    assert "at least 200 texts that are long enough, got 150 (" in why
    assert np.isnan(found.whole["best.label"].value)
    # Wen et al. count each text.
    printed = {name: one for name, one in alone.whole.items() if name.startswith("paper.")}
    assert printed
    assert {name: found.whole[name] for name in printed} == printed
    few = informed(*in_pairs(90), shuffles=0)
    assert np.isnan(few.whole["paper.tau.output"].value)


@pytest.mark.slow
def test_two_threads_find_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        rank_probe_scores, "logistic_scores", partial(probes.logistic_scores, strengths=(0.1,))
    )  # cheaper
    model, texts = world(signal=0.5)
    once = informed(model, texts[:220], shuffles=0).values["scores.output"]
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        again = informed(model, texts[:220], shuffles=0).values["scores.output"]
    finally:
        torch.set_num_threads(before)
    assert again == pytest.approx(once, abs=1e-6, nan_ok=True)


def test_a_model_with_four_classes_is_asked_about_its_classes() -> None:
    model = untrained("bilstm(hidden=6)+additive", classes=4)
    texts = examples(tuple(5 + index % 6 for index in range(260)), classes=4)
    found = informed(model, texts)
    assert found.settings["ranks"] == 5
    assert found.whole["entropy.label"].value == pytest.approx(np.log(4), abs=0.01)


@pytest.mark.parametrize("boundaries", [False, True])
@pytest.mark.parametrize("scorer", ["additive", "dot+sparsemax"])
def test_states_under_shuffled_weights_are_those_of_their_words_in_any_batch(
    boundaries: bool, scorer: str
) -> None:
    model = untrained(f"mlp(hidden=6)+{scorer}", boundaries=boundaries).double()
    texts, seeds, shuffles = examples((7, 3, 4, 12)), Seeds(0), 3

    def places(some: list[Example]) -> np.ndarray:
        trace = model.trace(model.collate(some))
        return np.asarray(survey_batch(model, trace, seeds, shuffles, MOST)["places"])

    whole, trace = places(texts), model.trace(model.collate(texts))
    words = words_of(trace)
    drawn = shuffled(words.attention, words.mask, words.index, shuffles, seeds, "ranks")
    for row, text in enumerate(texts):
        length = len(text.tokens)
        ranked = whole[row, :, :length]
        assert (np.sort(ranked, axis=1) == np.arange(length)).all()
        weights = drawn[:, row, words.mask[row]]
        assert (np.diff(np.take_along_axis(weights, ranked, axis=1)) <= 1e-9).all()
        assert (places([text])[0, :, :length] == ranked).all()
