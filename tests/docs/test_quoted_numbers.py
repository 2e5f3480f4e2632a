"""Numbers within a sentence are those of the results file."""

import re

import docs_numbers as numbers
import pytest


def line(**changes: object) -> dict[str, object]:
    ours = {"value": -0.25, "low": -0.5, "high": 0.0, "n": 9, "method": ""}
    return {"ours": ours, "floor": None, "seeds": 5, "planned": 5} | changes


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> None:
    floor = {"value": 0.1, "low": 0.0, "high": 0.2, "n": 9, "method": ""}
    found = {
        ("t", "sst", "m, λ 1", "τ"): line(floor=floor),
        ("t", "sst", "m", "q, class 0"): line(seeds=3),
        ("t", "sst", "m", "over all"): line(planned=0),
    }
    monkeypatch.setattr(numbers, "protocol_lines", lambda: found)


@pytest.mark.usefixtures("kept")
@pytest.mark.parametrize(
    ("of", "shown"),
    [
        ("t; sst; m, λ 1; τ", "−0.25 [−0.50, 0.00]"),
        ("t; sst; m, λ 1; chance of τ", "0.10 [0.00, 0.20]"),
        ("t; sst; m; q, class 0", "−0.25 [−0.50, 0.00] (3 of 5 seeds)"),
        ("t; sst; m; over all", "−0.25 [−0.50, 0.00]"),
    ],
)
def test_a_quoted_number_is_filled_in_with_its_interval_and_what_it_lacks(of, shown):
    text = f"It is <!-- n: {of} -->0.7<!-- /n -->, and | so."
    assert numbers.quote(text) == f"It is <!-- n: {of} -->{shown}<!-- /n -->, and | so."


@pytest.mark.usefixtures("kept")
@pytest.mark.parametrize("of", ["t; sst; m; τ", "t; sst; m; chance of over all"])
def test_a_number_that_no_run_has_stops_the_page(of):
    with pytest.raises(SystemExit, match=re.escape(of)):
        numbers.quote(f"<!-- n: {of} -->0.7<!-- /n -->")
