"""Each reason to skip a test is one that SKIPS.md lists, also where nothing is skipped here."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import listed_reasons

TESTS = Path(__file__).parent
SKIPPING = ("skip", "skipif", "importorskip")


def reasons(source: str) -> Iterator[tuple[int, str, bool]]:
    """Give the line of each skip, the beginning of its reason, and whether that is all of it."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in SKIPPING:
            given = [each.value for each in node.keywords if each.arg == "reason"]
            first = node.args[:1] if ast.unparse(node.func) == "pytest.skip" else []
            yield node.lineno, *_beginning([*given, *first, None][0])


def _beginning(reason: ast.expr | None) -> tuple[str, bool]:
    if isinstance(reason, ast.JoinedStr):
        return _beginning(reason.values[0])[0], False
    known = isinstance(reason, ast.Constant) and isinstance(reason.value, str)
    return (str(reason.value), True) if known else ("", True)


def is_listed(beginning: str, whole: bool) -> bool:
    """Check a reason; of one that ends in a name, such as ``no {module}``, only its beginning is
    known here.
    """
    listed = listed_reasons()
    return beginning.startswith(listed) or (
        bool(beginning) and not whole and any(one.startswith(beginning) for one in listed)
    )


def test_every_reason_to_skip_is_listed() -> None:
    unlisted = [
        f"{file.relative_to(TESTS)}:{line}: {reason or 'no reason'}"
        for file in sorted(TESTS.rglob("*.py"))
        for line, reason, whole in reasons(file.read_text(encoding="utf-8"))
        if not is_listed(reason, whole)
    ]
    assert unlisted == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("pytest.skip('no pandas')", [("no pandas", True, True)]),
        ("pytest.skip('a whim')", [("a whim", True, False)]),
        (
            "pytest.mark.skipif(True, reason='no sha256sum here')",
            [("no sha256sum here", True, True)],
        ),
        ("pytest.mark.skip(reason='later')", [("later", True, False)]),
        ("pytest.importorskip('x')", [("", True, False)]),
        ("pytest.importorskip('x', reason='no gguf')", [("no gguf", True, True)]),
        ("pytest.skip(f'no {name}')", [("no ", False, True)]),
        ("pytest.skip(f'{name}')", [("", False, False)]),
        ("pytest.skip(why)", [("", True, False)]),
    ],
)
def test_a_reason_is_read_from_the_source(source: str, found: list[tuple[str, bool, bool]]) -> None:
    assert [(text, whole, is_listed(text, whole)) for _, text, whole in reasons(source)] == found
