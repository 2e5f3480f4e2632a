"""Edits of what was saved, as a hand or another program may make them: one place at a time."""

import copy
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from sightline._io.checksums import seal

ODD: tuple[Any, ...] = (["x"], "x", -7, 10**30, None, {"x": 1})
"""What stands where something else should: of each kind one, and numbers that are out of bounds."""


def put(file: Path, content: str | bytes) -> Path:
    """Write a file of a saved folder, and new checksums, as somebody would who edits it on purpose;
    return the folder.
    """
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    seal(file.parent)
    return file.parent


def edited(tree: Any, count: int) -> Iterator[tuple[str, Any]]:
    """Give some of the trees that one edit makes, drawn from all."""
    for name, path, change in random.Random(0).sample(list(edits(tree)), count):
        yield name, changed(tree, path, change)


def edits(tree: Any) -> Iterator[tuple[str, tuple, Callable[[Any, Any], None]]]:
    """List every edit: every field and item replaced and deleted, and every object given
    another.
    """
    for path in places(tree):
        where = ".".join(map(str, path)) or "the whole"
        for odd in ODD:
            yield (
                f"{where} = {odd!r}",
                path,
                lambda holder, key, odd=odd: holder.__setitem__(key, odd),
            )
        if path:
            yield f"no {where}", path, lambda holder, key: holder.__delitem__(key)
        if isinstance(found(tree, path), dict):
            yield f"more in {where}", path, lambda holder, key: holder[key].update(zebra=1)


def places(tree: Any, path: tuple = ()) -> Iterator[tuple]:
    """Name every place in a tree; of a long list the first two, which stand for the rest."""
    yield path
    inside = (
        tree.items()
        if isinstance(tree, dict)
        else enumerate(tree[:2])
        if isinstance(tree, list)
        else ()
    )
    for key, value in inside:
        yield from places(value, (*path, key))


def found(tree: Any, path: tuple) -> Any:
    for key in path:
        tree = tree[key]
    return tree


def changed(tree: Any, path: tuple, change: Any) -> Any:
    holder = {"": copy.deepcopy(tree)}
    full = ("", *path)
    change(found(holder, full[:-1]), full[-1])
    return holder[""]
