"""The page: whole, self-contained, harmless whatever it shows, and complete."""

import base64
import hashlib
import math
import re
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from sightline.audits.audit_result import Audit
from sightline.core.results import (
    CAN,
    CANNOT_TELL,
    CAVEATS,
    MUST_NOT,
    ClassShare,
    Measurement,
    NotRun,
)
from sightline.report.card import card
from sightline.report.card_text import card_markdown
from sightline.report.html.audit_page import render, write_page
from sightline.report.html.page_template import _script
from sightline.report.sanitize import visible
from sightline.report.terms import TERMS
from tests.report.audits import ASTRAY, LEARNED, MAPS, audit, by_class, compared, estimate, hostile
from tests.report.pages import Page
from tests.snapshots import same_text

BOTH = pytest.mark.parametrize(
    "case", [audit(), compared(by_class()), hostile()], ids=["realistic", "compared", "hostile"]
)


def plain(html: str) -> str:
    """All that a reader reads, spaces that keep numbers together as ordinary spaces."""
    return Page(html).text().replace("\xa0", " ")


@BOTH
def test_every_opened_tag_is_closed_in_order(case: Audit) -> None:
    assert Page(render(case)).torn == []


@BOTH
def test_nothing_of_the_audit_can_run_and_nothing_is_fetched(case: Audit) -> None:
    page = Page(render(case))
    for tag, attributes in page.tags:
        assert tag not in {
            "img",
            "iframe",
            "object",
            "embed",
            "base",
            "form",
            "video",
            "audio",
            "foreignobject",
        }
        assert (
            not {"style", "src", "srcset", "action", "formaction", "background", "poster", "ping"}
            & attributes.keys()
        )
        assert not any(name.startswith("on") for name in attributes)
        target = attributes.get("href", attributes.get("xlink:href", "#"))
        assert target.startswith("#") or (tag == "link" and target == "data:,")
    assert [attributes for tag, attributes in page.tags if tag == "link"] == [
        {"rel": "icon", "href": "data:,"}
    ]
    kinds = [attributes.get("type", "") for tag, attributes in page.tags if tag == "script"]
    assert kinds == ["application/json", "text/plain", "text/plain", ""]
    assert page.scripts()[""] == _script()


def test_the_realistic_page_names_no_address() -> None:
    html = re.sub("<script.*?</script>", "", render(audit()), flags=re.DOTALL)
    for reference in ("http:", "https:", "//", "src=", "url(", "@import", "style=", "javascript:"):
        assert reference not in html


def test_the_script_names_no_address_and_never_makes_markup_of_strings() -> None:
    for word in (
        "http",
        "fetch(",
        "XMLHttpRequest",
        "import(",
        "innerHTML",
        "outerHTML",
        "insertAdjacent",
        "eval",
        "document.write",
    ):
        assert word not in _script()


@BOTH
def test_only_the_one_stylesheet_and_the_one_script_are_allowed(case: Audit) -> None:
    html = render(case)
    policy = next(
        a["content"] for t, a in Page(html).tags if a.get("http-equiv") == "Content-Security-Policy"
    )
    styles = re.findall(r"<style>(.*?)</style>", html, flags=re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(styles[0].encode()).digest()).decode()
    assert len(styles) == 1
    assert policy.startswith("default-src 'none'; ")
    assert f"style-src 'sha256-{digest}';" in policy
    ran = base64.b64encode(hashlib.sha256(Page(html).scripts()[""].encode()).digest()).decode()
    assert f"script-src 'sha256-{ran}';" in policy
    assert "require-trusted-types-for 'script'" in policy
    assert "unsafe" not in policy


def test_user_text_is_escaped_everywhere() -> None:
    html = render(hostile())
    assert re.findall("<script[^>]*>", html) == [
        '<script type="application/json" id="index">',
        '<script type="text/plain" id="texts-0">',
        '<script type="text/plain" id="numbers-0">',
        "<script>",
    ]
    assert "<img" not in html
    assert "{{ 7 * 7 }} {% raw %}" in Page(html).text()
    assert not set("\x00\x07\x1b\u202e\u202c\u2028") & set(html)


