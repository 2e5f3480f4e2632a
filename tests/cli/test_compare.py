"""`sightline compare`, and `sightline audit --seeds`: what is read, refused, written and said."""

import json
import shutil
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

import sightline as package
from sightline.audits.audit_storage import load_results, save_results
from sightline.config.spec_syntax import parse_data, parse_model
from sightline.config.specs import RunSpec
from sightline.core.results import Failed
from sightline.experiments.multi_seed import load_several, save_several
from sightline.experiments.store import Store
from sightline.report.number_format import interval
from sightline.verdict import seed_summary as together
from sightline.verdict.seed_summary import summarise_seeds
from tests.cli.conftest import TINY, Call, Finished, Ran
from tests.edits import put


@pytest.fixture
def two(finished: Finished, here: Path) -> tuple[Path, Path]:
    """A saved audit, and another of the same texts in which one is decided otherwise."""
    found = load_results(finished.saved)
    first, *others = found.texts
    save_results(found, "a")
    turned = "neg" if first.predicted == "pos" else "pos"
    save_results(replace(found, texts=(replace(first, predicted=turned), *others)), "b")
    return Path("a"), Path("b")


def test_two_audits_are_compared_into_one_page_and_strict_json(sightline: Call, two) -> None:
    done = sightline("compare", *two, "--json")
    assert done.code == 0, done.err
    assert done.err == "report: compare.html\n"
    output = done.json
    assert [one["place"] for one in output["audits"]] == ["a", "b"]
    assert output["audits"][0]["seed"] == 0
    (beside,) = output["beside"]
    assert (beside["first"], beside["second"], beside["common"], beside["alone"]) == (
        "A",
        "B",
        18,
        [0, 0],
    )
    assert [one["id"] for one in beside["otherwise"]] == [load_results("a").texts[0].id]
    assert {claim["answer"] for claim in beside["claims"]} == {
        "not compared"
    }  # 18 texts are too few
    page = Path("compare.html").read_text(encoding="utf-8")
    assert "zyx" in page
    shown = sightline("compare", *two, "--no-texts", "--out", "other.html")
    assert shown.out.splitlines()[0] == "No score of A and B could be compared."
    assert shown.out.splitlines()[-1] == "report: other.html"
    assert "zyx" not in Path("other.html").read_text(encoding="utf-8")


def test_what_a_failed_measure_said_is_left_out_with_the_texts_or_the_ids(
    sightline: Call, two
) -> None:
    for place in two:
        found = load_results(place)
        broken = Failed("transplant", "run: KeyError: 'SECRET'")
        save_results(
            replace(found, measurements={**found.measurements, "transplant": broken}), place
        )
    for flag, shown in ((), True), (("--no-texts",), False), (("--no-ids",), False):
        done = sightline("compare", *two, *flag, "--json")
        assert done.code == 0, done.err
        page = Path("compare.html").read_text(encoding="utf-8")
        assert ["SECRET" in one for one in (done.out, page)] == [shown, shown]


def test_python_compares_as_the_command_does(sightline: Call, two) -> None:
    first, second = map(package.Audit.load, two)
    output = sightline("compare", *two, "--json").json
    ours = package.compare(first, second, places=("a", "b"))
    assert json.loads(json.dumps(ours.to_json()["adjusted"])) == output["adjusted"]
    assert first.compare(second).pairs[0].claims[0].code == output["beside"][0]["claims"][0]["code"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a"], "expected two audits or more to compare, got 1: a"),
        (["a", "a"], "a: is the same audit as a; name another"),
        (["a", "./b", "a/../b"], "a/../b: is the same audit as b; name another"),
        (
            ["a", "nothing"],
            "nothing: expected a folder that `sightline audit --save` wrote; there is no such folder",
        ),
        (
            ["a", "b", "--out", "a/page.html"],
            "--out a/page.html: lies in AUDIT a, which is only read",
        ),
        (["a", "b", "--store", "a"], "--store a: expected a folder that `sightline study` wrote"),
    ],
)
def test_what_cannot_be_compared_is_refused(sightline: Call, two, arguments, message: str) -> None:
    done = sightline("compare", *arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"error: {message}"), done.err
    assert not list(Path.cwd().rglob("*.html"))


def test_a_store_is_refused_with_how_its_runs_are_named(sightline: Call, two) -> None:
    Store("st")
    for command in (("compare", "a", "st"), ("export", "st", "--csv", "out")):
        done = sightline(*command)
        assert (done.code, done.out) == (2, "")
        assert all(words in done.err for words in ("st:KEY", "sightline results --store st"))
    assert not Path("out").exists()


