"""Compares the classes that a folder's own code has with the built-in classes of transformers.

Own code is never run. Without it, transformers silently builds the class that it has for the type
of the model, which may compute something else.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sightline.adapters.huggingface.model_folder import CONFIG, architectures, read_json
from sightline.config.spec_syntax import HF_CAUSAL
from sightline.core.errors import ModelError

_TOKENIZER_CONFIG = "tokenizer_config.json"
_AUTO_MAP = "auto_map"
"""The setting that names classes in Python files of the folder, or of another one."""


def never_run(spec: str) -> str:
    """Say how a model with code of its own can be audited all the same."""
    causal = spec.startswith(HF_CAUSAL)
    function = "prompted(model, tokenizer, …)" if causal else "transformer(model, tokenizer)"
    return (
        "nothing is downloaded or run; load it in your own Python code, where you trust its code, "
        f"and give it to sightline.{function}"
    )


def own_code(spec: str, named: str = "") -> ModelError:
    """Make the error about code that is never run, and name its class if it is known."""
    class_of_it = f" ({named[:80]})" if named else ""
    return ModelError(
        f"{spec}: expected a model and a tokenizer that transformers has built in, got code of their "
        f"own{class_of_it}, which is never run",
        change=never_run(spec),
        field="model",
    )


def tokenizer_has_code(folder: Path) -> bool:
    """Whether the tokenizer of a folder is made by code of its own."""
    return _AUTO_MAP in read_json(folder / _TOKENIZER_CONFIG)


def check_model_class(spec: str, folder: Path, task: str, module: Any) -> tuple[str, ...]:
    """Raise an error if the folder's own class would be another than the one that was built.

    ``task`` is the class of transformers that was asked for a model, such as AutoModelForCausalLM.
    Where the classes have the same name, a note is enough: many folders keep code that transformers
    has since built in. So it is where the folder has no code, only a class that is unknown.
    """
    mapped, built = read_json(folder / CONFIG).get(_AUTO_MAP), type(module).__name__
    own = _class_name(mapped.get(task)) if isinstance(mapped, Mapping) else ""
    if own and own != built:
        raise own_code(spec, own)
    if unknown := next((one for one in architectures(folder) if not _is_built_in(one)), ""):
        if mapped:
            raise own_code(spec, unknown)
        return (
            f"its {CONFIG} names the class {unknown[:80]}, which transformers does not have; "
            f"{built} of transformers is audited in its place",
        )
    return (_in_place(CONFIG, built),) if mapped else ()


def check_tokenizer_class(spec: str, folder: Path, tokenizer: Any) -> tuple[str, ...]:
    """Raise an error if the folder's own tokenizer would be of another class than the one that was
    built; give a note if it is one of the same name.
    """
    mapped, built = read_json(folder / _TOKENIZER_CONFIG).get(_AUTO_MAP), type(tokenizer).__name__
    pair = mapped.get("AutoTokenizer") if isinstance(mapped, Mapping) else mapped
    # Old folders list the classes alone: the slow tokenizer, then the fast one.
    names = [_class_name(one) for one in (pair if isinstance(pair, list) else [pair]) if one]
    other = next((one for one in names if _plain(one) != _plain(built)), "")
    if other:
        raise own_code(spec, other)
    return (_in_place(_TOKENIZER_CONFIG, built),) if names else ()


def _in_place(file: str, built: str) -> str:
    return (
        f"its {file} names Python files of its own (auto_map), which are never run; {built} of "
        "transformers is audited in their place"
    )


def _class_name(reference: Any) -> str:
    """Take the class from ``file.Class`` or ``repository--file.Class``."""
    return str(reference).rpartition(".")[2] if reference else ""


def _plain(name: str) -> str:
    """The name without its ending: transformers has one class where it had a fast and a slow one."""
    return name.removesuffix("Fast")


def _is_built_in(name: str) -> bool:
    import transformers  # noqa: PLC0415  (an extra)

    return hasattr(transformers, name)
