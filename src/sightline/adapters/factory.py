"""``py:package.module:factory``: a model that the user's own code builds, imported by name."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from functools import reduce
from itertools import cycle, islice
from pathlib import Path
from types import ModuleType
from typing import Any

from torch import nn

from sightline.adapters.checks.forward_checks import MOST_UNKNOWN, unknown_share
from sightline.adapters.label_views import has_labels
from sightline.adapters.truncation import visible_texts
from sightline.adapters.validate_model import WRAP_IT, validate
from sightline.adapters.validate_outputs import call_user_code, described, is_fault
from sightline.adapters.wrap import WrappedModule
from sightline.config.spec_syntax import PY
from sightline.core.errors import ModelError, SpecError
from sightline.core.example import Example
from sightline.core.protocols import Auditable, SupportsLabels, SupportsUnknownToken
from sightline.core.tokeniser import tokenise

_TEXTS = (
    "the film was good and the people in it were very good",
    "a bad story",
    "good",
    "it was not a good day for the town and this is why the night was so long and so slow",
    "this is not bad at all",
    "we like music",
    "the end of the day was bad and slow",
    "it is",
)


def load_factory(spec: str) -> Auditable:
    """Import and call the function that ``py:package.module:factory`` names, installed or in the
    current folder.
    """
    factory = named_object(spec, PY, "factory")
    if not callable(factory) or not without_arguments(factory):
        raise ModelError(
            (
                f"{spec}: expected a function that can be called without arguments, got "
                f"{_about(factory)}"
            ),
            change="write one that builds the model and returns sightline.wrap(…)",
        )
    return _checked(spec, call_user_code(f"{spec}()", factory))


def named_object(spec: str, prefix: str, what: str) -> Any:
    """Import the object that ``package.module:NAME`` names behind a ``prefix`` such as ``py:``."""
    module_name, _, attribute = spec.removeprefix(prefix).partition(":")
    if not spec.startswith(prefix) or not all(
        part.isidentifier() for part in f"{module_name}.{attribute}".split(".")
    ):
        raise SpecError(
            f"{spec}: expected {prefix}package.module:{what}, such as {prefix}my_model:build, got "
            "something else"
        )
    return _attribute(spec, _imported(spec, module_name), attribute)


def _imported(spec: str, name: str) -> ModuleType:
    here = str(Path.cwd())
    if here not in sys.path:
        # Last, so that a file there never replaces a module of Python or of a package. It stays
        # there, so that late imports of the factory are found as well.
        sys.path.append(here)
    importlib.invalidate_caches()
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (error.name == name or name.startswith(f"{error.name}.")):
            message = (
                f"{spec}: there is no module {error.name} in {here} or among the installed packages"
            )
            raise ModelError(message, change="run sightline in the folder that holds it") from error
        raise ModelError(
            f"{spec}: importing {name} failed: {described(error)}", change="install what it needs"
        ) from error
    except BaseException as error:  # a script without a main guard may do anything, even exit
        if not is_fault(error):
            raise
        message = f"{spec}: importing {name} failed: {described(error)}"
        raise ModelError(message, change="it must import without running anything") from error


def _attribute(spec: str, module: ModuleType, dotted: str) -> Any:
    try:
        return reduce(getattr, dotted.split("."), module)
    except AttributeError as error:
        public = [name for name in vars(module) if not name.startswith("_")]
        near = get_close_matches(dotted, public, n=1)
        hint = (
            f"did you mean {near[0]}?"
            if near
            else f"it has {', '.join(sorted(public)[:8]) or 'nothing'}"
        )
        where = (
            getattr(module, "__file__", None) or "Python itself"
        )  # another than is meant, where a name is taken
        raise ModelError(
            f"{spec}: {module.__name__} ({where}) has no {dotted}", change=hint
        ) from error


def without_arguments(factory: Any) -> bool:
    """Whether a function can be called without arguments."""
    try:
        inspect.signature(factory).bind()
    except (TypeError, ValueError):
        return False
    return True


def _checked(spec: str, built: object) -> Auditable:
    """Tell what is nothing like a model from a class of the owner's that says nearly all it
    must.
    """
    if has_labels(built) and isinstance(built, SupportsLabels):
        return built
    if hasattr(built, "collate") and hasattr(built, "trace") and not isinstance(built, type):
        return validate(built)
    if isinstance(built, nn.Module):
        message, change = f"a bare {type(built).__name__}", WRAP_IT
    else:
        message, change = _about(built), "return it from the factory"
    raise ModelError(f"{spec}: expected what sightline.wrap gives, got {message}", change=change)


def _about(value: object) -> str:
    if isinstance(value, WrappedModule):
        return f"the wrapped {value.name} itself"
    return f"the {type(value).__name__} {getattr(value, '__name__', '')}".strip()


def texts_without_data(words: Sequence[str] = (), *, queries: bool = False) -> tuple[Example, ...]:
    """Give a few texts of very different lengths to check a model on: of words that it knows, or of
    plain English.

    With ``queries``, the query of each text is its own first words.
    """
    source = cycle(words)
    texts = [" ".join(islice(source, len(text.split()))) for text in _TEXTS] if words else _TEXTS
    read = [tokenise(text) for text in texts]
    return tuple(
        Example(f"{i}", i, text, *words, label=i % 2, query=words[0][:3] if queries else None)
        for i, (text, words) in enumerate(zip(texts, read, strict=True))
    )


def texts_known_to(
    model: Auditable, words: Sequence[str] = (), *, queries: bool = False
) -> tuple[Example, ...]:
    """Give the texts of `texts_without_data`, cut to what the model sees.

    If its tokenizer knows almost none of these words, the texts use words that it knows. Checks
    need texts that the model can distinguish, and unknown sample words are no fault of the model.
    """
    plain = visible_texts(model, texts_without_data(words, queries=queries))
    if not isinstance(model, SupportsUnknownToken) or model.unknown is None or not model.words:
        return plain
    if plain and unknown_share(model.collate(plain), model.unknown) <= MOST_UNKNOWN:
        return plain
    return visible_texts(model, texts_without_data(model.words, queries=queries))
