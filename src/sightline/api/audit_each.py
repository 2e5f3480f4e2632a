"""Audits of one source: from several seeds, or of each of several labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from sightline.api.audit import HERE, QUIET, audit_source
from sightline.api.audit_labels import audit_labels_of
from sightline.api.compute_resources import Machine
from sightline.api.hooks import Hooks
from sightline.api.model_source import ChosenModel, TrainedFirst
from sightline.api.run_options import TO_THE_END, Stopping
from sightline.api.seed_audits import Audits
from sightline.config.spec_syntax import BY_CONFIG
from sightline.core.errors import SpecError

if TYPE_CHECKING:
    from sightline.api.resume import LookFolders
    from sightline.audits.label_audits import LabelAudits
    from sightline.core.results import Results


def audit_each(
    sources: Sequence[ChosenModel],
    hooks: Hooks = QUIET,
    machine: Machine = HERE,
    *,
    about: Mapping[str, Any] | None = None,
    stopping: Stopping = TO_THE_END,
    looks: LookFolders | None = None,
) -> Audits | LabelAudits:
    """Audit one source, or one run from several seeds (`with_seeds`), or each label of a model with
    several.

    ``looks`` are the folders in which audits that stop early keep their measurements.
    """
    first, trained = sources[0], None
    if not isinstance(first, TrainedFirst) or first.spec.model.labelwise:
        _refuse_seeds(sources)
        from sightline.adapters.label_views import has_labels  # noqa: PLC0415  (torch)

        with hooks.progress() as display:
            trained = first.trained(display, machine.device, hooks.keep)
        if has_labels(trained.model):
            limits = asdict(stopping) | {"kept_in": looks}
            return audit_labels_of(first, trained, hooks, machine, about=about, **limits)
    _refuse_labels(first)
    found: dict[int, Results] = {}
    count = len(sources)
    for number, source in enumerate(sources, 1):
        if count > 1:
            hooks.on_seed(source.asked.seed, number, count)
        seed = source.asked.seed
        limits = {} if looks is None else {"kept_in": looks.of(str(seed))}
        limits |= asdict(stopping)
        _, audit = audit_source(source, hooks, machine, about=about, trained=trained, **limits)
        found[seed] = audit
        if looks is not None:
            looks.ended(str(seed), audit)
    return Audits(found, together=count > 1)


def _refuse_seeds(sources: Sequence[ChosenModel]) -> None:
    """Refuse several trainings of a model with several labels, because each label has its own
    verdict.
    """
    if len(sources) > 1:
        message = "expected one training of a model with several labels; audit each seed by itself"
        raise SpecError(message, field="seeds")


def _refuse_labels(source: ChosenModel) -> None:
    """Refuse names of labels if the model predicts one class."""
    if not isinstance(source, TrainedFirst) and source.asked.labels:
        message = "names labels, and the model predicts one class; leave it out, or, " + BY_CONFIG
        raise SpecError(message, field="labels")


def with_seeds(source: ChosenModel, count: int) -> tuple[ChosenModel, ...]:
    """Repeat a source for each of so many seeds; several need a model that is trained first."""
    if count == 1:
        return (source,)
    return tuple(source.with_seed(source.asked.seed + number) for number in range(count))
