"""Log an audit to MLflow, or to any object with the same three functions."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Protocol, cast

from sightline.core.errors import MissingExtra
from sightline.report.html.audit_page import write_page
from sightline.report.sanitize import one_line, shortened
from sightline.report.sentences import headline

if TYPE_CHECKING:
    from sightline.core.results import Estimate, Results

FOLDER = "sightline"
_LONGEST = 5000
"""The longest tag, in characters, that every version of MLflow takes."""


class Tracker(Protocol):
    """The functions of ``mlflow`` that are used."""

    def log_metrics(self, metrics: dict[str, float], /) -> Any:
        """Keep numbers by name, in the run that is active."""

    def set_tags(self, tags: dict[str, Any], /) -> Any:
        """Keep texts by name."""

    def log_artifact(self, local_path: str, /, artifact_path: str) -> Any:
        """Keep a file in a folder of the run."""


def log_audit(
    audit: Results, tracker: Tracker | None = None, *, texts: bool = False, ids: bool = False
) -> None:
    """Log the scores, the verdict and the report of an audit to the active MLflow run.

    Metrics are ``sightline/accuracy/value`` and the score of each test, such as
    ``sightline/SL-303/score``, with ``low``, ``high``, ``n`` and ``threshold`` in the same folder.
    Tags are ``sightline.verdict``, ``sightline.headline`` and the result of each test, such as
    ``sightline.SL-303``. The report is the artifact ``sightline/report.html``.

    Parameters
    ----------
    tracker
        A module or an object with MLflow's ``log_metrics``, ``set_tags`` and ``log_artifact``
        instead of ``mlflow``.
    texts, ids
        Whether the report holds the audited texts, and their ids: a tracking server is usually
        another machine, so that by default it holds neither.
    """
    used = _mlflow() if tracker is None else tracker
    used.set_tags(_tags(audit))
    used.log_metrics(dict(scores_of(audit)))
    with TemporaryDirectory() as folder:
        report = write_page(audit, Path(folder) / "report.html", texts, ids)
        used.log_artifact(str(report), artifact_path=FOLDER)


def _mlflow() -> Tracker:
    try:
        import mlflow  # noqa: PLC0415  (optional)
    except ImportError:
        message = "mlflow is not installed; install it (pip install mlflow), or give a tracker"
        raise MissingExtra(message) from None
    return cast(Tracker, mlflow)


def _tags(audit: Results) -> dict[str, str]:
    found = {"verdict": str(audit.verdict.level), "headline": headline(audit.verdict)}
    found |= {finding.code: finding.result for finding in audit.findings}
    return {
        f"sightline.{name}": shortened(one_line(text), _LONGEST) for name, text in found.items()
    }


def scores_of(audit: Results) -> Iterator[tuple[str, float]]:
    """Name each logged number: accuracy, and the score of each test with its threshold."""
    if audit.learned is not None:
        yield from _numbers("accuracy", "value", audit.learned.accuracy)
    for finding in audit.findings:
        if finding.score is not None:
            yield from _numbers(finding.code, "score", finding.score)
            if finding.threshold is not None:
                yield f"{FOLDER}/{finding.code}/threshold", finding.threshold


def _numbers(of: str, what: str, estimate: Estimate) -> Iterator[tuple[str, float]]:
    """Return a number with its interval and n; undefined numbers are left out, because a store of
    metrics cannot hold them.

    No name may be the folder of another: MLflow keeps each metric in a file of its name.
    """
    found = {what: estimate.value, "low": estimate.low, "high": estimate.high, "n": estimate.n}
    if math.isfinite(estimate.value):
        yield from (
            (f"{FOLDER}/{of}/{name}", float(value))
            for name, value in found.items()
            if math.isfinite(value)
        )
