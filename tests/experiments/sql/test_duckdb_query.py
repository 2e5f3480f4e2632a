"""A query sees the rows of a store as they are now, and nothing else on the machine."""

import json
import math
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from sightline.config.run_keys import run_key
from sightline.core.errors import MissingExtra, SpecError, StoreError
from sightline.core.results import Bracket, Estimate, Measurement
from sightline.experiments.long_table import all_numbers, main_numbers, text_numbers
from sightline.experiments.pipeline import run
from sightline.experiments.sql import duckdb_query as asking
from sightline.experiments.sql import table_streams
from sightline.experiments.sql.duckdb_query import ask
from sightline.experiments.sql.store_tables import TABLES
from sightline.experiments.store import Store, Summary
from tests.experiments.one_run import SPEC

ODD = "mlp(hidden=4) \"quoted\" 'x'; DROP TABLE runs; -- Modell für 漢字\n\ud800"
KEYS = [run_key(replace(SPEC, seed=seed)) for seed in (1, 2, 3)]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A store of two runs that are done and one that failed; to be copied, not changed."""
    store, audit = Store(tmp_path_factory.mktemp("kept") / "store"), run(SPEC)[1]
    store.write_run(SPEC, audit, 1.5)
    store.write_run(replace(SPEC, seed=2), audit, 2.5)
    store.write_failure(replace(SPEC, seed=3), "ModelError: no such text", 0.5)
    return store


@pytest.fixture
def store(kept: Store, tmp_path: Path) -> Store:
    return Store(shutil.copytree(kept.root, tmp_path / "store"))


@pytest.fixture
def audits_read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Which runs are read whole."""
    read: list[str] = []
    real = Store.audit
    monkeypatch.setattr(Store, "audit", lambda self, key: read.append(key) or real(self, key))
    return read


