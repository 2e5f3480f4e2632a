"""One text for a notebook and for a terminal: harmless, readable without colours, and never without
its warning.
"""

import csv
from dataclasses import replace

import numpy as np
import pytest
from rich.text import Text

from sightline.core.errors import SpecError
from sightline.core.explanation import Explanation, Prediction
from sightline.core.results import CANNOT_TELL, CAVEATS, MUST_NOT, Verdict
from sightline.report.html.explanation_view import in_notebook, rows_of, style_of
from sightline.report.text.explanation_text import _coloured, lines, scales
from sightline.report.text.prediction_files import (
    PlacedPrediction,
    prediction_json,
    prediction_lines,
)
from tests.report.audits import ABSENT, HOSTILE, audit, by_absence, record
from tests.report.pages import Page
from tests.snapshots import same_text
from tests.verdicts import reached


def reading(text: str = "a good film indeed", **changes: object) -> Explanation:
    message = replace(record(text, 0), label="", predicted="positive")
    n = len(message.tokens)
    values = np.linspace(-0.5, 1.0, n)
    maps = {"attention": np.abs(values), "signed_gradient": values}
    found = Explanation(
        "a model",
        message,
        {"positive": 0.75, "negative": 0.25},
        maps,
        {},
        (True,) * (n - 1) + (False,),
        0,
        "sightline audit",
    )
    return replace(found, **changes)


def shaded(explanation: Explanation) -> list[Text]:
    """Give the words in the colours of each map, and the scales."""
    return [*map(_coloured, rows_of(explanation)), *scales(explanation)]


def test_the_words_are_shaded_by_size_and_side() -> None:
    weights, sides = rows_of(reading())
    assert [piece.shade for piece in weights.pieces if piece.shade] == [
        "s8",
        "s0",
        "s8",
        "s10 unknown",
    ]
    assert [piece.shade for piece in sides.pieces if piece.shade] == [
        "n4",
        "s0",
        "s4",
        "s5 unknown",
    ]
    assert "".join(piece.text for piece in sides.pieces) == "a good film indeed"
    assert style_of("s10") != style_of("n10")
    assert "underline" in style_of("n1")  # a side can be told without seeing colours
    assert style_of("s0") == style_of("na") == style_of("") == ""
    assert "dotted" in style_of("s0 unknown")


def test_the_block_tells_everything_in_words() -> None:
    shown = Page(in_notebook(reading()))
    text = " ".join(shown.text().split())
    assert "positive (predicted)0.750" in text.replace(") 0", ")0")
    for message in (
        "signed gradient",
        "for the predicted class",
        "against",
        "not known to the model",
    ):
        assert message in text
    assert "The model does not know 1 of the 4 words: 'indeed'." in text
    assert "not evidence: whether it may be shown is what an audit answers: sightline audit" in text
    assert "against" not in Page(in_notebook(reading(maps={"attention": np.ones(4)}))).text()


def test_a_change_is_seen_beside_what_was_before() -> None:
    result = reading(
        before=reading("a bad film indeed", probabilities={"positive": 0.125, "negative": 0.875})
    )
    for text in (Page(in_notebook(result)).text(), "\n".join(lines(result))):
        assert "a bad film indeed" in text
        assert "0.125" in text
        assert "0.875" in text


def test_an_audit_says_what_may_be_shown() -> None:
    result = reading(audit=audit())
    for text in (Page(in_notebook(result)).text(), "\n".join(lines(result))):
        assert "Its audit, of 24 texts, says about attention: can be shown with" in " ".join(
            text.split()
        )


@pytest.mark.parametrize(
    ("whole", "own", "forbidden"),
    [
        (MUST_NOT, CAVEATS, False),  # the class has a verdict of its own
        (MUST_NOT, CANNOT_TELL, True),
        (CAVEATS, MUST_NOT, True),
        (CAVEATS, CANNOT_TELL, "yet"),
        (CAVEATS, CAVEATS, False),
    ],
)
def test_the_map_of_a_text_is_forbidden_as_the_verdict_of_its_class_is(
    whole: str, own: str, forbidden: bool | str
) -> None:
    verdict = reached(whole, 6, (), (), {"positive": reached(own, 6)})
    text = "\n".join(lines(reading(audit=replace(audit(), verdict=verdict))))
    assert ("Do not show attention of this text" in text) == bool(forbidden)
    assert ("of this text yet" in text) == (forbidden == "yet")


@pytest.mark.parametrize("unknown", ["r216", "zzz", 5, None, []])
def test_the_level_of_a_text_is_asked_by_a_class_of_the_model(unknown: object) -> None:
    with pytest.raises(SpecError, match="'negative', 'positive'") as caught:
        audit().for_text(unknown)  # type: ignore[arg-type]
    assert caught.value.field == "predicted"


