"""Which map may be shown: chosen on one half of the texts, reported on the other."""

import numpy as np
import pytest

from sightline.core.results import MapRow, Measurement, NotRun
from sightline.verdict.audit_test import OPERATORS
from sightline.verdict.catalogue import AUDIT_TESTS
from sightline.verdict.evidence import Evidence
from sightline.verdict.map_selection import NOT_REMOVED, maps_of
from tests.verdict.cases import PREDICTED, THRESHOLDS, N, agreement, erasure, outcomes, transplant

WORTH = {"gradient": 0.5, "deletion": 0.9, "signed_gradient": 1.1, "signed_deletion": 0.7}
REMOVED = {**WORTH, "signed_gradient": 0.95}
"""What removing the words does: of scores above 1 that are equal for all texts, no interval is
known."""


def rows(moved: Measurement) -> dict[str, MapRow]:
    taken = outcomes(
        agreement({}), PREDICTED, PREDICTED, transplant=moved, erasure=erasure(names=REMOVED)
    )
    return {row.name: row for row in maps_of(Evidence(taken, ("neg", "pos"), THRESHOLDS, 0))}


def test_every_map_is_told_by_family_best_first_and_one_of_each_is_chosen() -> None:
    found = rows(transplant(0.2, 0.2, WORTH))
    assert list(found) == [
        "deletion",
        "gradient",
        "attention",
        "signed_gradient",
        "signed_deletion",
    ]
    assert [name for name, row in found.items() if row.chosen] == ["deletion", "signed_gradient"]
    assert [name for name, row in found.items() if row.signed] == [
        "signed_gradient",
        "signed_deletion",
    ]
    assert found["deletion"].carried.value == pytest.approx((0.9 - 0.2) / 0.8, abs=0.01)
    assert found["deletion"].deleted.value == pytest.approx((0.9 - 0.1) / 0.9)
    assert {row.answer for name, row in found.items() if name != "attention"} == {"passed"}
    assert found["attention"].answer == "failed"


def test_the_half_that_chooses_is_not_the_half_that_is_told() -> None:
    measured = transplant(0.2, 0.2, WORTH)
    half = measured.values["half"]
    luck = np.where(
        half[:, None], measured.values["whole"], 0.0
    )  # perfect where it is chosen, worthless elsewhere
    values = {**measured.values, "carried.gradient": luck}
    found = rows(Measurement("transplant", values, settings=measured.settings))
    assert found["gradient"].chosen
    assert found["gradient"].carried.value == pytest.approx(-0.25)
    assert found["gradient"].answer == "failed"
    assert found["gradient"].carried.n == N // 2


def test_a_map_whose_removal_changes_nothing_is_not_to_be_shown() -> None:
    taken = outcomes(
        agreement({}), PREDICTED, PREDICTED, transplant=transplant(0.9), erasure=erasure(0.1, 0.1)
    )
    (row,) = maps_of(Evidence(taken, ("neg", "pos"), THRESHOLDS, 0))
    assert (row.name, row.answer) == ("attention", "failed")


@pytest.mark.parametrize("kind", ["top", "present"])
@pytest.mark.parametrize("of", [(0, 1), (0,)])
def test_a_map_must_not_fail_top_word_and_presence(kind: str, of: tuple[int, ...]) -> None:
    """As the audited map must not; random words do as much as these on the texts of some classes."""
    fails, moved, removed = (
        np.isin(PREDICTED, of), transplant(0.2, 0.2, WORTH), erasure(names=REMOVED)
    )  # fmt: skip
    of_moved, of_removed = dict(moved.values), dict(removed.values)
    if kind == "top":
        of_removed["top.deletion"] = np.where(fails, 0.1, 1.0) * of_removed["top.most"]
    else:
        of_moved["present.deletion"] = np.where(fails[:, None], 0.5, of_moved["present.deletion"])
    taken = outcomes(
        agreement({}), PREDICTED, PREDICTED,
        transplant=Measurement("transplant", of_moved, settings=moved.settings),
        erasure=Measurement("erasure", of_removed),
    )  # fmt: skip
    found = {row.name: row for row in maps_of(Evidence(taken, ("neg", "pos"), THRESHOLDS, 0))}
    test = AUDIT_TESTS["SL-307" if kind == "top" else "SL-306"].title
    every = len(of) == 2
    assert found["deletion"].answer == ("inconclusive" if every else "passed")
    assert [test in one for one in found["deletion"].notes] == [True] * every
    assert found["deletion"].against == (("neg", "pos") if every else ("neg",))
    assert found["deletion"].chosen
    assert (found["gradient"].answer, found["gradient"].notes) == ("passed", ())


def without_removal(rows: np.ndarray, *maps: str) -> Measurement:
    """Measure removal of attention and these maps; on some texts no words take more than random
    ones.
    """
    measured = erasure(names=REMOVED).values
    return Measurement(
        "erasure",
        {
            f"{how}.{name}": np.where(rows, measured[f"{how}.random"], measured[f"{how}.{name}"])
            for how in OPERATORS
            for name in ("attention", "random", "most", *maps)
        },
    )


