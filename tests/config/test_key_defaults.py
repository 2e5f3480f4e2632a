"""A run's key holds what its numbers depend on and its spec does not say; keys made before are what
they were.
"""

import json
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.config import key_defaults
from sightline.config.interval_settings import INTERVALS, NEAR_COPIES
from sightline.config.measure_registry import ALWAYS, BY_NAME, MEASURES
from sightline.config.part_syntax import Part
from sightline.config.registry import ROOMS, names_of, row_of
from sightline.config.run_keys import lasting_key, run_key, training_key
from sightline.config.spec_syntax import parse_data, parse_model
from sightline.config.specs import GIVEN, OFFICIAL, DataSpec, FitSpec, ModelSpec, RunSpec
from sightline.core.later_fields import later_fields

EVERY = tuple(code for code in MEASURES if code != ALWAYS)
RUNS = {
    "usual": RunSpec(parse_data("planted:needle"), parse_model("bilstm+additive")),
    "every measure": RunSpec(
        parse_data("planted:vote(n=600,cues=3)", min_count=2),
        parse_model("cnn(channels=25)+deep+entmax(learned=true)+random+linear+tying"),
        FitSpec(epochs=3, gradient_clipping=5.0),
        2,
        50,
        ("uniform", "frozen", "seed(by=2)", "untrained"),
        EVERY,
    ),
    "a query": RunSpec(
        parse_data("babi:x(task=2)", recipe="paper", digest="ab" * 32),
        parse_model("transformer+additive+sparsegen+query+concat"),
        FitSpec(),
        1,
        None,
        (),
        ("need",),
    ),
    "altered": RunSpec(
        parse_data("csv:a/b.csv", digest="cd" * 32),
        parse_model("mlp+dot+gumbel"),
        FitSpec(guide="last", decay="decoupled"),
        0,
        None,
        ("adversary", "base"),
        (),
        "scaled(by=0.5)",
        "norm",
    ),
}
NAMED = {
    "usual": ("ebc20b3a6f276d5f", "73f9091ebc3ea9de"),
    "every measure": ("60bdbe88f861a582", "a1f0904119b6db8c"),
    "a query": ("ad4eb6bf361ed1a6", "c38e486a28f38916"),
    "altered": ("b8e9aeaedd2b4509", "903edf9ed94748ff"),
}
"""The keys of runs and of trainings as they were first made under this meaning; *altered* reads a
user's own table, where rules that came later are in the key."""
KINDS = (*ROOMS, "altered", "companion", "planted", "published", "table", "gathered")
SPECS: Mapping[str, type] = {"data": DataSpec, "model": ModelSpec, "fit": FitSpec, "run": RunSpec}


@pytest.mark.parametrize("name", RUNS)
def test_runs_that_were_stored_before_are_still_found(name: str) -> None:
    assert (run_key(RUNS[name]), training_key(RUNS[name])) == NAMED[name]


