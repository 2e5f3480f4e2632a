"""Classes with too few texts are named before an audit; texts of one group count as one."""

from collections.abc import Sequence

import pytest

from sightline.core.example import Example
from sightline.data.dataset import Dataset, sample_test
from sightline.experiments.forecast import few_texts


def dataset(groups: int) -> Dataset:
    """60 texts of each class; those of one class are of some groups, the others of none."""
    return of_texts(
        [f"word{i}" for i in range(120)],
        [f"p{i % groups}" if groups and i % 2 else "" for i in range(120)],
    )


def of_texts(texts: Sequence[str], groups: Sequence[str]) -> Dataset:
    test = tuple(
        Example(str(i), i, text, tuple(text.split()), None, i % 2, group=group)
        for i, (text, group) in enumerate(zip(texts, groups, strict=True))
    )
    return Dataset("notes", (), (), test, ("stable", "worse"), {})


def test_texts_without_groups_are_counted_one_by_one() -> None:
    assert few_texts(dataset(0), None, 0) == ""
    assert "stable" in few_texts(dataset(0), 60, 0)


def test_too_few_texts_for_any_verdict_are_counted_together() -> None:
    said = few_texts(dataset(0), 40, 0)
    assert "40 test texts:" in said
    assert "stable" not in said
    drawn = sample_test(dataset(11), 40, 0).test
    counted = len({text.group or text.id for text in drawn})
    assert counted < 40
    assert f"which count as {counted} " in few_texts(dataset(11), 40, 0)


def test_a_class_of_few_groups_is_named_with_their_number() -> None:
    said = few_texts(dataset(21), None, 0)
    assert "21 of 'worse'" in said
    assert "stable" not in said


@pytest.mark.parametrize("end", ["", " number{}"])
def test_copies_and_near_copies_count_as_one(end: str) -> None:
    """A template of each class: as in the audit, 120 texts count as two."""
    templates = [" ".join(f"{label}{i}" for i in range(9)) for label in "ab"]
    data = of_texts([templates[i % 2] + end.format(i) for i in range(120)], [""] * 120)
    assert "120 test texts, which count as 2 " in few_texts(data, None, 0)
