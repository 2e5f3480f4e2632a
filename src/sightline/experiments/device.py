"""The device that a model is on, or is to be put on."""

from __future__ import annotations

import torch

from sightline.errors import ModelError


def pick_device(name: str) -> str:
    """Turn ``auto`` into the device at hand, and refuse one that is not there."""
    if name == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        torch.empty(1, device=name).item()  # a device that holds no numbers fails here
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        told = f"{name}: {str(error).splitlines()[0]}; use auto, cpu or cuda"
        raise ModelError(told, field="device") from error
    return name


def check_place(model: str, found: torch.device, asked: str) -> None:
    """Refuse to move a model that was built elsewhere: what its functions hold beside it would stay behind."""
    if asked != "auto" and torch.empty(0, device=asked).device.type != found.type:
        raise ModelError(f"{asked}: the model of {model} is on {found}; put it there in its factory", field="device")
