"""A file or folder is replaced whole or not at all, whatever breaks; and what is neither is left
alone.
"""

import errno
import os
import shutil
import socket
import stat
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from sightline._io import atomic_write
from sightline._io.atomic_write import hidden_name, kind_of, write_whole
from sightline._io.checksums import is_whole, write_sealed
from sightline.api.model_source import saved_folder
from sightline.audits.audit_storage import load_results, save_results
from sightline.core.errors import SightlineError, StoreError
from sightline.experiments.multi_seed import save_several
from sightline.models.model_storage import save_classifier
from tests import breaking
from tests.breaking import (
    NAME,
    NEW,
    OLD,
    Break,
    broken_at_each,
    fill,
    found,
    full,
    interrupted,
    replace,
)
from tests.report.audits import audit
from tests.texts import untrained

ROOT = Path(__file__).resolve().parents[2]
KINDS = ["file", "folder"]


# ---------------------------------------------------------------- what breaks


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("how", [full, interrupted])
@pytest.mark.parametrize("kind", KINDS)
def test_whichever_call_breaks_the_old_or_the_new_is_whole(
    tmp_path: Path, kind, how, after
) -> None:
    counted: Counter[tuple[str, bool]] = Counter()
    for place, message in broken_at_each(tmp_path, kind, how, after=after):
        counted[found(place), message] += 1
        assert found(hidden_name(place)) in (
            "nothing",
            "old",
        )  # never a part of it, which somebody might put back
    assert set(counted) <= {("old", True), ("new", True), ("new", False)}, counted
    assert counted["old", True] >= 5
    assert counted["new", False] >= 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_write_that_was_broken_is_written_again(tmp_path: Path, kind) -> None:
    for place, _ in broken_at_each(tmp_path, kind, interrupted, after=True):
        with breaking.breaking(Break(0, full)):
            replace(place.parent, kind)
        assert found(place) == "new"
        assert not os.path.lexists(hidden_name(place))


@pytest.mark.parametrize("kind", KINDS)
def test_the_next_writer_removes_what_a_killed_one_left(tmp_path: Path, kind) -> None:
    killed = (
        "import os, signal, sys; from pathlib import Path; "
        "from sightline._io.atomic_write import write_whole; "
        "write_whole(Path(sys.argv[1]), lambda new: "
        "(new.write_text('texts'), os.kill(os.getpid(), signal.SIGKILL)))"
    )
    subprocess.run([sys.executable, "-c", killed, tmp_path / NAME], cwd=ROOT, timeout=120)
    (left,) = tmp_path.iterdir()
    assert (left / "new").read_text() == "texts"
    others = {f".{NAME}.mine", f".{NAME}.mine0001", f".other.{left.suffix[1:]}"}
    for name in others:
        (tmp_path / name).mkdir()
    replace(tmp_path, kind)
    assert {path.name for path in tmp_path.iterdir()} == {NAME, *others}


def test_a_writer_that_lives_keeps_its_folder(tmp_path: Path) -> None:
    def write(aside: Path) -> None:
        aside.write_text("first")
        write_whole(tmp_path / NAME, lambda other: fill(other, NEW, "file"))
        assert aside.read_text() == "first"

    write_whole(tmp_path / NAME, write)
    assert (tmp_path / NAME).read_text() == "first"
    assert [path.name for path in tmp_path.iterdir()] == [NAME]


@contextmanager
def interrupted_at(line: int) -> Iterator[list[int]]:
    """Raise a KeyboardInterrupt before the line of `sightline._io.atomic_write` that runs as the
    one with this number.
    """
    counted = [0]

    def inside(frame: FrameType, event: str, _: object) -> Any:
        if event == "line":
            counted[0] += 1
            if counted[0] == line:
                raise KeyboardInterrupt
        return inside

    before = sys.gettrace()
    sys.settrace(
        lambda frame, event, _: (
            inside if frame.f_code.co_filename == atomic_write.__file__ else None
        )
    )
    try:
        yield counted
    finally:
        sys.settrace(before)


