"""A module that nobody splits is audited by its attention as it is taken, and what there is to
choose is told.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

import sightline
from sightline.adapters.compatibility import check
from sightline.adapters.tapped_module import TappedModule
from sightline.audits.audit_result import Audit
from sightline.core.errors import ModelError
from sightline.core.example import Example
from sightline.core.protocols import Batch
from sightline.core.results import Measurement, Ragged
from tests.adapters.plain import exported, tapped, wrapped
from tests.snapshots import refused
from tests.texts import WORDS, examples, trained, untrained

TEXTS = examples((7, 1, 4, 12, 2, 9))
SIZE = 8


# ---------------------------------------------------------------- the same numbers by every road


def numbers(found: Audit) -> dict[str, np.ndarray]:
    """Every array of an audit by measure and name; rows of their own length are joined."""
    taken = {
        code: one.values for code, one in found.measurements.items() if isinstance(one, Measurement)
    }
    return {
        f"{code}.{name}": np.asarray(
            value.flat if isinstance(value, Ragged) else value, dtype=float
        )
        for code, values in taken.items()
        for name, value in values.items()
    }


@pytest.mark.slow
def test_an_audit_has_the_same_numbers_by_every_road() -> None:
    """One trained model as it is, and its weights in a plain module that is split by hand, or
    tapped.
    """
    ours, data = trained("planted:needle(n=100,length=6)", "bilstm(hidden=6)+additive", epochs=6)
    plain = exported(ours).double()  # as an audit does with a model that was made here
    models = {"native": ours, "wrap": wrapped(ours, plain), "tap": tapped(ours, plain)}
    native, *others = (
        numbers(sightline.audit(model, data, limit=16, full=True)) for model in models.values()
    )
    for found in others:
        for name in native.keys() & found.keys():
            assert found[name] == pytest.approx(native[name], abs=1e-5, nan_ok=True), name
    split, whole = others
    assert native.keys() - split.keys() == {name for name in native if name.startswith("mixing.")}
    lost = {name.split(".")[0] for name in native} - {name.split(".")[0] for name in whole}
    # All that can only be asked of states, or of the logits of each word.
    assert lost == {"flips", "counterfactual", "own_word", "mixing", "token_evidence"}
    assert len(whole) > 150


# ---------------------------------------------------------------- what may be chosen


class Layers(nn.Module):
    """Two layers of two heads, and a decision by the first row, the last, or the mean of all."""

    def __init__(self, read: str) -> None:
        super().__init__()
        self.read, self.table = read, nn.Embedding(len(WORDS) + 1, SIZE)
        self.one, self.two = (nn.MultiheadAttention(SIZE, 2, batch_first=True) for _ in range(2))
        self.output = nn.Linear(SIZE, 2)

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        states = self.table(ids)
        for layer in (self.one, self.two):
            states = states + layer(states, states, states, key_padding_mask=~mask)[0]
        if self.read == "all":
            found = (states * mask[:, :, None]).sum(1) / mask.sum(1, keepdim=True)
        else:
            found = states[
                torch.arange(len(ids)),
                torch.zeros(len(ids)).long() if self.read == "first" else mask.sum(1) - 1,
            ]
        return self.output(found)


class Hops(nn.Module):
    """Several rows of attention over a text, whatever its length; text by text in columns."""

    def __init__(self, hops: int = 3) -> None:
        super().__init__()
        self.table, self.output = nn.Embedding(len(WORDS) + 1, SIZE), nn.Linear(hops * SIZE, 2)
        self.score = nn.Linear(SIZE, hops)

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> dict[str, torch.Tensor]:
        states = self.table(tokens=ids.T) if isinstance(self.table, Keyed) else self.table(ids.T)
        states = states.transpose(0, 1)
        scores = (
            torch.tanh(self.score(states)).transpose(1, 2).masked_fill(~mask[:, None], -torch.inf)
        )
        return {"logits": self.output((scores.softmax(-1) @ states).flatten(1))}


class Keyed(nn.Module):
    """A table that is asked by name."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Embedding(len(WORDS) + 1, SIZE)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.inner(tokens)


