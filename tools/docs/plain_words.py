"""Find words that readers stumble over, in pages, docstrings, comments and messages.

    python tools/docs/plain_words.py [FOLDER or FILE ...]

Each line names the file, the line, the word, and what to write instead. What is no prose is
skipped: code in backticks, quoted names, the fields of f-strings, targets of links, headings that
are the name of a measure, and rows of generated tables, which quote stored results or come from the
source, which is checked itself. The changelog and the decisions are records, and are skipped whole.
"""

from __future__ import annotations

import io
import re
import sys
import tokenize
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INSTEAD: Mapping[str, str] = {
    "alike": "equally, the same, or similar",
    "anew": "again",
    "as drawn": "at initialisation",
    "beside": "next to, compared with, or in addition to",
    "by lot": "random",
    "comes of": "follows from",
    "dear": "costly",
    "foretells": "predicts",
    "goes on": "continues, or resumes",
    "kin": "kind",
    "nobody can": "say what happens",
    "that of": "repeat the noun",
    "the latter": "repeat the noun",
    "those that": "repeat the noun",
    "told": "say who says what, or write distinguished",
    "whoever": "name the reader or the caller",
}
"""Each word, and what to write."""
_WORD = re.compile(rf"\b({'|'.join(INSTEAD)})\b", re.IGNORECASE)
_CODE = re.compile(
    r'```.*?```|``[^`]*``|`[^`]*`|"[a-z_]+"|\]\([^)\n]*\)|(?<![^\n])#+ [a-z_]+(?![^\n])',
    re.DOTALL,
)
_GENERATED = re.compile(r"^<!-- ([^/\n].*?) -->$.*?^<!-- /\1 -->$", re.MULTILINE | re.DOTALL)
_ROW = re.compile(r"^\|.*$", re.MULTILINE)
_FIELD = re.compile(r"\{[^{}]*\}")
READ = ("README.md", "CONTRIBUTING.md", "docs", "examples", "src", "tools", "scripts", "validation")
"""The files and folders that are checked by default."""
_RECORDS = ("docs/decisions",)
STORED: Mapping[str, str] = {
    "docs/measures/model.md": "beside",
    "src/sightline/studies/calibration/score_separation.py": "that of",
    "src/sightline/studies/papers/ablations.py": "as drawn",
    "src/sightline/studies/papers/adversaries.py": "anew",
    "src/sightline/studies/papers/meister2021.py": "as drawn",
    "src/sightline/studies/papers/word_retention.py": "as drawn",
    "src/sightline/verdict/comparison/compare_audits.py": "told",
    "src/sightline/verdict/comparison/comparison_result.py": "told",
    "src/sightline/verdict/control_estimates.py": "beside",
}
"""Files with one of these words in a label of stored results or of JSON, or in the code of a measure:
a new word there would be another result."""


def found(text: str) -> Iterator[tuple[int, str]]:
    """Give the line and the word of each place in a prose text."""
    prose = _CODE.sub(_blank, text)
    for word in _WORD.finditer(prose):
        yield prose.count("\n", 0, word.start()) + 1, word[1]


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])


def found_in_page(page: str) -> Iterator[tuple[int, str]]:
    """Give the same for a page, without the rows of its generated tables."""
    yield from found(_GENERATED.sub(lambda part: _ROW.sub(_blank, part[0]), page))


def found_in_python(source: str) -> Iterator[tuple[int, str]]:
    """Give the same for comments, docstrings and messages; a string without a space is a name."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        is_formatted = token.type == tokenize.STRING and re.match(r"[rR]?[fF]", token.string)
        text = _FIELD.sub(_blank, token.string) if is_formatted else token.string
        letters = _FIELD.sub("", token.string) if is_formatted else token.string
        message = token.type == tokenize.STRING and " " in letters.strip("\"' ")
        if message or token.type == tokenize.COMMENT:
            for line, word in found(text):
                yield token.start[0] + line - 1, word


def complaints(paths: list[Path]) -> Iterator[str]:
    """Name every place of the files, or of the files in the folders."""
    files = sorted(
        file for path in paths for file in ([path] if path.is_file() else path.rglob("*.*"))
    )
    for file in files:
        name = file.relative_to(ROOT).as_posix()
        if file.suffix not in (".py", ".md") or name.startswith(_RECORDS) or file == Path(__file__):
            continue
        text = file.read_text(encoding="utf-8")
        for line, word in (found_in_page if file.suffix == ".md" else found_in_python)(text):
            if STORED.get(name) != word.lower():
                yield f"{name}:{line}: {word}: write {INSTEAD[word.lower()]}"


def main() -> int:
    """Print every place; return 1 if there is one."""
    places = [
        *complaints(
            [
                Path(name).resolve()
                for name in sys.argv[1:] or map(str, (ROOT / one for one in READ))
            ]
        )
    ]
    print("\n".join([*places, f"{len(places)} words to replace"]))
    return int(bool(places))


if __name__ == "__main__":
    sys.exit(main())