def test_the_maps_show_each_text_as_it_was_read() -> None:
    result = hostile()
    rows = ["".join(text for _, text in row) for row in Page(render(result)).inside("p", "map")]
    for record in result.texts[:-1]:
        assert rows.count(visible(record.text)) == (2 if record.rationale is None else 3)


def test_a_text_of_one_endless_word_is_there_whole_once_a_map() -> None:
    result = hostile()
    rows = ["".join(text for _, text in row) for row in Page(render(result)).inside("p", "map")]
    assert rows.count(result.texts[-1].text) == 2


def test_shades_cover_exactly_the_words() -> None:
    result = hostile()
    maps = Page(render(result)).inside("p", "map")
    for record in result.texts[:9]:
        words = [visible(record.text[start:end]) for start, end in record.offsets]
        found = [row for row in maps if "".join(text for _, text in row) == visible(record.text)]
        assert found
        for row in found:
            assert [text for shade, text in row if shade] == words


def test_every_number_is_shown_with_its_interval_and_its_n() -> None:
    result = audit()
    text = plain(render(result))
    for finding in result.findings:
        assert finding.code in text
        assert finding.name[1:] in text
        for found in (finding.number, finding.baseline, finding.score):
            assert found is None or f"n = {found.n}" in text
    for row in (
        "Estimates with their intervals; method where none is named: bootstrap over texts",
        "agreement.captured.gradient0.660[0.620, 0.700]872\n",
        "undefined.numberundefined[no interval]0no texts",
        "accuracy1[0.996, 1]872Wilson",
    ):
        assert row in text
    assert "agreement.taufewer than two words3" in text.replace("\n", "")
    assert "agreement.tauall weights equal1,234" in text.replace("\n", "")
    assert "needs at least 500 texts, found 24" in text
    assert "LinAlgError: singular matrix" in text


def test_the_order_of_the_page_is_question_caption_verdict_tests_texts_numbers_making() -> None:
    text = plain(render(audit()))
    marks = [
        "Can this model’s attention be shown",
        "24 texts",
        "To paste under a heat map",
        "Attention can be shown as an explanation of this model, with caveats.",
        "2 passed, 1 failed, 1 inconclusive, 1 not run",
        "“Can be shown with caveats”: ",
        "A score is (number − chance)",
        "Informational tests",
        "the maps disagree most",
        "Metrics of the model",
        "To make it again",
    ]
    places = [text.index(mark) for mark in marks]
    assert places == sorted(places)
    assert text.index("Agreement with people's marks") > text.index("Informational tests")


def folded(html: str) -> str:
    """What is seen of a page before anything is unfolded."""
    return re.sub(
        r"<details>\s*<summary>(.*?)</summary>.*?</details>(?=\s*</section>)",
        r"\1",
        html,
        flags=re.DOTALL,
    )


@BOTH
def test_everything_below_the_first_screen_is_folded(case: Audit) -> None:
    """A number may stand in the folds again, but what is seen at once has each one once."""
    seen = Page(folded(render(case)))
    assert seen.torn == []
    assert not [tag for tag, _ in seen.tags if tag in ("table", "svg", "select")]
    text = " ".join(seen.text().replace("\xa0", " ").split())
    known = re.findall(r"−?\d\.\d\d, 95 % CI [^,]+, n = \d+", text)
    assert len(set(known)) == len(known)


def test_a_title_takes_the_place_of_the_question_and_is_data() -> None:
    html = render(audit(), title="Ward 7 <b> \u202e")
    page = Page(html)
    assert page.torn == []
    assert "Ward 7 <b> " in page.text()
    assert "Ward 7 <b>" not in html
    assert "\u202e" not in html
    assert "Can this model’s attention be shown" not in plain(html)


