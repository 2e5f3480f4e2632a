"""Numbers the labels of data as the model numbers its classes.

A label matches a class by the first of these rules that holds: a label map names it; it is the name
of a class; all labels are class indices; it is the name of a class except for case, blanks and the
decimals of a whole number. The data card records how a label was read if it is not a class name as
written. If no rule holds, an error lists both sides.
"""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import chain
from typing import Any

from sightline.config.label_map import READ_AS, read_label_map, written_label_map
from sightline.config.spec_syntax import BY_CONFIG
from sightline.core.error_excerpts import left_out, list_names, list_values, show, show_name
from sightline.core.errors import DataError, SpecError, setting
from sightline.core.example import Example
from sightline.core.protocols import Auditable
from sightline.data.dataset import Dataset, read_set

_WHOLE = re.compile(r"([0-9]{1,18})(\.0{1,18})?")
_NUMBERED = re.compile(r"\b[0-9]+\b")
_SAFE = re.compile(r"[\w =,.+-]*")
_SHOWN = 10
NUMBERS, _NAMES = "class indices", "names of classes, whatever their case, blanks and decimals"
_FIELD = "label_map"
_OR_LESS = "or leave these texts out of the data"


@dataclass(frozen=True)
class MatchedLabels:
    """The class of each label, and how it was found; the description is empty if every label is the
    name of its class.
    """

    classes: Mapping[str, str]
    how: str = ""


@dataclass(frozen=True)
class LabelTexts:
    """The number of texts of a label, and where the first of them stands, if known."""

    n: int = 0
    first: str = ""

    def __str__(self) -> str:
        counted = f"{self.n:,} text{'s' if self.n > 1 else ''}" if self.n else ""
        at = f"the first at {self.first}" if self.n > 1 and self.first else self.first
        return ", ".join(filter(None, (counted, at)))


LabelMap = Mapping[Any, str] | str
"""The class of each label; or the same mapping as text (`sightline.config.label_map`)."""


def numbered_for(
    dataset: Dataset, names: Sequence[str], label_map: LabelMap | None = None
) -> Dataset:
    """Number labels and candidates as the model does; an unknown label is an error."""
    if tuple(names) == dataset.label_names and not label_map:
        return dataset
    if dataset.several:
        raise DataError(
            f"{dataset.name}: expected one label for each text, got several, and the model "
            f"predicts one of {list_names(names)}; load the data without {setting('labels_sep')}; or, "
            f"{BY_CONFIG}"
        )
    matching = match_labels(
        dataset.name, dataset.label_names, names, as_read(label_map or {}), texts_by_label(dataset)
    )
    numbers = [tuple(names).index(matching.classes[label]) for label in dataset.label_names]
    train, validation, test = (
        tuple(_renumbered(example, numbers) for example in split)
        for split in dataset.splits.values()
    )
    card = _said(dataset, matching, names) if matching.how else dataset.card
    return replace(
        dataset,
        label_names=tuple(names),
        train=train,
        validation=validation,
        test=test,
        card=card,
        first_rows={},
    )


def numbered_for_model(
    dataset: Dataset, model: Auditable, label_map: LabelMap | None = None
) -> Dataset:
    """Number labels as the model names its classes; a model without names takes them in the order
    of the data.
    """
    if model.labels is not None:
        return numbered_for(dataset, model.labels, label_map)
    if label_map:
        message = f"{model.name} does not name its classes, so there is nothing to map labels onto"
        raise SpecError(f"{message}; give it labels, as sightline.wrap takes them", field=_FIELD)
    return dataset


def texts_by_label(dataset: Dataset) -> dict[str, LabelTexts]:
    """Count the texts of each label as it was read, and find the row of the first one."""
    numbers = Counter(example.label for example in chain(*dataset.splits.values()))
    counts, rows = Counter[str](), dict[str, tuple[str, int]]()
    for number, name in enumerate(dataset.label_names):
        row = dataset.first_rows.get(name)
        for label in read_set(name) if dataset.several else (name,):
            counts[label] += numbers[number]
            if row is not None:
                rows[label] = min(row, rows.get(label, row))
    places = {label: f"{file}:{line}" for label, (file, line) in rows.items()}
    return {label: LabelTexts(n, places.get(label, "")) for label, n in counts.items()}


