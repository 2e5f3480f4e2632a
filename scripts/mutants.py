"""Break the source one line at a time and see whether the named test notices.

`tests/mutations.toml` lists the breaks. Each is played in a copy of the checkout, where a plugin makes sure that the
package under test is the broken copy and not the installed one. A mutation is

* killed    when its test ran and failed,
* survived  when its test ran and passed: the test does not bite,
* broken    when its test did not run (not found, skipped, an error outside the test, too slow): the list is wrong.

Before any of that, every named test must pass on the source as it is. The exit code is 0 only when all are killed.
`--check` plays nothing: it looks whether each break still finds its line and each test still exists.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Literal

ROOT = Path(__file__).resolve().parents[1]
LIST = Path("tests/mutations.toml")
COPIED = ("src", "tests", "scripts", "docs", "examples", "bench", ".ci")
NOT_COPIED = shutil.ignore_patterns("__pycache__", ".*_cache", ".hypothesis", "*.egg-info")

# Runs inside pytest, in the copy. It writes what happened: an exit code does not tell a skipped test from a passed one.
PLUGIN = """
import importlib.util, json, os, sys
from pathlib import Path

import pytest

HOME = Path(os.environ["MUTANT_HOME"])
record = {"collected": [], "outcomes": []}


def refuse_other_package(origin):
    if not origin or not Path(origin).resolve().is_relative_to(HOME):
        raise pytest.UsageError(f"the package under test is {origin}, not the copy in {HOME}")


def pytest_configure(config):
    refuse_other_package(importlib.util.find_spec("sightline").origin)


def pytest_collection_finish(session):
    record["collected"] = [item.nodeid for item in session.items]


def pytest_runtest_logreport(report):
    record["outcomes"].append([report.nodeid, report.when, report.outcome])


def pytest_sessionfinish(session):
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] == "sightline" and getattr(module, "__file__", None):
            refuse_other_package(module.__file__)
    Path(os.environ["MUTANT_RECORD"]).write_text(json.dumps(record), encoding="utf-8")
"""


@dataclass(frozen=True)
class Mutation:
    """One break: in `file`, `old` becomes `new`, and `test` must fail, because of `why`."""

    name: str
    file: str
    old: str
    new: str
    test: str
    why: str


@dataclass(frozen=True)
class Run:
    """What one pytest run did: its exit code (None: stopped for time), what the plugin recorded, and its last words."""

    code: int | None
    collected: tuple[str, ...]
    outcomes: tuple[tuple[str, str, str], ...]
    tail: str


@dataclass(frozen=True)
class Result:
    """What became of one mutation."""

    mutation: Mutation
    fate: Literal["killed", "survived", "broken"]
    reason: str = ""


def main() -> int:
    """Translate the flags."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="play nothing: is the list still right?")
    parser.add_argument("--only", metavar="NAME", action="append", help="these mutations alone (may be repeated)")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time (default: %(default)s)")
    parser.add_argument(
        "--timeout", type=float, default=600.0, help="seconds for one run of pytest (default: %(default)s)"
    )
    flags = parser.parse_args()
    mutations, faults = read_list(flags.only)
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        herd = Herd(Path(folder), flags.timeout)
        faults += missing_tests(mutations, herd)
        if faults:
            print("\n".join(f"{LIST}: {fault}" for fault in faults), file=sys.stderr)
            return 1
        if flags.check:
            print(f"{len(mutations)} mutations: every break finds its line, every test exists")
            return 0
        return play(mutations, herd, flags.jobs)


# ------------------------------------------------------------------------------------------------------- the list


