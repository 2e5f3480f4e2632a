"""Models of others: folders for transformers that were edited, and code that goes wrong after its
checks.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from tests.edits import changed, edits
from tests.fuzz.basis import Basis
from tests.fuzz.case import Case
from tests.fuzz.kinds.bytes import damaged

FOLDER = "hf"
TEXTS = (
    "good1 film",
    "...",
    "good1 film!! ).",
    "</ a",
    "\ufffd",
    "\u200d",
    "😀" * 30,
    "word " * 300,
    "a" * 5000,
    "",
)
"""Texts to look at: joined marks, signs without a piece, one beyond the model."""
Damage = Callable[[Path, Random], None]


def transformers(chance: Random, here: Path, basis: Basis) -> Case:
    """Damage a folder for transformers, or leave it whole, and use it."""
    basis.take(here, FOLDER, "t.csv")
    if chance.random() < 0.9:
        chance.choice(DAMAGES)(here / FOLDER, chance)
    return _used(f"hf:{FOLDER}{chance.choice(('', '', '(head=1)', '(reading=rollout)'))}", chance)


def own_code(chance: Random, here: Path, basis: Basis) -> Case:
    """Use code that is right for some calls, and then is not."""
    basis.take(here, "t.csv")
    does = chance.choice(WRONG)
    (here / "mine.py").write_text(
        OWN % (chance.choice((0, 1, 20, 28, 31, 40)), does), encoding="utf-8"
    )
    return _used("py:mine:build", chance, checked=False)  # its proofs that fail are lines on stdout


def _used(model: str, chance: Random, *, checked: bool = True) -> Case:
    text = chance.choice(TEXTS)
    json_too = chance.choice(((), ("--json",)))
    asked: tuple[tuple[str, ...], ...] = (
        ("check-model", model, *json_too),
        ("look", model, text, *json_too),
        ("predict", model, text, "good1 film", "--format", "jsonl"),
        ("audit", "--data", "t.csv", "--model", model, "--limit", "4", "--quiet", *json_too),
    )
    return Case(chance.choice(asked if checked else asked[1:]), ("report.html",))


def _file(folder: Path, chance: Random, *endings: str) -> Path:
    return chance.choice(sorted(path for path in folder.iterdir() if path.suffix in endings))


def _edit(folder: Path, chance: Random) -> None:
    file = _file(folder, chance, ".json")
    whole = json.loads(file.read_text(encoding="utf-8"))
    _, path, change = chance.choice(list(edits(whole)))
    file.write_text(json.dumps(changed(whole, path, change)), encoding="utf-8")


def _damage(folder: Path, chance: Random) -> None:
    file = _file(folder, chance, ".json", ".safetensors")
    file.write_bytes(damaged(file.read_bytes(), chance))


def _remove(folder: Path, chance: Random) -> None:
    _file(folder, chance, ".json", ".safetensors").unlink()


def _no_tokenizer(folder: Path, chance: Random) -> None:
    for path in folder.glob("tokenizer*"):
        path.unlink()


def _pipe(folder: Path, chance: Random) -> None:
    file = _file(folder, chance, ".json")
    file.unlink()
    os.mkfifo(file)


def _shards(folder: Path, chance: Random) -> None:
    weights = folder / "model.safetensors"
    name = chance.choice(
        ("../out.safetensors", "/etc/passwd", "link.safetensors", "/dev/zero", "", "a\0b")
    )
    outside = folder.parent / "out.safetensors"
    weights.rename(outside)
    (folder / "link.safetensors").symlink_to(outside)
    index = {"metadata": {"total_size": 1}, "weight_map": {"classifier.weight": name}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index), encoding="utf-8")


def _nan(folder: Path, chance: Random) -> None:
    """Write NaN over some numbers: behind the header, whose length the first eight bytes say."""
    file = folder / "model.safetensors"
    data = bytearray(file.read_bytes())
    start = 8 + int.from_bytes(data[:8], "little")
    for _ in range(chance.choice((1, 1000))):
        place = start + 4 * chance.randrange((len(data) - start) // 4)
        data[place : place + 4] = b"\x00\x00\xc0\x7f"
    file.write_bytes(data)


def _set(file: str, **values: Any) -> Damage:
    def damage(folder: Path, chance: Random) -> None:
        whole = json.loads((folder / file).read_text(encoding="utf-8"))
        (folder / file).write_text(json.dumps({**whole, **values}), encoding="utf-8")

    return damage


def _replace(times: int, steps: int) -> dict[str, Any]:
    one = {"type": "Replace", "pattern": {"Regex": "."}, "content": "x" * times}
    return {"type": "Sequence", "normalizers": [one] * steps}


DAMAGES: tuple[Damage, ...] = (
    *(_edit, _edit, _edit, _damage, _damage, _remove, _no_tokenizer, _pipe, _shards, _nan),
    _set("config.json", num_labels=10**9, id2label=None),
    _set("config.json", num_hidden_layers=10**6),
    _set("config.json", pad_token_id=-5),
    _set("config.json", id2label={"0": "a", "1": "a"}),
    _set("config.json", vocab_size=10**12),
    _set("tokenizer.json", normalizer=_replace(1000, 1)),
    _set("tokenizer.json", normalizer=_replace(1000, 5)),
    _set("tokenizer.json", normalizer=_replace(0, 1)),
)
WRONG = (
    "raise KeyError('no such head')",
    "import sys; sys.exit(3)",
    "import os; os._exit(0)",
    "print('x' * 1000)",
    "import os; os.write(1, b'loud')",
    "raise type('PanicException', (BaseException,), {})('index out of bounds')",
    "found['logits'] = found['logits'] * (-1) ** calls",
    "found['logits'] = found['logits'] * float('nan')",
    "found['logits'] = found['logits'].repeat(1, 3)",
    "found['attention'] = 5 * found['attention']",
    "found['attention'] = None",
    "found.clear()",
)
OWN = """
import torch
from torch import nn
import sightline

calls = 0

def build():
    torch.manual_seed(1)
    table, query, output = nn.Embedding(97, 4), nn.Parameter(torch.randn(4)), nn.Linear(4, 1)
    module = nn.ModuleList([table, output]).eval()

    def collate(examples):
        rows = [torch.tensor([1 + sum(map(ord, w)) %% 96 for w in e.tokens]) for e in examples]
        ids = nn.utils.rnn.pad_sequence(rows, batch_first=True)
        return ids, ids > 0

    def decode(traced, attention):
        return output(torch.einsum("bt,bte->be", attention, traced["states"]))

    def trace(batch, vectors):
        global calls
        calls += 1
        attention = (vectors @ query).masked_fill(~batch.mask, -torch.inf).softmax(1)
        found = {"attention": attention, "states": vectors, "logits": decode({"states": vectors}, attention)}
        if calls > %d:
            %s
        return found

    return sightline.wrap(module, collate=collate, embed=lambda batch: table(batch.ids), trace=trace, decode=decode,
                          link="sigmoid")
"""
"""A module of somebody's own; from a call on it does something else."""
