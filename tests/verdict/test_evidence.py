"""One estimate a name: made once, and the same wherever it is asked for."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from sightline.core.interval_level import level_in
from sightline.core.needs import OTHER_ATTENTION, UNASKED, needed
from sightline.core.results import Bracket, Estimate, Measurement
from sightline.stats import bootstrap, resamples
from sightline.stats.intervals import LEVEL
from sightline.verdict.accuracy_drop import DROPS
from sightline.verdict.catalogue import AUDIT_TESTS
from sightline.verdict.estimators import estimates, metrics
from sightline.verdict.evidence import Evidence, ScoreQuantities
from sightline.verdict.judge import judge
from sightline.verdict.map_selection import maps_of
from sightline.verdict.model_accuracy import learned_of
from sightline.verdict.rationale_estimates import above_chance
from tests.report.audits import compared
from tests.verdict.cases import PREDICTED, THRESHOLDS, N, agreement, erasure, outcomes

HALF = np.where(np.arange(N) < N // 2, PREDICTED, 1 - PREDICTED)


def evidence(**more: Measurement) -> Evidence:
    return Evidence(outcomes(agreement({}), PREDICTED, HALF) | more, ("neg", "pos"), THRESHOLDS, 0)


def test_nothing_is_bootstrapped_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: Counter[str] = Counter()
    draw = resamples.sums
    monkeypatch.setattr(
        resamples, "sums", lambda *asked: drawn.update([repr(asked)]) or draw(*asked)
    )
    asked = evidence()
    judge(asked), estimates(asked), metrics(asked)
    assert len(drawn) > 20
    once = drawn.total()
    judge(asked), estimates(asked)
    # By class and against guessing is computed once by each judgement.
    assert drawn.total() - once <= once / 3


def test_the_order_of_asking_does_not_matter() -> None:
    first, second = evidence(), evidence()
    judged, numbers = judge(first), estimates(first)
    assert (estimates(second), judge(second)) == (numbers, judged)


def test_a_number_is_over_the_texts_that_its_effect_is_over() -> None:
    values = dict(agreement({}).values)
    values["captured.gradient"] = np.where(np.arange(N) < 10, np.nan, values["captured.gradient"])
    values["chance.gradient"] = np.where(np.arange(N) > 110, np.nan, values["chance.gradient"])
    asked = evidence(agreement=Measurement("agreement", values))
    found = next(f for f in judge(asked).findings if f.code == "SL-101")
    numbers = estimates(asked)
    assert (found.number, found.baseline) == (
        numbers["agreement.captured.gradient"],
        numbers["agreement.chance.gradient"],
    )
    assert found.number.n == found.baseline.n == found.score.n == N - 19
    assert found.score.value == pytest.approx(
        (found.number.value - found.baseline.value) / (1 - found.baseline.value)
    )


def test_what_was_not_measured_has_no_estimate() -> None:
    asked = evidence()
    assert (
        asked.estimate("reach.low")
        is asked.estimate("need.retrained.F1_drop")
        is asked.estimate("no.thing")
        is None
    )
    assert all(asked.estimate(one.name) for one in AUDIT_TESTS["SL-301"].quantities())


def test_a_number_of_the_whole_split_keeps_the_interval_it_came_with() -> None:
    nmi = Estimate(0.3, 0.25, 0.36, N, "jackknife over documents")
    asked = evidence(information=Measurement("information", {}, whole={"nmi": nmi}))
    assert asked.estimate("information.nmi") is nmi
    assert estimates(asked)["information.nmi"] is nmi


def test_the_two_sides_of_a_bracket_are_resampled_alike() -> None:
    reach = np.random.default_rng(1).random(N)
    sides = {"low": reach, "high": reach.copy(), "proof": np.ones(N)}
    asked = evidence(reach=Measurement("reach", sides))
    assert asked.estimate("reach.low") == asked.estimate("reach.high")
    wider = evidence(reach=Measurement("reach", {"total": Bracket(reach, reach + 0.1)}))
    found = wider.estimate("reach.total")
    assert found.low == bootstrap.mean(reach, 0).low
    assert found.high == bootstrap.mean(reach + 0.1, 0).high
    assert found.value == pytest.approx(reach.mean() + 0.05)


def test_a_quantity_that_its_measure_does_not_have_is_named() -> None:
    assert not evidence().has("erasure.aria")
    assert evidence().why_not("erasure.aria") == "erasure does not measure it"
    missing = Measurement("erasure", {}, missing={"aria": "needs ears"})
    assert evidence(erasure=missing).why_not("erasure.aria") == "needs ears"


def test_texts_of_one_source_are_drawn_together() -> None:
    alone, copies = evidence(), evidence()
    outputs = copies.outcomes["outputs"]
    assert isinstance(outputs, Measurement)
    together = Measurement("outputs", {**outputs.values, "cluster": np.arange(N) // 4})
    shared = evidence(outputs=together)
    narrow, wide = (asked.estimate("agreement.captured.gradient") for asked in (alone, shared))
    assert narrow.value == pytest.approx(wide.value)
    assert f"{N // 4} clusters" in wide.method


def varied(confidence: float = LEVEL) -> Evidence:
    """Texts in fours, judged at a level. Of what is equal in all texts, the method names no
    clusters, so removal and labels vary.
    """
    removed = {**erasure().values}
    noise = np.random.default_rng(5).normal(0, 0.1, N)
    for how in ("deleted", "replaced"):
        removed[f"{how}.attention"] = removed[f"{how}.attention"] + noise
    outputs = {
        "predicted": PREDICTED,
        "label": np.where(np.arange(N) % 6 == 0, 1 - PREDICTED, PREDICTED),
        "cluster": np.arange(N) // 4,
    }
    asked = evidence(
        outputs=Measurement("outputs", outputs), erasure=Measurement("erasure", removed)
    )
    return replace(asked, confidence=confidence)


def test_every_interval_that_decides_is_over_clusters() -> None:
    asked = varied()
    found = {one.code: one for one in judge(asked).findings}
    decide = ("SL-303", "SL-301", "SL-304", "SL-308", "SL-001", "SL-101", "SL-102", "SL-104")
    estimates = {
        (code, of): one
        for code in (*decide, "SL-201")
        for of, one in {"": found[code].score, **found[code].by_class}.items()
    }
    (row,) = maps_of(asked)
    estimates |= {("map", way): getattr(row, way) for way in ("carried", "deleted", "replaced")}
    known = learned_of(asked)
    for name in ("accuracy", "guessing", "above", "above_chance"):
        estimates["learned", name] = getattr(known, name)
    estimates |= {("texts", of): one.texts for of, one in known.classes.items()}
    estimates |= {("predicted", of): one.predicted for of, one in known.classes.items()}
    estimates |= {("metric", name): one for name, one in metrics(asked).items()}
    others = {key: one.method for key, one in estimates.items() if "30 clusters" not in one.method}
    assert others == {}
    assert {of for _, of in estimates} >= {"", "neg", "pos"}


def test_every_interval_that_decides_has_the_level_of_the_audit() -> None:
    """An audit that looks at its texts more than once takes a higher level; each of two classes
    errs half as often.
    """
    asked = varied(0.99)
    judged = judge(asked).findings
    whole = {one.code: one.score for one in judged}
    whole |= {name: asked.estimate(name) for name in DROPS if "retrained" not in name}
    for row in maps_of(asked):
        whole |= {(row.name, way): getattr(row, way) for way in ("carried", "deleted", "replaced")}
    by_class = {(one.code, of): each for one in judged for of, each in one.by_class.items()}
    assert len(whole) >= len(AUDIT_TESTS) + 6 + 3
    for level, known in (("99", whole), ("99.5", by_class)):
        levels = {key: one and level_in(one.method) for key, one in known.items()}
        assert {key: found for key, found in levels.items() if found != level} == {}


def test_estimates_that_decide_nothing_are_over_clusters_too() -> None:
    """Without clusters these intervals would be as narrow as those of independent texts."""
    random = np.random.default_rng(2)
    value, size = np.repeat(random.random(N // 4), 4), random.uniform(5, 9, N)
    asked = replace(
        varied(),
        outcomes={
            **varied().outcomes,
            "reach": Measurement(
                "reach",
                {"total": Bracket(value, value + 0.1), "proof": (value > 0.5).astype(float)},
            ),
            "token_evidence": Measurement(
                "token_evidence", {"within": value * size, "total": size}
            ),
        },
    )
    drops = [name for name in DROPS if "retrained" not in name]
    for name in ("reach.total", "reach.proof", "token_evidence.share", *drops):
        found = asked.estimate(name)
        assert found is not None
        assert "30 clusters" in found.method, name


def test_a_ratio_of_equal_texts_ends_where_a_share_does() -> None:
    taken = {"within": np.full(N, 2.0), "total": np.full(N, 2.0)}
    found = evidence(token_evidence=Measurement("token_evidence", taken))
    share = found.estimate("token_evidence.share")
    assert share is not None
    assert (share.value, share.high) == (1.0, 1.0)
    assert share.low == pytest.approx(0.05 ** (1 / N), abs=1e-3)
    nats = evidence(
        input_information=Measurement(
            "input_information", {"gained": np.full(N, 2.0), "words": np.full(N, 1.0)}
        )
    ).estimate("input_information.nats")
    assert nats is not None
    assert np.isnan([nats.low, nats.high]).all(), "nats have no ends, so equal texts tell nothing"


def test_accuracy_has_one_interval_and_copies_are_one_text_in_it() -> None:
    label = np.where(np.arange(N) % 6 == 0, 1 - PREDICTED, PREDICTED)
    outputs = {"predicted": PREDICTED, "label": label, "cluster": np.arange(N) // 4}
    asked = evidence(outputs=Measurement("outputs", outputs))
    found = metrics(asked)
    assert found["accuracy"] == learned_of(asked).accuracy
    assert {"30 clusters" in one.method for one in found.values()} == {True}


@pytest.mark.parametrize(("positive", "known"), [(0, False), (1, False), (4, False), (5, True)])
def test_macro_f1_has_no_interval_where_a_class_has_few_texts(positive: int, known: bool) -> None:
    """Every positive text is found, and one other text is called positive."""
    label = (np.arange(N) < positive).astype(int)
    predicted = (np.arange(N) < positive + 1).astype(int)
    found = metrics(
        evidence(outputs=Measurement("outputs", {"label": label, "predicted": predicted}))
    )
    negative = N - positive
    f1 = (2 * positive / (2 * positive + 1) + 2 * (negative - 1) / (2 * negative - 1)) / 2
    assert found["f1"].value == pytest.approx(f1)
    assert found["f1"].n == N
    assert np.isnan([found["f1"].low, found["f1"].high]).all() == (not known)
    assert found["accuracy"].low < found["accuracy"].high


RARE = np.arange(N) % 6 == 0
"""One text in six is decided otherwise than the rest; in these alone attention finds what
matters."""


def detector() -> Evidence:
    chance, most = np.full(N, 0.2), np.where(RARE, 10.0, 5.0)
    agreed = {"chance.gradient": chance, "captured.gradient": np.where(RARE, 0.9, 0.1)}
    agreed["draws.gradient"] = np.tile(np.linspace(0.2, 0.4, 19), (N, 1))
    removed = {f"deleted.{name}": most * share for name, share in (("random", 0.0), ("most", 1.0))}
    removed["deleted.attention"] = most * np.where(RARE, 0.9, 0.1)
    outputs = {"predicted": RARE.astype(int), "label": RARE.astype(int)}
    measured = {"outputs": outputs, "agreement": agreed, "erasure": removed}
    return evidence(**{name: Measurement(name, values) for name, values in measured.items()})


def test_how_rare_a_class_is_does_not_decide() -> None:
    """Numbers, floors, ceilings, effects and p-values are those of texts that are decided either
    way as often.
    """
    asked = detector()
    found = {one.code: one for one in judge(asked).findings}
    gradient, erased = found["SL-101"], found["SL-301"]
    assert (gradient.number.value, gradient.baseline.value) == pytest.approx((0.5, 0.2))
    assert gradient.score.value == pytest.approx(0.375)
    assert gradient.p == pytest.approx(1 / 20)
    assert erased.score.value == pytest.approx((0.9 * 10 + 0.1 * 5) / 15)
    assert asked.estimate("erasure.deleted.most").value == pytest.approx(7.5)
    assert {of: one.value for of, one in gradient.by_class.items()} == pytest.approx(
        {"neg": -0.125, "pos": 0.875}
    )
    (row,) = maps_of(asked)
    assert row.deleted.value == pytest.approx(erased.score.value)


def test_agreement_with_marked_words_beyond_chance_counts_clusters() -> None:
    values = {"auprc.attention": np.linspace(0, 1, N), "auprc_chance.attention": np.zeros(N)}
    rationale = Measurement("rationale", values)

    def estimated(clusters: np.ndarray | None) -> Estimate | None:
        known = {} if clusters is None else {"cluster": clusters}
        measured = {"rationale": rationale, "outputs": Measurement("outputs", known)}
        return above_chance(replace(compared(), measurements=measured), "attention")

    apart, alone, pairs = (estimated(one) for one in (None, -np.arange(N), np.arange(N) // 2))
    assert apart is not None
    assert pairs is not None
    assert apart == alone
    assert f"{N // 2} clusters" in pairs.method
    assert pairs.high - pairs.low > 1.3 * (apart.high - apart.low)


def test_accuracy_is_held_against_always_saying_the_most_common_class() -> None:
    known = learned_of(evidence())
    assert (known.accuracy.value, known.guessing.value, known.above.value) == (1.0, 0.5, 0.5)
    assert known.above.low > 0
    labels = np.where(np.arange(N) < 100, 1, 0)
    always = Measurement(
        "outputs", {"predicted": np.ones(N, int), "label": labels, "finite": np.arange(N) != 119}
    )
    known = learned_of(evidence(outputs=always))
    assert known.above.value == 0
    assert not known.above.low > 0
    assert known.accuracy.n == N - 1


def test_agreement_with_marked_words_is_estimated_between_0_and_1_and_decides_nothing() -> None:
    scores = {
        "auprc.attention": np.where(np.arange(N) < 3, 0.6, 1.0),
        "auprc_chance.attention": np.full(N, np.nan),
    }
    asked = evidence(rationale=Measurement("rationale", scores))
    found = estimates(asked)["rationale.auprc.attention"]
    assert (found.n, found.high) == (N, 1.0)
    assert 0 < found.low < found.value < 1
    alike = evidence(rationale=Measurement("rationale", {"f1.attention": np.zeros(N)}))
    assert estimates(alike)["rationale.f1.attention"].low == 0
    assert np.isnan(estimates(asked)["rationale.auprc_chance.attention"].value)
    assert judge(asked) == judge(evidence())


def test_accuracy_is_held_against_the_same_answers_dealt_out_at_random() -> None:
    """Of a rare class nobody beats always saying the other; by chance its finder is not right."""
    labels = (np.arange(N) % 10 == 0).astype(int)
    finder = Measurement(
        "outputs", {"predicted": np.where(np.arange(N) % 20 == 5, 1, labels), "label": labels}
    )
    known = learned_of(evidence(outputs=finder))
    share, said = labels.mean(), (labels.mean() + 1 / 20)
    assert known.chance.value == pytest.approx(share * said + (1 - share) * (1 - said))
    assert known.above_chance.value == pytest.approx(0.95 - known.chance.value)
    assert known.beats_chance
    assert [(one.texts.value, one.predicted.value) for one in known.classes.values()][
        1
    ] == pytest.approx((share, said))
    dealt = Measurement("outputs", {"predicted": np.roll(labels, 1), "label": labels})
    assert not learned_of(evidence(outputs=dealt)).beats_chance


def test_a_test_that_nobody_asked_for_says_what_the_model_lacks_for_it() -> None:
    known = {
        offers: Evidence(
            {}, (), THRESHOLDS, 0, offers=None if offers is None else frozenset(offers)
        )
        for offers in (None, (), ("decode",), ("decode", "states"))
    }
    assert {offers: one.why_not("information") for offers, one in known.items()} == {
        None: UNASKED,
        (): needed({"decode", "states"}),
        ("decode",): needed({"states"}),
        ("decode", "states"): UNASKED,
    }
    # A control model can be added by the user, and either of two capabilities serves.
    assert known[()].why_not("retrained") == UNASKED
    assert known[()].why_not("reach") == needed({OTHER_ATTENTION})
    assert known["decode",].why_not("reach") == UNASKED


def test_an_interval_ends_where_its_number_does() -> None:
    """A share of 1 in every text is no share above 1 or below 0; log-odds have no such end."""
    spread = np.linspace(-2, 4, N)
    asked = evidence(
        mixing=Measurement("mixing", {"entropy": np.ones(N)}),
        erasure=Measurement("erasure", {"deleted.most": spread}),
    )
    even = asked.estimate("mixing.entropy")
    assert even is not None
    assert (even.value, even.high) == (1.0, 1.0)
    assert 0.9 < even.low < 1
    odds = asked.estimate("erasure.deleted.most")
    assert odds is not None
    assert odds.high - odds.value == pytest.approx(odds.value - odds.low, rel=0.2)
    assert odds.high > 1 == round(odds.value, 9)


def test_log_odds_and_their_chance_level_have_no_ends() -> None:
    """Texts of equal log-odds have an unknown interval, whatever their size."""
    values = {name: np.full(N, value) for name, value in (("attention", 0.5), ("random", 0.2))}
    deleted = {f"deleted.{name}": one for name, one in values.items()}
    asked = evidence(
        erasure=Measurement("erasure", {**deleted, "deleted.most": np.linspace(1, 2, N)})
    )
    names = ScoreQuantities(
        "erasure.deleted.attention", "erasure.deleted.random", "erasure.deleted.most"
    )
    found = asked.contrast(names)
    for one in (found.number, found.baseline):
        assert np.isnan([one.low, one.high]).all(), one
