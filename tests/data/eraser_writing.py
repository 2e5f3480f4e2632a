"""Examples written as an ERASER corpus (DeYoung et al. 2020), to be read again."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from sightline.core.example import Example
from sightline.data.corpora.eraser import SPLITS


def write_eraser(
    splits: Mapping[str, Sequence[Example]], label_names: Sequence[str], root: Path
) -> Path:
    """Write examples, words as their text has them; each run of marked words becomes one group of
    evidence.
    """
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
                    "query": "",
                }
                lines.write(json.dumps(item, ensure_ascii=False) + "\n")
    return root


def _evidences(
    example: Example, document: str, words: Sequence[str]
) -> Iterator[list[dict[str, Any]]]:
    places = enumerate(example.rationale or ())
    for marked, run in groupby(places, key=lambda pair: pair[1]):
        if marked:
            inside = [place for place, _ in run]
            span = {"docid": document, "start_token": inside[0], "end_token": inside[-1] + 1}
            yield [span | {"text": " ".join(words[inside[0] : inside[-1] + 1])}]
