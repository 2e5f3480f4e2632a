"""Audits side by side: which texts are compared, each effect where it is judged, and what is called
different.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from sightline.config.measure_needs import missing_from
from sightline.core.errors import SpecError
from sightline.core.results import (
    Estimate,
    Measurement,
    NotRun,
    Outcome,
    Ragged,
    Results,
    TextRecord,
)
from sightline.stats import bootstrap, resamples
from sightline.stats.dyads import PairSums, of_pairs
from sightline.stats.ratios import RatioSums, ratio
from sightline.verdict.audit_test import FLIPS, MARGIN
from sightline.verdict.catalogue import AUDIT_TESTS
from sightline.verdict.comparison.compare_audits import (
    ACCURACY,
    OTHER_PARTNERS,
    _adjusted,
    compared,
)
from sightline.verdict.comparison.comparison_result import AuditPair, ComparedScore, SideBySide
from sightline.verdict.comparison.shared_texts import SAME_TEXTS, match
from sightline.verdict.effect_sums import score_sums
from sightline.verdict.evidence import Evidence
from sightline.verdict.judge import judge
from sightline.verdict.thresholds import default_thresholds
from tests.verdict.cases import PREDICTED, N, agreement, erasure, outcomes, transplant

NAMES = ("a", "b")
HALF = np.where(np.arange(N) < N // 2, PREDICTED, 1 - PREDICTED)


@pytest.fixture(autouse=True)
def _few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Enough for a p-value of .05 among as many comparisons as there are; what is asked here is no
    digit.
    """
    monkeypatch.setattr(resamples, "RESAMPLES", 1000)


def texts(rows: Sequence[int], predicted: np.ndarray = PREDICTED) -> tuple[TextRecord, ...]:
    return tuple(
        TextRecord(
            f"t{i}",
            f"w{i} x y",
            (f"w{i}", "x", "y"),
            ((0, 1), (2, 3), (4, 5)),
            NAMES[PREDICTED[i]],
            NAMES[predicted[i]],
        )
        for i in rows
    )


@cache
def usual() -> Results:
    """An audit in which all is as it usually is, made once."""
    return results()


def results(
    taken: Mapping[str, Outcome] | None = None,
    predicted: np.ndarray = PREDICTED,
    labels: Sequence[str] = NAMES,
    **more: Any,
) -> Results:
    """An audit of made-up measurements, judged as any other."""
    found = dict(taken or outcomes(agreement({}), PREDICTED, HALF))
    outputs = {
        "predicted": predicted,
        "label": PREDICTED,
        "attention": Ragged(np.full(3 * N, 1 / 3), np.full(N, 3)),
    }
    found["outputs"] = Measurement("outputs", outputs)
    judged = judge(Evidence(found, tuple(labels), default_thresholds(), 0))
    about = {
        "spec": {"seed": 0, "data": "csv:d.csv"},
        "environment": {},
        "cards": {"model": {"labels": list(labels), "name": "m"}},
    }
    made = {
        "estimates": {},
        "metrics": {},
        "texts": texts(range(N), predicted),
        "measurements": found,
        **about,
    }
    return Results(**{"verdict": judged.verdict, "findings": judged.findings, **made, **more})


def answers(found: SideBySide) -> dict[tuple[str, str], str]:
    return {(one.code, one.way): one.answer for one in found.pairs[0].claims}


def test_every_effect_is_the_one_that_its_finding_is_judged_by() -> None:
    """Of each way to ask, so that an effect has one definition."""
    found = usual()
    evidence = Evidence(found.measurements, NAMES, default_thresholds(), 0)
    effects = {one.code: one.score for one in found.findings}
    for claim in AUDIT_TESTS.values():
        known = [one for one in score_sums(evidence, claim).values() if not isinstance(one, str)]
        assert known, claim.code
        if claim.kind in (
            "weakest drop",
            "share",
            "share without",
        ):  # other intervals of the same mean
            values = [_estimate(one).value for one in known]
            assert any(value == pytest.approx(effects[claim.code].value) for value in values), (
                claim.code
            )
        else:
            found_ends = _ends(effects[claim.code])
            # The last bit of a product of matrices depends on where they lie in memory.
            assert any(
                found_ends == pytest.approx(_ends(_estimate(one)), rel=1e-9, abs=1e-9)
                for one in known
            ), claim.code


