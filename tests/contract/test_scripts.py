"""Whatever a script outside the package imports of it exists."""

import ast
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("benchmarks", "examples", "scripts", "tools", "validation")
SCRIPTS = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))


def imported(script: Path) -> list[tuple[str, str]]:
    return [
        (node.module, name.name)
        for node in ast.walk(ast.parse(script.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sightline")
        for name in node.names
    ]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_script_imports_only_what_exists(script: Path) -> None:
    unknown = [
        f"{module}.{name}"
        for module, name in imported(script)
        if not hasattr(import_module(module), name) and find_spec(f"{module}.{name}") is None
    ]
    assert unknown == []
