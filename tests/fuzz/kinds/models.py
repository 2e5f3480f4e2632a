"""Models of others: folders for transformers that were edited, prompts that do not serve, and code
that goes wrong after its checks.
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

FOLDER, LANGUAGE_MODEL = "hf", "lm"
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


def prompted(chance: Random, here: Path, basis: Basis) -> Case:
    """Damage a language model, its template, its answers or its texts to calibrate on, or none."""
    basis.take(here, LANGUAGE_MODEL, "p.txt", "t.csv", "t.jsonl")
    options = {"template": "p.txt", "answers": "a.json"}
    (here / "a.json").write_bytes(ANSWER_FILES[0])
    place = LANGUAGE_MODEL
    how = chance.choice(("folder", "template", "answers", "calibrate", "gguf", "none"))
    if how == "folder":
        chance.choice(DAMAGES)(here / place, chance)
    elif how == "template":
        (here / "p.txt").write_bytes(chance.choice(TEMPLATES))
    elif how == "answers":
        options["answers"] = chance.choice(ANSWERS)
        (here / "a.json").write_bytes(chance.choice(ANSWER_FILES[1:]))
    elif how == "calibrate":
        options["calibrate"] = chance.choice(
            ("t.csv", "t.jsonl", "c.csv", "none.csv", "lm", "p.txt")
        )
        (here / "c.csv").write_bytes(damaged(b"text\nN/A\ngood film\n", chance))
    elif how == "gguf":
        place = "m.gguf"
        (here / place).write_bytes(damaged(b"GGUF\x03\0\0\0" + bytes(64), chance))
    options |= chance.choice(
        ({}, {}, {}, {"layer": "0"}, {"chat": "true"}, {"layer": "1", "head": "9"}, {"tone": "x"})
    )
    written = ",".join(f"{name}={value}" for name, value in options.items())
    return _used(f"hf-causal:{place}({written})", chance)


def answering(chance: Random, here: Path, basis: Basis) -> Case:
    """Use a function from texts to probabilities that is right for some calls, and then is not."""
    basis.take(here, "t.csv")
    after, does = chance.choice((0, 1, 5, 100)), chance.choice(ANSWERED)
    (here / "mine.py").write_text(FUNCTION % (after, does), encoding="utf-8")
    return _used("answers:mine:predict", chance, checked=False)


def own_code(chance: Random, here: Path, basis: Basis) -> Case:
    """Use code that is right for some calls, and then is not."""
    basis.take(here, "t.csv")
    does = chance.choice(WRONG)
    (here / "mine.py").write_text(
        OWN % (chance.choice((0, 1, 20, 28, 31, 40)), does), encoding="utf-8"
    )
    return _used("py:mine:build", chance, checked=False)  # its checks that fail are lines on stdout


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
TEMPLATES = (
    b"",
    b"\n",
    b"Review:",
    b"{text}",
    b"{text} {text}:",
    b"Review: {text}\n",
    b"Review: {text}\nAnswer: ",
    b"{other} {text} {}:",
    "für {text}:".encode("latin-1"),
    b"\x00{text}\x00:",
    b"good " * 5000 + b"{text} is",
    b"{text}" + b" good" * 5000,
    b"\xef\xbb\xbf{text}\r\nAnswer:",
)
ANSWERS = (
    *["a.json"] * 8,
    "neg",
    "neg|neg",
    "negative film|pos",
    "|",
    "no|yes",
    "a.json",
    "none.json",
    "\U0001f600|x",
    "p.txt",
)
ANSWER_FILES = (
    b'{"neg": "bad", "pos": "good"}',
    b'{"0": "bad", "1": "good"}',
    b'{"x": "bad", "y": "good"}',
    b'{"neg": "bad", "neg": "good"}',
    b'{"neg": 1, "pos": 2}',
    b'["bad", "good"]',
    b'{"neg": "\\ud800", "pos": "good"}',
    b"{",
    b"[" * 100_000,
    b"",
)
ANSWERED = (
    "return found[:-1]",
    "return found[0]",
    "return found[:, :1]",
    "return found * float('nan')",
    "return -found",
    "return 2 * found",
    "return found.astype(str)",
    "return None",
    "return [[1]] + [[0.5, 0.5]] * (len(texts) - 1)",
    "return found[::-1] if len(texts) > 1 else 1 - found",
    "raise ValueError('try again later\\x1b[31m')",
    "import sys; sys.exit(3)",
    "print('loud'); return found",
    "pass",
)
FUNCTION = """
import numpy as np

calls = 0

def predict(texts):
    global calls
    calls += 1
    good = np.array([(sum(map(ord, text)) %% 97 + 1) / 99 for text in texts])
    found = np.stack([1 - good, good], 1)
    if calls > %d:
        %s
    return found

predict.labels = ("neg", "pos")
"""
"""A function from texts to probabilities; from a call on it does something else."""
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
