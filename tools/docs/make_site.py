"""Build the site in `build/site`: the pages of `docs`, the notebooks with what they display, the
changelog, reports of example audits, and `llms.txt`.

`--quick` computes nothing: notebooks stand without their outputs, and no report is made. Warnings
of the generator are errors, and so is a page that is too long or too far from Home
(`page_sizes.py`, if chromium is installed).
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import latex2mathml.converter
import nbformat
import page_sizes
from docs_tables import ROOT
from nbclient import NotebookClient

BUILD = ROOT / "build"
PAGES, SITE, CONFIG = BUILD / "site-pages", BUILD / "site", BUILD / "mkdocs.yml"
BIN = Path(sys.executable).parent
_ENTRY = re.compile(r"^( *)- (?:\"?(.+?)\"?: )?([\w/.-]+\.md)$", re.MULTILINE)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="compute nothing")
    quick = parser.parse_args().quick
    _copy_pages()
    _write("changelog.md", changelog())
    for path in sorted((ROOT / "examples").glob("*.ipynb")):
        _write(f"tutorials/{path.stem}.md", tutorial(path, quick=quick))
    _write("gallery.md", gallery({} if quick else example_reports()))
    _write("llms.txt", llms((ROOT / "mkdocs.yml").read_text(encoding="utf-8")))
    CONFIG.write_text(config(), encoding="utf-8")
    shutil.rmtree(SITE, ignore_errors=True)
    command = [str(BIN / "zensical"), "build", "--clean", "--strict", "-f", str(CONFIG)]
    done = subprocess.run(command, cwd=BUILD, check=False).returncode
    missing = [*missing_frames(SITE)]
    print("\n".join(missing))
    return done or bool(missing) or page_sizes.report(SITE)


def missing_frames(site: Path) -> Iterator[str]:
    """Name the frames without a target, because the generator checks only links."""
    for page in site.rglob("*.html"):
        for place in re.findall(r'<iframe src="([^"]+)"', page.read_text(encoding="utf-8")):
            if not (page.parent / place).is_file():
                yield f"{page.relative_to(site)}: no file {place} for a frame"


def _copy_pages() -> None:
    shutil.rmtree(PAGES, ignore_errors=True)
    shutil.copytree(ROOT / "docs", PAGES)
    for path in PAGES.rglob("*.md"):
        path.write_text(with_formulas(path.read_text(encoding="utf-8")), encoding="utf-8")


_FORMULA = re.compile(r"^```math\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def with_formulas(text: str) -> str:
    """Write each block of LaTeX as MathML, which browsers set without a script."""

    def mathml(match: re.Match[str]) -> str:
        latex = " ".join(match[1].split())
        found = latex2mathml.converter.convert(latex, display="block")
        return f'<div class="formula" tabindex="0">{found}</div>'

    return _FORMULA.sub(mathml, text)


def _write(name: str, text: str) -> None:
    (PAGES / name).parent.mkdir(parents=True, exist_ok=True)
    (PAGES / name).write_text(text, encoding="utf-8")


def config() -> str:
    """Give the site's configuration with the folders of the build."""
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for before, after in (
        ("docs_dir: docs", f"docs_dir: {PAGES.name}"),
        ("site_dir: build/site", f"site_dir: {SITE.name}"),
        ("paths: [src]", "paths: [../src]"),
    ):
        assert before in text, before
        text = text.replace(before, after)
    return text


def changelog() -> str:
    """Give the changelog with links from the folder of the pages."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    return re.sub(r"\]\(docs/", "](", text)


def llms(nav: str) -> str:
    """List every page for a language model, as https://llmstxt.org describes."""
    entries = [
        f"- [{title or 'Home'}]({page.removesuffix('index.md').removesuffix('.md') or '.'}/)"
        for _, title, page in _ENTRY.findall(nav)
        if not page.startswith("decisions/")
    ]
    opening = (
        "# sightline\n\n> Can this model's attention be trusted as an explanation?\n\n## Pages\n"
    )
    return "\n".join([opening, *entries, ""])


# ---------------------------------------------------------------- notebooks


def tutorial(path: Path, *, quick: bool) -> str:
    """Write a notebook as a page, with the outputs of its cells."""
    notebook = nbformat.read(path, as_version=4)
    if not quick:
        folder = BUILD / "notebooks" / path.stem
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        env = os.environ | {"PATH": os.pathsep.join([str(BIN), os.environ["PATH"]])}
        resources = {"metadata": {"path": str(folder)}}
        NotebookClient(notebook, timeout=600, resources=resources).execute(env=env)
    parts = [part for n, cell in enumerate(notebook.cells) for part in _cell(cell, path.stem, n)]
    title, *rest = parts
    place = f"This page is the notebook `examples/{path.name}`, run when the site was built."
    return "\n\n".join([title, place, *rest, ""])


def _cell(cell: nbformat.NotebookNode, stem: str, number: int) -> Iterator[str]:
    if cell.cell_type == "markdown":
        yield cell.source
        return
    yield f"```python\n{cell.source}\n```"
    for n, output in enumerate(cell.outputs):
        if output.output_type == "stream":
            yield _fenced(output.text)
        elif output.output_type in ("display_data", "execute_result"):
            yield _displayed(output.data, f"{stem}-{number}-{n}")


_AS_HIGH = "this.style.height = Math.min(600, this.contentDocument.body.scrollHeight + 40) + 'px'"
"""JavaScript that makes a frame as high as its content; a whole report is scrolled in it."""


def _displayed(data: dict[str, str], name: str) -> str:
    """Show an image or a report as such, and anything else as its text."""
    if "image/png" in data:
        return f"![What the cell draws](data:image/png;base64,{data['image/png'].strip()})"
    if "image/svg+xml" in data:
        _write(f"tutorials/{name}.svg", data["image/svg+xml"])
        return f"![What the cell draws]({name}.svg)"
    if "text/html" in data:
        page = data["text/html"]
        if "<html" not in page:
            page = f'<!doctype html><meta charset="utf-8"><title>{name}</title>{page}'
        _write(f"tutorials/{name}.html", page)
        return (
            f'<iframe src="{name}.html" title="What the cell displays" width="100%" height="400" '
            f'style="border: 1px solid #8885" onload="{_AS_HIGH}"></iframe>'
        )
    return _fenced(data.get("text/plain", ""))


def _fenced(text: str) -> str:
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text).rstrip()
    return f"```text\n{plain}\n```" if plain else ""


# ---------------------------------------------------------------- reports


def example_reports() -> dict[str, Path]:
    """Make the demo's audits, and give each report by its name."""
    folder = BUILD / "gallery"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    subprocess.run([str(BIN / "sightline"), "demo"], cwd=folder, check=True)
    return {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*.html"))}


def gallery(reports: dict[str, Path]) -> str:
    """Link the reports that were made when the site was built."""
    lines = ["# Gallery of reports", ""]
    lines += ["Reports of `sightline demo`, made when the site was built.", ""]
    for name, path in reports.items():
        place = f"reports/{name.replace('/', '-')}"
        (PAGES / place).parent.mkdir(exist_ok=True)
        shutil.copyfile(path, PAGES / place)
        title = re.search(r"<title>(.*?)</title>", path.read_text(encoding="utf-8"), re.DOTALL)
        lines.append(f"* [{title[1].strip() if title else name}]({place})")
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    sys.exit(main())
