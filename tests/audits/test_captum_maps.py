"""An attribution of Captum is a map over the words: what it must be where that is known, and what
is told of it.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pytest
import torch
from torch import nn

import sightline
from sightline.adapters.wrap import WrappedModule
from sightline.audits.captum_maps import METHODS, Attributed, PredictedLogit, _missed, attributed
from sightline.core.errors import MissingExtra, ModelError, SpecError
from sightline.core.example import Example
from sightline.core.protocols import Batch, Trace
from sightline.data.dataset import Dataset
from sightline.measures.trace_arrays import decided
from tests.adapters.plain import wrapped
from tests.texts import WORDS, examples, untrained

TEXTS = examples((7, 1, 4, 12, 2, 9), classes=3)
SIZE = 5


@dataclass(frozen=True)
class Sums:
    """A model whose logits are a plain mean over its tokens of what each says, so that every word's
    part is known.

    A word is read in ``pieces`` tokens, behind a first that is no word; padding has an embedding of
    its own.
    """

    pieces: int = 1
    bent: bool = False
    classes: int = 3

    @cached_property
    def module(self) -> nn.ModuleDict:
        torch.manual_seed(1)
        table, output = (
            nn.Embedding(self.pieces * len(WORDS) + 2, SIZE),
            nn.Linear(SIZE, self.classes),
        )
        return nn.ModuleDict({"table": table, "bend": nn.ReLU(), "output": output}).double().eval()

    def collate(self, texts: Sequence[Example]) -> Batch:
        width = 1 + self.pieces * max(len(text.tokens) for text in texts)
        rows = [
            [
                (2 + self.pieces * WORDS.index(w) + p, n)
                for n, w in enumerate(text.tokens)
                for p in range(self.pieces)
            ]
            for text in texts
        ]
        ids, word = (
            torch.tensor(
                [
                    [first, *(one[part] for one in row), *[filling] * (width - 1 - len(row))]
                    for row in rows
                ]
            )
            for part, first, filling in ((0, 1, 0), (1, -1, -1))
        )
        about = [
            torch.tensor([getattr(text, name) for text in texts]) for name in ("label", "index")
        ]
        return Batch(ids, ids > 0, word >= 0, word, *about)

    def trace(self, batch: Batch, vectors: torch.Tensor) -> dict[str, torch.Tensor]:
        attention = batch.attendable / batch.attendable.sum(1, keepdim=True).double()
        states = self.module["bend"](vectors) if self.bent else vectors
        own = (states * (batch.mask & ~batch.attendable)[:, :, None]).sum(
            1
        )  # the first token has a say, too
        return {
            "attention": attention,
            "logits": self.module["output"]((attention[:, :, None] * states).sum(1) + own),
        }

    @property
    def wrapped(self) -> WrappedModule:
        link = "sigmoid" if self.classes == 1 else "softmax"
        embed = lambda batch: self.module["table"](batch.ids)  # noqa: E731
        return sightline.wrap(
            self.module, collate=self.collate, embed=embed, trace=self.trace, link=link
        )

    def parts(self, trace: Trace) -> list[np.ndarray]:
        """Give what each word adds to the logit of the decided class."""
        weight = self.module["output"].weight.detach()
        side = torch.from_numpy(decided(trace))
        towards = weight[side] if self.classes > 1 else weight * (2 * side - 1)[:, None]
        states = self.module["bend"](trace.embeddings) if self.bent else trace.embeddings
        each = (trace.attention[:, :, None] * states * towards[:, None]).sum(-1).detach()
        words = zip(each, trace.batch.word, strict=True)
        return [
            np.array([row[word == n].sum() for n in range(int(word.max()) + 1)])
            for row, word in words
        ]


def made(model: Sums, name: str, batch_size: int = 4, seed: int = 0) -> Attributed:
    return attributed(f"captum:{name}", model.wrapped, TEXTS, seed, batch_size)


@pytest.mark.parametrize("pieces", [1, 2])
@pytest.mark.parametrize("name", sorted(set(METHODS) - {"Saliency"}))
def test_of_a_sum_over_the_words_each_word_has_its_part(name: str, pieces: int) -> None:
    """Weight × input, by every method that attributes a move: special tokens, padding and
    neighbours have no share.
    """
    for model in (Sums(pieces), Sums(pieces, classes=1)):
        found, trace = made(model, name), model.wrapped.trace(model.collate(TEXTS))
        for text, wanted in zip(TEXTS, model.parts(trace), strict=True):
            np.testing.assert_allclose(
                found.by_id[text.id], wanted, atol=1e-6
            )  # Captum adds some up in float32
        assert found.missed == 0
        assert (
            min(one.min() for one in found.signed.values())
            < 0
            <= min(one.min() for one in found.sizes.values())
        )


def test_saliency_is_the_size_of_the_slope() -> None:
    model = Sums()
    trace = model.wrapped.trace(model.collate(TEXTS))
    sizes = model.module["output"].weight.detach().abs().sum(1).numpy()[decided(trace)]
    found = made(model, "Saliency")
    assert found.signed == {}
    for text, size in zip(TEXTS, sizes, strict=True):
        np.testing.assert_allclose(found.by_id[text.id], size / len(text.tokens), atol=1e-9)


def test_deeplift_follows_what_is_a_module_and_is_refused_where_it_cannot() -> None:
    model = Sums(bent=True)
    trace = model.wrapped.trace(model.collate(TEXTS))
    for text, wanted in zip(TEXTS, model.parts(trace), strict=True):
        np.testing.assert_allclose(made(model, "DeepLift").by_id[text.id], wanted, atol=1e-9)
    message = (
        r"captum:DeepLift: in 6 of 6 texts its numbers do not add up to the change of the logit; take another "
        r".*nn.Tanh"
    )
    with pytest.raises(ModelError, match=message):
        attributed(
            "captum:DeepLift", untrained("bilstm(hidden=6)"), examples((7, 1, 4, 12, 2, 9)), 0, 4
        )


@pytest.mark.parametrize("name", ["GradientShap", "IntegratedGradients", "ShapleyValueSampling"])
def test_neither_batches_nor_the_order_of_texts_matter_but_the_seed_of_what_is_drawn(
    name: str,
) -> None:
    ours, texts = untrained("bilstm(hidden=6)").double(), examples((4, 2, 3))
    before = (np.random.get_state()[1].copy(), torch.get_rng_state())  # noqa: NPY002  (Captum draws from it)

    def sizes(some: list[Example], seed: int, batch_size: int) -> np.ndarray:
        found = attributed(f"captum:{name}", ours, some, seed, batch_size)
        return np.concatenate([found.by_id[text.id] for text in texts])

    first = sizes(texts, 0, 3)
    np.testing.assert_allclose(sizes(texts[::-1], 0, 1), first, atol=1e-9)
    assert bool((np.abs(sizes(texts, 1, 3) - first) > 1e-9).any()) is METHODS[name].draws
    assert (np.random.get_state()[1] == before[0]).all()  # noqa: NPY002  (as above)
    assert torch.equal(torch.get_rng_state(), before[1])


def test_of_a_bilstm_the_path_adds_up_and_is_what_many_steps_make_it() -> None:
    """Integrated gradients by a midpoint rule of many steps, text by text, without Captum: from the
    text without words.

    What stands before and behind the words is read, and stays as it is.
    """
    ours, texts = untrained("bilstm(hidden=6)", boundaries=True).double(), examples((5, 3, 1))
    found = attributed("captum:IntegratedGradients", ours, texts, 0, 3)
    assert found.missed == 0
    for text in texts:
        trace = ours.trace(ours.collate([text]))
        sign = 1 if decided(trace)[0] else -1
        words = trace.batch.attendable[0]
        way = trace.embeddings.detach() * words[:, None]
        slopes, steps = torch.zeros_like(way), 60
        for step in range(steps):
            there = (trace.embeddings.detach() - way + (step + 0.5) / steps * way).requires_grad_()
            slopes += torch.autograd.grad(
                sign * ours.trace(trace.batch, there).logits.sum(), there
            )[0]
        wanted = (way * slopes / steps).sum(-1)[0]
        np.testing.assert_allclose(found.by_id[text.id], wanted[words], atol=1e-5)


def dataset() -> Dataset:
    texts = examples((7, 3, 4, 12, 2, 9, 5, 6))
    return Dataset(
        "texts", tuple(texts[:2]), tuple(texts[2:4]), tuple(texts[4:]), ("class 0", "class 1"), {}
    )


def test_an_audit_has_it_as_one_more_map_with_its_name() -> None:
    model, data = wrapped(), dataset()
    audit = sightline.audit(model, data, scores="captum:IntegratedGradients")
    wanted = attributed("captum:IntegratedGradients", model, data.test, 0, 4).by_id
    every, kept = (
        np.concatenate([wanted[text.id] for text in data.test]),
        audit.measurements["signs"].values,
    )
    np.testing.assert_allclose(kept["signed_given"].flat, every, atol=1e-6)
    np.testing.assert_allclose(kept["given"].flat, np.abs(every), atol=1e-6)
    assert {"carried.given", "carried.signed_given"} <= set(audit.measurements["transplant"].values)
    assert {"given": False, "signed_given": True}.items() <= {
        one.name: one.signed for one in audit.maps
    }.items()
    message = audit.spec["scores"]
    assert (message["file"], message["texts"], message["notes"]) == (
        "captum:IntegratedGradients",
        4,
        [],
    )


def test_progress_is_told_batch_by_batch() -> None:
    seen: list[tuple[int, int]] = []
    message = lambda done, total: seen.append((done, total))  # noqa: E731
    attributed("captum:Saliency", wrapped(), dataset().test, 0, 3, message)
    assert seen == [(3, 4), (4, 4)]


def test_numbers_that_miss_are_told() -> None:
    message = Attributed("captum:DeepLift", dict.fromkeys("abcde", np.zeros(1)), missed=2).about()[
        "notes"
    ]
    assert message == [
        "2 of 5 texts: the numbers of the words miss the change of the logit by more than 5% of it"
    ]


def test_what_is_not_known_not_there_or_not_possible_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    known = ", ".join(f"captum:{name}" for name in METHODS)
    with pytest.raises(SpecError, match=rf"^scores: captum:Guess: expected one of {known}$"):
        made(Sums(), "Guess")
    monkeypatch.setattr(WrappedModule, "offers", frozenset())
    with pytest.raises(ModelError, match=r"captum:Saliency: .* does not start from embeddings"):
        made(Sums(), "Saliency")
    monkeypatch.setitem(sys.modules, "captum.attr", None)
    with pytest.raises(
        MissingExtra,
        match=r"which is not installed; install it: pip install 'sightline-audit\[captum\]'",
    ):
        made(Sums(), "Saliency")


class Summed(PredictedLogit):
    """Its logit is the sum over the embeddings of a text."""

    def __init__(self) -> None:
        nn.Module.__init__(self)

    def forward(self, embeddings: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        return embeddings.sum((1, 2))


def test_attributions_that_are_no_numbers_miss_the_logit() -> None:
    inputs = torch.ones(3, 2, 1)
    total = torch.tensor([[1.0, 1.0], [torch.nan, 1.0], [1.0, 1.5]])
    assert _missed(Summed(), inputs, torch.zeros_like(inputs), total) == 2
