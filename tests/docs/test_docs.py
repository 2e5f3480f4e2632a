"""The documentation is true of the code, and each check that says so can fail."""

import csv
import json
import re
import sys
import types
from pathlib import Path

import numpy as np
import pytest

from sightline import auditing
from sightline.audits import Audit
from sightline.data.loading import load
from sightline.data.vocabulary import Vocabulary
from sightline.experiments.run import run
from sightline.findings.claims import CLAIMS
from sightline.measures import default_measures
from sightline.models.classifier import build
from sightline.results import Measurement
from sightline.spec.presets import build_specs
from sightline.spec.texts import parse_data, parse_model
from sightline.spec.values import RunSpec

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))  # where make_docs finds its own two helpers

import docs_checks as checks  # noqa: E402  (they need the path above)
import docs_parts as parts  # noqa: E402
import make_docs  # noqa: E402

NAV = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
REFERENCES = ("gradient_through", "free_gradient", "free_deletion", "gradient", "deletion")


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
    return run(RunSpec(parse_data("planted:needle(n=120,length=6)"), model, fit))[1]


def test_the_documentation_is_true_of_the_code(pages):
    assert make_docs.complaints(pages, NAV) == []


# ---------------------------------------------------------------- each check can fail


def test_a_page_changed_by_hand_is_stale(fresh):
    delta = "docs/findings/SL-101.md"
    broken = fresh | {delta: fresh[delta].replace("**δ = ", "**δ = 9")}
    (told,) = checks.check_fresh(broken, make_docs.remake(broken))
    assert delta in told
    assert "δ = 9" in told


def test_a_missing_page_of_commands_is_stale(fresh):
    without = {name: text for name, text in fresh.items() if name != "docs/cli.md"}
    (told,) = checks.check_fresh(without, make_docs.remake(without))
    assert told.startswith("docs/cli.md is not up to date (make docs):\n    @@")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("<!-- a -->\n<!-- /a -->", []),
        ("<!-- a -->\n<!-- /a -->\n<!-- c -->\n<!-- /c -->", ["p: nothing fills <!-- c -->"]),
        ("<!-- a -->\n", ["p: <!-- a --> does not close", "no page has <!-- a -->"]),
        ("", ["no page has <!-- a -->"]),
    ],
)
def test_markers_are_filled_closed_and_there(text, told):
    demo = "<!-- demo output -->\n<!-- /demo output -->"
    assert checks.check_markers({"p": text, "README.md": demo}, ["a"]) == told


@pytest.mark.parametrize(
    ("link", "told"),
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
def test_links_lead_somewhere(link, told):
    pages = {"docs/a.md": f"# Here\n{link}\n", "docs/b.md": "## Two words, and more\n", "README.md": ""}
    assert checks.check_links(pages, lambda name: False) == told


def test_named_files_exist():
    pages = {"p": "`maths/ranks.py`, `tests/maths/test_NAME.py`, `docs/verified/x.json`, `maths/nowhere.py`"}
    assert checks.check_files(pages, checks.exists_here) == ["p: there is no maths/nowhere.py"]


def test_named_flags_exist():
    pages = {"p": "`--seed`, `--nonsense`, a--dash, ---"}
    assert checks.check_flags(pages, parts.flags()) == ["p: no command has --nonsense"]


def test_every_finding_has_a_page_that_opens_with_its_claim(pages):
    name = "docs/findings/SL-103.md"
    other = {"docs/findings/SL-999.md": "# SL-999: nothing\n"}
    without = {n: text for n, text in pages.items() if n != name}
    assert checks.check_findings(without) == [f"{name} does not open with '# SL-103: {CLAIMS['SL-103'].text}'"]
    silent = pages[name].replace("Role in the verdict: context", "")
    assert checks.check_findings(pages | {name: silent}) == [f"{name} does not say 'Role in the verdict: context'"]
    assert checks.check_findings(pages | other) == ["docs/findings/SL-999.md is about no claim"]


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("docs/measures.md", "\n## erasure\n"),
        ("docs/models.md", "source `random`"),
        ("docs/models.md", "`layers=1`"),
        ("docs/data.md", "planted:vote("),
        ("docs/data.md", "`strength=0.7`"),
        ("docs/verdict.md", "must not be shown"),
    ],
)
def test_nothing_registered_may_be_left_out(pages, page, text):
    assert checks.check_named(pages | {page: pages[page].replace(text, "")}) == [
        f"{page} does not have {text.strip()!r}"
    ]


