"""Toy measures, each with one thing about it."""

from dataclasses import dataclass, field, replace

import numpy as np

from sightline.audits.measure_pass import measure
from sightline.core.protocols import Arrays, MeasureContext, Trace
from sightline.core.results import Bracket, Estimate, Measurement, Ragged
from sightline.core.seeds import Seeds
from sightline.measures.trace_arrays import count_undefined
from sightline.numerics.tensors import to_numpy
from tests.texts import examples, untrained

MODEL = untrained("mlp(hidden=6)+additive")
TEXTS = examples((7, 1, 4, 12, 2, 9, 5))


def take(
    *measures: object, texts: list = TEXTS, batch_size: int = 3, others: dict | None = None
) -> dict:
    return measure(
        MODEL, texts, measures, {}, Seeds(0), batch_size, lambda done, total: None, others
    )


@dataclass(frozen=True)
class Toy:
    """Counts words; whatever a test breaks is a field."""

    code: str = "toy"
    needs: frozenset[str] = frozenset()
    paper: str = ""

    def on_batch(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> Arrays:
        return {"words": to_numpy(trace.batch.attendable).sum(1).astype(float)}

    def finish(self, arrays: Arrays) -> Measurement:
        return Measurement(self.code, arrays, count_undefined(arrays, {}))


class BreaksOnBatch(Toy):
    def on_batch(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> Arrays:
        raise ValueError("no such word")


class BreaksAtTheEnd(Toy):
    def finish(self, arrays: Arrays) -> Measurement:
        return Measurement(self.code, {"words": arrays["nothing"]})


class LosesARow(Toy):
    def on_batch(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> Arrays:
        return {"words": np.zeros(len(trace.batch) - 1)}


class ChangesItsNames(Toy):
    def on_batch(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> Arrays:
        return {f"words of {trace.batch.ids.shape[1]}": np.zeros(len(trace.batch))}


class FinishesAsAnother(Toy):
    def finish(self, arrays: Arrays) -> Measurement:
        return Measurement("other", arrays)


class FinishesShort(Toy):
    def finish(self, arrays: Arrays) -> Measurement:
        return Measurement(self.code, {"words": np.asarray(arrays["words"])[1:]})


class FinishesInWords(Toy):
    def finish(self, arrays: Arrays) -> Measurement:
        return Measurement(self.code, {"words": np.array(["seven"] * len(TEXTS))})


class Reads(Toy):
    """Reads the texts themselves, a vector a word, a bracket a text, and a number of the whole."""

    def on_batch(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> Arrays:
        lengths = np.array([len(text.tokens) for text in subject.texts])
        vectors = np.concatenate(
            [[[len(word), place] for place, word in enumerate(t.tokens)] for t in subject.texts]
        )
        return {
            "vectors": Ragged(vectors.astype(float), lengths),
            "between": Bracket(lengths - 0.5, lengths + 0.5),
        }

    def finish(self, arrays: Arrays) -> Measurement:
        low = arrays["between"].low
        return Measurement(
            self.code,
            arrays,
            whole={"mean": Estimate(float(low.mean()), 0.0, 9.0, len(low), "toy")},
        )


@dataclass(frozen=True)
class Learns(Toy):
    """Learns the mean length of other texts, and measures how far each text is from it."""

    surveys: str = "half"
    seen: list = field(default_factory=list, compare=False)

    def look(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> Arrays:
        self.seen.extend(text.id for text in subject.texts)
        return {"words": to_numpy(trace.batch.attendable).sum(1)}

    def learn(self, arrays: Arrays, seeds: Seeds) -> float:
        return float(np.mean(arrays["words"]))

    def on_batch(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> Arrays:
        return {"away": to_numpy(trace.batch.attendable).sum(1) - subject.learned}


class BreaksLooking(Learns):
    def look(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> Arrays:
        raise ValueError("too dark")


@dataclass(frozen=True)
class Counts(Toy):
    """Says how many texts each batch has that it is shown."""

    passes: list = field(default_factory=list, compare=False)
    code: str = "counts"

    def on_batch(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> Arrays:
        self.passes.append(len(trace.batch))
        return super().on_batch(subject, trace, seeds)


def of_label(label: int) -> list:
    return [replace(text, label=label) for text in TEXTS]