def undefined(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else value


def numbers_of(store: Store, key: str, numbers) -> list[tuple]:
    seed = store.summary(key).seed
    return [
        (
            one.run,
            seed,
            one.quantity,
            undefined(one.value),
            undefined(one.low),
            undefined(one.high),
            one.n,
            one.method,
        )
        for one in numbers
    ]


NUMBERS = "SELECT run, seed, quantity, value, low, high, n, method FROM {} ORDER BY ALL"


def by_all(rows) -> list[tuple]:
    return sorted(
        rows, key=lambda row: [(value is None, value) for value in row]
    )  # DuckDB puts nothing last


def test_the_numbers_are_those_of_the_rows(kept: Store) -> None:
    summaries = {key: kept.summary(key) for key in KEYS[:2]}
    main = [
        row for key, one in summaries.items() for row in numbers_of(kept, key, main_numbers(one))
    ]
    assert list(ask(kept, NUMBERS.format("numbers")).rows()) == by_all(main)
    every = [
        row
        for key, one in summaries.items()
        for row in numbers_of(kept, key, all_numbers(one, kept.audit(key)))
    ]
    assert list(ask(kept, NUMBERS.format("estimates")).rows()) == by_all(every)
    assert len(every) > len(main) > 20


def test_the_numbers_of_texts_are_those_of_the_rows_with_what_each_text_is(kept: Store) -> None:
    audit = kept.audit(KEYS[0])
    texts = {text.id: text for text in audit.texts}
    wanted = [
        (
            one.text,
            texts[one.text].label,
            texts[one.text].predicted,
            one.quantity,
            *map(undefined, (one.value, one.low, one.high)),
        )
        for one in text_numbers(kept.summary(KEYS[0]), audit)
    ]
    query = (
        "SELECT text, label, predicted, quantity, value, low, high FROM texts WHERE run = "
        f"'{KEYS[0]}' ORDER BY ALL"
    )
    assert list(ask(kept, query).rows()) == by_all(wanted)
    counted = ask(
        kept,
        "SELECT predicted, count(*) FROM texts WHERE quantity = 'outputs.predicted' GROUP BY ALL",
    )
    assert dict(counted.rows()) == {
        name: 2 * n for name, n in Counter(one.predicted for one in audit.texts).items()
    }


def test_a_number_between_two_bounds_has_both(kept: Store) -> None:
    run_kept, audit = kept.summary(KEYS[0]), kept.audit(KEYS[0])
    n = len(audit.texts)
    reach = Measurement("reach", {"total": Bracket(np.zeros(n), np.ones(n))})
    held = replace(audit, measurements={"reach": reach})
    rows = [*TABLES["texts"].rows(SimpleNamespace(audit=lambda key: held), [run_kept])]  # type: ignore[arg-type,list-item]
    assert len(rows) == n
    assert {(row[-4], *row[-2:]) for row in rows} == {("reach.total", 0.0, 1.0)}
    assert all(math.isnan(row[-3]) for row in rows), "where it lies between them is unknown"


def test_runs_and_findings_are_those_of_the_summaries(kept: Store) -> None:
    names = (
        "key",
        "state",
        "data",
        "model",
        "seed",
        "setting",
        "verdict",
        "row",
        "error",
        "seconds",
    )
    runs = kept.summaries()
    assert list(ask(kept, "FROM runs").rows()) == [
        tuple(getattr(one, name) for name in names) for one in runs
    ]
    assert list(ask(kept, "SELECT run, finding, verdict FROM findings").rows()) == [
        (one.key, code, answer.result)
        for one in runs
        for code, answer in (one.findings or {}).items()
    ]


def test_every_table_has_the_columns_and_kinds_that_are_told(kept: Store) -> None:
    types = {"text": "VARCHAR", "whole number": "BIGINT", "number": "DOUBLE"}
    for name, table in TABLES.items():
        found = [
            (row["column_name"], row["column_type"])
            for row in ask(kept, f"DESCRIBE {name}").records()
        ]
        assert found == [(column.name, types[column.kind]) for column in table.columns]
    assert [row["name"] for row in ask(kept, "SHOW TABLES").records()] == sorted(TABLES)


@pytest.mark.parametrize(
    ("query", "whole"),
    [
        ("SELECT count(*) FROM numbers JOIN runs ON key = run", 0),
        ("DESCRIBE texts", 0),
        ("WITH texts AS (SELECT 1 AS one) SELECT * FROM texts", 0),
        ("SELECT 'FROM texts'", 0),
        ('SELECT count(*) FROM "TEXTS"', 2),
        ("SELECT (SELECT count(*) FROM estimates) FROM runs", 2),
        ("SELECT * FROM texts LIMIT 1", 1),
        ("SELECT count(*) FROM texts a JOIN texts b USING (run, text, quantity)", 4),
    ],
)
def test_audits_are_read_for_tables_that_are_scanned_and_no_others(
    kept: Store, audits_read: list[str], monkeypatch: pytest.MonkeyPatch, query: str, whole: int
) -> None:
    monkeypatch.setattr(table_streams, "_ROWS", 100)  # fewer than a run has
    ask(kept, query)
    assert len(audits_read) == whole


def test_tables_of_one_answer_are_of_the_same_runs(
    kept: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, listed = Store.listed, []
    monkeypatch.setattr(Store, "listed", lambda self: listed.append(1) or real(self))
    ask(kept, "SELECT * FROM runs, numbers, findings, runs again")
    assert len(listed) == 1


def test_a_changed_store_shows_at_once(store: Store) -> None:
    states = "SELECT state, count(*) FROM runs GROUP BY ALL ORDER BY ALL"
    assert dict(ask(store, states).rows()) == {"done": 2, "failed": 1}
    store.write_run(replace(SPEC, seed=3), store.audit(KEYS[0]), 1.0)
    assert dict(ask(store, states).rows()) == {"done": 3}
    shutil.rmtree(store.run_folder(KEYS[0]))
    assert dict(ask(store, states).rows()) == {"done": 2}
    assert KEYS[0] not in {
        row["run"] for row in ask(store, "SELECT DISTINCT run FROM texts").records()
    }


# ---------------------------------------------------------------- odd values


def test_odd_names_are_text_and_undefined_numbers_are_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nan, inf = math.nan, math.inf
    metrics = {"a": Estimate(nan, nan, nan, 3, ""), "b": Estimate(0.0, -inf, inf, 0, "m'\"")}
    odd = Summary("k", ODD, ODD, 2**64, "done", 1.0, metrics=metrics, setting="fit.epochs=3")
    two = (odd, replace(odd, key="l", seed=-(2**63)))
    monkeypatch.setattr(Store, "listed", lambda self: (two, []))
    found = ask(
        Store(tmp_path / "s"),
        "SELECT * EXCLUDE data FROM numbers WHERE run = 'k' ORDER BY quantity",
    ).rows()
    written = ODD.replace("\ud800", "\\ud800")
    assert list(found) == [
        ("k", written, None, "fit.epochs=3", "a", None, None, None, 3, ""),
        ("k", written, None, "fit.epochs=3", "b", 0.0, -inf, inf, 0, "m'\""),
    ]
    escaped = written.replace("'", "''")
    query = (
        f"SELECT seed, avg(value), count(value) FROM numbers WHERE model = '{escaped}' GROUP BY "
        "ALL ORDER BY ALL"
    )
    assert list(ask(Store(tmp_path / "s"), query).rows()) == [(-(2**63), 0.0, 1), (None, 0.0, 1)]


def test_a_quantity_that_has_not_one_number_a_text_is_left_out(kept: Store) -> None:
    audit = kept.audit(KEYS[0])
    values = {"all": audit.measurements["outputs"].values["predicted"][:1]}
    curve = Measurement("curve", values, {}, {})
    with_it = replace(audit, measurements={**audit.measurements, "curve": curve})
    assert [
        one for one in text_numbers(kept.summary(KEYS[0]), with_it) if one.quantity == "curve.all"
    ] == []


# ---------------------------------------------------------------- what is refused

REACHES_OUT = [
    "COPY runs TO 'FILE'",
    "COPY (SELECT 1) TO 'FILE' (FORMAT parquet)",
    "ATTACH 'FILE'",
    "EXPORT DATABASE 'FILE'",
    "IMPORT DATABASE 'FILE'",
    "INSTALL httpfs",
    "LOAD httpfs",
    "SET enable_external_access = true",
    "RESET lock_configuration",
    "PRAGMA database_list",
    "CREATE TABLE t AS SELECT 1",
    "DROP VIEW runs",
    "INSERT INTO runs VALUES (1)",
    "CALL pragma_version()",
    "EXPLAIN ANALYZE SELECT 1",
    "BEGIN",
    "",
    "-- nothing",
    "SELECT 1; SELECT 2",
    "SELECT 1; COPY runs TO 'FILE'",
    "SELECT * FROM read_csv('SECRET')",
    "SELECT * FROM read_text('SECRET')",
    "SELECT * FROM read_blob('SECRET')",
    "SELECT * FROM sniff_csv('SECRET')",
    "SELECT * FROM 'SECRET'",
    "SELECT * FROM glob('*')",
    "SELECT * FROM query('COPY (SELECT 1) TO ''FILE''')",
    "SELECT getenv('HOME')",
    "SELECT * FROM store",
    "SELECT * FROM streams",
    "SELECT nope FROM runs",
    "SELECT ? FROM runs",
    "SELEC 1",
]


@pytest.mark.parametrize("query", REACHES_OUT)
def test_what_is_no_query_or_reaches_out_is_refused(
    kept: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, query: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "secret.csv").write_text("told\nhidden-cargo\n")
    with pytest.raises(SpecError, match=r"^sql: ") as caught:
        ask(kept, query.replace("FILE", "out").replace("SECRET", "secret.csv"))
    assert "hidden-cargo" not in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == ["secret.csv"]


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("enable_external_access", False),
        ("lock_configuration", True),
        ("autoload_known_extensions", False),
        ("autoinstall_known_extensions", False),
        ("python_enable_replacements", False),
        ("temp_directory", ""),
    ],
)
def test_a_query_runs_sealed(kept: Store, setting: str, value: object) -> None:
    assert list(ask(kept, f"SELECT current_setting('{setting}')").rows()) == [(value,)]


