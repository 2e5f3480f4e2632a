"""Estimate the cost of a run by doing a little of it; nothing is kept or written.

It reads a part of a large table, times a few batches of a training, and audits a few texts of each
length. That takes seconds, however large the run is.
"""

from __future__ import annotations

import resource
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import ceil
from pathlib import Path
from time import perf_counter

import numpy as np
import torch
from jaxtyping import Bool

from sightline.adapters.answers_model import AnswersModel
from sightline.adapters.precision import to_float64
from sightline.adapters.truncation import visible_dataset, visible_texts
from sightline.audits.attention_sources.choice_split import quota
from sightline.audits.attention_sources.select_source import TRIED
from sightline.audits.captum_maps import attributed
from sightline.audits.look_measures import (
    CANDIDATES,
    most_compared,
    of_some,
    of_the_verdict,
    stage_of,
)
from sightline.audits.look_measures import STAGES as LOOKED_AT
from sightline.audits.measure_pass import BATCH, measure
from sightline.audits.one_look import few_before, size_of_first_look
from sightline.audits.stop_limits import ignore
from sightline.config.base_runs import as_trained
from sightline.config.measure_registry import BY_NAME
from sightline.config.part_syntax import Part as ModelPart
from sightline.config.specs import ModelSpec, RunSpec
from sightline.core.example import Example
from sightline.core.protocols import Auditable, Measure, SupportsAttentionSources, SupportsSurvey
from sightline.core.results import Measurement, Outcome
from sightline.core.seeds import Seeds
from sightline.core.word_lists import join_words
from sightline.data.dataset import (
    Dataset,
    Split,
    count_independent,
    count_independent_of_labels,
    sample_test,
)
from sightline.data.load_dataset import TablePart, fit_vocabulary, load_part
from sightline.data.near_duplicates import counted_once
from sightline.experiments.forecast_result import Forecast
from sightline.experiments.pipeline import Trained, of_label
from sightline.experiments.report_cost import time_judging
from sightline.experiments.training_jobs import check_labels
from sightline.measures.attribution_maps import shares_texts
from sightline.measures.default_measures import default_measures
from sightline.measures.importance import TOKENS_AT_ONCE
from sightline.models.classifier import AttentionClassifier, build
from sightline.numerics.text_clusters import AS_ONE
from sightline.report.sentences import quoted
from sightline.training.control_models import companions_of, trainings_of
from sightline.training.loop import fit
from sightline.verdict.thresholds import default_thresholds, no_verdict

SECONDS = 5.0
"""Seconds spent on timing a training, and again on timing an audit."""
BATCHES = (3, 24)
"""The least and the most batches that are timed."""
QUICK_SECONDS = 0.25
"""Seconds of timing before an audit begins, to say how long it takes."""
QUICK_TEXTS, SMALL = 8, 8
"""How many texts are timed at least, and how many times as many an audit must have."""
SLOW = 3.0
"""If one short text takes more seconds than this, only two texts are timed: eight texts of a
published model took 148 s, and the first look at 120 about 2 min."""
STRATA, LEAST_TEXTS = 4, 2
FIRST_SQUARES = 2**16
"""Squared words of the short texts that are timed first: up to as many texts as share a batch."""
TOO_LONG = 2.0
"""After so many times `SECONDS` the remaining strata, of the longest texts, are extrapolated from
the earlier ones."""


