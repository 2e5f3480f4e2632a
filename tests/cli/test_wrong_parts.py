"""A part or an option that there is not is said at once: before a large table is read, and before a
cell is run.
"""

import time
from pathlib import Path

import pytest

from tests.cli.conftest import Call


@pytest.fixture
def large(tmp_path: Path) -> Path:
    file = tmp_path / "big.csv"
    file.write_text(
        "text,label\n" + "".join(f"a film that is number {i},{i % 2}\n" for i in range(60_000))
    )
    return file


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (
            "bilstm(hiden=3)",
            (
                "--model: bilstm(hiden=3): unknown option 'hiden'; bilstm has these options: "
                "hidden, layers"
            ),
        ),
        (
            "bilstm(hidden=abc)",
            "--model: bilstm(hidden=abc): hidden should be of the kind of 128, got 'abc'",
        ),
        ("bilstm+mlp", "two encoders"),
        ("lstm", "unknown part 'lstm'"),
        (
            "bilstm+residual",
            "--model: residual: needs states as wide as the embeddings, got 256 and 100",
        ),
    ],
)
def test_an_audit_does_not_read_the_data_first(
    sightline: Call, large: Path, model: str, said: str
) -> None:
    began = time.perf_counter()
    done = sightline("audit", "--data", large, "--model", model)
    assert (done.code, time.perf_counter() - began < 1) == (2, True)
    assert said in done.err


@pytest.mark.parametrize(
    ("data", "model", "said"),
    [
        (
            "planted:needle(n=80)",
            "bilstm(hiden=3)",
            "study.toml: axes.model: bilstm(hiden=3): unknown option 'hiden'",
        ),
        (
            "planted:needle(n=80)",
            "mlp+tying",
            "study.toml: axes.model: tying: needs states as wide as the embeddings",
        ),
        (
            "planted:needle(noise=2)",
            "mlp",
            "study.toml: base.data: planted:needle(noise=2): expected noise from 0 to 1",
        ),
        ("planted:moon", "mlp", "study.toml: base.data: unknown planted corpus 'moon'"),
    ],
)
def test_a_study_runs_no_cell(
    sightline: Call, tmp_path: Path, data: str, model: str, said: str
) -> None:
    study = tmp_path / "study.toml"
    study.write_text(
        f'name = "s"\n[base]\ndata = "{data}"\nmodel = "mlp"\n[axes]\nmodel = '
        f'["mlp(hidden=3)", "{model}"]\n'
    )
    done = sightline("study", study, "--store", tmp_path / "store")
    assert done.code == 2, done.err
    assert said in done.err
    assert not (tmp_path / "store").exists()
