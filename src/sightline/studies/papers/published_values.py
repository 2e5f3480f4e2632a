"""The printed values of the papers; `sightline.studies.papers.published_comparison` compares them
with ours.

One file per paper, ``published/PAPER.csv``: the table or figure, where it is printed, the corpus,
the model, the quantity, the value, and the standard deviation if one is printed.
``PAPER-later-run.csv`` has the same for a later run of its authors. Percentages are written as
shares. The numbers of Jain & Wallace (2019) are from Tables 1 and 2, as read from a machine-written
account of the paper; their other results are figures without numbers.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PAPERS = {
    "jain2019": "Jain & Wallace 2019",
    "tutek2020": "Tutek & Šnajder 2020",
    "meister2021": "Meister et al. 2021",
    "wen2022": "Wen et al. 2022",
    "wiegreffe2019": "Wiegreffe & Pinter 2019",
}
"""The papers by the name of their file; the last one prints no number that is used here."""
NOT_READ: Mapping[str, str] = {
    "jain2019": "as read from a machine-written account; the paper itself was not read"
}
"""Where the numbers of a paper come from, if not from the paper."""
PERFORMANCE = ("jain2019:J-1", "wen2022:W-1", "meister2021:M-3", "tutek2020:T-1")
"""The tables that print model performance."""
METRICS = ("accuracy", "F1")
"""Measures of model performance."""
FOLDER = Path(__file__).parent / "published"


@dataclass(frozen=True)
class PrintedValue:
    """One printed number: its table or figure, its place there, its corpus and model, and its
    quantity.

    ``step`` is one unit of its last digit, ``written`` the number and its standard deviation as
    printed. A number of a corpus alone has no model.
    """

    paper: str
    table: str
    place: str
    corpus: str
    model: str
    quantity: str
    value: float
    step: float
    sd: float | None = None
    written: str = ""

    @property
    def of(self) -> tuple[str, str, str]:
        """The corpus, model and quantity of the number."""
        return self.corpus, self.model, self.quantity


@cache
def printed_values(paper: str) -> tuple[PrintedValue, ...]:
    """Read everything that a paper prints, by the name of its file, in the paper's order."""
    with (FOLDER / f"{paper}.csv").open(encoding="utf-8", newline="") as file:
        return tuple(_read(PAPERS[paper], row) for row in csv.DictReader(file))


@cache
def later_values(paper: str) -> tuple[PrintedValue, ...]:
    """Read the results of the authors' own later run, if there is one: for Jain & Wallace (2019),
    from the outputs that they committed with their code (github.com/successar/AttentionExplanation,
    425a89a).
    """
    path = FOLDER / f"{paper}-later-run.csv"
    if not path.exists():
        return ()
    with path.open(encoding="utf-8", newline="") as file:
        return tuple(_read(PAPERS[paper], row) for row in csv.DictReader(file))


def later_values_in(table: str) -> Iterator[PrintedValue]:
    """Return a later run's values for a table or figure, by its id."""
    paper, _, name = table.partition(":")
    return (one for one in later_values(paper) if one.table == name)


def _read(paper: str, row: dict[str, str]) -> PrintedValue:
    sd = float(row["sd"]) if row["sd"] else None
    digits = len(row["value"].partition(".")[2])
    place = (paper, row["table"], row["place"], row["corpus"], row["model"], row["quantity"])
    written = row["value"] + (f" ± {row['sd']}" if row["sd"] else "")
    return PrintedValue(*place, float(row["value"]), 10.0**-digits, sd, written)


def printed_values_in(table: str) -> Iterator[PrintedValue]:
    """Return the printed values of a table or figure, by its id: ``PAPER:TABLE``."""
    paper, _, name = table.partition(":")
    return (one for one in printed_values(paper) if one.table == name)


def named_places(paper: str, values: Iterable[PrintedValue]) -> str:
    """Name the tables that print some values, and where the values come from, if not from the
    paper.
    """
    places = dict.fromkeys(one.place for one in values)
    return ", ".join([*places, *([NOT_READ[paper]] if places and paper in NOT_READ else [])])


def value_of(table: str, corpus: str, model: str, quantity: str) -> float | None:
    """Return one printed value; None if there is none."""
    of = (corpus, model, quantity)
    return next((one.value for one in printed_values_in(table) if one.of == of), None)


def performance(corpus: str, model: str) -> list[PrintedValue]:
    """Return everything that the papers print on the performance of a model, whatever its options;
    that it reads queries is not compared.

    Jain & Wallace print F1 of the positive class for classification and accuracy for questions and
    inference (their released code says so); Tutek & Šnajder F1; Meister et al. and Wen et al.
    accuracy. No paper prints a figure of the CNN or the MLP.
    """
    names = (part.partition("(")[0] for part in model.split("+"))
    bare = "+".join(name for name in names if name != "query")
    return [
        one
        for table in PERFORMANCE
        for one in printed_values_in(table)
        if (one.corpus, one.model) == (corpus, bare) and one.quantity in METRICS
    ]