@pytest.mark.parametrize(
    ("whole", "known", "level"),
    [
        (CAVEATS, {}, CAVEATS),  # all audited texts are predicted negative
        (CAVEATS, {"negative": reached(CAVEATS, 6)}, CAVEATS),
        (MUST_NOT, {"negative": reached(CAVEATS, 6)}, CAVEATS),
    ],
)
def test_a_class_that_no_audited_text_was_predicted_as_is_open(
    whole: str, known: dict[str, Verdict], level: str
) -> None:
    negative = tuple(replace(text, predicted="negative") for text in audit().texts)
    model = {**audit().cards.get("model", {}), "labels": ["negative", "positive"]}
    found = replace(
        audit(),
        texts=negative,
        verdict=reached(whole, 6, (), (), known),
        cards={**audit().cards, "model": model},
    )
    open_ = MUST_NOT if whole == MUST_NOT else CANNOT_TELL
    assert (found.for_text("negative"), found.for_text("positive")) == (level, open_)
    text = "\n".join(lines(reading(audit=found)))
    assert "of this text" in text
    assert "Which map may be shown" not in text or whole == MUST_NOT


def test_of_a_text_whose_class_is_decided_by_absence_no_map_is_to_be_shown() -> None:
    """A reading is of one text, and every text has a class."""
    absent = (
        "Show no map of this text: it is predicted '{}' by absence, and no highlighted word can "
        "explain that"
    )
    for verdict, predicted in (
        (by_absence(), False),
        (replace(by_absence(), by_class={"positive": ABSENT}), True),
    ):
        result = reading(audit=replace(audit(), verdict=verdict))
        for text in (Page(in_notebook(result)).text(), "\n".join(lines(result))):
            assert (absent.format(result.text.predicted) in " ".join(text.split())) is predicted


def test_attention_on_tokens_of_no_word_is_said_with_the_weights_of_the_words() -> None:
    found = reading(elsewhere=0.438)
    assert found.to_json()["elsewhere"] == 0.438
    assert "44 % of the attention" in "\n".join(lines(found)).replace("\xa0", " ")
    for other in (reading(), reading(elsewhere=0.0), replace(found, maps={})):
        assert "of the attention;" not in "\n".join(lines(other))


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_in_a_text_is_obeyed(text: str) -> None:
    result = reading(
        text,
        probabilities={text: 1.0, "b": 0.0},
        absent={"evidence": text},
        advice=text,
        before=reading(text),
    )
    page = Page(in_notebook(result))
    assert page.torn == []
    for tag, attributes in page.tags:
        assert tag in {
            "div",
            "p",
            "bdi",
            "span",
            "table",
            "thead",
            "tbody",
            "tr",
            "th",
            "td",
            "details",
            "summary",
        }
        assert set(attributes) <= {"style", "scope", "open"}
        assert "url(" not in attributes.get("style", "")
    in_notebook(result).encode()
    printed = [*lines(result), *(line.plain for line in shaded(result))]
    assert not any(sign in line for line in printed for sign in "\x1b\0\x07\u202e")


def test_the_terminal_says_each_number() -> None:
    message = "\n".join(lines(reading(cut=2, known=None, absent={"evidence": "needs more"})))
    assert "0  a       0.500      −0.500" in message
    assert "Cut: the last 2 words were not read." in message
    assert "No token evidence: needs more." in message
    assert "does not say which words it knows" in message
    nothing = reading("one", maps={"deletion": np.array([np.nan])}, known=(True,))
    assert "0  one   —" in "\n".join(lines(nothing))
    assert nothing.to_json()["words"][0]["deletion"] != 0


def test_colours_of_a_terminal_bring_their_ink() -> None:
    weights, sides, *scales = shaded(reading())
    same_text("report", weights.plain)
    assert [scale.plain.split() for scale in scales] == [
        ["colours:", "0.01", "0.1", "0.3", "1", "in", "attention"],
        [
            "colours:",
            "−4",
            "−1.2",
            "−0.4",
            "−0.04",
            "0.04",
            "0.4",
            "1.2",
            "4",
            "in",
            "signed",
            "gradient",
        ],
    ]
    styles = [str(span.style) for span in sides.spans if "rgb" in str(span.style)]
    assert len(set(styles)) == 3
    assert all(style.startswith(("black on", "underline black on")) for style in styles)


def test_predictions_are_written_line_by_line_in_full() -> None:
    found = [
        PlacedPrediction(2, Prediction("=a", {"=a": 2 / 3, "b": 1 / 3})),
        PlacedPrediction(3, Prediction(None, {"=a": np.nan, "b": np.nan})),
    ]
    assert "".join(prediction_lines(found, "csv")).splitlines() == [
        "line,predicted,probability of =a,probability of b",
        "2,'=a,0.6666666666666666,0.3333333333333333",
        "3,,,",
    ]
    same_text("report", list(prediction_lines(found, "jsonl"))[1])
    named = [one._replace(id=name) for one, name in zip(found, ("x", "=y"), strict=True)]
    assert [line[:7] for line in prediction_lines(named, "csv")] == [
        "line,id",
        "2,x,'=a",
        "3,'=y,,",
    ]
    assert prediction_json(found[0])["probabilities"]["b"] == 1 / 3


def test_numbers_are_classes_and_ids_as_they_are() -> None:
    found = [
        PlacedPrediction(2, Prediction(name, {"-1": 0.75, "+1": 0.25}), name)
        for name in ("-1", "+1", "-1.5", "-1+2", "-", "'-1", "'-1+2")
    ]
    rows = [*csv.reader("".join(prediction_lines(found, "csv")).splitlines())]
    assert rows[0][-2:] == ["probability of -1", "probability of +1"]
    named = ["-1", "+1", "-1.5", "'-1+2", "'-", "''-1", "''-1+2"]
    assert [row[1:3] for row in rows[1:]] == [[name, name] for name in named]