def test_the_site_holds_every_page_and_no_other(pages):
    assert checks.check_nav(pages | {"docs/new.md": ""}, NAV) == ["docs/new.md is not in mkdocs.yml"]
    assert checks.check_nav(pages, NAV + "  - Gone: gone.md\n") == ["mkdocs.yml names docs/gone.md, which is not there"]


def test_the_demo_is_compared_in_what_is_stable(pages):
    readme = pages["README.md"]
    assert checks.check_demo(readme, readme.replace("0.", "1.")) == []
    assert (
        "SL-001 contradicted"
        in checks.check_demo(readme, readme.replace("SL-001  supported", "SL-001  contradicted"))[0]
    )
    assert checks.check_demo(readme.replace("SL-301  ", "SL-XXX  ")) == [
        "README.md: the demo's output has no SL-301 (scripts/make_docs.py --demo)"
    ]


# ---------------------------------------------------------------- what is generated


def test_filling_twice_changes_nothing(fresh):
    assert make_docs.remake(fresh) == fresh


def test_every_command_and_flag_is_on_the_page_of_commands():
    page = parts.commands_page()
    assert re.findall(r"^## (.+)$", page, re.MULTILINE) == [
        "demo", "train", "audit", "report", "study", "results", "list", "check-data", "check-model", "vectors", "doctor"
    ]  # fmt: skip
    assert [flag for flag in parts.flags() - {"--help"} if f"`{flag}" not in page] == []
    assert "| `AUDIT_DIR` | A folder" in page
    assert "| `--companions uniform&#124;none` |" in page
    assert "| `--seed N` | Everything random follows from it: splits, weights, draws. Default: 0. |" in page


def test_results_of_calibration_become_tables():
    group = {
        "world": "unused", "encoder": "mlp", "corpus": "vote", "n_cells": 200,
        "supported": {"SL-101": 1}, "contradicted": {"SL-101": 180}, "above_zero": {"SL-101": 6},
        "effect_mean": {"SL-101": 0.0012}, "effect_quantiles": {"SL-101": [-0.02, 0.001, 0.03]},
    }  # fmt: skip
    stored = {
        "cells": 200, "seeds": [0, 199], "groups": [group], "hours": 1.25,
        "gates": [{"name": "SL-101 supported | unused", "count": 1, "of": 200, "limit": 0.05, "holds": False}],
        "environment": {"versions": {"torch": "2.0"}, "threads": 1},
    }  # fmt: skip
    told = parts.calibration(stored)
    assert told.startswith("200 cells, seeds 0 to 199, 1.2 hours; torch 2.0.\n")
    assert "| SL-101 supported &#124; unused | 1 of 200 | 0.05 | **fails** |" in told
    assert "**World: unused**" in told
    alone = parts.confirmation(stored)
    assert told.startswith(alone)
    assert "World" not in alone
    assert parts.confirmation(stored | {"hours": None}).startswith("200 cells, seeds 0 to 199; torch 2.0.\n")
    assert "| mlp | vote | SL-101 | 200 | 1 | 180 | 6 | 0.001 | 0.001 [-0.020, 0.030] |" in told


def test_results_of_the_example_become_a_table():
    found = {"SL-101": {"verdict": "supported", "effect": 0.4, "low": 0.35, "high": 0.45, "n": 300}}
    rows = [
        {"model": "mlp+additive+random", "accuracy": 0.8, "tau_gradient": 0.31, "tau_deletion": None, "findings": found},
        {"model": "bilstm", "accuracy": {"value": 1, "low": 0.98, "high": 1}, "tau_gradient": 0, "tau_deletion": 0,
         "findings": {"SL-104": {"verdict": "not applicable"}}},
    ]  # fmt: skip
    rows.append(
        rows[0]
        | {"model": "MLP", "spec": "mlp", "findings": {"SL-101": rows[0]["findings"]["SL-101"] | {"effect": None}}}
    )
    rows.append(
        rows[0]
        | {
            "model": "MLP",
            "spec": "mlp",
            "findings": {"SL-101": {"value": 0.4, "low": 0.35, "high": 0.45, "n": 9, "verdict": "supported"}},
        }
    )
    told = parts.random_attention({"rows": rows}).splitlines()
    assert told[4] == "| MLP: `mlp` | 0.80 | 0.31 | — | supported | — |"
    assert told[5] == "| MLP: `mlp` | 0.80 | 0.31 | — | supported 0.40 [0.35, 0.45], n = 9 | — |"
    assert told[0] == "| model | accuracy | τ gradient | τ deletion | SL-101 | SL-104 |"
    assert told[2] == "| `mlp+additive+random` | 0.80 | 0.31 | — | supported 0.40 [0.35, 0.45], n = 300 | — |"
    assert told[3] == "| `bilstm` | 1.00 [0.98, 1.00] | 0.00 | 0.00 | — | not applicable |"


