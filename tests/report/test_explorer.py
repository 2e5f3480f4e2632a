"""The explorer carries every text and its numbers, as many as fit, and none where texts are left
out.
"""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sightline.audits.audit_result import Audit
from sightline.config.word_maps import COSTLY_MAPS
from sightline.core.results import Measurement, Ragged
from sightline.report.html.audit_page import render
from sightline.report.html.explorer import embedded, pack_explorer_data
from sightline.report.html.view_model import held_texts
from sightline.report.map_names import MAPS
from tests.report.audits import audit, compared, explored, hostile, record
from tests.report.pages import Page
from tests.report.test_data_blocks import unpacked

ROOM = 10**7
MANY = tuple(
    record(f"text number {index} of many " + f"w{index * 7919 % 1000} " * 12, index)
    for index in range(600)
)


def index_of(case: Audit, texts: bool = True, room: int = ROOM) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(scripts(case, texts, room)["index"])
    return found


def scripts(case: Audit, texts: bool = True, room: int = ROOM) -> dict[str, str]:
    return Page(pack_explorer_data(held_texts(case), texts, room).elements).scripts()


def test_every_text_is_there_with_the_numbers_of_the_audit() -> None:
    result = explored()
    found = scripts(result)
    index = json.loads(found["index"])
    texts, numbers = unpacked(found["texts-0"]), unpacked(found["numbers-0"])
    assert list(found) == ["index", "texts-0", "numbers-0"]
    assert sorted(index["ids"]) == [text.id for text in result.texts]
    for row, id_ in enumerate(index["ids"]):
        at = [text.id for text in result.texts].index(id_)
        assert texts[row][0] == result.texts[at].text
        for place, each in enumerate(held_texts(result).maps):
            stored = [None if np.isnan(v) else float(f"{v:.3g}") for v in each.rows[at]]
            assert numbers[row][place] == stored


def test_every_map_that_an_audit_holds_is_offered_and_no_other() -> None:
    made = [kind for kind in MAPS if kind.quantity not in COSTLY_MAPS]
    assert [each["name"] for each in index_of(compared())["maps"]] == [kind.name for kind in made]
    assert [each["name"] for each in index_of(audit())["maps"]] == [
        k.name for k in MAPS if k.measure in ("outputs", "agreement")
    ]
    assert [each["name"] for each in index_of(explored())["maps"] if each["signed"]] == [
        "token evidence"
    ]
    assert [each["name"] for each in index_of(compared())["maps"] if each["signed"]] == [
        k.name for k in made if k.quantity.startswith("signed_") or k.quantity == "evidence"
    ]


def test_a_map_of_other_lengths_is_not_offered() -> None:
    result = explored()
    wrong = Measurement("reach", {"evidence": Ragged(np.ones(3), np.array([3]))})
    found = index_of(replace(result, measurements={**result.measurements, "reach": wrong}))
    assert "token evidence" not in [each["name"] for each in found["maps"]]


def test_the_orders_are_those_of_the_unrounded_numbers() -> None:
    result = explored()
    sure = 0.9999 + np.arange(len(result.texts)) * 1e-7
    sharp = {**result.measurements, "outputs": Measurement("outputs", {"probability": sure})}
    index = index_of(replace(result, measurements=sharp))
    ids = [text.id for text in result.texts]
    disputed = np.asarray(result.measurements["agreement"].values["disagreement"])
    assert index["ids"] == [ids[i] for i in np.argsort(-disputed)]
    assert [index["ids"][row] for row in index["orders"]["unsure"]] == ids
    assert [index["ids"][row] for row in index["orders"]["sure"]] == ids[::-1]
    assert [index["ids"][row] for row in index["orders"]["data"]] == ids
    assert set(index["confidence"]) == {"1.000"}


def test_without_confidence_no_order_by_it_is_offered() -> None:
    assert set(index_of(audit())["orders"]) == {"data"}
    assert index_of(audit())["confidence"] is None


def test_labels_and_right_answers_are_those_of_the_texts() -> None:
    result = explored()
    index = index_of(result)
    by_id = {text.id: text for text in result.texts}
    for row, id_ in enumerate(index["ids"]):
        assert index["labels"][index["label"][row]] == by_id[id_].label
        assert index["labels"][index["predicted"][row]] == by_id[id_].predicted
        assert index["right"][row] == (by_id[id_].label == by_id[id_].predicted)
        assert index["words"][row] == len(by_id[id_].tokens)


