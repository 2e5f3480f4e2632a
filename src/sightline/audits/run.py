"""The entry point of an audit: takes measures on texts, judges them, and gives findings and a
verdict.
"""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from sightline.adapters.answers_model import AnswersModel
from sightline.adapters.label_alignment import LabelMap, as_read, numbered_for_model
from sightline.adapters.trace_checks import checked_trace
from sightline.adapters.truncation import visible_dataset, words_left
from sightline.adapters.validate_model import admit, admit_companions, validate
from sightline.audits.attention_sources.select_source import ChoiceSettings, choose
from sightline.audits.audit_result import Audit
from sightline.audits.captum_maps import attributed
from sightline.audits.look_storage import unless_changed
from sightline.audits.measure_pass import BATCH, Progress, measure
from sightline.audits.sequential import SequentialResult, look_at
from sightline.audits.stop_limits import (
    Limits,
    OnLook,
    OnMeasures,
    ignore,
    is_sequential,
    most_texts,
)
from sightline.config.measure_registry import ALWAYS, MEASURES
from sightline.config.word_maps import is_attribution
from sightline.core.errors import DataError, SpecError
from sightline.core.example import Example
from sightline.core.installation import version_of
from sightline.core.interning import Interner
from sightline.core.protocols import (
    Auditable,
    Measure,
    MeasureContext,
    SupportsAttentionSources,
    SupportsAuditedMap,
    Trace,
)
from sightline.core.results import ONE_WEIGHT, Learned, MapRow, Measurement, Outcome, TextRecord
from sightline.core.seeds import Seeds
from sightline.data.dataset import Dataset, describe, sample_test
from sightline.data.near_duplicates import counted_once
from sightline.measures.default_measures import default_measures
from sightline.measures.predictions import Predictions
from sightline.models.model_storage import weights_digest
from sightline.numerics.text_clusters import numbered_in_order
from sightline.stats.intervals import LEVEL
from sightline.verdict.estimators import estimates, metrics, with_context
from sightline.verdict.evidence import Evidence
from sightline.verdict.judge import judge
from sightline.verdict.map_selection import maps_of
from sightline.verdict.model_accuracy import learned_of
from sightline.verdict.other_map import name_audited_map
from sightline.verdict.thresholds import Thresholds, default_thresholds
from sightline.verdict.transfer_estimates import pair_sums

TRAINED_ELSEWHERE = (
    "unknown: this model was trained elsewhere, and may have seen the texts it was audited on"
)
"""The note on the card of a model that was trained elsewhere."""

Scores = Mapping[str, np.ndarray]
"""Numbers of words, by the id of a text."""

NO_ANSWER = "(no finite output)"
"""Written as the predicted class of a text whose output is not finite."""


