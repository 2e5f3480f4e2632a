"""Audits of a model with several labels: one audit for each label, on the same texts."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sightline.api.audit import HERE, QUIET, audit_source, checked_options, hooks_of
from sightline.api.compute_resources import Machine
from sightline.api.hooks import Hooks
from sightline.api.label_choice import chosen_labels
from sightline.api.model_source import ChosenModel, GivenModel
from sightline.api.resume import LookFolders
from sightline.api.run_options import AuditOptions
from sightline.audits.stop_limits import flags_for, ignore, most_texts
from sightline.core.errors import SightlineError
from sightline.core.installation import version_of
from sightline.core.whole_numbers import whole
from sightline.report.data_notes import worth_noting

if TYPE_CHECKING:
    from sightline.api.model_argument import Model
    from sightline.audits.audit_result import Audit
    from sightline.audits.label_audits import LabelAudits
    from sightline.core.protocols import Auditable
    from sightline.data.dataset import Dataset
    from sightline.experiments.callbacks import OnTexts
    from sightline.experiments.pipeline import Trained


def audit_labels(
    model: Model,
    data: Dataset,
    labels: Sequence[str] | str | None = None,
    seed: int = 0,
    *,
    companions: Mapping[str, Auditable] | None = None,
    on_progress: OnTexts = ignore,
    **options: Any,
) -> LabelAudits:
    """Test for each label of a model with several whether its attention can be trusted.

    Each label is audited as a classifier of two classes (`label_view`), so each label costs one
    audit. Of the labels whose attention can be shown, at most 5 % are expected to be
    wrong.

    Parameters
    ----------
    model
        What `sightline.train` gave for a spec with ``labelwise``, or the folder of such a model;
        ``hf:FOLDER`` of a model for multi-label classification; or what `sightline.wrap` or
        `sightline.tap` gives with ``link="sigmoids"``.
    data
        What `sightline.load` reads with ``labels_sep=";"``, or `sightline.data_from` makes of lists
        of labels.
    labels
        The labels to audit; without them, all. One that is predicted for too few texts, or for too
        many, is named in ``left_out`` with the reason.
    companions
        Control models with the same labels, by name; without them, the ones that came with the
        model.
    options
        As for `sightline.audit`; ``budget`` is for each label.
    """
    held, hooks = _held(model, data, companions), hooks_of(on_progress, options)
    options = checked_options(options)
    if options.get("kept_in") is not None:
        options["kept_in"] = LookFolders(options["kept_in"])
    of_audits = ["limit", "label_map"]
    if isinstance(options.get("scores"), str | Path):
        of_audits.append("scores")
    taken = {name: options.pop(name) for name in of_audits if name in options}
    named = {name: value for name, value in taken.items() if value is not None}
    asked = AuditOptions(seed=whole(seed, "seed"), **named)
    return audit_each_label(held, asked, hooks, labels=labels, **options)


def _held(model: Model, data: Dataset, companions: Mapping[str, Auditable] | None) -> Trained:
    from sightline.adapters.label_views import labels_of  # noqa: PLC0415  (torch)
    from sightline.api.model_argument import join_with_data  # noqa: PLC0415  (torch)

    found = join_with_data(model, data, companions, call="audit_labels(model, data)", several=True)
    for one in (found.model, *found.companions.values()):
        labels_of(one)
    return found


def audit_each_label(
    trained: Trained,
    asked: AuditOptions,
    hooks: Hooks = QUIET,
    machine: Machine = HERE,
    *,
    labels: Sequence[str] | str | None = None,
    about: Mapping[str, Any] | None = None,
    kept_in: LookFolders | None = None,
    noted: Collection[str] = (),
    **options: Any,
) -> LabelAudits:
    """Audit the labels of a model one after the other, and judge them together.

    If none can be audited, there is no report that holds the notes on the data, so all are given,
    without the ones that were ``noted`` before.
    """
    from sightline.adapters.label_data import labelled_sets  # noqa: PLC0415  (torch)
    from sightline.adapters.label_views import labels_of  # noqa: PLC0415  (torch)
    from sightline.adapters.shared_logits import shared_logits  # noqa: PLC0415  (torch)
    from sightline.audits.label_audits import LabelAudits  # noqa: PLC0415  (jinja2)
    from sightline.audits.label_counts import predicted_counts  # noqa: PLC0415  (torch)
    from sightline.audits.label_decisions import held_together  # noqa: PLC0415  (torch)
    from sightline.audits.measure_pass import BATCH  # noqa: PLC0415  (torch)
    from sightline.data.dataset import sample_test  # noqa: PLC0415  (as late as it is needed)
    from sightline.experiments.pipeline import of_label  # noqa: PLC0415  (torch)
    from sightline.verdict.thresholds import default_thresholds  # noqa: PLC0415  (as late as it is needed)

    names = labels_of(trained.model)
    chosen = chosen_labels(names, labels)
    sets = labelled_sets(trained.dataset, names, asked.label_map)
    thresholds = options.get("thresholds") or default_thresholds()
    stops = {name: options[name] for name in ("budget", "max_texts", "full") if name in options}
    flags = partial(flags_for, limit=asked.limit, **stops)
    asked = replace(asked, limit=most_texts(asked.limit, **stops))
    audited = sample_test(sets.dataset, asked.limit, asked.seed)
    counts = predicted_counts(trained.model, audited, options.get("batch_size", BATCH))
    there, least = len(sets.dataset.test), thresholds.least
    left_out = {
        label: "; ".join(filter(None, (why, counts[label].more(least, there, flags))))
        for label in chosen
        if (why := counts[label].too_few(least))
    }
    if len(left_out) == len(chosen):
        for note in sets.dataset.card.get("notes", ()):
            if note not in noted:
                hooks.on_note(note)
    shared = shared_logits(trained.model)
    found: dict[str, Audit] = {}
    failed: dict[str, SightlineError] = {}
    wanted = [label for label in chosen if label not in left_out]
    for number, label in enumerate(wanted, 1):
        hooks.on_label(label, number, len(wanted))
        place = f"label-{names.index(label)}"
        kept: dict[str, Any] = {} if kept_in is None else {"kept_in": kept_in.of(place)}
        source = GivenModel(
            of_label(trained, label, sets, shared),
            replace(asked, label_map={}, labels=()),
            labels=len(wanted),
        )
        said = dict(about or {}) | {"label": label, "labels_tested": len(wanted)}
        try:
            heard = hooks if number == 1 else replace(hooks, on_ready=_unheard, on_note=_unheard)
            found[label] = audit_source(source, heard, machine, about=said, **kept, **options)[1]
            if kept_in is not None:
                kept_in.ended(place, found[label])
        except SightlineError as error:
            failed[label] = error
    if failed and not found:
        raise next(iter(failed.values()))
    left_out |= {label: getattr(error, "wrong", str(error)) for label, error in failed.items()}
    held, levels = held_together(found, thresholds)
    predicted = {label: counts[label].positive for label in chosen}
    made = {"data": sets.dataset.name, "seed": str(asked.seed), "version": version_of("sightline")}
    made |= {name: str(about[name]) for name in ("date", "command") if about and name in about}
    texts = len(audited.test)
    return LabelAudits(
        trained.model.name, held, left_out, predicted, texts, levels, (*failed,), made
    )


def audit_labels_of(
    source: ChosenModel,
    trained: Trained,
    hooks: Hooks,
    machine: Machine,
    *,
    about: Mapping[str, Any] | None = None,
    **options: Any,
) -> LabelAudits:
    """Audit the labels of a source, with the options of a command."""
    said = source.about(trained) | dict(about or {})
    for note in source.doubts_of(trained):
        hooks.on_note(note)
    asked = source.of_labels
    labels = asked.labels or None
    noted = worth_noting(trained.dataset.card) if source.trains else ()
    return audit_each_label(
        trained, asked, hooks, machine, labels=labels, about=said, noted=noted, **options
    )


def _unheard(*heard: object) -> None:
    """Drop the notes for later labels: they repeat those of the first, on the same texts."""
