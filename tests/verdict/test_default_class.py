"""A class that is predicted when nothing is found: what it takes to say so, and what the verdict
makes of it.
"""

import re
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from sightline.core.results import BY_ABSENCE, CANNOT_TELL, Level, Measurement, Verdict
from sightline.verdict import default_class
from sightline.verdict.default_class import (
    FLIPS,
    absence_ruled_out,
    by_absence,
    flipped_share,
    limits_are_open,
    own_effect,
    share_without_evidence,
)
from sightline.verdict.evidence import Evidence
from sightline.verdict.judge import judge
from sightline.verdict.map_selection import maps_of
from sightline.verdict.settled import OTHER_MAPS, OpenTests, asks_other_maps, find_settled
from sightline.verdict.thresholds import Thresholds
from sightline.verdict.verdict_table import NO_WORD
from tests.verdict.cases import PREDICTED, THRESHOLDS, N, agreement, erasure, outcomes, transplant

MAPS = {"deletion": 0.9, "gradient": 0.8, "signed_deletion": 0.9}
OF_NEG = PREDICTED == 0
CHANCE = 0.2


def evidence(
    own: float | Mapping[str, float] = CHANCE,
    flips: np.ndarray | float = 0.0,
    changed: Mapping[str, np.ndarray] | None = None,
    without: tuple[str, ...] = (),
    alone: float = 1.0,
) -> Evidence:
    """All is well but for the class ``neg``: the share that its words do by themselves, of its texts
    that flip, and of the words of the other class that get it ``alone``.
    """
    moved, removed = transplant(0.8, CHANCE, MAPS), erasure(names=MAPS)
    values = dict(moved.values)
    for name in ("attention", *MAPS):
        share = own.get(name, CHANCE) if isinstance(own, Mapping) else own
        of_neg = values[f"random_own.{name}"] * share / CHANCE
        values[f"own.{name}"] = np.where(OF_NEG[:, None], of_neg, values[f"own.{name}"])
    lost = dict(removed.values)
    share = (
        np.where(np.cumsum(OF_NEG) <= flips * OF_NEG.sum(), 0.4, 0.0)
        if isinstance(flips, float)
        else flips
    )
    lost["flips.deleted.most"] = np.where(OF_NEG, share, 0.6)
    lost["alone"] = np.where(np.cumsum(~OF_NEG) <= alone * (~OF_NEG).sum(), 0.0, 1.0)
    taken = {
        "transplant": Measurement(
            "transplant", values | dict(changed or {}), settings=moved.settings
        ),
        "erasure": Measurement("erasure", {n: v for n, v in lost.items() if n not in without}),
    }
    half = np.where(np.arange(N) < N // 2, PREDICTED, 1 - PREDICTED)
    return Evidence(
        outcomes(agreement({}), PREDICTED, half, **taken), ("neg", "pos"), THRESHOLDS, 0
    )


def test_where_no_map_finds_words_and_nothing_flips_a_class_is_one_by_absence() -> None:
    asked = evidence()
    assert [own_effect(asked, name, "neg") for name in ("attention", *MAPS)] == ["failed"] * 4
    assert [own_effect(asked, name, "pos") for name in ("attention", *MAPS)] == ["passed"] * 4
    assert own_effect(asked, "contribution", "neg") == "not run"
    assert (by_absence(asked, "neg"), by_absence(asked, "pos")) == (True, False)


def test_a_class_by_absence_has_the_share_of_its_predictions_that_flip() -> None:
    flips = np.full(N, 0.0)
    flips[np.flatnonzero(OF_NEG)[0]] = 0.6
    asked = evidence(flips=flips)
    share = flipped_share(asked, "neg")
    assert share is not None
    verdict = judge(asked).verdict.by_class["neg"]
    assert verdict.level == BY_ABSENCE
    numbers = [float(one) for one in re.findall(r"\d+(?:\.\d+)?", verdict.reasons[0].behind)]
    alone = share_without_evidence(asked, "neg")
    assert alone is not None
    assert numbers == [
        pytest.approx(100 * share.value, abs=0.05),
        share.n,
        100 * alone.value,
        alone.n,
    ]
    assert alone.n == (~OF_NEG).sum()


@pytest.mark.parametrize("name", MAPS)
def test_words_that_another_map_finds_are_words_of_the_class(name: str) -> None:
    asked = evidence(own={name: 0.9})
    assert own_effect(asked, name, "neg") == "passed"
    assert not by_absence(asked, "neg")


@pytest.mark.parametrize("name", MAPS)
def test_words_of_another_map_that_may_do_nothing_are_no_words(name: str) -> None:
    """At about the threshold, .1 above chance, it cannot be told of the other map, and of attention
    it can.
    """
    asked = evidence(own={name: 0.3})
    assert own_effect(asked, name, "neg") == "inconclusive"
    assert own_effect(asked, "attention", "neg") == "failed"
    assert by_absence(asked, "neg")


def test_of_attention_it_must_be_shown_that_its_words_do_nothing() -> None:
    for share, answer in ((0.3, "inconclusive"), (0.9, "passed")):
        asked = evidence(own={"attention": share})
        assert own_effect(asked, "attention", "neg") == answer
        assert {own_effect(asked, name, "neg") for name in MAPS} == {"failed"}
        assert not by_absence(asked, "neg")


@pytest.mark.parametrize(
    ("share", "absent"), [(0.0, True), (0.05, True), (0.1, False), (1.0, False)]
)
def test_a_class_whose_predictions_flip_when_words_go_has_words(share: float, absent: bool) -> None:
    assert by_absence(evidence(flips=share), "neg") == absent
    assert FLIPS == 0.05


@pytest.mark.parametrize(
    ("alone", "absent", "ruled_out"),
    [(1.0, True, False), (0.8, True, False), (0.55, False, False), (0.2, False, True)],
)
def test_a_class_by_absence_is_what_surely_most_words_of_other_classes_get_alone(
    alone: float, absent: bool, ruled_out: bool
) -> None:
    asked = evidence(alone=alone)
    assert by_absence(asked, "neg") == absent
    assert absence_ruled_out(asked, "neg") == ruled_out
    assert asks_other_maps(asked) != ruled_out


def test_where_no_word_was_asked_alone_no_class_is_one_by_absence() -> None:
    assert by_absence(evidence(), "neg")
    asked = evidence(without=("alone",))
    assert share_without_evidence(asked, "neg") is None
    assert not by_absence(asked, "neg")
    assert not absence_ruled_out(asked, "neg")
    assert judge(asked).verdict.by_class["neg"].row == 6


@pytest.mark.parametrize(
    ("flips", "found"), [(1.0, True), (0.2, True), (0.07, False), (0.0, False)]
)
def test_no_other_map_is_asked_for_a_class_whose_predictions_surely_flip(
    flips: float, found: bool
) -> None:
    asked = evidence(flips=flips)
    assert own_effect(asked, "attention", "neg") == "failed"
    assert absence_ruled_out(asked, "neg") == found
    assert asks_other_maps(asked) != found
    waiting = OpenTests(asked, {}, {OTHER_MAPS}, ("neg", "pos"))
    assert waiting.absence_is_open("neg") != found
    assert not (found and by_absence(asked, "neg"))


@pytest.mark.parametrize(
    ("own", "pending", "found"),
    [
        (
            {},
            (),
            True,
        ),  # no map has words with an effect; sixty texts leave the share of flips open
        ({"attention": 0.3}, (), True),
        ({"deletion": 0.28}, (), True),
        ({"attention": 0.9}, (), False),
        ({"gradient": 0.9}, (), False),
        ({"signed_deletion": 0.9}, (), False),  # a signed map alone has words with an effect
        ({"attention": 0.9}, ("transplant",), True),
        ({}, ("erasure",), True),
        ({"attention": 0.9}, ("erasure",), False),
    ],
)
def test_absence_is_open_while_the_effect_of_words_is(own, pending, found) -> None:
    asked = evidence(own=own)
    tests = OpenTests(asked, {}, pending, ("neg", "pos"))
    assert tests.absence_is_open("neg") == found
    if not pending:
        settled = find_settled(asked, judge(asked), (), ("neg", "pos"))
        assert settled.by_class == {"neg": not found, "pos": True}
        assert not OpenTests(asked, {}, (), ("pos",)).absence_is_open("neg")


@pytest.mark.parametrize(
    ("flips", "limit", "absent", "is_open"),
    [
        (0.0, 0.05, True, True),  # of 60, the 97.5 % interval ends at 0.077
        (0.04, 0.05, True, True),
        (0.07, 0.05, False, True),
        (0.2, 0.05, False, False),
        (0.0, 0.08, True, False),
    ],
)
def test_a_class_is_open_while_the_interval_of_its_flips_contains_the_limit(
    flips: float, limit: float, absent: bool, is_open: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(default_class, "FLIPS", limit)
    asked = evidence(flips=flips)
    assert (by_absence(asked, "neg"), limits_are_open(asked, "neg")) == (absent, is_open)
    assert OpenTests(asked, {}, (), ("neg", "pos")).absence_is_open("neg") == is_open
    assert not OpenTests(asked, {}, (), ("pos",)).absence_is_open("neg")  # no text is to come
    assert find_settled(asked, judge(asked), (), ("neg",)).by_class["neg"] == (not is_open)
    for name in ("gradient", "signed_deletion"):  # while a map may find words, too
        unsure = evidence(own={name: 0.3}, flips=flips)
        assert own_effect(unsure, name, "neg") == "inconclusive"
        ruled_out = absence_ruled_out(unsure, "neg")
        assert OpenTests(unsure, {}, (), ("neg", "pos")).absence_is_open("neg") != ruled_out
    other = evidence(own={"deletion": 0.9}, flips=flips)
    assert not OpenTests(other, {}, (), ("neg", "pos")).absence_is_open("neg")


def test_whether_predictions_flip_is_asked_at_the_level_of_a_look() -> None:
    asked = evidence(flips=0.2)
    strict = Evidence(asked.outcomes, asked.label_names, THRESHOLDS, 0, 1 - 1e-12)
    assert (absence_ruled_out(asked, "neg"), absence_ruled_out(strict, "neg")) == (True, False)
    assert flipped_share(asked, "neg").method.endswith("97.5 % interval")  # of two classes
    outputs = asked.outcomes["outputs"]
    grouped = {
        **asked.outcomes,
        "outputs": Measurement("outputs", {**outputs.values, "cluster": np.arange(N) // 4}),
    }
    found = flipped_share(Evidence(grouped, asked.label_names, THRESHOLDS, 0), "neg")
    assert "30 clusters" in found.method


def test_texts_from_which_nothing_can_be_removed_do_not_count_as_texts_that_hold() -> None:
    """Three of thirty flip; the other thirty have one word."""
    flips = np.full(N, np.nan)
    rows = np.flatnonzero(OF_NEG)[:30]
    flips[rows] = 0.0
    flips[rows[:3]] = 0.6
    assert not by_absence(evidence(flips=flips), "neg")
    flips[rows[:3]] = 0.0
    assert by_absence(evidence(flips=flips), "neg")


def test_what_was_not_measured_makes_no_class_absent() -> None:
    assert not by_absence(evidence(without=("flips.deleted.most",)), "neg")
    asked = evidence()
    kept = {name: one for name, one in asked.outcomes.items() if name != "transplant"}
    assert not by_absence(Evidence(kept, ("neg", "pos"), THRESHOLDS, 0), "neg")


def verdict(asked: Evidence) -> Verdict:
    return judge(asked).verdict


def test_the_verdict_says_so_of_the_class_and_of_no_other() -> None:
    found = verdict(evidence())
    absent = found.by_class["neg"]
    assert (absent.level, absent.row, absent.decided_by) == (BY_ABSENCE, 7, ("SL-304",))
    assert absent.reasons[0].words.endswith(NO_WORD)
    assert found.by_class["pos"].row == 4
    assert found.row not in (4, 7)  # a class without words keeps the best row away from the whole
    assert verdict(evidence(own=0.8)).by_class["neg"].row == 4


def test_not_every_class_is_predicted_for_want_of_evidence_for_another() -> None:
    asked = evidence()
    moved, removed = asked.outcomes["transplant"], asked.outcomes["erasure"]
    assert isinstance(moved, Measurement)
    assert isinstance(removed, Measurement)
    without = {f"own.{name}": moved.values[f"random_own.{name}"] for name in ("attention", *MAPS)}
    nothing = {"flips.deleted.most": np.zeros(N), "alone": 1.0 - PREDICTED}
    kept = {
        **asked.outcomes,
        "transplant": Measurement(
            "transplant", {**moved.values, **without}, settings=moved.settings
        ),
        "erasure": Measurement("erasure", {**removed.values, **nothing}),
    }
    both = Evidence(kept, ("neg", "pos"), THRESHOLDS, 0)
    assert [by_absence(both, of) for of in ("neg", "pos")] == [True, True]
    found = verdict(both)
    assert 7 not in {found.row, *(one.row for one in found.by_class.values())}


def test_absence_is_looked_at_before_a_map_is_blamed_and_after_what_is_broken() -> None:
    left = {
        "carried.attention": np.where(
            OF_NEG[:, None], 0.0, transplant(0.8, CHANCE, MAPS).values["carried.attention"]
        )
    }
    assert verdict(evidence(changed=left)).by_class["neg"].row == 7
    assert verdict(evidence(own=0.8, changed=left)).by_class["neg"].row == 2
    asked = evidence()
    outputs = asked.outcomes["outputs"]
    assert isinstance(outputs, Measurement)
    broken = Measurement("outputs", {**outputs.values, "finite": np.arange(N) > 1})
    found = verdict(Evidence({**asked.outcomes, "outputs": broken}, ("neg", "pos"), THRESHOLDS, 0))
    assert found.row == 1
    assert {of: one.row for of, one in found.by_class.items()} == {"neg": 1, "pos": 1}


def test_no_map_is_for_a_class_by_absence() -> None:
    assert {row.name: row.against for row in maps_of(evidence())} == dict.fromkeys(
        ("attention", *MAPS), ("neg",)
    )


@pytest.mark.parametrize(("share", "against"), [(0.9, ()), (0.3, ("neg",)), (CHANCE, ("neg",))])
def test_a_map_is_for_a_class_where_its_words_were_shown_to_do_something(
    share: float, against: tuple[str, ...]
) -> None:
    """As is asked of attention: what cannot be told of the words of a class lets no map be shown
    for it.
    """
    rows = {row.name: row.against for row in maps_of(evidence(own={"gradient": share}))}
    assert rows["gradient"] == against
    assert rows["deletion"] == ("neg",)


def test_where_no_other_map_was_asked_no_class_is_absent() -> None:
    asked = evidence()
    moved = asked.outcomes["transplant"]
    alone = {name: value for name, value in moved.values.items() if name.endswith("attention")}
    kept = {name: value for name, value in moved.values.items() if "." not in name} | alone
    few = Evidence(
        {**asked.outcomes, "transplant": Measurement("transplant", kept, settings=moved.settings)},
        ("neg", "pos"),
        THRESHOLDS,
        0,
    )
    assert own_effect(few, "attention", "neg") == "failed"
    assert by_absence(asked, "neg")
    assert not by_absence(few, "neg")
    assert asks_other_maps(few)


@pytest.mark.parametrize(("flips", "asked"), [(0.0, True), (0.04, True), (0.5, False)])
def test_no_other_map_is_asked_where_predictions_surely_flip(flips: float, asked: bool) -> None:
    alone = {"attention": CHANCE, **dict.fromkeys(MAPS, 0.9)}
    found = evidence(own=alone, flips=flips)
    assert own_effect(found, "attention", "neg") == "failed"
    assert absence_ruled_out(found, "neg") == (not asked)
    assert asks_other_maps(found) == asked
    if not asked:  # other maps could not change the answer
        assert not by_absence(found, "neg")
        assert not by_absence(evidence(flips=flips), "neg")


def test_where_one_other_map_was_compared_its_numbers_are_of_all_texts() -> None:
    found = evidence(own={"attention": CHANCE, **dict.fromkeys(MAPS, 0.9)})
    chosen = {row.name: row for row in maps_of(found)}
    alone = {row.name: row for row in maps_of(found, choosing=False)}
    assert alone["attention"].carried.n > chosen["attention"].carried.n
    assert not alone["attention"].chosen
    assert sum(row.chosen for row in alone.values()) == len({row.signed for row in alone.values()})


@pytest.mark.parametrize(
    ("fewest", "against"), [(N // 2, {"attention": ("neg",)}), (N // 2 + 1, {"attention": ()})]
)
def test_where_maps_were_compared_on_some_texts_a_class_with_too_few_of_them_is_not_named(
    fewest: int, against: dict[str, tuple[str, ...]]
) -> None:
    found = evidence(own={"attention": CHANCE, **dict.fromkeys(MAPS, 0.9)})
    some = replace(found, thresholds=Thresholds(THRESHOLDS.threshold, minimum_texts=fewest))
    rows = {row.name: row for row in maps_of(some, choosing=False)}
    assert {row.answer for row in rows.values()} == {"passed"}
    assert {name: row.against for name, row in rows.items()} == {
        **dict.fromkeys(MAPS, ()),
        **against,
    }
    chosen = {row.name: row.against for row in maps_of(some)}
    assert chosen["deletion"] == (() if fewest <= N // 2 else ("neg", "pos"))


@pytest.mark.parametrize(
    ("share", "level", "otherwise"),
    [(CHANCE, BY_ABSENCE, None), (0.25, BY_ABSENCE, CANNOT_TELL), (0.28, CANNOT_TELL, BY_ABSENCE)],
)
def test_a_class_that_is_hardly_one_by_absence_hangs_on_the_effect_of_its_words(
    share: float, level: Level, otherwise: Level | None
) -> None:
    found = verdict(evidence(own={"attention": share}))
    assert found.by_class["neg"].level == level
    calls = {(call.code, call.of): call.otherwise for call in found.close}
    assert calls == ({} if otherwise is None else {("SL-304", "neg"): otherwise})