def test_an_audit_of_another_schema_is_refused(sightline: Call, two) -> None:
    summary = two[1] / "audit.json"
    put(summary, summary.read_text(encoding="utf-8").replace('"schema": 4', '"schema": 3'))
    done = sightline("compare", *two)
    assert (done.code, done.out) == (2, "")
    assert "b/audit.json: schema 3, this version reads 4" in done.err


def test_runs_of_a_store_are_named_by_how_their_keys_begin(
    sightline: Call, two, finished: Finished
) -> None:
    store, audits = Store("st"), [load_results(place) for place in two]
    # A run of a study holds neither command nor date: equal runs are equal bytes.
    undated = {
        name: value for name, value in audits[0].spec.items() if name not in ("command", "date")
    }
    audits[0] = replace(audits[0], spec=undated)
    specs = [
        RunSpec(parse_data("planted:needle"), parse_model("mlp"), seed=seed) for seed in range(3)
    ]
    for spec, found in zip(specs, audits, strict=False):
        store.write_run(spec, found, 1.0)
    store.write_failure(specs[2], "it broke", 1.0)
    done = {run.seed: run.key for run in store.summaries()}
    by_store = sightline("compare", "--store", "st", done[0][:6], done[1])
    by_name = sightline("compare", f"st:{done[0]}", f"st:{done[1]}")
    assert (by_store.code, by_store.out) == (0, by_name.out)
    assert f"A: st:{done[0]} · " in by_store.out
    for command in (["report"], ["export", "--csv", "out"]):
        assert sightline(command[0], f"st:{done[0][:6]}", *command[1:]).code == 0
    page = Path("report.html").read_bytes()
    assert sightline("report", f"st:{done[0]}", "--card", "card.md").code == 0
    card = Path("card.md").read_text(encoding="utf-8")
    today = datetime.fromtimestamp(
        (store.run_folder(done[0]) / "summary.json").stat().st_mtime, UTC
    ).date()
    assert f"Date: kept in a store on {today}" in card
    assert f"Run: {undated['key']}" in card
    assert sightline("report", store.run_folder(done[0]), "--out", "by-folder.html").code == 0
    assert page == Path("by-folder.html").read_bytes()
    result = sightline("report", f"st:{done[2]}")
    assert (result.code, result.err) == (
        2,
        f"error: st: the run {done[2]} has no audit, because it failed: it broke\n",
    )
    for key, result in (
        ("zz", "st: no run with a key that begins with 'zz'; expected one"),
        ("", "st: no run with a key that begins with ''"),
        (done[2], f"st: the run {done[2]} has no audit, because it failed: it broke"),
    ):
        assert sightline("compare", f"st:{done[0]}", f"st:{key}").err.startswith(f"error: {result}")


# ---------------------------------------------------------------- several seeds


@pytest.fixture(scope="module")
def seeds(
    sightline: Call, table: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Ran, Path]:
    folder = tmp_path_factory.mktemp("seeds")
    few = (
        "--controls",
        "none",
        "--limit",
        6,
        "--seed",
        4,
        "--seeds",
        2,
        "--fail-on",
        "cannot-tell",
    )
    loud = [flag for flag in TINY if flag != "--quiet"]
    done = sightline(
        "audit",
        "--data",
        table,
        *loud,
        *few,
        "--save",
        folder / "s",
        "--out",
        folder / "s.html",
        "--json",
        "--card",
        folder / "s.md",
    )
    assert done.code == 3, done.err  # a gate is closed when everything is written
    return done, folder


def test_every_seed_is_audited_saved_and_said(seeds: tuple[Ran, Path]) -> None:
    done, folder = seeds
    output = done.json
    assert done.err.endswith("gate closed: the verdict is 'cannot-tell'\n")
    assert output["seeds"]["seeds"] == [4, 5]
    assert output["spec"]["seed"] == 4
    assert output["headline"].startswith(
        "All 2 trainings end in the same verdict: cannot tell; seed 4: cannot tell"
    )
    assert [line for line in done.err.splitlines() if line.startswith("seed")] == [
        "seed 4 (1 of 2)",
        "seed 5 (2 of 2)",
    ]
    assert sorted(path.name for path in (folder / "s").iterdir()) == [
        "SHA256SUMS",
        "seed-4",
        "seed-5",
        "seeds.json",
    ]
    assert [found.spec["run"]["seed"] for found in load_several(folder / "s").values()] == [4, 5]
    assert "Across seeds" in (folder / "s.html").read_text(encoding="utf-8")


