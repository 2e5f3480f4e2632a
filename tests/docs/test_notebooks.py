"""The notebooks run as they stand, in a kernel of their own, and what they display is what a reader
is to see.
"""

import json
import math
import os
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from sightline.experiments.store import Store

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
NOTEBOOKS = {path.stem: path for path in sorted(EXAMPLES.glob("*.ipynb"))}


def displayed(path: Path, folder: Path) -> list[dict[str, Any]]:
    """Run a notebook in an empty folder, and give what its cells display; a cell that fails is an
    error.
    """
    notebook = nbformat.read(path, as_version=4)
    kernel = {
        **os.environ,
        "OMP_NUM_THREADS": "1",
    }  # as these tests themselves: equal threads, equal bits
    kernel["PATH"] = os.pathsep.join(
        [str(Path(sys.executable).parent), os.environ["PATH"]]
    )  # for !sightline
    kernel["PYTHONWARNINGS"] = (
        "ignore:IProgress not found"  # what tqdm says where there are no widgets
    )
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(folder)}}).execute(
        env=kernel
    )
    outputs = [
        output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs
    ]
    assert [output.text for output in outputs if output.get("name") == "stderr"] == []
    return [output.data for output in outputs if "data" in output]


def test_the_notebooks_are_those_that_were_promised() -> None:
    assert list(NOTEBOOKS) == ["engineer", "huggingface", "sql", "teacher"]


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_is_kept_without_outputs(name: str) -> None:
    notebook = nbformat.read(NOTEBOOKS[name], as_version=4)
    nbformat.validate(notebook)
    assert all(
        not cell.outputs and cell.execution_count is None
        for cell in notebook.cells
        if cell.cell_type == "code"
    )


def test_the_teacher_sees_a_text_change_and_its_verdict(tmp_path: Path) -> None:
    look, edited, turned, audit, beside = (
        one["text/html"] for one in displayed(NOTEBOOKS["teacher"], tmp_path)
    )
    assert "Before:" not in look
    for one in (look, edited, turned, beside):
        assert "not evidence: whether it may be shown is what an audit answers" in one
        assert "background:rgb(" in one
    assert "Before:" in edited
    assert "Before:" in turned
    assert "Attention can be shown" in audit
    assert "Its audit, of " in beside


@pytest.mark.slow
def test_the_engineer_reads_which_map_may_be_shown(tmp_path: Path) -> None:
    audit, cards, predictions, look, page = displayed(NOTEBOOKS["engineer"], tmp_path)
    assert "Attention can be shown" in audit["text/html"]
    assert "count as" not in audit["text/html"]  # none is a near copy
    assert "'test': 180" in cards["text/plain"]
    assert "'good'" in predictions["text/plain"]
    assert "Its audit, of 180 texts" in look["text/html"]
    assert "report.html" in page["text/plain"]
    assert (tmp_path / "report.html").stat().st_size > 10_000


@pytest.mark.slow
def test_a_classifier_of_hugging_face_is_made_proved_audited_and_looked_at(tmp_path: Path) -> None:
    texts, proofs, audit, head, look, page = displayed(NOTEBOOKS["huggingface"], tmp_path)
    assert "alpha" in texts["text/plain"]
    assert "classifier: can be audited; 19 passed" in proofs["text/plain"]
    assert "texts predicted &#39;alpha&#39;, with caveats." in audit["text/html"]
    assert "'SL-001'" in head["text/plain"]
    assert "Its audit, of 150 texts" in look["text/html"]
    assert (tmp_path / "report.html").stat().st_size > 10_000
    assert "report.html" in page["text/plain"]
    assert (tmp_path / "classifier" / "tokenizer.json").exists()


@pytest.mark.slow
def test_one_query_of_a_store_draws_a_papers_figure(tmp_path: Path) -> None:
    figure, counted = displayed(NOTEBOOKS["sql"], tmp_path)
    assert figure["image/png"]
    rows = json.loads((tmp_path / "tau.json").read_text())
    assert {row["predicted"] for row in rows} == {"alpha", "beta"}
    store = Store(tmp_path / "runs")
    audits = [*map(store.audit, store.keys())]
    every = [
        value
        for audit in audits
        for value in audit.measurements["agreement"].values["tau.gradient"].tolist()
    ]
    known = [
        (text.predicted, value)
        for text, value in zip((t for a in audits for t in a.texts), every, strict=True)
    ]
    bins = Counter(
        (name, math.floor(value * 10) / 10) for name, value in known if not math.isnan(value)
    )
    assert {(row["predicted"], row["bin"]): row["texts"] for row in rows} == bins
    assert counted["text/plain"] == str(sum(bins.values()))
