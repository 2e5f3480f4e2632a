"""Specs: text ↔ value, canonical keys, and errors that say what to write instead."""

import hashlib
import json
import math
import re
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sightline._io.limits import WIDTH
from sightline.config.json_reader import read_as
from sightline.config.part_options import Option
from sightline.config.part_syntax import Part, parse_part
from sightline.config.presets import PRESETS, build_specs
from sightline.config.registry import ENCODERS, names_of, resolve_options, row_of
from sightline.config.run_keys import run_key, training_key
from sightline.config.spec_syntax import parse_data, parse_model
from sightline.config.specs import (
    FROM_ZERO,
    MEANING,
    MODEL_PARTS,
    OFFICIAL,
    DataSpec,
    FitSpec,
    ModelSpec,
    RunSpec,
)
from sightline.config.user_tables import read_files
from sightline.core.errors import SpecError
from sightline.data.vocabulary import Vocabulary
from sightline.models.classifier import build
from sightline.training.control_models import companions_of
from sightline.verdict.thresholds import default_thresholds
from tests.snapshots import refused

names = st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True)
values = st.one_of(
    st.integers(-99, 99),
    st.booleans(),
    st.floats(-9, 9).filter(lambda x: x == x),
    names.filter(lambda n: n not in ("true", "false", "inf", "nan", "infinity")),
)


# Plain values, of which `make` makes a run inside the test: its types are checked as it is made,
# and not with Hypothesis's own chance.
def drawn(kind: str) -> st.SearchStrategy[tuple[str, dict[str, Any]]]:
    """Draw a part of a kind, with some of its options at values that they may have, also
    together.
    """
    return st.one_of(
        st.tuples(
            st.just(row.name),
            st.fixed_dictionaries(
                {}, optional={key: allowed(option) for key, option in row.options.items()}
            ).filter(lambda given, row=row: not row.wrong(row.defaults | given)),
        )
        for row in (row_of(kind, name) for name in names_of(kind))
    )


def allowed(option: Option) -> st.SearchStrategy[Any]:
    if option.choices or isinstance(option.default, bool | str):
        texts = [
            one for one in ("3", "1-3", "00000000000000ab") if re.fullmatch(option.pattern, one)
        ]
        return st.sampled_from(
            option.choices or ((True, False) if isinstance(option.default, bool) else texts)
        )
    low, high = max(option.above, option.least, -99), min(option.most, option.below, 99)
    if isinstance(option.default, int):
        return st.integers(int(low) + (option.above == low), int(high))
    return st.floats(low, high, exclude_min=option.above == low, exclude_max=option.below == high)


numbers, sizes = st.floats(0, 9), st.integers(1, 999)
above = st.floats(0, 9, exclude_min=True)
tables = st.fixed_dictionaries(
    {"kind": st.sampled_from(["csv", "tsv", "jsonl", *OFFICIAL]), "path": st.text()},
    optional={
        "text": st.text(),
        "label": st.text(),
        "split": st.text(),
        "rationale": st.text(),
        "max_tokens": sizes,
        "min_count": sizes,
        "recipe": st.sampled_from(["clean", "paper"]),
        "digest": st.just("ab" * 32),
        "query": st.text(),
    },
)
planted = st.fixed_dictionaries({"kind": st.just("planted"), "part": drawn("planted")})
models = st.fixed_dictionaries(
    {room: drawn(room) for room in ("encoder", "scorer", "projection", "source")},
    optional={
        "embedding": sizes,
        "embedding_std": numbers,
        "boundaries": st.booleans(),
        "vectors": st.text(),
        "vectors_digest": st.just("ab" * 32),
        "without_vector": st.sampled_from(["random", "zero"]),
        "vectors_scale": above,
        "decoder": drawn("decoder"),
        "retention": drawn("retention"),
    },
)
fits = st.fixed_dictionaries(
    {},
    optional={
        "epochs": sizes,
        "patience": sizes,
        "batch_size": sizes,
        "learning_rate": above,
        "weight_decay": numbers,
        "attention_weight_decay": numbers,
        "amsgrad": st.booleans(),
        "class_weights": st.booleans(),
        "reduction": st.sampled_from(["mean", "sum"]),
        "keep": st.sampled_from(["loss", "auc", "accuracy"]),
        "gradient_clipping": numbers,
        "attention_rate_factor": above,
        "guide": st.sampled_from(["onto", "away", "last", "first"]),
        "guide_weight": above,
        "from_base": st.sampled_from([("encoder",), MODEL_PARTS]),
        "fixed": st.sampled_from([("decoder",), MODEL_PARTS[:2]]),
        "adversary_weight": numbers,
        "adversary_epochs": sizes,
        "draw": sizes,
        "decay": st.sampled_from(["coupled", "decoupled"]),
    },
)
rest = st.fixed_dictionaries(
    {"seed": st.integers()},
    optional={
        "limit": st.none() | sizes,
        "companions": st.lists(st.text(), max_size=2),
        "measures": st.sampled_from([[], ["agreement"], ["need", "erasure"]]),
        "altered": st.sampled_from(["", "random", "scaled(by=0.3)"]),
        "gradient": st.sampled_from(["input", "norm"]),
    },
)


