"""What every built-in model owes: every encoder × scorer × projection × retention, with a query or
without, and every source; two classes and more, with boundary tokens and without. One test does all
checks on a model once it is built.
"""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, replace
from itertools import product
from pathlib import Path

import pytest
import torch

from sightline.config.json_reader import read_as
from sightline.config.part_syntax import Part, parse_part
from sightline.config.registry import (
    DECODERS,
    ENCODERS,
    PROJECTIONS,
    RETENTIONS,
    ROOMS,
    SCORERS,
    SOURCES,
    row_of,
)
from sightline.config.spec_syntax import parse_model
from sightline.config.specs import ModelSpec
from sightline.core.errors import ModelError, SpecError
from sightline.core.example import Example
from sightline.core.protocols import Trace
from sightline.models.build_part import build_part
from sightline.models.classifier import AttentionClassifier
from sightline.models.model_storage import load_classifier, save_classifier
from sightline.numerics.projections import gumbel_softmax, uniform
from sightline.training.objective import cross_entropies
from tests.parts import small_part
from tests.sampling import every_pair, slow_but
from tests.texts import WORDS, examples, untrained

EXACT = {"atol": 1e-5, "rtol": 1e-5}  # float32 sums in another order
LIVELY = {
    "tying": "tying(delta=2.0)", "mlm": "mlm(p=0.9)", "sparsegen": "sparsegen(lambda=-0.5)",
    "dot": "dot(start=normal)", "deep": "deep(hidden=16)",
}  # fmt: skip
"""Settings at which these parts have an effect on a few words; the others are small by their
rows."""


def small(names: Sequence[str]) -> str:
    """Write a model of small parts, whose states are as wide as its embeddings of 8, as some
    retentions need.
    """
    parts = zip(ROOMS, names, strict=False)
    return "+".join(
        name if "(" in name else LIVELY.get(name) or small_part(room, name) for room, name in parts
    )


FEW = ("additive",)
ONE_ATTENTION = tuple(name for name in DECODERS if name != "labelwise")
"""Decoders of models with one attention for each text; the other has one for each label, and
promises of its own (``test_labelwise.py``)."""
LEARNED = ("entmax(learned=true)",)
SPECS = [
    small(parts)
    for parts in product(ENCODERS, SCORERS, PROJECTIONS, ("learned",), ONE_ATTENTION, RETENTIONS)
]
SPECS += [
    small(parts)
    for parts in product(ENCODERS, SCORERS, LEARNED, ("learned",), ONE_ATTENTION, RETENTIONS)
]
SPECS += [small(parts) for parts in product(ENCODERS, FEW, PROJECTIONS, SOURCES[1:], ONE_ATTENTION)]
SPECS += [
    "bilstm(hidden=4,layers=3)+deep(hidden=5,layers=3)+gumbel(test_noise=true)+query",
    "mlp+dot(scaled=false)",
]
assert len(SPECS) == len(set(SPECS))


def odd(*rooms: Sequence[str]) -> set[str]:
    """Give one half of all combinations: any parts of all rooms but one meet in the other half,
    too.
    """
    places = product(*(range(len(room)) for room in rooms))
    return {
        small([room[at] for room, at in zip(rooms, chosen, strict=True)])
        for chosen in places
        if sum(chosen) % 2
    }


ODD = odd(ENCODERS, SCORERS, PROJECTIONS, ("learned",), ONE_ATTENTION, RETENTIONS)
ODD |= odd(ENCODERS, SCORERS, LEARNED, ("learned",), ONE_ATTENTION, RETENTIONS)
"""Models that are not built: with a query or without, the same parts are."""

NO_NEIGHBOURS = "a masked word is guessed from its neighbours, and the states of "
NOT_AS_WIDE = (
    "a dot product needs states as wide as the query, got 16 and 8; concat widens the states"
)


def refused(spec: str) -> str | None:
    """Say why there is no such model."""
    encoder = parse_part(spec.partition("+")[0])
    if "mlm" in spec and not reads_others(encoder):
        return NO_NEIGHBOURS + encoder.name
    return NOT_AS_WIDE if "+dot" in spec and "query" in spec and "concat" in spec else None


