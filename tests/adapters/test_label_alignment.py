"""Which class of a model each label of the data is: by name, by number, by a map; anything else is
refused.
"""

from pathlib import Path

import pytest

from sightline.adapters.label_alignment import LabelTexts, match_labels, numbered_for
from sightline.config.label_map import read_label_map, written_label_map
from sightline.config.spec_syntax import parse_data
from sightline.core.error_excerpts import NOT_SHOWN, without_excerpts
from sightline.core.errors import DataError, SightlineError, SpecError
from sightline.data.assembly.in_memory import data_from
from sightline.data.load_dataset import load

DEFAULT, NAMED, STARS = (
    ("LABEL_0", "LABEL_1"),
    ("negative", "positive"),
    ("1 star", "2 stars", "3 stars"),
)


def classes(labels: tuple[str, ...], names: tuple[str, ...], **label_map: str) -> list[str]:
    found = match_labels("t.csv", labels, names, label_map)
    return [found.classes[label] for label in labels]


@pytest.mark.parametrize(
    ("labels", "names", "expected"),
    [
        (("0", "1"), DEFAULT, ["LABEL_0", "LABEL_1"]),
        (("0", "1"), NAMED, ["negative", "positive"]),
        (("1",), NAMED, ["positive"]),
        (
            ("0.0", "1.0"),
            DEFAULT,
            ["LABEL_0", "LABEL_1"],
        ),  # pandas writes a column with a missing value so
        (("1.0", "0"), NAMED, ["positive", "negative"]),
        (("1.0", "0.0"), ("0", "1"), ["1", "0"]),
        (("1", "0"), ("0", "1"), ["1", "0"]),
        (("1", "2"), ("1", "2"), ["1", "2"]),  # names, not indices
        (("label_1", "Label_0"), DEFAULT, ["LABEL_1", "LABEL_0"]),
        (("NEGATIVE", "Positive"), NAMED, ["negative", "positive"]),
        (("pos",), ("neg ", " POS"), [" POS"]),
        (("positive", "negative"), NAMED, ["positive", "negative"]),
        (("Pos", "pos"), ("pos", "Pos"), ["Pos", "pos"]),  # exact names come first
    ],
)
def test_a_label_is_found_among_the_classes(
    labels: tuple[str, ...], names: tuple[str, ...], expected: list[str]
) -> None:
    assert classes(labels, names) == expected


@pytest.mark.parametrize(
    ("labels", "names"),
    [
        (("0", "2"), NAMED),  # no third class
        (("1", "2"), STARS),  # numbers of its own: 1 may be the first or the second
        (("0", "1"), ("1", "2")),
        (("-1", "1"), NAMED),
        (("0", "negative"), NAMED),
        (("0.5", "1"), NAMED),
        (("true", "false"), DEFAULT),
        (("Pos", "pos"), ("neg", "POS")),
        (("Pos", "pos"), ("neg", "pos")),
        (("0", "0.0"), NAMED),
        (("pos", "neg"), ("Pos", "POS", "neg")),  # two classes that pos may be
        (("good", "bad"), NAMED),
    ],
)
def test_a_label_that_may_be_another_class_is_refused(
    labels: tuple[str, ...], names: tuple[str, ...]
) -> None:
    with pytest.raises(DataError) as caught:
        classes(labels, names)
    assert "label_map=" in str(caught.value)
    assert repr(names[0]) in str(caught.value) or repr(names[1]) in str(caught.value)


def test_the_error_lists_both_sides_and_a_map_that_is_read_back() -> None:
    with pytest.raises(DataError) as caught:
        classes(("neg", "pos", "unsure"), NAMED)
    message = str(caught.value)
    assert all(repr(one) in message for one in ("neg", "pos", "unsure", *NAMED))
    advised = message.partition('label_map="')[2].partition('"')[0]
    assert read_label_map(advised) == {"neg": "negative", "pos": "positive", "unsure": "CLASS"}


def test_a_map_names_classes_and_may_bring_two_labels_to_one() -> None:
    stars = {"1": "negative", "2": "negative", "5": "positive"}
    assert classes(("1", "2", "5"), NAMED, **stars) == ["negative", "negative", "positive"]
    assert classes(("pos", "negative"), NAMED, pos="positive") == ["positive", "negative"]
    assert classes(("0", "1"), NAMED, **{"0": "positive", "1": "negative"}) == [
        "positive",
        "negative",
    ]


def test_a_map_names_classes_whatever_their_case() -> None:
    mapped = {"bad": "NEGATIVE", "good": "Positive "}
    assert classes(("bad", "good"), NAMED, **mapped) == ["negative", "positive"]
    assert classes(("bad", "Positive "), NAMED, bad="negative") == ["negative", "positive"]
    assert classes(("a", "b"), ("POS", "pos"), a="pos", b="POS") == ["pos", "POS"]
    with pytest.raises(SpecError, match="no class 'Pos'"):
        classes(("a", "b"), ("POS", "pos"), a="Pos", b="POS")


