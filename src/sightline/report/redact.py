"""Leave texts or their ids out of a report that is shared, and say what it still contains."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import reduce
from typing import TypeVar

import numpy as np

from sightline.core.error_excerpts import NOT_SHOWN
from sightline.core.results import Failed, Outcome, Results, Verdict
from sightline.data.assembly.user_splits import UNSEEN_LABELS
from sightline.numerics.text_clusters import numbered

R = TypeVar("R", bound=Results)
_LEFT_OUT = "message left out"
_KIND = re.compile(r"[^:]+(: \w+(Error|Exception))?(?=:)")
"""The step of a measure that failed, and the class of the error."""


def redacted(
    audit: R, *, texts: bool = True, ids: bool = True, numbers: dict[str, str] | None = None
) -> R:
    """Replace ids by numbers if ``ids`` is off; ``numbers`` collects these, so that a text has the
    same number in several audits. Without ``texts`` or ``ids``, leave out the messages of failed
    measures and the labels that are no class, too.

    Such a message comes from other code and may quote a text or name an id; such a label may be a
    text in the wrong column.
    """
    if texts and ids:
        return audit
    if not ids:
        known: dict[str, str] = {} if numbers is None else numbers
        for text in audit.texts:
            known.setdefault(text.id, str(len(known) + 1))
        audit = replace(
            audit, texts=tuple(replace(text, id=known[text.id]) for text in audit.texts)
        )
    return _silenced(_without_strange_labels(audit))


def number_groups(groups: np.ndarray) -> np.ndarray:
    """Number groups of texts from 1, in the order of the texts. An audit that an older
    version saved has a hash of each; trying all ids of patients finds those behind the hashes.
    """
    return numbered(groups) + 1


def remaining_content(*, texts: bool, ids: bool) -> str:
    """Say what a page without texts still contains about them."""
    if texts:
        return ""
    named = "their ids" if ids else "their numbers in the order of the audit"
    return (
        f"The texts and their words are left out of this report. It still contains {named}; for "
        "each text its number of words, its label, its prediction and probability; the "
        "names of classes, of the model and of the data; and in the command and the "
        "settings the names of files, folders and columns."
    )


def _silenced(audit: R) -> R:
    """Remove the messages of failed measures everywhere."""
    # One error may begin another, whose end would stay.
    errors = sorted(audit.errors.values(), key=len, reverse=True)

    def quiet(*sentences: str) -> tuple[str, ...]:
        return tuple(
            reduce(lambda description, one: description.replace(one, _kind(one)), errors, each)
            for each in sentences
        )

    def of(verdict: Verdict) -> Verdict:
        by_class = {name: of(one) for name, one in verdict.by_class.items()}
        reasons = tuple(
            replace(one, words=quiet(one.words)[0], behind=quiet(one.behind)[0])
            for one in verdict.reasons
        )
        return replace(verdict, reasons=reasons, by_class=by_class)

    return replace(
        audit,
        verdict=of(audit.verdict),
        findings=tuple(replace(one, notes=quiet(*one.notes)) for one in audit.findings),
        measurements={code: _silent(one) for code, one in audit.measurements.items()},
    )


def _without_strange_labels(audit: R) -> R:
    """Leave out the labels that are no class."""
    card = audit.cards.get("data")
    if not isinstance(card, Mapping) or not card.get(UNSEEN_LABELS):
        return audit
    hidden = {**card, UNSEEN_LABELS: {NOT_SHOWN: sum(card[UNSEEN_LABELS].values())}}
    return replace(audit, cards={**audit.cards, "data": hidden})


def _silent(outcome: Outcome) -> Outcome:
    return replace(outcome, error=_kind(outcome.error)) if isinstance(outcome, Failed) else outcome


def _kind(error: str) -> str:
    """Keep the step and the kind of an error without its message; what was silenced before stays as
    it is.
    """
    if error.endswith(_LEFT_OUT):
        return error
    kind = _KIND.match(error)
    return f"{kind[0]}, its {_LEFT_OUT}" if kind else f"a {_LEFT_OUT}"