def reads_others(encoder: Part) -> bool:
    """Say what the row of an encoder says of its states."""
    row = row_of("encoder", encoder.name)
    assert row.states is not None
    return row.states.read_others(row.chosen(encoder))


@pytest.mark.parametrize("name", ENCODERS)
def test_a_row_says_truly_whether_states_have_read_others(name: str) -> None:
    encoder = parse_part(small_part("encoder", name))
    torch.manual_seed(0)
    built, embeddings, mask = (
        build_part("encoder", encoder, 8),
        torch.randn(1, 5, 8),
        torch.ones(1, 5, dtype=torch.bool),
    )
    changed = embeddings.clone()
    changed[0, 2] += 1
    others = [0, 1, 3, 4]
    with torch.no_grad():
        moved = (built(changed, mask) - built(embeddings, mask))[0, others].abs().max()
    assert bool(moved > 0) == reads_others(encoder), (
        f"States.read_others of {name} in config/model_parts.py is not true"
    )


def texts(model: AttentionClassifier, lengths: tuple[int, ...] = (7, 1, 4, 12, 2)) -> list[Example]:
    plain = examples(lengths, classes=len(model.label_names))
    if not model.reads_queries:
        return plain
    asked = [tuple(WORDS[(3 * i) % 20 : (3 * i) % 20 + 1 + i % 4]) for i in range(len(plain))]
    return [
        replace(
            text,
            query=query,
            candidates=tuple({text.label, (text.label + 1) % len(model.label_names)}),
        )
        for text, query in zip(plain, asked, strict=True)
    ]


def build(spec: str) -> AttentionClassifier:
    number = SPECS.index(spec)
    return untrained(spec, 4 if number % 2 or "query" in spec else 2, boundaries=number % 3 == 0)


# With concat both are built: where one of them is refused, nothing would be left of the other.
BUILT = [s for s in SPECS if refused(s) is None and (s not in ODD or "concat" in s)]


@pytest.mark.parametrize("spec", slow_but(every_pair(spec.split("+") for spec in BUILT), BUILT))
def test_a_model_keeps_what_every_model_promises(spec: str, tmp_path: Path) -> None:
    model = build(spec)
    batch = model.collate(texts(model))
    before = [tensor.clone() for _, tensor in batch._tensors()]
    trace = model.trace(batch)
    decodes_its_own_attention(model, trace)
    answers_from_its_own_states(model, trace)
    is_the_same_batched_and_alone(model, trace)
    does_not_see_padding(model, trace)
    attends_to_words_alone(trace)
    mixes_token_logits_if_it_has_any(model, trace)
    comes_back_from_text_json_and_disk(model, trace, tmp_path)
    assert all(torch.equal(a, b) for a, (_, b) in zip(before, batch._tensors(), strict=True))
    twin = build_like(model, 3)
    assert same(model, twin)
    learns_with_every_parameter(model)
    step(twin)
    assert same(model, twin)


def test_what_cannot_be_is_refused_with_the_reason() -> None:
    reasons = Counter(refused(spec) for spec in SPECS)
    projections = len(PROJECTIONS) + len(LEARNED)
    blind = [name for name in ENCODERS if not reads_others(parse_part(name))]
    assert blind
    assert all(
        reasons[NO_NEIGHBOURS + name] == len(SCORERS) * projections * len(ONE_ATTENTION)
        for name in blind
    )
    assert reasons[NOT_AS_WIDE] == len(ENCODERS) * projections
    for spec, reason in ((spec, refused(spec)) for spec in SPECS):
        if reason is not None:
            with pytest.raises(SpecError, match=reason):
                build(spec)


def decodes_its_own_attention(model: AttentionClassifier, trace: Trace) -> None:
    assert torch.equal(model.decode(trace, trace.attention), trace.logits)
    assert not trace.logits.requires_grad
    assert not trace.states.requires_grad
    assert trace.logits.shape[1] == (1 if model.link == "sigmoid" else len(model.label_names))
    if model.reads_queries:
        assert trace.batch.candidates is not None
        assert torch.equal(torch.isfinite(trace.logits), trace.batch.candidates)


