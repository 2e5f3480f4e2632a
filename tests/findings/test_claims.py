"""Every row of the claims is whole, and its role is what the verdict table makes of it."""

from collections import Counter
from itertools import product

import pytest

from sightline.findings.claims import CLAIMS, UNMEASURED
from sightline.findings.kinds import KINDS
from sightline.findings.thresholds import Thresholds, committed, complaints
from sightline.findings.verdict import TABLE, verdict_of
from sightline.results import CAN, CAVEATS, VERDICTS, Answer, Finding
from tests.findings.cases import evidence

ANSWERS: tuple[Answer, ...] = ("supported", "inconclusive", "contradicted", "not applicable")


@pytest.mark.parametrize("code", CLAIMS)
def test_a_row_says_everything(code: str) -> None:
    claim = CLAIMS[code]
    assert all((claim.text, claim.caveat, claim.number_words, claim.floor_words, claim.measure))
    assert claim.kind in KINDS
    assert (claim.kind == "contrast") == bool(claim.floor)
    assert not claim.waits_on or claim.waits_on in CLAIMS
    assert claim.kind != "weakest drop" or all(one.how == "drop" for one in claim.shown)


def test_no_code_and_no_quantity_has_two_rows() -> None:
    quantities = Counter(one.name for claim in CLAIMS.values() for one in claim.quantities())
    assert [name for name, count in quantities.items() if count > 1] == []
    assert not set(CLAIMS) & set(UNMEASURED)


def effects(code: str) -> set[frozenset[str]]:
    """The verdicts between which the answer of one claim alone can lead, the claims not tested being supported."""
    bearing = [c for c, claim in CLAIMS.items() if claim.bears or c == code]
    others = [c for c in bearing if c != code]
    untested = dict.fromkeys(UNMEASURED, "supported")
    met = set()
    for given in product(ANSWERS[:3], repeat=len(others)):
        rest = dict.fromkeys(CLAIMS, "supported") | dict(zip(others, given, strict=True)) | untested
        found = {c: Finding(c, "", answer, CLAIMS[c].role if c in CLAIMS else "decides") for c, answer in rest.items()}
        met.add(
            frozenset(
                verdict_of(found | {code: Finding(code, "", answer, CLAIMS[code].role)}, CASE).text
                for answer in ANSWERS
            )
        )
    return met


CASE = evidence()


@pytest.mark.parametrize("code", CLAIMS)
def test_the_role_is_what_the_table_makes_of_the_answer(code: str) -> None:
    led = {verdicts for verdicts in effects(code) if len(verdicts) > 1}
    role = "context" if not led else "caveat" if led == {frozenset({CAN, CAVEATS})} else "decides"
    assert CLAIMS[code].role == role


def test_the_rows_of_the_table_are_numbered_and_told_apart() -> None:
    assert [row.number for row in TABLE] == [1, 2, 3, 4, 5, 6]
    assert len({row.words for row in TABLE}) == len(TABLE)
    assert {row.verdict for row in TABLE} == set(VERDICTS)


def test_every_claim_has_a_threshold_and_no_other_has() -> None:
    stored = committed()
    assert all(delta >= 0.01 for delta in stored.delta.values())
    assert stored.minimum_texts >= 25
    assert complaints(stored) == []
    without = Thresholds({code: 0.1 for code in CLAIMS if code != "SL-104"} | {"SL-999": 0.1}, 50)
    told = complaints(without)
    assert [line.partition(";")[0] for line in told] == [
        "thresholds.json: no δ for SL-104",
        "thresholds.json: a δ for SL-999, which no claim has",
    ]
