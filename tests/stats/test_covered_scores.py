"""The count of how often intervals of scores hold the truth: its rows, on which side they miss, and
what must hold.
"""

import covered_scores
from covered_scores import ALONE, CLUSTERS, SCORES, is_promised

from tests.reference.audited import truth_of


def test_a_row_counts_what_is_held_missed_and_without_an_interval() -> None:
    nan = float("nan")
    audits = [
        dict.fromkeys(SCORES, one)
        for one in [(False, False, 0.2)] * 17
        + [(True, False, 0.1), (False, True, 0.3), (False, False, nan)]
    ]
    rows = {row["score"]: row for row in covered_scores._rows((CLUSTERS, 300), audits)}
    assert set(rows) == set(SCORES)
    row = rows["Own words (SL-304), one class"]
    assert (row["texts"], row["n"], row["level"], row["truth"]) == (
        CLUSTERS,
        300,
        0.975,
        round(truth_of("own of 1"), 3),
    )
    assert (row["truth_below"], row["truth_above"], row["without_interval"]) == (1, 1, 1)
    assert row["held"] == round(17 / 19, 4)
    gate = covered_scores._gate(row, 20)
    assert (gate["count"], gate["of"], gate["limit"], gate["holds"]) == (17, 19, "≥ 0.955", False)


def test_what_is_not_promised_is_presence_of_one_class_near_its_ceiling() -> None:
    rows = [{"score": title, "n": n} for title in SCORES for n in covered_scores.SIZES]
    left_out = {(row["score"], row["n"]) for row in rows if not is_promised(row)}
    assert left_out == {("Presence (SL-306), one class", 100)}


def test_an_audit_is_simulated_once_for_every_score() -> None:
    found = covered_scores._audited((ALONE, 100), 0)
    assert set(found) == set(SCORES)
    assert all(width > 0 for _, _, width in found.values())
