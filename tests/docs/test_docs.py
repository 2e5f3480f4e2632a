"""The documentation is true of the code, and each check that says so can fail."""

import csv
import re
import sys
import types
from pathlib import Path
from typing import Any

import docs_checks as checks
import docs_claims
import docs_commands as commands
import docs_promises as promised
import docs_real as real
import docs_results as results
import docs_tables as tables
import docs_trained as models_trained
import make_docs
import numpy as np
import pytest

from sightline.audits import run as auditing
from sightline.audits.audit_result import Audit
from sightline.config.measure_needs import NEEDS
from sightline.config.presets import build_specs
from sightline.config.spec_syntax import parse_data, parse_model
from sightline.config.specs import RunSpec
from sightline.config.word_maps import MAPS
from sightline.core.needs import offered, out_of_reach
from sightline.core.results import Measurement
from sightline.data.load_dataset import load
from sightline.data.vocabulary import Vocabulary
from sightline.experiments.pipeline import run
from sightline.measures.default_measures import default_measures
from sightline.models.classifier import build
from sightline.verdict.catalogue import AUDIT_TESTS
from sightline.verdict.thresholds import Thresholds, default_thresholds
from tests.snapshots import refused, same_text

ROOT = Path(__file__).resolve().parents[2]

NAV = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return make_docs.read_pages()


@pytest.fixture(scope="module")
def fresh(pages: dict[str, str]) -> dict[str, str]:
    """Pages as they ought to be, so that one stale page fails one test."""
    return make_docs.remake(pages)


@pytest.fixture(scope="module")
def audit() -> Audit:
    model, fit = build_specs("mlp(hidden=8)", epochs=2)
    data = parse_data("planted:needle(n=120,length=6,ending=true)")
    return run(RunSpec(data, model, fit, companions=("uniform", "frozen")))[1]


@pytest.mark.slow
def test_the_documentation_is_true_of_the_code(pages):
    assert make_docs.complaints(pages, NAV) == []


# ---------------------------------------------------------------- each check can fail


def test_a_page_changed_by_hand_is_stale(fresh):
    threshold = "docs/findings/SL-101.md"
    broken = fresh | {threshold: fresh[threshold].replace("Threshold: **", "Threshold: **9")}
    (message,) = checks.check_fresh(broken, make_docs.remake(broken))
    assert threshold in message
    assert "Threshold: **9" in message


def test_a_missing_page_of_commands_is_stale(fresh):
    without = {name: text for name, text in fresh.items() if name != "docs/cli.md"}
    (message,) = checks.check_fresh(without, make_docs.remake(without))
    assert message.startswith("docs/cli.md is not up to date (make docs):\n    @@")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<!-- a -->\n<!-- /a -->", []),
        ("<!-- a -->\n<!-- /a -->\n<!-- c -->\n<!-- /c -->", ["p: nothing fills <!-- c -->"]),
        ("<!-- a -->\n", ["p: <!-- a --> does not close", "no page has <!-- a -->"]),
        ("", ["no page has <!-- a -->"]),
    ],
)
def test_markers_are_filled_closed_and_there(text, message):
    demo = "<!-- demo output -->\n<!-- /demo output -->"
    assert checks.check_markers({"p": text, "demo": demo}, ["a"]) == message


@pytest.mark.parametrize(
    ("link", "message"),
    [
        ("[x](b.md)", []),
        ("[x](b.md#two-words-and-more)", []),
        ("[x](#here)", []),
        ("[x](https://example.org/nowhere)", []),
        ("```\n[x](nowhere.md)\n```", []),
        ("[x](nowhere.md)", ["docs/a.md: no file for the link nowhere.md"]),
        ("[x](b.md#three)", ["docs/a.md: no heading for the link b.md#three"]),
        ("[x](../README.md)", ["docs/a.md: outside of docs is the link ../README.md"]),
    ],
)
def test_links_lead_somewhere(link, message):
    pages = {
        "docs/a.md": f"# Here\n{link}\n",
        "docs/b.md": "## Two words, and more\n",
        "README.md": "",
    }
    assert checks.check_links(pages, lambda name: False) == message


def test_named_files_exist():
    pages = {
        "p": (
            "`numerics/rank_agreement.py`, `tests/maths/test_NAME.py`, `docs/verified/x.json`, "
            "`maths/nowhere.py`"
        )
    }
    same_text("docs", checks.check_files(pages, checks.exists_here))


