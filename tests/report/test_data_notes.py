"""What is to be known of the texts stands on the first screen of the terminal, the page, the card
and the notebook.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sightline.audits.audit_result import Audit
from sightline.core.results import Measurement
from sightline.data.assembly.corpus import Text
from sightline.data.assembly.data_warnings import text_warnings
from sightline.data.assembly.user_corpus import NO_WORDS
from sightline.report.card import card
from sightline.report.card_text import card_markdown
from sightline.report.data_notes import TITLE, noted
from sightline.report.html.audit_page import in_notebook, render
from sightline.report.methods_paragraph import methods
from sightline.report.sentences import caveats
from sightline.report.text.audit_summary import lines
from tests.report.audits import compared
from tests.report.pages import Page
from tests.report.test_sentences import of_classes
from tests.snapshots import same_text


def about(**data: Any) -> Audit:
    return replace(compared(), cards={"data": data})


def test_copies_are_counted_with_those_that_have_another_label() -> None:
    copies = {"train": 0, "validation": 0, "test": 39}
    said = noted(about(duplicates=copies, conflicting_labels=20))
    assert [one.split("\N{NO-BREAK SPACE}")[0] for one in said] == ["39", "20"]
    assert noted(about(duplicates=copies | {"test": 0}, conflicting_labels=0)) == []


def test_texts_without_words_are_counted() -> None:
    left = {NO_WORDS: 2}
    (said,) = noted(about(dropped=left, columns={"text": "note"}))
    assert said.startswith("2")
    assert NO_WORDS in said
    assert noted(about(dropped=left)) == [], "a published corpus has its own rules"


@pytest.mark.parametrize(("apart", "few"), [(2, True), (50, False)])
def test_groups_are_counted_and_few_of_them_are_a_warning(apart: int, few: bool) -> None:
    """Two groups whose texts are copies of each other count as one: both numbers are given."""
    test = {"n": len(compared().texts), "groups": {"n": 61, "without": 3}}
    case = about(columns={"text": "note", "group": "patient"}, splits={"test": test})
    outputs = case.measurements["outputs"]
    assert isinstance(outputs, Measurement)
    cluster = np.arange(200) % apart
    with_groups = replace(outputs, values={**outputs.values, "cluster": cluster})
    case = replace(case, measurements={**case.measurements, "outputs": with_groups})
    there, counted = (one.replace("\N{NO-BREAK SPACE}", " ") for one in noted(case))
    assert " 61 groups (column 'patient'), and 3 of none" in there
    assert f" {apart} to count" in counted
    assert ("at least 50" in counted) == few
    (alone,) = noted(replace(case, cards={"data": {**case.cards["data"], "splits": {}}}))
    assert f" {apart} to count" in alone, "an audit of a version that did not count groups"
    assert f" over {apart} independent texts (" in methods(case)
    assert " interval over texts, " in methods(about(columns={"text": "note"}))
    assert noted(about(columns={"text": "note"})) == []


def heads(case: Audit) -> list[str]:
    """What is seen first in the terminal, on the page, in the card and in a notebook."""
    printed, page = lines(case), render(case)
    first = Page(page[page.index('id="verdict"') : page.index("</section>")]).text()
    texts = (
        " ".join(printed[: printed.index("")]),
        first,
        card_markdown(card(case)),
        Page(in_notebook(case)).text(),
    )
    return [" ".join(text.replace("\\", "").split()) for text in texts]


@pytest.mark.parametrize(
    ("labels", "sentence"),
    [
        (
            {"mixed": 4},
            (
                "4 texts were left out, because their labels are those of no training text: "
                "'mixed' (4)."
            ),
        ),
        ({"x": 1}, "1 text was left out, because its label is that of no training text: 'x' (1)."),
        (
            {f"l{i}": i for i in range(1, 9)},
            (
                "36 texts were left out, because their labels are those of no training text: "
                "'l8' (8), 'l7' (7), 'l6' (6), 'l5' (5), 'l4' (4), 'l3' (3), 2 more."
            ),
        ),
    ],
)
def test_texts_that_no_number_is_about_are_counted_with_their_labels(
    labels: dict[str, int], sentence: str
) -> None:
    for head in heads(about(labels_not_in_training=labels)):
        assert f"{sentence}" in head
        assert "Texts" in head or TITLE in head


def test_markup_that_is_read_as_words_is_told_at_once_and_other_notes_wait() -> None:
    text = Text("t", "train", 0, "so good <br />", ("so", "good", "br"), None, "t.csv", 2)
    result = about(notes=["divided 70/15/15", *text_warnings([text, text], None)])
    same_text("report", noted(result))
    printed, *_ = heads(result)
    assert "Texts 2 texts with markup" in printed
    assert not any("divided 70/15/15" in head for head in heads(result))


def test_where_nothing_is_to_be_known_nothing_is_said() -> None:
    for message in (
        about(),
        about(labels_not_in_training={}, notes=[]),
        replace(compared(), cards={}),
    ):
        assert noted(message) == []
        assert not any(TITLE in head for head in heads(message))


def test_a_caveat_of_one_class_is_on_every_first_screen() -> None:
    result = compared(of_classes(b="0.04"))
    same_text("report", caveats(result.verdict)[0])
    for head in heads(result):
        assert "For texts predicted 'b': the attended words hold little of the evidence (" in head
