"""Compare an audit that stops when its verdict is settled with a full one, on many models.

    python validation/settled_early.py --out FILE [--store DIR] [--models N] [--texts N]
                                       [--as-asked] [--longest N]
    python validation/settled_early.py --out FILE --table

The counts are written to `docs/verified/settled.json`, except with `--as-asked`.

Models come from the calibration's scenarios. With `--store` their trainings are read from there
and no model is trained. Each model is audited twice on the same new texts of its scenario: on every
text with every measure that bears on the verdict, and by looks. The script counts equal verdicts
(for all texts together, and for each predicted class), measured texts, and processor seconds. Each
model adds one line to the file; a model with a line is not audited again.

Small audits take one look (docs/decisions/0122-one-look.md), which would compare an audit with
itself. So every audit here takes several looks, unless `--as-asked` keeps the rule of the command.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import torch
from checkout import ROOT
from json_lines import add_line, read_lines

from sightline._io.atomic_write import write_bytes
from sightline.audits import one_look
from sightline.audits.look_measures import BY_REQUEST, stage_of
from sightline.config.run_keys import training_key
from sightline.config.spec_syntax import parse_data
from sightline.config.specs import RunSpec
from sightline.data.load_dataset import load
from sightline.experiments.callbacks import SILENT
from sightline.experiments.pipeline import AuditRequest, Trained, audit_as_asked, train_on
from sightline.experiments.store import Store
from sightline.experiments.training_jobs import Fitted, TrainOnce, train_always
from sightline.measures.default_measures import default_measures
from sightline.models.model_storage import load_classifier
from sightline.stats.bootstrap import proportion
from sightline.studies.calibration.scenarios import CONFIRMED, SEEDS, UNSEEN, WORLDS, run_spec

FIRST = 20_000
"""Added to the seed of a model for its texts: no training or calibration has seen these."""
WRITTEN = ROOT / "docs" / "verified" / "settled.json"
LEAST = 0.97
"""The share of models that must have the same verdict."""


def scenarios() -> list[tuple[str, RunSpec]]:
    """Name the models in an order in which every part is a sample: one seed of each scenario and
    encoder after the other, shuffled within a round.
    """
    random, found = np.random.default_rng(0), []
    rounds = [
        *((SEEDS, number, number) for number in range(7, max(SEEDS.values()))),
        *((CONFIRMED, number, UNSEEN + number) for number in range(max(CONFIRMED.values()))),
    ]
    for counted, number, seed in rounds:
        specs = [
            (f"{world.name}, {encoder}, {seed}", run_spec(world, encoder, seed))
            for world in WORLDS
            for encoder in world.models
            if number < counted[encoder]
        ]
        found += [specs[place] for place in random.permutation(len(specs))]
    return found


class MissingTrainingError(Exception):
    """A store lacks the training of a model."""


def from_store(store: Store) -> Any:
    """Give a function that reads trainings and makes none."""

    def kept(spec: RunSpec, make: TrainOnce) -> Fitted:
        folder = store.training_folder(training_key(spec))
        if not folder.is_dir():
            raise MissingTrainingError
        return load_classifier(folder)

    return kept


def compared(name: str, spec: RunSpec, texts: int, store: Store | None) -> dict[str, Any]:
    """Train one model or read it, and audit it in both ways."""
    more = parse_data(re.sub(r"\bn=\d+", f"n={6 * texts}", str(spec.data)))
    data = load(more, FIRST + spec.seed)
    trained = train_on(data, spec, SILENT, "cpu", from_store(store) if store else train_always)
    return in_both_ways(name, trained, spec, min(texts, spec.limit or texts))


def in_both_ways(name: str, trained: Trained, asked: AuditRequest, texts: int) -> dict[str, Any]:
    """Audit one model in full, as far as it bears on the verdict, and by looks."""
    bearing = tuple(
        one.code for one in default_measures() if stage_of(one.code) not in (None, 0, BY_REQUEST)
    )
    found: dict[str, Any] = {"name": name}
    for how, asks, limits in (
        ("full", replace(asked, measures=bearing), {"limit": texts}),
        ("looks", asked, {"max_texts": texts}),
    ):
        began = process_time()
        audit = audit_as_asked(trained, asks, **limits)
        found[how] = {
            "cpu": round(process_time() - began, 1),
            "verdict": str(audit.verdict.level),
            "row": audit.verdict.row,
            "by_class": {of: str(one.level) for of, one in audit.verdict.by_class.items()},
            "texts": len(audit.texts),
            "open": {
                one.code: [one.result, one.score and [one.score.low, one.score.high], one.threshold]
                for one in audit.findings
                if one.result in ("failed", "inconclusive")
            },
            "sequential": audit.spec.get("sequential"),
        }
    return found


def main() -> int:
    """Compare them all, and say whether enough are the same."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, required=True, help="a file of JSON lines")
    parser.add_argument("--store", type=Path, help="a store with the trainings of the scenarios")
    parser.add_argument("--models", type=int, default=200)
    parser.add_argument("--texts", type=int, default=400)
    parser.add_argument("--longest", type=int, help="leave out scenarios with longer texts")
    parser.add_argument("--as-asked", action="store_true", help="let small audits take one look")
    parser.add_argument("--table", action="store_true", help="read the file alone")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    if not asked.as_asked:
        one_look.FEW_WORDS = 0
    if not asked.table:
        count(asked)
    rows = read_lines(asked.out)
    if asked.as_asked:
        return summed_up(rows)
    write(WRITTEN, rows, asked.models, texts=asked.texts)
    return summed_up(rows)


