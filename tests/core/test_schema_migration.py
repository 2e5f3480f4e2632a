"""Audits of schema 3 say the same under the names of this schema."""

import json
import tarfile
from pathlib import Path

import pytest

from sightline.audits.audit_storage import load_results, save_results
from sightline.core.errors import SightlineError
from sightline.core.results import SCHEMA, Level, Reason
from sightline.core.schema_migration import FORMER, migrated, migrated_run
from sightline.verdict.catalogue import AUDIT_TESTS
from tests.report import audits


def former(summary: dict) -> dict:
    """Write a summary as schema 3 had it."""
    results = {"passed": "supported", "failed": "contradicted", "not run": "not applicable"}
    roles = {"required": "decides", "must not fail": "caveat", "informational": "context"}

    def verdict(now: dict) -> dict:
        reasons = []
        for one in now["reasons"]:
            tested = (
                f"{one['code']} {results.get(one['result'], one['result'])}: "
                if one["code"]
                else ""
            )
            reasons.append(tested + one["words"] + (f" ({one['behind']})" if one["behind"] else ""))
        by_class = {name: verdict(one) for name, one in now["by_class"].items()}
        kept = {name: value for name, value in now.items() if name != "level"}
        return kept | {"text": now["level"], "reasons": reasons, "by_class": by_class}

    def finding(now: dict) -> dict:
        fields = {
            "name": "claim",
            "result": "verdict",
            "score": "effect",
            "threshold": "delta",
            "baseline": "floor",
        }
        before = {fields.get(name, name): value for name, value in now.items()}
        before["answers"] = {name: results.get(one, one) for name, one in now["answers"].items()}
        return before | {
            "verdict": results.get(now["result"], now["result"]),
            "role": roles[now["role"]],
        }

    maps = [one | {"answer": results.get(one["answer"], one["answer"])} for one in summary["maps"]]
    kept = {name: value for name, value in summary.items() if name not in ("not_run", "errors")}
    return kept | {
        "schema": FORMER,
        "verdict_detail": verdict(summary["verdict_detail"]),
        "findings": [finding(one) for one in summary["findings"]],
        "maps": maps,
        "not_applicable": summary["not_run"],
        "failed": summary["errors"],
    }


def test_an_audit_of_schema_3_is_read_as_it_would_be_written_today(tmp_path: Path) -> None:
    now = audits.compared(audits.by_class())
    folder = save_results(now, tmp_path / "audit")
    file = folder / "audit.json"
    file.write_text(json.dumps(former(json.loads(file.read_text()))))
    (folder / "SHA256SUMS").unlink()
    read = load_results(folder)
    assert read.verdict == now.verdict
    assert [(one.code, one.result, one.role, one.score) for one in read.findings] == [
        (one.code, one.result, one.role, one.score) for one in now.findings
    ]
    assert read.maps == now.maps


@pytest.mark.parametrize(
    ("printed", "reason"),
    [
        (
            "SL-105 inconclusive: not shown (n = 3; (2))",
            Reason("not shown", "SL-105", "inconclusive", "n = 3; (2)"),
        ),
        (
            "SL-301 contradicted: it changes nothing",
            Reason("it changes nothing", "SL-301", "failed"),
        ),
        ("18 test texts; a verdict rests on 50", Reason("18 test texts; a verdict rests on 50")),
        (
            "SL-402 not applicable: a state stands (x)",
            Reason("not tested: a state stands", "SL-402", "not run", "x"),
        ),
    ],
)
def test_a_printed_reason_becomes_its_parts(printed: str, reason: Reason) -> None:
    detail = {
        "text": "cannot tell",
        "row": 6,
        "decided_by": [],
        "reasons": [printed],
        "by_class": {},
    }
    summary = {
        "verdict_detail": detail,
        "findings": [],
        "maps": [],
        "not_applicable": {},
        "failed": {},
    }
    (read,) = migrated(summary)["verdict_detail"]["reasons"]
    assert Reason(**read) == reason
    assert migrated(summary)["verdict_detail"]["level"] == Level.CANNOT_TELL


def test_a_damaged_audit_of_schema_3_is_refused_by_its_file(tmp_path: Path) -> None:
    folder = save_results(audits.audit(), tmp_path / "audit")
    (folder / "SHA256SUMS").unlink()
    (folder / "audit.json").write_text(json.dumps({"schema": FORMER}))
    with pytest.raises(SightlineError, match=r"audit\.json"):
        load_results(folder)


def test_the_summary_of_a_stored_run_is_read_and_what_is_none_is_left() -> None:
    summary = {"findings": {"SL-301": {"verdict": "contradicted", "effect": None}}}
    assert migrated_run(summary) == {"findings": {"SL-301": {"result": "failed", "score": None}}}
    assert migrated_run(migrated_run(summary)) == migrated_run(summary)
    assert (migrated_run([]), migrated_run({"findings": None})) == ([], {"findings": None})


def test_an_audit_that_the_version_before_saved_is_read_with_every_number(tmp_path: Path) -> None:
    with tarfile.open(Path(__file__).parents[1] / "saved" / "schema-3.tar.gz") as packed:
        packed.extractall(tmp_path, filter="data")
    before = json.loads((tmp_path / "schema3" / "audit.json").read_text())
    assert before["schema"] == FORMER
    read = load_results(tmp_path / "schema3")
    results = {"supported": "passed", "contradicted": "failed", "not applicable": "not run"}
    for was, now in zip(before["findings"], read.findings, strict=True):
        assert (now.code, now.result) == (was["code"], results.get(was["verdict"], was["verdict"]))
        assert now.name == AUDIT_TESTS[now.code].name
        assert (now.threshold, now.p) == (was["delta"], was["p"])
        for score, number in (
            (now.score, was["effect"]),
            (now.baseline, was["floor"]),
            (now.number, was["number"]),
        ):
            assert (score and score.n) == (number and number["n"])
            assert score is None or number["value"] is None or score.value == number["value"]
    assert {one.result for one in read.findings} >= {"not run", "inconclusive"}
    assert (read.verdict.level, read.verdict.row) == (
        before["verdict"],
        before["verdict_detail"]["row"],
    )
    assert len(read.verdict.reasons) == len(before["verdict_detail"]["reasons"])
    assert {of: one.row for of, one in read.verdict.by_class.items()} == {
        of: one["row"] for of, one in before["verdict_detail"]["by_class"].items()
    }
    again = save_results(read, tmp_path / "again")
    assert json.loads((again / "audit.json").read_text())["schema"] == SCHEMA
    assert load_results(again).findings == read.findings