def make(
    data: dict[str, Any], model: dict[str, Any], fit: dict[str, Any], rest: dict[str, Any]
) -> RunSpec:
    def with_parts(room: dict[str, Any]) -> dict[str, Any]:
        return {
            k: Part(v[0], tuple(sorted(v[1].items()))) if isinstance(v, tuple) else v
            for k, v in room.items()
        }

    named = {k: tuple(v) if isinstance(v, list) else v for k, v in rest.items()}
    built = together(ModelSpec(**with_parts(model)))
    if built.labelwise:
        named.pop("altered", None)
    return RunSpec(DataSpec(**with_parts(data)), built, FitSpec(**guidable(fit, built)), **named)


def guidable(fit: dict[str, Any], model: ModelSpec) -> dict[str, Any]:
    """Leave the guide out where attention is not learned or not one, and its weight where there is no
    guide.
    """
    left_out = (
        {"guide", "guide_weight"}
        if model.source.name != "learned" or model.labelwise or "guide" not in fit
        else set()
    )
    return {name: value for name, value in fit.items() if name not in left_out}


def together(model: ModelSpec) -> ModelSpec:
    """Give the model, or where its parts cannot stand together, one without what asks for more."""
    model = (
        replace(model, embedding=model.states)
        if row_of("retention", model.retention.name).needs
        else model
    )
    if model.labelwise and row_of("source", model.source.name).needs:
        model = replace(model, source=Part("learned"))
    try:
        model.check_together()
    except SpecError:
        return replace(model, retention=Part("none"))
    return model


def read_run(item: dict[str, Any]) -> RunSpec:
    return read_as(
        RunSpec, {name: value for name, value in item.items() if name != "meaning"}, "run spec"
    )


def through_json(spec: RunSpec) -> dict[str, Any]:
    return json.loads(json.dumps(spec.to_json()))


@given(names, st.dictionaries(names, values, max_size=4))
def test_a_part_round_trips_through_its_text(name: str, options: dict) -> None:
    part = Part(name, tuple(sorted(options.items())))
    assert parse_part(str(part)) == part


@pytest.mark.parametrize(
    "text",
    [
        "mlp", "bilstm(hidden=8,layers=2)+additive(hidden=4)+softmax", "mlp+uniform",
        "bilstm(layers=2)+additive+sparsegen(lambda=0.5)+tying(delta=10)", "cnn(channels=128,kernels=1-3-5-7-15)+deep",
        "cnn(kernels=3)+dot(scaled=false,start=normal)+entmax(alpha=1.2,learned=true)",
        "transformer+gumbel(temperature=0.5,test_noise=true)+random(scale=2.0)+query+mlm(eta=3.0,p=0.2)",
    ],
)  # fmt: skip
def test_a_model_round_trips_through_its_text(text: str) -> None:
    spec = parse_model(text)
    assert parse_model(str(spec)) == spec


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "expected a part such as"),
        ("mlp+mlp", "two encoders"),
        ("additive", "no encoder; start with one of bilstm, cnn, mlp, transformer"),
        ("mlp+nearmax", "unknown part 'nearmax'"),
        ("hf:folder", "trained already"),
        ("py:mine:build", "trained already"),
        ("mlp+concat+residual", "two retentions, concat and residual"),
        ("mlp+query+linear", "two decoders"),
        ("mlp(hidden)", "expected key=value"),
        ("mlp(hidden=1,hidden=2)", "hidden is given twice"),
        ("mlp(hidden=8", "expected a part such as"),
    ],
)
def test_a_model_that_cannot_be_read(text: str, said: str) -> None:
    with pytest.raises(SpecError, match=said.replace("(", r"\(")):
        parse_model(text)


@pytest.mark.parametrize(
    ("text", "kind"),
    [("a.csv", "csv"), ("b.TSV", "tsv"), ("c.jsonl.gz", "jsonl"), ("csv:odd.txt", "csv")],
)
def test_tables_by_their_ending_or_their_kind(text: str, kind: str) -> None:
    assert parse_data(text).kind == kind


