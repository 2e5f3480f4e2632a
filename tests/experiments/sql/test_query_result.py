"""Every kind of file reads back as what was answered, and none is half-written."""

import csv
import datetime
import json
import math
from pathlib import Path

import pyarrow.parquet
import pytest

from sightline.core.errors import SpecError
from sightline.experiments.sql.duckdb_query import ask
from sightline.experiments.sql.query_result import KINDS, QueryResult, check_answer, to_lines
from sightline.experiments.store import Store

VALUES = """
SELECT * FROM (VALUES
    (1, 0.1::DOUBLE, 'plain', true),
    (NULL, NULL, NULL, NULL),
    (-9007199254740993, 1e300::DOUBLE, '=1+1', false),
    (3, 'nan'::DOUBLE, '''s', NULL),
    (4, 'inf'::DOUBLE, 'a,"b"' || chr(10) || '漢', true)
) AS held(whole, number, text, yes)
"""
ROWS = [
    (1, 0.1, "plain", True),
    (None, None, None, None),
    (-9007199254740993, 1e300, "=1+1", False),
    (3, math.nan, "'s", None),
    (4, math.inf, 'a,"b"\n漢', True),
]


def write_answer(answer: QueryResult, path: Path) -> None:
    with path.open("wb") as file:
        KINDS[path.suffix.lower()](answer, file)


@pytest.fixture
def answer(tmp_path: Path) -> QueryResult:
    return ask(Store(tmp_path / "empty", make=False), VALUES)


def test_the_rows_are_those_that_were_asked_for(answer: QueryResult) -> None:
    assert answer.columns == ("whole", "number", "text", "yes")
    assert str(list(answer.rows())) == str(ROWS)  # as text, in which NaN is NaN
    assert len(answer) == 5


def test_a_terminal_shows_rounded_numbers_exact_whole_ones_and_nothing_for_null(
    tmp_path: Path,
) -> None:
    shown = to_lines(
        ask(
            Store(tmp_path / "empty", make=False),
            "SELECT * FROM (VALUES (12345678, 0.123456::DOUBLE), (NULL, -0.00001::DOUBLE), "
            "(3, 'nan'::DOUBLE), (4, NULL)) AS held(whole, number)",
        )
    )
    assert [line.split() for line in shown.splitlines()] == [
        ["whole", "number"],
        ["12345678", "0.123"],
        ["0.000"],
        ["3", "undefined"],
        ["4"],
        ["4", "rows"],
    ]


def test_parquet_reads_back_with_its_types(answer: QueryResult, tmp_path: Path) -> None:
    write_answer(answer, tmp_path / "a.parquet")
    table = pyarrow.parquet.read_table(tmp_path / "a.parquet")
    assert str(list(zip(*table.to_pydict().values(), strict=True))) == str(ROWS)
    assert [str(kind) for kind in table.schema.types] == ["int64", "double", "string", "bool"]


def test_json_reads_back_with_null_for_what_is_no_finite_number(
    answer: QueryResult, tmp_path: Path
) -> None:
    write_answer(answer, tmp_path / "a.JSON")
    read = json.loads((tmp_path / "a.JSON").read_text(), parse_constant=pytest.fail)
    finite = [
        [None if isinstance(one, float) and not math.isfinite(one) else one for one in row]
        for row in ROWS
    ]
    assert [list(row.values()) for row in read] == finite
    assert list(read[0]) == ["whole", "number", "text", "yes"]


def test_csv_reads_back_in_full_and_runs_in_no_spreadsheet(
    answer: QueryResult, tmp_path: Path
) -> None:
    write_answer(answer, tmp_path / "a.csv")
    with (tmp_path / "a.csv").open(newline="") as file:
        head, *rows = csv.reader(file)
    assert head == ["whole", "number", "text", "yes"]
    assert rows == [
        ["1", "0.1", "plain", "true"],
        ["", "", "", ""],
        ["-9007199254740993", "1e+300", "'=1+1", "false"],
        ["3", "", "''s", ""],
        ["4", "inf", 'a,"b"\n漢', "true"],
    ]
    nested = ask(Store(tmp_path / "empty", make=False), "SELECT [1.0, 'nan'::DOUBLE] AS held")
    write_answer(nested, tmp_path / "n.csv")
    with (tmp_path / "n.csv").open(newline="") as file:
        _, (held,) = csv.reader(file)
    assert json.loads(held, parse_constant=pytest.fail) == [1.0, None]
    formula = ask(Store(tmp_path / "empty", make=False), """SELECT 1 AS "=cmd()" """)
    write_answer(formula, tmp_path / "f.csv")
    assert (tmp_path / "f.csv").read_bytes() == b"'=cmd()\r\n1\r\n"


def test_other_types_become_what_json_has(tmp_path: Path) -> None:
    query = """SELECT sum(range), 1.5::DECIMAL(4, 1), DATE '2020-01-02', [1, NULL], {'a': [DATE '2020-01-02']},
               'x'::BLOB, 170141183460469231731687303715884105727::HUGEINT, MAP {'k': 1} FROM range(3)"""
    (row,) = ask(Store(tmp_path / "empty", make=False), query).rows()
    assert row == (
        3,
        1.5,
        "2020-01-02",
        [1, None],
        {"a": ["2020-01-02"]},
        "b'x'",
        2**127 - 1,
        [["k", 1]],
    )
    assert [type(value) for value in row[:2]] == [int, float]
    assert str(datetime.date(2020, 1, 2)) == row[2]


