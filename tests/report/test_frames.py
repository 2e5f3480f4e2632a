"""The numbers of an audit as columns: every one of them, explained, and what is undefined told
apart from 0.
"""

import csv
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet

from sightline.audits.audit_result import Audit
from sightline.config.measure_registry import MEASURES, quantity_of
from sightline.core.errors import MissingExtra, StoreError
from sightline.core.results import Bracket, Failed, Measurement, NotRun, Ragged, TextRecord
from sightline.report.export.export_files import export
from sightline.report.redact import number_groups
from tests.report import audits
from tests.snapshots import refused

WORDS = ("=1+1", "'s", "film", '"a,b"', "-", "＝x", "line\nend", "half \ud800", "漢字")
RECORDS = (
    TextRecord(
        "t0",
        " ".join(WORDS),
        WORDS,
        tuple((0, 1) for _ in WORDS),
        "pos",
        "neg",
        tuple(i == 2 for i in range(9)),
    ),
    TextRecord("+t1", "fine", ("fine",), ((0, 4),), "neg", "neg"),
)
LENGTHS = np.array([9, 1])


def made() -> Audit:
    """Two texts: one of words that a spreadsheet would run, one that nobody marked."""
    values = {
        "label": np.array([1, 0]),
        "predicted": np.array([0, 0]),
        "probability": np.array([0.1 + 0.2, np.nan]),
        "words": LENGTHS,
        "finite": np.array([True, False]),
        "attention": Ragged(np.linspace(0, 1, 10), LENGTHS),
    }
    agreement = {
        "tau.gradient": np.array([0.0, np.nan]),
        "draws.gradient": np.zeros((2, 199)),
        "gradient": Ragged(np.array([0.0, np.nan, *range(8)]), LENGTHS),
        "cells": Ragged(np.zeros((10, 2)), LENGTHS),
    }
    measured = {
        "outputs": Measurement("outputs", values, {"probability": {"non-finite output": 1}}),
        "agreement": Measurement("agreement", agreement, {"tau.gradient": {"one word": 1}}),
        "reach": Measurement(
            "reach", {"span": Bracket(np.array([0.0, 0.5]), np.array([1.0, 0.5]))}
        ),
        "erasure": Measurement("erasure", {"floor": np.arange(10.0).reshape(2, 5)}),
        "need": NotRun("need", "needs decode"),
        "transplant": Failed("transplant", "run: KeyError: 'film' of patient-7"),
    }
    return replace(audits.audit(RECORDS), measurements=measured)


AUDIT = made()


