"""What a release asks for, and the workflow that makes one."""

import re
import subprocess
import sys
from typing import Any

import pytest
import yaml
from release_check import ROOT, missing

WHOLE = {
    "pyproject": '[project]\nversion = "1.2.0"\n[project.urls]\n'
    'Repository = "https://example.org/r"\nDocumentation = "https://example.org/d"\n',
    "citation": "version: 1.2.0\nrepository-code: https://example.org/r\n",
    "changelog": "# Changes\n\n## 1.2.0 (2026-11-26)\n",
    "tag": "v1.2.0",
}
WORKFLOW: dict[Any, Any] = yaml.safe_load(
    (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
)


def test_a_whole_release_lacks_nothing() -> None:
    assert [*missing(**WHOLE)] == []


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [
        ("pyproject", '[project]\nversion = "1.2.0"\n', "pyproject.toml"),
        ("pyproject", WHOLE["pyproject"].replace("https:", "file:", 1), "pyproject.toml"),
        ("citation", "version: 1.2.0\n", "CITATION.cff"),
        ("citation", WHOLE["citation"].replace("1.2.0", "1.1.0"), "CITATION.cff"),
        ("changelog", "# Changes\n\n## 1.2.01\n", "CHANGELOG.md"),
        ("tag", "v1.3.0", "tag"),
    ],
)
def test_what_a_release_lacks_is_named(name: str, text: str, place: str) -> None:
    found = [*missing(**WHOLE | {name: text})]
    assert {one.partition(":")[0] for one in found} == {place}


def test_only_the_job_that_publishes_may_ask_for_a_token() -> None:
    jobs = WORKFLOW["jobs"]
    assert [name for name, job in jobs.items() if "permissions" in job] == ["publish"]
    assert jobs["publish"]["permissions"] == {"id-token": "write"}
    assert WORKFLOW["permissions"] == {"contents": "read"}
    assert jobs["publish"]["needs"] == "build"


def test_every_command_of_the_workflow_exists() -> None:
    steps = WORKFLOW["jobs"]["build"]["steps"]
    lines = [line for step in steps for line in step.get("run", "").splitlines()]
    modules = {found for line in lines for found in re.findall(r"^python -m (\w+)", line)}
    assert modules == {"pip", "build", "venv"}
    for module in modules:
        subprocess.run([sys.executable, "-m", module, "--help"], check=True, capture_output=True)
    scripts = [found for line in lines for found in re.findall(r"scripts/\S+", line)]
    assert scripts
    assert [one for one in scripts if not (ROOT / one).is_file()] == []
    known = (
        r"python (-m|scripts/)|build/bare/bin/pip |bare/bin/sightline demo$|cyclonedx-py |cd build$"
    )
    assert [line for line in lines if not re.match(known, line)] == []


def test_only_packages_are_published() -> None:
    build, publish = (WORKFLOW["jobs"][name]["steps"] for name in ("build", "publish"))
    kept = {
        step["with"]["name"]: step["with"]["path"]
        for step in build
        if "name" in step.get("with", {})
    }
    assert kept["packages"] == "dist/"
    assert not kept["bill-of-materials"].startswith("dist/")
    assert [step["with"]["name"] for step in publish if "with" in step] == ["packages"]
