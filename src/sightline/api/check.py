"""Check data, a model or the installation before an audit."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sightline.api.model_source import MODEL_FILE, saved_folder
from sightline.config.presets import build_specs
from sightline.config.spec_syntax import ELSEWHERE, parse_data
from sightline.config.specs import RunSpec
from sightline.core.error_excerpts import list_names
from sightline.core.errors import SpecError
from sightline.data.assembly.user_splits import DIVIDED, EVERY_ROW
from sightline.experiments.preprocessing import SHAPING, prepared_alike
from sightline.numerics.text_clusters import AS_ONE
from sightline.report.sanitize import shortened
from sightline.verdict.thresholds import default_thresholds, no_verdict

if TYPE_CHECKING:
    from sightline.adapters.compatibility import CompatibilityCheck as CompatibilityCheck
    from sightline.config.specs import DataSpec
    from sightline.core.example import Example
    from sightline.core.protocols import Auditable as Auditable
    from sightline.data.dataset import Dataset


def check_data(source: DataSpec, seed: int = 0) -> Mapping[str, Any]:
    """Read data as an audit would, and return their card with advice."""
    from sightline.data.load_dataset import load  # noqa: PLC0415  (as late as it is needed)
    from sightline.data.near_duplicates import counted_once  # noqa: PLC0415  (as above)

    dataset = counted_once(load(source, seed, training=False))
    return with_warning(dataset, with_advice(dataset.card))


def with_advice(card: Mapping[str, Any]) -> Mapping[str, Any]:
    """Add to the notes of a card: a model that was trained elsewhere can be audited on
    every row.
    """
    if not _is_divided(card):
        return card
    return {
        **card,
        "notes": [
            *card["notes"],
            f"for a model that was trained on none of these texts, {EVERY_ROW}",
        ],
    }


def _is_divided(card: Mapping[str, Any]) -> bool:
    """Check whether the splits were drawn here, so that a model from elsewhere has every row."""
    return any(note.startswith(DIVIDED) for note in card["notes"])


def with_warning(dataset: Dataset, card: Mapping[str, Any]) -> Mapping[str, Any]:
    """Add a note to a card whose test texts, or those of a class, are too few for a verdict."""
    from sightline.data.dataset import count_independent  # noqa: PLC0415  (as late as it is needed)

    n, least = len(dataset.test), default_thresholds().least
    here = " for a model that is trained here on the others" if _is_divided(card) else ""
    counted = count_independent(dataset.test)
    if counted >= least:
        as_one = AS_ONE if counted < n else ""
        return {
            **card,
            "notes": [*card["notes"], *_few_of_classes(dataset, least, here, as_one)],
        }
    return {**card, "notes": [*card["notes"], no_verdict(n, counted, least, of=here)]}


def _few_of_classes(dataset: Dataset, least: int, here: str, as_one: str) -> list[str]:
    """Name the classes, or the labels of many, that will hardly be predicted for as many texts as a
    verdict takes.
    """
    from sightline.data.dataset import count_independent_of_labels  # noqa: PLC0415  (as above)

    counted = count_independent_of_labels(dataset)
    few = [f"{shortened(repr(name), 30)} ({n})" for name, n in counted.items() if n < least]
    if not few:
        return []
    needs = (
        f"an audit of a label takes at least {least} texts that are predicted to have it, so it may "
        "leave these out"
        if dataset.several
        else f"the verdict of a predicted class rests on at least {least} texts that are predicted "
        "as it, so these classes may have none"
    )
    return [f"few test texts{here} of {list_names(few, str, most=4)}: {needs}{as_one}"]


def check_model(
    model: str,
    source: DataSpec | None = None,
    seed: int = 0,
    label_map: Mapping[str, str] | None = None,
    *,
    typed: Collection[str] = SHAPING,
) -> tuple[Auditable, tuple[CompatibilityCheck, ...]]:
    """Check on a few texts that a model does what an audit relies on; return the model and every
    check. For a model with several labels its first is checked, since all run the same module.

    The texts are prepared as a saved model remembers, except for fields that were ``typed``.
    """
    from sightline.adapters.compatibility import check  # noqa: PLC0415  (torch)
    from sightline.adapters.label_views import has_labels, label_view  # noqa: PLC0415  (torch)
    from sightline.adapters.truncation import visible_texts  # noqa: PLC0415  (torch)

    folder = model_folder(model)
    if source is not None and folder is not None:
        source = prepared_alike(source, folder / MODEL_FILE, typed)
    whole = _read_model(model)
    found = label_view(whole, 0) if has_labels(whole) else whole
    examples, labels = _read_texts(whole, found, source, seed, label_map or {})
    return found, check(found, visible_texts(found, examples), labels)


def model_folder(model: str) -> Path | None:
    """Return the folder of a saved model, None for one from elsewhere; a spec is refused."""
    if model.startswith(ELSEWHERE):
        return None
    folder = saved_folder(model)
    if folder is None:
        message = (
            f"{model}: expected py:package.module:factory, answers:package.module:function, "
            "hf:FOLDER, hf-causal:FOLDER(…) or the folder of a saved model, got a spec"
        )
        raise SpecError(f"{message}, which every built-in model passes; name yours")
    return folder


def _read_model(model: str) -> Auditable:
    from sightline.adapters.load_external import load_elsewhere  # noqa: PLC0415  (torch)
    from sightline.experiments.device import pick_device  # noqa: PLC0415  (torch)
    from sightline.models.model_storage import load_classifier  # noqa: PLC0415  (torch)

    folder = model_folder(model)
    return (
        load_elsewhere(model, pick_device("auto")) if folder is None else load_classifier(folder)[0]
    )


def _read_texts(
    whole: Auditable,
    model: Auditable,
    source: DataSpec | None,
    seed: int,
    label_map: Mapping[str, str],
) -> tuple[tuple[Example, ...], tuple[str, ...] | None]:
    """Read the test texts of the data, or the training texts if there are no others; without data,
    make a few.
    """
    from sightline.adapters.factory import texts_known_to, texts_without_data  # noqa: PLC0415  (torch)
    from sightline.adapters.label_alignment import numbered_for_model  # noqa: PLC0415  (torch)
    from sightline.adapters.label_data import labelled_sets  # noqa: PLC0415  (torch)
    from sightline.adapters.label_views import labels_of  # noqa: PLC0415  (torch)
    from sightline.data.load_dataset import load  # noqa: PLC0415  (as late as it is needed)
    from sightline.experiments.load_models import with_labels  # noqa: PLC0415  (torch)
    from sightline.models.classifier import AttentionClassifier  # noqa: PLC0415  (torch)

    if source is None:
        if not isinstance(model, AttentionClassifier):
            return texts_known_to(model), model.labels
        return texts_without_data(model.vocabulary.words, queries=model.reads_queries), model.labels
    found = load(with_labels(source, whole), seed, training=False, seen=frozenset())
    if whole is model:
        dataset = numbered_for_model(found, model, label_map)
    else:
        names = labels_of(whole)
        dataset = labelled_sets(found, names, label_map).of(names[0])
    return dataset.test or dataset.train, dataset.label_names


def check_installation() -> str:
    """Train and audit a tiny model and draw its page, in memory; check the identity that every
    audit rests on.
    """
    from sightline.experiments.pipeline import run  # noqa: PLC0415  (torch)
    from sightline.report.html.audit_page import render  # noqa: PLC0415  (jinja2)
    from sightline.verdict.verdict_table import IDENTITY  # noqa: PLC0415  (scipy)

    model, fit = build_specs("mlp(hidden=8)", epochs=2)
    trained, audit = run(RunSpec(parse_data("planted:needle(n=160,length=6)"), model, fit))
    if audit.errors:
        raise RuntimeError("; ".join(f"{code}: {error}" for code, error in audit.errors.items()))
    trace = trained.model.trace(trained.model.collate(trained.dataset.test))
    error = float(
        (trained.model.decode(trace, trace.attention) - trace.logits).detach().abs().max()
    )
    if not error <= IDENTITY:
        raise RuntimeError(f"decoding the model's own attention misses its logits by {error:.2g}")
    page = len(render(audit).encode())
    text = (
        f"{len(audit.findings)} findings on {len(audit.texts)} texts, drawn on a page of {page:,} "
        "bytes"
    )
    return f"{text}; own attention decodes to within {error:.1g}"
