"""What every measure owes: one value a text, batched ≡ alone, order inert, inputs unchanged, NaN
counted with reasons.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
import torch

from sightline import measures
from sightline.audits.measure_pass import measure
from sightline.config.measure_registry import (
    BY_NAME,
    MEASURES,
    WHERE_OFFERED,
    quantity_of,
)
from sightline.config.word_maps import MAPS
from sightline.core.protocols import Arrays, Measure, MeasureContext, SupportsSurvey, Trace
from sightline.core.results import Measurement, NotRun, Ragged
from sightline.core.seeds import Seeds
from sightline.measures.attribution_maps import MAKERS
from sightline.measures.default_measures import default_measures
from sightline.measures.trace_arrays import count_undefined
from sightline.models.classifier import AttentionClassifier
from sightline.numerics.tensors import to_numpy
from sightline.verdict.accuracy_drop import DROPS
from sightline.verdict.catalogue import AUDIT_TESTS, TOP_WORDS_MATTER
from sightline.verdict.retention_estimates import RATIOS
from tests.parts import every_measure
from tests.sampling import slow_but
from tests.texts import examples, sharpened, untrained

MODELS = {
    "one logit": sharpened(untrained("bilstm(hidden=6)+additive", boundaries=True), by=40.0),
    "four logits": sharpened(untrained("mlp(hidden=6)+additive", classes=4)),
}
TEXTS = examples((7, 1, 4, 12, 2, 9), classes=2)
ROOM, TESTS = Path(measures.__file__).parent, Path(__file__).parents[1] / "measures"
USUAL = [one.code for one in default_measures() if one.code not in WHERE_OFFERED]
ELSEWHERE = {
    "information": "it takes 200 texts: tests/measures/test_rank_information.py",
    "layers": "it takes a model of several layers: tests/measures/test_layer_ablation.py",
}
"""Measures that these models and texts are too small for, and where they are tested."""
CODES = [code for code in MEASURES if code not in ELSEWHERE]


def test_a_run_may_ask_for_each_by_its_name() -> None:
    assert [*MEASURES] == [one.code for one in every_measure()]
    assert [name for name in MEASURES if name not in BY_NAME | WHERE_OFFERED] == USUAL
    assert {*ELSEWHERE} <= BY_NAME | WHERE_OFFERED


def test_no_measure_is_forgotten() -> None:
    homes = {
        f"{module}:{name}"
        for module in (
            ".".join(["sightline.measures", *file.relative_to(ROOM).with_suffix("").parts])
            for file in ROOM.rglob("[!_]*.py")
        )
        for name, kind in vars(import_module(module)).items()
        if isinstance(kind, type) and kind.__module__ == module and hasattr(kind, "on_batch")
    }
    forgotten = sorted(homes - {row.made_by for row in MEASURES.values()})
    assert not forgotten, f"no row in sightline/config/measures names {', '.join(forgotten)}"


@pytest.mark.parametrize("code", MEASURES)
def test_each_measure_has_a_test_of_its_own(code: str) -> None:
    name = MEASURES[code].made_by.rpartition(":")[2]
    tests = [
        file
        for file in TESTS.glob("test_*.py")
        if re.search(rf"\b{name}\(", file.read_text(encoding="utf-8"))
    ]
    assert tests, (
        f"no file under tests/measures makes a {name}: show on a text where its answer is "
        "known what it gives"
    )


def test_a_claim_names_what_its_measure_gives() -> None:
    named = {one.name for claim in AUDIT_TESTS.values() for one in claim.quantities()} - {
        *DROPS,
        *RATIOS,
        TOP_WORDS_MATTER,
    }
    named |= {claim.draws for claim in AUDIT_TESTS.values() if claim.draws}
    named |= {one.number for one in AUDIT_TESTS.values() if one.kind in ("share", "pairs")}
    named |= {
        part
        for name, one in RATIOS.items()
        if name.startswith("token")
        for part in (one.top, one.bottom)
    }
    by_name = [
        one
        for one in every_measure()
        if one.code in BY_NAME & {claim.measure for claim in AUDIT_TESTS.values()}
    ]
    taken_here = taken(MODELS["one logit"], TEXTS, 32, *by_name)
    given = {
        f"{code}.{name}" for code, one in taken_here.items() for name in (*one.values, *one.whole)
    }
    wrong = sorted(named - given)
    assert not wrong, (
        f"verdict/catalogue.py names {', '.join(wrong)}, and no measure gives such a quantity"
    )


def test_every_number_is_explained() -> None:
    """What an export and the page of measures say of a number stands in one place."""
    marked = [
        replace(text, rationale=tuple(i % 2 == 0 for i in range(len(text.tokens))))
        for text in TEXTS
    ]
    outcomes = taken(MODELS["one logit"], marked, 32)
    kept = {
        (code, name): values
        for code, one in outcomes.items()
        for name, values in one.values.items()
    }
    assert [f"{code}.{name}" for code, name in kept if quantity_of(code, name) is None] == []
    for (code, name), values in kept.items():
        known = quantity_of(code, name)
        assert (known.shape == "words") == isinstance(values, Ragged), name
        numbers = np.asarray(values.flat if isinstance(values, Ragged) else values, dtype=float)
        numbers = numbers[np.isfinite(numbers)]
        assert (numbers >= known.scale.low - 1e-6).all(), f"{code}.{name} below {known.scale}"
        assert (numbers <= known.scale.high + 1e-6).all(), f"{code}.{name} above {known.scale}"


def test_every_map_is_told_and_made() -> None:
    assert MAPS.keys() == MAKERS.keys(), (
        "a map has its words in sightline/config/word_maps.py and its making in "
        "measures/attribution_maps.py"
    )


def by_name() -> tuple[Measure, ...]:
    """Make the measures that are taken only by name, as far as they are tested here."""
    return tuple(one for one in every_measure() if one.code in BY_NAME & {*CODES})


def taken(
    model: AttentionClassifier, texts: list, batch_size: int, *more: Measure, seed: int = 0
) -> dict[str, Measurement]:
    beside = {"uniform": 5, "frozen": 6, "seed(by=1)": 7, "untrained": 8}
    settings = {"classes": len(model.label_names), "boundaries": model.spec.boundaries}
    companions = {
        name: untrained(str(model.spec), seed=seed, **settings) for name, seed in beside.items()
    }
    asked = (*default_measures(), *more)
    others = {"train": examples((9, 5, 8, 6), seed=4)}
    outcomes = measure(
        model, texts, asked, companions, Seeds(seed), batch_size, lambda done, total: None, others
    )
    assert all(isinstance(outcome, Measurement) for outcome in outcomes.values()), outcomes
    return outcomes


@pytest.fixture(scope="module", params=slow_but({0}, MODELS))
def model(request: pytest.FixtureRequest) -> AttentionClassifier:
    return MODELS[request.param]


@pytest.fixture(scope="module")
def whole(model: AttentionClassifier) -> dict[str, Measurement]:
    return taken(model, TEXTS, 32, *by_name())


@pytest.fixture(scope="module")
def alone(model: AttentionClassifier) -> dict[str, Measurement]:
    return taken(model, TEXTS, 1, *by_name())


@pytest.fixture(scope="module")
def turned(model: AttentionClassifier) -> dict[str, Measurement]:
    return taken(model, TEXTS[::-1], 2, *by_name())


@pytest.fixture(scope="module")
def again(model: AttentionClassifier) -> dict[str, Measurement]:
    """Take them once more, whatever was drawn elsewhere."""
    torch.manual_seed(11)
    np.random.seed(11)  # noqa: NPY002  (a measure that draws from it must be seen)
    return taken(model, TEXTS, 32, *by_name())


def is_the_same_alone(
    code: str, whole: dict[str, Measurement], alone: dict[str, Measurement]
) -> None:
    for name, value in whole[code].values.items():
        here, there = value, alone[code].values[name]
        if isinstance(value, Ragged):
            assert value.lengths.tolist() == there.lengths.tolist()
            here, there = value.flat, there.flat
        # A share of importance, a τ and a ratio may jump where two values are all but tied; maps
        # may not.
        assert here == pytest.approx(there, abs=1e-4, nan_ok=True), f"{code}.{name}"


@pytest.mark.parametrize("code", CODES)
def test_batched_is_alone(
    code: str, whole: dict[str, Measurement], alone: dict[str, Measurement]
) -> None:
    is_the_same_alone(code, whole, alone)


def is_the_same_turned_round(
    code: str, whole: dict[str, Measurement], turned: dict[str, Measurement]
) -> None:
    for name, value in whole[code].values.items():
        other = turned[code].values[name]
        if name == "partner":  # rows of the texts, which are turned round too
            there = other[::-1]
            assert value.tolist() == np.where(there >= 0, len(TEXTS) - 1 - there, there).tolist()
        elif not isinstance(value, Ragged):
            assert value == pytest.approx(other[::-1], abs=1e-4, nan_ok=True), f"{code}.{name}"
        else:
            rows = zip(value.rows(), other.rows()[::-1], strict=True)
            assert all(a == pytest.approx(b, abs=1e-4, nan_ok=True) for a, b in rows), (
                f"{code}.{name}"
            )


@pytest.mark.parametrize("code", CODES)
def test_order_of_the_texts_is_inert(
    code: str, whole: dict[str, Measurement], turned: dict[str, Measurement]
) -> None:
    is_the_same_turned_round(code, whole, turned)


def is_the_same_again(
    code: str, whole: dict[str, Measurement], again: dict[str, Measurement]
) -> None:
    for name, value in whole[code].values.items():
        one, other = (
            each.flat if isinstance(each, Ragged) else each
            for each in (value, again[code].values[name])
        )
        assert np.array_equal(one, other, equal_nan=True), f"{code}.{name}"
    assert whole[code].settings == again[code].settings
    assert whole[code].undefined == again[code].undefined


@pytest.mark.parametrize("code", CODES)
def test_the_seed_alone_decides_every_number(
    code: str, whole: dict[str, Measurement], again: dict[str, Measurement]
) -> None:
    is_the_same_again(code, whole, again)


def every_nan_has_a_reason(code: str, whole: dict[str, Measurement]) -> None:
    for name, value in whole[code].values.items():
        assert (len(value.lengths) if isinstance(value, Ragged) else len(value)) == len(TEXTS), name
    reasons = [reason for counts in whole[code].undefined.values() for reason in counts]
    assert "unexplained" not in reasons, whole[code].undefined


@pytest.mark.parametrize("code", CODES)
def test_one_value_a_text_and_every_nan_has_a_reason(
    code: str, whole: dict[str, Measurement]
) -> None:
    every_nan_has_a_reason(code, whole)


def test_the_text_of_one_word_is_counted_where_it_is_undefined(
    whole: dict[str, Measurement],
) -> None:
    assert whole["agreement"].undefined["captured.gradient"] == {"one word": 1}
    assert whole["erasure"].undefined["area"] == {"one word": 1}
    assert whole["permutation"].undefined["ratio"]["one word"] == 1
    assert whole["flips"].undefined["size"]["one word"] == 1
    assert whole["sufficiency"].undefined["kept.attention"] == {"one word": 1}
    assert whole["repair"].undefined["gap.scaled"]["fewer than three words with weight"] == 2
    assert whole["beside"].undefined["tau.seeds"] == {"one word": 1}


def leaves_the_trace(one: Measure) -> None:
    model = MODELS["one logit"]
    trace = model.trace(model.collate(TEXTS))
    before = [
        t.clone()
        for t in (trace.attention, trace.logits, trace.states, trace.batch.ids, trace.batch.mask)
    ]
    subject = MeasureContext(model, {"uniform": model, "frozen": model}, tuple(TEXTS), tuple(TEXTS))
    if isinstance(one, SupportsSurvey):
        subject = replace(subject, learned=one.learn(one.look(subject, trace, Seeds(0)), Seeds(0)))
    one.on_batch(subject, trace, Seeds(0))
    after = (trace.attention, trace.logits, trace.states, trace.batch.ids, trace.batch.mask)
    assert all(torch.equal(a, b) for a, b in zip(before, after, strict=True))


@pytest.mark.parametrize("code", CODES)
def test_the_trace_is_left_as_it_was(code: str) -> None:
    leaves_the_trace(next(each for each in every_measure() if each.code == code))


def test_an_absent_companion_is_not_applicable_with_its_name() -> None:
    model = MODELS["one logit"]
    outcomes = measure(model, TEXTS, default_measures(), {}, Seeds(0), 32, lambda done, total: None)
    assert outcomes["retrained"] == NotRun("retrained", "needs a control model (uniform)")
    assert outcomes["frozen"] == NotRun("frozen", "needs a control model (frozen)")


def test_the_seed_decides_the_draws() -> None:
    model = MODELS["one logit"]
    one = next(m for m in default_measures() if m.code == "erasure")
    trace = model.trace(model.collate(TEXTS))
    subject = MeasureContext(model, texts=tuple(TEXTS), audited=tuple(TEXTS))
    first, same, other = (
        np.asarray(one.on_batch(subject, trace, Seeds(seed))["floor"]) for seed in (0, 0, 1)
    )
    assert np.array_equal(first, same, equal_nan=True)
    assert not np.array_equal(first, other, equal_nan=True)


@dataclass(frozen=True)
class Wrong:
    """A measure that does one thing wrongly: right, it gives the largest weight of each text."""

    how: str = ""
    code: str = "wrong"
    needs: frozenset[str] = frozenset()
    paper: str = ""

    def on_batch(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> Arrays:
        largest = to_numpy(trace.attention.amax(dim=1)).astype(float)
        index = to_numpy(trace.batch.index)
        if self.how == "goes by the batch":
            largest = largest - largest.mean()
        if self.how == "goes by the order":
            largest = largest + np.arange(len(largest))
        if self.how == "draws by itself":
            largest = largest + np.random.rand(len(largest))  # noqa: NPY002  (that is what is wrong)
        if self.how == "draws by the batch":
            largest = largest + seeds.generator("wrong", int(index[0])).normal(size=len(largest))
        if self.how == "is silent about what is undefined":
            largest = np.where(index == 1, np.nan, largest)
        if self.how == "changes the trace":
            trace.attention.mul_(0.5)
        return {"largest": largest}

    def finish(self, arrays: Arrays) -> Measurement:
        return Measurement(self.code, arrays, count_undefined(arrays, {}), {})


CHECKED: dict[str, Callable[[Callable[..., dict[str, Measurement]]], None]] = {
    "goes by the batch": lambda take: is_the_same_alone("wrong", take(32), take(1)),
    "draws by the batch": lambda take: is_the_same_alone("wrong", take(32), take(1)),
    "goes by the order": lambda take: is_the_same_turned_round(
        "wrong", take(32), take(2, TEXTS[::-1])
    ),
    "draws by itself": lambda take: is_the_same_again("wrong", take(32), take(32)),
    "is silent about what is undefined": lambda take: every_nan_has_a_reason("wrong", take(32)),
}
"""What a measure may do wrongly, and the check that must notice."""


def taking(how: str) -> Callable[..., dict[str, Measurement]]:
    def take(batch_size: int, texts: list = TEXTS) -> dict[str, Measurement]:
        found = measure(
            MODELS["one logit"],
            texts,
            [Wrong(how)],
            {},
            Seeds(0),
            batch_size,
            lambda done, total: None,
        )
        assert isinstance(found["wrong"], Measurement)
        return found

    return take


@pytest.mark.parametrize("how", CHECKED)
def test_a_wrong_measure_is_noticed(how: str) -> None:
    with pytest.raises(AssertionError):
        CHECKED[how](taking(how))
    CHECKED[how](taking(""))


def test_a_measure_that_changes_the_trace_is_noticed() -> None:
    with pytest.raises(AssertionError):
        leaves_the_trace(Wrong("changes the trace"))
    leaves_the_trace(Wrong())
