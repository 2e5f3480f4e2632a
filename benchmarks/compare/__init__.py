"""What the benchmarks share: the flag, the printed line, and a clock of the processor."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence

import numpy as np
import torch


def quick() -> bool:
    """Tell whether a short run was asked for."""
    return "--quick" in sys.argv[1:]


def print_line(
    name: str, against: str, ratios: Sequence[float], holds: bool, relation: str, **more: float
) -> None:
    """Print one comparison as a JSON line: the ratios by their median and range, and whatever was
    measured beside.
    """
    line = {
        "name": name,
        "against": against,
        "ratio": round(float(np.median(ratios)), 2),
        "low": round(float(min(ratios)), 2),
        "high": round(float(max(ratios)), 2),
        "n": len(ratios),
        "holds": holds,
        "relation": relation,
        "threads": torch.get_num_threads(),
    }
    print(json.dumps(line | more))


def processor_seconds(run: Callable[[], object]) -> float:
    """Say how long something keeps the processor: the rest of a busy machine is not in it."""
    started = time.process_time()
    run()
    return time.process_time() - started
