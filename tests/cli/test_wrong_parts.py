"""A part or an option that there is not is said at once: before a table is read, and before a
run is made.
"""

from pathlib import Path

import pytest

from tests.cli.conftest import Call


@pytest.fixture
def unreadable(tmp_path: Path) -> Path:
    """A table that has no column of texts: once it is read, that is what the error says."""
    file = tmp_path / "unreadable.csv"
    file.write_text("first,second\n1,2\n", encoding="utf-8")
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
    sightline: Call, unreadable: Path, model: str, said: str
) -> None:
    done = sightline("audit", "--data", unreadable, "--model", model)
    assert done.code == 2
    assert said in done.err
    read = sightline("audit", "--data", unreadable, "--model", "bilstm")
    assert (read.code, "--model" in read.err) == (2, False)


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
