"""`study` of a paper's table: what is asked, refused, run, and written."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from sightline.config import presets
from sightline.experiments.store import Store
from tests.cli.conftest import Call
from tests.studies import small


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("corpora")
    small.sst(place)
    return place


def test_a_folder_that_is_not_there_is_no_folder_without_corpora(sightline: Call, tmp_path: Path):
    done = sightline("study", "list", "--data", tmp_path / "nope")
    assert (done.code, "--data" in done.err, "nope" in done.err) == (2, True, True)


def test_all_are_listed_with_what_they_need(sightline: Call, folder: Path) -> None:
    rows = json.loads(sightline("study", "list", "--data", folder, "--json").out)
    assert len(rows) == 32
    table_2 = next(row for row in rows if row["id"] == "jain2019:J-2")
    assert (table_2["place"], table_2["runs"]) == (
        "Table 2",
        20,
    )  # two models, ten seeds, of the one that is there
    assert "sst" not in table_2["lacking"]
    assert "imdb" in table_2["lacking"]
    none = json.loads(sightline("study", "list", "--data", folder, "--store", "none", "--json").out)
    assert {row["done"] for row in none} == {0}  # a store that is not there yet has no runs
    assert not Path("none").exists()
    result = sightline("study", "list").out
    assert "jain2019:J-2" in result
    assert "--data DIR says which corpora are there" in result
    assert "hours" not in result.split("\n", 1)[0]
    result = sightline("study", "list", "--datasets", "sst,imdb", "--seeds", "2", "--json").out
    assert next(row for row in json.loads(result) if row["id"] == "wen2022:W-1")["corpora"] == [
        "sst",
        "imdb",
    ]
    assert next(row for row in json.loads(result) if row["id"] == "wen2022:W-1")["runs"] == 4


def test_a_table_is_counted_and_written_in_every_form(
    sightline: Call, folder: Path, tmp_path: Path
) -> None:
    asked = (
        "study",
        "meister2021:M-3",
        "--data",
        folder,
        "--datasets",
        "sst",
        "--store",
        tmp_path / "store",
    )
    planned = json.loads(sightline(*asked, "--seeds", "2", "--dry-run", "--json").out)
    assert (planned["runs"], planned["to_run"]) == (4, 4)
    assert not (tmp_path / "store").exists()


def test_figures_and_tables_lie_in_a_folder(
    sightline: Call, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_model = {"embedding": 4}
    base = presets.PRESETS["jain2019"]
    parts = {"bilstm": {"hidden": 4}, "cnn": {"channels": 4, "kernels": "1-3"}}
    fit = replace(base.fit, epochs=1, patience=1)
    monkeypatch.setitem(
        presets.PRESETS,
        "jain2019",
        replace(base, model={**base.model, **small_model}, parts=parts, fit=fit),
    )
    out = tmp_path / "out"
    drawn = ("study", "jain2019:J-4", "--data", folder, "--seeds", "1", "--limit", "10")
    drawn = (*drawn, "--store", tmp_path / "store", "--json")
    done = sightline(*drawn, "--out", out)
    output = json.loads(done.out)
    mark = ".J-4.sightline"  # what was written here, so that the same command replaces it
    files = {path.name for path in out.iterdir()} - {mark}
    assert (out / mark).is_file()
    assert {Path(name).name for name in output["files"]} == files
    stem = "J-4-tau-differences-sst-bilstm+additive"
    wanted = {f"J-4{ending}" for ending in (".md", ".csv", ".tex")}
    assert files == wanted | {f"{stem}{ending}" for ending in (".pdf", ".png", ".svg", ".csv")}
    assert "left out: imdb (no " in done.err
    assert {row[2]["n"] for row in output["rows"]} - {None} == {10}
    keys = set(Store(tmp_path / "store").keys())
    for row in output["rows"]:
        made = row[2]["n"] is not None
        assert row[2]["seeds"] == ([0] if made else [])
        assert len(row[2]["runs"]) == made
        assert {*row[2]["runs"]} <= keys
    assert "ours: a sample of at most 10 test texts of each run" in output["notes"]
    again = sightline(*drawn, "--dry-run")
    assert json.loads(again.out)["to_run"] == 0
    asked = ("study", "list", "--data", folder, "--limit", "10", "--store", tmp_path / "store")
    rows = {row["id"]: row for row in json.loads(sightline(*asked, "--json").out)}
    assert (rows["jain2019:J-4"]["runs"], rows["jain2019:J-4"]["done"]) == (5, 1)
    every = {row["id"]: row for row in json.loads(sightline(*asked[:6], "--json").out)}
    assert "done" not in every["jain2019:J-4"]
    assert rows["jain2019:J-4"]["hours_left"] > 0
    listed = sightline(*asked).out.splitlines()
    assert listed[0].split()[:5] == ["id", "place", "runs", "done", "hours"]
    assert "hours: of one worker" in listed[-1]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("study list --store st", ("--data: missing; a run is found in a store " "by the corpus it is of")),
        ("study list --datasets sst,sstt", "--datasets: 'sstt': expected some of sst, imdb, "),
        ("study jain2019:J-9 --store st --data .", ("jain2019:J-9: no table or figure of a " "paper; near it: ")),
        ("study jain2019:J-2 --store st", ("--data: missing; jain2019:J-2 needs the folder " "that holds sst, imdb, ")),
        ("study jain2019:J-2 --store st --data nowhere", ("--data: nowhere: expected a folder " "that holds sst, imdb, ")),
        ("study jain2019:J-2 --store st --data . --datasets sst", "--data: . has none of the corpora"),
        ("study jain2019:J-2 --store st --data . --datasets sst,ssd", ("--datasets: 'ssd': " "jain2019:J-2 is of sst, ")),
        ("study jain2019:J-2 --data .", ("--store: missing; expected the folder in " "which runs are kept")),
        ("study jain2019:J-2 --store st --data . --columns F1", ("--columns: jain2019:J-2 takes no such option: " "it is of a study file")),
        ("study jain2019:J-2 --store st --data . --spread sd", "--spread: jain2019:J-2 takes no such option"),
        ("study s.toml --store st --seeds 2", ("--seeds: s.toml takes no such option: it is of a " "paper’s table or figure")),
        ("study s.toml --store st --datasets sst", "--datasets: s.toml takes no such option"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_is_refused_before_anything_runs(
    sightline: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    done = sightline(*words.split())
    assert done.code == 2
    assert message in done.err
    assert list(tmp_path.iterdir()) == []


def test_a_quick_try_says_what_all_of_the_table_takes(
    sightline: Call, folder: Path, tmp_path: Path
) -> None:
    asked = ("study", "jain2019:J-2", "--data", folder, "--store", tmp_path / "store", "--dry-run")
    whole, tried = sightline(*asked, "--json"), sightline(*asked, "--quick", "--json")
    assert (json.loads(whole.out)["runs"], json.loads(tried.out)["runs"]) == (20, 2)
    assert "all of jain2019:J-2 on what is in the folder is 20 runs" in tried.err
    assert "a quick try" not in whole.err


def test_the_plan_of_all_tables_is_said_by_table_corpus_and_stage(
    sightline: Call, folder: Path, tmp_path: Path
) -> None:
    asked = ("study", "papers", "--data", folder, "--store", tmp_path / "store", "--dry-run")
    found = json.loads(sightline(*asked, "--json").out)
    assert not (tmp_path / "store").exists()
    table_2 = found["tables"][0]
    assert (table_2["table"], table_2["corpus"], table_2["configurations"], table_2["seeds"]) == (
        "jain2019:J-2", "sst", 2, 10
    )  # fmt: skip
    assert {row["corpus"] for row in found["tables"]} == {"sst"}
    assert sum(row["new"] for row in found["tables"]) == found["together"]["planned"]
    assert found["stages"][-1]["hours_by_its_end"] == pytest.approx(
        found["together"]["hours_left"], abs=0.2
    )
    assert found["pace"] is None  # nothing is done
    lines = sightline(*asked).out.splitlines()
    assert lines[0].split()[:3] == ["table", "corpus", "configurations"]
    assert str(found["together"]["planned"]) in lines[-1].replace(",", "")