DATED = """
SELECT 'infinity'::DATE AS a, '-infinity'::TIMESTAMP AS a, DATE '10000-01-01' AS far, '24:00:00'::TIME AS late,
       INTERVAL 1 MONTH AS month, ['infinity'::DATE, NULL] AS l, {'x y': 'infinity'::TIMESTAMPTZ, 'n': 1} AS s,
       MAP {'k': '-infinity'::DATE} AS m, array_value(DATE '2020-01-02', 'infinity'::DATE) AS two,
       union_value(day := 'infinity'::DATE) AS u, [{'d': DATE '2020-01-02'}] AS nested, 7 AS n,
       row('infinity'::DATE, 1) AS unnamed, NULL::DATE AS none
"""


def test_dates_and_times_are_text_as_duckdb_writes_it_also_where_python_has_none(
    tmp_path: Path,
) -> None:
    found = ask(Store(tmp_path / "empty", make=False), DATED)
    assert list(found.rows()) == [
        (
            "infinity",
            "-infinity",
            "10000-01-01",
            "24:00:00",
            "1 month",
            ["infinity", None],
            {"x y": "infinity", "n": 1},
            [["k", "-infinity"]],
            ["2020-01-02", "infinity"],
            "infinity",
            [{"d": "2020-01-02"}],
            7,
            "(infinity, 1)",
            None,
        )
    ]
    assert found.columns[:3] == ("a", "a_1", "far")
    for name in ("a.csv", "a.json"):
        write_answer(found, tmp_path / name)
    with (tmp_path / "a.csv").open(newline="") as file:
        head, row = csv.reader(file)
    assert dict(zip(head, row, strict=True))["a_1"] == "'-infinity"
    assert json.loads((tmp_path / "a.json").read_text())[0]["far"] == "10000-01-01"


def test_parquet_keeps_the_types_of_dates(tmp_path: Path) -> None:
    write_answer(
        ask(Store(tmp_path / "empty", make=False), "SELECT DATE '2020-01-02' AS d", typed=True),
        tmp_path / "a.parquet",
    )
    assert str(pyarrow.parquet.read_schema(tmp_path / "a.parquet").types[0]) == "date32[day]"


def test_csv_shows_what_a_terminal_would_obey_and_what_turns_the_order(tmp_path: Path) -> None:
    query = (
        "SELECT chr(27) || '[2J' || chr(8238) || 'x' AS t, [chr(27) || chr(8238)] AS l, 1 AS "
        '"a\x1b"'
    )
    write_answer(ask(Store(tmp_path / "empty", make=False), query), tmp_path / "a.csv")
    head, row = csv.reader((tmp_path / "a.csv").read_text(encoding="utf-8").splitlines())
    assert (head, row) == (["t", "l", "a␛"], ["␛[2J⟦U+202E⟧x", '["\\u001b\\u202e"]', "1"])


def test_columns_of_one_name_are_told_apart(tmp_path: Path) -> None:
    twice = ask(Store(tmp_path / "empty", make=False), "SELECT 1 AS a, 2 AS a, 3 AS a_1, 4 AS a")
    assert twice.columns == ("a", "a_1", "a_1_1", "a_2")
    assert twice.records() == [{"a": 1, "a_1": 2, "a_1_1": 3, "a_2": 4}]
    write_answer(twice, tmp_path / "t.parquet")
    assert pyarrow.parquet.read_table(tmp_path / "t.parquet").column_names == [
        "a",
        "a_1",
        "a_1_1",
        "a_2",
    ]


@pytest.mark.parametrize("name", ["a.xlsx", "a", "csv", "a.csv.gz"])
def test_a_file_of_another_kind_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(
        SpecError, match=r"^out: expected a name that ends in \.csv, \.json, \.parquet, got "
    ):
        check_answer(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_what_parquet_cannot_hold_is_said(tmp_path: Path) -> None:
    strange = ask(Store(tmp_path / "empty", make=False), "SELECT INTERVAL 1 MONTH AS i", typed=True)
    with pytest.raises(
        SpecError, match=r"^out: Parquet cannot hold a column of it .*; CAST that to text$"
    ):
        write_answer(strange, tmp_path / "a.parquet")


def test_an_answer_without_rows_has_its_columns(tmp_path: Path) -> None:
    none = ask(Store(tmp_path / "empty", make=False), "FROM runs")
    assert (len(none), none.records(), none.columns[0]) == (0, [], "key")
    for name in ("a.csv", "a.json", "a.parquet"):
        write_answer(none, tmp_path / name)
    assert (tmp_path / "a.csv").read_text().startswith("key,state,")
    assert json.loads((tmp_path / "a.json").read_text()) == []
    assert pyarrow.parquet.read_table(tmp_path / "a.parquet").num_rows == 0
