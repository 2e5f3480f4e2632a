"""What words do by themselves where it is known, and bounds that hold whatever a model answers to
texts that tests make.
"""

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import sightline
from sightline.audits.measure_pass import measure
from sightline.core.example import Example
from sightline.core.protocols import Auditable, Trace
from sightline.core.results import Measurement
from sightline.core.seeds import Seeds
from sightline.measures.attribution_maps import AttributionMaps
from sightline.measures.removal import Removal
from sightline.measures.removal_curves import orders_of
from sightline.measures.topk_mass import TopkTexts
from sightline.measures.topk_mass import ranked as included
from sightline.measures.transfer import word_swaps
from sightline.measures.transfer.hybrid_texts import Written, ranked
from sightline.measures.transfer.transfer import by_map, right, share_beyond
from sightline.measures.transfer.word_presence import highlighted
from sightline.models.alterations import Altered
from sightline.verdict.transfer_estimates import compared
from tests.measures.test_transfer import TEXTS, evened, take
from tests.reference import moving
from tests.texts import WORDS, example, untrained

# ---------------------------------------------------------------- what is known beforehand

LENGTH = 10
WORTH = {"bad": -1.0, "good": 1.0}


def corpus(cues: tuple[str, ...], count: int = 240) -> list[Example]:
    """Texts of fillers; each has one of some cues, or none where that is empty, anywhere but at its
    start.
    """
    generator = np.random.default_rng(0)
    texts = []
    for i in range(count):
        tokens = [str(word) for word in generator.choice(WORDS, size=LENGTH)]
        cue = cues[i % len(cues)]
        if cue:
            tokens[generator.integers(1, LENGTH)] = cue
        texts.append(
            Example(f"t{i}", i, " ".join(tokens), tuple(tokens), ((0, 0),) * LENGTH, i % 2)
        )
    return texts


def summing(bias: float, shown: Callable[[torch.Tensor], torch.Tensor]) -> Auditable:
    """A logit that adds up cues; a map made of what each word is worth, by place."""
    ids = {"<pad>": 0, **{word: i + 1 for i, word in enumerate((*WORTH, *WORDS))}}
    table = torch.nn.Embedding.from_pretrained(
        torch.tensor([[WORTH.get(word, 0.0)] for word in ids], dtype=torch.float64)
    )

    def collate(texts: list[Example]) -> tuple[torch.Tensor, torch.Tensor]:
        width = max(len(text.tokens) for text in texts)
        rows = torch.tensor(
            [[*(ids[w] for w in t.tokens), *[0] * (width - len(t.tokens))] for t in texts]
        )
        return rows, rows > 0

    def trace(batch: object, vectors: torch.Tensor) -> dict:
        worth = vectors[..., 0].detach()
        weights = shown(worth).masked_fill(~batch.mask, 0.0)
        return {
            "attention": weights / weights.sum(1, keepdim=True),
            "logits": vectors.sum(1) + bias,
        }

    return sightline.wrap(
        torch.nn.ModuleList([table]),
        link="sigmoid",
        collate=collate,
        embed=lambda b: table(b.ids),
        trace=trace,
    )


def cues(worth: torch.Tensor) -> torch.Tensor:
    return (worth != 0) + 1e-3


def start_or_cue(worth: torch.Tensor) -> torch.Tensor:
    """The cue where there is one, and else the first word, where no text has a cue."""
    start = torch.zeros_like(worth)
    start[:, 0] = 0.5
    return cues(worth) + start


def alike(worth: torch.Tensor) -> torch.Tensor:
    return torch.ones_like(worth)


def cue_places(texts: list[Example]) -> list[int]:
    return [next((i for i, word in enumerate(text.tokens) if word in WORTH), -1) for text in texts]


def score(found: Measurement, kind: str, of: np.ndarray) -> float:
    return compared(found, f"{kind}.attention", np.arange(len(of)), of).score.value