@given(drawn("published"), st.text(min_size=1))
def test_a_published_corpus_round_trips_through_its_text(
    corpus: tuple[str, dict], path: str
) -> None:
    kind, options = corpus
    spec = DataSpec(kind, path, Part(kind, tuple(sorted(options.items()))) if options else None)
    assert parse_data(str(spec)) == spec


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("sst:", r"data: sst:: expected the path of its files, as sst:PATH"),
        ("babi:dir(task)", r"'babi\(task\)': expected key=value, got 'task'"),
        ("babi:dir(task=1,task=2)", "task is given twice"),
        ("yelp:dir", r"or a published corpus: sst:PATH, imdb:PATH, .*eraser:PATH, .*cnn:PATH"),
    ],
)
def test_a_published_corpus_that_cannot_be_read(text: str, said: str) -> None:
    with pytest.raises(SpecError, match=said):
        parse_data(text)


def test_data_that_cannot_be_read() -> None:
    with refused(SpecError):
        parse_data("reviews.xls")


def test_options_are_typed_and_named() -> None:
    assert resolve_options("encoder", parse_part("bilstm(hidden=4)")) == {"hidden": 4, "layers": 1}
    assert resolve_options("retention", parse_part("tying(delta=1)")) == {"delta": 1.0}
    assert resolve_options("encoder", parse_part("cnn(kernels=3)")) == {
        "kernels": (3,),
        "channels": 32,
    }
    for value in (4.0, True, "4"):
        with refused(SpecError):
            ModelSpec(Part("mlp", (("hidden", value),)))


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: ModelSpec(Part("bilstm", (("hiden", 3),))), (r"model: bilstm\(hiden=3\): unknown option " r"'hiden'; bilstm has")),
        (lambda: ModelSpec(Part("lstm")), ("model: unknown encoder 'lstm'; expected one of " "bilstm, cnn, mlp, transformer")),
        (lambda: ModelSpec(Part("mlp", (("hidden", 3), ("hidden", 4)))), "an option is given twice"),
        (lambda: DataSpec("xls"), "data: expected one of csv, tsv, .*, planted, given, got 'xls'"),
        (lambda: DataSpec("planted"), (r"data: planted: expected a part such as " r"needle\(n=2000\), got none")),
        (lambda: DataSpec("planted", part=Part("moon")), ("data: unknown planted corpus 'moon'; " "expected one of needle, vote")),
        (lambda: DataSpec("sst", part=Part("babi")), "data: babi: expected options of sst"),
        (lambda: parse_data("planted:needle(n=0)"), (r"data: planted:needle\(n=0\): expected n from " r"1 to 1,000,000, got 0")),
        (lambda: parse_data("planted:vote(strength=2)"), "expected strength from 0 to 1, got 2.0"),
        (lambda: parse_data("planted:world(named=1)"), ("named should be of the kind " "of False, got 1")),
        (lambda: parse_data("babi:dir(size=2k)"), (r"data: babi\(size=2k\): expected size=10k " r"or size=1k, got 2k")),
        (lambda: parse_data("agnews:dir(classes=3)"), "expected classes=2 or classes=4, got 3"),
        (lambda: RunSpec(parse_data("a.csv"), parse_model("mlp+residual")), "model: residual: needs states as wide"),
    ],
)  # fmt: skip
def test_what_there_is_not_is_refused_before_anything_is_read(
    make: Callable[[], Any], said: str
) -> None:
    with pytest.raises(SpecError, match=said):
        make()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("mlp(hidden=0)", "hidden from 1 to 16,384, got 0"),
        ("bilstm(layers=0)", "layers from 1 to 64, got 0"),
        ("bilstm(hidden=-1)", "hidden from 1 to 16,384, got -1"),
        ("mlp+additive(hidden=-3)", "expected hidden from 0 to 16,384, got -3"),
        ("mlp+random(scale=-1.0)", "positive scale, got -1.0"),
        ("mlp+random(scale=nan)", "positive scale, got nan"),
        ("mlp+softmax(beta=2)", "unknown option 'beta'; softmax has these options: none"),
        ("cnn(kernels=2)", "such as 1-3-5-7, up to 16 of them and up to 999, got 2"),
        ("cnn(kernels=1-a)", "such as 1-3-5-7, up to 16 of them and up to 999, got 1-a"),
        ("cnn(channels=0)", "channels from 1 to 16,384, got 0"),
        ("transformer(layers=0)", "layers from 1 to 64, got 0"),
        ("mlp+dot(start=none)", "expected start=uniform or start=normal, got none"),
        ("mlp+deep(layers=0)", "layers from 1 to 64, got 0"),
        (
            "mlp+sparsegen(lambda=1)",
            r"expected lambda below 1 \(near 1 a single token gets all weight\), got 1.0",
        ),
        ("mlp+sparsegen(lambda=nan)", r"expected lambda below 1 .*, got nan"),
        (
            "mlp+entmax(alpha=0.9)",
            r"expected alpha from 1 to 2 \(1 is softmax, 2 sparsemax\), got 0.9",
        ),
        ("mlp+entmax(alpha=2,learned=true)", "a learned alpha starts between 1 and 2, got 2.0"),
        ("mlp+gumbel(temperature=0)", "expected a positive temperature, got 0.0"),
        ("mlp+tying(delta=-1)", "positive delta, got -1.0"),
        ("mlp(hidden=100)+residual(x=1)", "unknown option 'x'; residual has these options: none"),
        ("bilstm+residual", "got 256 and 100; take embedding=256, or bilstm with 2 × hidden = 100"),
        (
            "cnn+tying",
            (
                "got 128 and 100; take embedding=128, or cnn with channels times the number of "
                "kernels = 100"
            ),
        ),
        (
            "transformer+mlm",
            "got 128 and 100; take embedding=128, or transformer with hidden = 100",
        ),
        (
            "bilstm(hidden=50)+mlm(p=1.5)",
            r"expected p above 0 and up to 1 \(a probability\), got 1.5",
        ),
        ("mlp+query(x=1)", "unknown option 'x'; query has these options: none"),
        ("mlp+deep(layers=100000)", "layers from 1 to 64, got 100000"),
        ("bilstm(layers=100000)", "layers from 1 to 64, got 100000"),
        ("transformer(hidden=1000000000)", "hidden from 1 to 16,384, got 1000000000"),
        ("mlp+additive(hidden=1000000000)", "hidden from 0 to 16,384, got 1000000000"),
        ("cnn(channels=1000000000)", "channels from 1 to 16,384, got 1000000000"),
        ("cnn(kernels=1000000001)", "up to 16 of them and up to 999, got 1000000001"),
        ("cnn(kernels=1" + "-1" * 16 + ")", "up to 16 of them and up to 999, got 1-1-1"),
        (f"mlp(hidden={'9' * 400})", "hidden from 1 to 16,384, got 9{60}…"),
        (f"mlp+random(scale={'9' * 400})", "expected a positive scale, got inf"),
    ],
)
def test_sizes_that_cannot_be(text: str, said: str) -> None:
    with pytest.raises(SpecError, match=said):
        build(parse_model(text), Vocabulary(("a",)), ("x", "y"), 0)


