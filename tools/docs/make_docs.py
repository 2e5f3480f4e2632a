"""Write the generated parts of the documentation; with `--check`, compare all of it with the code.

A generated part stands between `<!-- NAME -->` and `<!-- /NAME -->`; `docs/cli.md` is generated
whole. The demo's output is made only with `--demo`, which trains two models; its check compares the
verdicts, which are stable, and not the digits.

`--check` writes nothing. It exits with 1 if a committed page differs from its regeneration, a
link or a named file has no target, no command has a named flag, a test, measure,
corpus, part or page is left out, or the prose contradicts the catalogue (`docs_prose.py`).
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile

from docs_checks import (
    DEMO,
    DEMO_PAGE,
    Pages,
    check_demo,
    check_files,
    check_findings,
    check_flags,
    check_fresh,
    check_links,
    check_markers,
    check_menu,
    check_named,
    check_nav,
    check_thresholds,
    exists_here,
    nav_with_findings,
)
from docs_commands import commands_page, flags
from docs_parts import fill, makers
from docs_prose import prose_complaints
from docs_tables import ROOT

from sightline.verdict.thresholds import default_thresholds

OWN_FLAGS = {"--check", "--demo", "--go-on", "--only", "--so-far"}
FLAGS_OF_PIP = {"--force-reinstall"}
NAV = ROOT / "mkdocs.yml"
FLAGS_OF_RAY = {
    "--address",
    "--disable-usage-stats",
    "--generate",
    "--head",
    "--include-dashboard",
    "--num-cpus",
}
FLAGS_OF_RAY |= {"--node-ip-address", "--temp-dir"}
"""Flags of `ray`, which starts a cluster."""


def read_pages() -> dict[str, str]:
    """Read every page, by its path from the root of the checkout."""
    paths = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in paths}


def read_beside() -> dict[str, str]:
    """Read the other texts of the project, which have no generated part."""
    return {
        name: (ROOT / name).read_text(encoding="utf-8")
        for name in ("CHANGELOG.md", "CONTRIBUTING.md")
    }


def remake(pages: Pages) -> dict[str, str]:
    """Make every page again, except the demo's output."""
    made = makers()
    return {name: fill(text, made) for name, text in pages.items()} | {
        "docs/cli.md": commands_page()
    }


def complaints(pages: dict[str, str], nav: str, demo: str | None = None) -> list[str]:
    """Gather the complaints of every check."""
    return [
        *check_fresh(pages, remake(pages)),
        *check_markers(pages, makers()),
        *check_links(pages | read_beside(), exists_here),
        *check_files(pages, exists_here),
        *check_flags(pages, flags() | OWN_FLAGS | FLAGS_OF_PIP | FLAGS_OF_RAY),
        *check_thresholds(default_thresholds()),
        *check_findings(pages),
        *check_named(pages),
        *check_nav(pages, nav),
        *check_menu(nav),
        *prose_complaints(pages | read_beside()),
        *check_demo(pages, demo),
    ]


def run_demo() -> str:
    """Run `sightline demo` in an empty folder and return its output."""
    command = [
        sys.executable,
        "-m",
        "sightline",
        "demo",
        "--quiet",
        "--device",
        "cpu",
        "--threads",
        "1",
    ]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE, text=True)
    return f"```text\n{done.stdout.rstrip()}\n```\n"


def write(pages: Pages, demo: str | None) -> list[str]:
    """Write the pages that change, and return their names."""
    remade = remake(pages)
    if demo is not None:
        remade[DEMO_PAGE] = fill(remade[DEMO_PAGE], {DEMO: lambda: demo})
    changed = [name for name, text in remade.items() if text != pages.get(name)]
    menu = NAV.read_text(encoding="utf-8")
    if nav_with_findings(menu) != menu:
        NAV.write_text(nav_with_findings(menu), encoding="utf-8")
    for name in changed:
        (ROOT / name).write_text(remade[name], encoding="utf-8")
    return changed


def main() -> int:
    """Write, or check."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="write nothing; exit with 1 if something is wrong",
    )
    parser.add_argument(
        "--demo", action="store_true", help="also run `sightline demo` (it trains two models)"
    )
    asked = parser.parse_args()
    pages, demo = read_pages(), run_demo() if asked.demo else None
    if not asked.check:
        print("\n".join(f"wrote {name}" for name in write(pages, demo)) or "nothing to write")
        return 0
    found = complaints(pages, NAV.read_text(encoding="utf-8"), demo)
    print("\n".join(found) or f"docs: {len(pages)} pages are true of the code")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
