"""Play single cases again and print what came of them: ``python -m tests.fuzz "KIND SEED" ...``."""

import sys
import tempfile
from pathlib import Path

from tests.fuzz.kinds import KINDS
from tests.fuzz.watching import Watch

with tempfile.TemporaryDirectory() as folder, Watch(Path(folder)) as watch:
    for seed in sys.argv[1:]:
        case, ended = watch.play(KINDS[seed.rpartition(" ")[0]][0], seed)
        print(seed, case, ended, watch.printed(), sep="\n", end="\n\n")