def test_accuracy_has_the_interval_that_an_audit_gives_it() -> None:
    wrong = np.where(np.arange(N) % 7 == 0, 1 - PREDICTED, PREDICTED)
    one, other = usual(), results(predicted=wrong)
    compared_row = compared([one, other]).pairs[0].claims[-1]
    right = (wrong == PREDICTED).astype(float)
    assert compared_row.code == ACCURACY
    assert compared_row.second == bootstrap.proportion(right)


def test_a_share_gives_predicted_classes_equal_weight_as_its_finding_does() -> None:
    rare = np.where(np.arange(N) % 5 == 0, 1, 0)
    taken = outcomes(agreement({}), PREDICTED, HALF)
    moved = taken["transplant"]
    assert isinstance(moved, Measurement)
    measured = dict(moved.values)
    shares = AUDIT_TESTS["SL-308"]
    quantity = shares.number.partition(".")[2]
    measured[quantity] = np.where(rare == 1, 0.9, 0.4) + 0.0 * np.asarray(measured[quantity])
    taken["transplant"] = replace(moved, values=measured)
    found = results(taken, predicted=rare)
    evidence = Evidence(found.measurements, NAMES, default_thresholds(), 0)
    (one,) = score_sums(evidence, shares).values()
    assert isinstance(one, RatioSums)
    judged = {finding.code: finding.score for finding in found.findings}["SL-308"]
    assert judged is not None
    assert _estimate(one).value == pytest.approx(judged.value) == pytest.approx(0.65)


def test_scores_that_end_at_1_are_said_not_to_give_the_difference() -> None:
    taken = {share: outcomes(agreement({}), PREDICTED, HALF) for share in (0.3, 1.9)}
    for share, found in taken.items():
        found["transplant"] = transplant(0.8, own=share)
    low, high = (results(found) for found in taken.values())
    pair = compared([low, high]).pairs[0]
    row = next(one for one in pair.claims if one.code == "SL-304")
    assert row.second is not None
    assert row.difference is not None
    assert row.second.value == 1.0
    assert row.difference.value > row.second.value - row.first.value
    assert [note for note in pair.notes if "SL-304" in note]
    again = compared([low, replace(low, spec={**low.spec, "seed": 1})]).pairs[0]
    assert not [note for note in again.notes if "SL-304" in note]


def _ends(one: Estimate) -> tuple[float, ...]:
    return one.value, one.low, one.high, one.n


def _estimate(one: RatioSums | PairSums) -> Estimate:
    if isinstance(one, RatioSums):
        return ratio(one.top, one.bottom, 0, classes=one.classes)
    return of_pairs(one, np.arange(N))


def test_what_differs_is_found_and_nothing_else_is() -> None:
    changed = outcomes(
        agreement({"gradient": 0.1}), PREDICTED, HALF,
        erasure=erasure(deleted=0.4, top=0.8), transplant=transplant(0.3, flipped=0.8, own=0.8),
    )  # fmt: skip
    found = answers(compared([usual(), results(changed)]))
    apart = {key for key, answer in found.items() if answer == "different"}
    assert {code for code, _ in apart} == {"SL-303", "SL-301", "SL-101"}
    assert ("SL-301", "deleted") in apart
    assert {way for code, way in apart if code == "SL-303"} == {MARGIN}
    changed |= {"erasure": erasure(top=0.4), "transplant": transplant(flipped=0.3, own=0.4)}
    others = {
        key
        for key, answer in answers(compared([usual(), results(changed)])).items()
        if answer == "different"
    }
    assert others - apart == {
        ("SL-303", FLIPS),
        ("SL-304", AUDIT_TESTS["SL-304"].baseline_words),
        ("SL-307", AUDIT_TESTS["SL-307"].baseline_words),
    }
    assert found["SL-301", "replaced"] == "not told apart"
    assert found["accuracy", ""] == "not told apart"