def test_named_flags_exist():
    pages = {"p": "`--seed`, `--nonsense`, a--dash, ---"}
    same_text("docs", checks.check_flags(pages, commands.flags()))


def test_every_finding_has_a_page_that_opens_with_its_claim(pages):
    name = "docs/findings/SL-103.md"
    other = {"docs/findings/SL-999.md": "# SL-999: nothing\n"}
    without = {n: text for n, text in pages.items() if n != name}
    same_text("docs", checks.check_findings(without))
    silent = pages[name].replace("Role in the verdict: context", "")
    same_text("docs", checks.check_findings(pages | {name: silent}))
    same_text("docs", checks.check_findings(pages | other))


@pytest.mark.parametrize(
    ("place", "page", "text"),
    [
        ("docs/measures", "docs/measures/words.md", "\n## erasure\n"),
        ("docs/figures", "docs/figures/words.md", "\n## heat-map\n\n!["),
        ("docs/models.md", "docs/models.md", "source `random`"),
        ("docs/models.md", "docs/models.md", "`layers=1`"),
        ("docs/planted.md", "docs/planted.md", "planted:vote("),
        ("docs/data.md", "docs/data.md", "`.jsonl`"),
        ("docs/planted.md", "docs/planted.md", "`strength=0.7`"),
        ("docs/verdict.md", "docs/verdict.md", "must not be shown"),
    ],
)
def test_nothing_registered_may_be_left_out(pages, place, page, text):
    assert checks.check_named(pages | {page: pages[page].replace(text, "")}) == [
        f"{place} does not have {text.strip()!r}"
    ]


def test_the_page_of_transformers_names_the_tests_that_none_of_them_takes(pages):
    offers = offered({"decode", "embedding_grad", "layers"})
    never = [code for code, one in AUDIT_TESTS.items() if out_of_reach(NEEDS[one.measure], offers)]
    (line,) = (
        one
        for one in pages["docs/transformers.md"].splitlines()
        if one.startswith("**Which tests cannot run?**")
    )
    named = dict.fromkeys(re.findall(r"SL-\d+", line.partition("No control model")[0]))
    assert sorted(named) == sorted(never)


def test_every_test_has_a_threshold_and_nothing_else_has():
    assert checks.check_thresholds(default_thresholds()) == []
    without = Thresholds(
        {code: 0.1 for code in AUDIT_TESTS if code != "SL-104"} | {"SL-999": 0.1}, 50
    )
    assert [line.partition(";")[0] for line in checks.check_thresholds(without)] == [
        "thresholds.json: no threshold for SL-104",
        "thresholds.json: a threshold for SL-999, which no test has",
    ]


def test_the_site_holds_every_page_and_no_other(pages):
    assert checks.check_nav(pages | {"docs/new.md": ""}, NAV) == [
        "docs/new.md is not in mkdocs.yml"
    ]
    same_text("docs", checks.check_nav(pages, NAV + "  - Gone: gone.md\n"))


def test_the_demo_is_compared_in_what_is_stable(pages):
    page = pages[checks.DEMO_PAGE]
    assert checks.check_demo(pages, page.replace("0.", "1.")) == []
    other = page.replace("must not be shown", "can be shown")
    assert other != page
    (message,) = checks.check_demo(pages, other)
    assert "now gives" in message
    same_text("docs", checks.check_demo({checks.DEMO_PAGE: page.replace("VERDICT  ", "")}))


# ---------------------------------------------------------------- what is generated


def test_filling_twice_changes_nothing(fresh):
    assert make_docs.remake(fresh) == fresh


def test_every_command_and_flag_is_on_the_page_of_commands():
    page = commands.commands_page()
    assert re.findall(r"^## (.+)$", page, re.MULTILINE) == [
        "demo",
        "train",
        "audit",
        "look",
        "predict",
        "report",
        "card",
        "figure",
        "table",
        "compare",
        "export",
        "study",
        "results",
        "list",
        "check-data",
        "check-model",
        "vectors",
        "doctor",
    ]
    assert [flag for flag in commands.flags() - {"--help"} if f"`{flag}" not in page] == []
    assert "| `AUDIT_DIR` | A folder" in page
    assert "| `--controls uniform&#124;frozen&#124;" in page
    assert "| `--seed N` | Seed of everything random: splits, weights, draws. Default: 0. |" in page


