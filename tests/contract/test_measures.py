"""What every measure owes: one value a text, batched ≡ alone, order inert, inputs unchanged, NaN counted with reasons."""

import re
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
import torch

from sightline import measures
from sightline.findings.claims import CLAIMS
from sightline.findings.drops import DROPS
from sightline.findings.kept import RATIOS
from sightline.measures import default_measures, every_measure
from sightline.measures.maps import MAKERS
from sightline.models.classifier import AttentionClassifier
from sightline.quantities import QUANTITIES, quantity_of
from sightline.questions import BY_NAME, MAPS, MEASURES, WHERE_OFFERED
from sightline.results import Measurement, NotApplicable, Ragged
from sightline.seeds import Seeds
from sightline.taking.measuring import measure
from sightline.types import Measure, Subject, Surveying
from tests.texts import examples, sharpened, untrained

MODELS = {
    "one logit": sharpened(untrained("bilstm(hidden=6)+additive", boundaries=True)),
    "four logits": sharpened(untrained("mlp(hidden=6)+additive", classes=4)),
}
TEXTS = examples((7, 1, 4, 12, 2, 9), classes=2)
ROOM, TESTS = Path(measures.__file__).parent, Path(__file__).parents[1] / "measures"
CODES = [one.code for one in default_measures() if one.code not in WHERE_OFFERED]


def test_a_run_may_ask_for_each_by_its_name() -> None:
    assert [*MEASURES] == [one.code for one in every_measure()]
    assert [name for name in MEASURES if name not in BY_NAME | WHERE_OFFERED] == CODES


def test_no_measure_is_forgotten() -> None:
    homes = {
        f"{module}:{name}"
        for module in (f"sightline.measures.{file.stem}" for file in ROOM.glob("[!_]*.py"))
        for name, kind in vars(import_module(module)).items()
        if isinstance(kind, type) and kind.__module__ == module and hasattr(kind, "on_batch")
    }
    forgotten = sorted(homes - set(MEASURES.values()))
    assert not forgotten, f"no line of sightline/questions.py names {', '.join(forgotten)}"


@pytest.mark.parametrize(("code", "home"), MEASURES.items())
def test_each_measure_has_a_test_of_its_own(code: str, home: str) -> None:
    name = home.rpartition(":")[2]
    tests = [file for file in TESTS.glob("test_*.py") if re.search(rf"\b{name}\(", file.read_text(encoding="utf-8"))]
    assert tests, f"no file under tests/measures makes a {name}: show on a text where its answer is known what it gives"


def test_a_claim_names_what_its_measure_gives() -> None:
    named = {one.name for claim in CLAIMS.values() for one in claim.quantities()} - {*DROPS, *RATIOS}
    named |= {claim.draws for claim in CLAIMS.values() if claim.draws}
    named |= {part for name, one in RATIOS.items() if name.startswith("token") for part in (one.top, one.bottom)}
    by_name = [one for one in every_measure() if one.code in BY_NAME & {claim.measure for claim in CLAIMS.values()}]
    taken_here = taken(MODELS["one logit"], TEXTS, 32, *by_name)
    given = {f"{code}.{name}" for code, one in taken_here.items() for name in (*one.values, *one.whole)}
    wrong = sorted(named - given)
    assert not wrong, f"findings/claims.py names {', '.join(wrong)}, and no measure gives such a quantity"


def test_every_number_is_explained() -> None:
    """What an export and the page of measures say of a number stands in one place."""
    marked = [replace(text, rationale=tuple(i % 2 == 0 for i in range(len(text.tokens)))) for text in TEXTS]
    outcomes = taken(MODELS["one logit"], marked, 32)
    kept = {(code, name): values for code, one in outcomes.items() for name, values in one.values.items()}
    assert [f"{code}.{name}" for code, name in kept if quantity_of(code, name) is None] == []
    assert QUANTITIES.keys() == MEASURES.keys()
    for (code, name), values in kept.items():
        known = quantity_of(code, name)
        assert (known.shape == "words") == isinstance(values, Ragged), name
        numbers = np.asarray(values.flat if isinstance(values, Ragged) else values, dtype=float)
        numbers = numbers[np.isfinite(numbers)]
        assert (numbers >= known.scale.low - 1e-6).all(), f"{code}.{name} below {known.scale}"
        assert (numbers <= known.scale.high + 1e-6).all(), f"{code}.{name} above {known.scale}"


def test_every_map_is_told_and_made() -> None:
    assert MAPS.keys() == MAKERS.keys(), (
        "a map has its words in sightline/questions.py and its making in measures/maps.py"
    )


def taken(model: AttentionClassifier, texts: list, batch_size: int, *more: Measure) -> dict[str, Measurement]:
    beside = {"uniform": 5, "frozen": 6, "seed(by=1)": 7, "untrained": 8}
    settings = {"classes": len(model.label_names), "boundaries": model.spec.boundaries}
    companions = {name: untrained(str(model.spec), seed=seed, **settings) for name, seed in beside.items()}
    asked = (*default_measures(), *more)
    outcomes = measure(model, texts, asked, companions, Seeds(0), batch_size, lambda done, total: None)
    assert all(isinstance(outcome, Measurement) for outcome in outcomes.values()), outcomes
    return outcomes


