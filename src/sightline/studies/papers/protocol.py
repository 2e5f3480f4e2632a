"""The protocol of the reproduction: which tables are run on which corpora, in which order, with how
many seeds.

It was fixed before its own runs, after earlier ones of the same tables (decisions 0105 and 0120).
The stages come in the order of their questions: after any number of hours the most cited claims
have been tested first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from sightline.studies.papers.tutek2020 import DRAWN_TEXTS
from sightline.studies.study_definition import Amount, Params, Study

PRIMARY = ("sst", "news", "babi1", "babi2", "imdb")
"""Corpora whose published files are complete here; the conclusions rest on them. The papers do not
record which texts of IMDB and 20 Newsgroups they drew, so the texts differ."""
DECIDES = PRIMARY[0]
"""The corpus that decides a claim in the summary: every table of a claim is run there."""
SECONDARY = ("agnews", "snli", "babi3")
"""Corpora with only a part of the training data at hand, reported apart."""
ABSENT = ("adr", "diabetes", "anemia", "cnn")
"""Corpora available only on request; their tables work with a copy of the user's."""
TEXTS = 500
LONG = ("imdb", "agnews", "snli")
"""Corpora with long texts, or so many, that at most `TEXTS` test texts of each run are audited."""
WHOLE = (
    "jain2019:J-1", "tutek2020:T-1", "tutek2020:T-6", "tutek2020:T-C", "meister2021:M-3",
    "wen2022:W-1",
)  # fmt: skip
"""Tables of model performance: they read only predictions, on all test texts."""
COUNTS = ("tutek2020:T-5",)
"""Tables of counts of the corpora: they have no runs, so neither seeds nor a limit."""
QUICK_TEXTS = 200
"""Test texts of a quick try of a table."""


@dataclass(frozen=True)
class Stage:
    """Some tables on some corpora, with the first ``seeds`` seeds of each model."""

    asks: str
    tables: tuple[str, ...]
    corpora: tuple[str, ...]
    seeds: int

    def covers(self, table: str, corpus: str) -> bool:
        """Tell whether the stage includes a table on a corpus."""
        return table in self.tables and corpus in self.corpora


def _of(paper: str, *names: str) -> tuple[str, ...]:
    return tuple(f"{paper}:{name}" for name in names)


CORRELATION = _of("jain2019", "J-2", "J-3", "J-4", "J-1")
OTHER_ATTENTION = _of("jain2019", "J-7", "J-8", "J-H", "J-6")
SCALED = _of("jain2019", "J-D")
NEED = _of("tutek2020", "T-1")
KEEPING = _of("tutek2020", "T-2", "T-3", "T-F2", "T-5")
RANKS = _of("wen2022", "W-2", "W-1")
ENCODERS = _of("wen2022", "W-F2", "W-5")
STATES = _of("meister2021", "M-1", "M-6", "M-3")
SPARSITY = _of("meister2021", "M-2", "M-F2", "M-F3", "M-5")
ADVERSARIES = _of("wiegreffe2019", "P-V")
TEN = ("jain2019:J-2", "tutek2020:T-1", "wen2022:W-2")
"""Tables with ten seeds on the two fastest corpora."""
SMALL, STORIES, FILMS = ("sst", "news"), ("babi1", "babi2"), ("imdb",)
DRAWN = ("tutek2020:T-F2",)
"""Figures of texts that are drawn one by one, so few of them are audited."""
STAGES = (
    Stage("does attention agree with gradients and leave-one-out", CORRELATION, SMALL, 5),
    Stage("does other attention give the same answers", OTHER_ATTENTION + SCALED, SMALL, 5),
    Stage("do models need their attention", NEED, ("sst",), 5),
    Stage("does information follow attention", RANKS, SMALL, 5),
    Stage("does attention agree with inputs or with states", STATES, ("sst",), 5),
    Stage("do states keep their words", KEEPING, SMALL, 5),
    Stage("agreement on questions", CORRELATION, STORIES, 5),
    Stage("film reviews, one seed", CORRELATION + OTHER_ATTENTION + RANKS, FILMS, 1),
    Stage("other attention and information on questions", OTHER_ATTENTION + RANKS, STORIES, 5),
    Stage("do models need their attention on news", NEED, ("news",), 5),
    Stage("trained adversaries", ADVERSARIES, ("sst",), 5),
    Stage("information by encoder, scorer and projection", ENCODERS, SMALL, 3),
    Stage("sparse attention", SPARSITY, ("sst",), 5),
    Stage("need and states on film reviews, one seed", NEED + KEEPING + STATES, FILMS, 1),
    Stage("information and adversaries", _of("wen2022", "W-3", "W-4"), SMALL, 5),
    Stage("where words start", _of("jain2019", "J-V"), SMALL, 3),
    Stage("inputs and states on news", STATES, ("news",), 5),
    Stage("ten seeds", TEN, SMALL, 10),
    Stage("film reviews, three seeds", CORRELATION + OTHER_ATTENTION + RANKS, FILMS, 3),
    Stage("layers, dot attention, adversaries", _of("tutek2020", "T-6", "T-C", "T-F1"), SMALL, 3),
    Stage("sparse attention and adversaries on news", SPARSITY + ADVERSARIES, ("news",), 3),
    Stage("partly available corpora", CORRELATION + OTHER_ATTENTION + NEED + RANKS, SECONDARY, 3),
    Stage("information by encoder on questions", ENCODERS, ("babi1",), 1),
)
NOT_RUN: Mapping[str, tuple[str, ...]] = {
    "IMDB has three seeds (one in the tables of Tutek & Šnajder and of Meister et al.), because a "
    "training there takes as long as twenty of SST": (),
    "Figure 2 and Table 5 of Wen et al. are run on SST and 20 Newsgroups under three seeds and on "
    "bAbI 1 under one: nine models, twice, on each corpus": ENCODERS,
    "Tables 3 and 4 of Wen et al., Tables 2 and 5 and Figure 2 of Meister et al. and trained "
    "adversaries are run on SST and 20 Newsgroups alone, layers and dot attention of Tutek & Šnajder "
    "and scaled dot attention of Jain & Wallace too": (
        *_of("wen2022", "W-3", "W-4"),
        *_of("meister2021", "M-2", "M-5", "M-F2"),
        *ADVERSARIES,
        *_of("tutek2020", "T-6", "T-C", "T-F1"),
        *SCALED,
    ),
    "Figure 3 of Meister et al., which is of IMDb, is run on SST alone": ("meister2021:M-F3",),
    "Tables 2 and 3 of Tutek & Šnajder are not run on AG News, and the two counts of their Table 5 "
    "are not made there": _of("tutek2020", "T-2", "T-3", "T-5"),
}
"""What the protocol leaves out of the papers' grids, and why, with the tables that lack a corpus at
hand."""


