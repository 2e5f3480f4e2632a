"""Calibrates a prompted model: measures on some texts which answers it prefers whatever it reads,
and offsets its logits.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch

from sightline.adapters.huggingface.auditable import HuggingFace
from sightline.adapters.huggingface.prompt_files import CALIBRATE
from sightline.adapters.huggingface.prompted_model import Calibration, PromptedModel
from sightline.config.user_tables import table_kind
from sightline.core.errors import DataError, ModelError, SpecError
from sightline.core.example import Example
from sightline.core.tokeniser import tokenise
from sightline.data.assembly.fingerprints import fingerprint
from sightline.data.readers.csv_jsonl import read_rows
from sightline.data.readers.table_columns import read_text

_COLUMN = "text"
_READ = ("csv", "tsv", "jsonl")
_BATCH = 8


def read_calibration_texts(file: Path) -> tuple[str, ...]:
    """Read the column ``text`` of a table; labels are ignored."""
    kind = table_kind(str(file))
    if kind not in _READ:
        raise SpecError(
            f"{CALIBRATE}={file}: expected a file that ends in {', '.join(f'.{e}' for e in _READ)}",
            field="model",
        )
    rows = read_rows(str(file), kind, "texts")
    if _COLUMN not in rows.columns:
        there = ", ".join(rows.columns)
        message = f"expected a column {_COLUMN!r} with texts to calibrate on, got {there}"
        raise DataError(f"{message}; rename the column of the texts", file, rows.header)
    return tuple(read_text(str(file), row, _COLUMN) for row in rows.records)


def calibrate(model: HuggingFace, texts: Sequence[str]) -> None:
    """Set the mean log-odds between any two classes to 0 on these texts.

    The offsets are mean logits after subtracting each text's own mean. They equal the mean log
    probabilities up to a number that all classes share.
    """
    examples = [
        Example(f"calibration {number}", number, text, tokenise(text)[0], None, label=0)
        for number, text in enumerate(texts)
    ]
    batches = [examples[at : at + _BATCH] for at in range(0, len(examples), _BATCH)]
    logits = torch.cat([model.logits(model.collate(batch)) for batch in batches]).cpu().double()
    if not bool(torch.isfinite(logits).all()):
        raise ModelError(
            f"{model.name}: expected finite logits on the texts to calibrate on, got others",
            change="calibrate on other texts",
            field="model",
        )
    offsets = -(logits - logits.mean(1, keepdim=True)).mean(0)
    module: PromptedModel = model.module
    seen = frozenset(map(fingerprint, examples))
    module.shift(offsets, Calibration(tuple(offsets.tolist()), seen, len(examples)))
