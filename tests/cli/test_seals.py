"""What was changed after it was written is refused by every command that reads it, whatever was
changed.
"""

import json
import random
import re
import shutil
from pathlib import Path

import pytest

from sightline._io.checksums import MANIFEST
from sightline.experiments.store import Store
from tests.cli.conftest import TINY as SMALL
from tests.cli.conftest import Call, Finished, Ran
from tests.cli.test_study import TINY

FLIPS = 8
STUDY = f"{TINY.partition('[axes]')[0]}[axes]\nseed = [0]\n"


@pytest.fixture(scope="module")
def model(sightline: Call, table: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("trained") / "model"
    assert (
        sightline("train", "--data", table, *SMALL, "--controls", "uniform", "--out", out).code == 0
    )
    return out


def flipped(folder: Path) -> list[Path]:
    """Flip one bit of one file at a time, drawn over all bytes of a folder, and give it back as it
    was.
    """
    drawn, files = random.Random(0), sorted(path for path in folder.rglob("*") if path.is_file())
    for file in drawn.choices(files, [file.stat().st_size for file in files], k=FLIPS) + files:
        whole = file.read_bytes()
        torn = bytearray(whole)
        torn[drawn.randrange(len(torn))] ^= 1 << drawn.randrange(8)
        file.write_bytes(torn)
        yield file
        file.write_bytes(whole)


def refused(done: Ran, file: Path) -> None:
    assert (done.code, done.out) == (2, "")
    assert re.fullmatch(
        rf"error: .*{re.escape(file.name)}: not as it was written, says SHA256SUMS .*\n", done.err
    )


def unsealed(folder: Path) -> Path:
    (folder / MANIFEST).unlink()
    return folder


def without_checksums(done: Ran, folder: str) -> None:
    assert (done.code, done.out) == (2, "")
    assert f"{folder}: has no {MANIFEST}" in done.err
    assert done.err.count("\n") == 1


def test_a_saved_audit_of_which_a_bit_was_flipped_is_not_drawn(
    sightline: Call, here: Path, finished: Finished
) -> None:
    mine = shutil.copytree(finished.saved, here / "mine")
    for file in flipped(mine):
        refused(sightline("report", "mine", "--out", "page.html"), file)
    assert not Path("page.html").exists()
    assert sightline("report", "mine", "--out", "page.html").err == ""


def test_a_saved_model_of_which_a_bit_was_flipped_is_not_audited(
    sightline: Call, here: Path, table: Path, model: Path
) -> None:
    mine = shutil.copytree(model, here / "mine")
    assert {file.name for file in flipped(mine)} == {
        "model.json",
        "model.safetensors",
        "SHA256SUMS",
    }
    for file in flipped(mine):
        refused(
            sightline("audit", "--data", table, "--model", "mine", "--limit", 5, "--quiet"), file
        )


def test_what_a_store_keeps_is_checked_where_it_is_read_outside_of_it(
    sightline: Call, here: Path
) -> None:
    Path("study.toml").write_text(STUDY)
    assert sightline("study", "study.toml", "--store", "store", "--quiet").code == 0
    store = Store(Path("store"))
    (key,) = store.keys()
    edited = store.run_folder(key) / "audit.json"
    output = json.loads(edited.read_text())
    edited.write_text(json.dumps(output | {"verdict": "can be shown"}))
    refused(sightline("report", edited.parent, "--out", "page.html"), edited)
    weights = next(Path("store/trainings").glob("*/*/model.safetensors"))
    torn = bytearray(weights.read_bytes())
    torn[-1] ^= 1
    weights.write_bytes(torn)
    done = sightline(
        "audit", "--data", "planted:needle(n=120,length=6)", "--model", weights.parent, "--quiet"
    )
    refused(done, weights)


def test_a_saved_audit_without_checksums_is_read_by_no_command(
    sightline: Call, here: Path, finished: Finished
) -> None:
    mine = unsealed(shutil.copytree(finished.saved, here / "mine"))
    for command in (
        ("report", "mine", "--out", "page.html"),
        ("card", "mine"),
        ("export", "mine", "--csv", "out"),
        ("compare", "mine", finished.saved, "--out", "page.html"),
        ("figure", "transplant", "mine", "--out", "page.svg"),
    ):
        without_checksums(sightline(*command), mine.name)
    assert sorted(path.name for path in here.iterdir() if path.name != "mine") == []


def test_a_saved_model_without_checksums_is_read_by_no_command(
    sightline: Call, here: Path, table: Path, model: Path
) -> None:
    mine = unsealed(shutil.copytree(model, here / "mine"))
    audited = ("--data", table, "--limit", 5, "--quiet")
    without_checksums(sightline("audit", "--model", mine, *audited), mine.name)
    without_checksums(sightline("check-model", mine), mine.name)
    without_checksums(sightline("look", mine, "good"), mine.name)
    control = shutil.copytree(model, here / "other") / "companions" / "uniform"
    unsealed(control)
    without_checksums(sightline("audit", "--model", here / "other", *audited), control.name)
