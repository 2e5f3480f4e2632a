"""What states know of their words, where it is known: all of it, nothing, and what the parts of the
figure are.
"""

from collections import Counter

import numpy as np
import pytest
import torch

from sightline.audits.measure_pass import measure
from sightline.core.protocols import MeasureContext
from sightline.core.results import Measurement
from sightline.core.seeds import Seeds
from sightline.measures import input_information
from sightline.measures.batch_words import type_number
from sightline.measures.input_information import DrawnInformation, InputInformation, InputSurvey
from sightline.measures.predictions import Predictions
from sightline.numerics.mutual_information import plug_in, table
from sightline.verdict.evidence import Evidence
from sightline.verdict.thresholds import default_thresholds
from tests.texts import WORDS, example, untrained

DRAWN = np.random.default_rng(5)
SHARES = np.arange(1, len(WORDS) + 1) / np.arange(1, len(WORDS) + 1).sum()
TEXTS = [example(" ".join(DRAWN.choice(WORDS, size=8, p=SHARES)), number) for number in range(300)]
TRAIN, AUDITED = TEXTS[:240], TEXTS[240:]
ONE = InputInformation(words=20, tokens=1500, clusters=20)


def taken(model: object, one: InputInformation = ONE, batch_size: int = 16) -> dict:
    return measure(
        model,
        AUDITED,
        (Predictions(), one),
        {},
        Seeds(0),
        batch_size,
        lambda done, total: None,
        {"train": TRAIN},
    )


def record(found: dict) -> dict[str, float]:
    evidence = Evidence(found, ("a", "b"), default_thresholds(), 0)
    return {
        name: evidence.estimate(f"input_information.{name}")
        for name in ("nats", "nats_half", "share")
    }


def test_a_state_made_of_its_word_alone_tells_it() -> None:
    found = taken(untrained("mlp(hidden=16)+additive"))
    measured = found["input_information"]
    assert isinstance(measured, Measurement), measured
    estimates = record(found)
    assert estimates["share"].value > 0.8
    assert 1 < estimates["nats_half"].value < estimates["nats"].value + 0.05
    assert estimates["nats"].low < estimates["nats"].value < estimates["nats"].high
    whole = measured.whole
    assert whole["counted"].value > 1.5  # no word has two states
    assert whole["counted"].value > whole["counted_null"].value
    known = [word for text in AUDITED for word in text.tokens if word in common(TRAIN, 20)]
    assert int(np.sum(measured.values["words"])) == len(known)


def common(texts: list, most: int) -> set[str]:
    counts = Counter(word for text in texts for word in text.tokens)
    return {word for word, _ in sorted(counts.items(), key=lambda one: -one[1])[:most]}


def test_a_state_that_does_not_depend_on_its_word_tells_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def noise(subject: MeasureContext, trace: object) -> torch.Tensor:
        generator = torch.Generator().manual_seed(int(trace.batch.index.sum()))
        return torch.randn((*trace.attention.shape, 6), generator=generator)

    monkeypatch.setattr(input_information, "_states", noise)
    found = taken(untrained("mlp(hidden=6)+additive"))
    assert record(found)["nats"].value <= 0.02
    whole = found["input_information"].whole
    assert whole["counted"].value == pytest.approx(whole["counted_null"].value, abs=0.05)
    assert whole["counted_null"].value > 0.05  # counted of what shares nothing


def test_the_sums_are_those_of_each_word() -> None:
    model = untrained("bilstm(hidden=6)+additive")
    trace = model.trace(model.collate(TRAIN))
    subject = MeasureContext(model, texts=tuple(TRAIN))
    found: InputSurvey = ONE.learn(ONE.look(subject, trace, Seeds(0)), Seeds(0))
    assert {*found.types} == {type_number(word) for word in common(TRAIN, 20)}
    asked = AUDITED[:3]
    trace = model.trace(model.collate(asked))
    values = ONE.on_batch(MeasureContext(model, texts=tuple(asked), learned=found), trace, Seeds(0))
    for row, text in enumerate(asked):
        known = [
            (i, [*found.types].index(type_number(w)))
            for i, w in enumerate(text.tokens)
            if type_number(w) in found.types
        ]
        states = trace.pooled[row, [i for i, _ in known]]
        gained, alone = found.probe.gained(states, torch.tensor([number for _, number in known]))
        assert values["words"][row] == len(known)
        assert values["gained"][row] == pytest.approx(gained.sum().item(), abs=1e-5)
        halved, _ = found.half.gained(states, torch.tensor([number for _, number in known]))
        assert values["gained_half"][row] == pytest.approx(halved.sum().item(), abs=1e-5)
        assert values["gained_half"][row] != values["gained"][row]
        assert values["entropy"][row] == pytest.approx(alone.sum().item(), abs=1e-5)