def test_what_was_not_counted_yet_is_said(monkeypatch, tmp_path):
    monkeypatch.setattr(tables, "ROOT", tmp_path)
    monkeypatch.setattr(tables, "all_kept", dict)
    for name in (
        "table: chaos",
        "table: repeats",
        "table: worlds",
        "table: coverage",
        "table: real",
        "table: trained",
        "table: full stop",
        "example SL-303",
    ):
        assert results.RESULTS[name]().startswith("Not counted yet: `validation/verify.py --only ")


def test_results_of_worlds_become_tables():
    def share(count: int) -> dict[str, Any]:
        return {"count": count, "share": count / 200, "interval": [0.0, 1.0]}

    group = {
        "world": "needle", "encoder": "mlp", "n_cells": 200, "accuracy_mean": 0.987, "right": 190,
        "rows": {str(row): share(190 if row == 5 else 2) for row in range(1, 8)},
    }  # fmt: skip
    held = {
        "name": "needle, mlp: row 4 5",
        "count": 190,
        "of": 200,
        "limit": "≥ 190",
        "holds": True,
    }
    broken = {"name": "needle | cnn", "count": 3, "of": 50, "limit": "≤ 1", "holds": False}
    stored = {
        "cells": 2000, "seeds": [0, 199], "groups": [group], "hours": 1.25, "gates": [held, broken],
        "environment": {"versions": {"torch": "2.0"}, "threads": 1},
    }  # fmt: skip
    told, result = results.cost_and_gates(stored), results.worlds(stored)
    same_text("docs", f"{told}\n{result}")
    assert "**1 of 2 gates hold.**" in told
    assert "| needle &#124; cnn | 3 of 50 | ≤ 1 |" in told
    assert "| needle | mlp | 0.99 | 200 | 190 | 2 | 2 | 2 | 2 | 2 | 190 | 2 |" in result
    assert "| 4, 5 |" in result
    assert "what fails" not in results.cost_and_gates(stored | {"gates": [held]})
    assert "planned" not in told
    part = results.cost_and_gates(stored | {"planned": 8150, "hours_left": 21.3})
    assert (
        "**2,000 of 8,150 planned runs are counted**; the rest would take about 21.3 hours "
        "of one worker."
    ) in part


def test_results_of_the_example_become_a_table():
    score = {"verdict": "passed", "value": 0.4, "low": 0.35, "high": 0.45, "n": 300}
    row = {
        "model": "MLP",
        "spec": "mlp",
        "accuracy": 0.8,
        "tau_gradient": 0.31,
        "tau_deletion": None,
    }
    sure = {"value": 1, "low": 0.98, "high": 1}
    rows = [
        row | {"findings": {"SL-101": score}},
        row | {"accuracy": sure, "findings": {"SL-104": {"verdict": "not run"}}},
    ]
    result = results.examples({"rows": rows}).splitlines()
    same_text("docs", result[0])
    assert result[2] == "| MLP: `mlp` | 0.80 | 0.31 | — | passed 0.40 [0.35, 0.45], n = 300 | — |"
    assert result[3] == "| MLP: `mlp` | 1.00 [0.98, 1.00] | 0.31 | — | — | not run |"
    assert results.examples({"data": "planted:needle()", "rows": rows}).startswith(
        "On `planted:needle()`:\n\n| model"
    )


KNOWN = {"value": 0.5, "low": 0.4, "high": 0.6, "n": 300}
UNKNOWN = {"value": float("nan"), "low": float("nan"), "high": float("nan"), "n": 0}


def model_row(name: str, guide: str, score: dict[str, float]) -> dict[str, Any]:
    by_class = {"beta": {"answer": "failed", "effect": KNOWN}}
    found = {
        "answer": "passed",
        "number": score,
        "floor": KNOWN,
        "effect": score,
        "by_class": by_class,
    }
    return {
        "model": name,
        "spec": "mlp",
        "guide": guide,
        "altered": "" if guide else "random",
        "accuracy": KNOWN,
        "on_the_stop": KNOWN,
        "verdict": {"row": 5, "text": "can be shown with caveats", "reasons": []},
        "by_class": {"beta": {"row": 2, "text": "must not be shown"}},
        "findings": {"SL-303": found, "SL-107": {"answer": "not run"}},
        "maps": [{"name": "gradient", "answer": "passed", "chosen": bool(guide), "carried": score}],
    }


