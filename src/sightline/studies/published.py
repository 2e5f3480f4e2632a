"""What the papers print of how well their models do on test texts; ours stand beside it (`sightline.studies.trained`).

Jain & Wallace print F1 of the positive class for classification and accuracy for questions and inference (their
released code says so); Tutek & Šnajder F1; Meister et al. and Wen et al. accuracy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Metric = Literal["accuracy", "F1"]


@dataclass(frozen=True)
class Printed:
    """One figure: the paper and its table, of which corpus and model it is, and what it measures."""

    paper: str
    place: str
    corpus: str
    model: str
    metric: Metric
    value: float


def _of(paper: str, place: str, model: str, metric: Metric, **values: float) -> tuple[Printed, ...]:
    """Spread the figures of one column of a table."""
    return tuple(Printed(paper, place, corpus, model, metric, value) for corpus, value in values.items())


JAIN, WEN = "Jain & Wallace 2019", "Wen et al. 2022"
TUTEK, MEISTER = "Tutek & Šnajder 2020", "Meister et al. 2021"
BILSTM = "bilstm+additive"
PRINTED: tuple[Printed, ...] = (
    *_of(JAIN, "Table 1", BILSTM, "F1", sst=0.81, imdb=0.88, news=0.94, agnews=0.96),
    *_of(JAIN, "Table 1", BILSTM, "accuracy", babi1=1.0, babi2=0.48, babi3=0.62, snli=0.78),
    *_of(WEN, "Table 1", BILSTM, "accuracy", sst=0.82, imdb=0.90, news=0.92, agnews=0.96),
    *_of(WEN, "Table 1", BILSTM, "accuracy", babi1=0.98, babi2=0.74, babi3=0.57, snli=0.78),
    *_of(MEISTER, "Table 3", BILSTM, "accuracy", sst=0.82, imdb=0.90, news=0.91),
    *_of(MEISTER, "Table 3", "transformer+dot", "accuracy", sst=0.79, imdb=0.89, news=0.91),
    *_of(TUTEK, "Table 1 (p. 137)", BILSTM, "F1", sst=0.842, imdb=0.883, news=0.909, agnews=0.959),
    *_of(TUTEK, "Table 1 (p. 137)", f"{BILSTM}+concat", "F1", sst=0.837, imdb=0.883, news=0.913, agnews=0.959),
    *_of(TUTEK, "Table 1 (p. 137)", f"{BILSTM}+tying", "F1", sst=0.835, imdb=0.871, news=0.914, agnews=0.950),
    *_of(TUTEK, "Table 1 (p. 137)", f"{BILSTM}+mlm", "F1", sst=0.828, imdb=0.875, news=0.915, agnews=0.952),
)
"""Of the corpora and models that are trained here. No paper prints a figure of the CNN or the MLP: Wen et al. call them
comparable to the BiLSTM in classification, and Tutek & Šnajder the residual to the concatenation."""


def printed_of(corpus: str, model: str) -> tuple[Printed, ...]:
    """Give what is printed of a model on a corpus, whatever its options are; that it reads queries goes unsaid."""
    names = (part.partition("(")[0] for part in model.split("+"))
    bare = "+".join(name for name in names if name != "query")
    return tuple(one for one in PRINTED if (one.corpus, one.model) == (corpus, bare))
