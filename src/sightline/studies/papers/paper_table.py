"""A table or figure of a paper as a study: its runs by corpus and seed, trained as the protocol
says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sightline.config.specs import FitSpec, RunSpec
from sightline.data.word_vectors import with_vectors
from sightline.studies.study_definition import (
    SEEDS,
    LabelledRuns,
    Labels,
    Params,
    Study,
    Values,
    of_audit,
)

if TYPE_CHECKING:
    from sightline.audits.audit_result import Audit

RunsOfCorpus = Callable[[Params, str, int], Iterable[tuple[str, RunSpec]]]
"""Lists the runs on one corpus under one seed, each with the name of its model."""
CAPS, PATIENCE = (8, 20, 25, 60), 3
"""Caps on epochs that no paper's text names, and the patience of such a training. bAbI keeps its
100 epochs: its models still improve near the last."""
FROM_RANDOM = ("babi",)
"""Data whose words start at random in the papers, too."""


def of_paper(
    paper: str,
    name: str,
    place: str,
    description: str,
    corpora: tuple[str, ...],
    *,
    specs: RunsOfCorpus = lambda params, corpus, seed: (),
    numbers: Callable[[Audit], Values] = lambda audit: {},
    own_start: bool = False,
    **more: Any,
) -> Study:
    """Declare a table or figure of a paper, with runs by corpus and seed. Words start as in the
    protocol unless the runs have an ``own_start``.
    """
    runs = each_corpus(specs, own_start=own_start)
    said = {"paper": paper, "place": place, "corpora": corpora, "numbers": numbers, **more}
    return Study(name, description, runs, estimates=of_audit(numbers), **said)


def each_corpus(
    specs: RunsOfCorpus, *, own_start: bool = False
) -> Callable[[Params], LabelledRuns]:
    """List the runs corpus by corpus and seed by seed."""

    def runs(params: Params) -> Iterator[tuple[Labels, RunSpec]]:
        for corpus in params.corpora:
            here = params.at(corpus)
            for seed in range(here.first, here.first + (here.seeds or SEEDS)):
                for model, run in specs(params, corpus, seed):
                    ended = replace(run, fit=patient(run.fit))
                    yield (
                        (corpus, model, str(seed)),
                        ended if own_start else from_vectors(params, ended),
                    )

    return runs


def from_vectors(params: Params, run: RunSpec) -> RunSpec:
    """Start words from the given vectors; words without a vector start from zero, as in the
    published code that all papers use.
    """
    if params.vectors is None or run.data.kind in FROM_RANDOM:
        return run
    started = replace(with_vectors(run.model, params.vectors), without_vector="zero")
    return replace(run, model=started)


def patient(fit: FitSpec) -> FitSpec:
    """End a training early if no paper fixes its number of epochs; an adversary likewise."""
    ended = replace(fit, patience=min(fit.patience, PATIENCE)) if fit.epochs in CAPS else fit
    return replace(ended, adversary_patience=PATIENCE) if fit.adversary else ended
