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
from collections.abc import Callable, Hashable, Iterator, Sequence, Set
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
RETURN = "return"
"""What Python calls the annotation of what a function gives."""


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
            if isinstance(node, Function) and (names := _shaped(_annotations(node), shapes)):
                # Innermost: it sees the annotations.
                node.decorator_list.append(_check(node, names))
            elif isinstance(node, ast.ClassDef) and (names := _shaped(_fields(node), shapes)):
                node.decorator_list.insert(0, _check(node, names))  # outermost: of a dataclass
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


Annotations = dict[str, ast.expr | None]


def _annotations(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Annotations:
    of = node.args
    every = [*of.posonlyargs, *of.args, *of.kwonlyargs, of.vararg, of.kwarg]
    return {one.arg: one.annotation for one in every if one is not None} | {RETURN: node.returns}


def _fields(node: ast.ClassDef) -> Annotations:
    fields = (field for field in node.body if isinstance(field, ast.AnnAssign))
    return {ast.unparse(field.target): field.annotation for field in fields}


def _shaped(annotations: Annotations, shapes: set[str]) -> list[str]:
    """Name what an annotation says a shape of."""
    return [name for name, one in annotations.items() if one is not None and _says(one, shapes)]


def _says(annotation: ast.expr, shapes: set[str]) -> bool:
    return any(isinstance(node, ast.Name) and node.id in shapes for node in ast.walk(annotation))


def _check(node: ast.stmt, shaped: list[str]) -> ast.expr:
    message = f"__import__('sys').modules[{__name__!r}].checked(*{shaped})"
    return ast.copy_location(ast.parse(message, mode="eval").body, node)


def checked(*shaped: str) -> Callable[[Any], Any]:
    """Check what a function is given and gives, or what a dataclass is made of; a shape is said of
    what is ``shaped``.

    A check depends on types, kinds and shapes alone, so it is made once for each combination of
    them, and it is built when it is first needed: checking all calls of all functions took most of
    the time of all tests.
    """

    def check_what(what: Any) -> Any:
        if inspect.isclass(what):
            bases = [getattr(base.__init__, "shaped", ()) for base in what.__mro__[1:]]
            what.__init__ = _checked(what.__init__, {*shaped}.union(*bases))
            return what
        return _checked(what, {*shaped})

    return check_what


def _checked(what: Any, shaped: Set[str]) -> Any:
    # A function within a function is made again and again, always of the same code.
    if (code := id(what.__code__)) not in _Check.made:
        _Check.made[code] = _Check(what, shaped)
    check = _Check.made[code]
    known, values, gives = check.known, check.values, RETURN in shaped

    @functools.wraps(what)
    def call(*given: Any, **named: Any) -> Any:
        seen = known.setdefault(check.key(given, named), set())
        if not seen:
            out = check(lambda: what(*given, **named), given, named)
            seen.add(_form(out, values))
            return out
        out = what(*given, **named)
        if gives and (form := _form(out, values)) not in seen:
            check(lambda: out, given, named)
            seen.add(form)
        return out

    call.shaped = shaped
    return call


class _Check:
    """The check of one function, of which somebody else says what it gives; built at first use."""

    made: ClassVar[dict[int, "_Check"]] = {}

    def __init__(self, function: Any, shaped: Set[str]) -> None:
        self.function, self.pending = function, list[Callable[[], Any]]()
        self.known: dict[Hashable, set[Hashable]] = {}
        self.values = any("{" in str(one) for one in function.__annotations__.values())
        names = inspect.getfullargspec(function)
        # Any argument may be the number that a shape names.
        self.all_count = self.values or not shaped.isdisjoint((names.varargs, names.varkw))
        self.shaped = shaped
        self.places = [place for place, name in enumerate(names.args) if name in shaped]

    def key(self, given: tuple[Any, ...], named: dict[str, Any]) -> Hashable:
        """Give all of a call that its check may depend on; mypy sees to what has no shape."""
        if self.all_count:
            return *named, *(_form(one, self.values) for one in (*given, *named.values()))
        by_place = [_form(given[place], False) for place in self.places if place < len(given)]
        by_name = [(name, _form(named[name], False)) for name in named if name in self.shaped]
        return *by_place, *by_name

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


def _form(value: Any, values: bool) -> Hashable:
    """Give all of a value that a check may depend on; ``values`` adds numbers, which a shape may
    name.
    """
    kind = type(value)
    if _is_array(kind):
        return kind, value.dtype, value.shape
    if kind in (tuple, list):
        if len(value) > FEW:  # beartype itself looks at one of them
            value = value[0], value[len(value) // 2], value[-1]
        return kind, *[_form(one, values) for one in value]
    if kind is dict:
        return kind, *[_form(one, values) for one in value.values()]
    return (kind, value) if values and kind is int else kind


@functools.cache
def _is_array(kind: type) -> bool:
    return issubclass(kind, np.ndarray | torch.Tensor)
