"""`sightline figure`: one figure with its numbers beside it, whole or not at all."""

import csv
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from sightline.audits.audit_result import Audit
from sightline.cli.own_files import FIGURES as FIGURE_FILES
from sightline.cli.own_files import is_ours
from sightline.config.specs import RunSpec
from sightline.experiments.store import Store
from sightline.report.figures import matplotlib_output
from sightline.report.figures.figure_registry import FIGURES, write_plot
from sightline.report.figures.plot import Plot
from tests.cli.conftest import Call, Finished
from tests.report.test_plots import BASE, RUNS


@pytest.fixture
def store(here: Path) -> Store:
    """A store with a base and three of its adversaries, and a run that failed."""
    kept = Store("st")
    for seed, audit in enumerate(RUNS):
        kept.write_run(_spec(seed), audit, 1.0)
    kept.write_failure(_spec(9), "it broke", 1.0)
    return kept


def _spec(seed: int) -> RunSpec:
    return RunSpec(BASE.data, BASE.model, BASE.fit, seed)


@pytest.mark.parametrize(
    ("ending", "begins"), [(".svg", b"<?xml"), (".png", b"\x89PNG"), (".PDF", b"%PDF-")]
)
def test_a_figure_is_written_with_its_numbers(
    sightline: Call, finished: Finished, here: Path, ending: str, begins: bytes
) -> None:
    done = sightline("figure", "tau-by-class", finished.saved, "--out", f"tau{ending}", "--json")
    assert (done.code, done.json) == (
        0,
        {"figure": f"tau{ending}", "numbers": "tau.csv", "audits": 1},
    ), done.err
    assert Path(f"tau{ending}").read_bytes().startswith(begins)
    with Path("tau.csv").open(newline="") as file:
        assert sum(int(row["texts"]) for row in csv.DictReader(file)) == len(
            Audit.load(finished.saved).texts
        )
    assert sorted(path.name for path in here.iterdir()) == sorted(("tau.csv", f"tau{ending}"))


def test_what_is_wrong_is_said_and_nothing_is_written(
    sightline: Call, finished: Finished, here: Path
) -> None:
    sa = finished.saved
    for asked, said in (
        (("tau", sa, "--out", "x.svg"), f"NAME: expected one of {', '.join(FIGURES)}, got 'tau'"),
        (
            ("sparsty", sa, "--out", "x.svg"),
            f"NAME: expected one of {', '.join(FIGURES)}, got 'sparsty'; near it: sparsity",
        ),
        (
            ("transplant", sa, "--out", "x.eps"),
            "--out: expected a name that ends in .svg, .png, .pdf, got x.eps",
        ),
        (
            ("transplant", sa, "--out", "x.svg", "--text-id", "t"),
            "--text-id: transplant is not a figure of one text",
        ),
        (
            ("heat-map", sa, "--out", "x.svg", "--text-id", "t"),
            "--text-id: no text of this audit has the id 't'",
        ),
        (
            ("means", sa, "--out", "x.svg"),
            "NAME: means is drawn by a study alone; write it in [show]",
        ),
        (("adversaries", sa, "--out", "x.svg"), "the figure needs runs of adversaries"),
        (
            ("transplant", "nowhere", "--out", "x.svg"),
            "nowhere: expected a folder that `sightline audit --save` wrote",
        ),
    ):
        done = sightline("figure", *asked)
        assert (done.code, done.out) == (2, "")
        assert done.err.startswith(f"error: {said}"), done.err
        assert done.err.count("\n") == 1
    assert not [*here.iterdir()]