@BOTH
def test_headings_go_down_one_level_at_a_time_and_ids_are_unique(case: Audit) -> None:
    page = Page(render(case))
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(later - earlier <= 1 for earlier, later in pairwise(levels))
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    targets = {attributes["href"][1:] for tag, attributes in page.tags if tag == "a"}
    assert targets <= set(ids)


def test_the_head_has_caption_answer_reason_remedy_and_example_before_any_test() -> None:
    text = plain(render(compared()))
    marks = [
        "Do not display attention for this model.",
        "Weight × logit highlighting may be shown instead (Transfer score 0.55, 95 % CI 0.51–0.59",
        "Attention must not be shown as an explanation of this model.",
        (
            "The highlighted words do not take the prediction with them when copied into a text "
            "of another class."
        ),
        "importance: weight × logit",
        "One text, two maps",
        "attention and weight × logit differ most on this one",
        "Accuracy 82 % (95 % CI 77–86 %, n = 872; majority class 51 %).",
        "Training converged. 12 of 872 texts truncated.",
        "Own word (SL-402): the model has no linear decoder",
        "“Must not be shown”: ",
        "Maps side by side",
    ]
    places, at = [], 0
    for mark in marks:
        at = text.index(mark, at)
        places.append(at)
    assert places == sorted(places)


def test_a_code_stands_behind_a_name_on_the_first_screen() -> None:
    seen = Page(folded(render(compared(by_class())))).text()
    assert not re.search(r"(?<!\()SL-\d|δ|\[−?\d\.", seen)


def test_numbers_above_one_and_answers_at_odds_with_the_verdict_are_explained_where_they_stand() -> (
    None
):
    text = plain(render(replace(compared(), maps=(replace(MAPS[3], replaced=estimate(1.002)),))))
    assert text.index("Numbers can exceed 1") < text.index("1.002")
    assert text.index("Some tests passed, and still") < text.index("A score is (number − chance)")
    assert "Numbers can exceed 1" not in plain(render(compared()))
    assert "Some tests below passed" not in plain(render(audit()))


def test_a_page_defines_its_terms_and_sends_nobody_to_other_files() -> None:
    page = render(audit())
    assert "docs/" not in page
    assert [term for term in TERMS if f"<dt>{term}</dt>" not in page] == []


def test_the_shares_of_classes_have_their_intervals() -> None:
    learned = replace(
        LEARNED, classes={"rare": ClassShare(estimate(0.02, 0.01), estimate(0.0, 0.0))}
    )
    text = plain(render(replace(compared(), learned=learned))).replace("\n", "")
    assert "label rare0.020[0.010, 0.030]872" in text
    assert "answer rare0[0, 0]872" in text


def test_the_card_stands_in_the_page_as_it_is_written_to_a_file() -> None:
    result = compared(by_class())
    assert [
        "".join(text for _, text in found) for found in Page(render(result)).inside("pre", "card")
    ] == [visible(card_markdown(card(result)))]


def test_a_head_says_only_what_there_is() -> None:
    text = plain(render(audit()))
    for missing in (
        "Accuracy",
        "One text, two maps",
        "Maps side by side",
        "may be shown instead",
        "What to show",
    ):
        assert missing not in text


LEVELS = {1: CANNOT_TELL, 2: MUST_NOT, 3: MUST_NOT, 4: CAN, 5: CAVEATS, 6: CANNOT_TELL}


@pytest.mark.parametrize(
    ("row", "tone"),
    [(1, "open"), (2, "bad"), (3, "bad"), (4, "good"), (5, "caveat"), (6, "open")],
)
def test_the_tone_is_that_of_the_row(row: int, tone: str) -> None:
    html = render(compared(replace(ASTRAY, row=row, level=LEVELS[row])))
    assert f'<p class="answer {tone}">' in html


