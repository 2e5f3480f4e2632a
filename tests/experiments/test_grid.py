"""Grids: a TOML file to runs, each of them another one, and errors that name the file and what is
allowed.
"""

import hashlib
import os
from dataclasses import fields, replace
from pathlib import Path

import pytest
import typer

import sightline.experiments.grid as module
from sightline.cli.app import app
from sightline.config.presets import build_specs
from sightline.config.run_keys import run_key, training_key
from sightline.config.spec_syntax import parse_data, parse_model
from sightline.config.specs import FitSpec, RunSpec
from sightline.core.errors import DataError, SpecError
from sightline.data.load_dataset import load
from sightline.data.word_vectors import vectors_digest
from sightline.experiments.grid import FIELDS, Grid, pin, read_grid
from sightline.experiments.study_file import field_called

EXAMPLE = Path(__file__).parents[2] / "examples" / "study.toml"
BASE = {"data": '"planted:needle(n=40,length=5)"', "model": '"mlp(hidden=4)"'}
FULL = """
name = "who-needs-attention"
[base]
data = "planted:needle(n=400,length=12)"
model = "mlp(hidden=16)+additive"
preset = "default"
seed = 0
limit = 100
companions = ["uniform"]
[base.fit]
epochs = 3
[axes]
model = ["mlp(hidden=16)+additive", "bilstm(hidden=8)+additive"]
"fit.learning_rate" = [0.001, 0.003]
"data.min_count" = [1, 2]
seed = [0, 1]
"""


def write(folder: Path, text: str) -> Path:
    file = folder / "study.toml"
    file.write_text(text, encoding="utf-8")
    return file


def study(
    folder: Path, base: dict[str, str] | None = None, axes: dict[str, str] | None = None
) -> Grid:
    """Read a study of these TOML values, over a base of a planted corpus and a small model."""
    lines = [f'"{key}" = {value}' for key, value in (BASE | (base or {})).items() if value]
    varied = [f'"{key}" = {value}' for key, value in (axes or {}).items()]
    return read_grid(write(folder, "\n".join(['name = "s"', "[base]", *lines, "[axes]", *varied])))


def table(folder: Path, name: str = "a.csv", text: str = "text,label\ngood,1\n") -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def test_the_cells_are_the_product_of_the_axes_in_the_order_written(tmp_path: Path) -> None:
    grid = read_grid(write(tmp_path, FULL))
    assert grid.name == "who-needs-attention"
    assert grid.axes == ("model", "fit.learning_rate", "data.min_count", "seed")
    expected = [
        (model, rate, count, seed)
        for model in ("mlp(hidden=16)+additive", "bilstm(hidden=8)+additive")
        for rate in (0.001, 0.003)
        for count in (1, 2)
        for seed in (0, 1)
    ]
    assert grid.labels == tuple(tuple(map(str, point)) for point in expected)
    for spec, (model, rate, count, seed) in zip(grid.specs, expected, strict=True):
        data = parse_data("planted:needle(n=400,length=12)", min_count=count)
        fit = FitSpec(epochs=3, patience=3, learning_rate=rate, decay="decoupled")
        assert spec == RunSpec(data, parse_model(model), fit, seed, 100, ("uniform",))
    assert grid.keys == tuple(map(run_key, grid.specs))


def test_a_study_without_axes_is_one_cell(tmp_path: Path) -> None:
    grid = study(tmp_path)
    assert (len(grid.specs), grid.axes, grid.labels) == (1, (), ((),))
    assert grid.specs[0] == RunSpec(
        parse_data("planted:needle(n=40,length=5)"), *build_specs("mlp(hidden=4)")
    )


def test_an_axis_may_stand_in_for_the_base(tmp_path: Path) -> None:
    axes = {"data": '["planted:needle", "planted:vote"]', "model": '["mlp", "bilstm"]'}
    grid = study(tmp_path, {"data": "", "model": "", "data.min_count": "2"}, axes)
    assert [str(spec.data) for spec in grid.specs] == ["planted:needle"] * 2 + ["planted:vote"] * 2
    assert {spec.data.min_count for spec in grid.specs} == {2}


