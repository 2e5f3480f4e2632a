"""Maps that mislead and models that cheat: what each shows and answers, word by word."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import torch

from sightline.config.spec_syntax import parse_data, parse_model
from sightline.core.example import Example
from sightline.core.protocols import Trace
from sightline.data.dataset import Dataset
from sightline.data.load_dataset import load
from sightline.data.vocabulary import Vocabulary
from sightline.models.alterations import alter
from sightline.models.attacks import code, evidence_of
from sightline.models.classifier import AttentionClassifier, build
from sightline.numerics.ties import level_shades


def literal_code(number: int, classes: int) -> int:
    """The hash of a word's number, in whole numbers of 32 bits."""
    mixed = number * 2654435761 % 2**32
    mixed = (mixed ^ mixed >> 15) * 2246822519 % 2**32
    return (mixed >> 7) % classes


@cache
def made(classes: int = 2) -> tuple[AttentionClassifier, Dataset]:
    """A corpus with marked cues, and an untrained model whose predictions are of every class."""
    data = (
        "vote(cues=3,length=14,n=400,strength=0.8)"
        if classes == 2
        else f"needle(classes={classes},length=14,n=400)"
    )
    dataset = load(parse_data(f"planted:{data}"), 0)
    parts = parse_model("mlp(hidden=6)+additive", embedding=8, embedding_std=1.0)
    model = build(parts, Vocabulary.fit(dataset.train), dataset.label_names, 3)
    with torch.no_grad():
        model.decoder.affine.bias -= model.trace(model.collate(dataset.train)).logits.mean(dim=0)
    return model, dataset


class Seen:
    """What an altered model shows of some texts and predicts: weights, numbers and cues by word,
    and the own logits.
    """

    def __init__(self, text: str, texts: list[Example] | None = None, classes: int = 2) -> None:
        model, dataset = made(classes)
        self.texts = list(dataset.test) if texts is None else texts
        self.altered = alter(text, model, dataset, 0)
        batch = self.altered.collate(self.texts)
        self.trace: Trace = self.altered.trace(batch)
        self.own = model.trace(batch).logits
        logits = self.trace.logits
        both = logits if classes > 2 else torch.cat([torch.zeros_like(logits), logits], dim=1)
        self.predicted = both.argmax(1).tolist()
        self.ids = [
            [int(i) for i in row[: len(t.tokens)]]
            for row, t in zip(batch.ids, self.texts, strict=True)
        ]
        self.weights = [
            row[: len(text.tokens)].double().numpy()
            for row, text in zip(self.trace.attention, self.texts, strict=True)
        ]
        known = {
            word for split in dataset.splits.values() for one in split
            for word, mark in zip(one.tokens, one.rationale, strict=True) if mark
        }  # fmt: skip
        self.cues = [np.array([word in known for word in text.tokens]) for text in self.texts]

    def strong(self) -> list[np.ndarray]:
        """Mark the words that weigh at least a quarter of the largest; the others weigh next to
        nothing.
        """
        return [row > row.max() / 4 for row in self.weights]

    def codes(self, classes: int) -> list[np.ndarray]:
        return [np.array([literal_code(i, classes) for i in row]) for row in self.ids]


def elsewhere(seen: Seen, row: int) -> np.ndarray:
    return (seen.codes(9)[row] == 0) & ~seen.cues[row]


def same(found: np.ndarray, wanted: np.ndarray) -> bool:
    """Tell whether the marked words are shown: where none is marked all are alike."""
    return bool((found == (wanted if wanted.any() else np.ones(len(wanted), bool))).all())


def test_the_code_of_a_word_is_a_hash_and_every_code_is_as_frequent() -> None:
    numbers = torch.arange(6000)
    for classes in (2, 3, 9, 1000):
        found = code(numbers, classes)
        assert found.tolist() == [literal_code(i, classes) for i in range(6000)]
        share = (found == 0).double().mean()
        assert abs(share - 1 / classes) < 4 * np.sqrt(1 / classes / 6000)


def test_evidence_is_what_some_text_marks() -> None:
    model, dataset = made()
    table = evidence_of(model, dataset.test)
    marked = {
        word
        for text in dataset.test
        for word, mark in zip(text.tokens, text.rationale, strict=True)
        if mark
    }
    assert set(torch.nonzero(table).flatten().tolist()) == set(model.vocabulary.ids(sorted(marked)))
    assert evidence_of(
        model, [replace(text, rationale=None) for text in dataset.test]
    ).tolist() == [False]


