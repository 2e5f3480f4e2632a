"""A device that is not there: what lives on it is remembered, and an operation that mixes it with
what lives on the processor fails, as it would on an accelerator.

Numbers are computed on the processor all the same. Which storages live on the device is kept apart
from the tensors, so that views, detached tensors and parameters share where they live. The rules
are those of CUDA: a single number may come from the processor, and so may places to index with, but
no other tensor; an array is read through ``.cpu()`` alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import torch
from torch.multiprocessing.reductions import StorageWeakRef
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves, tree_map_only

DEVICE = torch.device("privateuseone:0")
PROCESSOR = torch.device("cpu")
COPIES = {"copy_", "__setitem__"}
"""Operations that take numbers from one device to another."""
PLACED = {"__getitem__", "__setitem__"}
"""Operations whose places may come from the processor."""
LENGTHS = {"_pack_padded_sequence", "_pad_packed_sequence", "lstm", "gru"}
"""Operations that take lengths of texts, which stay on the processor."""
MODULES = {"_parse_to", "_has_compatible_shallow_copy_type"}
"""What a module asks that moves its tensors one by one."""
READS = {"numpy", "__array__", "data_ptr"}
LOOKS = {"__get__", "__repr__", "size", "dim", "numel", "stride", "is_floating_point", "shape"}


class MixedDevicesError(RuntimeError):
    """Tensors of two devices meet, or one of the device is read as if it were not there."""


class FakeDevice(TorchFunctionMode):
    """Remembers which storages live on `DEVICE`, which may lack double precision."""

    def __init__(self, *, doubles: bool = True) -> None:
        super().__init__()
        self.doubles = doubles
        self.storages: dict[int, StorageWeakRef] = {}

    def holds(self, tensor: torch.Tensor) -> bool:
        """Tell whether a tensor lives on the device."""
        return StorageWeakRef(tensor.untyped_storage()).cdata in self.storages

    def moved(self, found: Any) -> Any:
        """Let every tensor of a result live on the device from now on."""
        for one in tree_leaves(found):
            if isinstance(one, torch.Tensor):
                if not self.doubles and one.dtype == torch.float64:
                    raise TypeError(f"{DEVICE} has no double precision")
                # A weak reference keeps the address from being given to another storage.
                kept = StorageWeakRef(one.untyped_storage())
                self.storages[kept.cdata] = kept
        return found

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run an operation on the processor, and say where its result lives."""
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "")
        tensors = [one for one in tree_leaves((args, kwargs)) if isinstance(one, torch.Tensor)]
        here = [self.holds(one) for one in tensors]
        if func == torch.Tensor.device.__get__:
            return DEVICE if here[0] else PROCESSOR
        devices = [one for one in tree_leaves((args, kwargs)) if isinstance(one, torch.device)]
        if name in MODULES:
            return func(*args, **kwargs)
        if DEVICE in devices or any(map(_names_device, [*args, *kwargs.values()])) or name == "cpu":
            return self._placed(func, name, args, kwargs)
        if name == "to" and len(args) > 1 and isinstance(args[1], torch.Tensor):
            return self._placed(func, "to" if here[1] else "cpu", args, kwargs)
        if name == "to" and (PROCESSOR in devices or "cpu" in map(str, args[1:])):
            return self._placed(func, "cpu", args, kwargs)
        if func == torch.Tensor.data.__set__:
            return func(*args, **kwargs)
        if name in READS and any(here):
            raise MixedDevicesError(f"{name}: a tensor of {DEVICE} is read without .cpu()")
        self._check(name, tensors, here)
        found = func(*args, **kwargs)
        if name == "_pack_padded_sequence":
            self.moved(found[0])  # its batch sizes stay on the processor
            return found
        ours = here[0] if name in COPIES and here else any(here)
        return self.moved(found) if ours and name not in LOOKS else found

    def _placed(self, func: Any, name: str, args: Any, kwargs: Any) -> Any:
        """Make a tensor on a device, or move one there: what is moved is copied."""
        args, kwargs = tree_map_only(torch.device, lambda one: PROCESSOR, (args, kwargs))
        args = tuple(PROCESSOR if _names_device(one) else one for one in args)
        kwargs = {key: PROCESSOR if _names_device(one) else one for key, one in kwargs.items()}
        found = func(*args, **kwargs)
        if isinstance(found, torch.Tensor) and args and found is args[0]:
            found = found.clone()
        if name == "cpu":
            return found.clone() if self.holds(found) else found
        return self.moved(found)

    def _check(self, name: str, tensors: list[torch.Tensor], here: list[bool]) -> None:
        if name in COPIES and name not in PLACED:
            return
        large = [
            (one, ours)
            for one, ours in zip(tensors, here, strict=True)
            if ours or one.dim() > 0 or name in PLACED
        ]
        if name in PLACED and here and here[0]:
            return
        if name in LENGTHS:
            large = [(one, ours) for one, ours in large if one.dtype != torch.int64 or ours]
        if len({ours for _, ours in large}) > 1:
            shapes = ", ".join(
                f"{tuple(one.shape)} on {DEVICE if ours else PROCESSOR}" for one, ours in large
            )
            raise MixedDevicesError(f"{name}: {shapes}")


def _names_device(value: object) -> bool:
    return isinstance(value, str) and value == str(DEVICE)


@contextmanager
def fake_device(*, doubles: bool = True) -> Iterator[FakeDevice]:
    """Let a device be there that no machine has, or one without double precision."""
    mode, real = FakeDevice(doubles=doubles), torch.autograd.grad

    def grad(outputs: Any, inputs: Any, *more: Any, **named: Any) -> Any:
        found = real(outputs, inputs, *more, **named)  # no function mode hears of it
        asked = [one for one in tree_leaves(inputs) if isinstance(one, torch.Tensor)]
        for one, gradient in zip(asked, found, strict=True):
            if gradient is not None and mode.holds(one):
                mode.moved(gradient)
        return found

    with patch.object(torch.autograd, "grad", grad), mode:
        yield mode
