"""One text: its maps are those of an audit, a change is a text of its own, and nothing is taken for
evidence.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import sightline
from sightline.api.look import NOT_KNOWN, TRAINED_AGAIN, edited
from sightline.audits.audit_result import Audit
from sightline.config.word_maps import MAPS
from sightline.core.errors import DataError, ModelError, SpecError
from sightline.core.explanation import USUAL
from sightline.core.needs import needed
from sightline.core.results import (
    CANNOT_TELL,
    CAVEATS,
    MUST_NOT,
    MapRow,
    Measurement,
    Ragged,
    Verdict,
)
from sightline.core.tokeniser import tokenise
from sightline.data.dataset import Dataset
from sightline.experiments.pipeline import Trained
from sightline.models.alterations import Scaled
from tests.adapters.plain import wrapped
from tests.api.conftest import MODEL
from tests.texts import WORDS, untrained

KEPT = {
    "attention": "outputs",
    "deletion": "agreement",
    "gradient": "agreement",
    "contribution": "transplant",
}
KEPT |= dict.fromkeys(("signed_gradient", "signed_deletion", "signed_contribution"), "transplant")
"""The measures that keep the maps of an audit."""


def test_the_maps_of_one_text_are_those_that_an_audit_takes(model: Trained, audit: Audit) -> None:
    compared = 0
    for place, text in enumerate(audit.texts):
        look = sightline.look(model, text.text, maps=tuple(KEPT))
        assert (look.text.tokens, look.text.predicted) == (text.tokens, text.predicted)
        outputs = audit.measurements["outputs"].values
        assert look.probabilities[text.predicted] == pytest.approx(
            outputs["probability"][place], abs=1e-12
        )
        for name, measure in KEPT.items():
            measured = audit.measurements[measure]
            assert isinstance(measured, Measurement)
            if isinstance(kept := measured.values.get(name), Ragged):
                np.testing.assert_allclose(
                    look.maps[name], kept.rows()[place], rtol=1e-9, atol=1e-12
                )
                compared += 1
    assert compared >= 3 * len(audit.texts)


def test_leaving_a_word_out_does_what_its_deletion_says(model: Trained, data: Dataset) -> None:
    look = sightline.look(model, data.test[0].text, maps=("deletion", "signed_deletion"))
    whole = np.array(list(look.probabilities.values()))
    for place in range(len(look.text.tokens)):
        rest = look.without(place)
        left = np.array(list(rest.probabilities.values()))
        assert look.maps["deletion"][place] == pytest.approx(
            0.5 * np.abs(whole - left).sum(), abs=1e-12
        )
        odds = [
            np.log(p / (1 - p))
            for p in (
                look.probabilities[look.text.predicted],
                rest.probabilities[look.text.predicted],
            )
        ]
        assert look.maps["signed_deletion"][place] == pytest.approx(odds[0] - odds[1], abs=1e-9)
        assert rest.before is look
        assert rest.text.tokens == look.text.tokens[:place] + look.text.tokens[place + 1 :]


def test_a_change_stands_beside_what_was_before(model: Trained, data: Dataset) -> None:
    look = sightline.look(model, data.test[0].text)
    other = look.edit(2, "Zyx")
    assert other.text.tokens[2] == "zyx"
    assert other.unknown == tuple(
        word for word in other.text.tokens if word not in model.model.vocabulary.words
    )
    assert "zyx" in other.unknown
    assert other.before is look
    message = str(other)
    assert look.text.text in message
    assert all(f"{number:.3f}" in message for number in look.probabilities.values())
    assert sightline.look(model, other.text.text).probabilities == other.probabilities
    for place in (-1, len(look.text.tokens)):
        with pytest.raises(SpecError, match="expected the place of a word, from 0 to") as refused:
            look.edit(place, "x")
        assert refused.value.field == "place"


def test_a_word_may_be_named_instead_of_its_place(model: Trained) -> None:
    look = sightline.look(model, "One two three two")
    assert look.edit("one", "x").text.text == "x two three two"
    assert look.without("Three").text.tokens == ("one", "two", "two")
    assert look.edit(np.int64(1), "x").text.tokens[1] == "x"
    for place, message in (
        ("two", "which is there 2 times"),
        ("zyx", "there 0 times"),
        (True, "got True"),
        (1.0, "got 1.0"),
    ):
        with pytest.raises(SpecError, match=message) as refused:
            look.edit(place, "x")
        assert refused.value.field == "place"
    with pytest.raises(SpecError, match="word: expected a word, got 5"):
        look.edit(0, 5)


@given(
    words=st.text(alphabet="ab1. ,'-!漢", min_size=1, max_size=12),
    word=st.sampled_from(["", "a", "1", ".", "b c"]),
    data=st.data(),
)
def test_an_edit_changes_one_word_and_no_other(words: str, word: str, data: st.DataObject) -> None:
    tokens = tokenise(words)[0]
    if not tokens:
        return
    place = data.draw(st.integers(0, len(tokens) - 1))
    wanted = (*tokens[:place], *tokenise(word)[0], *tokens[place + 1 :])
    assert tokenise(edited(words, place, word))[0] == wanted


def test_what_a_model_does_not_allow_is_said_to_be_absent() -> None:
    result = sightline.look(untrained("mlp(hidden=4)+query"), "ba do", "ki")
    assert result.absent == {
        "signed_contribution": f"{needed({'token_logits'})}; the model does not offer it"
    }
    assert list(result.maps) == ["attention", "deletion", "signed_gradient"]
    assert f"No signed weight × logit: {needed({'token_logits'})}" in str(result)
    assert result.again("lu").text.query == ("ki",)
    with pytest.raises(ModelError, match="expects a query, got no query"):
        sightline.look(untrained("mlp(hidden=4)+query"), "ba do")


def test_a_model_from_elsewhere_is_proved_and_does_not_say_what_it_knows() -> None:
    ours = untrained("mlp(hidden=4)")
    text = " ".join(WORDS[:5])
    theirs = sightline.look(wrapped(ours), text)
    assert theirs.known is None
    assert "does not say which words it knows" in str(theirs)
    np.testing.assert_allclose(
        theirs.maps["attention"], sightline.look(ours, text).maps["attention"], atol=1e-6
    )
    assert list(theirs.probabilities) == ["class 0", "class 1"]
    texts = [f"{text} {word}" for word in WORDS[:24]]
    given = sightline.data_from(texts, ["no", "yes"] * 12, splits="all")
    audited = sightline.audit(wrapped(ours), given, full=True)
    beside = sightline.look(wrapped(ours), text, audit=audited)
    assert list(beside.probabilities) == audited.cards["model"]["labels"]
    assert beside.to_json()["verdict_of_text"] == audited.for_text(beside.text.predicted)
    tripled = wrapped(ours, decode=lambda traced, attention: 3 * traced["logits"])
    with pytest.raises(ModelError, match="cannot be audited"):
        sightline.look(tripled, text)


def test_words_beyond_the_longest_length_are_cut_and_counted(model: Trained) -> None:
    look = sightline.look(model, "one two three four", max_tokens=3)
    assert (look.text.tokens, look.cut) == (("one", "two", "three"), 1)
    assert "Cut: the last 1 word" in str(look)
    assert look.text.text == "one two three four"


def test_no_map_is_shown_without_saying_that_it_is_no_evidence(
    model: Trained, audit: Audit, tmp_path: Path
) -> None:
    look = sightline.look(model, "one two")
    for message in (str(look), look._repr_html_(), look.to_json()["warning"]):
        assert "not evidence" in message
        assert "sightline.audit(model, data)" in message
    assert look.to_json()["verdict"] is look.to_json()["verdict_of_text"] is None
    beside = sightline.look(model, "one two", audit=audit.save(tmp_path / "audit"))
    for message in (str(beside), beside.to_json()["warning"]):  # the advice to audit is followed
        assert "not evidence" in message
        assert beside.advice not in message
    assert f"attention: {audit.verdict.level}" in str(beside)
    assert beside.to_json()["verdict"] == audit.verdict.level
    own = replace(
        audit.verdict,
        level=CAVEATS,
        by_class={beside.text.predicted: Verdict(CANNOT_TELL, 6, (), ())},
    )
    written = sightline.look(model, "one two", audit=replace(audit, verdict=own)).to_json()
    assert (written["verdict"], written["verdict_of_text"]) == (CAVEATS, CANNOT_TELL)
    assert beside.edit(0, "three").audit is beside.audit


def test_an_audit_of_another_model_is_refused(model: Trained, audit: Audit) -> None:
    other = replace(
        audit, cards={**audit.cards, "model": {**audit.cards["model"], "labels": ["yes", "no"]}}
    )
    for wrong, asked in ((untrained("mlp(hidden=5)"), audit), (model, other)):
        with pytest.raises(ModelError, match=r"expected an audit of mlp\(hidden=\d\)") as caught:
            sightline.look(wrong, "one two", audit=asked)
        assert caught.value.field == "audit"


def marked(audit: Audit, key: str, **card: str) -> Audit:
    """Let an audit say that it is of other weights, and of a training with this key."""
    return replace(
        audit,
        cards={**audit.cards, "model": {**audit.cards["model"], **card}},
        spec={**audit.spec, "training_key": key},
    )


def test_an_audit_of_another_training_is_refused(
    model: Trained, audit: Audit, data: Dataset
) -> None:
    assert sightline.look(model, "one two", audit=audit).doubt == ""
    other = sightline.train(data, MODEL, epochs=1, seed=1, companions="none")
    for wrong, asked in ((other, audit), (model, marked(audit, "other", weights="0" * 16))):
        with pytest.raises(
            ModelError, match="got the audit of another training of the same model, whose weights"
        ) as caught:
            sightline.look(wrong, "one two", audit=asked)
        assert caught.value.field == "audit"
        assert "sightline.audit(model, data)" in str(caught.value)


def test_what_cannot_be_known_of_an_audit_is_said(model: Trained, audit: Audit) -> None:
    unknown = replace(
        audit,
        cards={
            **audit.cards,
            "model": {k: v for k, v in audit.cards["model"].items() if k != "weights"},
        },
    )
    alike = marked(audit, model.record["key"], weights="0" * 16)
    for asked, doubt in ((unknown, NOT_KNOWN), (alike, TRAINED_AGAIN)):
        look = sightline.look(model, "one two", audit=asked)
        assert look.doubt == look.edit(0, "three").to_json()["doubt"] == doubt
        assert doubt in str(look)
        assert doubt in look._repr_html_()
        assert look.advice in look.to_json()["warning"]


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "with words in it"), (" \u200b", "with words"), ("a\0", "no character")],
)
def test_what_is_no_text_is_refused(model: Trained, text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        sightline.look(model, text)


def test_maps_are_asked_for_by_name(model: Trained) -> None:
    assert set(USUAL) <= set(MAPS)
    assert list(sightline.look(model, "one two", maps=["evidence", "evidence"]).maps) == [
        "evidence"
    ]
    assert list(sightline.look(model, "one two", maps="attention").maps) == ["attention"]
    for name in ("given", "nothing"):
        with pytest.raises(SpecError, match=f"got '{name}'") as caught:
            sightline.look(model, "one two", maps=[name])
        assert caught.value.field == "maps"


def test_the_maps_that_an_audit_names_are_drawn_too(model: Trained, audit: Audit) -> None:
    rows = (
        MapRow("deletion", False, True, "passed"),
        MapRow("signed_gradient", True, False, "passed"),
        MapRow("signed_deletion", True, True, "passed"),
        MapRow("given", False, False, "passed"),
    )
    named = replace(audit, maps=rows, verdict=Verdict(MUST_NOT, 2, (), ()), learned=None)
    usual = [*sightline.look(model, "one two").maps]
    found = sightline.look(model, "one two", audit=named)
    assert [*found.maps] == [*usual, "signed_deletion"]
    assert [*found.edit(0, "two").maps] == [*found.maps]
    assert [*sightline.look(model, "one two", audit=named, maps="attention").maps] == ["attention"]
    failed = replace(named, maps=tuple(replace(one, answer="failed") for one in rows))
    assert not audit.learned.something
    for one in (failed, replace(named, learned=audit.learned)):  # a model that guesses has no map
        assert [*sightline.look(model, "one two", audit=one).maps] == usual


def test_a_text_without_a_finite_answer_is_no_picture(model: Trained, data: Dataset) -> None:
    with pytest.raises(ModelError, match="expected finite"):
        sightline.look(Scaled(model.model, data, 0, float("inf")), "one two")


def test_the_model_is_left_as_it_was(model: Trained) -> None:
    before = {name: weight.clone() for name, weight in model.model.state_dict().items()}
    sightline.look(model, "one two").edit(0, "three")
    assert all(
        torch.equal(weight, before[name]) for name, weight in model.model.state_dict().items()
    )
