"""Audits of models of which only answers are known, whose verdict is known; and the same model by
both doors.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import sightline
from sightline.audits.audit_result import Audit
from sightline.core.needs import MORE, NEEDS_PREFIX, needed
from sightline.core.results import BY_ABSENCE, CANNOT_TELL, CAVEATS, MUST_NOT, Measurement, Ragged
from sightline.data.dataset import Dataset
from sightline.measures.default_measures import default_measures
from sightline.models.classifier import AttentionClassifier
from sightline.report.advice import recommended
from tests.planted.answering import (
    CUES,
    FILLERS,
    LABELS,
    at_random,
    by_cue,
    of_cue,
    plausible,
    texts,
)
from tests.texts import trained

UNASKED = {"SL-001", "SL-101", "SL-104", "SL-402", "SL-202", "SL-205", "SL-401"}


@pytest.fixture(scope="module")
def data() -> Dataset:
    return texts()


@pytest.fixture(scope="module")
def by_its_cue(data: Dataset) -> Audit:
    return audited(data, of_cue)


def audited(data: Dataset, function, **options) -> Audit:
    model = sightline.answers(by_cue, labels=LABELS, scores=function)
    return sightline.audit(model, data, **options)


def results(audit: Audit) -> dict[str, str]:
    return {one.code: one.result for one in audit.findings}


def levels(audit: Audit) -> set[str]:
    return {audit.verdict.level, *(one.level for one in audit.verdict.by_class.values())}


def test_scores_that_are_the_cue_are_shown_with_caveats(by_its_cue: Audit) -> None:
    audit = by_its_cue
    found = results(audit)
    for code in ("SL-303", "SL-301", "SL-304", "SL-305", "SL-306", "SL-307", "SL-308", "SL-102"):
        assert found[code] == "passed", code
    assert levels(audit) == {CAVEATS}
    silent = {one.code: one.reason for one in audit.findings if one.result == "not run"}
    for code in UNASKED:
        assert silent[code].startswith(MORE), code
    alone = needed({"token_logits"}).removeprefix(NEEDS_PREFIX)
    assert silent["SL-402"] == silent["SL-205"] == f"{MORE}{alone}"
    assert audit.verdict.of_map == "the score map"
    weights = audit.measurements["outputs"].values["attention"].rows()
    assert all(sorted(row)[-1] == 1.0 for row in weights)


def test_scores_at_random_must_not_be_shown_and_leave_one_out_may(data: Dataset) -> None:
    audit = audited(data, at_random)
    assert audit.verdict.level == MUST_NOT
    assert not any(level in ("can be shown", CAVEATS) for level in levels(audit))
    assert results(audit)["SL-303"] == "failed"
    chosen = {row.name for row in audit.maps if row.chosen and row.answer == "passed"}
    assert "deletion" in chosen


def test_plausible_words_that_the_function_ignores_must_not_be_shown(data: Dataset) -> None:
    audit = audited(data, plausible)
    assert audit.verdict.level == MUST_NOT
    assert not levels(audit) & {"can be shown", CAVEATS}
    assert results(audit)["SL-102"] == "failed"


def test_leave_one_out_does_not_confirm_itself(data: Dataset) -> None:
    audit = audited(data, None)
    found = results(audit)
    assert found["SL-303"] == found["SL-301"] == found["SL-306"] == "passed"
    assert found["SL-102"] == "not run"
    assert levels(audit) <= {CANNOT_TELL, BY_ABSENCE}
    assert audit.verdict.of_map == "the leave-one-out map"
    assert "captured.deletion" not in audit.measurements["agreement"].values
    assert {row.name for row in audit.maps} == {"attention"}  # no map that is the audited one


def test_scores_that_are_brought_are_the_audited_map_and_no_rival(
    data: Dataset, by_its_cue: Audit
) -> None:
    brought = {
        text.id: np.array(row)
        for text, row in zip(
            data.test, of_cue([], [text.tokens for text in data.test]), strict=True
        )
    }
    with_function, with_scores = by_its_cue, audited(data, None, scores=brought)
    assert with_scores.verdict.of_map == "the score map"
    assert "given" not in {row.name for row in with_scores.maps}
    for one, other in zip(with_function.findings, with_scores.findings, strict=True):
        assert (one.code, one.result, one.score) == (other.code, other.result, other.score)


def test_signs_are_left_out_of_the_size_and_compared_as_a_signed_map(data: Dataset) -> None:
    def signed(asked, words):
        return [[-2.0 if word == "cuealpha" else float(word == "cuebeta") for word in each]
                for each in words]  # fmt: skip

    audit = audited(data, signed)
    assert {row.name for row in audit.maps} >= {"attention", "signed_given"}
    weights = audit.measurements["outputs"].values["attention"].rows()
    assert all(row.max() == 1.0 and row.min() >= 0 for row in weights)


def test_an_audit_that_stops_early_gives_the_verdict_of_the_whole(data: Dataset) -> None:
    audit = audited(data, of_cue, max_texts=100)
    assert audit.spec["sequential"]["stopped"] in ("settled", "texts")
    assert audit.verdict.level == CAVEATS
    assert audit.cards["model"]["answers"]["texts_needed"] > 100


@pytest.fixture(scope="module")
def twin() -> tuple[AttentionClassifier, Dataset]:
    return trained("planted:needle(n=240,length=8)", "mlp(hidden=8)")


def test_both_doors_give_the_same_numbers(twin: tuple[AttentionClassifier, Dataset]) -> None:
    """A built-in model by its answers, given its own attention as scores, in all that both can be
    asked.
    """
    model, dataset = twin
    measures = default_measures(
        chosen=("agreement", "erasure", "transplant", "polarity", "marks", "sufficiency", "signs")
    )
    direct = sightline.audit(model, dataset, measures=measures, limit=40)
    attention = {
        text.id: row
        for text, row in zip(
            direct.texts, direct.measurements["outputs"].values["attention"].rows(), strict=True
        )
    }

    def predict(asked: list[str]) -> list[list[float]]:
        found = sightline.predict(model, asked)
        return [list(one.probabilities.values()) for one in found]

    answering = sightline.answers(predict, labels=dataset.label_names)
    other = sightline.audit(answering, dataset, measures=measures, limit=40, scores=attention)
    compared = 0
    for code, found in other.measurements.items():
        assert isinstance(found, Measurement), found
        for name, value in found.values.items():
            if name == "disagreement":
                continue  # it is averaged over gradient and leave-one-out
            ours = direct.measurements[code].values[name]
            both = [
                one.flat if isinstance(one, Ragged) else np.asarray(one) for one in (ours, value)
            ]
            assert both[1] == pytest.approx(both[0], abs=1e-5, nan_ok=True), f"{code}.{name}"
            compared += 1
    assert compared > 60
    scores = {one.code: one for one in direct.findings}
    for one in other.findings:
        if one.score is not None:
            for end in ("value", "low", "high"):
                here = getattr(scores[one.code].score, end)
                assert getattr(one.score, end) == pytest.approx(here, abs=1e-5, nan_ok=True), one


def test_what_was_kept_of_other_scores_is_not_used(data: Dataset, tmp_path: Path) -> None:
    """A stopped audit keeps its looks; other scores for the same function are another audit."""
    brought = {
        name: {
            text.id: np.array(row)
            for text, row in zip(
                data.test,
                function([text.text for text in data.test], [text.tokens for text in data.test]),
                strict=True,
            )
        }
        for name, function in (("cue", of_cue), ("random", at_random))
    }
    levels_of = [
        audited(data, None, scores=brought[name], max_texts=100, kept_in=tmp_path).verdict.level
        for name in ("cue", "random", "cue")
    ]
    assert levels_of == [CAVEATS, MUST_NOT, CAVEATS]


def by_layout(asked: Sequence[str]) -> np.ndarray:
    """Answer by blank lines, and a tenth as much by the cue; by the cue alone where a text has one
    line.
    """
    cue = np.array([float(CUES[1] in text) - float(CUES[0] in text) for text in asked])
    layout = np.array([("\n" in text) * (1 - 2 * ("\n\n" not in text)) for text in asked])
    second = 1 / (1 + np.exp(-np.where(layout == 0, 3.0 * cue, 3.0 * layout + 0.3 * cue)))
    return np.column_stack([1 - second, second])


def test_a_word_that_goes_with_the_layout_that_decides_must_not_be_shown() -> None:
    """Said before: can be shown with caveats. Mixed texts had no line break."""
    written = texts()
    breaks = {LABELS[0]: "\n", LABELS[1]: "\n\n"}
    labels = [written.label_names[one.label] for one in written.test]
    laid_out = [
        breaks[label].join((" ".join(one.spelled[:10]), " ".join(one.spelled[10:])))
        for one, label in zip(written.test, labels, strict=True)
    ]
    data = sightline.data_from(laid_out, labels, splits="all")
    # No prediction hangs on the word, and every one on the layout.
    first, second = CUES
    exchanged = [
        second.join(part.replace(second, first) for part in text.split(first)) for text in laid_out
    ]
    assert (by_layout(exchanged).argmax(1) == by_layout(laid_out).argmax(1)).all()
    model = sightline.answers(by_layout, labels=LABELS, scores=of_cue)
    audit = sightline.audit(model, data)
    assert audit.verdict.level == MUST_NOT
    assert not any(level.permits for level in levels(audit))
    assert results(audit)["SL-303"] == "failed"
    assert results(audit)["SL-301"] == "passed"


CHARACTERS = [chr(0x4E00 + 7 * number) for number in range(200)]


def by_string(string: str):
    """Answer by a string of characters, wherever it stands."""

    def answer(asked: Sequence[str]) -> np.ndarray:
        there = np.array([0.98 if string in text else 0.02 for text in asked])
        return np.column_stack([1 - there, there])

    return answer


def of_string(string: str):
    """Score the two words that the string is made of, where they follow each other."""

    def scores(asked: Sequence[str], words: Sequence[Sequence[str]]) -> list[np.ndarray]:
        found = []
        for each in words:
            at = [k for k in range(len(each) - 1) if each[k] + each[k + 1] == string]
            found.append(np.isin(np.arange(len(each)), [*at, *(k + 1 for k in at)]).astype(float))
        return found

    return scores


@pytest.mark.parametrize(
    ("string", "space", "fillers"),
    [("好评", "", CHARACTERS), (":)", " ", [f"w{number}" for number in range(200)])],
)
def test_a_string_of_words_that_touch_is_shown(string: str, space: str, fillers: list[str]) -> None:
    """Said before: must not be shown. A space stood in the middle of every string that moved."""
    generator, made = np.random.default_rng(3), []
    for number in range(120):
        text = [*generator.choice(fillers, 20, replace=False)]
        if number % 2:
            text.insert(int(generator.integers(21)), string)
        made.append(space.join(text))
    data = sightline.data_from(made, [*LABELS] * 60, splits="all")
    model = sightline.answers(by_string(string), labels=LABELS, scores=of_string(string))
    audit = sightline.audit(model, data)
    assert {of: one.level for of, one in audit.verdict.by_class.items()} == {
        LABELS[0]: BY_ABSENCE,
        LABELS[1]: CAVEATS,
    }
    (transfer,) = (one for one in audit.findings if one.code == "SL-303")
    assert transfer.score is not None
    assert transfer.score.value > 0.7


SIDES = CHARACTERS[:2]


def by_spaces(asked: Sequence[str]) -> np.ndarray:
    """Answer by whether a word touches another, or a sign, and a tenth as much by the cue."""
    cue = np.array([float(SIDES[1] in text) - float(SIDES[0] in text) for text in asked])
    apart = np.array([float(all(len(word) == 1 for word in text.split())) for text in asked])
    beta = 1 / (1 + np.exp(-(6.0 * apart - 3.0 + 0.3 * cue)))
    return np.column_stack([1 - beta, beta])


def around_the_cue(asked: Sequence[str], words: Sequence[Sequence[str]]) -> list[np.ndarray]:
    """Score the cue and, less and less, its neighbours."""
    places = [next((k for k, word in enumerate(each) if word in SIDES), 0) for each in words]
    return [
        np.clip(1 - 0.2 * abs(np.arange(len(each)) - place), 0, 1)
        for each, place in zip(words, places, strict=True)
    ]


@pytest.mark.parametrize(
    ("space", "signs"), [(("", " "), ("", "")), ((" ", " "), ("!", " !"))], ids=["words", "signs"]
)
def test_words_that_touch_do_not_bring_the_layout_of_a_text_along(
    space: tuple[str, str], signs: tuple[str, str]
) -> None:
    """Where any two words that moved together touched, the map could be shown for a class."""
    generator, made = np.random.default_rng(3), []
    for number in range(120):
        side, text = number % 2, [*generator.choice(CHARACTERS[2:], 19, replace=False)]
        text.insert(int(generator.integers(20)), SIDES[side])
        text[1::2] = [word + signs[side] for word in text[1::2]]
        made.append(space[side].join(text))
    data = sightline.data_from(made, [*LABELS] * 60, splits="all")
    model = sightline.answers(by_spaces, labels=LABELS, scores=around_the_cue)
    audit = sightline.audit(model, data)
    assert not any(level.permits for level in levels(audit))
    assert results(audit)["SL-303"] == "failed"


def by_either_cue(asked: Sequence[str]) -> np.ndarray:
    """Answer by cues of which either is enough: without one, nothing changes."""
    sides = [4.0 * ("beta" in text) - 4.0 * ("alpha" in text) for text in asked]
    second = 1 / (1 + np.exp(-np.array(sides)))
    return np.column_stack([1 - second, second])


def filler_first(words: Sequence[str]) -> list[float]:
    """Score one filler highest, which decides nothing, and then the cues."""
    top = max(word for word in words if word.startswith("w"))
    return [9.0 if word == top else 0.01 if word.startswith("w") else 3.0 for word in words]


def test_a_map_that_cannot_be_told_as_the_audited_one_is_not_recommended_as_another() -> None:
    """Said before: show the given scores map instead. Removal could not be run."""
    generator, made = np.random.default_rng(3), []
    for number in range(220):
        text = [f"w{one}" for one in generator.choice(FILLERS, 28, replace=False)]
        for cue in ("cue", "more"):
            text.insert(int(generator.integers(len(text) + 1)), cue + LABELS[number % 2])
        made.append(" ".join(text))
    data = sightline.data_from(made, [*LABELS] * 110, splits=["test"] * 220)

    def itself(asked: Sequence[str], words: Sequence[Sequence[str]]) -> list[list[float]]:
        return [filler_first(each) for each in words]

    def of_nothing(asked: Sequence[str], words: Sequence[Sequence[str]]) -> list[list[float]]:
        return [[float(score == 9.0) for score in filler_first(each)] for each in words]

    audit = sightline.audit(sightline.answers(by_either_cue, labels=LABELS, scores=itself), data)
    assert levels(audit) == {CANNOT_TELL}
    assert results(audit)["SL-301"] == "not run"
    brought = {text.id: np.array(filler_first(text.tokens)) for text in data.test}
    other = sightline.audit(
        sightline.answers(by_either_cue, labels=LABELS, scores=of_nothing), data, scores=brought
    )
    assert levels(other) == {MUST_NOT}
    (row,) = (one for one in other.maps if one.name == "given")
    assert row.carried is not None
    assert row.carried.value > 0.5
    assert (row.chosen, row.answer, row.against) == (True, "inconclusive", LABELS)
    assert recommended(other) == ()