def as_read(label_map: LabelMap) -> dict[str, str]:
    """Write the labels of a map as tables do: 0 and True become ``0`` and ``true``."""
    if isinstance(label_map, str):
        return read_label_map(label_map)
    return {
        str(label).lower() if isinstance(label, bool) else str(label): name
        for label, name in label_map.items()
    }


def match_labels(
    data: str,
    labels: Sequence[str],
    names: Sequence[str],
    label_map: Mapping[str, str],
    texts: Mapping[str, LabelTexts] | None = None,
) -> MatchedLabels:
    """Find the class of each label; see the module for the rules.

    ``texts`` are those of each label, which an error counts: a label of one text may be a typo.
    """
    if label_map:
        return _mapped(data, labels, names, label_map, texts or {})
    if set(labels) <= set(names):
        return MatchedLabels({label: label for label in labels})
    if (numbers := _numbers(labels, names)) is not None:
        return _apart(data, names, MatchedLabels(numbers, NUMBERS))
    classes = {label: _named(label, names) for label in labels}
    if unknown := [label for label, name in classes.items() if name not in names]:
        raise _unknown(data, labels, names, unknown, texts or {})
    return _apart(data, names, MatchedLabels(classes, _NAMES))


def _mapped(
    data: str,
    labels: Sequence[str],
    names: Sequence[str],
    label_map: Mapping[str, str],
    texts: Mapping[str, LabelTexts],
) -> MatchedLabels:
    """Apply a map, which may give several labels the same class; labels that it leaves out must be
    class names, whatever their case, blanks and decimals.
    """
    if stray := [label for label in label_map if label not in labels]:
        raise SpecError(
            f"{data} has no label {show_name(stray[0])}; it has {_list_labels(labels, names)}",
            field=_FIELD,
        )
    label_map = {label: _named(name, names) for label, name in label_map.items()}
    if stray := [name for name in label_map.values() if name not in names]:
        raise SpecError(
            f"the model has no class {show_name(stray[0])}; it has {list_names(names)}",
            field=_FIELD,
        )
    classes = {label: label_map.get(label) or _named(label, names) for label in labels}
    if stray := [label for label in labels if classes[label] not in names]:
        message = (
            f"the map leaves out {_counted_labels(stray, texts)}, and the model has no class of "
            "that name"
        )
        raise SpecError(
            f"{message}; name every label of {data}: {map_advice(labels, names, label_map)}, {_OR_LESS}",
            field=_FIELD,
        )
    return MatchedLabels(
        classes,
        "" if all(label == name for label, name in classes.items()) else "the label map says",
    )


def _named(name: str, names: Sequence[str]) -> str:
    """Give the class of this name, or the only one that equals it except for case, blanks and
    decimals; without any, the name itself.
    """
    alike = [one for one in names if _folded(one) == _folded(name)]
    return alike[0] if name not in names and len(alike) == 1 else name


def _numbers(labels: Sequence[str], names: Sequence[str]) -> dict[str, str] | None:
    """Read labels as class indices from 0, if all can be and no class name contains a number of its
    own.

    Labels 1 to 4 for the classes ``1 star`` to ``5 stars`` are no indices; ``LABEL_1`` has no
    number of its own.
    """
    whole = {label: match for label in labels if (match := _WHOLE.fullmatch(label))}
    if len(whole) < len(labels) or any(_NUMBERED.search(name) for name in names):
        return None
    numbers = {label: int(match[1]) for label, match in whole.items()}
    return (
        {label: names[n] for label, n in numbers.items()}
        if max(numbers.values()) < len(names)
        else None
    )


def _folded(label: str) -> str:
    """Write a label without what tables change: its case, blanks around it, and the decimals of
    whole numbers.
    """
    plain = label.strip().casefold()
    match = _WHOLE.fullmatch(plain)
    return str(int(match[1])) if match else plain


def _apart(data: str, names: Sequence[str], matching: MatchedLabels) -> MatchedLabels:
    """Raise an error if two labels would become one class without a label map."""
    first: dict[str, str] = {}
    for label, name in matching.classes.items():
        if (other := first.setdefault(name, label)) != label:
            message = (
                f"{data}: the labels {show(other)} and {show(label)} would both be the class "
                f"{show_name(name)}"
            )
            raise DataError(
                f"{message}; if they are, say so with "
                f"{map_advice([other, label], names, matching.classes)}"
            )
    return matching