def test_without_the_extra_it_is_named_before_any_audit_is_read(
    sightline: Call, finished: Finished, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent(name: str) -> None:
        raise ModuleNotFoundError(f"No module named {name!r}")

    monkeypatch.setattr(matplotlib_output, "import_module", absent)
    monkeypatch.setattr("sightline.audits.audit_storage.load_results", absent)
    done = sightline("figure", "tau-by-class", finished.saved, "--out", "x.svg")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(
        "error: figures need matplotlib (No module named 'matplotlib.figure'): pip install"
    )
    assert not [*here.iterdir()]


def test_a_store_stands_for_its_runs_that_are_done(
    sightline: Call, store: Store, here: Path
) -> None:
    assert sightline("figure", "adversaries", "st", "--out", "a.svg", "--json").json["audits"] == 4
    with Path("a.csv").open(newline="") as file:
        assert len([row for row in csv.DictReader(file) if row["run"]]) == 3
    one = next(run.key for run in store.summaries() if run.seed == 1)
    some = sightline(
        "figure", "adversaries", f"st:{one}", "st:" + one[:8], "--out", "a.svg", "--json"
    )
    assert some.json["audits"] == 1  # named twice, it is one
    result = sightline("figure", "tau-by-class", "st", "--out", "t.svg")
    assert result.err == (
        "error: PLACE: expected one audit, got 4; name one, of several seeds as DIR/seed-N, "
        "of a store as STORE:KEY\n"
    )
    assert (
        "lies in PLACE st, which is only read"
        in sightline("figure", "adversaries", "st", "--out", "st/a.svg").err
    )


def test_ids_can_be_left_out(sightline: Call, finished: Finished, here: Path) -> None:
    done = sightline(
        "figure", "permutation-by-weight", finished.saved, "--out", "p.svg", "--no-ids"
    )
    assert done.code == 0, done.err
    with Path("p.csv").open(newline="") as file:
        ids = [row["id"] for row in csv.DictReader(file)]
    assert ids == [str(number + 1) for number in range(len(Audit.load(finished.saved).texts))]


def test_a_heat_map_is_of_the_text_that_is_named(
    sightline: Call, finished: Finished, here: Path
) -> None:
    text = Audit.load(finished.saved).texts[2]
    for given, flags in ((text.id, ()), ("3", ("--no-ids",))):
        done = sightline(
            "figure", "heat-map", finished.saved, "--out", "h.svg", "--text-id", given, *flags
        )
        assert done.code == 0, done.err
        with Path("h.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        assert {row["id"] for row in rows} == {given}
        assert [row["word"] for row in rows] == [*text.tokens]


def test_a_table_that_nobody_named_is_not_replaced_by_the_numbers(
    sightline: Call, finished: Finished, here: Path
) -> None:
    asked = ("figure", "tau-by-class", finished.saved, "--out")
    Path("reviews.csv").write_text("text,label\n")
    done = sightline(*asked, "reviews.svg")
    assert (done.code, done.out) == (2, "")
    assert "reviews.csv: exists" in done.err
    assert Path("reviews.csv").read_text() == "text,label\n"
    assert [path.name for path in here.iterdir()] == ["reviews.csv"]
    for name in ("tau.PDF", "tau.PDF", "own.svg", "own.png"):
        assert sightline(*asked, name).code == 0  # its own numbers are replaced


@pytest.mark.parametrize("ending", [".svg", ".png", ".pdf"])
def test_a_figure_replaces_only_a_figure_of_sightline(
    sightline: Call, finished: Finished, here: Path, ending: str
) -> None:
    asked = ("figure", "tau-by-class", finished.saved, "--out")
    theirs = Figure()
    theirs.subplots().plot([1, 2])
    theirs.savefig(f"theirs{ending}", metadata={"Title": "theirs"})
    before = Path(f"theirs{ending}").read_bytes()
    Path("theirs.csv").write_text("text,label\n")
    done = sightline(*asked, f"theirs{ending}")
    assert (done.code, done.out) == (2, "")
    assert (
        f"--out theirs{ending}: exists and is no such file of sightline; name another" in done.err
    )
    assert Path(f"theirs{ending}").read_bytes() == before
    assert [sightline(*asked, f"ours{ending}").code for _ in range(2)] == [0, 0]
    # A picture of the user does not make the table next to it ours.
    other = {".svg": ".png", ".png": ".pdf", ".pdf": ".svg"}[ending]
    assert "theirs.csv: exists, and no figure" in sightline(*asked, f"theirs{other}").err
    assert Path("theirs.csv").read_text() == "text,label\n"


def test_a_title_beyond_latin_is_recognised(here: Path) -> None:
    plot = Plot("τ by class", (), lambda figure: None, ("a",), ((1,),))
    for ending, like in FIGURE_FILES.items():
        place = here / f"p{ending}"
        assert is_ours(write_plot(plot, place), like), ending
