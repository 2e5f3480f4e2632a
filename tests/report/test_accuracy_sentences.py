"""Whether the model has learned anything is said beside every verdict, and so is what is not known
of it.
"""

import math
import re
from dataclasses import replace

import pytest

from sightline.core.results import ClassShare, Estimate, Learned, Reason
from sightline.report.accuracy_sentences import accuracy, accuracy_notes, learning
from sightline.verdict.verdict_table import NO_BETTER
from tests.report.audits import LEARNED, estimate
from tests.snapshots import same_text

GUESSING = "These texts do not show that the model is better than guessing."
CHANCE = replace(LEARNED, chance=estimate(0.5), above_chance=estimate(0.315))


def said(learned: Learned, *reasons: str) -> str:
    return " ".join(learning(learned, tuple(map(Reason, reasons)))).replace("\xa0", " ")


def behind(learned: Learned) -> str:
    return " ".join(accuracy_notes(learned)).replace("\xa0", " ")


def test_accuracy_is_a_percentage_with_interval_texts_and_the_majority_class() -> None:
    same_text("report", said(CHANCE))
    assert "Accuracy 82 % (95 % CI 77–86 %, n = 872; majority class 51 %)." in said(CHANCE)


def test_texts_are_counted_for_each_number_where_they_differ() -> None:
    result = said(replace(LEARNED, guessing=estimate(0.3, n=61)))
    assert "n = 872; majority class 30 % (95 % CI 26–34 %, n = 61))." in result


def test_how_far_the_model_is_from_guessing_stands_behind_with_its_intervals() -> None:
    same_text("report", behind(CHANCE))
    assert "random order" not in behind(LEARNED)  # where no text has an answer


@pytest.mark.parametrize(
    ("low", "expected"),
    [(0.001, False), (0.0, True), (-0.02, True), (-0.3, False), (math.nan, True)],
)
def test_what_does_not_lie_above_guessing_is_said_to_be_no_better(
    low: float, expected: bool
) -> None:
    above = Estimate(low + 0.05, low, low + 0.1, 872, "")
    assert (GUESSING in said(replace(LEARNED, above=above))) is expected
    assert ("beats chance, but not surely" in said(replace(CHANCE, above=above))) is expected


def test_what_a_caveat_says_already_is_not_said_again() -> None:
    nothing = replace(LEARNED, above=estimate(0.0))
    assert said(nothing).startswith(GUESSING)
    assert said(nothing, NO_BETTER).startswith("Accuracy ")
    little = replace(CHANCE, above=estimate(0.0))
    assert "but not surely" in said(little)
    assert "but not surely" not in said(little, NO_BETTER)


@pytest.mark.parametrize(
    ("converged", "cut", "words", "of", "expected"),
    [
        (False, 0, 0, 40, "Training stopped before it converged. 0 of 40 texts truncated."),
        (
            None,
            1,
            1,
            1,
            "Whether training converged is unknown. 1 of 1 text truncated (1 word lost).",
        ),
        (True, 30, 1234, 2000, "30 of 2,000 texts truncated (1,234 words lost)."),
        (True, None, None, None, "Training converged. How many texts were truncated is unknown."),
    ],
)
def test_convergence_and_what_was_cut_are_said(
    converged: bool | None, cut: int | None, words: int | None, of: int | None, expected: str
) -> None:
    learned = replace(LEARNED, converged=converged, cut=cut, words_cut=words, cut_of=of)
    assert said(learned).endswith(expected)


def test_words_without_a_token_are_no_truncated_text() -> None:
    learned = replace(LEARNED, converged=True, cut=0, cut_of=119, words_unseen=1)
    assert said(learned).endswith(
        " 1 word was left out, because the tokenizer of the model has no token for it."
    )
    assert "token" not in said(replace(learned, words_unseen=0))


def test_classes_are_named_with_their_shares_most_common_first_and_not_all_of_many() -> None:
    shares = {
        "rare": ClassShare(estimate(0.02), estimate(0.0)),
        "usual": ClassShare(estimate(0.98), estimate(1.0)),
    }
    same_text("report", behind(replace(LEARNED, classes=shares)))
    rare = ClassShare(
        Estimate(8 / 300, 0.0135, 0.052, 300, "Wilson"),
        Estimate(9 / 300, 0.0158, 0.056, 300, "Wilson"),
    )
    result = behind(replace(LEARNED, classes={"rare": rare}))
    assert "'rare' 8 of 300 texts (3 %, 95 % CI 1–5 %), predicted for 9 (3 %, 95" in result
    none = ClassShare(*[Estimate(math.nan, math.nan, math.nan, 0, "")] * 2)
    assert "'rare' 0 of 0 texts (undefined" in behind(replace(LEARNED, classes={"rare": none}))
    many = {str(i): ClassShare(estimate(0.05), estimate(0.05)) for i in range(20)}
    assert behind(replace(LEARNED, classes=many)).endswith("; 14 more.")


def test_both_accuracies_have_as_many_digits() -> None:
    close = replace(
        LEARNED,
        accuracy=Estimate(0.9520, 0.9490, 0.9549, 20_000, ""),
        guessing=Estimate(0.9541, 0.9511, 0.9569, 20_000, ""),
    )
    assert re.findall(r"([0-9.]+) %", accuracy(close).replace("\xa0", " "))[::3] == ["95.2", "95.4"]