def test_where_classes_differ_the_head_answers_for_each() -> None:
    page = Page(render(compared(by_class())))
    parts = [
        text
        for tone in ("caveat", "bad")
        for found in page.inside("p", f"answer {tone}")
        for _, text in found
    ]
    same_text("report", parts)
    assert (
        "For texts predicted 'negative': the highlighted words do not take the prediction"
        in page.text()
    )
    title = next(text for path, text in page.pieces if path and path[-1][0] == "title")
    same_text("report", title)


def test_the_table_of_maps_has_every_number_with_its_n_and_marks_the_chosen() -> None:
    html = render(compared())
    text = plain(html).replace("\n", "")
    assert (
        "attention0.012 [−0.028, 0.052]0.010 [−0.030, 0.050]0.008 [−0.032, 0.048]436✕ failed"
        in text
    )
    assert "weight × logit (chosen)0.552 [0.512, 0.592]" in text
    assert "given scores12 texts have no scores0.050 [0.010, 0.090]——436◐ inconclusive" in text
    assert html.count('<tr class="chosen">') == 2
    assert all(name in text for name in ("signed gradient (chosen)", "signed leave-one-out"))


def test_the_example_is_drawn_by_both_maps_and_left_out_with_the_texts() -> None:
    html = render(compared())
    example = html[html.index("One text, two maps") : html.index('<dl class="facts">')]
    assert re.findall(r"<h4>([^<]+) <span", example) == ["attention", "weight × logit"]
    assert example.count('class="s10"') >= 2
    without = render(compared(), texts=False)
    assert "One text, two maps" not in without
    assert "How much each word matters" in without
    assert not any(word in without for word in ("awful", "wonderful", "generous"))


def test_the_answer_of_each_class_stands_at_its_effect() -> None:
    text = plain(render(compared())).replace("\n", "")
    assert "negative0.180 [0.120, 0.240]428above threshold✕ failed" in text
    assert "◐ inconclusive" in text


def test_maps_that_are_compared_are_offered_with_the_others() -> None:
    names = re.search(r'"maps":\[(.*?)\]', render(compared()))
    assert names is not None
    for name in ("weight \\u00d7 logit", "given scores", "signed gradient", "signed leave-one-out"):
        assert f'"name":"{name}"' in names[1]


def test_the_page_names_its_model_and_its_data() -> None:
    assert "model: bilstm+additive+softmax · data: reviews" in plain(render(audit()))
    unnamed = replace(audit(), cards={"data": {"source": "csv:reviews.csv"}, "model": "a word"})
    assert "data: csv:reviews.csv" in plain(render(unnamed))
    assert Page(render(replace(audit(), cards={}))).torn == []


def test_significance_is_never_claimed() -> None:
    assert "significan" not in render(audit()).lower()


def test_equal_audits_give_equal_pages() -> None:
    assert render(audit()) == render(audit())


def test_without_texts_no_text_is_shown() -> None:
    result = audit()
    html = render(result, texts=False)
    text = plain(html)
    assert (
        "The texts and their words are left out of this report. It still contains their ids; "
        "for each text its"
    ) in text
    assert result.texts[0].id in text
    assert not any(
        word in html
        for record in result.texts
        for word in ("awful", "wonderful", "generous", record.text)
    )
    assert Page(html).torn == []
    assert Page(html).inside("p", "map") == []


def test_an_empty_audit_has_a_page() -> None:
    empty = replace(
        audit(()),
        findings=(),
        estimates={},
        metrics={},
        measurements={},
        spec={},
        environment={},
        cards={},
    )
    html = render(empty)
    assert Page(html).torn == []
    for sentence in (
        "This audit has none.",
        "This audit contains no texts.",
        "No metric was computed.",
        "Every measure was taken",
    ):
        assert sentence in plain(html)


def test_a_measure_that_is_missing_is_said_to_be() -> None:
    kept = {name: m for name, m in audit().measurements.items() if not isinstance(m, Measurement)}
    result = plain(render(replace(audit(), measurements=kept)))
    assert (
        "Not shown: the attention map (the measure 'outputs' is not part of this audit)." in result
    )
    assert (
        "Not shown: the gradient and leave-one-out maps (the measure 'agreement' is not part of this audit)."
        in result
    )


