"""The terminal says the verdict, why, and which tests bear it, in a screen; it obeys nothing."""

import re
from dataclasses import replace

import pytest
from rich.cells import cell_len

from sightline.audits.audit_result import Audit
from sightline.core.results import CAN, CANNOT_TELL, CAVEATS, Reason
from sightline.report.first_screen import blocks, failed_for_classes
from sightline.report.text.audit_summary import WIDTH, in_short, lines
from tests.report.audits import LEARNED, audit, by_class, compared, detector, estimate, hostile
from tests.snapshots import same_text
from tests.verdicts import reached


def first_screen(case: Audit) -> list[str]:
    found = lines(case)
    return found[: found.index("")]


def plain(printed: list[str]) -> str:
    """The lines as one text, however they are wrapped."""
    return " ".join(" ".join(printed).replace("\xa0", " ").split())


@pytest.mark.parametrize("case", [audit(), compared(), compared(by_class()), detector()])
def test_the_first_screen_is_short_and_no_line_is_wider_than_a_terminal(case: Audit) -> None:
    result = lines(case)
    same_text("terminal", result)
    assert len(result) <= 32
    assert max(map(cell_len, result)) <= WIDTH
    assert max(map(cell_len, lines(case, width=70)[: len(first_screen(case))])) <= 70


@pytest.mark.parametrize("case", [audit(), compared(), compared(by_class())])
def test_a_code_stands_behind_a_name(case: Audit) -> None:
    assert not re.search(r"(?<!\()SL-\d|δ|\[|\brow\b", plain(lines(case)))
    assert re.search(r"rests on SL-\d", plain(lines(case, verbose=True)))


def test_more_texts_are_advised_where_they_could_change_the_verdict() -> None:
    needed = tuple(replace(one, needed=4000) for one in audit().findings)
    advised = "Audit more texts (now 24). About so many settle a test: 4,000 for "
    assert advised in plain(lines(replace(audit(), findings=needed)))
    assert advised not in plain(lines(replace(compared(), findings=needed)))


def test_classes_that_differ_have_a_line_each_with_their_own_scores() -> None:
    result = plain(first_screen(compared(by_class())))
    assert "VERDICT Attention can be shown as an explanation of this model for texts" in result
    assert "Attention must not be shown as an explanation of this model for texts" in result
    behind = plain(lines(compared(by_class()), verbose=True))
    assert "for texts predicted 'negative': SL-303: score 0.012 [−0.027, 0.051], n = 428" in behind


def test_a_reason_of_one_class_has_the_score_of_that_class() -> None:
    said = Reason("attention and gradients pick different words", "SL-101", "failed", "its numbers")
    alike = {
        "negative": reached(CAVEATS, 5, (), ()),
        "positive": reached(CANNOT_TELL, 6, (), ()),
    }
    classes = {of: replace(one, reasons=(said,)) for of, one in alike.items()}
    verdict = replace(reached(CAVEATS, 5, (), ()), reasons=(said,), by_class=classes)
    scores = {"negative": estimate(0.05), "positive": replace(estimate(0.04), n=77)}
    findings = tuple(
        replace(one, by_class=scores) if one.code == "SL-101" else one for one in audit().findings
    )
    result = plain(lines(replace(audit(), verdict=verdict, findings=findings)))
    (sentence,) = re.findall(
        r"For texts predicted 'negative': attention and gradients[^.]+[^)]+", result
    )
    assert "score 0.05" in sentence
    assert "0.04" not in sentence
    assert "n = 77" not in sentence


def test_a_failed_test_is_a_reason_where_nothing_may_be_shown_and_a_caveat_elsewhere() -> None:
    named = {block.name: plain([*block.sentences]) for block in blocks(audit())}
    assert (
        "a random choice would look the same (Attention-free agreement: score 0.02, 95 % CI −0.03 to 0.07"
        in (named["Caveats"])
    )
    assert "Own word (SL-402): the model has no linear decoder" in named["Not run"]
    named = {block.name: plain([*block.sentences]) for block in blocks(compared())}
    assert "do not take the prediction with them" in named["Why"]
    assert "Caveats" not in named
    assert "Accuracy 82 % (95 % CI 77–86 %, n = 872; majority class 51 %)." in named["Model"]
    assert named["Maps"].startswith(
        "importance: weight × logit (Transfer score 0.55, 95 % CI 0.51–0.59"
    )


def test_a_test_that_was_not_asked_for_says_how_to_run_it() -> None:
    silent = replace(
        audit().findings[4],
        code="SL-401",
        name="Rank information",
        notes=("it was not asked for: add it",),
    )
    found = lines(replace(audit(), findings=(silent,)))
    assert "Rank information (SL-401): add --measure information" in plain(found)


