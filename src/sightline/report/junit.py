"""An audit as JUnit XML, which build servers show: one test case for each verdict and each test.

A test case fails where a release should stop: a map must not be shown, or a test failed that
affects the verdict. Informational tests cannot fail a build. They are listed as skipped with their
result, like all tests that are inconclusive or were not run. A label whose audit ended with an error
is an error.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal
from xml.etree import ElementTree as Xml

from sightline.core.results import MUST_NOT, Finding, Results, Verdict
from sightline.report.gates import outcome
from sightline.report.sanitize import one_line
from sightline.report.sentences import headline, of_classes, opened

_Status = Literal["passed", "failure", "error", "skipped"]


@dataclass(frozen=True)
class _Case:
    name: str
    status: _Status
    message: str


def junit(
    audits: Mapping[int, Results] | Mapping[str, Results],
    left_out: Mapping[str, str] | None = None,
    failed: Collection[str] = (),
) -> str:
    """Write audits by seed or label as one XML document, one test suite each.

    A label that was not audited is skipped, with its reason; one whose audit ``failed`` is an error.
    """
    root = Xml.Element("testsuites")
    for one, audit in audits.items():
        name = "sightline" if len(audits) == 1 else f"sightline, seed {one}"
        if isinstance(one, str):
            name = _of_label(one)
        _add_suite(root, name, [*_verdicts(audit.verdict), *map(_tested, audit.findings)])
    for label, why in (left_out or {}).items():
        case = _Case("Audit", "error" if label in failed else "skipped", opened(why))
        _add_suite(root, _of_label(label), [case])
    Xml.indent(root)
    return Xml.tostring(root, encoding="unicode", xml_declaration=False) + "\n"


def _of_label(label: str) -> str:
    return one_line(f"sightline, label {label}")


def _verdicts(verdict: Verdict) -> Iterator[_Case]:
    """Give the verdict over all texts, then for each predicted class, because maps are shown by
    class.
    """
    yield _judged("Verdict", verdict, headline(verdict))
    for name, of_class in verdict.by_class.items():
        yield _judged(f"Verdict{of_classes([name])}", of_class, of_class.level)


def _judged(name: str, verdict: Verdict, words: str) -> _Case:
    """Give a verdict with its first reason, and the numbers behind it."""
    message = ". ".join((opened(words), *(opened(str(one)) for one in verdict.reasons[:1])))
    if verdict.level.permits:
        return _Case(name, "passed", message)
    return _Case(name, "failure" if verdict.level == MUST_NOT else "skipped", message)


def _tested(finding: Finding) -> _Case:
    status: _Status = "passed" if finding.result == "passed" else "skipped"
    if finding.result == "failed" and finding.bears:
        status = "failure"
    return _Case(finding.title, status, f"{outcome(finding)} ({finding.role})")


def _add_suite(root: Xml.Element, name: str, cases: list[_Case]) -> None:
    counts = {
        "tests": len(cases),
        "failures": sum(case.status == "failure" for case in cases),
        "errors": sum(case.status == "error" for case in cases),
        "skipped": sum(case.status == "skipped" for case in cases),
    }
    attributes = {key: str(count) for key, count in counts.items()}
    suite = Xml.SubElement(root, "testsuite", {"name": name, **attributes})
    for case in cases:
        names = {"classname": "sightline", "name": one_line(case.name)}
        element = Xml.SubElement(suite, "testcase", names)
        message = one_line(case.message)
        if case.status == "passed":
            Xml.SubElement(element, "system-out").text = message
        else:
            Xml.SubElement(element, case.status, {"message": message})