def amounts_of(study: Study) -> Mapping[str, Amount]:
    """Return the amount of a table in the protocol, by corpus; a table of counts has 0 seeds."""
    seeds = dict[str, int]()
    for stage in STAGES:
        for corpus in study.corpora:
            if stage.covers(study.id, corpus):
                here = 0 if study.id in COUNTS else stage.seeds
                seeds[corpus] = max(here, seeds.get(corpus, 0))
    return {corpus: Amount(count, _limit(study, corpus)) for corpus, count in seeds.items()}


def _limit(study: Study, corpus: str) -> int | None:
    if study.id in DRAWN:
        return DRAWN_TEXTS
    return TEXTS if corpus in LONG and study.id not in (*WHOLE, *COUNTS) else None


def asked_of(study: Study, params: Params) -> Params:
    """Fill in unset amounts of a table from the protocol."""
    amounts = {
        corpus: Amount(
            amount.seeds if params.seeds is None else params.seeds,
            amount.limit if params.limit is None else params.limit,
        )
        for corpus, amount in amounts_of(study).items()
    }
    return replace(params, amounts=amounts)


def full_protocol(
    study: Study, folder: Path, vectors: Path | None, seeds: int | None = None
) -> Params:
    """Return the amounts of the whole protocol for a table."""
    asked = asked_of(study, Params(folder, seeds, vectors=vectors))
    return replace(asked, corpora=tuple(asked.amounts))


def quickly(params: Params, there: tuple[str, ...]) -> Params:
    """Reduce to one available corpus, one seed and few texts, unless more are asked for: a try that
    takes minutes.
    """
    first = sorted(there, key=lambda one: PRIMARY.index(one) if one in PRIMARY else len(PRIMARY))
    limit = QUICK_TEXTS if params.limit is None else params.limit
    corpora, seeds = tuple(first[:1]), params.seeds or 1
    return replace(params, corpora=corpora, seeds=seeds, limit=limit, amounts={})


def in_stages(tables: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[Stage, str, str, int]]:
    """List the runs in order: stage, table, corpus and seed. Seeds vary slowest, so that an
    interrupted stage has equally many of each model.
    """
    for stage in STAGES:
        for seed in range(stage.seeds):
            for table in stage.tables:
                for corpus in stage.corpora:
                    if corpus in tables.get(table, ()):
                        yield stage, table, corpus, seed
