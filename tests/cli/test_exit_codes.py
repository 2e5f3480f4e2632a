"""One exit code for each way a command can end, and one line on stderr for each error."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import typer

from sightline.api.seed_audits import Audits
from sightline.audits.audit_result import Audit
from sightline.audits.label_audits import LabelAudits
from sightline.cli.exit_codes import GATE_CLOSED
from sightline.cli.fail_on import close_gates
from sightline.cli.signals import heed_sigterm
from sightline.config.spec_syntax import parse_data
from sightline.core.errors import SightlineError
from sightline.core.results import BY_ABSENCE, CAN, CANNOT_TELL, CAVEATS, MUST_NOT
from sightline.data.load_dataset import load
from sightline.report.gates import closed, read_gates
from sightline.verdict.catalogue import AUDIT_TESTS
from tests.cli.conftest import TINY, Call, Finished, write_table
from tests.report import audits
from tests.verdicts import reached

# An interrupt is handled even where the tests run in the background, which would have it ignored.
MAIN = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from "
    "sightline.cli.app import main; main()"
)


def one_error(text: str) -> str:
    lines = text.splitlines()
    assert len(lines) == 1, text
    assert lines[0].startswith("error: ")
    return lines[0]


# ---------------------------------------------------------------- 0


@pytest.mark.parametrize(
    "arguments", [("--help",), (), ("--version",), ("list", "presets"), ("audit", "--help")]
)
def test_done(sightline: Call, arguments):
    done = sightline(*arguments)
    assert (done.code, done.err) == (0, "")
    assert done.out


# ---------------------------------------------------------------- 1


def broken(*arguments: object, **options: object) -> None:
    raise RuntimeError("the wheel\ncame off")


def test_a_bug_is_one_line_that_asks_for_a_report(sightline: Call, monkeypatch):
    monkeypatch.setattr("sightline.data.load_dataset.load", broken)
    done = sightline("check-data", "--data", "x.csv")
    assert done.code == 1
    assert done.out == ""
    assert one_error(done.err).startswith(
        "error: RuntimeError: the wheel came off. This is a bug in sightline: please report"
    )


@pytest.mark.parametrize(
    "arguments",
    [("--debug", "check-data", "--data", "x.csv"), ("check-data", "--data", "x.csv", "--debug")],
)
def test_a_bug_shows_its_traceback_where_it_is_asked_for(sightline: Call, monkeypatch, arguments):
    monkeypatch.setattr("sightline.data.load_dataset.load", broken)
    done = sightline(*arguments)
    assert done.code == 1
    assert done.err.startswith("Traceback (most recent call last):")
    assert one_error(done.err.splitlines()[-1])


def test_a_bug_shows_its_traceback_where_the_environment_asks_for_it(sightline: Call, monkeypatch):
    monkeypatch.setenv("SIGHTLINE_DEBUG", "1")
    monkeypatch.setattr("sightline.data.load_dataset.load", broken)
    assert "Traceback" in sightline("check-data", "--data", "x.csv").err


def test_a_bug_that_typer_would_hide_is_named(sightline: Call, monkeypatch):
    def ended(*arguments: object, **options: object) -> None:
        raise EOFError("no data left")

    monkeypatch.setattr("sightline.data.load_dataset.load", ended)
    done = sightline("check-data", "--data", "x.csv")
    assert done.code == 1
    assert "EOFError: no data left. This is a bug" in done.err


def test_a_lack_of_memory_is_no_bug(sightline: Call, monkeypatch):
    def greedy(*arguments: object, **options: object) -> None:
        raise MemoryError("Unable to allocate 4 TiB")

    monkeypatch.setattr("sightline.data.load_dataset.load", greedy)
    done = sightline("check-data", "--data", "x.csv")
    assert done.code == 2
    assert "out of memory" in one_error(done.err)


# ---------------------------------------------------------------- 2


WRONG = {
    ("audit",): "Missing option '--data'",
    ("audit", "--data", "x.csv", "--colour", "red"): "No such option.*--colour",
    ("export", "a", "--out", "b"): "No such option: --out; `sightline export --help`",
    ("check-model", "--model", "hf:x"): "^error: --model: .* sightline check-model MODEL$",
    ("look", "--model", "hf:x", "a text"): "^error: --model: .* sightline look MODEL TEXT$",
    ("paint",): "No such command 'paint'",
    ("audit", "--data", "x.csv", "--epochs", "0"): "--epochs.*1",
    ("audit", "--data", "x.csv", "--limit", "0"): "--limit.*1",
    ("audit", "--data", "x.csv", "--threads", "none"): "--threads",
    ("audit", "--data", "x.csv", "--threads", "100000"): "--threads.*1024",
    ("audit", "--data", "x.csv", "--seed", "1.5"): "--seed",
    ("audit", "--data", "x.csv", "--learning-rate", "nan"): "--learning-rate.*above 0.*'nan'",
    ("audit", "--data", "x.csv", "--learning-rate", "0"): "--learning-rate.*above 0",
    ("audit", "--data", "x.csv", "--memory", "lots"): "--memory.*512M.*'lots'",
    ("audit", "--data", "x.csv", "--memory", "12"): "--memory.*from 1M",
    ("audit", "--data", "x.csv", "--recipe", "stew"): "--recipe.*'stew'",
    ("audit", "--data", "x.csv", "--controls", "twin"): "--controls.*'twin'",
    ("audit", "--data", "x.csv", "--fail-on", "maybe"): (
        "--fail-on 'maybe'.*must-not-be-shown.*SL-301"
    ),
    ("audit", "--data", "x.csv", "--fail-on", "SL-999"): "--fail-on 'SL-999'",
    ("audit", "--data", "x.csv", "--preset", "mine"): "--preset: 'mine'.*default",
    ("audit", "--data", "x.csv", "--model", "perceiver"): "--model: 'perceiver': unknown part",
    ("audit", "--data", "x.csv", "--model", "runs/one"): (
        "--model: runs/one: there is no such folder; .*sightline train"
    ),
    ("audit", "--data", "x.csv", "--model", "./mlp"): "--model: ./mlp: there is no such folder",
    ("audit", "--data", "x.csv", "--device", "abacus"): "--device: abacus",
    ("audit", "--data", "x.txt"): "--data: 'x.txt'",
    ("audit", "--data", "x.csv"): "x.csv: there is no such file",
    ("audit", "--data", "planted:moon"): "unknown planted corpus 'moon'",
    ("audit", "--data", "planted:needle(length=600)"): "above --max-tokens 512",
    ("train", "--data", "x.csv"): "Missing option '--out'",
    ("report",): "Missing argument",
    ("report", "nowhere"): "nowhere: expected a folder that `sightline audit --save` wrote",
    ("list", "colours"): "'colours'",
    ("check-data",): "Missing option '--data'",
    ("demo", "--data", "x.csv"): "No such option.*--data",
}


@pytest.mark.parametrize("arguments", WRONG, ids=" ".join)
def test_wrong_input(sightline: Call, here: Path, no_training, arguments):
    done = sightline(*arguments)
    assert done.code == 2
    assert done.out == ""
    assert re.search(WRONG[arguments], one_error(done.err)), done.err
    assert not any(here.iterdir())


SPELLED = {
    "--text body": "there is no column 'body' to read as 'text'; the table has the columns 'text', 'label', 'split'; name "
    "the right column with --text; this line is read as the header: add one if the table has none",
    "--label text": "--label: names 'text', as --text does; a text cannot be its own label",
    "": "keep it in one split, or drop copies (--on-copies drop)",
}


@pytest.mark.parametrize("flags", SPELLED)
def test_a_setting_inside_a_message_is_spelled_as_a_flag(sightline: Call, here: Path, flags: str):
    Path("t.csv").write_text("text,label,split\na b,x,train\na b,y,test\nc d,y,train\n")
    result = one_error(sightline("check-data", "--data", "t.csv", *flags.split()).err)
    assert result.rstrip("\n").endswith(SPELLED[flags])
    with pytest.raises(SightlineError) as refused:
        load(
            parse_data("t.csv", **dict([flags.removeprefix("--").split()] if flags else [])),
            0,
            training=False,
        )
    python = (
        SPELLED[flags]
        .replace("--on-copies ", "on_copies=")
        .replace("--label:", "label:")
        .replace("--text", "text=")
    )
    assert str(refused.value).endswith(python)


def test_a_terminal_obeys_nothing_that_an_error_quotes(sightline: Call, here: Path):
    done = sightline("audit", "--data", "x\x1b[2J.csv")
    assert "\x1b" not in done.err
    assert "x␛[2J.csv" in one_error(done.err)


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("--out", "reviews.csv"), "--data and --out both name reviews.csv"),
        (("--out", "mine/../reviews.csv"), "--data and --out both name mine/../reviews.csv"),
        (("--out", "same", "--save", "same"), "--out and --save both name same"),
        (("--out", "."), "--out .: expected the name of a file, got a folder"),
        (("--out", "reviews.csv/report.html"), "reviews.csv is a file, not a folder"),
        (("--save", "reviews.csv/audit"), "reviews.csv is a file, not a folder"),
        (("--save", "mine"), "--save mine: exists and is not a saved audit"),
        (("--out", "x" * 300), "cannot write"),
        (("--model", "mine"), "--model: mine: there is no model.json in it"),
        (("--model", "mlp(hiden=8)"), "unknown option 'hiden'"),
    ],
)  # fmt: skip
def test_a_place_that_cannot_be_written_is_refused_before_training(
    sightline: Call, here: Path, table, no_training, flags, message
):
    (here / "reviews.csv").write_bytes(table.read_bytes())
    (here / "mine").mkdir()
    (here / "mine" / "precious").write_text("x")
    done = sightline("audit", "--data", "reviews.csv", *flags)
    assert done.code == 2
    assert message in one_error(done.err)
    assert sorted(path.name for path in here.iterdir()) == ["mine", "reviews.csv"]
    assert (here / "reviews.csv").read_bytes() == table.read_bytes()


def test_a_disk_that_refuses_is_told_with_the_place(
    sightline: Call, here: Path, table, monkeypatch
):
    def full(*arguments: object, **options: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("sightline.report.html.audit_page.write_page", full)
    done = sightline("audit", "--data", table, *TINY)
    assert done.code == 2
    note, *stopped, error = done.err.splitlines()  # the note is on the training, which was done
    assert (note[:5], error) == (
        "note:",
        "error: cannot write report.html: No space left on device; make room, or write elsewhere",
    )
    looks, trained = stopped
    assert looks.startswith("stopped: ")
    assert "report.html.partial-looks" in looks
    assert trained.startswith("stopped: what is trained is kept in report.html.partial")


# ---------------------------------------------------------------- 3


def test_a_gate_closes_and_everything_is_written_all_the_same(sightline: Call, here: Path, table):
    done = sightline(
        "audit",
        "--data",
        table,
        *TINY,
        "--fail-on",
        "must-not-be-shown",
        "--fail-on",
        "cannot-tell",
        "--save",
        "audit",
    )
    assert done.code == 3
    assert done.err.splitlines()[1:] == [
        "gate closed: the verdict is 'cannot-tell'"
    ]  # behind the note on its training
    assert (here / "report.html").exists()
    assert (here / "audit" / "audit.json").exists()
    assert "VERDICT   These texts cannot tell" in done.out


def test_a_gate_stays_open_for_another_verdict(sightline: Call, here: Path, table):
    done = sightline("audit", "--data", table, *TINY, "--fail-on", "can-be-shown-with-caveats")
    assert done.code == 0
    assert "--fail-on cannot-tell" in done.err.splitlines()[-1]  # nothing could be told


def test_an_open_gate_is_noted_only_where_nothing_could_be_told(finished: Finished, capsys):
    audit = Audit.load(finished.saved)
    told = replace(audit, verdict=replace(audit.verdict, level=MUST_NOT, by_class={}))
    untold = replace(audit, verdict=replace(audit.verdict, level=CANNOT_TELL, by_class={}))

    def noted(one: Audit, *gates: str) -> bool:
        close_gates(Audits({0: one}, together=False), gates)
        return "--fail-on cannot-tell" in capsys.readouterr().err

    assert [noted(one, "can-be-shown") for one in (told, untold)] == [False, True]
    assert not noted(untold)
    with pytest.raises(typer.Exit):
        close_gates(Audits({0: untold}, together=False), ["cannot-tell"])
    assert "--fail-on cannot-tell" not in capsys.readouterr().err


def test_a_later_seed_or_label_closes_a_gate_too():
    can, must_not = (replace(audits.audit(), verdict=reached(one, 1)) for one in (CAN, MUST_NOT))
    gates = ["must-not-be-shown"]

    def labels(second: Audit) -> LabelAudits:
        return LabelAudits("m", {"a": can, "b": second}, {}, {"a": 9, "b": 9}, 18)

    close_gates(Audits({0: can, 1: can}, together=True), gates)
    close_gates(labels(can), gates)
    for several in (Audits({0: can, 1: must_not}, together=True), labels(must_not)):
        with pytest.raises(typer.Exit) as caught:
            close_gates(several, gates)
        assert caught.value.exit_code == GATE_CLOSED


def test_a_label_whose_audit_broke_closes_every_gate_and_one_that_was_not_asked_none(capsys):
    can = replace(audits.audit(), verdict=reached(CAN, 1))
    left = {"broken": "forward raised KeyError", "rare": "too few positives"}
    counts = dict.fromkeys(("a", *left), 9)
    made = LabelAudits("m", {"a": can}, left, counts, 18, failed=("broken",))
    for gate in ("must-not-be-shown", "SL-101"):
        with pytest.raises(typer.Exit) as caught:
            close_gates(made, [gate])
        assert caught.value.exit_code == GATE_CLOSED
        said = capsys.readouterr().err
        assert "'broken': forward raised KeyError" in said
        assert "rare" not in said
    close_gates(made, [])
    close_gates(replace(made, failed=()), ["must-not-be-shown"])
    assert "2 labels" in capsys.readouterr().err  # that the open gate is not about


def test_a_label_that_was_asked_for_by_name_and_not_audited_closes_gates_that_need_an_audit(capsys):
    can = replace(audits.audit(), verdict=reached(CAN, 1))
    left = {"rare": "too few positives", "other": "too few negatives"}
    some = LabelAudits("m", {"a": can}, left, dict.fromkeys(("a", *left), 9), 18)
    none = replace(some, audits={})
    for made, labels, closing in ((some, ("rare",), ["rare"]), (none, (), ["rare", "other"])):
        for gate in ("cannot-tell", "SL-301"):
            with pytest.raises(typer.Exit) as caught:
                close_gates(made, [gate], labels)
            assert caught.value.exit_code == GATE_CLOSED
            said = capsys.readouterr().err
            assert [label for label in left if f"'{label}' was not audited" in said] == closing
        close_gates(made, ["must-not-be-shown"], labels)
        assert "2 labels could not be audited" in capsys.readouterr().err
    close_gates(some, ["cannot-tell"])


@pytest.mark.parametrize("flag", ["", "--no-texts", "--no-ids"])
@pytest.mark.parametrize("command", [("audit",), ("train", "--out", "m")])
def test_what_a_file_holds_is_left_out_of_errors_by_either_flag(
    sightline: Call, here: Path, command: tuple[str, ...], flag: str
):
    Path("bare.csv").write_text("SECRET said it hurts,yes\nmore words,no")
    done = sightline(*command, "--data", "bare.csv", *filter(None, [flag]))
    assert done.code == 2
    assert "bare.csv" in one_error(done.err)
    assert ("SECRET" in done.err) == (not flag)


NO_HEADER = {
    "SECRET hurts,no\nmore words,yes\n": "the table has 2 columns that are not shown",
    "SECRET,SECRET\nmore words,yes\n": "different names, got [not shown] twice; rename one",
}


@pytest.mark.parametrize("table", NO_HEADER)
@pytest.mark.parametrize("hiding", [("--no-texts",), ("--no-texts", "--no-ids")])
def test_an_error_that_hides_says_how_to_see_and_what_a_header_is(
    sightline: Call, here: Path, table: str, hiding: tuple[str, ...]
):
    Path("bare.csv").write_text(table)
    done = sightline("audit", "--data", "bare.csv", *hiding)
    assert done.code == 2
    assert NO_HEADER[table] in done.err
    assert "; this line is read as the header: add one if the table has none; to see" in done.err
    without = " and ".join(hiding)
    assert one_error(done.err).endswith(
        "to see what is not shown, run `sightline check-data` on the data, or this once without "
        f"{without}"
    )
    shown = sightline("check-data", "--data", "bare.csv").err
    assert "SECRET" in shown
    assert "to see" not in shown


def test_a_finding_closes_its_gate_when_it_is_contradicted(finished: Finished):
    audit = Audit.load(finished.saved)
    for place, finding in enumerate(audit.findings):
        for answer in ("passed", "failed", "inconclusive", "not run"):
            changed = [*audit.findings]
            changed[place] = replace(finding, result=answer)
            lines = closed(
                replace(audit, findings=tuple(changed)), read_gates([finding.code.lower()])
            )
            expected = {
                "failed": [f"{finding.code} failed"],
                "not run": [f"{finding.code} was not run: {changed[place].reason}"],
            }
            assert lines == expected.get(answer, [])


def test_a_class_closes_a_gate_as_all_texts_together_do(finished: Finished):
    """Its map would be shown, too."""
    audit = Audit.load(finished.saved)
    classes = {
        "neg": reached(BY_ABSENCE, 7, (), ()),
        "pos": reached(CAN, 4, (), ()),
        "so-so": reached(MUST_NOT, 2, (), ()),
    }
    mixed = replace(audit, verdict=reached(CAVEATS, 5, (), (), classes))

    def lines(*gates: str) -> list[str]:
        return closed(mixed, read_gates(gates))

    assert lines("cannot-tell") == []
    for gate, of in (("decided-by-absence", "neg"), ("must-not-be-shown", "so-so")):
        (line,) = lines(gate)
        assert f"'{of}'" in line
        assert f"'{gate}'" in line
    assert lines("can-be-shown-with-caveats") == ["the verdict is 'can-be-shown-with-caveats'"]
    alone = replace(audit, verdict=reached(CAVEATS, 5, (), (), {"pos": classes["pos"]}))
    assert closed(alone, read_gates(["decided-by-absence", "must-not-be-shown"])) == []


def test_a_gate_on_a_finding_is_told_like_one_on_a_verdict(
    sightline: Call, here: Path, tmp_path: Path
):
    data = write_table(tmp_path / "more.csv", 800)  # few texts contradict nothing
    gates = [word for code in AUDIT_TESTS for word in ("--fail-on", code)]
    done = sightline("audit", "--data", data, *TINY, "--controls", "none", "--json", *gates)
    found = {one["code"]: one for one in done.json["findings"]}
    assert {"failed", "not run"} <= {one["result"] for one in found.values()}
    lines = [
        f"{code} failed" if one["result"] == "failed" else f"{code} was not run: {one['reason']}"
        for code, one in found.items()
        if one["result"] in ("failed", "not run")
    ]
    (message,) = (line for line in done.err.splitlines() if line.startswith("gate"))
    assert done.code == 3
    assert sorted(message.removeprefix("gate closed: ").split("; SL-")) == sorted(
        "; ".join(lines).split("; SL-")
    )


def test_a_gate_takes_the_expensive_measure_of_its_test(sightline: Call, here: Path, table):
    done = sightline("audit", "--data", table, *TINY, "--json", "--fail-on", "SL-401")
    (found,) = (one for one in done.json["findings"] if one["code"] == "SL-401")
    assert "--measure" not in found["reason"]
    assert (done.code == 3) == (found["result"] in ("failed", "not run"))


# ---------------------------------------------------------------- 130 and 141


def test_an_interrupt_is_one_line(sightline: Call, monkeypatch):
    def interrupt(*arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("sightline.data.load_dataset.load", interrupt)
    done = sightline("check-data", "--data", "x.csv")
    assert done.code == 130
    assert one_error(done.err) == "error: interrupted; nothing is half-written"


def test_sigterm_is_one_line_and_unwinds_what_runs(sightline: Call, monkeypatch):
    unwound = []

    def terminate(*arguments: object, **options: object) -> None:
        try:
            os.kill(os.getpid(), signal.SIGTERM)
        finally:
            os.kill(os.getpid(), signal.SIGTERM)  # an impatient second one cuts nothing short
            unwound.append(True)

    monkeypatch.setattr("sightline.data.load_dataset.load", terminate)
    before = signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        heed_sigterm()
        done = sightline("check-data", "--data", "x.csv")
    finally:
        signal.signal(signal.SIGTERM, before)
    assert (done.code, unwound) == (143, [True])
    assert one_error(done.err) == "error: terminated; nothing is half-written"


def test_sigterm_stays_ignored_where_whoever_started_us_ignores_it():
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        heed_sigterm()
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGTERM, before)


@pytest.mark.slow
def test_an_interrupted_training_leaves_nothing(here: Path):
    command = [
        "audit",
        "--data",
        "planted:needle(n=1000,length=30)",
        "--model",
        "bilstm",
        "--save",
        "audit",
        "--verbose",
    ]
    with subprocess.Popen(
        [sys.executable, "-c", MAIN, *command], stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline().startswith("training model: epoch 1")
        process.send_signal(signal.SIGINT)
        rest = process.stderr.read()
    assert process.returncode == 130
    assert rest.splitlines()[-1] == "error: interrupted; nothing is half-written"
    assert "Traceback" not in rest
    assert not any(here.iterdir())


def test_an_interrupt_while_a_report_is_written_leaves_the_old_one(
    sightline: Call, here: Path, finished: Finished, monkeypatch
):
    old = finished.page.read_bytes()
    (here / "report.html").write_bytes(old)

    def half(path: Path, page: Sequence[str]) -> None:
        path.write_text(page[0][:100])
        raise KeyboardInterrupt

    monkeypatch.setattr("sightline.report.html.audit_page._write", half)
    assert sightline("report", finished.saved).code == 130
    assert [path.name for path in here.iterdir()] == ["report.html"]
    assert (here / "report.html").read_bytes() == old


def test_a_reader_that_goes_away_is_no_error():
    read, write = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-c", MAIN, "list", "models"],
        stdout=write,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.close(write)
    os.close(read)
    _, err = process.communicate()
    assert (process.returncode, err) == (141, "")


def test_the_door_itself_leaves_with_the_code_and_survives_a_narrow_terminal():
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    done = subprocess.run(
        [sys.executable, "-m", "sightline", "list", "measures"],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Kendall's \\u03c4-b" in done.stdout
    assert (
        subprocess.run(
            [sys.executable, "-m", "sightline", "list", "colours"], capture_output=True, check=False
        ).returncode
        == 2
    )
