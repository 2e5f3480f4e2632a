"""Good things to begin from: a table, a saved model and audit, and a store, made once and copied
into each case.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random

from tests.adapters.huggingface.causal_toys import TEMPLATE, byte_pieces, language_model
from tests.adapters.huggingface.toys import WORDS, classifier, word_pieces
from tests.troubles.tables import lines, objects, rows, table

TINY = ("--model", "mlp(hidden=4)+additive", "--epochs", "1", "--quiet")
STUDY = """
name = "small"
[base]
data = "planted:needle(n=60,length=6)"
model = "mlp(hidden=4)+additive"
[base.fit]
epochs = 1
[axes]
seed = [0, 1]
"""


def write_basis(folder: Path, call: Callable[..., int]) -> None:
    """Make every good thing once; ``call`` runs a command line in the folder and gives its exit
    code.
    """
    folder.mkdir()
    (folder / "t.csv").write_bytes(table(rows()))
    (folder / "t.tsv").write_bytes(table(rows(), delimiter="\t"))
    (folder / "t.jsonl").write_bytes(lines(objects()))
    (folder / "s.toml").write_text(STUDY, encoding="utf-8")
    words = sorted({word for text, _ in rows() for word in text.split()})
    drawn = Random(1)
    vectors = "".join(
        f"{word} {' '.join(f'{drawn.gauss(0, 1):.4f}' for _ in range(4))}\n" for word in words
    )
    (folder / "v.txt").write_text(f"{len(words)} 4\n{vectors}", encoding="utf-8")
    pieces = word_pieces([*words, *WORDS], size=200)
    classifier("bert", tokenizer=pieces, id2label={0: "neg", 1: "pos"}).save_pretrained(
        folder / "hf"
    )
    pieces.save_pretrained(folder / "hf")
    whole = byte_pieces()
    language_model("llama", whole).save_pretrained(folder / "lm")
    whole.save_pretrained(folder / "lm")
    (folder / "p.txt").write_text(TEMPLATE, encoding="utf-8")
    asked = (
        ("train", "--data", "t.csv", *TINY, "--controls", "none", "--out", "m"),
        (
            "audit",
            "--data",
            "t.csv",
            "--model",
            "m",
            "--limit",
            "6",
            "--out",
            "r.html",
            "--save",
            "sa",
            "--quiet",
        ),
        ("study", "s.toml", "--store", "st", "--quiet"),
    )
    for argv in asked:
        if (code := call(*argv)) != 0:
            raise AssertionError(f"a good command ended with {code}: {' '.join(argv)}")
    audit = json.loads((folder / "sa" / "audit.json").read_text(encoding="utf-8"))
    assert audit, "the saved audit is empty"


class Basis:
    """The folder of good things, from which a case takes what it needs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def take(self, here: Path, *names: str) -> None:
        """Copy good things by name into the folder of a case."""
        for name in names:
            if (self.folder / name).is_dir():
                shutil.copytree(self.folder / name, here / name)
            else:
                shutil.copy2(self.folder / name, here / name)
