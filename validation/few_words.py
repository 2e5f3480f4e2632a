"""Compare audits that leave out 64 words of each long text with audits that leave out all.

    python validation/few_words.py --out FILE [--words N] [--seeds N] [--only WORDS]
                                   [--candidates N]
    python validation/few_words.py --out FILE --table

Models are those of `known_cases` that are written in a few lines, with longer texts: what
each predicts by is known, and each changed text is run by itself. Each is audited by looks twice on
the same texts, with at most 64 words of a text left out one by one and removed
(docs/decisions/0121-fewer-runs.md), and with all of them. The counts are written to
`docs/verified/few_words.json`; those of other `--candidates` are printed alone
(docs/decisions/0129-a-verdict-within-a-budget.md). A case that the file has is not counted again.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from time import process_time
from typing import Any

import torch
import written
from checkout import ROOT
from json_lines import add_line, read_lines
from known_cases import CASES, Case

import sightline
from sightline._io.atomic_write import write_bytes
from sightline.audits import look_measures

WRITTEN = ROOT / "docs" / "verified" / "few_words.json"
ALL = "all words"
TEXTS, CANDIDATES = 150, look_measures.CANDIDATES
OTHERS = (
    "length alone decides",
    "right on short texts alone",
    "lies behind the model",
    "BiLSTM",
    "demo",
)
"""Cases that are about the number of words, or that are trained: such models find deletions from
what texts share."""


def cases(only: str) -> Iterator[Case]:
    """Give the cases whose texts can be made longer."""
    for case in CASES:
        name = f"{case.kind} {case.name}"
        if only in name and not any(other in name for other in OTHERS):
            yield case


def lengthen(words: int) -> None:
    """Let all texts that are written from now on have so many words."""
    made = written.Texts.made

    def longer(texts: written.Texts, seed: int) -> Any:
        few = min(texts.n, 6 * TEXTS)
        return made(replace(texts, length=words, shorter=0, n=few), seed)

    written.Texts.made = longer  # type: ignore[method-assign]  # a script of its own


def audited(case: Case, seed: int, words: int) -> dict[str, Any]:
    """Audit a case by looks, with at most so many words of a text left out."""
    look_measures.CANDIDATES = words
    model, texts, others = case.make(seed)
    began = process_time()
    audit = sightline.audit(model, texts, seed=seed, max_texts=TEXTS, **others)
    return {
        "row": audit.verdict.row,
        "by_class": {of: one.row for of, one in audit.verdict.by_class.items()},
        "texts": len(audit.texts),
        "results": {one.code: one.result for one in audit.findings},
        "scores": {
            one.code: [
                round(value, 4) for value in (one.score.value, one.score.low, one.score.high)
            ]
            for one in audit.findings
            if one.score is not None
        },
        "cpu": round(process_time() - began, 1),
    }


def main() -> int:
    """Count what is missing, or write the file of the documentation."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, required=True, help="a file of JSON lines")
    parser.add_argument("--words", type=int, default=150, help="the length of a text")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--candidates", type=int, default=CANDIDATES)
    parser.add_argument("--only", default="")
    parser.add_argument("--table", action="store_true", help="read the file alone")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    lengthen(asked.words)
    few = f"{asked.candidates} words"
    rows = read_lines(asked.out)
    done = {(row["name"], row["seed"]) for row in rows}
    planned = [(case, seed) for seed in range(asked.seeds) for case in cases(asked.only)]
    for case, seed in () if asked.table else planned:
        if (case.name, seed) in done:
            continue
        try:
            audits = {few: audited(case, seed, asked.candidates), ALL: audited(case, seed, 10**9)}
        except sightline.core.errors.SightlineError as error:  # some fail checks on long texts
            print(f"{case.name}: {error}", file=sys.stderr)
            continue
        row = {
            "kind": case.kind,
            "name": case.name,
            "seed": seed,
            "words": asked.words,
            "right": case.right,
            "classes": case.classes,
            **audits,
        }
        add_line(asked.out, row)
        print(line(row, few), flush=True)
    if not asked.table or asked.candidates != CANDIDATES:
        return 0
    found = {"planned": len(planned), "rows": rows}
    write_bytes(WRITTEN, f"{json.dumps(found, indent=1, ensure_ascii=False)}\n".encode())
    return 0


def line(row: dict[str, Any], how: str) -> str:
    """Give the rows of both audits of one case."""
    few, every = row[how], row[ALL]
    same = "same" if (few["row"], few["by_class"]) == (every["row"], every["by_class"]) else "OTHER"
    return (
        f"{same:5} {row['name']}, {row['seed']}: {few['row']} {few['by_class']} {few['cpu']} s; "
        f"{every['row']} {every['by_class']} {every['cpu']} s"
    )


if __name__ == "__main__":
    sys.exit(main())
