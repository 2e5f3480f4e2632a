"""Read MIMIC-III's ``DIAGNOSES_ICD.csv`` and the lists of CAML: the label and the split of each
admission.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from sightline._io.limits import ROWS
from sightline.core.errors import DataError
from sightline.data.corpora.corpus_files import AGAIN, base, check_complete, found_files
from sightline.data.corpora.csv_columns import read_columns, read_number
from sightline.data.readers.archives import File

DIAGNOSES = re.compile(r"(?:^|/)DIAGNOSES_ICD\.csv$", re.IGNORECASE)
LISTS = re.compile(r"(?:^|/)(train|dev|test)_50_hadm_ids\.csv$", re.IGNORECASE)
EXPECTED = "NOTEEVENTS.csv and DIAGNOSES_ICD.csv of MIMIC-III"
EXPECTED_LISTS = (
    "train_50_hadm_ids.csv, dev_50_hadm_ids.csv and test_50_hadm_ids.csv of CAML (Mullenbach et "
    "al. 2018)"
)
_COLUMNS = ("SUBJECT_ID", "HADM_ID", "ICD9_CODE")
_SPLITS = {"train": "train", "dev": "validation", "test": "test"}


@dataclass(frozen=True)
class DiagnosisTask:
    """A task on admissions: ``codes`` gives the ICD-9 prefix of each label, without the point.

    An empty prefix means every admission without a code of the other label. Admissions with codes
    of both labels, or of none, have no label; ``without`` gives the reason.
    """

    labels: tuple[str, str]
    codes: tuple[str, str]
    without: Mapping[tuple[bool, bool], str] = field(default_factory=dict)

    def outcome(self, codes: set[str]) -> int | str:
        """Give the label of an admission by its codes, or the reason why it has none."""
        first, second = (
            bool(begin) and any(code.startswith(begin) for code in codes) for begin in self.codes
        )
        return self.without.get((first, second), int(second))


ANEMIA = DiagnosisTask(
    ("chronic", "acute"),
    ("2852", "2851"),
    {(False, False): "admission with neither anemia", (True, True): "admission with both anemias"},
)
DIABETES = DiagnosisTask(("no diabetes", "diabetes"), ("", "250"))
DIABETES_OF_PAPERS = DiagnosisTask(DIABETES.labels, ("", "25000"))


@dataclass(frozen=True)
class Admissions:
    """The admissions with a diagnosis: their patient, and their label or the reason why there is
    none.
    """

    patients: Mapping[int, int]
    outcomes: Mapping[int, int | str]
    found: int
    """The number of diagnoses."""


def read_admissions(path: str, task: DiagnosisTask) -> Admissions:
    """Read all diagnoses; those without a code are ignored."""
    patients, codes, found = dict[int, int](), defaultdict[int, set[str]](set), 0
    for file, line, patient, stay, code in _diagnoses(path):
        found += 1
        if found > ROWS.now:
            raise DataError(ROWS.passed(), file.shown, line)
        check_patient(patients.setdefault(stay, patient), patient, stay, file.shown, line)
        if code:
            codes[stay].add(code)
    if not codes:
        raise DataError(
            (
                f"expected diagnoses with a code in DIAGNOSES_ICD.csv, got {found:,} without one; "
                f"{AGAIN}"
            ),
            path,
        )
    return Admissions(
        patients,
        {stay: task.outcome(codes_of_stay) for stay, codes_of_stay in codes.items()},
        found,
    )


def _diagnoses(path: str) -> Iterator[tuple[File, int, int, int, str]]:
    """Yield the file and line of each diagnosis, its patient and admission, and its code without
    the point.
    """
    there = 0
    for file in found_files(
        path, lambda name: DIAGNOSES.search(name) is not None, EXPECTED, largest=None
    ):
        if (there := there + 1) > 1:
            raise DataError(
                "there is a second table of diagnoses; name the folder of one MIMIC-III", file.shown
            )
        for line, (subject, admission, code) in read_columns(file, _COLUMNS):
            patient = read_number(file, line, "SUBJECT_ID", subject)
            stay = read_number(file, line, "HADM_ID", admission)
            yield file, line, patient, stay, sys.intern(code.strip().replace(".", "").upper())


def check_patient(known: int, patient: int, stay: int, shown: str, line: int) -> None:
    """Refuse an admission with two patients: texts of one patient would count as two patients'."""
    if known != patient:
        message = (
            f"admission {stay} is of patient {patient} here, and of patient {known} elsewhere; "
            f"{AGAIN}"
        )
        raise DataError(message, shown, line)


def read_lists(path: str, patients: Mapping[int, int]) -> dict[int, str]:
    """Read the CAML split of each admission; a repeated admission, or a patient in two lists, is
    refused.
    """
    splits, of_patient = dict[int, str](), dict[int, str]()
    for file, line, split, stay in _listed(path):
        if stay in splits:
            raise DataError(f"admission {stay} is listed twice; {AGAIN}", file.shown, line)
        splits[stay] = split
        if (patient := patients.get(stay)) is not None and of_patient.setdefault(
            patient, split
        ) != split:
            message = f"patient {patient} is in {of_patient[patient]} and in {split}; {AGAIN}"
            raise DataError(message, file.shown, line)
    return splits


def _listed(path: str) -> Iterator[tuple[File, int, str, int]]:
    """Yield the file and line of each listed admission, its split, and its id; all lists must
    exist.
    """
    there = []
    for file in found_files(
        path, lambda name: LISTS.search(name) is not None, EXPECTED_LISTS, largest=None
    ):
        there.append(base(file.name).lower())
        split = _SPLITS[there[-1].partition("_")[0]]
        for line, cell in file.lines():
            if cell.strip():
                yield file, line, split, read_number(file, line, "a list of admissions", cell)
    check_complete(path, [f"{name}_50_hadm_ids.csv" for name in _SPLITS], there, EXPECTED_LISTS)
