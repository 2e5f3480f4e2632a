"""The page of numbers that lie outside: each once, and no cause without a number."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "docs"))

import docs_outside as outside  # noqa: E402  (it needs the path above)
import docs_reproduction as reproduction  # noqa: E402
from docs_tables import REPRODUCTION, verified  # noqa: E402


def line(**changes: object) -> dict[str, object]:
    return {
        "corpus": "sst",
        "model": "bilstm+additive",
        "quantity": "τ with gradient of inputs",
        "written": "0.25",
        "result": "outside",
    } | changes


def test_a_number_is_named_once_and_only_if_it_is_of_a_model_on_a_primary_corpus() -> None:
    again = {"id": "meister2021:M-7", "lines": [line()]}
    first = {
        "id": "meister2021:M-6",
        "lines": [
            line(),
            line(result="within", quantity="another"),
            line(model="", quantity="test texts"),
            line(corpus="snli"),
        ],
    }
    found = list(outside.numbers({"artefacts": [first, again]}))
    assert found == [(first, first["lines"][0])]


def test_of_what_no_cause_covers_nothing_is_known() -> None:
    one = {"id": "jain2019:J-1"}
    assert outside.because(one, line(quantity="something")) == outside.NOTHING
    known = outside.CAUSES[0]
    covered = line(corpus=known.corpora[0], quantity=known.quantity)
    assert outside.because({"id": f"{known.paper}:J-1"}, covered) == known.because


def test_every_number_outside_has_a_row_and_every_cause_a_number() -> None:
    stored = verified(REPRODUCTION)
    assert stored is not None
    found = list(outside.numbers(stored))
    assert outside.outside(stored).count("\n| [") == len(found) > 0
    unused = [
        cause
        for cause in outside.CAUSES
        if not any(cause.covers(reproduction.paper_of(one), line) for one, line in found)
    ]
    assert unused == []
