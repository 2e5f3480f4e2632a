"""No output may cost what is there: an input, another output, or what is no file; refused before
any work, by flag.
"""

import os
import shutil
import socket
import stat
from collections.abc import Callable
from pathlib import Path
from typing import get_type_hints

import pytest
import typer

from sightline._io.atomic_write import hidden_name
from sightline.api.seed_audits import Audits
from sightline.audits.label_audits import LabelAudits
from sightline.cli.app import app
from sightline.cli.audit_output import AUDIT, audit_outputs
from sightline.cli.flag_groups import AuditReport
from sightline.cli.output_checks import Folder, Output, check_places, model_inputs
from sightline.core.errors import SightlineError, SpecError, StoreError
from sightline.experiments.store import FILES, Store
from tests.cli.conftest import Call, Finished
from tests.report.audits import audit

STUDY = """
name = "s"
[base]
data = "d.csv"
model = "mlp(hidden=4)"
"model.vectors" = "v.txt"
[axes]
seed = [0, 1]
"""
WRITES: dict[tuple[str, str], list[str]] = {
    ("audit", "--out"): ["audit", "--data", "d.csv", "--out"],
    ("audit", "--save"): ["audit", "--data", "d.csv", "--save"],
    ("audit", "--card"): ["audit", "--data", "d.csv", "--card"],
    ("audit", "--junit"): ["audit", "--data", "d.csv", "--junit"],
    ("train", "--out"): ["train", "--data", "d.csv", "--out"],
    ("report", "--out"): ["report", "sa", "--out"],
    ("report", "--card"): ["report", "sa", "--card"],
    ("report", "--junit"): ["report", "sa", "--junit"],
    ("card", "--out"): ["card", "sa", "--out"],
    ("figure", "--out"): ["figure", "tau-by-class", "sa", "--out"],
    ("table", "--out"): ["table", "jain2019:J-2", "sa", "--out"],
    ("predict", "--out"): ["predict", "m", "d.csv", "--out"],
    ("compare", "--out"): ["compare", "sa", "m", "--out"],
    ("export", "--csv"): ["export", "sa", "--csv"],
    ("export", "--parquet"): ["export", "sa", "--parquet"],
    ("study", "--table"): ["study", "s.toml", "--store", "st", "--table"],
    ("study", "--store"): ["study", "s.toml", "--store"],
    ("study", "--out"): ["study", "s.toml", "--store", "st", "--out"],
    ("study", "--results"): ["study", "s.toml", "--store", "st", "--results"],
    ("results", "--csv"): ["results", "--store", "st", "--csv"],
    ("results", "--out"): ["results", "--store", "st", "--sql", "FROM runs", "--out"],
    ("vectors", "--out"): ["vectors", "--data", "d.csv", "--out"],
    ("demo", "--out"): ["demo", "--out"],
}
"""Each flag by which a command is told where to write, behind what else the command needs."""
READS = {
    ("audit", "--scores"),
    ("audit", "--vectors"),
    ("train", "--vectors"),
    ("report", "folder"),
    ("export", "saved"),
    ("card", "saved"),
    ("study", "--data"),
    ("study", "--vectors"),
    ("results", "--store"),
    ("compare", "--store"),
    ("look", "--audit"),
}
FOLDERS, A_STUDY = ("--save", "--store"), ("study", "--out")
WITHIN = [("demo", "--out")]
"""What lies in the folder is written, not the folder."""