# ---------------------------------------------------------------- what a page says of values


def test_every_raw_array_is_on_the_page_of_measures(pages, audit):
    sections = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", pages["docs/measures.md"], re.MULTILINE | re.DOTALL))
    for code, taken in audit.measurements.items():
        assert isinstance(taken, Measurement)
        names = {quantity if f"`{quantity}`" in sections[code] else _general(quantity) for quantity in taken.values}
        missing = [name for name in sorted(names) if f"`{name}`" not in sections[code] and name != "REF"]
        assert missing == [], code


def _general(quantity: str) -> str:
    """`captured.free_gradient` is documented as `captured.REF`."""
    return re.sub(rf"(?<![^.])({'|'.join(REFERENCES)})$", "REF", quantity)


def test_every_field_of_the_json_is_on_its_page(pages, audit):
    page = pages["docs/schema.md"]
    told = audit.to_json()
    fields = [*told, *told["findings"][0], *told["verdict_detail"], *told["metrics"]["accuracy"]]
    assert [field for field in fields if not re.search(rf"`{field}\b|\.{field}`|`{field}`", page)] == []


def test_every_entry_of_a_card_is_on_a_page(pages, tmp_path):
    reviews(tmp_path / "reviews.csv")
    table = load(parse_data(str(tmp_path / "reviews.csv"), text="body", label="stars"), 0).card
    planted = load(parse_data("planted:vote(n=60,length=9)"), 0).card
    said = pages["docs/data.md"] + pages["docs/schema.md"]
    assert [entry for entry in {**table, **planted} if f"`{entry}" not in said] == []


def test_the_calibration_page_names_what_the_thresholds_rest_on(pages):
    stored = json.loads((ROOT / "src/sightline/findings/thresholds.json").read_text(encoding="utf-8"))
    named = [*(corpus.removeprefix("planted:") for corpus in stored["corpora"].values())]
    named += [model.removesuffix("+additive") for model in stored["encoders"].values()]
    named += ["–".join(map(str, stored["seeds"]))]
    assert [name for name in named if name not in pages["docs/calibration.md"]] == []


def test_the_python_of_the_readme_runs(pages, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    reviews(tmp_path / "reviews.csv")
    (code,) = re.findall(r"^```python\n(.*?)^```$", pages["README.md"], re.MULTILINE | re.DOTALL)
    exec(compile(code, "README.md", "exec"), {})
    assert "SL-301" in capsys.readouterr().out
    assert (tmp_path / "report.html").stat().st_size > 10_000


def test_the_measure_of_the_guide_measures(pages, monkeypatch):
    (code,) = re.findall(r"^```python\n(from dataclasses.*?)^```$", pages["docs/measures.md"], re.MULTILINE | re.DOTALL)
    told = types.ModuleType("heaviest")
    monkeypatch.setitem(sys.modules, "heaviest", told)  # where a dataclass looks its own names up
    exec(compile(code, "docs/measures.md", "exec"), told.__dict__)
    data = load(parse_data("planted:needle(n=40,length=5)"), 0)
    model = build(parse_model("mlp(hidden=4)"), Vocabulary.fit(data.train), data.label_names, 0)
    found = auditing.audit(model, data, measures=[*default_measures(), told.Heaviest()]).measurements["heaviest"]
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
        writer.writerows((e.text, 1 + 4 * e.label) for e in (*corpus.train, *corpus.validation, *corpus.test))
