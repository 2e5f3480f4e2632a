"""The weights of every attention source on the words of a batch, read once for all measures that
choose.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from sightline.core.protocols import MeasureContext, SupportsAttentionSources, Trace
from sightline.measures.batch_words import words_of


def by_word(subject: MeasureContext, trace: Trace) -> Mapping[str, Float[np.ndarray, "B W"]]:
    """Give the weights of the words by the name of each source."""
    assert isinstance(
        subject.model, SupportsAttentionSources
    )  # only models with several sources get here
    if "sources" not in subject.shared:
        shown = subject.model.read_all(trace.batch)
        subject.shared["sources"] = {
            name: words_of(replace(trace, attention=one)).attention for name, one in shown.items()
        }
    found: Mapping[str, Float[np.ndarray, "B W"]] = subject.shared["sources"]
    return found
