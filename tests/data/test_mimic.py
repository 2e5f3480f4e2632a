"""MIMIC-III as its tables are published: which notes become a text, how it is labelled, and every
broken form.
"""

import csv
import gzip
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import notes
import pytest

from sightline._io.limits import BOUNDS
from sightline.config.spec_syntax import parse_data
from sightline.core.errors import DataError, SpecError
from sightline.data.corpora import mimic_notes as notes_module
from sightline.data.corpora.mimic import paper_words, without_hidden
from sightline.data.corpora.mimic_diagnoses import ANEMIA, DIABETES, read_admissions
from sightline.data.corpora.mimic_notes import read_summaries
from sightline.data.dataset import Dataset
from sightline.data.load_dataset import load
from tests.data.corpora import Files, folder_of
from tests.data.mimic_writing import (
    DIAGNOSIS_COLUMNS,
    NOTE_COLUMNS,
    Note,
    changed,
    codes_of,
    diagnoses_csv,
    lists,
    mimic,
    notes_csv,
    notes_of,
    stays,
)
from tests.memory import peak
from tests.snapshots import refused, same_text


def read(
    files: Files, place: Path, task: str = "diabetes", recipe: str = "clean", seed: int = 0
) -> Dataset:
    return load(
        replace(parse_data(f"mimic:{folder_of(place, files)}(task={task})"), recipe=recipe), seed
    )


def by_stay(data: Dataset) -> Mapping[int, tuple[str, str]]:
    """Give the text and the label of each admission."""
    return {
        int(e.id.removeprefix("mimic/")): (e.text, data.label_names[e.label])
        for split in data.splits.values()
        for e in split
    }


def splits_of(data: Dataset) -> Mapping[str, set[str]]:
    return {name: {e.group for e in split} for name, split in data.splits.items()}


# ---------------------------------------------------------------- what is read


def test_an_admission_is_its_summary_with_what_hides_a_name_as_one_word(tmp_path):
    data = read(mimic(), tmp_path)
    text, label = by_stay(data)[100_011]
    same_text("notes", text)
    assert label == "diabetes"
    one = next(e for split in data.splits.values() for e in split if e.id == "mimic/100011")
    assert one.tokens[:4] == ("admission", "date", ":", "___")
    assert [one.text[start:end].lower() for start, end in one.offsets] == list(one.tokens)
    assert data.card["found"] == {
        "notes": "48 of 2083180",
        "discharge summaries": "24 of 59652",
        "diagnoses": "60 of 651047",
    }


def test_addenda_follow_their_report_and_both_stand_by_date(tmp_path):
    lines = [
        Note(1, 100_011, "Third.", description="Addendum", date="2151-01-01"),
        Note(1, 100_011, "Second.", date="2151-03-03"),
        Note(1, 100_011, "Last.", description=" addendum ", date="2151-05-05"),
        Note(1, 100_011, "First.", date="2151-02-02"),
        *[note for note in notes_of() if note.stay != 100_011],
    ]
    assert by_stay(read(mimic(lines), tmp_path))[100_011][0] == "First.\nSecond.\nThird.\nLast."


def test_a_patient_is_in_one_split_whatever_the_seed(tmp_path):
    for seed in range(6):
        splits = splits_of(read(mimic(), tmp_path, seed=seed))
        assert all(splits.values())
        assert sum(map(len, splits.values())) == len(set.union(*splits.values())) == 12


def test_diabetes_is_every_code_from_250_and_by_the_papers_250_00_alone(tmp_path):
    codes = codes_of() | {
        (1, 100_011): ("25013",),
        (2, 100_021): ("25000",),
        (3, 100_031): ("V1250", "2500"),
    }
    files = mimic(codes=codes) | lists()
    clean, paper = by_stay(read(files, tmp_path)), by_stay(read(files, tmp_path, recipe="paper"))
    values = {
        stay: (clean[stay][1], paper[stay][1]) for stay in (100_011, 100_021, 100_031, 100_042)
    }
    assert values == {
        100_011: ("diabetes", "no diabetes"),
        100_021: ("diabetes", "diabetes"),
        100_031: ("diabetes", "no diabetes"),
        100_042: ("no diabetes", "no diabetes"),
    }


@pytest.mark.parametrize(
    ("codes", "outcome"),
    [
        ({"2851", "4019"}, 1),
        ({"28521"}, 0),
        ({"28529", "28522"}, 0),
        ({"2851", "28521"}, "admission with both anemias"),
        ({"2859", "2800", "V2851"}, "admission with neither anemia"),
    ],
)
def test_anemia_is_chronic_or_acute(codes, outcome):
    assert ANEMIA.labels == (
        "chronic",
        "acute",
    )  # 1,847 and 3,251 in the papers' table: more are acute
    assert ANEMIA.outcome(codes) == outcome
    assert DIABETES.outcome(codes) == 0


