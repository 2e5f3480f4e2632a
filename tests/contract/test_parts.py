"""Every part of the catalogue keeps its promises (`tests.contract.promises`), and each promise can
be broken.

A wrong part is one small change of a right one; the promise that it breaks must fail, by name.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import nn

from sightline.config.part_compatibility import states_width
from sightline.config.part_syntax import Part, parse_part
from sightline.config.registry import DECODERS, ENCODERS, PROJECTIONS, RETENTIONS, SCORERS, SOURCES
from sightline.config.spec_syntax import parse_model
from sightline.core.protocols import Batch
from sightline.data.vocabulary import Vocabulary
from sightline.models.attention import GivenWeights
from sightline.models.build_part import build_part
from sightline.models.classifier import build
from sightline.models.decoders import LinearDecoder, QueryDecoder
from sightline.models.encoders.mlp import MLP
from sightline.models.fast.prefix_dedup import SharesPrefixes, TokenTypes
from sightline.models.fast.state_jacobian import EncoderInfluence
from sightline.models.projection_layers import Projector
from sightline.models.retention import NoRetention, Setting
from sightline.models.scorers import Additive
from sightline.numerics.projections import softmax
from tests.contract import promises
from tests.contract.promises import EXACT, MASK, Attending, attending, close, drawn, encoding
from tests.parts import small_part
from tests.texts import WORDS, examples, untrained

Promise = Callable[[Any], None]
OFTEN = {
    "encoder": ["bilstm(hidden=4,layers=2)", "cnn(channels=2,kernels=3)"],
    "scorer": ["dot(start=normal)", "dot(scaled=false)", "deep(hidden=16,layers=3)"],
    "projection": [
        "entmax(learned=true)",
        "entmax(alpha=1.0)",
        "entmax(alpha=2.0)",
        "sparsegen(lambda=-0.5)",
    ],
}
"""Parts at other options, beside those of each row."""


def parts(room: str, names: tuple[str, ...]) -> list[str]:
    return [*(small_part(room, name) for name in names), *OFTEN.get(room, ())]


def each(room: str, names: tuple[str, ...], kept: tuple[Promise, ...]) -> pytest.MarkDecorator:
    cases = [(part, promise) for part in parts(room, names) for promise in kept]
    return pytest.mark.parametrize(
        ("part", "promise"), cases, ids=[f"{p}-{one.__name__}" for p, one in cases]
    )


def make(room: str, part: str, *around: Any) -> Any:
    torch.manual_seed(1)
    found = build_part(room, parse_part(part), *around)
    return found.eval() if isinstance(found, nn.Module) else found


def an_encoding(part: str) -> promises.Encoding:
    return encoding(make("encoder", part, 8), states_width(parse_part(part)))


@each("encoder", ENCODERS, promises.ENCODER)
def test_an_encoder_keeps_its_promises(part: str, promise: Promise) -> None:
    promise(an_encoding(part))


@pytest.mark.parametrize("part", parts("encoder", ENCODERS))
def test_what_is_distinct_makes_the_states(part: str) -> None:
    encoder = make("encoder", part, 8)
    if not (isinstance(encoder, SharesPrefixes) and encoder.shares):
        return
    table = torch.cat([torch.zeros(1, 8), drawn(5, 8)])
    number = torch.tensor([[1, 2, 3, 1, 2, 5], [0] * 6, [1, 2, 4, 4, 0, 0], [3] + [0] * 5])
    with torch.no_grad():
        found = encoder.distinct(TokenTypes(table, number, MASK))
        states = torch.cat([one.vectors[one.at] for one in found], dim=2)
        close(states[MASK], encoder(table[number], MASK)[MASK])
    for one in found:
        assert torch.equal(one.token[one.at][MASK], number[MASK])


@pytest.mark.parametrize("part", parts("encoder", ENCODERS))
def test_influence_is_that_of_one_backward_pass_a_state(part: str) -> None:
    one = an_encoding(part)
    if not (isinstance(one.encoder, EncoderInfluence) and one.encoder.influences):
        return
    along, beside = (
        drawn(*one.states.shape, seed=5),
        drawn(*one.embeddings.shape, seed=6) * MASK[:, :, None],
    )
    with torch.no_grad():
        found = one.encoder.influence(one.embeddings, MASK, along, beside)
    embeddings = one.embeddings.clone().requires_grad_()
    numbers = (one.encoder(embeddings, MASK) * along).sum(2)
    for row, place in torch.nonzero(MASK).tolist():
        (gradient,) = torch.autograd.grad(numbers[row, place], embeddings, retain_graph=True)
        gradient[row, place] += beside[row, place]
        torch.testing.assert_close(
            found[row, place][MASK[row]], gradient[row].norm(dim=1)[MASK[row]], **EXACT
        )
        assert not found[row, place][~MASK[row]].any()
    assert not found[1].any()
    assert all(parameter.grad is None for parameter in one.encoder.parameters())


def a_scoring(scorer: Any, asked: bool) -> promises.Scoring:
    return promises.Scoring(scorer, drawn(3, 5, 8), drawn(3, 8, seed=9) if asked else None)


@pytest.mark.parametrize("asked", [False, True])
@each("scorer", SCORERS, promises.SCORER)
def test_a_scorer_keeps_its_promises(part: str, promise: Promise, asked: bool) -> None:
    promise(a_scoring(make("scorer", part, 8, 8 if asked else 0, 1), asked))


@each("projection", PROJECTIONS, promises.PROJECTION)
def test_a_projection_keeps_its_promises(part: str, promise: Promise) -> None:
    promise(promises.Projecting(make("projection", part, 3)))


@pytest.mark.parametrize("part", [*parts("projection", PROJECTIONS), "gumbel(test_noise=true)"])
def test_noise_of_a_projection_comes_from_its_seed_and_is_none_at_test_unless_it_was_asked_for(
    part: str,
) -> None:
    batch = promises.a_batch()
    scores = drawn(*batch.mask.shape)
    before = scores.clone()

    def disturbed(seed: int, training: bool) -> list[torch.Tensor]:
        projection = make("projection", part, seed).train(training)
        return [projection.disturb(scores, batch) for _ in range(2)]

    for training in (True, False):
        noisy = "gumbel" in part and (training or "test_noise" in part)
        first, second = disturbed(3, training)
        assert all(
            torch.equal(a, b) for a, b in zip((first, second), disturbed(3, training), strict=True)
        )
        assert torch.equal(first, scores) != noisy
        assert torch.equal(first, disturbed(4, training)[0]) != noisy
        assert torch.equal(first, second) != (noisy and training)
        assert first.dtype == scores.dtype
    assert torch.equal(scores, before)


def source_of(name: str, seed: int = 3) -> Any:
    return untrained(f"mlp(hidden=8)+additive+softmax+{name}", seed=seed, boundaries=True).source


@each("source", SOURCES, promises.SOURCE)
def test_a_source_keeps_its_promises(part: str, promise: Promise) -> None:
    promise(attending(source_of(part)))


@pytest.mark.parametrize("promise", promises.SOURCE)
def test_weights_that_are_handed_in_keep_the_promises_of_a_source(promise: Promise) -> None:
    lengths = (6, 3, 4, 1)
    promise(
        attending(
            GivenWeights({row: drawn(n, seed=row).exp().numpy() for row, n in enumerate(lengths)})
        )
    )


@pytest.mark.parametrize("part", parts("source", SOURCES))
def test_the_seed_alone_decides_what_a_source_draws(part: str) -> None:
    one, other = (attending(source_of(part, seed)).weights for seed in (3, 4))
    torch.manual_seed(5)
    assert torch.equal(attending(source_of(part, 3)).weights, one)
    assert torch.equal(one, other) == (
        part not in ("random", "frozen") and not part.startswith("given")
    )


@pytest.mark.parametrize("part", ["random", "frozen"])
def test_what_was_drawn_for_a_word_stays_with_it(part: str) -> None:
    one = attending(source_of(part))
    kept = one.batch.mask.clone()
    kept[0, 2] = False
    fewer = one.batch.keep(kept)
    left = torch.cat([one.weights[:1, :2], one.weights[:1, 3:]], dim=1)
    found = replace(one, batch=fewer, scores=one.scores[:, : fewer.mask.shape[1]]).weights
    close(found[0, : left.shape[1]], left[0] / left.sum())


def a_decoding(name: str, classes: int) -> promises.Decoding:
    asked = name == "query"
    decoder = make("decoder", name, 8, 8 if asked else 0, classes)
    allowed = torch.tensor([[c != row % classes for c in range(classes)] for row in range(4)])
    beside = (drawn(4, 8, seed=9), allowed) if asked else ()
    contexts = drawn(4, classes, 8) if name == "labelwise" else drawn(4, 8)
    one_logit = classes == 2 and name == "linear"
    return promises.Decoding(decoder, contexts, beside, 1 if one_logit else classes)


@pytest.mark.parametrize("classes", [2, 4])
@each("decoder", DECODERS, promises.DECODER)
def test_a_decoder_keeps_its_promises(part: str, promise: Promise, classes: int) -> None:
    promise(a_decoding(part, classes))


def test_without_candidates_every_answer_is_allowed() -> None:
    one = a_decoding("query", 4)
    assert isinstance(one.decoder, QueryDecoder)
    with torch.no_grad():
        free = one.decoder(one.context, one.asked[0], None)
        assert torch.isfinite(free).all()
        assert torch.equal(free[one.asked[1]], one.logits(one.context)[one.asked[1]])


def a_model(retention: str) -> Any:
    return untrained(f"bilstm(hidden=4)+additive+softmax+{retention}")


@each("retention", RETENTIONS, promises.RETENTION)
def test_a_retention_keeps_its_promises(part: str, promise: Promise) -> None:
    model = a_model(part)
    promise(promises.Retaining(model.retention, model.spec.pooled))


@pytest.mark.parametrize("part", [*parts("retention", RETENTIONS), "mlm(p=0.9)"])
def test_a_penalty_is_a_finite_number_that_padding_adds_nothing_to(part: str) -> None:
    model = a_model(part)
    model.train()
    batch = model.collate(examples((6, 3, 4)))
    kept = batch.mask.clone()
    kept[1] = False
    with_empty = batch.keep(kept)
    found = [
        penalty_of(a_model(part), one)
        for one in (with_empty, with_empty.rows(torch.tensor([0, 2])))
    ]
    if found[0] is None:
        assert part in ("none", "concat", "residual")
        return
    assert found[0].shape == ()
    assert torch.isfinite(found[0])
    assert found[0] >= 0
    if part.startswith("tying"):  # what mlm draws goes by the rows of a batch
        torch.testing.assert_close(found[0], found[1])
    again = penalty_of(a_model(part), with_empty)
    assert again is not None
    assert torch.equal(found[0], again)
    found[0].backward()


def penalty_of(model: Any, batch: Batch) -> torch.Tensor | None:
    state = torch.get_rng_state()
    penalty: torch.Tensor | None = model.auxiliary_loss(model.run(batch))
    assert torch.equal(torch.get_rng_state(), state), "something was drawn that is not of its seed"
    if penalty is not None:
        gradients = torch.autograd.grad(penalty, [*model.encoder.parameters()], retain_graph=True)
        assert all(bool(torch.isfinite(one).all()) for one in gradients)
    return penalty


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("encoder", parts("encoder", ENCODERS))
def test_a_batch_whose_words_were_all_deleted_can_be_run(encoder: str, source: str) -> None:
    model = untrained(f"{encoder}+additive+softmax+{source}")
    for lengths in ((1,), (7, 1, 4)):
        batch = model.collate(examples(lengths))
        empty = batch.keep(torch.zeros_like(batch.mask))
        trace = model.trace(empty)
        assert torch.isfinite(trace.logits).all()
        assert not trace.states.any()
        assert not trace.attention.any()
        assert torch.equal(trace.logits, model.decoder.affine.bias.expand_as(trace.logits))
        if "variants" in model.offers:
            torch.testing.assert_close(model.trace_variants(empty).logits, trace.logits, **EXACT)


# ---------------------------------------------------------------- what is wrong


class Around(nn.Module):
    """A right encoder, one step of which is done wrongly."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(1)
        self.right = MLP(8, 8)

    def forward(self, embeddings: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return self.right(embeddings, mask)

    def summary(self, states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return self.right.summary(states, mask)


class CrashesOnEmptyTexts(Around):
    def forward(self, embeddings: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        if not mask.any(dim=1).all():
            raise RuntimeError("expected a length above 0")
        return super().forward(embeddings, mask)


class SpeaksForEmptyTexts(Around):
    def forward(self, embeddings: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return super().forward(embeddings, mask | ~mask.any(dim=1, keepdim=True))


class IsNoNumberOnEmptyTexts(Around):
    def forward(self, embeddings: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return super().forward(embeddings, mask) + (0.0 / mask.sum(1))[:, None, None]


class CrashesOnBatchesOfEmptyTexts(Around):
    def forward(self, embeddings: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        assert mask.any()
        return super().forward(embeddings, mask)


class LeavesPadding(Around):
    def forward(self, embeddings: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return torch.tanh(self.right.affine(embeddings)) * mask.any(1)[:, None, None]


class ReadsPadding(Around):
    def forward(self, embeddings: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return (super().forward(embeddings, mask) + embeddings.mean(1, keepdim=True)) * mask[
            :, :, None
        ]


class CountsTheBatch(Around):
    def forward(self, embeddings: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return super().forward(embeddings, mask) / mask.shape[1]


class ChangesItsInput(Around):
    def forward(self, embeddings: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            embeddings.mul_(1.5)
        return super().forward(embeddings, mask)


class Draws(Around):
    def forward(self, embeddings: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return nn.functional.dropout(super().forward(embeddings, mask), 0.5, training=True)


class Detaches(Around):
    def forward(self, embeddings: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return super().forward(embeddings.detach(), mask)


class ForgetsAParameter(Around):
    def __init__(self) -> None:
        super().__init__()
        self.unused = nn.Linear(2, 2)


class IsTooNarrow(Around):
    def forward(self, embeddings: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return super().forward(embeddings, mask)[:, :, :-1]


class IsSingle(Around):
    def forward(self, embeddings: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return super().forward(embeddings, mask).float()


class DiffersWithoutGradients(Around):
    def forward(self, embeddings: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return super().forward(embeddings, mask) * (2.0 if torch.is_grad_enabled() else 1.0)


class AveragesPadding(Around):
    def summary(self, states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return states.mean(1)


class DividesByNothing(Around):
    def summary(self, states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return states.sum(1) / mask.sum(1, keepdim=True)


WRONG_ENCODERS: dict[type[Around], Promise] = {
    CrashesOnEmptyTexts: promises.a_text_without_tokens_gets_zero_states,
    SpeaksForEmptyTexts: promises.a_text_without_tokens_gets_zero_states,
    IsNoNumberOnEmptyTexts: promises.a_text_without_tokens_gets_zero_states,
    CrashesOnBatchesOfEmptyTexts: promises.a_text_without_tokens_gets_zero_states,
    LeavesPadding: promises.states_of_padding_are_zero,
    ReadsPadding: promises.padding_is_truncation,
    CountsTheBatch: promises.padding_is_truncation,
    ChangesItsInput: promises.encoding_changes_nothing,
    Draws: promises.encoding_changes_nothing,
    Detaches: promises.gradients_of_states_flow,
    ForgetsAParameter: promises.gradients_of_states_flow,
    IsTooNarrow: promises.states_have_their_shape_and_type,
    IsSingle: promises.states_have_their_shape_and_type,
    DiffersWithoutGradients: promises.with_and_without_gradients_states_are_equal,
    AveragesPadding: promises.a_summary_does_not_see_padding,
    DividesByNothing: promises.a_summary_does_not_see_padding,
}


@pytest.mark.parametrize("wrong", WRONG_ENCODERS, ids=lambda one: one.__name__)
def test_a_wrong_encoder_breaks_its_promise(wrong: type[Around]) -> None:
    with pytest.raises(RuntimeError if wrong is CrashesOnEmptyTexts else AssertionError):
        WRONG_ENCODERS[wrong](encoding(wrong().eval(), 8))
    WRONG_ENCODERS[wrong](encoding(Around().eval(), 8))


def wrong_scorer(
    change: Callable[[torch.Tensor], torch.Tensor], states: Callable = lambda s: s
) -> Any:
    class Wrong(Additive):
        def forward(self, given: torch.Tensor, query: torch.Tensor | None = None) -> torch.Tensor:
            return change(super().forward(states(given), query))

    torch.manual_seed(1)
    return Wrong(8, 0, 1, 4)


def wrong_projection(project: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]) -> Projector:
    return Projector(project)


def wrong_decoder(change: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    class Wrong(LinearDecoder):
        def forward(self, pooled: torch.Tensor) -> torch.Tensor:
            return change(super().forward(pooled))

    torch.manual_seed(1)
    return Wrong(8, 0, 4)


class Misplaced(NoRetention):
    def pool(self, states: torch.Tensor, embeddings: torch.Tensor) -> torch.Tensor:
        return states + embeddings


class Mixed(NoRetention):
    def pool(self, states: torch.Tensor, embeddings: torch.Tensor) -> torch.Tensor:
        return states + states.mean(1, keepdim=True)


class InPlace(NoRetention):
    def pool(self, states: torch.Tensor, embeddings: torch.Tensor) -> torch.Tensor:
        return states.mul_(1.5)


def retaining(kind: type[NoRetention]) -> promises.Retaining:
    model = a_model("none")
    setting = Setting(model.spec, model.embedding, model.encoder, 3)
    states, embeddings = drawn(2, 3, 8, seed=7), drawn(2, 3, 8, seed=8)
    return promises.Retaining(kind(setting), model.spec.pooled, states, embeddings)


def wrong_source(attend: Callable[[torch.Tensor, Batch], torch.Tensor]) -> Attending:
    return attending(attend)


def flat(scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Weigh all that is real alike, and give up no gradient."""
    return softmax(scores * 0, mask)


WRONG: dict[str, tuple[Promise, Callable[[], Any]]] = {
    "scores of a batch": (
        promises.scores_are_those_of_each_token,
        lambda: a_scoring(wrong_scorer(lambda s: s - s.mean()), False),
    ),
    "scores that see places": (
        promises.scores_are_those_of_each_token,
        lambda: a_scoring(wrong_scorer(lambda s: s + torch.arange(s.shape[1])), False),
    ),
    "scores without a slope": (
        promises.gradients_of_scores_flow,
        lambda: a_scoring(wrong_scorer(torch.detach), False),
    ),
    "a scorer that draws": (
        promises.scoring_changes_nothing,
        lambda: a_scoring(wrong_scorer(lambda s: s + torch.rand(())), False),
    ),
    "a scorer that changes states": (
        promises.scoring_changes_nothing,
        lambda: a_scoring(wrong_scorer(lambda s: s, lambda h: h.mul_(1.1)), False),
    ),
    "a first layer that is not all": (
        promises.its_first_layer_is_affine_and_the_rest_scores,
        lambda: a_scoring(wrong_scorer(lambda s: 2 * s), False),
    ),
    "a projection over padding": (
        promises.weights_are_a_distribution_over_the_mask,
        lambda: promises.Projecting(wrong_projection(lambda s, m: s.softmax(1))),
    ),
    "a projection that is no number on empty texts": (
        promises.weights_are_a_distribution_over_the_mask,
        lambda: promises.Projecting(
            wrong_projection(lambda s, m: s.masked_fill(~m, -torch.inf).softmax(1))
        ),
    ),
    "weights that need not sum to one": (
        promises.weights_are_a_distribution_over_the_mask,
        lambda: promises.Projecting(wrong_projection(lambda s, m: s.sigmoid() * m)),
    ),
    "masked scores that count": (
        promises.masked_scores_do_not_matter,
        lambda: promises.Projecting(wrong_projection(lambda s, m: s.softmax(1) * m)),
    ),
    "weights turned round": (
        promises.a_larger_score_gets_no_smaller_weight,
        lambda: promises.Projecting(wrong_projection(lambda s, m: softmax(-s, m))),
    ),
    "weights that are all alike": (
        promises.gradients_of_weights_flow,
        lambda: promises.Projecting(wrong_projection(flat)),
    ),
    "a projection that changes scores": (
        promises.projecting_changes_nothing,
        lambda: promises.Projecting(
            wrong_projection(lambda s, m: softmax(s.mul_(1.1), m)), drawn(4, 6, seed=3)
        ),
    ),
    "attention on boundaries": (
        promises.attention_is_a_distribution_over_words,
        lambda: wrong_source(lambda s, b: softmax(s, b.mask)),
    ),
    "attention that goes by the batch": (
        promises.attention_is_the_same_in_any_batch,
        lambda: wrong_source(lambda s, b: softmax(s * b.mask.shape[1], b.attendable)),
    ),
    "attention that is drawn each time": (
        promises.attending_changes_nothing,
        lambda: wrong_source(lambda s, b: softmax(torch.randn_like(s), b.attendable)),
    ),
    "logits of a batch": (
        promises.logits_are_those_of_each_text,
        lambda: replace(a_decoding("linear", 4), decoder=wrong_decoder(lambda z: z - z.mean(0))),
    ),
    "logits without a slope": (
        promises.gradients_of_logits_flow,
        lambda: replace(a_decoding("linear", 4), decoder=wrong_decoder(torch.detach)),
    ),
    "a decoder that draws": (
        promises.decoding_changes_nothing,
        lambda: replace(
            a_decoding("linear", 4), decoder=wrong_decoder(lambda z: z + torch.rand(()))
        ),
    ),
    "a decoder that is not affine": (
        promises.without_a_query_it_is_affine,
        lambda: replace(a_decoding("linear", 4), decoder=wrong_decoder(torch.tanh)),
    ),
    "an embedding that is not told of": (
        promises.the_embedding_is_where_it_is_said_to_be,
        lambda: retaining(Misplaced),
    ),
    "pooled vectors that see others": (
        promises.pooled_vectors_are_those_of_each_token,
        lambda: retaining(Mixed),
    ),
    "a retention that changes states": (
        promises.retaining_changes_nothing,
        lambda: retaining(InPlace),
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_part_breaks_its_promise(name: str) -> None:
    promise, wrong = WRONG[name]
    with pytest.raises(RuntimeError if "without a slope" in name else AssertionError):
        promise(wrong())


def test_every_promise_was_seen_to_be_broken() -> None:
    kept = (
        promises.ENCODER,
        promises.SCORER,
        promises.PROJECTION,
        promises.SOURCE,
        promises.DECODER,
        promises.RETENTION,
    )
    broken = {*WRONG_ENCODERS.values(), *(promise for promise, _ in WRONG.values())}
    assert {one for each in kept for one in each} == broken


def test_a_model_is_built_from_its_seed_alone() -> None:
    spec, words = parse_model("mlp(hidden=4)", embedding=4), Vocabulary.fit(examples((len(WORDS),)))
    torch.manual_seed(9)
    before = torch.get_rng_state()
    one, same, other = (build(spec, words, ("a", "b"), seed) for seed in (3, 3, 4))
    assert torch.equal(torch.get_rng_state(), before)
    weights = [model.decoder.affine.weight for model in (one, same, other)]
    assert torch.equal(weights[0], weights[1])
    assert not torch.equal(weights[0], weights[2])
    assert spec.encoder == Part("mlp", (("hidden", 4),))
