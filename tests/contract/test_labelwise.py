"""What a model with an attention for each label owes: each of its labels is a built-in model of two
classes, and all of them together give what each does.
"""

from itertools import product
from pathlib import Path

import pytest
import torch

from sightline.config.registry import ENCODERS, PROJECTIONS, RETENTIONS, SCORERS
from sightline.config.spec_syntax import parse_model
from sightline.core.errors import SpecError
from sightline.models.classifier import AttentionClassifier
from sightline.models.model_storage import load_classifier, save_classifier
from tests.contract.test_models import (
    EXACT,
    answers_from_its_own_states,
    attends_to_words_alone,
    decodes_its_own_attention,
    does_not_see_padding,
    is_the_same_batched_and_alone,
    mixes_token_logits_if_it_has_any,
    refused,
    same,
    small,
    texts,
)
from tests.sampling import every_pair, slow_but
from tests.texts import untrained

LABELS = 3
ROOMS = (ENCODERS, SCORERS, PROJECTIONS, ("learned", "uniform", "random", "frozen"))
SPECS = [small((*parts, "labelwise", kept)) for *parts, kept in product(*ROOMS, RETENTIONS)]
BUILT = [spec for spec in SPECS if refused(spec) is None]


def whole(spec: str) -> AttentionClassifier:
    return untrained(spec, LABELS, boundaries=len(spec) % 3 == 0)


@pytest.mark.parametrize("spec", slow_but(every_pair(spec.split("+") for spec in BUILT), BUILT))
def test_each_label_keeps_what_every_model_promises(spec: str, tmp_path: Path) -> None:
    model = whole(spec)
    batch = model.collate(texts(model))
    with torch.no_grad():
        every = model.run(batch)
    assert every.logits.shape == (5, LABELS)
    torch.testing.assert_close(model.label_logits(batch), every.logits, **EXACT)
    for label in range(LABELS):
        view = model.view(label)
        assert view.link == "sigmoid"
        assert view.labels == (f"not class {label}", f"class {label}")
        trace = view.trace(batch)
        torch.testing.assert_close(trace.logits[:, 0], every.logits[:, label], **EXACT)
        torch.testing.assert_close(trace.attention, every.attention[:, label], **EXACT)
    decodes_its_own_attention(view, trace)
    answers_from_its_own_states(view, trace)
    is_the_same_batched_and_alone(view, trace)
    does_not_see_padding(view, trace)
    attends_to_words_alone(trace)
    mixes_token_logits_if_it_has_any(view, trace)
    loaded, _ = load_classifier(save_classifier(model, tmp_path / "saved"))
    assert same(loaded, model)
    assert torch.equal(loaded.label_logits(batch), model.label_logits(batch))
    learns_by_label(model)


def learns_by_label(model: AttentionClassifier) -> None:
    """The loss of one label moves its own rows and what all share, and no other row."""
    model.train()
    trace = model.run(model.collate(texts(model)))
    trace.logits[:, 1].sum().backward()
    rows = model.decoder.affine.weight.grad.abs().sum(1) > 0
    assert rows.tolist() == [False, True, False]
    last = model.scorer.last.weight.grad
    if model.spec.source.name == "learned":
        assert (last.abs().sum(1) > 0).tolist() == [False, True, False]
    else:
        assert last is None


def test_a_view_has_the_weights_of_the_whole_and_copies_none_that_all_share() -> None:
    model = whole("mlp(hidden=8)+additive+labelwise")
    views = [model.view(label) for label in range(LABELS)]
    assert {view.embedding.weight.data_ptr() for view in views} == {
        model.embedding.weight.data_ptr()
    }
    assert [view.name for view in views] == [f"{model.name}: class {n}" for n in range(LABELS)]
    with torch.no_grad():
        model.decoder.affine.bias[1] += 5
        batch = model.collate(texts(model))
        moved = [view.trace(batch).logits[:, 0] for view in views]
    torch.testing.assert_close(torch.stack(moved, 1), model.label_logits(batch), **EXACT)


@pytest.mark.parametrize("source", ["constant", "given(run=0000000000000001)"])
def test_weights_that_are_one_for_each_text_are_refused(source: str) -> None:
    with pytest.raises(SpecError, match="one attention for each text"):
        parse_model(f"mlp+{source}+labelwise").check_together()
