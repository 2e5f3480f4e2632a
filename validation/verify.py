"""The full counts behind the promises, written to ``docs/verified/``: ``python validation/verify.py [--only NAME]``.

``worlds``: the verdict itself, in worlds made so that the right one is known, by encoder; ``worlds-confirmation``: the
same on seeds from 10000 on, which nobody had looked at before (five with an MLP, three with the other encoders).
``random_attention``: the worked examples of ``docs/random-attention.md``. ``examples``: those on the pages of findings.
``chaos``: a study that is stopped, damaged and refused in every way we could think of; ``shared``: two at once on one
store (``chaos.py``; their files say what they cost). ``resumed``: a training that is killed at twenty steps
(``resumed.py``). ``fuzz``: two thousand odd command lines
(``fuzzed.py``). ``repeats``: one audit, made again with what must not matter changed (``repeats.py``).
``large``: what a million texts, hundreds of classes and a long page take (``large.py``); ``notes``: what a file
of notes as large as that of MIMIC-III takes (``notes.py``).
``coverage``: how often intervals hold the truth (``covered.py``). ``families``: which families of transformers
pass the proofs (``families.py``); ``planted_heads``: the verdict on one whose heads are written down
(``planted_heads.py``); ``tiny_berts``: on tiny ones that are trained on planted texts, in the worlds of the
calibration (``tiny_berts.py``; its runs are kept in ``--store``); ``sst_bert``: on a small one that is trained
on SST (``sst_bert.py``).
``exact``: exact answers over attention against brute force, a search, and models whose attention is known to matter or
not (``exact.py``).
``data``: the published corpora by both recipes (``published.py``), ``real``: the verdict on models trained on
them, ``trained``: how well models do on test texts that were trained as the papers trained, ``plausible``: maps
beside the words that people marked, and ``sparse``: sparse attention beside the importance of inputs and of states; and
``reproduction``: what a store has of the papers' tables, beside what is printed (``reproduced.py``; it runs
nothing); all left out where the corpora are not at hand.
``random_attention``, ``examples``, ``real``, ``trained``, ``plausible``,
``shown``, ``sparse`` and both ``worlds`` are studies, whose runs are kept in ``--store``: a killed one resumes.

``--dry-run`` says what is left of the studies; ``--so-far`` tables what is done of them, and what the rest would take;
``--go-on`` runs only what neither the store nor the file has; ``--seeds N`` takes only the first few seeds, and writes
nothing.
A store is not kept with the project: ``reproduction``, and ``--so-far`` and ``--go-on`` of ``information``,
``retained`` and ``sparse``, keep what their files have of the very same runs; without a file they count anew.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from typing import Any

from chaos import chaos, shared
from covered import coverage
from exact import exact
from families import families
from fuzzed import fuzzed
from large import large
from notes import notes
from planted_heads import planted_heads
from published import FOLDER, at_hand, published_data
from repeats import repeats
from reproduced import reproduced
from resumed import resumed
from sst_bert import sst_bert
from studied import ROOT, VECTORS, add_flags, studied
from tiny_berts import tiny_berts

from sightline.experiments.grid import Grid
from sightline.studies import (
    ablations,
    adversaries,
    examples,
    farthest,
    information,
    plausible,
    random_attention,
    real,
    retained,
    shown,
    sparse,
    trained,
    worlds,
)
from sightline.studies.study import Study

sys.path.insert(0, str(ROOT / "tools" / "docs"))

from docs_tables import verified

VERIFIED = ROOT / "docs" / "verified"
OF_CORPORA = (
    "data", "sst_bert", "real", "trained", "adversaries", "ablations", "farthest", "information", "retained",
    "plausible", "sparse", "reproduction",
)  # fmt: skip
REPRODUCTION = "reproduction"
"""It runs nothing, and tables what is there."""
BERTS = "tiny_berts"
"""It trains models that no study holds, and keeps its runs in ``--store`` all the same."""
MEASURED: Mapping[str, Callable[[], dict[str, Any]]] = {
    "data": published_data,
    "chaos": chaos,
    "fuzz": fuzzed,
    "shared": shared,
    "resumed": resumed,
    "repeats": repeats,
    "large": large,
    "notes": notes,
    "coverage": coverage,
    "families": families,
    "planted_heads": planted_heads,
    "sst_bert": sst_bert,
    "exact": exact,
}
STUDIES: Mapping[str, tuple[Study, Callable[[int | None], Grid]]] = {
    "random_attention": (random_attention, lambda seeds: random_attention.grid()),
    "examples": (examples, lambda seeds: examples.grid()),
    "worlds": (worlds, worlds.grid),
    "shown": (shown, shown.grid),
    "worlds-confirmation": (worlds, lambda seeds: worlds.grid(seeds, worlds.UNSEEN, worlds.CONFIRMED)),
    "real": (real, lambda seeds: real.grid(FOLDER)),
    "adversaries": (adversaries, lambda seeds: adversaries.grid(FOLDER)),
    "ablations": (ablations, lambda seeds: ablations.grid(FOLDER, seeds)),
    "farthest": (farthest, lambda seeds: farthest.grid(FOLDER, seeds)),
    "information": (information, lambda seeds: information.grid(FOLDER, seeds)),
    "retained": (retained, lambda seeds: retained.grid(FOLDER, trained.make_vectors(FOLDER, VECTORS), seeds)),
    "plausible": (plausible, lambda seeds: plausible.grid(FOLDER, seeds)),
    "sparse": (sparse, lambda seeds: sparse.grid(FOLDER, seeds)),
    "trained": (trained, lambda seeds: trained.grid(FOLDER, trained.make_vectors(FOLDER, VECTORS), seeds)),
}
"""Each with its grid, of the first few seeds where so many are asked for."""


def compute(name: str, flags: argparse.Namespace) -> Mapping[str, Any] | None:
    """Give a result by its name; nothing where it was only asked what there is to do."""
    if name in STUDIES:
        study, grid = STUDIES[name]
        return studied(study, grid(flags.seeds), flags, verified(name))
    if name == BERTS:
        return tiny_berts(flags)
    if name == REPRODUCTION:
        return None if flags.dry_run else reproduced(flags.store, verified(name) or {})
    return None if flags.dry_run or flags.so_far else MEASURED[name]()


def _line(gate: Mapping[str, Any]) -> str:
    said = "holds" if gate["holds"] else "BROKEN"
    return f"{said}  {gate['name']}: {gate['count']} of {gate['of']} ({gate['limit']})"


def _wanted(name: str, only: str | None) -> bool:
    # Where the corpora are not at hand, their committed counts stay.
    return name == only or (only is None and (name not in OF_CORPORA or at_hand()))


def main() -> int:
    """Run what was asked for, write the files, and fail when a gate does not hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    names = (*MEASURED, *STUDIES, BERTS, REPRODUCTION)
    parser.add_argument("--only", choices=names)
    add_flags(parser)
    flags = parser.parse_args()
    broken = 0
    for name in (name for name in names if _wanted(name, flags.only)):
        if (result := compute(name, flags)) is None:
            continue
        if flags.seeds is None:
            VERIFIED.mkdir(parents=True, exist_ok=True)
            (VERIFIED / f"{name}.json").write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", "utf-8")
        broken += sum(not gate["holds"] for gate in result["gates"])
        print("\n".join(_line(gate) for gate in result["gates"]))
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main())
