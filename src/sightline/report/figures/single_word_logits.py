"""How sure models would be of one text from each of its words alone, one line a model (Tutek &
Šnajder 2020, figure 2).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float
from scipy.special import expit

from sightline.core.errors import DataError
from sightline.core.results import Ragged, Results, TextRecord
from sightline.report.figures.palette import SHADES, label, shade
from sightline.report.figures.plot import Plot, PlotRow, left_out_note, needed
from sightline.report.number_format import count
from sightline.report.provenance import card_name
from sightline.report.sanitize import one_line, shortened

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST, LONGEST = 60, 14
"""Words that are drawn, and most letters of each; the table has all."""


@dataclass(frozen=True)
class SingleWordModel:
    """One model: its texts by id, with the token logits of each word, and its own probability."""

    name: str
    classes: int
    texts: dict[str, TextRecord]
    evidence: dict[str, Float[np.ndarray, " T"]]
    own: dict[str, float]

    def probability(self, text: str) -> Float[np.ndarray, " T"]:
        """Give the probability of the label from each word alone; NaN if only another class's is
        known.
        """
        return np.asarray(self._of_label(text, expit(self.evidence[text])))

    def whole(self, text: str) -> float:
        """Give the probability of the label from the whole text."""
        return float(self._of_label(text, np.array(self.own[text])))

    def right(self, text: str) -> bool:
        """Check whether the prediction is correct."""
        return self.texts[text].predicted == self.texts[text].label

    def _of_label(self, text: str, chance: Float[np.ndarray, "*T"]) -> Float[np.ndarray, "*T"]:
        if self.right(text):
            return chance
        return np.asarray(1 - chance if self.classes == 2 else np.full_like(chance, math.nan))


def single_word_logits(audits: Iterable[Results], text_id: str | None) -> Plot:
    """Draw the probability of the label along the words of one text, one line a model."""
    models = [_model(audit) for audit in audits]
    chosen = _chosen(models, text_id)
    record = models[0].texts[chosen]
    why = (
        ""
        if text_id is not None
        else " All models predict its label; by the first model’s mean it is in the middle."
    )
    drawn = models[: len(SHADES)]
    left = left_out_note(len(models) - len(SHADES), "model")
    words = len(record.tokens)
    cut = f" The first {count(MOST)} of {count(words)} words." if words > MOST else ""
    without = [one.name for one in drawn if np.isnan(one.probability(chosen)).all()]
    lacks = f" Unknown for {', '.join(without)}, which predicts another class." if without else ""
    return Plot(
        "The prediction from each word alone, if it had all attention",
        (
            f"After Tutek & Šnajder 2020, figure 2. Text {shortened(one_line(chosen), 60)}, "
            f"label {shortened(one_line(record.label), 40)}: its probability.{why} Horizontal "
            f"lines: from the whole text.{cut}{lacks}{left}",
        ),
        lambda figure: _draw(figure, drawn, chosen),
        ("model", "id", "label", "predicted", "position", "word", "probability", "whole_text"),
        [row for model in models for row in _rows(model, chosen)],
        3.8 + 0.16 * len(drawn),
    )


def _model(audit: Results) -> SingleWordModel:
    evidence, own = (
        needed(audit, "reach.evidence"),
        np.asarray(needed(audit, "outputs.probability"), dtype=float),
    )
    assert isinstance(evidence, Ragged)  # a number a word
    seed = audit.spec.get("seed")
    name = f"{card_name(audit, 'model') or 'model'}{'' if seed is None else f', seed {seed}'}"
    ids = [text.id for text in audit.texts]
    labels = audit.cards.get("model", {}).get("labels")
    classes = len(labels or {name for text in audit.texts for name in (text.label, text.predicted)})
    rows = dict(zip(ids, evidence.rows(), strict=True))
    return SingleWordModel(
        name,
        classes,
        dict(zip(ids, audit.texts, strict=True)),
        rows,
        dict(zip(ids, own.tolist(), strict=True)),
    )


def _chosen(models: Sequence[SingleWordModel], text_id: str | None) -> str:
    """Find the text with ``text_id``, or the median one of the texts that all models predict
    correctly.
    """
    first = models[0]
    if text_id is not None:
        if lacking := next((one.name for one in models if text_id not in one.texts), None):
            like = repr(next(iter(first.texts)))
            raise DataError(
                (
                    f"the audit of {lacking} has no text with the id {text_id!r}; ids are such as "
                    f"{like}"
                ),
                field="text_id",
            )
        _check_words(models, text_id)
        return text_id
    shared = [
        text for text in first.texts if all(text in one.texts and one.right(text) for one in models)
    ]
    known = [
        text for text in shared if all(np.isfinite(one.evidence[text]).all() for one in models)
    ]
    if not known:
        raise DataError(
            "no text was audited with all these models and predicted correctly by all of them; "
            "name a text by its id"
        )
    order = sorted(known, key=lambda text: float(first.probability(text).mean()))
    _check_words(models, order[(len(order) - 1) // 2])
    return order[(len(order) - 1) // 2]


def _check_words(models: Sequence[SingleWordModel], text: str) -> None:
    """Refuse texts with the same id and other words or labels."""
    if len({(one.texts[text].tokens, one.texts[text].label) for one in models}) > 1:
        raise DataError(
            f"the audits do not have the same words under the id {text!r}; draw audits of the "
            "same data"
        )


def _rows(model: SingleWordModel, chosen: str) -> Iterator[PlotRow]:
    text = model.texts[chosen]
    for place, (word, chance) in enumerate(
        zip(text.tokens, model.probability(chosen).tolist(), strict=True)
    ):
        yield (
            model.name,
            chosen,
            text.label,
            text.predicted,
            place,
            word,
            chance,
            model.whole(chosen),
        )


def _draw(figure: Figure, models: Sequence[SingleWordModel], chosen: str) -> None:
    axes = figure.subplots()
    words = models[0].texts[chosen].tokens[:MOST]
    for place, model in enumerate(models):
        look = shade(place)
        chances = model.probability(chosen)[:MOST]
        axes.plot(
            range(len(words)), chances, color=look.colour, marker=look.mark, linestyle=look.line,
            markersize=3.5, linewidth=1.1, label=label(model.name, 60),
        )  # fmt: skip
        axes.axhline(model.whole(chosen), color=look.colour, linestyle=":", linewidth=0.9)
    axes.set_ylim(-0.02, 1.02)
    axes.set_xlim(-0.5, len(words) - 0.5)
    axes.set_ylabel("probability of the label", fontsize=8)
    shown = [shortened(one_line(word), LONGEST) for word in words]
    axes.set_xticks(range(len(words)), shown, rotation=90, fontsize=6.5)
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), fontsize=7)
