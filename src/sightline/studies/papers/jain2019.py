"""Jain & Wallace (2019), *Attention is not Explanation*: their tables and figures, by id."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from sightline.audits.audit_result import Audit
from sightline.config.presets import build_specs
from sightline.config.specs import ModelSpec, RunSpec
from sightline.core.results import Estimate, Measurement
from sightline.data.word_vectors import with_vectors
from sightline.numerics.known_values import sd_of_known
from sightline.stats.intervals import LOG_2, Bounds
from sightline.studies.aggregate import Number
from sightline.studies.papers.corpus_statistics import COUNTED, COUNTED_OTHERWISE, sizes
from sightline.studies.papers.model_performance import performance_of
from sightline.studies.papers.paper_table import RunsOfCorpus, of_paper
from sightline.studies.papers.study_models import BILSTM
from sightline.studies.run_numbers import SHARE, TAU, largest_of, mean_of, numbers_of, share_of
from sightline.studies.study_corpora import BINARY, CORPORA, QUESTIONS, data_of
from sightline.studies.study_definition import Params

MLP, CNN = "mlp+additive", "cnn+additive"
DOT = (BILSTM, "bilstm+dot", "mlp+dot")
"""Scaled dot attention, after the additive attention that it is compared with."""
GLOVE = "glove/glove.6B.50d.top2446.txt.gz"
"""The place of vectors of 50 numbers in the folder of the corpora, only for the table of starts."""
STARTS_OF_VECTORS = {f"vectors × {scale:g}": scale for scale in (0.5, 1.0, 2.0)}
"""Factors by which the given vectors are multiplied as the start of words."""
HIGH, LITTLE = 0.4, 0.1
"""Our limits, since the paper shows figures: a JSD (at most log 2 = 0.69) above the first is called
high, and a change of the output below the second little."""
STEADY = f"share of texts whose output moves by at most {LITTLE}, median over permutations"
Array = np.ndarray
Quantity = tuple[str, str, Bounds]
"""A number of each text, its chance level if it has one, and its bounds."""
TWICE: Bounds = (-2.0, 2.0)
SIDES = {"low": "at least", "high": "at most"}
SEARCHED = "ε-max JSD, found by the published search"
EPSILON = (
    "ε-max JSD is exact where words have answers of their own: ε = 0.01 of total variation; the "
    "paper searched. On questions and inference it is searched here, too: candidates are penalised "
    "from 0.01 on (in their code from 0.005), and kept up to 0.05, as in their code; numbers *at "
    "0.01* are of earlier runs, which kept them up to 0.01"
)
COUPLED = (
    "chance level: τ of shuffled weights that were used, because an importance follows whatever "
    "weights are used"
)
START = (
    "τ depends on where words start (from vectors, as in the paper, where there are some), on the "
    "epoch that is kept, and on how peaked attention is: hence the largest weight"
)
SIGNIFICANT = (
    "significant: at p ≤ .05 under permuted words, by a normal approximation with a continuity "
    "correction; theirs comes from SciPy (their code), where a text without "
    "a p-value counts as not significant, and is left out here. At most one text in 20 is so where "
    "weights are not used and few words are tied. Shuffled weights that are used were not tested, so "
    "this share has no chance level; theirs must be larger where the chance level of τ is high"
)
DEFINED = (
    "gradient: the absolute sum of gradient × embedding of a word, attention held fixed (their "
    "equation); τ: Kendall’s τ-b; mlp: the paper’s Average encoder"
)
CLASSES = (
    "the paper names the classes of SNLI by numbers alone, and which label each number is of is "
    "not certain; in no order would the share of texts significant with deletion be within its margin"
)


def run_spec(
    asked: Params,
    corpus: str,
    seed: int,
    model: str,
    measures: tuple[str, ...],
    preset: str = "jain2019",
) -> RunSpec:
    """Describe one run, trained as in the paper; models of questions have presets of their own."""
    named = f"jain2019-{corpus.rstrip('123')}" if corpus in QUESTIONS else preset
    spec, fit = build_specs(model + "+query" * (corpus in QUESTIONS), named)
    return RunSpec(data_of(asked.folder, corpus), spec, fit, seed, companions=(), measures=measures)


def _specs(*measures: str, models: tuple[str, ...] = (BILSTM, MLP)) -> RunsOfCorpus:
    def specs(asked: Params, corpus: str, seed: int) -> Iterator[tuple[str, RunSpec]]:
        for model in models:
            yield model, run_spec(asked, corpus, seed, model, measures)

    return specs


def _starts(asked: Params, corpus: str, seed: int) -> Iterator[tuple[str, RunSpec]]:
    """List the models of Table 2 by the start of their words."""
    for model in (BILSTM, MLP):
        run = run_spec(asked, corpus, seed, model, ("agreement",))
        for label, started in _started(asked, run.model):
            yield f"{model}, {label}", replace(run, model=started)


def _started(asked: Params, model: ModelSpec) -> Iterator[tuple[str, ModelSpec]]:
    for sd in (0.1, 0.3, 1.0):
        wide = 300 if asked.vectors else model.embedding
        yield f"random words, sd {sd:g}", replace(model, embedding=wide, embedding_std=sd)
    if asked.vectors is not None:
        known = replace(with_vectors(model, asked.vectors), without_vector="zero")
        for start, scale in STARTS_OF_VECTORS.items():
            yield start, replace(known, vectors_scale=scale)
    if (glove := asked.folder / GLOVE).exists():
        yield "GloVe, 50-d", replace(with_vectors(model, glove), without_vector="zero")


def _differing(asked: Params, corpus: str, seed: int) -> Iterable[tuple[str, RunSpec]]:
    """Compute exactly if words have logits of their own; models that read a question have none, and
    are searched.
    """
    return _specs("searched" if corpus in QUESTIONS else "counterfactual", models=(BILSTM, CNN))(
        asked, corpus, seed
    )


WITH_SD = ("tau.gradient", "tau.deletion")
"""Quantities of which the paper prints a standard deviation over the texts."""


def _by_class(
    audit: Audit, values: Mapping[str, Array], quantities: Mapping[str, Quantity]
) -> dict[str, Number]:
    """Average quantities over the texts of each predicted class, as the paper does; over all texts
    if there are more than three.
    """

    def average(name: str, texts: Array, bounds: Bounds) -> Estimate:
        if name.startswith("significant."):
            return share_of(audit, values[name], texts)
        return mean_of(audit, values[name], bounds, texts)

    return {
        f"{label}, {of}": Number(
            average(name, texts, bounds),
            average(baseline, texts, bounds) if baseline in values else None,
            bounds,
            sd_of_known(values[name][texts]) if name in WITH_SD else None,
        )
        for of, texts in _classes(audit).items()
        for label, (name, baseline, bounds) in quantities.items()
    }


def _classes(audit: Audit) -> dict[str, Array]:
    predicted, names = numbers_of(audit, "outputs")["predicted"], audit.cards["model"]["labels"]
    if len(names) > 3:
        return {"all classes": np.ones(len(predicted), dtype=bool)}
    return {f"class {number}": predicted == number for number in range(len(names))}


def _correlations(audit: Audit) -> dict[str, Number]:
    """Return Table 2, and how peaked attention is, on which τ depends.

    The chance level of τ uses shuffled weights that the model uses; the chance level of a
    significant τ is the significance level.
    """
    names: dict[str, Quantity] = {
        **{
            f"τ with {one}": (f"tau.{one}", f"coupling_tau.{one}", TAU)
            for one in ("gradient", "deletion")
        },
        **{
            f"significant with {one}": (f"significant.{one}", "", SHARE)
            for one in ("gradient", "deletion")
        },
        "largest weight": ("largest", "", SHARE),
    }
    return _by_class(audit, {**numbers_of(audit, "agreement"), "largest": largest_of(audit)}, names)


def _differences(audit: Audit) -> dict[str, Number]:
    """Return τ of gradient and deletion less τ of attention and each: what the two share beyond
    attention. By chance, shuffled weights that the model uses take the place of attention; τ of
    gradient and deletion stays the one of the model.
    """
    values = numbers_of(audit, "agreement")

    def less(tau: str) -> Estimate:
        return mean_of(audit, values["tau.references"] - values[tau], TWICE)

    found = {}
    for name in ("deletion", "gradient"):
        chance = f"coupling_tau.{name}"
        found[f"τ(gradient, deletion) − τ(attention, {name})"] = Number(
            less(f"tau.{name}"), less(chance) if chance in values else None, TWICE
        )
    return found


def _permuted(audit: Audit) -> dict[str, Number]:
    """Return Figure 6 by class, and the share of all texts whose output hardly moves."""
    names: dict[str, Quantity] = {"output moved, median over permutations": ("median", "", SHARE)}
    values = numbers_of(audit, "permutation")
    median = values["median"]
    steady = np.where(np.isnan(median), np.nan, median <= LITTLE)
    share = Number(share_of(audit, steady), None, SHARE)
    return {**_by_class(audit, values, names), STEADY: share}


def _farthest(audit: Audit) -> dict[str, Number]:
    exact, searched = (audit.measurements.get(code) for code in ("counterfactual", "searched"))
    values: dict[str, Any] = {}
    if isinstance(exact, Measurement):
        values |= {
            f"ε-max JSD, {label}": exact.values[f"jsd_{side}"] for side, label in SIDES.items()
        }
    if isinstance(searched, Measurement):
        values |= {
            SEARCHED: np.asarray(searched.values["released"]),  # kept up to 0.05, as in their code
        }
    known = {label: np.asarray(one, dtype=float) for label, one in values.items()}
    means = {label: Number(mean_of(audit, one, LOG_2), None, LOG_2) for label, one in known.items()}
    shares = {
        _above(label): Number(share_of(audit, _is_high(one)), None, SHARE)
        for label, one in known.items()
    }
    return {**means, **shares}


def _searched_on(corpus: str) -> tuple[str, ...]:
    return (SEARCHED,) if corpus in QUESTIONS else ()


def _above(label: str) -> str:
    return label.replace("ε-max JSD", f"share of texts whose ε-max JSD is above {HIGH}")


def _is_high(jsd: Array) -> Array:
    return np.where(np.isnan(jsd), np.nan, jsd > HIGH)


_table = partial(of_paper, "jain2019")
PAPER_TABLES = (
    _table(
        "J-1",
        "Table 1",
        "sizes, lengths, and test performance of the BiLSTM",
        CORPORA,
        specs=_specs("need", models=(BILSTM,)),
        numbers=performance_of,
        counted=sizes,
        apart=COUNTED_OTHERWISE,
        notes=(COUNTED, "chance level: what guessing reaches"),
    ),
    _table(
        "J-2",
        "Table 2",
        ("Kendall’s τ of attention with gradients and with deletion, by predicted class"),
        CORPORA,
        specs=_specs("agreement"),
        numbers=_correlations,
        apart={"snli": CLASSES},
        notes=(COUPLED, DEFINED, SIGNIFICANT),
        notes_on_models=(START,),
    ),
    _table(
        "J-D",
        "Supplement",
        "the same for scaled dot attention, which their released code trains too",
        CORPORA,
        specs=_specs("agreement", models=DOT),
        numbers=_correlations,
        of_several=True,
        single="jain2019:J-2",
        notes=(COUPLED, DEFINED, SIGNIFICANT),
        notes_on_models=(START,),
    ),
    _table(
        "J-V",
        "Table 2 by start",
        "how much of Table 2 hangs on where words start",
        ("sst", "news"),
        specs=_starts,
        own_start=True,
        numbers=_correlations,
        of_several=True,
        single="jain2019:J-2",
        notes=(
            COUPLED,
            "sd: standard deviation of random words; ×: what the vectors of the protocol, which are "
            "scaled already, were multiplied by; × 1 are the runs of Table 2",
        ),
    ),
    _table(
        "J-3",
        "Figures 2 and 3",
        ("histograms of τ with gradients and with deletion, by encoder and class"),
        CORPORA,
        specs=_specs("agreement"),
        numbers=_correlations,
        figures=("tau-by-class", "tau-by-class-deletion"),
        notes=(COUPLED, DEFINED, SIGNIFICANT),
        notes_on_models=(START,),
    ),
    _table(
        "J-4",
        "Figures 4 and 5",
        "τ of gradient and deletion less τ of attention and each",
        CORPORA,
        specs=_specs("agreement", models=(BILSTM,)),
        numbers=_differences,
        figures=("tau-differences",),
        notes=(
            (
                "above 0: two accepted measures agree with each other more than attention agrees "
                "with one of them"
            ),
        ),
    ),
    _table(
        "J-6",
        "Figure 6",
        "median output change under permuted weights, by the largest weight",
        CORPORA,
        specs=_specs("permutation", models=(BILSTM, CNN)),
        numbers=_permuted,
        figures=("permutation-by-weight",),
    ),
    _table(
        "J-7",
        "Figure 7",
        "how far attention may be from the model’s own with the same answer",
        CORPORA,
        specs=_differing,
        numbers=_farthest,
        needed=_searched_on,
        figures=("farthest",),
        notes=(EPSILON,),
    ),
    _table(
        "J-8",
        "Figure 8",
        "the same, by the largest weight",
        CORPORA,
        specs=_differing,
        numbers=_farthest,
        needed=_searched_on,
        figures=("farthest-by-weight",),
        notes=(EPSILON,),
    ),
    _table(
        "J-H",
        "Figure 1",
        ("one text under the model’s attention, and under the farthest with the same answer"),
        BINARY,
        specs=_specs("counterfactual", models=(BILSTM,)),
        numbers=_farthest,
        figures=("heat-map",),
        notes=(EPSILON,),
    ),
)
