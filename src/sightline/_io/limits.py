"""Upper bounds on what is read or generated, each with its reason and the setting that raises it.

A bound guards against a mistake (a device, a zip bomb, a false header, an extra zero) that would
exhaust the machine. It lies far above normal use; where a user may need more, an environment
variable raises it.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from sightline.core.errors import SpecError

_SIZE = re.compile(
    r"(?P<number>\d{1,18}(?:\.\d{1,18})?)\s*(?P<unit>[KMGT]?)(?:i?B)?", re.IGNORECASE
)


def read_size(text: str) -> int | None:
    """Read a number, or a size such as 512M (K, M, G and T are powers of 1024); None for anything
    else.

    >>> read_size("512M") == 512 * 2**20
    True
    """
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        return None
    return int(float(match["number"]) * 1024 ** " KMGT".index(match["unit"].upper() or " "))


@dataclass(frozen=True)
class Bound:
    """An upper bound: of what, in which unit, for which reason, and what to do if it is exceeded.

    ``setting`` names the environment variable that raises it, if any.
    """

    of: str
    most: int
    unit: str
    why: str
    instead: str
    setting: str = ""

    @property
    def now(self) -> int:
        """The bound, or the value of its environment variable."""
        text = os.environ.get(self.setting, "") if self.setting else ""
        if not text:
            return self.most
        if not (most := read_size(text)):
            raise SpecError(
                f"expected a number above 0, or a size such as 8G, got {text[:40]!r}",
                field=self.setting,
            )
        return most

    def shown(self, number: int) -> str:
        """Format a number in this bound's unit for an error."""
        if self.unit != "bytes" or number < 2**20:
            return f"{number:,} {self.unit}"
        return f"{number / 2**30:,.4g} GiB" if number >= 2**30 else f"{number / 2**20:.4g} MiB"

    def passed(self, got: int | None = None) -> str:
        """Write the error message for an exceeded bound."""
        found = "more" if got is None else self.shown(got)
        advice = (
            f"{self.instead}, or allow more with {self.setting}" if self.setting else self.instead
        )
        return f"expected {self.of} of at most {self.shown(self.now)}, got {found}; {advice}"


FILE = Bound(
    "a file",
    2 * 2**30,
    "bytes",
    (
        "a table, or a file of a published corpus, plain or unpacked; read, it takes up to four "
        "times as much memory"
    ),
    "take a part of it",
    "SIGHTLINE_MAX_BYTES",
)
FILES = Bound(
    "a folder with a corpus",
    400_000,
    "files",
    "all are looked at before one is read; the largest corpus of the papers has 380,000",
    "name the folder of the corpus itself",
    "SIGHTLINE_MAX_FILES",
)
ROWS = Bound(
    "a table",
    5_000_000,
    "rows",
    "a row takes memory however short it is",
    "take a part of it",
    "SIGHTLINE_MAX_ROWS",
)
LINE = Bound(
    "a line, or a whole document,",
    2**24,
    "bytes",
    "a line of a published corpus or of word vectors, a document of a corpus, the file of a study",
    "is it the right file?",
)
NOTES = Bound(
    "the notes that are kept of a file of notes",
    2 * 2**30,
    "bytes",
    (
        "all discharge summaries of MIMIC-III have 0.6 GB; read, they take up to four times as "
        "much memory"
    ),
    "take a part of it",
    "SIGHTLINE_MAX_BYTES",
)
RATIO = Bound(
    "a packed file",
    100,
    "times its size",
    (
        "text shrinks to a quarter, the most regular corpus here to a fifteenth; a bomb unpacks "
        "a thousandfold"
    ),
    "if it is no mistake, unpack it first",
)
GRACE = Bound(
    "a packed file",
    2**25,
    "bytes",
    "up to here the ratio is not checked",
    "if it is no mistake, unpack it first",
)
RUNS = Bound(
    "a study",
    100_000,
    "runs",
    "counted before any is made; the largest study here has some thousands",
    "split it",
    "SIGHTLINE_MAX_RUNS",
)
TEXTS = Bound(
    "a planted corpus",
    1_000_000,
    "texts",
    "the largest real corpus of the papers has 570,000",
    "lower n",
)
LENGTH = Bound(
    "a planted text",
    10_000,
    "words",
    "a text is cut at `--max-tokens`, which is 512",
    "lower length",
)
WORDS = Bound(
    "a planted corpus",
    30_000_000,
    "words",
    "a word takes 200 bytes of memory and more",
    "lower n or the length of texts",
)
LAYERS = Bound("a stack", 64, "layers", "the papers have up to three", "lower it")
WIDTH = Bound(
    "a vector",
    16_384,
    "numbers",
    "embeddings, states and word vectors; the papers have up to 300",
    "lower it",
)
WINDOW = Bound(
    "a window",
    10_000,
    "words",
    "of `sightline vectors`; a text has no words beyond its ends",
    "lower it",
)
CLASSES = Bound(
    "a classifier of transformers",
    10_000,
    "classes",
    "transformers makes a name for each before anything else",
    "correct its configuration",
)
DEPTH = Bound(
    "a model of transformers",
    1_000,
    "layers",
    "each layer takes memory before its weights are read; the deepest models in use have about 130",
    "correct its configuration",
)
LENGTHENED = Bound(
    "a normalizer that turns a character into",
    100,
    "characters",
    "it runs over whole texts, before they are cut",
    "save the tokenizer that the model was trained with",
)
TEXT_TOKENS = Bound(
    "a text",
    1_000_000,
    "tokens",
    "attention over a text takes the square of its tokens",
    "leave the text out, or cut it",
)
BOUNDS = (
    FILE,
    FILES,
    ROWS,
    LINE,
    NOTES,
    RATIO,
    GRACE,
    RUNS,
    TEXTS,
    LENGTH,
    WORDS,
    LAYERS,
    WIDTH,
    WINDOW,
    CLASSES,
    DEPTH,
    LENGTHENED,
    TEXT_TOKENS,
)
"""All bounds, in the order of the documentation."""
