"""`sightline export`: the numbers of a saved audit as tables, whole or not at all."""

import csv
import json
from pathlib import Path

from sightline.audits.audit_result import Audit
from tests.cli.conftest import Call, Finished


def test_a_saved_audit_is_written_as_tables(
    sightline: Call, finished: Finished, here: Path
) -> None:
    done = sightline("export", finished.saved, "--csv", "tables", "--parquet", "arrow", "--json")
    audit = Audit.load(finished.saved)
    assert done.code == 0, done.err
    words = sum(len(text.tokens) for text in audit.texts)
    assert done.json == {
        "rows": {"texts": len(audit.texts), "words": words},
        "csv": "tables",
        "parquet": "arrow",
    }
    with Path("tables/words.csv").open(newline="") as file:
        assert [row["word"] for row in csv.DictReader(file)] == [
            word for text in audit.texts for word in text.tokens
        ]
    about = json.loads(Path("tables/columns.json").read_text())
    unexplained = [
        c["name"] for table in about["tables"].values() for c in table["columns"] if not c["what"]
    ]
    assert unexplained == []
    assert sorted(path.name for path in Path("arrow").iterdir()) == [
        "columns.json",
        "texts.parquet",
        "words.parquet",
    ]


def test_words_can_be_left_out(sightline: Call, finished: Finished, here: Path) -> None:
    assert sightline("export", finished.saved, "--csv", "tables", "--no-texts").code == 0
    assert Path("tables/words.csv").read_text().startswith("id,position,attention")


def test_ids_can_be_left_out(sightline: Call, finished: Finished, here: Path) -> None:
    ids = [text.id for text in Audit.load(finished.saved).texts]
    for flags, shown in (((), True), (("--no-ids",), False)):
        assert sightline("export", finished.saved, "--csv", "tables", *flags).code == 0
        files = {path.name: path.read_text(encoding="utf-8") for path in Path("tables").iterdir()}
        assert len(files) == 3
        assert any(one in text for one in ids for text in files.values()) == shown
    for name in ("texts.csv", "words.csv"):
        with Path("tables", name).open(newline="") as file:
            numbers = dict.fromkeys(row["id"] for row in csv.DictReader(file))
        assert [*numbers] == [str(n) for n in range(1, len(ids) + 1)]


def test_what_is_wrong_is_said_before_anything_is_written(
    sightline: Call, finished: Finished, here: Path
) -> None:
    asked = sightline("export", finished.saved)
    assert (asked.code, asked.err) == (
        2,
        (
            "error: expected --csv DIR or --parquet DIR, got neither; say where the tables are "
            "to be written\n"
        ),
    )
    Path("mine").mkdir()
    Path("mine/notes.txt").write_text("mine")
    refused = sightline("export", finished.saved, "--csv", "mine")
    assert (refused.code, refused.err) == (
        2,
        "error: --csv mine: exists and is not an export; name a new folder\n",
    )
    assert sightline("export", "nowhere", "--csv", "out").code == 2
    assert sorted(path.name for path in here.iterdir()) == ["mine"]