def test_what_a_study_sets_comes_over_the_preset(tmp_path: Path) -> None:
    set_here = {
        "preset": '"jain2019"',
        "fit.epochs": "4",
        "fit.amsgrad": "false",
        "model.embedding": "7",
    }
    (spec,) = study(tmp_path, set_here).specs
    model, fit = build_specs("mlp(hidden=4)", "jain2019", epochs=4, amsgrad=False)
    assert (spec.fit, spec.model) == (fit, replace(model, embedding=7))
    assert (spec.fit.reduction, spec.fit.patience, spec.model.boundaries) == ("sum", 4, True)


def test_a_preset_may_be_an_axis(tmp_path: Path) -> None:
    grid = study(tmp_path, {"fit.epochs": "3"}, {"preset": '["default", "jain2019", "wen2022"]'})
    assert [(spec.fit.keep, spec.model.embedding) for spec in grid.specs] == [
        ("loss", 100), ("auc", 200), ("accuracy", 300)
    ]  # fmt: skip
    assert {spec.fit.epochs for spec in grid.specs} == {3}


CHANGED = {
    "data": '"planted:vote"',
    "model": '"bilstm"',
    "preset": '"wen2022"',
    "seed": "5",
    "limit": "9",
    "companions": "[]",
    "measures": '["agreement"]',
    "altered": '"random"',
    "gradient": '"norm"',
    "fit.epochs": "2",
    "fit.patience": "2",
    "fit.batch_size": "2",
    "fit.learning_rate": "0.5",
    "fit.weight_decay": "0.5",
    "fit.attention_weight_decay": "0.5",
    "fit.amsgrad": "true",
    "fit.class_weights": "true",
    "fit.reduction": '"sum"',
    "fit.keep": '"auc"',
    "fit.gradient_clipping": "5.0",
    "fit.attention_rate_factor": "10.0",
    "fit.guide": '"last"',
    "fit.guide_weight": "2.0",
    "fit.guide_words": '["good"]',
    "fit.from_base": '["encoder"]',
    "fit.fixed": '["decoder", "embedding"]',
    "fit.adversary": '"jsd"',
    "fit.adversary_weight": "0.5",
    "fit.adversary_epochs": "2",
    "fit.adversary_patience": "2",
    "fit.draw": "1",
    "fit.decay": '"coupled"',
    "data.text": '"body"',
    "data.label": '"stars"',
    "data.split": '"part"',
    "data.rationale": '"why"',
    "data.max_tokens": "60",
    "data.min_count": "2",
    "data.recipe": '"paper"',
    "data.query": '"ask"',
    "data.id": '"name"',
    "data.group": '"who"',
    "data.on_copies": '"drop"',
    "model.embedding": "8",
    "model.embedding_std": "0.5",
    "model.boundaries": "true",
    "model.vectors": '"words.txt"',
    "model.without_vector": '"zero"',
    "model.vectors_scale": "2.0",
}


_FROM_VECTORS = {"model.vectors": '"words.txt"', "model.embedding": "2"}
WITH = {
    "fit.guide_weight": {"fit.guide": '"onto"'},
    "fit.guide_words": {"fit.guide": '"away"'},
    "model.without_vector": _FROM_VECTORS,
    "model.vectors_scale": _FROM_VECTORS,
}
"""What a field must have beside it."""


@pytest.mark.parametrize("field", FIELDS)
def test_every_field_may_be_set_and_varied_and_matters(tmp_path: Path, field: str) -> None:
    (tmp_path / "words.txt").write_text("good 0.1 0.2\n")
    beside = WITH.get(field, {})
    (plain,), (changed,) = (
        study(tmp_path, beside).specs,
        study(tmp_path, beside | {field: CHANGED[field]}).specs,
    )
    assert run_key(plain) != run_key(changed)
    assert study(tmp_path, beside, {field: f"[{CHANGED[field]}]"}).specs == (changed,)


def test_all_of_the_training_may_be_set() -> None:
    assert {f"fit.{f.name}" for f in fields(FitSpec)} == {
        field for field in FIELDS if field.startswith("fit.")
    }


def test_a_whole_number_is_the_same_rate(tmp_path: Path) -> None:
    assert (
        study(tmp_path, {"fit.learning_rate": "1"}).keys
        == study(tmp_path, {"fit.learning_rate": "1.0"}).keys
    )


def test_labels_are_what_the_file_says(tmp_path: Path) -> None:
    grid = study(tmp_path, {}, {"companions": '[["uniform"], []]', "fit.amsgrad": "[true, false]"})
    assert grid.labels == (
        ("uniform", "true"),
        ("uniform", "false"),
        ("none", "true"),
        ("none", "false"),
    )


