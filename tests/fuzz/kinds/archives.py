"""Packed files and archives: broken, lying about themselves, reaching outside, or no archives at
all.
"""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from pathlib import Path
from random import Random

from sightline.config.specs import OFFICIAL
from tests.fuzz.basis import Basis
from tests.fuzz.case import Case
from tests.fuzz.kinds.bytes import damaged

MEMBERS = (
    "../out.txt",
    "/etc/x",
    "aclImdb/../../x",
    "aclImdb/train/pos/0_9.txt",
    "aclImdb/test/neg/1_1.txt",
    "a" * 300,
    "train.txt",
    "é\x1b[31m",
    "",
    ".",
)
CORPORA = (*(f"{name}:" for name in OFFICIAL), "")


def packed(chance: Random, here: Path, basis: Basis) -> Case:
    """Check a table under a name, and in a packing, that may not go together."""
    good = (basis.folder / "t.csv").read_bytes()
    name = chance.choice(
        ("t.csv.gz", "t.CSV.GZ", "t.csv", "t.tsv.gz", "t.jsonl.gz", "t.gz", "t.xlsx", "t.csv.zip")
    )
    made = chance.choice(
        (
            gzip.compress(good),
            gzip.compress(good) * 2,
            gzip.compress(bytes(2**26)),
            gzip.compress(b""),
            _zip(good),
            good,
            b"\x1f\x8b",
            b"PK\x03\x04",
        )
    )
    (here / name).write_bytes(damaged(made, chance) if chance.random() < 0.5 else made)
    return Case(("check-data", "--data", chance.choice(("", "", "csv:")) + name))


def archive(chance: Random, here: Path, basis: Basis) -> Case:
    """Check a corpus in an archive that has odd members, odd headers, or damage."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=chance.choice(("w:gz", "w"))) as tar:  # type: ignore[call-overload]
        for _ in range(chance.choice((0, 1, 3, 8))):
            info = tarfile.TarInfo(chance.choice(MEMBERS))
            kinds = (
                tarfile.REGTYPE,
                tarfile.REGTYPE,
                tarfile.DIRTYPE,
                tarfile.SYMTYPE,
                tarfile.LNKTYPE,
                tarfile.CHRTYPE,
                tarfile.FIFOTYPE,
                tarfile.CONTTYPE,
                tarfile.GNUTYPE_SPARSE,
                b"Z",
            )
            info.type, info.linkname = chance.choice(kinds), chance.choice(MEMBERS)
            content = chance.choice((b"a good film\n", b"", bytes(5000)))
            info.size = len(content)
            if chance.random() < 0.2:
                info.pax_headers = {
                    "GNU.sparse.realsize": "9" * 12,
                    "GNU.sparse.major": "1",
                    "GNU.sparse.minor": "0",
                    "path": "../x",
                }
            tar.addfile(info, io.BytesIO(content))
    data = out.getvalue()
    name = chance.choice(("c.tar.gz", "c.tar", "c.tgz"))
    (here / name).write_bytes(damaged(data, chance) if chance.random() < 0.4 else data)
    return Case(("check-data", "--data", chance.choice(CORPORA) + name))


def _zip(data: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        made.writestr("t.csv", data)
    return out.getvalue()
