"""All heads of a layer are replaced at once, each as it would be alone, and the model answers as it
does literally.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import torch

import sightline
from sightline.adapters.compatibility import check
from sightline.adapters.huggingface.auditable import HuggingFace
from sightline.adapters.tap.attention_row import AttentionRow
from sightline.adapters.tap.softmax_tracer import Site
from sightline.audits.audit_result import Audit
from sightline.config.spec_syntax import parse_data
from sightline.core.example import Example
from sightline.core.protocols import Trace
from sightline.core.results import Measurement
from sightline.core.tokeniser import tokenise
from sightline.data.dataset import Dataset
from sightline.measures.batch_words import Words, like, words_of
from sightline.measures.default_measures import default_measures
from sightline.measures.importance import deletion_importance
from sightline.measures.trace_arrays import rearranged
from sightline.models.alterations import RandomShown
from sightline.models.attacks import Encoded
from sightline.numerics.projections import renormalise
from tests.adapters.huggingface import planted
from tests.adapters.huggingface.planted import CUE, DATA, HEAD, HEADS, LITTLE, planted_bert
from tests.adapters.huggingface.toys import classifier, tokenizer_of
from tests.reference import all_heads as literal

WRITTEN = (
    "the film was good and very bad",
    "slowness",
    "townspeople were notably goodish , so long",
    "why not ?",
)
TEXTS = [Example(f"text {i}", i, text, *tokenise(text), label=0) for i, text in enumerate(WRITTEN)]
FAMILIES = ("bert", "gpt2", "eurobert")
"""Models whose classifier reads the first row, the last behind a causal mask, and all rows."""
LAYERS = (0, 1)
CLOSE = 2e-6
"""Logits of two ways to add up the same products in single precision."""


def opened(family: str, **reading: Any) -> HuggingFace:
    return sightline.transformer(classifier(family), tokenizer_of(family), **reading)


# ---------------------------------------------------------------- what is put back, against a slow literal version


@dataclass(frozen=True)
class Put:
    """One way to make other weights: as the measures do it for a batch, and of the weights of one
    row in a list.
    """

    batch: Callable[[Trace, Words], torch.Tensor]
    one: Callable[[list[float], int], list[float]]


def _turned(words: Words) -> np.ndarray:
    """Move each word's weight to the word before it, the first word's to the last."""
    out = np.tile(np.arange(words.mask.shape[1]), (len(words.mask), 1))
    for row, real in enumerate(words.mask):
        out[row, real] = np.roll(np.nonzero(real)[0], -1)
    return out


def _without_first(words: Words) -> np.ndarray:
    several = words.mask.sum(1, keepdims=True) > 1
    first = words.mask & (words.mask.cumsum(1) == 1)
    kept = np.where(first & several, 0.0, words.own)
    return np.asarray(kept / np.maximum(kept.sum(-1, keepdims=True), np.finfo(float).tiny))


def _zeroed(own: list[float]) -> list[float]:
    left = [0.0, *own[1:]] if len(own) > 1 else own
    return [one / sum(left) for one in left]


def _falling(words: Words) -> np.ndarray:
    weights = words.mask * 0.5 ** words.mask.cumsum(1)
    return np.asarray(weights / weights.sum(1, keepdims=True))


PUTS: Mapping[str, Put] = {
    "its own": Put(lambda trace, words: trace.own, lambda own, count: own),
    "permuted": Put(
        lambda trace, words: like(
            words.by_head(rearranged(words.own, words.mask, _turned(words))), trace
        ),
        lambda own, count: [*own[1:], own[0]],
    ),
    "without a word": Put(
        lambda trace, words: like(words.by_head(_without_first(words)), trace),
        lambda own, count: _zeroed(own),
    ),
}
"""What is made of the weights of each head."""


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize("family", FAMILIES)
def test_what_is_made_of_the_weights_is_put_into_every_head_as_the_literal_version_does(
    family: str, layer: int
) -> None:
    model = opened(family, layer=layer)
    trace = model.trace(model.collate(TEXTS))
    words = words_of(trace)
    assert words.shares is not None  # some word is read in pieces
    assert trace.heads is not None
    for name, put in PUTS.items():
        found = model.decode(trace, put.batch(trace, words))
        for row, text in enumerate(TEXTS):
            pieces = model.reader.read(text)
            places = _read(family, len(pieces.ids))
            edit = _of_words(put.one)
            wanted, own = literal.answer(
                model.module, pieces.ids, pieces.words, layer, places, edit
            )
            assert len(own) == 4 * len(places)
            assert found[row].tolist() == pytest.approx(wanted, abs=CLOSE), (name, text.text)
            if name == "permuted" and len(text.tokens) > 1:
                assert (found[row] - trace.logits[row]).abs().max() > 1e-4


def _of_words(made: Callable[[list[float], int], list[float]]) -> literal.Edit:
    return lambda own, words: literal.by_words(own, words, lambda totals: made(totals, len(totals)))


def _read(family: str, pieces: int) -> list[int]:
    return {"bert": [0], "gpt2": [pieces - 1]}.get(family, [*range(pieces)])


@pytest.mark.parametrize("family", FAMILIES)
def test_one_map_is_put_into_every_head(family: str) -> None:
    """Its pieces share as they do in the map that is shown; each head keeps what it has for special
    tokens.
    """
    model = opened(family)
    trace = model.trace(model.collate(TEXTS))
    words = words_of(trace)
    tokens = like(words.weights(_falling(words)), trace)
    uniform = trace.batch.attendable / trace.batch.attendable.sum(1, keepdim=True)
    for given in (tokens, uniform):
        found = model.decode(trace, given)
        for row, text in enumerate(TEXTS):
            pieces = model.reader.read(text)
            of_pieces = given[row, : len(pieces.ids)].tolist()

            def edit(
                own: list[float], words: Any, of_pieces: list[float] = of_pieces
            ) -> list[float]:
                share = sum(one for one, word in zip(own, words, strict=True) if word >= 0)
                return [
                    one if word < 0 else share * new
                    for one, word, new in zip(own, words, of_pieces, strict=True)
                ]

            places = _read(family, len(pieces.ids))
            wanted, _ = literal.answer(model.module, pieces.ids, pieces.words, 1, places, edit)
            assert found[row].tolist() == pytest.approx(wanted, abs=CLOSE)


@pytest.mark.parametrize("family", FAMILIES)
def test_what_is_shown_is_the_mean_of_what_is_put_back(family: str) -> None:
    model = opened(family)
    trace = model.trace(model.collate(TEXTS))
    own, words = trace.inside.own, trace.batch.attendable
    real = trace.batch.mask.to(own.dtype)
    rows = own if own.dim() == 3 else (own * real.T[:, :, None]).sum(1) / real.sum(1)[:, None]
    assert torch.allclose(renormalise(rows.mean(0), words), trace.attention, atol=1e-6)
    assert torch.allclose(trace.own.sum(-1)[..., : len(TEXTS)].amax(), torch.tensor(1.0), atol=1e-5)


def test_behind_a_causal_mask_no_row_gets_weight_on_what_it_cannot_see() -> None:
    """Where all rows are read, as by a mean over a decoder's states."""
    seen = torch.ones(5, 5).tril()
    own = torch.rand(3, 5, 1, 5, generator=torch.Generator().manual_seed(0)) * seen[:, None]
    own = own / own.sum(-1, keepdim=True)
    words = torch.tensor([[False, True, True, True, True]])
    choice = AttentionRow(Site("some"), None, "all", by_token=True)
    given = renormalise(torch.tensor([[0.0, 0.1, 0.2, 0.3, 0.4]]), words)
    for attention in (given, renormalise(own.flip(-1), words)):
        put = choice.replaced(own, attention, words)
        assert not put[(seen == 0)[:, None].expand_as(put)].any()
        assert torch.allclose(put.sum(-1), own.sum(-1))
        assert torch.equal(put[..., 0], own[..., 0])  # a special token keeps its weight
    alone = choice.replaced(own, given, words)[:, 2, 0, 1:3]
    assert torch.allclose(alone[:, 1] / alone[:, 0], torch.tensor(2.0))