def test_admissions_without_a_label_and_notes_that_are_left_out_are_counted(tmp_path):
    codes = codes_of() | {
        (1, 100_011): ("2851", "28529"),
        (2, 100_021): ("4019",),
        (4, 100_041): ("",),
    }
    result = changed(9, error="1")  # the summary of 100031
    result += [
        Note(9, "", "Died."),
        Note(9, 999_999, "Lost."),
        Note(1, 100_011, "More.", description="Addendum"),
    ]
    dropped = read(mimic(result, codes), tmp_path, "anemia").card["dropped"]
    assert dropped == {
        "admission with both anemias": 1,
        "admission with neither anemia": 1,
        "summary of an admission without a diagnosis": 2,
        "summary that is marked as an error": 1,
        "summary of no admission": 1,
    }


def test_a_header_may_be_in_any_case_and_columns_in_any_order(tmp_path):
    usual = by_stay(read(mimic(), tmp_path / "a"))
    lower = [name.lower() for name in reversed(NOTE_COLUMNS)]
    codes = ["icd9_code", "Hadm_Id", " SUBJECT_ID ".strip()]
    files = {
        "noteevents.csv": notes_csv(notes_of(), lower),
        "diagnoses_icd.CSV": diagnoses_csv(codes_of(), codes),
    }
    assert by_stay(read(files, tmp_path / "b")) == usual


# ---------------------------------------------------------------- the papers' recipe


def test_the_papers_diabetes_follows_the_lists_of_caml(tmp_path):
    named = lists()
    named["train_50_hadm_ids.csv"] = (
        named["train_50_hadm_ids.csv"].replace("100011\n", "") + "777777\n"
    )
    data = read(mimic() | named, tmp_path, recipe="paper")
    stays_in = {
        name: {int(e.id.removeprefix("mimic/")) for e in split}
        for name, split in data.splits.items()
    }
    wanted = {name: {int(one) for one in text.split()} for name, text in named.items()}
    assert stays_in == {
        "train": wanted["train_50_hadm_ids.csv"] - {777_777},
        "validation": wanted["dev_50_hadm_ids.csv"],
        "test": wanted["test_50_hadm_ids.csv"],
    }
    assert data.card["dropped"]["listed admission without a summary"] == 1
    assert data.card["dropped"]["summary of an admission that is not listed"] == 1
    assert data.card["min_count"] == 5
    assert len(read(mimic() | named, tmp_path / "clean").train) != len(
        data.train
    )  # lists are not looked at


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("100011", "admission 100011 is listed twice"),
        ("abc", "expected a whole number in a list of admissions, got 'abc'"),
        ("HADM_ID", "expected a whole number in a list of admissions, got 'HADM_ID'"),
    ],
)
def test_a_list_that_cannot_be(tmp_path, line, message):
    named = lists()
    assert named["train_50_hadm_ids.csv"].startswith("100011\n")
    named["train_50_hadm_ids.csv"] += f"\n{line}\n"
    at = named["train_50_hadm_ids.csv"].count("\n")
    with pytest.raises(
        DataError, match=rf"train_50_hadm_ids\.csv:{at}: {re.escape(message)}; fetch the file again"
    ):
        read(mimic() | named, tmp_path, recipe="paper")


def test_a_patient_in_two_lists_or_a_missing_list_is_refused(tmp_path):
    named = lists()
    torn = {name: text.replace("100012\n", "") for name, text in named.items()}
    torn["test_50_hadm_ids.csv"] += "100012\n"
    with refused(DataError):
        read(mimic() | torn, tmp_path / "a", recipe="paper")
    del named["dev_50_hadm_ids.csv"]
    with pytest.raises(DataError, match=r"of CAML .*found .*no dev_50_hadm_ids\.csv"):
        read(mimic() | named, tmp_path / "b", recipe="paper")
    with refused(DataError):
        read(mimic(), tmp_path / "c", recipe="paper")


def test_the_papers_anemia_draws_admissions_and_not_patients(tmp_path):
    notes = [
        Note(*stay, " ".join(f"w{i}" for i in range(10 + place % 7)))
        for place, stay in enumerate(stays(60))
    ]
    data = read(mimic(notes, codes_of(60)), tmp_path, "anemia", "paper")
    dropped = sum(data.card["dropped"].values())
    sizes = {name: len(split) for name, split in data.splits.items()}
    assert sum(sizes.values()) + dropped == 120
    assert {name: {e.label for e in split} for name, split in data.splits.items()} == {
        name: {0, 1} for name in sizes
    }
    splits = splits_of(data)
    assert splits["train"] & splits["test"]
    assert "a patient may be in two splits" in data.card["kept_as_published"]["1"]
    assert min(len(e.tokens) for e in data.train) == 11  # the shortest length seen is the bound


