"""What a run sets apart from its data, its model and its seed, in words of a study file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sightline.config.specs import ModelSpec, RunSpec

_SHOWN_APART = ("data", "seed", "meaning")
"""Fields of a run that lists show in columns of their own, or that no study sets."""


def setting_of(spec: RunSpec) -> str:
    """Write the fields that differ from their defaults, such as ``altered=truthful, fit.epochs=3``;
    the parts of the model are left out, because the model names them.
    """
    parts: dict[str, Any] = spec.model.parts
    usual = RunSpec(spec.data, ModelSpec(**parts)).to_json()
    own = {name: value for name, value in spec.to_json().items() if name not in _SHOWN_APART}
    return ", ".join(_differing(own, usual))


def _differing(own: Mapping[str, Any], usual: Mapping[str, Any], of: str = "") -> Iterator[str]:
    for name in sorted(own.keys() | (usual.keys() - {*_SHOWN_APART})):
        value, default = own.get(name), usual.get(name)
        if value == default or (name == "vectors_digest" and of):
            continue
        if isinstance(value, Mapping) and isinstance(default, Mapping):
            yield from _differing(value, default, f"{of}{name}.")
        else:
            yield f"{of}{name}={_written(value)}"


def _written(value: Any) -> str:
    if isinstance(value, list | tuple):
        return "+".join(map(str, value)) or "none"
    return "none" if value is None else str(value)