@pytest.mark.parametrize(
    ("removed", "answers"),
    [
        (without_removal(np.zeros(N, bool), "deletion"), ["passed", "inconclusive"]),
        (without_removal(np.ones(N, bool), *WORTH), ["inconclusive", "inconclusive"]),
    ],
)
def test_a_map_does_not_pass_by_transfer_alone(removed: Measurement, answers: list[str]) -> None:
    taken = outcomes(
        agreement({}), PREDICTED, PREDICTED, transplant=transplant(0.2, 0.2, WORTH), erasure=removed
    )
    found = {row.name: row for row in maps_of(Evidence(taken, ("neg", "pos"), THRESHOLDS, 0))}
    rivals = [found[name] for name in ("deletion", "gradient")]
    assert [row.answer for row in rivals] == answers
    assert [row.notes == (NOT_REMOVED,) for row in rivals] == [one != "passed" for one in answers]
    assert [row.against for row in rivals] == [
        () if one == "passed" else ("neg", "pos") for one in answers
    ]
    assert found["attention"].answer == "failed"
    assert found["attention"].notes == ()


def test_a_class_without_removal_is_named_whatever_the_other_says() -> None:
    taken = outcomes(
        agreement({}), PREDICTED, PREDICTED, transplant=transplant(0.2, 0.2, WORTH),
        erasure=without_removal(PREDICTED == 0, *WORTH),
    )  # fmt: skip
    found = {row.name: row for row in maps_of(Evidence(taken, ("neg", "pos"), THRESHOLDS, 0))}
    assert (found["deletion"].answer, found["deletion"].against) == ("passed", ("neg",))


def test_a_class_for_which_a_map_fails_is_named_whatever_it_does_over_all_texts() -> None:
    """All texts of the class are asked: of the half that tells there may be too few."""
    measured, removed = transplant(0.2, 0.2, WORTH), erasure(names=WORTH)
    of_neg = PREDICTED == 0
    nothing = {
        f"{how}.deletion": np.where(of_neg, -0.5, removed.values[f"{how}.deletion"])
        for how in OPERATORS
    }
    taken = outcomes(
        agreement({}), PREDICTED, PREDICTED, transplant=measured,
        erasure=Measurement("erasure", {**removed.values, **nothing}),
    )  # fmt: skip
    found = {row.name: row for row in maps_of(Evidence(taken, ("neg", "pos"), THRESHOLDS, 0))}
    assert found["deletion"].against == ("neg",)
    assert found["gradient"].against == found["signed_gradient"].against == ()
    assert found["attention"].against == ("neg", "pos")


@pytest.mark.parametrize("of", ["neg", "pos"])
def test_a_map_fails_for_a_class_whose_words_do_nothing_by_themselves(of: str) -> None:
    measured = transplant(0.9, 0.2, WORTH)
    rows_of = (("neg", "pos").index(of) == PREDICTED)[:, None]
    nothing = np.where(
        rows_of, measured.values["random_own.deletion"], measured.values["own.deletion"]
    )
    values = {**measured.values, "own.deletion": nothing}
    found = rows(Measurement("transplant", values, settings=measured.settings))
    assert found["deletion"].answer == "passed"
    assert {name: row.against for name, row in found.items() if row.against} == {"deletion": (of,)}


@pytest.mark.parametrize(
    ("answer", "against"),
    [("passed", ()), ("inconclusive", ("neg",)), ("failed", ("neg",)), ("not run", ())],
)
def test_a_class_is_named_unless_its_words_were_shown_to_do_something(
    answer: str, against: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    def asked(evidence: Evidence, name: str, label: str) -> str:
        return answer if (name, label) == ("deletion", "neg") else "passed"

    monkeypatch.setattr("sightline.verdict.map_selection.own_effect", asked)
    assert rows(transplant(0.9, 0.2, WORTH))["deletion"].against == against


@pytest.mark.parametrize(
    ("texts_of_a_group", "answer", "against"),
    [(1, "passed", ()), (4, "inconclusive", ("neg", "pos"))],
)
def test_texts_of_one_group_count_as_one_for_a_map_as_for_a_verdict(
    texts_of_a_group: int, answer: str, against: tuple[str, ...]
) -> None:
    taken = outcomes(
        agreement({}), PREDICTED, PREDICTED, transplant=transplant(0.9), erasure=erasure()
    )
    outputs = taken["outputs"]
    assert isinstance(outputs, Measurement)
    groups = {**outputs.values, "cluster": np.arange(N) // texts_of_a_group}
    taken["outputs"] = Measurement("outputs", groups)
    (row,) = maps_of(Evidence(taken, ("neg", "pos"), THRESHOLDS, 0))
    assert (row.answer, row.against, bool(row.notes)) == (answer, against, answer != "passed")


def test_a_map_is_not_shown_for_a_class_of_few_texts() -> None:
    few = np.where(np.arange(N) < 10, 0, 1)
    taken = outcomes(
        agreement({}), PREDICTED, PREDICTED, transplant=transplant(0.9), erasure=erasure()
    )
    taken["outputs"] = Measurement("outputs", {"predicted": few, "label": few})
    (row,) = maps_of(Evidence(taken, ("neg", "pos"), THRESHOLDS, 0))
    assert (row.answer, row.against) == ("passed", ("neg",))


def test_without_pairs_there_is_no_table() -> None:
    taken = outcomes(agreement({}), PREDICTED, PREDICTED, transplant=NotRun("transplant", "no"))
    assert maps_of(Evidence(taken, ("neg", "pos"), THRESHOLDS, 0)) == ()
