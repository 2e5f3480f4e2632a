"""Who may be audited: by every road, whatever was not made here is proved, and what it does not say
is named.
"""

import sys
from dataclasses import replace
from inspect import unwrap
from pathlib import Path

import pytest
import torch

import sightline
from sightline.adapters.factory import load_factory
from sightline.adapters.validate_model import MUST_SAY, validate
from sightline.adapters.validate_outputs import call_user_code
from sightline.core.error_excerpts import without_excerpts
from sightline.core.errors import ModelError
from sightline.core.protocols import Trace
from sightline.models.classifier import AttentionClassifier
from tests.adapters.test_wrap import dataset
from tests.snapshots import refused
from tests.texts import untrained

OURS = untrained("bilstm(hidden=6)")
REFUSED = (
    r"Tripled cannot be audited, one of its compatibility checks fails: the weights of text t\d sum to 3 over "
    r"its words"
)


class Honest:
    """A class of somebody's own around a model."""

    name, link, labels, origin = "Honest", "sigmoid", None, "elsewhere"
    offers = frozenset({"decode", "embedding_grad"})
    collate, embed, trace, decode = OURS.collate, OURS.embed, OURS.trace, OURS.decode


class Tripled(Honest):
    """Attention is tripled where it is shown, and parted again where it is used: only its sum
    tells.
    """

    name = "Tripled"

    def trace(self, batch: object, embeddings: object = None) -> Trace:
        trace = OURS.trace(batch, embeddings)
        return replace(trace, attention=3 * trace.attention)

    def decode(self, trace: Trace, attention: torch.Tensor) -> torch.Tensor:
        return OURS.decode(trace, attention / 3)


def test_an_honest_stranger_is_audited() -> None:
    found = sightline.audit(Honest(), dataset(), companions={"uniform": Honest()})
    assert found.cards["model"]["training_texts"].startswith("unknown")
    assert set(found.measurements) >= {"agreement", "retrained"}


def test_python_refuses_a_stranger_whose_proof_fails() -> None:
    with pytest.raises(ModelError, match=REFUSED):
        sightline.audit(Tripled(), dataset())
    with pytest.raises(ModelError, match=REFUSED):
        sightline.audit(OURS, dataset(), {"uniform": Tripled()})


@pytest.mark.parametrize("missing", MUST_SAY)
def test_what_a_model_does_not_say_is_named(missing: str) -> None:
    values = {name: getattr(Honest, name) for name in MUST_SAY if name != missing}
    with refused(ModelError):
        unwrap(sightline.audit)(
            type("Mine", (), values)(), dataset()
        )  # tests check types before anything is asked


@pytest.mark.parametrize("model", [torch.nn.LSTM(2, 2), None, 3])
def test_what_is_nothing_like_a_model_is_to_be_wrapped(model: object) -> None:
    with refused(ModelError) as caught:
        unwrap(sightline.audit)(model, dataset())
    assert "sightline.wrap" in caught.value.change


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"origin": "there"}, "expected origin to be here or elsewhere, got 'there'"),
        ({"link": "logit"}, "expected link to be sigmoid or softmax, got 'logit'"),
        ({"offers": frozenset({"decod"})}, "it offers 'decod', which no measure knows"),
        (
            {"offers": frozenset({"deletion"})},
            "it offers 'deletion', a shorter way to the same answers that nothing checks",
        ),
        ({"labels": (0, 1)}, r"expected labels to be names, got \(0, 1\)"),
    ],
)
def test_what_a_model_says_must_be_known(said: dict, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        validate(type("Mine", (Honest,), said)())


def test_a_stranger_that_says_here_is_not_believed() -> None:
    claim = type("Mine", (Tripled,), {"origin": "here"})
    with refused(ModelError):
        sightline.audit(claim(), dataset())
    ours = type("Mine", (AttentionClassifier,), {})
    with pytest.raises(ModelError, match="it comes from tests"):
        validate(ours(OURS.spec, OURS.vocabulary, OURS.label_names, 0))
    assert validate(OURS) is OURS


def test_a_companion_numbers_its_classes_as_the_model_does() -> None:
    other = type("Other", (Honest,), {"labels": ("class 1", "class 0")})
    with refused(ModelError):
        sightline.audit(OURS, dataset(), {"uniform": other()})


def test_what_a_stranger_collates_and_traces_is_read_strictly() -> None:
    pair = type("Mine", (Honest,), {"collate": lambda self, texts: ("ids", "mask")})
    with refused(ModelError):
        sightline.audit(pair(), dataset())
    entries = type(
        "Mine", (Honest,), {"trace": lambda self, batch, embeddings=None: {"attention": 1}}
    )
    with refused(ModelError):
        sightline.audit(entries(), dataset())


def test_a_factory_that_forgets_to_say_something_is_told_what(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = (
        "from tests.adapters.test_validate_model import Honest as H\nNAMES = ('name', 'link', "
        "'labels', 'offers')\n"
    )
    lines += "CALLS = ('collate', 'embed', 'trace', 'decode')\n"
    lines += (
        "def build():\n    return type('Mine', (), {n: getattr(H, n) for n in NAMES + CALLS})()\n"
    )
    (tmp_path / "forgetful.py").write_text(lines)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    with refused(ModelError):
        load_factory("py:forgetful:build")


def test_what_an_error_of_user_code_says_is_left_out_where_texts_are() -> None:
    def forgets(word: str) -> int:
        return {"good": 1}[word]

    with pytest.raises(ModelError, match=r"KeyError: 'smith' \(test_validate_model.py:\d+\)"):
        call_user_code("collate", forgets, "smith")
    with without_excerpts(), pytest.raises(ModelError) as caught:
        call_user_code("collate", forgets, "smith")
    assert "smith" not in str(caught.value)
    assert "collate raised KeyError (test_validate_model.py:" in str(caught.value)
