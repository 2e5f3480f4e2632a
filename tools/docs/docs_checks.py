"""Does the documentation agree with the code? Each check returns complaints, and none if all is
well.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from docs_parts import BLOCK, UNTESTED, tests_of
from docs_tables import ROOT, finding_page

from sightline.config.data_parts import PLANTED, PUBLISHED, TABLES
from sightline.config.measure_registry import MEASURES
from sightline.config.model_parts import MODELS
from sightline.core.results import VERDICTS
from sightline.report.figures.figure_registry import FIGURES
from sightline.verdict.catalogue import AUDIT_TESTS
from sightline.verdict.thresholds import Thresholds

Pages = Mapping[str, str]
"""Texts by path from the root of the checkout."""
Exists = Callable[[str], bool]

DEMO, DEMO_PAGE = "demo output", "docs/get-started.md"
"""The generated part with the demo's output, and its page."""
DEMO_MODELS = 2
_LINK = re.compile(r"\[[^\]\n]*\]\((?P<target>[^)\s]+)\)")
_FILE = re.compile(r"`((?:\w+/)+\w+\.(?:py|json|toml|sh))`")
_FLAG = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
_RENAMED = {"--companions", "--reading"}
"""Flags that have another name now, on pages that say what was."""
_HISTORY = ("CHANGELOG.md", "docs/decisions/")
_VERDICT = re.compile(r"^VERDICT   .*$", re.MULTILINE)


def check_fresh(pages: Pages, remade: Pages) -> list[str]:
    """Name pages that differ from their regeneration, with the first differing lines."""
    stale = [name for name, text in remade.items() if text != pages.get(name)]
    return [
        f"{name} is not up to date (make docs):{_difference(pages.get(name, ''), remade[name])}"
        for name in stale
    ]


def _difference(old: str, new: str) -> str:
    lines = list(difflib.unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=0))
    return "".join(f"\n    {line}" for line in lines[2:10])


def check_markers(pages: Pages, made: Iterable[str]) -> list[str]:
    """Name markers that nothing fills, markers that never close, and generated parts that are on
    no page.
    """
    marker = re.compile(r"^<!-- ([^/\n].*?) -->$", re.MULTILINE)
    opened = {(name, mark) for name, text in pages.items() for mark in marker.findall(text)}
    closed = {
        (name, match["name"]) for name, text in pages.items() for match in BLOCK.finditer(text)
    }
    known = {*made, DEMO}
    unfilled = [
        f"{name}: nothing fills <!-- {mark} -->"
        for name, mark in sorted(closed)
        if mark not in known
    ]
    torn = [f"{name}: <!-- {mark} --> does not close" for name, mark in sorted(opened - closed)]
    missing = sorted(known - {mark for _, mark in closed})
    return unfilled + torn + [f"no page has <!-- {mark} -->" for mark in missing]


def check_links(pages: Pages, exists: Exists) -> list[str]:
    """Name relative links without a target, and links out of docs, which the site could not
    follow.
    """
    complaints = []
    for name, text in pages.items():
        for target in dict.fromkeys(match["target"] for match in _LINK.finditer(_prose(text))):
            trouble = "" if re.match(r"[a-z]+:", target) else _trouble(name, target, pages, exists)
            complaints += [f"{name}: {trouble} the link {target}"] if trouble else []
    return complaints


def _trouble(name: str, target: str, pages: Pages, exists: Exists) -> str:
    path, _, anchor = target.partition("#")
    found = _resolved(name, path) if path else name
    if found not in pages and not exists(found):
        return "no file for"
    if anchor and anchor not in _anchors(pages.get(found, "")):
        return "no heading for"
    return (
        "outside of docs is" if name.startswith("docs/") and not found.startswith("docs/") else ""
    )


