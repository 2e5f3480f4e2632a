"""The documentation is true of the code, and each check that says so can fail."""

import csv
import re
import sys
import types
from pathlib import Path

import docs_checks as checks
import docs_claims
import docs_commands as commands
import docs_promises as promised
import docs_results as results
import docs_tables as tables
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


def test_pages_that_the_code_names_exist() -> None:
    page = re.compile(r"\bdocs/[\w./-]+\.\w+")
    code = "\n".join(file.read_text(encoding="utf-8") for file in (ROOT / "src").rglob("*.py"))
    named = {*page.findall(code)}
    assert len(named) > 10
    assert [one for one in sorted(named) if not (ROOT / one).exists()] == []


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


def test_every_flag_is_on_the_page_of_commands():
    page = commands.commands_page()
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


def test_a_promise_is_told_with_what_was_counted_of_it(monkeypatch):
    counts = {"chaos": [("all: whole", 3), ("TERM: whole", 1)], "shared": [("made once", 9)]}
    kept = {
        name: {"gates": [{"name": f"{name}: {of}", "count": n, "of": 10} for of, n in rows]}
        for name, rows in counts.items()
    }
    monkeypatch.setattr(promised, "verified", kept.get)
    of_files = promised.Promise(
        "whole",
        ("tests/_io/test_atomic_write.py",),
        {"chaos": ("whole",), "shared": ("made once",)},
    )
    to_come = promised.Promise("still", ("tests/test_x.py",), {"repeats": ("equal",)})
    monkeypatch.setattr(promised, "PROMISES", (of_files, to_come))
    same_text("docs", promised.promises().splitlines()[2:])
    monkeypatch.setattr(
        promised, "PROMISES", (promised.Promise("x", (), {"chaos": ("nobody counted",)}),)
    )
    with refused(ValueError):
        promised.promises()


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
        return {"corpus": corpus, "result": result, "seeds": seeds, "beyond": None}

    deciding = found("sst", "replicated")
    others = [
        found("news", "replicated"),
        found("babi1", "not replicated"),
        found("babi2", "not replicated"),
        found("imdb", "undetermined", seeds=1),
        found("snli", "not replicated"),
    ]
    one = {"findings": [deciding, *others], "low": False}
    assert [*docs_claims._elsewhere(one, deciding)] == ["babi1, babi2: not replicated"]
    at_chance = found("sst", "replicated, but at chance level")
    one = {"findings": [at_chance, *others], "low": False}
    told = [*docs_claims._elsewhere(one, at_chance)]
    assert told == ["news: replicated (no baseline)", "babi1, babi2: not replicated"]
    assert [*docs_claims._elsewhere(one, None)] == []