def _unknown(
    data: str,
    labels: Sequence[str],
    names: Sequence[str],
    unknown: Sequence[str],
    texts: Mapping[str, LabelTexts],
) -> DataError:
    """Make an error that lists both sides, with a map to complete."""
    message = (
        f"{data}: the model has no class for {_counted_labels(unknown, texts)}; the data have "
        f"{_list_labels(labels, names)}"
    )
    message += f", the model has the classes {list_names(names)}"
    return DataError(
        f"{message}; say which is which with {map_advice(labels, names, {})}, {_OR_LESS}"
    )


def _counted_labels(labels: Sequence[str], texts: Mapping[str, LabelTexts]) -> str:
    """List labels with the number of their texts and the place of the first, if these are known: a
    label that is not shown can be found by its place.
    """

    def counted(label: str) -> str:
        about = str(texts.get(label, ""))
        return f"{show(label)} ({about})" if about else show(label)

    return list_names([counted(label) for label in labels], str)


def _list_labels(labels: Sequence[str], names: Sequence[str]) -> str:
    """List the labels of the data; where labels are not shown, name the classes of the model and
    count the others.
    """
    known = [label for label in labels if label in names or not left_out()]
    others = [label for label in labels if label not in known]
    shown = f"the label{'s' * (len(known) > 1)} {list_names(known)}" if known else ""
    hidden = list_values("label", others) if others else ""
    return " and ".join(filter(None, (shown, hidden)))


def map_advice(labels: Sequence[str], names: Sequence[str], known: Mapping[str, str]) -> str:
    """Write a map to complete: each unmatched label with the class it resembles, or with CLASS."""
    if left_out():
        return setting(_FIELD, '"LABEL=CLASS"')
    unnamed = [label for label in labels if label not in names] or labels
    text = written_label_map(
        {label: known.get(label) or _like(label, names) for label in unnamed[:_SHOWN]}
    )
    more = f" (and {len(unnamed) - _SHOWN:,} more)" if len(unnamed) > _SHOWN else ""
    return setting(_FIELD, f'"{text}"' if _SAFE.fullmatch(text) else shlex.quote(text)) + more


def _like(label: str, names: Sequence[str]) -> str:
    """Find the one class that a label abbreviates or nearly spells."""
    written, folded = _folded(label), {_folded(name): name for name in names}
    begins = [
        name
        for plain, name in folded.items()
        if plain and (plain.startswith(written) or written.startswith(plain))
    ]
    near = begins or [folded[one] for one in get_close_matches(written, folded, n=2, cutoff=0.8)]
    return near[0] if len(near) == 1 else "CLASS"


def how_read(matching: MatchedLabels) -> str:
    """Write the note that pairs each label with its class, where a label is no class name."""
    changed = {label: name for label, name in matching.classes.items() if label != name}
    message = f"labels {list_names([*changed], str)} {READ_AS} {matching.how}"
    return f"{message}: {list_names([f'{label} = {name}' for label, name in changed.items()], str)}"


def _said(dataset: Dataset, matching: MatchedLabels, names: Sequence[str]) -> dict[str, Any]:
    """Record on the card the class of each label, and count its texts under it."""
    card = dict(dataset.card)
    card["notes"] = [*card.get("notes", ()), how_read(matching)]
    card["labels_read"] = dict(matching.classes)
    card["splits"] = {
        split: about | {"labels": _counted(about.get("labels", {}), matching, names)}
        for split, about in card.get("splits", {}).items()
    }
    return card


def _counted(
    counts: Mapping[str, int], matching: MatchedLabels, names: Sequence[str]
) -> dict[str, int]:
    under = {label: matching.classes.get(label, label) for label in counts}
    return {name: sum(n for label, n in counts.items() if under[label] == name) for name in names}


def _renumbered(example: Example, numbers: Sequence[int]) -> Example:
    candidates = example.candidates and tuple(
        dict.fromkeys(numbers[candidate] for candidate in example.candidates)
    )
    return replace(example, label=numbers[example.label], candidates=candidates)
