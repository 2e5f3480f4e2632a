"""A card says in short what an audit found, tells only what was done, and survives a paste."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from sightline.core.results import Measurement, NotRun
from sightline.report.card import card
from sightline.report.card_text import card_html, card_markdown
from sightline.report.methods_paragraph import WORKS, methods, works
from sightline.verdict.catalogue import AUDIT_TESTS
from sightline.verdict.seed_summary import summarise_seeds
from tests.report.audits import audit, by_class, compared, estimate, hostile
from tests.report.pages import Page
from tests.snapshots import same_text

ROOT = Path(__file__).parents[2]


def test_a_card_has_the_verdict_the_numbers_and_how_to_repeat_it() -> None:
    message = card_markdown(
        card(replace(compared(), spec={**compared().spec, "date": "2026-01-02"}))
    ).replace("\xa0", " ")
    for words in (
        "**Attention audit: bilstm+additive+softmax**",
        "- Verdict: Must not be shown",
        "- Data: reviews, 24 texts",
        "- Seed: 7",
        "- Date: 2026-01-02",
        "- Do not show the attention map.",
        (
            "- How much each word matters: weight × logit. Copied into another text, its words "
            "score 0.55 (95 % CI 0.51–0.59, n = 436)"
        ),
        "- Weight × logit highlighting may be shown instead (Transfer score 0.55, 95 % CI 0.51–0.59",
        "- Audited with sightline, 2 Jan 2026.",
        (
            "- The highlighted words do not take the prediction with them when copied into a "
            "text of another class."
        ),
        "- Accuracy 82 % (95 % CI 77–86 %, n = 872; majority class 51 %).",
        "| Removal (SL-301) | passed | 0.26 (95 % CI 0.21–0.31, n = 872) |",
        "| Own word (SL-402) | not run | — |",
        "```\nsightline audit --data reviews.csv",
    ):
        assert words in message
    assert "None" not in message


def test_both_printings_say_the_same() -> None:
    result = card(compared(by_class()))
    html = Page(card_html(result))
    assert html.torn == []
    plain = re.sub(r"[*`|\\-]|&[lg]t;", "", card_markdown(result)).split()
    for words in (text for path, text in html.pieces if path):
        assert set(re.sub(r"[*`|<>\\-]", "", words).split()) <= set(plain)


def test_nothing_in_a_card_is_obeyed() -> None:
    result = card(hostile())
    assert "<script" not in card_markdown(result)
    assert "<script" not in card_html(result)
    assert Page(card_html(result)).torn == []
    evil = replace(
        audit(),
        cards={"model": {"name": "[x](javascript:0) <b> *a* `c` |d| https://evil @you &lt;"}},
    )
    line = card_markdown(card(evil)).splitlines()[0]
    assert line == (
        "**Attention audit: \\[x\\](javascript:0) &lt;b&gt; \\*a\\* \\`c\\` \\|d\\| "
        "https\\://evil \\@you \\&lt;**"
    )
    fenced = replace(audit(), spec={"command": "sightline audit '````'"})
    assert "`````\nsightline audit '````'\n`````" in card_markdown(card(fenced))


def test_only_what_was_done_is_told_with_the_works_it_rests_on() -> None:
    result = methods(audit())
    assert "gradients and with leave-one-out (Jain & Wallace 2019)" in result
    assert works(audit())[1:] == [WORKS["Jain & Wallace 2019"]]
    for short in WORKS:
        assert short == "Jain & Wallace 2019" or short not in result


def test_a_card_cites_the_version_that_made_the_audit_as_the_citation_file_does() -> None:
    made = replace(audit(), environment={"versions": {"sightline": "9.8.7"}})
    cited = works(made)[0]
    assert "sightline 9.8.7" in cited
    assert f"- {cited}" in card_markdown(card(made))
    file = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert cited.startswith(f"{file['authors'][0]['name']}. {file['title']} ")
    assert "[`CITATION.cff`](CITATION.cff)" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_data_and_how_texts_were_chosen_are_told_without_the_folders_they_lie_in() -> None:
    notes = [
        "no split column: divided 70/15/15 by seed 3",
        "4 texts were empty",
        "a sample of 24 of 90 test texts",
    ]
    data = {"source": "files:train=/home/me/a.csv,test=C:\\x\\b.csv", "notes": notes}
    bare = replace(audit(), cards={"data": data}, spec={"run": {}, "seed": 3})
    message = methods(bare).replace("\xa0", " ")
    assert (
        "on 24 texts of files:train=a.csv,test=b.csv that were held out. No split column: "
        "divided 70/15/15"
    ) in message
    assert "home" not in message
    assert "empty" not in message
    assert "sample" not in message
    sampled = replace(bare, cards={"data": {**data, "sample": {"n": 24, "of": 90, "seed": 3}}})
    drawn = "The audited texts are a sample of the 90 texts to test on, drawn with seed 3."
    assert drawn in methods(sampled).replace("\xa0", " ")


@pytest.mark.parametrize(
    ("code", "number", "message"),
    [
        (
            "polarity",
            "",
            "do not speak against the prediction was compared with the share among all words",
        ),
        ("signs", "", "what each word adds to the logit of the predicted class"),
        (
            "rationale",
            "rationale.f1.attention",
            "the rationale was measured as context",
        ),
        ("marks", "marks.words", "attention on punctuation and special tokens was"),
    ],
)
def test_directions_polarity_and_marks_are_told_where_they_were_taken(
    code: str, number: str, message: str
) -> None:
    bare = replace(audit(), measurements={}, estimates={})
    taken = replace(bare, measurements={code: Measurement(code, {})})
    assert message not in methods(bare)
    assert (message in methods(taken)) == (not number)  # a text may have no marks
    if number:
        assert message in methods(replace(taken, estimates={number: estimate(0.5)}))
        assert message not in methods(replace(taken, estimates={number: estimate(0.5, n=0)}))


def test_the_methods_name_the_level_of_the_intervals_that_decided() -> None:
    made = audit()
    assert "with its 95 % interval over texts" in methods(made)
    wider = tuple(
        replace(one, score=one.score and replace(one.score, method="bootstrap, 97.5 % interval"))
        for one in made.findings
    )
    assert "with its 97.5 % interval over texts" in methods(replace(made, findings=wider))


def test_several_trainings_are_not_told_as_one() -> None:
    assert "one training run" in methods(audit())
    seeds = summarise_seeds({7: audit(), 8: audit()})
    several = card(audit(), seeds).methods
    assert "one training run" not in several
    assert "2 trainings" in several


def test_maps_with_directions_are_told_where_there_are_any() -> None:
    assert "which words speak for the predicted class" in methods(compared())
    assert "which words speak for the predicted class" not in methods(audit())


def test_a_run_of_a_store_has_its_key_and_when_it_was_kept() -> None:
    facts = card(replace(audit(), spec={"key": "ab12", "kept": "2026-11-22"})).facts
    same_text("report", (facts["Date"], facts["Run"]))
    facts = card(
        replace(audit(), spec={"key": "ab12", "command": "sightline audit", "date": "2026-11-21"})
    ).facts
    assert facts["Date"] == "2026-11-21"
    assert "Run" not in facts


@pytest.mark.parametrize(
    ("code", "settings", "model", "short"),
    [
        ("retrained", {}, "", "Wiegreffe & Pinter 2019"),
        ("erasure", {}, "", "DeYoung et al. 2020"),
        ("need", {}, "", "Tutek & Šnajder 2020"),
        ("agreement", {"gradient": "norm"}, "", "Meister et al. 2021"),
        ("outputs", {}, "bilstm+additive+sparsegen(lambda=0.9)", "Meister et al. 2021"),
        ("outputs", {}, "bilstm+deep+gumbel", "Wen et al. 2022"),
        ("outputs", {}, "bilstm+additive+softmax+tying", "Tutek & Šnajder 2020"),
    ],
)
def test_a_work_is_cited_where_it_applies_and_nowhere_else(
    code: str, settings: dict[str, str], model: str, short: str
) -> None:
    bare = replace(audit(), measurements={}, spec={"model": model})
    taken = replace(bare, measurements={code: Measurement(code, {}, settings=settings)})
    assert WORKS[short] in works(taken)
    if not model:
        skipped = replace(bare, measurements={code: NotRun(code, "needs decode")})
        assert works(skipped) == works(bare) == works(audit())[:1]


def test_a_command_to_repeat_keeps_its_blanks_and_stays_on_one_line() -> None:
    command = "sightline audit --data 'my  reviews.csv' --text 'a\tb\nc'"
    result = card(replace(audit(), spec={"command": command}))
    typed = command.replace("\n", " ")
    assert f"```\n{typed}\n```" in card_markdown(result)
    assert typed in [text for _, text in Page(card_html(result)).pieces]


def test_thresholds_that_a_test_fixes_are_told_apart() -> None:
    made = audit()
    fixed = {code: one.fixed for code, one in AUDIT_TESTS.items() if one.fixed is not None}
    more = tuple(
        replace(made.findings[1], code=code, threshold=threshold)
        for code, threshold in fixed.items()
    )
    told = methods(replace(made, findings=(*made.findings, *more)))
    listed = [set(re.findall("SL-[0-9]+", one)) for one in re.findall(r"\([^()]*SL-[^()]*\)", told)]
    assert listed == [{"SL-001", "SL-101", "SL-104", "SL-301"}, {*fixed}]
    assert len(re.findall(r"\([^()]*SL-[^()]*\)", methods(made))) == 1
