"""``sightline look`` and ``sightline predict``: a saved model, and texts without labels."""

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest

from sightline.api.seed_audits import Audits
from sightline.cli import look
from sightline.cli.audit_output import show_audits
from sightline.cli.flag_groups import AuditReport, Console
from sightline.core.explanation import Explanation
from sightline.measures.attribution_maps import AttributionMaps
from tests.cli.conftest import TINY, Call
from tests.cli.test_exit_codes import one_error
from tests.report.audits import by_class, compared
from tests.report.test_advice import GUESSES


@pytest.fixture(scope="module")
def model(sightline: Call, table: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("trained") / "model"
    assert (
        sightline("train", "--data", table, *TINY, "--controls", "none", "--out", folder).code == 0
    )
    return folder


def test_a_text_is_looked_at(sightline: Call, model: Path) -> None:
    done = sightline("look", model, "a good1 unheard film")
    assert (done.code, done.err) == (0, "")
    assert "The model does not know 1 of the 4 words: 'unheard'." in done.out
    assert f"sightline audit --model {model} --data FILE" in done.out
    output = sightline(
        "look", model, "a good1 unheard film", "--json", "--map", "attention", "--map", "evidence"
    ).json
    assert [word["word"] for word in output["words"]] == ["a", "good1", "unheard", "film"]
    assert [word["known"] for word in output["words"]] == [True, True, False, True]
    assert sum(word["attention"] for word in output["words"]) == pytest.approx(1)
    assert "deletion" not in output["words"][0]
    assert sum(output["probabilities"].values()) == pytest.approx(1)
    assert "not evidence" in output["warning"]


def test_a_terminal_shows_each_map_as_soon_as_it_is_made(
    sightline: Call, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []
    made, shown = AttributionMaps.__getitem__, look.show_newest

    def make(maps: AttributionMaps, name: str) -> object:
        order.append(f"made {name}")
        return made(maps, name)

    def show(reading: Explanation) -> None:
        order.append(f"shown {[*reading.maps][-1]}")
        shown(reading)

    monkeypatch.setattr(AttributionMaps, "__getitem__", make)
    monkeypatch.setattr(look, "show_newest", show)
    monkeypatch.setattr(look, "on_terminal", lambda: True)
    asked = ("look", model, "a good1 film", "--map", "attention", "--map", "gradient")
    done = sightline(*asked)
    assert order == ["made attention", "shown attention", "made gradient", "shown gradient"]
    printed = [line.partition(":")[0] for line in done.out.splitlines()]
    assert printed[:2] == ["attention", "gradient"]
    assert "colours" in printed


def test_a_text_comes_from_stdin(
    sightline: Call, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("a good1\nfilm\n"))
    assert sightline("look", model, "-", "--json").json["text"] == "a good1\nfilm\n"


def test_the_verdict_stands_beside_a_text_where_there_is_an_audit(
    sightline: Call, finished, model: Path
) -> None:
    done = sightline("look", model, "a good1 film", "--audit", finished.saved)
    assert (
        f"Its audit, of 18 texts, says about attention: {finished.ran.json['verdict']}" in done.out
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("a text", "--map", "nothing"), "error: --map: expected one of attention"),
        (("",), "expected a text with words in it"),
        (("a text", "--query", "why"), "expects no query, got a query"),
        (("a text", "--audit", "nowhere"), "nowhere"),
    ],
)
def test_what_cannot_be_looked_at_is_one_error(
    sightline: Call, model: Path, arguments, message
) -> None:
    done = sightline("look", model, *arguments)
    assert (done.code, done.out) == (2, "")
    assert message in one_error(done.err)


def test_a_table_needs_no_labels(sightline: Call, model: Path, here: Path) -> None:
    Path("new.csv").write_text('id,body\n7,"a good1, film"\n\n8,bad2\n', encoding="utf-8")
    done = sightline("predict", model, "new.csv", "--text", "body")
    assert done.code == 0
    assert done.err == "note: new.csv: no prediction for 1 empty row\n"
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert [row["line"] for row in rows] == ["2", "4"]
    assert [set(row) for row in rows] == [
        {"line", "predicted", "probability of neg", "probability of pos"}
    ] * 2
    alone = sightline("predict", model, "a good1, film", "bad2", "--json").json
    assert [one["line"] for one in alone] == [1, 2]
    for row, one in zip(rows, alone, strict=True):
        assert row["predicted"] == one["predicted"]
        assert float(row["probability of pos"]) == pytest.approx(
            one["probabilities"]["pos"], abs=1e-12
        )


def test_a_row_without_words_is_left_out_and_counted_and_the_others_keep_their_ids(
    sightline: Call, model: Path, here: Path
) -> None:
    Path("new.csv").write_text("name,text\nx7,good1 film\nx8,\nx9,bad2\n", encoding="utf-8")
    done = sightline("predict", model, "new.csv", "--id", "name")
    assert (done.code, "1 row without words" in done.err) == (0, True)
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert [(row["line"], row["id"]) for row in rows] == [("2", "x7"), ("4", "x9")]
    listed = sightline("predict", model, "new.csv", "--id", "name", "--json").json
    assert [one["id"] for one in listed] == ["x7", "x9"]
    alone = sightline("predict", model, "good1 film", "bad2", "--json").json
    assert [row["predicted"] for row in rows] == [one["predicted"] for one in alone]


