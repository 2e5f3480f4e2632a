"""`results --sql`: a query from the command line, its answer printed or in a file, and what is
refused.
"""

import csv
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet
import pytest

from sightline.cli.exit_codes import DONE, UNFINISHED
from sightline.experiments.audit_lookup import torn_runs_of
from sightline.experiments.pipeline import run
from sightline.experiments.store import Store
from tests.cli.conftest import Call
from tests.experiments.one_run import SPEC

MEANS = (
    "SELECT quantity, avg(value) AS mean, count(*) AS runs FROM numbers GROUP BY ALL ORDER BY ALL"
)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Store:
    store, audit = Store(tmp_path_factory.mktemp("kept") / "store"), run(SPEC)[1]
    for seed in (0, 1):
        store.write_run(replace(SPEC, seed=seed), audit, 1.0)
    store.write_failure(replace(SPEC, seed=2), "\x1b[2Jboom", 1.0)
    return store


@pytest.fixture
def ask(sightline: Call, kept: Store):
    return lambda *more: sightline("results", "--store", kept.root, "--sql", *more)


def test_an_answer_is_printed_with_its_numbers_rounded(ask) -> None:
    done = ask("SELECT 0.123456::DOUBLE AS number, 2019 AS seed, NULL AS nothing, 'x' AS text")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "number  seed  nothing  text",
        "0.123   2019           x",
        "1 row",
    ]


def test_every_form_of_an_answer_is_the_same(ask, kept: Store, here: Path) -> None:
    rows = ask(MEANS, "--json").json
    accuracy = (
        next(one for one in kept.summaries() if one.state == "done").estimate("accuracy").value
    )
    assert {row["quantity"]: row for row in rows}["accuracy"] == {
        "quantity": "accuracy",
        "mean": accuracy,
        "runs": 2,
    }
    for kind in ("csv", "json", "parquet"):
        done = ask(MEANS, "--out", f"a.{kind}")
        assert (done.code, done.out) == (0, f"answer: a.{kind} ({len(rows)} rows)\n")
    assert ask(MEANS, "--out", "a.json", "--json").json == {"out": "a.json", "rows": len(rows)}
    assert json.loads(Path("a.json").read_text()) == rows
    assert pyarrow.parquet.read_table("a.parquet").to_pylist() == rows
    with Path("a.csv").open(newline="") as file:
        read = [
            {**row, "mean": float(row["mean"]), "runs": int(row["runs"])}
            for row in csv.DictReader(file)
        ]
    assert read == rows


MINE = {
    "mine.csv": "text,label\nit hurts,1\n",
    "mine.json": '[\n {\n  "text": "it hurts",\n  "label": 1\n }\n]',
    "other.json": '{"text": "it hurts"}',
    "mine.parquet": "PAR1, or so it says",
}


@pytest.mark.parametrize("name", MINE)
def test_an_answer_replaces_only_an_answer_with_its_columns(ask, here: Path, name: str) -> None:
    Path(name).write_text(MINE[name])
    done = ask(MEANS, "--out", name)
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        f"error: --out: {name} exists and is no answer with the columns of this one; name another "
        "file, or move this one\n"
    )
    assert Path(name).read_text() == MINE[name]
    Path(name).write_text("")  # an empty file is as good as none
    odd = "SELECT seed AS '\"a\" \n=', key AS '=b,' FROM runs"
    for query in (MEANS, MEANS, f"{MEANS} LIMIT 0", MEANS):
        assert ask(query, "--out", name).code == 0
    assert (ask(odd, "--out", name).code, ask(odd, "--out", f"odd-{name}").code) == (2, 0)
    assert ask(odd, "--out", f"odd-{name}").code == 0


def test_nothing_a_terminal_would_obey_is_printed(ask) -> None:
    done = ask("SELECT error FROM runs WHERE state = 'failed'")
    assert done.out == "error\n␛[2Jboom\n1 row\n"


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("SELEC 1", "--out", "a.csv"), '--sql: Parser Error: syntax error at or near "SELEC"'),
        (
            ("COPY runs TO 'b.csv'", "--out", "a.csv"),
            "--sql: expected a query such as SELECT, got COPY",
        ),
        (("FROM 'a.csv'", "--json"), '--sql: Permission Error: Cannot access file "a.csv"'),
        (("SELECT error('a' || chr(27)) FROM runs",), "--sql: Invalid Input Error: a␛"),
        (
            ("SELECT INTERVAL 1 MONTH AS i", "--out", "a.parquet"),
            "--out: Parquet cannot hold a column of it",
        ),
        (
            ("FROM runs", "--out", "a.xlsx"),
            "--out: expected a name that ends in .csv, .json, .parquet, got a.xlsx",
        ),
        (
            ("FROM runs", "--csv", "b.csv"),
            "--csv: lists every run, and --sql answers a query; take --out",
        ),
    ],
)
def test_what_is_refused_is_one_line_and_leaves_everything(
    ask, here: Path, more: tuple[str, ...], message: str
) -> None:
    old = {"a.csv": "the old one", "a.parquet": ""}
    for name, text in old.items():
        Path(name).write_text(text)
    done = ask(*more)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"error: {message}")
    assert len(done.err.splitlines()) == 1
    assert {path.name: path.read_text() for path in here.iterdir()} == old