def _grouped(audit: Results, size: int) -> Results:
    outputs = audit.measurements["outputs"]
    values = {**outputs.values, "cluster": np.arange(N) // size}
    return replace(
        audit, measurements={**audit.measurements, "outputs": replace(outputs, values=values)}
    )


def _in_twos(one: Measurement) -> Measurement:
    """Every second text measures what the one before it does."""
    same = {name: np.repeat(value[::2], 2, axis=0) for name, value in one.values.items()}
    kept = {name: one.values[name] for name in ("half", "partner") if name in same}
    return replace(one, values=same | kept)


@cache
def _apart_in_twos() -> tuple[Results, Results]:
    """Two audits that differ, in which texts come in twos."""
    moved = transplant(0.3)
    noise = np.random.default_rng(9).normal(0, 0.3, (N, 2))
    values = {**moved.values, "carried.attention": moved.values["carried.attention"] + noise}
    changed = {
        "agreed": _in_twos(agreement({"gradient": 0.1})),
        "transplant": _in_twos(replace(moved, values=values)),
    }
    usually = {"agreed": _in_twos(agreement({})), "transplant": _in_twos(transplant())}
    first, second = (
        outcomes(learned=PREDICTED, uniform=HALF, **taken) for taken in (usually, changed)
    )
    wrong = np.where(np.arange(N) // 2 % 5 == 0, 1 - PREDICTED, PREDICTED)
    return results(first), results(second, predicted=wrong)


@pytest.mark.parametrize("side", [0, 1])
def test_texts_of_few_groups_in_either_audit_are_not_compared(side: int) -> None:
    audits = [*_apart_in_twos()]
    assert "different" in answers(compared(audits)).values()
    audits[side] = _grouped(audits[side], 4)
    found = compared(audits)
    assert found.comparisons == 0
    assert {*answers(found).values()} == {"not compared"}
    assert {one.why for one in found.pairs[0].claims if one.difference} == {
        "on 30 independent texts; a comparison rests on at least 50"
    }


@pytest.mark.parametrize("side", [0, 1])
def test_differences_of_grouped_texts_are_less_certain(side: int) -> None:
    audits = [*_apart_in_twos()]
    alone = compared(audits).pairs[0]
    audits[side] = _grouped(audits[side], 2)
    found = compared(audits)
    (together,) = found.pairs
    assert found.comparisons > 0
    known = [
        (one, other)
        for one, other in zip(alone.claims, together.claims, strict=True)
        if one.difference
    ]
    assert {one.code for one, _ in known} >= {"SL-303", "SL-101", "SL-001", "SL-201", ACCURACY}
    wider = {
        (one.code, one.way, part): _width(getattr(other, part)) / _width(getattr(one, part))
        for one, other in known
        for part in ("difference", "first", "second")
    }
    wider |= {
        name: _width(getattr(together, name)) / _width(getattr(alone, name))
        for name in ("decided", "attention")
    }
    assert all(ratio > 1.2 for ratio in wider.values()), wider


def _width(one: Estimate) -> float:
    return one.high - one.low


def test_the_difference_is_the_second_less_the_first_and_turns() -> None:
    one, other = (
        usual(),
        results(outcomes(agreement({}), PREDICTED, HALF, transplant=transplant(0.3))),
    )
    there, back = (compared(pair).pairs[0].claims[0] for pair in ((one, other), (other, one)))
    assert there.difference.value == pytest.approx(
        (0.3 - 0.8) / (1 - 0.2)
    )  # of what random words leave
    assert back.difference.value == -there.difference.value
    assert (there.first, there.second) == (back.second, back.first)


def test_only_texts_that_both_have_are_compared_whatever_their_order() -> None:
    first = usual()
    order = np.arange(N)[::-1]
    turned = {
        name: replace(one, values={q: _rows(v, order) for q, v in one.values.items()})
        if isinstance(one, Measurement)
        else one
        for name, one in first.measurements.items()
    }
    turned["transplant"] = NotRun("transplant", "rows name each other")
    second = replace(first, measurements=turned, texts=first.texts[::-1])
    for claim in compared([first, second]).pairs[0].claims:
        assert claim.difference is None or claim.difference.value == pytest.approx(0, abs=1e-12)
        assert claim.answer != "different"
    fewer = replace(
        second,
        texts=tuple(
            replace(t, id=f"other {t.id}") if i < 30 else t for i, t in enumerate(second.texts)
        ),
    )
    beside = compared([first, fewer]).pairs[0]
    assert (beside.common, beside.alone, beside.unpaired) == (90, (30, 30), "")
    assert {claim.difference.n for claim in beside.claims if claim.difference} == {90}
    assert {claim.why for claim in beside.claims if claim.code == "SL-303"} == {
        "not measured in B: rows name each other"
    }


def _turned(audit: Results, lost: int) -> Results:
    """Give an audit with its texts in reverse order, the first few of them under other ids; pairs
    name the rows of their partners.
    """
    order = np.arange(N)[::-1]
    measured = {
        name: replace(one, values={q: _rows(v, order) for q, v in one.values.items()})
        for name, one in audit.measurements.items()
        if isinstance(one, Measurement)
    }
    moved = measured["transplant"]
    partner = N - 1 - np.asarray(moved.values["partner"])
    measured["transplant"] = replace(moved, values={**moved.values, "partner": partner})
    ids = [f"other {t.id}" if i < lost else t.id for i, t in enumerate(audit.texts[::-1])]
    records = tuple(replace(t, id=name) for t, name in zip(audit.texts[::-1], ids, strict=True))
    return replace(audit, measurements={**audit.measurements, **measured}, texts=records)


def test_pairs_of_shared_texts_are_found_in_either_order() -> None:
    first = usual()
    pair = compared([first, _turned(first, lost=30)]).pairs[0]
    moved = [claim for claim in pair.claims if claim.code in ("SL-303", "SL-304")]
    assert len(moved) == 3
    for claim in moved:
        assert claim.difference is not None, claim.why
        assert claim.first is not None
        assert claim.difference.n == 85  # both partners of the other five are not shared
        assert claim.difference.value == pytest.approx(0, abs=1e-12)
    of_all = {one.code: one.score for one in first.findings}["SL-303"]
    assert of_all is not None
    assert moved[0].first is not None
    assert moved[0].first.value != of_all.value, "of the shared texts alone"


def test_accuracy_is_that_of_the_shared_texts_in_each_audit() -> None:
    """The second audit has other texts first, and the rest in reverse order."""
    rows = np.arange(N)
    first = results(predicted=np.where(rows < 12, 1 - PREDICTED, PREDICTED))
    second = _turned(results(predicted=np.where(rows < 20, 1 - PREDICTED, PREDICTED)), lost=30)
    row = compared([first, second]).pairs[0].claims[-1]
    assert row.code == ACCURACY
    assert row.first is not None
    assert row.second is not None
    assert (row.first.value, row.first.n) == (pytest.approx(78 / 90), 90)
    assert (row.second.value, row.second.n) == (pytest.approx(70 / 90), 90)


def test_a_text_that_is_asked_something_else_is_another_text() -> None:
    def asked(*queries: tuple[str, ...] | None) -> Results:
        some = texts(range(len(queries)))
        return replace(
            usual(),
            texts=tuple(replace(t, query=q) for t, q in zip(some, queries, strict=True)),
        )

    found = match(asked(("who",), ("who",), None), asked(("who",), ("where",), None), NAMES, NAMES)
    assert (found.first.tolist(), found.second.tolist()) == ([0, 2], [0, 2])
    assert found.alone == (1, 1)


def _rows(value: Any, order: np.ndarray) -> Any:
    return Ragged(value.flat, value.lengths) if isinstance(value, Ragged) else value[order]


def test_few_texts_are_not_compared_and_say_so() -> None:
    first = usual()
    second = replace(
        first,
        texts=tuple(
            replace(t, text=f"{t.text}!") if i >= 40 else t for i, t in enumerate(first.texts)
        ),
    )
    found = compared([first, second])
    assert found.comparisons == 0
    claims = [claim for claim in found.pairs[0].claims if claim.difference is not None]
    assert {claim.answer for claim in claims} == {"not compared"}
    assert "on 40 texts; a comparison rests on at least 50" in {claim.why for claim in claims}


def test_scores_of_moved_words_are_marked_where_partners_come_from_other_texts() -> None:
    first = usual()
    fewer = _turned(first, 20)
    moved = {code for code, one in AUDIT_TESTS.items() if one.measure == "transplant"}
    assert len(moved) == 5
    for other, marked in ((replace(first), set()), (fewer, moved)):
        (pair,) = compared([first, other]).pairs
        rows = [one for one in pair.claims if one.p is not None]
        assert {one.code for one in rows} > moved
        assert {one.code for one in rows if one.why == OTHER_PARTNERS} == marked
        notes = [note for note in pair.notes if "partners" in note]
        assert len(notes) == bool(marked)
        assert all(code in note for note in notes for code in marked)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"texts": ()}, "an audit holds no texts, so it is unknown which texts are the same"),
        (
            {"labels": ("a", "c")},
            "the models answer different questions: their labels are 'a', 'b' and 'a', 'c'",
        ),
        (
            {
                "texts": texts(range(N))[:0]
                + tuple(replace(t, id="x" + t.id) for t in texts(range(N)))
            },
            "no text of one is among",
        ),
    ],
)
def test_where_nothing_can_be_paired_own_intervals_stand_side_by_side(change, why: str) -> None:
    first, second = usual(), results(**change)
    found = compared([first, second])
    beside = found.pairs[0]
    assert beside.unpaired.startswith(why)
    assert (found.comparisons, beside.decided, beside.shared) == (0, None, None)
    effects = {one.code: one.score for one in first.findings}
    for claim in beside.claims:
        assert (claim.answer, claim.difference, claim.first) == (
            "not compared",
            None,
            effects[claim.code],
        )