def test_an_example_each_way_becomes_a_table():
    rows = [model_row("right", "onto", KNOWN), model_row("wrong", "", UNKNOWN)]
    cases = [
        {"model": "right", "of": ""},
        {"model": "wrong", "of": ""},
        {"model": "right", "of": "beta"},
    ]
    stored = {
        "data": "planted:needle()",
        "rows": rows,
        "examples": {"SL-303": cases, "SL-107": cases[:1]},
    }
    result = results.example("SL-303", stored).splitlines()
    assert (
        result[2]
        == "| right | 0.50 [0.40, 0.60] | 0.50 [0.40, 0.60] | 0.50 [0.40, 0.60] | passed, n = 300 |"
    )
    assert result[3] == "| wrong | — | 0.50 [0.40, 0.60] | — | passed, n = 0 |"
    same_text("docs", result[4])
    assert results.example("SL-107", stored).splitlines()[2] == "| right | — | — | — | not run |"
    same_text("docs", results.example("SL-103", stored))
    assert "| right | `mlp`, `fit.guide=onto` | 0.50 [0.40, 0.60] | can be shown" in results.models(
        stored
    )
    assert "| wrong | `mlp`, `altered=random` |" in results.models(stored)
    stop = results.full_stop(stored)
    assert stop.startswith("|  | right |\n")
    assert "| by predicted class | beta: must not be shown (row 2) |" in stop
    assert "| carried by gradient | 0.50 [0.40, 0.60], passed (put first) |" in stop


def test_results_of_real_texts_become_tables():
    found = {
        "SL-303": {"answer": "passed", "answers": {}, "effect": KNOWN},
        "SL-107": {"answer": "not run"},
    }
    row = {
        "corpus": "sst",
        "encoder": "mlp",
        "seed": "0",
        "texts": 300,
        "findings": found,
        "learned": {"accuracy": KNOWN, "guessing": KNOWN},
        "verdict": {"row": 5, "text": "with caveats", "reasons": []},
        "by_class": {"negative": {"row": 2, "text": "must not be shown", "reasons": []}},
        "maps": [
            {"name": "gradient", "chosen": True, "carried": KNOWN},
            {"name": "given", "chosen": False, "carried": None},
        ],
    }
    other = row | {
        "seed": "1",
        "learned": None,
        "by_class": {},
        "findings": {"SL-303": {"answer": "failed"}},
    }
    result = real.real_texts({"rows": [row, other]})
    ends = "0.50 [0.40, 0.60]"
    assert (
        f"| sst | mlp | 0 | 300 | {ends} | {ends} | with caveats (row 5) | negative: row 2 |"
        in result
    )
    assert "| sst | mlp | 1 | 300 | — | — | with caveats (row 5) | — |" in result
    assert "| sst | mlp | 0.50 +− | ∅ |" in result
    assert "| sst | mlp | 0.50 (2) | — |" in result


def test_results_of_trained_models_become_tables():
    printed = {
        "paper": "Wen et al. 2022",
        "place": "Table 1",
        "metric": "accuracy",
        "value": 0.842,
        "apart": -0.342,
        "reached": False,
    }
    named = {
        "corpus": "sst",
        "preset": "wen2022",
        "model": "bilstm+mlm(eta=1.0)",
        "accuracy": KNOWN,
        "F1": KNOWN,
    }
    group = named | {
        "seeds": 3,
        "least": 0.79,
        "printed": [
            printed,
            printed | {"value": 0.9, "reached": True},
            printed | {"reached": None},
        ],
    }
    other = group | {"corpus": "snli", "F1": None, "least": None, "printed": []}
    row = named | {
        "run": "a",
        "seed": "0",
        "epochs": 8,
        "kept": 2,
        "converged": False,
        "seconds": 1234,
    }
    settings = [
        {"run": "a", "corpus": "sst", "model": named["model"], "validation": 0.87654},
        {"run": "b", "corpus": "sst", "model": "bilstm+mlm(eta=3.0)", "validation": 0.5},
    ]
    gate = {
        "name": "sst: accuracy",
        "count": "0.5",
        "of": 300,
        "limit": "reaches 0.79",
        "holds": False,
    }
    stored = {"rows": [row], "models": [group, other], "settings": settings, "gates": [gate]}
    result = models_trained.trained(stored | {"planned": 9, "hours_left": 2.0})
    ends = "0.50 [0.40, 0.60]"
    same_text("docs", result)  # the setting that was not chosen is done, too
    assert "| sst: accuracy | 0.5 of 300 | reaches 0.79 |" in result
    reached = (
        "0.842 accuracy (Wen et al. 2022, Table 1): no, -0.342; 0.9 accuracy (Wen et al. 2022, "
        "Table 1): yes, -0.342; 0.842 accuracy (Wen et al. 2022, Table 1): open, -0.342"
    )
    assert (
        f"| sst | `wen2022` | `bilstm+mlm(eta=1.0)` | 3 | 300 | {ends} | {ends} | 0.79 | "
        f"{reached} |"
    ) in result
    assert f"| snli | `wen2022` | `bilstm+mlm(eta=1.0)` | 3 | 300 | {ends} | — | — | — |" in result
    assert "| sst | `bilstm+mlm(eta=1.0)` | 0.8765 |" in result
    assert (
        f"| sst | `wen2022` | `bilstm+mlm(eta=1.0)` | 0 | {ends} | {ends} | 8 | 2 | no | 1,234 |"
        in result
    )
    assert "Settings" not in models_trained.trained(
        {**stored, "settings": [], "gates": [gate | {"holds": True}]}
    )


