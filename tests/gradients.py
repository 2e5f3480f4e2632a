"""The size of one gradient; measures take several at once."""

import numpy as np
import torch

from sightline.config.word_maps import Reduction
from sightline.core.protocols import Auditable, Trace
from sightline.measures.importance import SlopeUnder, slopes


def gradient_importance(
    model: Auditable,
    trace: Trace,
    attention: torch.Tensor | None = None,
    *,
    held: bool = True,
    reduction: Reduction = "input",
) -> np.ndarray:
    """Give the size of one gradient, with attention ``held`` or not, or replaced at decoding."""
    asked: SlopeUnder = ("held" if held else "through") if attention is None else attention
    return slopes(model, trace, {"": asked})[""].reduced(reduction)