def test_a_model_whose_attention_cannot_be_replaced_still_shows_where_it_looks() -> None:
    without = NotRun("agreement", "needs decode")
    html = render(replace(audit(), measurements={**audit().measurements, "agreement": without}))
    assert "<h4>attention" in html
    assert (
        "Not shown: the gradient and leave-one-out maps (the measure 'agreement' was not run: needs decode)."
        in plain(html)
    )
    assert '"maps":[{"key":"attention"' in html


def test_an_undefined_estimate_does_not_break_the_page() -> None:
    nothing = replace(audit().metrics["f1"], value=math.nan, low=math.nan, high=math.nan, n=0)
    broken = replace(audit().findings[0], score=nothing, by_class={"a": nothing})
    text = plain(render(replace(audit(), findings=(broken,), metrics={"f1": nothing})))
    assert "The score is undefined, n = 0." in text
    assert "nan" not in text


def test_each_table_names_the_level_of_its_own_intervals() -> None:
    case = audit()
    wide = {
        name: replace(one, method=f"{one.method}, 98.33 % interval")
        for name, one in case.estimates.items()
    }
    findings = tuple(
        replace(one, score=one.score and replace(one.score, method="bootstrap, 98.33 % interval"))
        for one in case.findings
    )
    html = render(replace(case, estimates=wide, findings=findings))
    tables = html[html.index("<h3>Metrics of the model") :]
    levels = re.findall(r'<th scope="col" class="num">([\d.]+) % interval</th>', tables)
    assert levels == ["95", "98.33"]


def test_the_metrics_are_of_all_planned_texts_where_fewer_were_audited() -> None:
    looks = {"settled": True, "stopped": "settled", "texts": 24, "planned": 30, "seconds": 4.2}
    early = replace(audit(), spec={"sequential": looks})
    assert "Metrics on all 30 texts planned" in plain(render(early))
    assert "Metrics on the audited texts" in plain(render(audit()))


def test_a_sample_is_told_only_where_one_was_drawn() -> None:
    limited = audit()
    assert limited.spec["limit"] == 872
    assert "a sample, drawn with" not in plain(render(limited))
    data = {**limited.cards["data"], "sample": {"n": 24, "of": 90, "seed": 3}}
    sampled = plain(render(replace(limited, cards={**limited.cards, "data": data})))
    assert "24 of the 90 test texts: a sample, drawn with seed 3" in sampled


def test_no_order_by_disagreement_is_claimed_without_it() -> None:
    case = audit()
    without = {key: one for key, one in case.measurements.items() if key != "agreement"}
    assert "ordered by “disagreement”" in render(case)
    page = render(replace(case, measurements=without))
    assert "ordered by “disagreement”" not in page
    assert "disagreement, largest first" not in page


def test_a_page_is_written_whole_and_replaces_the_last(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "report.html"
    assert write_page(hostile(), path) == path
    assert write_page(audit(), path) == path
    assert path.read_bytes() == render(audit()).encode()
    assert [entry.name for entry in path.parent.iterdir()] == ["report.html"]


@pytest.mark.parametrize("case", [audit(), compared(by_class())], ids=["realistic", "compared"])
def test_an_audit_that_was_saved_gives_the_same_page(tmp_path: Path, case: Audit) -> None:
    assert render(Audit.load(case.save(tmp_path / "saved"))) == render(case)


def test_the_method_of_the_audit_writes_the_page(tmp_path: Path) -> None:
    assert audit().to_html(tmp_path / "a.html").read_bytes() == render(audit()).encode()


def test_the_report_needs_no_torch() -> None:
    code = (
        "import sys, sightline.report.html.audit_page, sightline.report.text.audit_summary; "
        "sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
