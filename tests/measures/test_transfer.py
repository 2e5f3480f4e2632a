"""Words moved between texts: pair by pair against single runs, and on texts where the answer is
known.
"""

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st
from torch import nn

import sightline
from sightline.audits.measure_pass import measure
from sightline.config.word_maps import MAPS
from sightline.core.example import Example
from sightline.core.protocols import Auditable, Batch, MeasureContext
from sightline.core.results import Measurement
from sightline.core.seeds import Seeds
from sightline.measures.agreement import Agreement
from sightline.measures.attribution_maps import AttributionMaps, rivals
from sightline.measures.removal import Removal
from sightline.measures.trace_arrays import cluster_of
from sightline.measures.transfer import word_swaps
from sightline.measures.transfer.donor_pairs import (
    DonorTexts,
    donors,
    halves,
    partners,
    possible_donors,
)
from sightline.measures.transfer.hybrid_texts import (
    Written,
    answers,
    crossed,
    ranked,
    rewritten,
    share_of,
)
from sightline.measures.transfer.transfer import Transfer
from sightline.models.attention import GivenWeights
from sightline.numerics.ties import NOISE, TIE
from tests.adapters.test_pieces import wrapped
from tests.measures.queries import asked
from tests.reference import moving
from tests.texts import WORDS, evened, example, examples, untrained

LENGTHS = (7, 1, 4, 12, 2, 9, 5, 8, 6, 11, 3, 10)
TEXTS = examples(LENGTHS)
words = st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, max_size=6).map(tuple)


def take(
    model: Auditable,
    texts: list[Example],
    one: Transfer | None = None,
    batch_size: int = 5,
    **more: object,
) -> Measurement:
    found = measure(
        model,
        texts,
        (one or Transfer(),),
        {},
        Seeds(0),
        batch_size,
        lambda done, total: None,
        **more,
    )
    assert isinstance(found["transplant"], Measurement), found
    return found["transplant"]


OF_PAIRS = ("carried", "random", "flipped", "random_flipped", "own", "random_own")
"""What is counted of each map and pair."""


def same_pair_by_pair(
    model: Auditable, texts: list[Example], found: Measurement, *, asking: bool = False
) -> int:
    """Compare every pair that was measured, and every donor over its pairs; give how many pairs
    there were.
    """
    pairs = 0
    values = found.values
    reach = moving.reach(model, texts)
    for row, x in enumerate(texts):
        beyond, each = [], {name: [] for name in ("attention", "deletion", "signed_contribution")}
        for k, other in enumerate(values["partner"][row]):
            if other < 0 or np.isnan(values["whole"][row, k]):
                continue
            y = texts[other]
            giving = replace(x, query=y.query, candidates=y.candidates) if asking else x
            maps = [
                AttributionMaps(
                    MeasureContext(model, texts=(t,)), model.trace(model.collate([t])), Seeds(0)
                )
                for t in (giving, y)
            ]
            for name in tuple(each):
                if name not in rivals(maps[0].subject):
                    del each[name]
                    continue
                of_x, of_y = (one[name][0, one.words.mask[0]] for one in maps)
                literal = moving.transplanted(
                    model, giving, y, of_x, of_y, Seeds(0), signed=MAPS[name].signed, reach=reach
                )
                ours = {kind: values[f"{kind}.{name}"][row, k] for kind in OF_PAIRS} | {
                    "whole": values["whole"][row, k]
                }
                wanted = {kind: literal[kind] for kind in ours}
                assert ours == pytest.approx(wanted, abs=1e-8), f"{name}, {x.id} into {y.id}"
                each[name].append((literal["own"], literal["random_own"], literal["whole"] * 3 / 5))
                if name == "attention":
                    beyond.append(literal["beyond"])
            pairs += 1
        if not beyond:
            assert np.isnan(values["within"][row])
            continue
        assert values["within"][row] == pytest.approx(1 - np.mean(beyond), abs=1e-12)
        for name, numbers in each.items():
            assert values[f"right.{name}"][row] == moving.right(*zip(*numbers, strict=True)), (
                f"{name} of {x.id}"
            )
    return pairs