def test_the_key_names_the_content() -> None:
    spec = RunSpec(parse_data("planted:needle(n=9,length=3)"), parse_model("mlp"))
    same = RunSpec(
        parse_data("planted:needle( length=3, n=9 )"), parse_model("mlp+softmax+additive")
    )
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
    assert (fit.epochs, fit.amsgrad, fit.class_weights, fit.keep, fit.reduction) == (
        8,
        True,
        True,
        "auc",
        "sum",
    )
    assert (fit.learning_rate, fit.weight_decay, fit.attention_weight_decay, fit.batch_size) == (
        1e-3,
        1e-5,
        0.0,
        32,
    )
    _, wen = build_specs("mlp", "wen2022")
    assert (wen.amsgrad, wen.keep) == (False, "accuracy")
    jain, meister = (
        ("jain2019", "jain2019-babi", "jain2019-snli", "jain2019-cnn"),
        ("meister2021", "meister2021-x10"),
    )
    assert tuple(PRESETS) == ("default", *jain, "wiegreffe2019", "wen2022", "tutek2020", *meister)


def test_presets_fill_in_what_a_spec_leaves_open_by_part_and_by_encoder() -> None:
    assert (
        str(build_specs("cnn+dot", "wen2022")[0])
        == "cnn(channels=128,kernels=1-3-5-7-15)+dot(scaled=false)+softmax"
    )
    assert str(build_specs("cnn(kernels=3)+dot", "jain2019")[0]) == "cnn(kernels=3)+dot+softmax"
    model, fit = build_specs("bilstm+dot+mlm(eta=0.3)", "tutek2020")
    assert str(model) == "bilstm(hidden=150)+dot(start=normal)+softmax+mlm(eta=0.3)"
    assert (
        str(build_specs("bilstm(hidden=9)+additive", "tutek2020")[0])
        == "bilstm(hidden=9)+additive+softmax"
    )
    assert (model.embedding, fit.gradient_clipping, fit.learning_rate, fit.weight_decay) == (
        300,
        5.0,
        1e-3,
        1e-5,
    )
    assert model.states == model.embedding  # what mlm needs
    assert [build_specs(e, "meister2021")[1].learning_rate for e in ("bilstm", "transformer")] == [
        1e-4,
        1e-5,
    ]
    assert build_specs("transformer", "meister2021", learning_rate=0.5)[1].learning_rate == 0.5
    assert all(
        preset.fit.gradient_clipping == 0 for name, preset in PRESETS.items() if name != "tutek2020"
    )


