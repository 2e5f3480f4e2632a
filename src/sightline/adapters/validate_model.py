"""Admits models to an audit: a model must declare what an audit needs, and pass the compatibility
checks unless it was made here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from torch import nn

from sightline.adapters.compatibility import require
from sightline.adapters.label_views import has_labels
from sightline.adapters.precision import to_float64
from sightline.core.errors import ModelError
from sightline.core.example import Example
from sightline.core.protocols import Auditable, Capability, Origin

_HOUSE = "sightline."
MUST_SAY: Mapping[str, str] = {
    "name": "add name, what the report is to call the model",
    "link": "add link, 'sigmoid' for one logit or 'softmax' for a logit a class",
    "labels": "add labels, the names of the classes in the order of the logits, or None",
    "origin": "add origin = 'elsewhere', so that the model is checked before it is audited",
    "offers": (
        "add offers, a frozenset of what it can do beyond a trace (decode, token_logits, "
        "embedding_grad)"
    ),
    "collate": "add collate(examples), which gives a Batch",
    "embed": "add embed(batch), which gives embeddings",
    "trace": "add trace(batch, embeddings=None), which gives a Trace",
    "decode": "add decode(trace, attention), which may raise where decode is not among the offers",
}
"""The attributes and methods of a model, and what to add if one is missing."""
WRAP_IT = "wrap it with sightline.wrap or sightline.tap"
OURS: frozenset[Capability] = frozenset({"variants", "deletion", "influence"})
"""Offers that save time and change no answer: only the classes of this package may declare them."""
_KNOWN: Mapping[str, tuple[str, ...]] = {"link": ("sigmoid", "softmax"), "origin": get_args(Origin)}


def validate(model: Any) -> Auditable:
    """Check that a model has all that `Auditable` requires; an error names what is missing."""
    kind = type(model).__name__
    missing = [name for name in MUST_SAY if not hasattr(model, name)]
    if 2 * len(missing) > len(MUST_SAY):  # a class that follows the protocol has most of them
        if isinstance(model, nn.Module):
            raise ModelError(f"expected a model to audit, got a bare {kind}", change=WRAP_IT)
        got = "nothing (None)" if model is None else f"a value of type {kind}"
        change = "give what sightline.wrap, sightline.tap or sightline.train returns"
        raise ModelError(f"expected a model to audit, got {got}", change=change)
    if missing:
        raise ModelError(
            f"{kind}: expected a model to audit, got one without {missing[0]!r}",
            change=MUST_SAY[missing[0]],
        )
    if has_labels(model):
        raise ModelError(
            f"{model.name}: expected one decision between classes, got a model with a sigmoid for "
            "each of several labels",
            change="audit its labels with sightline.audit_labels or `sightline audit`, or take one "
            "of them with sightline.label_view(model, label)",
        )
    for name, known in _KNOWN.items():
        if (value := getattr(model, name)) not in known:
            raise ModelError(
                f"{kind}: expected {name} to be {' or '.join(known)}, got {value!r}",
                change=MUST_SAY[name],
            )
    if odd := sorted(str(offer) for offer in set(model.offers) - set(get_args(Capability))):
        raise ModelError(
            f"{kind}: it offers {odd[0]!r}, which no measure knows", change=MUST_SAY["offers"]
        )
    strange = model.origin == "elsewhere" and not _of_the_house(model)
    if strange and (ours := sorted(OURS & set(model.offers))):
        message = (
            f"{kind}: it offers {ours[0]!r}, a shorter way to the same answers that nothing checks"
        )
        raise ModelError(message, change="leave it out; the answers are found by running the model")
    if model.labels is not None and not all(isinstance(name, str) for name in model.labels):
        raise ModelError(
            f"{kind}: expected labels to be names, got {model.labels!r}", change=MUST_SAY["labels"]
        )
    assert isinstance(model, Auditable)
    return _believed(model)


def _believed(model: Auditable) -> Auditable:
    """Accept the origin ``here`` only from the classes of this package; other classes have to be
    checked.
    """
    kind = type(model)
    if model.origin == "here" and not _of_the_house(model):
        raise ModelError(
            f"{kind.__name__}: its origin is 'here', which only the classes of sightline can "
            f"say, and it comes from {kind.__module__}",
            change=MUST_SAY["origin"],
        )
    return model


def _of_the_house(model: Auditable) -> bool:
    return type(model).__module__.startswith(_HOUSE)


def admit(
    model: Any, examples: Sequence[Example], labels: Sequence[str] | None = None
) -> Auditable:
    """Admit a model to an audit, as it will be run: a model from elsewhere is checked, a model made
    here is copied to float64.
    """
    known = validate(model)
    if known.origin == "elsewhere":
        require(known, examples, labels)
    return to_float64(known)


def admit_companions(
    companions: Mapping[str, Any],
    model: Auditable,
    examples: Sequence[Example],
    labels: Sequence[str],
) -> dict[str, Auditable]:
    """Admit the control models in the same way; they must number their classes as the model does."""
    return {
        name: _companion(name, companion, model, examples, labels)
        for name, companion in companions.items()
    }


def _companion(
    name: str, companion: Any, model: Auditable, examples: Sequence[Example], labels: Sequence[str]
) -> Auditable:
    known = admit(companion, examples, labels)
    if None not in (known.labels, model.labels) and known.labels != model.labels:
        raise ModelError(
            (
                f"control model {name}: expected the labels of the model, {model.labels}, got "
                f"{known.labels}"
            ),
            change="give a control model whose logits are in the same order",
        )
    return known