def test_where_both_classes_have_words_each_does_one_half_by_coming_and_one_by_going() -> None:
    texts = corpus(("bad", "good"))
    found = take(summing(0.0, cues), texts, batch_size=240)
    values, places = found.values, cue_places(texts)
    room = values["whole"] * 3 / 5
    for (x, k), y in np.ndenumerate(values["partner"]):
        if y >= 0:
            twice = places[x] == places[y]  # the cue that comes is put where the other was
            assert values["own.attention"][x, k] == pytest.approx(room[x, k] * (2 if twice else 1))
    giving = values["weight"] > 0
    for one in (True, False):
        of = giving & (np.array([text.label == one for text in texts]))
        assert score(found, "own", of) == pytest.approx(1.0, abs=0.07)
        assert score(found, "carried", of) == pytest.approx(1.0)
        assert score(found, "flipped", of) == pytest.approx(1.0)
    # A donor is not right where its random words happened to be the cues.
    assert values["right.attention"][giving].mean() > 0.97
    assert compared(found, "own.attention", np.arange(len(texts)), giving).score.high <= 1


def test_a_class_that_is_found_has_words_and_the_class_of_the_rest_has_none() -> None:
    """Copying the marked words of both carries either decision, though no word speaks for the class
    of the rest.
    """
    texts = corpus(("", "good"))
    found = take(summing(-0.5, start_or_cue), texts, batch_size=240)
    values = found.values
    there = np.array([text.label == 1 for text in texts])
    giving = values["weight"] > 0
    assert score(found, "carried", giving & there) == pytest.approx(1.0)
    assert score(found, "carried", giving & ~there) == pytest.approx(1.0)
    room = (values["whole"] * 3 / 5)[giving & there]
    assert values["own.attention"][giving & there] == pytest.approx(2 * room)
    assert score(found, "own", giving & there) == 1.0  # 2 is cut
    assert (values["own.attention"][giving & ~there] == 0).all()
    assert score(found, "own", giving & ~there) <= 0
    assert (values["right.attention"][giving & there] == 1).all()
    assert (values["right.attention"][giving & ~there] == 0).all()


def test_a_constant_map_does_what_random_words_do() -> None:
    texts = corpus(("bad", "good"))
    found = take(summing(0.0, alike), texts, batch_size=240)
    for kind in ("own", "carried", "flipped"):
        whole = compared(
            found, f"{kind}.attention", np.arange(len(texts)), found.values["weight"] > 0
        ).score
        assert whole.low < 0 < whole.high, kind
        assert abs(whole.value) < 0.1, kind


# ---------------------------------------------------------------- bounds


def named(row: list[int]) -> tuple[int, ...]:
    return tuple(number for number in row if number)


class Loud(Altered):
    """Logits of a third of the texts that are not among the known ones are multiplied: their sign
    is what it was.
    """

    def __init__(self, model: Auditable, by: float) -> None:
        super().__init__(model)
        self.by = by
        self.known = {named(row) for row in model.collate(TEXTS).ids.tolist()}
        self.offers = frozenset()

    def changed(self, own: Trace) -> Trace:
        rows = [named(row) for row in own.batch.ids.tolist()]
        loud = [self.by if row not in self.known and sum(row) % 3 == 0 else 1.0 for row in rows]
        return replace(own, logits=own.logits * torch.tensor(loud).to(own.logits)[:, None])


def erased(model: Auditable) -> Measurement:
    found = measure(model, TEXTS, (Removal(),), {}, Seeds(0), 5, lambda done, total: None)[
        "erasure"
    ]
    assert isinstance(found, Measurement), found
    return found


@pytest.mark.parametrize("classes", [2, 3])
def test_a_few_texts_off_the_scale_of_a_model_move_no_score_beyond_its_bounds(classes: int) -> None:
    model = evened(untrained("mlp(hidden=6)+additive", classes), TEXTS)
    quiet, loud = (take(Loud(model, by), TEXTS).values for by in (1.0, 1e6))
    for name in ("attention", "deletion", "signed_deletion"):
        for kind, most in (
            ("carried", 1.0),
            ("random", 1.0),
            ("own", 2 * 3 / 5),
            ("random_own", 2 * 3 / 5),
        ):
            moved, room = loud[f"{kind}.{name}"], most * loud["whole"]
            assert (np.abs(moved) <= room * (1 + 1e-12))[~np.isnan(moved)].all(), f"{kind}.{name}"
        for kind in ("flipped", "random_flipped"):
            if name != "attention":
                continue  # what deletion ranks changes with the logits
            assert np.array_equal(loud[f"{kind}.{name}"], quiet[f"{kind}.{name}"], equal_nan=True)
    assert np.array_equal(loud["whole"], quiet["whole"], equal_nan=True)
    assert not np.array_equal(loud["carried.attention"], quiet["carried.attention"], equal_nan=True)
    assert np.nanmean(loud["within"]) < 0.9 < np.nanmean(quiet["within"]) + 0.1
    assert np.nanmean(loud["within"]) < np.nanmean(quiet["within"])


