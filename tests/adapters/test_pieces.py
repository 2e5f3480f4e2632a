"""A model that reads words in pieces is audited by words: deleted, shuffled, ranked and shown
whole.
"""

import numpy as np
import pytest
import torch
from torch import nn

import sightline
from sightline.adapters.compatibility import check
from sightline.audits.measure_pass import measure
from sightline.core.example import Example
from sightline.core.protocols import Batch
from sightline.core.results import Measurement, Ragged
from sightline.core.seeds import Seeds
from sightline.measures.batch_words import words_of
from sightline.measures.default_measures import default_measures
from tests.reference import formulas, moving, ties
from tests.reference.pieces import pieces_of
from tests.texts import examples

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

    def trace(batch: Batch, vectors: torch.Tensor) -> dict:
        states = torch.tanh(NET.layer(vectors))
        attention = (states @ NET.query).masked_fill(~batch.mask, -torch.inf).softmax(1)
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