def cells(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def written(folder: Path) -> str:
    """All that the three files of an export in CSV hold."""
    names = ("columns.json", "texts.csv", "words.csv")
    assert sorted(one.name for one in folder.iterdir()) == [*names]
    return "".join((folder / name).read_text(encoding="utf-8") for name in names)


def test_every_text_has_its_numbers_and_what_is_undefined_is_empty(tmp_path: Path) -> None:
    AUDIT.export(tmp_path / "out")
    first, second = cells(tmp_path / "out" / "texts.csv")
    assert [*first][:5] == ["id", "label", "predicted", "probability", "words"]
    assert (first["id"], second["id"]) == ("t0", "'+t1")
    assert (float(first["probability"]), second["probability"]) == (0.1 + 0.2, "")
    assert (first["agreement.tau.gradient"], second["agreement.tau.gradient"]) == ("0.0", "")
    assert (first["outputs.finite"], second["outputs.finite"]) == ("1", "0")
    assert (first["reach.span.low"], first["reach.span.high"]) == ("0.0", "1.0")
    assert [second[f"erasure.floor.{draw}"] for draw in (1, 5)] == ["5.0", "9.0"]
    assert "outputs.label" not in first


def test_words_come_back_from_csv_once_one_quotation_mark_is_taken_away(tmp_path: Path) -> None:
    AUDIT.export(tmp_path / "out")
    rows = cells(tmp_path / "out" / "words.csv")
    assert not [row["word"] for row in rows if row["word"].lstrip()[:1] in tuple("=+-@＝")]
    back = [row["word"].removeprefix("'") for row in rows]
    assert back == [*(word.replace("\ud800", "\\ud800") for word in WORDS), "fine"]
    assert [row["position"] for row in rows] == [*map(str, range(9)), "0"]
    assert [row["gradient"] for row in rows[:3]] == ["0.0", "", "0.0"]
    assert [row["rationale"] for row in rows] == ["0.0", "0.0", "1.0", *["0.0"] * 6, ""]


def test_csv_has_signs_for_what_hides_or_is_obeyed_and_parquet_has_the_text(tmp_path: Path) -> None:
    words = ("\x1b[2J", "\u202eabc", "a\u200bb", "'\u2066")
    record = TextRecord(
        "\x1b1", " ".join(words), words, tuple((0, 1) for _ in words), "p\u202e", "neg"
    )
    audit = replace(AUDIT, texts=(record,), measurements={})
    audit.export(tmp_path / "csv")
    audit.export(tmp_path / "parquet", "parquet")
    shown = ["␛[2J", "⟦U+202E⟧abc", "a⟦U+200B⟧b", "''⟦U+2066⟧"]
    assert [row["word"] for row in cells(tmp_path / "csv" / "words.csv")] == shown
    (text,) = cells(tmp_path / "csv" / "texts.csv")
    assert (text["id"], text["label"]) == ("␛1", "p⟦U+202E⟧")
    assert pyarrow.parquet.read_table(tmp_path / "parquet" / "words.parquet")[
        "word"
    ].to_pylist() == [*words]


def test_parquet_holds_the_same_with_words_as_they_are_and_null(tmp_path: Path) -> None:
    AUDIT.export(tmp_path / "csv")
    AUDIT.export(tmp_path / "out", "parquet")
    for name in ("texts", "words"):
        table = pyarrow.parquet.read_table(tmp_path / "out" / f"{name}.parquet")
        rows = cells(tmp_path / "csv" / f"{name}.csv")
        assert table.column_names == [*rows[0]]
        for found, row in zip(table.to_pylist(), rows, strict=True):
            same = {
                k: "" if v is None else v if isinstance(v, str) else repr(v)
                for k, v in found.items()
            }
            assert same == {k: v.removeprefix("'") for k, v in row.items()}


def test_every_column_is_explained_and_what_has_none_is_named(tmp_path: Path) -> None:
    about = json.loads((AUDIT.export(tmp_path / "out") / "columns.json").read_text())
    texts, words = about["tables"]["texts"], about["tables"]["words"]
    values = {column["name"]: column for column in (*texts["columns"], *words["columns"])}
    tau = values["agreement.tau.gradient"]
    assert (tau["unit"], tau["low"], tau["high"], tau["measure"]) == (
        "rank correlation",
        -1,
        1,
        "agreement",
    )
    assert tau["undefined"] == {"one word": 1}
    assert tau["what"].startswith("Kendall’s τ-b")
    assert "gradient of the predicted class" in tau["what"]
    assert values["rationale"]["undefined"] == {"no marks for the text": 1}
    assert "199" in texts["left_out"]["agreement.draws.gradient"]
    assert "agreement.cells" in words["left_out"]
    assert (texts["rows"], words["rows"]) == (2, 10)
    assert about["measures_not_taken"] == {
        "need": "needs decode",
        "transplant": "failed: run: KeyError: 'film' of patient-7",
    }


def test_without_texts_the_words_are_left_out_and_their_numbers_stay(tmp_path: Path) -> None:
    export(AUDIT, tmp_path / "out", texts=False)
    assert [*cells(tmp_path / "out" / "words.csv")[0]][:3] == ["id", "position", "rationale"]
    assert "film" not in written(tmp_path / "out")


def test_without_ids_texts_are_numbered_and_no_file_has_an_id(tmp_path: Path) -> None:
    first, second = (replace(one, id=f"patient-{n}") for n, one in enumerate(AUDIT.texts, 7))
    audit = replace(AUDIT, texts=(first, second))
    assert "patient-" in written(audit.export(tmp_path / "with"))
    folder = audit.export(tmp_path / "out", ids=False)
    assert "patient-" not in written(folder)
    assert [row["id"] for row in cells(folder / "texts.csv")] == ["1", "2"]
    assert [row["id"] for row in cells(folder / "words.csv")] == [*["1"] * 9, "2"]


def test_groups_of_texts_are_numbers_and_no_hashes() -> None:
    # Whoever tries all ids of patients finds the one behind a hash.
    outputs = AUDIT.measurements["outputs"]
    hashes = np.array([8169629700101305413, -3])
    hashed = replace(outputs, values={**outputs.values, "cluster": hashes})
    frames = replace(AUDIT, measurements={**AUDIT.measurements, "outputs": hashed}).frames()
    assert frames["texts"].values()["outputs.cluster"].tolist() == [1, 2]
    assert number_groups(np.array([7, 3, 7, 9])).tolist() == [1, 2, 1, 3]


def test_columns_are_there_from_python() -> None:
    frames = AUDIT.frames()
    assert {name: len(frame) for name, frame in frames.items()} == {"texts": 2, "words": 10}
    assert frames["words"].values()["attention"].tolist() == np.linspace(0, 1, 10).tolist()


def test_an_audit_without_texts_has_no_rows_and_says_why() -> None:
    empty = replace(AUDIT, texts=()).frames()
    assert [len(frame) for frame in empty.values()] == [0, 0]
    assert empty["texts"].left_out["outputs.probability"] == "not one row a text"


def test_only_an_export_is_replaced(tmp_path: Path) -> None:
    folder = AUDIT.export(tmp_path / "out")
    assert AUDIT.export(folder, "parquet") == folder
    assert sorted(path.name for path in folder.iterdir()) == [
        "columns.json",
        "texts.parquet",
        "words.parquet",
    ]
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").touch()
    for content in (None, "[]", "{", '{"columns": 3}'):
        if content is not None:
            (tmp_path / "mine" / "columns.json").write_text(content)
        with refused(StoreError):
            AUDIT.export(tmp_path / "mine")


def test_without_pyarrow_parquet_is_refused_with_what_to_install(
    tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with refused(MissingExtra):
        AUDIT.export(tmp_path / "out", "parquet")
    assert not (tmp_path / "out").exists()


def test_a_quantity_is_found_by_its_name_or_by_what_it_is_one_of() -> None:
    assert (
        quantity_of("erasure", "deleted.random") is MEASURES["erasure"].quantities["deleted.random"]
    )
    assert quantity_of("erasure", "deleted.gradient").description.endswith("possible)")
    assert (
        quantity_of("agreement", "free_gradient").description == "gradient under uniform attention"
    )
    assert quantity_of("agreement", "nothing") is quantity_of("mine", "tau.gradient") is None