def collate(texts: Sequence[Example]) -> tuple[torch.Tensor, torch.Tensor]:
    width = max(len(text.tokens) for text in texts)
    numbers = [
        [*(1 + hash_of(word) for word in text.tokens), *[0] * (width - len(text.tokens))]
        for text in texts
    ]
    ids = torch.tensor(numbers)
    return ids, ids > 0


def bounded(texts: Sequence[Example]) -> Batch:
    """Put a token of no word, [CLS], before the words."""
    ids, mask = collate(texts)
    column = torch.full((len(ids), 1), len(WORDS))
    words = torch.cat([torch.zeros_like(column).bool(), mask], dim=1)
    about = [torch.tensor([getattr(text, name) for text in texts]) for name in ("label", "index")]
    place = (words.cumsum(1) - 1).masked_fill(~words, -1)
    return Batch(
        torch.cat([column, ids], 1),
        torch.cat([torch.ones_like(column).bool(), mask], 1),
        words,
        place,
        *about,
    )


def hash_of(word: str) -> int:
    return WORDS.index(word) if word in WORDS else len(word)


def made(module: nn.Module, **options: object) -> TappedModule:
    return sightline.tap(module.eval(), collate=collate, **options)


def built(kind: type[nn.Module], *options: object, **named: object) -> nn.Module:
    torch.manual_seed(0)
    return kind(*options, **named).eval()


def failed(model: TappedModule) -> list[str]:
    return [str(proof) for proof in check(model, TEXTS) if proof.outcome == "failed"]


@pytest.mark.parametrize("read", ["first", "last", "all"])
def test_the_row_that_is_read_is_found_by_its_gradient(read: str) -> None:
    module = built(Layers, read)
    model = made(module, part="two", head=1)
    assert (model.choice.row, model.choice.one) == (read, read != "all")
    assert model.offers == {"embedding_grad", "decode"}
    assert failed(model) == []
    trace = model.trace(model.collate(TEXTS))
    with torch.no_grad():
        states = module.table(trace.batch.ids)
        states = states + module.one(states, states, states, key_padding_mask=~trace.batch.mask)[0]
        options = {"key_padding_mask": ~trace.batch.mask, "average_attn_weights": False}
        weights = module.two(states, states, states, **options)[1][:, 1]
    for row, length, found in zip(weights, trace.batch.mask.sum(1), trace.attention, strict=True):
        wanted = (
            row[:length].mean(0) if read == "all" else row[0 if read == "first" else length - 1]
        )
        assert torch.allclose(found, wanted, atol=1e-6)


def test_all_heads_are_replaced_at_once() -> None:
    """Each with its own weights: the mean in the place of all is another attention."""
    module = built(Layers, "first")
    shown, heads = (
        made(module, part="two"),
        [made(module, part="two", head=head) for head in range(2)],
    )
    batch = shown.collate(TEXTS)
    mean = torch.stack([one.trace(batch).attention for one in heads]).mean(0)
    trace = shown.trace(batch)
    assert torch.allclose(trace.attention, mean, atol=1e-6)
    assert torch.allclose(
        trace.own, torch.stack([one.trace(batch).attention for one in heads]), atol=1e-6
    )
    assert torch.allclose(shown.decode(trace, trace.own), trace.logits, atol=1e-6)
    assert not torch.allclose(shown.decode(trace, mean), trace.logits, atol=1e-4)
    assert failed(shown) == []
    other = torch.stack([trace.own[1], trace.own[0]])
    first = heads[0].decode(heads[0].trace(batch), other[0]) - trace.logits
    second = heads[1].decode(heads[1].trace(batch), other[1]) - trace.logits
    # What follows the sum over heads is linear here, so the changes of two heads add up.
    assert torch.allclose(shown.decode(trace, other) - trace.logits, first + second, atol=1e-5)


