"""The sweep that counts right and wrong answers: resumable, and equal on any number of processes."""

import json
from pathlib import Path

import pytest
import torch

from sightline.studies import calibration
from sightline.studies.calibration import Cell, Displayed, sweep
from tests.texts import examples, untrained

CELLS = [Cell(world, "mlp", "vote", seed, texts=30) for world in ("unused", "planted") for seed in (0, 1)]


def silent(done: int, total: int) -> None:
    assert done <= total


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What two processes keep of the cells."""
    file = tmp_path_factory.mktemp("sweep") / "kept.jsonl"
    assert len(sweep(CELLS, file, 2, silent)) == len(CELLS)
    return file


def test_two_processes_give_what_one_gives(kept: Path) -> None:
    told: list[int] = []
    two = sweep(CELLS, kept, 2, lambda done, total: told.append(done))
    assert told == []  # all is read back
    one = [calibration.run_cell(cell) for cell in CELLS]
    assert [json.dumps(r, default=list) for r in two] == [json.dumps(r, default=list) for r in one]
    assert [r["n"] for r in two] == [30] * 4


def test_a_killed_sweep_resumes_behind_its_last_whole_line(kept: Path, tmp_path: Path) -> None:
    lines = kept.read_text().splitlines(keepends=True)
    torn = tmp_path / "torn.jsonl"
    torn.write_text("".join(lines[:3]) + lines[3][:50])
    told: list[int] = []
    again = sweep(CELLS, torn, 1, lambda done, total: told.append(done))
    assert told == [4]
    whole, third = (sweep(CELLS, file, 1, lambda *_: pytest.fail("ran again")) for file in (kept, torn))
    assert json.dumps(again, default=list) == json.dumps(third, default=list)
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
