"""A table for each split as a value: text and JSON there and back, a key without folders, and what
cannot be.
"""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.config.json_reader import read_as
from sightline.config.run_keys import run_key
from sightline.config.spec_syntax import parse_data, parse_model
from sightline.config.specs import DataSpec, RunSpec, plain_values
from sightline.config.user_tables import Files, Table, read_files, read_one, table_kind
from sightline.core.errors import SpecError
from tests.snapshots import refused

NAMES = st.text(alphabet="ab/.,=:()+ é", min_size=1, max_size=12)
KINDS = st.sampled_from(["csv", "tsv", "jsonl", "parquet"])


@given(
    st.dictionaries(
        st.sampled_from(["train", "validation", "test"]), st.tuples(KINDS, NAMES), min_size=1
    )
)
def test_files_round_trip(named: dict[str, tuple[str, str]]) -> None:
    try:
        files = Files(**{split: Table(*table) for split, table in named.items()})
    except SpecError:
        paths = [Path(path) for _, path in named.values()]
        assert "test" not in named or len(set(paths)) < len(paths)
        return
    spec = DataSpec("files", files=files, id="name", group="who", on_copies="drop")
    assert parse_data(str(spec), id="name", group="who", on_copies="drop") == spec
    assert read_as(DataSpec, json.loads(json.dumps(plain_values(spec))), "data") == spec
    assert [table.path for table in files.tables.values()] == [*spec.places]


def test_a_table_is_named_by_its_ending_or_its_kind() -> None:
    assert read_one("test", "a/B.CSV.GZ") == Table("csv", "a/B.CSV.GZ")
    assert read_one("test", "tsv:a.txt") == Table("tsv", "a.txt")
    assert table_kind("x.parquet") == "parquet"
    files = read_files("test=c.jsonl,train=csv:a,b.txt")
    assert str(files) == "train=csv:a,b.txt,test=jsonl:c.jsonl"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("files:validation=a.csv", "test: no file of test texts; name one"),
        (
            "files:a.csv",
            "data: expected train=FILE,validation=FILE,test=FILE, each once, got 'a.csv'",
        ),
        (
            "files:test=a.csv,test=b.csv",
            "data: expected train=FILE,validation=FILE,test=FILE, each once",
        ),
        (
            "files:train=a.xls,test=b.csv",
            r"train: 'a.xls': expected a file that ends in .csv, .tsv, .jsonl, .parquet",
        ),
        (
            "files:train=a.csv,test=./a.csv",
            "test: names ./a.csv, as train= does; a text may be in one split only",
        ),
        (
            "files:train=csv:,test=a.csv",
            "expected a table as csv:FILE, tsv:FILE, jsonl:FILE, parquet:FILE, got 'csv:'",
        ),
    ],
)
def test_files_that_cannot_be(text: str, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        parse_data(text)


def test_files_and_other_kinds_do_not_mix() -> None:
    files = read_files("test=b.csv")
    for wrong in ({"kind": "csv", "path": "a.csv", "files": files}, {"kind": "files"}):
        with refused(SpecError):
            DataSpec(**wrong)
    with refused(SpecError):
        DataSpec("files", files=files, split="all")
    with refused(SpecError):
        Files(test=Table("csv", "b,train=c.csv"))


def test_a_key_is_that_of_the_bytes_in_any_folder() -> None:
    def key(text: str, digest: str = "ab" * 32) -> str:
        return run_key(RunSpec(parse_data(text, digest=digest), parse_model("mlp")))

    assert key("files:train=x/a.csv,test=y/b.csv") == key("files:train=a.csv,test=z/b.csv")
    assert key("files:train=a.csv,test=b.csv") != key(
        "files:train=a.csv,validation=c.csv,test=b.csv"
    )
    assert key("files:train=a.csv,test=b.csv") != key("files:train=a.csv,test=b.csv", "cd" * 32)


def test_what_is_not_given_is_in_no_json_and_no_key() -> None:
    assert (
        plain_values(parse_data("a.csv")).keys().isdisjoint({"files", "id", "group", "on_copies"})
    )