def test_what_is_counted_is_counted_from_both_sides(monkeypatch: pytest.MonkeyPatch) -> None:
    """Embeddings and states are clustered, both; the words themselves have no part in it."""
    sides = []

    def clusters(points: torch.Tensor, settings: object, generator: object) -> torch.Tensor:
        sides.append(points.shape[1])
        return torch.arange(len(points)) % (3 if len(sides) == 1 else 6)

    monkeypatch.setattr(input_information, "mini_batch_kmeans", clusters)
    whole = taken(untrained("bilstm(hidden=6)+additive"))["input_information"].whole
    assert sides == [8, 12]
    n = whole["counted"].n
    assert whole["counted"].value == pytest.approx(
        plug_in(table(np.arange(n) % 3, np.arange(n) % 6))
    )
    assert "without an interval" in whole["counted"].method
    assert np.isnan([whole["counted"].low, whole["counted"].high]).all()
    counts = Counter(word for text in TRAIN for word in text.tokens if word in common(TRAIN, 20))
    shares = np.array([*counts.values()]) / sum(counts.values())
    assert whole["word_entropy"].value == pytest.approx(-(shares * np.log(shares)).sum(), abs=0.02)


def test_the_texts_that_are_looked_at_are_the_same_in_any_order_and_no_more_than_it_takes() -> None:
    few = InputInformation(tokens=80)
    chosen = few.sample(TRAIN, Seeds(0))
    assert sum(len(text.tokens) for text in chosen) == 2 * 80
    assert {text.id for text in few.sample(TRAIN[::-1], Seeds(0))} == {text.id for text in chosen}
    assert {text.id for text in few.sample(TRAIN, Seeds(1))} != {text.id for text in chosen}
    assert len(InputInformation().sample(TRAIN, Seeds(0))) == len(TRAIN)


def test_words_may_be_drawn() -> None:
    model = untrained("mlp(hidden=6)+additive")
    trace = model.trace(model.collate(TRAIN))
    arrays = ONE.look(MeasureContext(model, texts=tuple(TRAIN)), trace, Seeds(0))
    one = InputInformation(words=10, tokens=300, clusters=5, drawn=True)
    first, again, other = (one.learn(arrays, Seeds(seed)).types for seed in (0, 0, 1))
    assert first.tolist() == again.tolist() != other.tolist()
    assert len({*first}) == 10


def test_batches_change_nothing_and_texts_without_such_words_are_counted() -> None:
    model = untrained("bilstm(hidden=6)+additive")
    one = InputInformation(words=3, tokens=300, clusters=5)
    first, other = (taken(model, one, size)["input_information"] for size in (1, 32))
    for name, values in first.values.items():
        assert values == pytest.approx(other.values[name], nan_ok=True, abs=1e-4), name
    nothing = int((first.values["words"] == 0).sum())
    assert nothing
    reason = {"none of the words": nothing}
    assert first.undefined == dict.fromkeys(("entropy", "gained", "gained_half"), reason)


def test_words_drawn_at_random_are_asked_under_a_name_of_their_own() -> None:
    drawn = DrawnInformation(words=8, tokens=1500, clusters=8)
    found = taken(untrained("mlp(hidden=16)+additive"), drawn)
    measured = found["input_information_drawn"]
    assert isinstance(measured, Measurement), measured
    assert measured.settings["drawn"]
    share = Evidence(found, ("a", "b"), default_thresholds(), 0).estimate(
        "input_information_drawn.share"
    )
    assert 0.5 < share.value <= 1
    frequent = taken(
        untrained("mlp(hidden=16)+additive"), InputInformation(words=8, tokens=1500, clusters=8)
    )
    asked = frequent["input_information"].values["words"]
    # Of eight words drawn of 25 some are rarer than the eight most frequent: fewer words of the
    # texts are asked.
    assert np.sum(measured.values["words"]) < np.sum(asked)
