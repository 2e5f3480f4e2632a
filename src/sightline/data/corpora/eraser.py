"""ERASER: tokenised documents, each with a class and the spans that support it.

DeYoung et al. 2020; written for its movie reviews (Zaidan & Eisner 2008). Files: ``train.jsonl``,
``val.jsonl``, ``test.jsonl`` and ``docs/DOCUMENT``. The constant question about a review is
dropped.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from sightline.core.errors import DataError
from sightline.data.assembly.corpus import Corpus, Text
from sightline.data.assembly.corpus_format import Format, Recipe
from sightline.data.assembly.corpus_tokeniser import WordCutter
from sightline.data.corpora.corpus_files import base, check_complete, found_files
from sightline.data.readers.archives import FileFilter
from sightline.data.readers.csv_jsonl import read_objects

SPLITS = {"train.jsonl": "train", "val.jsonl": "validation", "test.jsonl": "test"}
PUBLISHED = {"train": 1_600, "validation": 200, "test": 199}
EXPECTED = "train.jsonl, val.jsonl, test.jsonl and the folder docs of an ERASER corpus"
NO_WORDS = "no words in the document"
_DOCUMENT = re.compile(r"(?:^|/)docs/(?P<id>[^/]+)$")
Note = tuple[str, str, str, int, dict[str, Any]]  # split, document, file, line, annotation


def wanted(options: Mapping[str, Any]) -> FileFilter:
    """Select the files to read."""
    return lambda name: base(name) in SPLITS or _DOCUMENT.search(name) is not None


def read(path: str, options: Mapping[str, Any], recipe: Recipe) -> Corpus:
    """Read annotations and documents, in any order, and join them."""
    cutter, documents, notes = WordCutter(), dict[str, Any](), list[Note]()
    files = []
    for file in found_files(path, wanted(options), EXPECTED):
        if match := _DOCUMENT.search(file.name):
            documents[match["id"]] = cutter.join(file.text().split())
            continue
        files.append(base(file.name))
        split = SPLITS[files[-1]]
        notes += [
            (split, _document(item, file.shown, line), file.shown, line, item)
            for line, item in read_objects(file)
        ]
    check_complete(path, SPLITS, files, EXPECTED)
    labels = tuple(
        sorted({str(item["classification"]) for split, _, _, _, item in notes if split == "train"})
    )
    texts = [
        _text(note, documents, labels)
        for split in SPLITS.values()
        for note in notes
        if note[0] == split
    ]
    kept = tuple(text for text in texts if text.tokens)
    return Corpus(
        kept, labels, Counter(n[0] for n in notes), PUBLISHED, {NO_WORDS: len(texts) - len(kept)}
    )


def _document(item: Mapping[str, Any], file: str, line: int) -> str:
    """Name the one document of an annotation."""
    evidences, label = item.get("evidences"), item.get("classification")
    if (
        not isinstance(evidences, list)
        or not isinstance(label, str)
        or not isinstance(item.get("annotation_id"), str)
    ):
        raise DataError(
            "expected annotation_id, classification and evidences, as ERASER has them", file, line
        )
    spans = _spans(evidences)
    if not all(isinstance(span, dict) and isinstance(span.get("docid"), str) for span in spans):
        raise DataError(
            "expected evidences as a list of groups of spans, each with a docid", file, line
        )
    named = {span["docid"] for span in spans} or {item["annotation_id"]}
    if len(named) > 1:
        raise DataError(
            f"expected evidence in one document, got {len(named)}; such a corpus cannot be read",
            file,
            line,
        )
    return str(named.pop())


def _spans(evidences: Sequence[Any]) -> list[Any]:
    """List the spans of all groups; a span may stand without a group."""
    return [span for group in evidences for span in (group if isinstance(group, list) else [group])]


def _text(note: Note, documents: Mapping[str, Any], labels: Sequence[str]) -> Text:
    split, document, file, line, item = note
    if document not in documents:
        raise DataError(f"there is no document {document!r} in docs", file, line)
    if item["classification"] not in labels:
        raise DataError(
            f"the class {item['classification'][:30]!r} is not one of training", file, line
        )
    text, tokens, offsets = documents[document]
    marks = [False] * len(tokens)
    for span in _spans(item["evidences"]):
        start, end = span.get("start_token"), span.get("end_token")
        if type(start) is not int or type(end) is not int or not 0 <= start <= end <= len(tokens):
            found = f"{str(start)[:20]} to {str(end)[:20]}"
            raise DataError(
                f"expected a span within the {len(tokens)} words of {document}, got {found}",
                file,
                line,
            )
        marks[start:end] = [True] * (end - start)
    label = labels.index(item["classification"])
    rationale = tuple(marks) if item["evidences"] else None
    return Text(
        f"eraser/{item['annotation_id']}",
        split,
        label,
        text,
        tokens,
        offsets,
        file,
        line,
        None,
        rationale,
    )


FORMAT = Format(
    wanted=wanted,
    read=read,
    paper=None,
)