def answers_from_its_own_states(model: AttentionClassifier, trace: Trace) -> None:
    """Whatever its parts are; a state that is left out has no weight."""
    with torch.no_grad():
        attention, logits = model.from_states(trace, model.states(trace))
        assert torch.equal(attention, trace.attention)
        assert torch.equal(logits, trace.logits)
        kept = trace.batch.attendable.clone()
        kept[:, 2] = False
        fewer = replace(trace, batch=replace(trace.batch, attendable=kept))
        left, logits = model.from_states(fewer, model.states(trace))
        assert torch.equal(model.without_states(trace)[:, 2], logits)
    assert (left[:, 2] == 0).all()
    several = kept.any(1)
    torch.testing.assert_close(left[several].sum(1), torch.ones(int(several.sum())))


def is_the_same_batched_and_alone(model: AttentionClassifier, together: Trace) -> None:
    """A text of 7 words, or of 1, beside one of 12: padding is truncation."""
    row = len(str(model.spec)) % 2
    alone = model.trace(model.collate([texts(model)[row]]))
    size = alone.batch.ids.shape[1]
    assert size < together.batch.ids.shape[1]
    torch.testing.assert_close(alone.logits[0], together.logits[row], **EXACT)
    torch.testing.assert_close(alone.attention[0], together.attention[row, :size], **EXACT)
    torch.testing.assert_close(alone.states[0], together.states[row, :size], **EXACT)
    if alone.query is not None:
        assert together.query is not None
        torch.testing.assert_close(alone.query[0], together.query[row], **EXACT)


def does_not_see_padding(model: AttentionClassifier, trace: Trace) -> None:
    """Nor what stands there when that is not zero, as in a walk between embeddings."""
    strange = trace.embeddings + 9 * ~trace.batch.mask[:, :, None]
    again = model.trace(trace.batch, strange.requires_grad_())
    assert again.logits.requires_grad
    torch.testing.assert_close(again.logits.detach(), trace.logits, **EXACT)
    assert (again.states[~trace.batch.mask] == 0).all()


def attends_to_words_alone(trace: Trace) -> None:
    assert (trace.attention >= 0).all()
    assert (trace.attention[~trace.batch.attendable] == 0).all()
    torch.testing.assert_close(trace.attention.sum(1), torch.ones(5))
    assert trace.batch.attendable.sum(1).tolist() == [7, 1, 4, 12, 2]


def mixes_token_logits_if_it_has_any(model: AttentionClassifier, trace: Trace) -> None:
    assert (
        ("token_logits" in model.offers)
        == (trace.token_logits is not None)
        == (not model.reads_queries)
    )
    if trace.token_logits is None:
        return
    mixed = torch.einsum("bt,btl->bl", trace.attention, trace.token_logits)
    torch.testing.assert_close(mixed, trace.logits, **EXACT)
    flat = uniform(trace.batch.attendable, trace.attention)
    torch.testing.assert_close(
        torch.einsum("bt,btl->bl", flat, trace.token_logits), model.decode(trace, flat), **EXACT
    )


def comes_back_from_text_json_and_disk(
    model: AttentionClassifier, trace: Trace, folder: Path
) -> None:
    spec = parse_model(str(model.spec))
    assert (
        replace(spec, embedding=8, embedding_std=1.0, boundaries=model.spec.boundaries)
        == model.spec
    )
    assert read_as(ModelSpec, json.loads(json.dumps(asdict(model.spec))), "spec") == model.spec
    loaded, record = load_classifier(save_classifier(model, folder / "saved", {"note": 1}))
    assert torch.equal(loaded.trace(loaded.collate(texts(model))).logits, trace.logits)
    assert record == {"note": 1}


def same(one: AttentionClassifier, other: AttentionClassifier) -> bool:
    return all(
        torch.equal(a, b)
        for a, b in zip(one.state_dict().values(), other.state_dict().values(), strict=True)
    )


def build_like(model: AttentionClassifier, seed: int) -> AttentionClassifier:
    torch.manual_seed(99)  # what was drawn before must not matter
    return untrained(
        str(model.spec), len(model.label_names), seed=seed, boundaries=model.spec.boundaries
    )


