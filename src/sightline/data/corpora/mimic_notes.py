"""Read MIMIC-III's ``NOTEEVENTS.csv``, four gigabytes, keeping only the needed discharge summaries."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from sightline._io.limits import LINE, NOTES
from sightline.core.errors import DataError
from sightline.data.corpora.corpus_files import AGAIN, found_files
from sightline.data.corpora.csv_columns import read_columns, read_number
from sightline.data.corpora.mimic_diagnoses import EXPECTED, Admissions, check_patient
from sightline.data.read_progress import report_progress
from sightline.data.readers.archives import File
from sightline.data.readers.csv_jsonl import long_fields

NOTEEVENTS = re.compile(r"(?:^|/)NOTEEVENTS\.csv$", re.IGNORECASE)
OFFICIAL_NOTES = 2_083_180
NO_ADMISSION, NO_DIAGNOSIS = (
    "summary of no admission",
    "summary of an admission without a diagnosis",
)
IN_ERROR, NOT_LISTED = (
    "summary that is marked as an error",
    "summary of an admission that is not listed",
)
_COLUMNS = (
    "ROW_ID",
    "SUBJECT_ID",
    "HADM_ID",
    "CHARTDATE",
    "CATEGORY",
    "DESCRIPTION",
    "ISERROR",
    "TEXT",
)
_KIND = "discharge summary"
_OFTEN = 2**14


@dataclass(frozen=True, slots=True)
class Note:
    """A discharge summary or an addendum, with its first line number."""

    addendum: bool
    date: str
    line: int
    text: str


@dataclass(frozen=True)
class Summaries:
    """The notes kept, by admission, with counts of all notes, of summaries, and of what was left
    out.
    """

    shown: str
    of: dict[int, list[Note]]
    found: Counter[str]
    dropped: Counter[str]


@dataclass
class _Reading:
    """The state of reading a file, note by note."""

    file: File
    admissions: Admissions
    listed: Mapping[int, str] | None
    of: dict[int, list[Note]] = field(default_factory=dict)
    without_label: set[int] = field(default_factory=set)
    found: Counter[str] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)
    rows: set[int] = field(default_factory=set)
    letters: int = 0

    def read(self) -> Summaries:
        """Read the whole file."""
        # An unclosed quote would turn the rest of the file into one text.
        with long_fields(LINE.most):
            for line, cells in read_columns(self.file, _COLUMNS):
                self.found["notes"] += 1
                self._tell()
                if cells[4].strip().casefold() == _KIND:
                    self.found["discharge summaries"] += 1
                    self._take(line, *cells)
        for stay in self.without_label:
            self.dropped[str(self.admissions.outcomes[stay])] += 1
        return Summaries(self.file.shown, self.of, self.found, self.dropped)

    def _tell(self) -> None:
        if (n := self.found["notes"]) % _OFTEN == 0:
            report_progress("reading notes", min(n, OFFICIAL_NOTES), OFFICIAL_NOTES)

    def _take(
        self,
        line: int,
        row: str,
        patient: str,
        stay: str,
        date: str,
        _: str,
        what: str,
        error: str,
        text: str,
    ) -> None:
        self._check_row(line, row)
        if why := self._left_out(line, stay, error):
            self.dropped[why] += 1
            return
        number, who = int(stay), read_number(self.file, line, "SUBJECT_ID", patient)
        check_patient(self.admissions.patients[number], who, number, self.file.shown, line)
        if isinstance(self.admissions.outcomes[number], str):
            self.without_label.add(number)
            return
        self.letters += len(text)
        if self.letters > NOTES.now:
            raise DataError(NOTES.passed(), self.file.shown, line)
        note = Note(what.strip().casefold() == "addendum", date, line, text)
        self.of.setdefault(number, []).append(note)

    def _check_row(self, line: int, row: str) -> None:
        """Refuse a repeated summary, which would double the text of its admission."""
        number = read_number(self.file, line, "ROW_ID", row)
        if number in self.rows:
            raise DataError(
                f"there is a second note with the ROW_ID {number}; {AGAIN}", self.file.shown, line
            )
        self.rows.add(number)

    def _left_out(self, line: int, stay: str, error: str) -> str:
        """Explain why a summary is left out, whatever its admission's label."""
        if error.strip():
            return IN_ERROR
        if not stay.strip():
            return NO_ADMISSION
        number = read_number(self.file, line, "HADM_ID", stay)
        if number not in self.admissions.outcomes:
            return NO_DIAGNOSIS
        return NOT_LISTED if self.listed is not None and number not in self.listed else ""


def read_summaries(
    path: str, admissions: Admissions, listed: Mapping[int, str] | None
) -> Summaries:
    """Read the summaries of labelled admissions, restricted to the lists if there are any."""
    read: list[Summaries] = []
    for file in found_files(
        path, lambda name: NOTEEVENTS.search(name) is not None, EXPECTED, largest=None
    ):
        if read:
            raise DataError(
                "there is a second table of notes; name the folder of one MIMIC-III", file.shown
            )
        read.append(_Reading(file, admissions, listed).read())
    if not read[0].found["discharge summaries"]:
        message = (
            f"got {read[0].found['notes']:,} notes and none of it; is it the whole file, and not "
            "the demo?"
        )
        raise DataError(
            f"expected notes of the category Discharge summary, {message}", read[0].shown
        )
    return read[0]