@pytest.fixture(scope="module", params=MODELS)
def model(request: pytest.FixtureRequest) -> AttentionClassifier:
    return MODELS[request.param]


@pytest.fixture(scope="module")
def whole(model: AttentionClassifier) -> dict[str, Measurement]:
    return taken(model, TEXTS, batch_size=32)


@pytest.fixture(scope="module")
def alone(model: AttentionClassifier) -> dict[str, Measurement]:
    return taken(model, TEXTS, batch_size=1)


@pytest.fixture(scope="module")
def turned(model: AttentionClassifier) -> dict[str, Measurement]:
    return taken(model, TEXTS[::-1], batch_size=2)


@pytest.mark.parametrize("code", CODES)
def test_batched_is_alone(code: str, whole: dict[str, Measurement], alone: dict[str, Measurement]) -> None:
    for name, value in whole[code].values.items():
        here, there = value, alone[code].values[name]
        if isinstance(value, Ragged):
            assert value.lengths.tolist() == there.lengths.tolist()
            here, there = value.flat, there.flat
        # A share of importance, a τ and a ratio may jump where two values are all but tied; maps may not.
        assert here == pytest.approx(there, abs=1e-4, nan_ok=True), f"{code}.{name}"


@pytest.mark.parametrize("code", CODES)
def test_order_of_the_texts_is_inert(code: str, whole: dict[str, Measurement], turned: dict[str, Measurement]) -> None:
    for name, value in whole[code].values.items():
        other = turned[code].values[name]
        if name == "partner":  # rows of the texts, which are turned round too
            there = other[::-1]
            assert value.tolist() == np.where(there >= 0, len(TEXTS) - 1 - there, there).tolist()
        elif not isinstance(value, Ragged):
            assert value == pytest.approx(other[::-1], abs=1e-4, nan_ok=True), f"{code}.{name}"
        else:
            rows = zip(value.rows(), other.rows()[::-1], strict=True)
            assert all(a == pytest.approx(b, abs=1e-4, nan_ok=True) for a, b in rows), f"{code}.{name}"


@pytest.mark.parametrize("code", CODES)
def test_one_value_a_text_and_every_nan_has_a_reason(code: str, whole: dict[str, Measurement]) -> None:
    for name, value in whole[code].values.items():
        assert (len(value.lengths) if isinstance(value, Ragged) else len(value)) == len(TEXTS), name
    reasons = [reason for counts in whole[code].undefined.values() for reason in counts]
    assert "unexplained" not in reasons, whole[code].undefined


def test_the_text_of_one_word_is_counted_where_it_is_undefined(whole: dict[str, Measurement]) -> None:
    assert whole["agreement"].undefined["captured.gradient"] == {"one word": 1}
    assert whole["erasure"].undefined["area"] == {"one word": 1}
    assert whole["permutation"].undefined["ratio"]["one word"] == 1
    assert whole["flips"].undefined["size"]["one word"] == 1
    assert whole["sufficiency"].undefined["kept.attention"] == {"one word": 1}
    assert whole["repair"].undefined["gap.scaled"]["fewer than three words with weight"] == 2
    assert whole["beside"].undefined["tau.seeds"] == {"one word": 1}


@pytest.mark.parametrize("code", CODES)
def test_the_trace_is_left_as_it_was(code: str) -> None:
    one = next(each for each in default_measures() if each.code == code)
    model = MODELS["one logit"]
    trace = model.trace(model.collate(TEXTS))
    before = [t.clone() for t in (trace.attention, trace.logits, trace.states, trace.batch.ids, trace.batch.mask)]
    subject = Subject(model, {"uniform": model, "frozen": model}, tuple(TEXTS), tuple(TEXTS))
    if isinstance(one, Surveying):
        subject = replace(subject, learned=one.learn(one.look(subject, trace, Seeds(0)), Seeds(0)))
    one.on_batch(subject, trace, Seeds(0))
    after = (trace.attention, trace.logits, trace.states, trace.batch.ids, trace.batch.mask)
    assert all(torch.equal(a, b) for a, b in zip(before, after, strict=True))


def test_an_absent_companion_is_not_applicable_with_its_name() -> None:
    model = MODELS["one logit"]
    outcomes = measure(model, TEXTS, default_measures(), {}, Seeds(0), 32, lambda done, total: None)
    assert outcomes["retrained"] == NotApplicable("retrained", "needs a companion (uniform)")
    assert outcomes["frozen"] == NotApplicable("frozen", "needs a companion (frozen)")


def test_the_seed_decides_the_draws() -> None:
    model = MODELS["one logit"]
    one = next(m for m in default_measures() if m.code == "erasure")
    trace = model.trace(model.collate(TEXTS))
    subject = Subject(model, texts=tuple(TEXTS), audited=tuple(TEXTS))
    first, same, other = (np.asarray(one.on_batch(subject, trace, Seeds(seed))["floor"]) for seed in (0, 0, 1))
    assert np.array_equal(first, same, equal_nan=True)
    assert not np.array_equal(first, other, equal_nan=True)
