"""Choose the labels to audit, for a model with several."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING

from sightline.core.errors import SpecError

if TYPE_CHECKING:
    from sightline.api.run_options import AuditOptions
    from sightline.experiments.pipeline import Trained


def chosen_labels(names: Sequence[str], labels: Sequence[str] | str | None) -> tuple[str, ...]:
    """Read the labels asked for, in the order of the model."""
    if labels is None:
        return tuple(names)
    asked = [labels] if isinstance(labels, str) else list(labels)
    if odd := next((one for one in asked if one not in names), None):
        from sightline.core.error_excerpts import list_names, show_name  # noqa: PLC0415  (as late as it is needed)

        raise SpecError(
            f"expected labels of the model, {list_names(names)}, got {show_name(odd)}",
            field="labels",
        )
    if not asked:
        raise SpecError(
            "expected at least one label, got none; leave it out for all", field="labels"
        )
    return tuple(name for name in names if name in asked)


COUNTED = 500
"""The most texts that are predicted to estimate how many labels can be audited."""


def first_label(trained: Trained, asked: AuditOptions, most: int | None) -> tuple[Trained, int]:
    """Return the first label that can be audited, which costs as much as any other, and the number
    of such labels, with ``most`` texts.
    """
    from sightline.adapters.label_data import labelled_sets  # noqa: PLC0415  (torch)
    from sightline.adapters.label_views import labels_of  # noqa: PLC0415  (torch)
    from sightline.audits.label_counts import predicted_counts  # noqa: PLC0415  (torch)
    from sightline.data.dataset import sample_test  # noqa: PLC0415  (as late as it is needed)
    from sightline.experiments.pipeline import of_label  # noqa: PLC0415  (torch)
    from sightline.verdict.thresholds import default_thresholds  # noqa: PLC0415  (as late as it is needed)

    names = labels_of(trained.model)
    chosen = chosen_labels(names, asked.labels or None)
    sets = labelled_sets(trained.dataset, names, asked.label_map)
    audited = sample_test(sets.dataset, most, asked.seed)
    some = sample_test(audited, COUNTED, asked.seed)
    fewest = ceil(default_thresholds().least * len(some.test) / max(1, len(audited.test)))
    counts = predicted_counts(trained.model, some) if some.test else {}
    wanted = [one for one in chosen if counts and not counts[one].too_few(fewest)]
    return of_label(trained, (wanted or chosen)[0], sets), len(wanted)
