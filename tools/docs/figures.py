"""Draw the figures of ``docs/figures.md`` into ``docs/images``: ``python tools/docs/figures.py
[--only NAME ...]``.

Figures of one audit show the base of the study ``adversaries``: a BiLSTM trained on SST as Jain &
Wallace (2019) trained it, with the measures that the figures need. The audit is made if the store
lacks it. Figures of several audits show the finished part of a study in that store
(``validation/verify.py --only NAME``: ``adversaries``, ``rank_information_papers``,
``plausible_vs_faithful``, and ``sparse_attention``, the first seed of its λ, a figure a corpus).
The figure of words alone shows the first seed of ``word_retention``, and a second figure of
adversaries shows a model with word retention (``sightline study tutek2020:T-F1``). If nothing of a
study is done, its figures stay as they are.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from docs_tables import ROOT

from sightline.config.run_keys import run_key
from sightline.config.specs import RunSpec
from sightline.core.results import Results
from sightline.experiments.grid import Grid, pin
from sightline.experiments.run_in_store import run_stored
from sightline.experiments.store import Store
from sightline.report.figures.figure_registry import FIGURES, numbers_of, write_figure
from sightline.studies.calibration import plausible_vs_faithful, rank_information_papers
from sightline.studies.papers import adversaries, sparse_attention, study_models, word_retention
from sightline.studies.papers.paper_index import PAPER_TABLES
from sightline.studies.run_plan import plan_of
from sightline.studies.study_corpora import vectors_of
from sightline.studies.study_definition import Params, grid_of, plan, so_far

sys.path.insert(0, str(ROOT / "validation"))

from published import FOLDER

VECTORS = ROOT / "runs"
"""Where word vectors are: made from training texts, once, by the studies that start from them."""
IMAGES = ROOT / "docs" / "images"
OF = {
    "plausible": plausible_vs_faithful.STUDY,
    "evenness": sparse_attention.STUDY,
    "sparsity": sparse_attention.STUDY,
    "ranks": rank_information_papers.STUDY,
}
"""The studies behind figures of several audits, where it is not the adversaries."""
SWEPT: Mapping[str, str] = {"": "sst", "-imdb": "imdb"}
"""The end of the name of a figure along λ, by corpus."""
MEASURES = ("agreement", "permutation", "counterfactual", "erasure", "transplant")


def audited(store: Store) -> Results:
    """Give the audit of the base of the adversaries on all test texts."""
    cell = adversaries.cell(FOLDER, {}, ())
    spec: RunSpec = pin(replace(cell, limit=None, measures=MEASURES))
    if run_stored(spec, store, again=True) != "done":
        raise SystemExit(
            f"{store.root}: the audit {run_key(spec)} is not done: {store.summary(run_key(spec))}"
        )
    return store.audit(run_key(spec))


def studied(grid: Grid, store: Store) -> Sequence[Results]:
    """Give the finished audits of a study."""
    left = plan(grid, store)
    if len(left.todo) == left.cells:
        return ()
    done = so_far(grid, left)
    return [store.audit(key) for key in done.keys]


def kept(store: Store) -> Sequence[Results]:
    """Give the finished audits of models on SST with additive attention and word retention, first
    seed.
    """
    grid = word_retention.STUDY.grid(
        Params(FOLDER, 1, vectors_of=study_models.make_vectors(FOLDER, VECTORS))
    )
    done = so_far(grid, plan(grid, store))
    wanted = ("sst", "additive", "trained")
    cells = zip(done.labels, done.keys, strict=True)
    return [
        store.audit(key)
        for (corpus, scorer, _, state, _), key in cells
        if (corpus, scorer, state) == wanted
    ]


def swept(store: Store, corpus: str) -> Sequence[Results]:
    """Give the finished audits along λ of sparse attention on a corpus, first seed."""
    grid = sparse_attention.STUDY.grid(Params(FOLDER, 1))
    cells = zip(grid.labels, grid.cells, strict=True)
    wanted = [
        (labels, cell) for labels, cell in cells if labels[0] == corpus and "sparsegen" in labels[1]
    ]
    return studied(grid_of(grid.name, grid.axes, wanted), store)


def moved(store: Store) -> Sequence[Results]:
    """Give the finished audits of the adversaries of Tutek & Šnajder's Figure 1 on SST, first
    seed.
    """
    table = plan_of(
        PAPER_TABLES["tutek2020:T-F1"],
        Params(FOLDER, 1, ("sst",), vectors=vectors_of(FOLDER, None)),
    )
    return [run.audit() for run in table.runs(store)]


def shown(name: str, store: Store) -> Iterator[tuple[str, Sequence[Results]]]:
    """Give the audits of each picture of a figure, and the end of its name."""
    if not FIGURES[name].several:
        yield "", (audited(store),)
    elif name == "words-alone":
        yield "", kept(store)
    elif name == "adversaries":
        yield "", studied(adversaries.STUDY.grid(Params(FOLDER)), store)
        yield "-words-kept", moved(store)
    elif OF.get(name) is sparse_attention.STUDY:
        yield from ((ending, swept(store, corpus)) for ending, corpus in SWEPT.items())
    else:
        yield "", studied(OF.get(name, adversaries.STUDY).grid(Params(FOLDER)), store)


def main() -> int:
    """Draw every figure, or the named ones; their CSV files are not kept."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", choices=FIGURES, nargs="*", default=[*FIGURES], help="draw these")
    parser.add_argument(
        "--store", type=Path, default=ROOT / "runs" / "verified", help="where runs are kept"
    )
    flags = parser.parse_args()
    store = Store(flags.store)
    for name in flags.only:
        for ending, audits in shown(name, store):
            if audits:
                path = write_figure(audits, name, IMAGES / f"figure-{name}{ending}.png")
                numbers_of(path).unlink()
                print(f"{path.relative_to(ROOT)}: {path.stat().st_size:,} bytes", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