def test_a_row_may_be_asked_for() -> None:
    module = built(Hops)
    assert failed(made(module, row=1)) == []
    shown = made(module)
    rows = [made(module, row=row).trace(shown.collate(TEXTS)).attention for row in range(3)]
    assert torch.allclose(
        shown.trace(shown.collate(TEXTS)).attention, torch.stack(rows).mean(0), atol=1e-6
    )
    assert shown.choice.row == "all"
    assert failed(shown) == []
    assert made(built(Layers, "first"), part="one", row="last").choice.row == "last"


def test_a_table_may_be_asked_by_name_and_in_columns() -> None:
    module = built(Hops)
    module.table = Keyed()
    model = made(module, row=0)
    assert model.table is module.table.inner
    assert failed(model) == []


def test_what_lies_in_tokens_of_no_word_stays_there() -> None:
    """[CLS] keeps its weight when other weights are put on the words."""
    module = built(Layers, "first")
    model = sightline.tap(module, collate=bounded, part="two", head=0)
    assert failed(model) == []
    trace = model.trace(model.collate(TEXTS))
    assert trace.elsewhere is not None
    assert torch.allclose(trace.elsewhere, trace.inside.row[:, 0])
    assert (trace.elsewhere > 0.01).all()
    assert made(module, part="two", head=0).trace(model.collate(TEXTS[:1])).elsewhere is not None
    assert (
        made(module, part="two", head=0).trace(made(module, part="two").collate(TEXTS)).elsewhere
        is None
    )


def test_what_is_read_is_what_the_module_computes() -> None:
    ours = untrained("bilstm(hidden=6)")
    model, other = tapped(ours), wrapped(ours)
    trace, wanted = model.trace(model.collate(TEXTS)), other.trace(other.collate(TEXTS))
    torch.testing.assert_close(trace.attention, wanted.attention)
    torch.testing.assert_close(trace.logits, wanted.logits)
    assert not trace.logits.requires_grad
    assert not any(
        part._forward_hooks or part._forward_pre_hooks for part in model.module.modules()
    )
    with refused(ModelError):
        model.decode(wanted, wanted.attention)


class Masked(nn.Module):
    """A softmax over padding, too, which is taken away behind it, or is not."""

    def __init__(self, *, mended: bool) -> None:
        super().__init__()
        self.mended, self.table, self.output = (
            mended,
            nn.Embedding(len(WORDS) + 1, SIZE),
            nn.Linear(SIZE, 2),
        )

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        states = self.table(ids)
        weights = (states.sum(2) * mask).softmax(1)
        if self.mended:
            weights = weights * mask / (weights * mask).sum(1, keepdim=True)
        return self.output((weights[:, :, None] * states).sum(1))


def test_what_falls_on_padding_may_be_taken_away_behind_the_softmax() -> None:
    module = built(Masked, mended=True)
    model = sightline.tap(module, collate=bounded)
    assert failed(model) == failed(made(module)) == []
    trace = model.trace(model.collate(TEXTS))
    with torch.no_grad():
        used = (
            module.table(trace.batch.ids)
            .sum(2)
            .masked_fill(~trace.batch.mask, -torch.inf)
            .softmax(1)
        )
    torch.testing.assert_close(trace.elsewhere, used[:, 0])
    torch.testing.assert_close(trace.attention, used * trace.batch.attendable / (1 - used[:, :1]))
    assert any(
        proof.startswith("✕ more padding changes nothing")
        for proof in failed(made(built(Masked, mended=False)))
    )


@pytest.mark.gpu
def test_a_module_on_a_gpu_passes_and_gives_the_same() -> None:
    ours = untrained("bilstm(hidden=6)")
    here, there = tapped(ours), tapped(ours, exported(ours).to("cuda"))
    assert failed(there) == []
    trace, wanted = there.trace(there.collate(TEXTS)), here.trace(here.collate(TEXTS))
    torch.testing.assert_close(trace.attention.cpu(), wanted.attention, atol=1e-4, rtol=1e-4)


