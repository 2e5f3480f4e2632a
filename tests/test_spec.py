"""Specs: text ↔ value, canonical keys, and errors that say what to write instead."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.data.vocabulary import Vocabulary
from sightline.errors import SpecError
from sightline.models.classifier import build
from sightline.presets import PRESETS, build_specs
from sightline.spec import DataSpec, FitSpec, Part, RunSpec, parse_data, parse_model, parse_part, run_key

names = st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True)
values = st.one_of(
    st.integers(-99, 99), st.booleans(), st.floats(-9, 9).filter(lambda x: x == x), names.filter(lambda n: n not in ("true", "false", "inf", "nan", "infinity"))
)  # fmt: skip


@given(names, st.dictionaries(names, values, max_size=4))
def test_a_part_round_trips_through_its_text(name: str, options: dict) -> None:
    part = Part(name, tuple(sorted(options.items())))
    assert parse_part(str(part)) == part


@pytest.mark.parametrize("text", ["mlp", "bilstm(hidden=8,layers=2)+additive(hidden=4)+softmax", "mlp+uniform"])
def test_a_model_round_trips_through_its_text(text: str) -> None:
    spec = parse_model(text)
    assert parse_model(str(spec)) == spec


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "expected a part such as"),
        ("mlp+mlp", "two encoders"),
        ("additive", "no encoder; start with one of bilstm, mlp"),
        ("mlp+sparsemax", "unknown part 'sparsemax'"),
        ("mlp(hidden)", "expected key=value"),
        ("mlp(hidden=1,hidden=2)", "hidden is given twice"),
        ("mlp(hidden=8", "expected a part such as"),
    ],
)
def test_a_model_that_cannot_be_read(text: str, said: str) -> None:
    with pytest.raises(SpecError, match=said.replace("(", r"\(")):
        parse_model(text)


@pytest.mark.parametrize(
    ("text", "kind"), [("a.csv", "csv"), ("b.TSV", "tsv"), ("c.jsonl.gz", "jsonl"), ("csv:odd.txt", "csv")]
)
def test_tables_by_their_ending_or_their_kind(text: str, kind: str) -> None:
    assert parse_data(text).kind == kind


def test_data_that_cannot_be_read() -> None:
    with pytest.raises(SpecError, match=r"--data 'reviews.xls': expected a .csv, .tsv or .jsonl file"):
        parse_data("reviews.xls")


def test_options_are_typed_and_named() -> None:
    assert parse_part("mlp(hidden=4)").only(hidden=128) == {"hidden": 4}
    assert parse_part("noise(level=1)").only(level=0.5) == {"level": 1.0}
    with pytest.raises(SpecError, match=r"unknown option 'size'; mlp has these options: hidden"):
        parse_part("mlp(size=4)").only(hidden=128)
    with pytest.raises(SpecError, match="hidden should be of the kind of 128, got 'big'"):
        parse_part("mlp(hidden=big)").only(hidden=128)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("mlp(hidden=0)", "positive hidden, got 0"),
        ("bilstm(layers=0)", "positive layers, got 0"),
        ("bilstm(hidden=-1)", "positive hidden, got -1"),
        ("mlp+additive(hidden=-3)", "positive hidden, got -3"),
        ("mlp+random(scale=-1.0)", "positive scale, got -1.0"),
        ("mlp+random(scale=nan)", "positive scale, got nan"),
        ("mlp+softmax(beta=2)", "unknown option 'beta'; softmax has these options: none"),
    ],
)
def test_sizes_that_cannot_be(text: str, said: str) -> None:
    with pytest.raises(SpecError, match=said):
        build(parse_model(text), Vocabulary(("a",)), ("x", "y"), 0)


def test_the_key_names_the_content() -> None:
    spec = RunSpec(parse_data("planted:needle(n=9,length=3)"), parse_model("mlp"))
    same = RunSpec(parse_data("planted:needle( length=3, n=9 )"), parse_model("mlp+softmax+additive"))
    assert run_key(spec) == run_key(same)
    others = [
        replace(spec, seed=1),
        replace(spec, fit=FitSpec(epochs=3)),
        replace(spec, data=replace(spec.data, min_count=2)),
        replace(spec, model=parse_model("mlp(hidden=4)")),
    ]
    assert len({run_key(spec), *map(run_key, others)}) == 5


def test_presets_fix_what_the_papers_fix() -> None:
    model, fit = build_specs("bilstm+additive", "jain2019")
    assert (model.embedding, model.embedding_std, model.boundaries) == (200, 0.1, True)
    assert (fit.epochs, fit.amsgrad, fit.class_weights, fit.keep, fit.reduction) == (8, True, True, "auc", "sum")
    assert (fit.learning_rate, fit.weight_decay, fit.attention_weight_decay, fit.batch_size) == (1e-3, 1e-5, 0.0, 32)
    _, wen = build_specs("mlp", "wen2022")
    assert (wen.amsgrad, wen.keep) == (False, "accuracy")
    assert set(PRESETS) == {"default", "jain2019", "wen2022"}


def test_flags_override_a_preset() -> None:
    _, fit = build_specs("mlp", "jain2019", epochs=3, batch_size=None)
    assert (fit.epochs, fit.patience, fit.batch_size) == (3, 3, 32)
    with pytest.raises(SpecError, match="--preset 'jain': expected one of default, jain2019, wen2022"):
        build_specs("mlp", "jain")


def test_the_spec_text_of_data_says_where_it_is() -> None:
    assert str(DataSpec("csv", path="x.csv")) == "csv:x.csv"
    assert str(parse_data("planted:vote(cues=3)")) == "planted:vote(cues=3)"