def other(value: Any) -> Any:
    """Give another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value * 2 + 1
    if isinstance(value, str):
        return value + "x"
    if isinstance(value, list):
        return [*value, *value[:1]] or ["x"]
    if isinstance(value, dict):
        first = next(iter(value))
        return {**value, first: other(value[first])}
    return "x"


def takes(run: RunSpec, code: str) -> bool:
    return code in (run.measures or set(MEASURES) - BY_NAME) or code == ALWAYS


OF_MEASURES = [(code, name) for code, row in MEASURES.items() for name in row.settings]


@pytest.mark.parametrize(("code", "name"), OF_MEASURES)
def test_another_setting_is_another_run_just_where_its_measure_is_taken(
    code: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {of: (run_key(run), training_key(run)) for of, run in RUNS.items()}
    monkeypatch.setitem(MEASURES[code].settings, name, other(MEASURES[code].settings[name]))
    for of, run in RUNS.items():
        assert (run_key(run) != before[of][0]) == takes(run, code), of
        assert training_key(run) == before[of][1]
    assert takes(RUNS["every measure"], code)


@given(
    st.dictionaries(
        st.sampled_from(OF_MEASURES),
        st.integers(-9, 9) | st.floats(-9, 9) | st.booleans(),
        max_size=4,
    )
)
def test_runs_have_one_key_just_where_all_settings_are_equal(
    chosen: dict[tuple[str, str], Any],
) -> None:
    run = RUNS["every measure"]
    with pytest.MonkeyPatch.context() as patch:
        keys = [run_key(run)]
        for (code, name), value in chosen.items():
            patch.setitem(MEASURES[code].settings, name, value)
        keys.append(run_key(run))
        there = {(code, name): MEASURES[code].settings[name] for code, name in OF_MEASURES}
    was = {(code, name): MEASURES[code].settings[name] for code, name in OF_MEASURES}
    assert (keys[0] == keys[1]) == (
        json.dumps(list(there.values())) == json.dumps(list(was.values()))
    )


@pytest.mark.parametrize("name", INTERVALS)
def test_other_intervals_are_another_run_of_the_same_training(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = RUNS["usual"]
    before = run_key(run), training_key(run)
    monkeypatch.setitem(INTERVALS, name, other(INTERVALS[name]))  # type: ignore[arg-type]
    assert run_key(run) != before[0]
    assert training_key(run) == before[1]
    assert lasting_key(run) == run_key(run)


@pytest.mark.parametrize("name", NEAR_COPIES)
def test_near_copies_enter_the_keys_of_own_texts_alone(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {of: (run_key(run), training_key(run)) for of, run in RUNS.items()}
    monkeypatch.setitem(NEAR_COPIES, name, other(NEAR_COPIES[name]))  # type: ignore[arg-type]
    for of, run in RUNS.items():
        assert (run_key(run) != before[of][0]) == (of == "altered"), of
        assert training_key(run) == before[of][1]


@pytest.mark.parametrize(
    ("data", "separated", "other"),
    [
        ("parquet:x", ";", True),
        ("hf:x", ";", True),
        ("files:test=b.parquet", ";", True),
        ("parquet:x", "", False),
        ("csv:x", ";", False),
    ],
)
def test_lists_of_class_names_enter_the_keys_of_runs_that_may_read_some(
    data: str, separated: str, other: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = replace(RUNS["usual"], data=parse_data(data, labels_sep=separated))
    before = run_key(run), training_key(run)
    monkeypatch.setitem(key_defaults.FIRST, "lists of labels", dict(key_defaults.LISTS))  # type: ignore[index]
    assert [run_key(run) != before[0], training_key(run) != before[1]] == [other] * 2


LATER = {
    "csv": {"marks", "own_word", "information"},
    **{kind: {"own_word", "information"} for kind in ("adr", "mimic")},
    "cnn": {"information"},
}
"""The measures whose later rules change numbers, by kind of data; other kinds have none."""


def later_rules(places: Mapping[str, Any]) -> set[str]:
    return {
        place.removeprefix("measure ").removesuffix(", later")
        for place in places
        if place.endswith(", later")
    }


@pytest.mark.parametrize("kind", ["csv", *OFFICIAL, "planted"])
def test_later_rules_are_in_the_keys_of_the_data_that_they_change_and_of_no_others(
    kind: str,
) -> None:
    data = parse_data("planted:needle" if kind == "planted" else f"{kind}:x")
    run = replace(RUNS["every measure"], data=data)
    places = dict(key_defaults.of_audit(run))
    assert later_rules(key_defaults.changed(places.items())) == LATER.get(kind, set())
    assert not later_rules(dict(key_defaults.of_audit(replace(run, measures=("need",)))))


def with_part(kind: str, name: str) -> RunSpec:
    """Make a run that has a part with all its options left open."""
    usual = RUNS["usual"]
    if kind == "companion":
        return replace(usual, companions=(name,))
    if kind == "altered":
        return replace(usual, altered=name)
    if kind == "planted":
        return replace(usual, data=DataSpec("planted", part=Part(name)))
    if kind in ("published", "table", "gathered"):
        return replace(
            usual, data=parse_data(f"{name}:x" if name != "files" else "files:test=b.csv")
        )
    model = replace(
        usual.model, encoder=Part("transformer"), projection=Part("softmax"), embedding=128
    )
    return replace(usual, model=replace(model, **{kind: Part(name)}), companions=())


OPTIONS = [
    (kind, name, option)
    for kind in KINDS
    for name in names_of(kind)
    for option in row_of(kind, name).options
]


@pytest.mark.parametrize(("kind", "name", "option"), OPTIONS)
def test_another_default_of_an_option_is_another_run_where_it_is_left_open(
    kind: str, name: str, option: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, place = with_part(kind, name), f"{kind} {name}"
    plain = RUNS["usual"]
    before = run_key(run), training_key(run), run_key(plain)
    monkeypatch.setitem(key_defaults.FIRST[place], option, other(key_defaults.FIRST[place][option]))  # type: ignore[arg-type]
    assert run_key(run) != before[0]
    assert (training_key(run) != before[1]) == (kind not in ("companion", "altered"))
    assert (run_key(plain) != before[2]) == (
        place in ("planted needle", "encoder bilstm", "scorer additive")
    )


def test_an_option_that_is_said_depends_on_no_default(monkeypatch: pytest.MonkeyPatch) -> None:
    run = replace(RUNS["usual"], model=parse_model("bilstm(hidden=128)"))
    before = run_key(run)
    monkeypatch.setitem(key_defaults.FIRST["encoder bilstm"], "hidden", 64)  # type: ignore[arg-type]
    assert run_key(run) == before
    monkeypatch.setitem(key_defaults.FIRST["encoder bilstm"], "layers", 2)  # type: ignore[arg-type]
    assert run_key(run) != before


def test_a_companion_whose_attention_is_a_source_depends_on_its_defaults(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = replace(RUNS["usual"], companions=("frozen",))
    before = run_key(run), training_key(run), run_key(RUNS["usual"])
    monkeypatch.setitem(key_defaults.FIRST["source frozen"], "scale", 2.0)  # type: ignore[arg-type]
    assert run_key(run) != before[0]
    assert (training_key(run), run_key(RUNS["usual"])) == before[1:]


@pytest.mark.parametrize(
    ("spec", "field"),
    [(name, field) for name, kind in SPECS.items() for field in later_fields(kind) or ()],
)
def test_another_default_of_a_field_that_is_left_out_is_another_run(
    spec: str, field: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = RUNS["usual"]
    before = run_key(run), training_key(run)
    monkeypatch.setitem(key_defaults.FIRST[f"fields {spec}"], field, "another")  # type: ignore[arg-type]
    assert run_key(run) != before[0]
    assert (training_key(run) != before[1]) == (spec != "run")


def test_a_measure_or_a_part_that_came_later_is_in_the_keys_of_its_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run, without = RUNS["every measure"], RUNS["a query"]
    for place in ("measure reach", "encoder cnn"):
        before = run_key(run), run_key(without)
        monkeypatch.delitem(key_defaults.FIRST, place)  # type: ignore[attr-defined]
        assert run_key(run) != before[0]
        assert run_key(without) == before[1]


def test_what_stands_in_the_first_settings_is_still_there() -> None:
    """A setting that is gone would leave the keys as they were, and the numbers not."""
    now = {f"measure {code}": {*row.settings} for code, row in MEASURES.items()} | {
        "intervals": {*INTERVALS}
    }
    now |= {
        f"{kind} {name}": {*row_of(kind, name).options} for kind in KINDS for name in names_of(kind)
    }
    now |= {f"fields {name}": {*(later_fields(kind) or {})} for name, kind in SPECS.items()}
    gone = {place: {*first} - now.get(place, set()) for place, first in key_defaults.FIRST.items()}
    assert {place: names for place, names in gone.items() if names or place not in now} == {}, (
        "raise MEANING"
    )


def test_texts_that_were_handed_over_have_no_defaults() -> None:
    run = replace(RUNS["usual"], data=DataSpec(GIVEN, "mine", digest="ab" * 32))
    assert not key_defaults.changed(key_defaults.of_training(run))
    of_audit = key_defaults.changed(key_defaults.of_audit(run))
    assert of_audit.pop("near copies") == NEAR_COPIES
    assert later_rules(of_audit) == {"marks", "own_word"}
    of_audit = {place: one for place, one in of_audit.items() if not place.endswith(", later")}
    assert of_audit == key_defaults.changed(
        key_defaults.of_audit(RUNS["usual"])
    )  # what measures are set to, whatever the texts
    assert all(place.startswith("measure ") for place in of_audit)


def test_every_field_of_a_run_is_part_of_its_key() -> None:
    run = RUNS["usual"]
    changes: dict[str, Any] = {
        "data": parse_data("planted:vote"),
        "model": parse_model("mlp"),
        "fit": FitSpec(epochs=1),
        "seed": 1,
        "limit": 5,
        "companions": (),
        "measures": ("need",),
        "altered": "random",
        "gradient": "norm",
    }
    assert [*changes] == [one.name for one in fields(RunSpec)], (
        "a new field needs a line in changes"
    )
    keys = [
        run_key(run),
        *(run_key(replace(run, **{name: value})) for name, value in changes.items()),
    ]
    assert len(set(keys)) == len(keys)
