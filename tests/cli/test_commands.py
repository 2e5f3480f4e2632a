"""`demo`, `check-data`, `list` and `doctor`."""

import re
import shlex
from pathlib import Path
from types import SimpleNamespace

import pytest

from sightline.api import cost_forecast
from sightline.api.run_options import Stopping
from sightline.audits.audit_storage import load_results
from sightline.cli import dry_run
from sightline.cli.flags import read_memory
from sightline.config.presets import PRESETS
from sightline.core.results import MUST_NOT
from sightline.data.word_vectors import read_dimension
from sightline.report.map_names import map_title
from sightline.report.number_format import duration
from sightline.verdict.catalogue import AUDIT_TESTS
from tests.cli.conftest import Call


@pytest.mark.slow
def test_demo_ends_in_both_verdicts_within_a_screen(sightline: Call, here: Path):
    done = sightline("demo", "--out", "shown")
    assert done.code == 0
    printed = done.out.splitlines()
    assert len(printed) + len(done.err.splitlines()) <= 25
    assert max(map(len, printed)) <= 100
    verdicts = [line for line in printed if line.startswith("VERDICT ")]
    first, second = (
        load_results(Path("shown") / name / "audit") for name in ("model-1", "model-2")
    )
    assert first.verdict.level.permits
    assert all(one.level.permits for one in first.verdict.by_class.values())
    assert second.verdict.level == MUST_NOT
    assert ["can be shown" in line for line in verdicts] == [True, False]
    (other,) = (row for row in second.maps if row.chosen and not row.signed)
    assert (other.answer, other.against) == ("passed", ())
    assert map_title(other.name) in done.out
    page = Path("shown/index.html").read_text(encoding="utf-8")
    for name in ("model-1", "model-2"):
        assert f'href="{name}/report.html"' in page
        assert sorted(path.name for path in (Path("shown") / name).iterdir()) == [
            "audit",
            "model",
            "report.html",
        ]