@pytest.mark.parametrize("written", ["bad=NEGATIVE,bad=POSITIVE", '{"bad": "N", "bad": "N"}'])
def test_a_label_that_a_map_names_twice_is_refused(written: str) -> None:
    with pytest.raises(SpecError, match="'bad' is there twice") as caught:
        read_label_map(written)
    assert caught.value.field == "label_map"


@pytest.mark.parametrize(
    ("label_map", "named"),
    [
        ({"pos": "positive"}, "neg"),  # left out, and no name of a class
        ({"pos": "positive", "neg": "minus"}, "minus"),
        ({"pos": "positive", "neg": "negative", "nix": "negative"}, "nix"),
    ],
)
def test_a_map_with_names_that_neither_side_has_is_refused(
    label_map: dict[str, str], named: str
) -> None:
    with pytest.raises(SpecError, match=f"label_map: .*'{named}'"):
        classes(("neg", "pos"), NAMED, **label_map)


@pytest.mark.parametrize(
    "text",
    [
        "pos",
        "pos=",
        "=A",
        "a=b=c",
        "pos=A,pos=B",
        "",
        "{",
        '{"a": 1}',
        '{"a":"b","a":"c"}',
        '{"a": null}',
    ],
)
def test_a_map_that_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(SpecError, match="label_map: "):
        read_label_map(text)


@pytest.mark.parametrize(
    "pairs", [{"pos": "POSITIVE", "1.0": "two words"}, {"a,b": "c=d"}, {'"': " x"}, {"{": "ü"}]
)
def test_a_map_is_written_as_it_is_read(pairs: dict[str, str]) -> None:
    assert read_label_map(written_label_map(pairs)) == pairs


def test_the_card_says_what_each_label_was_taken_for() -> None:
    splits = ["train"] * 4 + ["validation"] * 2 + ["test"] * 3
    data = data_from([f"film {i}" for i in range(9)], [i % 2 for i in range(9)], splits=splits)
    found = numbered_for(data, NAMED)
    assert found.label_names == NAMED
    assert [example.label for example in found.test] == [0, 1, 0]
    assert found.card["labels_read"] == {"0": "negative", "1": "positive"}
    assert found.card["splits"]["test"]["labels"] == {"negative": 2, "positive": 1}
    assert any(
        "0 = negative, 1 = positive" in note and "class indices" in note
        for note in found.card["notes"]
    )
    turned = numbered_for(data, NAMED, {0: "positive", 1: "negative"})
    assert [example.label for example in turned.test] == [1, 0, 1]
    assert turned.card["labels_read"] == {"0": "positive", "1": "negative"}
    assert numbered_for(data, NAMED, "0=positive,1=negative").test == turned.test
    assert "labels_read" not in numbered_for(data, ("0", "1")).card
    assert "labels_read" not in numbered_for(data, ("1", "0")).card


def test_a_label_that_would_be_run_by_a_shell_is_quoted() -> None:
    with pytest.raises(SightlineError) as caught:
        classes(("$(reboot)", "a,b"), NAMED)
    assert "label_map='{" in str(caught.value)


def test_a_label_without_a_class_is_named_with_the_number_of_its_texts() -> None:
    splits = ["train"] * 4 + ["validation"] * 2 + ["test"] * 3
    data = data_from([f"film {i}" for i in range(9)], ["odd"] + ["0", "1"] * 4, splits=splits)
    with pytest.raises(DataError, match=r"no class for 'odd' \(1 text, texts:0\);"):
        numbered_for(data, ("0", "1"))


def test_a_label_that_is_not_shown_is_found_by_its_row_and_classes_are_named(
    tmp_path: Path,
) -> None:
    table = tmp_path / "a.csv"
    splits = ("train", "validation", "test")
    labels = ["0", "1"] * 6 + ["Mr Secret"]
    rows = [f"film {i},{label},{splits[i // 2 % 3]}" for i, label in enumerate(labels)]
    table.write_text("\n".join(["text,label,split", *rows]))
    data = load(parse_data(str(table)), seed=0)
    with without_excerpts(), pytest.raises(DataError) as caught:
        numbered_for(data, ("0", "1"))
    message = str(caught.value)
    assert f"{NOT_SHOWN} (1 text, {table}:14)" in message
    assert "the data have the labels '0', '1' and 1 label that is not shown, the model" in message
    assert "Secret" not in message


def test_labels_that_a_map_leaves_out_are_counted() -> None:
    known = {"neg": "negative", "pos": "positive"}
    with pytest.raises(SpecError) as caught:
        match_labels("t.csv", ("neg", "neutral", "pos"), NAMED, known, {"neutral": LabelTexts(6)})
    message = str(caught.value)
    assert "'neutral' (6 texts)" in message
    assert "neutral=CLASS" in message
    assert message.endswith("or leave these texts out of the data")
