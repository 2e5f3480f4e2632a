"""Verdicts on cases whose truth is known.

``python validation/audit_known_cases.py OUT.json [--only WORDS] [--seeds N]`` audits every case of
`known_cases` and writes the row for all texts and for each predicted class, with the tests that
decided. ``docs/verified/known_cases.json --merge OUT.json`` puts them into the file that the
documentation tables, and keeps its other entries.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from known_cases import CASES, FULL, Case

import sightline


def counted(case: Case, seed: int) -> dict[str, Any]:
    """Make one audit, and keep what is counted; a refused audit says so."""
    made, texts, others = case.make(seed)
    began = time.process_time()
    try:
        audit = sightline.audit(made, texts, seed=seed, **FULL, **others)
    except sightline.core.errors.SightlineError as error:
        return {"seed": seed, "refused": str(error)}
    said = json.loads(json.dumps(audit.to_json()))
    return {
        "seed": seed,
        **verdicts_of(audit),
        "effects": {one.code: _effect(one) for one in audit.findings if one.score is not None},
        "shown": said.get("shown"),
        "scores": next((row.answer for row in audit.maps if row.name == "given"), None),
        "maps": {row.name: row.answer for row in audit.maps},
        "seconds": round(time.process_time() - began, 1),
    }


def _effect(finding: Any) -> list[Any]:
    return [
        finding.result,
        *(round(getattr(finding.score, key), 3) for key in ("value", "low", "high")),
    ]


def verdicts_of(audit: Any) -> dict[str, Any]:
    """Give the rows over all texts and for each predicted class, with the tests that decided."""
    classes = audit.verdict.by_class.items()
    return {
        "row": audit.verdict.row,
        "by_class": {name: one.row for name, one in classes},
        "decided": _codes(audit.verdict),
        "class_decided": {name: _codes(one) for name, one in classes},
    }


def _codes(verdict: Any) -> list[str]:
    """Name the tests that did not pass, from the reasons, or the other words of the verdict."""
    return [" ".join(str(reason).split(":")[0].split()[:2]) for reason in verdict.reasons]


def merge(out: Path, found: Mapping[str, Any]) -> int:
    """Put the verdicts next to the right ones."""
    known = json.loads(out.read_text("utf-8")) if out.exists() else {}
    known["cases"] = [
        {
            "kind": case.kind,
            "name": case.name,
            "right": case.right,
            "classes": case.classes,
            "says": case.says,
            "scores": case.scores,
            "runs": found.get(case.name, []),
        }
        for case in CASES
    ]
    out.write_text(json.dumps(known, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return 0


def main() -> int:
    """Audit every case and write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--seeds", type=int)
    parser.add_argument("--merge", type=Path, metavar="FOUND")
    flags = parser.parse_args()
    if flags.merge:
        return merge(flags.out, json.loads(flags.merge.read_text("utf-8")))
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    found: dict[str, Any] = json.loads(flags.out.read_text("utf-8")) if flags.out.exists() else {}
    for case in CASES:
        if flags.only not in f"{case.kind} {case.name}":
            continue
        known = {one["seed"]: one for one in found.get(case.name, ()) if "refused" not in one}
        wanted = range(min(flags.seeds or case.seeds, case.seeds))
        runs = [known.get(seed) or counted(case, seed) for seed in wanted]
        found[case.name] = runs
        print(time.strftime("%H:%M:%S"), case.kind, case.name, flush=True)
        for one in runs:
            parts = ("row", "by_class", "refused", "scores", "decided", "seconds")
            print("    ", {key: one[key] for key in parts if one.get(key) is not None}, flush=True)
        flags.out.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
