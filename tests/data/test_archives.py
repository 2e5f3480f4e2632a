"""Files are read alike from folders and archives; what an archive should not hold is refused, and
nothing is unpacked.
"""

import gzip
import io
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest

from sightline._io.limits import GRACE, LINE
from sightline.core.errors import DataError
from sightline.data.readers import archives as archives
from sightline.data.readers import bounded_open
from sightline.data.readers.archives import digest, open_files
from tests.data.corpora import archive_of, folder_of
from tests.snapshots import refused

FILES = {"a/one.txt": "first\nsecond\r\n", "a/b/two.txt": "caf\xe9", "three.bin": "x"}


def wanted(name: str) -> bool:
    return name.endswith(".txt")


def read(path: Path) -> dict[str, str]:
    return {
        file.name.partition("/a/")[2] or file.name: file.text() for file in open_files(path, wanted)
    }


def member(
    name: str, kind: bytes = tarfile.REGTYPE, data: bytes = b"", link: str = ""
) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.type, info.size, info.linkname = kind, len(data), link
    return info, data


def tar_of(path: Path, *members: tuple[tarfile.TarInfo, bytes]) -> Path:
    with tarfile.open(path, "w:gz") as tar:
        for info, data in members:
            tar.addfile(info, io.BytesIO(data))
    return path


def test_a_folder_its_packed_twin_and_archives_are_read_alike(tmp_path):
    plain, packed = (
        folder_of(tmp_path / "plain", FILES),
        folder_of(tmp_path / "packed", FILES, packed=True),
    )
    expected = {"one.txt": "first\nsecond\r\n", "b/two.txt": "caf\xe9"}
    assert read(plain) == read(packed) == expected
    for name in ("c.tar", "c.tar.gz", "c.tgz"):
        kept = read(
            archive_of(tmp_path / name, {f"top/{file}": text for file, text in FILES.items()})
        )
        assert kept == expected


def test_lines_come_with_their_numbers_and_without_their_ends(tmp_path):
    path = folder_of(tmp_path, {"one.txt": b"\xef\xbb\xbffirst\nsecond\r\n\nlast"}) / "one.txt"
    (lines,) = (list(file.lines()) for file in open_files(path, wanted))
    assert lines == [(1, "first"), (2, "second"), (3, ""), (4, "last")]


def test_a_packed_file_inside_of_an_archive_is_unpacked(tmp_path):
    path = archive_of(tmp_path / "a.tar.gz", {"top/one.txt.gz": gzip.compress(b"inside")})
    assert {file.name: file.text() for file in open_files(path, wanted)} == {
        "top/one.txt": "inside"
    }


@pytest.mark.parametrize(
    "bad",
    [
        member("../out.txt", data=b"x"),
        member("a/../../out.txt", data=b"x"),
        member("/tmp/out.txt", data=b"x"),
        member("a.txt", tarfile.SYMTYPE, link="/etc/passwd"),
        member("a.txt", tarfile.LNKTYPE, link="b.txt"),
        member("a.txt", tarfile.CHRTYPE),
        member("a.txt", tarfile.BLKTYPE),
        member("a.txt", tarfile.FIFOTYPE),
        member("..", tarfile.DIRTYPE),
    ],
    ids=lambda bad: f"{bad[0].name}-{bad[0].type.decode()}",
)
def test_an_archive_that_reaches_outside_is_refused(tmp_path, bad):
    inside = tmp_path / "in"
    inside.mkdir()
    path = tar_of(inside / "bad.tar.gz", member("good.txt", data=b"fine"), bad)
    with pytest.raises(DataError, match=r"bad\.tar\.gz: holds '"):
        list(open_files(path, wanted))
    assert [file.name for file in tmp_path.rglob("*")] == ["in", "bad.tar.gz"]


@pytest.mark.parametrize("name", ["bomb.txt.gz", "bomb.tar.gz"])
def test_what_unpacks_a_thousandfold_is_refused_before_it_fills_memory(tmp_path, monkeypatch, name):
    monkeypatch.setattr(bounded_open, "GRACE", replace(GRACE, most=2**17))
    lines = b"0123456789abcde\n" * 2**18  # 4 MiB in some 12 KiB
    path = tmp_path / name
    if name.endswith(".tar.gz"):
        tar_of(path, member("bomb.txt", data=lines))
    else:
        path.write_bytes(gzip.compress(lines))
    lines_read = (line for file in open_files(path, wanted) for line in file.lines())
    kept: list[object] = []
    with refused(DataError):
        kept.extend(lines_read)
    assert 16 * len(kept) <= max(2**17, 101 * path.stat().st_size)


def test_a_line_without_an_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(archives, "LINE", replace(LINE, most=100))
    path = folder_of(tmp_path, {"one.txt": "short\n" + "x" * 300}) / "one.txt"
    with refused(DataError):
        [list(file.lines()) for file in open_files(path, wanted)]
    with refused(DataError):
        [file.text() for file in open_files(path, wanted)]


@pytest.mark.parametrize("name", ["cut.txt.gz", "cut.tar.gz"])
@pytest.mark.parametrize("share", [0.02, 0.5, 0.98])
def test_a_torn_file_is_one_error(tmp_path, name, share):
    text = "".join(f"line {i * i}\n" for i in range(5000))
    whole = archive_of(tmp_path / name, {"one.txt": text}) if "tar" in name else tmp_path / name
    if "tar" not in name:
        whole.write_bytes(gzip.compress(text.encode()))
    data = whole.read_bytes()
    whole.write_bytes(data[: int(share * len(data))])
    with refused(DataError):
        [file.text() for file in open_files(whole, wanted)]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"good\nbad \xe9\n", ":2: expected UTF-8"),
        (b"good\n\nno\0t", ":3: expected text, got a NUL"),
    ],
)
def test_bytes_that_are_no_text_are_named_by_line(tmp_path, data, message):
    path = folder_of(tmp_path, {"one.txt": data}) / "one.txt"
    for how in ("lines", "text"):
        with pytest.raises(DataError, match=f"one.txt{message}"):
            [list(getattr(file, how)()) for file in open_files(path, wanted)]


def test_a_file_that_is_there_twice_or_not_at_all(tmp_path):
    folder_of(tmp_path, {"one.txt": "x"})
    folder_of(tmp_path, {"one.txt": "y"}, packed=True)
    with refused(DataError):
        list(open_files(tmp_path, wanted))
    with refused(DataError):
        list(open_files(tmp_path / "nowhere", wanted))


def test_a_digest_names_names_and_bytes_of_what_is_wanted(tmp_path):
    one = digest(folder_of(tmp_path / "one", FILES), wanted)
    assert digest(folder_of(tmp_path / "same", FILES), wanted) == one
    assert digest(folder_of(tmp_path / "more", FILES | {"four.bin": "y"}), wanted) == one
    assert digest(folder_of(tmp_path / "other", FILES | {"a/one.txt": "y"}), wanted) != one
    renamed = {name.replace("one", "uno"): text for name, text in FILES.items()}
    assert digest(folder_of(tmp_path / "renamed", renamed), wanted) != one


def test_a_sparse_header_without_its_numbers_is_a_broken_archive(tmp_path):
    info, data = member("a.txt", data=b"a good film\n")
    info.pax_headers = {
        "GNU.sparse.major": "1",
        "GNU.sparse.minor": "0",
        "GNU.sparse.realsize": "9" * 12,
    }
    for members in ([(info, data)], [member("b.txt", data=b"x"), (info, data)]):
        with refused(DataError):
            read(tar_of(tmp_path / "a.tar.gz", *members))
