"""A cache for a function from texts to probabilities: it calls the function in batches, once a
text, and validates what it returns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from jaxtyping import Float

from sightline.adapters.validate_outputs import call_user_code
from sightline.core.errors import AnswerError, ModelError

Predict = Callable[[list[str]], Any]
SUMS = 1e-3
"""The largest deviation from 1 of a text's summed probabilities: about the rounding of half
precision."""


@dataclass(eq=False)
class AnswerCache:
    """A function from texts to probabilities, with the answers that it gave.

    ``used`` and ``asked`` count for one audit: the different texts whose answers it needed, and the
    number of these that were sent to the function.
    """

    predict: Predict
    labels: tuple[str, ...]
    name: str
    batch: int
    retries: int
    known: dict[str, Float[np.ndarray, " C"]] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    asked: int = 0
    failures: int = 0

    def restarted(self, *, empty: bool = False) -> AnswerCache:
        """Start both counts at zero; with ``empty``, forget the known answers."""
        known = {} if empty else self.known
        return replace(self, known=known, used=set(), asked=0, failures=0)

    def answers(self, texts: Sequence[str], *, fresh: bool = False) -> Float[np.ndarray, "N C"]:
        """Give the probabilities of texts; ``fresh`` calls the function even for known texts."""
        distinct = list(dict.fromkeys(texts))
        found = dict[str, Float[np.ndarray, " C"]]()
        missing = distinct if fresh else [text for text in distinct if text not in self.known]
        for start in range(0, len(missing), self.batch):
            some = missing[start : start + self.batch]
            found |= zip(some, self._asked(some), strict=True)
        self.used.update(distinct)
        rows = [found[text] if text in found else self.known[text] for text in texts]
        return np.array(rows, dtype=np.float64).reshape(len(texts), len(self.labels))

    def _asked(self, texts: list[str]) -> Float[np.ndarray, "N C"]:
        """Call the function for one batch, and store its answers so that a failure repeats none of
        them.
        """
        try:
            answers = self._answered(texts, self.retries)
        except AnswerError:
            raise  # it answered, and wrongly: asking again is no help
        except ModelError as error:
            if len(texts) == 1:
                raise self._failed(texts[0], error) from error
            return np.concatenate([self._asked([text]) for text in texts])  # find the one
        self.known |= {
            text: answer
            for text, answer in zip(texts, answers, strict=True)
            if text not in self.known
        }
        self.asked += len(texts)
        return answers

    def _answered(self, texts: list[str], retries: int) -> Float[np.ndarray, "N C"]:
        try:
            returned = call_user_code(self.name, self.predict, list(texts))
        except ModelError:
            self.failures += 1
            if not retries:
                raise
        else:
            return self._read(returned, texts)
        return self._answered(texts, retries - 1)

    def _failed(self, text: str, error: ModelError) -> AnswerError:
        number = self.asked + 1
        times = f"{self.retries + 1} times" if self.retries else "once"
        return AnswerError(
            f"{self.name}: text number {number} of those asked got no answer, tried {times}: "
            f"{error.wrong}",
            change=(
                f"mend the function, or allow more than retries={self.retries}; the answers before "
                "are kept while this model is in memory"
            ),
            text=text,
        )

    def _read(self, returned: Any, texts: Sequence[str]) -> Float[np.ndarray, "N C"]:
        """Read what the function returned: texts × classes, probabilities that add up to one."""
        wanted = f"an array of probabilities, {len(texts)} texts × {len(self.labels)} classes"
        order = f"give one row a text, one column for each of {', '.join(self.labels[:8])}"
        try:
            found = np.array(_plain(returned), dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise self._refused(
                f"expected {wanted}, got {type(returned).__name__}", order
            ) from error
        if found.shape != (len(texts), len(self.labels)):
            if found.shape == (len(texts),) and len(self.labels) == 2:
                order = "give both classes, such as numpy.column_stack([1 - p, p])"
            got = " × ".join(map(str, found.shape)) or type(returned).__name__
            raise self._refused(f"expected {wanted}, got {got}", order)
        bad = np.flatnonzero(~np.isfinite(found).all(axis=1))
        if len(bad):
            raise self._refused(
                f"expected finite probabilities, got {found[bad[0]].tolist()} for "
                f"{self._which(bad)}",
                "let the function raise where it has no answer",
                texts[bad[0]],
            )
        apart = np.abs(found.sum(axis=1) - 1)
        bad = np.flatnonzero((found < 0).any(axis=1) | (apart > SUMS))
        if len(bad):
            raise self._refused(
                f"expected probabilities of at least 0 that add up to 1 (within {SUMS:g}), got "
                f"{found[bad[0]].tolist()} for {self._which(bad)}",
                "take the softmax of logits, and normalise scores of several labels",
                texts[bad[0]],
            )
        return found

    def _which(self, bad: np.ndarray) -> str:
        return (
            f"text number {self.asked + int(bad[0]) + 1} of those asked ({len(bad)} in its batch)"
        )

    def _refused(self, wrong: str, change: str, text: str = "") -> AnswerError:
        return AnswerError(f"{self.name}: {wrong}", change=change, text=text)


def _plain(returned: Any) -> Any:
    """Detach a tensor and move it to the CPU; numpy reads anything else."""
    for step in ("detach", "cpu"):
        returned = getattr(returned, step, lambda value=returned: value)()
    return returned
