"""What the parts of a model promise, as checks: each is a function that fails where a part breaks
its word.

The promises stand in the protocols and modules of `sightline.models`;
`tests/contract/test_parts.py` holds every row of the catalogue to them, and shows by wrong parts
that each check can fail.
"""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from sightline.core.protocols import Batch
from sightline.data.batches import collate
from sightline.data.vocabulary import Vocabulary
from tests.texts import WORDS, examples

EXACT = {"atol": 1e-5, "rtol": 1e-5}
LENGTHS = (6, 0, 4, 1)
MASK = torch.arange(6) < torch.tensor(LENGTHS)[:, None]
"""Texts of several lengths; one of them has no tokens."""


def drawn(*shape: int, seed: int = 0) -> torch.Tensor:
    """Draw numbers without a look at the random state of a test."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float32)


def close(one: torch.Tensor, other: torch.Tensor) -> None:
    torch.testing.assert_close(one, other, **EXACT)


def keeps_its_inputs(call: Callable[..., Any], *inputs: Any) -> None:
    before = [one.clone() for one in inputs if isinstance(one, torch.Tensor)]
    state = torch.get_rng_state()
    call(*inputs)
    after = [one for one in inputs if isinstance(one, torch.Tensor)]
    assert all(torch.equal(a, b) for a, b in zip(before, after, strict=True)), (
        "an input was changed"
    )
    assert torch.equal(torch.get_rng_state(), state), "something was drawn"


def is_repeatable(call: Callable[..., torch.Tensor], *inputs: Any) -> None:
    assert torch.equal(call(*inputs), call(*inputs)), "the same inputs gave other numbers"


def reaches(loss: torch.Tensor, inputs: list[torch.Tensor], part: Any) -> list[torch.Tensor]:
    """Take gradients; each must be finite and not all zero, and so must that of every parameter."""
    parameters = list(part.parameters()) if isinstance(part, torch.nn.Module) else []
    found = torch.autograd.grad(loss, [*inputs, *parameters], allow_unused=True)
    assert all(one is not None for one in found), "a gradient is missing"
    gradients = [one for one in found if one is not None]
    assert all(bool(torch.isfinite(one).all()) for one in gradients), "a gradient is not finite"
    assert all(bool(one.any()) for one in gradients), "a gradient is zero"
    return gradients[: len(inputs)]


@dataclass(frozen=True)
class Encoding:
    """An encoder with embeddings of some texts, and the width that its row names."""

    encoder: Any
    width: int
    embeddings: torch.Tensor
    mask: torch.Tensor = MASK

    @property
    def states(self) -> torch.Tensor:
        with torch.no_grad():
            found: torch.Tensor = self.encoder(self.embeddings, self.mask)
        return found


def encoding(encoder: Any, width: int, size: int = 8) -> Encoding:
    return Encoding(encoder, width, drawn(len(LENGTHS), 6, size) * MASK[:, :, None])


def states_have_their_shape_and_type(one: Encoding) -> None:
    assert one.states.shape == (*one.mask.shape, one.width)
    assert (one.states.dtype, one.states.device) == (one.embeddings.dtype, one.embeddings.device)
    for parameter in (wide := double(one)).encoder.parameters():
        assert parameter.dtype == torch.float64
    assert wide.states.dtype == torch.float64


def double(one: Encoding) -> Encoding:
    return replace(one, encoder=deepcopy(one.encoder).double(), embeddings=one.embeddings.double())


def states_of_padding_are_zero(one: Encoding) -> None:
    assert not one.states[~one.mask].any()
    assert one.states[one.mask].any(), "all states are zero"


def a_text_without_tokens_gets_zero_states(one: Encoding) -> None:
    alone = replace(one, embeddings=one.embeddings[1:2], mask=one.mask[1:2])
    short = replace(alone, embeddings=alone.embeddings[:, :1], mask=alone.mask[:, :1])
    several = replace(one, mask=torch.zeros_like(one.mask))
    for each in (alone, short, several):
        assert each.states.shape == (*each.mask.shape, one.width)
        assert not each.states.any()
    assert not one.states[1].any()
    embeddings = one.embeddings.clone().requires_grad_()
    (gradient,) = torch.autograd.grad(one.encoder(embeddings, one.mask).square().sum(), embeddings)
    assert torch.isfinite(gradient).all()
    assert not gradient[1].any()


def padding_is_truncation(one: Encoding) -> None:
    strange = one.embeddings + 9 * ~one.mask[:, :, None]
    close(replace(one, embeddings=strange).states, one.states)
    longer = (
        torch.cat([strange, strange[:, :2]], dim=1),
        torch.cat([one.mask, torch.zeros(4, 2).bool()], dim=1),
    )
    close(replace(one, embeddings=longer[0], mask=longer[1]).states[:, :6], one.states)
    for row, length in enumerate(LENGTHS):
        if length:
            alone = replace(
                one,
                embeddings=one.embeddings[row : row + 1, :length],
                mask=one.mask[row : row + 1, :length],
            )
            close(alone.states[0], one.states[row, :length])


def gradients_of_states_flow(one: Encoding) -> None:
    embeddings = one.embeddings.clone().requires_grad_()
    weights = drawn(*one.mask.shape, one.width, seed=1)
    (gradient,) = reaches(
        (one.encoder(embeddings, one.mask) * weights).sum(), [embeddings], one.encoder
    )
    assert gradient[one.mask].any(dim=1).all(), "a real token gets no gradient"
    assert not gradient[~one.mask].any(), "padding gets a gradient"


def encoding_changes_nothing(one: Encoding) -> None:
    keeps_its_inputs(one.encoder, one.embeddings, one.mask)
    is_repeatable(one.encoder, one.embeddings, one.mask)
    keeps_its_inputs(one.encoder.summary, one.states, one.mask)


def with_and_without_gradients_states_are_equal(one: Encoding) -> None:
    close(one.encoder(one.embeddings.clone().requires_grad_(), one.mask).detach(), one.states)


def a_summary_does_not_see_padding(one: Encoding) -> None:
    with torch.no_grad():
        found = one.encoder.summary(one.states, one.mask)
        assert found.shape == (len(one.mask), one.width)
        assert found.dtype == one.states.dtype
        assert not found[1].any(), "a query without tokens gives zeros"
        for row, length in enumerate(LENGTHS):
            size = max(length, 1)
            close(
                one.encoder.summary(
                    one.states[row : row + 1, :size], one.mask[row : row + 1, :size]
                )[0],
                found[row],
            )
        for row in (0, 2, 3):
            assert found[row].any()


ENCODER = (
    states_have_their_shape_and_type,
    states_of_padding_are_zero,
    a_text_without_tokens_gets_zero_states,
    padding_is_truncation,
    gradients_of_states_flow,
    encoding_changes_nothing,
    with_and_without_gradients_states_are_equal,
    a_summary_does_not_see_padding,
)


@dataclass(frozen=True)
class Scoring:
    """A scorer with states of some texts, and a query of each where it reads one."""

    scorer: Any
    states: torch.Tensor
    query: torch.Tensor | None

    @property
    def scores(self) -> torch.Tensor:
        with torch.no_grad():
            found: torch.Tensor = self.scorer(self.states, self.query)
        return found


def scores_are_those_of_each_token(one: Scoring) -> None:
    assert one.scores.shape == one.states.shape[:2]
    assert one.scores.dtype == one.states.dtype
    assert torch.isfinite(replace(one, states=torch.zeros_like(one.states)).scores).all()
    turned = replace(one, states=one.states.flip(1)).scores
    close(turned.flip(1), one.scores)
    for row in range(len(one.states)):
        query = None if one.query is None else one.query[row : row + 1]
        close(
            replace(one, states=one.states[row : row + 1, :2], query=query).scores[0],
            one.scores[row, :2],
        )
    assert one.scores.std() > 0


def gradients_of_scores_flow(one: Scoring) -> None:
    inputs = [each.clone().requires_grad_() for each in (one.states, one.query) if each is not None]
    scores = one.scorer(inputs[0], inputs[1] if one.query is not None else None)
    gradient = reaches((scores * drawn(*scores.shape, seed=2)).sum(), inputs, one.scorer)[0]
    assert gradient.flatten(1).any(dim=1).all()


def scoring_changes_nothing(one: Scoring) -> None:
    keeps_its_inputs(one.scorer, one.states, one.query)
    is_repeatable(one.scorer, one.states, one.query)


def its_first_layer_is_affine_and_the_rest_scores(one: Scoring) -> None:
    if one.query is None:
        close(one.scorer.rest(one.scorer.first(one.states)).detach(), one.scores)
        assert isinstance(one.scorer.first, torch.nn.Linear)


SCORER = (
    scores_are_those_of_each_token, gradients_of_scores_flow, scoring_changes_nothing,
    its_first_layer_is_affine_and_the_rest_scores,
)  # fmt: skip


def are_weights(weights: torch.Tensor, mask: torch.Tensor, scores: torch.Tensor) -> None:
    assert weights.shape == scores.shape
    assert weights.dtype == scores.dtype
    assert (weights >= 0).all()
    assert (weights[~mask] == 0).all(), "a masked token has a weight"
    close(weights.sum(1), mask.any(1).to(weights))


@dataclass(frozen=True)
class Projecting:
    """A projection with scores."""

    projection: Any
    scores: torch.Tensor = field(default_factory=lambda: drawn(len(LENGTHS), 6, seed=3))

    @property
    def weights(self) -> torch.Tensor:
        with torch.no_grad():
            found: torch.Tensor = self.projection(self.scores, MASK)
        return found


def weights_are_a_distribution_over_the_mask(one: Projecting) -> None:
    are_weights(one.weights, MASK, one.scores)
    with torch.no_grad():
        wide = one.projection(one.scores.double(), MASK)
    are_weights(wide, MASK, one.scores.double())


def masked_scores_do_not_matter(one: Projecting) -> None:
    strange = torch.where(MASK, one.scores, 50 + one.scores)
    close(replace(one, scores=strange).weights, one.weights)
    with torch.no_grad():
        for row, length in enumerate(LENGTHS):
            if length:
                alone = one.projection(
                    one.scores[row : row + 1, :length], MASK[row : row + 1, :length]
                )
                close(alone[0], one.weights[row, :length])


def a_larger_score_gets_no_smaller_weight(one: Projecting) -> None:
    order = one.scores[0].argsort()
    assert (one.weights[0][order].diff() >= -1e-6).all()
    assert one.weights[0].std() > 0


def gradients_of_weights_flow(one: Projecting) -> None:
    scores = one.scores.clone().requires_grad_()
    (gradient,) = reaches(
        (one.projection(scores, MASK) * drawn(*MASK.shape, seed=4)).sum(), [scores], one.projection
    )
    assert not gradient[~MASK].any()


def projecting_changes_nothing(one: Projecting) -> None:
    keeps_its_inputs(one.projection, one.scores, MASK)
    is_repeatable(one.projection, one.scores, MASK)


PROJECTION = (
    weights_are_a_distribution_over_the_mask,
    masked_scores_do_not_matter,
    a_larger_score_gets_no_smaller_weight,
    gradients_of_weights_flow,
    projecting_changes_nothing,
)


def a_batch() -> Batch:
    """Read texts, the words of one of which were all deleted."""
    batch = collate(
        examples((6, 3, 4, 1)), Vocabulary.fit(examples((len(WORDS),))), boundaries=True
    )
    kept = batch.mask.clone()
    kept[1] = False
    return batch.keep(kept)


@dataclass(frozen=True)
class Attending:
    """A source of attention with a batch and scores."""

    source: Any
    batch: Batch
    scores: torch.Tensor

    @property
    def weights(self) -> torch.Tensor:
        with torch.no_grad():
            found: torch.Tensor = self.source(self.scores, self.batch)
        return found


def attending(source: Any) -> Attending:
    batch = a_batch()
    return Attending(source, batch, drawn(*batch.mask.shape, seed=5))


def attention_is_a_distribution_over_words(one: Attending) -> None:
    are_weights(one.weights, one.batch.attendable, one.scores)


def attention_is_the_same_in_any_batch(one: Attending) -> None:
    for row in range(len(one.batch)):
        size = max(1, int(one.batch.mask[row].sum()))
        index = torch.tensor([row])
        alone = one.batch.rows(index)
        alone = alone.keep(alone.mask)
        close(
            replace(one, batch=alone, scores=one.scores[index, :size]).weights[0],
            one.weights[row, :size],
        )


def attending_changes_nothing(one: Attending) -> None:
    before = [tensor.clone() for _, tensor in one.batch._tensors()]
    keeps_its_inputs(one.source, one.scores, one.batch)
    assert all(torch.equal(a, b) for a, (_, b) in zip(before, one.batch._tensors(), strict=True))
    is_repeatable(one.source, one.scores, one.batch)


SOURCE = (
    attention_is_a_distribution_over_words,
    attention_is_the_same_in_any_batch,
    attending_changes_nothing,
)


@dataclass(frozen=True)
class Decoding:
    """A decoder with contexts and what else it reads of each text."""

    decoder: Any
    context: torch.Tensor
    asked: tuple[torch.Tensor, ...]
    classes: int

    def logits(self, context: torch.Tensor, row: slice = slice(None)) -> torch.Tensor:
        found: torch.Tensor = self.decoder(context[row], *(each[row] for each in self.asked))
        return found


def logits_are_those_of_each_text(one: Decoding) -> None:
    with torch.no_grad():
        logits = one.logits(one.context)
        assert logits.shape == (len(one.context), one.classes)
        assert logits.dtype == one.context.dtype
        for row in range(len(one.context)):
            close(one.logits(one.context, slice(row, row + 1))[0], logits[row])
        allowed = one.asked[1] if one.asked else torch.ones_like(logits, dtype=torch.bool)
        assert torch.equal(torch.isfinite(logits), allowed)
        assert torch.equal(torch.isneginf(logits), ~allowed)


def gradients_of_logits_flow(one: Decoding) -> None:
    inputs = [
        one.context.clone().requires_grad_(),
        *(each.clone().requires_grad_() for each in one.asked[:1]),
    ]
    logits = one.decoder(inputs[0], *inputs[1:], *one.asked[1:])
    finite = torch.isfinite(logits)
    loss = torch.where(finite, logits, 0.0) * drawn(*logits.shape, seed=6)
    assert reaches(loss.sum(), inputs, one.decoder)[0].any(dim=1).all()


def decoding_changes_nothing(one: Decoding) -> None:
    keeps_its_inputs(one.decoder, one.context, *one.asked)
    is_repeatable(one.decoder, one.context, *one.asked)


def without_a_query_it_is_affine(one: Decoding) -> None:
    if not one.asked:
        with torch.no_grad():
            first, second = one.context[:1], one.context[1:2]
            mixed = 0.3 * one.decoder(first) + 0.7 * one.decoder(second)
            close(one.decoder(0.3 * first + 0.7 * second), mixed)
            close(one.decoder(one.context[None])[0], one.decoder(one.context))


DECODER = (
    logits_are_those_of_each_text,
    gradients_of_logits_flow,
    decoding_changes_nothing,
    without_a_query_it_is_affine,
)


@dataclass(frozen=True)
class Retaining:
    """A retention with states and embeddings, and how wide pooled vectors are to be."""

    retention: Any
    width: int
    states: torch.Tensor = field(default_factory=lambda: drawn(2, 3, 8, seed=7))
    embeddings: torch.Tensor = field(default_factory=lambda: drawn(2, 3, 8, seed=8))

    @property
    def pooled(self) -> torch.Tensor:
        found: torch.Tensor = self.retention.pool(self.states, self.embeddings)
        return found


def pooled_vectors_are_those_of_each_token(one: Retaining) -> None:
    assert one.pooled.shape == (2, 3, one.width)
    assert one.pooled.dtype == one.states.dtype
    states, embeddings = one.states.clone(), one.embeddings.clone()
    states[0, 1], embeddings[0, 1] = 9.0, 9.0
    moved = (replace(one, states=states, embeddings=embeddings).pooled != one.pooled).any(dim=2)
    assert moved.sum() == 1
    assert moved[0, 1]


def the_embedding_is_where_it_is_said_to_be(one: Retaining) -> None:
    none = replace(one, embeddings=torch.zeros_like(one.embeddings))
    added, columns = one.pooled - none.pooled, one.retention.embedded(one.states.shape[2])
    if columns is None:
        assert not added.any()
    else:
        close(added[:, :, columns], one.embeddings)
        added[:, :, columns] = 0
        assert not added.any()


def retaining_changes_nothing(one: Retaining) -> None:
    keeps_its_inputs(one.retention.pool, one.states, one.embeddings)


RETENTION = (
    pooled_vectors_are_those_of_each_token,
    the_embedding_is_where_it_is_said_to_be,
    retaining_changes_nothing,
)
