"""The table of several labels, on the terminal and as rows."""

import re
from dataclasses import replace

from sightline.core.results import CAN, CANNOT_TELL, CAVEATS, MUST_NOT, Estimate, Level
from sightline.report.label_rows import (
    LabelRow,
    audited_row,
    by_verdict,
    cells,
    intervals_note,
    lines,
    reasons,
    summary,
)
from sightline.verdict.verdict_table import UNFIT
from tests.report.audits import LEARNED, compared, estimate
from tests.verdicts import reached, too_few

OPEN = reached(CANNOT_TELL, 6)


def rows(count: int) -> list[LabelRow]:
    levels = [Level.CAN, Level.MUST_NOT, None]
    return [
        LabelRow(
            f"label {n}",
            n,
            300,
            levels[n % 3],
            levels[n % 3],
            why=("", "", "too few positives")[n % 3],
        )
        for n in range(count)
    ]


def test_a_long_table_ends_with_how_many_more_there_are() -> None:
    written = lines(rows(56))
    assert "and 13 more" in written
    assert sum(line.startswith("label ") for line in written) == 25 + 1
    assert not any(line.startswith("and ") for line in lines(rows(25)))


def test_labels_of_one_verdict_stand_together_before_those_not_audited() -> None:
    named = [line for line in lines(rows(9)) if "label " in line]
    assert [line.split("  ")[0] for line in named[2:-1]] == [
        f"label {n}" for n in (0, 3, 6, 1, 4, 7)
    ]
    assert "'label 2', 'label 5' and 'label 8'" in named[-1]


def test_a_reason_of_many_labels_is_said_once_with_its_span() -> None:
    left = [
        LabelRow(f"l{n}", n, 300, why=f"too few positives: {n} of 300 texts; an audit needs 50")
        for n in range(3, 20)
    ]
    odd = LabelRow("odd", 290, 300, why="too few negatives: 10 of 300 texts; an audit needs 50")
    many, one = reasons([*left, odd])
    assert "17 labels, each predicted for 3 to 19 of 300 texts; an audit needs 50" in many
    assert "'l8' (8) and 11 more" in many
    assert "'l9'" not in many
    assert one.endswith("10 of 300 texts; an audit needs 50: 'odd'")


def test_of_labels_with_one_reason_the_one_that_needs_fewest_texts_says_how_many_may_do() -> None:
    few = "too few positives: {} of 800 texts{}; an audit needs 50"
    whys = {
        "a": few.format(0, "") + "; the data have 3005 texts to test on",
        "b": few.format(9, "") + "; about 4500 texts may do, the data have 3005 to test on",
        "c": few.format(40, ", which count as 39")
        + "; about 1400 of the 3005 texts may do: --x 1400",
        "d": few.format(20, "") + "; about 2600 of the 3005 texts may do: --x 2600",
    }
    left = [LabelRow(label, 9, 800, why=why) for label, why in whys.items()]
    [said] = reasons(left)
    assert "for 'c' about 1400 of the 3005 texts may do: --x 1400: 'a' (9), 'b' (9)," in said
    assert "2600" not in said
    [said] = reasons([replace(left[0], label=label) for label in "ab"])
    assert said.endswith("; the data have 3005 texts to test on: 'a' (9) and 'b' (9)")
    [said] = reasons(left[2:3])
    assert "which count as 39" in said


def test_texts_of_a_prediction_are_all_that_were_counted_though_the_audit_stopped_sooner() -> None:
    audited = compared()
    row = audited_row("positive", 97, 10 * len(audited.texts), audited, 0.95)
    assert (row.predicted, row.texts) == (97, 10 * len(audited.texts))


def test_the_headline_counts_and_names_few() -> None:
    few, many = summary(rows(5)), summary(rows(30))
    assert "can be shown for 2 (" in few
    assert "label 3" in few
    assert few.endswith("; 1 not audited")
    assert "must not be shown for 10;" in many
    assert "label" not in many.split(":", 1)[1]


def test_the_screen_says_plainly_that_no_label_could_be_audited() -> None:
    left = [LabelRow(name, 3, 300, why="too few positives") for name in "abc"]
    assert summary(left) == "Attention by label (3 labels): none could be audited"
    assert summary(left[:1]) == "Attention by label (1 label): 'a' could not be audited"
    assert not any("Intervals" in line for line in lines(left))
    assert "Intervals" in lines([*left, *rows(1)])[-1]