def test_a_seed_is_the_audit_that_it_would_be_alone(
    sightline: Call, seeds, here: Path, table: Path
) -> None:
    few = ("--controls", "none", "--limit", 6, "--seed", 5)
    assert sightline("audit", "--data", table, *TINY, *few, "--save", "alone").code == 0
    alone, among = load_results("alone"), load_several(seeds[1] / "s")[5]
    assert (alone.findings, alone.metrics, alone.texts) == (
        among.findings,
        among.metrics,
        among.texts,
    )


def test_saved_seeds_are_drawn_again_and_compared(
    sightline: Call, seeds, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, folder = seeds
    made, summarise = [], together.summarise_seeds
    monkeypatch.setattr(
        "sightline.verdict.seed_summary.summarise_seeds",
        lambda audits: made.append(0) or summarise(audits),
    )
    done = sightline("report", folder / "s")
    assert (done.code, done.out) == (
        0,
        "All 2 trainings end in the same verdict: cannot tell\nreport: report.html\n",
    )
    assert len(made) == 1  # the page and the line say the same, put together once
    assert Path("report.html").read_bytes() == (folder / "s.html").read_bytes()
    assert sightline("report", folder / "s" / "seed-5", "--json").json["verdict"] == "cannot tell"
    assert len(sightline("compare", folder / "s", "--json").json["audits"]) == 2


def test_the_card_of_several_seeds_says_what_all_of_them_do(
    sightline: Call, seeds, here: Path
) -> None:
    _, folder = seeds
    card = (folder / "s.md").read_text(encoding="utf-8")
    assert (
        "- Across seeds: All 2 trainings end in the same verdict: cannot tell\n- Verdict: Cannot tell"
        in card
    )
    assert "All texts together: cannot tell in all 2 trainings." in card
    assert "Seeds 4, 5; the first one is shown in full" in card
    found = summarise_seeds(load_several(folder / "s"))
    for metric in found.metrics:
        assert interval(metric.mean) in card.replace("\\", "")
    assert sightline("report", folder / "s", "--card", "again.md").code == 0
    assert Path("again.md").read_text(encoding="utf-8") == card


def test_a_folder_of_seeds_that_is_not_as_it_was_written_is_refused(
    sightline: Call, seeds, here: Path
) -> None:
    shutil.copytree(seeds[1] / "s", "s")
    Path("s/seeds.json").write_text('{"schema": 1, "seeds": [4]}', encoding="utf-8")
    assert sightline("report", "s").err.startswith("error: s/seeds.json: not as it was written")
    Path("s/SHA256SUMS").unlink()
    assert sightline("report", "s").code == 2
    put(Path("s/seeds.json"), '{"schema": 2, "seeds": [4]}')
    assert (
        sightline("report", "s").err
        == "error: s/seeds.json: schema 2, this version reads 1; make the audits again\n"
    )
    put(Path("s/seeds.json"), "{")
    assert sightline("compare", "s").err.startswith("error: s/seeds.json: ")
    save_results(load_results(seeds[1] / "s" / "seed-4"), "one")
    done = sightline("audit", "--data", "planted:needle", "--seeds", 2, "--save", "one")
    assert done.err == (
        "error: --save one: exists and is not a folder with the audits of several seeds; "
        "name a new folder\n"
    )
    with pytest.raises(package.SightlineError, match="does not hold the audits of several seeds"):
        save_several({}, "one")


def test_a_model_that_is_trained_already_has_one_seed(sightline: Call, here: Path) -> None:
    done = sightline(
        "audit", "--data", "planted:needle", "--model", "py:my.model:make", "--seeds", 2
    )
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: --seeds: expected a model that is trained first")
    assert sightline("audit", "--data", "planted:needle", "--seeds", 0).code == 2


def test_the_forecast_is_of_all_seeds(
    sightline: Call, table: Path, monkeypatch: pytest.MonkeyPatch, here: Path
) -> None:
    from sightline.experiments.forecast_result import Forecast

    monkeypatch.setattr(
        "sightline.experiments.forecast.forecast",
        lambda *asked, **named: Forecast(2.0, 3.0, 5, "made up"),
    )
    output = sightline("audit", "--data", table, "--seeds", 3, "--dry-run", "--json").json
    assert (output["seconds_training"], output["seconds_audit"], output["peak_bytes"]) == (
        6.0,
        9.0,
        5,
    )
    assert output["basis"] == "made up; 3 seeds, one after the other"
    assert output["seconds"] == 15.0 + output["seconds_start"]
    assert sightline("audit", "--data", table, "--dry-run", "--json").json["seconds_audit"] == 3.0