def test_nor_what_is_lost_without_words() -> None:
    model = evened(untrained("mlp(hidden=6)+additive"), TEXTS)
    quiet, loud = (erased(Loud(model, by)).values for by in (1.0, 1e6))
    rooms = np.array(moving.rooms(model, TEXTS))
    assert np.isfinite(rooms).all()
    for name in ("attention", "deletion", "most", "random"):
        for kind in ("deleted", "replaced", "top"):
            lost = loud[f"{kind}.{name}"]
            assert (np.abs(lost) <= rooms * (1 + 1e-9))[~np.isnan(lost)].all(), f"{kind}.{name}"
        for kind in ("flips.deleted", "flips.replaced"):
            if name in ("attention", "random"):  # what deletion ranks changes with its logits
                assert np.array_equal(
                    loud[f"{kind}.{name}"], quiet[f"{kind}.{name}"], equal_nan=True
                )
    assert not np.array_equal(
        loud["replaced.attention"], quiet["replaced.attention"], equal_nan=True
    )


a_logit = st.floats(-1e9, 1e9) | st.integers(-4, 4).map(float)
three = st.lists(a_logit, min_size=3, max_size=3)


def moves(known: list[list[float]]) -> dict[str, word_swaps.HybridEffects]:
    """Let the first text give to the second, and let the others be hybrids."""
    texts = [example(f"w{i} x", i) for i in range(len(known))]
    donor, receiver = (word_swaps.RankedText(texts[i], np.array(known[i]), {}) for i in range(2))
    logits = {Written.of(text): np.array(one) for text, one in zip(texts, known, strict=True)}
    each = [*logits]
    asked = dict.fromkeys(("carried.attention", "random.attention", "taken.attention"), each)
    return word_swaps._moves(word_swaps.Pair(donor, receiver), asked, logits)


@given(three, three, st.lists(three, min_size=1, max_size=4))
def test_no_hybrid_moves_further_than_the_whole_text_whatever_its_logits(
    first: list[float], second: list[float], others: list[list[float]]
) -> None:
    a, b = int(np.argmax(first)), int(np.argmax(second))
    if a == b:
        return
    found = moves([first, second, *others])
    whole = (first[a] - first[b]) - (second[a] - second[b])
    for i, one in enumerate([first, second, *others]):
        margin = one[a] - one[b]
        came = moving.within(margin - (second[a] - second[b]), whole)
        went = moving.within((first[a] - first[b]) - margin, whole)
        assert found["carried.attention"].margin[i] == pytest.approx(came, rel=1e-12)
        assert found["taken.attention"].margin[i] == pytest.approx(went, rel=1e-12)
        assert found["carried.attention"].flipped[i] == (np.argmax(one) == a)


small = st.lists(st.integers(-9, 9).map(float), min_size=3, max_size=3)


@given(small, small, st.lists(small, min_size=1, max_size=4), st.integers(0, 3))
def test_flips_are_the_same_under_every_rising_change_of_logits(
    first: list[float], second: list[float], others: list[list[float]], which: int
) -> None:
    if np.argmax(first) == np.argmax(second):
        return
    rising = (lambda x: 1e6 * x, lambda x: x**3, np.arctan, np.exp)[which]
    texts = [first, second, *others]
    before, after = (
        moves([[float(change(x)) for x in one] for one in texts]) for change in (float, rising)
    )
    for name in before:
        assert before[name].flipped.tolist() == after[name].flipped.tolist()