def test_texts_that_are_decided_otherwise_or_labelled_otherwise_are_counted() -> None:
    predicted = np.where(np.arange(N) < 12, 1 - PREDICTED, PREDICTED)
    second = results(predicted=predicted)
    labelled = replace(second, texts=tuple(replace(t, label="b") for t in second.texts))
    beside = compared([usual(), labelled]).pairs[0]
    assert beside.decided.value == pytest.approx(0.1)
    assert np.flatnonzero(beside.shared.otherwise).tolist() == list(range(12))
    assert beside.notes == ("60 of 120 shared texts have another label in the second audit",)
    message = compared([usual(), second]).to_json()["beside"][0]["otherwise"]
    assert message[0] == {"id": "t0", "label": "a", "first": "a", "second": "b"}
    assert len(message) == 12


def test_texts_that_were_prepared_otherwise_are_named_as_why_none_is_shared() -> None:
    def prepared(recipe: str, rows: range) -> Results:
        return replace(usual(), cards={"data": {"recipe": recipe}}, texts=texts(rows))

    found = match(prepared("clean", range(60)), prepared("paper", range(60, 120)), NAMES, NAMES)
    assert "the recipes clean and paper" in found.unpaired
    same = match(prepared("clean", range(60)), prepared("clean", range(60, 120)), NAMES, NAMES)
    assert "recipe" not in same.unpaired


