"""Tables with columns of texts, labels, splits, evidence and queries to a `Dataset`: nothing is dropped silently."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sightline.data.dataset import SPLITS, Dataset, Split, count_copies, make_card
from sightline.data.sources.columns import Entry, find_columns, read_entry
from sightline.data.sources.rows import read_sheet
from sightline.data.splitting import SHARES, distinct, divide, with_validation
from sightline.errors import DataError, SpecError
from sightline.spec.values import TABLES, DataSpec
from sightline.types import Example

_NUMBER = re.compile(r"[-+]?[0-9]{1,300}(\.[0-9]+)?")
NO_WORDS, NO_QUERY = "no words in the text", "no words in the query"
EMPTY, NOT_IN_TRAINING = "empty row", "label not in training"


def load_table(spec: DataSpec, seed: int) -> Dataset:
    """Read a CSV, TSV or JSONL file, plain or gzipped, into splits.

    Where a split column names training and test texts, it is followed, and 15 % of training becomes validation if
    the column names none; without one, texts are divided 70/15/15, class by class, copies of a text together.
    Labels are those of training, sorted by name, or by value where all are numbers. Where the spec names a column of
    queries, a text is a copy of another only if its query is, too.

    The card counts what was dropped (``dropped``, by reason), texts cut to ``max_tokens`` (``truncated``), copies
    within a split (``duplicates``), texts whose words carry two labels (``conflicting_labels``), labels that only
    evaluation texts have (``labels_not_in_training``), and evaluation texts with the words of a training text
    (``same_words_as_training``; with queries, ``text_in_training`` counts those whose text alone training has, under
    whatever query).
    """
    if spec.kind not in TABLES:
        raise SpecError(f"{spec}: expected a table, got a {'planted' if spec.part else 'published'} corpus")
    if spec.max_tokens < 1:
        raise SpecError(f"max_tokens: expected at least 1, got {spec.max_tokens}")
    sheet = read_sheet(spec.path, spec.kind)
    columns = find_columns(spec, sheet)
    read = [read_entry(sheet.file, row, columns, spec.max_tokens) for row in sheet.rows]
    asked = [entry for entry in read if entry.tokens]
    entries = [entry for entry in asked if entry.query != ()]
    _check_classes(sheet.file, entries)
    names, notes = _split_names(sheet.file, entries, seed)
    label_names = _sorted_labels({entry.label for entry, name in zip(entries, names, strict=True) if name == "train"})
    splits = _build(spec.path, entries, names, label_names)
    _check_splits(sheet.file, splits, label_names)
    unseen = Counter(entry.label for entry in entries if entry.label not in label_names)
    reasons = {NO_WORDS: len(read) - len(asked), NO_QUERY: len(asked) - len(entries), EMPTY: sheet.blank}
    reasons |= {NOT_IN_TRAINING: sum(unseen.values())}
    card = make_card(
        splits,
        label_names,
        source=str(spec),
        dropped={reason: count for reason, count in reasons.items() if count},
        truncated=sum(entry.truncated for entry in entries if entry.label in label_names),
        notes=notes,
        columns=asdict(columns),
        labels_not_in_training=dict(sorted(unseen.items())),
        **_counts(splits),
    )
    return Dataset(Path(spec.path).name, **splits, label_names=label_names, card=card)


def _check_classes(file: str, entries: Sequence[Entry]) -> None:
    if not entries:
        raise DataError("no text has any words; are --text and --query the right columns?", file)
    if len(labels := {entry.label for entry in entries}) == 1:
        raise DataError(
            f"expected at least two labels, got only {_short(labels.pop())}; is --label the right column?", file
        )


def _split_names(file: str, entries: Sequence[Entry], seed: int) -> tuple[list[str], list[str]]:
    """Name the split of each entry, and say in notes how that was decided."""
    labels, copies = [entry.label for entry in entries], [entry.words for entry in entries]
    if entries[0].split is None:
        _check_divisible(file, labels, copies)
        note = f"no split column: divided 70/15/15 by seed {seed}, class by class, copies of a text together"
        return divide(labels, copies, SHARES, seed), [note]
    names = [str(entry.split) for entry in entries]
    for needed in ("train", "test"):
        if needed not in names:
            raise DataError(f"no text is in {needed}; name some, or leave the split column out", file)
    _check_overlap(file, entries)
    if "validation" in names:
        return names, ["splits as the split column names them"]
    names = with_validation(names, labels, copies, seed)
    return names, [f"no validation texts named: 15 % of training, class by class, by seed {seed}"]


def _check_divisible(file: str, labels: Sequence[str], copies: Sequence[Hashable]) -> None:
    """Ask for a text of each class in each split before dividing."""
    counts = distinct(labels, copies)
    rare = sorted({label for label in labels if counts[label] < len(SPLITS)})
    if rare:
        others = f" (and {len(rare) - 1} more labels)" if len(rare) > 1 else ""
        raise DataError(
            f"label {_short(rare[0])}{others} has {counts[rare[0]]} different texts; at least {len(SPLITS)} are "
            "needed to divide them into training, validation and test: add texts, drop the label, name the splits "
            "in a column (--split), or check that --label is the right column",
            file,
        )


def _check_overlap(file: str, entries: Sequence[Entry]) -> None:
    """Refuse a text that stands in two splits: what is learned by heart in one would count as skill in the other."""
    first: dict[object, Entry] = {}
    for entry in entries:
        other = first.setdefault((entry.text.strip(), entry.query), entry)
        if other.split != entry.split:
            raise DataError(
                f"the same text is in {other.split} at {file}:{other.line} and in {entry.split} here; "
                "keep it in one split",
                file,
                entry.line,
            )


def _sorted_labels(labels: Iterable[str]) -> tuple[str, ...]:
    names = sorted(labels)
    if all(_NUMBER.fullmatch(name) for name in names):
        names.sort(key=float)
    return tuple(names)


def _build(path: str, entries: Sequence[Entry], names: Sequence[str], label_names: Sequence[str]) -> dict[str, Split]:
    """Make examples of the entries whose label training has, in their order in the file."""
    numbers = {name: number for number, name in enumerate(label_names)}
    splits: dict[str, list[Example]] = {name: [] for name in SPLITS}
    known = [(entry, name) for entry, name in zip(entries, names, strict=True) if entry.label in numbers]
    for index, (entry, name) in enumerate(known):
        example = Example(
            id=f"{Path(path).name}:{entry.line}",
            index=index,
            text=entry.text,
            tokens=entry.tokens,
            offsets=entry.offsets,
            label=numbers[entry.label],
            query=entry.query,
            rationale=entry.rationale,
            source=(path, entry.line),
        )
        splits[name].append(example)
    return {name: tuple(examples) for name, examples in splits.items()}


def _check_splits(file: str, splits: Mapping[str, Split], label_names: Sequence[str]) -> None:
    if len(label_names) < 2:
        raise DataError(f"expected at least two labels in training, got only {_short(label_names[0])}", file)
    for name, split in splits.items():
        if not split:
            raise DataError(
                f"no text is left in {name}: its texts have no words, or labels that training lacks; add texts", file
            )


def _counts(splits: Mapping[str, Split]) -> dict[str, Any]:
    """Count copies and evidence and, where there are queries, texts that training has under any query."""
    texts = [(name, example) for name, split in splits.items() for example in split]
    counts = count_copies((name, (one.tokens, one.query), one.label) for name, one in texts)
    counts["rationales"] = sum(one.rationale is not None for _, one in texts)
    if texts[0][1].query is not None:
        seen = {one.tokens for one in splits["train"]}
        counts["text_in_training"] = {name: sum(one.tokens in seen for one in splits[name]) for name in SPLITS[1:]}
    return counts


def _short(label: str) -> str:
    return repr(label if len(label) <= 40 else label[:40] + "…")
