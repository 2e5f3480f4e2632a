"""Examples written as an ERASER corpus (DeYoung et al. 2020), for the tools that read one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from sightline.data.official.eraser import SPLITS
from sightline.errors import StoreError
from sightline.files import write_whole
from sightline.types import Example


def write_eraser(
    splits: Mapping[str, Sequence[Example]], label_names: Sequence[str], folder: str | Path, query: str = ""
) -> Path:
    """Write examples as an ERASER corpus: each run of marked words becomes one group of evidence.

    Guarantees that `sightline.data.official.eraser.read` gives back words, classes, splits and marks (no mark at all
    is read as none known); words are written as the text has them. The folder must be new, and appears whole.
    """
    if Path(folder).exists():
        raise StoreError(f"{folder}: exists; name a new folder for the corpus")
    return write_whole(folder, lambda aside: _write(splits, label_names, aside, query))


def _write(splits: Mapping[str, Sequence[Example]], label_names: Sequence[str], root: Path, query: str) -> None:
    (root / "docs").mkdir(parents=True)
    for file, split in SPLITS.items():
        with (root / file).open("w", encoding="utf-8") as lines:
            for example in splits[split]:
                document = re.sub(r"[^\w.-]", "_", example.id) + f".{example.index}"
                words = [example.text[start:end] for start, end in example.offsets]
                (root / "docs" / document).write_text(" ".join(words), encoding="utf-8")
                item = {
                    "annotation_id": document,
                    "classification": label_names[example.label],
                    "evidences": list(_evidences(example, document, words)),
                    "query": query,
                }
                lines.write(json.dumps(item, ensure_ascii=False) + "\n")


def _evidences(example: Example, document: str, words: Sequence[str]) -> Iterator[list[dict[str, Any]]]:
    places = enumerate(example.rationale or ())
    for marked, run in groupby(places, key=lambda pair: pair[1]):
        if marked:
            inside = [place for place, _ in run]
            span = {"docid": document, "start_token": inside[0], "end_token": inside[-1] + 1}
            yield [span | {"text": " ".join(words[inside[0] : inside[-1] + 1])}]