def write(file: Path, rows: list[dict[str, Any]], planned: int, **about: object) -> None:
    """Write what the documentation says, with the hours that the models without a row will take."""
    seconds = np.mean([row[how]["cpu"] for row in rows for how in ("full", "looks")] or [0])
    left = round(2 * float(seconds) * (planned - len(rows)) / 3600, 2)
    found = {"planned": planned, **about, "hours_left": left, "rows": [*map(kept, rows)]}
    write_bytes(file, f"{json.dumps(found, indent=1, ensure_ascii=False)}\n".encode())


def kept(row: dict[str, Any]) -> dict[str, Any]:
    """Give what the documentation says about a model."""
    full, looks = row["full"], row["looks"]
    about = looks["sequential"]
    verdicts = ("verdict", "by_class", "cpu")
    return {
        "name": row["name"],
        "full": {name: full[name] for name in verdicts},
        "looks": {name: looks[name] for name in verdicts}
        | {"texts": looks["texts"], "settled": about["settled"], "open": about.get("open", [])},
    }


def count(asked: argparse.Namespace) -> None:
    """Add lines until the requested number of models is reached."""
    done = {row["name"] for row in read_lines(asked.out)}
    store = None if asked.store is None else Store(asked.store, make=False)
    for name, spec in scenarios():
        if len(done) >= asked.models:
            return
        if name in done or too_long(spec, asked.longest):
            continue
        try:
            row = compared(name, spec, asked.texts, store)
        except MissingTrainingError:
            continue
        except Exception as error:  # one scenario that cannot be made must not cost the others
            print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr)
            continue
        add_line(asked.out, row)
        done.add(name)
        print(line(row), flush=True)


def too_long(spec: RunSpec, longest: int | None) -> bool:
    """Tell whether a scenario has longer texts, which take most of the seconds."""
    length = re.search(r"\blength=(\d+)", str(spec.data))
    return longest is not None and length is not None and int(length[1]) > longest


def line(row: dict[str, Any]) -> str:
    """Give the verdicts of both audits of one model."""
    full, looks = row["full"], row["looks"]
    same = "same" if full["verdict"] == looks["verdict"] else "OTHER"
    classes = "same" if full["by_class"] == looks["by_class"] else "OTHER"
    return (
        f"{same:5} {classes:5} {row['name']}: {full['verdict']} {full['by_class']} {full['cpu']} s; "
        f"{looks['verdict']} {looks['by_class']} {looks['cpu']} s, {looks['texts']} texts, "
        f"{looks['sequential']['stopped']}"
    )


def summed_up(rows: list[dict[str, Any]]) -> int:
    """Print the counts; return 3 if too few verdicts are the same."""
    if not rows:
        print("no model was compared", file=sys.stderr)
        return 3
    for kind in ("verdict", "by_class"):
        same = np.array([row["full"][kind] == row["looks"][kind] for row in rows], dtype=float)
        settled = np.array([bool(row["looks"]["sequential"]["settled"]) for row in rows])
        for name, some in (("all", same), ("settled", same[settled])):
            one = proportion(some)
            print(
                f"{kind}, {name}: {some.sum():.0f} of {len(some)}, {one.low:.3f} to {one.high:.3f}"
            )
    seconds = {how: sum(row[how]["cpu"] for row in rows) for how in ("full", "looks")}
    print(f"seconds: {seconds['full']:.0f} full, {seconds['looks']:.0f} by looks")
    whole = [row["full"]["verdict"] == row["looks"]["verdict"] for row in rows]
    return 0 if sum(whole) >= LEAST * len(rows) else 3


if __name__ == "__main__":
    sys.exit(main())