def audit(
    model: Auditable,
    dataset: Dataset,
    companions: Mapping[str, Auditable] | None = None,
    seed: int = 0,
    *,
    limit: int | None = None,
    measures: Sequence[Measure | str] | None = None,
    thresholds: Thresholds | None = None,
    scores: Scores | str | None = None,
    label_map: LabelMap | None = None,
    batch_size: int = BATCH,
    budget: float | None = None,
    max_texts: int | None = None,
    full: bool = False,
    kept_in: Path | None = None,
    on_look: OnLook = ignore,
    on_measures: OnMeasures = ignore,
    spec: Mapping[str, Any] | None = None,
    on_progress: Progress = ignore,
) -> Audit:
    """Test whether a model's attention can be trusted as an explanation, on the test texts of a
    dataset.

    Parameters
    ----------
    model
        Anything that satisfies `sightline.core.protocols.Auditable`, never changed. One that comes
        from elsewhere must first pass the checks of `sightline.adapters.compatibility` and is used
        as it is; one made here is copied to float64.
    dataset
        Its test split is audited; ``limit`` takes a seeded sample of it, said in the report.
    companions
        Control models that some measures need, by name (``uniform``), checked like the model.
        Without them these measures are "not run", with the reason.
    measures
        Measures to take instead of the default ones, each by its name or as an object; the
        predictions are always taken.
    scores
        Word scores of another tool, by the id of a text, or ``captum:NAME`` for an attribution of
        Captum: one more map to compare. They are the audited map of a model that only answers
        and has no scores of its own (`sightline.answers`).
    label_map
        The class of the model for each label of the data, such as ``{"pos": "POSITIVE"}``; labels
        that are left out must be names of classes. Without it, labels are matched
        (`sightline.adapters.label_alignment`).
    budget, max_texts
        The most seconds and texts that the audit may take. It looks at growing numbers of texts,
        required tests first, and stops when the verdict is settled
        (`sightline.audits.sequential`). With neither, or with ``full``, every measure is taken on
        every text.
    kept_in
        A folder in which such an audit keeps what it has, from which it resumes if it is stopped; removed
        by the caller. ``on_look`` hears what is settled after each look, and
        ``on_measures`` which measures are taken next.
    seed
        Determines every random draw, text by text: batching and order cannot matter.
    on_progress
        Called with (texts done, texts in all) after each batch.
    """
    thresholds = thresholds or default_thresholds()
    by_looks = is_sequential(budget, max_texts, full=full)
    if by_looks and is_attribution(scores):
        message = "an attribution is made of all texts before an audit looks at any"
        raise SpecError(f"{message}; take --full, or leave it out", field="scores")
    limit = most_texts(limit, budget, max_texts, full=full)
    measures = default_measures() if measures is None else _with_predictions(measures)
    mapped = {"label_map": as_read(label_map)} if label_map else {}
    about = {"seed": seed, "limit": limit, **mapped, **(spec or {})}
    settings = ChoiceSettings(seed, batch_size, on_progress, pair_sums, thresholds.least)
    numbered = numbered_for_model(dataset, validate(model), label_map)
    ready = _prepared(model, numbered, companions or {}, scores, limit, settings, about)
    if by_looks:
        given, signed = ready.brought
        with unless_changed(kept_in):
            found = look_at(
                MeasureContext(ready.model, ready.companions, given=given or {}, signed=signed),
                ready.sampled,
                measures,
                Seeds(seed),
                batch_size,
                thresholds,
                Limits(budget, kept_in, on_look, on_measures),
                on_progress,
            )
        about["sequential"] = found.about
        return conclude(
            ready.model,
            found.audited,
            found.outcomes,
            seed,
            thresholds=thresholds,
            spec=about,
            looked=found,
        )
    outcomes = measure(
        ready.model,
        ready.sampled.test,
        measures,
        ready.companions,
        Seeds(seed),
        batch_size,
        on_progress,
        {"train": ready.sampled.train, "validation": ready.sampled.validation},
        *ready.brought,
    )
    return conclude(ready.model, ready.sampled, outcomes, seed, thresholds=thresholds, spec=about)


UserScores = tuple[Scores | None, Scores]
"""Word scores of another tool: their size, and their direction for or against the prediction."""


@dataclass(frozen=True)
class _Prepared:
    """The model after its compatibility checks, its control models, and scores from another tool."""

    model: Auditable
    sampled: Dataset
    companions: Mapping[str, Auditable]
    brought: UserScores


def _prepared(
    model: Auditable,
    dataset: Dataset,
    companions: Mapping[str, Auditable],
    scores: Scores | str | None,
    limit: int | None,
    settings: ChoiceSettings,
    about: dict[str, Any],
) -> _Prepared:
    """Sample the texts, check the model on them, and choose its attention source if asked to.
    ``about`` records what was done.
    """
    sampled = sample_test(dataset, limit, settings.seed)
    if not sampled.test:
        raise DataError(f"{dataset.name}: no test text to audit")
    whole = sampled.test
    sampled = counted_once(visible_dataset(sampled, model))
    if scores is not None and not isinstance(scores, str):
        scores = _of_visible_words(scores, whole, sampled.test)
    brought: UserScores = (None, {}) if isinstance(scores, str) else (scores, {})
    if isinstance(model, AnswersModel):
        model, brought = _with_scores(model, sampled, scores, about)
    model = admit(model, sampled.test, dataset.label_names)
    if isinstance(model, SupportsAttentionSources) and model.choosing:
        model, sampled, about["readings"] = _chosen(model, sampled, settings)
        model = admit(model, sampled.test, dataset.label_names)
    admitted = admit_companions(companions, model, sampled.test, dataset.label_names)
    if isinstance(scores, str):
        made = attributed(
            scores, model, sampled.test, settings.seed, settings.batch_size, settings.on_progress
        )
        brought, about["scores"] = (made.sizes, made.signed), made.about()
    return _Prepared(model, sampled, admitted, brought)


