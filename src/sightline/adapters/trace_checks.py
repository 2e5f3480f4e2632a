"""Models from elsewhere while they are in use: every trace is checked, and errors name the model
they come from.
"""

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
from sightline.adapters.validate_outputs import blamed, called, rows_of, trace_of
from sightline.core.errors import ModelError
from sightline.core.example import Example
from sightline.core.protocols import Auditable, Trace

_STANDARD = sysconfig.get_paths()["stdlib"]
_COMPUTING = (np, scipy, torch, jaxtyping)
_OURS = (
    str(Path(__file__).parents[1]),
    *(str(Path(one.__file__ or "").parent) for one in _COMPUTING),
)
"""Folders of code that is not the model's: this package and those that it computes with."""
_INSTALLED = ("site-packages", "dist-packages")


def asked(model: Auditable, examples: Sequence[Example]) -> Trace:
    """Run a model on texts; a model from elsewhere is held to what its checks found.

    It passed its checks on a few texts before the audit. Later it may still raise, change the shape
    of its output, or give attention that is no distribution; each of these is an error that names
    the model.
    """
    if model.origin == "here":
        return model.trace(model.collate(examples))
    with naming(model):
        batch = rows_of(called("collate", model.collate, examples), examples)
        trace = trace_of(called("trace", model.trace, batch), batch)
        _check_width(model, trace)
        _check_attention(model, trace, examples)
    return trace


@contextmanager
def naming(model: Auditable) -> Iterator[None]:
    """Put the name of a model before what is wrong with it."""
    try:
        yield
    except ModelError as error:
        if model.name in error.wrong:
            raise
        raise ModelError(
            f"{model.name}: {error.wrong}", change=error.change, field=error.field
        ) from error


@contextmanager
def blaming(model: Auditable) -> Iterator[None]:
    """Blame a model from elsewhere for an error that its own code raised; any other error stays
    ours.
    """
    with (
        naming(model),
        blamed("the model", lambda error: model.origin == "elsewhere" and _is_foreign(error)),
    ):
        yield


def _is_foreign(error: BaseException) -> bool:
    """Tell whether an error passed through code that belongs to the model: no library of ours, none
    of Python's.
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
    """Check attention as the proofs do, on the texts that have finite outputs and words to attend
    to.
    """
    rows = (trace.finite & trace.batch.attendable.any(1)).nonzero()[:, 0]
    if not len(rows):
        return
    batch = trace.batch.rows(rows)
    some = Trace(batch, trace.embeddings[rows], trace.attention[rows], trace.logits[rows])
    on = ProbeBatch(model, [examples[row] for row in rows.tolist()], batch, some, None)
    for found in (distribution(on), unattended(on)):
        if found.wrong:
            raise ModelError(f"after its checks, {found.wrong}", change=found.change)