def step(model: AttentionClassifier) -> dict[str, bool]:
    """Train on a batch, and say which parameters its gradient reached."""
    model.train()
    optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
    trace = model.run(model.collate(texts(model)))
    loss = cross_entropies(trace.logits, trace.batch.labels).mean()
    beside = model.auxiliary_loss(trace)
    (loss if beside is None else loss + beside).backward()
    reached = {
        n: p.grad is not None and bool(p.grad.abs().sum() > 0) for n, p in model.named_parameters()
    }
    assert all(p.grad is None or bool(torch.isfinite(p.grad).all()) for p in model.parameters())
    optimiser.step()
    model.eval()
    return reached


@pytest.mark.parametrize("encoder", [small_part("encoder", name) for name in ENCODERS])
def test_another_seed_is_another_model(encoder: str) -> None:
    one, other = (untrained(f"{encoder}+query", 3, seed=seed) for seed in (3, 4))
    for a, b in zip(one.parameters(), other.parameters(), strict=True):
        assert (
            not torch.equal(a, b) or a.unique().numel() == 1
        )  # the weights of a layer norm start at one


def learns_with_every_parameter(model: AttentionClassifier) -> None:
    reached = step(model)
    for name, was in reached.items():
        unused = model.spec.source.name != "learned" and name.startswith(
            ("scorer.", "projection.", "source.")
        )
        frozen = model.spec.retention.name == "mlm" and name == "embedding.weight"
        assert was == (not unused and not frozen), name


@pytest.mark.parametrize("spec", ["mlp(hidden=8)", "bilstm(hidden=4)+query"])
def test_words_keep_their_number_when_others_are_deleted(spec: str) -> None:
    model = untrained(spec, 4)
    batch = model.collate(texts(model))
    kept = batch.mask.clone()
    third = int(torch.nonzero(batch.word[0] == 2)[0])
    kept[0, third] = False
    shorter = batch.keep(kept)
    assert [int(w) for w in shorter.word[0][shorter.attendable[0]]] == [0, 1, 3, 4, 5, 6]
    left = batch.ids[0][kept[0]].tolist()
    assert shorter.ids[0][shorter.mask[0]].tolist() == left
    assert (
        shorter.mask.sum(1).tolist() == (batch.mask.sum(1) - torch.tensor([1, 0, 0, 0, 0])).tolist()
    )


@pytest.mark.parametrize("encoder", [small_part("encoder", name) for name in ENCODERS])
def test_a_text_whose_words_were_all_deleted_spoils_nothing(encoder: str) -> None:
    model = untrained(encoder)
    batch = model.collate(texts(model))
    kept = batch.mask.clone()
    kept[1] = False
    trace = model.trace(batch.keep(kept))
    assert torch.isfinite(trace.logits).all()
    assert (trace.states[1] == 0).all()
    torch.testing.assert_close(trace.logits[0], model.trace(batch).logits[0], **EXACT)


def test_queries_are_asked_for_and_refused() -> None:
    reads, does_not = untrained("mlp+query", 3), untrained("mlp", 3)
    with pytest.raises(
        ModelError,
        match=r"text t0: mlp\+additive\+softmax\+query expects a query, got no query; leave",
    ):
        reads.collate(texts(does_not))
    with pytest.raises(
        ModelError,
        match=r"text t0: mlp\+additive\+softmax expects no query, got a query; add \+query",
    ):
        does_not.collate(texts(reads))


def test_noise_at_test_stays_with_its_word() -> None:
    model = untrained("mlp(hidden=8)+additive+gumbel(test_noise=true)")
    quiet = untrained("mlp(hidden=8)+additive+gumbel")
    whole = texts(model)
    trace, plain = model.trace(model.collate(whole)), quiet.trace(quiet.collate(whole))
    quietly = gumbel_softmax(plain.scores, plain.batch.attendable, 0.8)
    assert torch.equal(plain.attention, quietly)
    assert not torch.allclose(trace.attention, quietly)
    assert torch.equal(trace.scores, plain.scores)
    kept = trace.batch.mask.clone()
    kept[0, 2] = False
    shorter = model.trace(trace.batch.keep(kept)).attention[0, :6]
    left = trace.attention[0, [0, 1, 3, 4, 5, 6]]
    torch.testing.assert_close(shorter, left / left.sum(), **EXACT)
    drawn = (trace.attention[3] / plain.attention[3])[:12].log()
    assert drawn.std() > 0.5
