"""A model that reads words in pieces is audited by words: deleted, shuffled, ranked and shown
whole.
"""

import re
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

import sightline
from sightline.adapters.compatibility import CompatibilityCheck, check
from sightline.audits.measure_pass import measure
from sightline.core.errors import ModelError
from sightline.core.example import Example
from sightline.core.protocols import Batch
from sightline.core.results import Measurement, Ragged
from sightline.core.seeds import Seeds
from sightline.data.dataset import Dataset
from sightline.measures.batch_words import words_of
from sightline.measures.default_measures import default_measures
from tests.reference import formulas, moving, ties
from tests.reference.pieces import pieces_of
from tests.texts import example, examples

TEXTS = examples((7, 1, 4, 12, 2))


class Net(nn.Module):
    """Pieces to one logit, states by an affine layer and a tanh, attention by a query."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(3)
        self.embedding = nn.Embedding(400, 6)
        self.layer = nn.Linear(6, 6)
        self.query = nn.Parameter(torch.randn(6))
        self.output = nn.Linear(6, 1)


NET = Net().eval()


def in_pieces(word: str, size: int) -> list[int]:
    return [
        1 + sum(map(ord, word[start : start + size])) % 399 for start in range(0, len(word), size)
    ]


def wrapped(size: int = 2, batched: bool = True) -> object:
    """Read words in pieces of so many letters; of 99, a word is one piece."""

    def collate(texts: list[Example]) -> object:
        rows = [
            [(piece, w) for w, word in enumerate(t.tokens) for piece in in_pieces(word, size)]
            for t in texts
        ]
        width = max(map(len, rows))
        ids = torch.tensor([[p for p, _ in row] + [0] * (width - len(row)) for row in rows])
        word = torch.tensor([[w for _, w in row] + [-1] * (width - len(row)) for row in rows])
        if not batched:
            return ids, ids > 0
        labels, index = (
            torch.tensor([getattr(t, name) for t in texts]) for name in ("label", "index")
        )
        return Batch(ids, ids > 0, ids > 0, word, labels, index)

    return by_hand(collate)


def by_hand(collate: object, *, masked: bool = True, one_length: bool = False) -> object:
    def trace(batch: Batch, vectors: torch.Tensor) -> dict:
        states = torch.tanh(NET.layer(vectors))
        scores = states @ NET.query
        attention = (
            scores.masked_fill(~batch.attendable, -torch.inf) if masked else scores
        ).softmax(1)
        return {
            "attention": attention,
            "states": states,
            "logits": decode({"states": states}, attention),
        }

    def decode(traced: dict, attention: torch.Tensor) -> torch.Tensor:
        return NET.output(torch.einsum("bt,bth->bh", attention, traced["states"]))

    return sightline.wrap(
        NET,
        link="sigmoid",
        collate=collate,
        embed=lambda batch: NET.embedding(batch.ids),
        trace=trace,
        decode=decode,
        token_logits=lambda traced: NET.output(traced["states"]),
        one_length=one_length,
    )


def taken(model: object, batch_size: int = 8) -> dict:
    companions = {"uniform": model, "frozen": model}
    found = measure(
        model, TEXTS, default_measures(), companions, Seeds(0), batch_size, lambda done, total: None
    )
    lost = {code for code, one in found.items() if not isinstance(one, Measurement)}
    assert lost == {"mixing"}, found  # of states nobody was asked
    return {code: one for code, one in found.items() if code not in lost}


def test_every_proof_holds() -> None:
    assert [str(proof) for proof in check(wrapped(), TEXTS) if proof.outcome == "failed"] == []


def test_deleting_a_word_is_reading_the_text_without_it() -> None:
    values = taken(wrapped())["agreement"].values["deletion"]
    assert isinstance(values, Ragged)
    for text, row in zip(TEXTS, values.rows(), strict=True):
        assert len(row) == len(text.tokens)
        if len(row) > 1:
            assert row == pytest.approx(formulas.leave_one_out(wrapped(), text), abs=1e-6)


def test_a_word_has_the_attention_and_the_slope_of_its_pieces() -> None:
    model, found = wrapped(), taken(wrapped())
    for i, text in enumerate(TEXTS):
        batch = model.collate([text])
        vectors = NET.embedding(batch.ids).detach().requires_grad_()
        trace = model.trace(batch, vectors)
        logits = NET.output(
            torch.einsum("bt,bth->bh", trace.attention.detach(), torch.tanh(NET.layer(vectors)))
        )
        slopes = (torch.autograd.grad(logits.sum(), vectors)[0] * vectors).sum(-1)[0].detach()
        groups = [pieces_of(batch.word[0].tolist(), n) for n in range(len(text.tokens))]
        assert len(batch.word[0]) > len(groups)
        weights = found["outputs"].values["attention"].rows()[i]
        assert weights == pytest.approx(
            [float(trace.attention[0, g].detach().sum()) for g in groups], abs=1e-6
        )
        assert weights.sum() == pytest.approx(1, abs=1e-6)
        gradient = found["agreement"].values["gradient"].rows()[i]
        assert gradient == pytest.approx([abs(float(slopes[g].sum())) for g in groups], abs=1e-5)


def test_erasure_deletes_whole_words() -> None:
    found = taken(wrapped())
    for i, text in enumerate(TEXTS):
        if len(text.tokens) > 1:
            weights = found["outputs"].values["attention"].rows()[i].tolist()
            keys = Seeds(0).generator("erasure", text.index).random(len(text.tokens))
            order = ties.falling(moving.seen(weights, text.index), keys)
            literal = formulas.comprehensiveness(
                wrapped(), text, order, (0.01, 0.05, 0.1, 0.2, 0.5)
            )
            assert found["erasure"].values["area"][i] == pytest.approx(literal, abs=1e-6)


def test_permuted_words_keep_the_shares_of_their_pieces() -> None:
    model = wrapped()
    trace = model.trace(model.collate(TEXTS[4:5]))
    words = words_of(trace)
    swapped = words.weights(words.attention[:, ::-1])
    assert words.of(swapped) == pytest.approx(words.attention[:, ::-1])
    for number in (0, 1):
        group = pieces_of(trace.batch.word[0].tolist(), number)
        before, after = trace.attention[0, group].double().numpy(), swapped[0, group]
        assert after / after.sum() == pytest.approx(before / before.sum(), abs=1e-6)
    logits = model.decode(trace, torch.from_numpy(swapped).float())
    found = taken(model)["permutation"].values
    ends = sorted([float(logits.detach()[0, 0]), float(trace.logits[0, 0])])
    assert [found["gap_low"][4], found["gap_high"][4]] == pytest.approx(ends, abs=1e-5)


def test_batched_is_alone() -> None:
    together, alone = taken(wrapped()), taken(wrapped(), batch_size=1)
    for code, one in together.items():
        for name, value in one.values.items():
            here, there = (
                v.flat if isinstance(v, Ragged) else v for v in (value, alone[code].values[name])
            )
            assert here == pytest.approx(there, abs=1e-4, nan_ok=True), f"{code}.{name}"


def test_words_of_one_piece_each_are_audited_as_ever() -> None:
    plain, batched = taken(wrapped(99, batched=False)), taken(wrapped(99))
    for code, one in plain.items():
        for name, value in one.values.items():
            here, there = (
                v.flat if isinstance(v, Ragged) else v for v in (value, batched[code].values[name])
            )
            assert np.array_equal(here, there, equal_nan=True), f"{code}.{name}"


# ---------------------------------------------------------------- two words that share a piece


def joined(model_of: object) -> object:
    """Read marks that stand together as one piece, as many tokenizers do, by example.offsets."""

    def collate(texts: list[Example]) -> Batch:
        rows = []
        for text in texts:
            row: list[tuple[int, int]] = []
            for match in re.finditer(r"\w+|[^\w\s]+", text.text):
                words = [w for w, (a, _) in enumerate(text.offsets) if a >= match.start()]
                inside = [w for w in words if text.offsets[w][1] <= match.end()]
                row.append((1 + sum(map(ord, match[0])) % 399, inside[0] if inside else -1))
            rows.append(row)
        width = max(map(len, rows))
        ids = torch.tensor([[p for p, _ in row] + [0] * (width - len(row)) for row in rows])
        word = torch.tensor([[w for _, w in row] + [-1] * (width - len(row)) for row in rows])
        labels, index = (
            torch.tensor([getattr(t, name) for t in texts]) for name in ("label", "index")
        )
        return Batch(ids, ids > 0, word >= 0, word, labels, index)

    return model_of(collate)


class Pooled(nn.Module):
    """The same network as one module, which a tap reads."""

    def __init__(self) -> None:
        super().__init__()
        self.net = NET

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        states = torch.tanh(NET.layer(NET.embedding(ids)))
        weights = (states @ NET.query).masked_fill(~mask, -torch.inf).softmax(1)
        return NET.output(torch.einsum("bt,bth->bh", weights, states))


def by_tap(collate: object) -> object:
    return sightline.tap(Pooled().eval(), collate=collate, link="sigmoid")


SHARED = [
    example("so good!! really", index=0),
    example("a bad one ... yes", index=1),
    example("no marks here", index=2),
]


@pytest.mark.parametrize("road", [by_hand, by_tap])
def test_of_two_words_that_share_a_piece_the_second_is_not_seen(road: object) -> None:
    model = joined(road)
    seen = [model.seen(text) for text in SHARED]
    assert [text.tokens for text in seen] == [
        ("so", "good", "!", "really"),
        ("a", "bad", "one", ".", "yes"),
        ("no", "marks", "here"),
    ]
    assert seen[2] is SHARED[2]
    assert [str(proof) for proof in check(model, seen) if proof.outcome == "failed"] == []
    look = sightline.look(model, "so good!! really", maps="attention")
    assert look.seen == (True, True, True, False, True)
    data = Dataset("texts", (), (), tuple(SHARED), ("no", "yes"), {})
    audit = sightline.audit(model, data, measures=default_measures(chosen=("erasure",)))
    assert audit.cards["data"]["words_cut"] == 0
    assert audit.learned is not None
    assert (audit.learned.cut, audit.learned.words_cut, audit.learned.cut_of) == (0, 0, 3)
    assert audit.learned.words_unseen == 3  # one of "!!", two of "..."


def test_words_in_another_order_are_still_refused() -> None:
    collate = joined(lambda collate: collate)

    def turned(texts: list[Example]) -> Batch:
        batch = collate(texts)
        word = batch.word.flip(1)
        return replace(batch, word=word, attendable=word >= 0)

    with pytest.raises(ModelError, match=r"not numbered from 0 in order|another order|words, and"):
        by_hand(turned).collate([SHARED[0]])


# ---------------------------------------------------------------- a module that ignores its mask


class Unmasked(nn.Module):
    """A module whose attention lies on padding, too."""

    def __init__(self) -> None:
        super().__init__()
        self.net = NET

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        states = torch.tanh(NET.layer(NET.embedding(ids)))
        return NET.output(torch.einsum("bt,bth->bh", (states @ NET.query).softmax(1), states))


def pairs(texts: list[Example]) -> tuple[torch.Tensor, torch.Tensor]:
    rows = [[in_pieces(word, 99)[0] for word in text.tokens] for text in texts]
    width = max(map(len, rows))
    ids = torch.tensor([row + [0] * (width - len(row)) for row in rows])
    return ids, ids > 0


def unmasked_by_tap(one_length: bool) -> object:
    return sightline.tap(Unmasked().eval(), collate=pairs, link="sigmoid", one_length=one_length)


def unmasked_by_wrap(one_length: bool) -> object:
    return by_hand(pairs, masked=False, one_length=one_length)


@pytest.mark.parametrize("road", [unmasked_by_tap, unmasked_by_wrap])
def test_texts_of_one_length_are_run_at_a_time_where_it_is_asked(road: object) -> None:
    refused = {proof.name for proof in check(road(False), TEXTS) if proof.outcome == "failed"}
    assert refused & {"unattended", "padding", "alone"}
    model = road(True)
    found = {proof.name: proof for proof in check(model, TEXTS)}
    assert [str(proof) for proof in found.values() if proof.outcome == "failed"] == []
    assert found["padding"].outcome == "not run"
    assert "no" in found["padding"].wrong
    trace = model.trace(model.collate(TEXTS))
    for row, text in enumerate(TEXTS):
        alone = model.trace(model.collate([text]))
        size = len(text.tokens)
        assert torch.allclose(trace.attention[row, :size], alone.attention[0], atol=1e-6)
        assert torch.allclose(trace.logits[row], alone.logits[0], atol=1e-6)
    assert trace.attention[1, 1:].abs().max() == 0


class AttendsToPadding(nn.Module):
    """Fused attention that is given no mask; only the mean over the tokens leaves padding out."""

    def __init__(self) -> None:
        super().__init__()
        self.net = NET

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        vectors = NET.embedding(ids)[:, None]
        mixed = nn.functional.scaled_dot_product_attention(vectors, vectors, vectors)[:, 0]
        return NET.output((mixed * mask[..., None]).sum(1) / mask.sum(1, keepdim=True))


def test_the_complaint_of_padding_names_the_way_to_run_without_it() -> None:
    def proof(one_length: bool) -> CompatibilityCheck:
        model = sightline.tap(
            AttendsToPadding().eval(), collate=pairs, link="sigmoid", one_length=one_length
        )
        return next(proof for proof in check(model, TEXTS) if proof.name == "padding")

    assert proof(False).outcome == "failed"
    assert "one_length=True" in proof(False).change
    assert (proof(True).outcome, proof(True).change) == ("not run", "")


@pytest.mark.parametrize("road", [unmasked_by_tap, unmasked_by_wrap])
def test_other_weights_are_decoded_length_by_length(road: object) -> None:
    model = road(True)
    trace = model.trace(model.collate(TEXTS))
    flat = trace.batch.mask / trace.batch.mask.sum(1, keepdim=True)
    found = model.decode(trace, flat)
    for row, text in enumerate(TEXTS):
        states = torch.tanh(NET.layer(NET.embedding(pairs([text])[0])))
        assert torch.allclose(found[row], NET.output(states.mean(1))[0], atol=1e-6)


def test_padding_at_the_left_is_no_length_of_its_own() -> None:
    def left(texts: list[Example]) -> tuple[torch.Tensor, torch.Tensor]:
        ids, mask = pairs(texts)
        return ids.flip(1), mask.flip(1)

    model = sightline.wrap(
        NET,
        link="sigmoid",
        collate=left,
        embed=lambda batch: NET.embedding(batch.ids),
        trace=lambda batch, vectors: {},
        one_length=True,
    )
    with pytest.raises(ModelError, match="padding at the right"):
        model.trace(model.collate(TEXTS))
