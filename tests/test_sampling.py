"""The helpers of tests: which cases `make test` runs, and that another text is no snapshot."""

from itertools import combinations, product
from pathlib import Path

import pytest

from tests import snapshots
from tests.sampling import every_pair, slow_but


def test_any_two_parts_that_meet_meet_in_a_chosen_case() -> None:
    cases = [case for case in product("abc", "de", "fgh", (1, 2)) if case[:2] != ("a", "d")]
    chosen = every_pair(cases)
    met, all_pairs = (
        {pair for case in some for pair in combinations(enumerate(case), 2)}
        for some in ([cases[number] for number in chosen], cases)
    )
    assert met == all_pairs
    assert 2 * len(chosen) < len(cases)


def test_cases_that_are_not_chosen_are_slow() -> None:
    one, two, three = slow_but({1}, ["a", "b", ("c", 1)])
    assert two == "b"
    assert [[mark.name for mark in case.marks] for case in (one, three)] == [["slow"], ["slow"]]
    assert [case.values for case in (one, three)] == [("a",), ("c", 1)]


def test_another_text_is_no_snapshot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshots, "FOLDER", tmp_path)
    monkeypatch.setattr(snapshots, "UPDATES", True)
    snapshots.same_text("of a test", ["first", f"second {tmp_path}/x.csv"])
    monkeypatch.setattr(snapshots, "UPDATES", False)
    for other in ("first", "first\nsecond TMP/x.csv"):
        snapshots._taken.clear()
        if other == "first":
            with pytest.raises(AssertionError):
                snapshots.same_text("of a test", other)
        else:
            snapshots.same_text("of a test", other)
