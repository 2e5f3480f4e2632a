"""A classifier of transformers from its folder or from Python: proved, audited, looked at; what is
wrong is told.
"""

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import BertModel, TextClassificationPipeline
from typer.testing import CliRunner

import sightline
from sightline.adapters.huggingface.from_pretrained import load_huggingface
from sightline.api.audit import audit_source
from sightline.api.model_source import choose, saved_folder, under_reading
from sightline.api.run_options import AuditOptions
from sightline.audits.measure_pass import measure
from sightline.cli.app import app
from sightline.config.spec_syntax import parse_data
from sightline.core.errors import ModelError, SpecError
from sightline.core.results import Measurement
from sightline.core.seeds import Seeds
from sightline.data.dataset import Dataset
from sightline.measures.default_measures import default_measures
from sightline.measures.punctuation import Punctuation
from tests.adapters.huggingface.conftest import NEEDLE
from tests.adapters.huggingface.toys import classifier, configured, whole_words, word_pieces
from tests.snapshots import refused
from tests.texts import example


def called(*words: str) -> Any:
    return CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)


@pytest.mark.slow
def test_a_folder_is_audited_from_the_command_line(taught: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    found = called(
        "audit",
        "--model",
        f"hf:{taught}(head=1)",
        "--data",
        NEEDLE,
        "--limit",
        20,
        "--out",
        page,
        "--json",
    )
    assert found.exit_code == 0, found.output
    output = json.loads(found.stdout)
    assert output["metrics"]["accuracy"]["value"] > 0.95
    assert "needle" in page.read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_reading_is_chosen_from_the_command_line(taught: Path, tmp_path: Path) -> None:
    page, named = tmp_path / "page.html", ("--data", NEEDLE, "--limit", 24, "--json")
    found = called("audit", "--model", f"hf:{taught}", "--attention", "all", *named, "--out", page)
    assert found.exit_code == 0, found.output
    output = json.loads(found.stdout)
    readings = output["spec"]["readings"]
    assert len(readings["tried"]) == 2 * 4 + 3 * 2 + 1 + 1
    assert (readings["texts"], readings["learned_from"]) == (12, 90)
    assert output["cards"]["model"]["reading"] in [one["words"] for one in readings["tried"]]
    assert 'id="readings-title"' in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("reading", "model"),
    [
        (None, "hf:some"),
        ("all", "hf:some(reading=all)"),
        ("layer=1,head=2", "hf:some(layer=1,head=2)"),
    ],
)
def test_a_reading_is_written_behind_the_model(reading: str | None, model: str) -> None:
    assert under_reading("hf:some", reading) == model


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("mlp+additive", "only a model of Hugging Face \\(hf:FOLDER\\) has several readings"),
        ("hf:nowhere(head=1)", "names its reading already; keep one"),
    ],
)
def test_a_reading_of_what_has_none_or_two_is_an_error(
    model: str, message: str, tmp_path: Path
) -> None:
    with pytest.raises(SpecError, match=message):
        called(
            "audit",
            "--model",
            model,
            "--attention",
            "all",
            "--data",
            NEEDLE,
            "--out",
            tmp_path / "page.html",
        )


def test_what_finds_the_needle_carries_the_decision(
    both: tuple[Any, Any], needles: Dataset
) -> None:
    """Every word but one says nothing, and the gradient lies on that one: it carries what random
    words do not.
    """
    audit = sightline.audit(sightline.transformer(*both), needles, limit=24, full=True)
    gradient = next(one for one in audit.maps if one.name == "gradient")
    assert gradient.carried is not None
    assert gradient.carried.value > 0.5


def test_of_the_mean_of_heads_every_head_is_replaced(
    both: tuple[Any, Any], needles: Dataset
) -> None:
    shown, one = sightline.transformer(*both), sightline.transformer(*both, head=1)
    assert shown.offers == one.offers == {"embedding_grad", "layers", "decode"}
    batch = shown.collate(needles.test[:5])
    of_heads = [sightline.transformer(*both, head=head).trace(batch) for head in range(4)]
    rows = torch.stack([trace.inside.row for trace in of_heads]).mean(0)
    assert torch.allclose(shown.trace(batch).inside.row, rows, atol=1e-6)
    heads = torch.stack([trace.attention for trace in of_heads])
    assert torch.allclose(shown.trace(batch).own, heads, atol=1e-6)
    flow = sightline.transformer(*both, reading="rollout")
    with refused(ModelError):
        flow.decode(flow.trace(batch), heads[0])