NAMED = {
    "mlp": ("a3c4c5508e5e279e", "219cd0eb9866b745", "47a3fe96e01cc2b5"),
    "bilstm(hidden=8,layers=2)+additive(hidden=4)": (
        "1bab71a0d52e4459",
        "70eace7e355002b4",
        "bc5a7fd2ba7e2ced",
    ),
    "bilstm+random(scale=2.0)": ("ee05013a16645bcf", "12d9ce09e6584f28", "eb7118f243c9ea04"),
}
"""Names of runs under this meaning, and first weights of models: those from before there were other
decoders."""


@pytest.mark.parametrize("text", NAMED)
def test_runs_that_were_named_keep_their_names_and_their_weights(text: str) -> None:
    spec = RunSpec(parse_data("planted:needle(n=240)"), parse_model(text))
    weights = hashlib.sha256()
    for name, tensor in (
        build(parse_model(text, embedding=8), Vocabulary(("a", "b", "c")), ("x", "y"), 3)
        .state_dict()
        .items()
    ):
        weights.update(name.encode())
        weights.update(tensor.numpy().tobytes())
    assert (run_key(spec), training_key(spec), weights.hexdigest()[:16]) == NAMED[text]


def test_a_later_field_is_in_json_and_in_keys_just_where_it_says_something() -> None:
    item = through_json(RUN)
    assert not {"decoder", "retention"} & set(item["model"])
    assert "query" not in item["data"]
    assert not {
        "gradient_clipping",
        "attention_rate_factor",
        "guide",
        "guide_weight",
        "decay",
    } & set(item["fit"])
    assert not {"measures", "altered", "gradient"} & set(item)
    said = replace(
        RUN,
        model=parse_model("bilstm(hidden=8)+query+concat"),
        fit=FitSpec(3, gradient_clipping=5.0),
    )
    item = through_json(said)
    assert item["model"]["decoder"] == {"name": "query", "options": []}
    assert item["fit"]["gradient_clipping"] == 5.0
    assert read_run(item) == said
    shown = replace(RUN, measures=("need", "agreement"), altered="random", gradient="norm")
    item = through_json(shown)
    assert (item["measures"], item["altered"]) == (["need", "agreement"], "random")
    assert item["gradient"] == "norm"
    assert read_run(item) == shown


@pytest.mark.parametrize(
    "measures", [("need", "agreemnt"), ("outputs",), ("need", "need"), ("reach", "need")]
)
def test_measures_that_are_none_or_have_two_names_are_refused(measures: tuple[str, ...]) -> None:
    with refused(SpecError) as raised:
        replace(RUN, measures=measures)
    assert raised.value.field == "measures"


@pytest.mark.parametrize(
    ("altered", "message"),
    [
        (
            "uniform",
            (
                "unknown alteration 'uniform'; expected one of random, shuffled, rationale, "
                "sharpened, scaled, broken"
            ),
        ),
        ("scaled(by=0)", r"scaled\(by=0\): expected a positive by, got 0"),
        (
            "broken(share=1.5)",
            r"broken\(share=1.5\): expected share up to 1 and above 0|.*, got 1.5",
        ),
        (
            "scaled( by=2.0 )",
            r"expected it written as 'scaled\(by=2.0\)'; got 'scaled\( by=2.0 \)'",
        ),
        ("scaled(", "expected a part such as"),
    ],
)
def test_what_nobody_can_alter_is_refused(altered: str, message: str) -> None:
    with pytest.raises(SpecError, match=f"^altered: {message}") as raised:
        replace(RUN, altered=altered)
    assert raised.value.field == "altered"


def test_a_weight_of_no_guide_is_refused() -> None:
    with refused(SpecError):
        FitSpec(guide_weight=2.0)


def test_attention_that_is_not_learned_has_no_guide() -> None:
    with refused(SpecError):
        RunSpec(RUN.data, parse_model("mlp+uniform"), FitSpec(guide="last"))


def test_a_gradient_is_reduced_as_one_of_the_papers_does() -> None:
    with refused(SpecError):
        read_run(through_json(RUN) | {"gradient": "sum"})


@pytest.mark.parametrize("name", [f.name for f in fields(FitSpec) if f.type in ("int", "float")])
def test_what_no_training_could_mean_is_refused(name: str) -> None:
    beside = WITH.get(name, {})
    kind = type(getattr(FitSpec(), name))
    wrong = [-1] + [0] * (name not in FROM_ZERO) + [math.nan, math.inf] * (kind is float)
    for value in wrong:
        bound = f"number {'from' if name in FROM_ZERO else 'above'} 0"
        expected = bound if math.isfinite(value) else "finite number"
        message = f"fit.{name}: expected a {expected}, got {value}"
        with pytest.raises(SpecError, match=re.escape(message)):
            FitSpec(**beside, **{name: kind(value)})
    if name in FROM_ZERO:
        assert getattr(FitSpec(**{name: kind(0)}), name) == 0


