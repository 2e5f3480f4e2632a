"""A measure that breaks is stored as failed by name and step, and the others stand; what a measure
may bring.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import sightline
from sightline.audits import measure_pass
from sightline.audits.collate import join_batches
from sightline.audits.measure_pass import measure
from sightline.audits.prepass import half
from sightline.core.results import Bracket, Failed, Measurement, NotRun, Ragged
from sightline.core.seeds import Seeds
from sightline.data.dataset import Dataset
from sightline.measures.agreement import Agreement
from sightline.measures.attribution_maps import MAKERS, AttributionMaps
from sightline.measures.predictions import Predictions
from sightline.measures.removal import Removal
from tests.adapters.offering import Offering
from tests.audits import toys
from tests.audits.toys import MODEL, TEXTS, Learns, Reads, Toy, take

BROKEN = {
    "on_batch": (toys.BreaksOnBatch("broken"), "on_batch: ValueError: no such word"),
    "finish": (toys.BreaksAtTheEnd("broken"), "finish: KeyError: 'nothing'"),
    "rows": (
        toys.LosesARow("broken"),
        ("on_batch: ValueError: 'words' has 2 rows, and there are 3 texts"),
    ),
    "names": (
        toys.ChangesItsNames("broken"),
        ("joining: ValueError: 'words of 4' is not there in every batch"),
    ),
    "another code": (
        toys.FinishesAsAnother("broken"),
        ("finish: ValueError: expected a measurement of 'broken', got one of 'other'"),
    ),
    "rows at the end": (
        toys.FinishesShort("broken"),
        ("finish: ValueError: 'words' has 6 rows, and there are 7 texts"),
    ),
    "no numbers": (
        toys.FinishesInWords("broken"),
        ("finish: TypeError: 'words': expected numbers by text"),
    ),
    "an unknown need": (
        Toy("broken", frozenset({"decod"})),
        (
            "needs: ValueError: 'decod' is not known; known: decode, token_logits, embedding_grad, "
            "variants, deletion, layers, states, from_states, influence, decode or token_logits, "
            "companion.NAME"
        ),
    ),
    "an unknown survey": (
        Learns("broken", surveys="tests"),
        ("survey: ValueError: surveys: 'tests' is not known; known: train, validation, half"),
    ),
    "no texts to learn from": (
        Learns("broken", surveys="train"),
        ("survey: ValueError: there is no text of 'train' to learn from"),
    ),
}


@pytest.mark.parametrize("how", BROKEN)
def test_what_goes_wrong_is_failed_by_name_and_step_and_the_others_stand(how: str) -> None:
    broken, message = BROKEN[how]
    found = take(Predictions(), broken, Toy())
    assert list(found) == ["outputs", "broken", "toy"]
    assert isinstance(found["broken"], Failed)
    assert found["broken"].code == "broken"
    assert found["broken"].error.startswith(message)
    assert isinstance(found["outputs"], Measurement)
    assert found["toy"].values["words"].tolist() == [7, 1, 4, 12, 2, 9, 5]


def test_a_taken_code_is_refused_under_a_name_of_its_own_and_the_first_stands() -> None:
    found = take(Toy("agreement"), Agreement(), Toy("agreement"), Toy())
    assert list(found) == ["agreement", "agreement (2)", "agreement (3)", "toy"]
    assert isinstance(found["agreement"], Measurement)
    assert (
        found["agreement (2)"].error
        == "code: Agreement has the code 'agreement', which Toy has taken; give it another"
    )
    assert isinstance(found["agreement (3)"], Failed)


def test_a_code_that_cannot_be_kept_is_refused_under_the_class() -> None:
    found = take(Toy("a/b"), Toy())
    assert found["Toy"].error == "code: ValueError: expected a name without '/', got 'a/b'"
    assert isinstance(found["toy"], Measurement)


def test_a_need_that_is_known_and_not_met_is_not_applicable() -> None:
    found = take(Toy(needs=frozenset({"companion.frozen"})))
    assert found["toy"] == NotRun("toy", "needs a control model (frozen)")


def test_texts_vectors_brackets_and_numbers_of_the_whole_come_through_in_order() -> None:
    found = take(Reads())["toy"]
    assert isinstance(found, Measurement), found
    vectors, between = found.values["vectors"], found.values["between"]
    assert isinstance(vectors, Ragged)
    for text, rows in zip(TEXTS, vectors.rows(), strict=True):
        assert rows.tolist() == [[len(word), place] for place, word in enumerate(text.tokens)]
    assert isinstance(between, Bracket)
    assert (between.low + 0.5).tolist() == (between.high - 0.5).tolist() == [7, 1, 4, 12, 2, 9, 5]
    assert found.whole["mean"].value == pytest.approx(between.low.mean())


def test_what_is_joined_must_be_of_one_kind() -> None:
    parts = [{"a": np.zeros(1)}, {"a": Bracket(np.zeros(1), np.zeros(1))}]
    with pytest.raises(TypeError, match="it is ndarray in one batch and Bracket in another"):
        join_batches(parts, np.arange(2))


# ---------------------------------------------------------------- a pass before the pass


def test_what_half_of_the_texts_taught_is_measured_on_the_other_half() -> None:
    one = Learns()
    found = take(one)["toy"]
    taught = half(TEXTS, Seeds(0))
    assert taught.sum() == 3
    assert sorted(one.seen) == sorted(
        text.id for text, seen in zip(TEXTS, taught, strict=True) if seen
    )
    lengths = np.array([len(text.tokens) for text in TEXTS])
    expected = np.where(taught, np.nan, lengths - lengths[taught].mean())
    assert found.values["away"] == pytest.approx(expected, nan_ok=True)
    assert found.undefined == {"away": {"learned from": 3}}


def test_the_half_is_that_of_the_texts_in_any_order() -> None:
    assert half(TEXTS[::-1], Seeds(0))[::-1].tolist() == half(TEXTS, Seeds(0)).tolist()
    assert half(TEXTS, Seeds(1)).tolist() != half(TEXTS, Seeds(0)).tolist()


def test_what_another_split_taught_is_measured_on_every_text() -> None:
    one = Learns(surveys="validation")
    found = take(one, others={"validation": TEXTS[:2], "train": TEXTS})["toy"]
    assert sorted(one.seen) == ["t0", "t1"]
    assert found.values["away"].tolist() == [len(text.tokens) - 4 for text in TEXTS]
    assert found.undefined == {}


def test_an_audit_with_a_measure_of_ones_own_comes_back_from_disk(tmp_path: Path) -> None:
    names = ("class 0", "class 1")
    dataset = Dataset("texts", tuple(TEXTS[:2]), tuple(TEXTS[2:3]), tuple(TEXTS[3:]), names, {})
    one = Learns("learns", surveys="train")
    audit = sightline.audit(toys.MODEL, dataset, measures=(Predictions(), Reads(), one))
    assert sorted(one.seen) == ["t0", "t1"]
    kept = sightline.Audit.load(audit.save(tmp_path / "audit")).measurements
    for name in ("flat", "lengths"):
        ours, theirs = (
            getattr(found["toy"].values["vectors"], name) for found in (audit.measurements, kept)
        )
        assert np.array_equal(ours, theirs)
    assert kept["toy"].values["vectors"].flat.shape[1:] == (2,)
    assert kept["toy"].whole == audit.measurements["toy"].whole
    assert (
        kept["learns"].values["away"].tolist()
        == audit.measurements["learns"].values["away"].tolist()
    )


def test_maps_are_made_once_a_batch_whoever_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    def counted(maps: AttributionMaps) -> np.ndarray:
        made.append(len(maps.trace.batch))
        return maps.words.attention

    monkeypatch.setitem(MAKERS, "attention", replace(MAKERS["attention"], make=counted))
    take(Predictions(), Removal(), Removal(code="again"))
    assert made == [3, 3, 1]


def test_what_learns_from_every_audited_text_looks_at_it_in_the_pass_that_measures_the_others() -> (
    None
):
    one, passes = Learns(surveys="audited"), []
    found = take(one, Predictions(), toys.Counts(passes=passes))
    assert len(one.seen) == 7
    assert passes == [3, 3, 1]
    lengths = np.array([len(text.tokens) for text in TEXTS])
    assert found["toy"].values["away"].tolist() == (lengths - lengths.mean()).tolist()
    assert found["toy"].undefined == {}


def test_what_breaks_while_it_looks_is_failed_and_not_taken_again() -> None:
    found = take(toys.BreaksLooking("broken", surveys="audited"), Toy())
    assert found["broken"] == Failed("broken", "look: ValueError: too dark")
    assert isinstance(found["toy"], Measurement)


@pytest.mark.parametrize(("origin", "times"), [("elsewhere", 3), ("here", 0)])
def test_memory_is_given_back_after_each_batch_of_a_model_from_elsewhere(
    origin: str, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[int] = []
    monkeypatch.setattr(measure_pass, "give_back", lambda: given.append(1))
    model = Offering(MODEL) if origin == "elsewhere" else MODEL
    measure(model, TEXTS, (Predictions(),), {}, Seeds(0), 3, lambda done, total: None)
    assert len(TEXTS) == 7
    assert len(given) == times
