"""The papers' tables and figures: how much of each is asked for here, and the page of each.

Small corpora are asked for whole, under three seeds; large ones under one, on a sample of their
test texts. What takes a training and its answers alone is asked for whole.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from sightline.core.results import TableCell
from sightline.studies.aggregate import AggregateLine
from sightline.studies.kept_results import Kept
from sightline.studies.papers import sparse_attention
from sightline.studies.papers.paper_index import PAPER_TABLES
from sightline.studies.papers.published_comparison import order, row_beside
from sightline.studies.papers.published_values import PAPERS, printed_in
from sightline.studies.study_definition import Params, Study
from sightline.studies.study_models import starts_in

ALL = "papers"
"""The study of all tables and figures together."""
SMALL = ("sst", "news", "babi1", "babi2", "babi3")
LARGE = ("imdb", "agnews", "snli")
WHOLE = (
    "jain2019:J-1", "tutek2020:T-1", "tutek2020:T-5", "meister2021:M-3", "wen2022:W-1"
)  # fmt: skip
"""What is asked for whole of every corpus: it takes a training and its answers alone."""
TEXTS, ONE = 500, 1
ALONG = ("meister2021:M-2", "meister2021:M-F2", "meister2021:M-F3")
"""What follows λ: its runs are those of the study `sparse_attention`, on as many texts."""
STARTED = "tutek2020"
"""The paper whose claims rest on pretrained vectors: its words start from ours."""


def asked(study: Study, folder: Path, vectors: Path) -> Iterator[Params]:
    """Say how much of a study is asked for, of corpora whose words start from the same file.

    ``folder`` holds the corpora, and ``vectors`` the files of word vectors.
    """
    limit = sparse_attention.TEXTS if study.id in ALONG else TEXTS
    for file, corpora in _starts(study.paper, vectors):
        small, large = (tuple(one for one in size if one in corpora) for size in (SMALL, LARGE))
        if study.id in WHOLE:
            yield Params(folder, corpora=small + large, vectors=file)
        else:
            yield Params(folder, corpora=small, vectors=file)
            yield Params(folder, ONE, large, limit, file)


def _starts(paper: str, folder: Path) -> Iterable[tuple[Path | None, Collection[str]]]:
    return starts_in(folder).items() if paper == STARTED else [(None, SMALL + LARGE)]


# ------------------------------------------------------------- the pages


def page_of_all(kept: Mapping[str, Kept]) -> dict[str, Any]:
    """Give what the page shows of all tables and figures."""
    known = [page_of(study, kept.get(name, Kept())) for name, study in PAPER_TABLES.items()]
    return {"artefacts": known, "once": kept.get(ALL, Kept()).status}


def page_of(study: Study, kept: Kept) -> dict[str, Any]:
    """Give what the page shows of a table or figure: how much is done, and each line."""
    missing = [{"corpus": corpus, **values} for corpus, values in kept.by_corpus.items()]
    return {
        "id": study.id,
        "paper": PAPERS[study.paper],
        "place": study.place,
        "told": study.description,
        **kept.status,
        "missing": missing,
        "notes": list(study.notes),
        "lines": lines_beside(study, kept),
    }


def lines_beside(study: Study, kept: Kept) -> list[dict[str, Any]]:
    """Give each line of a study with what is printed, in the order of the paper."""
    known = all_lines(study, kept)
    theirs = {one.of: one for one in printed_in(study.id)}
    places = order([*theirs, *(line.of for line, _ in known)])
    known.sort(key=lambda one: (one[1] or 0, places(one[0].of)))
    return [_line(study, theirs.get(line.of), line, limit) for line, limit in known]


def all_lines(study: Study, kept: Kept) -> list[tuple[AggregateLine, int | None]]:
    """Give every line, the mean over more seeds where there are two, with the limit of its runs."""
    lines = dict[tuple[Any, int | None], AggregateLine]()
    nowhere = Path()
    for params in asked(study, nowhere, nowhere):
        computed = study.lines(kept.read(params.corpora))
        means = [line for line in kept.means if line.corpus in params.corpora]
        for line in (*means, *computed):
            of = (line.of, params.limit)
            if of not in lines or line.seeds >= lines[of].seeds:
                lines[of] = line
    return [(line, limit) for (_, limit), line in lines.items()]


def _line(study: Study, theirs: Any, line: AggregateLine, limit: int | None) -> dict[str, Any]:
    published, ours, baseline, seeds, said = row_beside(study, theirs, line)
    return {
        "corpus": line.corpus,
        "model": line.model,
        "quantity": line.quantity,
        "published": published.value,
        "sd": published.sd,
        "ours": _number(ours),
        "floor": _number(baseline),
        "seeds": seeds.value or 0,
        "limit": limit,
        "said": said.value,
    }


def _number(cell: TableCell) -> dict[str, Any] | None:
    if not isinstance(cell.value, float):
        return None
    return {name: getattr(cell, name) for name in ("value", "low", "high", "n", "method")}