@pytest.mark.parametrize("kind", KINDS)
def test_an_interrupt_between_any_two_lines_costs_nothing(tmp_path: Path, kind) -> None:
    seen, line, ran = Counter[str](), 0, [1]
    while ran[0] >= line:
        line += 1
        here = tmp_path / str(line)
        here.mkdir()
        fill(here / NAME, OLD, kind)
        with breaking.breaking(Break(0, full)):
            try:
                with interrupted_at(line) as ran:
                    replace(here, kind)
            except KeyboardInterrupt:
                pass
        seen[found(here / NAME)] += 1
    assert set(seen) == {"old", "new"}
    assert seen["old"] > 15


@pytest.mark.parametrize("kind", KINDS)
def test_a_process_killed_at_any_call_leaves_the_old_or_the_new(tmp_path: Path, kind) -> None:
    command = [sys.executable, "-m", "tests.breaking", str(tmp_path), kind]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=120)
    places = [folder / NAME for folder in tmp_path.iterdir()]
    gone = sum(found(place) == "nothing" for place in places)
    assert (gone > 0) == (kind == "folder")  # a kill between the two renames hides the old one
    for place in places:
        atomic_write.put_back(place)
    counted = Counter(map(found, places))
    assert set(counted) == {"old", "new"}
    for place in places:
        replace(place.parent, kind)
        assert found(place) == "new"


def test_who_takes_the_place_meanwhile_is_replaced_as_well(tmp_path: Path, monkeypatch) -> None:
    fill(tmp_path / NAME, OLD, "folder")
    rename, renamed = os.rename, []

    def with_a_reader(source: Path, target: Path) -> None:
        rename(source, target)
        renamed.append(target)
        if (
            len(renamed) == 1
        ):  # between the two steps, somebody reads the place and puts the old one back
            atomic_write.put_back(tmp_path / NAME)

    monkeypatch.setattr(os, "rename", with_a_reader)
    replace(tmp_path, "folder")
    assert found(tmp_path / NAME) == "new"
    assert [path.name for path in tmp_path.iterdir()] == [NAME]


# ---------------------------------------------------------------- what was hidden is found


def hide(place: Path) -> None:
    """Leave a folder as a kill between the two steps does."""
    place.rename(hidden_name(place))


def test_an_audit_that_was_hidden_is_read_and_replaced(tmp_path: Path) -> None:
    place = save_results(audit(), tmp_path / "audit")
    hide(place)
    assert load_results(place).texts == audit().texts
    hide(place)
    save_results(audit(), place)
    assert [path.name for path in tmp_path.iterdir()] == ["audit"]


def test_a_model_and_a_run_that_were_hidden_are_found(tmp_path: Path) -> None:
    model, run = tmp_path / "model", tmp_path / "run"
    fill(model, {"model.json": "{}"}, "folder")
    write_sealed(run, lambda aside: fill(aside, OLD, "folder"))
    hide(model)
    hide(run)
    assert saved_folder(str(model)) == model
    assert is_whole(run)


def test_an_old_one_that_was_replaced_already_is_not_put_back(tmp_path: Path) -> None:
    place = tmp_path / NAME
    fill(place, NEW, "folder")
    fill(hidden_name(place), OLD, "folder")
    atomic_write.put_back(place)
    assert found(place) == "new"
    replace(tmp_path, "folder")
    assert [path.name for path in tmp_path.iterdir()] == [NAME]


# ---------------------------------------------------------------- what is somebody's


def beside(place: Path) -> None:
    """Put into a folder what a user might: a file, a link, a folder that only its owner reads, and
    a place in ours.
    """
    (place / "notes.txt").write_text("mine")
    (place / "latest").symlink_to("notes.txt")
    (place / "figures/deep").mkdir(parents=True)
    (place / "figures/deep/one.svg").write_text("mine")
    (place / "figures").chmod(0o700)
    (place / "shared").mkdir(exist_ok=True)
    (place / "shared/mine.txt").write_text("mine")


