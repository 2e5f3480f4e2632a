"""The columns and figures that a study shows of its runs, if its file names them.

::

    [show]
    columns = ["accuracy", "SL-303"]
    figures = ["means", "tau-by-class"]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sightline.config.json_reader import read_as
from sightline.core.errors import SpecError, near_it
from sightline.experiments.tabulate import COLUMNS, check_columns
from sightline.report.figures.figure_registry import FIGURES
from sightline.report.figures.study_means import MEANS

NAMES = (MEANS, *FIGURES)
"""The figures of a study: of its table, and of its runs."""


@dataclass(frozen=True)
class StudyOutputs:
    """The columns of the table, and the figures that are drawn."""

    columns: tuple[str, ...] = COLUMNS
    figures: tuple[str, ...] = ()


def shown_from(tree: Mapping[str, Any], where: str = "the study") -> StudyOutputs:
    """Read ``[show]`` from the plain values of such a file."""
    try:
        return _read(tree.get("show", {}))
    except SpecError as error:
        message = f"show.{error.field}: {error.message}" if error.field else str(error)
        raise SpecError(f"{where}: {message}") from error


def _read(message: Mapping[str, Any]) -> StudyOutputs:
    if not isinstance(message, dict):
        raise SpecError(f"show: expected a table, headed [show], got {message!r}")
    if unknown := sorted(set(message) - {"columns", "figures"}):
        raise SpecError(f"show: unknown {unknown[0]!r}; expected columns, figures")
    listed = {name: read_as(tuple[str, ...], value, name) for name, value in message.items()}
    columns, figures = listed.get("columns", COLUMNS), listed.get("figures", ())
    check_columns(columns)
    for name in figures:
        if name not in NAMES:
            said = f"expected some of {', '.join(NAMES)}, got {name!r}{near_it(name, NAMES)}"
            raise SpecError(said, field="figures")
    return StudyOutputs(columns, figures)
