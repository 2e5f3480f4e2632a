"""What is left out of a report that is shared, texts or their ids; and what it still tells, in one
sentence.
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

from sightline.core.results import Failed, Outcome, Results, Verdict


def without(audit: Results, *, texts: bool = True, ids: bool = True) -> Results:
    """Number the texts in the order of the audit where their ids are to go; with the texts go
    messages of errors.

    A message of a measure that failed is written by whoever's code failed, and may quote a text.
    """
    if not ids:
        numbered = tuple(
            replace(text, id=str(number)) for number, text in enumerate(audit.texts, start=1)
        )
        audit = replace(audit, texts=numbered)
    return audit if texts else _silenced(audit)


def remaining_content(*, texts: bool, ids: bool) -> str:
    """Say what a page without texts still tells of them."""
    if texts:
        return ""
    named = "their ids" if ids else "their numbers in the order of the audit"
    return (
        f"The texts and their words are left out of this report. It still tells {named}; of "
        "each text how many words it has, its label, how it was decided and how surely; the "
        "names of classes, of the model and of the data, and with the command and the "
        "settings names of files, folders and columns."
    )


def _silenced(audit: Results) -> Results:
    """Leave out what measures that failed said, wherever it is told."""
    errors = [one.error for one in audit.measurements.values() if isinstance(one, Failed)]

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


def _silent(outcome: Outcome) -> Outcome:
    return replace(outcome, error=_kind(outcome.error)) if isinstance(outcome, Failed) else outcome


def _kind(error: str) -> str:
    """Keep the kind of an error, and not its message."""
    kind, colon, _ = error.partition(":")
    return (
        f"{kind}, its message left out with the texts"
        if colon
        else "a message left out with the texts"
    )