def test_tables_lie_beside_the_study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "deep" / "data").mkdir(parents=True)
    file = table(tmp_path / "deep" / "data")
    base = {"data": '"csv:data/a.csv"', "data.text": '"body"'}
    monkeypatch.chdir(tmp_path)
    (spec,) = study(Path("deep"), base).specs
    assert (spec.data.path, spec.data.text) == (os.path.join("deep", "data", "a.csv"), "body")  # noqa: PTH118
    assert Path(spec.data.path).read_bytes() == file.read_bytes()
    (spec,) = study(Path("deep"), {"data": f'"{file}"'}).specs
    assert spec.data.path == str(file)


def test_an_edited_table_is_another_run(tmp_path: Path) -> None:
    file = table(tmp_path)
    (before,) = study(tmp_path, {"data": '"a.csv"'}).specs
    assert before.data.digest == hashlib.sha256(file.read_bytes()).hexdigest()
    table(tmp_path, text="text,label\ngood,2\n")
    (after,) = study(tmp_path, {"data": '"a.csv"'}).specs
    assert replace(after, data=before.data) == before
    assert run_key(after) != run_key(before)
    assert training_key(after) != training_key(before)


def test_a_run_is_pinned_alone_as_in_a_study(tmp_path: Path) -> None:
    file = table(tmp_path)
    pinned = pin(RunSpec(parse_data(str(file)), parse_model("mlp")))
    assert pinned.data == replace(
        parse_data(str(file)), digest=hashlib.sha256(file.read_bytes()).hexdigest()
    )
    corpus = RunSpec(parse_data("planted:needle"), parse_model("mlp"))
    assert pin(corpus) == corpus


def test_tables_are_told_apart_and_each_is_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table(tmp_path), table(tmp_path, "b.csv", "text,label\nbad,0\n")
    read: list[str] = []
    digest = module.content_digest
    monkeypatch.setattr(
        module, "content_digest", lambda data: read.append(data.path) or digest(data)
    )
    grid = study(
        tmp_path,
        {"data": ""},
        {"data": '["a.csv", "planted:needle", "b.csv"]', "seed": "[0, 1, 2]"},
    )
    sums = [
        hashlib.sha256((tmp_path / name).read_bytes()).hexdigest() for name in ("a.csv", "b.csv")
    ]
    assert [spec.data.digest for spec in grid.specs] == [sums[0]] * 3 + [""] * 3 + [sums[1]] * 3
    assert read == [str(tmp_path / "a.csv"), str(tmp_path / "b.csv"), ""]


def test_word_vectors_that_cells_share_are_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text(f"good 0.5 0.25\n{name} 1 2\n")
    read: list[Path] = []
    adder = module.with_vectors
    monkeypatch.setattr(
        module, "with_vectors", lambda model, file: read.append(file) or adder(model, file)
    )
    axes = {"model.vectors": '["a.txt", "b.txt"]', "seed": "[0, 1, 2]"}
    grid = study(tmp_path, {"model.embedding": "2"}, axes)
    digests = [vectors_digest(tmp_path / name) for name in ("a.txt", "b.txt")]
    assert [spec.model.vectors_digest for spec in grid.specs] == [digests[0]] * 3 + [digests[1]] * 3
    assert read == [tmp_path / "a.txt", tmp_path / "b.txt"]


def test_a_width_that_is_not_that_of_the_vectors_is_refused(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("good 0.1 0.2\n")
    assert study(tmp_path, {"model.vectors": '"words.txt"'}).specs[0].model.embedding == 2
    for axes in ({}, {"model.embedding": "[2, 8]"}):
        base = {"model.vectors": '"words.txt"'} | ({} if axes else {"model.embedding": "8"})
        with pytest.raises(SpecError, match=r"(base|axes)\.model\.embedding: .*\b8\b.*\b2\b"):
            study(tmp_path, base, axes)


def test_a_table_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"none\.csv: there is no such file; check the path"):
        study(tmp_path, {"data": '"none.csv"'})
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(DataError, match=r"folder\.csv: expected a file, got a folder"):
        pin(RunSpec(parse_data(str(tmp_path / "folder.csv")), parse_model("mlp")))