def _resolved(name: str, path: str) -> str:
    parts: list[str] = []
    for part in [*name.split("/")[:-1], *path.split("/")]:
        if part == "..":
            del parts[-1:]
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def _anchors(text: str) -> set[str]:
    """Give the anchors that work both in the repository and on the site: headings, and ids that a
    page sets itself.
    """
    titles = re.findall(r"^#+ (.+)$", _prose(text), re.MULTILINE)
    ids = set(re.findall(r'^<a id="([\w-]+)"></a>$', _prose(text), re.MULTILINE))
    headings = {_in_repository(title) for title in titles} & {_on_site(title) for title in titles}
    return headings | ids


def _in_repository(title: str) -> str:
    return re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-")


def _on_site(title: str) -> str:
    """Make an anchor as MkDocs does: only ASCII, with dashes joined."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode()
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", plain).strip().lower())


def _prose(text: str) -> str:
    """Leave out fenced code, in which brackets are no links."""
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def check_files(pages: Pages, exists: Exists) -> list[str]:
    """Name files of the checkout that a page mentions and that do not exist; NAME and verified
    results are placeholders.
    """
    named = sorted({(name, file) for name, text in pages.items() for file in _FILE.findall(text)})
    return [
        f"{name}: there is no {file}"
        for name, file in named
        if not (
            exists(file)
            or exists(f"src/sightline/{file}")
            or "NAME" in file
            or file.startswith("docs/verified/")
        )
    ]


def check_flags(pages: Pages, known: set[str]) -> list[str]:
    """Name flags on a page that no command has."""
    named = sorted({(name, flag) for name, text in pages.items() for flag in _FLAG.findall(text)})
    return [
        f"{name}: no command has {flag}"
        for name, flag in named
        if flag not in (known | _RENAMED if name.startswith(_HISTORY) else known)
    ]


def check_findings(pages: Pages) -> list[str]:
    """Name each test without a page that opens with its sentence and gives its role, or without a
    test file that names it.
    """
    complaints = [
        label
        for code in AUDIT_TESTS
        for label in _page_of(code, pages.get(f"docs/{finding_page(code)}", ""))
    ]
    known = {f"docs/{finding_page(code)}" for code in AUDIT_TESTS}
    return complaints + [
        f"{n} is about no claim" for n in pages if n.startswith("docs/findings/") and n not in known
    ]


def _page_of(code: str, page: str) -> list[str]:
    name, opening = f"docs/{finding_page(code)}", f"# {code}: {AUDIT_TESTS[code].passed}"
    description = (
        [] if page.startswith(f"{opening}\n") else [f"{name} does not open with '{opening}'"]
    )
    if page and f"Role in the verdict: {AUDIT_TESTS[code].role}" not in page:
        description.append(f"{name} does not say 'Role in the verdict: {AUDIT_TESTS[code].role}'")
    return description + (
        [f"no test names {code} (its rooms: tests/verdict, tests/planted)"]
        if UNTESTED in tests_of(code)
        else []
    )


def check_thresholds(known: Thresholds) -> list[str]:
    """Name tests without a threshold, and thresholds without a test."""
    missing = [
        code
        for code, one in AUDIT_TESTS.items()
        if one.fixed is None and code not in known.threshold
    ]
    unknown = [code for code in {**known.threshold, **known.minimum} if code not in AUDIT_TESTS]
    lines = [
        (
            f"thresholds.json: no threshold for {code}; validation/set_thresholds.py sets it from "
            "what was measured"
        )
        for code in missing
    ]
    return lines + [
        f"thresholds.json: a threshold for {code}, which no test has; take it out"
        for code in unknown
    ]


def check_named(pages: Pages) -> list[str]:
    """Name measures, figures, parts, corpora, options and verdicts that their page leaves out."""
    wanted = [("docs/measures", f"\n## {code}\n") for code in MEASURES]
    wanted += [("docs/figures", f"\n## {name}\n\n![") for name in FIGURES]
    wanted += [("docs/models.md", f"{row.kind} `{row.name}`") for row in MODELS]
    wanted += [("docs/planted.md", f"planted:{row.name}(") for row in PLANTED]
    wanted += [("docs/corpora.md", f"| `{row.name}:") for row in PUBLISHED]
    wanted += [("docs/data.md", f"`.{row.name}`") for row in TABLES]
    wanted += [
        (page, _option(*option))
        for page, rows in (
            ("docs/corpora.md", PUBLISHED),
            ("docs/models.md", MODELS),
            ("docs/planted.md", PLANTED),
        )
        for row in rows
        for option in row.defaults.items()
    ]
    wanted += [(page, verdict) for page in ("README.md", "docs/verdict.md") for verdict in VERDICTS]
    return [
        f"{page} does not have {text.strip()!r}"
        for page, text in dict.fromkeys(wanted)
        if text not in text_under(pages, page)
    ]


def text_under(pages: Pages, place: str) -> str:
    """Give a page, or all pages of a folder joined."""
    return pages.get(place) or "".join(
        f"\n{text}" for name, text in pages.items() if name.startswith(f"{place.rstrip('/')}/")
    )


def _option(key: str, value: object) -> str:
    return f"`{key}=" if isinstance(value, bool) else f"`{key}={value}`"


AT_THE_BUILD = {"docs/changelog.md", "docs/gallery.md"} | {
    f"docs/tutorials/{path.stem}.md" for path in (ROOT / "examples").glob("*.ipynb")
}
"""Pages that exist on the site only: `make_site.py` writes them."""


def check_nav(pages: Pages, nav: str) -> list[str]:
    """Name pages that the site leaves out, and entries of its menu without a page."""
    entries = {
        f"docs/{name}"
        for name in re.findall(r"^\s*- (?:[^\n]*: )?([\w/-]+\.md)$", nav, re.MULTILINE)
    }
    there = {name for name in pages if name.startswith("docs/")} | AT_THE_BUILD
    left_out = [f"{name} is not in mkdocs.yml" for name in sorted(there - entries)]
    return left_out + [
        f"mkdocs.yml names {name}, which is not there" for name in sorted(entries - there)
    ]


_TESTS = re.compile(r"(?<=^  - Tests:\n)(?: {6}- \"?[^\n]*findings/.*\n)+", re.MULTILINE)


def nav_with_findings(nav: str) -> str:
    """Write the lines of the site's menu that name the tests."""
    lines = "".join(
        f"      - {claim.name} ({code}): {finding_page(code)}\n"
        for code, claim in AUDIT_TESTS.items()
    )
    return _TESTS.sub(lambda _: lines, nav)


