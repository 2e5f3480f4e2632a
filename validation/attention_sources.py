"""Audit a fine-tuned transformer in full under several attention sources.

    python validation/attention_sources.py MODEL DATA [--texts N] [--only SOURCE ...]

MODEL is a folder that `save_pretrained` wrote, DATA a specification such as ``sst:DIR``. The rows
of the table of attention sources are replaced in `docs/verified/known_cases.json`.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from dataclasses import asdict
from typing import Any

import torch
from audit_known_cases import verdicts_of
from checkout import ROOT

import sightline
from sightline._io.atomic_write import write_bytes

WRITTEN = ROOT / "docs" / "verified" / "known_cases.json"
SOURCES = (
    "",
    "(layer=5,head=3)",
    "(reading=rollout)",
    "(reading=values,layer=5)",
    "(reading=evidence,layer=5)",
)


def counted(model: str, data: Any, source: str, texts: int) -> dict[str, Any]:
    """Make one audit, and keep what the table shows."""
    began = time.process_time()
    audit = sightline.audit(f"{model}{source}", data, limit=texts, full=True)
    (transfer,) = (one.score for one in audit.findings if one.code == "SL-303")
    return {
        **verdicts_of(audit),
        "transfer": None if transfer is None else asdict(transfer),
        "seconds": round(time.process_time() - began, 1),
    }


def main() -> int:
    """Audit under each source, and write the file after each."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("model")
    parser.add_argument("data")
    parser.add_argument("--texts", type=int, default=120)
    parser.add_argument("--only", nargs="+", default=SOURCES)
    asked = parser.parse_args()
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    data = sightline.load(asked.data)
    for source in asked.only:
        name = source or "(default)"
        found = counted(f"hf:{asked.model}", data, source, asked.texts)
        row = {"source": name, "texts": asked.texts, **found}
        known = json.loads(WRITTEN.read_text("utf-8"))
        known["sources"] = [
            *({one["source"]: one for one in known["sources"]} | {name: row}).values()
        ]
        write_bytes(WRITTEN, (json.dumps(known, indent=1, ensure_ascii=False) + "\n").encode())
        print(time.strftime("%H:%M:%S"), row, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
