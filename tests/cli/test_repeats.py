"""What must not matter does not: the same audit, to the bit, in another process under another hash
seed and locale.
"""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import repeats

from tests.cli.conftest import Call, Finished


@pytest.mark.slow
def test_an_audit_is_the_same_to_the_bit_under_another_hash_seed_and_an_ascii_locale(
    sightline: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of the twelve repeats of `validation/verify.py --only repeats`."""
    repeats.write_table(tmp_path / repeats.TABLE)
    again = repeats.made(
        repeats.Repeat("again", settings={**repeats.ASCII, "PYTHONHASHSEED": "1"}), tmp_path
    )
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert sightline("audit", *repeats.FLAGS, "--save", "audit", "--quiet").code == 0
    assert repeats.difference(tmp_path / "here" / "audit", again) == 0
    assert repeats.same_bits(tmp_path / "here" / "audit", again)


@pytest.fixture
def copied(finished: Finished, tmp_path: Path) -> Path:
    shutil.copytree(finished.saved, tmp_path / "copied")
    return tmp_path / "copied"


def test_a_number_that_moved_is_seen(finished: Finished, copied: Path) -> None:
    assert repeats.same_bits(finished.saved, copied)
    assert repeats.difference(finished.saved, copied) == 0
    summary = json.loads((copied / "audit.json").read_text())
    for moved, seen in ((1e-12, 1e-12), (0.25, 0.25), (float("nan"), float("inf"))):
        summary["metrics"]["accuracy"]["value"] += moved
        (copied / "audit.json").write_text(json.dumps(summary))
        assert not repeats.same_bits(finished.saved, copied)
        assert repeats.difference(finished.saved, copied) == pytest.approx(seen, rel=1e-3)


@pytest.mark.parametrize(("changed", "seen"), [(0.5, 0.5), (np.nan, np.inf)])
def test_an_array_that_moved_is_seen(
    finished: Finished, copied: Path, changed: float, seen: float
) -> None:
    with np.load(copied / "arrays.npz") as stored:
        arrays = dict(stored)
    arrays["outputs/attention/flat"][3] += changed
    np.savez_compressed(copied / "arrays.npz", **arrays)
    assert not repeats.same_bits(finished.saved, copied)
    assert repeats.difference(finished.saved, copied) == pytest.approx(seen)


def test_another_word_is_no_small_difference(finished: Finished, copied: Path) -> None:
    output = (copied / "audit.json").read_text()
    (copied / "audit.json").write_text(
        output.replace('"passed"', '"failed"').replace('"inconclusive"', '"passed"')
    )
    assert repeats.difference(finished.saved, copied) == np.inf
