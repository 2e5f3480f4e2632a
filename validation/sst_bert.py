"""A small BERT trained from scratch on SST, written to a folder, and audited from the command line
like any other model.

It has two layers, and its tokenizer learns its pieces on training texts. Of a few epochs the one
that does best on validation texts is kept; the test texts are read once, by the audit. Made again,
the model is not the same: among equally good pieces the tokenizers library takes others each
time.
"""

from __future__ import annotations

import copy
import json
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from checkout import ROOT
from published import FOLDER

import sightline
from sightline.core.example import Example
from sightline.data.dataset import Dataset
from sightline.studies.study_definition import gate

sys.path.insert(0, str(ROOT))  # the tokenizer is made as in the tests
MADE = ROOT / "runs" / "sst-bert"
LEAST, PIECES, LONGEST, EPOCHS, BATCH, RATE, SEED = 0.75, 8_000, 96, 4, 32, 0.001, 0
SHAPE = {
    "hidden_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 128,
}
REST = {"hidden_dropout_prob": 0.3, "initializer_range": 0.05, "max_position_embeddings": LONGEST}
LIMIT = 200
"""The number of texts for one head: each of its permutations is one more run."""
READINGS = {
    "": None,
    "(layer=1,head=0)": LIMIT,
    "(layer=1,head=1)": LIMIT,
    "(layer=1,head=2)": LIMIT,
}
READINGS |= {"(layer=1,head=3)": LIMIT}
"""The audited attention sources, and the number of texts: the mean of the last layer, on all; and
each of its heads."""


def sst_bert() -> dict[str, Any]:
    """Make the model, and audit it under each attention source."""
    data = sightline.load(f"sst:{FOLDER / 'sst'}")
    began = time.process_time()
    epochs = made(data, MADE)
    seconds = round(time.process_time() - began)
    audits = [audited(MADE, reading, limit) for reading, limit in READINGS.items()]
    accuracy = audits[0]["accuracy"]
    right = round(accuracy["value"] * accuracy["n"])
    least = f"≥ {LEAST:.0%}"
    return {
        "shape": SHAPE | {"pieces": PIECES},
        "validation": epochs,
        "seconds": seconds,
        "audits": audits,
        "gates": [
            gate(
                "sst_bert: test texts",
                right,
                accuracy["n"],
                least,
                holds=accuracy["value"] >= LEAST,
            )
        ],
    }


def made(data: Dataset, folder: Path) -> list[float]:
    """Train a model, keep its best epoch in a folder, and return the accuracy on validation texts
    after each epoch.
    """
    from transformers import BertConfig, BertForSequenceClassification  # noqa: PLC0415  (an extra)

    from tests.adapters.huggingface.toys import trained_pieces  # noqa: PLC0415  (transformers)

    tokenizer = trained_pieces([text.text for text in data.train], PIECES)
    tokenizer.model_max_length = LONGEST
    torch.manual_seed(SEED)
    named = {"id2label": dict(enumerate(data.label_names)), "pad_token_id": tokenizer.pad_token_id}
    module = BertForSequenceClassification(
        BertConfig(vocab_size=len(tokenizer), **SHAPE, **REST, **named)
    )
    optimiser = torch.optim.AdamW(module.parameters(), lr=RATE)
    found: list[float] = []
    best: Mapping[str, torch.Tensor] = {}
    for _ in range(EPOCHS):
        module.train()
        for rows in torch.randperm(len(data.train)).split(BATCH):
            _step(module, tokenizer, [data.train[row] for row in rows.tolist()], optimiser)
        found.append(_right(module.eval(), tokenizer, data.validation))
        if found[-1] == max(found):
            best = copy.deepcopy(module.state_dict())
    module.load_state_dict(best)
    module.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return [round(one, 4) for one in found]


def _step(
    module: Any, tokenizer: Any, texts: Sequence[Example], optimiser: torch.optim.Optimizer
) -> None:
    loss = module(
        **_read(tokenizer, texts), labels=torch.tensor([text.label for text in texts])
    ).loss
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()


def _right(module: Any, tokenizer: Any, texts: Sequence[Example]) -> float:
    right = 0
    with torch.no_grad():
        for start in range(0, len(texts), 64):
            some = texts[start : start + 64]
            chosen = module(**_read(tokenizer, some)).logits.argmax(1)
            right += int((chosen == torch.tensor([text.label for text in some])).sum())
    return right / len(texts)


def _read(tokenizer: Any, texts: Sequence[Example]) -> Any:
    return tokenizer(
        [text.text for text in texts], padding=True, truncation=True, return_tensors="pt"
    )


def audited(folder: Path, reading: str, limit: int | None) -> dict[str, Any]:
    """Audit the folder by the command, with its report, and keep the results."""
    page = folder.with_name(f"{folder.name}{reading}.html")
    asked = [
        "--model",
        f"hf:{folder}{reading}",
        "--data",
        f"sst:{FOLDER / 'sst'}",
        "--out",
        str(page),
        "--full",
        "--json",
    ]
    command = [
        sys.executable,
        "-m",
        "sightline",
        "audit",
        *asked,
        *([] if limit is None else ["--limit", str(limit)]),
    ]
    began = time.perf_counter()
    said = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
    return {
        "reading": reading,
        "accuracy": said["metrics"]["accuracy"],
        "headline": said["headline"],
        "row": said["verdict_detail"]["row"],
        "reasons": said["verdict_detail"]["reasons"],
        "findings": {
            one["code"]: {"verdict": one["result"], "effect": one["score"]}
            for one in said["findings"]
        },
        "on_words": said["estimates"]["marks.words"],
        "seconds": round(time.perf_counter() - began),
        "page_bytes": page.stat().st_size,
    }