def test_flags_override_a_preset() -> None:
    _, fit = build_specs("mlp", "jain2019", epochs=3, batch_size=None)
    assert (fit.epochs, fit.patience, fit.batch_size) == (3, 3, 32)
    with refused(SpecError):
        build_specs("mlp", "jain")


def test_the_spec_text_of_data_says_where_it_is() -> None:
    assert str(DataSpec("csv", path="x.csv")) == "csv:x.csv"
    assert str(parse_data("planted:vote(cues=3)")) == "planted:vote(cues=3)"


@pytest.mark.parametrize("text", ["csv:a.csv", "a.csv", "sst:folder", "planted:vote"])
def test_settings_of_data_may_have_any_name_that_a_field_has(text: str) -> None:
    settings = {"text": "body", "label": "stars", "recipe": "paper", "min_count": 2}
    assert {name: getattr(parse_data(text, **settings), name) for name in settings} == settings


RUN = RunSpec(
    parse_data("csv:a.csv"), parse_model("bilstm(hidden=8)+additive"), FitSpec(epochs=3), 1, 50
)
CHANGES: dict[str, dict[str, Any]] = {
    "data": {
        "kind": "tsv",
        "path": "b.csv",
        "part": Part("csv"),
        "text": "body",
        "label": "stars",
        "split": "part",
        "rationale": "why",
        "max_tokens": 9,
        "min_count": 2,
        "recipe": "paper",
        "digest": "ab" * 32,
        "query": "ask",
        "files": read_files("test=b.csv"),
        "id": "name",
        "group": "who",
        "on_copies": "drop",
        "labels_sep": ";",
    },
    "model": {
        "encoder": Part("mlp"),
        "scorer": Part("deep"),
        "projection": Part("sparsemax"),
        "source": Part("random"),
        "embedding": 7,
        "embedding_std": 0.2,
        "boundaries": True,
        "decoder": Part("query"),
        "retention": Part("concat"),
        "vectors": "v.txt",
        "vectors_digest": "ab" * 32,
        "without_vector": "zero",
        "vectors_scale": 0.5,
    },
    "fit": {
        "epochs": 4,
        "patience": 4,
        "batch_size": 4,
        "learning_rate": 0.5,
        "weight_decay": 0.5,
        "attention_weight_decay": 0.5,
        "amsgrad": True,
        "class_weights": True,
        "reduction": "sum",
        "keep": "auc",
        "gradient_clipping": 5.0,
        "attention_rate_factor": 10.0,
        "guide": "last",
        "guide_weight": 2.0,
        "guide_words": ("good",),
        "from_base": ("encoder",),
        "fixed": ("decoder",),
        "adversary": "kl",
        "adversary_weight": 0.5,
        "adversary_epochs": 4,
        "adversary_patience": 4,
        "draw": 1,
        "decay": "decoupled",
    },
}
WITH = {
    "guide_weight": {"guide": "onto"},
    "guide_words": {"guide": "away"},
    "files": {"kind": "files", "path": ""},
}
"""What a field must have beside it."""
OF_A_TRAINING = [replace(RUN, seed=2)] + [
    replace(RUN, **{room: replace(getattr(RUN, room), **WITH.get(name, {}), **{name: value})})
    for room, changes in CHANGES.items()
    for name, value in changes.items()
]
OF_AN_AUDIT = [
    replace(RUN, limit=51),
    replace(RUN, limit=None),
    replace(RUN, companions=()),
    replace(RUN, measures=("need",)),
    replace(RUN, measures=("need", "reach")),
    replace(RUN, altered="random"),
    replace(RUN, altered="broken(share=0.5)"),
]


LABELWISE = {
    "encoder": ("bilstm", {}),
    "scorer": ("additive", {}),
    "projection": ("softmax", {}),
    "source": ("constant", {}),
    "decoder": ("labelwise", {}),
}
"""Parts that cannot stand together: one attention for each text, and one for each label."""


@given(tables | planted, models, fits, rest)
@example({"kind": "planted", "part": ("needle", {})}, LABELWISE, {}, {"seed": 0})
def test_a_run_round_trips_through_its_json(data: dict, model: dict, fit: dict, rest: dict) -> None:
    spec = make(data, model, fit, rest)
    again = read_run(through_json(spec))
    assert again == spec
    assert (run_key(again), training_key(again)) == (run_key(spec), training_key(spec))


def test_a_whole_number_is_a_number() -> None:
    item = through_json(RUN)
    item["fit"]["weight_decay"], item["fit"]["learning_rate"] = 0, 1
    same = replace(RUN, fit=replace(RUN.fit, weight_decay=0.0, learning_rate=1.0))
    assert run_key(read_run(item)) == run_key(same)


