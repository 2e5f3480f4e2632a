"""Every troublesome table, from the command line: a report, or one line that says what is wrong;
never a traceback.
"""

import re
from pathlib import Path

import pytest

from tests.cli.conftest import Call
from tests.sampling import slow_but
from tests.troubles.tables import MESSAGES, REPORTS, Trouble, write_tables

REFUSED = [*MESSAGES, "a folder", "no file"]


@pytest.fixture(scope="module")
def troubles(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Trouble]:
    return {trouble.name: trouble for trouble in write_tables(tmp_path_factory.mktemp("troubles"))}


@pytest.mark.parametrize("name", [*REPORTS, *REFUSED])
def test_check_data(sightline: Call, troubles, name):
    trouble = troubles[name]
    done = sightline("check-data", "--data", trouble.path, *trouble.flags)
    if trouble.outcome == "report":
        assert (done.code, done.err) == (0, "")
        assert done.out.startswith("source: ")
        assert sightline("check-data", "--data", trouble.path, *trouble.flags, "--json").json[
            "splits"
        ]
    else:
        refused(done, trouble)


@pytest.mark.parametrize("name", slow_but(range(0, len(REPORTS), 3), REPORTS))
def test_audit_gives_a_report(sightline: Call, here: Path, troubles, name):
    trouble = troubles[name]
    tiny = ("--model", "mlp(hidden=8)+additive", "--epochs", 1, "--limit", 5, "--quiet")
    done = sightline("audit", "--data", trouble.path, *trouble.flags, *tiny, "--save", "audit")
    notes = done.err.splitlines()
    assert (done.code, {note.partition(":")[0] for note in notes}) == (0, {"note"})
    assert sum("the cap on epochs" in note for note in notes) == 1
    page = Path("report.html").read_text(encoding="utf-8")
    assert sightline("report", "audit", "--out", "again.html").code == 0
    assert Path("again.html").read_text(encoding="utf-8") == page


@pytest.mark.parametrize("name", REFUSED)
def test_audit_refuses_in_one_line(sightline: Call, here: Path, troubles, no_training, name):
    trouble = troubles[name]
    refused(sightline("audit", "--data", trouble.path, *trouble.flags), trouble)
    assert not any(here.iterdir())


def refused(done, trouble: Trouble) -> None:
    assert done.code == 2
    assert done.out == ""
    (line,) = done.err.splitlines()
    assert line.startswith("error: ")
    assert re.search(trouble.outcome, line), line
