"""`study` of a calibration and of the papers together, and the results file of every study."""

import json
from pathlib import Path

import pytest

from sightline.api.study import RunSettings
from sightline.api.study_names import NamedStudy, stored
from sightline.cli import study_commands
from sightline.experiments.store import Store
from sightline.studies import update_results
from sightline.studies.calibration import random_attention
from sightline.studies.kept_results import kept_of
from sightline.studies.papers.protocol import PRIMARY, SECONDARY
from sightline.studies.results_file import read_rows
from tests.cli.conftest import Call
from tests.studies import small

RESULTS_FILE = Path(__file__).resolve().parents[2] / "docs" / "verified" / "results.csv.gz"
STUDY = """
name = "{name}"
[base]
data = "planted:needle(n=120,length=6)"
measures = ["need"]
companions = "none"
"fit.epochs" = 1
[axes]
model = ["mlp(hidden=4)"]
seed = [0, 1]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("studies")


@pytest.fixture(scope="module")
def store(folder: Path) -> Path:
    """A store that holds the runs of a study file, and none of a calibration."""
    from sightline.cli.app import run

    for name in ("one", "two"):
        (folder / f"{name}.toml").write_text(STUDY.format(name=name), encoding="utf-8")
        file, kept = str(folder / f"{name}.toml"), str(folder / "results.csv.gz")
        assert (
            run(["study", file, "--store", str(folder / "store"), "--results", kept, "--quiet"])
            == 0
        )
    return folder / "store"


@pytest.mark.parametrize(
    ("name", "seeds", "planned"),
    [("random_attention", 2, None), ("shown", 51, None), ("shown", 2, 8)],
)
def test_a_calibration_has_the_asked_number_of_seeds_or_refuses_it(
    sightline: Call, tmp_path: Path, name: str, seeds: int, planned: int | None
) -> None:
    asked = ("study", name, "--store", tmp_path / "st", "--seeds", seeds, "--dry-run", "--json")
    found = sightline(*asked)
    if planned is None:
        assert (found.code, found.out) == (2, "")
        assert found.err.startswith("error: --seeds: ")
    else:
        assert found.json[name]["planned"] == planned


def test_a_study_file_keeps_a_row_for_each_run_and_column(folder: Path, store: Path) -> None:
    known = kept_of(read_rows(folder / "results.csv.gz"))
    assert {*known} == {"one", "two"}  # the second did not replace the first
    summaries = {summary.seed: summary for summary in Store(store).summaries()}
    readings = [*known["one"].readings.values()]
    assert [row.seed for row, _ in readings] == ["0", "1"]
    for row, values in readings:
        summary = summaries[int(row.seed)]
        assert row.run == summary.key
        assert values["accuracy"].value == summary.metrics["accuracy"]
        assert values["verdict"] == summary.verdict
    assert known["one"].status["done"] == 2


def test_columns_that_are_left_out_stay_with_their_runs(
    sightline: Call, folder: Path, store: Path, tmp_path: Path
) -> None:
    file = tmp_path / "results.csv.gz"
    file.write_bytes((folder / "results.csv.gz").read_bytes())
    before = kept_of(read_rows(file))["one"].said
    asked = ("study", folder / "one.toml", "--store", store, "--results", file, "--columns")
    assert sightline(*asked, "accuracy").code == 0
    assert kept_of(read_rows(file))["one"].said == before
    sightline(*asked, "f1,SL-001.number")
    after = kept_of(read_rows(file))["one"].said
    for name, values in after.items():
        assert {*(before[name] or {})} < {*(values or {})}


def test_what_a_store_has_of_a_calibration_is_counted_without_a_run(
    sightline: Call, folder: Path, store: Path, tmp_path: Path
) -> None:
    file = tmp_path / "results.csv.gz"
    ran = sightline(
        "study", "random_attention", "--store", store, "--so-far", "--results", file, "--json"
    )
    (row,) = json.loads(ran.out)
    assert ran.code == 0
    assert (row["study"], row["planned"], row["done"], row["gates"]) == (
        "random_attention",
        4,
        0,
        0,
    )
    assert kept_of(read_rows(file))["random_attention"].status["planned"] == len(
        random_attention.MODELS
    )
    assert (
        "random_attention"
        in sightline("study", "random_attention", "--store", store, "--so-far").out
    )


def test_what_is_left_is_said_without_a_run_or_a_store(sightline: Call, tmp_path: Path) -> None:
    ran = sightline("study", "examples", "--store", tmp_path / "store", "--dry-run", "--json")
    assert json.loads(ran.out) == {"examples": {"planned": 7, "done": 0, "hours_left": 0}}
    assert list(tmp_path.iterdir()) == []


def test_runs_of_the_results_file_are_done_only_where_they_are_skipped(
    sightline: Call, tmp_path: Path
) -> None:
    asked = ("study", "shown", "--store", tmp_path / "st", "--results", RESULTS_FILE, "--dry-run")
    found = [sightline(*asked, *skip, "--json").json["shown"] for skip in ((), ("--skip-counted",))]
    assert [one["planned"] for one in found] == [200, 200]
    assert [one["done"] for one in found] == [0, 200]
    unknown = sightline(*asked[:4], "--skip-counted", "--dry-run")
    assert (unknown.code, unknown.err[:22]) == (2, "error: --skip-counted:")


@pytest.mark.parametrize("limit", [(), ("--limit", 1)])
def test_a_limit_holds_for_a_named_study(
    sightline: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: tuple[object, ...]
) -> None:
    asked = list[int | None]()

    def record(
        planned: object, store: object, running: RunSettings, *_: object, **__: object
    ) -> None:
        asked.append(running.limit)

    monkeypatch.setattr(study_commands, "do_study", record)
    assert sightline("study", "examples", "--store", tmp_path / "st", *limit).code == 0
    assert asked == [limit[1] if limit else None]


def test_word_vectors_are_not_made_to_count_what_a_store_has(
    sightline: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, store: Path
) -> None:
    made = list[Path]()
    monkeypatch.setattr(update_results, "make_vectors", lambda folder, out: made.append(out))
    monkeypatch.setattr(NamedStudy, "_check_seeds", lambda study, work: None)  # reads all corpora
    (tmp_path / "data").mkdir()
    asked = ("study", "trained", "--data", tmp_path / "data", "--so-far", "--store")
    assert sightline(*asked, tmp_path / "nowhere").code == 2
    before = {*store.parent.iterdir()}
    with stored(NamedStudy("trained", store, tmp_path / "data")) as (work, opened):
        assert {*work.plans} == {"trained"}
        assert opened.root == store
    assert (made, {*store.parent.iterdir()}) == ([], before)


def test_corpora_that_the_papers_lack_are_named(sightline: Call, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    small.sst(tmp_path / "data")
    data, store = str(tmp_path / "data"), str(tmp_path / "st")
    command = ("study", "papers", "--store", store, "--data", data, "--dry-run")
    ran = sightline(*command, "--json")
    assert {row["corpus"] for row in json.loads(ran.out)["tables"]} == {"sst"}
    left = {line.split()[2] for line in ran.err.splitlines() if line.startswith("left out: ")}
    assert left == {*PRIMARY, *SECONDARY} - {"sst"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("study real --store st", "--data: missing; real needs the folder that holds the corpora"),
        ("study papers --store st --data nowhere", "--data: nowhere: expected the folder"),
        ("study papers --store st --data empty --dry-run", "--data: empty has none of the corpora"),
        ("study papers --store st --data empty", "--data: empty has none of the corpora"),
        ("study s.toml --store st --results s.toml", "FILE.toml and --results both name s.toml"),
        (
            "study examples --store st --results results.txt",
            "expected a results file, compressed CSV",
        ),
        ("study information --store st --data empty --vectors none", "empty/20news"),
        ("study list --table t.md", "--table: list takes no such option"),
        ("study list --out o", "--out: list takes no such option"),
        ("study list --columns F1", "--columns: list takes no such option"),
        ("study list --results r.csv.gz", "--results: list takes no such option"),
        ("study list --so-far", "--so-far: list takes no such option"),
        ("study examples --store st --columns F1", "--columns: examples takes no such option"),
        ("study examples --store nowhere --so-far", "--store nowhere: expected a folder that"),
        (
            "study s.toml --store st --so-far",
            "--so-far: s.toml takes no such option: it is of the papers together",
        ),
        (
            "study jain2019:J-2 --store st --data . --results r.gz",
            "--results: jain2019:J-2 takes no such option",
        ),
    ],
)
def test_what_cannot_be_asked_of_a_named_study_is_refused(
    sightline: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.toml").write_text(STUDY.format(name="s"), encoding="utf-8")
    (tmp_path / "results.txt").write_text("mine", encoding="utf-8")
    (tmp_path / "empty").mkdir()
    done = sightline(*words.split())
    assert done.code == 2
    assert message in done.err
    assert {path.name for path in tmp_path.iterdir()} == {"empty", "results.txt", "s.toml"}
    assert (tmp_path / "results.txt").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("name", ["one.tex", "one-means.csv"])
def test_files_of_others_are_not_replaced_by_a_study(
    sightline: Call, folder: Path, store: Path, tmp_path: Path, name: str
) -> None:
    file = tmp_path / "one.toml"
    file.write_text(STUDY.format(name="one") + '[show]\nfigures = ["means"]\n', encoding="utf-8")
    (tmp_path / name).write_text("mine", encoding="utf-8")
    asked = ("study", file, "--store", store, "--out", tmp_path)
    done = sightline(*asked)
    assert (done.code, done.out) == (2, "")
    assert str(tmp_path / name) in done.err
    assert {path.name for path in tmp_path.iterdir()} == {"one.toml", name}
    (tmp_path / name).unlink()
    for _ in range(2):
        assert sightline(*asked).code == 0
    assert (tmp_path / name).read_text(encoding="utf-8") != "mine"


def test_a_study_does_not_replace_files_of_one_whose_name_differs_in_signs(
    sightline: Call, store: Path, tmp_path: Path
) -> None:
    """Names of files leave out blanks and signs, so both studies would write the same files."""
    kept = tmp_path / "out"
    for name in ("who & what", "who what"):
        (tmp_path / f"{name}.toml").write_text(STUDY.format(name=name), encoding="utf-8")
    first, other = (
        ("study", tmp_path / f"{name}.toml", "--store", store, "--out", kept)
        for name in ("who & what", "who what")
    )
    assert sightline(*first).code == 0
    before = {path.name: path.read_bytes() for path in kept.iterdir()}
    done = sightline(*other)
    assert (done.code, str(kept / "who-what.md") in done.err) == (2, True)
    assert sightline(*first).code == 0
    assert {path.name: path.read_bytes() for path in kept.iterdir()} == before


def test_a_dry_run_writes_nothing_into_an_empty_folder(sightline: Call, tmp_path: Path) -> None:
    (tmp_path / "one.toml").write_text(STUDY.format(name="one"), encoding="utf-8")
    (tmp_path / "empty").mkdir()
    asked = ("study", tmp_path / "one.toml", "--store", tmp_path / "empty", "--dry-run")
    assert sightline(*asked).code == 0
    assert [*(tmp_path / "empty").iterdir()] == []