@given(drawn("planted"), drawn("encoder"), st.randoms(use_true_random=False))
def test_the_order_of_options_is_no_part_of_a_key(
    corpus: tuple, encoder: tuple, order: Any
) -> None:
    def text(part: tuple[str, dict], items: list) -> str:
        inside = ",".join(
            f"{key}={str(value).lower() if isinstance(value, bool) else value}"
            for key, value in items
        )
        return f"{part[0]}({inside})"

    def spec(corpus_items: list, items: list) -> RunSpec:
        data = parse_data(f"planted:{text(corpus, corpus_items)}")
        return RunSpec(data, parse_model(text(encoder, items)))

    one = spec(list(corpus[1].items()), list(encoder[1].items()))
    shuffled = list(corpus[1].items()), list(encoder[1].items())
    for items in shuffled:
        order.shuffle(items)
    other = spec(*shuffled)
    assert (run_key(one), training_key(one)) == (run_key(other), training_key(other))


def test_every_field_is_part_of_the_keys() -> None:
    for room, kind in {"data": DataSpec, "model": ModelSpec, "fit": FitSpec}.items():
        assert set(CHANGES[room]) == {f.name for f in fields(kind)}, (
            "a new field needs a line in CHANGES"
        )
    everything = [RUN, *OF_A_TRAINING, *OF_AN_AUDIT]
    assert len(set(map(run_key, everything))) == len(everything)
    assert len({training_key(RUN), *map(training_key, OF_A_TRAINING)}) == 1 + len(OF_A_TRAINING)


def test_a_table_that_is_named_by_its_bytes_is_the_same_from_any_folder() -> None:
    here, there = (
        replace(RUN, data=DataSpec("csv", path=f"{folder}/a.csv", digest="ab"))
        for folder in ("x", "x/y")
    )
    assert run_key(here) == run_key(there)
    assert training_key(here) == training_key(there)
    unnamed = [replace(spec, data=replace(spec.data, digest="")) for spec in (here, there)]
    assert run_key(unnamed[0]) != run_key(unnamed[1])


def test_vectors_that_are_named_by_their_bytes_are_the_same_from_any_folder() -> None:
    def spec(path: str, digest: str) -> RunSpec:
        return replace(RUN, model=replace(RUN.model, vectors=path, vectors_digest=digest))

    assert run_key(spec("x/v.txt", "ab")) == run_key(spec("y/v.txt", "ab"))
    assert run_key(spec("x/v.txt", "ab")) != run_key(spec("x/v.txt", "cd"))
    assert run_key(spec("x/v.txt", "")) != run_key(spec("y/v.txt", ""))


def test_what_only_an_audit_reads_shares_a_training() -> None:
    assert {training_key(spec) for spec in OF_AN_AUDIT} == {training_key(RUN)}
    assert training_key(RUN) != run_key(RUN)
    assert len(training_key(RUN)) == 16


def test_the_meaning_is_part_of_both_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    before = {run_key(RUN), training_key(RUN)}
    monkeypatch.setattr("sightline.config.specs.MEANING", MEANING + 1)
    assert not before & {run_key(RUN), training_key(RUN)}


def test_other_thresholds_have_another_meaning() -> None:
    """The same run gives other answers by them; a store must not take the old ones for new.

    A claim that came later gives no old one another answer, and a run without it says so.
    """
    known = default_thresholds()
    later = {"SL-203", "SL-205", "SL-302", "SL-401", "SL-402", "SL-403", "SL-601"}
    threshold, minimum = (
        {k: v for k, v in one.items() if k not in later} for one in (known.threshold, known.minimum)
    )
    assert later <= set(known.threshold)
    output = json.dumps([threshold, known.minimum_texts, minimum], sort_keys=True)
    made = (MEANING, hashlib.sha256(output.encode()).hexdigest()[:8])
    assert made == (6, "2429f183"), "raise MEANING with every new threshold"


def test_a_number_that_is_none_has_no_key() -> None:
    """The message shows all of the run, so it is no snapshot: every rise of `MEANING` would change
    it.
    """
    with pytest.raises(
        SpecError, match=r"^run spec: expected finite numbers, got .*'embedding_std': nan"
    ):
        run_key(
            RunSpec(parse_data("planted:needle"), ModelSpec(Part("mlp"), embedding_std=math.nan))
        )


