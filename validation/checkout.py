"""Paths of the checkout, and the progress line of a campaign of many runs."""

from __future__ import annotations

import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VERIFIED = ROOT / "docs" / "verified"
RESULTS_FILE = VERIFIED / "results.csv.gz"
"""The numbers read from the runs of all studies."""
STORE = ROOT / "runs" / "verified"
"""Where runs are kept, unless a flag names another folder."""


def tell(done: int, of: int) -> None:
    """Print how many runs are done, now and then."""
    if done % 25 == 0 or done == of:
        print(f"{time.strftime('%H:%M:%S')} {done}/{of}", file=sys.stderr, flush=True)
