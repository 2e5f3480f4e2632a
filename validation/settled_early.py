"""Compare an audit that stops when its verdict is settled with a full one, on many models.

    python validation/settled_early.py --out DIR [--sst DIR] [--seeds N] [--texts N]

Models of the calibration's scenarios, with more test texts than there, and small models on SST are
trained, and each is audited twice on the same planned texts: with every measure on every text, and
by looks. Counted are equal verdicts (of all texts together, and of each predicted class), the texts
that were measured, and seconds of the processor. What is there already is not made again.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from time import process_time
from typing import Any

import torch

from sightline.config.spec_syntax import parse_data, parse_model
from sightline.config.specs import FitSpec, RunSpec
from sightline.experiments.pipeline import audit_as_asked, train
from sightline.studies.calibration.scenarios import WORLDS, cell

ENCODERS = ("mlp", "bilstm", "cnn", "transformer")
FIRST = 20_000
"""The first seed: no other campaign looks at these."""
ON_SST = ("bilstm(hidden=32)", "mlp(hidden=64)", "cnn(channels=16,kernels=1-3)")
LEAST = 0.97
"""Of the models, the share that must have the same verdict."""


def specs(seeds: int, texts: int, sst: Path | None) -> Iterator[tuple[str, RunSpec]]:
    """Name the models: a scenario by its first encoder, and by others in turn, from several
    seeds.
    """
    for number, world in enumerate(WORLDS):
        known = [one for one in ENCODERS if one in world.models]
        for seed in range(seeds):
            encoder = known[0] if seed == 0 else known[(number + seed) % len(known)]
            spec = cell(world, encoder, FIRST + seed)
            data = re.sub(r"\bn=\d+", f"n={4 * texts}", str(spec.data))
            yield (
                f"{world.name}, {encoder}, {seed}",
                replace(spec, data=parse_data(data), limit=None),
            )
    if sst is not None:
        for model in ON_SST:
            for seed in range(2):
                fit = FitSpec(epochs=3, patience=3)
                data = parse_data(f"sst:{sst}")
                spec = RunSpec(
                    data, parse_model(f"{model}+additive"), fit, FIRST + seed, companions=()
                )
                yield f"sst, {model}, {seed}", spec


def compared(name: str, spec: RunSpec, texts: int) -> dict[str, Any]:
    """Train one model, and audit it in both ways."""
    trained, found = train(spec), {"name": name}
    for how, limits in (("full", {"limit": texts}), ("looks", {"max_texts": texts})):
        began = process_time()
        audit = audit_as_asked(trained, spec, **limits)
        found[how] = {
            "cpu": round(process_time() - began, 1),
            "verdict": str(audit.verdict.level),
            "row": audit.verdict.row,
            "by_class": {of: str(one.level) for of, one in audit.verdict.by_class.items()},
            "texts": len(audit.texts),
            "sequential": audit.spec.get("sequential"),
        }
    return found


def main() -> int:
    """Compare them all, and say whether enough are the same."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--sst", type=Path)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--texts", type=int, default=400)
    asked = parser.parse_args()
    torch.set_num_threads(1)
    asked.out.mkdir(parents=True, exist_ok=True)
    rows = []
    for name, spec in specs(asked.seeds, asked.texts, asked.sst):
        file = asked.out / f"{re.sub(r'[^a-z0-9]+', '-', name.lower())}.json"
        if not file.exists():
            try:
                found = compared(name, spec, asked.texts)
            except Exception as error:  # one scenario that cannot be made must not cost the others
                print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr)
                continue
            file.write_text(json.dumps(found, indent=1), encoding="utf-8")
        rows.append(json.loads(file.read_text(encoding="utf-8")))
        print(line(rows[-1]), flush=True)
    return summed_up(rows)


def line(row: dict[str, Any]) -> str:
    """Say of one model what both audits came to."""
    full, looks = row["full"], row["looks"]
    same = "same" if full["verdict"] == looks["verdict"] else "OTHER"
    classes = "same" if full["by_class"] == looks["by_class"] else "OTHER"
    return (
        f"{same:5} {classes:5} {row['name']}: {full['verdict']} {full['by_class']} {full['cpu']} s; "
        f"{looks['verdict']} {looks['by_class']} {looks['cpu']} s, {looks['texts']} texts, "
        f"{looks['sequential']['stopped']}"
    )


def summed_up(rows: list[dict[str, Any]]) -> int:
    """Print the counts; 3 where too few verdicts are the same."""
    whole = [row["full"]["verdict"] == row["looks"]["verdict"] for row in rows]
    classes = [row["full"]["by_class"] == row["looks"]["by_class"] for row in rows]
    settled = [row for row in rows if row["looks"]["sequential"]["settled"]]
    alike = sum(row["full"]["verdict"] == row["looks"]["verdict"] for row in settled)
    alike_classes = sum(row["full"]["by_class"] == row["looks"]["by_class"] for row in settled)
    seconds = {how: sum(row[how]["cpu"] for row in rows) for how in ("full", "looks")}
    print(f"models: {len(rows)}")
    print(f"same verdict of all texts: {sum(whole)}; of every class: {sum(classes)}")
    print(f"settled: {len(settled)}; of these the same: {alike}; of every class: {alike_classes}")
    print(f"seconds: {seconds['full']:.0f} full, {seconds['looks']:.0f} by looks")
    return 0 if rows and sum(whole) >= LEAST * len(rows) else 3


if __name__ == "__main__":
    sys.exit(main())
