"""What a model that only answers is asked, and every way in which its answers can be wrong."""

import importlib
import os
import sys
import types
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import sightline
from sightline.adapters.answers_model import FLOOR, AnswersModel
from sightline.adapters.compatibility import check
from sightline.adapters.load_external import load_elsewhere
from sightline.core.error_excerpts import without_excerpts
from sightline.core.errors import AnswerError, DataError, ModelError, SpecError
from sightline.core.example import Example, shortened
from sightline.core.tokeniser import tokenise
from sightline.measures.transfer.hybrid_texts import Written, crossed, rewritten
from tests.planted.answering import LABELS, by_cue, of_cue
from tests.planted.answering import texts as planted
from tests.texts import example

FILM = example("A  Good film, not BAD.")


class Heard:
    """A function that keeps what it was asked, each call by itself."""

    def __init__(self, answer=by_cue) -> None:
        self.calls: list[list[str]] = []
        self.answer = answer

    def __call__(self, texts: list[str]):
        self.calls.append(texts)
        return self.answer(texts)

    @property
    def texts(self) -> list[str]:
        return [text for call in self.calls for text in call]


def model(answer=by_cue, **options) -> AnswersModel:
    return sightline.answers(answer, labels=LABELS, **{"name": "mine", **options})


def asked(answer, *texts: str, **options) -> np.ndarray:
    return model(answer, **options).cache.answers(texts or ("one", "two", "three"))


# ------------------------------------------------------------------------ texts


def test_a_whole_text_is_asked_as_it_is_written() -> None:
    heard = Heard()
    ours = model(heard)
    ours.trace_variants(ours.collate([FILM]))
    assert heard.texts == [FILM.text]


def test_deleted_words_leave_the_rest_of_a_text_as_it_is_written() -> None:
    heard = Heard()
    ours = model(heard)
    batch = ours.collate([FILM])
    kept = batch.mask.clone()
    kept[0, [1, 3]] = False  # "Good" and the comma
    ours.trace_variants(batch.keep(kept))
    assert heard.texts == ["A  film not BAD."]


def test_a_text_keeps_its_layout_where_words_of_another_go() -> None:
    heard = Heard()
    ours = model(heard)
    other = Written(("so", "BAD"), ("so", "bad"))
    for words in (other, crossed(other, Written.of(FILM), [1])):
        ours.trace_variants(ours.collate([rewritten(FILM, words)]))
    assert heard.texts == ["so BAD", "A  BAD film, not BAD."]


def test_rows_that_change_places_keep_their_texts() -> None:
    heard = Heard()
    ours = model(heard)
    batch = ours.collate([example("one two three"), example("four five")])
    index = batch.index.new_tensor([1, 0, 1])
    again = batch.rows(index)
    ours.trace_variants(again.keep(again.mask & (again.word != 0)))
    assert heard.texts == ["five", "two three"]


def test_what_lies_behind_the_words_that_are_read_is_not_asked() -> None:
    cut = replace(FILM, tokens=FILM.tokens[:2], places=FILM.offsets[:2])
    heard = Heard()
    ours = model(heard)
    ours.trace_variants(ours.collate([cut]))
    assert heard.texts == ["A  Good"]


@pytest.mark.parametrize("text", ["a b", "a-b, c!", "«x» y", "不 好", "a\tb\n c"])
def test_every_word_that_is_left_stands_in_the_shorter_text(text: str) -> None:
    tokens, offsets = tokenise(text)
    whole = Example("t", 0, text, tokens, offsets, 0)
    for place in range(len(tokens)):
        left = shortened(whole, set(range(len(tokens))) - {place})
        assert left.tokens == tokens[:place] + tokens[place + 1 :]
        assert tuple(left.text[a:b].lower() for a, b in left.offsets) == left.tokens
    assert shortened(whole, range(len(tokens))).text == text


# ------------------------------------------------------------------------ asking


def test_each_text_is_asked_once_and_in_batches() -> None:
    heard = Heard()
    ours = model(heard, batch=2)
    ours.cache.answers(["a", "b", "a", "c"])
    ours.cache.answers(["c", "d"])
    assert heard.calls == [["a", "b"], ["c"], ["d"]]
    assert ours.about() == {"texts_needed": 4, "texts_asked": 4, "failed_calls": 0}


def test_no_text_gets_no_answer() -> None:
    heard = Heard()
    ours = model(heard)
    assert ours.trace(ours.collate([])).logits.shape == (0, 2)
    assert heard.calls == []


