"""Whose evidence a token shows: its word's in an MLP, its text's where a model reads it elsewhere
(SL-402).
"""

from dataclasses import replace

import numpy as np
import pytest

from sightline.audits.measure_pass import measure
from sightline.core.results import Measurement
from sightline.core.seeds import Seeds
from sightline.measures.own_word import OwnWord
from sightline.models.classifier import AttentionClassifier
from sightline.verdict.catalogue import AUDIT_TESTS
from tests.reference import states as literal
from tests.texts import examples, trained, untrained

TEXTS = examples((7, 1, 4, 12, 2, 9))


def taken(
    model: AttentionClassifier, texts: list = TEXTS, size: int = 4, **companions: object
) -> Measurement:
    found = measure(
        model, texts, (OwnWord(),), companions, Seeds(0), size, lambda done, total: None
    )["own_word"]
    assert isinstance(found, Measurement), found
    return found


@pytest.mark.parametrize(
    ("spec", "classes"), [("bilstm(hidden=6)+additive", 2), ("mlp(hidden=6)+additive", 4)]
)
def test_it_is_the_share_of_the_evidence_that_each_explains(spec: str, classes: int) -> None:
    model = untrained(spec, classes=classes).double()
    found = taken(model)
    traces = [model.trace(model.collate([text])) for text in TEXTS]
    logits = [trace.token_logits[0].numpy() for trace in traces]
    if classes > 2:
        logits = [one - one.mean(1, keepdims=True) for one in logits]
    sums = literal.explained(
        [text.tokens for text in TEXTS], logits, [one.attention[0].tolist() for one in traces]
    )
    mean = np.mean([one[0] for one in sums if one])
    for name, column in (("whole", 0), ("word", 1), ("text", 2)):
        expected = [np.nan if one is None else one[column] / mean for one in sums]
        assert found.values[name] == pytest.approx(expected, nan_ok=True)
    assert found.undefined == {name: {"one word": 1} for name in ("whole", "word", "text")}
    assert found.missing == {"untrained": "needs a control model (untrained)"}


def test_in_an_mlp_the_word_explains_everything() -> None:
    found = taken(untrained("mlp(hidden=6)+additive").double()).values
    assert found["word"] == pytest.approx(found["whole"], nan_ok=True)
    assert np.nanmean(found["whole"]) == pytest.approx(1)


def test_copies_and_texts_of_one_group_are_no_other_texts() -> None:
    model = untrained("bilstm(hidden=6)+additive").double()
    copy = replace(TEXTS[2], index=9, id="copy")
    texts = [*TEXTS[:3], *(replace(text, group="one source") for text in TEXTS[3:]), copy]
    found = taken(model, texts).values
    traces = [model.trace(model.collate([text])) for text in texts]
    sums = literal.explained(
        [text.tokens for text in texts],
        [trace.token_logits[0].numpy() for trace in traces],
        [trace.attention[0].tolist() for trace in traces],
        [0, 1, 2, 3, 3, 3, 2],
    )
    mean = np.mean([one[0] for one in sums if one])
    for name, column in (("whole", 0), ("word", 1), ("text", 2)):
        expected = [np.nan if one is None else one[column] / mean for one in sums]
        assert found[name] == pytest.approx(expected, nan_ok=True)


def test_the_untrained_companion_is_measured_as_itself() -> None:
    model, other = (
        untrained("bilstm(hidden=6)+additive"),
        untrained("bilstm(hidden=6)+additive", seed=8),
    )
    found = taken(model, untrained=other)
    assert found.values["untrained"] == pytest.approx(taken(other).values["word"], nan_ok=True)
    assert found.values["word"] == pytest.approx(taken(model).values["word"], nan_ok=True)
    assert found.missing == {}


def test_evidence_that_never_varies_has_nothing_to_explain() -> None:
    model = untrained("mlp(hidden=6)+additive")
    model.decoder.affine.weight.data.zero_()
    values = {"one word": 1, "no word of it stands in another text, or all evidence is the same": 5}
    assert taken(model).undefined["word"] == values


def test_a_model_that_reads_the_evidence_elsewhere_shows_it_everywhere() -> None:
    """SL-402: attention lies on fillers, and their states say what the needle says."""
    data = "planted:needle(length=8,n=300)"
    settings = {"epochs": 15, "patience": 15, "learning_rate": 1e-2}
    away, dataset = trained(data, "bilstm(hidden=8)", guide="away", guide_weight=0.3, **settings)
    onto, _ = trained(data, "bilstm(hidden=8)", guide="onto", **settings)
    assert AUDIT_TESTS["SL-402"].number == "own_word.word"
    effects = []
    for model in (onto, away):
        found = taken(model, list(dataset.test), 32).values
        word, text = np.nanmean(found["word"]), np.nanmean(found["text"])
        effects.append((word - text) / (1 - text))
    assert effects[0] > 0.8
    assert effects[1] < 0