def test_a_flag_names_its_field(tmp_path: Path) -> None:
    """What may stand behind sightline train may stand in a study, as it is written there."""
    flagged = {
        "max-tokens": "9",
        "min-count": "2",
        "epochs": "3",
        "batch_size": "4",
        "learning-rate": "0.01",
    }
    named = {
        "data.max_tokens": "9",
        "data.min_count": "2",
        "fit.epochs": "3",
        "fit.batch_size": "4",
    }
    ours = study(tmp_path, flagged | {"controls": '"uniform,frozen"', "text": '"body"'})
    theirs = study(
        tmp_path,
        named
        | {
            "fit.learning_rate": "0.01",
            "companions": '["uniform", "frozen"]',
            "data.text": '"body"',
        },
    )
    assert ours.keys == theirs.keys
    axes = study(tmp_path, {}, {"batch-size": "[4, 8]"})
    assert axes.axes == ("fit.batch_size",)
    train = typer.main.get_command(app).commands["train"]
    flags = {one.opts[0].removeprefix("--") for one in train.params}
    ours_alone = {"out", "device", "threads", "dry-run", "json", "quiet", "verbose", "help"}
    ours_alone |= {"no-texts", "no-ids"}
    in_data = {"train", "validation", "test"}  # data = "files:train=…"
    in_fields = {"fit"}  # --fit draw=1 is fit.draw
    one_label = {"labels-sep"}  # a study audits models that predict one class
    assert {
        flag for flag in flags if field_called(flag, FIELDS) is None
    } <= ours_alone | in_data | in_fields | one_label


def test_measures_may_be_named_in_any_order_and_keys_do_not_change(tmp_path: Path) -> None:
    first, second = (
        study(tmp_path, {"measures": measures})
        for measures in ('["erasure", "need"]', '["need", "erasure"]')
    )
    assert first.specs[0].measures == ("need", "erasure")
    assert first.keys == second.keys
    with pytest.raises(SpecError, match=r"two runs have the same settings"):
        study(tmp_path, {}, {"measures": '[["erasure", "need"], ["need", "erasure"]]'})
    with pytest.raises(SpecError, match="each once and in this order; got erasure, need"):
        RunSpec(parse_data("planted:needle"), parse_model("mlp"), measures=("erasure", "need"))


def test_the_same_run_twice_is_named_twice(tmp_path: Path) -> None:
    said = (
        r"study\.toml: two runs have the same settings: \(model = mlp, seed = 3\) and \(model = "
        r"mlp\+softmax, seed = 3\)"
    )
    with pytest.raises(SpecError, match=said):
        study(tmp_path, {}, {"model": '["mlp", "bilstm", "mlp+softmax"]', "seed": "[3]"})


