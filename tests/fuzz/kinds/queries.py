"""Queries to a store: odd values, types that Python lacks, texts that a terminal obeys, and more
than fits anywhere.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

from tests.fuzz.basis import Basis
from tests.fuzz.case import Case

VALUES = (
    "'infinity'::DATE",
    "'-infinity'::TIMESTAMP",
    "'infinity'::TIMESTAMPTZ",
    "'290000-01-01'::TIMESTAMP_S",
    "'5000-01-01 (BC)'::DATE",
    "'24:00:00'::TIME",
    "'10:00:00+15:00'::TIMETZ",
    "INTERVAL '-1 month 3 days 1 us'",
    "'nan'::DOUBLE",
    "'-inf'::FLOAT",
    "170141183460469231731687303715884105727::HUGEINT",
    "-1::DECIMAL(38, 37)",
    "chr(27) || '[2J'",
    "chr(8238) || 'x'",
    "'=cmd()'",
    "'''s'",
    "chr(0)",
    "chr(13)",
    "'a' || chr(10) || 'b'",
    "'\\x00\\xff'::BLOB",
    "'0101'::BIT",
    "gen_random_uuid()",
    "'x'::ENUM('x', 'y')",
    "NULL",
    "[]",
    "{}",
    "MAP {}",
    "[NULL, ['infinity'::DATE]]",
    "{'a b': 'infinity'::DATE, 'c': [1]}",
    "row('infinity'::DATE, 1)",
    "MAP {'infinity'::DATE: 'nan'::DOUBLE}",
    "union_value(d := 'infinity'::DATE)",
    "array_value(1, 2)",
    "error('a' || chr(27))",
    "1 / 0",
    "'[1, {\"a\": null}]'",
    "getenv('HOME')",
    "current_setting('memory_limit')",
    "(SELECT max(value) FROM numbers)",
    "(SELECT count(*) FROM texts)",
    "nope",
    "?",
    "$1",
    "#1",
    "*",
)
WHOLE = (
    "COPY runs TO 'out.csv'",
    "ATTACH 'a.db'",
    "SELECT * FROM 't.csv'",
    "SELECT * FROM read_text('t.csv')",
    "SELECT * FROM glob('*')",
    "SELECT 1; SELECT 2",
    "",
    "--",
    "SELECT",
    "PRAGMA database_list",
    "SET threads = 9",
    "INSTALL httpfs",
    "SELECT repeat('x', 4000000000)",
    "SELECT range(400000000)",
    ("SELECT * FROM range(100000000) ORDER BY 1 DESC"),
    "SELECT string_agg(repeat('y', 100000), ',') FROM range(100000)",
    "SELECT " + "(" * 5000 + "1" + ")" * 5000,
    "SELECT " + "1 + " * 20000 + "1",
    "SELECT '" + "x" * 100000 + "'",
    'SELECT 1 AS "' + "\x1b" * 20 + '"',
    "PIVOT numbers ON quantity USING first(value)",
    "SUMMARIZE numbers",
    "DESCRIBE texts",
    "SHOW TABLES",
    "EXPLAIN SELECT 1",
    "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n || n FROM t) SELECT * FROM t",
    "FROM query('SELECT 1')",
    "SELECT \x00",
    "SELECT '\ud800'",
    "SELECT '\u202e'",
)
FROM = (
    "",
    " FROM runs",
    " FROM texts LIMIT 3",
    " FROM numbers",
    " FROM range(3)",
    " FROM runs, findings",
    " FROM nowhere",
)
MEMORY = (
    (),
    ("--memory", "64M"),
    ("--memory", "1M"),
    ("--memory", "200M"),
    ("--memory", "0"),
    ("--memory", "1Z"),
)


def query(chance: Random, here: Path, basis: Basis) -> Case:
    """Ask for some odd values, or something that no store answers; print the answer or write it
    somewhere.
    """
    basis.take(here, "st", "t.csv")
    values = ", ".join(chance.choice(VALUES) for _ in range(chance.randint(1, 3)))
    asked = (
        chance.choice(WHOLE) if chance.random() < 0.3 else f"SELECT {values}{chance.choice(FROM)}"
    )
    out = chance.choice(
        ("out.csv", "out.json", "out.parquet", "out.txt", "st", "t.csv", "no/such/out.csv", "")
    )
    where = chance.choice(
        ((), ("--json",), ("--out", out), ("--out", out, "--json"), ("--csv", "out.csv"))
    )
    memory = chance.choice(MEMORY) if chance.random() < 0.5 else ("--memory", "400M")
    return Case(
        ("results", "--store", "st", f"--sql={asked}", *where, *memory),
        (
            "out.csv",
            "out.json",
            "out.parquet",
            *((out,) if out else ()),
            "st",
        ),  # a file that is named is replaced
    )