def test_words_as_the_papers_had_them():
    text = (
        "Dr. [**Last Name 7**] saw [**2151-7-16**][**2151-7-17**]\n_____ at 8:30 -- - ---- He's "
        "42!!"
    )
    wanted = "dr . <de> saw <de> <de> _ at qqq : qqq - he's qqq !"
    assert " ".join(paper_words(text)) == wanted
    assert without_hidden("a [**b\nc**] ___ [** d", "___") == "a  ___  _ [* d"


# ---------------------------------------------------------------- what is refused


def without(columns: tuple[str, ...], name: str) -> list[str]:
    return [column for column in columns if column != name]


def text_of(name: str, **change: str) -> str:
    """Give a file of a good MIMIC with something in it replaced."""
    text = mimic()[name]
    for old, new in change.items():
        assert old in text
        text = text.replace(old, new, 1)
    return text


NOTES, CODES = "NOTEEVENTS.csv", "DIAGNOSES_ICD.csv"
BROKEN: Mapping[str, tuple[str, str | bytes, str]] = {
    **{
        f"notes without {name}": (
            NOTES,
            notes_csv(notes_of(), without(NOTE_COLUMNS, name)),
            f":1: expected a column {name}, there are '",
        )
        for name in (
            "ROW_ID",
            "SUBJECT_ID",
            "HADM_ID",
            "CHARTDATE",
            "CATEGORY",
            "DESCRIPTION",
            "ISERROR",
            "TEXT",
        )
    },
    **{
        f"diagnoses without {name}": (
            CODES,
            diagnoses_csv(codes_of(), without(DIAGNOSIS_COLUMNS, name)),
            f":1: expected a column {name}, there are '",
        )
        for name in ("SUBJECT_ID", "HADM_ID", "ICD9_CODE")
    },
    "a column twice": (
        NOTES,
        notes_csv(notes_of(), (*NOTE_COLUMNS, "text")),
        (":1: expected columns with different names, got 'TEXT' twice"),
    ),
    "an empty file of notes": (NOTES, "", ":1: expected a column ROW_ID, there are none"),
    "a header alone, as in the demo": (
        NOTES,
        notes_csv([]),
        (": expected notes of the category Discharge summary, got 0 notes and none of it"),
    ),
    "no discharge summary": (
        NOTES,
        notes_csv([replace(one, category="Nursing") for one in notes_of()]),
        (": expected notes of the category Discharge summary, got 48 notes"),
    ),
    "no diagnosis": (
        CODES,
        diagnoses_csv({}),
        (": expected diagnoses with a code in DIAGNOSES_ICD.csv, got 0 without one"),
    ),
    "no code": (
        CODES,
        diagnoses_csv(dict.fromkeys(codes_of(), ("",))),
        (": expected diagnoses with a code in DIAGNOSES_ICD.csv, got 24 without one"),
    ),
    "a field too many": (
        NOTES,
        text_of(NOTES, **{"2,1,100011,": "2,1,100011,,"}),
        (":4: expected 11 fields as in the header, got 12"),
    ),
    "a quote in the middle": (
        NOTES,
        text_of(NOTES, **{'"Slept': '"So" Slept'}),
        ":2: the quotes cannot be read",
    ),
    "a quote that never closes": (
        NOTES,
        text_of(NOTES, **{'well."': "well."}),
        ":2: the quotes cannot be read",
    ),
    "a torn end": (
        NOTES,
        mimic()[NOTES][:-4],
        "the quotes cannot be read (unexpected end of data)",
    ),
    "a word as admission": (
        NOTES,
        notes_csv(changed(1, stay="x1")),
        (":4: expected a whole number in HADM_ID, got 'x1'"),
    ),
    "a number as from pandas": (
        NOTES,
        notes_csv(changed(1, stay="100011.0")),
        (":4: expected a whole number in HADM_ID, got '100011.0'"),
    ),
    "a patient that is none": (
        CODES,
        text_of(CODES, **{"1,1,100011": "1,-1,100011"}),
        (":2: expected a whole number in SUBJECT_ID, got '-1'"),
    ),
    "a second note of one number": (
        NOTES,
        text_of(NOTES, **{"\n4,1,": "\n2,1,"}),
        "there is a second note with the ROW_ID 2",
    ),
    "an admission of two patients": (
        NOTES,
        notes_csv(changed(1, patient=5)),
        (":4: admission 100011 is of patient 5 here, and of patient 1 elsewhere"),
    ),
    "diagnoses of two patients": (
        CODES,
        text_of(CODES, **{"2,1,100011": "2,6,100011"}),
        (":3: admission 100011 is of patient 6 here, and of patient 1 elsewhere"),
    ),
    "Latin-1": (
        NOTES,
        mimic()[NOTES].replace("Slept", "Caf\xe9", 1).encode("latin-1"),
        (":2: expected UTF-8, as published, got byte 0xe9"),
    ),
    "a NUL": (
        NOTES,
        mimic()[NOTES].replace("well.", "we\0ll", 1),
        ":3: expected text, got a NUL byte",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_mimic_that_cannot_be_read(tmp_path, name):
    file, text, message = BROKEN[name]
    with pytest.raises(DataError, match=re.escape(message)) as caught:
        read({**mimic(), file: text}, tmp_path)
    assert str(caught.value).startswith(str(tmp_path))
    assert "\n" not in str(caught.value)
    assert csv.field_size_limit() == 131_072  # it is of the whole process


def test_files_that_are_not_there_or_there_twice(tmp_path):
    files = mimic()
    with pytest.raises(
        DataError, match=r"expected NOTEEVENTS.csv and DIAGNOSES_ICD.csv of MIMIC-III"
    ):
        read({NOTES: files[NOTES]}, tmp_path / "a")
    folder_of(tmp_path / "b", files)
    with pytest.raises(DataError, match=r"expected NOTEEVENTS.csv and DIAGNOSES_ICD.csv"):
        load(parse_data(f"mimic:{tmp_path / 'b' / NOTES}"), 0)
    for name, what in ((NOTES, "notes"), (CODES, "diagnoses")):
        with refused(DataError):
            read(files | {f"other/{name}": files[name]}, tmp_path / what)
    torn = gzip.compress(files[NOTES].encode())
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / f"{NOTES}.gz").write_bytes(torn[: len(torn) // 2])
    with refused(DataError):
        read({CODES: files[CODES]}, tmp_path / "c")
    with refused(SpecError):
        read(files, tmp_path / "d", "readmission")


# ---------------------------------------------------------------- what is held


def test_notes_that_are_not_wanted_are_not_held(tmp_path):
    def held(others: int) -> int:
        nurse = Note(1, 100_011, "Slept well. " * 200, "Nursing")
        folder = str(folder_of(tmp_path / str(others), mimic([*[nurse] * others, *notes_of()])))
        admissions = read_admissions(folder, DIABETES)
        return peak(lambda: read_summaries(folder, admissions, None))

    few, many = held(50), held(2000)
    assert many < few + 20_000  # 2,000 notes have 4.8 million letters


def test_a_quote_that_never_closes_does_not_hold_the_rest_of_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr(notes_module, "LINE", replace(notes_module.LINE, most=2**16))
    text = (
        notes_csv(notes_of())
        + '99,1,100011,2151-07-20,,,Nursing,Report,,,"torn\n'
        + "Slept well, again.\n" * 100_000
    )
    folder = str(folder_of(tmp_path, mimic() | {NOTES: text}))
    admissions = read_admissions(folder, DIABETES)

    def reading() -> None:
        with refused(DataError):
            read_summaries(folder, admissions, None)

    assert (
        peak(reading) < 2**20
    )  # the file has 1.9 million bytes, and a letter that is read takes four


def test_a_file_above_the_bound_of_files_is_read_and_what_is_kept_is_bounded(tmp_path, monkeypatch):
    files = mimic([*[Note(1, 100_011, "Slept well. " * 200, "Nursing")] * 50, *notes_of()])
    kept = sum(len(one.text) for one in notes_of() if one.category == "Discharge summary")
    for most in (kept, kept - 1):
        monkeypatch.setenv("SIGHTLINE_MAX_BYTES", str(most))
        assert len(files[NOTES]) > 20 * most
        if most == kept:
            assert read(files, tmp_path / str(most)).train
            continue
        with refused(DataError):
            read(files, tmp_path / str(most))


def test_the_bound_of_kept_notes_is_told_with_the_others():
    assert notes_module.NOTES in BOUNDS


def test_the_large_file_that_is_measured_is_of_this_form(tmp_path):
    kept, size = notes.write_mimic(tmp_path, 40 * notes.EACH)
    data = load(parse_data(f"mimic:{tmp_path}"), 0)
    assert data.card["found"]["discharge summaries"] == "40 of 59652"
    assert kept < size == (tmp_path / NOTES).stat().st_size
    for other in ("[**", '""', "-----"):
        assert other in (tmp_path / NOTES).read_text()
    assert max(before["median"] for before in data.card["before_cutting"].values()) > notes.SUMMARY