def forecast(
    spec: RunSpec,
    device: str = "cpu",
    tokens_at_once: int = TOKENS_AT_ONCE,
    attribution: str | None = None,
    *,
    bearing: bool = False,
    budget: float | None = None,
    labels: Sequence[str] = (),
) -> Forecast:
    """Estimate a run from its spec by training on a few batches and auditing a few texts. A model
    with several labels is audited for the ``labels`` named, or for all.

    An epoch takes the mean time of the timed batches, times their number, plus its validation.
    There are at least ``patience + 1`` epochs, and at most as many as the spec allows.
    `forecast_audit` says how an audit is estimated.
    """
    part, seconds_reading = _read(spec)
    check_labels(part.dataset, spec)
    model = _untrained(spec.model, part, spec, device)
    others = {
        name: _untrained(other.model, part, spec, device)
        for name, other in companions_of(spec).items()
    }
    epoch, timed, once = _time_epoch(model, part, spec)
    own, all_epochs = as_trained(spec.fit), _epochs_of_all(spec)
    fewest, most = min(own.patience + 1, own.epochs), own.epochs
    trained, audits = Trained(model, part.dataset, others, {}), 1
    if spec.model.labelwise:
        audits = len(set(labels) or part.dataset.labels)
        trained = of_label(trained, part.dataset.labels[0])
    audit = forecast_audit(
        trained,
        spec.seed,
        spec.limit,
        tokens_at_once,
        spec.measures,
        part.share,
        attribution,
        bearing=bearing,
        budget=budget,
    ).times(audits, "labels")
    texts, models = round(len(part.dataset.train) / part.share), len(trainings_of(spec))
    about = (
        f"an epoch on {timed} of {texts:,} training texts, {models} models, {fewest} to {most} "
        "epochs"
    )
    return replace(
        audit,
        seconds_training=epoch * all_epochs,
        seconds_epoch=epoch * all_epochs / max(1, most),
        epochs=(fewest, most),
        seconds_reading=seconds_reading,
        seconds_start=audit.seconds_start + once,
        peak_bytes=audit.peak_bytes + part.unread_bytes,
        basis=f"{_read_of(part)}{about}; {audit.basis}",
    )


Take = Callable[[Sequence[Example]], tuple[float, dict[str, Outcome]]]
"""Takes every measure on some texts, and returns the seconds and the outcomes."""


