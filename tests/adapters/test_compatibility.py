"""Right models pass every proof, and each wrong one gets the complaint that is about it."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product

import pytest
import torch
from torch import nn

from sightline.adapters import compatibility
from sightline.adapters.checks import forward_checks, gradient_checks, invariance_checks
from sightline.adapters.checks.invariance_checks import without
from sightline.adapters.checks.probe_batch import ProbeBatch
from sightline.adapters.compatibility import (
    DEMANDS,
    OF_STATES,
    CompatibilityCheck,
    check,
    require,
    sample,
)
from sightline.adapters.factory import texts_without_data
from sightline.adapters.wrap import WrappedModule
from sightline.config.registry import ENCODERS, PROJECTIONS, SCORERS, SOURCES
from sightline.core.error_excerpts import NOT_SHOWN, without_excerpts
from sightline.core.errors import DataError, ModelError
from sightline.core.example import Example
from sightline.core.protocols import Batch
from sightline.core.tokeniser import tokenise
from tests.adapters.plain import Plain, exported, ids_and_mask, wrapped
from tests.sampling import every_pair, slow_but
from tests.snapshots import refused, same_text
from tests.texts import examples, untrained

TEXTS = examples((7, 1, 4, 12, 2, 4))
OURS = untrained("bilstm(hidden=6)")
Calls = dict[str, object]


def outcomes(
    model: object, texts: Sequence[Example] = TEXTS, **options: object
) -> dict[str, CompatibilityCheck]:
    return {proof.name: proof for proof in check(model, texts, **options)}


def failed(found: dict[str, CompatibilityCheck]) -> list[str]:
    return [name for name, proof in found.items() if proof.outcome == "failed"]


def without_tokenizer(found: dict[str, CompatibilityCheck]) -> set[str]:
    """The outcomes of a model that has no tokenizer, of which one proof is not asked."""
    assert found["recognised"].outcome == "not run"
    return {proof.outcome for name, proof in found.items() if name != "recognised"}


# ---------------------------------------------------------------- what is right


BUILT_IN = [*product(ENCODERS, SCORERS, PROJECTIONS, SOURCES, (2, 4))]


@pytest.mark.parametrize(
    ("encoder", "scorer", "projection", "source", "classes"),
    slow_but(every_pair(BUILT_IN), BUILT_IN),
)
def test_every_built_in_model_passes_every_proof(
    encoder: str, scorer: str, projection: str, source: str, classes: int
) -> None:
    parts, names = (
        "+".join((encoder, scorer, projection, source)),
        tuple(f"class {c}" for c in range(classes)),
    )
    found = outcomes(untrained(parts, classes, boundaries=classes == 4), labels=names)
    assert without_tokenizer(found) == {"passed"}, [str(p) for p in found.values()]
    assert list(found) == ["mode", "collate", "trace", "unchanged", *DEMANDS, *OF_STATES]


@pytest.mark.parametrize("spec", ["bilstm(hidden=6)", "mlp(hidden=6)"])
def test_a_plain_twin_passes_every_proof(spec: str) -> None:
    found = outcomes(wrapped(untrained(spec)))
    assert without_tokenizer(found) == {"passed"}, [str(p) for p in found.values()]


def test_gradients_are_taken_of_few_tokens_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gradient_checks, "GRADIENT_TOKENS", 30)
    model, held = wrapped(untrained("mlp(hidden=6)")), list[int]()
    trace = type(model).trace

    def counted(self: WrappedModule, batch: Batch, embeddings: object = None) -> object:
        if isinstance(embeddings, torch.Tensor) and embeddings.requires_grad:
            held.append(batch.ids.numel())
        return trace(self, batch, embeddings)

    monkeypatch.setattr(type(model), "trace", counted)
    found = outcomes(model)
    assert without_tokenizer(found) == {"passed"}
    assert len(held) == 6  # two texts at a time, for the gradient and for the way through attention
    assert max(held) <= 30


def test_frozen_embeddings_pass() -> None:
    plain = exported(OURS)
    for parameter in plain.parameters():
        parameter.requires_grad_(False)
    assert failed(outcomes(wrapped(OURS, plain))) == []


def test_tied_embeddings_pass() -> None:
    plain = exported(untrained("mlp(hidden=8)"))
    plain.output = nn.Linear(8, len(plain.embedding.weight), bias=False)
    plain.output.weight = plain.embedding.weight
    model = wrapped(untrained("mlp(hidden=8)"), plain.eval(), link="softmax")
    assert failed(outcomes(model)) == []


def test_states_that_need_no_attention_are_no_fault_where_nothing_is_decoded() -> None:
    found = outcomes(wrapped(decode=None, token_logits=None))
    assert [name for name, proof in found.items() if proof.outcome == "not run"] == [
        "recognised",
        "identity",
        "used",
        "mixture",
    ]
    same_text("notes", found["used"].wrong)
    assert failed(found) == []


def test_logits_that_sum_to_nothing_pass() -> None:
    def trace(batch: Batch, vectors: torch.Tensor) -> dict[str, torch.Tensor]:
        found = FOUR.trace(batch, vectors)
        return {**found, "logits": found["logits"] - found["logits"].mean(1, keepdim=True)}

    def decode(traced: dict, attention: torch.Tensor) -> torch.Tensor:
        logits = FOUR.decode(traced, attention)
        return logits - logits.mean(1, keepdim=True)

    model = wrapped(untrained("mlp(hidden=6)", 4), trace=trace, decode=decode, token_logits=None)
    assert failed(outcomes(model)) == []


def test_double_precision_and_one_text_pass() -> None:
    assert failed(outcomes(wrapped(plain=exported(OURS).double()))) == []
    assert failed(outcomes(wrapped(), TEXTS[:1])) == []
    assert (
        failed(outcomes(wrapped(), [TEXTS[1]])) == []
    )  # one word: nothing to delete, nothing to choose


def test_the_random_state_is_left_as_it_was() -> None:
    model = wrapped(trace=noisy)
    torch.manual_seed(1)
    wanted = torch.rand(3)
    torch.manual_seed(1)
    assert failed(outcomes(model)) == ["repeatable"]
    assert torch.equal(torch.rand(3), wanted)


# ---------------------------------------------------------------- what is wrong


PLAIN = exported(OURS)
RIGHT = wrapped(OURS, PLAIN).calls
FOUR = wrapped(untrained("mlp(hidden=6)", 4)).calls


def tracing(
    encode: Callable | None = None,
    attend: Callable | None = None,
    classify: Callable | None = None,
    **more: object,
) -> Calls:
    """A trace in which one step is done wrongly."""

    def trace(batch: Batch, vectors: torch.Tensor) -> dict[str, torch.Tensor]:
        states = (encode or (lambda v, b: PLAIN.encode(v, b.mask)))(vectors, batch)
        attention = (attend or (lambda s, b: PLAIN.attend(s, b.mask)))(states, batch)
        return {
            "states": states,
            "attention": attention,
            "logits": (classify or PLAIN.classify)(states, attention),
        }

    return {"trace": trace, "token_logits": None, **more}


def noisy(batch: Batch, vectors: torch.Tensor) -> dict[str, torch.Tensor]:
    found = RIGHT.trace(batch, vectors)
    return {**found, "logits": found["logits"] + 0.1 * torch.randn_like(found["logits"])}


def training(switch: Callable[[Plain], nn.Module]) -> WrappedModule:
    plain = exported(OURS)
    switch(plain).train()
    return wrapped(OURS, plain)


def unpacked(vectors: torch.Tensor, batch: Batch) -> torch.Tensor:
    return PLAIN.lstm(vectors)[0]


def over_padding(states: torch.Tensor, batch: Batch) -> torch.Tensor:
    return PLAIN.score(states).softmax(1)


def whitened(vectors: torch.Tensor, batch: Batch) -> torch.Tensor:
    states = PLAIN.encode(vectors, batch.mask)
    first = states[:, :1]
    return states - first.mean(
        0
    )  # the mean over the batch, as batch norm in training mode takes it


def looked_up(batch: Batch, vectors: torch.Tensor) -> object:
    return RIGHT.trace(batch, PLAIN.embedding(batch.ids))


def moved_in_place(batch: Batch, vectors: torch.Tensor) -> object:
    found = RIGHT.trace(batch, vectors)
    batch.ids[~batch.mask] = 1
    return found


def with_nan(states: torch.Tensor, attention: torch.Tensor) -> torch.Tensor:
    logits = PLAIN.classify(states, attention).clone()
    logits[1] = torch.nan
    return logits


def remembered() -> Calls:
    """Lengths kept beside the batch, which a deletion cannot know of."""
    kept: dict[tuple[int, ...], torch.Tensor] = {}

    def collate(texts: Sequence[Example]) -> tuple[torch.Tensor, torch.Tensor]:
        ids, mask = ids_and_mask(OURS, texts)
        kept["lengths"] = torch.tensor([float(len(text.tokens)) for text in texts])
        return ids, mask

    def trace(batch: Batch, vectors: torch.Tensor) -> object:
        found = RIGHT.trace(batch, vectors)
        sizes = kept["lengths"] if len(kept["lengths"]) == len(batch) else torch.zeros(len(batch))
        return {**found, "logits": found["logits"] + 0.1 * sizes[:, None], "sizes": sizes}

    def decode(traced: dict, attention: torch.Tensor) -> torch.Tensor:
        return PLAIN.classify(traced["states"], attention) + 0.1 * traced["sizes"][:, None]

    return {"collate": collate, "trace": trace, "decode": decode, "token_logits": None}


def half(kind: torch.dtype) -> WrappedModule:
    return wrapped(OURS, exported(OURS).to(kind))


def residual(states: torch.Tensor, attention: torch.Tensor) -> torch.Tensor:
    return PLAIN.classify(states, attention) + states[:, 0, :1]


def partly_detached(vectors: torch.Tensor, batch: Batch) -> torch.Tensor:
    mixed = vectors.repeat(1, 1, 2)[:, :, :12]
    return PLAIN.encode(vectors, batch.mask).detach() + 0.1 * mixed


def cut_to(length: int) -> Callable:
    def collate(texts: Sequence[Example]) -> tuple[torch.Tensor, torch.Tensor]:
        ids, mask = ids_and_mask(OURS, texts)
        return ids[:, :length], mask[:, :length]

    return collate


def by_length(texts: Sequence[Example]) -> tuple[torch.Tensor, torch.Tensor]:
    return ids_and_mask(OURS, sorted(texts, key=lambda text: -len(text.tokens)))


def swapped(texts: Sequence[Example]) -> tuple[torch.Tensor, torch.Tensor]:
    """Rows of equal length in another order, which counting words cannot tell."""
    ids, mask = ids_and_mask(OURS, texts)
    equal = [row for row, text in enumerate(texts) if len(text.tokens) == 4]
    order = list(range(len(texts)))
    for row, other in zip(equal, equal[::-1], strict=True):
        order[row] = other
    return ids[order], mask


def at_the_right(texts: Sequence[Example]) -> tuple[torch.Tensor, torch.Tensor]:
    """Texts that end where the longest one ends: packing, which counts from the left, cuts them."""
    ids, mask = ids_and_mask(OURS, texts)
    order = torch.argsort(mask.int(), dim=1, stable=True)
    return ids.gather(1, order), mask.gather(1, order)


def probable(batch: Batch, vectors: torch.Tensor) -> dict[str, torch.Tensor]:
    found = FOUR.trace(batch, vectors)
    return {**found, "logits": found["logits"].softmax(1)}


def frozen_mode(batch: Batch, vectors: torch.Tensor) -> object:
    with torch.inference_mode():
        return RIGHT.trace(batch, vectors)


def same_vectors(batch: Batch) -> torch.Tensor:
    return PLAIN.embedding(torch.ones_like(batch.ids))


def the_same_for_every_word(traced: dict[str, torch.Tensor]) -> torch.Tensor:
    """Token logits that any attention mixes to the logits, although other attention is decoded to
    others.
    """
    return traced["logits"][:, None].expand(-1, traced["states"].shape[1], -1)


WRONG: dict[str, tuple[WrappedModule, str, str]] = {
    "left in training mode": (
        training(lambda p: p),
        "mode",
        ("the module is in training mode; call module.eval()"),
    ),
    "dropout left in training mode": (
        training(lambda p: p.dropout),
        "mode",
        "dropout is in training mode",
    ),
    "padding read by the LSTM": (
        wrapped(OURS, PLAIN, **tracing(unpacked)),
        "padding",
        "more columns of padding change",
    ),
    "softmax over padding": (
        wrapped(OURS, PLAIN, **tracing(attend=over_padding)),
        "unattended",
        r"padding, or .* gets attention",
    ),
    "decode that ignores attention": (
        wrapped(OURS, PLAIN, decode=lambda t, a: PLAIN.classify(t["states"], t["attention"])),
        "used",
        "whatever attention it is handed",
    ),
    "decode that is not the model's": (
        wrapped(OURS, PLAIN, **tracing(classify=residual)),
        "identity",
        "misses its logits .*residuals",
    ),
    "embeddings ignored": (
        wrapped(OURS, PLAIN, trace=looked_up),
        "embeddings",
        "trace ignores the embeddings",
    ),
    "embeddings detached": (
        wrapped(OURS, PLAIN, **tracing(lambda v, b: PLAIN.encode(v.detach(), b.mask))),
        "gradient",
        r"no gradient reaches .*\.detach\(\)",
    ),
    "embeddings under no_grad": (
        wrapped(OURS, PLAIN, trace=torch.no_grad()(RIGHT.trace)),
        "gradient",
        "no gradient reaches",
    ),
    "inference mode": (wrapped(OURS, PLAIN, trace=frozen_mode), "gradient", "gradient"),
    "partly detached": (
        wrapped(OURS, PLAIN, **tracing(partly_detached)),
        "gradient",
        "is not the slope of the logits",
    ),
    "attention detached in trace": (
        wrapped(OURS, PLAIN, **tracing(attend=lambda s, b: PLAIN.attend(s.detach(), b.mask))),
        "gradient",
        "from attention back to the embeddings",
    ),
    "attention detached in decode": (
        wrapped(OURS, PLAIN, decode=lambda t, a: PLAIN.classify(t["states"], a.detach())),
        "gradient",
        "second argument of decode",
    ),
    "states detached in decode": (
        wrapped(OURS, PLAIN, decode=lambda t, a: PLAIN.classify(t["states"].detach(), a)),
        "gradient",
        "is not the slope",
    ),
    "states changed in decode": (
        wrapped(OURS, PLAIN, decode=lambda t, a: PLAIN.classify(t["states"].mul_(0.9) / 0.9, a)),
        "identity",
        "nothing in place",
    ),
    "embeddings changed in place": (
        wrapped(
            OURS, PLAIN, trace=lambda b, v: RIGHT.trace(b, v * 2 if v.requires_grad else v.mul_(2))
        ),
        "unchanged",
        "changes the embeddings it is given",
    ),
    "padding at the left": (
        wrapped(OURS, PLAIN, collate=at_the_right),
        "alone",
        "padding at the right, never read",
    ),
    "statistics over the batch": (
        wrapped(OURS, PLAIN, **tracing(whitened)),
        "alone",
        "another answer alone than among others",
    ),
    "float16": (
        half(torch.float16),
        "precision",
        (r"computes in float16, whose rounding alone .* " r"call module.float\(\)"),
    ),
    "bfloat16": (half(torch.bfloat16), "precision", "computes in bfloat16"),
    "noise": (wrapped(OURS, PLAIN, trace=noisy), "repeatable", "two runs of the same batch differ"),
    "softmax of one logit": (
        wrapped(OURS, PLAIN, link="softmax"),
        "link",
        ("link is softmax, .* gives 1; say link='sigmoid'"),
    ),
    "sigmoid of four logits": (
        wrapped(untrained("bilstm(hidden=6)", 4), link="sigmoid"),
        "link",
        ("takes one logit, and trace gives 4; say link='softmax'"),
    ),
    "probabilities for logits": (
        wrapped(untrained("mlp(hidden=6)", 4), trace=probable),
        "link",
        "gives probabilities for logits",
    ),
    "texts sorted by length": (
        wrapped(OURS, PLAIN, collate=by_length),
        "collate",
        ("in another order than the texts; keep row i"),
    ),
    "equal lengths swapped": (
        wrapped(OURS, PLAIN, collate=swapped),
        "alone",
        "another answer alone",
    ),
    "texts cut": (
        wrapped(OURS, PLAIN, collate=cut_to(8)),
        "collate",
        "has 12 words, and its row has 8 tokens",
    ),
    "ids changed in place": (
        wrapped(OURS, PLAIN, trace=moved_in_place),
        "unchanged",
        r"changes batch.ids; work on a copy",
    ),
    "NaN": (
        wrapped(OURS, PLAIN, **tracing(classify=with_nan)),
        "finite",
        "logits of text t1 are not finite",
    ),
    "two heads added": (
        wrapped(OURS, PLAIN, **tracing(attend=lambda s, b: 2 * PLAIN.attend(s, b.mask))),
        "distribution",
        "sum to 2 over its words",
    ),
    "scores for weights": (
        wrapped(OURS, PLAIN, **tracing(attend=lambda s, b: PLAIN.score(s) * b.mask)),
        "distribution",
        "a weight is negative",
    ),
    "a memory beside the batch": (
        wrapped(OURS, PLAIN, **remembered()),
        "deletion",
        ("is not the text read without it .* only these"),
    ),
    "token logits of no mixture": (
        wrapped(OURS, PLAIN, token_logits=lambda t: torch.tanh(PLAIN.output(t["states"]))),
        "mixture",
        "miss the logits .*affine",
    ),
    "token logits that only its own attention mixes": (
        wrapped(OURS, PLAIN, token_logits=the_same_for_every_word),
        "mixture",
        "miss the logits .*affine",
    ),
    "words that are all unknown": (
        wrapped(untrained("mlp(hidden=6)"), embed=same_vectors),
        "used",
        r"one and the same embedding, .*\(--data\)",
    ),
    "an error of the owner's": (
        wrapped(OURS, PLAIN, trace=lambda b, v: b.nothing),
        "trace",
        r"AttributeError.*test_compatibility.py:\d+",
    ),
    "a word that is not known": (
        wrapped(OURS, PLAIN, collate=lambda texts: {}[texts[0].tokens[0]]),
        "collate",
        "raised KeyError",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_wrapper_gets_the_right_complaint_first(name: str) -> None:
    model, proof, message = WRONG[name]
    found = outcomes(model)
    assert failed(found)[:1] == [proof], [str(one) for one in found.values()]
    assert found[proof].wrong
    assert found[proof].change
    line = str(found[proof])
    assert line.startswith("✕ ")
    assert re.search(message, line), line
    assert len(found) == 4 + len(DEMANDS)


def test_the_id_of_a_text_may_be_left_out_of_every_complaint() -> None:
    texts = [replace(text, id=f"NOTE-{text.index}") for text in TEXTS]
    batch = OURS.collate(texts)
    trace = OURS.trace(batch)
    wrong = {
        forward_checks.finite: {"logits": trace.logits * torch.nan},
        forward_checks.distribution: {"attention": trace.attention * 2},
        forward_checks.unattended: {"attention": trace.attention + 1},
        invariance_checks.padding: {"logits": trace.logits + 1},
        invariance_checks.alone: {"logits": trace.logits + 1},
    }
    for proof, changed in wrong.items():
        probe = ProbeBatch(OURS, texts, batch, replace(trace, **changed), None)
        assert "NOTE-" in proof(probe).wrong
        with without_excerpts():
            assert "NOTE-" not in proof(probe).wrong
            assert NOT_SHOWN in proof(probe).wrong


def test_where_others_rest_on_a_proof_they_are_not_looked_at() -> None:
    found = outcomes(wrapped(OURS, PLAIN, trace=noisy))
    assert found["padding"].outcome == "not run"
    same_text("notes", str(found["padding"]))
    found = outcomes(wrapped(OURS, PLAIN, **tracing(attend=over_padding)))
    assert found["gradient"].outcome == "passed"


def test_the_noise_floor_is_measured() -> None:
    found = outcomes(half(torch.bfloat16))["precision"].measured
    finer = outcomes(half(torch.float16))["precision"].measured
    assert 1e-4 < finer < found < 1


def test_half_precision_below_the_tolerance_is_not_refused() -> None:
    plain = exported(OURS)
    with torch.no_grad():
        plain.output.weight *= 1e-4  # answers so flat that their rounding does not show
    plain.embedding.to(torch.float16)
    model = wrapped(
        OURS, plain, embed=lambda batch: plain.embedding(batch.ids).float(), token_logits=None
    )
    proof = outcomes(model)["precision"]
    assert proof.outcome == "passed"
    assert proof.measured > 0


def test_cudnns_refusal_is_told_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object, **options: object) -> None:
        raise RuntimeError("cudnn RNN backward can only be called in training mode\nat x.cpp")

    monkeypatch.setattr(torch.autograd, "grad", refuse)
    proof = outcomes(wrapped())["gradient"]
    same_text("notes", proof.wrong)
    assert "torch.backends.cudnn.flags(enabled=False)" in proof.change


def test_labels_of_the_data_are_compared_with_the_logits() -> None:
    assert failed(outcomes(wrapped(), labels=("a", "b"))) == []
    proof = outcomes(wrapped(), labels=("a", "b", "c"))["link"]
    same_text("notes", proof.wrong)
    four = wrapped(untrained("mlp(hidden=6)", 4))
    assert failed(outcomes(four, labels=tuple("abcd"))) == []
    assert failed(outcomes(four, labels=tuple("abc"))) == ["link"]


def test_labels_of_the_model_are_compared_with_the_logits() -> None:
    three = wrapped(untrained("mlp(hidden=6)", 3), labels=("neg", "neu"))
    for labels in (None, ("neg", "neu")):
        proof = outcomes(three, labels=labels)["link"]
        assert proof.outcome == "failed"
        same_text("notes", proof.complaint)
    right = wrapped(untrained("mlp(hidden=6)", 3), labels=("neg", "neu", "pos"))
    assert failed(outcomes(right, labels=("neg", "neu", "pos"))) == []


class Foreign:
    """A class of somebody's own that satisfies the protocol, as long as it does not break."""

    name, link, labels, origin, offers = (
        "foreign",
        "sigmoid",
        None,
        "elsewhere",
        frozenset({"decode"}),
    )
    collate, embed, trace = OURS.collate, OURS.embed, OURS.trace

    def __init__(self, broken: str) -> None:
        setattr(self, broken, self.fail)

    def decode(self, trace: object, attention: torch.Tensor) -> torch.Tensor:
        return OURS.decode(trace, attention)

    def fail(self, *arguments: object) -> None:
        raise RuntimeError("no such kernel")


