"""Every measure takes its settings from where keys of runs find them, and no number is left out of
sight.
"""

import ast
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields, is_dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import sightline
from sightline.config.interval_settings import INTERVALS
from sightline.config.measure_registry import MEASURES
from sightline.core.protocols import Measure
from tests.parts import every_measure

NO_SETTING = {
    "code": "its name",
    "needs": "what a model must offer for it",
    "paper": "where it comes from",
    "tokens_at_once": "how much is run together: numbers do not depend on it",
    "gradient": "a run names it itself",
    "rivals_too": "whether other maps are measured: the numbers of attention do not depend on it",
    "reported_too": "whether more is measured than tests decide by: their numbers stay the same",
    "others": "which other maps are measured: those of an audit that runs to its end are all",
    "candidates": "how many words of a long text are compared in an audit that looks; else all are",
    "focus_texts": "a study measures all texts",
}
"""Fields of measures that are no settings, and why."""
_OF_INPUTS = {
    "spare": "measures.input_information:SPARE",
    "scaling": "measures.input_information:SCALING",
    "nulls": "measures.input_information:NULLS",
}
EXTRA_FIELDS = {
    "agreement": {"significant": "measures.agreement:SIGNIFICANT"},
    "searched": {"spread": "measures.attention_search:SPREAD"},
    "erasure": {"farthest": "measures.log_odds_bounds:FARTHEST"},
    "transplant": {
        "reached": "measures.transfer.transfer:REACHED",
        "right": "measures.transfer.transfer:RIGHT",
        "top": "measures.transfer.word_presence:TOP",
        "prior": "measures.transfer.word_presence:PRIOR",
    },
    "information": {
        "most": "measures.rank_information:MOST",
        "exchanges": "measures.rank_information:EXCHANGES",
        "kept": "measures.rank_information:KEPT",
        "resamples": "measures.rank_information:RESAMPLES",
        "fewest_ranks": "numerics.rank_selection:FEWEST_RANKS",
        "fewest_texts": "numerics.rank_selection:FEWEST_TEXTS",
        "bins": "numerics.rank_targets:BINS",
        "starts": "numerics.rank_targets:STARTS",
        "steps": "numerics.rank_probe_scores:STEPS",
        "many": "numerics.rank_probe_scores:MANY",
        "few": "numerics.rank_probe_scores:FEW",
        "few_texts": "numerics.rank_probe_scores:FEW_TEXTS",
        "strengths": "numerics.probes:STRENGTHS",
        "strength": "numerics.rank_coupling:STRENGTH",
        "promising": "numerics.rank_coupling:PROMISING",
        "clusters": "numerics.rank_coupling:CLUSTERS",
        "axes": "numerics.rank_coupling:AXES",
        "seeds": "numerics.rank_information_wen2022:SEEDS",
    },
    "input_information": _OF_INPUTS,
    "input_information_drawn": _OF_INPUTS,
}
"""Settings that are no fields but constants that a measure reads."""


def plain(value: Any) -> Any:
    return json.loads(json.dumps(asdict(value) if is_dataclass(value) else value))


def fields_of(one: Measure) -> dict[str, Any]:
    """Give the settings that a measure has as its fields; what it gathers while it runs is compared
    with nothing.
    """
    settings = [each.name for each in fields(one) if each.name not in NO_SETTING and each.compare]
    return {name: plain(getattr(one, name)) for name in settings}


def complaint(code: str, one: Measure) -> str:
    """Say where the settings of a measure are not those that keys see."""
    known = dict(MEASURES[code].settings) if code in MEASURES else {}
    beside = {name: known.pop(name, None) for name in EXTRA_FIELDS.get(code, {})}
    read = {name: _constant(home) for name, home in EXTRA_FIELDS.get(code, {}).items()}
    own = fields_of(one)
    if (known, beside) == (own, read) and code in MEASURES:
        return ""
    return (
        f"{code}: its row in sightline/config/measures has {known} and {beside}; the measure has "
        f"{own} and {read}"
    )