def _of_visible_words(scores: Scores, whole: Sequence[Example], seen: Sequence[Example]) -> Scores:
    """Leave out the scores of words that the model does not see, of texts whose words all have one."""
    found = dict(scores)
    for text, left in zip(whole, seen, strict=True):
        if len(left.tokens) < len(text.tokens) == np.size(found.get(text.id, ())):
            found[text.id] = np.asarray(found[text.id])[list(words_left(text, left))]
    return found


def _with_scores(
    model: AnswersModel,
    sampled: Dataset,
    scores: Scores | str | None,
    about: Mapping[str, Any],
) -> tuple[Auditable, UserScores]:
    """Set the audited map of a model that only answers: its own scores, or scores from another
    tool.
    """
    if isinstance(scores, str):
        text = "needs gradients or embeddings, and only answers are known of this model"
        raise SpecError(f"{scores}: {text}; leave it out", field="scores")
    source = str(about.get("scores", {}).get("file", "the scores that were brought"))
    shown, given, signed = model.for_audit(sampled.test, scores, Path(source).name)
    return shown, (given, signed)


def _chosen(
    model: SupportsAttentionSources, sampled: Dataset, settings: ChoiceSettings
) -> tuple[Auditable, Dataset, dict[str, Any]]:
    """Choose the attention source on some of the texts, and leave the others for the audit."""
    choice = choose(model, sampled.test, sampled.validation, settings)
    card = dict(sampled.card)
    card["splits"] = {**card.get("splits", {}), "test": describe(choice.rest, sampled.label_names)}
    text = (
        f"the attention source was chosen on {choice.description['texts']} of {len(sampled.test)} "
        "texts"
    )
    text += "; the others are audited"
    if not sampled.validation:
        text += "; without validation texts no mixture of heads was tried"
    card["notes"] = [*card.get("notes", ()), text]
    return choice.model, replace(sampled, test=choice.rest, card=card), choice.description


def _with_predictions(measures: Sequence[Measure | str]) -> Sequence[Measure]:
    """Make measures that a user named, and add the predictions, on which every audit rests."""
    if isinstance(measures, str) or not isinstance(measures, Iterable):
        raise SpecError(
            f"expected a list of measures, got {type(measures).__name__}; put it into brackets",
            field="measures",
        )
    named = [_measure_named(one) if isinstance(one, str) else one for one in measures]
    there = any(getattr(one, "code", None) == ALWAYS for one in named)
    return named if there else [Predictions(), *named]


def _measure_named(name: str) -> Measure:
    if name not in MEASURES:
        raise SpecError(f"{name!r}: expected some of {', '.join(MEASURES)}", field="measures")
    return default_measures(chosen=(name,))[-1]


def conclude(
    model: Auditable,
    audited: Dataset,
    outcomes: Mapping[str, Outcome],
    seed: int,
    *,
    thresholds: Thresholds,
    spec: Mapping[str, Any],
    looked: SequentialResult | None = None,
) -> Audit:
    """Judge the measurements on the test texts of a dataset, all of which were audited.

    An audit that ``looked`` at growing numbers of texts knows the predictions of all planned texts,
    and has wider intervals.
    """
    level = LEVEL if looked is None else looked.level
    evidence = Evidence(outcomes, audited.label_names, thresholds, seed, level, offers=model.offers)
    answered = evidence if looked is None else looked.answered
    judgement, numbers = judge(evidence, learned_of(answered)), estimates(evidence)
    card = model_card(model, audited)
    if isinstance(model, SupportsAuditedMap):
        judgement = name_audited_map(judgement, model.audited_map)
    if isinstance(model, AnswersModel):
        card["audited_map"] = asdict(model.audited_map)
        card["answers"] = model.about()
    return Audit(
        verdict=judgement.verdict,
        findings=with_context(judgement.findings, numbers),
        estimates=numbers,
        metrics=metrics(answered),
        measurements=_without_hashes(outcomes),
        spec=spec,
        maps=tuple(row for row in _maps(evidence, looked) if not _is_audited(model, row)),
        learned=_learned(judgement.learned, audited, spec),
        environment=environment(checked_trace(model, audited.test[:1])),
        cards={"data": dict(audited.card), "model": card},
        texts=_records(audited.test, audited.label_names, outcomes),
    )