def read_list(only: Sequence[str] | None) -> tuple[list[Mutation], list[str]]:
    """Mutations of the list, and what is wrong with them."""
    rows = tomllib.loads((ROOT / LIST).read_text(encoding="utf-8")).get("mutation", [])
    known = [field.name for field in fields(Mutation)]
    faults = [
        f"{row.get('name', row)}: needs exactly {', '.join(known)}" for row in rows if sorted(row) != sorted(known)
    ]
    mutations = [Mutation(**row) for row in rows if sorted(row) == sorted(known)]
    counts = Counter(mutation.name for mutation in mutations)
    faults += [f"{name}: the name occurs {count} times" for name, count in counts.items() if count > 1]
    faults += [f"no mutation is called {name}" for name in only or () if name not in counts]
    mutations = [mutation for mutation in mutations if only is None or mutation.name in only]
    faults += [f"{mutation.name}: {fault}" for mutation in mutations if (fault := fault_of(mutation))]
    return mutations, faults


def fault_of(mutation: Mutation) -> str | None:
    """Say why this break cannot be played, or None."""
    path = ROOT / mutation.file
    if not mutation.file.startswith("src/") or not path.is_file():
        return f"{mutation.file} is not a file under src"
    if not mutation.why.strip():
        return "`why` is empty"
    source = path.read_text(encoding="utf-8")
    if (count := source.count(mutation.old) if mutation.old else 0) != 1:
        return f"`old` occurs {count} times in {mutation.file}, expected once: {mutation.old!r}"
    if mutation.old == mutation.new:
        return "`old` and `new` are the same"
    if path.suffix == ".py":
        try:
            compile(source.replace(mutation.old, mutation.new), mutation.file, "exec", dont_inherit=True)
        except SyntaxError as error:
            return f"the broken file is not Python, so any test would fail: {error}"
    return None


def missing_tests(mutations: Sequence[Mutation], herd: "Herd") -> list[str]:
    """Tests of the list that pytest does not find."""
    files = sorted({mutation.test.split("::")[0] for mutation in mutations})
    faults = [f"there is no file {file}" for file in files if not (ROOT / file).is_file()]
    if faults or not files:
        return faults
    run = herd.pytest(herd.copy(), ["--collect-only", *files])
    if run.code != 0:
        return [f"pytest cannot collect the tests (exit code {run.code})\n{run.tail}"]
    return [
        f"{mutation.name}: there is no test {mutation.test}"
        for mutation in mutations
        if not any(belongs(node, mutation.test) for node in run.collected)
    ]


def belongs(node: str, test: str) -> bool:
    """Whether a collected node is the named test, one of its cases, or one of the tests of the named class or file."""
    return node == test or node.startswith((f"{test}[", f"{test}::"))


# ------------------------------------------------------------------------------------------------------- the copies


class Herd:
    """Copies of the checkout under one temporary folder, and pytest runs in them."""

    def __init__(self, folder: Path, timeout: float) -> None:
        self.folder, self.timeout = folder.resolve(), timeout
        self.plugins = self.folder / "plugins"
        self.plugins.mkdir()
        (self.plugins / "mutant_plugin.py").write_text(PLUGIN, encoding="utf-8")

    def copy(self, mutation: Mutation | None = None) -> Path:
        """Make a fresh copy, broken as the mutation says. Never a used one: its compiled files could hide the break."""
        home = Path(tempfile.mkdtemp(dir=self.folder))
        for name in COPIED:
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, home / name, ignore=NOT_COPIED)
        for path in ROOT.iterdir():
            if path.is_file() and not path.name.startswith(".coverage"):
                shutil.copy2(path, home / path.name)
        if mutation is not None:
            path = home / mutation.file
            path.write_text(path.read_text(encoding="utf-8").replace(mutation.old, mutation.new), encoding="utf-8")
        return home

    def pytest(self, home: Path, arguments: Sequence[str]) -> Run:
        """Run pytest in a copy, then remove the copy."""
        record = home / "record.json"
        command = [sys.executable, "-m", "pytest", "-q", "-p", "mutant_plugin", "-p", "no:cacheprovider", *arguments]
        environment = os.environ | {
            "PYTHONPATH": os.pathsep.join([str(home / "src"), str(self.plugins)]),
            "PYTHONDONTWRITEBYTECODE": "1",
            "OMP_NUM_THREADS": "1",
            "MUTANT_HOME": str(home),
            "MUTANT_RECORD": str(record),
            "SIGHTLINE_DATA": os.environ.get("SIGHTLINE_DATA", str(ROOT.parent / "shared" / "data")),
        }
        try:
            done = subprocess.run(
                command, cwd=home, env=environment, capture_output=True, text=True, timeout=self.timeout, check=False
            )
        except subprocess.TimeoutExpired:
            return Run(None, (), (), f"stopped after {self.timeout:.0f} seconds")
        finally:
            written = json.loads(record.read_text(encoding="utf-8")) if record.exists() else {}
            shutil.rmtree(home, ignore_errors=True)
        tail = "\n".join((done.stdout + done.stderr).splitlines()[-25:])
        outcomes = tuple((str(node), str(when), str(outcome)) for node, when, outcome in written.get("outcomes", ()))
        return Run(done.returncode, tuple(written.get("collected", ())), outcomes, tail)


