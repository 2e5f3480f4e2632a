"""Train or read a model, measure it and judge it: the one way to an audit. Callbacks report
progress.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sightline.api.compute_resources import Machine
from sightline.api.hooks import Hooks
from sightline.api.model_source import (
    ChosenModel,
    GivenModel,
    ModelSource,
    TrainedFirst,
    scores_of,
)
from sightline.api.run_options import AuditOptions, Stopping
from sightline.audits.stop_limits import ignore, most_texts
from sightline.config.word_maps import is_attribution
from sightline.core.errors import SpecError
from sightline.core.whole_numbers import whole
from sightline.experiments.callbacks import Display

if TYPE_CHECKING:
    from sightline.api.model_argument import Model
    from sightline.audits.audit_result import Audit
    from sightline.core.protocols import Auditable
    from sightline.data.dataset import Dataset
    from sightline.experiments.callbacks import OnTexts
    from sightline.experiments.pipeline import Trained

QUIET, HERE = Hooks(), Machine()
FOCUS_TEXTS = 100
"""Number of texts for the focus of states (SL-403), which does not affect the verdict and takes
nearly half of an audit of long texts."""


def audit(
    model: Model,
    data: Dataset,
    companions: Mapping[str, Auditable] | None = None,
    seed: int = 0,
    *,
    on_progress: OnTexts = ignore,
    **options: Any,
) -> Audit:
    """Test whether a model's attention can be trusted as an explanation, on the test texts of a
    dataset.

    Parameters
    ----------
    model
        What `sightline.train` returned, the folder of a saved model (both bring their control models
        along), ``py:package.module:factory``, or anything that can be audited, such as the result of
        `sightline.wrap`.
    data
        Its test split is audited; texts that the model is known to have been trained on are
        refused. A table without a split column was divided when it was loaded: for a model that was
        trained on none of it, ``load(…, split="all")`` makes every row a test text.
    companions
        Control models to use instead of the ones that came with the model, by name (``uniform``).
    seed
        Determines every random draw, text by text: batching and order cannot matter.
    options
        ``limit`` (a seeded sample of so many texts), ``scores`` (of words by another tool: a file,
        numbers by the id of a text, or ``captum:NAME``), ``label_map`` (which class of the model a
        label is: ``{"pos": "POSITIVE"}``), ``budget`` (seconds) and ``max_texts`` (stop there if
        the verdict is not settled before), ``full=True`` (every measure on every text),
        ``measures`` (only these, on every text: a list of names or of your own), ``batch_size``,
        and what else `sightline.audits.run.audit` takes.
    """
    from sightline.api.model_argument import join_with_data  # noqa: PLC0415  (torch)

    scores = options.get("scores")
    named = scores if isinstance(scores, str | Path) else None
    asked = AuditOptions(seed=whole(seed, "seed"), scores=named)
    source = GivenModel(join_with_data(model, data, companions), asked)
    about = options.pop("spec", {})
    hooks = hooks_of(on_progress, options)
    return audit_source(source, hooks, about=about, **checked_options(options))[1]


def hooks_of(on_progress: OnTexts, options: dict[str, Any]) -> Hooks:
    """Return the callbacks of an audit, taken out of its options."""
    named = {name: options.pop(name) for name in ("on_look", "on_measures") if name in options}
    display = Display(on_texts=on_progress, **named)

    @contextmanager
    def progress() -> Iterator[Display]:
        yield display

    return Hooks(progress=progress)


def checked_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Check the options of an audit, and add its limits."""
    found = dict(options)
    scores = found.get("scores")
    if scores is not None and not isinstance(scores, str | Path | Mapping):
        message = "expected a file, captum:NAME, or numbers by the id of a text"
        raise SpecError(f"{message}, got {type(scores).__name__}", field="scores")
    budget, label_map = found.get("budget"), found.get("label_map")
    if budget is not None and (isinstance(budget, bool) or not isinstance(budget, Real)):
        raise SpecError(f"expected seconds as a number, got {budget!r:.60}", field="budget")
    if label_map is not None and not _holds_names(label_map):
        message = 'expected a class of the model by each label, such as {"pos": "POSITIVE"}'
        raise SpecError(f"{message}, got {label_map!r:.60}", field="label_map")
    for name in ("limit", "max_texts", "batch_size"):
        if found.get(name) is not None:
            found[name] = whole(found[name], name, 1)
    if found.get("kept_in") is not None:
        found["kept_in"] = Path(found["kept_in"])
    return found | asdict(
        Stopping.asked(
            found.get("budget"),
            found.get("max_texts"),
            full=found.get("full", False),
            scores=found.get("scores"),
            named=found.get("measures") is not None,
        )
    )


def _holds_names(label_map: object) -> bool:
    """Tell whether a map from labels, or its text, names the classes of a model."""
    return isinstance(label_map, str) or (
        isinstance(label_map, Mapping) and all(isinstance(name, str) for name in label_map.values())
    )


def audit_source(
    source: ModelSource,
    hooks: Hooks = QUIET,
    machine: Machine = HERE,
    *,
    about: Mapping[str, Any] | None = None,
    trained: Trained | None = None,
    **options: Any,
) -> tuple[Trained, Audit]:
    """Train or read the model of a source, unless it is ``trained`` already, and audit it.

    ``about`` is added to the report's description of the run; ``options`` override those of the
    source, as `sightline.audits.run.audit` takes them.
    """
    from sightline.audits.captum_maps import known_attribution  # noqa: PLC0415  (torch)
    from sightline.experiments.pipeline import audit_as_asked  # noqa: PLC0415  (torch)

    with hooks.progress() as display:
        given = None
        if source.scores is not None:
            # Mistakes in the scores are raised before any training.
            if is_attribution(source.scores):
                known_attribution(source.scores)
            if trained is None and not isinstance(source, TrainedFirst):
                trained = source.trained(display, machine.device, hooks.keep)
            given = scores_of(source, trained, _most_texts(source, options))
        trained = trained or source.trained(display, machine.device, hooks.keep)
        hooks.on_ready(source, trained, machine)
        said = source.about(trained) | dict(about or {})
        if source.scores is not None:
            options["scores"] = str(source.scores) if given is None else given.by_id
            said |= {} if given is None else {"scores": given.about()}
        found = audit_as_asked(
            trained,
            source.asked,
            display,
            tokens_at_once=machine.tokens_at_once,
            memory=machine.memory,
            focus_texts=FOCUS_TEXTS,
            spec=said,
            **options,
        )
    for note in _notes(source, trained, found):
        hooks.on_note(note)
    return trained, found


def train_source(source: ChosenModel, hooks: Hooks = QUIET, machine: Machine = HERE) -> Trained:
    """Train the model of a source, or read it if it is trained already."""
    with hooks.progress() as display:
        return source.trained(display, machine.device, hooks.keep)


def _most_texts(source: ModelSource, options: Mapping[str, Any]) -> int | None:
    """Return the most texts that an audit takes, by its options or else by those of its source."""
    limit = options.get("limit", source.asked.limit)
    stops = {name: options[name] for name in ("budget", "max_texts", "full") if name in options}
    return most_texts(limit, **stops)


def _notes(source: ModelSource, trained: Trained, found: Audit) -> Iterator[str]:
    """List doubts about the training and the preparation of texts, and scores that fit no text."""
    yield from source.doubts_of(trained)
    yield from found.cards["data"].get("unlike_training", ())
    scores = found.spec.get("scores", {})
    yield from (f"{source.scores}: {note}" for note in scores.get("notes", ()))
