"""A MIMIC-III of a few patients, as its two tables are published: every cell of text quoted, notes
of many lines.
"""

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

NOTE_COLUMNS = (
    "ROW_ID",
    "SUBJECT_ID",
    "HADM_ID",
    "CHARTDATE",
    "CHARTTIME",
    "STORETIME",
    "CATEGORY",
    "DESCRIPTION",
    "CGID",
    "ISERROR",
    "TEXT",
)
DIAGNOSIS_COLUMNS = ("ROW_ID", "SUBJECT_ID", "HADM_ID", "SEQ_NUM", "ICD9_CODE")
SUMMARY = (
    'Admission Date:  [**2151-7-{day}**]\n\nHe said "{word}", and\nwas sent home after {day} '
    "days.\n-------\nDr. [**Last Name (STitle) 7**]\n"
)
"""Text as notes have it: what hides who it is about, quotes, rules, line breaks."""


@dataclass(frozen=True)
class Note:
    """One row of NOTEEVENTS, as far as it matters here."""

    patient: int
    stay: int | str
    text: str
    category: str = "Discharge summary"
    description: str = "Report"
    date: str = "2151-07-20"
    error: str = ""


Codes = dict[tuple[int, int], Sequence[str]]
"""The codes of each admission of a patient."""


def notes_csv(notes: Iterable[Note], columns: Sequence[str] = NOTE_COLUMNS) -> str:
    """Write notes under a header; numbers and empty cells are not quoted, as published."""
    out = io.StringIO()
    csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n").writerow(columns)
    writer = csv.writer(out, lineterminator="\n")
    for row, one in enumerate(notes, start=1):
        cells = (
            row,
            one.patient,
            one.stay,
            one.date,
            "",
            "",
            one.category,
            one.description,
            "",
            one.error,
            one.text,
        )
        writer.writerow(
            dict(zip(NOTE_COLUMNS, cells, strict=True)).get(column.upper(), "x")
            for column in columns
        )
    return out.getvalue()


def diagnoses_csv(codes: Codes, columns: Sequence[str] = DIAGNOSIS_COLUMNS) -> str:
    """Write diagnoses under a header, one a row."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    rows = (
        (*stay, place, code)
        for stay, message in codes.items()
        for place, code in enumerate(message, start=1)
    )
    for row, cells in enumerate(rows, start=1):
        writer.writerow(
            dict(zip(DIAGNOSIS_COLUMNS, (row, *cells), strict=True)).get(column.upper(), "x")
            for column in columns
        )
    return out.getvalue()


def stays(patients: int = 12) -> list[tuple[int, int]]:
    """Give each patient two admissions, numbered as MIMIC-III does."""
    return [
        (patient, 100_000 + 10 * patient + visit)
        for patient in range(1, patients + 1)
        for visit in (1, 2)
    ]


def codes_of(patients: int = 12) -> Codes:
    """Give every second patient diabetes and acute anemia, and the others chronic anemia."""
    return {
        (patient, stay): ("4019", "25000", "2851") if patient % 2 else ("4019", "28521")
        for patient, stay in stays(patients)
    }


def notes_of(patients: int = 12) -> list[Note]:
    """Write a summary of each admission, and a nurse's note before it."""
    made = []
    for patient, stay in stays(patients):
        text = SUMMARY.format(day=stay % 100, word=("well", "sweet")[patient % 2])
        made += [
            Note(patient, stay, "Slept\nwell.", "Nursing/other"),
            Note(patient, stay, f"{text}No. {stay}"),
        ]
    return made


def mimic(notes: Iterable[Note] | None = None, codes: Codes | None = None) -> dict[str, str]:
    """Give both files of a small MIMIC-III."""
    return {
        "NOTEEVENTS.csv": notes_csv(notes_of() if notes is None else notes),
        "DIAGNOSES_ICD.csv": diagnoses_csv(codes_of() if codes is None else codes),
        "CHARTEVENTS.csv": "not read\n",
    }


def lists(patients: int = 12) -> dict[str, str]:
    """Give CAML's lists: patients in turn, their admissions together."""
    names = ("train", "train", "dev", "test")
    return {
        f"{split}_50_hadm_ids.csv": "".join(
            f"{stay}\n"
            for patient, stay in stays(patients)
            if names[(patient - 1) // 2 % 4] == split
        )
        for split in ("train", "dev", "test")
    }


def changed(place: int, **what: object) -> list[Note]:
    """Change one of the notes."""
    notes = notes_of()
    notes[place] = replace(notes[place], **what)
    return notes