def _without_hashes(outcomes: Mapping[str, Outcome]) -> dict[str, Outcome]:
    """Number the groups of texts in place of their hashes: trying all ids finds those behind them.

    Intervals use only the order of the hashes, which the numbers keep.
    """
    outputs = outcomes.get(ALWAYS)
    if not isinstance(outputs, Measurement) or "cluster" not in outputs.values:
        return dict(outcomes)
    numbers = numbered_in_order(np.asarray(outputs.values["cluster"]))
    return {**outcomes, ALWAYS: replace(outputs, values={**outputs.values, "cluster": numbers})}


def _maps(evidence: Evidence, looked: SequentialResult | None) -> tuple[MapRow, ...]:
    """Compare maps on all texts, or only on the texts on which another map was computed."""
    if looked is None or "compared" not in looked.about:
        return maps_of(evidence)
    if looked.compared is None:
        return ()
    some = replace(evidence, outcomes=looked.compared)
    return maps_of(some, choosing=False)


def _learned(found: Learned | None, dataset: Dataset, spec: Mapping[str, Any]) -> Learned | None:
    """Add what only the training and the data know: whether early stopping ended it, and how many
    of the measured texts were cut, if that is known.
    """
    if found is None:
        return None
    known = {"converged": spec.get("trainings", {}).get("model", {}).get("converged")}
    if "truncated" in dataset.card:
        lost = [n for text in dataset.test if (n := text.cut - text.unseen)]
        known |= {"cut": len(lost), "words_cut": sum(lost), "cut_of": len(dataset.test)}
        known["words_unseen"] = sum(text.unseen for text in dataset.test)
    return replace(found, **known)


def _records(
    examples: Sequence[Example], names: tuple[str, ...], outcomes: Mapping[str, Outcome]
) -> tuple[TextRecord, ...]:
    outputs = outcomes.get("outputs")
    if not isinstance(outputs, Measurement):
        return ()
    predicted, finite = (np.asarray(outputs.values[name]) for name in ("predicted", "finite"))
    sharing = (
        Interner()
    )  # places are found again: those of long texts take more memory than all their numbers
    predictions = [
        names[int(chosen)] if known else NO_ANSWER
        for chosen, known in zip(predicted, finite, strict=True)
    ]
    return tuple(
        TextRecord(
            e.id,
            e.text,
            e.tokens,
            sharing.spans(e.offsets),
            names[e.label],
            predictions[i],
            e.rationale,
            e.query,
        )
        for i, e in enumerate(examples)
    )


def model_card(model: Auditable, dataset: Dataset) -> dict[str, Any]:
    """Describe the audited model and identify its training by its weights; for a model from
    elsewhere, say what is unknown.
    """
    digest = weights_digest(model)
    weights: dict[str, Any] = {"weights": digest} if digest else {}
    if model.origin == "elsewhere":
        weights["training_texts"] = TRAINED_ELSEWHERE
    calibration = getattr(model, "calibration", None)
    if calibration is not None:
        offsets = dict(zip(model.labels or (), calibration.offsets, strict=True))
        weights["calibration"] = {"texts": calibration.texts, "offsets": offsets}
    return weights | {
        "name": model.name,
        "link": model.link,
        "offers": sorted(model.offers),
        "labels": list(dataset.label_names),
        "reading": _reading(model),
    }


def _is_audited(model: Auditable, row: MapRow) -> bool:
    """Whether a map is the audited one, with or without signs: statements about it hold for both."""
    same = model.audited_map.same_as if isinstance(model, SupportsAuditedMap) else ""
    return bool(same) and row.name == f"signed_{same}"


def _reading(model: Auditable) -> str:
    """Describe the audited map over the words."""
    if isinstance(model, SupportsAuditedMap):
        return f"{model.audited_map.noun}: {model.audited_map.description}"
    if isinstance(model, SupportsAttentionSources):
        return model.shows
    return ONE_WEIGHT


def environment(trace: Trace) -> dict[str, Any]:
    """Record what the numbers may depend on in addition to the seed. Device and precision are taken
    from a trace.
    """
    packages = ("sightline", "torch", "numpy", "scipy")
    return {
        "versions": {name: version_of(name) for name in packages}
        | {"python": platform.python_version()},
        "platform": platform.platform(),
        "device": str(trace.logits.device),
        "precision": str(trace.logits.dtype).removeprefix("torch."),
        "threads": torch.get_num_threads(),
        "capability": torch.backends.cpu.get_cpu_capability(),
    }
