"""What import-linter's contracts (pyproject.toml) cannot say about who imports whom."""

import ast
import graphlib
import subprocess
import sys
from collections import Counter
from pathlib import Path

import grimp
import pytest

from sightline import api
from tests.report.audits import audit


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    return grimp.build_graph("sightline", cache_dir=None)


def test_no_module_imports_from_a_package_it_lies_in(graph: grimp.ImportGraph) -> None:
    upwards = [
        (module, imported)
        for module in graph.modules
        for imported in graph.find_modules_directly_imported_by(module)
        if module.startswith(f"{imported}.")
    ]
    assert not upwards, (
        "import from the module that defines the name, not from the package around it"
    )


def test_no_two_modules_have_one_name(graph: grimp.ImportGraph) -> None:
    """A command of ``cli`` may have the name of what it calls."""
    named = [one for one in graph.modules if not graph.find_children(one)]
    names = Counter(one.rpartition(".")[2] for one in named if not one.startswith("sightline.cli."))
    assert {name for name, count in names.items() if count > 1} == set()


def test_no_module_of_the_command_line_imports_itself_through_others(
    graph: grimp.ImportGraph,
) -> None:
    """Imports within functions count: a circle of these is one, too."""
    ours = {module for module in graph.modules if module.startswith("sightline.cli.")}
    uses = {module: graph.find_modules_directly_imported_by(module) & ours for module in ours}
    assert (
        set(graphlib.TopologicalSorter(uses).static_order()) == ours
    )  # a circle is an error of its own


def test_the_api_prints_nothing() -> None:
    for file in Path(api.__file__).parent.glob("*.py"):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        assert not names & {"print", "sys"}, file.name


def test_values_load_without_torch() -> None:
    _alone(
        "import sightline.config.spec_syntax, sightline.core.results, sightline.verdict.judge, "
        "sightline.audits.audit_result"
    )


def test_an_audit_is_read_drawn_and_printed_without_torch(tmp_path: Path) -> None:
    saved = audit().save(tmp_path / "saved")
    _alone(
        f"import sightline; found = sightline.Audit.load({str(saved)!r}); found._repr_html_(); "
        f"found.to_html({str(tmp_path / 'page.html')!r})"
    )
    _alone(
        f"from sightline.cli.app import run; run(['report', {str(saved)!r}, '--out', "
        f"{str(tmp_path / 'again.html')!r}])"
    )
    assert (tmp_path / "page.html").read_bytes() == (tmp_path / "again.html").read_bytes()


def _alone(code: str) -> None:
    """Run code in a process of its own, and ask that torch was never imported."""
    code = f"import sys; {code}; assert 'torch' not in sys.modules, 'torch was imported'"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