def test_a_file_is_written_in_the_form_of_its_name(
    sightline: Call, model: Path, here: Path
) -> None:
    Path("new.jsonl").write_text('{"text": "a good1 film"}\n', encoding="utf-8")
    assert sightline("predict", model, "new.jsonl", "--out", "out.jsonl").out == ""
    assert json.loads(Path("out.jsonl").read_text())["line"] == 1
    for name in ("out.csv", "out.txt"):
        sightline("predict", model, "new.jsonl", "--out", name, "--format", "jsonl")
        assert Path(name).read_text() == Path("out.jsonl").read_text()
    assert sightline("predict", model, "new.jsonl", "--out", "plain").code == 0
    assert Path("plain").read_text().startswith("line,predicted,")


@pytest.mark.parametrize("name", ["p.json", "p.tsv", "p.parquet", "p.csv.gz", "p.txt"])
def test_a_file_of_another_form_is_not_written(
    sightline: Call, model: Path, here: Path, name: str
) -> None:
    done = sightline("predict", model, "good1 film", "--out", name)
    assert (done.code, done.out) == (2, "")
    assert one_error(done.err).startswith("error: --out: expected a name that ends in .csv")
    assert not [*here.iterdir()]


def test_json_is_printed_and_the_file_is_written(sightline: Call, model: Path, here: Path) -> None:
    asked = ("predict", model, "good1 film", "bad2")
    printed = sightline(*asked, "--json").json
    assert sightline(*asked, "--json", "--out", "out.jsonl").json == printed
    assert list(map(json.loads, Path("out.jsonl").read_text().splitlines())) == printed
    assert sightline(*asked, "--json", "--out", "out.csv").json == printed
    assert Path("out.csv").read_bytes().decode() == sightline(*asked).out
    done = sightline(*asked, "--json", "--format", "csv")
    assert (done.code, done.out) == (2, "")
    assert one_error(done.err).startswith("error: --format: ")


@pytest.mark.parametrize(
    ("given", "lines"),
    [
        ("a good1 film\nbad2\n", 2),
        ("a good1 film\nbad2", 2),
        ("a good1\u2028film\nbad2\x0cfilm\x85good1\n", 2),
        ("", 0),
    ],
)
def test_lines_of_stdin_are_texts(
    sightline: Call, model: Path, monkeypatch: pytest.MonkeyPatch, given: str, lines: int
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(given))
    found = sightline("predict", model, "-", "--json").json
    assert [one["line"] for one in found] == [*range(1, lines + 1)]


@pytest.mark.parametrize(
    ("rows", "flags", "message"),
    [
        ("text\ngood,bad\n", (), "expected 1 fields as in the header"),
        ("id,text\n1,\n2,\n", (), "new.csv: expected words in 'text', got none in any of 2 rows"),
        ("id,text\n1,a\n1,b\n", ("--id", "id"), "new.csv:3: the id '1' is at new.csv:2, too"),
        ("text\na\n", ("--id", "id"), "there is no column 'id'"),
        ("body\ngood\n", (), "there is no column 'text'"),
        ("text\ngood\n", ("--query", "why"), "there is no column 'why'"),
        ("text\ngood\n", ("--out", "new.csv"), "FILE and --out both name new.csv"),
    ],
)
def test_a_bad_row_is_named_and_nothing_is_written(
    sightline: Call, model: Path, here: Path, rows, flags, message
) -> None:
    Path("new.csv").write_text(rows, encoding="utf-8")
    done = sightline("predict", model, "new.csv", *(flags or ("--out", "out.csv")))
    assert (done.code, done.out) == (2, "")
    assert message in one_error(done.err)
    assert [path.name for path in here.iterdir()] == ["new.csv"]


def test_a_table_among_texts_is_no_text(sightline: Call, model: Path, here: Path) -> None:
    """The names of two files, which a shell makes of *.csv, would be predicted themselves."""
    Path("new.csv").write_text("text\na good film\n")
    for beside in ("a good film", "other.csv"):
        done = sightline("predict", model, "new.csv", beside)
        assert (done.code, done.out) == (2, "")
        assert done.err == "error: FILE: expected one table, or texts alone, got new.csv among 2\n"


@pytest.mark.parametrize("flag", ["--query", "--id"])
def test_a_column_needs_a_table(sightline: Call, model: Path, flag: str) -> None:
    assert "names a column" in one_error(sightline("predict", model, "a text", flag, "why").err)


def test_bytes_that_are_no_text_are_one_error(
    sightline: Call, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for stdin, message in (
        (io.TextIOWrapper(io.BytesIO(b"a \xff"), "utf-8"), "got byte 0xff"),
        (None, "stdin is closed"),
    ):
        monkeypatch.setattr("sys.stdin", stdin)
        for command in ("look", "predict"):
            assert message in one_error(sightline(command, model, "-").err)
            if stdin is not None:
                stdin.seek(0)


def test_an_audit_ends_with_the_command_that_draws_the_map_it_names(
    capsys: pytest.CaptureFixture[str],
) -> None:
    made = replace(compared(), spec={"model": "hf:mine", "command": "sightline audit"})
    for save, drawn in ((Path("kept"), "--audit kept"), (None, "--map contribution")):
        show_audits(Audits({0: made}), AuditReport(save=save), Console())
        *_, last = capsys.readouterr().out.splitlines()
        assert last == f'Next      sightline look hf:mine "a text" {drawn}'
    show_audits(Audits({0: compared(by_class())}), AuditReport(), Console())
    assert "--card" in capsys.readouterr().out.splitlines()[-1]
    show_audits(Audits({0: replace(made, learned=GUESSES)}), AuditReport(), Console())
    shown = capsys.readouterr().out.splitlines()
    assert "Why" in shown[-1]
    assert any(line.startswith("Why ") for line in shown)
