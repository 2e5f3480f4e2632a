"""Which labels of a model with several are audited."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sightline.core.errors import SpecError

if TYPE_CHECKING:
    from sightline.api.run_options import AuditOptions
    from sightline.experiments.pipeline import Trained


def chosen_labels(names: Sequence[str], labels: Sequence[str] | str | None) -> tuple[str, ...]:
    """Read which labels are asked for, in the order of the model."""
    if labels is None:
        return tuple(names)
    asked = [labels] if isinstance(labels, str) else list(labels)
    if odd := next((one for one in asked if one not in names), None):
        from sightline.data.error_excerpts import listed, show  # noqa: PLC0415  (as late as it is needed)

        raise SpecError(
            f"expected labels of the model, {listed(names)}, got {show(odd)}", field="labels"
        )
    if not asked:
        raise SpecError(
            "expected at least one label, got none; leave it out for all", field="labels"
        )
    return tuple(name for name in names if name in asked)


def first_label(trained: Trained, asked: AuditOptions) -> tuple[Trained, int]:
    """Give the first label that is asked for, whose audit costs what that of another does, and how
    many there are.
    """
    from sightline.adapters.label_data import labelled_sets  # noqa: PLC0415  (torch)
    from sightline.adapters.label_views import labels_of  # noqa: PLC0415  (torch)
    from sightline.experiments.pipeline import of_label  # noqa: PLC0415  (torch)

    names = labels_of(trained.model)
    chosen = chosen_labels(names, asked.labels or None)
    sets = labelled_sets(trained.dataset, names, asked.label_map)
    return of_label(trained, chosen[0], sets), len(chosen)