# ---------------------------------------------------------------- what is wrong


class NoSoftmax(nn.Module):
    """Weights without a softmax."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(len(WORDS) + 1, 2)

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return self.table(ids).sum(1)


class TwoTables(NoSoftmax):
    """Two tables that are both asked for the words."""

    def __init__(self) -> None:
        super().__init__()
        self.second = nn.Embedding(len(WORDS) + 1, 2)

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        states = self.table(ids) + self.second(ids)
        return (states.sum(2).masked_fill(~mask, -torch.inf).softmax(1)[:, :, None] * states).sum(1)


class Unread(TwoTables):
    """Attention that nothing is made of."""

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        states = self.table(ids)
        return (states @ states.mT).softmax(-1).sum((1, 2))[:, None] * 0 + states.sum(1)


LAYERS = r"'one', 'two'"
WRONG = {
    "several parts": (
        Layers,
        {},
        rf"there are 2 parts with attention over the text: {LAYERS}; choose .* part='two'",
    ),
    "no such part": (
        Layers,
        {"part": "three"},
        rf"part='three': expected a part .*; there is {LAYERS}",
    ),
    "no such head": (Layers, {"part": "two", "head": 2}, "head=2: expected 0 to 1, of 'two'"),
    "a true head": (Layers, {"part": "two", "head": True}, "head=True: expected 0 to 1"),
    "no such row": (
        Layers,
        {"part": "two", "row": "middle"},
        "row='middle': expected first, last, all or a number",
    ),
    "a row too far": (
        Hops,
        {"row": 3},
        "row=3: expected all or a number from 0 to 2, .*; '' has 3",
    ),
    "no softmax": (
        NoSoftmax,
        {},
        "NoSoftmax: no softmax over the tokens of a text was found in it; .*sightline.wrap",
    ),
    "two tables": (
        TwoTables,
        {},
        r"expected one part that is asked for batch.ids .* got 'table', 'second'; name one",
    ),
    "no such table": (TwoTables, {"table": "third"}, "got 'table', 'second'; name one"),
    "not read": (Unread, {}, "the logits do not depend on the attention of ''"),
    "no logits": (
        Hops,
        {"run": lambda batch: {"probs": batch.ids}},
        r"run: logits: expected .* got nothing \(None\)",
    ),
    "its own mistake": (
        Hops,
        {"run": lambda batch: batch.none},
        "run raised AttributeError: .*mend run there",
    ),
    "a link": (
        Hops,
        {"link": "probit"},
        "link: expected sigmoid, softmax or sigmoids, got 'probit'",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_not_there_is_told(name: str) -> None:
    kind, options, message = WRONG[name]
    with pytest.raises(ModelError, match=message):
        made(built(kind, *(["first"] if kind is Layers else [])), **options)


def test_one_of_two_tables_may_be_named() -> None:
    module = built(TwoTables)
    model = made(module, table="second")
    assert model.table is module.second
    assert failed(model) == []


def test_weights_that_are_not_made_every_time_are_told() -> None:
    module = built(Hops)

    def short(batch: Batch) -> torch.Tensor:
        return (
            module(batch.ids, batch.mask)["logits"]
            if batch.ids.shape[1] > 5
            else torch.zeros(len(batch), 2)
        )

    model = made(module, run=short)
    with refused(ModelError):
        model.trace(model.collate(TEXTS[2:3]))


def test_a_table_that_the_module_does_not_ask_fails_its_proof() -> None:
    model = replace(made(built(Hops), row=0), table=nn.Embedding(len(WORDS) + 1, SIZE))
    assert any(
        proof.startswith("✕ trace starts from the embeddings it is given")
        for proof in failed(model)
    )
