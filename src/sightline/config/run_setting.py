"""What a run sets apart from its data, its model and its seed, in words of a study file."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import MISSING, Field, fields
from typing import Any

from sightline.config.presets import PRESETS
from sightline.config.specs import RunSpec

_SHOWN_APART = ("data", "model", "fit", "seed")
"""Fields of a run that are listed in columns of their own, or field by field."""
_NAMED = ("kind", "path", "part", "files", "digest")
"""Fields of the data that are in their name, or that no user sets."""


def setting_of(spec: RunSpec) -> str:
    """Write the fields that differ from their defaults, such as ``fit.epochs=3, altered=truthful``;
    the parts of the model are left out, because the model names them. A training differs from that
    of the preset ``default``, which a study starts from.
    """
    of_model = _differing(spec.model, "model.", (*spec.model.parts, "vectors_digest"))
    of_fit = _differing(spec.fit, "fit.", (), PRESETS["default"].fit)
    of_data = _differing(spec.data, "data.", _NAMED)
    return ", ".join([*of_data, *of_model, *of_fit, *_differing(spec, "", _SHOWN_APART)])


def _differing(
    settings: Any, of: str, left_out: Collection[str], usual: Any = None
) -> Iterator[str]:
    """Write the fields of a dataclass that differ from ``usual`` ones, or from their defaults,
    except the fields named in ``left_out``.
    """
    for one in fields(settings):
        value = getattr(settings, one.name)
        expected = _default(one) if usual is None else getattr(usual, one.name)
        if one.name not in left_out and value != expected:
            yield f"{of}{one.name}={_written(value)}"


def _default(one: Field[Any]) -> Any:
    return one.default if one.default_factory is MISSING else one.default_factory()


def _written(value: Any) -> str:
    if isinstance(value, tuple):
        return "+".join(map(str, value)) or "none"
    return "none" if value is None else str(value)