@pytest.mark.parametrize(
    "query", ["SELEC 1", "SELECT 1; SELECT 2", "SELECT repeat('x', 4000000000)"]
)
def test_a_query_that_fails_makes_no_folder_for_its_answer(ask, here: Path, query: str) -> None:
    done = ask(query, "--out", "no/such/a.csv", "--memory", "64M")
    assert (done.code, list(here.iterdir())) == (2, [])
    assert ask("SELECT 1 AS one", "--out", "no/such/a.csv").code == 0
    assert Path("no/such/a.csv").read_bytes() == b"one\r\n1\r\n"


def test_a_limit_on_memory_needs_a_query_and_is_named_by_its_flag(
    ask, sightline: Call, kept: Store
) -> None:
    done = sightline("results", "--store", kept.root, "--memory", "64M")
    assert (done.code, done.err.startswith("error: --memory: ")) == (2, True)
    done = ask("SELECT repeat('x', 4000000000)", "--memory", "64M")
    assert (done.code, done.out, done.err.startswith("error: --memory: ")) == (2, "", True)


def test_infinite_dates_are_printed(ask) -> None:
    assert ask("SELECT 'infinity'::DATE AS d, '-infinity'::TIMESTAMP AS t", "--json").json == [
        {"d": "infinity", "t": "-infinity"}
    ]


def test_a_file_for_an_answer_needs_a_query(sightline: Call, kept: Store, here: Path) -> None:
    done = sightline("results", "--store", kept.root, "--out", "a.csv")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "error: --out: is where the answer of --sql goes; name a query, or take --csv for "
        "all numbers\n"
    )


def test_nothing_is_read_where_it_cannot_be_answered(
    ask, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise AssertionError("work was begun")

    for name in ("listed", "check", "audit"):
        monkeypatch.setattr(Store, name, fail)
    monkeypatch.setitem(__import__("sys").modules, "duckdb", None)
    done = ask("FROM runs", "--check")
    assert (done.code, done.out) == (2, "")
    assert "pip install 'sightline-audit[duckdb]'" in done.err
    assert ask("FROM runs", "--out", "a.doc", "--check").err.startswith(
        "error: --out: expected a name that ends in"
    )


def test_a_query_of_a_store_with_a_torn_run_is_refused(sightline: Call, tmp_path: Path) -> None:
    """It would count fewer runs than there are."""
    store = Store(tmp_path / "store")
    store.write_failure(SPEC, "boom", 1.0)
    (key,) = store.keys()
    (store.run_folder(key) / "summary.json").write_text("{}")
    done = sightline(
        "results", "--store", store.root, "--check", "--sql", "SELECT count(*) AS runs FROM runs"
    )
    assert (done.code, done.out) == (2, "")
    named, refused = done.err.splitlines()
    assert named == f"torn or changed: {key}; a study that has this run makes it again"
    assert key in refused


def test_runs_that_a_list_leaves_out_are_noted(sightline: Call, tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    for seed in (0, 1, 2):
        store.write_failure(replace(SPEC, seed=seed), "boom", 1.0)
    torn, *whole = store.keys()
    asked = ("results", "--store", store.root)
    assert sightline(*asked).err == ""
    (store.run_folder(torn) / "summary.json").write_text("{}")
    for more in ((), ("--csv", tmp_path / "runs.csv"), ("--json",)):
        done = sightline(*asked, *more)
        assert done.err.startswith("note: 1 run ")
    states = {one["key"]: one["state"] for one in done.json}
    assert states == {torn: "missing", **dict.fromkeys(whole, "failed")}
    assert torn_runs_of(str(store.root)) == (torn,)
    assert torn_runs_of(str(tmp_path)) == ()


def test_a_run_that_a_check_finds_torn_is_no_longer_listed(sightline: Call, tmp_path: Path) -> None:
    """A list reads the summary of a run alone, so only the check sees its other files."""
    store = Store(tmp_path / "store")
    for seed in (0, 1):
        store.write_failure(replace(SPEC, seed=seed), "boom", 1.0)
    torn, whole = store.keys()
    (store.run_folder(torn) / "spec.json").write_text("{}")
    asked, numbers = ("results", "--store", store.root, "--check"), tmp_path / "runs.csv"
    done = sightline(*asked, "--json", "--csv", numbers)
    states = {one["key"]: one["state"] for one in done.json}
    assert states == {torn: "missing", whole: "failed"}
    assert (done.code, torn in numbers.read_text()) == (UNFINISHED, False)
    listed = sightline(*asked)
    assert listed.code == UNFINISHED
    shutil.rmtree(store.run_folder(torn))
    assert sightline(*asked).code == DONE
    assert (torn in listed.out, whole in listed.out) == (False, True)
