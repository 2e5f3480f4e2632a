"""What the papers print, value by value; ours stand beside it
(`sightline.studies.papers.published_comparison`).

One file a paper, ``published/PAPER.csv``: the artefact, where it is printed, the corpus, the model,
the quantity, the value, and the standard deviation where one is printed. ``PAPER-later-run.csv`` has
the same of a later run of its authors. Shares are written as shares where a paper has percent. Of
Jain & Wallace (2019) the numbers are from Tables 1 and 2, as read from an account of the paper; their
other results are figures without numbers.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
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
"""The papers by the name of their file; of the last one nothing is printed as a number that is
taken up here."""
PERFORMANCE = ("jain2019:J-1", "wen2022:W-1", "meister2021:M-3", "tutek2020:T-1")
"""The tables that print how well models do."""
METRICS = ("accuracy", "F1")
"""How well a model does."""
FOLDER = Path(__file__).parent / "published"


@dataclass(frozen=True)
class Printed:
    """One figure: in which artefact it stands and where that is, of which corpus and model it is,
    and what it measures.

    ``step`` is one unit of its last digit, ``written`` the number and its standard deviation as
    they are printed. What is of a corpus alone has no model.
    """

    paper: str
    artefact: str
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
        """What it is a figure of."""
        return self.corpus, self.model, self.quantity


@cache
def printed(paper: str) -> tuple[Printed, ...]:
    """Read all that a paper prints, by the name of its file, in the paper's order."""
    with (FOLDER / f"{paper}.csv").open(encoding="utf-8", newline="") as file:
        return tuple(_read(PAPERS[paper], row) for row in csv.DictReader(file))


@cache
def later(paper: str) -> tuple[Printed, ...]:
    """Read what the authors' own later run gave, where there is one: of Jain & Wallace (2019), from
    the outputs that they committed with their code (github.com/successar/AttentionExplanation,
    425a89a).
    """
    path = FOLDER / f"{paper}-later-run.csv"
    if not path.exists():
        return ()
    with path.open(encoding="utf-8", newline="") as file:
        return tuple(_read(PAPERS[paper], row) for row in csv.DictReader(file))


def later_in(artefact: str) -> Iterator[Printed]:
    """Give what a later run of the authors gave of a table or figure, by its id."""
    paper, _, name = artefact.partition(":")
    return (one for one in later(paper) if one.artefact == name)


def _read(paper: str, row: dict[str, str]) -> Printed:
    sd = float(row["sd"]) if row["sd"] else None
    digits = len(row["value"].partition(".")[2])
    place = (paper, row["artefact"], row["place"], row["corpus"], row["model"], row["quantity"])
    written = row["value"] + (f" ± {row['sd']}" if row["sd"] else "")
    return Printed(*place, float(row["value"]), 10.0**-digits, sd, written)


def printed_in(artefact: str) -> Iterator[Printed]:
    """Give what is printed in a table or figure, by its id: ``PAPER:TABLE``."""
    paper, _, name = artefact.partition(":")
    return (one for one in printed(paper) if one.artefact == name)


def value_of(artefact: str, corpus: str, model: str, quantity: str) -> float | None:
    """Give one printed value; None where there is none."""
    of = (corpus, model, quantity)
    return next((one.value for one in printed_in(artefact) if one.of == of), None)


def performance(corpus: str, model: str) -> list[Printed]:
    """Give what all papers print of how well a model does, whatever its options are; that it reads
    queries goes unsaid.

    Jain & Wallace print F1 of the positive class for classification and accuracy for questions and
    inference (their released code says so); Tutek & Šnajder F1; Meister et al. and Wen et al.
    accuracy. No paper prints a figure of the CNN or the MLP.
    """
    names = (part.partition("(")[0] for part in model.split("+"))
    bare = "+".join(name for name in names if name != "query")
    return [
        one
        for artefact in PERFORMANCE
        for one in printed_in(artefact)
        if (one.corpus, one.model) == (corpus, bare) and one.quantity in METRICS
    ]
