"""IMDB, 50,000 reviews, from its .tar.gz to numbers: read anew, and from what an earlier reading
kept.

The folder of the corpora is that of ``SIGHTLINE_DATA`` (by default ``shared/data`` beside the
checkout); without it, nothing is timed. ``--quick`` reads SST instead.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from compare import print_line, quick

DATA = Path(
    os.environ.get("SIGHTLINE_DATA", Path(__file__).resolve().parents[2] / "shared" / "data")
)
ASKED = 10.0
"""Reading what was kept must be so many times faster."""
# Each reading in a process of its own, so that one does not warm the memory of the other.
READ = """
import hashlib, json, resource, sys, time
from sightline.data.load_dataset import load
from sightline.data.vocabulary import Vocabulary
from sightline.config.spec_syntax import parse_data
spec = parse_data(sys.argv[1])
began = time.perf_counter()
data = load(spec, 0)
read = time.perf_counter() - began
vocabulary = Vocabulary.fit(data.train)
numbers = hashlib.sha256()
for example in (*data.train, *data.validation, *data.test):
    numbers.update(str(vocabulary.ids(example.tokens)).encode())
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps([read, time.perf_counter() - began, peak / 1024, numbers.hexdigest()]))
"""


def main() -> None:
    """Time readings without and with what was kept, in turn, and print one JSON line."""
    spec = (
        f"sst:{DATA / 'sst'}" if quick() else f"imdb:{DATA / 'imdb' / 'aclImdb_v1_labelled.tar.gz'}"
    )
    if not Path(spec.partition(":")[2]).exists():
        print(f"no {spec}: set SIGHTLINE_DATA", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory() as folder:
        read_in_child(spec, folder)
        pairs = [
            (read_in_child(spec, ""), read_in_child(spec, folder))
            for _ in range(1 if quick() else 3)
        ]
    ratios = [cold[0] / warm[0] for cold, warm in pairs]
    same = len({one[3] for pair in pairs for one in pair}) == 1
    print_line(
        f"read {spec.partition(':')[0]} again, from what was kept",
        "reading its files",
        ratios,
        bool(same and (quick() or np.median(ratios) >= ASKED)),
        f"the same numbers of words, {ASKED:g} times faster",
        threads=1,
        seconds=round(float(np.median([cold[0] for cold, _ in pairs])), 2),
        seconds_to_ids=round(float(np.median([cold[1] for cold, _ in pairs])), 2),
        seconds_kept=round(float(np.median([warm[0] for _, warm in pairs])), 2),
        peak_mebibytes=round(max(cold[2] for cold, _ in pairs)),
        peak_mebibytes_kept=round(max(warm[2] for _, warm in pairs)),
    )


def read_in_child(spec: str, cache: str) -> tuple[float, float, float, str]:
    """Read a corpus in a new process; give seconds to texts and to numbers, peak memory, and a hash
    of the numbers.
    """
    environment = os.environ | {"SIGHTLINE_CACHE": cache, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", READ, spec]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment)
    read, total, peak, numbers = json.loads(done.stdout)
    return read, total, peak, numbers


if __name__ == "__main__":
    main()