def _constant(home: str) -> Any:
    module, _, name = home.partition(":")
    return plain(getattr(import_module(f"sightline.{module}"), name))


@pytest.mark.parametrize("one", every_measure(), ids=lambda one: one.code)
def test_keys_see_every_setting_of_a_measure(one: Measure) -> None:
    assert complaint(one.code, one) == ""


def test_keys_see_the_settings_of_intervals() -> None:
    read = {
        "level": "intervals:LEVEL",
        "resamples": "resamples:RESAMPLES",
        "few": "strata:FEW",
        "lost": "ratios:LOST",
        "apart": "paired_differences:_APART",
        "family": "paired_differences:_FAMILY",
    }
    assert {name: _constant(f"stats.{home}") for name, home in read.items()} == INTERVALS


@dataclass(frozen=True)
class Unseen:
    """A measure that keeps a setting to itself."""

    draws: int = 7
    code: str = "unseen"
    needs: frozenset[str] = frozenset()
    paper: str = ""


@dataclass(frozen=True)
class Otherwise:
    """A measure under a known name, whose default is not the one that keys see."""

    draws: int = 7
    gradient: str = "input"
    code: str = "flips"
    needs: frozenset[str] = frozenset()
    paper: str = ""


@pytest.mark.parametrize("one", [Unseen(), Otherwise()], ids=lambda one: one.code)
def test_a_measure_whose_settings_keys_do_not_see_is_complained_of(one: Any) -> None:
    assert one.code in complaint(one.code, one)
    assert complaint("flips", Otherwise(draws=MEASURES["flips"].settings["draws"])) == ""


ROOMS = ("measures", "numerics", "stats", "verdict", "audits", "training", "models")
CONSTANTS = Path(__file__).with_name("constants.json")


def constants() -> dict[str, str]:
    """Find every number that a module of these rooms names: constants, values that fields start
    with, and defaults of parameters.
    """
    package = Path(sightline.__file__).parent
    return {
        f"{file.relative_to(package)}: {name}": ast.unparse(value)
        for room in ROOMS
        for file in sorted((package / room).rglob("*.py"))
        for name, value in named(ast.parse(file.read_text(encoding="utf-8")))
        if _is_number(value)
    }


def named(inside: ast.Module | ast.ClassDef, owner: str = "") -> Iterator[tuple[str, ast.expr]]:
    """Give the values with a name in a module or a class, such as ``Descent.steps`` and
    ``stratified(folds)``.
    """
    for line in inside.body:
        if isinstance(line, ast.Assign | ast.AnnAssign) and line.value is not None:
            target = line.targets[0] if isinstance(line, ast.Assign) else line.target
            yield f"{owner}{ast.unparse(target)}", line.value
        elif isinstance(line, ast.ClassDef):
            yield from named(line, f"{owner}{line.name}.")
        elif isinstance(line, ast.FunctionDef):
            taken = line.args
            places = [*taken.posonlyargs, *taken.args][::-1]
            defaults = [
                *zip(places, taken.defaults[::-1], strict=False),
                *zip(taken.kwonlyargs, taken.kw_defaults, strict=True),
            ]
            yield from (
                (f"{owner}{line.name}({one.arg})", default) for one, default in defaults if default
            )


def _is_number(value: ast.expr) -> bool:
    if isinstance(value, ast.Tuple | ast.BinOp | ast.UnaryOp):
        inside = [one for one in ast.iter_child_nodes(value) if isinstance(one, ast.expr)]
        return bool(inside) and all(map(_is_number, inside))
    return isinstance(value, ast.Constant) and type(value.value) in (int, float)


def test_a_constant_that_is_no_setting_does_not_change_unseen() -> None:
    """Tolerances and working sizes are code: keys do not see them, so a change of one is also a
    decision about `MEANING`.
    """
    known = json.loads(CONSTANTS.read_text(encoding="utf-8"))
    assert constants() == known, (
        "where results depend on it: move it to sightline/config/measures/, or "
        "raise MEANING in config/specs.py; then write it to tests/contract/constants.json"
    )