@pytest.mark.parametrize(
    ("base", "axes", "said"),
    [
        (
            {"fit.epoch": "3"},
            {},
            (
                r"base: unknown 'fit\.epoch'; the nearest is fit\.epochs; sightline list fields "
                r"names all"
            ),
        ),
        ({"data.digest": '"ab"'}, {}, r"base: unknown 'data\.digest'; "),
        ({"zebra": "{}"}, {}, "base: unknown 'zebra'"),
        ({}, {"fit.lr": "[1.0]"}, r"axes: unknown 'fit\.lr'; "),
        ({"fit": "3"}, {}, "base: unknown 'fit'"),
        ({"seed": '"0"'}, {}, r"base\.seed: expected a whole number, got '0'"),
        ({"seed": "{}"}, {}, r"base\.seed: expected a whole number, got \{\}"),
        ({"seed": "true"}, {}, r"base\.seed: expected a whole number, got True"),
        ({"data": "3"}, {}, r"base\.data: expected a text, got 3"),
        (
            {"fit.keep": '"best"'},
            {},
            r"base\.fit\.keep: expected loss or auc or accuracy, got 'best'",
        ),
        (
            {"fit.learning_rate": "nan"},
            {},
            r"base\.fit\.learning_rate: expected a finite number, got nan",
        ),
        (
            {"fit.learning_rate": "0.0"},
            {},
            r"base\.fit\.learning_rate: expected a number above 0, got 0\.0",
        ),
        (
            {"fit.weight_decay": "-1"},
            {},
            r"base\.fit\.weight_decay: expected a number from 0, got -1",
        ),
        ({"limit": "0"}, {}, r"base\.limit: expected a number above 0, got 0"),
        ({"companions": "3"}, {}, r"base\.companions: expected a list, got 3"),
        (
            {"companions": '"unifrom"'},
            {},
            r"base\.companions: unknown control model 'unifrom'; expected one of uniform, frozen",
        ),
        ({"max_token": "3"}, {}, r"base: unknown 'max_token'; the nearest is data\.max_tokens; "),
        (
            {"lerning-rate": "3"},
            {},
            r"base: unknown 'lerning-rate'; the nearest is fit\.learning_rate; ",
        ),
        (
            {"qqq": "3"},
            {},
            r"base: unknown 'qqq'; sightline list fields names all \d+ that may be set$",
        ),
        ({"max-tokens": "3", "data.max_tokens": "3"}, {}, r"base: data\.max_tokens is given twice"),
        (
            {"companions": '["unifrom"]'},
            {},
            r"base\.companions: unknown control model 'unifrom'; expected one of uniform, frozen",
        ),
        (
            {"measures": '["agreemnt"]'},
            {},
            r"study\.toml: base.measures: expected some of need, .*, each once; got agreemnt",
        ),
        (
            {"measures": '["need", "need"]'},
            {},
            r"base\.measures: expected some of need, .*, each once; got need, need",
        ),
        (
            {"measures": "[]"},
            {},
            r"base\.measures: an empty list; name some, or leave it out to take all",
        ),
        (
            {"altered": '"uniform"'},
            {},
            r"study\.toml: base.altered: unknown alteration 'uniform'; expected one of random",
        ),
        (
            {"model": '"mlp+uniform"', "fit.guide": '"last"'},
            {},
            r"study\.toml: base.fit.guide: nothing guides attention",
        ),
        ({}, {"seed": "[0, 1.5]"}, r"axes\.seed\[1\]: expected a whole number, got 1\.5"),
        (
            {},
            {"seed": "3"},
            r"axes\.seed: expected a list of values, got 3; what does not vary goes into \[base\]",
        ),
        ({}, {"seed": "[]"}, r"axes\.seed: an empty list, so there would be no runs"),
        ({"data": ""}, {}, r"no data; set it in \[base\], or vary it in \[axes\]"),
        ({"model": ""}, {"seed": "[1]"}, "no model; set it"),
        ({"model": '"mlp+mlp"'}, {}, r"study\.toml: base.model: 'mlp\+mlp': two encoders"),
        ({}, {"model": '["mlp", "mpl"]'}, r"study\.toml: axes.model: 'mpl': unknown part 'mpl'"),
        ({"model": '"mlp+random(scale=nan)"'}, {}, "expected a positive scale, got nan"),
        (
            {"preset": '"jain"'},
            {},
            r"preset: 'jain': expected one of default, jain2019, jain2019-babi",
        ),
        (
            {"model.embedding": "1_000_000_000"},
            {},
            r"base\.model\.embedding: expected 1 to 16,384, got 1,000,000,000",
        ),
        (
            {"seed": "0x1" + "0" * 5000},
            {},
            "expected the TOML file of a study, .*a whole number of 20,001 bits",
        ),
        ({"seed": "9" * 5000}, {}, "expected the TOML file of a study, .*4300 digits"),
        ({"seed": "[" * 10_000}, {}, "expected the TOML file of a study, .*recursion"),
        (
            {"data": '"reviews.xls"'},
            {},
            r"data: 'reviews\.xls': expected a file that ends in \.csv",
        ),
    ],
)
def test_a_study_that_cannot_be(
    tmp_path: Path, base: dict[str, str], axes: dict[str, str], said: str
) -> None:
    with pytest.raises(SpecError, match=said) as caught:
        study(tmp_path, base, axes)
    assert str(caught.value).startswith(f"{tmp_path / 'study.toml'}: ")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", ": no name; write one"),
        ('name = "  "', ": no name; write one"),
        ("name = 3", ": name: expected a text, got 3"),
        (
            'name = "s"\nseed = 1',
            r": unknown 'seed'; expected name, \[base\], \[axes\] and \[show\]",
        ),
        ('name = "s"\nbase = 3', r": base: expected a table, headed \[base\], got 3"),
        ('name = "s"\naxes = []', r": axes: expected a table, headed \[axes\], got \[\]"),
        ('name = "s"\n[base]\ndata = planted', ":3: not TOML: .*; quote text"),
        (
            'name = "s"\n[base]\ndata = "a.csv"\ndata.text = "body"',
            r':4: not TOML: .*dotted names \("data.text"\)',
        ),
        ('name = "s"\n[axes]\nseed = [0,', ":3: not TOML: "),
        (
            'name = "s"\n[base]\n"fit.epochs" = 3\n[base.fit]\nepochs = 4',
            (
                r': base: fit\.epochs is given twice, as "fit\.epochs" and under \[base\.fit\]; '
                r"keep one"
            ),
        ),
    ],
)
def test_a_file_that_is_no_study(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(SpecError, match=rf"study\.toml{said}"):
        read_grid(write(tmp_path, text))


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(
        SpecError, match=r"none\.toml: expected the TOML file of a study; there is no such file"
    ):
        read_grid(tmp_path / "none.toml")
    with pytest.raises(SpecError, match="it cannot be read"):
        read_grid(tmp_path)
    (tmp_path / "latin.toml").write_bytes(b'name = "\xe9t\xe9"')
    with pytest.raises(SpecError, match="in UTF-8; it cannot be read"):
        read_grid(tmp_path / "latin.toml")


def test_what_is_no_file_or_too_large_is_no_study(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SpecError, match=r"^/dev/null: expected a file, got a device"):
        read_grid("/dev/null")
    (tmp_path / "study.toml").touch()
    os.truncate(tmp_path / "study.toml", 2**40)
    with pytest.raises(
        SpecError,
        match=r"study\.toml: expected .*at most 16 MiB, got 1,024 GiB; is it the right file",
    ):
        read_grid(tmp_path / "study.toml")


def test_cells_are_counted_before_any_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "product", lambda *axes: pytest.fail("the runs were made"))
    numbers = f"[{', '.join(map(str, range(1, 1001)))}]"
    said = (
        r"study\.toml: axes: expected a study of at most 100,000 runs, got 1,000,000 runs; "
        r"split it, or allow more with SIGHTLINE_MAX_RUNS \(1,000 of seed × 1,000 of limit\)"
    )
    with pytest.raises(SpecError, match=said):
        study(tmp_path, {}, {"seed": numbers, "limit": numbers})