def test_the_weights_are_those_that_the_model_says_it_has(
    both: tuple[Any, Any], needles: Dataset
) -> None:
    """By the eager road of transformers itself: the first row of one head, with what special tokens
    take told apart.
    """
    module, tokenizer = both
    module.set_attn_implementation("eager")
    model = sightline.transformer(module, tokenizer, layer=0, head=2)
    trace = model.trace(model.collate(needles.test[:4]))
    read = tokenizer([text.text for text in needles.test[:4]], padding=True, return_tensors="pt")
    with torch.no_grad():
        wanted = module(**read, output_attentions=True).attentions[0][:, 2, 0]
    assert trace.elsewhere is not None
    shared = trace.attention * (1 - trace.elsewhere)[:, None]
    assert torch.allclose(shared, wanted * trace.batch.attendable, atol=1e-6)
    assert torch.allclose(
        trace.elsewhere,
        wanted[:, 0] + wanted.gather(1, read["attention_mask"].sum(1)[:, None] - 1)[:, 0],
        atol=1e-6,
    )


def test_special_tokens_are_told_as_marks(both: tuple[Any, Any], needles: Dataset) -> None:
    model = sightline.transformer(*both, head=1)
    found = sightline.audit(
        model, needles, limit=30, measures=default_measures(chosen=("marks",))
    ).measurements["marks"]
    assert isinstance(found, Measurement)
    trace = model.trace(model.collate(needles.test))
    assert trace.elsewhere is not None
    words, marks = (np.asarray(found.values[name]) for name in ("words", "marks"))
    assert set(marks.tolist()) == {2}
    wanted = 1 - trace.elsewhere.double().numpy()
    assert np.abs(words[:, None] - wanted).min(axis=1).max() < 1e-6


def test_even_attention_over_pieces_rests_on_words_as_much_as_chance() -> None:
    """Two words of two pieces and one of one, a stop, [CLS] and [SEP]."""
    tokenizer = word_pieces()
    module = classifier("bert", tokenizer=tokenizer)
    for name, values in module.named_parameters():
        if "query" in name:
            values.data.zero_()
    texts = [example("the was good .", 0), example("film was .", 1)]
    model = sightline.transformer(module, tokenizer, head=1)
    pieces = [len(tokenizer.tokenize(text.text)) for text in texts]
    assert pieces == [6, 4]
    found = measure(model, texts, (Punctuation(),), {}, Seeds(0), 2, lambda done, total: None)
    values = found["marks"].values
    assert values["flat"] == pytest.approx([5 / 8, 3 / 6])
    assert values["words"] == pytest.approx(values["flat"], abs=1e-6)
    assert (values["marks"].tolist(), values["length"].tolist()) == ([3, 3], [6, 5])


def test_a_pipeline_has_a_model_and_a_tokenizer(both: tuple[Any, Any], needles: Dataset) -> None:
    pipe = TextClassificationPipeline(model=both[0], tokenizer=both[1])
    piped, apart = sightline.transformer(pipe), sightline.transformer(*both)
    batch = apart.collate(needles.test[:3])
    assert torch.equal(piped.trace(batch).logits, apart.trace(batch).logits)
    with refused(ModelError):
        sightline.transformer(torch.nn.Linear(2, 2))
    pipe.task = "zero-shot-classification"
    with refused(ModelError):
        sightline.transformer(pipe)


def test_one_text_is_looked_at(taught: Path) -> None:
    found = called("look", f"hf:{taught}", "some words", "--json")
    assert found.exit_code == 0, found.output
    output = json.loads(found.stdout)
    assert [word["word"] if isinstance(word, dict) else word for word in output["words"]] == [
        "some",
        "words",
    ]
    assert sightline.look(f"hf:{taught}", "some words").advice.endswith(" --data FILE")


def test_every_word_of_a_text_has_its_pieces(needles: Dataset) -> None:
    words = sorted({word for text in needles.test for word in text.tokens})
    pieces = word_pieces(words, size=60)
    batch = sightline.transformer(classifier("bert", tokenizer=pieces), pieces).collate(
        needles.test[:6]
    )
    for row, text in zip(batch.word, needles.test[:6], strict=True):
        assert sorted({*row.tolist()} - {-1}) == [*range(len(text.tokens))]
        assert (row >= 0).sum() > len(text.tokens)


def test_a_folder_without_a_model_is_an_error_and_nothing_is_downloaded(
    taught: Path, tmp_path: Path
) -> None:
    with pytest.raises(
        ModelError, match=r"hf:nobody/nothing: expected a folder .*nothing is downloaded"
    ):
        load_huggingface("hf:nobody/nothing")
    torn = tmp_path / "torn"
    shutil.copytree(taught, torn)
    (torn / "model.safetensors").write_bytes(b"torn")
    with pytest.raises(
        ModelError, match=r"torn: expected whole weights, got a damaged file \(model.safetensors\)"
    ):
        load_huggingface(f"hf:{torn}")
    (torn / "tokenizer.json").unlink()
    shutil.copy(taught / "model.safetensors", torn)
    with pytest.raises(ModelError, match="expected the files of its tokenizer"):
        load_huggingface(f"hf:{torn}")
    with pytest.raises(ModelError, match=r"got a file; name the folder it lies in"):
        load_huggingface(f"hf:{taught / 'config.json'}")