def test_results_of_coverage_become_a_table():
    rows = [
        {
            "kind": "mean",
            "shape": "rare",
            "n": n,
            "held": 0.9 + n / 10_000,
            "without_interval": n // 200,
        }
        for n in (50, 200)
    ]
    gate = {
        "name": "mean, rare, n = 200",
        "count": 1840,
        "of": 2000,
        "limit": "≥ 0.93",
        "holds": False,
    }
    result = results.coverage({"repetitions": 2000, "level": 0.95, "rows": rows, "gates": [gate]})
    same_text("docs", result)
    assert "| mean | rare | 0.905 | 0.920, 1 without |" in result
    assert "| mean, rare, n = 200 | 1840 of 2000 | ≥ 0.93 |" in result


def gate(name: str, count: int = 3, of: int = 3) -> dict[str, Any]:
    return {
        "name": f"chaos: {name}",
        "count": count,
        "of": of,
        "limit": f"= {of}",
        "holds": count == of,
    }


CHAOS = {
    "configurations": 8,
    "longest_seconds_after_the_parent": 0.25,
    "stops": {"SIGKILL to all": 3, "SIGTERM": 2},
    "damaged": {"bit flipped": 7},
    "exit_codes": {"SIGKILL to all": {"-9": 3}, "SIGTERM": {"-15": 1, "143": 1}},
    "gates": [
        gate("SIGKILL to all: nothing half-written"),
        gate("SIGTERM: nothing half-written", 1, 2),
        gate("SIGTERM: code", 2, 2),
        gate("claims read-only: exit code 2", 2, 2),
        gate("of these whole", 24, 24),
    ],
}


def test_results_of_chaos_become_tables():
    result = promised.chaos(CHAOS)
    same_text("docs", result)
    assert (
        "Exit codes of what was stopped: SIGKILL to all: -9 (3); SIGTERM: -15 (1), 143 (1). "
        in result
    )
    assert (
        "|  | SIGKILL to all | SIGTERM |\n| --- | --- | --- |\n| nothing half-written | 3 of "
        "3 | 1 of 2 |\n"
    ) in result
    assert "| code | — | 2 of 2 |" in result
    assert "| claims read-only | exit code 2 | 2 of 2 |" in result
    assert "| in the end | of these whole | 24 of 24 |" in result


SHARED = {
    "configurations": 8,
    "two_studies": {"the same": {"rounds": 3, "exit_codes": {"0": 5, "4": 1}}},
    "gates": [
        gate("two studies, the same: made once", 40, 40),
        gate("two studies, one killed: made once", 9, 10),
    ],
}


def test_results_of_two_studies_become_a_table():
    result = promised.shared(SHARED)
    same_text("docs", result)
    assert "|  | two studies, the same | two studies, one killed |" in result
    assert "| made once | 40 of 40 | 9 of 10 |" in result


