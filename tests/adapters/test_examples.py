"""The examples run as they stand, in a few lines, and serve the command line."""

import io
import sys
import tokenize
from pathlib import Path

import pytest

import sightline
from sightline.adapters.compatibility import check
from sightline.adapters.factory import load_factory
from tests.sampling import slow_but

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
NAMES = ("lstm_attention", "dict_output", "transformer_encoder", "allennlp_style")


@pytest.mark.parametrize("name", slow_but({0, 2}, NAMES))
def test_an_example_passes_its_proofs_and_is_audited(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.chdir(EXAMPLES)
    model = load_factory(f"py:{name}:build")  # as sightline audit --model does
    example = sys.modules[name]
    assert [
        str(p)
        for p in check(model, example.DATA.test, example.DATA.label_names)
        if p.outcome == "failed"
    ] == []
    found = sightline.audit(model, example.DATA, limit=20, full=True)
    assert (
        found.metrics["accuracy"].value > 0.7
    )  # it was trained, so its attention is about something
    # Twenty texts are too few for an answer; such an effect is large all the same.
    large = {
        one.code
        for one in found.findings
        if one.score is not None and one.score.low > (one.threshold or 0)
    }
    assert {"SL-101", "SL-102", "SL-104"} & large


def test_the_page_shows_the_example_as_it_is() -> None:
    page = (EXAMPLES.parent / "docs" / "adapters.md").read_text(encoding="utf-8")
    shown = page.split("```python\n")[1].split("\naudit =")[0]
    example = (EXAMPLES / "lstm_attention.py").read_text(encoding="utf-8")
    assert shown.strip() in example


@pytest.mark.parametrize("name", NAMES)
def test_an_audit_takes_fifteen_lines(name: str) -> None:
    _, ours = (EXAMPLES / f"{name}.py").read_text(encoding="utf-8").split("# -----", 1)
    ends = tokenize.generate_tokens(io.StringIO(ours.split("\n", 1)[1]).readline)
    lines = [end for end in ends if end.type == tokenize.NEWLINE]  # of code, however it is broken
    assert "sightline.wrap(" in ours or "sightline.tap(" in ours
    assert "sightline.audit(" in ours
    assert len(lines) <= 15
