"""Set δ of every finding and the fewest texts of a verdict, on planted corpora alone.

    python scripts/set_thresholds.py

The rule, fixed before the numbers were seen: δ is a quarter of the median effect that learned attention shows on
planted evidence of moderate strength (two corpora, two encoders, seeds 1000–1019, which the calibration does not
use), rounded to two digits and at least .01. An attention that does a quarter as well as one that has learned
moderate evidence does too little to matter.

One exception was made after the first run on these corpora: SL-001 takes the MLP cells
alone. Attention is needed where states do not see each other; a BiLSTM carries the evidence to every state, so there
the claim is not true by construction, and a quarter of its median would be a quarter of nothing.

The fewest texts are the smallest of 25, 50, 100 and 200 with which
SL-101, 102, 104 and 301 are all supported in at least 95 % of the MLP cells.

The runs are kept in ``--store``, so a killed command resumes; ``--dry-run`` says what is left, and ``--seeds N`` takes
only the first few seeds and writes nothing.
"""

from __future__ import annotations

import argparse
import json

from studied import ROOT, add_flags, studied

from sightline.studies import thresholds

TARGET = ROOT / "src" / "sightline" / "findings" / "thresholds.json"


def main() -> None:
    """Run the study and write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_flags(parser)
    flags = parser.parse_args()
    stored = studied(thresholds, thresholds.grid(thresholds.SEEDS[: flags.seeds]), flags)
    if stored is not None:
        told = json.dumps(stored, indent=2)
        print(told)
        if flags.seeds is None:
            TARGET.write_text(told + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