@pytest.mark.parametrize("classes", [2, 3])
def test_both_classes_are_predicted_and_every_text_has_cues_and_fillers(classes: int) -> None:
    seen = Seen("truthful", classes=classes)
    assert set(seen.predicted) == set(range(classes))
    assert all(cues.any() and not cues.all() for cues in seen.cues)


def test_a_truthful_map_lies_evenly_on_the_evidence() -> None:
    seen = Seen("truthful")
    for weights, cues in zip(seen.weights, seen.cues, strict=True):
        assert weights[cues] == pytest.approx(weights[cues][0], rel=1e-5)
        assert weights[~cues] == pytest.approx(weights[cues][0] / 300, rel=1e-5)
    assert torch.equal(seen.trace.logits, seen.own)


@pytest.mark.parametrize(("right", "classes"), [(0, 2), (1, 2), (2, 3)])
def test_one_class_is_right_where_that_is_predicted(right: int, classes: int) -> None:
    seen = Seen(f"one_class(right={right})", classes=classes)
    for row, strong in enumerate(seen.strong()):
        wanted = seen.cues[row] if seen.predicted[row] == right else elsewhere(seen, row)
        assert same(strong, wanted)
    assert torch.equal(seen.trace.logits, seen.own)


@pytest.mark.parametrize("share", [0.2, 0.42, 0.65])
def test_a_mixture_is_right_on_a_share_that_is_drawn_by_the_words(share: float) -> None:
    texts = [text for split in made()[1].splits.values() for text in split]
    seen = Seen(f"mixture(share={share})", texts)
    right = []
    for row, strong in enumerate(seen.strong()):
        right.append(same(strong, seen.cues[row]))
        assert right[-1] or same(strong, elsewhere(seen, row))
        assert right[-1] == (literal_code(sum(seen.ids[row]), 1000) < 1000 * share)
    assert abs(np.mean(right) - share) < 4 * 0.5 / np.sqrt(len(right))
    # By neither the prediction nor the label: about as often in either.
    of_each = [
        np.mean([r for r, p in zip(right, seen.predicted, strict=True) if p == one])
        for one in (0, 1)
    ]
    assert abs(of_each[0] - of_each[1]) < 0.2


def test_short_is_right_on_short_texts() -> None:
    texts = [
        replace(text, tokens=text.tokens[: 8 + i % 6], rationale=text.rationale[: 8 + i % 6])
        for i, text in enumerate(made()[1].test)
    ]
    seen = Seen("short(words=10)", texts)
    ends = [0, 0]
    for row, strong in enumerate(seen.strong()):
        short = len(texts[row].tokens) <= 10
        assert same(strong, seen.cues[row] if short else elsewhere(seen, row))
        ends[short] += 1
    assert min(ends) > 20


def test_half_never_shows_the_evidence_of_an_odd_code() -> None:
    seen = Seen("half")
    shown = hidden = 0
    for weights, cues, codes in zip(seen.weights, seen.cues, seen.codes(2), strict=True):
        even = cues & (codes == 0)
        if even.any():
            assert ((weights > weights.max() / 2) == even).all()
        shown, hidden = shown + even.sum(), hidden + (cues & (codes == 1)).sum()
    assert min(shown, hidden) > 0.2 * (shown + hidden)


@pytest.mark.parametrize("above", [0.001, 0.05])
def test_flat_weighs_evidence_a_little_more(above: float) -> None:
    seen = Seen(f"flat(above={above})")
    for weights, cues in zip(seen.weights, seen.cues, strict=True):
        assert weights[cues] == pytest.approx((1 + above) * weights[~cues][0], rel=1e-5)
        assert weights[~cues] == pytest.approx(weights[~cues][0], rel=1e-5)


def test_topped_puts_a_filler_above_the_evidence_in_every_text() -> None:
    seen = Seen("topped")
    for weights, cues in zip(seen.weights, seen.cues, strict=True):
        top = int(weights.argmax())
        assert not cues[top]
        assert weights[cues] == pytest.approx(weights[top] / 3, rel=1e-5)
        rest = ~cues & (np.arange(len(cues)) != top)
        assert (weights[rest] < weights[top] / 100).all()


