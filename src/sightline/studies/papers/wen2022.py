"""Wen et al. (2022), *Revisiting Attention Weights as Explanations*: their tables and figure, by
id.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product

from sightline.audits.audit_result import Audit
from sightline.config.part_syntax import Part
from sightline.config.specs import RunSpec
from sightline.core.results import Estimate
from sightline.stats.across_seeds import across_seeds, goes_together
from sightline.stats.intervals import Bounds, without_interval
from sightline.studies.aggregate import (
    AggregateLine,
    Number,
    RunId,
    RunNumbers,
    averaged,
    number_by_run,
    shortfall,
)
from sightline.studies.papers import jain2019
from sightline.studies.papers.ablations import REPRESENTATION
from sightline.studies.papers.adversaries import BY_CORPUS, SHORTER, train_against
from sightline.studies.papers.corpus_statistics import COUNTED, COUNTED_OTHERWISE, sizes
from sightline.studies.papers.gumbel_vs_seed import TASKS, UNCHANGED, count_rises
from sightline.studies.papers.model_performance import moved_of, performance_of
from sightline.studies.papers.paper_table import of_paper
from sightline.studies.papers.study_models import BILSTM
from sightline.studies.run_numbers import TAU, read_estimates
from sightline.studies.study_corpora import BINARY, QUESTIONS
from sightline.studies.study_definition import Params

CORPORA = (*BINARY, *QUESTIONS[1:])
ENCODERS, SCORERS = ("bilstm", "cnn", "mlp"), ("additive", "deep", "dot")
TEMPERATURE = 0.8
TWICE: Bounds = (0.0, 2.0)
"""The bounds of the difference between two τ."""
INFORMED = ("information",)
TAUS = {
    "τ of information and weight by rank": ("information.paper.tau.output", ""),
    "the same of the answer under uniform weights": ("information.paper.tau.decoupled", ""),
}
RANKED = {
    "contrast of the first rank about the gold label, nats": ("information.D.label", ""),
    "weight of the first rank over the last": ("information.flatness", ""),
}
TAU_BY_RANK, UNEVENNESS = next(iter(TAUS)), tuple(RANKED)[1]
AGAIN = "τ, most less least over starts of k-means"
UNEVEN = "τ-b over models of τ by rank and the weight of the first rank over the last"
EVEN_RANKS = ("babi1", "imdb")
"""Corpora on which nearly every text has a word of each rank, so that uniform attention gives all
ranks the same mean weight."""
SHORT_ALONE = (
    "texts with fewer words than ranks alone give uniform weights a τ: none on bAbI 1; on IMDB one "
    "review of 500 under one seed, and none under two"
)
POOLED = (
    "all eleven, by model and by scorer: the mean over the corpora that are there. The seeds of these "
    "lines are the number of such corpora, and the interval is over them, or over the seeds of one"
)
FEWER = "over the corpora that are there, not all eleven"
CALIBRATED = (
    "an untrained model whose weights are sharpened reaches .92 to 1.00 on SST, .55 to .98 on news "
    "(docs/tables/information.md): τ of counted information has no floor at 0; the contrast about "
    "the gold label has"
)
REPEATED = (
    "repeats of one seed: theirs is the mean absolute difference of whole runs, and the largest "
    "one; such runs are equal to the bit on one processor, so ours is another number, the range "
    "over starts of k-means"
)
LABELLED = (
    "the caption of their Table 3 says that JSD is of output distributions; its arrow and §5.2 mean "
    "attention, and it is read so; what its head calls accuracy the text calls the highest F1"
)
TVD, THEIR_TVD = "TVD of answers", "TVD of answers, as the paper counts it"
TOGETHER = (
    "over models (§5.3): above 0 where τ is low as weights are even; by each seed, and the mean "
    "over seeds"
)


def run_spec(
    asked: Params, corpus: str, seed: int, model: str, measures: tuple[str, ...]
) -> RunSpec:
    """Describe one run, trained as in the paper; questions as in Jain & Wallace, whom
    they follow.
    """
    return jain2019.run_spec(asked, corpus, seed, model, measures, "wen2022")


def _plain(asked: Params, corpus: str, seed: int) -> Iterator[tuple[str, RunSpec]]:
    yield BILSTM, run_spec(asked, corpus, seed, BILSTM, ("need",))


def _ranked(asked: Params, corpus: str, seed: int) -> Iterator[tuple[str, RunSpec]]:
    for encoder, scorer in product(asked.swept(ENCODERS), asked.swept(SCORERS)):
        yield f"{encoder}+{scorer}", run_spec(asked, corpus, seed, f"{encoder}+{scorer}", INFORMED)


def _gumbel(asked: Params, corpus: str, seed: int) -> Iterator[tuple[str, RunSpec]]:
    for model, run in _ranked(asked, corpus, seed):
        yield model, run
        projection = Part("gumbel", (("temperature", TEMPERATURE),))
        yield f"{model}+gumbel", replace(run, model=replace(run.model, projection=projection))


def _fixed(asked: Params, corpus: str, seed: int) -> Iterator[tuple[str, RunSpec]]:
    run = run_spec(asked, corpus, seed, BILSTM, INFORMED)
    yield BILSTM, run
    yield (
        f"{BILSTM}, attention fixed",
        replace(run, model=replace(run.model, source=Part("uniform"))),
    )
    held = replace(run.fit, from_base=REPRESENTATION, fixed=REPRESENTATION)
    yield f"{BILSTM}, representation fixed", replace(run, fit=held)


def _against(asked: Params, corpus: str, seed: int, measures: tuple[str, ...]) -> RunSpec:
    run = run_spec(asked, corpus, seed, BILSTM, measures)
    return replace(run, fit=train_against(run.fit, "kl", BY_CORPUS[corpus]))


def _adversaries(asked: Params, corpus: str, seed: int) -> Iterator[tuple[str, RunSpec]]:
    yield (
        f"{BILSTM}, adversary",
        replace(_against(asked, corpus, seed, ("beside",)), companions=("base",)),
    )


def _moved(asked: Params, corpus: str, seed: int) -> Iterator[tuple[str, RunSpec]]:
    yield BILSTM, run_spec(asked, corpus, seed, BILSTM, INFORMED)
    yield f"{BILSTM}, adversary", _against(asked, corpus, seed, INFORMED)


def _moved_as_theirs(audit: Audit) -> Mapping[str, Number]:
    """Return how far an adversary is from its base, with TVD as in the paper's code: half
    of ours.
    """
    moved = moved_of(audit)
    return {
        THEIR_TVD if name == TVD else name: _halved(one) if name == TVD else one
        for name, one in moved.items()
    }


def _halved(number: Number) -> Number:
    whole = number.value
    value = replace(whole, value=whole.value / 2, low=whole.low / 2, high=whole.high / 2)
    return Number(value, None, (0.0, 0.5))


def _of_ranks(audit: Audit) -> Mapping[str, Number]:
    """Return the rank information; τ is left out if there were too few ranks or texts."""
    known = dict(read_estimates({**TAUS, **RANKED})(audit))
    if TAU_BY_RANK in known:
        known[AGAIN] = Number(_again(known[TAU_BY_RANK].value), None, TWICE)
    return known


def _of_unlike_ranks(audit: Audit) -> Mapping[str, Number]:
    """Return τ; nothing where the mean weights of all ranks are equal, as under uniform attention
    when every text has a word of each rank: then τ is 0 whatever the hidden states say.
    """
    known = read_estimates(TAUS)(audit)
    by_rank = known.get(TAU_BY_RANK)
    return {} if by_rank is not None and by_rank.value.low == by_rank.value.high == 0 else known


def _again(tau: Estimate) -> Estimate:
    """Return the range of the published τ of one model over starts of k-means."""
    return without_interval(tau.high - tau.low, tau.n, tau.method)


def _together(found: Mapping[RunId, tuple[float, float]]) -> Iterator[AggregateLine]:
    """Correlate τ with the unevenness of the weights, over models."""
    by_seed = [
        [both for (_, _, at), both in found.items() if at == seed]
        for seed in sorted({at for *_, at in found})
    ]
    taus = [goes_together(*zip(*pairs, strict=True)) for pairs in by_seed]
    if known := [one for one in taus if not math.isnan(one.value)]:
        yield AggregateLine(
            "all eleven", "all", UNEVEN, Number(across_seeds(known, TAU), None, TAU), len(known)
        )


def _over_corpora(
    description: str, names: Iterable[str], found: Mapping[RunId, Estimate], bounds: Bounds
) -> Iterator[AggregateLine]:
    """Average a number by model, or by scorer, over the available corpora, as §5 does
    over eleven.
    """
    for name in names:
        by_corpus = [
            [one for (at, model, _), one in found.items() if at == corpus and _named(model, name)]
            for corpus in dict.fromkeys(corpus for corpus, _, _ in found)
        ]
        means = [across_seeds(each, bounds) for each in by_corpus]
        if known := [one for one in means if one.n]:
            yield AggregateLine(
                "all eleven",
                name,
                description,
                Number(across_seeds(known, bounds), None, bounds),
                len(known),
            )


def _named(model: str, name: str) -> bool:
    return name in (model, model.partition("+")[2])


def _figure(runs: Sequence[RunNumbers]) -> Iterator[AggregateLine]:
    yield from averaged(runs)
    taus, again, uneven = (number_by_run(runs, name) for name in (TAU_BY_RANK, AGAIN, UNEVENNESS))
    models = dict.fromkeys(run.model for run, _ in runs)
    yield from _over_corpora(TAU_BY_RANK, (*SCORERS, *models), taus, TAU)
    yield from _over_corpora(AGAIN, (BILSTM,), again, TWICE)
    yield from _together({of: (tau.value, uneven[of].value) for of, tau in taus.items() if tau.n})


_table = partial(of_paper, "wen2022")
PAPER_TABLES = (
    _table(
        "W-1",
        "Table 1",
        "sizes, and test performance of the BiLSTM",
        CORPORA,
        specs=_plain,
        numbers=performance_of,
        counted=sizes,
        apart=COUNTED_OTHERWISE,
        notes=(COUNTED, "chance level: what guessing reaches"),
    ),
    _table(
        "W-F2",
        "Figure 2",
        "τ of information and weight by rank: encoders × scorers",
        CORPORA,
        specs=_ranked,
        numbers=_of_ranks,
        lines=_figure,
        figures=("ranks",),
        apart={"all eleven": FEWER},
        notes=(CALIBRATED,),
        notes_on_models=(POOLED, TOGETHER, REPEATED),
    ),
    _table(
        "W-2",
        "Table 2",
        "what τ loses under fixed attention, and over a fixed representation",
        CORPORA,
        specs=_fixed,
        numbers=_of_unlike_ranks,
        of_several=True,
        lines=shortfall(TAU_BY_RANK, BILSTM, "τ lost"),
        apart=dict.fromkeys(
            ((corpus, f"{BILSTM}, attention fixed", "τ lost") for corpus in EVEN_RANKS), SHORT_ALONE
        ),
        notes=(
            "fixed attention: uniform, where all ranks are ties, which follow the order of the text; "
            "where every text has a word of each rank, as on bAbI 1 and under two seeds on IMDB, all "
            "mean weights are equal, so there is no τ",
            CALIBRATED,
        ),
    ),
    _table(
        "W-3",
        "Table 3",
        ("adversaries: accuracy, and how far answers and attention are from the base’s"),
        BINARY,
        specs=_adversaries,
        numbers=_moved_as_theirs,
        of_several=True,
        notes=(
            "TVD is a quarter of the L1 distance of both classes, as in the code that the paper "
            "follows: half of ours elsewhere",
            LABELLED,
            SHORTER,
        ),
    ),
    _table(
        "W-4",
        "Table 4",
        "what τ loses in adversaries",
        BINARY,
        specs=_moved,
        numbers=read_estimates(TAUS),
        of_several=True,
        lines=shortfall(TAU_BY_RANK, BILSTM, "τ lost"),
        notes=(CALIBRATED, SHORTER),
    ),
    _table(
        "W-5",
        "Table 5",
        "how often Gumbel-softmax (0.8) leaves τ higher or unchanged",
        CORPORA,
        specs=_gumbel,
        numbers=read_estimates(TAUS),
        of_several=True,
        lines=count_rises(TAU_BY_RANK),
        apart={"all": FEWER, **dict.fromkeys(TASKS, FEWER)},
        notes=(
            (
                f"unchanged: no more than {UNCHANGED} lower, in the mean over seeds; no noise is "
                "drawn at test time"
            ),
            (
                "chance level: of pairs of seeds of the plain model, the share whose τ is "
                "higher or unchanged"
            ),
            (
                "intervals count the models of one corpus as independent: they speak of other "
                "models on the same corpora (three in the row of all), not of other corpora"
            ),
        ),
    ),
)
