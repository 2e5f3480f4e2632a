"""One label of a model with several, as a classifier of two classes: ``not LABEL`` and ``LABEL``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import torch
from jaxtyping import Float

from sightline.adapters.length_groups import by_length, in_order
from sightline.core.error_excerpts import list_names
from sightline.core.errors import ModelError
from sightline.core.protocols import Auditable, Batch, SupportsLabels
from sightline.data.dataset import classes_of

SIGMOIDS: Literal["sigmoids"] = "sigmoids"
"""The link of a model with several labels."""


def of_label(logits: Float[torch.Tensor, "*B K"], label: int | None) -> Float[torch.Tensor, "*B L"]:
    """Take the logit of one label as the only one; without a label, take all logits."""
    return logits if label is None else logits[..., label : label + 1]


@dataclass(frozen=True, eq=False, kw_only=True)
class LabelView:
    """A module that answers for all of its labels in every run, taken whole or as one label."""

    label: int | None = None
    """The label of this view; None for the whole model."""
    width: int | None = None
    """The number of logits of the module, if this is a view of one label."""
    shared: Callable[[Batch], torch.Tensor] | None = None
    """Gives the logits of a view from runs that it shares with the other labels."""

    @property
    def answers_together(self) -> bool:
        """Whether every run of the module gives the logits of all labels."""
        return True

    def view(self, label: int) -> Self:
        """Give the same module as a classifier of one label."""
        whole: Any = self  # each has a name and labels
        names = whole.labels or ()
        view: Self = replace(
            whole,
            link="sigmoid",
            name=f"{whole.name}: {names[label]}",
            labels=classes_of(names[label]),
            label=label,
            width=len(names),
        )
        return view


class LabelViews(LabelView):
    """A `LabelView` for modules that may run texts of one length at a time."""

    one_length: bool

    def label_logits(self, batch: Batch) -> Float[torch.Tensor, "B K"]:
        """Give the logits of all labels in one run."""
        if not self.one_length:
            return self._all_logits(batch)
        places, parts = zip(*by_length(batch), strict=True)
        return in_order([self._all_logits(texts) for texts in parts], places)

    def _all_logits(self, batch: Batch) -> Float[torch.Tensor, "B K"]:
        raise NotImplementedError


def label_view(model: Auditable, label: str | int) -> Auditable:
    """Give one label of a model, by name or number, as a classifier that can be audited.

    It has the one logit of the label. If the model has an attention for each label, it has the
    attention of that label.
    """
    known = labels_of(model)
    if isinstance(label, str):
        if label not in known:
            raise ModelError(
                f"{model.name}: expected one of its labels, {list_names(known)}, got {label!r}",
                change="name a label as the model writes it",
                field="labels",
            )
        label = known.index(label)
    if not 0 <= label < len(known):
        raise ModelError(
            f"{model.name}: expected a label from 0 to {len(known) - 1}, got {label}",
            change="labels are counted from 0",
            field="labels",
        )
    assert isinstance(model, SupportsLabels)
    return model.view(label)


def checked_labels(names: tuple[str, ...] | None) -> tuple[str, ...]:
    """Check the names of several labels, which cannot be left out."""
    if not names or len(set(names)) < len(names):
        raise ModelError(
            f"labels: expected a different name for each of several labels, got {names}",
            change="name each label once, in the order of the logits",
        )
    return names


def has_labels(model: object) -> bool:
    """Whether a model has several labels, each with a sigmoid."""
    return getattr(model, "link", None) == SIGMOIDS


def labels_of(model: Auditable) -> tuple[str, ...]:
    """The labels of a model that has several; any other model is an error."""
    if not has_labels(model) or not isinstance(model, SupportsLabels) or not model.labels:
        raise ModelError(
            f"{getattr(model, 'name', type(model).__name__)}: expected a model with a sigmoid for "
            f"each of several labels, got {getattr(model, 'link', 'no link')}",
            change=f"wrap it with link={SIGMOIDS!r} and labels=, or audit it with sightline.audit",
        )
    return model.labels
