"""The sweep that counts right and wrong answers: resumable, and equal on any number of processes."""

import json
from pathlib import Path

import pytest
import torch

from sightline.experiments import calibration
from sightline.experiments.calibration import Cell, Displayed, sweep
from tests.texts import examples, untrained

CELLS = [Cell(world, "mlp", "vote", seed, texts=30) for world in ("unused", "planted") for seed in (0, 1)]


def silent(done: int, total: int) -> None:
    assert done <= total


def test_two_processes_give_what_one_gives(tmp_path: Path) -> None:
    two = sweep(CELLS, tmp_path / "two.jsonl", 2, silent)
    one = [calibration.run_cell(cell) for cell in CELLS]
    assert [json.dumps(r, default=list) for r in two] == [json.dumps(r, default=list) for r in one]
    assert [r["n"] for r in two] == [30] * 4


def test_a_killed_sweep_resumes_behind_its_last_whole_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = tmp_path / "kept.jsonl"
    whole = sweep(CELLS, kept, 2, silent)
    lines = kept.read_text().splitlines(keepends=True)
    kept.write_text("".join(lines[:2]) + lines[2][:50])
    told: list[int] = []
    again = sweep(CELLS, kept, 2, lambda done, total: told.append(done))
    assert told == [3, 4]
    assert json.dumps(again, default=list) == json.dumps(whole, default=list)


def test_displayed_weights_do_not_reach_the_output() -> None:
    model = untrained("mlp(hidden=6)+additive+uniform")
    shown = Displayed(model, 0)
    batch = shown.collate(examples())
    trace = shown.trace(batch)
    assert torch.equal(trace.logits, model.trace(batch).logits)
    assert torch.equal(shown.decode(trace, trace.attention.roll(1, 1)), trace.logits)
    assert not torch.equal(trace.attention, model.trace(batch).attention)
    assert torch.equal(trace.attention, shown.trace(shown.collate(examples())).attention)
