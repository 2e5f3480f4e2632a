"""The explanation of one text, as a plain value without torch, to print, draw or write as JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from sightline.core.audited_map import AuditedMap
from sightline.core.results import Results, TextRecord

USUAL = ("attention", "deletion", "signed_gradient", "signed_contribution")
"""The maps shown for one text by default, if the model allows them."""
WARNING = "A map over one text is not evidence: whether it may be shown is what an audit answers"
"""The warning shown with every map of a single text."""


@dataclass(frozen=True, eq=False)
class Explanation:
    """One text as a model reads it: its words, class probabilities, and attribution maps.

    Attributes
    ----------
    model
        The name of the model.
    text
        The text with its words and the predicted class; its true class is unknown.
    probabilities
        By class name, in the order of the model.
    maps
        By the names of `sightline.config.word_maps.MAPS`, one number for each word; NaN if
        undefined.
    absent
        The requested maps that the model does not allow, with the reason.
    known
        For each word, whether the model knows it; None if the model does not say.
    cut
        Words beyond the length limit of the data or the model, which were not read.
    advice
        The command, or the line of Python, that audits the model.
    audit
        An audit of the model, if one was passed in.
    doubt
        Why that audit may belong to another training of the model; empty if it belongs to this one.
    before
        The explanation to compare this one with, to show what has changed.
    seen
        For each word, whether the model sees it. An unseen word has no number in any map. Empty if
        the model sees all words.
    audited
        The map shown instead of attention, if any.
    elsewhere
        The share of attention on tokens that belong to no word, such as ``[CLS]``; the weights of
        the words are shares of the rest. None if the model does not say.
    """

    model: str
    text: TextRecord
    probabilities: Mapping[str, float]
    maps: Mapping[str, Float[np.ndarray, " W"]]
    absent: Mapping[str, str]
    known: tuple[bool, ...] | None
    cut: int
    advice: str
    audit: Results | None = None
    doubt: str = ""
    before: Explanation | None = None
    seen: tuple[bool, ...] = ()
    audited: AuditedMap | None = None
    elsewhere: float | None = None

    @property
    def sees(self) -> tuple[bool, ...]:
        """Whether the model sees each word."""
        return self.seen or (True,) * len(self.text.tokens)

    @property
    def warning(self) -> str:
        """The warning of every map of a single text, with the command of an audit where there is
        none of this training.
        """
        return (
            f"{WARNING}."
            if self.audit is not None and not self.doubt
            else f"{WARNING}: {self.advice}"
        )

    @property
    def unknown(self) -> tuple[str, ...]:
        """The words that the model does not know, each once."""
        pairs = zip(self.text.tokens, self.known or (), strict=False)
        return tuple(dict.fromkeys(word for word, known in pairs if not known))

    def to_json(self) -> dict[str, Any]:
        """Write it as plain JSON values (schema in ``docs/schema.md``); undefined numbers become
        None.
        """
        return {
            "model": self.model,
            "text": self.text.text,
            "query": self.text.query,
            "predicted": self.text.predicted,
            "probabilities": dict(self.probabilities),
            "words": [self._word(place) for place in range(len(self.text.tokens))],
            "cut": self.cut,
            "elsewhere": self.elsewhere,
            "absent": dict(self.absent),
            "warning": self.warning,
            "verdict": None if self.audit is None else self.audit.verdict.level,
            "verdict_of_text": None
            if self.audit is None
            else self.audit.for_text(self.text.predicted),
            "doubt": self.doubt,
        }

    def _word(self, place: int) -> dict[str, Any]:
        start, end = self.text.offsets[place]
        return {
            "word": self.text.tokens[place],
            "start": start,
            "end": end,
            "known": None if self.known is None else self.known[place],
            "seen": self.sees[place],
            **{name: _number(float(values[place])) for name, values in self.maps.items()},
        }


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value


@dataclass(frozen=True)
class Prediction:
    """The predicted class of a text, and the probability of every class; None and NaN if the output
    is NaN. With several labels, the class is the labels of the text, joined by ``;``.

    ``cut`` counts the words of the text and its query beyond the length limit of the data or the
    model, which were not read.
    """

    label: str | None
    probabilities: Mapping[str, float]
    cut: int = 0

    def __repr__(self) -> str:
        lost = f", {self.cut:,} {'word' if self.cut == 1 else 'words'} not read" if self.cut else ""
        if self.label is None:
            return f"<Prediction None: the output is no number{lost}>"
        likely = sorted(self.probabilities.items(), key=lambda one: -one[1])[:3]
        more = ", …" if len(self.probabilities) > len(likely) else ""
        return (
            f"<Prediction {', '.join(f'{name!r} {chance:.3f}' for name, chance in likely)}"
            f"{more}{lost}>"
        )
