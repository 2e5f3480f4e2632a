"""Predict the time of the papers' runs: tokens × epochs × the cost of the encoder, and the time of
each measure per text.

The rates were measured on one thread: an epoch of each encoder on SST, and each measure on texts of
SST and of 20 Newsgroups, which gives a line over the squared length. A training counts where it is
needed first. The hours are for an otherwise idle core; finished runs in the store show how much
slower its machine was (`pace_of`).
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from sightline.config.base_runs import as_trained
from sightline.config.measure_registry import selected_measures
from sightline.config.run_keys import training_key
from sightline.config.specs import RunSpec
from sightline.experiments.store import Store, Summary
from sightline.training.control_models import trainings_of


@dataclass(frozen=True)
class Size:
    """The numbers of training and test texts, and the mean of their words and squared words."""

    training: int
    words: float
    test: int
    test_words: float
    test_square: float


SIZES: Mapping[str, Size] = {
    "sst": Size(6355, 18.7, 1725, 18.2, 396),
    "news": Size(1128, 128.8, 356, 132.1, 29473),
    "babi1": Size(8500, 36.3, 1000, 36.2, 1615),
    "babi2": Size(8500, 94.4, 1000, 93.3, 11485),
    "babi3": Size(1636, 302.5, 1000, 301.3, 127145),
    "imdb": Size(17198, 179.6, 4343, 178.1, 38611),
    "agnews": Size(4274, 38.2, 3797, 37.2, 1586),
    "snli": Size(19999, 14.0, 9824, 15.1, 273),
}
"""As the recipe of the papers reads the corpora here."""
UNKNOWN = SIZES["imdb"]
"""Used for a corpus that is not here."""
MARKS = 2
"""The tokens for the beginning and the end of a text."""

EPOCH: Mapping[str, float] = {"bilstm": 0.0405, "mlp": 0.0151, "cnn": 0.0328, "transformer": 0.0367}
"""Seconds per thousand tokens and epoch, with 128 units (CNN: 128 channels in all) and embeddings
of 300."""
WIDTHS: Mapping[str, tuple[str, int]] = {
    "bilstm": ("hidden", 128),
    "mlp": ("hidden", 128),
    "transformer": ("hidden", 128),
    "cnn": ("channels", 32),
}
"""The option that sets the width of an encoder, and the width at which its epoch was measured."""
LAYER = 0.57
"""The cost of each further layer of a BiLSTM, as a share of the first."""
RETENTION: Mapping[str, float] = {"mlm": 2.0, "concat": 1.17}
ADVERSARY = 1.6
"""An epoch of an adversary also runs its base."""
SMALL_EMBEDDING = 50
"""With embeddings as small as for bAbI an epoch takes a seventh, with states of 32 units."""
SMALL = 0.16

TO_THE_BEST: Mapping[str, int] = {"transformer": 14, "mlm": 8, "news": 8}
"""Epochs up to the best one if they exceed `USUAL`, by encoder, retention or corpus, as in earlier
runs."""
USUAL = 3
START = 4.0
"""Seconds of a run besides its training and its measures: reading, verdict, writing."""
A_TRAINING = 2.0
"""Seconds to build a model, read its vectors and save it."""


@dataclass(frozen=True)
class Rate:
    """Milliseconds of a measure: per text, per word, and per squared number of words."""

    text: float = 0.0
    word: float = 0.0
    square: float = 0.0
    once: float = 0.0
    """Seconds for any number of texts."""

    def seconds(self, texts: float, size: Size) -> float:
        """Return the seconds for some test texts of a corpus."""
        each = self.text + self.word * size.test_words + self.square * size.test_square
        return self.once + texts * each / 1000


MEASURES: Mapping[str, Rate] = {
    "outputs": Rate(word=0.02),
    "need": Rate(text=1.0, word=0.085),
    "agreement": Rate(word=0.43, square=0.0075),
    "permutation": Rate(text=1.5, word=0.07),
    "counterfactual": Rate(text=0.8, word=0.05),
    "searched": Rate(text=80.0, word=1.0),
    "information": Rate(text=4.0, word=0.02, once=1.5),
    "mixing": Rate(square=0.0194),
    "mixing_otherwise": Rate(square=4.0),
    "state_agreement": Rate(word=0.4, square=0.0125),
    "token_evidence": Rate(text=0.7, word=0.05),
    "input_information": Rate(once=10.0),
    "input_information_drawn": Rate(once=10.0),
    "beside": Rate(text=1.0, word=0.1),
}
OTHER = Rate(text=10.0, word=1.0)
"""The rate of measures that no table of the papers reads."""
FAST: Mapping[str, float] = {"mlp": 0.2}
"""The cost of measures for an encoder, as a share of the cost for a BiLSTM."""


def epochs_of(spec: RunSpec, corpus: str) -> int:
    """Return the expected epochs of a training: up to its best one, plus its patience."""
    fit = as_trained(spec.fit)
    if spec.fit.adversary or fit.patience >= fit.epochs:
        return fit.epochs
    of = (spec.model.encoder.name, spec.model.retention.name, corpus)
    best = max(USUAL, *(TO_THE_BEST.get(name, 0) for name in of))
    return min(fit.epochs, best + fit.patience)


def training_seconds(spec: RunSpec, corpus: str) -> float:
    """Return the expected seconds of one training."""
    size = SIZES.get(corpus, UNKNOWN)
    tokens = size.training * (size.words + MARKS)
    return A_TRAINING + epochs_of(spec, corpus) * tokens / 1000 * _of_a_thousand(spec)


def _of_a_thousand(spec: RunSpec) -> float:
    encoder = spec.model.encoder
    options = dict(encoder.options)
    name, usual = WIDTHS[encoder.name]
    width = int(options.get(name, usual))
    seconds: float = EPOCH[encoder.name] * (width / usual) ** 0.8
    seconds *= 1 + LAYER * (int(options.get("layers", 1)) - 1) if encoder.name == "bilstm" else 1
    if spec.model.embedding <= SMALL_EMBEDDING:
        seconds = EPOCH[encoder.name] * SMALL
    seconds *= RETENTION.get(spec.model.retention.name, 1.0)
    return seconds * (ADVERSARY if spec.fit.adversary else 1.0)


def audit_seconds(spec: RunSpec, corpus: str) -> float:
    """Return the expected seconds of the audit of a run."""
    size = SIZES.get(corpus, UNKNOWN)
    texts = size.test if spec.limit is None else min(spec.limit, size.test)
    share = FAST.get(spec.model.encoder.name, 1.0)
    seconds = {
        code: MEASURES.get(code, OTHER).seconds(texts, size)
        for code in selected_measures(spec.measures)
    }
    if "untrained" in spec.companions:
        seconds["untrained"] = seconds.get("mixing", 0.0)  # it is measured on both models
    return START + share * sum(seconds.values())


@dataclass
class Forecast:
    """Predicts the seconds of runs in their order; each training is counted once."""

    trained: Callable[[str], bool] = lambda key: False
    """Whether a training exists already, by its key."""
    _trained: set[str] = field(default_factory=set)

    def next(self, spec: RunSpec, corpus: str) -> float:
        """Return the seconds of the next run, and count its trainings as made."""
        seconds = audit_seconds(spec, corpus)
        for one in trainings_of(spec):
            key = training_key(one)
            if key not in self._trained and not self.trained(key):
                seconds += training_seconds(one, corpus)
            self._trained.add(key)
        return seconds


class CorpusRun(Protocol):
    """A run of a study: its corpus and its spec."""

    @property
    def corpus(self) -> str:
        """The corpus, by its name in the study."""

    @property
    def spec(self) -> RunSpec:
        """What to run."""


Runs = Iterable[tuple[str, CorpusRun]]
"""Each run with its key."""


def left_of(
    runs: Runs, store: Store | None = None, unread: Container[str] | None = None
) -> dict[str, float]:
    """Return the seconds of each missing run, in the order of the runs; a run that was read
    completely before counts as done.
    """
    done = set() if store is None else _done(store.summaries()).keys()
    forecast = Forecast(trained=_in(store))
    return {
        key: round(forecast.next(run.spec, run.corpus), 1)
        for key, run in _once(runs)
        if key not in done and (unread is None or key in unread)
    }


def pace_of(runs: Runs, summaries: Iterable[Summary]) -> float | None:
    """Return the time of finished runs relative to the prediction; None if none is finished."""
    done = _done(summaries)
    forecast, expected, took = Forecast(), 0.0, 0.0
    for key, run in _once(runs):
        if key in done:
            expected += forecast.next(run.spec, run.corpus)
            took += done[key].seconds
    return took / expected if expected else None


def _done(summaries: Iterable[Summary]) -> dict[str, Summary]:
    return {one.key: one for one in summaries if one.state == "done"}


def _in(store: Store | None) -> Callable[[str], bool]:
    return lambda key: store is not None and store.training_folder(key).exists()


def _once(runs: Runs) -> Iterator[tuple[str, CorpusRun]]:
    seen = set[str]()
    for key, run in runs:
        if key not in seen:
            seen.add(key)
            yield key, run