# ------------------------------------------------------------------------------------------------------- the play


def play(mutations: Sequence[Mutation], herd: Herd, jobs: int) -> int:
    """Play every mutation, print its fate, and return the exit code."""
    tests = sorted({mutation.test for mutation in mutations})
    with ThreadPoolExecutor(jobs) as pool:
        shares = [share for start in range(jobs) if (share := tests[start::jobs])]
        runs = pool.map(lambda share: (share, herd.pytest(herd.copy(), share)), shares)
        faults = [fault for share, run in runs for fault in not_passing(share, run)]
        if faults:
            print("These tests must pass before anything is broken:\n" + "\n".join(faults), file=sys.stderr)
            return 1
        print(f"{len(tests)} tests pass on the source as it is; {len(mutations)} mutations to play", flush=True)
        results = []
        width = max((len(mutation.name) for mutation in mutations), default=0)
        for result in pool.map(lambda mutation: fate(mutation, herd), mutations):
            results.append(result)
            print(f"{result.fate:<9} {result.mutation.name:<{width}}  {result.mutation.test}", flush=True)
    return summary(results)


def not_passing(tests: Iterable[str], run: Run) -> list[str]:
    """Tests among these that did not run and pass."""
    faults = [f"{test}: {seen}" for test in tests if (seen := seen_of(test, run)) != "passed"]
    if run.code != 0 and not faults:
        faults = [f"pytest ended with exit code {run.code}"]
    return [*faults, run.tail] if faults else []


def seen_of(test: str, run: Run) -> Literal["passed", "failed", "error", "skipped", "not run"]:
    """What happened to the named test, over its cases. Failed: in the test itself; error: around it, in a fixture."""
    seen = {(when, outcome) for node, when, outcome in run.outcomes if belongs(node, test)}
    if ("call", "failed") in seen:
        return "failed"
    if {("setup", "failed"), ("teardown", "failed")} & seen:
        return "error"
    if ("call", "passed") in seen:
        return "passed"
    return "skipped" if seen else "not run"


def fate(mutation: Mutation, herd: Herd) -> Result:
    """Play one mutation."""
    run = herd.pytest(herd.copy(mutation), [mutation.test])
    seen = seen_of(mutation.test, run)
    if run.code == 1 and seen == "failed":
        return Result(mutation, "killed")
    if run.code == 0 and seen == "passed":
        return Result(mutation, "survived", f"nothing noticed: {mutation.why}")
    return Result(mutation, "broken", f"exit code {run.code}, test {seen}\n{run.tail}")


def summary(results: Sequence[Result]) -> int:
    """Print what is not killed and the counts."""
    for result in results:
        if result.fate != "killed":
            print(f"\n{result.fate}: {result.mutation.name} ({result.mutation.file})\n{result.reason}")
    counts = Counter(result.fate for result in results)
    print(f"\n{counts['killed']} killed, {counts['survived']} survived, {counts['broken']} broken, of {len(results)}")
    return 0 if counts["killed"] == len(results) else 1


if __name__ == "__main__":
    sys.exit(main())