@pytest.mark.parametrize("broken", ["collate", "trace", "decode"])
def test_a_class_of_somebodys_own_that_raises_is_told_in_words(broken: str) -> None:
    found = outcomes(Foreign(broken))
    first = {"decode": "identity"}.get(broken, broken)
    assert failed(found)[0] == first
    assert re.search(
        r"raised RuntimeError: no such kernel \(test_compatibility.py:\d+\)", found[first].wrong
    )


@pytest.mark.parametrize(
    ("part", "complaint"), [("states", "misses the attention"), ("from_states", "whatever states")]
)
def test_hidden_states_are_those_that_attention_mixes(
    part: str, complaint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Numbers of states would be those of others, and no other check looks at them."""
    model = untrained("bilstm(hidden=4)+additive")
    assert outcomes(model)["states"].outcome == "passed"
    own = model.states
    wrong = {
        "states": lambda trace: -own(trace),
        "from_states": lambda trace, states: (trace.attention, trace.logits),
    }
    monkeypatch.setattr(model, part, wrong[part])
    found = outcomes(model)
    assert failed(found) == ["states"]
    assert complaint in found["states"].wrong


def mixed(traced: dict) -> torch.Tensor:
    return traced["states"]


@pytest.mark.parametrize(
    ("spec", "outputs"), [("bilstm(hidden=6)", 2), ("mlp(hidden=6)", 2), ("bilstm(hidden=4)", 4)]
)
def test_the_states_that_attention_mixes_pass(spec: str, outputs: int) -> None:
    for one_length in (False, True):
        model = wrapped(untrained(spec, outputs), states=mixed, one_length=one_length)
        found = outcomes(model)
        assert failed(found) == []
        assert found["states"].outcome == "passed"
        assert found["states"].measured < 1e-4


@pytest.mark.parametrize(
    ("calls", "complaint"),
    [
        ({"states": lambda traced: traced["embeddings"]}, "more of the text"),
        ({"states": lambda traced: traced["states"].roll(1, dims=1)}, "more of the text"),
        ({"states": lambda traced: traced["states"][:, :, :4]}, "more of the text"),
        ({"states": lambda traced: traced["states"].detach()}, "no gradient"),
        ({"states": lambda traced: traced["states"] / 0}, "not finite"),
        ({"states": lambda traced: traced["states"][:, 1:]}, "expected a floating-point tensor"),
    ],
)
def test_states_that_attention_does_not_mix_are_refused(calls: Calls, complaint: str) -> None:
    found = outcomes(wrapped(OURS, PLAIN, **calls))
    assert failed(found) == ["states"]
    assert complaint in found["states"].wrong


def test_states_are_refused_where_the_logits_come_from_more_than_them() -> None:
    """Papers that measure states take them for all that attention hands on."""
    calls = tracing(classify=residual)

    def decode(traced: dict, attention: torch.Tensor) -> torch.Tensor:
        return residual(traced["states"], attention)

    assert failed(outcomes(wrapped(OURS, PLAIN, **calls, decode=decode))) == []
    found = outcomes(wrapped(OURS, PLAIN, **calls, decode=decode, states=mixed))
    assert failed(found) == ["states"]


def test_states_that_no_text_can_tell_from_others_are_not_called_right() -> None:
    found = outcomes(wrapped(OURS, PLAIN, states=mixed), [TEXTS[1]])  # one word
    assert found["states"].outcome == "not run"


def test_require_tells_every_complaint() -> None:
    both = {**tracing(unpacked), "decode": lambda t, a: PLAIN.classify(t["states"], t["attention"])}
    with pytest.raises(
        ModelError,
        match=r"cannot be audited, [3-5] of its compatibility checks fail: .*padding.* \| .*whatever attention",
    ):
        require(wrapped(OURS, PLAIN, **both), TEXTS)
    assert len(require(wrapped(), TEXTS)) == 4 + len(DEMANDS)


def test_no_texts_are_refused() -> None:
    with refused(DataError):
        check(wrapped(), [])


# ---------------------------------------------------------------- the texts


def test_the_sample_spans_the_lengths_in_order() -> None:
    texts = examples(tuple(range(1, 21)))
    chosen = [len(text.tokens) for text in sample(texts)]
    assert chosen == sorted(chosen)
    assert (chosen[0], chosen[-1], len(chosen)) == (1, 20, compatibility.SAMPLE)
    assert [text.index for text in sample(texts[::-1])] == sorted(
        (t.index for t in sample(texts[::-1])), reverse=True
    )
    assert sample(texts[:3]) == tuple(texts[:3])


def test_a_word_taken_out_leaves_the_others_where_they_stood() -> None:
    text = replace(TEXTS[0], rationale=(True,) * 7)
    for position in range(7):
        shorter = without(text, position)
        assert shorter.tokens == text.tokens[:position] + text.tokens[position + 1 :]
        assert tuple(shorter.text[a:b] for a, b in shorter.offsets) == shorter.tokens
        assert (shorter.id, shorter.index, shorter.label) == (text.id, text.index, text.label)
        assert tokenise(shorter.text)[0] == shorter.tokens


def test_the_texts_for_want_of_data_are_of_all_lengths() -> None:
    texts = texts_without_data()
    assert min(len(t.tokens) for t in texts) == 1
    assert max(len(t.tokens) for t in texts) > 20
    assert {t.label for t in texts} == {0, 1}
    assert [t.id for t in texts if "text" in t.id] == []  # complaints write "text" before an id
    assert all(tuple(t.text[a:b] for a, b in t.offsets) == t.tokens for t in texts)
    known = texts_without_data(("ba", "do", "ki"))
    assert {word for text in known for word in text.tokens} == {"ba", "do", "ki"}
    assert known[0].tokens[:4] == ("ba", "do", "ki", "ba")