@pytest.mark.parametrize("family", FAMILIES)
def test_the_weights_of_a_shortened_text_are_those_of_the_words_left(family: str) -> None:
    """Under the own weights of every head, scaled to the words that are left, by one run a word."""
    model = opened(family)
    trace = model.trace(model.collate(TEXTS[:1]))
    found = deletion_importance(model, trace, {"held": trace.own})["held"]
    words = words_of(trace)
    for word in range(int(words.mask.sum())):
        place = torch.from_numpy(words.place)
        kept = trace.batch.mask & (place != word)
        shorter = model.trace(trace.batch.keep(kept))
        left = trace.own[..., kept[0]]
        if left.dim() == 4:  # a row for each token, and that of the word is gone, too
            left = left[:, kept[0]]
        logits = model.decode(shorter, renormalise(left, shorter.batch.attendable))
        moved = (logits.softmax(-1) - trace.logits.softmax(-1)).abs().sum() / 2
        assert found[0, word] == pytest.approx(float(moved), abs=1e-6)


@pytest.mark.parametrize("reading", [{}, {"layer": 0}, {"layer": 0, "head": 2}])
@pytest.mark.parametrize("family", FAMILIES)
def test_putting_all_own_weights_back_is_checked_before_an_audit(
    family: str, reading: dict[str, int]
) -> None:
    found = {proof.name: proof for proof in check(opened(family, **reading), TEXTS)}
    assert (found["identity"].outcome, found["used"].outcome) == ("passed", "passed")
    assert found["identity"].measured is not None
    assert found["identity"].measured < CLOSE