def test_of_a_model_that_guesses_one_sentence_says_what_to_do() -> None:
    guesses = replace(compared(), learned=replace(LEARNED, above=estimate(0.0)))
    few = compared(reached(CANNOT_TELL, 1, (), ("20 test texts: audit more texts",)))
    for case, reason in (
        (guesses, "than always predicting the majority class"),
        (few, "audit more texts"),
    ):
        result = lines(case)
        assert reason in plain(result)
        assert not any(line.startswith(("Maps", "Limits", "Not run")) for line in result)
        (at,) = [number for number, line in enumerate(result) if line.startswith("Tests ")]
        assert all("failed for texts predicted" in line for line in result[at + 1 :])
        assert len(result) < 12


def test_another_map_is_offered_besides_attention_only_where_it_may_be_shown() -> None:
    fine = compared(reached(CAN, 4, (), ()))
    assert "importance: attention, or weight × logit (Transfer score 0.55" in plain(lines(fine))
    bad = tuple(replace(row, answer="failed") for row in fine.maps)
    assert "importance: attention for / against" in plain(lines(replace(fine, maps=bad)))


def test_verbose_lists_every_test_with_the_numbers_behind_the_maps_and_the_model() -> None:
    result = lines(compared(), verbose=True)
    same_text("terminal", result)
    codes = [line.split(" (")[1][:6] for line in result if re.match(r"  \S.*? \(SL-\d+\)  ", line)]
    assert codes == ["SL-001", "SL-101", "SL-104", "SL-301", "SL-402", "SL-201", "SL-501"]
    assert "accuracy: 1 [0.996, 1], n = 872" in plain(result)
    assert "Numbers are scores" in plain(result)
    assert "it gets 31 % (95 % CI 27–35 %, n = 872) more right than the majority class." in plain(
        result
    )


def test_what_failed_for_a_class_alone_is_counted_by_itself() -> None:
    agreement = next(one for one in audit().findings if one.code == "SL-101")
    found = [
        replace(agreement, result=result, answers={"a": "failed", "b": answer})
        for result, answer in (("failed", "failed"), ("passed", "failed"), ("passed", "passed"))
    ]
    # Need has one answer for all texts, which the verdict counts, whatever the class.
    found.append(replace(found[-1], code="SL-001", result="inconclusive"))
    assert failed_for_classes(found) == [
        "2 failed for texts predicted 'a' alone (Gradient agreement and Gradient agreement)",
        "1 failed for texts predicted 'b' alone (Gradient agreement)",
    ]
    assert failed_for_classes(found, short=True)[1] == "1 failed for 'b' alone"


def test_a_test_has_its_result_score_interval_threshold_and_texts() -> None:
    rows = [line for line in lines(audit()) if "(SL-101)" in line]
    (row,) = [line for line in rows if line.startswith("  passed")]
    assert row.split() == [
        "passed",
        "Gradient",
        "agreement",
        "(SL-101)",
        "0.43",
        "0.38–0.48",
        "0.1",
        "872",
    ]


def test_tests_stand_under_their_roles() -> None:
    result = lines(audit(), verbose=True)
    places = [result.index(role) for role in ("required", "informational")]
    assert places == sorted(places)
    later = "".join(result[places[1] : result.index("", places[1])])
    assert "SL-201" in later
    assert "SL-301" not in later


@pytest.mark.parametrize("case", [audit(), compared(), compared(by_class()), detector()])
def test_the_shortest_summary_has_the_verdict_one_reason_the_caveats_and_no_table(
    case: Audit,
) -> None:
    result = in_short(case)
    same_text("terminal", result)
    assert result[0] == lines(case)[0]
    assert len(result) < len(lines(case))
    assert not any(line.startswith("required") for line in result)


def test_a_terminal_is_given_nothing_to_obey() -> None:
    result = lines(replace(hostile(), metrics={}), verbose=True)
    assert all(line.isprintable() for line in result)
    evil = replace(audit().findings[0], name="\x1b[2J\nSL-301 passed\u202e", by_class={})
    assert not any(
        "\x1b" in line or "\n" in line for line in lines(replace(audit(), findings=(evil,)))
    )


def test_an_audit_without_findings_has_a_summary() -> None:
    bare = replace(audit(), findings=(), metrics={})
    assert lines(bare)[0].startswith("VERDICT ")
    assert lines(bare)[-1] == "Tests     0 passed, 0 failed, 0 inconclusive, 0 not run"