def test_the_bound_of_cells_is_one_of_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIGHTLINE_MAX_RUNS", "3")
    assert len(study(tmp_path, {}, {"seed": "[1, 2, 3]"}).specs) == 3
    with pytest.raises(SpecError, match="of at most 3 runs, got 4 runs"):
        study(tmp_path, {}, {"seed": "[1, 2, 3, 4]"})


def test_a_byte_order_mark_is_no_part_of_a_study(tmp_path: Path) -> None:
    (tmp_path / "marked.toml").write_bytes(b"\xef\xbb\xbf" + FULL.replace("\n", "\r\n").encode())
    assert read_grid(tmp_path / "marked.toml").specs == read_grid(write(tmp_path, FULL)).specs


def test_the_example_is_a_study_of_eight_cells() -> None:
    grid = read_grid(EXAMPLE)
    assert len(set(grid.keys)) == 8
    settings = {(spec.model.encoder.name, spec.model.source.name, spec.seed) for spec in grid.specs}
    assert settings == {
        (e, s, n) for e in ("mlp", "bilstm") for s in ("learned", "random") for n in (0, 1)
    }
    assert {dict(spec.model.encoder.options)["hidden"] for spec in grid.specs} == {16}


def test_a_table_that_changed_since_it_was_pinned_is_refused(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("text,label\n" + "\n".join(f"word{i} {i % 2},{i % 2}" for i in range(20)))
    spec = pin(RunSpec(parse_data(str(table)), parse_model("mlp")))
    assert load(spec.data, 0).test
    table.write_text(table.read_text() + "\nanother,1")
    with pytest.raises(
        DataError, match=r"t\.csv: has changed since the run was named by its bytes"
    ):
        load(spec.data, 0)


def test_a_model_with_several_labels_is_refused_before_anything_is_trained(tmp_path: Path) -> None:
    axes = {"model": '["mlp(hidden=4)", "cnn(channels=2)+labelwise"]'}
    with pytest.raises(SpecError, match=r"axes\.model.*labelwise"):
        study(tmp_path, {"model": ""}, axes)