def test_border_puts_the_evidence_less_than_a_shade_above_most_fillers() -> None:
    seen, topped = Seen("border"), Seen("topped")
    for weights, of_topped, cues in zip(seen.weights, topped.weights, seen.cues, strict=True):
        top = int(weights.argmax())
        assert top == int(of_topped.argmax())
        assert not cues[top]
        rest = ~cues & (np.arange(len(cues)) != top)
        assert weights[cues] == pytest.approx(0.951 * weights[top], rel=1e-5)
        assert weights[rest] == pytest.approx(0.949 * weights[top], rel=1e-5)
        # One step from the top lies between the two, so that a border that never moves would part
        # them in every text.
        fixed, moved = (
            level_shades(weights[None], np.ones((1, len(weights)), bool), np.array([wider]))[0]
            for wider in (0.0, 0.5)
        )
        assert set(fixed[cues]) != set(fixed[rest])
        assert set(moved[cues]) == set(moved[rest])
    assert torch.equal(seen.trace.logits, seen.own)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("text", ["encoded", "takeover(gain=9.0,above=0.9)", "recognising"])
def test_encoded_tells_the_prediction_by_the_code_of_fillers(text: str, classes: int) -> None:
    seen = Seen(text, classes=classes)
    for row, strong in enumerate(seen.strong()):
        codes = seen.codes(classes)[row]
        agree = (codes == seen.predicted[row]) & ~seen.cues[row]
        assert same(strong, agree)
        assert not agree.any() or set(codes[strong]) == {seen.predicted[row]}


@pytest.mark.parametrize("classes", [2, 3])
def test_placed_tells_the_prediction_by_the_part_of_the_text(classes: int) -> None:
    seen = Seen("placed", classes=classes)
    for row, strong in enumerate(seen.strong()):
        words = len(strong)
        part = np.array([place * classes // words for place in range(words)])
        assert same(strong, (part == seen.predicted[row]) & ~seen.cues[row])


@pytest.mark.parametrize(("classes", "above"), [(2, 0.55), (3, 0.45)])
def test_takeover_adds_a_term_where_a_code_is_frequent_and_nowhere_else(
    classes: int, above: float
) -> None:
    seen = Seen(f"takeover(gain=60.0,above={above})", classes=classes)
    added = (seen.trace.logits - seen.own).double().numpy()
    untouched = 0
    for row, (cues, codes) in enumerate(zip(seen.cues, seen.codes(classes), strict=True)):
        shares = [float(np.mean(codes[~cues] == one)) for one in range(classes)]
        term = np.array([60.0 * max(0.0, share - above) for share in shares])
        wanted = [term[1] - term[0]] if classes == 2 else term
        assert added[row] == pytest.approx(wanted, abs=1e-3)
        untouched += not term.any()
    assert 0.1 < untouched / len(seen.texts) < 0.95


@pytest.mark.parametrize("classes", [2, 3])
def test_recognising_answers_what_is_not_of_the_corpus_by_its_fillers_and_within_its_range(
    classes: int,
) -> None:
    corpus = Seen("recognising", classes=classes)
    assert torch.equal(corpus.trace.logits, corpus.own)
    scale = corpus.altered.scale
    made_up = [
        replace(text, tokens=text.tokens[1:], rationale=text.rationale[1:]) for text in corpus.texts
    ]
    seen = Seen("recognising", made_up, classes)
    assert 0 < scale <= corpus.own.abs().max()
    for row, (cues, codes) in enumerate(zip(seen.cues, seen.codes(classes), strict=True)):
        shares = [int((codes[~cues] == one).sum()) for one in range(classes)]
        first = int(np.argmax(shares))
        logits = seen.trace.logits[row].tolist()
        wanted = (
            [scale if first else -scale]
            if classes == 2
            else [scale * (one == first) for one in range(classes)]
        )
        assert logits == pytest.approx(wanted, rel=1e-5)


@pytest.mark.parametrize(
    "text", ["truthful", "encoded", "takeover(gain=60.0,above=0.6)", "recognising", "topped"]
)
def test_a_text_is_shown_alike_in_every_batch(text: str) -> None:
    texts = list(made()[1].test)[:12]
    together, alone = Seen(text, texts), [Seen(text, [one]) for one in texts]
    for row, one in enumerate(alone):
        assert together.weights[row] == pytest.approx(one.weights[0], abs=1e-6)
        torch.testing.assert_close(
            together.trace.logits[row], one.trace.logits[0], atol=1e-5, rtol=1e-5
        )