def test_a_query_sees_no_secrets_that_are_kept_for_duckdb(
    kept: Store, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert list(ask(kept, "FROM duckdb_secrets()").rows()) == []
    assert not any(tmp_path.iterdir())


def test_the_message_is_that_of_duckdb_with_the_tables_there_are(kept: Store) -> None:
    with pytest.raises(SpecError) as caught:
        ask(kept, "SELECT nope\nFROM runs")
    said = str(caught.value)
    assert said.startswith('sql: Binder Error: Referenced column "nope" not found in FROM clause!')
    assert said.endswith(
        "the tables are runs, findings, numbers, estimates, texts (DESCRIBE runs names the "
        "columns of one)"
    )
    assert "\n" not in said
    assert "^" not in said


def test_a_run_that_is_torn_is_our_own_error(store: Store) -> None:
    (store.run_folder(KEYS[0]) / "arrays.npz").write_bytes(b"torn")
    assert list(ask(store, "SELECT count(*) FROM runs").rows()) == [(3,)]
    with pytest.raises(StoreError, match=rf"{KEYS[0]}: torn or changed"):
        ask(store, "SELECT count(*) FROM texts")


@pytest.mark.parametrize("missing", ["duckdb", "pyarrow"])
def test_what_is_not_installed_is_named_with_its_cure(
    kept: Store, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(MissingExtra, match=rf"{missing}.*pip install 'sightline-audit\[duckdb\]'"):
        asking.check_sql()
    with pytest.raises(MissingExtra):
        ask(kept, "FROM runs")


def test_the_command_itself_never_imports_duckdb(kept: Store) -> None:
    code = f"""
import contextlib, io, json, sys
from sightline.cli.app import run
found = []
for arguments in (["results"], ["results", "--sql", "SELECT 1"]):
    with contextlib.redirect_stdout(io.StringIO()):
        assert run([*arguments, "--store", {str(kept.root)!r}]) == 0
    found.append(sorted({{"duckdb", "pyarrow", "torch", "scipy"}} & set(sys.modules)))
print(json.dumps(found))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [[], []]
