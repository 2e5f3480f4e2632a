"""What is no file, or more than its bound, is refused before it takes memory, with the bound and
what raises it.
"""

import gzip
import io
import os
import socket
import subprocess
import sys
import tarfile
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import sightline.data.word_vectors as vectors_module
from sightline._io.limits import BOUNDS, FILE, ROWS, Bound, read_size
from sightline.config.spec_syntax import parse_data, parse_model
from sightline.core.errors import DataError, SpecError
from sightline.data.assembly import split_tables as table_module
from sightline.data.load_dataset import load
from sightline.data.ppmi import count_pairs
from sightline.data.readers.archives import digest, open_files
from sightline.data.readers.csv_jsonl import read_rows, table_digest
from sightline.data.vocabulary import Vocabulary
from sightline.data.word_vectors import read_dimension, read_vectors, with_vectors
from tests.snapshots import refused, same_text
from tests.texts import example
from tests.troubles.tables import rows, table


@pytest.fixture
def pipe() -> Iterator[str]:
    """A pipe that has nothing to give, so that whoever opens it all the same need not wait."""
    end, other = os.pipe()
    os.close(other)
    yield f"/dev/fd/{end}"
    os.close(end)


def read_table(path: str) -> object:
    return read_rows(path, "csv")


def read_corpus(path: str) -> object:
    return load(parse_data(f"sst:{path}"), 0)


READERS = {
    "a table": read_table,
    "a table by its bytes": table_digest,
    "a corpus": read_corpus,
    "a file of a corpus": lambda path: list(open_files(path, lambda name: True)),
    "vectors": read_dimension,
    "vectors for a model": lambda path: with_vectors(parse_model("mlp"), path),
}


@pytest.mark.parametrize("reader", READERS)
def test_what_is_no_file_is_refused_by_its_kind(tmp_path, pipe, reader):
    (tmp_path / "link.csv").symlink_to("/dev/null")
    with socket.socket(socket.AF_UNIX) as served:
        served.bind(str(tmp_path / "s.csv"))
        for path in ("/dev/null", tmp_path / "link.csv", pipe, tmp_path / "s.csv"):
            with refused(DataError):
                READERS[reader](str(path))


def test_a_file_with_holes_is_refused_by_the_size_it_promises(tmp_path):
    (tmp_path / "holes.csv").touch()
    os.truncate(tmp_path / "holes.csv", 2**40)
    with refused(DataError):
        read_table(str(tmp_path / "holes.csv"))


def peak_of_refusing(path: Path, message: str) -> int:
    tracemalloc.start()
    try:
        with pytest.raises(DataError, match=message):
            read_table(str(path))
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_hole_within_the_bound_is_refused_at_its_first_bytes(tmp_path):
    (tmp_path / "holes.csv").write_text("text,label\n")
    os.truncate(tmp_path / "holes.csv", 2**26)
    assert (
        peak_of_refusing(tmp_path / "holes.csv", r"holes\.csv:2: expected text, got a NUL byte")
        < 2**23
    )


def test_empty_lines_are_counted_and_not_kept(tmp_path):
    (tmp_path / "lines.csv").write_text("\n" * 200_000)
    assert peak_of_refusing(tmp_path / "lines.csv", "got an empty file") < 2**23


BOMB = """
import resource, sys
from sightline.data.readers.csv_jsonl import read_rows
resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))
try:
    read_rows(sys.argv[1], "csv")
except Exception as error:
    print(type(error).__name__, error)
"""


def test_a_packed_table_that_unpacks_a_thousandfold_is_refused_in_little_memory(tmp_path):
    path = tmp_path / "bomb.csv.gz"
    with gzip.open(path, "wb", compresslevel=1) as packed:
        for _ in range(256):
            packed.write(b"a" * 2**20)
    done = subprocess.run(
        [sys.executable, "-c", BOMB, path], capture_output=True, text=True, check=True
    )
    same_text("notes", done.stdout)


def packed_table(folder: Path) -> Path:
    (folder / "t.csv.gz").write_bytes(gzip.compress(table(rows(400))))
    return folder / "t.csv.gz"


