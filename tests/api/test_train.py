"""Three lines of Python do what the command line does, with the same numbers."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

import sightline
from sightline.api.audit import audit_source
from sightline.api.model_source import SavedModel, choose
from sightline.api.run_options import AuditOptions, TrainingOptions
from sightline.audits.audit_result import Audit
from sightline.config.spec_syntax import parse_data
from sightline.config.specs import GIVEN, DataSpec
from sightline.core.errors import DataError, ModelError, SpecError
from sightline.core.explanation import Prediction
from sightline.data.assembly.user_splits import EVERY_ROW
from sightline.data.dataset import Dataset
from sightline.data.load_dataset import load
from sightline.experiments.load_models import save_trained
from sightline.experiments.pipeline import Trained
from tests.adapters.plain import wrapped
from tests.api.conftest import CORPUS, MODEL
from tests.texts import untrained


def test_three_lines_give_the_numbers_of_the_command_line(model: Trained, audit: Audit) -> None:
    trained, found = audit_source(
        choose(parse_data(CORPUS), MODEL, TrainingOptions(epochs=2), AuditOptions(limit=8))
    )
    for name, weight in trained.model.state_dict().items():
        assert torch.equal(weight, model.model.state_dict()[name])
    assert list(model.companions) == ["uniform"]
    assert (audit.verdict, audit.metrics, audit.findings) == (
        found.verdict,
        found.metrics,
        found.findings,
    )
    assert audit.spec["data"] == found.spec["data"]
    assert audit.spec["trainings"].keys() == found.spec["trainings"].keys()
    assert audit.spec["seed"] == 0


def test_a_saved_model_brings_its_companions_along(
    model: Trained, data: Dataset, audit: Audit, tmp_path: Path
) -> None:
    folder = save_trained(model, tmp_path / "model")
    assert sightline.audit(folder, data, limit=8, full=True).findings == audit.findings
    assert (
        sightline.look(str(folder), "one two").advice
        == f"sightline audit --model {folder} --data FILE"
    )
    alone = sightline.audit(model, data, {}, limit=8, full=True)
    assert "retrained" not in {
        name for name, m in alone.measurements.items() if type(m).__name__ == "Measurement"
    }


def test_texts_that_were_trained_on_are_refused(model: Trained, data: Dataset) -> None:
    turned = replace(data, test=data.train[:5], train=data.test)
    with pytest.raises(DataError, match="5 of 5 test texts were used to train"):
        sightline.audit(model, turned)


def test_a_spec_is_no_trained_model() -> None:
    with pytest.raises(
        ModelError, match="got a model that is to be trained; train it first"
    ) as caught:
        sightline.predict("bilstm+additive", ["a text"])
    assert caught.value.field == "model"


def texts(n: int = 30) -> list[str]:
    return [f"{('good', 'bad')[i % 2]} film number {i}" for i in range(n)]


def test_lists_are_data_like_a_table(tmp_path: Path) -> None:
    labels = np.arange(30) % 2
    lists = sightline.data_from(texts(), labels, name="mine")
    rows = "\n".join(f"{text},{label}" for text, label in zip(texts(), labels, strict=True))
    (tmp_path / "mine.csv").write_text(f"text,label\n{rows}\n")
    table = sightline.load(tmp_path / "mine.csv")
    for split, found in lists.splits.items():
        assert [(e.text, e.tokens, e.label, e.index) for e in found] == [
            (e.text, e.tokens, e.label, e.index) for e in table.splits[split]
        ]
    assert lists.label_names == table.label_names == ("0", "1")
    assert lists.train[0].id == "mine:0"
    assert lists.card["source"] == "mine"


def test_splits_and_queries_of_lists_are_followed() -> None:
    names = ["train"] * 20 + ["dev"] * 4 + ["test"] * 6
    found = sightline.data_from(
        texts(), ["x", "y"] * 15, splits=np.array(names), queries=["why ?"] * 30
    )
    assert [len(split) for split in found.splits.values()] == [20, 4, 6]
    assert found.test[0].query == ("why", "?")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((["a", "b"], ["x"]), "expected a label for each of 2 texts, got 1"),
        (("ab", ["x", "y"]), "got one text: 'ab'"),
        ((["a", 5], ["x", "y"]), "texts:1: expected a text in 'text', got 5"),
        ((["a", "b"], ["x", None]), "texts:1: expected a label"),
        (([], []), "got none"),
        (([" ", "?\u200b"][:1], ["x"]), "words in them, got 1"),
    ],
)
def test_what_is_wrong_with_lists_names_its_place(
    given: tuple[list[object], list[object]], message: str
) -> None:
    with pytest.raises(DataError, match=message):
        sightline.data_from(*given)


def test_texts_that_were_handed_over_are_known_by_their_content(data: Dataset) -> None:
    def key(labels: list[str]) -> str:
        lists = sightline.data_from(texts(), labels)
        return sightline.train(lists, MODEL, epochs=1, companions="none").record["key"]

    labels = ["x", "y"] * 15
    assert key(labels) == key(labels) != key(["y", "x"] * 15)
    with pytest.raises(SpecError, match="hand them over again"):
        load(DataSpec(GIVEN, "texts"), 0)


def test_a_setting_beside_a_data_spec_is_refused() -> None:
    with pytest.raises(SpecError) as refused:
        sightline.load(parse_data("planted:needle"), max_tokens=7)
    for place in ("mine.csv", "planted:needle"):
        with pytest.raises(SpecError) as caught:
            sightline.load(place, texts="body")
        assert caught.value.field == "texts"
        assert "near it: text" in str(caught.value)
    assert refused.value.field == "max_tokens"


@pytest.mark.parametrize(
    ("field", "named"),
    [
        ("recipe", "Paper"),
        ("on_copies", "dorp"),
        ("max_tokens", -1),
        ("max_tokens", 0),
        ("min_count", 0),
        ("min_count", -3),
    ],
)
def test_a_preparation_that_does_not_exist_is_refused(
    tmp_path: Path, field: str, named: object
) -> None:
    file = tmp_path / "texts.csv"
    labels = ["x", "y"] * 15
    rows = [f"{text},{label}" for text, label in zip(texts(), labels, strict=True)]
    file.write_text("\n".join(["text,label", *rows]))
    reads = [
        lambda: sightline.load(file, **{field: named}),
        lambda: load(DataSpec("csv", str(file), **{field: named}), 0),  # type: ignore[arg-type]  # on purpose
    ]
    if isinstance(named, int):
        reads.append(lambda: sightline.data_from(texts(), labels, **{field: named}))  # type: ignore[arg-type]
    for read in reads:
        with pytest.raises(SpecError) as caught:
            read()
        assert caught.value.field == field


def test_texts_are_read_as_far_as_in_the_training(tmp_path: Path) -> None:
    labels = ["x", "y"] * 15
    lists = ([f"w{i} is {label} here now and then" for i, label in enumerate(labels)], labels)
    trained = sightline.train(
        sightline.data_from(*lists, max_tokens=3), MODEL, epochs=1, companions="none"
    )
    folder = save_trained(trained, tmp_path / "m3")
    words = "x is y y y y y"
    for model in (trained, folder):
        assert len(sightline.look(model, words).text.tokens) == 3
        assert len(sightline.look(model, words, max_tokens=5).text.tokens) == 5
        whole, cut = sightline.predict(model, [words, "x is y"])
        assert whole.probabilities == pytest.approx(cut.probabilities)
        (asked,) = sightline.predict(model, [words], max_tokens=7)
        assert asked.probabilities != pytest.approx(whole.probabilities)
    others = [f"v{i} was {label} here now and then" for i, label in enumerate(labels)]
    for most, differences in ((512, 1), (3, 0)):
        given = sightline.data_from(others, labels, splits="all", max_tokens=most)
        card = sightline.audit(folder, given).cards["data"]
        assert len(card.get("unlike_training", ())) == differences


@pytest.mark.skipif(torch.cuda.is_available(), reason="the device is there")
def test_a_device_is_chosen_or_refused_in_python_too(data: Dataset, tmp_path: Path) -> None:
    trained = sightline.train(data, MODEL, epochs=1, companions="none", device="auto")
    folder = save_trained(trained, tmp_path / "m")
    assert sightline.look(folder, "one two", device="auto").text.tokens == ("one", "two")
    assert len(sightline.predict(folder, ["one two"], device="auto")) == 1
    for use in (
        lambda: sightline.train(data, MODEL, device="cuda"),
        lambda: sightline.look(folder, "one two", device="cuda"),
        lambda: sightline.predict(folder, ["one two"], device="cuda"),
    ):
        with pytest.raises(ModelError) as caught:
            use()
        assert caught.value.field == "device"


@pytest.mark.parametrize("name", ["max_tokens", "min_count"])
def test_a_number_of_another_type_is_refused_by_name(tmp_path: Path, name: str) -> None:
    file, number = tmp_path / "texts.csv", {name: "5"}
    for read in (
        lambda: sightline.load(file, **number),
        lambda: sightline.data_from(texts(), ["x", "y"] * 15, **number),  # type: ignore[arg-type]  # on purpose
    ):
        with pytest.raises(SpecError) as caught:
            read()
        assert caught.value.field == name


def test_a_saved_model_remembers_how_far_its_texts_were_read(tmp_path: Path) -> None:
    lists = (texts(), ["x", "y"] * 15)
    file = tmp_path / "texts.csv"
    rows = [f"{text},{label}" for text, label in zip(*lists, strict=True)]
    file.write_text("\n".join(["text,label", *rows]))
    for data in (sightline.load(file, max_tokens=4), sightline.data_from(*lists, max_tokens=4)):
        trained = sightline.train(data, MODEL, epochs=1, companions="none")
        folder = save_trained(trained, tmp_path / f"of-{data.name}")
        read = choose(parse_data(f"csv:{file}"), str(folder), typed=())
        assert isinstance(read, SavedModel)
        assert read.data.max_tokens == 4


def test_what_is_no_dataset_is_refused_with_what_to_write(model: Trained, data: Dataset) -> None:
    message = (
        r"data: expected what sightline.load gives, got '{}'; write data = "
        r"sightline.load\('{}'\), then sightline."
    )
    with pytest.raises(
        DataError, match=message.format("reviews.csv", "reviews.csv") + r"train\(data\)"
    ):
        sightline.train("reviews.csv")
    with pytest.raises(
        DataError, match=message.format("reviews.csv", "reviews.csv") + r"audit\(model, data\)"
    ):
        sightline.audit(model, "reviews.csv")
    with pytest.raises(DataError, match=r"got <Trained .*then sightline.audit\(model, data\)"):
        sightline.audit(data, model)
    with pytest.raises(
        SpecError, match=r"model: expected a spec such as 'bilstm\+additive', got 5"
    ):
        sightline.train(data, 5)


def test_what_is_given_back_says_in_a_line_what_it_is_and_what_comes_next(
    model: Trained, data: Dataset, audit: Audit
) -> None:
    sizes = (
        f"{len(data.train)} train, {len(data.validation)} validation, {len(data.test)} test texts"
    )
    assert (
        repr(data)
        == f"<Dataset {data.name!r}: {sizes}; labels 'alpha', 'beta'; next: sightline.train(data)>"
    )
    about = f"<Trained {model.model.name!r} on {data.name!r}, with uniform"
    assert repr(model) == f"{about}; next: sightline.audit(model, data)>"
    head = f"<Audit of {model.model.name!r} on 8 texts: {audit.headline}"
    assert repr(audit) == f"{head}; next: audit.to_html('report.html')>"
    assert (
        repr(audit.compare(replace(audit)))
        == "<Comparison of 2 audits; next: comparison.to_html('compare.html')>"
    )
    look = sightline.look(model, "one \x1b[2J" + 50 * "two ")
    assert repr(look).startswith(r"<Look at 'one \x1b[2Jtwo two")
    assert len(repr(look)) < 120
    assert repr(Prediction("a", {"b": 0.25, "a": 0.5, "c": 0.125, "d": 0.125})) == (
        "<Prediction 'a' 0.500, 'b' 0.250, 'c' 0.125, …>"
    )
    assert (
        repr(Prediction(None, {"a": float("nan")})) == "<Prediction None: the output is no number>"
    )


def test_an_audit_keeps_a_place_once(audit: Audit) -> None:
    spans = [span for text in audit.texts for span in text.offsets]
    assert len({id(span) for span in spans}) == len(set(spans)) < len(spans)


def test_labels_are_mapped_onto_the_classes_of_a_model(model: Trained, data: Dataset) -> None:
    """The same texts under other labels, and a map back to them, get the same audit."""
    names = dict(zip(("no", "yes"), data.label_names, strict=True))
    renamed = replace(data, label_names=tuple(names))
    with pytest.raises(DataError, match="label_map="):
        sightline.audit(model, renamed, limit=8)
    with pytest.raises(SpecError, match=r"label_map: .*'maybe'"):
        sightline.audit(model, renamed, limit=8, label_map={**names, "maybe": data.label_names[0]})
    found = sightline.audit(model, renamed, limit=8, label_map=names)
    assert found.spec["label_map"] == names
    assert found.cards["data"]["labels_read"] == names
    assert found.metrics == sightline.audit(model, data, limit=8).metrics


def test_a_file_that_was_divided_when_it_was_loaded_is_noted_of_a_model_from_elsewhere(
    tmp_path: Path,
) -> None:
    """Its other texts may have trained the model, so they are not audited; the card says how they
    would be.
    """
    ours = untrained("mlp(hidden=4)")
    known = [word for word in ours.vocabulary.words if word.isalnum()][:9]
    rows = [
        f"{one} {two},{label}"
        for one in known
        for two, label in zip(known, "ababababa", strict=True)
    ][:80]
    (tmp_path / "t.csv").write_text("\n".join(["text,label", *rows]))
    plain = wrapped(ours)
    found = {
        split: sightline.audit(plain, sightline.load(tmp_path / "t.csv", split=split))
        for split in ("split", "all")
    }
    assert {split: len(one.texts) for split, one in found.items()} == {"split": 12, "all": 80}
    noted = {
        split: [note for note in one.cards["data"]["notes"] if EVERY_ROW in note]
        for split, one in found.items()
    }
    assert noted["split"][0].startswith("12 of 80 texts")
    assert noted["all"] == ["every row is a test text (split: all)"]
    texts, labels = zip(*(row.split(",") for row in rows), strict=True)
    given = sightline.data_from(texts, labels, splits="all")
    assert [len(split) for split in given.splits.values()] == [0, 0, 80]
    with pytest.raises(DataError, match="no training texts"):
        sightline.train(given, MODEL)
