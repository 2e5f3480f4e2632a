"""A training that is killed again and again must end with the weights of an uninterrupted one, bit
for bit.

A process trains one model in a store and writes its state after every step. At seeded random steps
it gets SIGKILL, a random few milliseconds after it has reported the step: during the next step,
while a state is written, or between two epochs. The next process resumes. At the end weights and
record are compared with a training in one go.
"""

from __future__ import annotations

import json
import multiprocessing
import random
import signal
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from gates import every, exactly

from sightline.config.presets import build_specs
from sightline.config.run_keys import training_key
from sightline.config.spec_syntax import parse_data
from sightline.config.specs import RunSpec
from sightline.experiments.store import PARTWAY, Store

KILLS = 20
WAYS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "an MLP": ("mlp(hidden=8)+additive", {}),
    "a BiLSTM that guesses masked words": ("bilstm(hidden=4)+additive+mlm", {}),
    "an MLP with Gumbel noise": ("mlp(hidden=8)+additive+gumbel", {}),
    "a BiLSTM by AMSGrad, clipped": (
        "bilstm(hidden=4)+additive",
        {"amsgrad": True, "gradient_clipping": 0.3},
    ),
}
"""The trained models; each draws random numbers or keeps a state of its own besides its weights."""
DATA = parse_data("planted:needle(n=400,length=6)")
EPOCHS, BATCH = 8, 8
MILLISECONDS = 20
"""The kill comes at most so many after a step was reported."""
Step = tuple[int, int, int]
"""An epoch, the batches done in it, and the batches done in all."""


@dataclass(frozen=True)
class Killed:
    """The state of a training when it was killed; steps are counted through all epochs."""

    description: int
    """The last step that was made."""
    batches: int
    """The batches of its epoch in the state that it left."""
    writing: bool
    """Whether another state was being written."""
    next: int
    """The first step of the next process."""


def resumed(kills: int = KILLS, seed: int = 0) -> dict[str, Any]:
    """Kill a training of each kind as often as asked, and count the kept promises."""
    began, ways, gates = time.monotonic(), dict[str, Any](), list[dict[str, Any]]()
    for way in WAYS:
        with tempfile.TemporaryDirectory() as folder:
            ways[way], found = _way(
                way, Path(folder), kills, random.Random(f"resumed {seed} {way}")
            )
            gates += found
    minutes = round((time.monotonic() - began) / 60, 1)
    return {"kills": kills, "ways": ways, "minutes": minutes, "seed": seed, "gates": gates}


def _way(
    way: str, folder: Path, kills: int, chance: random.Random
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    whole, store, spec = Store(folder / "whole"), Store(folder / "killed"), spec_of(way)
    steps = until(spec, whole, None)
    found = killed(spec, store, drawn(steps, kills, chance), chance)
    values = {
        "steps": len(steps),
        "within an epoch": sum(one.batches > 0 for one in found),
        "between two epochs": sum(one.batches == 0 for one in found),
        "while a state was written": sum(one.writing for one in found),
    }
    gates = [
        exactly(
            f"resumed: {way}: went on with the next step",
            sum(one.description < one.next for one in found),
            kills,
        ),
        every(
            f"resumed: {way}: weights equal to the bit",
            [content(whole, spec) == content(store, spec)],
        ),
        exactly(
            f"resumed: {way}: states left over", sum(1 for _ in (store.root / PARTWAY).iterdir()), 0
        ),
    ]
    return values, gates


def drawn(steps: list[Step], kills: int, chance: random.Random) -> list[int]:
    """Draw steps to kill at, a quarter of them the last of an epoch; the last steps of all are left
    out, because the training ends soon after.
    """
    *_, (_, _, of) = steps
    ends = chance.sample(range(of, len(steps), of), min(kills // 4, len(steps) // of - 1))
    others = [step for step in range(1, len(steps) - of // 2) if step not in ends]
    return sorted([*ends, *chance.sample(others, kills - len(ends))])


def killed(spec: RunSpec, store: Store, at: list[int], chance: random.Random) -> list[Killed]:
    """Train, killed at each of these steps, and then to the end."""
    found, before = list[Killed](), None
    for step in [*at, None]:
        description = until(spec, store, step, chance.uniform(0, MILLISECONDS) / 1000)
        if before is not None:
            found.append(Killed(*before, _number(description[0])))
        if step is not None:
            before = _number(description[-1]), *_left(store.partway_folder(training_key(spec)))
    return found


def _left(folder: Path) -> tuple[int, bool]:
    """Read what a kill has left: the batches of the epoch in the state, and whether another state
    was half-written.
    """
    writing = any(folder.parent.glob(f".{folder.name}.*"))
    return json.loads((folder / "state.json").read_text(encoding="utf-8"))["batches"], writing


def until(spec: RunSpec, store: Store, step: int | None, later: float = 0.0) -> list[Step]:
    """Train in a process of its own, killed a while after it reports a step or a later one; return
    the reported steps.
    """
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload(
        ["sightline.experiments.run_in_store"]
    )  # torch is loaded once for all of them
    here, there = processes.Pipe(duplex=False)
    process = processes.Process(target=_train, args=(spec, store.root, there))
    process.start()
    there.close()
    description = list[Step]()
    with suppress(EOFError):
        while step is None or not description or _number(description[-1]) < step:
            description.append(here.recv())
        time.sleep(later)
        process.kill()
        while True:
            description.append(here.recv())
    process.join()
    if process.exitcode != (0 if step is None else -signal.SIGKILL):
        raise SystemExit(
            f"{spec.model}: the training ended with {process.exitcode}: there is nothing to compare"
        )
    return description


def _number(step: Step) -> int:
    epoch, done, of = step
    return (epoch - 1) * of + done


def _train(spec: RunSpec, root: Path, tell: Connection) -> None:
    """Train as a study does, but write a state after every step."""
    import torch  # noqa: PLC0415  (in the process that trains)

    from sightline.experiments.checkpoints import EACH_STEP  # noqa: PLC0415  (torch)
    from sightline.experiments.pipeline import Display, train  # noqa: PLC0415  (torch)
    from sightline.experiments.run_in_store import keep_training  # noqa: PLC0415  (torch)

    torch.set_num_threads(1)

    def describe(name: str, epoch: int, epochs: int, done: int, of: int) -> None:
        tell.send((epoch, done, of))

    train(
        spec, Display(on_batch=describe), keep=partial(keep_training, Store(root), pace=EACH_STEP)
    )


def spec_of(way: str, epochs: int = EPOCHS) -> RunSpec:
    """Give the spec of a training, without control models."""
    text, settings = WAYS[way]
    model, fit = build_specs(text, epochs=epochs)
    fit = replace(fit, patience=epochs, batch_size=BATCH, **settings)
    return RunSpec(DATA, replace(model, embedding=8), fit, companions=())


def content(store: Store, spec: RunSpec) -> dict[str, bytes]:
    """Read the weights and the record of a training, byte by byte."""
    folder = store.training_folder(training_key(spec))
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