def test_results_of_odd_command_lines_become_a_table():
    kinds = [
        {
            "kind": "flags",
            "cases": 1200,
            "codes": {"0": 700, "2": 500},
            "faults": 0,
            "most_seconds": 2.5,
            "most_mib": 300,
        },
        {
            "kind": "specs",
            "cases": 10,
            "codes": {"2": 9, "-9": 1},
            "faults": 1,
            "most_seconds": 30.0,
            "most_mib": 2048,
        },
    ]
    result = promised.fuzz(
        {"cases": 1210, "limits": {"seconds": 10, "bytes": 2**30}, "kinds": kinds}
    )
    same_text("docs", result)
    assert (
        "| odd | cases | ended with -9 | ended with 0 | ended with 2 | with a fault | the "
        "longest | the largest |"
    ) in result
    assert "| flags | 1,200 | 0 | 700 | 500 | 0 | 2.5 s | 300 MiB |" in result
    assert "| specs | 10 | 1 | 0 | 9 | 1 | 30 s | 2,048 MiB |" in result


def test_a_promise_is_told_with_what_was_counted_of_it(monkeypatch):
    monkeypatch.setattr(promised, "verified", {"chaos": CHAOS, "shared": SHARED}.get)
    of_files = promised.Promise(
        "whole",
        ("tests/_io/test_atomic_write.py",),
        {"chaos": ("nothing half-written",), "shared": ("made once",)},
    )
    to_come = promised.Promise("still", ("tests/test_x.py",), {"repeats": ("equal",)})
    monkeypatch.setattr(promised, "PROMISES", (of_files, to_come))
    same_text("docs", promised.promises().splitlines()[2:])
    monkeypatch.setattr(
        promised, "PROMISES", (promised.Promise("x", (), {"chaos": ("nobody counted",)}),)
    )
    with refused(ValueError):
        promised.promises()


def test_results_of_repeats_become_a_table():
    row = {
        "changed": "hash seed",
        "promised": "equal bits",
        "equal_to_the_bit": True,
        "largest_difference": 0.0,
    }
    near = {
        "changed": "memory",
        "promised": "1e-9",
        "equal_to_the_bit": False,
        "largest_difference": 6.45e-14,
    }
    result = promised.repeats({"model": "mlp", "rows": [row, near]})
    same_text("docs", result)
    assert "| hash seed | equal bits | yes | 0 |\n| memory | 1e-9 | no | 6e-14 |" in result


# ---------------------------------------------------------------- what a page says of values


def test_every_raw_array_is_on_the_page_of_measures(pages, audit):
    sections = dict(
        re.findall(
            r"^## (\w+)\n(.*?)(?=^## |\Z)",
            checks.text_under(pages, "docs/measures/"),
            re.MULTILINE | re.DOTALL,
        )
    )
    for code, taken in audit.measurements.items():
        assert isinstance(taken, Measurement)
        missing = [
            quantity for quantity in sorted(taken.values) if not _describe(quantity, sections[code])
        ]
        assert missing == [], code


def _describe(quantity: str, section: str) -> bool:
    """A section may tell of `captured.free_gradient` as `captured.REF`, and of `deleted.gradient`
    as `deleted.MAP`.
    """
    general = [re.sub(rf"(?<![^.])({'|'.join(MAPS)})$", name, quantity) for name in ("REF", "MAP")]
    general += [re.sub(r"^(jsd|tau|tvd)\..*", r"\1.OTHER", quantity)]
    return any(f"`{name}`" in section or name == "REF" for name in (quantity, *general))


def test_every_field_of_the_json_is_on_its_page(pages, audit):
    page = pages["docs/schema.md"]
    output = audit.to_json()
    fields = [
        *output,
        *output["findings"][0],
        *output["verdict_detail"],
        *output["metrics"]["accuracy"],
    ]
    assert [
        field for field in fields if not re.search(rf"`{field}\b|\.{field}`|`{field}`", page)
    ] == []


def test_every_entry_of_a_card_is_on_a_page(pages, tmp_path):
    reviews(tmp_path / "reviews.csv")
    table = load(parse_data(str(tmp_path / "reviews.csv"), text="body", label="stars"), 0).card
    planted = load(parse_data("planted:vote(n=60,length=9)"), 0).card
    said = "".join(
        pages[f"docs/{name}.md"] for name in ("data", "data-checks", "corpora", "planted", "schema")
    )
    assert [entry for entry in {**table, **planted} if f"`{entry}" not in said] == []


def test_the_pages_tell_what_each_answer_does(fresh):
    result = dict(
        re.findall(
            r"<!-- (what findings do|caveats) -->\n(.*?)<!-- /",
            fresh["docs/verdict.md"] + fresh["docs/caveats.md"],
            re.DOTALL,
        )
    )
    assert [
        code
        for code, claim in AUDIT_TESTS.items()
        if claim.bears != (f"[{code}]" in result["what findings do"])
    ] == []
    assert [
        claim.failed
        for claim in AUDIT_TESTS.values()
        if claim.bears and claim.failed not in result["caveats"]
    ] == []


