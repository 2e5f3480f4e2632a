"""Small tables as people really have them: some must give a report, the others one clear message
that says where.

`write_tables` writes them all into a folder; a `Trouble` says which flags a table needs and what
must come of it.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

GOOD = ("warm", "bright", "kind", "lovely", "fine")
BAD = ("cold", "dull", "cruel", "awful", "poor")
REST = (
    "the",
    "film",
    "was",
    "a",
    "story",
    "with",
    "its",
    "people",
    "and",
    "music",
    "night",
    "town",
    "slow",
    "long",
)


@dataclass(frozen=True)
class Trouble:
    """A table, the flags it is read with, and ``report`` or a regex of the message it must give."""

    name: str
    path: Path
    flags: tuple[str, ...]
    outcome: str


Row = tuple[object, ...]
Make = Callable[[], bytes]
SPLIT_HEADER = ("text", "label", "split")


def rows(n: int = 60, words: int = 6) -> list[tuple[str, str]]:
    """Texts that all differ, and whose label one word tells."""
    made = []
    for i in range(n):
        label = ("neg", "pos")[i % 2]
        cue = (BAD, GOOD)[i % 2][i // 2 % 5]
        rest = [REST[(i * step + i // 7 + step) % len(REST)] for step in range(1, words)]
        made.append((" ".join([*rest[: i % words], cue, *rest[i % words :], f"no{i}"]), label))
    return made


def table(records: Iterable[Row], header: Sequence[str] = ("text", "label"), **style: str) -> bytes:
    """Write records as CSV, in UTF-8."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, **{"lineterminator": "\n", **style})
    writer.writerows([header, *records])
    return out.getvalue().encode("utf-8")


def lines(records: Iterable[object]) -> bytes:
    """Write records as JSON lines."""
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records).encode(
        "utf-8"
    )


def changed(change: Callable[[str], str], every: int = 3) -> list[tuple[str, str]]:
    """Change the text of every third row."""
    return [
        (change(text) if i % every == 0 else text, label) for i, (text, label) in enumerate(rows())
    ]


