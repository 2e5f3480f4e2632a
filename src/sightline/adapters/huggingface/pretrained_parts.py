"""Parts of a saved model, read by transformers from a folder, and refused where they are not whole."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import torch

from sightline.adapters.huggingface.model_folder import CONFIG
from sightline.adapters.validate_outputs import is_fault
from sightline.core.errors import MissingExtra, ModelError
from sightline.core.installation import install_line

_WANTED = "a folder that save_pretrained wrote for the model and for its tokenizer"
_NOWHERE = "there is no such folder, and what transformers has kept of that name is not whole"
TELLING: Mapping[str, Any] = {"output_loading_info": True, "ignore_mismatched_sizes": True}
"""Asks transformers which weights it did not find; of another shape it would say so in a printed
report alone."""
_NAMED = 4
"""Weights that an error names."""


def transformers_library() -> Any:
    """Import transformers, silent but for its errors; it is an extra."""
    try:
        import transformers  # noqa: PLC0415  (an extra)
        from transformers.utils import logging  # noqa: PLC0415  (an extra)
    except ImportError as error:
        message = "models of Hugging Face are read by transformers, which is not installed"
        raise MissingExtra(f"{message}; install it: {install_line('hf')}") from error
    logging.disable_progress_bar()  # what is read is a folder, and standard error is ours
    logging.set_verbosity_error()  # what is missing there is raised as an error here
    return transformers


def read_part(spec: str, place: Path, kind: Any, **options: Any) -> Any:
    """Read one part; transformers raises whatever its own libraries do where a file is broken."""
    if place.is_file():
        raise ModelError(
            f"{spec}: expected {_WANTED}, got a file",
            change="name the folder it lies in",
            field="model",
        )
    try:
        return kind.from_pretrained(
            str(place), local_files_only=True, trust_remote_code=False, **options
        )
    except MemoryError:
        raise
    except BaseException as error:
        if not is_fault(error):
            raise
        message = f"{spec}: expected {_WANTED}: {_describe(error) if place.is_dir() else _NOWHERE}"
        raise ModelError(message, change="nothing is downloaded", field="model") from error


def folder_of(place: Path) -> Path:
    """Give the folder with the files: the place itself, or where transformers keeps those of a
    name.
    """
    if place.is_dir():
        return place
    from transformers.utils import cached_file  # noqa: PLC0415  (an extra)

    with suppress(Exception):  # what is not there is said when it is read
        return Path(cached_file(str(place), CONFIG, local_files_only=True)).parent
    return place


def refuse_broken(spec: str, module: Any) -> None:
    """Refuse weights that are no numbers, by name: every answer of the model would be none."""
    broken = [
        name
        for name, weights in module.named_parameters()
        if not bool(torch.isfinite(weights).all())
    ]
    if broken:
        message = f"{spec}: {len(broken)} of its weights hold NaN or infinity, first {broken[0]}"
        raise ModelError(
            message,
            change="train the model again; no answer can be computed from these",
            field="model",
        )


def refuse_drawn(spec: str, module: Any, found: Mapping[str, Any], instead: str = "") -> None:
    """Refuse a model of which the folder lacks weights: transformers draws them, and another audit
    gets others.
    """
    drawn = sorted({*found["missing_keys"], *(name for name, *_ in found["mismatched_keys"])})
    if drawn:
        named = ", ".join(drawn[:_NAMED]) + (" …" if len(drawn) > _NAMED else "")
        message = (
            f"{spec}: {len(drawn)} of {len(module.state_dict())} weights are not in that folder, "
            "or of another shape"
        )
        raise ModelError(
            f"{message}, and would be drawn at random: {named}",
            change=instead
            or "save the classifier after its training; a pretrained model has none yet",
            field="model",
        )


def _describe(error: BaseException) -> str:
    if isinstance(error, UnpicklingError):  # torch would advise to load it all the same
        return "its weights are torn, or pickled with more than numbers, which is never run"
    return next(iter(str(error).strip().splitlines()), type(error).__name__)
