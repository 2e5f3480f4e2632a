"""Measures of an audit by looks share the answers of a model: no changed text is run twice."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
import torch

import sightline
from sightline.adapters.huggingface.auditable import HuggingFace
from sightline.adapters.shared_logits import names_of
from sightline.audits import sequential
from sightline.audits.audit_result import Audit
from sightline.core.protocols import Batch
from sightline.core.results import Measurement
from sightline.data.dataset import Dataset

Attentions = Mapping[str, torch.Tensor]
COMPARED = ("erasure", "transplant", "agreement")


def audited(folder: Path, needles: Dataset, *, shares: bool) -> tuple[Audit, set[bytes], int]:
    """Audit by looks; give the audit, the changed texts that were run, and how many of them had been
    run before.
    """
    ran, again = set[bytes](), list[bytes]()
    logits, under = HuggingFace.logits, HuggingFace.logits_under

    def heard(model: HuggingFace, batch: Batch) -> torch.Tensor:
        names = names_of(batch)
        again.extend(name for name in names if name in ran)
        ran.update(names)
        return logits(model, batch)

    def heard_under(model: HuggingFace, batch: Batch, attention: Attentions) -> Attentions:
        ran.update(names_of(batch))  # leave-one-out, under other attention as well
        return under(model, batch, attention)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(HuggingFace, "logits", heard)
        patch.setattr(HuggingFace, "logits_under", heard_under)
        if not shares:
            patch.setattr(sequential, "_running_once", lambda model, logits: model)
        return sightline.audit(f"hf:{folder}", needles, max_texts=60), ran, len(again)


def test_no_changed_text_is_run_twice_and_no_number_changes(taught: Path, needles: Dataset) -> None:
    shares, ran, again = audited(taught, needles, shares=True)
    alone, every, more = audited(taught, needles, shares=False)
    assert again == 0 < more
    assert ran == every
    assert shares.verdict == alone.verdict
    for code in COMPARED:
        one, other = shares.measurements[code], alone.measurements[code]
        assert isinstance(one, Measurement)
        assert isinstance(other, Measurement)
        for quantity, values in one.values.items():
            if isinstance(values, np.ndarray):
                np.testing.assert_allclose(values, other.values[quantity], atol=1e-5, rtol=0)
