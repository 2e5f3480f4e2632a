"""Meister et al. (2021), *Is Sparse Attention more Interpretable?*: their tables and figures, by
id.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import itemgetter

import numpy as np

from sightline.audits.audit_result import Audit
from sightline.config.specs import BUT_ATTENTION, Adversary, ModelPart, RunSpec
from sightline.core.results import Estimate
from sightline.stats.intervals import without_interval
from sightline.stats.parameter_sweep import SweepRun, mean_sweep_tau
from sightline.studies.aggregate import Number, gain
from sightline.studies.papers.adversaries import SHORTER, train_against
from sightline.studies.papers.corpus_statistics import COUNTED, COUNTED_OTHERWISE, totals
from sightline.studies.papers.model_performance import moved_of, performance_of
from sightline.studies.papers.paper_table import of_paper
from sightline.studies.papers.study_models import BILSTM, PaperModel
from sightline.studies.papers.study_models import run_spec as trained_spec
from sightline.studies.run_numbers import SHARE, TAU, mean_of, numbers_of, read_estimates
from sightline.studies.study_corpora import data_of
from sightline.studies.study_definition import FinishedRun, JointReading, Params
from sightline.verdict.audit_clusters import clusters_of

CORPORA = ("imdb", "news", "sst")
ADVERSARIES_ON = ("news", "sst")
"""The corpora on which adversaries are trained."""
PRESET = "meister2021"
PAIRS = (BILSTM, "transformer+dot")
MODELS = tuple(f"{pair}+{projection}" for pair in PAIRS for projection in ("softmax", "sparsemax"))
LAMBDAS = (-30.0, -10.0, -3.0, -1.0, 0.0, 0.5, 0.9)
SWEPT = ("state_agreement",)
MEASURES = ("mixing", *SWEPT)
"""The measures for models along λ, and for those of Table 1, which also measure what moves their
states."""
LOSSES: Mapping[str, Adversary] = {"": "kl", ", by JSD": "jsd"}
"""Its footnote refers to the loss of Wiegreffe & Pinter, with KL; its text says JSD. Both
are run."""
HELD: Mapping[str, tuple[tuple[ModelPart, ...], float]] = {
    "frozen": (BUT_ATTENTION, 1.0),
    "unfrozen": ((), 0.1),
}
"""The parts copied from the base and fixed, and λ, which the paper does not name."""
SIGN = (
    "below 0 the importance is less even as λ, and with it sparsity, grows: the table’s "
    "signs say so, and the paper’s text says that it rises"
)
NAMELESS = (
    "λ 1 frozen and .1 unfrozen, as the paper names none: of .00105 (from Wiegreffe & "
    "Pinter for SST, as λ is here), .1 and 1 the least at which attention of the BiLSTM "
    "leaves the base’s"
)
IMPORTANCES = {
    "τ with gradient of inputs": "gradient_through",
    "τ with deletion of inputs": "deletion",
    "τ with gradient of states": "state_gradient",
    "τ with removal of states": "state_deletion",
}
EVENNESS = {"evenness of inputs for the answer, gradient": "gradient_through",
            "evenness of inputs for the answer, deletion": "deletion"}  # fmt: skip
FOLLOWED = {
    "evenness of inputs for the answer": "entropy.gradient_through",
    "τ with gradient of inputs": "tau.gradient_through",
    "τ with deletion of inputs": "tau.deletion",
}
"""The quantities that are correlated with λ."""
Values = Mapping[str, np.ndarray]
"""Numbers of each text of a run, by name."""
FACETED = 50
"""For this many texts the importance of inputs for states is also computed for every number of a
state, which takes one pass for each."""
EVEN = "evenness of inputs for states"
MIXED = {
    EVEN: ("mixing.entropy", ""),
    "focus as drawn": ("mixing.focus.untrained", ""),
}
COUPLED = (
    "chance level: τ of shuffled weights that were used; zeros: share of the pairs of words that "
    "tie at weight zero"
)


DEFINED = (
    "gradient: the length of the gradient of a word’s embedding, which also runs through the "
    "attention (their equation 4), where Jain & Wallace hold attention fixed; τ: Kendall’s τ-b"
)
UNSAID = "over what the paper takes its τ is not said: text by text here"
BY_CHANCE = (
    "chance level: of τ, τ of λ with the agreement of shuffled weights that were used; of evenness, "
    "0, as λ in any order has it"
)
OF_IMDB = "the paper’s Figure 3 is of IMDb"


def _label(model: str) -> str:
    return model.removesuffix("+softmax")


def _run_spec(
    asked: Params,
    corpus: str,
    model: str,
    seed: int,
    measures: tuple[str, ...],
    companions: tuple[str, ...] = (),
) -> RunSpec:
    """Describe one run, trained as in the paper."""
    paper = PaperModel(corpus, PRESET, model)
    run = trained_spec(data_of(asked.folder, corpus), paper, seed, None)
    return replace(run, measures=measures, companions=companions)


def _pairs(asked: Params, corpus: str, seed: int) -> Iterator[tuple[str, RunSpec]]:
    for model in MODELS:
        yield _label(model), _run_spec(asked, corpus, model, seed, MEASURES, ("untrained",))


def _mixed(asked: Params, corpus: str, seed: int) -> Iterator[tuple[str, RunSpec]]:
    """Return the pairs. On film reviews this is their App. A: whether the length of a state stands
    for all its numbers.
    """
    yield from _pairs(asked, corpus, seed)
    if corpus == "sst":
        for model, run in _pairs(asked, corpus, seed):
            both = replace(
                run, limit=FACETED, measures=("mixing", "mixing_otherwise"), companions=()
            )
            yield f"{model}, {FACETED} texts", both


def _swept(asked: Params, corpus: str, seed: int) -> Iterator[tuple[str, RunSpec]]:
    for pair in PAIRS:
        for setting in asked.swept(LAMBDAS):
            model = f"{pair}+sparsegen(lambda={setting})"
            yield model, _run_spec(asked, corpus, model, seed, SWEPT)


def _every(asked: Params, corpus: str, seed: int) -> Iterator[tuple[str, RunSpec]]:
    yield from _pairs(asked, corpus, seed)
    yield from _swept(asked, corpus, seed)


def _trained(asked: Params, corpus: str, seed: int) -> Iterator[tuple[str, RunSpec]]:
    for model in PAIRS:
        yield model, _run_spec(asked, corpus, model, seed, ("need",))


def _adversaries(asked: Params, corpus: str, seed: int) -> Iterator[tuple[str, RunSpec]]:
    """Frozen: all but attention is copied from the base and fixed; unfrozen: a new model."""
    for model, base in _trained(asked, corpus, seed):
        plain = replace(base, measures=("beside",))
        yield model, replace(plain, companions=("seed(by=1)",))
        for label, loss in LOSSES.items():
            for how, (held, weight) in HELD.items():
                fit = train_against(base.fit, loss, weight, held)
                yield f"{model}, {how}{label}", replace(plain, fit=fit, companions=("base",))


def _agreement(audit: Audit) -> dict[str, Number]:
    values = numbers_of(audit, "state_agreement")
    found = {
        label: Number(
            mean_of(audit, values[f"tau.{name}"], TAU),
            mean_of(audit, values[f"coupling_tau.{name}"], TAU),
            TAU,
        )
        for label, name in IMPORTANCES.items()
    }
    return {**found, "zeros": Number(mean_of(audit, values["both_zero"], SHARE), None, SHARE)}


def _spread(audit: Audit) -> dict[str, Number]:
    found = dict(read_estimates(MIXED)(audit))
    if (drawn := audit.estimates.get("mixing.focus.untrained")) is not None:
        untrained = Estimate(1 - drawn.value, 1 - drawn.high, 1 - drawn.low, drawn.n, drawn.method)
        found[EVEN] = replace(found[EVEN], baseline=untrained)
    if "mixing_otherwise" in audit.measurements:
        length = numbers_of(audit, "mixing")["entropy"]
        facets = numbers_of(audit, "mixing_otherwise")["entropy.facets"]
        found["evenness by every number of a state"] = Number(
            mean_of(audit, facets, SHARE), None, SHARE
        )
        found["evenness by length less that by every number"] = Number(
            mean_of(audit, length - facets, TAU), None, TAU
        )
    return found


def _evenness(audit: Audit) -> dict[str, Number]:
    values = numbers_of(audit, "state_agreement")
    return {
        label: Number(mean_of(audit, values[f"entropy.{name}"], SHARE), None, SHARE)
        for label, name in EVENNESS.items()
    }


def _along(runs: Sequence[FinishedRun]) -> dict[str, Number]:
    """Correlate quantities with λ, text by text, for one model and seed.

    Shuffled weights that are used agree more with importance as attention gets sparser, so what
    they do along λ is the chance level of an agreement. Of evenness it is 0, as every order of λ is
    as likely as its reverse.
    """
    swept = [
        (_setting(run), run.seed, numbers_of(audit, "state_agreement"), clusters_of(audit))
        for run in runs
        for audit in [run.audit()]
    ]

    def along(take: Callable[[Values], np.ndarray]) -> Estimate:
        return mean_sweep_tau(
            [
                SweepRun(setting, seed, take(values), values["support"], clusters)
                for setting, seed, values, clusters in swept
            ]
        )

    found = {}
    for label, name in FOLLOWED.items():
        tau = along(itemgetter(name))
        by_chance = without_interval(0.0, tau.n, "exact: λ in any order")
        if (shuffled := f"coupling_{name}") in swept[0][2]:
            found[f"τ of λ with {label} less chance"] = Number(
                along(partial(_difference, name, shuffled)), by_chance, TAU
            )
            by_chance = along(itemgetter(shuffled))
        found[f"τ of λ with {label}"] = Number(tau, by_chance, TAU)
    return found


def _difference(name: str, other: str, values: Values) -> np.ndarray:
    return values[name] - values[other]


def _pair(model: str) -> str:
    return f"{model.partition('+sparsegen')[0]}+sparsegen"


def _base(model: str) -> str:
    return model.partition(", ")[0]


def _setting(run: FinishedRun) -> float:
    return float(dict(run.spec.model.projection.options)["lambda"])


CHOSEN = "λ was chosen so that this number moves, on test texts"
NOT_CHOSEN = "λ, which the paper does not name, was chosen for the BiLSTM, and does not move it"
UNMOVED = "attention does not move in these trainings, so they are no adversaries"
TABLE_5 = gain("accuracy", _base, "accuracy gained")
_table = partial(of_paper, "meister2021")
PAPER_TABLES = (
    _table(
        "M-1",
        "Table 1",
        "how evenly the importance of inputs for states lies over the words",
        CORPORA,
        specs=_mixed,
        numbers=_spread,
        notes=(
            "chance level of evenness: the model before any training (1 − its focus); a "
            "Transformer’s last layer is normalised, so its states then have one length, and what "
            "changes it is left by the ε of the normalisation: that level says little",
            "by every number of a state: App. A says that it is nearly identical to that by length",
        ),
    ),
    _table(
        "M-2",
        "Table 2",
        "τ of sparsegen’s λ with the evenness of the importance of inputs",
        CORPORA,
        specs=_swept,
        of_several=True,
        joint=JointReading(_pair, _along),
        figures=("sparsity",),
        apart=dict.fromkeys(CORPORA, UNSAID),
        notes=(SIGN, BY_CHANCE, DEFINED),
    ),
    _table(
        "M-3",
        "Table 3",
        "sizes and accuracies",
        CORPORA,
        specs=_trained,
        numbers=performance_of,
        counted=totals,
        apart=COUNTED_OTHERWISE,
        notes=(COUNTED, "chance level: what guessing reaches"),
    ),
    _table(
        "M-5",
        "Table 5",
        ("adversaries, all but attention frozen or not: how far, and at what accuracy"),
        CORPORA,
        specs=_adversaries,
        numbers=moved_of,
        of_several=True,
        lines=TABLE_5,
        apart={
            **{
                (corpus, f"transformer+dot, {how}", quantity): UNMOVED
                for corpus in ADVERSARIES_ON
                for how in HELD
                for quantity in ("accuracy", "accuracy gained")
            },
            **{("sst", f"bilstm+additive, {how}", "JSD of attention"): CHOSEN for how in HELD},
            **{
                (corpus, f"transformer+dot, {how}", "JSD of attention"): NOT_CHOSEN
                for corpus in ADVERSARIES_ON
                for how in HELD
            },
        },
        notes=(f"by KL as its footnote says, and by JSD as its text does; {NAMELESS}", SHORTER),
    ),
    _table(
        "M-6",
        "Table 6",
        "τ of attention with the importance of inputs and of states",
        CORPORA,
        specs=_pairs,
        numbers=_agreement,
        notes=(COUPLED, DEFINED),
    ),
    _table(
        "M-F2",
        "Figure 2",
        "evenness of the importance of inputs over all projections",
        CORPORA,
        specs=_every,
        numbers=_evenness,
        figures=("evenness",),
    ),
    _table(
        "M-F3",
        "Figure 3",
        "τ of attention with the importance of inputs over λ",
        ("imdb", "sst"),
        specs=_swept,
        of_several=True,
        joint=JointReading(_pair, _along),
        figures=("sparsity",),
        notes=(SIGN, BY_CHANCE, OF_IMDB, DEFINED),
    ),
)
