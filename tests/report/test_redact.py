"""A report to share holds no word of a text and, where that is asked, no id: whatever the place,
and packed or not.
"""

import base64
import gzip
import re
from dataclasses import replace
from pathlib import Path

import pytest

from sightline.audits.audit_result import Audit
from sightline.audits.label_audits import ENDED, LabelAudits
from sightline.core.error_excerpts import NOT_SHOWN
from sightline.core.results import Failed
from sightline.data.assembly.user_splits import UNSEEN_LABELS
from sightline.report.card import card
from sightline.report.card_text import CARDS
from sightline.report.html.audit_page import render
from sightline.report.html.labels_page import write_labels
from sightline.report.redact import redacted, remaining_content
from tests.report.audits import ASTRAY, by_class, compared, record
from tests.verdicts import why, whys

WORD, ID = "qqsecretword", "qqsecretid"


def planted() -> Audit:
    """An audit with a secret word and a secret id in every text, and in what a measure said when it
    failed.
    """
    texts = tuple(
        replace(record(f"a {WORD} b {WORD}{i} c", i, True), id=f"{ID}{i}", query=(WORD,))
        for i in range(12)
    )
    result = compared(by_class(), texts)
    error = f"KeyError: '{WORD}' of {ID}3"
    said = replace(
        result.verdict,
        reasons=(*result.verdict.reasons, why(f"the model could not be run ({error})")),
    )
    first, *others = result.findings
    notes = replace(first, notes=(f"the measure failed: {error}",))
    failed = {**result.measurements, "reach": Failed("reach", error)}
    by_name = {
        name: replace(ASTRAY, reasons=whys(f"it failed ({error})")) for name in said.by_class
    }
    return replace(
        result,
        verdict=replace(said, by_class=by_name),
        findings=(notes, *others),
        measurements=failed,
    )


def everything(html: str) -> str:
    """All that a page holds: what is written in it, and what is packed in it."""
    packed = re.findall(r'<script type="text/plain" id="[a-z]+-\d+">(.*?)</script>', html)
    return html + "".join(gzip.decompress(base64.b64decode(one)).decode() for one in packed)


@pytest.mark.parametrize("ids", [True, False])
@pytest.mark.parametrize("texts", [True, False])
def test_what_is_left_out_is_nowhere_in_the_page(texts: bool, ids: bool) -> None:
    html = everything(render(planted(), texts=texts, ids=ids))
    assert (WORD in html) == texts
    assert (ID in html) == ids
    assert "KeyError" in html
    if not texts:
        assert remaining_content(texts=texts, ids=ids) in html
    elif not ids:
        index = re.search(r'"ids":\[(.*?)\]', html)
        assert index is not None
        assert sorted(index[1].replace('"', "").split(","), key=int) == [
            str(i) for i in range(1, 13)
        ]


@pytest.mark.parametrize("texts", [True, False])
def test_the_page_of_a_label_leaves_out_what_the_page_of_an_audit_does(
    tmp_path: Path, texts: bool
) -> None:
    path = tmp_path / "page.html"
    write_labels((), {"x": planted()}, path, texts=texts, ids=texts)
    html = everything((tmp_path / "page-labels" / "label-001.html").read_text(encoding="utf-8"))
    assert (WORD in html, ID in html) == (texts, texts)


def test_the_error_of_a_label_is_left_out_of_what_was_saved_too(tmp_path: Path) -> None:
    few = "too few positives: 3 of 40 texts; an audit needs 50"
    error = f"forward raised KeyError: '{WORD}' of {ID}3 (model.py:7)"
    counts = {"positive": 9, "rare": 3, "broken": 9}
    left = {"rare": few, "broken": error}
    made = LabelAudits("m", {"positive": planted()}, left, counts, 40, failed=("broken",))
    found = LabelAudits.load(made.save(tmp_path / "saved"))
    assert found.left_out == left
    for out in ({"texts": False}, {"ids": False}):
        assert found.redacted(**out).left_out == {"rare": few, "broken": ENDED}
        page = found.to_html(tmp_path / "page.html", **out).read_text(encoding="utf-8")
        assert WORD not in page
        assert few.partition(";")[0] in page
    assert WORD in found.to_html(tmp_path / "page.html").read_text(encoding="utf-8")


def test_a_page_says_truly_what_it_still_tells() -> None:
    html = everything(render(planted(), texts=False))
    for message in (f"{ID}0", "positive", "bilstm+additive+softmax", "reviews.csv", '"words":'):
        assert message in html
    assert "their numbers in the order of the audit" in render(planted(), texts=False, ids=False)
    assert remaining_content(texts=True, ids=False) == ""


def test_with_everything_an_audit_stays_as_it_is() -> None:
    result = planted()
    assert redacted(result) is result


@pytest.mark.parametrize("ending", CARDS)
def test_a_card_holds_no_text_and_no_id(ending: str) -> None:
    result = CARDS[ending](card(planted()))
    assert WORD not in result
    assert ID not in result


@pytest.mark.parametrize(
    ("error", "kept"),
    [
        (f"run: KeyError: '{WORD}: x'", "run: KeyError"),
        (f"finish: torch.OutOfMemoryError: {WORD}: x", "finish"),
        (f"code: {WORD}: x", "code"),
        (f"a {WORD}", "a message left out"),
    ],
)
def test_of_a_message_its_step_and_kind_are_kept(error: str, kept: str) -> None:
    audit = replace(planted(), measurements={"reach": Failed("reach", error)})
    silenced = redacted(audit, texts=False)
    said = silenced.measurements["reach"]
    assert isinstance(said, Failed)
    assert said.error.partition(",")[0] == kept
    assert redacted(silenced, ids=False).measurements["reach"] == said


def test_a_message_that_begins_another_leaves_nothing_of_it() -> None:
    errors = {"reach": f"run: the word {WORD}", "need": f"run: the word {WORD} of {ID}3"}
    said = tuple(why(f"it failed ({one})") for one in errors.values())
    audit = replace(
        planted(),
        measurements={name: Failed(name, one) for name, one in errors.items()},
        verdict=replace(planted().verdict, reasons=said, by_class={}),
    )
    reasons = str(redacted(audit, ids=False).verdict.reasons)
    assert WORD not in reasons
    assert ID not in reasons


def test_a_text_of_several_audits_keeps_its_number() -> None:
    """A figure joins texts of several audits by their ids."""
    one = planted()
    other = replace(one, texts=one.texts[4:][::-1])
    numbers = dict[str, str]()
    first, second = (redacted(audit, ids=False, numbers=numbers) for audit in (one, other))
    assert [text.id for text in first.texts] == [str(n) for n in range(1, 13)]
    assert [text.id for text in second.texts] == [str(n) for n in range(12, 4, -1)]
    alone = redacted(other, ids=False)
    assert [text.id for text in alone.texts] == [str(n) for n in range(1, 9)]


def test_a_label_that_is_no_class_is_left_out_with_the_texts_or_the_ids() -> None:
    audit = replace(planted(), cards={"data": {UNSEEN_LABELS: {WORD: 2, f"{WORD}2": 1}}})
    assert redacted(audit).cards == audit.cards
    for left_out in ({"texts": False}, {"ids": False}):
        assert redacted(audit, **left_out).cards["data"] == {UNSEEN_LABELS: {NOT_SHOWN: 3}}
    assert WORD in render(audit)
    assert WORD not in everything(render(audit, texts=False, ids=False))