def check_menu(nav: str) -> list[str]:
    """Complain if the menu names tests differently from their rows."""
    return (
        []
        if nav_with_findings(nav) == nav
        else ["mkdocs.yml does not name the tests as verdict/catalogue.py does (make docs)"]
    )


def check_demo(pages: Pages, fresh: str | None = None) -> list[str]:
    """Complain if the page of the demo lacks a verdict, or if its verdicts differ from a fresh
    run.
    """
    page = pages.get(DEMO_PAGE, "")
    shown = next((match["body"] for match in BLOCK.finditer(page) if match["name"] == DEMO), "")
    if len(_VERDICT.findall(shown)) != DEMO_MODELS:
        return [
            f"{DEMO_PAGE}: the demo's output lacks {DEMO_MODELS} verdicts (make_docs.py --demo)"
        ]
    if fresh is None or stable(shown) == stable(fresh):
        return []
    return [
        f"{DEMO_PAGE}: the demo now gives {stable(fresh)}, not {stable(shown)} (make_docs.py --demo)"
    ]


def stable(output: str) -> list[str]:
    """Keep the verdicts of a demo's output, which every machine must give; drop the digits."""
    return _VERDICT.findall(output)


def exists_here(name: str) -> bool:
    """Whether the checkout has a file or folder of that name."""
    path: Path = ROOT / name
    return path.exists()