def beside_is_there(place: Path) -> bool:
    lines = [
        (place / name).read_text()
        for name in ("notes.txt", "latest", "figures/deep/one.svg", "shared/mine.txt")
    ]
    return (
        lines == ["mine"] * 4
        and (place / "latest").is_symlink()
        and mode(place / "figures") == 0o700
    )


def replace_own(place: Path) -> None:
    def write(aside: Path) -> None:
        fill(aside, NEW, "folder")
        (aside / "shared").mkdir()
        (aside / "shared/one").write_text("new")

    write_whole(place, write, (*OLD, *NEW, "gone", "shared/one", "shared/gone"))


@pytest.fixture
def used(tmp_path: Path) -> Path:
    """A folder of ours in which a user keeps things, with files of ours that its successor has
    not.
    """
    place = tmp_path / NAME
    fill(place, OLD | {"gone": "old"}, "folder")
    fill(place / "shared", {"one": "old", "gone": "old"}, "folder")
    beside(place)
    return place


@pytest.mark.parametrize("links", [True, False])
def test_what_is_not_ours_stays_in_a_folder_that_is_replaced(
    used: Path, monkeypatch, links
) -> None:
    def no_links(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    if not links:
        monkeypatch.setattr(os, "link", no_links)
    inode = (used / "notes.txt").stat().st_ino
    replace_own(used)
    assert {name: (used / name).read_text() for name in NEW} == NEW
    assert (used / "shared/one").read_text() == "new"
    assert not any((used / name).exists() for name in ("gone", "shared/gone"))
    assert beside_is_there(used)
    assert ((used / "notes.txt").stat().st_ino == inode) == links
    assert [path.name for path in used.parent.iterdir()] == [NAME]


def test_what_is_new_wins_over_what_has_its_name(tmp_path: Path) -> None:
    fill(tmp_path / NAME, OLD, "folder")
    write_whole(tmp_path / NAME, lambda aside: fill(aside, NEW, "folder"), ())
    assert found(tmp_path / NAME) == "new"


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_whichever_call_breaks_what_is_not_ours_stays(tmp_path: Path, after) -> None:
    number, one = 0, Break(0, interrupted)
    while one.count >= number:
        number += 1
        place, one = tmp_path / str(number), Break(number, interrupted, after=after)
        fill(place, OLD, "folder")
        beside(place)
        with suppress(KeyboardInterrupt), breaking.breaking(one):
            replace_own(place)
        assert beside_is_there(place)
        assert {(place / name).read_text() for name in OLD} in ({"old"}, {"new"})
    assert number > 20


SAVED: dict[str, tuple[Callable[[Path], object], str]] = {
    "an audit": (lambda place: save_results(audit(), place), "audit.json"),
    "audits of seeds": (lambda place: save_several({3: audit()}, place), "seed-3/audit.json"),
    "a model": (lambda place: save_classifier(untrained("mlp(hidden=4)"), place), "model.json"),
    "an export": (lambda place: audit().export(place), "words.csv"),
}


@pytest.mark.parametrize("what", SAVED)
def test_whatever_is_saved_again_leaves_what_is_not_ours(tmp_path: Path, what: str) -> None:
    save, ours = SAVED[what]
    place = tmp_path / "x"
    place.mkdir()  # an empty folder is as good as none
    save(place)
    inside = (place / ours).parent
    (inside / "notes.txt").write_text("mine")
    before = (place / ours).stat().st_ino
    save(place)
    assert (inside / "notes.txt").read_text() == "mine"
    assert (place / ours).stat().st_ino != before
    next(place.glob("*.json")).unlink()
    with pytest.raises(SightlineError, match="name a new folder"):
        save(place)


def test_what_only_the_old_one_had_of_ours_is_gone(tmp_path: Path) -> None:
    save_several({0: audit(), 1: audit()}, tmp_path / "s")
    shutil.copytree(tmp_path / "s/seed-1", tmp_path / "s/seed-1-old")
    save_several({0: audit()}, tmp_path / "s")
    assert sorted(path.name for path in (tmp_path / "s").iterdir()) == [
        "SHA256SUMS",
        "seed-0",
        "seed-1-old",
        "seeds.json",
    ]
    small = untrained("mlp(hidden=4)")
    save_classifier(small, tmp_path / "m", companions={"uniform": small, "frozen": small})
    save_classifier(small, tmp_path / "m", companions={"uniform": small})
    assert [path.name for path in (tmp_path / "m/companions").iterdir()] == ["uniform"]
    audit().export(tmp_path / "e", "parquet")
    audit().export(tmp_path / "e", "csv")
    assert sorted(path.name for path in (tmp_path / "e").iterdir()) == [
        "columns.json",
        "texts.csv",
        "words.csv",
    ]


# ---------------------------------------------------------------- what is neither a file nor a folder


def a_socket(place: Path) -> None:
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(place))


