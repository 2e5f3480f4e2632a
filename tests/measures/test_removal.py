"""Erasure by every map and both operators, text by text against single runs."""

from dataclasses import replace

import numpy as np
import pytest

from sightline.audits.measure_pass import measure
from sightline.core.example import Example
from sightline.core.needs import UNANSWERED
from sightline.core.protocols import MeasureContext, Trace
from sightline.core.results import Measurement
from sightline.core.seeds import Seeds
from sightline.measures import removal
from sightline.measures.attribution_maps import AttributionMaps, rivals
from sightline.measures.batch_words import Words
from sightline.measures.perturbations import chunks
from sightline.measures.removal import Removal
from sightline.measures.removal_curves import Removals, run_once
from sightline.measures.transfer.hybrid_texts import WordPool
from sightline.models.classifier import AttentionClassifier
from tests.measures.queries import asked
from tests.reference import moving, ties
from tests.sampling import slow_but
from tests.texts import example, examples, untrained

TEXTS = examples((7, 1, 4, 12, 2, 9))
MODELS = {
    "one logit": (untrained("bilstm(hidden=6)+additive", boundaries=True).double(), TEXTS),
    "three logits": (untrained("mlp(hidden=6)+additive", 3).double(), TEXTS),
    "queries": (untrained("mlp(hidden=6)+additive+query", 4).double(), asked()),
}


def take(model: AttentionClassifier, texts: list[Example], **more: object) -> Measurement:
    found = measure(model, texts, (Removal(),), {}, Seeds(0), 4, lambda done, total: None, **more)[
        "erasure"
    ]
    assert isinstance(found, Measurement), found
    return found


@pytest.mark.parametrize("name", slow_but({0, 2}, MODELS))
def test_each_number_is_that_of_single_runs(name: str) -> None:
    model, texts = MODELS[name]
    values = take(model, texts).values
    rooms = moving.rooms(model, texts)
    maps = AttributionMaps(
        MeasureContext(model, texts=tuple(texts)), model.trace(model.collate(texts)), Seeds(0)
    )
    differ = False
    for row, text in enumerate(texts):
        if len(text.tokens) < 2:
            continue
        beside = moving.others(text, texts, Seeds(0))
        keys = Seeds(0).generator("erasure", text.index).random(len(text.tokens))
        tops: list[float] = []
        for of, read in (
            *((one, one) for one in rivals(maps.subject)),
            ("most", "signed_deletion"),
        ):
            scores = maps[read][row, maps.words.mask[row]].tolist()
            order = ties.falling(scores if of == "most" else moving.seen(scores, text.index), keys)
            literal = moving.lost(model, text, order, beside, room=rooms[row])
            for kind, drops, flips in (
                ("deleted", literal.deleted, literal.deleted_flips),
                ("replaced", literal.replaced, literal.replaced_flips),
            ):
                assert values[f"{kind}.{of}"][row] == pytest.approx(np.mean(drops), abs=1e-8), (
                    f"{of} of {text.id}"
                )
                assert values[f"flips.{kind}.{of}"][row] == pytest.approx(np.mean(flips)), (
                    f"{of} of {text.id}"
                )
            assert values[f"curve.{of}"][row] == pytest.approx(literal.deleted, abs=1e-8)
            last = moving.lost_last(model, text, order, rooms[row])
            differ |= abs(last) > abs(literal.deleted[0]) + 1e-6
            tops.append(max(abs(literal.deleted[0]), abs(last)))
            wanted = (
                max(tops) if of == "most" else tops[-1]
            )  # of all orders the one that moves the farthest
            assert values[f"top.{of}"][row] == pytest.approx(wanted, abs=1e-8), f"{of} of {text.id}"
    assert differ or name == "queries"  # some words do more where the next ones are gone


def test_random_words_are_the_mean_over_draws_and_both_orders_of_two_words_occur() -> None:
    model, texts = MODELS["one logit"]
    outcome = measure(
        model, texts, (Removal(draws=60),), {}, Seeds(0), 4, lambda done, total: None
    )["erasure"]
    beside = moving.others(texts[4], texts, Seeds(0))
    ends = np.array([moving.erased(model, texts[4], order, beside) for order in ([0, 1], [1, 0])])
    one, other = (
        abs(moving.lost(model, texts[4], order, beside).deleted[0]) for order in ([0, 1], [1, 0])
    )
    share = (outcome.values["top.random"][4] - other) / (
        one - other
    )  # each draw counts by how far it moves
    assert share * 60 == pytest.approx(round(share * 60), abs=1e-6)
    for kind, (first, second) in zip(("deleted", "replaced"), ends.T, strict=True):
        share = (outcome.values[f"{kind}.random"][4] - second) / (first - second)
        assert 0.3 < share < 0.7
        assert share * 60 == pytest.approx(round(share * 60), abs=1e-6)


def test_each_distinct_set_of_words_is_removed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    model, texts = MODELS["one logit"]
    sets = []
    result = removal.distinct

    def counted(gone: np.ndarray, several: np.ndarray) -> tuple:
        found, back = result(gone, several)
        sets.append((found, gone, back))
        return found, back

    monkeypatch.setattr(removal, "distinct", counted)
    take(model, texts)
    for removals, gone, back in sets:
        rows = [
            (int(row), tuple(one)) for row, one in zip(removals.row, removals.gone, strict=True)
        ]
        assert len(rows) == len(set(rows)) < back.size
        assert all(
            rows[found] == (row, tuple(gone[order, share, row]))
            for (order, share, row), found in np.ndenumerate(back)
            if found >= 0
        )


