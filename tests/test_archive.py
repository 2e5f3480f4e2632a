"""A saved audit comes back as it was, and a write is whole or not at all."""

import json
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from sightline.audits import Audit
from sightline.errors import StoreError
from sightline.files import plain, write_whole
from sightline.results import Bracket, Estimate, Failed, Measurement, NotApplicable, Ragged
from sightline.saving import load_results, save_results
from tests.report.audits import audit as make_audit


def same(first: Audit, second: Audit) -> None:
    """Compare two audits, arrays included."""
    assert json.dumps(plain(first.to_json())) == json.dumps(plain(second.to_json()))
    assert first.texts == second.texts
    assert first.verdict == second.verdict
    assert first.measurements.keys() == second.measurements.keys()
    for name, outcome in first.measurements.items():
        other = second.measurements[name]
        assert type(other) is type(outcome)
        if not isinstance(outcome, Measurement):
            assert other == outcome
            continue
        assert (other.undefined, other.whole) == (outcome.undefined, outcome.whole)
        for quantity, value in outcome.values.items():
            pairs = [(value, other.values[quantity])]
            if isinstance(value, Ragged):
                pairs = [(value.flat, pairs[0][1].flat), (value.lengths, pairs[0][1].lengths)]
            if isinstance(value, Bracket):
                pairs = [(value.low, pairs[0][1].low), (value.high, pairs[0][1].high)]
            assert all(np.array_equal(a, b, equal_nan=a.dtype.kind == "f") for a, b in pairs), quantity


def test_an_audit_round_trips(tmp_path: Path) -> None:
    audit = make_audit()
    assert any(isinstance(m, Measurement) for m in audit.measurements.values())
    same(audit, load_results(save_results(audit, tmp_path / "audit")))


def test_outcomes_that_are_not_measurements_round_trip(tmp_path: Path) -> None:
    audit = make_audit()
    extra = {"retrained": NotApplicable("retrained", "needs x"), "broken": Failed("broken", "ValueError: y")}
    kept = {name: m for name, m in audit.measurements.items() if isinstance(m, Measurement)}
    audit = Audit(**{**audit.__dict__, "measurements": {**kept, **extra}})
    same(audit, Audit.load(audit.save(tmp_path / "audit")))


def test_brackets_and_numbers_of_the_whole_split_round_trip(tmp_path: Path) -> None:
    sides = Bracket(np.array([0.1, np.nan]), np.array([0.2, np.nan]))
    kept = Measurement("dispersion", {"size": sides}, whole={"nmi": Estimate(0.3, 0.2, 0.4, 2, "jackknife")})
    audit = Audit(**{**make_audit().__dict__, "measurements": {"dispersion": kept}})
    same(audit, Audit.load(audit.save(tmp_path / "audit")))


def test_saving_again_replaces_and_refuses_a_strange_folder(tmp_path: Path) -> None:
    audit = make_audit()
    save_results(audit, tmp_path / "audit")
    save_results(audit, tmp_path / "audit")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.tex").write_text("precious")
    with pytest.raises(StoreError, match="exists and is not a saved audit"):
        save_results(audit, tmp_path / "other")
    assert (tmp_path / "other" / "thesis.tex").read_text() == "precious"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["audit", "other"]


def test_an_interrupted_write_leaves_what_was_there(tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    target.write_text("old")

    def interrupted(aside: Path) -> None:
        aside.write_text("half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_whole(target, interrupted)
    assert target.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["page.html"]


def corrupt(whole: bytes) -> bytes:
    """Change bytes in the middle."""
    middle = len(whole) // 2
    return whole[:middle] + bytes(b ^ 0xFF for b in whole[middle : middle + 60]) + whole[middle + 60 :]


@pytest.mark.parametrize(
    ("damage", "content"),
    [
        ("audit.json", lambda whole: whole[:40]),
        ("audit.json", lambda whole: b"[]"),
        ("audit.json", lambda whole: b'{"schema": 2}'),
        ("texts.jsonl", lambda whole: b"{"),
        ("texts.jsonl", lambda whole: b'{"id": 1}'),
        ("arrays.npz", lambda whole: b""),
        ("arrays.npz", lambda whole: whole[:40]),
        ("arrays.npz", corrupt),
    ],
)
def test_a_torn_folder_is_an_error_that_names_it(tmp_path: Path, damage: str, content: Callable) -> None:
    folder = save_results(make_audit(), tmp_path / "audit")
    (folder / damage).write_bytes(content((folder / damage).read_bytes()))
    with pytest.raises(StoreError, match="expected a folder that"):
        load_results(folder)


def test_another_schema_is_refused(tmp_path: Path) -> None:
    folder = save_results(make_audit(), tmp_path / "audit")
    summary = json.loads((folder / "audit.json").read_text())
    (folder / "audit.json").write_text(json.dumps(summary | {"schema": 99}))
    with pytest.raises(StoreError, match="schema 99, this version reads 2"):
        load_results(folder)


def test_json_is_strict() -> None:
    value = plain({"a": [math.nan, math.inf, np.float64(0.5), np.int64(3), np.bool_(True)], 1: (None, "x")})
    assert json.dumps(value, allow_nan=False) == '{"a": [null, null, 0.5, 3, true], "1": [null, "x"]}'
