"""The one way to an audit: what its callbacks hear, its options, and several seeds."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sightline
from sightline.api.audit import audit_source
from sightline.api.audit_each import audit_each, with_seeds
from sightline.api.data_source import read_source
from sightline.api.hooks import Display, Hooks
from sightline.api.model_source import ImportedModel, choose
from sightline.api.run_options import AuditOptions, TrainingOptions
from sightline.api.seed_audits import load_audits
from sightline.config.spec_syntax import parse_data
from sightline.core.errors import SpecError
from sightline.core.protocols import Arrays, MeasureContext, Trace
from sightline.core.results import Failed, Measurement
from sightline.core.seeds import Seeds
from sightline.data.dataset import Dataset
from sightline.experiments.pipeline import Trained
from sightline.report.first_screen import not_run
from tests.api.conftest import CORPUS, MODEL

ONE_EPOCH = TrainingOptions(epochs=1, companions="none")


@pytest.mark.parametrize(
    ("field", "value"),
    [("budget", "5m"), ("label_map", {"pos": 1}), ("label_map", 3), ("companions", ["uniform"])],
)
def test_options_and_control_models_of_another_type_are_refused(
    model: Trained, data: Dataset, field: str, value: object
) -> None:
    with pytest.raises(SpecError) as caught:
        sightline.audit(model, data, **{field: value})  # type: ignore[arg-type]  # on purpose
    assert caught.value.field == field


def test_callbacks_hear_each_seed_and_what_to_doubt(tmp_path: Path) -> None:
    heard: dict[str, list[object]] = {
        "seeds": [],
        "notes": [],
        "ready": [],
        "texts": [],
        "epochs": [],
    }

    @contextmanager
    def progress() -> Iterator[Display]:
        yield Display(
            on_epoch=lambda name, epoch, epochs: heard["epochs"].append(
                (name, epoch.number, epochs)
            ),
            on_texts=lambda done, total: heard["texts"].append((done, total)),
        )

    hooks = Hooks(
        progress=progress,
        on_note=heard["notes"].append,
        on_ready=lambda source, trained, machine: heard["ready"].append(trained.model.name),
        on_seed=lambda seed, number, count: heard["seeds"].append((seed, number, count)),
    )
    source = choose(parse_data(CORPUS), MODEL, ONE_EPOCH, AuditOptions(seed=3, limit=8))
    found = audit_each(with_seeds(source, 2), hooks, about={"command": "mine"})
    assert heard["seeds"] == [(3, 1, 2), (4, 2, 2)]
    assert heard["epochs"] == [("model", 1, 1)] * 2
    assert heard["texts"][-1] == (8, 8)
    assert len(heard["ready"]) == len(heard["notes"]) == 2  # the cap on epochs ended both trainings
    assert list(found.by_seed) == [3, 4]
    assert found.first.spec["command"] == "mine"
    assert found.to_json()["seeds"] == found.across.to_json()
    found.save(tmp_path / "both")
    again, folders = load_audits(tmp_path / "both")
    assert [one.name for one in folders] == ["seed-3", "seed-4"]
    assert again.across == found.across


def test_one_seed_says_nothing_of_seeds() -> None:
    heard: list[object] = []
    source = choose(parse_data(CORPUS), MODEL, ONE_EPOCH, AuditOptions(limit=8))
    found = audit_each(with_seeds(source, 1), Hooks(on_seed=lambda *seed: heard.append(seed)))
    assert (heard, found.across, found.together) == ([], None, False)
    assert "seeds" not in found.to_json()
    assert found.first.findings == audit_source(source)[1].findings


def test_a_model_that_is_trained_already_has_one_seed() -> None:
    source = choose(parse_data(CORPUS), "py:mine:build", options=AuditOptions(seed=2))
    assert isinstance(source, ImportedModel)
    assert with_seeds(source, 1) == (source,)
    with pytest.raises(SpecError) as caught:
        with_seeds(source, 2)
    assert caught.value.field == "seeds"


def test_options_that_are_given_are_named_in_one_order() -> None:
    assert TrainingOptions(fit=[]).given == []
    assert TrainingOptions(vectors="v.txt", min_count=1, preset="default").given == [
        "preset",
        "min_count",
        "vectors",
    ]


def test_a_setting_in_an_error_is_spelled_as_python_does() -> None:
    with pytest.raises(SpecError) as caught:
        read_source("planted:needle", text="body")
    assert str(caught.value).startswith("text=body: planted")
    with pytest.raises(SpecError) as both:
        read_source("planted:needle", train="t.csv")
    assert (both.value.field, "data=" in str(both.value)) == ("train", True)


@dataclass(frozen=True)
class Own:
    """A measure of a user, which may break."""

    code: str = "own"
    needs: frozenset[str] = frozenset()
    paper: str = ""
    error: str = ""

    def on_batch(self, subject: MeasureContext, trace: Trace, seeds: Seeds) -> Arrays:
        """Count the words."""
        if self.error:
            raise ValueError(self.error)
        return {"words": trace.batch.mask.sum(1).numpy().astype(float)}

    def finish(self, arrays: Arrays) -> Measurement:
        """Keep the counts."""
        return Measurement(self.code, arrays)


def test_a_measure_of_ones_own_is_taken_of_a_model_that_also_predicts() -> None:
    data = sightline.load(CORPUS)
    trained = sightline.train(data, MODEL, epochs=1)
    audit = sightline.audit(trained, data, measures=[Own()])
    assert len(audit.texts) == len(data.test)
    assert [*audit.measurements] == ["outputs", "own"]
    assert not [line for line in not_run(audit) if "failed" in line]
    broken = sightline.audit(trained, data, measures=[Own(error="no such word")])
    assert isinstance(broken.measurements["own"], Failed)
    assert [line for line in not_run(broken) if "no such word" in line and "own" in line]
    with pytest.raises(SpecError) as caught:
        sightline.audit(trained, data, measures=Own())
    assert caught.value.field == "measures"


@pytest.fixture(scope="module")
def tiny() -> Trained:
    return sightline.train(sightline.load(CORPUS), MODEL, epochs=1, companions="none")


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"seed": "a"}, "seed"),
        ({"seed": True}, "seed"),
        ({"limit": 2.5}, "limit"),
        ({"limit": 0}, "limit"),
        ({"max_texts": "a"}, "max_texts"),
        ({"batch_size": 0}, "batch_size"),
        ({"measures": "agreement"}, "measures"),
        ({"measures": ["removal"]}, "measures"),
        ({"scores": ["a", "b"]}, "scores"),
        ({"scores": "scores.npy"}, "scores"),
    ],
)
def test_an_option_of_another_type_is_refused_by_name(
    tiny: Trained, options: dict[str, Any], field: str
) -> None:
    with pytest.raises(SpecError) as caught:
        sightline.audit(tiny, tiny.dataset, **options)
    assert caught.value.field == field


def test_options_may_be_numbers_of_numpy_and_places_may_be_texts(
    tiny: Trained, tmp_path: Path
) -> None:
    looks: list[object] = []
    options = {"max_texts": np.int64(9), "kept_in": str(tmp_path / "kept"), "on_look": looks.append}
    found = sightline.audit(tiny, tiny.dataset, seed=np.int64(3), **options)
    assert found.spec["seed"] == 3
    assert len(found.texts) == 9
    assert looks


def test_measures_may_be_named(tiny: Trained) -> None:
    found = sightline.audit(tiny, tiny.dataset, limit=9, measures=["agreement"])
    assert {"outputs", "agreement"} == {
        code for code, one in found.measurements.items() if isinstance(one, Measurement)
    }


def test_a_file_of_scores_may_be_named_from_python(tiny: Trained, tmp_path: Path) -> None:
    rows = [f"{text.id},{word},1" for text in tiny.dataset.test[1:] for word in text.tokens]
    file = tmp_path / "scores.csv"
    file.write_text("\n".join(["id,word,score", *rows]))
    for scores in (file, str(file)):
        found = sightline.audit(tiny, tiny.dataset, scores=scores, full=True, measures=["erasure"])
        assert "flips.deleted.given" in found.measurements["erasure"].values
        assert found.spec["scores"]["texts"] == len(tiny.dataset.test) - 1


def test_scores_are_counted_for_the_texts_that_an_audit_plans(
    tiny: Trained, tmp_path: Path
) -> None:
    planned = {text.id for text in sightline.audit(tiny, tiny.dataset, limit=9).texts}
    texts = [text for text in tiny.dataset.test if text.id in planned]
    rows = [f"{text.id},{word},1" for text in texts for word in text.tokens]
    file = tmp_path / "scores.csv"
    file.write_text("\n".join(["id,word,score", *rows]))
    found = sightline.audit(tiny, tiny.dataset, scores=file, max_texts=9, measures=["agreement"])
    assert found.spec["scores"]["notes"] == []
