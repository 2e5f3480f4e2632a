"""The whole audit: what it shares between texts, against the plain way, with the same numbers.

A BiLSTM that was fitted for one epoch is audited by every measure that needs no companion, each way
in a process of its own, in seconds of its processor. The plain way is this package with a model
that offers neither ``variants`` nor ``deletion``, so every variant of a text runs by itself;
gradients share their pass in both. With ``--before DIR`` it is the package whose source is there
instead, such as a worktree of an older commit: then both take the measures that it has, and the
quantities of both are compared. ``--texts N`` takes as many at most, ``--pairs N`` runs each so
often.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import numpy as np
import torch
from compare import print_line, quick
from compare.texts import audited

from sightline.audits.run import audit
from sightline.config.presets import build_specs
from sightline.core.results import Bracket, Measurement, Ragged, Values
from sightline.measures.default_measures import default_measures
from sightline.models.alterations import Altered
from sightline.models.classifier import build
from sightline.training.loop import fit

CASES = (("SST", 1725, 1.6), ("IMDB", 300, 3.0))
"""Whose texts, how many at most, and how many times as long the plain way should take."""
SAME = 1e-9


def main() -> None:
    """Audit each corpus both ways, or be one of the two."""
    torch.set_num_threads(1)
    if "--child" in sys.argv:
        print(json.dumps(taken(*json.loads(sys.argv[-1]))))
        return
    for corpus, most, wanted in CASES:
        against(corpus, 8 if quick() else min(most, int(_said("--texts", str(most)))), wanted)


def against(corpus: str, texts: int, wanted: float) -> None:
    """Run both ways in turn, and compare every number of every measure."""
    with TemporaryDirectory() as folder:
        kept = {way: str(Path(folder) / f"{way}.npz") for way in ("shared", "plain")}
        runs = [
            pair(corpus, texts, kept) for _ in range(1 if quick() else int(_said("--pairs", "3")))
        ]
        ours, theirs = (dict(np.load(kept[way])) for way in ("shared", "plain"))
    if "--before" in sys.argv:
        ours = {name: value for name, value in ours.items() if name in theirs}
    apart = furthest(ours, theirs)
    ratios = [one["plain"]["seconds"] / one["shared"]["seconds"] for one in runs]
    holds = apart <= SAME and float(np.median(ratios)) >= wanted
    print_line(
        f"audit, {runs[0]['plain']['told']}",
        "the package before" if "--before" in sys.argv else "every variant by itself",
        ratios,
        holds,
        f"numbers equal to {SAME:g}, at least {wanted:g} times",
        texts=texts,
        apart=apart,
        quantities=len(ours),
        seconds=round(float(np.median([one["shared"]["seconds"] for one in runs])), 1),
        seconds_before=round(float(np.median([one["plain"]["seconds"] for one in runs])), 1),
    )


def pair(corpus: str, texts: int, kept: dict[str, str]) -> dict[str, dict[str, Any]]:
    """Run the plain way, and then ours with the same measures."""
    plainly = run("plain", corpus, texts, kept["plain"], None)
    return {
        "plain": plainly,
        "shared": run("shared", corpus, texts, kept["shared"], plainly["measures"]),
    }


def run(way: str, corpus: str, texts: int, file: str, measures: list[str] | None) -> dict[str, Any]:
    """Audit in a process of its own, the plain way by another source where there is one."""
    before = _said("--before", "") if way == "plain" else ""
    environment = os.environ | {"OMP_NUM_THREADS": "1"} | ({"PYTHONPATH": before} if before else {})
    asked = json.dumps(["shared" if before else way, corpus, texts, file, measures])
    done = subprocess.run(
        [sys.executable, __file__, "--child", asked],
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
        check=True,
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def taken(way: str, corpus: str, texts: int, file: str, only: list[str] | None) -> dict[str, Any]:
    """Fit and audit; keep the numbers in a file, and say how long the audit took and what it
    asked.
    """
    label, dataset, vocabulary = audited(corpus, texts)
    model_spec, fit_spec = build_specs("bilstm+additive", "jain2019", epochs=1)
    model = build(replace(model_spec, embedding=300), vocabulary, dataset.label_names, 0)
    fit(model, dataset.train, dataset.validation, fit_spec, 0)
    asked = model if way == "shared" else plain(model)
    measures = [one for one in default_measures() if only is None or one.code in only]
    began = process_time()
    found = audit(asked, dataset, measures=measures)
    seconds = process_time() - began
    measured = [one for one in found.measurements.values() if isinstance(one, Measurement)]
    np.savez(
        file,
        **{
            f"{one.code} {name}": flat(value)
            for one in measured
            for name, value in one.values.items()
        },
    )
    return {"seconds": seconds, "told": label, "measures": [one.code for one in measures]}


def plain(model: Any) -> Altered:
    """Import late: a source of before may lack what the plain way takes away."""
    from compare.unshared import unshared  # noqa: PLC0415

    return unshared(model)


def flat(value: Values) -> np.ndarray:
    """Lay out the numbers of a quantity."""
    if isinstance(value, Bracket):
        return np.stack([value.low, value.high])
    return np.asarray(value.flat if isinstance(value, Ragged) else value, dtype=float)


def furthest(ours: dict[str, np.ndarray], theirs: dict[str, np.ndarray]) -> float:
    """Give the largest difference of any number; infinite where one is there and the other is
    not.
    """
    if ours.keys() != theirs.keys() or any(
        (np.isnan(ours[k]) != np.isnan(theirs[k])).any() for k in ours
    ):
        return float("inf")
    alike = {name: (ours[name] == theirs[name]) | np.isnan(ours[name]) for name in ours}
    return max(float(np.abs(ours[k] - theirs[k])[~alike[k]].max(initial=0.0)) for k in ours)


def _said(flag: str, otherwise: str) -> str:
    return sys.argv[sys.argv.index(flag) + 1] if flag in sys.argv else otherwise


if __name__ == "__main__":
    main()