def test_what_neither_audit_has_is_said_of_both() -> None:
    outcome = NotRun("transplant", "rows name each other")
    lacks = replace(usual(), measurements={**usual().measurements, "transplant": outcome})
    pair = compared([lacks, replace(lacks, texts=lacks.texts[::-1])]).pairs[0]
    assert {claim.why for claim in pair.claims if claim.code == "SL-303"} == {
        "measured in neither: rows name each other"
    }


def test_a_test_that_the_model_does_not_allow_is_not_called_unasked() -> None:
    offers = ["decode"]
    taken = {code: one for code, one in usual().measurements.items() if code != "information"}
    cards = {"model": {**usual().cards.get("model", {}), "offers": offers}}
    lacks = replace(usual(), measurements=taken, cards={**usual().cards, **cards})
    pair = compared([lacks, replace(lacks, texts=lacks.texts[::-1])]).pairs[0]
    missing = missing_from("information", {*offers})
    assert missing
    assert {one.why for one in pair.claims if one.code == "SL-401"} == {
        f"measured in neither: {missing}"
    }


def test_samples_that_were_drawn_by_other_seeds_are_named_as_why_few_texts_are_shared() -> None:
    def sampled(seed: int, rows: range) -> Results:
        card = {**usual().cards, "data": {"sample": {"n": len(rows), "of": 200, "seed": seed}}}
        return replace(usual(), cards=card, texts=texts(rows))

    said = (
        "each audit took its own sample of the test texts (60 and 80, by the seeds 0 "
        "and 1): without a limit, or with one seed for both audits, they share more"
    )
    assert match(sampled(0, range(60)), sampled(1, range(40, 120)), NAMES, NAMES).notes == (said,)
    assert match(sampled(0, range(60)), sampled(0, range(40, 120)), NAMES, NAMES).notes == ()
    assert match(sampled(0, range(60)), usual(), NAMES, NAMES).notes == ()
    apart = match(sampled(0, range(60)), sampled(1, range(60, 120)), NAMES, NAMES)
    reason = "no text of one is among the texts of the other, by id and text"
    assert apart.unpaired == f"{reason}; {said.replace('80', '60')}"
    months = (replace(usual(), texts=texts(rows)) for rows in (range(60), range(60, 120)))
    assert match(*months, NAMES, NAMES).unpaired == f"{reason}; {SAME_TEXTS}"


