"""Draw the figures of ``docs/figures.md`` into ``docs/images``: ``python tools/docs/figures.py
[--only NAME ...] [--papers STORE] [--store STORE]``.

Figures of the papers show finished runs of the protocol on SST (``sightline study papers --store``,
`PAPER_FIGURES`): of the first seed that all their models have, or of the first seeds where a figure
draws seeds together. Figures of means over all seeds come from the results file, and need no store
(`FROM_RESULTS`). Others show finished runs of studies (``validation/verify.py --only NAME``:
``plausible_vs_faithful``, ``adversaries``). Where nothing is done, a picture stays as it is.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from docs_tables import ROOT
from figures_of_results import FROM_RESULTS

from sightline.config.run_keys import run_key
from sightline.config.specs import RunSpec
from sightline.core.results import Results
from sightline.experiments.grid import Grid, pin
from sightline.experiments.run_in_store import run_stored
from sightline.experiments.store import Store
from sightline.report.figures.figure_registry import FIGURES, numbers_of, write_plot
from sightline.report.figures.plot import Plot
from sightline.studies.calibration import plausible_vs_faithful
from sightline.studies.papers import adversaries
from sightline.studies.papers.paper_index import plan_named
from sightline.studies.papers.protocol import DECIDES
from sightline.studies.papers.study_models import BILSTM
from sightline.studies.study_corpora import vectors_of
from sightline.studies.study_definition import Params, finished_runs

sys.path.insert(0, str(ROOT / "validation"))

from published import FOLDER

IMAGES = ROOT / "docs" / "images"
TRANSPLANT = ("transplant",)
"""The measure of the only figure of one audit that is none of the papers’."""


@dataclass(frozen=True)
class Drawn:
    """Which runs of a paper's figure are drawn: models by their names, and how many seeds. One seed
    is the first that has the most of these models.
    """

    table: str
    shows: Callable[[str], bool] = BILSTM.__eq__
    seeds: int = 1


def _bilstm(model: str) -> bool:
    return model.startswith(BILSTM)


PAPER_FIGURES: Mapping[str, Drawn] = {
    "tau-by-class": Drawn("jain2019:J-3"),
    "tau-by-class-deletion": Drawn("jain2019:J-3"),
    "tau-differences": Drawn("jain2019:J-4"),
    "permutation-by-weight": Drawn("jain2019:J-6"),
    "farthest": Drawn("jain2019:J-7"),
    "farthest-by-weight": Drawn("jain2019:J-8"),
    "heat-map": Drawn("jain2019:J-H"),
    "words-alone": Drawn("tutek2020:T-F2", _bilstm),
    "evenness": Drawn("meister2021:M-F2", _bilstm),
    "adversaries": Drawn("wiegreffe2019:P-V", bool, 2),
    "seeds-and-adversaries": Drawn("wiegreffe2019:P-V", bool, 2),
}
"""The figures of the papers that are drawn from audits, by name."""


def of_paper(drawn: Drawn, store: Store) -> Sequence[Results]:
    """Give the finished audits of a paper's figure."""
    asked = Params(FOLDER, None, (DECIDES,), vectors=vectors_of(FOLDER, None))
    done = [run for run in plan_named(drawn.table, asked).runs(store) if drawn.shows(run.model)]
    seeds = Counter(sorted(run.seed for run in done))
    wanted = [seed for seed, _ in seeds.most_common(1)] if drawn.seeds == 1 else sorted(seeds)
    return [run.audit() for run in done if run.seed in wanted[: drawn.seeds]]


def studied(grid: Grid, store: Store) -> Sequence[Results]:
    """Give the finished audits of a study."""
    return [store.audit(key) for key in finished_runs(grid, store).keys]


def base_audit(store: Store) -> Sequence[Results]:
    """Give the audit of the base of the adversaries on all test texts, made if it is not there."""
    whole = adversaries.run_spec(FOLDER, {}, ())
    spec: RunSpec = pin(replace(whole, limit=None, measures=TRANSPLANT))
    if run_stored(spec, store, again=True) != "done":
        raise SystemExit(
            f"{store.root}: the audit {run_key(spec)} is not done: {store.summary(run_key(spec))}"
        )
    return [store.audit(run_key(spec))]


def shown(name: str, papers: Store, store: Store) -> Iterator[Sequence[Results]]:
    """Give the audits of a figure, if it is drawn from audits."""
    if name in PAPER_FIGURES:
        yield of_paper(PAPER_FIGURES[name], papers)
    if name == "plausible":
        yield studied(plausible_vs_faithful.STUDY.grid(Params(FOLDER)), store)
    if name == "transplant":
        yield base_audit(store)


def keep(plot: Plot, name: str) -> None:
    """Write a picture; the table of what is drawn is not kept."""
    path = write_plot(plot, IMAGES / f"figure-{name}.png")
    numbers_of(path).unlink()
    print(f"{path.relative_to(ROOT)}: {path.stat().st_size:,} bytes", file=sys.stderr)


def main() -> int:
    """Draw every figure, or the named ones; their CSV files are not kept."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", choices=FIGURES, nargs="*", default=[*FIGURES], help="draw these")
    parser.add_argument(
        "--store", type=Path, default=ROOT / "runs" / "verified", help="where runs are kept"
    )
    parser.add_argument(
        "--papers",
        type=Path,
        default=ROOT / "runs" / "papers",
        help="where the protocol’s runs are",
    )
    flags = parser.parse_args()
    papers, store = Store(flags.papers), Store(flags.store)
    for name in flags.only:
        for audits in shown(name, papers, store):
            if audits:
                keep(FIGURES[name].draw(audits, None), name)
        for ending, draw in FROM_RESULTS.get(name, {}).items():
            keep(draw(), f"{name}{ending}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
