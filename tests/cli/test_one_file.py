"""One file without a split column, for a model that is trained already: which of its rows are test
texts.
"""

import csv
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest

from sightline.config.spec_syntax import parse_data
from sightline.core.errors import DataError
from sightline.data.assembly.user_splits import ALSO_TRAINED, EVERY_ROW
from sightline.data.load_dataset import load
from sightline.experiments.load_models import load_imported, load_trained
from tests.cli.conftest import TINY, Call, write_table
from tests.cli.own_models import FILE, write


@pytest.fixture(scope="module")
def saved(sightline: Call, table: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("trained") / "model"
    done = sightline("train", "--data", table, *TINY, "--controls", "none", "--out", folder)
    assert done.code == 0, done.err
    return folder


def rows_of(table: Path) -> list[list[str]]:
    with table.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def other_table(folder: Path, table: Path) -> Path:
    """Write 40 rows that the model has not seen."""
    rows = rows_of(table)
    new = [[f"{text} again", label] for text, label in rows[1:41]]
    with (folder / "other.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([rows[0], *new])
    return folder / "other.csv"


def test_a_saved_model_is_audited_on_the_test_part_of_its_own_file(
    sightline: Call, saved: Path, table: Path
) -> None:
    """No text that it learned from is among them, in whichever folder the file lies."""
    dataset = load_trained(saved, parse_data(str(table)), 0).dataset
    assert [text.id for text in dataset.test] == [
        text.id for text in load(parse_data(str(table)), 0).test
    ]
    assert len(dataset.test) == 18
    assert any(ALSO_TRAINED in note for note in dataset.card["notes"])


def test_a_saved_model_is_audited_on_every_row_of_another_file(
    sightline: Call, saved: Path, table: Path, here: Path
) -> None:
    done = sightline("audit", "--model", saved, "--data", other_table(here, table), "--json")
    assert done.code == 0, done.err
    assert (
        done.json["cards"]["data"]["splits"]["test"]["n"]
        == done.json["metrics"]["accuracy"]["n"]
        == 40
    )
    assert EVERY_ROW in done.err
    assert "Auditing up to 40 texts with " in done.err


def test_a_split_column_is_followed(sightline: Call, saved: Path, table: Path, here: Path) -> None:
    rows = rows_of(other_table(here, table))
    with (here / "named.csv").open("w", encoding="utf-8", newline="") as file:
        names = ["split", *(("train", "dev", "test", "test")[i // 2 % 4] for i in range(40))]
        csv.writer(file).writerows([*row, name] for row, name in zip(rows, names, strict=True))
    done = sightline("audit", "--model", saved, "--data", "named.csv", "--quiet", "--json")
    assert done.json["metrics"]["accuracy"]["n"] == 20, done.err


def test_a_function_that_divides_the_file_is_audited_on_the_test_part(
    sightline: Call, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It trains its model on the other part; one that reads nothing is audited on every row."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    table = write_table(here / "mine.csv")
    learning = write(here, FILE + f"\nDATA = sightline.load({str(table)!r})\n")
    audited = [
        sightline(
            "audit",
            "--model",
            f"py:{name}:build",
            "--data",
            table,
            "--limit",
            30,
            "--quiet",
            "--json",
        )
        for name in (learning, write(here, FILE))
    ]
    assert [
        done.json["cards"]["data"]["sample"]["of"]
        if "sample" in done.json["cards"]["data"]
        else done.json["metrics"]["accuracy"]["n"]
        for done in audited
    ] == [18, 120]
    assert [ALSO_TRAINED in done.err for done in audited] == [True, False]
    assert [EVERY_ROW in done.err for done in audited] == [False, True]


def test_no_text_is_audited_that_the_code_of_a_model_divided_for_training(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under another seed the parts overlap; a module that is imported already reads nothing again."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    table = write_table(here / "mine.csv")
    name = write(here, FILE + f"\nDATA = sightline.load({str(table)!r}, seed=5)\n")
    for seed in (5, 5, 0):
        with pytest.raises(DataError) if seed != 5 else nullcontext():
            trained = load_imported(f"py:{name}:build", parse_data(str(table)), seed)
            learned = sys.modules[name].DATA
            seen = {text.id for text in (*learned.train, *learned.validation)}
            assert len(trained.dataset.test) == 18
            assert not seen & {text.id for text in trained.dataset.test}


def test_a_map_of_labels_is_for_a_model_that_is_trained_already(
    sightline: Call, table: Path, here: Path, no_training: None
) -> None:
    done = sightline("audit", "--data", table, *TINY, "--label-map", "pos=neg,neg=pos")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: --label-map: ")


def test_a_map_of_labels_is_part_of_what_a_run_says_of_itself(
    sightline: Call, saved: Path, table: Path, here: Path
) -> None:
    other = other_table(here, table)
    named = other.read_text(encoding="utf-8").replace(",pos", ",good").replace(",neg", ",bad")
    other.write_text(named, encoding="utf-8")
    command = ("audit", "--model", saved, "--data", other, "--quiet", "--json")
    refused = sightline(*command)
    assert (refused.code, refused.out) == (2, "")
    assert '--label-map "bad=CLASS,good=CLASS"' in refused.err
    done = sightline(*command, "--label-map", "good=pos,bad=neg").json
    assert done["spec"]["label_map"] == {"good": "pos", "bad": "neg"}
    assert "--label-map good=pos,bad=neg" in done["spec"]["command"]
    assert done["cards"]["data"]["labels_read"] == {"bad": "neg", "good": "pos"}
    assert done["cards"]["data"]["splits"]["test"]["labels"] == {"neg": 20, "pos": 20}
    turned = sightline(*command, "--label-map", "good=neg,bad=pos").json
    right, wrong = (one["metrics"]["accuracy"]["value"] for one in (done, turned))
    assert right == pytest.approx(1 - wrong)


def test_check_data_says_what_a_trained_model_is_audited_on(sightline: Call, table: Path) -> None:
    output = sightline("check-data", "--data", table, "--json").json
    assert output["splits"]["test"]["n"] == 18
    assert any(EVERY_ROW in note for note in output["notes"])
