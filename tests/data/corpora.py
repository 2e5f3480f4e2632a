"""Tiny corpora in the published forms, and the archives that could be made of them."""

import csv
import gzip
import io
import json
import tarfile
from collections.abc import Mapping
from pathlib import Path

from sightline.data import load_dataset
from tests.data.mimic_writing import mimic

Files = Mapping[str, str | bytes]
SST = {
    "train.txt": "(3 (2 A) (3 (2 fine) (2 film)))\n(1 (2 -LRB-) (1 (2 Dull) (2 n't)))\n(2 (2 So) (2 so))\n",
    "dev.txt": "(4 (2 Great) (2 fun))\n(0 (2 No) (2 fun))\n",
    "test.txt": "(4 (2 Good) (2 one))\n(0 (2 Bad) (2 one))\n",
}
MESSAGE = "From: a@b.c\nSubject: x\n\n{quote}{body}\n\nThe end of it.\n--\nJoe Fan\njoe@fans\n"
BABI = (
    "1 Mary moved to the hall.\n2 John went to the garden.\n3 Where is Mary? \thall\t1\n4 "
    "Mary went to the kitchen.\n5 Where is Mary? \tkitchen\t4\n1 John went to the hall.\n2 "
    "Mary went to the hall.\n3 Where is John? \thall\t1\n"
)


def imdb(n: int = 8) -> dict[str, str]:
    """Reviews that all differ, but for one that is both in training and in test."""
    files = {
        f"aclImdb/{split}/{label}/{i}_{9 if label == 'pos' else 2}.txt": (
            f"A {word} film{' indeed' * i}, {split} {i}.<br /><br />See it!"
        )
        for split in ("train", "test")
        for label, word in (("pos", "fine"), ("neg", "dull"))
        for i in range(n)
    }
    files["aclImdb/train/pos/0_9.txt"] = "The same review, twice: here."
    files["aclImdb/test/pos/3_9.txt"] = "the same REVIEW -- twice, here"
    return files | {"aclImdb/README": "\xff not a review", "aclImdb/train/unsup/0_0.txt": "none"}


def agnews(n: int = 8) -> dict[str, str]:
    """Rows of all classes; a description with quotes and a line break in it."""

    def rows(split: str) -> str:
        out = io.StringIO()
        writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n")
        for i in range(n):
            for label in "1234":
                writer.writerow(
                    (
                        label,
                        f"Title {i}",
                        f'The "{split}" story {i}\nof class {label}' + " word" * i,
                    )
                )
        return out.getvalue()

    return {
        "train.csv": rows("train"),
        "test.csv": rows("test"),
        "classes.txt": "World\nSports\nBusiness\nSci/Tech\n",
    }


def newsgroups(n: int = 8) -> dict[str, bytes]:
    """Messages with a header, a quotation, a footer, and a byte that is not UTF-8."""
    return {
        f"20news-bydate-{split}/rec.sport.{group}/{100 + i}": MESSAGE.format(
            quote="Ann (ann@b.c) writes:\n> what he said\n|and she\n",
            body=f"The {group} caf\xe9 {split} {i} won.",
        ).encode("latin-1")
        for split in ("train", "test")
        for group in ("baseball", "hockey")
        for i in range(n)
    }


def snli() -> dict[str, str]:
    """Pairs of each label, and one without a gold label."""

    def lines(split: str) -> str:
        labels = ("neutral", "entailment", "contradiction", "-", "neutral")
        return "".join(
            json.dumps(
                {
                    "gold_label": label,
                    "sentence1": f"A man {split} {i}.",
                    "sentence2": "He 2nd sleeps!",
                }
            )
            + "\n"
            for i, label in enumerate(labels)
        )

    return {f"snli_1.0_{split}.jsonl": lines(split) for split in ("train", "dev", "test")}


def babi(folder: str = "en-10k") -> dict[str, str]:
    """Three tasks; the test stories differ from those of training."""
    return {
        f"tasks/{folder}/qa{task}_some-facts_{split}.txt": BABI
        if split == "train"
        else BABI.replace("garden", "attic").replace(
            "John went to the hall", "John ran to the hall"
        )
        for task in (1, 2, 3)
        for split in ("train", "test")
    }


def eraser() -> dict[str, str]:
    """Two documents a split, one of them without evidence."""
    files = {}
    for split in ("train", "val", "test"):
        notes = []
        for label, word in (("POS", "Good"), ("NEG", "bad")):
            name = f"{split}_{label}"
            files[f"docs/{name}"] = f"a {word} film\nfor {split} eyes"
            span = {"docid": name, "start_token": 1, "end_token": 3, "text": f"{word} film"}
            evidence = [[span]] if label == "POS" else []
            notes.append(
                {
                    "annotation_id": name,
                    "classification": label,
                    "evidences": evidence,
                    "query": "?",
                }
            )
        files[f"{split}.jsonl"] = "".join(json.dumps(note) + "\n" for note in notes)
    return files


def adr(n: int = 12) -> dict[str, str]:
    """Tweets of as many users, two of each, of a split or of none."""

    def lines(split: str) -> str:
        return "".join(
            (
                f"3{user}{i}\t{split}{user}\t{user % 2}\tThe {split} drug no{user} makes me "
                f"{('fine', 'ill')[user % 2]}, {i}!\n"
            )
            for user in range(n)
            for i in range(2)
        )

    return {f"{split}.tsv": lines(split) for split in ("train", "test")} | {
        "readme.txt": "no tweet"
    }


def question(article: str, query: str, answer: str, entities: str = "0123") -> str:
    """Write a question as CNN's files have it."""
    names = "".join(f"@entity{number}:Name {number}: of one\n" for number in entities)
    return f"http://web.archive.org/{article.split()[-1]}\n\n{article}\n\n{query}\n\n{answer}\n\n{names}"


def cnn(n: int = 4) -> dict[str, str]:
    """Two questions about each article; the test articles have an entity that training does not."""
    files = {}
    for split in ("training", "validation", "test"):
        for i in range(n):
            more = "@entity3" if split == "test" else "someone"
            article = f"( @entity0 ) @entity1 met @entity2 and {more} , said {split}{i}"
            for asked in (1, 2):
                query = f"@placeholder met the {('', 'first', 'other')[asked]} ."
                files[f"questions/{split}/{split}{i}_{asked}.question"] = question(
                    article, query, f"@entity{asked}"
                )
    return files


def folder_of(place: Path, files: Files, *, packed: bool = False) -> Path:
    """Write files into a folder, each one gzipped if ``packed``."""
    for name, content in files.items():
        data = content if isinstance(content, bytes) else content.encode("utf-8")
        path = place / (f"{name}.gz" if packed else name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(data, mtime=0) if packed else data)
    return place


def archive_of(path: Path, files: Files) -> Path:
    """Write files into a tar archive, gzipped if its name says so."""
    with tarfile.open(path, "w:gz" if path.suffix in (".gz", ".tgz") else "w") as tar:
        for name, content in reversed(list(files.items())):  # an archive has an order of its own
            data = content if isinstance(content, bytes) else content.encode("utf-8")
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return path


def forget() -> None:
    """Let go of what was loaded before, so that it is read again."""
    for kept in (load_dataset._load, load_dataset._own, load_dataset._published):
        kept.cache_clear()


CORPORA = {
    "sst": SST,
    "imdb": imdb(),
    "agnews": agnews(),
    "20news": newsgroups(),
    "snli": snli(),
    "babi": babi(),
    "eraser": eraser(),
    "adr": adr(),
    "mimic": mimic(),
    "cnn": cnn(),
}
