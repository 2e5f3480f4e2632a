"""Whatever a command is given: it does its work or says in a line what is wrong, soon, and leaves
nothing behind.

Thirty cases with every change and a hundred and fifty in all tests, always the same; two thousand
others are counted for ``docs/verified/fuzz.json``. To see one that fails: ``python -m tests.fuzz
"KIND SEED"``.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.fuzz.case import Case
from tests.fuzz.kinds import KINDS
from tests.fuzz.watching import Watch, left_behind

CASES = [30, pytest.param(150, marks=pytest.mark.slow)]


@pytest.fixture(scope="module")
def watch(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watch]:
    with Watch(tmp_path_factory.mktemp("fuzz")) as made:
        yield made


@pytest.mark.parametrize("cases", CASES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_command_line_does_its_work_or_says_what_is_wrong(
    watch: Watch, kind: str, cases: int
) -> None:
    drawn, share = KINDS[kind]
    for number in range(max(1, cases * share // 100)):
        case, ended = watch.play(drawn, seed := f"{kind} {number}")
        assert not ended.faults, f"{seed!r}: {case}: {ended.faults}"


def test_what_a_command_must_not_do_is_seen() -> None:
    """The watch itself: each fault that it looks for is found where it is."""
    before = {"here/t.csv": (1, "a"), "here/out": (1, "a"), "beside/keep.txt": (1, "b")}
    case = Case(("audit",), writes=("out",))
    changes = {
        "changed 'here/t.csv'": {**before, "here/t.csv": (1, "x")},
        "removed 'beside/keep.txt'": {
            name: what for name, what in before.items() if name[0] != "b"
        },
        "left 'here/more'": {**before, "here/more": (1, "")},
        "left 'tmp/x'": {**before, "tmp/x": (1, "")},
        "left something hidden: 'here/out/.new'": {**before, "here/out/.new": (1, "")},
    }
    assert list(left_behind(case, 0, before, before)) == []
    assert list(left_behind(case, 0, before, {**before, "here/out": (1, "new")})) == []
    assert list(left_behind(case, 2, before, {**before, "here/out": (1, "new")})) == [
        "changed 'here/out'"
    ]
    for message, after in changes.items():
        assert list(left_behind(case, 0, before, after)) == [message]