@pytest.mark.parametrize("scored", [None, 6])
def test_words_that_a_model_does_not_see_may_have_scores(
    scored: int | None, needles: Dataset, tmp_path: Path
) -> None:
    """A file may hold every word of a text, or only those that texts.jsonl lists."""
    tokenizer = whole_words(sorted({word for text in needles.test for word in text.tokens}))
    tokenizer.model_max_length = 8  # two are special tokens
    named = {"id2label": dict(enumerate(needles.label_names))}
    classifier("bert", tokenizer=tokenizer, **named).save_pretrained(tmp_path / "short")
    tokenizer.save_pretrained(tmp_path / "short")
    rows = [
        f"{text.id},{word},{place}"
        for text in needles.test
        for place, word in enumerate(text.tokens[:scored])
    ]
    (tmp_path / "scores.csv").write_text("\n".join(["id,word,score", *rows]))
    options = AuditOptions(scores=tmp_path / "scores.csv")
    source = choose(parse_data(NEEDLE), f"hf:{tmp_path / 'short'}(head=0)", options=options)
    found = audit_source(source, limit=12, full=True, measures=["erasure"])[1]
    measured = found.measurements["erasure"]
    assert isinstance(measured, Measurement), measured
    assert all(len(text.tokens) == 6 for text in found.texts)
    assert found.spec["scores"]["texts"] == 12
    assert np.isfinite(measured.values["flips.deleted.given"]).all()


class Harm:
    """Would leave a file behind if it were unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.mark,)


def pickled(folder: Path, harm: Path) -> None:
    (folder / "model.safetensors").unlink()
    torch.save({"classifier.weight": Harm(harm)}, folder / "pytorch_model.bin")


BROKEN: Mapping[str, tuple[Callable[[Path], object], str]] = {
    "one more layer than was trained": (
        lambda folder: configured(folder, num_hidden_layers=3),
        r"16 of 57 weights .* at random: bert\.encoder\.layer\.2\..* …; save the",
    ),
    "other classes than were trained": (
        lambda folder: configured(folder, id2label={"0": "a", "1": "b", "2": "c"}),
        (
            r"another shape, and would be drawn at random: classifier\.bias, classifier\.weight; "
            r"save the classifier"
        ),
    ),
    "no configuration": (lambda folder: (folder / "config.json").unlink(), "it has no config.json"),
    "no weights": (lambda folder: (folder / "model.safetensors").unlink(), "no weights, such as"),
    "an adapter alone": (
        lambda folder: (folder / "config.json").rename(folder / "adapter_config.json"),
        r"no whole model; save the model after merge_and_unload\(\)",
    ),
    "a number that is none": (lambda folder: configured(folder, hidden_size="x"), "hidden_size"),
    "a tokenizer that is a list": (
        lambda folder: (folder / "tokenizer_config.json").write_text("[1]"),
        "cannot load its tokenizer: .*save it again",
    ),
    "code in the place of weights": (
        lambda folder: pickled(folder, folder / "run"),
        "cannot load its model: .*which is never run; .*save it again",
    ),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_a_folder_that_is_not_whole_is_refused_in_one_line(
    taught: Path, tmp_path: Path, fault: str, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "model"
    shutil.copytree(taught, folder)
    spoil, message = BROKEN[fault]
    spoil(folder)
    with pytest.raises(ModelError, match=message) as error:
        load_huggingface(f"hf:{folder}")
    assert "\n" not in str(error.value)
    assert error.value.field == "model"
    assert not (folder / "run").exists()
    assert capfd.readouterr().err == ""  # the command says it once, in its own words


def test_a_pretrained_model_without_a_classifier_is_refused(taught: Path, tmp_path: Path) -> None:
    shutil.copytree(taught, tmp_path / "model")
    BertModel.from_pretrained(taught).save_pretrained(tmp_path / "model")
    with refused(ModelError):
        load_huggingface(f"hf:{tmp_path / 'model'}")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("FOLDER", r"a model for transformers; name it hf:.*needle"),
        (
            "somebody/bert-base-reviews",
            "there is no such folder; expected .* hf:FOLDER for transformers",
        ),
        ("bert-base-reviews", "there is no such folder; expected .* hf:FOLDER for transformers"),
    ],
)
def test_a_model_that_is_not_named_as_one_for_transformers_is_told_how(
    taught: Path, name: str, message: str
) -> None:
    with pytest.raises(ModelError, match=message):
        saved_folder(name.replace("FOLDER", str(taught)))
