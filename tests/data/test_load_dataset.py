"""What was loaded last is kept in memory and nowhere else, a file that changed is read anew, and a
study reads it once.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from sightline.config.spec_syntax import parse_data, parse_model
from sightline.config.specs import DataSpec, FitSpec, RunSpec
from sightline.data.assembly import split_tables as reading
from sightline.data.corpus_cache import content_digest
from sightline.data.load_dataset import load
from sightline.experiments.executors.local import Serial
from sightline.experiments.store import Store
from tests.troubles.tables import rows, table


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "plain.csv"
    file.write_bytes(table(rows()))
    return file


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Count the times that rows are read from a file."""
    seen: list[str] = []
    read: Callable = reading.read_rows
    monkeypatch.setattr(
        reading, "read_rows", lambda file, *how: seen.append(file) or read(file, *how)
    )
    return seen


def test_a_study_reads_its_table_once(path: Path, tmp_path: Path, readings: list[str]) -> None:
    data = parse_data(str(path))
    models = [parse_model(name) for name in ("mlp(hidden=4)", "mlp(hidden=5)")]
    cells = [
        RunSpec(
            replace(data, min_count=least),
            model,
            FitSpec(epochs=1),
            seed,
            5,
            companions=(),
            measures=("need",),
        )
        for model in models
        for seed in (0, 1)
        for least in (1, 2)
    ]
    pinned = [replace(cell, data=replace(cell.data, digest=content_digest(data))) for cell in cells]
    endings = [done.ending for done in Serial().run(pinned, Store(tmp_path / "store"), again=False)]
    assert endings == ["done"] * 8
    assert readings == [str(path)]


def test_the_same_texts_are_assembled_once(path: Path) -> None:
    spec = parse_data(str(path))
    assert load(spec, 0) is load(replace(spec, digest=content_digest(spec)), 0)
    for other in (replace(spec, max_tokens=3), replace(spec, min_count=2)):
        assert load(other, 0).card != load(spec, 0).card
    planted = parse_data("planted:needle(n=40,length=5)")
    assert load(planted, 0) is load(planted, 0)


def test_numbers_that_are_equal_and_written_otherwise_keep_their_own_card() -> None:
    cards = [
        load(parse_data(f"planted:needle(n=40,length=5,strength={one})"), 0).card
        for one in ("1", "1.0")
    ]
    assert [card["source"].endswith("strength=1)") for card in cards] == [True, False]


@pytest.mark.parametrize("change", [{"text": "other"}, {"query": "other"}, {"label": "mood"}])
def test_other_columns_are_another_reading(path: Path, change: dict[str, str]) -> None:
    records = [(text, label, f"{text} indeed", "ab"[label == "neg"]) for text, label in rows()]
    path.write_bytes(table(records, ("text", "label", "other", "mood")))
    spec = parse_data(str(path))
    plain = load(spec, 0)
    assert load(replace(spec, **change), 0).train != plain.train


def test_a_file_that_changed_is_read_anew(path: Path) -> None:
    spec = parse_data(str(path))
    assert len({text.text for split in load(spec, 0).splits.values() for text in split}) == 60
    path.write_bytes(table(rows(30)))
    assert len({text.text for split in load(spec, 0).splits.values() for text in split}) == 30


def test_the_texts_of_a_table_are_never_written(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIGHTLINE_CACHE", str(tmp_path / "cache"))
    load(parse_data(str(path)), 0)
    assert not (tmp_path / "cache").exists()


def test_a_table_that_was_renamed_names_its_texts_anew(path: Path) -> None:
    load(parse_data(str(path)), 0)
    moved = path.rename(path.with_name("moved.csv"))
    data = load(DataSpec("csv", str(moved)), 0)
    assert (data.name, data.train[0].id.partition(":")[0]) == ("moved.csv", "moved.csv")
