"""Many threads are taken where they are clearly faster, and never where they wait for each
other.
"""

from pathlib import Path

import pytest
import torch

from sightline.api import compute_resources
from sightline.experiments import device


@pytest.fixture(autouse=True)
def _one_thread_again():
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize(
    ("one", "many", "chosen"),
    [
        ([9, 2, 2, 2, 2], [9, 1, 1, 1, 1], 4),
        ([9, 2, 2, 2, 2], [9, 1.9, 1.9, 1.9, 1.9], 1),
        ([9, 2, 2, 2, 2], [9, 1, 1, 8, 8], 1),
        ([9, 2, 2, 2, 2], [9, 1, 1], 1),
    ],
)
def test_many_threads_must_be_clearly_faster(
    monkeypatch: pytest.MonkeyPatch, one, many, chosen
) -> None:
    monkeypatch.setattr(device, "_processors", lambda: 8)
    monkeypatch.setattr(
        device, "_tried", lambda counts: dict(zip(counts, (one, many), strict=True))
    )
    assert device.pick_threads(4) == chosen


def test_one_processor_has_one_thread_and_is_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "_processors", lambda: 1)
    monkeypatch.setattr(device, "_tried", lambda counts: pytest.fail("tried"))
    assert device.pick_threads(4) == 1


def test_trying_ends_and_draws_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    before = torch.get_rng_state()
    assert set(device._tried((1, 2))) == {1, 2}
    assert torch.get_rng_state().equal(before)
    monkeypatch.setattr(device, "_AT_MOST", -1.0)
    assert device._tried((1, 2)) == {1: [], 2: []}


@pytest.mark.parametrize(
    ("quota", "most"), [("100000 100000", 1), ("50000 100000", 1), ("max 100000", 99), ("", 99)]
)
def test_a_container_has_the_processors_it_pays_for(
    tmp_path: Path, monkeypatch, quota: str, most: int
) -> None:
    monkeypatch.setattr(device.os, "sched_getaffinity", lambda process: range(99), raising=False)
    monkeypatch.setattr(device, "_QUOTA", tmp_path / "cpu.max")
    if quota:
        (tmp_path / "cpu.max").write_text(quota)
    assert device._processors() == most


def test_what_was_asked_for_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "pick_threads", lambda most: 1)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    torch.set_num_threads(2)
    compute_resources.prepare("cpu", 3, 2)
    assert torch.get_num_threads() == 3
    compute_resources.prepare("cpu", None, 2)
    assert torch.get_num_threads() == 2
    compute_resources.prepare("cpu", None)
    assert torch.get_num_threads() == 1
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    torch.set_num_threads(2)
    compute_resources.prepare("cpu", None)
    assert torch.get_num_threads() == 2


def test_a_command_says_the_threads_it_ran_with() -> None:
    torch.set_num_threads(1)
    assert (
        compute_resources.made_by(["audit", "--seed", "1"])["command"]
        == "sightline audit --seed 1 --threads 1"
    )
    assert (
        compute_resources.made_by(["audit", "--threads=2"])["command"]
        == "sightline audit --threads=2"
    )