@pytest.mark.parametrize(
    ("spec", "classes"), [("mlp(hidden=6)+additive", 2), ("bilstm(hidden=6)+additive", 3)]
)
def test_each_pair_is_that_of_single_runs(spec: str, classes: int) -> None:
    model = evened(untrained(spec, classes), TEXTS)
    found = take(model, TEXTS, Transfer(donors=4, fewest=1, partners=2))
    assert same_pair_by_pair(model, TEXTS, found) > 4
    assert found.undefined["whole"]["one word"] == 1
    assert set(found.settings) == {"shares", "own", "donors", "fewest", "partners", "gradient"}
    assert {0.0, 1.0} <= set(found.values["right.deletion"][found.values["weight"] > 0])
    assert np.nanmax(found.values["within"]) == 1
    assert classes == 2 or np.nanmin(found.values["within"]) < 1


def test_under_queries_a_donor_is_its_words_under_the_query_of_the_receiver() -> None:
    model = untrained("mlp(hidden=6)+additive+query", 4).double()
    with torch.no_grad():
        model.decoder.context.weight *= 8  # the text has more of a say than the query
        # Not all of it: the first text would be decided by how sums are rounded.
        model.decoder.outer.bias -= 0.98 * model.trace(model.collate(asked()[:1])).logits[0]
    texts = [replace(text, index=i, id=f"t{i}") for i, text in enumerate(asked() * 3)]
    texts = [
        replace(text, tokens=text.tokens[i // 6 :] or text.tokens) for i, text in enumerate(texts)
    ]
    found = take(model, texts, Transfer(donors=8, fewest=2, partners=2))
    assert same_pair_by_pair(model, texts, found, asking=True) > 5
    whole, partner = found.values["whole"], found.values["partner"]
    dropped = [
        (row, k) for row, k in zip(*np.nonzero(np.isnan(whole) & (partner >= 0)), strict=True)
    ]
    assert dropped
    for row, k in dropped:
        x, y = texts[row], texts[partner[row, k]]
        ours, theirs = (
            moving.logits(model, t) for t in (replace(x, query=y.query, candidates=y.candidates), y)
        )
        same = ours.argmax() == theirs.argmax()
        assert found.values["same"][row, k] == same
        assert same or np.isinf(ours[theirs.argmax()])


def test_where_the_query_alone_decides_no_words_can_be_moved() -> None:
    model = untrained("mlp(hidden=6)+additive+query", 4)
    torch.nn.init.zeros_(model.decoder.context.weight)
    found = take(model, asked() + [replace(t, index=9 + t.index, id="again") for t in asked()])
    undefined, partner = found.undefined["whole"], found.values["partner"]
    assert (found.values["same"] == (partner >= 0)).all()
    assert undefined.keys() <= {
        "one word",
        "no text decided otherwise",
        "same prediction under the other query",
    }
    assert undefined["same prediction under the other query"] > 0


def test_an_answer_that_a_text_does_not_allow_has_no_margin() -> None:
    texts = [Example(f"t{i}", i, "", ("a", "b"), (), 0) for i in range(2)]
    x, y = (np.array([2.0, -np.inf, 1.0]), np.array([-np.inf, 1.0, 0.0]))
    pair = word_swaps.Pair(
        *(
            word_swaps.RankedText(text, logits, {})
            for text, logits in zip(texts, (x, y), strict=True)
        )
    )
    assert pair.decided == (0, 1)
    assert np.isnan(pair.whole)


def test_words_in_pieces_move_whole() -> None:
    plain = wrapped()
    middle = plain.trace(plain.collate(TEXTS)).logits.median()

    def trace(batch: object, vectors: torch.Tensor) -> dict:
        found = plain.calls.trace(batch, vectors)
        return {**found, "logits": found["logits"] - middle}

    model = replace(plain, calls=replace(plain.calls, decode=None, trace=trace, token_logits=None))
    found = take(model, TEXTS)
    row = int(np.flatnonzero(found.values["partner"][:, 0] >= 0)[0])
    x, y = TEXTS[row], TEXTS[found.values["partner"][row, 0]]
    weights = [
        AttributionMaps(MeasureContext(model), model.trace(model.collate([t])), Seeds(0))[
            "attention"
        ][0]
        for t in (x, y)
    ]
    literal = moving.transplanted(model, x, y, *weights, Seeds(0))
    ours = {kind: found.values[f"{kind}.attention"][row, 0] for kind in OF_PAIRS}
    assert ours == pytest.approx({kind: literal[kind] for kind in ours}, abs=1e-4)
    assert found.values["whole"][row, 0] == pytest.approx(literal["whole"], abs=1e-4)


# ---------------------------------------------------------------- what is known beforehand


def test_all_words_carry_all() -> None:
    model = evened(untrained("bilstm(hidden=6)+additive"), TEXTS)
    even = {text.id: np.ones(len(text.tokens)) for text in TEXTS}
    values = take(model, TEXTS, Transfer(shares=(1.0, 1.0, 1.0)), given=even).values
    for name in ("attention", "given"):  # every weight of this model can be seen
        assert np.array_equal(values[f"carried.{name}"], values["whole"], equal_nan=True)
        assert np.array_equal(values[f"random.{name}"], values["whole"], equal_nan=True)


def test_a_word_that_every_text_has_in_one_place_carries_nothing() -> None:
    texts = [rewritten(text, as_tokens(("bara", *text.tokens))) for text in TEXTS]
    model = untrained("mlp(hidden=6)+additive")
    model.source = GivenWeights(
        {text.index: np.eye(len(text.tokens))[0] * 0.3 + 0.1 for text in texts}
    )
    model = evened(model, texts)
    values = take(model, texts, Transfer(shares=(0.01,))).values
    assert (values["carried.attention"][values["partner"] >= 0] == 0).all()
    assert (values["random.attention"][values["partner"] >= 0] != 0).any()


def test_the_order_of_words_that_cannot_be_seen_carries_nothing() -> None:
    """A transformer taught to attend to the full stop kept its reasons in the order of weights
    below 1e-4.
    """
    texts = [rewritten(text, as_tokens(("bara", *text.tokens))) for text in TEXTS]
    model = untrained("mlp(hidden=6)+additive")
    model.source = GivenWeights(
        {text.index: np.append(1.0, 1e-4 * np.arange(len(text.tokens) - 1)) for text in texts}
    )
    values = take(evened(model, texts), texts).values
    assert (values["carried.attention"][values["partner"] >= 0] == 0).all()


@pytest.mark.parametrize("factor", [10.0, -1.0])
def test_neither_the_scale_of_logits_nor_the_order_of_classes_matters(factor: float) -> None:
    model = evened(untrained("bilstm(hidden=6)+additive"), TEXTS)
    before = take(model, TEXTS).values
    with torch.no_grad():
        model.decoder.affine.weight *= factor
        model.decoder.affine.bias *= factor
    after = take(model, TEXTS).values
    for name in (
        "attention",
        "gradient",
        "contribution",
        "signed_gradient",
        "signed_deletion",
        "signed_contribution",
    ):
        for kind in ("carried", "random"):
            ratios = [one[f"{kind}.{name}"] / one["whole"] for one in (before, after)]
            assert ratios[0] == pytest.approx(ratios[1], abs=1e-9, nan_ok=True), name


def cued(count: int = 80) -> list[Example]:
    """Texts of fillers with one cue of their class."""
    generator = np.random.default_rng(0)
    texts = []
    for i in range(count):
        tokens = [str(word) for word in generator.choice(WORDS, size=8)]
        tokens[generator.integers(8)] = ("bad", "good")[i % 2]
        texts.append(Example(f"t{i}", i, " ".join(tokens), tuple(tokens), ((0, 0),) * 8, i % 2))
    return texts


class Sums(nn.Module):
    """A logit that adds up what its words are worth: a cue 1, a filler next to nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.ids = {"<pad>": 0, "bad": 1, "good": 2} | {word: 3 + i for i, word in enumerate(WORDS)}
        worth = [0.0, -1.0, 1.0, *np.random.default_rng(1).normal(scale=0.1, size=len(WORDS))]
        self.table = nn.Embedding.from_pretrained(torch.tensor(worth, dtype=torch.float64)[:, None])


def summing(on_cues: float) -> Auditable:
    """Show weights that are drawn by text and place, and more (or less) of them on cues; none is
    used.
    """
    net = Sums()

    def collate(texts: list[Example]) -> tuple[torch.Tensor, torch.Tensor]:
        width = max(len(text.tokens) for text in texts)
        ids = torch.tensor(
            [[*(net.ids[w] for w in t.tokens), *[0] * (width - len(t.tokens))] for t in texts]
        )
        return ids, ids > 0

    def trace(batch: object, vectors: torch.Tensor) -> dict:
        drawn = torch.sin(
            7919.0 * (batch.index[:, None] + 1) * torch.arange(1, batch.ids.shape[1] + 1).double()
        )
        shown = drawn + on_cues * (vectors[..., 0].detach().abs() == 1)
        return {
            "attention": shown.masked_fill(~batch.mask, -torch.inf).softmax(1),
            "logits": vectors.sum(1),
        }

    return sightline.wrap(
        net, link="sigmoid", collate=collate, embed=lambda b: net.table(b.ids), trace=trace
    )


def test_cues_carry_the_decision_and_weights_that_know_nothing_carry_it_no_further_than_chance() -> (
    None
):
    effects = {}
    for on_cues in (5.0, 0.0, -5.0):
        values = take(summing(on_cues), cued(), Transfer(shares=(0.2,)), batch_size=100).values
        donor = values["weight"] > 0
        carried, drawn, whole = (
            values[f"{one}"][donor].sum(1)
            for one in ("carried.attention", "random.attention", "whole")
        )
        each = (carried - drawn) / (whole - drawn).mean()
        effects[on_cues] = each.mean(), 2.6 * each.std() / np.sqrt(len(each))
    assert effects[5.0][0] > 0.9
    assert abs(effects[0.0][0]) < effects[0.0][1] < 0.25
    assert (
        effects[-5.0][0] < -effects[-5.0][1]
    )  # what avoids the cues carries less than random words


# ---------------------------------------------------------------- who gives to whom


def test_the_draw_knows_neither_batches_nor_the_order_of_texts() -> None:
    model = evened(untrained("mlp(hidden=6)+additive"), TEXTS)
    one = Transfer(donors=4, fewest=2)
    first, second = (
        take(model, TEXTS, one).values,
        take(model, TEXTS[::-1], one, batch_size=1).values,
    )
    last = len(TEXTS) - 1
    turned = np.where(second["partner"] >= 0, last - second["partner"], -1)[::-1]
    assert first["partner"].tolist() == turned.tolist()
    for name in ("weight", "half"):
        assert first[name].tolist() == second[name][::-1].tolist()
    assert (first["weight"] > 0).sum() == 4


def drawn(
    lengths: list[int], decided: list[int], clusters: list[int]
) -> tuple[DonorTexts, np.ndarray]:
    index, usable = np.arange(len(lengths)) * 3, np.array(lengths) > 1
    return DonorTexts(index, np.array(lengths), np.array(decided), usable), halves(
        np.array(clusters), Seeds(0)
    )


rows = st.lists(
    st.tuples(st.integers(1, 6), st.integers(0, 2), st.integers(0, 8)), min_size=1, max_size=24
)


@given(rows)
def test_partners_are_the_nearest_that_were_decided_otherwise_in_the_donors_half(
    texts: list,
) -> None:
    read, half = drawn(*(list(column) for column in zip(*texts, strict=True)))
    weight = donors(read, possible_donors(read, half), 3, Seeds(0))
    found = partners(read, half, weight, 2, Seeds(0))
    for row in range(len(texts)):
        possible = [
            other
            for other in range(len(texts))
            if read.words[row] > 1 < read.words[other]
            and read.decided[row] != read.decided[other]
            and half[row] == half[other]
        ]
        chosen = [other for other in found[row] if other >= 0]
        assert len(chosen) == (min(2, len(possible)) if weight[row] else 0)
        assert set(chosen) <= set(possible)
        assert not weight[row] or possible
        if chosen:
            left = [
                abs(read.words[other] - read.words[row]) for other in set(possible) - set(chosen)
            ]
            assert max(abs(read.words[other] - read.words[row]) for other in chosen) <= min(
                left, default=9
            )
    for one in np.unique(read.decided):
        giving = (weight > 0) & (read.decided == one)
        assert giving.sum() <= 3
        if giving.any():
            assert weight[giving].sum() == pytest.approx(
                weight.sum() / len(np.unique(read.decided[weight > 0]))
            )


@given(st.lists(st.integers(0, 9), min_size=1, max_size=40))
def test_no_cluster_lies_in_both_halves_and_neither_half_is_larger_than_it_must_be(
    clusters: list[int],
) -> None:
    half = halves(np.array(clusters), Seeds(0))
    assert all(
        len({bool(side) for side, c in zip(half, clusters, strict=True) if c == one}) == 1
        for one in clusters
    )
    assert half.sum() <= len(clusters) / 2
    assert len(clusters) / 2 - half.sum() < max(clusters.count(one) for one in clusters)


def test_a_text_belongs_with_its_group_or_else_with_its_copies() -> None:
    first, copy, other = TEXTS[0], replace(TEXTS[0], id="again", index=90), TEXTS[3]
    assert cluster_of(first) == cluster_of(copy) != cluster_of(other)
    assert (
        cluster_of(replace(first, group="a"))
        == cluster_of(replace(other, group="a"))
        != cluster_of(first)
    )


def test_where_only_one_class_is_decided_nothing_can_be_moved() -> None:
    model = untrained("mlp(hidden=6)+additive")
    torch.nn.init.constant_(model.decoder.affine.bias, 1e3)
    found = take(model, TEXTS)
    assert found.undefined["carried.attention"] == {"one word": 1, "no text decided otherwise": 11}
    assert (found.values["weight"] == 0).all()
    assert (found.values["partner"] == -1).all()


def test_scores_of_some_texts_leave_the_other_pairs_out() -> None:
    model = evened(untrained("mlp(hidden=6)+additive"), TEXTS)
    scores = {text.id: np.arange(len(text.tokens), dtype=float) for text in TEXTS[::2]}
    found = take(model, TEXTS, given=scores)
    values = found.values
    for row, k in zip(*np.nonzero(values["partner"] >= 0), strict=True):
        known = row % 2 == 0 and values["partner"][row, k] % 2 == 0
        assert np.isnan(values["carried.given"][row, k]) != known
    assert found.undefined["carried.given"]["no scores for the text"] > 0


# ---------------------------------------------------------------- hybrids and marks


def as_tokens(words: tuple[str, ...]) -> Written:
    return Written(words, words)


def as_spelled(words: tuple[str, ...]) -> Written:
    return Written(tuple(map(str.upper, words)), words)


@given(words, words, st.sets(st.integers(0, 5)))
def test_a_hybrid_is_made_place_by_place(x: tuple, y: tuple, places: set[int]) -> None:
    marked = {place for place in places if place < max(len(x), len(y))}
    donor, receiver = as_spelled(x), as_tokens(y)
    found = crossed(donor, receiver, marked)
    assert list(found.tokens) == moving.hybrid(x, y, marked)
    assert list(found.spelled) == moving.hybrid(donor.spelled, y, marked)
    assert crossed(donor, receiver, range(max(len(x), len(y)))) == donor
    assert crossed(donor, receiver, ()) == receiver


@given(words, words)
def test_a_rewritten_text_is_whole_and_spelled_as_its_words_were(x: tuple, y: tuple) -> None:
    text = replace(TEXTS[0], query=("who",), candidates=(1,), rationale=(True,) * 7)
    text = replace(text, query_text="Who?", read_to=1)
    taken = crossed(as_spelled(x), as_tokens(y), [0])
    found = rewritten(text, taken)
    assert found.spelled == taken.spelled == Written.of(found).spelled
    assert found.tokens == taken.tokens == tuple(word.lower() for word in found.spelled)
    assert (found.query, found.candidates, found.index, found.rationale) == (
        ("who",),
        (1,),
        text.index,
        None,
    )
    assert (found.as_read, found.asked) == (found.text, "Who")


texts = st.lists(
    st.sampled_from(["a", "B", "don't", "3.5", ",", "(", "!", "é", " ", "  ", "\n", "\n\n", "\t"]),
    min_size=1,
    max_size=12,
).map("".join)


@given(texts, texts, st.sets(st.integers(0, 11)))
def test_a_hybrid_has_the_layout_of_the_text_that_words_go_into(
    x: str, y: str, places: set[int]
) -> None:
    donor, receiver = example(x), example(y)
    assume(donor.tokens and receiver.tokens)
    given_, taking = Written.of(donor), Written.of(receiver)
    marked = {one for one in places if one < max(len(donor.tokens), len(receiver.tokens))}
    assert crossed(given_, taking, ()) == taking
    assert rewritten(receiver, taking).text == y.rstrip()
    mixed = crossed(given_, taking, marked)
    assume(mixed.tokens)
    found = rewritten(receiver, mixed)
    assert found.spelled == mixed.spelled
    assert list(found.tokens) == moving.hybrid(donor.tokens, receiver.tokens, marked)
    # Every word of the receiver that stays follows what it followed, or at least does not touch.
    breaks = [gap for gap in taking.gaps if "\n" in gap]
    if len(donor.tokens) >= len(receiver.tokens):
        assert [gap for gap in mixed.gaps if "\n" in gap] == breaks
    touching = [at for at, gap in enumerate(mixed.gaps) if at and not gap]
    for at in touching:
        pair = mixed.spelled[at - 1 : at + 1]
        assert "".join(pair) in x + y


@pytest.mark.parametrize(
    ("donor", "receiver", "places", "mixed"),
    [
        ("so :) a", "one two three four", {1, 2}, "one :) four"),  # all that is written together
        ("so :) a", "one two.", {1, 2}, "one :)"),
        ("so :) a", "one", {1, 2}, "one :)"),  # past the end
        ("so :) a", "one two three", {1}, "one : three"),
        ("so :) a", "one two\nthree", {1, 2}, "one :\n)"),  # line breaks stay
        ("so :) a", "one : )", {1, 2}, "one : )"),  # the same words, laid out otherwise
        ("so and/or, a", "one two three four five", {1, 2, 3}, "one and/or five"),
        ("so and/or, a", "one two three four five", {1, 2}, "one and / four five"),
        ("so film! a", "one two three", {1, 2}, "one film !"),  # a space before a sign is layout
        ("so film! a", "one two.", {1, 2}, "one film!"),
        ("so film:) a", "one two three four", {2, 3}, "one two :)"),
        ("so (film) a", "one two three four", {1, 2, 3}, "one ( film )"),
        ("不好看", "天地人", {0, 1}, "不好 人"),
        ("不好看", "天地人", {0, 2}, "不 地 看"),
        ("不好看", "天地", {1, 2}, "天 好看"),
        ("不好看", "天 地 人", {0, 1}, "不 好 人"),  # the layout of a text without spaces
        ("不好看", "天 地", {1, 2}, "天 好 看"),
        ("不好看", "天", {1, 2}, "天 好 看"),
        ("不 好 看", "天地人", {0, 1}, "不 好 人"),
    ],
)
def test_words_that_touch_and_move_together_still_touch(
    donor: str, receiver: str, places: set[int], mixed: str
) -> None:
    there = example(receiver)
    assert rewritten(
        there, crossed(Written.of(example(donor)), Written.of(there), places)
    ).text == (mixed)


def test_words_that_were_left_out_leave_a_space() -> None:
    text = example("so very\nbad a film").only([0, 2, 4])
    assert Written.of(text).gaps == ()
    assert rewritten(text, Written.of(text)).text == "so bad film"


def test_ties_go_by_their_keys_and_noise_is_tied() -> None:
    values, keys = (
        np.array([0.5, 0.5 + TIE / 10, -0.2, 1.0, NOISE / 10]),
        np.array([0.2, 0.1, 0.3, 0.9, 0.4]),
    )
    assert (
        ranked(values, keys, 4, signed=False).tolist()
        == ranked(values, keys, 4, signed=True).tolist()
        == [3, 1, 0]
    )
    assert ranked(np.zeros(5), keys, 4, signed=False).tolist() == [1, 0, 2, 4, 3]
    assert ranked(np.zeros(5), keys, 4, signed=True).tolist() == []


def test_a_share_is_rounded_and_never_nothing() -> None:
    assert [int(share_of(n, 0.05)) for n in (1, 9, 10, 29, 30)] == [1, 1, 1, 1, 2]
    assert share_of(np.array([1, 4]), 0.5).tolist() == [1, 2]


# ---------------------------------------------------------------- what it costs


def test_no_map_is_made_and_no_hybrid_run_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    model = evened(untrained("mlp(hidden=6)+additive"), TEXTS)
    deleted: list[AttributionMaps] = []
    result, answers = AttributionMaps.deleted, word_swaps.answers

    def counted(self: AttributionMaps, *beside: object) -> dict:
        deleted.append(self)
        return result(self, *beside)

    def distinct(
        one: Auditable, texts: list[tuple[Example, Written]], tokens_at_once: int
    ) -> np.ndarray:
        assert len(texts) > 0
        # Within a batch a receiver may meet two donors, so the same words may come twice of one
        # receiver, not of a pair.
        assert all(words.tokens != text.tokens for text, words in texts)
        return answers(one, texts, tokens_at_once)

    monkeypatch.setattr(AttributionMaps, "deleted", counted)
    monkeypatch.setattr(word_swaps, "answers", distinct)
    said: list[tuple[int, int]] = []
    taken = (Agreement(), Removal(), Transfer())
    found = measure(
        model, TEXTS, taken, {}, Seeds(0), 5, lambda done, total: said.append((done, total))
    )
    assert all(isinstance(one, Measurement) for one in found.values()), found
    assert len(deleted) == 3
    assert said == [(2, 12), (5, 12), (6, 12), (8, 12), (11, 12), (12, 12)]


class InPieces:
    """A model that reads as many tokens for a word as the word says, and remembers its runs."""

    offers: frozenset[str] = frozenset()

    def __init__(self) -> None:
        self.runs: list[torch.Tensor] = []

    def collate(self, texts: list[Example]) -> Batch:
        lengths = torch.tensor([sum(int(word) for word in text.tokens) for text in texts])
        mask = torch.arange(int(lengths.max())) < lengths[:, None]
        ids = lengths[:, None] * mask
        number = torch.arange(len(texts))
        return Batch(ids, mask, mask, ids, number, number)

    def logits(self, batch: Batch) -> torch.Tensor:
        self.runs.append(batch.mask)
        return batch.mask.sum(1, keepdim=True).double()

    origin = name = link = labels = trace = embed = decode = "unused"


def test_texts_are_run_together_by_their_tokens_whose_number_words_do_not_tell() -> None:
    random, model = np.random.default_rng(0), InPieces()
    texts = [tuple(str(n) for n in random.integers(1, 4, 20)) for _ in range(400)]
    asked_of = [(example("x"), as_tokens(tokens)) for tokens in texts]
    found = answers(model, asked_of, 512)
    assert found[:, 0].tolist() == [sum(map(int, tokens)) for tokens in texts]
    held, real = (sum(int(count(one)) for one in model.runs) for count in (torch.numel, torch.sum))
    assert real == found.sum()
    assert held <= 1.05 * real
    assert len(model.runs) <= 400 * 20 / 512 + 4  # as many texts together as by words
    assert max(one.numel() for one in model.runs) <= 2 * 512