STRANGE: dict[str, Callable[[Path], object]] = {
    "symbolic link": lambda place: place.symlink_to(place.with_name("other")),
    "pipe": os.mkfifo,
    "socket": a_socket,
    "folder": Path.mkdir,
}


@pytest.mark.parametrize("kind", STRANGE)
def test_what_is_no_regular_file_is_not_replaced(tmp_path: Path, monkeypatch, kind) -> None:
    monkeypatch.chdir(tmp_path)  # the name of a socket must be short
    STRANGE[kind](Path("x"))
    before = Path("x").lstat()
    with pytest.raises(
        StoreError, match=f"x: expected nothing there or a file, got a {kind}; name another place"
    ):
        write_whole("x", lambda aside: fill(aside, NEW, "file"))
    assert (Path("x").lstat().st_ino, Path("x").lstat().st_mode) == (before.st_ino, before.st_mode)
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


def test_a_device_is_no_file() -> None:
    assert kind_of(Path(os.devnull)) == "device"
    assert kind_of(Path(os.devnull) / "x") == "nothing"


def test_a_link_to_a_file_or_folder_is_neither(tmp_path: Path) -> None:
    for kind in ("file", "folder"):
        fill(tmp_path / kind, OLD, kind)
        (tmp_path / f"to-{kind}").symlink_to(kind)
        with pytest.raises(StoreError, match="got a symbolic link"):
            write_whole(tmp_path / f"to-{kind}", lambda aside, kind=kind: fill(aside, NEW, kind))
        assert (found(tmp_path / kind), (tmp_path / f"to-{kind}").is_symlink()) == ("old", True)


# ---------------------------------------------------------------- permissions


def mode(place: Path) -> int:
    return stat.S_IMODE(place.stat().st_mode)


@pytest.mark.parametrize("kind", ["file", "folder"])
@pytest.mark.parametrize("kept", [0o600, 0o640, 0o755])
def test_what_is_replaced_keeps_its_permissions(tmp_path: Path, kind, kept) -> None:
    fill(tmp_path / NAME, OLD, kind)
    (tmp_path / NAME).chmod(kept)
    replace(tmp_path, kind)
    assert (found(tmp_path / NAME), mode(tmp_path / NAME)) == ("new", kept)


@pytest.mark.parametrize(
    ("mask", "file", "folder"), [(0o022, 0o644, 0o755), (0o077, 0o600, 0o700), (0, 0o666, 0o777)]
)
def test_what_is_new_has_the_permissions_that_files_have_here(
    tmp_path: Path, mask, file, folder
) -> None:
    before = os.umask(mask)
    try:
        write_whole(tmp_path / "file", lambda aside: fill(aside, NEW, "file"))
        write_whole(tmp_path / "folder", lambda aside: fill(aside, NEW, "folder"))
    finally:
        os.umask(before)
    assert (mode(tmp_path / "file"), mode(tmp_path / "folder")) == (file, folder)


@pytest.mark.parametrize("place", ["", ".", "..", "/"])
def test_a_place_without_a_name_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    (tmp_path / "in").mkdir()
    monkeypatch.chdir(tmp_path / "in")
    with pytest.raises(StoreError):
        write_whole(place, Path.mkdir)
    assert [*tmp_path.rglob("*")] == [tmp_path / "in"]