def forecast_audit(
    trained: Trained,
    seed: int,
    limit: int | None = None,
    tokens_at_once: int = TOKENS_AT_ONCE,
    chosen: tuple[str, ...] = (),
    share: float = 1.0,
    attribution: str | None = None,
    *,
    bearing: bool = False,
    budget: float | None = None,
) -> Forecast:
    """Estimate the audit of a model that needs no training; ``share`` is the part of its texts that
    was read. With ``bearing``, only measures that the verdict rests on count; a short ``budget``
    makes the first look smaller.

    If an attention source is to be chosen, some texts choose it and the others are audited. Both
    steps are timed on the same texts, and each counts for its share, as if predictions were the
    labels. An ``attribution`` (``captum:NAME``) is made of the audited texts.

    Texts are sorted by length and cut into strata of the same cost. c is the cost of a text by
    length. Sums run over a stratum, and over its few texts that were timed together. b is
    the cost of a batch however little is in it::

        audit = Σ_strata b · batches + (seconds − b) · Σ c / Σ_timed c
    """
    seen = visible_texts(trained.model, trained.dataset.test)
    ordered = sorted(seen, key=lambda example: len(example.tokens))
    if not ordered:
        some = visible_texts(trained.model, trained.dataset.train[:1])
        device = trained.model.collate(some).ids.device
        return Forecast(0.0, 0.0, _peak_bytes(device), "no audit: there are no test texts")
    texts = round(len(ordered) / share)
    audited = texts if limit is None else min(limit, texts)
    measures = _asked(tokens_at_once, chosen, bearing=bearing)
    choosing = _is_choosing(trained.model)
    chosen_by = share_that_chooses(ordered, audited) if choosing else 0.0
    asked: list[tuple[int, int]] = []
    take = _taking(trained, seed, measures, attribution, chosen_by, asked)
    by_runs = _by_runs(trained.model, bearing=bearing)
    cost = _runs if by_runs else _squares
    short = middle_batch(ordered[: len(ordered) // 5 + 1], FIRST_SQUARES, _squares)
    # The first call of everything is slow.
    cold, alone, again = (take(few)[0] for few in (short[:1], short[:1], short))
    seconds, held, tried = _over_strata(
        ordered, take, cost, again / cost(short), _fixed(alone, cost(short[:1]), again, cost(short))
    )
    part = audited / len(ordered)
    timed = sum(len(few) for few, _ in tried)
    by = "the words that it runs" if by_runs else "the square of their length"
    choice = f", {chosen_by:.0%} of which choose the attention source" if choosing else ""
    basis = (
        f"an audit of {timed} of {audited:,} test texts, scaled by {by}{choice}"
        f"{_not_counted(measures)}{_texts_asked(asked, part, ordered)}; memory: the most that was "
        "held meanwhile, and the raw numbers of all texts"
    )
    # Arrays of all texts are held twice while batches are joined.
    peak = _peak_bytes(trained.model.collate(short).ids.device) + round(
        2 * held * audited * (1 - chosen_by)
    )
    after, page = time_judging(trained, *tried[0], round(audited * (1 - chosen_by)), seed)
    note = few_texts(trained.dataset, limit, seed)
    first = size_of_first_look(trained.model, ordered, audited, budget)
    return Forecast(
        0.0,
        seconds * part,
        peak,
        basis,
        seconds_start=max(0.0, cold - alone),
        seconds_judging=after,
        seconds_page=page,
        first_look=(first, seconds * part * first / audited) if bearing else None,
        few=few_before(trained.model, first, default_thresholds().least) if bearing else 0,
        notes=(note,) if note else (),
    )


def _not_counted(measures: Sequence[Measure]) -> str:
    """Name the measures whose work on all texts together is not timed."""
    learned = [
        one.code for one in measures if one.code in BY_NAME and isinstance(one, SupportsSurvey)
    ]
    named = " and ".join(learned)
    return f"; not counted: what {named} does with all texts together" if learned else ""


def _texts_asked(asked: Sequence[tuple[int, int]], part: float, ordered: Sequence[Example]) -> str:
    """Estimate how many texts a model that only answers is asked; the first two calls warm up."""
    if not asked:
        return ""
    # The number of texts asked grows about as the number of words: each word is left out once.
    words, texts = (sum(column) for column in zip(*asked[2:], strict=True))
    every = part * sum(len(one.tokens) for one in ordered)
    return f"; about {round(texts * every / words):,} texts to ask the model"


def _asked(tokens: int, chosen: tuple[str, ...], *, bearing: bool) -> tuple[Measure, ...]:
    """Return the measures of an audit; with ``bearing``, only the measures of its looks."""
    measures = default_measures(tokens, chosen)
    if not bearing:
        return measures
    return tuple(of_the_verdict(one) for one in measures if stage_of(one.code) in LOOKED_AT)


MOST_NAMED = 10
"""Classes with few texts are named one by one up to this many classes."""


def few_texts(dataset: Dataset, limit: int | None, seed: int) -> str:
    """Say that there are too few texts for a verdict, or name the classes that have too few for
    their own, judged by labels; the texts are counted as an audit counts them.
    """
    if len(dataset.label_names) > MOST_NAMED:
        return ""
    least = default_thresholds().least
    data = counted_once(sample_test(dataset, limit, seed))
    counts = count_independent_of_labels(data)
    few = [f"{n} of {quoted(name)}" for name, n in counts.items() if 0 < n < least]
    if not few:
        return ""
    counted = count_independent(data.test)
    if counted < least:
        return no_verdict(len(data.test), counted, least)
    as_one = AS_ONE if counted < len(data.test) else ""
    return (
        f"by their labels there are {join_words(few)} among the {len(data.test)} texts{as_one}; a "
        f"class needs at least {least} texts that are predicted as it for a verdict of its own"
    )


def quick_seconds(
    trained: Trained,
    seed: int,
    limit: int | None = None,
    tokens_at_once: int = TOKENS_AT_ONCE,
    chosen: tuple[str, ...] = (),
    attribution: str | None = None,
    *,
    bearing: bool = False,
) -> tuple[float, float]:
    """Estimate the seconds of measuring from a few texts of all lengths: coarser and faster than
    `forecast_audit`. The second number is for the maps that are compared once it is settled that
    attention must not be shown; it is 0 if all maps are measured anyway.

    The first call of everything is slow, so the shortest text warms up. Then as many texts are
    timed together as take `QUICK_SECONDS`, scaled by their squared lengths. If the audit is large,
    at least `QUICK_TEXTS` are timed, since words are moved between texts of several classes; only
    two if one text took longer than `SLOW`. Torch's random state is restored. With ``bearing``,
    only measures that the verdict rests on are timed.
    """
    model = trained.model
    seen = visible_dataset(sample_test(trained.dataset, limit, seed), model)
    chosen_by = share_that_chooses(seen.test, len(seen.test)) if _is_choosing(model) else 0.0
    measures = _asked(tokens_at_once, chosen, bearing=bearing)
    there = replace(trained, dataset=seen)
    take = _taking(there, seed, measures, attribution, chosen_by)
    ordered = sorted(seen.test, key=lambda example: len(example.tokens))
    by_runs = _by_runs(model, bearing=bearing)
    cost = _runs if by_runs else _squares
    took, few, least = 0.0, ordered[:1], min(QUICK_TEXTS, len(ordered) // SMALL)
    with torch.random.fork_rng(devices=[]):
        alone, _ = take(few)
        if alone * cost(_amid_runs(ordered, least)) > SLOW * cost(few) * least:
            least = 2
        while took < QUICK_SECONDS and len(few) < min(BATCH, len(ordered)):
            enough = ceil(len(few) * QUICK_SECONDS / took) if took else 0
            few = _amid_runs(ordered, min(max(2 * len(few), least, enough), BATCH))
            took, _ = take(few)
        some = seen.test[: most_compared(seen.test, default_thresholds().least)] if by_runs else ()
        later = 0.0
        if some:
            wide = (one for one in measures if hasattr(one, "rivals_too"))
            more = [of_some(one) for one in wide]
            later, _ = _taking(there, seed, more, None)(few)
    return took * cost(ordered) / cost(few), later * _squares(some) / _squares(few)


Cost = Callable[[Sequence[Example]], float]
"""The cost of some texts, in a unit of its own."""


def _by_runs(model: Auditable, *, bearing: bool) -> bool:
    """Tell whether cost grows with the words that are run, not with the square of the length: with
    ``bearing``, a model that runs each changed text by itself leaves out some words of a long text.
    """
    return bearing and not shares_texts(model)


def _runs(texts: Sequence[Example]) -> float:
    """Reckon the words that required tests run: a run a word for some words of a text, and about as
    many runs more for each text, however long it is.
    """
    counts = (len(text.tokens) for text in texts)
    return float(sum(words * (min(words, CANDIDATES) + RUNS) for words in counts))


RUNS = 110
"""Changed texts that the required tests run for each text, as counted on texts of 20 words."""


def _amid_runs(ordered: Sequence[Example], count: int) -> list[Example]:
    """Sort texts by length, cut them into so many groups, and take the middle text of each."""
    count = min(count, len(ordered))
    return [ordered[(2 * place + 1) * len(ordered) // (2 * count)] for place in range(count)]


def _is_choosing(model: Auditable) -> bool:
    return isinstance(model, SupportsAttentionSources) and model.choosing


def share_that_chooses(texts: Sequence[Example], audited: int) -> float:
    """Return the share of texts that would choose an attention source if each prediction were the
    label.
    """
    counts = Counter(text.label for text in texts).values()
    scale = audited / len(texts)
    return sum(quota(round(count * scale), default_thresholds().least) for count in counts) / max(
        audited, 1
    )


def _taking(
    trained: Trained,
    seed: int,
    measures: Sequence[Measure],
    attribution: str | None,
    chosen_by: float = 0.0,
    asked: list[tuple[int, int]] | None = None,
) -> Take:
    """Return the function that takes the measures of an audit on some texts and times it.

    ``chosen_by`` is the share of the texts that choose an attention source; the others are audited.
    For a model that only answers, ``asked`` receives the numbers of words and of texts that it was
    asked.
    """
    asked = [] if asked is None else asked
    known, others = (
        to_float64(trained.model),
        {name: to_float64(other) for name, other in trained.companions.items()},
    )

    def take(examples: Sequence[Example]) -> tuple[float, dict[str, Outcome]]:
        began = perf_counter()
        model = known.forgetting() if isinstance(known, AnswersModel) else known
        if chosen_by:
            measure(model, examples, TRIED, {}, Seeds(seed), BATCH, ignore)
        tried = perf_counter()
        if attribution is not None:
            attributed(attribution, model, examples, seed, BATCH)
        taken = measure(model, examples, measures, others, Seeds(seed), BATCH, ignore)
        seconds = (tried - began) * chosen_by + (perf_counter() - tried) * (1 - chosen_by)
        if isinstance(model, AnswersModel):
            asked.append((sum(len(one.tokens) for one in examples), model.about()["texts_asked"]))
        return seconds, taken

    return take


def _over_strata(
    ordered: Sequence[Example], take: Take, cost: Cost, a_unit: float, a_batch: float
) -> tuple[float, float, list[tuple[Sequence[Example], dict[str, Outcome]]]]:
    """Return the seconds of all texts, the bytes held for one text, and the outcomes of the timed
    texts; see `forecast_audit`.

    ``a_unit`` is what a unit of ``cost`` is known to take in seconds, ``a_batch`` what a nearly
    empty batch takes.
    """
    spent, seconds, held, seen, tried = (
        0.0,
        0.0,
        0.0,
        0,
        list[tuple[Sequence[Example], dict[str, Outcome]]](),
    )
    for stratum in strata(ordered, cost):
        few = middle_batch(stratum, SECONDS / STRATA / a_unit, cost)
        if tried and spent + a_unit * cost(few) > TOO_LONG * SECONDS:
            seconds += a_unit * cost(stratum)
            continue
        took, outcomes = take(few)
        spent += took
        a_unit = min(a_unit, took / cost(few))  # longer texts cost less a unit
        whole = min(a_batch, took)
        seconds += whole * len(stratum) / BATCH
        seconds += (took - whole) * cost(stratum) / cost(few)
        held += _bytes(outcomes) * len(stratum) / len(few)
        seen += len(stratum)
        tried.append((few, outcomes))
    return seconds, held / seen, tried


def _fixed(alone: float, few: float, together: float, many: float) -> float:
    """Separate the cost of a batch from the cost of its texts, by timing one text alone and several
    together, which cost ``few`` and ``many`` units.
    """
    return max(0.0, (alone * many - together * few) / (many - few)) if many > few else 0.0


def strata(ordered: Sequence[Example], cost: Cost) -> list[Sequence[Example]]:
    """Cut texts that are sorted by length into strata of similar cost."""
    reached = np.cumsum([cost((example,)) for example in ordered])
    ends = np.searchsorted(reached, reached[-1] * np.arange(1, STRATA) / STRATA, side="right")
    return [
        ordered[start:end]
        for start, end in zip([0, *ends], [*ends, len(ordered)], strict=True)
        if end > start
    ]


def middle_batch(stratum: Sequence[Example], units: float, cost: Cost) -> Sequence[Example]:
    """Take neighbours from the middle of a stratum, up to so many units of cost, as one batch of an
    audit has them.
    """
    middle = len(stratum) // 2
    count = int(np.clip(units / cost(stratum[middle : middle + 1]), LEAST_TEXTS, BATCH))
    count = min(count, len(stratum))
    start = max(0, min(middle - count // 2, len(stratum) - count))
    return stratum[start : start + count]


def spread(split: Split, count: int) -> Split:
    """Take texts evenly over the lengths, the shortest and the longest included, sorted
    by length.
    """
    ordered = sorted(split, key=lambda example: len(example.tokens))
    places = np.unique(
        np.linspace(0, len(ordered) - 1, min(count, len(ordered))).round().astype(int)
    )
    return tuple(ordered[place] for place in places) if count > 1 else tuple(ordered[-1:])


def _read(spec: RunSpec) -> tuple[TablePart, float]:
    """Read the data, or a part of them, and estimate how long reading all of them takes."""
    began = perf_counter()
    part = load_part(spec.data, spec.seed)
    return part, (perf_counter() - began) / part.share


def _epochs_of_all(spec: RunSpec) -> int:
    """Count the epochs of all trainings at most: an adversary has its own, an untrained
    model none.
    """
    return sum(as_trained(one.fit).epochs for one in trainings_of(spec))


def _read_of(part: TablePart) -> str:
    return "" if part.share == 1 else f"{part.share:.1%} of the rows, drawn by chance; "


def _untrained(
    model: ModelSpec, part: TablePart, spec: RunSpec, device: str
) -> AttentionClassifier:
    vocabulary = part.grown(fit_vocabulary(part.dataset, spec.data))
    if (
        model.source.name == "given"
    ):  # no attention is lent yet: the model's own scores cost about as much
        model = replace(model, source=ModelPart("learned"))
    return build(model, vocabulary, part.dataset.labels, spec.seed).to(device)


def _time_epoch(
    model: AttentionClassifier, part: TablePart, spec: RunSpec
) -> tuple[float, int, float]:
    """Time some batches and the validation of some texts, and scale both to all texts.

    Also returns the number of these texts, and the extra seconds of the first training in a
    process.
    """
    train, validation, size = part.dataset.train, part.dataset.validation, spec.fit.batch_size
    began = perf_counter()
    sets = part.dataset.label_sets
    a_batch, _ = _timed(model, spread(train, size), validation[:1], spec, sets)
    once = max(0.0, perf_counter() - began - 2 * a_batch)
    few = spread(train, size * int(np.clip(SECONDS / 2 / a_batch, *BATCHES)))
    checked = spread(validation, len(few))
    training, validating = _timed(model, few, checked, spec, sets)
    seconds = training * len(train) / len(few) + validating * len(validation) / len(checked)
    return seconds / part.share, len(few), once


def _timed(
    model: AttentionClassifier,
    train: Split,
    validation: Split,
    spec: RunSpec,
    sets: Bool[np.ndarray, "S K"] | None,
) -> tuple[float, float]:
    """Time the batches and the validation of a second epoch; the first epoch includes one-time
    costs.

    Loss chooses the epoch kept, because the AUC of so few texts may be undefined.
    """
    epochs, batches = list[float](), list[float]()
    fit(
        model,
        train,
        validation,
        replace(spec.fit, epochs=2, patience=2, keep="loss"),
        spec.seed,
        lambda epoch: epochs.append(perf_counter()),
        lambda epoch, done, total: batches.append(perf_counter()),
        sets=sets,
    )
    return batches[-1] - epochs[0], epochs[-1] - batches[-1]


def _squares(texts: Sequence[Example]) -> float:
    return float(sum(len(example.tokens) ** 2 for example in texts))


def _bytes(outcomes: dict[str, Outcome]) -> int:
    taken = [
        value
        for one in outcomes.values()
        if isinstance(one, Measurement)
        for value in one.values.values()
    ]
    return sum(value.nbytes for value in taken)


def _peak_bytes(device: torch.device) -> int:
    """Return the most memory that this process has held, on a device."""
    if device.type == "cuda":
        return int(torch.cuda.max_memory_allocated(device))
    status = Path("/proc/self/status")
    if status.exists():  # on Linux, getrusage may report the peak of the parent process
        lines = dict(
            line.split(":", 1)
            for line in status.read_text(encoding="utf-8").splitlines()
            if ":" in line
        )
        if "VmHWM" in lines:
            return int(lines["VmHWM"].split()[0]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