def test_how_many_texts_leave_the_range_is_counted_by_their_lead() -> None:
    known = [
        [2.0, 0.0, -9.0],
        [0.0, 1.0, -9.0],
        [0.0, 0.0, 3.1],
        [3.0, 0.0, 0.0],
        [5.0, 9.0, 0.0],
        [5.0, 5.0, 5.0],
    ]
    found = moves(known)
    assert (found["carried.attention"].lead > 3.0).tolist() == [0, 0, 1, 0, 1, 0]
    summed = by_map({**found, "given.attention": found["taken.attention"]} | {
        f"random_{kind}.attention": found["taken.attention"] for kind in ("given", "taken")
    })  # fmt: skip
    leads = summed["attention"].leads
    assert share_beyond(leads, 3.0) == pytest.approx(1 / 3)
    # No finite answer is no answer of the usual range.
    one_more = (len(leads) / 3 + 1) / (len(leads) + 1)
    assert share_beyond(np.append(leads, np.nan), 3.0) == pytest.approx(one_more)
    assert word_swaps.leads(np.array([[-2.5], [0.0], [7.0]])).tolist() == [2.5, 0.0, 7.0]


@given(st.lists(st.tuples(*[st.integers(-9, 9)] * 2, st.integers(1, 9)), min_size=1, max_size=3))
def test_a_donor_is_right_where_its_pairs_together_are(pairs: list[tuple[int, int, int]]) -> None:
    own, chance, room = (np.array([column], dtype=float) for column in zip(*pairs, strict=True))
    assert right(own, chance, room)[0] == moving.right(
        *(one[0].tolist() for one in (own, chance, room))
    )
    assert np.isnan(right(own * np.nan, chance, room)).all()
    gap = np.concatenate([own, [[np.nan]]], axis=1)
    wider = [np.concatenate([one, [[5.0]]], axis=1) for one in (chance, room)]
    assert right(gap, *wider) == right(own, chance, room)  # a pair that is unknown says nothing


# ---------------------------------------------------------------- where shades part

ABOUT = np.array([1.0, 0.93, 0.1])
"""Tied with the top where the border of a text lies at least two fifths of a step lower; .93 comes
first there."""
KEYS = np.array([0.9, 0.1, 0.5])
INDEX = np.arange(300)
TIED = np.array([moving.border(int(one)) >= 0.4 for one in INDEX])


class Given(AttributionMaps):
    """One map of texts of three words."""

    words = SimpleNamespace(mask=np.ones((len(INDEX), 3), bool), index=INDEX)
    seeds = Seeds(0)

    def __init__(self) -> None: ...

    def __getitem__(self, name: str) -> np.ndarray:
        return np.tile(ABOUT, (len(INDEX), 1))


def test_every_order_of_words_has_the_border_of_its_text() -> None:
    assert 0.4 < TIED.mean() < 0.8
    moved = [ranked(ABOUT, KEYS, int(one), signed=False).tolist() for one in INDEX]
    assert moved == [[1, 0, 2] if tied else [0, 1, 2] for tied in TIED]
    (of_map, most, _) = orders_of(Given(), ("attention",), 1)
    keys = [Seeds(0).generator("erasure", int(one)).random((2, 3))[0] for one in INDEX]
    swapped = [bool(tied and key[1] < key[0]) for tied, key in zip(TIED, keys, strict=True)]
    assert of_map.tolist() == [[1, 0, 2] if one else [0, 1, 2] for one in swapped]
    assert most.tolist() == [[0, 1, 2]] * len(INDEX)  # nobody is shown what there is to lose
    texts = TopkTexts(Given.words.mask, np.ones(len(INDEX), int), INDEX)
    found = included(Given()["attention"], texts)
    assert found.tolist() == [[0.5, 0.5, 0.0] if tied else [1.0, 0.0, 0.0] for tied in TIED]


def test_highlighted_words_have_the_border_of_their_text() -> None:
    types = [np.array([5.0, 6.0, 7.0])] * len(INDEX)
    found = highlighted(types, {"attention": [ABOUT] * len(INDEX)}, INDEX, Seeds(0))["attention"]
    for one, tied, top in zip(INDEX, TIED, found, strict=True):
        keys = Seeds(0).generator("ties", int(one)).random(3)
        assert top == ({6.0} if tied and keys[1] < keys[0] else {5.0})
