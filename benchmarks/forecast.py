"""What a dry run said against what the command took, from its start to its end; and the parts of
audits beside.

All is counted in seconds of one processor on one thread, so that others on the machine do not
count. Trainings have as many epochs as they may: how many validation would leave is not forecast. A
dry run itself may take half a minute.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from time import process_time

import torch
from compare import print_line, quick

from sightline.config.presets import build_specs
from sightline.config.spec_syntax import parse_data
from sightline.config.specs import RunSpec
from sightline.experiments import cost_estimate, report_cost
from sightline.experiments import forecast as forecasts
from sightline.experiments.pipeline import Display, audit_trained, train

WITHIN, DRY_RUN = 1.5, 30.0
EPOCHS = 4
MB = 10**6
SST = Path(os.environ.get("SIGHTLINE_DATA", "")) / "sst"
PLANTED = "planted:needle(n=1200,length=30)"
BY_PROCESSOR = (
    "import time; time.perf_counter = time.process_time; from sightline.cli.entry_point import "
    "main; main()"
)
"""The command line with a clock that stands while others have the processor."""
STUDY = """
name = "bench"
[base]
data = "planted:needle(n=300,length=10)"
limit = 40
[base.fit]
epochs = 2
patience = 2
[axes]
model = ["mlp(hidden=16)+additive", "bilstm(hidden=8)+additive"]
seed = [0, 1]
"""


def main() -> None:
    """Run each case to its end, and print one JSON line a comparison."""
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        room = Path(folder)
        cases = [(PLANTED, "mlp+additive", 300), (PLANTED, "bilstm+additive", 60)]
        if not quick():
            cases += [(long_texts(room / "long.csv"), "mlp+additive", 40)]
            if SST.is_dir():
                cases += [
                    (f"sst:{SST}", "mlp+additive", 300),
                    (f"sst:{SST}", "bilstm+additive", 60),
                ]
        for data, model, limit in cases:
            asked = (
                "--data",
                data,
                "--model",
                model,
                "--limit",
                str(limit),
                "--epochs",
                str(EPOCHS),
            )
            whole(
                f"audit of {limit} by {model} on {Path(data).name}",
                ("audit", *asked, "--out", f"{room}/page.html"),
            )
        (room / "study.toml").write_text(STUDY, encoding="utf-8")
        whole("study of 4 runs", ("study", f"{room}/study.toml", "--store", f"{room}/store"))
        for module in (forecasts, cost_estimate, report_cost):
            module.perf_counter = process_time  # type: ignore[attr-defined]
        for data, model, limit in cases:
            against(data, model, limit)


def whole(name: str, command: tuple[str, ...]) -> None:
    """Ask a command what it will take, run it, and print how many times as much of time and memory
    it took.
    """
    asked = run((*command, "--dry-run", "--json"))
    label, took = json.loads(asked.printed), run((*command, "--json"))
    seconds = label["hours"] * 3600 if "hours" in label else label["seconds"]
    line(f"whole {name}", took.seconds, seconds, dry_run=asked.seconds)
    if "peak_bytes" in label:
        line(
            f"memory of {name}",
            took.bytes / MB,
            label["peak_bytes"] / MB,
            "in MB, with all of Python and torch",
        )


@dataclass(frozen=True)
class Ran:
    """What a command printed, its seconds of a processor, and the most of memory that it held."""

    printed: str
    seconds: float
    bytes: int


def run(command: tuple[str, ...], program: str = BY_PROCESSOR) -> Ran:
    """Run a command to its end, which must be a good one."""
    called = [sys.executable, "-c", program, *command]
    # An ordinary machine keeps compiled modules, so that they are not compiled for each command.
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": ""}
    started = subprocess.Popen(called, stdout=subprocess.PIPE, text=True, env=environment)
    assert started.stdout is not None  # it was asked for
    printed = started.stdout.read()
    _, status, used = os.wait4(started.pid, 0)
    if code := os.waitstatus_to_exitcode(status):
        raise RuntimeError(f"{' '.join(command)} ended with {code}")
    return Ran(printed, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024)


def spec_of(data: str, model: str, limit: int, epochs: int = EPOCHS, seed: int = 0) -> RunSpec:
    """Describe a run of so many epochs at most."""
    chosen, fit = build_specs(model, epochs=epochs)
    return RunSpec(parse_data(data), chosen, fit, seed=seed, limit=limit)


def against(data: str, model: str, limit: int) -> None:
    """Forecast a training and an audit, do both, and print how many times as long each took."""
    spec, name = spec_of(data, model, limit), f"{model} on {Path(data).name}"
    began = process_time()
    description = forecasts.forecast(spec)
    took = process_time() - began
    trained, training = timed(lambda: train(spec))
    epochs = [one["epochs"] for one in trained.record["trainings"].values()]
    told_training = description.seconds_reading + description.seconds_epoch * sum(epochs) / len(
        epochs
    )
    _, auditing = timed(lambda: audit_trained(trained, spec.seed, Display(), limit=limit))
    line(f"training {name}", training, told_training, dry_run=took)
    line(
        f"audit of {limit} by {name}",
        auditing,
        description.seconds_audit + description.seconds_judging,
        dry_run=took,
    )


def timed(do):  # type: ignore[no-untyped-def]
    """Do something, and give what came of it and its seconds of a processor."""
    began = process_time()
    result = do()
    return result, process_time() - began


def line(
    name: str,
    took: float,
    description: float,
    unit: str = "in seconds of one processor",
    **more: float,
) -> None:
    """Print one JSON line: how many times as much as was forecast it took."""
    ratio = took / description
    said = f"between 1/{WITHIN} and {WITHIN} times what was forecast, {unit}"
    holds = 1 / WITHIN <= ratio <= WITHIN and more.get("dry_run", 0.0) < DRY_RUN
    beside = {"took": took, "forecast": description, **more}
    print_line(
        name,
        "its forecast",
        [ratio],
        holds,
        said,
        **{key: round(value, 1) for key, value in beside.items()},
    )
    sys.stdout.flush()


def long_texts(path: Path) -> str:
    """Write a table of texts as long as reviews, some of them cut, larger than the part a forecast
    reads.
    """
    drawn = random.Random(0)
    with path.open("w", encoding="utf-8") as file:
        file.write("text,label\n")
        for number in range(2500):
            count = max(20, round(drawn.gammavariate(4, 150)))
            words = " ".join(f"w{int(20_000 * drawn.random() ** 3)}" for _ in range(count))
            file.write(f"{words} {('good', 'bad')[number % 2]},c{number % 2}\n")
    return str(path)


if __name__ == "__main__":
    main()