def test_an_audit_counts_what_it_needed_and_what_it_asked() -> None:
    heard = Heard()
    ours, data = model(heard, scores=of_cue), planted(60)
    first = sightline.audit(ours, data, limit=20).cards["model"]["answers"]
    assert first["texts_asked"] == len(heard.texts)
    assert len(set(heard.texts)) == first["texts_needed"]
    again = sightline.audit(ours, data, limit=20).cards["model"]["answers"]
    assert again["texts_needed"] == first["texts_needed"]
    assert 0 < again["texts_asked"] < 100  # only what checks ask again


def test_logits_are_logarithms_and_none_is_infinite() -> None:
    found = model(lambda texts: [[1.0, 0.0]] * len(texts))
    logits = found.trace_variants(found.collate([FILM])).logits.numpy()
    assert logits[0] == pytest.approx([0.0, np.log(FLOOR)])


def test_the_map_of_no_scores_is_how_far_leaving_a_word_out_moves_the_answer() -> None:
    ours = model(by_cue)
    text = example("w1 cuebeta w2")
    attention = ours.trace(ours.collate([text])).attention.numpy()
    assert attention == pytest.approx(np.array([[0.0, 1.0, 0.0]]))
    whole, without = by_cue(["w1 cuebeta w2", "w1 w2"])
    assert whole[1] - without[1] == pytest.approx(0.482, abs=1e-3)


# ------------------------------------------------------------------------ wrong answers


def rows(one: object):
    return lambda texts: [one] * len(texts)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (rows([0.2, 0.3, 0.5]), "3 texts × 2 classes, got 3 × 3"),
        (lambda texts: by_cue(texts)[:-1], "3 texts × 2 classes, got 2 × 2"),
        (rows(0.5), "got 3; give both classes"),
        (rows("good"), "got list"),
        (rows([0.5, np.nan]), r"got \[0.5, nan\] for text number 1"),
        (rows([0.5, np.inf]), r"got \[0.5, inf\] for text number 1"),
        (rows([1.5, -0.5]), r"at least 0 that add up to 1 \(within 0.001\)"),
        (rows([0.5, 0.51]), r"add up to 1 \(within 0.001\), got \[0.5, 0.51\]"),
        (lambda texts: None, "got NoneType"),
    ],
)
def test_an_answer_that_is_none_is_refused(answer, message: str) -> None:
    with pytest.raises(AnswerError, match=message) as caught:
        asked(answer)
    assert caught.value.change
    assert str(caught.value).startswith("mine: ")


def test_probabilities_of_half_precision_add_up_well_enough() -> None:
    assert asked(rows([0.3333, 0.6665])).shape == (3, 2)


def flaky(every: int, heard: list[str]):
    def answer(texts: list[str]):
        for text in texts:
            heard.append(text)
            if len(heard) % every == 0:
                raise TimeoutError("busy")
        return by_cue(texts)

    return answer


def test_a_call_that_raises_now_and_then_is_tried_again() -> None:
    ours = model(flaky(7, []), retries=3, batch=4)
    texts = [f"w{number}" for number in range(20)]
    assert ours.cache.answers(texts).shape == (20, 2)
    assert ours.about()["failed_calls"] > 0


def test_a_text_that_always_fails_is_named_and_the_others_are_kept() -> None:
    heard = Heard(lambda texts: by_cue(texts) if "w9" not in texts else 1 / 0)
    ours = model(heard, retries=2, batch=4)
    texts = [f"w{number}" for number in range(20)]
    with pytest.raises(AnswerError, match="text number 10 of those asked") as caught:
        ours.cache.answers(texts)
    assert caught.value.text == "w9"
    assert "tried 3 times" in str(caught.value)
    assert "test_answers_model.py" in str(caught.value)
    assert heard.texts.count("w9") == 6  # three times in its batch, three times alone
    assert set(ours.cache.known) == {f"w{number}" for number in range(9)}
    heard.answer = by_cue
    before = len(heard.calls)
    ours.cache.answers(texts)
    assert not {f"w{number}" for number in range(9)} & {
        text for call in heard.calls[before:] for text in call
    }


