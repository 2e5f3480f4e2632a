"""Seeded splits that balance classes and keep copies and groups together."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence

from sightline.core.seeds import Seeds

SHARES = {"train": 0.70, "validation": 0.15, "test": 0.15}
OF_TRAINING = {"train": 0.85, "validation": 0.15}


def divide(
    labels: Sequence[str], copies: Sequence[Hashable], shares: Mapping[str, float], seed: int
) -> list[str]:
    """Assign a split to each text, class by class; texts with equal ``copies`` stay together.

    Each of ``shares`` except the first gets its share of a class, rounded, and at least one text;
    the first gets the rest. No split lacks a class with at least as many distinct texts as there
    are splits. A smaller class is in the first split, and in as many others as it has texts left. A
    text with two labels counts under the label of its first copy. The result depends on the seed
    and the order of the texts.
    """
    groups: dict[Hashable, list[int]] = {}
    for position, key in enumerate(copies):
        if key in groups:
            groups[key].append(position)
        else:
            groups[key] = [position]  # preallocated: a grown list takes half as much memory again
    classes: dict[str, list[list[int]]] = defaultdict(list)
    for group in groups.values():
        classes[labels[group[0]]].append(group)
    names = [""] * len(labels)
    for label in sorted(classes):
        for group, name in _deal(classes[label], shares, seed, label):
            for position in group:
                names[position] = name
    return names


def with_validation(
    names: Sequence[str], labels: Sequence[str], copies: Sequence[Hashable], seed: int
) -> list[str]:
    """Move 15 % of the training texts to validation, as `divide` does; the other splits stay."""
    train = [place for place, name in enumerate(names) if name == "train"]
    parts = divide(
        [labels[place] for place in train], [copies[place] for place in train], OF_TRAINING, seed
    )
    named = list(names)
    for place, part in zip(train, parts, strict=True):
        named[place] = part
    return named


def connected(copies: Sequence[Hashable], groups: Sequence[str]) -> list[int]:
    """Number the connected components of texts that share a copy key or a group."""
    above = list(range(len(copies)))

    def root(place: int) -> int:
        while above[place] != place:
            above[place] = place = above[above[place]]
        return place

    first: dict[tuple[str, Hashable], int] = {}
    for place, (copy, group) in enumerate(zip(copies, groups, strict=True)):
        for key in (("copy", copy), ("group", group)) if group else (("copy", copy),):
            above[root(place)] = root(first.setdefault(key, place))
    return [root(place) for place in range(len(copies))]


def distinct(labels: Sequence[str], copies: Sequence[Hashable]) -> Counter[str]:
    """Count the distinct texts of each label; a text with two labels counts under its first."""
    first: dict[Hashable, str] = {}
    for label, key in zip(labels, copies, strict=True):
        first.setdefault(key, label)
    return Counter(first.values())


def _deal(
    groups: list[list[int]], shares: Mapping[str, float], seed: int, label: str
) -> list[tuple[list[int], str]]:
    """Assign the groups of one class, largest first, each to the split that lacks most texts."""
    shuffled = [
        groups[place] for place in Seeds(seed).generator("split", label).permutation(len(groups))
    ]
    lacks = _quotas(sum(map(len, groups)), shares)
    empty = list(shares)
    dealt: list[tuple[list[int], str]] = []
    for left, group in zip(
        range(len(groups), 0, -1), sorted(shuffled, key=len, reverse=True), strict=True
    ):
        # The last groups are reserved for splits that would stay empty.
        name = empty[0] if left <= len(empty) else max(shares, key=lacks.__getitem__)
        lacks[name] -= len(group)
        empty = [other for other in empty if other != name]
        dealt.append((group, name))
    return dealt


def _quotas(n: int, shares: Mapping[str, float]) -> dict[str, int]:
    first, *others = shares
    quotas = {name: max(1, round(shares[name] * n)) for name in others}
    return {first: n - sum(quotas.values())} | quotas
