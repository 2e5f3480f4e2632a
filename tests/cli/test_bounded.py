"""What is no file, or asks for too much, is one line and exit code 2; a lack of memory says what
this command can lower.
"""

from pathlib import Path

import pytest

from tests.cli.conftest import Call, write_table

REFUSED = {
    ("check-data", "--data", "csv:/dev/null"): "/dev/null: expected a file, got a device",
    ("audit", "--data", "jsonl:/dev/null"): "/dev/null: expected a file, got a device",
    ("audit", "--data", "sst:/dev/null"): "/dev/null: expected a file, got a device",
    (
        "audit",
        "--data",
        "planted:needle",
        "--vectors",
        "/dev/null",
    ): "/dev/null: expected a file, got a device",
    ("study", "/dev/null", "--store", "runs"): "/dev/null: expected a file, got a device",
    ("check-data", "--data", "planted:needle(n=1000000000)"): (
        "expected n from 1 to 1,000,000, got 1000000000"
    ),
    (
        "audit",
        "--data",
        "x.csv",
        "--model",
        "mlp+deep(layers=100000)",
    ): "expected layers from 1 to 64, got 100000",
    ("vectors", "--data", "planted:needle", "--out", "v", "--window", "20000"): "10000",
    ("vectors", "--data", "planted:needle", "--out", "v", "--dimension", "20000"): "16384",
}


@pytest.mark.parametrize("arguments", REFUSED, ids=" ".join)
def test_it_is_refused_in_one_line(sightline: Call, here: Path, no_training, arguments):
    done = sightline(*arguments)
    assert (done.code, done.out) == (2, "")
    (line,) = done.err.splitlines()
    assert REFUSED[arguments] in line
    assert not any(here.iterdir())


def test_a_setting_that_cannot_be_read_is_named(sightline: Call, here: Path, table, monkeypatch):
    monkeypatch.setenv("SIGHTLINE_MAX_BYTES", "lots")
    done = sightline("check-data", "--data", table)
    assert done.code == 2
    assert done.err.startswith(
        "error: SIGHTLINE_MAX_BYTES: expected a number above 0, or a size such as 8G, got 'lots'"
    )


def greedy(*arguments: object, **options: object) -> None:
    raise MemoryError("Unable to allocate 4 TiB")


def test_a_lack_of_memory_names_the_file(sightline: Call, here: Path, monkeypatch):
    table = write_table(
        here / "own.csv", 50
    )  # one that no other test has read: tables stay in memory
    monkeypatch.setattr("sightline.data.assembly.split_tables.read_rows", greedy)
    done = sightline("check-data", "--data", table)
    assert (done.code, done.err) == (
        2,
        f"error: {table}: is too large for the memory there is; take a part of it\n",
    )


ADVICE = {
    ("check-data", "--data", "x.csv"): "lower --max-tokens, or take fewer texts",
    ("vectors", "--data", "x.csv", "--out", "v"): (
        "lower --max-tokens or --dimension, or take fewer texts"
    ),
    ("train", "--data", "x.csv", "--out", "m"): (
        "lower --max-tokens or --batch-size, or take fewer texts"
    ),
}


WITHOUT, WITH = (
    f"lower {flags}, or take fewer texts"
    for flags in ("--max-tokens or --memory", "--max-tokens or --batch-size or --memory")
)
OF_MODELS = {
    (): WITH,
    ("--model", "lstm"): WITH,
    ("--model", "py:a:b"): WITHOUT,
    ("--model=m",): WITHOUT,
}


@pytest.mark.parametrize("named", OF_MODELS)
def test_a_lack_of_memory_of_a_trained_model_suggests_nothing_of_its_training(
    sightline: Call, here: Path, monkeypatch, named
):
    Path("m").mkdir()
    Path("m/model.json").write_text("{}")
    monkeypatch.setattr("sightline.cli.audit.check_places", greedy)
    done = sightline("audit", "--data", "x.csv", "--out", "r.html", *named)
    assert (done.code, done.err.partition("; ")[2]) == (2, f"{OF_MODELS[named]}\n")


@pytest.mark.parametrize("arguments", ADVICE, ids=lambda arguments: arguments[0])
def test_a_lack_of_memory_suggests_only_what_the_command_has(
    sightline: Call, here: Path, monkeypatch, arguments
):
    monkeypatch.setattr("sightline.data.load_dataset.load", greedy)
    monkeypatch.setattr("sightline.experiments.pipeline.load", greedy)
    done = sightline(*arguments)
    assert done.code == 2
    assert (
        done.err
        == f"error: out of memory (MemoryError: Unable to allocate 4 TiB); {ADVICE[arguments]}\n"
    )


def test_a_command_without_such_flags_suggests_none(sightline: Call, here: Path, monkeypatch):
    monkeypatch.setattr("sightline.experiments.audit_lookup.load_results", greedy)
    done = sightline("report", "audit")
    assert done.code == 2
    assert done.err.endswith("take fewer texts, or a smaller model\n")
    assert "--" not in done.err