@pytest.mark.parametrize("wrong", [lambda texts: 1 / 0, lambda texts: [[2.0, 3.0]] * len(texts)])
@pytest.mark.parametrize(
    ("failing", "whose"),
    [
        ("good bad film", "; it is text n9; "),
        ("bad film", "; it is a changed copy of text n9; "),
        ("film", "; it is a changed copy of text n9; "),
    ],
)
def test_an_error_names_the_audited_text(wrong, failing: str, whose: str) -> None:
    texts = [example("one two three"), replace(example("good bad film"), id="n9", index=1)]
    ours = model(lambda texts: (wrong if failing in texts else by_cue)(texts), batch=1)
    batch = ours.collate(texts)
    asked = (
        partial(ours.trace_variants, batch.keep(batch.word == 2))
        if failing == "film"
        else partial(ours.trace, batch)
    )
    with pytest.raises(AnswerError, match=r"number \d of those asked") as caught:
        asked()
    assert whose in str(caught.value)
    with without_excerpts(), pytest.raises(AnswerError) as caught:
        asked()
    assert whose.replace("n9", "[not shown]") in str(caught.value)


def test_a_function_that_fails_in_a_test_ends_the_audit() -> None:
    """It is no fault of one measure: no verdict is made of the others."""
    count = 0

    def answer(texts: list[str]):
        nonlocal count
        count += len(texts)
        if count > 2000:
            raise ConnectionError("gone")
        return by_cue(texts)

    with pytest.raises(AnswerError, match="ConnectionError: gone"):
        sightline.audit(model(answer, scores=of_cue), planted(60))


def test_a_function_that_does_not_repeat_itself_is_refused() -> None:
    generator = np.random.default_rng(0)

    def answer(texts: list[str]):
        second = by_cue(texts)[:, 1] * generator.uniform(0.9, 1.0, len(texts))
        return np.column_stack([1 - second, second])

    data = planted(60)
    failed = {
        p.name for p in check(model(answer, scores=of_cue), data.test) if p.outcome == "failed"
    }
    assert "repeatable" in failed
    with pytest.raises(ModelError, match="two runs of the same batch differ"):
        sightline.audit(model(answer, scores=of_cue), data)


def test_a_function_that_changes_later_is_refused_at_the_end() -> None:
    count = 0

    def answer(texts: list[str]):
        nonlocal count
        count += len(texts)
        second = by_cue(texts)[:, 1] * (1.0 if count < 1000 else 0.9)
        return np.column_stack([1 - second, second])

    with pytest.raises(ModelError, match="changed during the audit"):
        sightline.audit(model(answer, scores=of_cue), planted(60))


def test_a_function_that_looks_at_its_batch_is_refused() -> None:
    def answer(texts: list[str]):
        share = by_cue(texts)
        return 0.9 * share + 0.1 * share.mean(axis=0)

    failed = {p.name for p in check(model(answer, scores=of_cue), planted(60).test)
              if p.outcome == "failed"}  # fmt: skip
    assert failed == {"alone"}


def test_rounding_of_single_precision_is_no_other_answer() -> None:
    """Of a text on its own the last digit differs, which moves the logarithm of the other class."""

    def answer(texts: list[str]):
        sure = np.full(len(texts), 1 - 2e-7, dtype=np.float32)
        if len(texts) == 1:
            sure = np.nextafter(sure, np.float32(0))
        sides = by_cue(texts)[:, 1] > 0.5
        second = np.where(sides, sure, 1 - sure)
        return np.column_stack([1 - second, second])

    found = {p.name: p for p in check(model(answer, scores=of_cue), planted(60).test)}
    assert found["alone"].outcome == "passed"
    assert 0 < found["alone"].measured < 1e-6


def test_labels_that_the_data_do_not_have_are_refused() -> None:
    other = sightline.answers(by_cue, labels=("good", "bad"), scores=of_cue)
    with pytest.raises(DataError, match="good"):
        sightline.audit(other, planted(60))


def test_texts_with_a_query_are_refused() -> None:
    with pytest.raises(ModelError, match="got texts with a query"):
        model().collate([replace(FILM, query=("what",))])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"labels": "good"}, "labels: expected names"),
        ({"labels": 3}, "labels: expected names"),
        ({"labels": (0, 1)}, "labels: expected names"),
        ({"labels": ("good",)}, "two or more different names"),
        ({"batch": 0}, "batch: expected a whole number from 1"),
        ({"retries": -1}, "retries: expected a whole number from 0"),
        ({"scores": 3}, "scores: expected a function"),
    ],
)
def test_what_a_model_is_made_of_is_read_strictly(options: dict, message: str) -> None:
    with pytest.raises((ModelError, SpecError), match=message):
        sightline.answers(by_cue, **{"labels": LABELS, **options})


# ------------------------------------------------------------------------ scores


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (
            lambda texts: [[1.0]] * len(texts),
            "expected 20 finite numbers, one for each word, got 1",
        ),
        (lambda texts: [[1.0] * 20], "expected 8 rows of numbers, one a text, got 1"),
        (lambda texts, words: [[np.nan] * len(one) for one in words], "not all finite"),
        (lambda texts, words: 3, "got int"),
    ],
)
def test_scores_that_are_none_are_refused(scores, message: str) -> None:
    with pytest.raises(AnswerError, match=message):
        sightline.audit(model(scores=scores), planted(60), limit=8)


