"""Every row of the claims is whole, and its role is what the verdict table makes of it."""

from collections import Counter

import numpy as np
import pytest

from sightline.core.results import CAN, CAVEATS, VERDICTS, Answer
from sightline.verdict.audit_test import NAMED
from sightline.verdict.catalogue import AUDIT_TESTS
from sightline.verdict.scoring_rules import KINDS
from sightline.verdict.thresholds import default_thresholds
from sightline.verdict.verdict_table import TABLE, verdict_of
from tests.verdict.cases import LEARNED, evidence, finding

ANSWERS: tuple[Answer, ...] = ("passed", "inconclusive", "failed", "not run")


@pytest.mark.parametrize("code", AUDIT_TESTS)
def test_a_row_says_everything(code: str) -> None:
    claim = AUDIT_TESTS[code]
    assert all(
        (claim.passed, claim.failed, claim.number_words, claim.baseline_words, claim.measure)
    )
    assert claim.kind in KINDS
    by_symmetry = claim.number.startswith(
        "transplant.present."
    )  # of two texts each has more as often
    assert (claim.kind in ("contrast", "by rank", "two operators", "pairs")) == (
        bool(claim.baseline) or by_symmetry
    )
    assert claim.fixed is None or (claim.kind == "share" and 0 < claim.fixed < 1)
    assert {"two operators": 3}.get(claim.kind, len(claim.second)) == len(claim.second)
    assert not claim.second_words or len(claim.second) == 3
    assert len(claim.second) < 3 or claim.second_words
    assert len(NAMED.get(claim.kind, ())) in (0, 2)
    assert claim.twice == claim.number.startswith("transplant.own.")
    assert not claim.waits_on or claim.waits_on in AUDIT_TESTS
    assert claim.kind != "weakest drop" or any(one.how == "drop" for one in claim.shown)


@pytest.mark.parametrize(
    "code", [code for code, claim in AUDIT_TESTS.items() if claim.second_words]
)
def test_each_way_to_ask_has_words_of_its_own(code: str) -> None:
    claim = AUDIT_TESTS[code]
    first, second = NAMED[claim.kind]
    assert claim.words_of(first) == (claim.number_words, claim.baseline_words)
    assert claim.words_of(second) == claim.second_words
    assert not set(claim.words_of(first)) & set(claim.words_of(second))


def test_what_speaks_of_the_task_or_of_the_model_has_one_answer_for_all_texts() -> None:
    assert {code for code, claim in AUDIT_TESTS.items() if claim.of_all_texts} == {
        "SL-001",
        "SL-305",
    }
    words = next(row.words for row in TABLE if row.number == 4)
    assert "SL-001 and SL-305" in words or "SL-305 and SL-001" in words


def test_no_code_and_no_quantity_has_two_rows() -> None:
    quantities = Counter(one.name for claim in AUDIT_TESTS.values() for one in claim.quantities())
    # Two claims hold the same number against different floors, and one of these against the floor
    # of the other too.
    twice = {"agreement.captured.free", "agreement.chance.free"}
    assert {name for name, count in quantities.items() if count > 1} == twice


def effects(code: str) -> set[frozenset[str]]:
    """The verdicts between which the answer of one claim alone can lead."""
    others = [c for c in AUDIT_TESTS if c != code]
    met = set()
    for given in CONTEXTS:
        rest = {c: FOUND[c, answer] for c, answer in zip(others, given, strict=True)}
        met.add(
            frozenset(
                verdict_of(rest | {code: FOUND[code, answer]}, CASE, LEARNED).level
                for answer in ANSWERS
            )
        )
    return met


FOUND = {
    (code, answer): finding(code, answer, {"a": answer, "b": answer})
    for code in AUDIT_TESTS
    for answer in ANSWERS
}
_drawn = np.random.default_rng(0).choice(3, size=(60, len(AUDIT_TESTS) - 1), p=(0.8, 0.1, 0.1))
CONTEXTS = [
    ("passed",) * (len(AUDIT_TESTS) - 1),
    *(tuple(ANSWERS[i] for i in row) for row in _drawn),
]
"""Answers of the other claims: all passed, and many in which a few are not."""
CASE = evidence()


@pytest.mark.parametrize("code", AUDIT_TESTS)
def test_the_role_is_what_the_table_makes_of_the_answer(code: str) -> None:
    led = {verdicts for verdicts in effects(code) if len(verdicts) > 1}
    role = (
        "informational"
        if not led
        else "must not fail"
        if led == {frozenset({CAN, CAVEATS})}
        else "required"
    )
    assert AUDIT_TESTS[code].role == role


def test_the_rows_of_the_table_are_numbered_and_told_apart() -> None:
    assert [row.number for row in TABLE] == [
        1,
        7,
        2,
        3,
        4,
        5,
        6,
    ]  # a class by absence is asked before it is blamed
    assert len({row.words for row in TABLE}) == len(TABLE)
    assert {row.verdict for row in TABLE} == set(VERDICTS)


def test_thresholds_and_sample_sizes_are_no_smaller_than_makes_sense() -> None:
    stored = default_thresholds()
    assert all(threshold >= 0.01 for threshold in stored.threshold.values())
    assert stored.minimum_texts >= 25


def test_no_number_of_a_test_hides_another_of_the_same_words() -> None:
    for claim in AUDIT_TESTS.values():
        assert len(claim.shown_by_words) == sum(bool(one.words) for one in claim.shown), claim.code