def test_what_has_no_log_odds_or_no_other_text_is_counted() -> None:
    model, texts = MODELS["queries"]
    certain = [*texts[:2], *(replace(one, candidates=(2,), label=2) for one in texts[2:])]
    found = take(model, certain).undefined
    assert (
        found["deleted.attention"] == found["replaced.most"] == {"one word": 1, "one candidate": 3}
    )
    assert found["area"] == {"one word": 1}
    alone = take(MODELS["one logit"][0], TEXTS[:1])
    assert alone.undefined["replaced.random"] == {"no other text to take words from": 1}
    assert "deleted.random" not in alone.undefined


@pytest.mark.parametrize("silent", ["one word deleted", "all but one deleted", "replaced"])
def test_one_removal_without_an_answer_is_enough_to_count_a_text(
    silent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, texts = MODELS["one logit"]
    row, others = 3, len(texts[3].tokens) - 1
    gone = {"one word deleted": 1, "all but one deleted": others}.get(silent)
    without, crossed = removal.answers_without, removal.answers

    def shortened(
        subject: MeasureContext, trace: Trace, words: Words, removals: Removals, most: int
    ) -> np.ndarray:
        found = without(subject, trace, words, removals, most)
        of = np.array([subject.texts[one].index for one in removals.row])
        found[(of == texts[row].index) & (removals.gone.sum(axis=1) == gone)] = np.nan
        return found

    def exchanged(model: AttentionClassifier, asked: list, most: int) -> np.ndarray:
        found = crossed(model, asked, most)
        if silent == "replaced":
            of = [n for n, (text, _) in enumerate(asked) if text.index == texts[row].index]
            found[of[:1]] = np.nan
        return found

    monkeypatch.setattr(removal, "answers_without", shortened)
    monkeypatch.setattr(removal, "answers", exchanged)
    reasons = take(model, texts).undefined
    assert not any("unexplained" in why for why in reasons.values())
    unanswered = {name: why[UNANSWERED] for name, why in reasons.items() if UNANSWERED in why}
    kind = {"replaced": "replaced", "one word deleted": "deleted"}.get(silent, "alone")
    assert any(name.startswith(kind) for name in unanswered)
    assert {*unanswered.values()} == {1}


def test_a_text_without_scores_is_counted_for_them_alone() -> None:
    found = take(MODELS["one logit"][0], TEXTS, given={"t0": np.arange(7.0)})
    assert found.undefined["deleted.given"] == {"one word": 1, "no scores for the text": 4}
    assert found.undefined["deleted.deletion"] == {"one word": 1}
    beside = moving.others(TEXTS[0], TEXTS, Seeds(0))
    literal = moving.erased(MODELS["one logit"][0], TEXTS[0], [6, 5, 4, 3, 2, 1, 0], beside)
    assert found.values["deleted.given"][0] == pytest.approx(literal[0], abs=1e-8)


def test_other_words_are_never_of_the_text_itself_unless_others_use_them() -> None:
    texts = [example(f"{i}A {i}b " * i, i) for i in (2, 3, 5)]
    drawn = [
        WordPool.of(texts).drawn(text, np.random.default_rng(seed))
        for text in texts
        for seed in range(20)
    ]
    for text, words in zip(np.repeat(np.array(texts, dtype=object), 20), drawn, strict=True):
        assert len(words.tokens) == len(text.tokens)
        assert {word[0] for word in words.tokens} <= {"2", "3", "5"} - {str(text.index)}
    pairs = {pair for one in drawn for pair in zip(one.spelled, one.tokens, strict=True)}
    assert pairs == {
        (f"{i}{spelled}", f"{i}{token}") for i in (2, 3, 5) for spelled, token in ("Aa", "bb")
    }


def test_chunks_hold_every_text_once_and_no_more_than_fits() -> None:
    lengths = np.array([3, 9, 1, 4, 4, 30, 2])
    found = chunks(lengths, 12)
    assert sorted(np.concatenate(found).tolist()) == list(range(7))
    assert all(len(one) * lengths[one].max() <= 12 or len(one) == 1 for one in found)
    assert len(found) == 4


def test_answers_are_kept_by_word_whatever_the_columns_of_a_batch() -> None:
    """A batch without split words has a column for each token, another one for each word."""
    text, answered = example("ba do ki"), dict[str, dict]()
    subject = MeasureContext(MODELS["one logit"][0], {}, texts=(text,), answered=answered)
    ran: list[list[bool]] = []

    def run(removals: Removals) -> np.ndarray:
        ran.extend(removals.gone.tolist())
        return removals.gone.sum(1, keepdims=True) * np.arange(1.0, 2.0)

    def asked(words: list[int], gone: list[int]) -> None:
        mask = np.array([words], dtype=bool)
        removals = Removals(np.array([0]), np.array([gone], dtype=bool))
        run_once(subject, "deleted", removals, mask, run, keeps=True)

    asked([0, 1, 1, 1, 0], [0, 0, 1, 0, 0])  # its second word
    asked([1, 1, 1], [0, 0, 1])  # its third
    assert len(ran) == 2
    asked([1, 1, 1], [0, 1, 0])  # its second again
    assert len(ran) == 2