def test_texts_with_one_name_can_be_told_apart() -> None:
    texts = tuple(replace(record("a b", 0), id=name) for name in ("x", "x\n", "y", "x"))
    assert sorted(index_of(audit(texts))["ids"]) == ["x", "x (2)", "x (3)", "y"]
    assert (
        index_of(audit((record("a b", 0), replace(record("c", 1), id=" "))))["ids"].count("(no id)")
        == 1
    )


@pytest.mark.parametrize("room", [0, 5_000, 40_000, 80_000])
def test_a_small_page_holds_the_most_disputed_texts_and_says_how_many(room: int) -> None:
    result = explored(MANY)
    found = pack_explorer_data(held_texts(result), True, room)
    index = index_of(result, room=room)
    whole = index_of(result)["ids"]
    assert len(found.elements) <= room + 1000
    assert index["ids"] == whole[: len(index["ids"])]
    assert len(index["ids"]) == found.held < len(MANY)
    assert f"holds {found.held} of the 600 audited texts" in found.description
    assert "disagree" in found.description
    assert "--save" in found.description
    assert index["note"] == found.description


def test_where_no_disagreement_was_measured_the_page_holds_the_first_texts() -> None:
    whole = held_texts(explored(MANY))
    held = replace(whole, disagreement=None, order=np.arange(len(MANY)))
    found = pack_explorer_data(held, True, 40_000)
    assert "disagree" not in found.description
    assert f"holds {found.held} of the 600" in found.description


def test_one_text_too_long_for_any_page_does_not_keep_out_the_others() -> None:
    random = np.random.default_rng(0)
    long = record(" ".join(map(str, random.integers(0, 10**9, size=20_000))), 0)
    texts = (long, *MANY[1:50])
    result = explored(texts)
    values = {
        **result.measurements["agreement"].values,
        "disagreement": np.arange(50.0)[::-1].copy(),
    }
    result = replace(
        result, measurements={**result.measurements, "agreement": Measurement("agreement", values)}
    )
    assert index_of(result, room=100_000)["ids"] == [text.id for text in texts[1:]]


def test_a_whole_page_keeps_to_its_budget() -> None:
    result = explored(MANY)
    whole = render(result)
    small = len(whole) - 40_000
    cut = render(result, budget=small)
    assert small - 100_000 < len(cut.encode()) <= small
    assert "of the 600 audited texts" in json.loads(Page(cut).scripts()["index"])["note"]
    assert json.loads(Page(whole).scripts()["index"])["note"] == ""


def test_where_nothing_fits_the_page_has_no_script_and_says_so() -> None:
    html = render(explored(), budget=1000)
    assert "<script" not in html
    assert "This page holds 0 of the 24 audited texts" in Page(html).text()


def test_without_texts_no_block_is_packed_and_ids_stay() -> None:
    result = explored()
    assert list(scripts(result, False)) == ["index"]
    index = index_of(result, False)
    assert index["maps"] == []
    assert index["texts"] is False
    assert sorted(index["ids"]) == [text.id for text in result.texts]


def test_a_page_without_texts_holds_no_word_of_them_anywhere() -> None:
    secrets = tuple(record(f"zyxw{index} vuts{index} {index}", index, True) for index in range(30))
    html = render(explored(secrets), texts=False)
    assert "zyxw" not in html
    assert "vuts" not in html
    assert list(Page(html).scripts()) == ["index", ""]


def test_hostile_names_are_data() -> None:
    index = scripts(hostile())["index"]
    assert not set("<>&") & set(index)
    assert "\u202e" not in json.loads(index)["ids"][0]
    assert any("<script" in name for name in json.loads(index)["labels"])


def test_nothing_in_the_index_can_end_its_element() -> None:
    evil = ["</script><script>alert(1)</script>", "<!--", "-->", "]]>", "&lt;", "\u2028"]
    assert not set("<>&\u2028") & set(embedded(evil))
    assert json.loads(embedded(evil)) == evil
