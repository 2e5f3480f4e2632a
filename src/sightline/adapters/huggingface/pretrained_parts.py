"""Loads a saved model and its tokenizer with transformers; incomplete ones are an error."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from pickle import UnpicklingError
from threading import RLock
from typing import Any

import torch

from sightline.adapters.huggingface.model_folder import (
    CONFIG,
    SAVE_TOKENIZER,
    TOKENIZER,
    check_config,
    check_folder,
    check_tokenizer_files,
    lacking,
    read_json,
)
from sightline.adapters.huggingface.own_code import (
    check_model_class,
    check_tokenizer_class,
    never_run,
    own_code,
    tokenizer_has_code,
)
from sightline.adapters.validate_outputs import is_fault
from sightline.core.errors import MissingExtra, ModelError
from sightline.core.installation import install_line

_WANTED = "a folder that save_pretrained wrote for the model and for its tokenizer"
_NOWHERE = "there is no such folder, and transformers keeps nothing whole of that name"
TELLING: Mapping[str, Any] = {"output_loading_info": True, "ignore_mismatched_sizes": True}
"""Makes transformers return the names of missing weights; it would only print weights of another
shape."""
GGUF = ".gguf"
_OWN_CODE = "custom code"
"""What transformers says of a folder with Python files that it would have to run."""
_SILENT = ("HF_HUB_OFFLINE", "HF_HUB_DISABLE_TELEMETRY")
_ONE_AT_A_TIME = RLock()
_NAMED = 4
"""The most weights that an error or a note names."""


@contextmanager
def without_network() -> Iterator[None]:
    """Keep huggingface_hub from huggingface.co while transformers loads something.

    `local_files_only` is not enough: for its user agent the library fetches a list of programs.
    The variables HF_HUB_OFFLINE and HF_HUB_DISABLE_TELEMETRY are read once, when the library is
    imported. Users may have imported it, and may download models of their own before and after. So
    its constants are set, for this time only; another thread cannot download in the meantime.
    """
    from huggingface_hub import constants  # noqa: PLC0415  (an extra)

    with _ONE_AT_A_TIME:
        before = {name: getattr(constants, name) for name in _SILENT}
        try:
            vars(constants).update(dict.fromkeys(_SILENT, True))
            yield
        finally:
            vars(constants).update(before)


def transformers_library() -> Any:
    """Import transformers, silent but for its errors; it is an extra."""
    try:
        with without_network():
            import transformers  # noqa: PLC0415  (an extra)
            from transformers.utils import logging  # noqa: PLC0415  (an extra)
    except ImportError as error:
        message = "models of Hugging Face are read by transformers, which is not installed"
        raise MissingExtra(f"{message}; install it: {install_line('hf')}") from error
    logging.disable_progress_bar()  # a folder loads quickly, and standard error is ours
    logging.set_verbosity_error()  # what is missing there is raised as an error here
    return transformers


@dataclass(frozen=True)
class LoadedModel:
    """A model and its tokenizer, as they were loaded from files."""

    module: Any
    tokenizer: Any
    unused: tuple[str, ...] = ()
    """The weights that the model has no place for."""
    class_notes: tuple[str, ...] = ()
    """What to know where built-in classes were loaded in the place of a folder's own code."""


def read_whole(
    spec: str, place: Path, kind: Any, *, instead: str = "", **options: Any
) -> LoadedModel:
    """Load a model and its tokenizer from a folder; missing or broken parts are an error.

    ``instead`` is the advice of an error about missing weights.
    """
    folder = folder_of(place)
    check_folder(spec, folder)
    module, found = read_part(spec, place, kind, **TELLING, **options)
    # Before missing weights: a class of its own names its weights otherwise.
    notes = check_model_class(spec, folder, kind.__name__, module)
    refuse_drawn(spec, module, found, instead)
    refuse_broken(spec, module)
    tokenizer = _read_tokenizer(spec, place, folder)
    check_tokenizer_files(spec, folder, tokenizer)
    notes += check_tokenizer_class(spec, folder, tokenizer)
    return LoadedModel(module, tokenizer, tuple(sorted(found["unexpected_keys"])), notes)


def _read_tokenizer(spec: str, place: Path, folder: Path) -> Any:
    try:
        return read_part(spec, place, transformers_library().AutoTokenizer)
    except ModelError as error:
        unfit = isinstance(error.__cause__, ImportError) or error.change == never_run(spec)
        if unfit or (folder / TOKENIZER).is_file():
            raise
        if tokenizer_has_code(folder):
            raise own_code(spec) from error
        cause = "" if error.__cause__ is None else f" ({_describe(error.__cause__)})"
        raise ModelError(
            f"{spec}: expected the files of its tokenizer, got a folder without {TOKENIZER} and "
            f"without others that transformers can read{cause}",
            change=SAVE_TOKENIZER,
            field="model",
        ) from error


