"""What import-linter's contracts (pyproject.toml) cannot say about who imports whom."""

import subprocess
import sys

import grimp
import pytest


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
    assert not upwards, "import from the module that defines the name, not from the package around it"


@pytest.mark.parametrize("module", ["sightline", "sightline.spec", "sightline.results", "sightline.findings"])
def test_values_load_without_torch(module: str) -> None:
    code = f"import sys, {module}; assert 'torch' not in sys.modules, 'torch was imported'"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
