"""Checks every trace of a model from elsewhere during an audit, and names the model in errors."""

from __future__ import annotations

import sysconfig
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from traceback import extract_tb

import jaxtyping
import numpy as np
import scipy
import torch

from sightline.adapters.checks.forward_checks import distribution, unattended
from sightline.adapters.checks.probe_batch import ProbeBatch
from sightline.adapters.validate_outputs import call_user_code, rows_of, trace_of, user_code_errors
from sightline.core.errors import ModelError
from sightline.core.example import Example
from sightline.core.protocols import Auditable, Trace

_STANDARD = sysconfig.get_paths()["stdlib"]
_COMPUTING = (np, scipy, torch, jaxtyping)
_OURS = (
    str(Path(__file__).parents[1]),
    *(str(Path(one.__file__ or "").parent) for one in _COMPUTING),
)
"""Folders of code that does not belong to the model: this package and the libraries it computes
with."""
_INSTALLED = ("site-packages", "dist-packages")


def checked_trace(model: Auditable, examples: Sequence[Example]) -> Trace:
    """Run a model on texts; a model from elsewhere must still pass its checks.

    It passed its checks on a few texts before the audit. Later it may still raise, change the shape
    of its output, or give attention that is no distribution; each is an error that names the model.
    """
    if model.origin == "here":
        return model.trace(model.collate(examples))
    with name_model_in_errors(model):
        batch = rows_of(call_user_code("collate", model.collate, examples), examples)
        trace = trace_of(call_user_code("trace", model.trace, batch), batch)
        _check_width(model, trace)
        _check_attention(model, trace, examples)
    return trace


@contextmanager
def name_model_in_errors(model: Auditable) -> Iterator[None]:
    """Add the name of the model to errors."""
    try:
        yield
    except ModelError as error:
        if model.name in error.wrong:
            raise
        raise ModelError(
            f"{model.name}: {error.wrong}", change=error.change, field=error.field
        ) from error


@contextmanager
def blame_model_code(model: Auditable) -> Iterator[None]:
    """Attribute an error to a model from elsewhere if the model's own code raised it; other errors
    pass unchanged.
    """
    with (
        name_model_in_errors(model),
        user_code_errors(
            "the model", lambda error: model.origin == "elsewhere" and _is_foreign(error)
        ),
    ):
        yield


def _is_foreign(error: BaseException) -> bool:
    """Whether an error passed through the model's own code, outside this package, its libraries and
    Python.
    """
    files = [frame.filename for frame in extract_tb(error.__traceback__)]
    return isinstance(error, SystemExit) or any(not _is_known(file) for file in files)


def _is_known(file: str) -> bool:
    standard = file.startswith(_STANDARD) and not any(folder in file for folder in _INSTALLED)
    return standard or file.startswith(("<", *_OURS))


def _check_width(model: Auditable, trace: Trace) -> None:
    width = trace.logits.shape[1]
    wanted = (
        len(model.labels)
        if model.labels is not None
        else 2
        if model.link == "sigmoid"
        else max(width, 2)
    )
    if max(width, 2) != wanted or (model.link == "sigmoid") != (width == 1):
        message = (
            f"expected logits of {wanted} classes, as in its checks, got {width} numbers a text"
        )
        raise ModelError(message, change="give the same number of logits in every call")


def _check_attention(model: Auditable, trace: Trace, examples: Sequence[Example]) -> None:
    """Check attention as before the audit, on the texts with finite outputs and attendable words."""
    rows = (trace.finite & trace.batch.attendable.any(1)).nonzero()[:, 0]
    if not len(rows):
        return
    batch = trace.batch.rows(rows)
    some = Trace(batch, trace.embeddings[rows], trace.attention[rows], trace.logits[rows])
    on = ProbeBatch(model, [examples[row] for row in rows.tolist()], batch, some, None)
    for found in (distribution(on), unattended(on)):
        if found.wrong:
            raise ModelError(f"after its checks, {found.wrong}", change=found.change)