def test_a_bound_is_raised_by_its_setting(tmp_path, monkeypatch):
    (tmp_path / "t.csv").write_bytes(table(rows(400)))
    size = (tmp_path / "t.csv").stat().st_size
    for file in (tmp_path / "t.csv", packed_table(tmp_path)):
        monkeypatch.setenv("SIGHTLINE_MAX_BYTES", str(size - 1))
        with refused(DataError):
            read_table(str(file))
        monkeypatch.setenv("SIGHTLINE_MAX_BYTES", f"{size}")
        assert len(read_rows(str(file), "csv").records) == 400
        monkeypatch.setenv("SIGHTLINE_MAX_BYTES", "1M")
        assert len(read_rows(str(file), "csv").records) == 400


def test_a_table_is_not_even_read_for_its_name_above_its_bound(tmp_path, monkeypatch):
    (tmp_path / "t.csv").write_bytes(table(rows()))
    monkeypatch.setenv("SIGHTLINE_MAX_BYTES", "100")
    with pytest.raises(DataError, match="of at most 100 bytes"):
        table_digest(str(tmp_path / "t.csv"))


def test_rows_are_bounded_however_short_they_are(tmp_path, monkeypatch):
    (tmp_path / "t.csv").write_text("text,label\na,b\n\nc,d\ne,f\n")
    (tmp_path / "t.jsonl").write_text('{"a": 1}\n\n{"a": 2}\n{"a": 3}\n')
    monkeypatch.setenv("SIGHTLINE_MAX_ROWS", "2")
    for name in ("t.csv", "t.jsonl"):
        with refused(DataError):
            read_rows(str(tmp_path / name), name.rpartition(".")[2])
    monkeypatch.setenv("SIGHTLINE_MAX_ROWS", "3")
    assert len(read_rows(str(tmp_path / "t.csv"), "csv").records) == 3


def test_a_folder_that_is_no_corpus_is_not_walked_to_its_end(tmp_path, monkeypatch):
    for name in ("a/1.txt", "a/2.txt", "b/c/3.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    monkeypatch.setenv("SIGHTLINE_MAX_FILES", "5")
    with refused(DataError):
        list(open_files(tmp_path, lambda name: False))
    monkeypatch.setenv("SIGHTLINE_MAX_FILES", "6")  # three files in three folders
    names = [file.name for file in open_files(tmp_path, lambda name: True)]
    assert names == [f"{tmp_path.name}/{name}" for name in ("a/1.txt", "a/2.txt", "b/c/3.txt")]


def test_files_and_archives_of_a_corpus_are_bounded_and_vectors_are_not(tmp_path, monkeypatch):
    monkeypatch.setenv("SIGHTLINE_MAX_BYTES", "100")
    data = bytes(range(65, 91)) * 8
    (tmp_path / "one.txt").write_bytes(data)
    (tmp_path / "one.txt.gz").write_bytes(gzip.compress(data))
    for name, mode in (("a.tar", "w"), ("a.tar.gz", "w:gz")):
        with tarfile.open(tmp_path / name, mode) as tar:
            info = tarfile.TarInfo("one.txt")
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    for name in ("one.txt", "one.txt.gz", "a.tar", "a.tar.gz"):
        with pytest.raises(DataError, match=rf"{name}: .* 100 bytes"):
            [file.text() for file in open_files(tmp_path / name, lambda name: True, FILE)]
        assert [file.text() for file in open_files(tmp_path / name, lambda name: True)] == [
            data.decode()
        ]
    with pytest.raises(DataError, match="at most 100 bytes"):
        digest(tmp_path / "one.txt", lambda name: True, FILE)


def test_a_corpus_is_not_even_read_for_its_name_above_its_bound(tmp_path, monkeypatch):
    (tmp_path / "train.txt").write_text("(3 (2 good) (2 film))\n" * 20)
    monkeypatch.setenv("SIGHTLINE_MAX_BYTES", "100")
    with refused(DataError):
        read_corpus(str(tmp_path))


@pytest.mark.parametrize("text", ["lots", "0", "-1", "1.5X", "9" * 5000])
def test_a_setting_that_is_no_size_is_refused(monkeypatch, text):
    monkeypatch.setenv(ROWS.setting, text)
    with refused(SpecError):
        assert ROWS.now


def test_sizes_are_read_and_shown_alike():
    assert [read_size(text) for text in ("7", "2K", "1.5m", "8 GiB", "x")] == [
        7,
        2048,
        3 * 2**19,
        2**33,
        None,
    ]
    assert [FILE.shown(number) for number in (100, 2**24, 2**33)] == [
        "100 bytes",
        "16 MiB",
        "8 GiB",
    ]


def test_each_bound_says_why_and_what_to_do():
    assert len({bound.setting for bound in BOUNDS if bound.setting}) == 4
    for bound in BOUNDS:
        assert isinstance(bound, Bound)
        assert bound.why
        assert bound.instead in bound.passed(bound.most + 1)


# ---------------------------------------------------------------- vectors


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1000000000 2000000000\n", "expected word vectors, .* got an empty file"),
        (
            "1 2000000000\nthe 1 2\n",
            r":2: expected a word and 2,000,000,000 numbers, as the first line says, got 2",
        ),
        (
            "1 " + "9" * 5000 + "\nthe 1 2\n",
            r":2: expected a word and 9+(,9+)* numbers, as the first line says, got 2",
        ),
        (
            "the" + " 1" * 20_000 + "\n",
            r":1: expected a vector of at most 16,384 numbers, got 20,000 numbers",
        ),
    ],
)
def test_vectors_are_as_long_as_they_are_and_not_as_a_header_promises(tmp_path, text, message):
    (tmp_path / "v.txt").write_text(text)
    with pytest.raises(DataError, match=message):
        read_dimension(tmp_path / "v.txt")


