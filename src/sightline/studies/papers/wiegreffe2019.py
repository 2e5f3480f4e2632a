"""Wiegreffe & Pinter (2019), *Attention is not not Explanation*: the results that later papers use,
by id.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from sightline.config.specs import RunSpec
from sightline.studies.papers import adversaries
from sightline.studies.papers.paper_table import of_paper
from sightline.studies.papers.study_models import BILSTM
from sightline.studies.run_numbers import read_estimates
from sightline.studies.study_corpora import data_of
from sightline.studies.study_definition import Params

MOVED = {
    "JSD of attention, other seeds": ("beside.jsd.seeds", ""),
    "TVD of answers, other seeds": ("beside.tvd.seeds", ""),
    "JSD of attention, adversary": ("beside.jsd.base", ""),
    "TVD of answers, adversary": ("beside.tvd.base", ""),
}


def _specs(asked: Params, corpus: str, seed: int) -> Iterator[tuple[str, RunSpec]]:
    """List the base with its other seeds, and its adversaries over λ."""
    data = data_of(asked.folder, corpus)
    seeds = tuple(asked.swept(adversaries.SEEDS))
    base = adversaries.run_spec(asked.folder, {}, seeds)
    plain = replace(base, data=data, seed=seed, limit=None, measures=("beside",))
    yield BILSTM, plain
    for weight in asked.swept(adversaries.WEIGHTS):
        fit = adversaries.train_against(plain.fit, "kl", weight)
        yield f"{BILSTM}, λ {weight:g}", replace(plain, fit=fit, companions=("base",))


_table = partial(of_paper, "wiegreffe2019")
PAPER_TABLES = (
    _table(
        "P-V",
        "Figures 3 and 5",
        "how far attention is from itself under other seeds, and from adversaries",
        ("sst", "imdb", "agnews", "news", "diabetes", "anemia"),
        specs=_specs,
        numbers=read_estimates(MOVED),
        figures=("seeds-and-adversaries", "adversaries"),
        notes=(
            f"by KL; {adversaries.SHORTER}, 80 and 10 there; the median over seeds is a mean here",
        ),
    ),
)