def read_gguf(spec: str, file: Path) -> LoadedModel:
    """Load a language model and its tokenizer from one GGUF file, with its weights unpacked to
    float32.
    """
    auto, named = transformers_library(), {"gguf_file": file.name}
    _require_gguf()
    config = read_part(spec, file, auto.AutoConfig, **named)
    check_config(spec, config.to_dict(), file.name)
    options: dict[str, Any] = {**TELLING, **named, "dtype": torch.float32}
    # For packed weights transformers would download kernels.
    if kind := getattr(auto, "GgufConfig", None):
        options["quantization_config"] = kind(dequantize=True)
    module, found = read_part(spec, file, auto.AutoModelForCausalLM, **options)
    refuse_drawn(spec, module, found, "take a file that holds the whole language model")
    refuse_broken(spec, module)
    return LoadedModel(module, read_part(spec, file, auto.AutoTokenizer, **named))


def _require_gguf() -> None:
    missing = [name for name in ("gguf", "accelerate") if find_spec(name) is None]
    if missing:
        message = (
            f"GGUF files are read with gguf and accelerate; there is no {' and no '.join(missing)}"
        )
        raise MissingExtra(f"{message}; install them: {install_line('gguf')}")


def read_part(spec: str, place: Path, kind: Any, **options: Any) -> Any:
    """Load one part; transformers passes on any error of its libraries if a file is broken."""
    packed = "gguf_file" in options
    if place.is_file() and not packed:
        raise ModelError(
            f"{spec}: expected {_WANTED}, got a file",
            change="name the folder it lies in",
            field="model",
        )
    try:
        # Unpacking a GGUF file shows its own progress bar; standard error is ours.
        with redirect_stderr(io.StringIO()), without_network():
            return kind.from_pretrained(
                str(place.parent if packed else place),
                local_files_only=True,
                trust_remote_code=False,
                **options,
            )
    except MemoryError:
        raise
    except BaseException as error:
        if not is_fault(error):
            raise
        from safetensors import SafetensorError  # noqa: PLC0415  (where weights were read)

        if isinstance(error, SafetensorError):
            raise _damaged(spec, place, error) from error
        if _OWN_CODE in str(error):
            raise own_code(spec) from error
        if packed:
            message = f"{spec}: expected a GGUF file that transformers can read: {_reason(error)}"
            raise ModelError(message, change="copy it again", field="model") from error
        raise _unread(spec, folder_of(place), kind, error) from error


def _unread(spec: str, folder: Path, kind: Any, error: BaseException) -> ModelError:
    """Make an error about a folder that is not there or not whole, or about a part that cannot be
    loaded from it.
    """
    why = lacking(folder) if folder.exists() else _NOWHERE
    if why:
        change = "name the folder of a whole model; nothing is downloaded"
        return ModelError(f"{spec}: expected {_WANTED}: {why}", change=change, field="model")
    part = "tokenizer" if "Tokenizer" in kind.__name__ else "model"
    return ModelError(
        f"{spec}: transformers cannot load its {part}: {_reason(error)}",
        change=_remedy(read_json(folder / CONFIG), error)
        if isinstance(error, ImportError)
        else f"load it in Python with {kind.__name__}.from_pretrained, mend it, and save it again",
        field="model",
    )


def _remedy(config: Mapping[str, Any], error: ImportError) -> str:
    """Say what to do about a missing package."""
    named = next((key for key in config if key.endswith("attn_implementation")), "")
    if named and "attention" in str(error).lower():
        # The package would not help: such kernels never write their weights down.
        return f"take {named} out of {CONFIG}"
    first = "save the model without quantization, or " if "quantization_config" in config else ""
    return f"{first}install the package that it names"


def _reason(error: BaseException) -> str:
    return _describe(error).rstrip(".")


def _damaged(spec: str, place: Path, error: BaseException) -> ModelError:
    """Make an error about weights that are cut off or overwritten; the folder is right."""
    files = ", ".join(sorted(file.name for file in folder_of(place).glob("*.safetensors")))
    return ModelError(
        f"{spec}: expected whole weights, got a damaged file ({files}): {_describe(error)}",
        change="copy the file again, or save the model again",
        field="model",
    )


def folder_of(place: Path) -> Path:
    """The folder with the files: the place itself, or the cache of transformers for a name."""
    if place.is_dir():
        return place
    from transformers.utils import cached_file  # noqa: PLC0415  (an extra)

    # Missing files are reported when they are read.
    with suppress(Exception), without_network():
        return Path(cached_file(str(place), CONFIG, local_files_only=True)).parent
    return place


def refuse_broken(spec: str, module: Any) -> None:
    """Raise an error that names weights with NaN or infinity: no logit of the model would be
    finite.
    """
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
    """Raise an error if the folder lacks weights: transformers draws them at random, differently in
    each audit.
    """
    drawn = sorted({*found["missing_keys"], *(name for name, *_ in found["mismatched_keys"])})
    if drawn:
        named = _first(drawn)
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


def unused_weights(names: Sequence[str]) -> str:
    """Say which weights of a folder are not used."""
    return (
        f"{len(names)} of the weights in its folder have no place in the model and are not used: "
        f"{_first(names)}; if it was trained with them, such as an adapter, merge them into it first"
    )


def _first(names: Sequence[str]) -> str:
    return ", ".join(names[:_NAMED]) + (" …" if len(names) > _NAMED else "")


def _describe(error: BaseException) -> str:
    if isinstance(error, UnpicklingError):  # torch would advise to load it all the same
        return "its weights are torn, or pickled with more than numbers, which is never run"
    return next(iter(str(error).strip().splitlines()), type(error).__name__)