def with_splits(
    names: Sequence[str] = ("train", "train", "train", "dev", "test"),
) -> list[tuple[str, str, str]]:
    """Add a split column, each name for a pair of rows, one of each label."""
    return [(text, label, names[i // 2 % len(names)]) for i, (text, label) in enumerate(rows())]


def objects() -> list[dict[str, object]]:
    """Give the rows as JSON objects."""
    return [{"text": text, "label": label} for text, label in rows()]


def with_row(at: int, row: Row) -> bytes:
    """Put one more row before row ``at``: it stands on line ``at + 2``."""
    made: list[Row] = [*rows()]
    made.insert(at, row)
    return table(made)


# ---------------------------------------------------------------- those that must give a report


def test_only_label() -> bytes:
    return table(
        [
            *with_splits(),
            *[(f"neither here nor there no{i}", "mixed", "test") for i in range(60, 64)],
        ],
        SPLIT_HEADER,
    )


def evidence() -> bytes:
    found = []
    for text, label in rows():
        cue = next(word for word in text.split() if word in GOOD + BAD)
        start = text.index(cue)
        found.append({"text": text, "label": label, "rationale": [[start, start + len(cue)]]})
    return lines(found)


def rare_words() -> bytes:
    return table([(f"{label}word{i} unseen{i}", label) for i, (_, label) in enumerate(rows())])


def cjk() -> bytes:
    return table(
        [
            (f"这部电影{('很差', '很好')[i % 2]}第{i}场", label)
            for i, (_, label) in enumerate(rows())
        ]
    )


REPORTS: dict[str, tuple[str, Make, tuple[str, ...]]] = {
    "plain": ("plain.csv", lambda: table(rows()), ()),
    "byte order mark": ("bom.csv", lambda: b"\xef\xbb\xbf" + table(rows()), ()),
    "windows line ends": ("crlf.csv", lambda: table(rows(), lineterminator="\r\n"), ()),
    "old mac line ends": ("cr.csv", lambda: table(rows(), lineterminator="\r"), ()),
    "quotes, commas and line breaks": (
        "quotes.csv",
        lambda: table(changed(lambda t: f'She said "{t}",\nand left')),
        (),
    ),
    "tabs": ("tabs.tsv", lambda: table(rows(), delimiter="\t"), ()),
    "semicolons": ("semicolons.csv", lambda: table(rows(), delimiter=";"), ()),
    "semicolons below blank lines": (
        "semicolons-below.csv",
        lambda: b"\n \n" + table(rows(), delimiter=";"),
        (),
    ),
    "gzip": ("packed.csv.gz", lambda: gzip.compress(table(rows())), ()),
    "other column names": (
        "columns.csv",
        lambda: table([(i, *row) for i, row in enumerate(rows())], ("", "body", "stars")),
        ("--text", "body", "--label", "stars"),
    ),
    "emoji": ("emoji.csv", lambda: table(changed(lambda t: f"{t} 👍🏽 👨‍👩‍👧 🇫🇷 ❤️!!")), ()),
    "right to left": ("rtl.csv", lambda: table(changed(lambda t: f"זה סרט {t} هذا فيلم جميل")), ()),
    "bidirectional controls": (
        "bidi.csv",
        lambda: table(changed(lambda t: f"\u202e{t}\u202c \u2066x\u2069\u200f")),
        (),
    ),
    "chinese": ("cjk.csv", cjk, ()),
    "combining marks": (
        "marks.csv",
        lambda: table(changed(lambda t: f"cafe\u0301 {t} हिन्दी Z\u0351\u036b\u0343a\u0310l")),
        (),
    ),
    "markup": (
        "markup.csv",
        lambda: table(
            changed(
                lambda t: (
                    f"<script>alert('{t}')</script><img src=x onerror=alert(1)>&amp;{{{{ 7*7 }}}}"
                )
            )
        ),
        (),
    ),
    "markup as labels": (
        "labels.csv",
        lambda: table([(text, f"<b onclick='x()'>{label}</b>") for text, label in rows()]),
        (),
    ),
    "a text of 30,000 words": ("long.csv", lambda: with_row(7, ("and so on " * 10_000, "pos")), ()),
    "a word of a million letters": (
        "huge.csv",
        lambda: with_row(7, ("good " + "a" * 1_000_000, "pos")),
        (),
    ),
    "texts of one word": (
        "one.csv",
        lambda: table([(f"{label}{i}", label) for i, (_, label) in enumerate(rows())]),
        (),
    ),
    "no word twice": ("rare.csv", rare_words, ()),
    "empty rows": ("empty_rows.csv", lambda: table(rows()).replace(b"\n", b"\n\n,\n"), ()),
    "texts without words": (
        "wordless.csv",
        lambda: table([*rows(), ("", "pos"), ("  \u200b ", "neg")]),
        (),
    ),
    "copies in a split": ("copies.csv", lambda: table([*rows(), *rows(20)]), ()),
    "copies with other labels": (
        "conflicts.csv",
        lambda: table([*rows(), *[(t, "pos") for t, _ in rows(20)]]),
        (),
    ),
    "numbers as texts": ("numbers.csv", lambda: table([(i * 37, i % 2) for i in range(60)]), ()),
    "labels with points": (
        "points.csv",
        lambda: table([(t, f"{i % 3}.0") for i, (t, _) in enumerate(rows(90))]),
        (),
    ),
    "labels with spaces": (
        "spaces.csv",
        lambda: table(
            [(t, f" {lab}" if i % 3 else f"{lab} ") for i, (t, lab) in enumerate(rows())]
        ),
        (),
    ),
    "named splits": ("splits.csv", lambda: table(with_splits(), SPLIT_HEADER), ()),
    "no validation": (
        "no_dev.csv",
        lambda: table(with_splits(("train", "Train", "TEST")), SPLIT_HEADER),
        (),
    ),
    "a label only in test": ("test_only.csv", test_only_label, ()),
    "json lines": ("lines.jsonl", lambda: lines(objects()), ()),
    "json labels": (
        "labels.jsonl",
        lambda: lines({**o, "label": o["label"] == "pos"} for o in objects()),
        (),
    ),
    "json line separators": (
        "u2028.jsonl",
        lambda: lines({**o, "text": f"{o['text']}\u2028\u0085x"} for o in objects()),
        (),
    ),
    "json rationales": ("evidence.jsonl", evidence, ()),
}


# ---------------------------------------------------------------- those that must give one clear message


def overlap() -> bytes:
    made = with_splits()
    made[58] = (made[0][0], "neg", "test")
    return table(made, SPLIT_HEADER)


def unclosed() -> bytes:
    plain = table(rows()).decode().split("\n")
    plain[10] = f'"{plain[10]}'
    return "\n".join(plain).encode()


def second_object(change: dict[str, object]) -> Make:
    return lambda: lines([*objects()[:1], {**objects()[1], **change}, *objects()[2:]])


def spans(cell: str) -> bytes:
    return table(
        [(*row, cell if i == 3 else "0:2") for i, row in enumerate(rows())],
        ("text", "label", "rationale"),
    )


MESSAGES: dict[str, tuple[str, Make, tuple[str, ...], str]] = {
    "latin-1": (
        "latin1.csv",
        lambda: table(rows()).replace(b"no5", b"caf\xe9"),
        (),
        r"latin1\.csv:7: expected UTF-8 text, got byte 0xe9; .*iconv -f CP1252",
    ),
    "latin-1 among lines of UTF-8": (
        "mixed.csv",
        lambda: table(rows()).replace(b"no3", "é".encode()).replace(b"no5", b"caf\xe9"),
        (),
        r"mixed\.csv:7: expected UTF-8 text, got byte 0xe9; the lines before it are UTF-8",
    ),
    "utf-16": (
        "utf16.csv",
        lambda: table(rows()).decode().encode("utf-16"),
        (),
        r"utf16\.csv:1: .*UTF-16; save",
    ),
    "NUL bytes": (
        "nul.csv",
        lambda: table(rows()).replace(b"no5", b"n\0o"),
        (),
        r"nul\.csv:7: .*NUL byte; remove",
    ),
    "NUL in JSON": (
        "nul.jsonl",
        second_object({"text": "a\0b"}),
        (),
        (r"nul\.jsonl:2: .*'\\x00', which " r"is no character"),
    ),
    "an unclosed quote": (
        "unclosed.csv",
        unclosed,
        (),
        (r"unclosed\.csv:11: the quotes " r"cannot be read"),
    ),
    "a broken quote": (
        "broken_quote.csv",
        lambda: table(rows()).replace(b"\n", b'\n"so" he said,pos\n', 1),
        (),
        r"broken_quote\.csv:2: the quotes cannot be read",
    ),
    "ragged rows": (
        "ragged.csv",
        lambda: with_row(4, ("well, it was", "fine", "pos")),
        (),
        (r"ragged\.csv:6: expected 2 fields .* " r"got 3; .*quotes"),
    ),
    "a missing label": (
        "no_label.csv",
        lambda: with_row(4, ("it was fine", " ")),
        (),
        (r"no_label\.csv:6: expected a label in " r"'label'.*got an empty one"),
    ),
    "a missing column": (
        "missing.csv",
        lambda: table(rows(), ("body", "stars")),
        (),
        (
            r"missing\.csv:1: .*'text' to read as 'text'; the table has the columns 'body', 'stars'; .*with "
            r"(text=|--text)"
        ),
    ),
    "a missing label column": (
        "unlabelled.csv",
        lambda: table(rows(), ("text", "stars")),
        (),
        (r"unlabelled\.csv:1: .*the right column " r"with (label=|--label)"),
    ),
    "a missing split column": (
        "unsplit.csv",
        lambda: table(rows()),
        ("--split", "fold"),
        (r"unsplit\.csv:1: .*'fold' to " r"read as 'split'"),
    ),
    "other separators": (
        "bars.csv",
        lambda: table(rows(), delimiter="|"),
        (),
        (r"bars\.csv:1: .*'text\|label'; " r".*commas .* tabs"),
    ),
    "a column twice": (
        "twice.csv",
        lambda: table([(t, t, lab) for t, lab in rows()], ("text", "text", "label")),
        (),
        r"twice\.csv:1: .*'text' twice",
    ),
    "header only": ("header.csv", lambda: table([]), (), r"header\.csv: .*a header and no rows"),
    "an empty file": ("empty.csv", lambda: b"", (), r"empty\.csv: .*an empty file"),
    "an empty JSON file": ("empty.jsonl", lambda: b"\n\n", (), r"empty\.jsonl: .*an empty file"),
    "one class only": (
        "one_class.csv",
        lambda: table((t, "pos") for t, _ in rows()),
        (),
        (r"one_class\.csv: expected at least two " r"labels.*, got only 'pos'"),
    ),
    "one class in training": (
        "one_trained.csv",
        lambda: table(
            [(t, lab, "train" if lab == "pos" else "test") for t, lab in rows()], SPLIT_HEADER
        ),
        (),
        r"one_trained\.csv: expected at least two labels in training, got only 'pos'",
    ),
    "a rare class": (
        "rare_class.csv",
        lambda: with_row(0, ("what else", "odd")),
        (),
        (r"rare_class\.csv: the label 'odd' has 1 different text,.*; at least 3 are needed"),
    ),
    "texts as labels": (
        "swapped.csv",
        lambda: table(rows()),
        ("--text", "label", "--label", "text"),
        (r"swapped\.csv: the label '.*' \(and \d+ " r"more labels\) has"),
    ),
    "no words at all": (
        "blank.csv",
        lambda: table((" ", lab) for _, lab in rows()),
        (),
        r"blank\.csv: no text has any words",
    ),
    "an unknown split": (
        "folds.csv",
        lambda: table(with_splits(("train", "test", "fold3")), SPLIT_HEADER),
        (),
        (r"folds\.csv:6: expected train, " r".*got 'fold3'"),
    ),
    "no test texts": (
        "no_test.csv",
        lambda: table(with_splits(("train", "dev")), SPLIT_HEADER),
        (),
        r"no_test\.csv: no text is in test",
    ),
    "a text in two splits": (
        "overlap.csv",
        overlap,
        (),
        (r"overlap\.csv:60: the same text is in train at " r".*overlap\.csv:2 and in test"),
    ),
    "broken JSON": (
        "broken.jsonl",
        lambda: lines(objects()).replace(b"}\n", b"\n", 1),
        (),
        r"broken\.jsonl:1: .*broken JSON",
    ),
    "not objects": (
        "lists.jsonl",
        lambda: lines(list(row) for row in rows()),
        (),
        r"lists\.jsonl:1: .*got a list",
    ),
    "nested JSON": ("deep.jsonl", lambda: b"[" * 100_000, (), r"deep\.jsonl:1: .*broken JSON"),
    "a JSON text that is a number": (
        "number.jsonl",
        second_object({"text": 5}),
        (),
        (r"number\.jsonl:2: expected a text " r"in 'text', got 5"),
    ),
    "a JSON label that is a fraction": (
        "fraction.jsonl",
        second_object({"label": 0.5}),
        (),
        (r"fraction\.jsonl:2: expected a " r"label .*got 0\.5"),
    ),
    "a JSON label that is null": (
        "null.jsonl",
        second_object({"label": None}),
        (),
        (r"null\.jsonl:2: expected a label " r".*got nothing"),
    ),
    "half a character": (
        "surrogate.jsonl",
        lambda: lines(objects()).replace(b"no1", b"\\ud800", 1),
        (),
        r"surrogate\.jsonl:2: .*'\\ud800', which is no character",
    ),
    "spans outside the text": (
        "outside.csv",
        lambda: spans("0:4 90:95"),
        (),
        r"outside\.csv:5: expected character spans",
    ),
    "spans that are no spans": (
        "spans.csv",
        lambda: spans("0 1 1 0"),
        (),
        r"spans\.csv:5: expected character spans",
    ),
    "not gzip": (
        "plain.csv.gz",
        lambda: table(rows()),
        (),
        (r"plain\.csv\.gz: expected a " r"whole gzip file"),
    ),
    "half a gzip file": (
        "half.csv.gz",
        lambda: gzip.compress(table(rows()))[:-40],
        (),
        r"half\.csv\.gz: expected a whole gzip file",
    ),
}


def write_tables(folder: Path) -> list[Trouble]:
    """Write every table into a folder, and add a folder and a missing file that are named like
    tables.
    """
    troubles = []
    for name, (file, make, flags) in REPORTS.items():
        (folder / file).write_bytes(make())
        troubles.append(Trouble(name, folder / file, flags, "report"))
    for name, (file, make, flags, message) in MESSAGES.items():
        (folder / file).write_bytes(make())
        troubles.append(Trouble(name, folder / file, flags, message))
    (folder / "folder.csv").mkdir()
    troubles.append(
        Trouble(
            "a folder", folder / "folder.csv", (), r"folder\.csv: expected a file, got a folder"
        )
    )
    troubles.append(
        Trouble("no file", folder / "absent.csv", (), r"absent\.csv: there is no such file")
    )
    return troubles
