"""Shapes in signatures are checked whenever a test calls what says them; what says none is left as
fast as it is.

jaxtyping's own hook checks each call of each function of a package. Here a function or a dataclass
is checked if its annotations name a shape, once for each combination of shapes: mypy sees to all
other types.
"""

import ast
import functools
import inspect
import sys
from collections.abc import Callable, Hashable, Iterator, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, ClassVar

import numpy as np
import torch
from beartype import beartype
from jaxtyping import jaxtyped

SOURCE = Path(__file__).resolve().parents[1] / "src"
FEW = 8
"""Of a longer list, three items stand for all."""
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
    message = f"__import__('sys').modules[{__name__!r}].checked"
    return ast.copy_location(ast.parse(message, mode="eval").body, node)


def checked(what: Any) -> Any:
    """Check what a function is given and gives, or what a dataclass is made of.

    A check depends on types, kinds and shapes alone, so it is made once for each combination of
    them, and it is built when it is first needed: checking all calls of all functions took most of
    the time of all tests.
    """
    if inspect.isclass(what):
        what.__init__ = checked(what.__init__)
        return what
    # A function within a function is made again and again, always of the same code.
    check = _Check.made.setdefault(id(what.__code__), _Check(what))
    known, values = check.known, check.values

    @functools.wraps(what)
    def call(*given: Any, **named: Any) -> Any:
        seen = known.setdefault(_call(given, named, values), set())
        if not seen:
            out = check(lambda: what(*given, **named), given, named)
            seen.add(_form(out, values))
            return out
        out = what(*given, **named)
        if (form := _form(out, values)) not in seen:
            check(lambda: out, given, named)
            seen.add(form)
        return out

    return call


class _Check:
    """The check of one function, of which somebody else says what it gives; built at first use."""

    made: ClassVar[dict[int, "_Check"]] = {}

    def __init__(self, function: Any) -> None:
        self.function, self.pending = function, list[Callable[[], Any]]()
        self.known: dict[Hashable, set[Hashable]] = {}
        self.values = any("{" in str(one) for one in function.__annotations__.values())

    @functools.cached_property
    def checked(self) -> Callable[..., Any]:
        """A function with the same signature that gives what was last put down."""
        function, pending = self.function, self.pending

        def stand_in(*given: Any, **named: Any) -> Any:
            return pending.pop()()

        # The names in annotations are those of the module of the function.
        code, closure = stand_in.__code__, stand_in.__closure__
        inside = FunctionType(code, function.__globals__, function.__name__, None, closure)
        return jaxtyped(functools.wraps(function)(inside), typechecker=beartype)

    def __call__(self, run: Callable[[], Any], given: Any, named: Any) -> Any:
        self.pending.append(run)
        try:
            return self.checked(*given, **named)
        finally:
            if run in self.pending:  # what was given is wrong, so that nothing ran
                self.pending.remove(run)


def _call(given: tuple[Any, ...], named: dict[str, Any], values: bool) -> Hashable:
    """Give all of a call that its check may depend on; a text may be one of those that are
    allowed.
    """
    parts = *given, *named.values()
    return *named, *(one if isinstance(one, str) else _form(one, values) for one in parts)


def _form(value: Any, values: bool) -> Hashable:
    """Give all of a value that a check may depend on; ``values`` adds numbers, which a shape may
    name.
    """
    kind = type(value)
    if isinstance(value, np.ndarray | torch.Tensor):
        return kind, value.dtype, tuple(value.shape)
    if kind in (tuple, list):
        if len(value) > FEW:  # beartype itself looks at one of them
            value = value[0], value[len(value) // 2], value[-1]
        return kind, *[_form(one, values) for one in value]
    if kind is dict:
        return kind, *[_form(one, values) for one in value.values()]
    return (kind, value) if values and kind is int else kind