@pytest.mark.parametrize("room", ["run spec", "data", "model", "fit"])
@pytest.mark.parametrize("message", ["unknown", "missing"])
def test_every_field_is_asked_for_and_no_other(room: str, message: str) -> None:
    item = through_json(RUN)
    inside = item if room == "run spec" else item[room]
    for name in (
        ["zebra"] if message == "unknown" else [name for name in inside if name != "meaning"]
    ):
        kept = dict(inside)
        _ = inside.pop(name) if message == "missing" else inside.setdefault(name, 1)
        with pytest.raises(
            SpecError, match=rf"{room}: {message} field '{name}'; expected exactly .*"
        ):
            read_run(item)
        inside.clear()
        inside.update(kept)
    assert read_run(item) == RUN


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda item: item.update(data="a.csv"), (r"data: expected the fields kind, " r"path, .*, got 'a.csv'")),
        (lambda item: item.update(seed="1"), r"run spec.seed: expected a whole number, got '1'"),
        (lambda item: item.update(seed=True), r"seed: expected a whole number, got True"),
        (lambda item: item.update(limit=1.5), r"limit: expected a whole number, got 1.5"),
        (lambda item: item.update(companions="uniform"), (r"companions: expected a list, " r"got 'uniform'")),
        (lambda item: item.update(companions=[1]), r"companions\[0\]: expected a text, got 1"),
        (lambda item: item["fit"].update(keep="best"), (r"fit.keep: expected loss or auc or " r"accuracy, got 'best'")),
        (lambda item: item["fit"].update(learning_rate=float("nan")), (r"learning_rate: expected a finite " r"number, got nan")),
        (lambda item: item["fit"].update(amsgrad=0), r"amsgrad: expected true or false, got 0"),
        (lambda item: item["data"].update(kind="xls"), (r"run spec.data: data: expected one of csv, tsv, .*, " r"planted, given, got 'xls'")),
        (lambda item: item["model"]["encoder"].update(options=[["hidden"]]), r"options\[0\]: expected 2 values, got 1"),
        (lambda item: item["model"]["encoder"].update(options=[["hidden", [8]]]), (r"\[1\]: expected a whole number or a finite number or true or false or a text, got " r"\[8\]")),
    ],
)  # fmt: skip
def test_json_that_is_no_run(change: Callable[[dict[str, Any]], Any], said: str) -> None:
    item = through_json(RUN)
    change(item)
    with pytest.raises(SpecError, match=said):
        read_run(item)


@pytest.mark.parametrize("encoder", ENCODERS)
def test_the_companion_of_one_run_is_the_training_of_another(encoder: str) -> None:
    judged = replace(RUN, model=replace(parse_model(encoder), source=Part("uniform")), limit=7)
    alone = RunSpec(RUN.data, parse_model(f"{encoder}+uniform"), RUN.fit, RUN.seed, companions=())
    assert training_key(judged) == training_key(alone)


def test_runs_that_differ_in_their_guide_share_their_companions() -> None:
    plain = replace(RUN, companions=("uniform", "frozen"))
    guided = replace(plain, fit=replace(RUN.fit, guide="last", guide_weight=0.3))
    found = companions_of(guided)
    assert [str(other.model.source) for other in found.values()] == ["uniform", "frozen"]
    assert training_key(plain) != training_key(guided)
    assert list(map(training_key, found.values())) == list(
        map(training_key, companions_of(plain).values())
    )


@pytest.mark.parametrize("size", [0, WIDTH.most + 1, 10**9])
def test_embeddings_that_nobody_could_hold_are_refused(size: int) -> None:
    with refused(SpecError):
        parse_model("mlp", embedding=size)
    assert parse_model("mlp", embedding=WIDTH.most).embedding == WIDTH.most


@pytest.mark.parametrize("kind", ["encoder", "scorer", "planted"])
def test_every_size_has_an_end(kind: str) -> None:
    counted = {
        (name, key): option
        for name in names_of(kind)
        for key, option in row_of(kind, name).options.items()
        if type(option.default) is int
    }
    assert counted
    assert {place for place, option in counted.items() if not math.isfinite(option.most)} == set()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("needle(n=1000000000)", "expected n from 1 to 1,000,000, got 1000000000"),
        ("needle(length=1000000000)", "expected length from 1 to 10,000, got 1000000000"),
        ("vote(cues=2000,length=9000)", "expected cues from 1 to 1,000, got 2000"),
        (
            "needle(n=1000000,length=31)",
            "of at most 30,000,000 words, got 31,000,000 words; lower n or the length",
        ),
        ("world(n=1000000,sentences=6)", "of at most 30,000,000 words, got 36,000,000 words"),
    ],
)
def test_a_planted_corpus_of_any_size_is_refused_before_a_text_is_made(
    text: str, said: str
) -> None:
    with pytest.raises(SpecError, match=said):
        parse_data(f"planted:{text}")
    assert parse_data("planted:needle(n=1000000,length=30)").kind == "planted"


@pytest.mark.parametrize("key", ["0012345678901234", "12e4567890123456", "ab34567890123456"])
def test_a_key_is_a_text_whatever_its_digits(key: str) -> None:
    assert str(parse_model(f"mlp+given(run={key})").source) == f"given(run={key})"
