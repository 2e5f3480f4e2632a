"""What `check_data` says beyond the data card."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from sightline.api.check import check_data, with_warning
from sightline.config.spec_syntax import parse_data
from sightline.verdict.thresholds import default_thresholds

LEAST = default_thresholds().least


@pytest.mark.parametrize(
    ("test", "named"),
    [
        ({"a": LEAST, "b": LEAST}, []),
        ({"a": LEAST, "b": LEAST - 1}, ["b"]),
        ({"a": LEAST - 2, "b": LEAST - 1}, ["a", "b"]),
    ],
)
def test_a_class_of_too_few_test_texts_is_named_before_anything_is_trained(
    tmp_path: Path, test: Mapping[str, int], named: list[str]
) -> None:
    rows = [
        f"{split} {label} word{i},{label},{split}"
        for split, amounts in (("train", {"a": 9, "b": 9}), ("test", test))
        for label, n in amounts.items()
        for i in range(n)
    ]
    file = tmp_path / "t.csv"
    file.write_text("\n".join(["text,label,split", *rows]))
    notes = [
        note for note in check_data(parse_data(str(file)))["notes"] if "predicted class" in note
    ]
    assert len(notes) == (1 if named else 0)
    assert all(f"{name!r} ({test[name]})" in notes[0] for name in named)
    assert all(repr(name) not in note for note in notes for name in {"a", "b"}.difference(named))


@pytest.mark.parametrize(
    ("n", "groups", "few"),
    [
        (LEAST, None, False),
        (LEAST - 1, None, True),
        (2 * LEAST, {"n": LEAST, "without": 0}, False),
        (2 * LEAST, {"n": LEAST - 2, "without": 1}, True),
        (2 * LEAST, {"n": LEAST - 2, "without": 2}, False),
    ],
)
def test_as_many_test_texts_as_a_verdict_takes_are_enough(
    n: int, groups: Mapping[str, int] | None, few: bool
) -> None:
    """Texts of one group count as one."""
    test = {"n": n, "labels": {"a": n}, **({"groups": groups} if groups else {})}
    notes = with_warning({"splits": {"test": test}, "notes": ["known before"]})["notes"]
    assert notes[0] == "known before"
    assert [note.startswith(f"{n} test texts") for note in notes[1:]] == [True] * few