def test_maps_are_apart_by_their_shares_and_undefined_where_words_differ() -> None:
    first = second = usual()
    weights = np.tile([1.0, 0.0, 0.0], N)
    weights[:3] = 2 / 3  # another scale, the same shares
    weights[3:6] = 0.0
    outputs = second.measurements["outputs"]
    turned = replace(
        outputs, values={**outputs.values, "attention": Ragged(weights, np.full(N, 3))}
    )
    cut = tuple(
        replace(t, tokens=("w", "x", "z")) if i == 2 else t for i, t in enumerate(second.texts)
    )
    beside = compared(
        [first, replace(second, measurements={**second.measurements, "outputs": turned}, texts=cut)]
    ).pairs[0]
    apart = beside.shared.apart
    assert apart[0] == pytest.approx(0, abs=1e-12)
    assert np.flatnonzero(np.isnan(apart)).tolist() == [1, 2]
    p, q = np.array([1, 1, 1]) / 3, np.array([1.0, 1e-300, 1e-300])
    literal = (
        sum(
            a * np.log(a / ((a + b) / 2)) + b * np.log(b / ((a + b) / 2))
            for a, b in zip(p, q, strict=True)
        )
        / 2
    )
    assert apart[3] == pytest.approx(literal)
    assert beside.notes == (
        "1 of 120 shared texts were read as other words, or cut elsewhere",
        "2 of 120 shared texts have no two maps that could be compared",
    )


@pytest.mark.parametrize(
    ("first", "second", "named"),
    [
        (None, None, ()),
        (None, {"planned": N, "texts": N}, ()),
        (None, {"planned": 800, "texts": N}, ("B",)),
        ({"planned": 800, "texts": N}, {"planned": 400, "texts": N}, ("A", "B")),
    ],
)
def test_an_audit_that_stopped_early_is_named(first, second, named) -> None:
    asked = [
        replace(usual(), spec={**usual().spec, **({"sequential": about} if about else {})})
        for about in (first, second)
    ]
    found = compared(asked)
    notes = [note for note in found.pairs[0].notes if "--full" in note]
    assert len(notes) == bool(named)
    assert all(note.startswith(" and ".join(named)) for note in notes)
    assert found.to_json()["beside"][0]["notes"] == found.pairs[0].notes


def test_all_comparisons_are_adjusted_together() -> None:
    others = [
        results(outcomes(agreement({"gradient": 0.4 - 0.01 * i}), PREDICTED, HALF))
        for i in range(1, 3)
    ]
    alone = compared([usual(), others[0]])
    found = compared([usual(), *others])
    p = [claim.p for beside in found.pairs for claim in beside.claims if claim.p is not None]
    assert found.comparisons == len(p) == 2 * alone.comparisons
    for beside in found.pairs:
        for claim in beside.claims:
            assert claim.p_adjusted is None or claim.p <= claim.p_adjusted <= 1
            assert (claim.answer == "different") == (
                claim.p_adjusted is not None and claim.p_adjusted < 0.05
            )
    assert min(
        one.p_adjusted for beside in found.pairs for one in beside.claims if one.p
    ) == pytest.approx(min(1.0, min(p) * len(p)))


def test_what_is_small_alone_is_not_called_different_among_many() -> None:
    claims = tuple(
        ComparedScore(str(i), "", "", "not told apart", p=0.5 if i else 0.01) for i in range(10)
    )
    (among,), count = _adjusted([AuditPair(60, (0, 0), claims)])
    assert (count, among.claims[0].p_adjusted, among.claims[0].answer) == (
        10,
        pytest.approx(0.1),
        "not told apart",
    )
    (alone,), _ = _adjusted([AuditPair(60, (0, 0), claims[:1])])
    assert (alone.claims[0].p_adjusted, alone.claims[0].answer) == (0.01, "different")


def test_what_an_earlier_claim_asks_is_asked_once() -> None:
    asked = list(answers(compared([usual(), replace(usual())])))
    assert ("SL-107", AUDIT_TESTS["SL-107"].baseline_words) in asked
    assert ("SL-107", "what shuffled weights capture in this model") not in asked  # SL-104 asks it
    assert len(asked) == len(set(asked))


def test_one_audit_or_one_twice_is_refused() -> None:
    one = usual()
    with pytest.raises(SpecError, match="two audits or more to compare, got 1"):
        compared([one])
    with pytest.raises(SpecError, match="got the same one twice"):
        compared([one, replace(one), one])
    with pytest.raises(SpecError) as caught:
        compared([one, replace(one)], places=["a"])
    assert caught.value.field == "places"