def test_scores_may_be_given_words_as_they_are_written() -> None:
    heard = []

    def scores(texts, words):
        heard.extend(words)
        return [[1.0] * len(one) for one in words]

    ours = model(scores=scores)
    ours.trace(ours.collate([FILM]))
    assert heard == [["A", "Good", "film", ",", "not", "BAD", "."]]


def test_brought_scores_must_be_there_for_every_audited_text() -> None:
    data = planted(60)
    brought = {text.id: np.ones(20) for text in data.test[1:]}
    with pytest.raises(SpecError, match="expected scores of all 60 audited texts") as caught:
        sightline.audit(model(), data, scores=brought)
    assert caught.value.field == "scores"


def test_an_attribution_of_captum_is_refused() -> None:
    with pytest.raises(SpecError, match="only answers are known"):
        sightline.audit(model(), planted(60), scores="captum:IntegratedGradients")


def test_a_function_with_scores_is_compared_with_those_that_are_brought() -> None:
    data = planted(60)
    brought = {text.id: np.arange(20.0) for text in data.test}
    audit = sightline.audit(model(scores=of_cue), data, scores=brought)
    assert {"attention", "given"} <= {row.name for row in audit.maps}


# ------------------------------------------------------------------------ by name


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    made = types.ModuleType("answering_by_name")
    monkeypatch.setitem(sys.modules, "answering_by_name", made)
    return made


def test_a_function_with_labels_is_a_model(module: types.ModuleType) -> None:
    def predict(texts: list[str]):
        return by_cue(texts)

    predict.labels, predict.scores = LABELS, of_cue
    module.predict = predict
    found = load_elsewhere("answers:answering_by_name:predict")
    assert isinstance(found, AnswersModel)
    assert (found.labels, found.name) == (LABELS, "answering_by_name:predict")
    assert found.audited_map.noun == "the score map"


def test_a_fitted_classifier_of_scikit_learn_can_be_named(monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("answering_by_name")
    module.pipeline = types.SimpleNamespace(predict_proba=by_cue, classes_=np.array([0, 1]))
    monkeypatch.setitem(sys.modules, "answering_by_name", module)
    found = load_elsewhere("answers:answering_by_name:pipeline")
    assert found.labels == ("0", "1")
    batch = found.collate([FILM])
    assert np.allclose(found.trace(batch).logits.softmax(1), by_cue([FILM.text]), atol=1e-6)


def test_a_function_that_makes_a_model_or_the_model_itself_can_be_named(
    module: types.ModuleType,
) -> None:
    module.made = model()
    module.build = lambda: module.made
    for name in ("made", "build"):
        assert load_elsewhere(f"answers:answering_by_name:{name}") is module.made


@pytest.mark.parametrize(
    ("thing", "message"),
    [
        (by_cue, "expected a function with labels"),
        (3, "got int"),
        (lambda: 3, "got int"),
    ],
)
def test_what_is_no_such_function_is_refused(
    module: types.ModuleType, thing: object, message: str
) -> None:
    module.thing = thing
    with pytest.raises(ModelError, match=message):
        load_elsewhere("answers:answering_by_name:thing")


def test_a_name_that_is_none_is_refused() -> None:
    with pytest.raises(SpecError, match=r"expected answers:package\.module:function"):
        load_elsewhere("answers:nothing")


# ------------------------------------------------------------------------ a process of its own


OTHER = """
import os

def share(texts):
    return [[(os.getpid() % 1000) / 1000, 1 - (os.getpid() % 1000) / 1000]] * len(texts)

def ends(texts):
    os._exit(3)
"""


def test_a_function_may_run_in_a_process_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "isolated_answers.py").write_text(OTHER)
    monkeypatch.syspath_prepend(tmp_path)
    other = importlib.import_module("isolated_answers")
    found = model(other.share, isolated=True).cache.answers(["a"])
    assert found[0, 0] != (os.getpid() % 1000) / 1000
    with pytest.raises(AnswerError, match="its process ended before it answered"):
        model(other.ends, isolated=True).cache.answers(["a"])


def test_what_no_other_process_can_run_is_refused() -> None:
    with pytest.raises(ModelError, match="cannot be sent to a process of its own"):
        model(lambda texts: by_cue(texts), isolated=True)
