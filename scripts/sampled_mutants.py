"""Mutate the numeric packages at random with cosmic-ray and report how many mutants the tests kill.

cosmic-ray lists every mutant of a package (operators, numbers, comparisons, conditions); a seeded
sample of them is tested in a copy of the checkout with the tests of the package. Mutants of type
annotations are left out, because nothing runs them. A survivor is a question, not a defect: it may
be an equivalent program. cosmic-ray has a virtual environment of its own under `build/`.
"""

import argparse
import ast
import json
import random
import shlex
import sqlite3
import subprocess
import sys
import venv
from pathlib import Path

from mutants import ROOT, copied, environment

COSMIC_RAY = "cosmic-ray==8.7.0"
TOOLS = ROOT / "build" / "cosmic-ray"
ROOMS = ("numerics", "stats", "measures", "verdict")
CONFIGURATION = """
[cosmic-ray]
module-path = "src/sightline/{room}"
timeout = {timeout}
excluded-modules = []
test-command = {command}

[cosmic-ray.distributor]
name = "local"
"""


def main() -> int:
    """Translate the flags."""
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=layout)
    parser.add_argument("--sample", type=int, default=40, help="mutants in all (%(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="which sample (%(default)s)")
    parser.add_argument("--room", choices=ROOMS, action="append", help="a package (default: all)")
    parser.add_argument("--timeout", type=float, default=600.0, help="seconds each (%(default)s)")
    flags = parser.parse_args()
    rooms = flags.room or ROOMS
    install()
    outcomes = [
        outcome
        for number, room in enumerate(rooms)
        for outcome in play(room, share(flags.sample, len(rooms), number), flags)
    ]
    killed = outcomes.count("killed")
    print(f"score {killed / max(1, len(outcomes)):.2f}: {killed} of {len(outcomes)} mutants killed")
    return 0


def share(total: int, parts: int, number: int) -> int:
    """The size of one of several nearly equal parts."""
    return total // parts + (number < total % parts)


def install() -> None:
    """Make the virtual environment of cosmic-ray, once."""
    if not (TOOLS / "bin" / "cosmic-ray").exists():
        venv.create(TOOLS, with_pip=True, clear=True)
        subprocess.run([TOOLS / "bin" / "pip", "install", "--quiet", COSMIC_RAY], check=True)


def play(room: str, size: int, flags: argparse.Namespace) -> list[str]:
    """Test a sample of the mutants of one package, print each survivor, and return the outcomes."""
    with copied() as home:
        tests = [sys.executable, "-m", "pytest", "-qx", "-p", "no:cacheprovider", f"tests/{room}"]
        command = json.dumps(shlex.join(tests))
        settings = CONFIGURATION.format(room=room, timeout=flags.timeout, command=command)
        (home / "mutants.toml").write_text(settings, encoding="utf-8")
        cosmic_ray(home, "init", "mutants.toml", "mutants.sqlite")
        with sqlite3.connect(home / "mutants.sqlite") as database:
            keep(database, home, size, random.Random(flags.seed))
        cosmic_ray(home, "exec", "mutants.toml", "mutants.sqlite")
        with sqlite3.connect(home / "mutants.sqlite") as database:
            return report(database, room)


def cosmic_ray(home: Path, *arguments: str) -> None:
    """Call cosmic-ray in a copy of the checkout."""
    command = [TOOLS / "bin" / "cosmic-ray", *arguments]
    subprocess.run(command, cwd=home, env=environment(home), check=True)


def keep(database: sqlite3.Connection, home: Path, size: int, generator: random.Random) -> None:
    """Delete every mutant that is not in the sample."""
    rows = database.execute(
        "SELECT job_id, module_path, start_pos_row, start_pos_col, operator_name"
        " FROM mutation_specs ORDER BY 2, 3, 4, 5, occurrence"
    ).fetchall()
    annotated = {module: annotations(home / module) for module in {row[1] for row in rows}}
    jobs = [row[0] for row in rows if not within((row[2], row[3]), annotated[row[1]])]
    wanted = set(generator.sample(jobs, min(size, len(jobs))))
    unwanted = [(row[0],) for row in rows if row[0] not in wanted]
    for table in ("mutation_specs", "work_items"):
        database.executemany(f"DELETE FROM {table} WHERE job_id = ?", unwanted)


Span = tuple[tuple[int, int], tuple[int, int]]


def annotations(path: Path) -> list[Span]:
    """Where the type annotations of a module begin and end."""
    nodes = [
        each
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        for each in (getattr(node, "annotation", None), getattr(node, "returns", None))
        if each is not None
    ]
    return [
        ((n.lineno, n.col_offset), (n.end_lineno, n.end_col_offset))
        for n in nodes
        if isinstance(n, ast.expr) and n.end_lineno and n.end_col_offset
    ]


def within(place: tuple[int, int], spans: list[Span]) -> bool:
    """Whether a place in a file lies within one of the spans."""
    return any(start <= place < end for start, end in spans)


def report(database: sqlite3.Connection, room: str) -> list[str]:
    """Print the count of a package and the change of each survivor."""
    rows = database.execute("SELECT test_outcome, diff FROM work_results").fetchall()
    outcomes = [str(outcome).lower() for outcome, _ in rows]
    print(f"{room}: {outcomes.count('killed')} of {len(rows)} mutants killed")
    for outcome, diff in rows:
        if str(outcome).lower() != "killed":
            print(f"{outcome}\n{diff}")
    return outcomes


if __name__ == "__main__":
    sys.exit(main())
