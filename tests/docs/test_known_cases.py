"""The table of cases whose truth is known: a verdict is right or wrong, for all texts and by class."""

import json
from pathlib import Path
from typing import Any

import docs_known_cases
import pytest

WRITTEN = Path(__file__).parents[2] / "docs" / "verified" / "known_cases.json"


def case(row: int, alpha: int, **more: Any) -> dict[str, Any]:
    """A case that may be shown; for alpha a part of the texts has no reason."""
    run = {"row": row, "by_class": {"alpha": alpha, "beta": row}, "scores": None}
    return {
        "kind": "k", "name": "n", "right": [4, 5], "classes": {"alpha": [7]}, "says": "",
        "scores": None, "runs": [{**run, "decided": ["SL-308 failed"], **more}],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("one", "right"),
    [
        (case(5, 7), 1),
        (case(5, 5), 0),
        (case(3, 7), 0),
        (case(5, 7, refused="no"), 0),
        ({**case(5, 7), "says": "SL-308"}, 1),
        ({**case(5, 7), "says": "SL-307"}, 0),
        ({**case(5, 7), "scores": "passed"}, 0),
        ({**case(5, 7), "runs": []}, 0),
    ],
)
def test_a_case_is_right_if_every_class_is(one: dict[str, Any], right: int) -> None:
    *_, last = docs_known_cases.right({"cases": [one]}).splitlines()
    assert last == f"| all | 1 | {right} |"


def test_every_kept_case_has_runs_of_the_current_rules_alone() -> None:
    kept = json.loads(WRITTEN.read_text(encoding="utf-8"))
    assert kept.keys() == {"cases", "sources", "seeds"}
    assert all(one["runs"] for one in kept["cases"])
    named = {key for one in (*kept["cases"], *kept["sources"]) for key in one}
    assert not named & {"before", "after"}