def test_a_model_that_does_not_use_what_is_put_back_fails_the_check(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The mean in every head is no identity: only the weights of each head are."""
    mean = AttentionRow.replaced

    def flattened(
        self: AttentionRow, own: torch.Tensor, attention: torch.Tensor, words: torch.Tensor
    ) -> torch.Tensor:
        return mean(self, own, attention.mean(0) if attention.dim() > 2 else attention, words)

    monkeypatch.setattr(AttentionRow, "replaced", flattened)
    found = {proof.name: proof.outcome for proof in check(opened("bert"), TEXTS)}
    assert found["identity"] == "failed"


# ---------------------------------------------------------------- heads that are written down, and one that cheats

ASKED = (
    "need",
    "agreement",
    "permutation",
    "erasure",
    "transplant",
    "marks",
    "repair",
    "reach",
    "types",
)


@pytest.fixture(scope="module")
def texts() -> Dataset:
    return sightline.load(parse_data(DATA), 0)


def audited(model: HuggingFace, texts: Dataset, *asked: str, limit: int = 24) -> Audit:
    return sightline.audit(
        model, texts, limit=limit, measures=default_measures(chosen=asked or ASKED)
    )


def numbers(audit: Audit, measure: str, name: str) -> np.ndarray:
    found = audit.measurements[measure]
    assert isinstance(found, Measurement), found
    return np.asarray(found.values[name], dtype=float)


def test_all_heads_at_once_answer_what_the_head_that_decides_answers_alone(texts: Dataset) -> None:
    """The other heads add next to nothing, whatever is put into them."""
    module, tokenizer = planted_bert("cues", seed=1)
    one = sightline.transformer(module, tokenizer, layer=1, head=HEAD)
    every = sightline.transformer(module, tokenizer, layer=1)
    single, together = (
        audited(model, texts, "need", "permutation", limit=4) for model in (one, every)
    )
    for name in ("need.permuted_odds", "need.uniform_odds", "permutation.median"):
        found, wanted = (numbers(audit, *name.split(".")) for audit in (together, single))
        assert found == pytest.approx(wanted, abs=200 * LITTLE, rel=0.02), name
        assert np.abs(wanted).mean() > 0.1
    assert numbers(together, "need", "identity_error").max() < 1e-5


def elsewhere() -> tuple[Any, Any]:
    """Let the prediction come from the first layer; in the last, every head attends to the cue and
    adds nothing.
    """
    module, tokenizer = planted_bert("cues", seed=1)
    first, last = (layer.attention for layer in module.bert.encoder.layer)
    with torch.no_grad():
        planted._write_head(first, HEAD, {CUE: 2}, 2)
        for head in range(HEADS):
            planted._write_head(last, head, {CUE: 2}, LITTLE)
    return module, tokenizer


def test_a_layer_that_attends_to_the_right_words_and_is_not_used_is_found_out(
    texts: Dataset,
) -> None:
    model = sightline.transformer(*elsewhere(), layer=1)
    audit = audited(model, texts, "need", "agreement", "transplant", limit=150)
    found = {one.code: one for one in audit.findings}
    assert (
        found["SL-303"].result == found["SL-102"].result == "passed"
    )  # the map names the right words
    assert found["SL-001"].result == "failed"  # and nothing is lost without its weights
    assert any(str(reason).startswith("SL-001 failed") for reason in audit.verdict.reasons)
    used = audited(sightline.transformer(*elsewhere(), layer=0), texts, "need", limit=60)
    assert {one.code: one for one in used.findings}["SL-001"].result == "passed"


@pytest.mark.parametrize(
    "reading", [{"reading": "rollout"}, {"reading": "values"}, {"reading": "evidence"}]
)
def test_what_is_computed_from_weights_is_not_put_back(
    reading: dict[str, str], texts: Dataset
) -> None:
    model = sightline.transformer(*planted_bert("cues"), **reading)
    assert "decode" not in model.offers
    assert model.trace(model.collate(texts.test[:2])).heads is None


@pytest.mark.parametrize("wrong", [RandomShown, Encoded])
def test_a_model_of_which_another_map_is_shown_answers_by_what_each_head_has(
    wrong: type[RandomShown | Encoded],
) -> None:
    data = sightline.load(parse_data("planted:needle(n=80,length=8)"), 0)
    model = opened("bert")
    batch = model.collate(data.test[:4])
    own, shown = model.trace(batch), wrong(model, data, 0)
    trace = shown.trace(batch)
    assert trace.heads is None
    assert (trace.attention != own.attention).any()
    for logits in (trace.logits, shown.decode(trace, trace.own)):
        assert (logits - own.logits).abs().max() < CLOSE
    everywhere = model.decode(
        own, own.attention
    )  # the mean, put into every head, is another answer
    assert (everywhere - own.logits).abs().max() > 10 * CLOSE
