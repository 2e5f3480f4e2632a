"""What `check_data` says beyond the data card."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from sightline.api.check import check_data, with_warning
from sightline.config.spec_syntax import parse_data
from sightline.core.example import Example
from sightline.data.dataset import Dataset
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


@pytest.mark.parametrize("n", [LEAST, LEAST - 1])
def test_a_rare_label_of_many_is_named_before_an_audit(tmp_path: Path, n: int) -> None:
    rows = [f"text number {i},{int(i < n)},{i % 2}" for i in range(3 * LEAST)]
    file = tmp_path / "t.csv"
    file.write_text("\n".join(["text,rare,often", *rows]))
    source = parse_data(str(file), label="rare,often", labels_sep=";", split="all")
    notes = [note for note in check_data(source)["notes"] if "audit of a label" in note]
    assert len(notes) == (n < LEAST)
    assert all(f"few test texts of 'rare' ({n}): " in note for note in notes)


def alike(n: int, apart: int) -> tuple[str, ...]:
    """Texts of ten words of which one differs, as many of each of several templates."""
    return tuple(f"{' '.join(f'w{i % apart}x{j}' for j in range(9))} number{i}" for i in range(n))


def repeated(n: int, apart: int) -> tuple[str, ...]:
    return tuple(f"word{i % apart}" for i in range(n))


@pytest.mark.parametrize("texts", [alike, repeated])
@pytest.mark.parametrize(("apart", "few"), [(LEAST, False), (LEAST - 2, True)])
def test_test_texts_are_counted_as_an_audit_counts_them(
    tmp_path: Path, texts: Callable[[int, int], tuple[str, ...]], apart: int, few: bool
) -> None:
    """Copies and near copies count as one."""
    rows = [f"{text},{'ab'[i % apart % 2]},test" for i, text in enumerate(texts(3 * LEAST, apart))]
    train = [f"{label} {i},{label},train" for label in "ab" for i in range(9)]
    file = tmp_path / "t.csv"
    file.write_text("\n".join(["text,label,split", *train, *rows]))
    card = check_data(parse_data(str(file)))
    near = {} if texts is repeated else {"texts": 3 * LEAST, "count_as": apart}
    assert {**card.get("near_copies", {}), **near} == card.get("near_copies", {})
    named = [note for note in card["notes"] if note.startswith(f"{3 * LEAST} test texts, ")]
    assert [f"count as {apart} " in note for note in named] == [True] * few
    # Enough for a verdict over all texts are still too few for one of each class.
    of_class = [note for note in card["notes"] if f"'a' ({LEAST // 2})" in note]
    assert len(of_class) == (not few)


@pytest.mark.parametrize(
    ("n", "groups", "few"),
    [
        (LEAST, 0, False),
        (LEAST - 1, 0, True),
        (2 * LEAST, LEAST, False),
        (2 * LEAST, LEAST - 2, True),
    ],
)
def test_as_many_test_texts_as_a_verdict_takes_are_enough(n: int, groups: int, few: bool) -> None:
    """Texts of one group count as one."""
    test = tuple(
        Example(
            str(i), i, f"word{i}", (f"word{i}",), None, 0, group=f"g{i % groups}" if groups else ""
        )
        for i in range(n)
    )
    data = Dataset("notes", (), (), test, ("a",), {})
    notes = with_warning(data, {"notes": ["known before"]})["notes"]
    assert notes[0] == "known before"
    assert [note.startswith(f"{n} test texts") for note in notes[1:]] == [True] * few