@pytest.fixture
def place(here: Path, table: Path, finished: Finished, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with everything a command can read; none may be read, and nothing trained."""
    for data in ("d.csv", "kept/d.csv", "corpus/train.txt", "my_model.py", "scores.csv", "x/y"):
        Path(data).parent.mkdir(exist_ok=True)
        Path(data).write_bytes(table.read_bytes())
    Path("v.txt").write_text("good 1 2\nbad 2 1\n")
    Path("s.toml").write_text(STUDY)
    Path("m").mkdir()
    Path("m/model.json").write_text("{}")
    shutil.copytree(finished.saved, "sa")
    shutil.copyfile("d.csv", "sa/data.csv")
    Store("st")

    def fail(*arguments: object, **options: object) -> None:
        raise AssertionError("work was begun")

    for work in (
        "data.load_dataset.load",
        "api.model_source.with_vectors",
        "experiments.training_jobs.fit",
        "experiments.audit_lookup.load_results",
        "audits.audit_storage.load_results",
        "cli.export.load_results",
    ):
        monkeypatch.setattr(f"sightline.{work}", fail)
    for reading in ("find", "listed", "check"):
        monkeypatch.setattr(Store, reading, fail)
    return here


def held(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    """Say what lies in a folder, to the last byte; the same inode, so not a copy of it."""
    return {
        str(path): (
            path.lstat().st_ino,
            path.lstat().st_mode,
            path.read_bytes() if path.is_file() else b"",
        )
        for path in sorted(folder.rglob("*"))
    }


def refused(sightline: Call, place: Path, arguments: list[str]) -> str:
    """Call a command, and give the one line with which it refuses without having touched
    anything.
    """
    before = held(place)
    done = sightline(*arguments)
    assert (done.code, done.out) == (2, ""), done
    assert held(place) == before
    (line,) = done.err.splitlines()
    return line.removeprefix("error: ")


def test_every_flag_that_names_a_place_is_known_here() -> None:
    flags = {name: command.params for name, command in typer.main.get_command(app).commands.items()}
    named = {
        (one.name, max(flag.opts, key=len))
        for one in app.registered_commands
        for flag in flags[one.name]
        if get_type_hints(one.callback).get(flag.name) in (Path, Path | None)
    }
    assert named == set(WRITES) | READS


# ---------------------------------------------------------------- what is no file


def a_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(path))


def a_device(path: Path) -> None:
    os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 3))


STRANGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "a link": (lambda path: path.symlink_to("d.csv"), "symbolic link"),
    "a link to nothing": (lambda path: path.symlink_to("nowhere"), "symbolic link"),
    "a link to itself": (lambda path: path.symlink_to(path.name), "symbolic link"),
    "a link to an audit": (lambda path: path.symlink_to("sa"), "symbolic link"),
    "a pipe": (os.mkfifo, "pipe"),
    "a socket": (a_socket, "socket"),
    "a device": (a_device, "device"),
}


def named(kind: str) -> str:
    """Make something strange and name it; who may not make a device may not replace the system's
    own either.
    """
    try:
        STRANGE[kind][0](Path("n.csv"))
    except PermissionError:
        return os.devnull
    return "n.csv"


@pytest.mark.parametrize("kind", STRANGE)
@pytest.mark.parametrize(("command", "flag"), WRITES)
def test_what_is_no_file_or_folder_is_left_alone(
    sightline: Call, place: Path, command, flag, kind
) -> None:
    name = named(kind)
    if kind == "a link to an audit" and (command, flag) in [
        *WITHIN,
        ("study", "--store"),
        ("study", "--out"),
    ]:
        return  # these write into a folder, and a link leads to one
    result = refused(sightline, place, [*WRITES[command, flag], name])
    if (command, flag) in WITHIN:
        assert f"n.csv is a {STRANGE[kind][1]}, not a folder; name another place" in result
        return
    wanted = (
        "folder"
        if flag in FOLDERS or command in ("train", "export") or (command, flag) == A_STUDY
        else "file"
    )
    if name == os.devnull and command == "study":
        assert result.startswith("--table /dev/null: expected a name that ends in")
        return
    assert result == (
        f"{flag} {name}: expected the name of a {wanted}, got a {STRANGE[kind][1]}; name "
        "another place"
    )


@pytest.mark.parametrize(("command", "flag"), WRITES)
def test_a_place_below_what_is_no_folder_is_refused(
    sightline: Call, place: Path, command, flag
) -> None:
    Path("to-nowhere").symlink_to("nowhere")
    result = refused(sightline, place, [*WRITES[command, flag], "to-nowhere/n.csv"])
    assert "to-nowhere is a symbolic link, not a folder; name another place" in result


@pytest.mark.parametrize(("command", "flag"), WRITES)
def test_a_name_too_long_for_what_is_written_beside_it_is_refused(
    sightline: Call, place: Path, command, flag
) -> None:
    if flag == "--store" or (command, flag) in WITHIN:
        return  # nothing is written beside them
    result = refused(sightline, place, [*WRITES[command, flag], f"{'n' * 243}.csv"])
    assert result.endswith("File name too long; give it a shorter name")


# ---------------------------------------------------------------- what is read, and what else is written

COSTS = {
    "audit --data d.csv --model m --out m/model.json": (
        "--out m/model.json: lies in --model m, which is only read; name a place outside of it"
    ),
    "audit --data d.csv --model m --out m/new/page.html": (
        "--out m/new/page.html: lies in --model m, which"
    ),
    "audit --data d.csv --model m --save m/audit": "--save m/audit: lies in --model m, which",
    "audit --data d.csv --model py:my_model:make --out my_model.py": "--model and --out both name my_model.py",
    "audit --data d.csv --model py:x.y:make --out x/__init__.py": (
        "--out x/__init__.py: lies in --model x, which"
    ),
    "audit --data d.csv --vectors v.txt --out v.txt": (
        "--vectors and --out both name v.txt; give them different names"
    ),
    "audit --data d.csv --scores scores.csv --out scores.csv": "--scores and --out both name scores.csv",
    "audit --data d.csv --out d.csv": "--data and --out both name d.csv",
    "audit --data link.csv --out d.csv": "--data and --out both name d.csv",
    "audit --data sst:corpus --out corpus/train.txt": (
        "--out corpus/train.txt: lies in --data corpus, which"
    ),
    "audit --data sst:corpus --save corpus": (
        "--save corpus: exists and is not a saved audit; name a new folder"
    ),
    "audit --data sa/data.csv --save sa": (
        "--save sa: is replaced, and --data sa/data.csv lies in it; name another folder"
    ),
    "audit --data sa/link.csv --save sa": (
        "--save sa: is replaced, and --data sa/link.csv lies in it"
    ),
    "audit --data d.csv --save new --out new": "--out and --save both name new",
    "audit --data d.csv --save new --out new/audit.json": (
        "--out new/audit.json: is in the way of what --save new writes; give it another name"
    ),
    "audit --data d.csv --save new --out new/arrays.npz": (
        "--out new/arrays.npz: is in the way of what --save new"
    ),
    "audit --data d.csv --save new --out new/SHA256SUMS": (
        "--out new/SHA256SUMS: is in the way of what --save new"
    ),
    "audit --data d.csv --save new --out new/texts.jsonl/x.html": (
        "--out new/texts.jsonl/x.html: is in the way"
    ),
    "audit --data d.csv --out page --save page/new": (
        "--save page/new: is in the way of what --out page writes"
    ),
    "train --data d.csv --vectors v.txt --out v.txt": (
        "--out v.txt: expected the name of a folder, got a file"
    ),
    "train --data sst:corpus --out corpus/model": "--out corpus/model: lies in --data corpus",
    "train --data m/d.csv --out m": "--out m: is replaced, and --data m/d.csv lies in it",
    "train --data d.csv --vectors m/v.txt --out m": (
        "--out m: is replaced, and --vectors m/v.txt lies in it"
    ),
    "report sa --out sa/audit.json": (
        "--out sa/audit.json: lies in AUDIT_DIR sa, which is only read"
    ),
    "report sa --out sa": "--out sa: expected the name of a file, got a folder",
    "study s.toml --store st --table d.csv": (
        "data of s.toml and --table both name d.csv; give them different names"
    ),
    "study s.csv --store st --table s.csv": "FILE.toml and --table both name s.csv",
    "study s.toml --store new --table new": (
        "--table new: expected a name that ends in .md, .csv, .tex"
    ),
    "study s.toml --store new.csv --table new.csv": "--store and --table both name new.csv",
    "study s.toml --store new --table new/runs/x.csv": (
        "--table new/runs/x.csv: is in the way of what --store new"
    ),
    "study s.toml --store s.toml": "--store s.toml: expected the name of a folder, got a file",
    "results --store st --csv st/store.json": (
        "--csv st/store.json: lies in --store st, which is only read"
    ),
    "vectors --data d.csv --out d.csv": "--data and --out both name d.csv",
    "vectors --data sst:corpus --out corpus/train.txt": (
        "--out corpus/train.txt: lies in --data corpus"
    ),
}


@pytest.mark.parametrize("line", COSTS)
def test_no_output_is_an_input_or_in_the_way_of_another(
    sightline: Call, place: Path, monkeypatch, line
) -> None:
    Path("link.csv").symlink_to("d.csv")
    Path("sa/link.csv").symlink_to("../d.csv")
    Path("s.csv").write_text(STUDY)
    monkeypatch.setattr("sightline.experiments.grid.with_vectors", lambda model, path: model)
    assert refused(sightline, place, line.split()).startswith(COSTS[line])


def test_vectors_that_a_study_reads_are_not_its_table(sightline: Call, place: Path) -> None:
    Path("v.csv").write_text("good 1 2\nbad 2 1\n")
    Path("s.toml").write_text(STUDY.replace("v.txt", "v.csv"))
    result = refused(sightline, place, ["study", "s.toml", "--store", "st", "--table", "v.csv"])
    assert result == "vectors of s.toml and --table both name v.csv; give them different names"


@pytest.mark.parametrize("name", [".", "..", "../a", "inside/.."])
def test_the_folder_one_is_in_is_not_replaced(
    sightline: Call, place: Path, finished: Finished, monkeypatch, name
) -> None:
    shutil.copytree(finished.saved, "a")
    Path("a/inside/one").mkdir(parents=True)
    monkeypatch.chdir(Path("a/inside") if name == ".." else Path("a"))
    result = refused(sightline, place, ["audit", "--data", str(place / "d.csv"), "--save", name])
    assert result.startswith(
        f"--save {name}: expected a folder by its name, and not the one you are in"
    )


@pytest.mark.parametrize("closed", [".", "sa"])
def test_a_folder_that_must_not_be_written_is_refused(place: Path, monkeypatch, closed) -> None:
    shut = Path(closed).resolve()
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path).resolve() != shut)
    with pytest.raises(
        SightlineError, match=r"^--save sa: no permission to write in .*; name another place$"
    ):
        check_places([], Output("--save", Path("sa"), AUDIT))
    check_places(
        [], Output("--store", Path("st"), Folder("a store", FILES, kept=True))
    )  # it may be read all the same


def test_what_may_be_written(place: Path) -> None:
    Path("to-store").symlink_to("st")
    store = Folder("a store", FILES, kept=True)
    fine: list[tuple[list[tuple[str, Path | None]], list[Output | None]]] = [
        (
            [("--data", Path("d.csv"))],
            [Output("--out", Path("report.html")), Output("--save", Path("sa"), AUDIT)],
        ),
        (
            [("--data", None)],
            [Output("--out", Path("sa/report.html")), Output("--save", Path("sa"), AUDIT), None],
        ),
        (
            [("--data", Path("corpus"))],
            [Output("--out", Path("corpus.html")), Output("--save", Path("new/a"), AUDIT)],
        ),
        (
            [("FILE.toml", Path("s.toml"))],
            [Output("--store", Path("to-store"), store), Output("--table", Path("st/t.md"))],
        ),
        ([("--data", Path("st/d.csv"))], [Output("--store", Path("st"), store)]),
        ([("--model", Path("m"))], [Output("--out", Path("m.html"))]),
        ([("--data", Path("circle"))], [Output("--out", Path("page.html"))]),
    ]
    Path("circle").symlink_to("circle")
    for inputs, outputs in fine:
        check_places(inputs, *outputs)


def test_an_audit_that_was_hidden_is_seen(place: Path) -> None:
    Path("sa").rename(hidden_name(Path("sa")))
    check_places([], Output("--save", Path("sa"), AUDIT))
    assert Path("sa/audit.json").exists()
    shutil.rmtree("sa")
    hidden_name(Path("sa")).mkdir()
    (hidden_name(Path("sa")) / "mine").touch()
    with pytest.raises(SightlineError, match="exists and is not a saved audit"):
        check_places([], Output("--save", Path("sa"), AUDIT))


REPLACES = {
    "train --data d.csv --out": ("a saved model", "model.json"),
    "audit --data d.csv --save": ("a saved audit", "audit.json"),
    "audit --data d.csv --seeds 2 --save": (
        "a folder with the audits of several seeds",
        "seeds.json",
    ),
    "export sa --csv": ("an export", "columns.json"),
}


@pytest.mark.parametrize("command", REPLACES)
def test_what_is_replaced_is_said_before_any_work(
    sightline: Call, place: Path, command: str
) -> None:
    what, mark = REPLACES[command]
    Path("old").mkdir()
    empty = sightline(*command.split(), "old")
    assert "work was begun" in empty.err, "an empty folder is as good as none"
    assert "is replaced" not in empty.err
    Path("old", mark).write_text("{}")
    done = sightline(*command.split(), "old")
    message = (
        f"note: {command.split()[-1]} old holds {what}, which is replaced; other files in it stay"
    )
    assert done.err.splitlines()[0] == message


def test_a_page_keeps_its_permissions(sightline: Call, here: Path, finished: Finished) -> None:
    Path("page.html").touch(mode=0o600)
    assert sightline("report", finished.saved, "--out", "page.html").code == 0
    assert stat.S_IMODE(Path("page.html").stat().st_mode) == 0o600


def test_the_root_has_no_folder_above_it_and_is_refused_like_another(
    sightline: Call, place: Path
) -> None:
    for command, flag in (
        ("audit", "--out"),
        ("audit", "--save"),
        ("report", "--out"),
        ("results", "--csv"),
    ):
        done = sightline(*WRITES[command, flag], "/")
        assert done.code == 2
        assert done.err.startswith(f"error: {flag} /: ")


MINE = {
    "--out notes.html": "<!DOCTYPE html>\n<title>My notes on sightline</title>",
    "--card README.md": "# My model\n\nAudited by sightline.",
    "--card mine.html": "<article>\n<h2>My model</h2>sightline",
    "--junit precious.py": "import sightline",
    "--junit other.xml": "<testsuites><testsuite name='mine'>sightline</testsuite></testsuites>",
}


@pytest.mark.parametrize("written", MINE)
def test_a_file_of_the_user_is_not_replaced(written: str, here: Path) -> None:
    flag, name = written.split()
    output = Output(flag, here / name)
    check_places((), output)
    output.path.write_text(MINE[written])
    with pytest.raises(StoreError, match="no such file of sightline"):
        check_places((), output)
    assert output.path.read_text() == MINE[written]
    output.path.write_text("")  # an empty file is as good as none
    check_places((), output)


TABLE_OF_MINE = "text,predicted,probability of yes\nit hurts,no,0.1\n"
NO_TABLE_OF_OURS = {
    "predict m d.csv --out mine.csv": TABLE_OF_MINE,
    "predict m d.csv --out gold.csv": "line,predicted,probability of no,gold\n2,no,0.9,yes\n",
    "predict m d.csv --out mine.jsonl": '{"line": 2, "predicted": "no", "note": "it hurts"}\n',
    "predict m d.csv --format csv --out mine.html": TABLE_OF_MINE,
    "vectors --data d.csv --out mine.txt": "Dictated on the second of May: 1.000000 ml\n",
    "vectors --data d.csv --out glove.txt": "the 0.418 0.24968 -0.41242\n",
    "vectors --data d.csv --out mine.txt.gz": "\x1f\x8b and no more",
    "results --store st --csv mine.csv": "key,state,data,model,seed\n1,2,3,4,5\n",
    "study s.toml --store st --table mine.csv": "column,value,low,high\nage,1,0,2\n",
    "study s.toml --store st --table mine.md": "**My table**\n\n| a | b |\n|---|---|\n",
    "study s.toml --store st --table mine.tex": "% \\usepackage{booktabs}\n\\section{Mine}\n",
    "table jain2019:J-2 sa --out mine.csv": TABLE_OF_MINE,
}


@pytest.mark.parametrize("line", NO_TABLE_OF_OURS)
def test_a_table_of_the_user_is_not_replaced(
    sightline: Call, place: Path, monkeypatch, line: str
) -> None:
    monkeypatch.setattr("sightline.experiments.grid.with_vectors", lambda model, path: model)
    *_, flag, name = line.split()
    Path(name).write_text(NO_TABLE_OF_OURS[line], encoding="latin-1")
    assert refused(sightline, place, line.split()) == (
        f"{flag} {name}: exists and is no such file of sightline; name another file, or move this one"
    )


def test_what_sightline_wrote_is_replaced(sightline: Call, finished: Finished, here: Path) -> None:
    for card in ("card.md", "card.html"):
        line = ("report", finished.saved, "--card", card, "--junit", "j.xml", "--title", "T")
        assert [sightline(*line).code for _ in range(2)] == [0, 0]
    labels = LabelAudits(
        "m", {"positive": audit()}, {"y": "broken"}, {"positive": 9, "y": 9}, 9, failed=("y",)
    )
    none = LabelAudits("m", {}, {"y": "broken"}, {"y": 9}, 9, failed=("y",))
    for place, made in {"several": labels, "none": none}.items():
        made.save(place)
        for card in ("card.md", "card.html"):
            line = ("report", place, "--card", card, "--junit", "j.xml", "--out", "report.html")
            assert [sightline(*line).code for _ in range(2)] == [0, 0]


def test_the_files_of_a_prompt_are_inputs(here: Path) -> None:
    Path("prompt.txt").write_text("{text}")
    model = "hf-causal:m(template=prompt.txt,answers=bad|good)"
    with pytest.raises(SpecError, match="--model and --out both name"):
        check_places(model_inputs("--model", model), Output("--out", Path("prompt.txt")))
    # Many answers are longer than the name of a file can be.
    many = f"hf-causal:m(answers={'|'.join(f'class {n}' for n in range(60))},template=~nobody/p)"
    assert {flag for flag, _ in model_inputs("--model", many)} == {"--model"}


@pytest.mark.parametrize("several", [False, True])
def test_an_audit_replaces_the_audits_of_labels(here: Path, several: bool) -> None:
    saved = here / "saved"
    LabelAudits("m", {"x": audit()}, {}, {"x": 9}, 9).save(saved)
    (saved / "mine").touch()
    report = AuditReport(out=here / "page.html", save=saved)
    check_places((), *audit_outputs(report, several=several))
    Audits({0: audit()}, together=several).save(saved)
    marks = {"seeds.json", "seed-0"} if several else {"audit.json", "texts.jsonl", "arrays.npz"}
    assert {one.name for one in saved.iterdir()} == {"mine", "SHA256SUMS", *marks}
    audit().save(saved / "label-smoothing")
    Audits({0: audit()}, together=several).save(saved)
    assert (saved / "label-smoothing" / "audit.json").is_file()
