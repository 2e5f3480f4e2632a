"""What a dry run said against what the run took: trainings by the epoch, audits, and a study on one worker.

Both are counted in seconds of one processor on one thread, so that others on the machine do not count. A training is
held against its epochs times what one was said to cost: how many there will be is not forecast.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from time import process_time

import torch
from compare import print_line, quick

from sightline.experiments import cost
from sightline.experiments import forecast as forecasts
from sightline.experiments.run import Display, audit_trained, train
from sightline.spec.presets import build_specs
from sightline.spec.texts import parse_data
from sightline.spec.values import RunSpec

WITHIN = 1.5
EPOCHS = 4
SST = Path(os.environ.get("SIGHTLINE_DATA", "")) / "sst"


def main() -> None:
    """Run each case to its end, and print one JSON line a comparison."""
    torch.set_num_threads(1)
    forecasts.perf_counter = cost.perf_counter = process_time  # type: ignore[attr-defined]
    with tempfile.TemporaryDirectory() as folder:
        planted = "planted:needle(n=1200,length=30)"
        cases = [(planted, "mlp+additive", 300), (planted, "bilstm+additive", 60)]
        if not quick():
            cases += [(long_texts(Path(folder) / "long.csv"), "mlp+additive", 40)]
            cases += [(f"sst:{SST}", model, 300) for model in ("mlp+additive", "bilstm+additive") if SST.is_dir()]
        for data, model, limit in cases:
            against(data, model, limit)
        study()


def spec_of(data: str, model: str, limit: int, epochs: int = EPOCHS, seed: int = 0) -> RunSpec:
    """Describe a run of so many epochs at most."""
    chosen, fit = build_specs(model, epochs=epochs)
    return RunSpec(parse_data(data), chosen, fit, seed=seed, limit=limit)


def against(data: str, model: str, limit: int) -> None:
    """Forecast a training and an audit, do both, and print how many times as long each took."""
    spec, name = spec_of(data, model, limit), f"{model} on {Path(data).name}"
    began = process_time()
    told = forecasts.forecast(spec)
    took = process_time() - began
    trained, training = timed(lambda: train(spec))
    epochs = [one["epochs"] for one in trained.record["trainings"].values()]
    told_training = told.seconds_reading + told.seconds_epoch * sum(epochs) / len(epochs)
    _, auditing = timed(lambda: audit_trained(trained, spec.seed, Display(), limit=limit))
    line(f"training {name}", training, told_training, forecast_took=round(took, 1))
    line(f"audit of {limit} by {name}", auditing, told.seconds_audit, forecast_took=round(took, 1))


def study() -> None:
    """Estimate four cells of two models and do them."""
    models = ("mlp(hidden=16)+additive", "bilstm(hidden=8)+additive")
    cells = [spec_of("planted:needle(n=300,length=10)", model, 40, 2, seed) for model in models for seed in (0, 1)]
    cells = [
        replace(cell, fit=replace(cell.fit, patience=2)) for cell in cells
    ]  # so that there is one number of epochs
    told = cost.estimate(cells, [])
    _, took = timed(lambda: [audit_trained(train(cell), cell.seed, Display(), limit=40) for cell in cells])
    line("study of 4 cells", took, told.most)


def timed(do):  # type: ignore[no-untyped-def]
    """Do something, and give what came of it and its seconds of a processor."""
    began = process_time()
    result = do()
    return result, process_time() - began


def line(name: str, took: float, told: float, **more: float) -> None:
    """Print one JSON line: how many times as long as was forecast it took."""
    ratio = took / told
    said = f"between 1/{WITHIN} and {WITHIN} times what was forecast, in seconds of one processor"
    beside = {"took": round(took, 1), "forecast": round(told, 1)}
    print_line(name, "its forecast", [ratio], 1 / WITHIN <= ratio <= WITHIN, said, **beside, **more)
    sys.stdout.flush()


def long_texts(path: Path) -> str:
    """Write a table of texts as long as reviews, some of them cut, larger than the part a forecast reads."""
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