def test_what_demo_wrote_is_a_model_like_any_other_and_its_command_repeats_it(
    sightline: Call, here: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("sightline.cli.demo.DATA", "planted:reviews(n=100)")
    done = sightline("demo", "--out", "shown", "--json")
    assert done.code == 0, done.err
    assert [*done.json] == ["model-1", "model-2"]
    first = done.json["model-1"]
    again = sightline(*shlex.split(first["spec"]["command"])[1:], "--json", "--quiet")
    assert again.json["findings"] == first["findings"]
    loaded = sightline("predict", "shown/model-1/model", "A lovely lamp.")
    assert loaded.code == 0, loaded.err


def test_demo_leaves_a_folder_that_is_not_its_own_alone(sightline: Call, here: Path, no_training):
    (here / "mine" / "model-2" / "audit").mkdir(parents=True)
    (here / "mine" / "model-2" / "audit" / "notes.txt").touch()
    assert sightline("demo", "--out", "mine").code == 2
    assert [path.name for path in (here / "mine").iterdir()] == ["model-2"]


def test_check_data_tells_what_is_there(sightline: Call, table):
    done = sightline("check-data", "--data", table)
    assert (done.code, done.err) == (0, "")
    assert re.search(r"^train +84 +9 to 11, median 10 +neg 42, pos 42$", done.out, re.MULTILINE)
    card = sightline("check-data", "--data", table, "--json").json
    assert card["splits"]["test"]["n"] == 18
    assert card["notes"][-1].startswith("18 test texts for a model that is trained here")
    enough = sightline("check-data", "--data", "planted:needle(n=400)", "--json").json
    assert [note for note in enough["notes"] if "a verdict rests" in note] == []
    assert card["splits"]["train"]["labels"] == {"neg": 42, "pos": 42}


def test_check_data_divides_as_an_audit_with_this_seed_would(sightline: Call, table, monkeypatch):
    seeds = []
    from sightline.data.load_dataset import load

    monkeypatch.setattr(
        "sightline.data.load_dataset.load",
        lambda spec, seed, **options: seeds.append(seed) or load(spec, seed, **options),
    )
    sightline("check-data", "--data", table, "--seed", 3)
    assert seeds == [3]


def test_check_data_prints_labels_that_a_terminal_cannot_obey(sightline: Call, here: Path):
    labels = ("pos", "ev\x1b[31mil")
    rows = "".join(f"a text {i},{labels[i % 2]}\n" for i in range(20))
    Path("x.csv").write_text("text,label\n" + rows, encoding="utf-8")
    assert "\x1b" not in sightline("check-data", "--data", "x.csv").out


def test_check_data_keeps_many_labels_on_one_line(sightline: Call, here: Path):
    rows = "".join(f"a text {i},label {i % 30} {'x' * 50}\n" for i in range(300))
    Path("x.csv").write_text("text,label\n" + rows, encoding="utf-8")
    shown = sightline("check-data", "--data", "x.csv").out
    assert ", and 22 more" in shown
    assert max(map(len, shown.splitlines())) < 400


def test_a_length_beyond_every_number_cuts_nothing(sightline: Call, table):
    done = sightline("check-data", "--data", table, "--max-tokens", 10**20, "--json")
    assert done.code == 0, done.err
    assert done.json["truncated"] == 0


def test_vectors_are_packed_read_and_near_a_word_in_any_case(sightline: Call, table, here: Path):
    again = table.read_text(encoding="utf-8").splitlines()
    rows = [f"{line},{split}" for split in ("train", "test") for line in again[1:]]
    Path("split.csv").write_text("\n".join([f"{again[0]},split", *rows]), encoding="utf-8")
    line = ("vectors", "--data", "split.csv", "--out", "v.txt.gz", "--dimension", 3)
    refused = sightline(*line)
    assert refused.code == 2
    assert "--on-copies drop" in refused.err
    line = ("vectors", "--data", table, "--out", "v.txt.gz", "--dimension", 3)
    word = again[1].split()[0].strip('"').lower()
    made = sightline(*line, "--near", word, "--near", word.upper(), "--json")
    assert made.code == 0, made.err
    assert made.json["near"][word] == made.json["near"][word.upper()] != {}
    assert read_dimension("v.txt.gz") == 3
    packed = Path("v.txt.gz").read_bytes()
    assert sightline(*line).code == 0
    assert Path("v.txt.gz").read_bytes() == packed


def test_list_has_everything_and_each_kind_alone(sightline: Call):
    everything = sightline("list", "--json").json
    kinds = [
        "models",
        "controls",
        "data",
        "measures",
        "findings",
        "presets",
        "fields",
        "columns",
        "figures",
    ]
    assert list(everything) == kinds
    assert [row["code"] for row in everything["findings"]] == list(AUDIT_TESTS)
    assert [row["name"] for row in everything["presets"]] == list(PRESETS)
    for kind, rows in everything.items():
        assert sightline("list", kind, "--json").json == {kind: rows}
        lines = sightline("list", kind).out.splitlines()
        assert lines[0] == f"{kind}:"
        assert len(lines) == 1 + len(rows)
        for row, line in zip(rows, lines[1:], strict=True):
            assert row["about"] in line
    for row in everything["measures"]:
        assert row["about"]
        assert isinstance(row["needs"], list)


def test_doctor_is_content_here(sightline: Call):
    done = sightline("doctor")
    assert done.code == 0
    assert all(line.startswith("ok ") for line in done.out.splitlines())
    output = sightline("doctor", "--json").json
    assert output["ok"] is True
    assert {check["name"] for check in output["checks"]} >= {
        "python",
        "packages",
        "torch",
        "--device auto",
        "a tiny audit",
    }


def test_doctor_says_what_is_wrong(sightline: Call, monkeypatch):
    def broken(*arguments: object) -> None:
        raise OSError("no such library")

    monkeypatch.setattr("sightline.experiments.pipeline.run", broken)
    done = sightline("doctor", "--json")
    assert done.code == 1
    assert done.json["ok"] is False
    assert [check["found"] for check in done.json["checks"] if not check["ok"]] == [
        "OSError: no such library"
    ]


def test_doctor_checks_the_identity_that_every_audit_rests_on(sightline: Call, monkeypatch):
    monkeypatch.setattr("sightline.verdict.verdict_table.IDENTITY", -1.0)
    done = sightline("doctor")
    assert done.code == 1
    assert "FAILED" in done.out
    assert "misses its logits" in done.out


@pytest.mark.parametrize(
    ("text", "size"),
    [("1M", 2**20), ("512m", 2**29), ("2G", 2**31), ("1.5GiB", 3 * 2**29), ("2048 KB", 2**21)],
)
def test_sizes(text, size):
    assert read_memory(text) == size


def test_durations():
    assert [duration(seconds) for seconds in (0.1, 89.0, 120.0, 7200.0)] == [
        "1 s",
        "89 s",
        "2 min",
        "2.0 h",
    ]


def test_an_estimate_includes_the_maps_that_are_compared_after_a_single_look(monkeypatch):
    expected = cost_forecast.QuickEstimate(114, 50.0, (114, 50.0), 20.0)
    monkeypatch.setattr(cost_forecast, "quick_estimate", lambda *_: expected)
    source = SimpleNamespace(name_of=lambda trained: "a model")
    (line,) = dry_run._estimate(source, None, None, Stopping(), resumes=False)
    assert {duration(50.0), duration(20.0)} <= {*re.findall(r"\d+ s", line)}