def test_a_file_that_holds_no_vectors_at_its_beginning_is_not_read_to_its_end(
    tmp_path, monkeypatch
):
    (tmp_path / "v.txt").touch()
    os.truncate(tmp_path / "v.txt", 2**40)
    monkeypatch.setattr(
        vectors_module, "vectors_digest", lambda path: pytest.fail("it was read whole")
    )
    with refused(DataError):
        with_vectors(parse_model("mlp"), tmp_path / "v.txt")


def test_a_window_beyond_every_text_counts_no_further_than_they_reach():
    train = [example("a b c d", 0), example("b a", 1)]
    vocabulary = Vocabulary.fit(train)
    wide, narrow = (count_pairs(train, vocabulary, window).toarray() for window in (10**12, 3))
    assert wide.tolist() == narrow.tolist()


# ---------------------------------------------------------------- memory


def test_a_lack_of_memory_names_the_file(tmp_path, monkeypatch):
    def greedy(*arguments: object) -> None:
        raise MemoryError

    (tmp_path / "t.csv").write_bytes(table(rows()))
    (tmp_path / "v.txt").write_text("the 1 2\n")
    monkeypatch.setattr(table_module, "read_rows", greedy)
    monkeypatch.setattr(vectors_module, "_row", greedy)
    with refused(DataError):
        load(parse_data(str(tmp_path / "t.csv")), 0)
    with refused(DataError):
        read_vectors(tmp_path / "v.txt", ["the"])


# ---------------------------------------------------------------- what a file is


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (gzip.compress(b"text,label\n", mtime=0), "a gzip file; let its name end in .gz"),
        (b"PK\x03\x04\x14\x00", r"a zip archive, as a spreadsheet \(.xlsx\) is; save it as CSV"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", r"an old spreadsheet \(.xls\)"),
        (b"PAR1\x15\x04", "a Parquet file"),
    ],
)
def test_a_file_of_another_kind_is_called_what_it_is(tmp_path, data, message):
    (tmp_path / "t.csv").write_bytes(data)
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(data))
    for name in ("t.csv", "t.csv.gz"):
        with pytest.raises(DataError, match=rf"{name}: expected text, got {message}"):
            read_table(str(tmp_path / name))


def test_an_ending_in_capitals_is_one(tmp_path):
    packed_table(tmp_path).rename(tmp_path / "T.CSV.GZ")
    assert replace(parse_data(str(tmp_path / "T.CSV.GZ")), path="").kind == "csv"
    assert (
        sum(len(split) for split in load(parse_data(str(tmp_path / "T.CSV.GZ")), 0).splits.values())
        == 400
    )


def test_a_key_that_is_there_twice_is_refused(tmp_path):
    (tmp_path / "t.jsonl").write_text(
        '{"text": "a", "label": 1}\n{"text": "a", "label": 1, "text": "b"}\n'
    )
    with refused(DataError):
        read_rows(str(tmp_path / "t.jsonl"), "jsonl")


def test_a_missing_column_names_ten_of_those_there_are(tmp_path):
    names = [f"column{number}" for number in range(100_000)]
    (tmp_path / "t.csv").write_text(f"{','.join(names)}\n{','.join('x' * len(names))}\n")
    with pytest.raises(DataError) as caught:
        load(parse_data(str(tmp_path / "t.csv")), 0)
    assert "'column8', 'column9' and 99,990 more; name the right column" in str(caught.value)
    assert len(str(caught.value)) < 500
