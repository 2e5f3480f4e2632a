"""What reading MIMIC-III takes: on a synthetic NOTEEVENTS.csv of its size and form, of which few
notes are kept.
Two million rows in four gigabytes, quoted, of many lines each; one in forty is a discharge summary
of 1,800 words.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gates import every, exactly
from large import VOCABULARY, Taken, row, run

ROWS, EACH = 2_000_000, 40
"""Rows, and the number of rows for each discharge summary."""
OTHERS, SUMMARY = 280, 1800
"""Words of other notes, and of a summary."""
LINE = 9
"""Words of a line."""
PARAGRAPH = 90
DRAWN = 400
"""Drawn texts; the other notes repeat them, and summaries are put together from their
paragraphs."""
TIMES, BARE = 4, 200 * 10**6
"""The memory that a kept summary may take, as a multiple of its bytes, above a process that reads
nothing."""
HEAD = (
    '"ROW_ID","SUBJECT_ID","HADM_ID","CHARTDATE","CHARTTIME","STORETIME","CATEGORY","DESCRIPTION","CGID","ISERROR",'
    '"TEXT"\n'
)


def notes(rows: int = ROWS) -> dict[str, Any]:
    """Read the notes for each task, and compare the cost with its limit."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        kept, size = write_mimic(folder, rows)
        found = list(_read(folder, rows, kept, size))
    return {
        "rows": [row(one) for one in found],
        "file_mib": size >> 20,
        "kept_mib": kept >> 20,
        "gates": [
            every(
                "notes: within the memory each may take",
                [one.bytes < one.most_bytes for one in found],
            ),
            every(
                "notes: within the time each may take",
                [one.seconds < one.most_seconds for one in found],
            ),
            exactly("notes: the file is above what a table may have", int(size > 2**31), 1),
        ],
    }


def _read(folder: Path, rows: int, kept: int, size: int) -> Iterator[Taken]:
    shares = {"diabetes": 1.0, "anemia": 0.5}
    for task, share in shares.items():
        most = round(BARE + TIMES * share * kept)
        what = f"check-data of mimic, {task}: {rows:,} notes, {size / 10**9:.1f} GB"
        yield Taken(what, *run(folder, "check-data", "--data", f"mimic:.(task={task})"), most)


def write_mimic(folder: Path, rows: int) -> tuple[int, int]:
    """Write both tables; return the bytes of all summaries, and of their notes."""
    drawn = random.Random(4)
    others = [_text(drawn, OTHERS) for _ in range(DRAWN)]
    paragraphs = [_text(drawn, PARAGRAPH) for _ in range(DRAWN)]
    kept = 0
    with (
        (folder / "NOTEEVENTS.csv").open("w", encoding="utf-8") as file,
        (folder / "DIAGNOSES_ICD.csv").open("w", encoding="utf-8") as codes,
    ):
        file.write(HEAD)
        codes.write('"ROW_ID","SUBJECT_ID","HADM_ID","SEQ_NUM","ICD9_CODE"\n')
        for number in range(rows):
            patient, stay, summary = (
                number // (2 * EACH),
                100_000 + number // EACH,
                number % EACH == 0,
            )
            text = (
                "\n\n".join(drawn.choices(paragraphs, k=SUMMARY // PARAGRAPH))
                if summary
                else drawn.choice(others)
            )
            kept += summary * len(text)
            what = "Discharge summary" if summary else "Nursing"
            file.write(
                f'{number + 1},{patient},{stay},2151-07-16,,,"{what}","Report",,,"No. '
                f'{number}\n{text}"\n'
            )
            if summary:
                _write_codes(codes, number, patient, stay)
    return kept, (folder / "NOTEEVENTS.csv").stat().st_size


def _write_codes(file: Any, row: int, patient: int, stay: int) -> None:
    """Give every third admission diabetes, one in four acute anemia, and one in four chronic
    anemia.
    """
    lines = [
        "4019",
        *["25000"] * (stay % 3 == 0),
        *["2851"] * (stay % 4 == 0),
        *["28521"] * (stay % 4 == 1),
    ]
    for place, code in enumerate(lines, start=1):
        file.write(f'{row},{patient},{stay},{place},"{code}"\n')


def _text(drawn: random.Random, words: int) -> str:
    """Draw words in lines, with the features of notes: a hidden name, a quote, a rule; quotes as
    CSV writes them.
    """
    chosen = [VOCABULARY[int(len(VOCABULARY) * drawn.random() ** 3)] for _ in range(words)]
    lines = [" ".join(chosen[start : start + LINE]) for start in range(0, words, LINE)]
    return "\n".join(['Dr. [**Last Name (STitle) 7**] said ""so"" at 8:30:', *lines, "-----"])
