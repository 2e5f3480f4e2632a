"""What each surface says, one file a surface under `tests/snapshots/`; `make snapshots` writes
them.

A test hands over a text; it is compared with the entry of the test in the file of the surface. So
wording is reviewed as a diff of one file, and tests assert on codes, fields and numbers.
"""

import os
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

FOLDER = Path(__file__).with_name("snapshots")
UPDATES = os.environ.get("SNAPSHOTS") == "update"
HEAD = "=== "
_taken: Counter[tuple[str, str]] = Counter()


def same_text(surface: str, text: str | Sequence[str]) -> None:
    """Compare a text, or its lines, with the next entry of the running test."""
    test = os.environ["PYTEST_CURRENT_TEST"].rpartition(" (")[0].removeprefix("tests/")
    _taken[surface, test] += 1
    number = _taken[surface, test]
    name = test.encode("unicode_escape").decode() + (f" #{number}" if number > 1 else "")
    found = without_places(text if isinstance(text, str) else "\n".join(text))
    known = entries(surface)
    if UPDATES:
        known[name] = found
        write(surface, known)
    assert known.get(name) == found, f"{name}: see `make snapshots`"


@contextmanager
def refused(kind: type[BaseException]) -> Iterator[pytest.ExceptionInfo[BaseException]]:
    """Expect an error of a kind, whose message is the next entry among the errors."""
    with pytest.raises(kind) as caught:
        yield caught
    same_text("errors", str(caught.value))


def without_places(text: str) -> str:
    """Leave out what differs between runs: folders of tests, open files, no-break spaces."""
    folder = re.escape(tempfile.gettempdir()) + r"/pytest-of-[^/]+/pytest-\d+"
    text = re.sub(folder + r"(/popen-gw\d+)?/[^/\s:,'\"]+", "TMP", text)
    text = re.sub(r"/dev/fd/\d+", "/dev/fd/N", text)
    return text.replace("\xa0", " ").replace("\r", "\\r")


@cache
def entries(surface: str) -> dict[str, str]:
    """Read the texts of a surface, by test."""
    path = FOLDER / f"{surface}.txt"
    if not path.exists():
        return {}
    parts = path.read_text(encoding="utf-8").split("\n" + HEAD)[1:]
    return {
        name: text.removesuffix("\n") for name, _, text in (part.partition("\n") for part in parts)
    }


def write(surface: str, texts: dict[str, str]) -> None:
    """Write the texts of a surface, sorted by test."""
    FOLDER.mkdir(exist_ok=True)
    whole = "".join(f"\n{HEAD}{name}\n{text}\n" for name, text in sorted(texts.items()))
    (FOLDER / f"{surface}.txt").write_text(whole, encoding="utf-8")
