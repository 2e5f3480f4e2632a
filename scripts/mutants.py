"""Apply the semantic mutations of `tests/mutations.toml`: the tests that a row names must fail.

A row quotes a fragment of source that occurs once in `src`, in any file; `new` replaces it in a
copy of the checkout. A mutation is killed when the tests fail, survived when they pass, broken
when pytest could not run them. First all named tests must pass on the unchanged source. The exit
code is 0 only when every mutation is killed. `--check` runs no tests: it checks that each
fragment occurs once, that the mutated file is valid Python, and that the named tests exist.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIST = ROOT / "tests/mutations.toml"
DATA = ROOT.parent / "shared" / "data"
NOT_COPIED = shutil.ignore_patterns(
    "__pycache__", ".venv", ".git", ".*_cache", ".hypothesis", ".coverage*", "build", "dist"
)
SUFFIXES = (".py", ".html", ".css", ".js")


@dataclass(frozen=True)
class Mutation:
    """Replace `old` by `new` in the source: `test` must fail, because of `why`."""

    name: str
    old: str
    new: str
    test: str
    why: str

    def file(self) -> Path:
        """The only file of the source that holds the fragment."""
        found = [path for path in sources() for _ in range(path.read_text("utf-8").count(self.old))]
        if len(found) != 1:
            raise ValueError(f"expected `old` once in src, found it {len(found)} times")
        return found[0].relative_to(ROOT)

    def text(self) -> str:
        """The text of that file after the mutation."""
        return (ROOT / self.file()).read_text("utf-8").replace(self.old, self.new)


def main() -> int:
    """Translate the flags."""
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=layout)
    parser.add_argument("--check", action="store_true", help="only check the list")
    parser.add_argument("--only", metavar="NAME", action="append", help="this one (repeatable)")
    parser.add_argument("--jobs", type=int, default=2, help="parallel runs (default: %(default)s)")
    flags = parser.parse_args()
    mutations = [Mutation(**row) for row in tomllib.loads(LIST.read_text("utf-8"))["mutation"]]
    if flags.only:
        mutations = [mutation for mutation in mutations if mutation.name in flags.only]
    faults = [f"{each.name}: {fault}" for each in mutations if (fault := fault_of(each))]
    names = Counter(mutation.name for mutation in mutations)
    faults += [f"{name}: {count} rows have this name" for name, count in names.items() if count > 1]
    if faults or not mutations:
        print("\n".join(faults) or "no such mutation", file=sys.stderr)
        return 1
    if flags.check:
        print(f"{len(mutations)} mutations: each fragment occurs once, each test exists")
        return 0
    return play(mutations, flags.jobs)


def sources() -> list[Path]:
    """Every file that a mutation may change."""
    return [path for path in (ROOT / "src").rglob("*") if path.suffix in SUFFIXES]


def fault_of(mutation: Mutation) -> str | None:
    """Why this mutation cannot be applied, or None."""
    try:
        if mutation.file().suffix == ".py":
            compile(mutation.text(), mutation.file(), "exec", dont_inherit=True)
    except (ValueError, SyntaxError) as error:
        return str(error)
    file, _, function = mutation.test.partition("::")
    if not (ROOT / file).exists():
        return f"{file} does not exist"
    if function and f"def {function.split('[')[0]}(" not in (ROOT / file).read_text("utf-8"):
        return f"{file} has no {function}"
    return None if mutation.old != mutation.new else "`old` and `new` are the same"


@contextmanager
def copied() -> Iterator[Path]:
    """A copy of the checkout without compiled files, which could hide a mutation."""
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        home = Path(folder) / "checkout"
        shutil.copytree(ROOT, home, ignore=NOT_COPIED, symlinks=True)
        yield home


def run_tests(home: Path, tests: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run pytest in a copy, on the package of the copy."""
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-qx", "-p", "no:cacheprovider", *tests],
        cwd=home, env=environment(home), capture_output=True, text=True, timeout=900, check=False,
    )  # fmt: skip


def environment(home: Path) -> dict[str, str]:
    """The environment variables that make Python take the package from a copy."""
    return os.environ | {
        "PYTHONPATH": str(home / "src"),
        "PYTHONDONTWRITEBYTECODE": "1",
        "OMP_NUM_THREADS": "1",
        "SIGHTLINE_DATA": os.environ.get("SIGHTLINE_DATA", str(DATA)),
    }


def play(mutations: Sequence[Mutation], jobs: int) -> int:
    """Apply every mutation, print its outcome, and return the exit code."""
    with copied() as home:
        before = run_tests(home, sorted({mutation.test for mutation in mutations}))
    if before.returncode:
        print(f"The tests must pass before a mutation is played:\n{before.stdout[-3000:]}")
        return 1
    with ThreadPoolExecutor(jobs) as pool:
        fates = []
        for mutation, fate in zip(mutations, pool.map(fate_of, mutations), strict=True):
            fates.append(fate)
            print(f"{fate:<8} {mutation.name}  ({mutation.test})", flush=True)
    print(", ".join(f"{count} {fate}" for fate, count in Counter(fates).items()))
    return 0 if set(fates) == {"killed"} else 1


def fate_of(mutation: Mutation) -> str:
    """Play one mutation: killed, survived or broken."""
    with copied() as home:
        (home / mutation.file()).write_text(mutation.text(), encoding="utf-8")
        code = run_tests(home, [mutation.test]).returncode
    return {0: "survived", 1: "killed"}.get(code, "broken")


if __name__ == "__main__":
    sys.exit(main())