def test_the_headline_is_about_texts_with_the_label_and_not_about_all_texts_together() -> None:
    together = reached(CAVEATS, 4, (), (), {"negative": reached(MUST_NOT, 2), "positive": OPEN})
    audit = replace(compared(), verdict=together)
    row = audited_row("positive", 51, 1100, audit, 0.95)
    assert (row.verdict, row.with_label) == (CAVEATS, CANNOT_TELL)
    said = summary([row])
    assert CANNOT_TELL in said
    assert CAVEATS not in said
    fine = LabelRow("fine", 60, 1100, Level.CAVEATS, Level.CAN)
    assert by_verdict([row, fine]) == ([fine, row], [])
    assert cells(row)[2:4] == (CANNOT_TELL, CAVEATS)


def test_a_label_whose_model_only_guesses_can_not_be_shown() -> None:
    guessing = replace(LEARNED, above=estimate(0.01, 0.04))
    shown = reached(CAN, 4, (), (), {"positive": reached(CAN, 4), "negative": reached(CAN, 4)})
    made = replace(compared(), verdict=shown)
    for learned, level in ((LEARNED, CAN), (guessing, CANNOT_TELL)):
        row = audited_row("positive", 60, 800, replace(made, learned=learned), 0.95)
        assert row.with_label == level


def test_a_score_of_a_label_has_its_own_interval_and_texts() -> None:
    score = Estimate(0.5, -0.1, 0.9, 1045, "")
    row = LabelRow("a", 970, 12000, Level.CAVEATS, Level.CAN, "Transfer (SL-303)", score)
    assert [one.replace("\xa0", " ") for one in cells(row)] == [
        "a",
        "970 of 12,000",
        Level.CAN,
        Level.CAVEATS,
        "Transfer (SL-303)",
        "0.50 [−0.10 to 0.90], n = 1,045",
    ]


def test_what_a_terminal_would_obey_is_shown() -> None:
    row = LabelRow("a\x1b[31m", 1, 2, why="x")
    assert not any("\x1b" in line for line in lines([row]))


def test_the_note_names_the_wider_level() -> None:
    plain = LabelRow("a", 1, 2, Level.CAN)
    assert "97.5" not in intervals_note([plain])
    wide = LabelRow("b", 1, 2, Level.CAN, level=0.975)
    assert "97.5 %" in intervals_note([plain, wide])
    assert "2 labels tested" in intervals_note([plain, wide])
    assert "97.5 %" in intervals_note([wide])
    assert "labels" not in intervals_note([wide])


def test_a_test_of_too_few_texts_is_not_said_to_have_decided() -> None:
    made = compared()
    named = {one.code: one for one in made.findings if one.bears and one.score is not None}
    code, silent = next(iter(named)), next(one.code for one in made.findings if one.score is None)
    few = reached(CANNOT_TELL, UNFIT, (code,), (too_few(3),))
    row = audited_row("positive", 3, 24, replace(made, verdict=few), 0.95)
    assert (row.test, row.score, row.why) == ("", None, too_few(3).words)
    both = replace(made, verdict=reached(CANNOT_TELL, 6, (silent, code), ("open",)))
    row = audited_row("positive", 3, 24, both, 0.95)
    assert (row.test, row.score) == (named[code].title, named[code].score)


def test_only_counts_of_texts_are_put_together_for_several_labels() -> None:
    rows = [
        LabelRow(label, 9, 300, why=why)
        for label, why in (
            ("a1", "cnn: A; mend the model"),
            ("a2", "cnn: B; mend the model"),
            ("b1", "no finite output for 2 of 300 texts"),
            ("b2", "no finite output for 2 of 300 texts"),
        )
    ]
    assert [one.partition(", ")[2] for one in reasons(rows)] == [
        "cnn: A; mend the model: 'a1'",
        "cnn: B; mend the model: 'a2'",
        "no finite output for 2 of 300 texts: 'b1' and 'b2'",
    ]


def test_the_note_names_no_level_of_a_label_that_failed_as_one_that_passed() -> None:
    failed = LabelRow("a", 60, 800, Level.MUST_NOT, level=0.9917)
    passed = LabelRow("b", 60, 800, Level.CAVEATS, level=0.975)
    wider = LabelRow("c", 60, 800, Level.CANNOT_TELL, Level.CAN, level=0.9875)
    for rows, named in (
        ([failed, passed], ["97.5 %"]),
        ([failed, passed, wider], ["97.5 %", "98.75 %", "5 %"]),
        ([replace(failed, level=0.95), passed], ["95 %", "97.5 %", "5 %"]),
    ):
        assert re.findall(r"[\d.]+ %", intervals_note(rows)) == named
