"""Set δ and the fewest texts of every finding, on planted corpora alone.

    python validation/set_thresholds.py

The rule and the worlds (`sightline.studies.thresholds`) were fixed before their numbers were seen.
δ is a quarter of the median effect over worlds in which the claim is true by construction (seeds
1000–1009, which the calibration does not use), where 0 is chance and 1 the best achievable, rounded
to two digits and at least .01. The worlds are an MLP on votes, on a needle and on four classes,
where the state of a word holds that word alone, and a BiLSTM that is trained to attend to the
evidence. For the BiLSTM those claims are left out that it need not fulfil, because its other states
carry the evidence too.

The fewest texts of a finding are the smallest of 50, 100 and 200 with which no more than 5 % of the MLP's runs
contradict what all their texts support; those of a verdict are what its deciding findings need.

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
        if flags.seeds is None and not flags.so_far:
            TARGET.write_text(told + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