def test_the_python_of_the_guide_runs(pages, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    reviews(tmp_path / "reviews.csv")
    (code,) = re.findall(
        r"^```python\n(.*?)^```$", pages["docs/get-started.md"], re.MULTILINE | re.DOTALL
    )
    exec(compile(code, "get-started.md", "exec"), {})
    assert "SL-301" in capsys.readouterr().out
    assert (tmp_path / "report.html").stat().st_size > 10_000


def test_the_measure_of_the_guide_measures(pages, monkeypatch, capsys):
    (code,) = re.findall(
        r"^```python\n(from dataclasses.*?)^```$",
        pages["docs/own-measure.md"],
        re.MULTILINE | re.DOTALL,
    )
    result = types.ModuleType("heaviest")
    monkeypatch.setitem(sys.modules, "heaviest", result)  # where a dataclass looks its own names up
    exec(compile(code, "own-measure.md", "exec"), result.__dict__)
    data = load(parse_data("planted:needle(n=40,length=5)"), 0)
    model = build(parse_model("mlp(hidden=4)"), Vocabulary.fit(data.train), data.label_names, 0)
    (run,) = re.findall(
        r"^```python\n(import sightline\nfrom.*?)^```$",
        pages["docs/own-measure.md"],
        re.MULTILINE | re.DOTALL,
    )
    result.__dict__.update(model=model, data=data)
    exec(compile(run, "own-measure.md", "exec"), result.__dict__)
    assert f"n={len(data.test)}" in capsys.readouterr().out
    found = auditing.audit(
        model, data, measures=[*default_measures(), result.Heaviest()]
    ).measurements["heaviest"]
    assert isinstance(found, Measurement), found
    times = (
        found.values["weight"] * found.values["words"]
    )  # of the weight that each word would have if all had the same
    assert np.all((times > 1 - 1e-5) & (found.values["weight"] < 0.99))


def reviews(path: Path) -> None:
    """Write a small table in the README's own columns."""
    corpus = load(parse_data("planted:needle(n=160,length=6)"), 0)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["body", "stars"])
        writer.writerows(
            (e.text, 1 + 4 * e.label) for e in (*corpus.train, *corpus.validation, *corpus.test)
        )


def test_a_command_that_reads_the_papers_from_a_store_names_the_store_and_the_data():
    commands = [
        (name, command)
        for name, text in make_docs.read_pages().items()
        for command in re.findall(r"`(sightline study papers [^`]+)`", text)
        if "/decisions/" not in name
    ]
    assert [name for name, command in commands if "--so-far" in command] == ["docs/extending.md"]
    for name, command in commands:
        assert {"--data", "--store"} <= {*command.split()}, name


def test_the_claims_of_a_paper_stand_under_its_authors_and_year() -> None:
    claims = [{"id": f"{paper}:1", "findings": []} for paper in ("tutek2020", "jain2019")]
    page = docs_claims.all_findings({"claims": claims})
    assert re.findall("^## (.+)$", page, re.MULTILINE) == [
        "Tutek & Šnajder 2020",
        "Jain & Wallace 2019",
    ]
    assert all(f'<a id="{paper}"></a>' in page for paper in ("tutek2020", "jain2019"))


def test_a_claim_about_one_corpus_is_decided_there() -> None:
    found = [
        {"corpus": "sst", "result": "replicated"},
        {"corpus": "imdb", "result": "undetermined"},
    ]
    for about, decided in ((["imdb"], found[1]), ([], found[0]), (["news"], None)):
        assert docs_claims._deciding({"findings": found, "made_on": about}) == decided


def test_other_results_on_primary_corpora_are_named() -> None:
    def found(corpus: str, result: str, seeds: int = 3) -> dict[str, object]:
        return {"corpus": corpus, "result": result, "seeds": seeds}

    deciding = found("sst", "replicated")
    others = [
        found("news", "replicated"),
        found("babi1", "not replicated"),
        found("babi2", "not replicated"),
        found("imdb", "undetermined", seeds=1),
        found("snli", "not replicated"),
    ]
    one = {"findings": [deciding, *others]}
    assert [*docs_claims._elsewhere(one, deciding)] == ["babi1, babi2: not replicated"]
    assert [*docs_claims._elsewhere(one, None)] == []
