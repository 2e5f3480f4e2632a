"""Shapes in signatures are checked whenever a test calls what says them; what says none is left as
fast as it is.

jaxtyping's own hook checks each call of each function of a package. Here a function or a dataclass
is checked if its annotations name a shape, which is the same check in a quarter of the time: mypy
sees to all other types.
"""

import ast
import sys
from collections.abc import Iterator, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import ModuleType

SOURCE = Path(__file__).resolve().parents[1] / "src"
Function = (ast.FunctionDef, ast.AsyncFunctionDef)


def modules_with_shapes() -> Iterator[str]:
    """Name every module that takes its annotations from jaxtyping."""
    for file in sorted(SOURCE.rglob("*.py")):
        if "from jaxtyping import" in file.read_text(encoding="utf-8"):
            yield ".".join(file.relative_to(SOURCE).with_suffix("").parts)


def check_shapes() -> None:
    """Check shapes in every module that says them and is imported from now on."""
    sys.meta_path.insert(0, _Finder([*modules_with_shapes()]))


class _Finder(MetaPathFinder):
    def __init__(self, modules: Sequence[str]) -> None:
        self.modules = frozenset(modules)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        spec = PathFinder.find_spec(fullname, path, target) if fullname in self.modules else None
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = CheckingLoader(spec.loader.name, spec.loader.path)
        return spec


class CheckingLoader(SourceFileLoader):
    """Puts a check before what says shapes; its byte code is kept nowhere, since others would run
    it unasked.
    """

    def path_stats(self, path: str) -> dict[str, float]:
        raise OSError("its byte code is not kept")

    def source_to_code(self, data: bytes, path: str, *, _optimize: int = -1) -> object:
        tree = ast.parse(data, path)
        shapes = _shapes(tree)
        for node in ast.walk(tree):
            if isinstance(node, Function) and any(_says(one, shapes) for one in _annotations(node)):
                node.decorator_list.append(_check(node))  # innermost: it sees the annotations
            elif isinstance(node, ast.ClassDef) and any(
                _says(one.annotation, shapes) for one in _fields(node)
            ):
                node.decorator_list.insert(0, _check(node))  # outermost: of a dataclass
        return compile(
            ast.fix_missing_locations(tree), path, "exec", dont_inherit=True, optimize=_optimize
        )


def _shapes(tree: ast.Module) -> set[str]:
    """Find what a module calls a shape: names from jaxtyping, and its own names for them."""
    found = set[str]()
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module == "jaxtyping":
            found |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.Assign) and _says(node.value, found):
            found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return found


def _annotations(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.expr]:
    of = node.args
    every = [*of.posonlyargs, *of.args, *of.kwonlyargs, of.vararg, of.kwarg]
    yield from (one.annotation for one in every if one is not None and one.annotation is not None)
    if node.returns is not None:
        yield node.returns


def _fields(node: ast.ClassDef) -> list[ast.AnnAssign]:
    return [field for field in node.body if isinstance(field, ast.AnnAssign)]


def _says(annotation: ast.expr, shapes: set[str]) -> bool:
    return any(isinstance(node, ast.Name) and node.id in shapes for node in ast.walk(annotation))


def _check(node: ast.stmt) -> ast.expr:
    message = "__import__('jaxtyping').jaxtyped(typechecker=__import__('beartype').beartype)"
    return ast.copy_location(ast.parse(message, mode="eval").body, node)
