"""A wrapped module is audited like a built-in one, offers what it was given, and what it returns is
read strictly.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import sightline
from sightline.adapters.compatibility import require
from sightline.adapters.wrap import WrappedModule
from sightline.audits.measure_pass import measure
from sightline.audits.run import TRAINED_ELSEWHERE
from sightline.core.errors import DataError, ModelError
from sightline.core.needs import OTHER_ATTENTION, needed
from sightline.core.protocols import Auditable, Batch, Trace
from sightline.core.results import Measurement, NotRun, Ragged
from sightline.core.seeds import Seeds
from sightline.data.dataset import Dataset
from sightline.measures.default_measures import default_measures
from tests.adapters.plain import exported, ids_and_mask, wrapped
from tests.snapshots import refused
from tests.texts import examples, untrained

TEXTS = examples((7, 1, 4, 12, 2, 9))


def taken(model: Auditable, companions: dict) -> dict:
    return measure(
        model, TEXTS, default_measures(), companions, Seeds(0), 4, lambda done, total: None
    )  # fmt: skip


def dataset(classes: int = 2) -> Dataset:
    texts = examples((7, 3, 4, 12, 2, 9, 5, 6), classes=classes)
    names = tuple(f"class {c}" for c in range(classes))
    return Dataset("texts", tuple(texts[:2]), tuple(texts[2:4]), tuple(texts[4:]), names, {})


@pytest.mark.parametrize(
    ("spec", "classes"), [("bilstm(hidden=6)", 2), ("mlp(hidden=6)", 2), ("bilstm(hidden=6)", 4)]
)
def test_a_plain_twin_gives_the_same_raw_numbers(spec: str, classes: int) -> None:
    ours = untrained(spec, classes)
    theirs = wrapped(ours, states=lambda traced: traced["states"])
    companions = {
        "uniform": untrained(spec, classes, seed=5),
        "frozen": untrained(spec, classes, seed=6),
    }
    one, other = taken(ours, companions), taken(theirs, companions)
    assert one.keys() == other.keys()
    for code, found in one.items():
        assert isinstance(found, Measurement), found
        for name, value in found.values.items():
            here, there = value, other[code].values[name]
            if isinstance(value, Ragged):
                assert value.lengths.tolist() == there.lengths.tolist()
                here, there = value.flat, there.flat
            assert there == pytest.approx(here, abs=1e-5, nan_ok=True), f"{code}.{name}"


@pytest.mark.parametrize("one_length", [False, True])
def test_hidden_states_give_the_papers_measures_of_them(one_length: bool) -> None:
    """Of texts that are padded together, and of texts that are run one length at a time."""
    ours = untrained("bilstm(hidden=6)")
    theirs = wrapped(ours, states=lambda traced: traced["states"], one_length=one_length)
    batch = ours.collate(TEXTS)
    states = ours.states(ours.trace(batch))
    assert theirs.states(theirs.trace(theirs.collate(TEXTS)))[batch.mask] == pytest.approx(
        states[batch.mask], abs=1e-6
    )
    short = batch.rows(torch.tensor([1]))  # one text, padded as the longest of all was
    assert theirs.states(theirs.trace(short)).shape == ours.states(ours.trace(short)).shape
    one, other = (
        measure(
            model,
            TEXTS,
            default_measures(chosen=("mixing_otherwise", "mixing")),
            {},
            Seeds(0),
            4,
            lambda done, total: None,
        )
        for model in (ours, theirs)
    )
    for code in ("mixing_otherwise", "mixing"):
        for name, value in one[code].values.items():
            here, there = (
                found.flat if isinstance(found, Ragged) else found
                for found in (value, other[code].values[name])
            )
            assert there == pytest.approx(here, abs=1e-5, nan_ok=True), f"{code}.{name}"


def test_boundaries_come_in_a_batch_of_the_owners() -> None:
    ours = untrained("bilstm(hidden=6)", boundaries=True)
    theirs = wrapped(ours, collate=ours.collate)
    batch = theirs.collate(TEXTS)
    assert not torch.equal(batch.attendable, batch.mask)
    torch.testing.assert_close(theirs.trace(batch).logits, ours.trace(ours.collate(TEXTS)).logits)


def test_a_pair_becomes_a_batch() -> None:
    texts = [replace(text, index=10 + i, label=i % 2) for i, text in enumerate(TEXTS)]
    batch = wrapped().collate(texts)
    assert torch.equal(batch.attendable, batch.mask)
    assert batch.word[2].tolist() == [0, 1, 2, 3, *[-1] * 8]
    assert batch.labels.tolist() == [0, 1, 0, 1, 0, 1]
    assert batch.index.tolist() == [10, 11, 12, 13, 14, 15]


def test_nothing_is_invented_that_trace_does_not_return() -> None:
    def trace(batch: Batch, vectors: torch.Tensor) -> dict[str, torch.Tensor]:
        attention = batch.mask / batch.mask.sum(1, keepdim=True)
        return {"attention": attention, "logits": vectors.sum((1, 2))[:, None]}

    found = wrapped(trace=trace, token_logits=None)
    found = found.trace(found.collate(TEXTS))
    assert set(found.inside) == {"attention", "logits", "batch", "embeddings"}
    assert not hasattr(found, "states")


def test_decode_gets_back_what_trace_returned() -> None:
    seen = []

    def decode(traced: dict, attention: torch.Tensor) -> torch.Tensor:
        seen.append(traced)
        return traced["mine"] + attention.sum(1, keepdim=True)

    def trace(batch: Batch, vectors: torch.Tensor) -> dict[str, object]:
        attention = torch.softmax(vectors.sum(2).masked_fill(~batch.mask, -torch.inf), 1)
        return {
            "attention": attention,
            "logits": attention[:, :1],
            "mine": torch.ones(len(attention), 1),
            "note": "x",
        }

    model = wrapped(trace=trace, decode=decode, token_logits=None)
    traced = model.trace(model.collate(TEXTS))
    assert model.decode(traced, traced.attention).tolist() == [[pytest.approx(2.0)]] * 6
    assert seen[0]["note"] == "x"
    assert seen[0]["batch"] is traced.batch
    assert torch.equal(seen[0]["embeddings"], traced.embeddings)


def test_a_trace_of_ours_may_be_returned() -> None:
    ours = untrained("mlp(hidden=6)")
    model = sightline.wrap(
        ours,
        link="sigmoid",
        collate=ours.collate,
        embed=ours.embed,
        trace=ours.trace,
        decode=ours.decode,
    )
    trace = model.trace(model.collate(TEXTS))
    assert torch.equal(model.decode(trace, trace.attention), trace.logits)
    assert torch.equal(trace.logits, ours.trace(ours.collate(TEXTS)).logits)


def test_a_trace_is_detached_unless_embeddings_are_given() -> None:
    def enabled(batch: Batch, vectors: torch.Tensor) -> dict[str, torch.Tensor]:
        with torch.enable_grad():
            return plain(batch, vectors)

    plain = wrapped().calls.trace
    model = wrapped(trace=enabled)
    batch = model.collate(TEXTS)
    trace = model.trace(batch)
    tensors = [trace.logits, trace.attention, *trace.inside.values()]
    assert not any(t.requires_grad for t in tensors if isinstance(t, torch.Tensor))
    assert model.trace(batch, trace.embeddings.clone().requires_grad_()).logits.requires_grad


def test_what_is_offered_is_what_was_given() -> None:
    assert wrapped().offers == {"embedding_grad", "decode", "token_logits"}
    assert wrapped(decode=None).offers == {"embedding_grad", "token_logits"}
    assert wrapped(token_logits=None).offers == {"embedding_grad", "decode"}
    assert "states" in wrapped(states=lambda traced: traced["states"]).offers
    assert isinstance(wrapped(), Auditable)
    assert wrapped().name == "Plain"
    assert wrapped(name="mine").name == "mine"


def test_without_decode_what_needs_it_is_not_applicable() -> None:
    outcomes = taken(wrapped(decode=None, token_logits=None), {})
    refused = {code: one.reason for code, one in outcomes.items() if isinstance(one, NotRun)}
    assert refused == {
        "need": needed({"decode"}),
        "retrained": "needs a control model (uniform)",
        "beside": "needs a control model of any kind",
        "types": needed({"decode"}),
        "frozen": "needs a control model (frozen)",
        "reach": needed({OTHER_ATTENTION}),
        "permutation": needed({OTHER_ATTENTION}),
        "counterfactual": needed({"token_logits"}),
        "flips": needed({"token_logits"}),
        "repair": needed({"decode"}),
        "own_word": needed({"token_logits"}),
        "mixing": needed({"states"}),
        "token_evidence": needed({"token_logits"}),
    }
    assert all(isinstance(outcomes[code], Measurement) for code in ("outputs", "erasure"))


def test_no_decode_no_decoding() -> None:
    model = wrapped(decode=None)
    trace = model.trace(model.collate(TEXTS))
    with refused(ModelError):
        model.decode(trace, trace.attention)
    with refused(ModelError):
        model.states(trace)


def test_another_models_trace_is_not_decoded() -> None:
    ours = untrained("bilstm(hidden=6)")
    trace = ours.trace(ours.collate(TEXTS))
    with refused(ModelError):
        wrapped().decode(trace, trace.attention)


# ---------------------------------------------------------------- what is returned wrong


def returning(**entries: object) -> dict[str, object]:
    """A trace whose entries are replaced, by a value or by a function of the right one."""
    right = wrapped().calls.trace

    def trace(batch: Batch, vectors: torch.Tensor) -> dict[str, object]:
        found: dict[str, object] = dict(right(batch, vectors))
        for name, value in entries.items():
            found[name] = value(found[name]) if callable(value) else value
            if found[name] is ...:
                del found[name]
        return found

    return {"trace": trace}


WRONG = {
    "a tuple": (
        {"trace": lambda batch, vectors: (vectors, vectors)},
        ("trace: expected a mapping .* got tuple; return {"),
    ),
    "no attention": (
        returning(attention=...),
        ("expected an entry 'attention', got states, logits; add it"),
    ),
    "no logits": (
        returning(logits=...),
        ("expected an entry 'logits', got states, attention; add it"),
    ),
    "an axis too many": (
        returning(attention=lambda a: a[:, None]),
        ("trace: attention: expected .* 6×12, got 6×1×12; squeeze"),
    ),
    "an axis too few": (
        returning(logits=lambda z: z[:, 0]),
        ("trace: logits: expected .* 6×any, got 6; add the missing axis"),
    ),
    "heads": (
        returning(attention=lambda a: a[:, None].expand(-1, 2, -1)),
        "got 6×2×12; a row a text",
    ),
    "numpy": (returning(attention=lambda a: a.detach().numpy()), "got ndarray; return a tensor"),
    "nothing": (returning(logits=None), r"got nothing \(None\); return a tensor"),
    "whole numbers": (
        returning(attention=lambda a: a.long()),
        (r"got torch.int64; convert it " r"with .float\(\)"),
    ),
    "another device": (
        returning(logits=lambda z: z.to("meta")),
        ("expected it on cpu, .* got meta; keep to one device"),
    ),
    "embeddings": (
        {"embed": lambda batch: batch.ids},
        ("embed: expected .* 6×12×any, got 6×12; add the missing axis"),
    ),
    "token logits": (
        {"token_logits": lambda t: t["logits"]},
        ("token_logits: expected .* 6×12×1, got 6×1; add the"),
    ),
    "an error": (
        {"trace": lambda batch, vectors: vectors[99]},
        (r"trace raised IndexError: .* " r"\(test_wrap.py:\d+\); mend trace"),
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_trace_returns_is_read_strictly(name: str) -> None:
    changes, message = WRONG[name]
    model = wrapped(**changes)
    with pytest.raises(ModelError, match=message):
        model.trace(model.collate(TEXTS))


def test_a_squeezed_batch_of_one_text_gets_its_axis_back() -> None:
    def change(name: str, value: Any) -> ModelError:
        model = wrapped(**returning(**{name: value}))
        with pytest.raises(ModelError) as caught:
            model.trace(model.collate(TEXTS[:1]))
        return caught.value

    assert ".unsqueeze(0)" in change("attention", lambda a: a.squeeze()).change
    assert ".unsqueeze(-1)" in change("logits", lambda z: z[:, 0]).change


def test_an_error_gives_each_complaint_once() -> None:
    squeezed = returning(attention=lambda a: a.squeeze())
    model = wrapped(states=lambda traced: traced["states"], **squeezed)
    with refused(ModelError) as caught:
        require(model, examples((9, 9, 9)))
    assert "2 of its compatibility checks" in str(caught.value)
    assert str(caught.value).count(".unsqueeze(0)") == 1


@pytest.mark.parametrize(
    ("decoded", "message"),
    [
        (
            lambda t, a: t["logits"][:, 0],
            r"decode: expected .* 6×1, got 6; add the missing axis with .unsqueeze\(-1\)",
        ),
        (lambda t, a: t["logits"][:3], "decode: expected .* 6×1, got 3×1; a row a text"),
        (lambda t, a: t["other"], r"decode raised KeyError: 'other' \(test_wrap.py"),
    ],
)
def test_what_decode_returns_is_read_strictly(decoded: object, message: str) -> None:
    model = wrapped(decode=decoded)
    trace = model.trace(model.collate(TEXTS))
    with pytest.raises(ModelError, match=message):
        model.decode(trace, trace.attention)


def pair(change: object) -> object:
    ours = untrained("bilstm(hidden=6)")
    return lambda examples: change(*ids_and_mask(ours, examples))


BATCHES = {
    "ids alone": (
        pair(lambda ids, mask: ids),
        (r"expected \(ids, mask\) or a " r"sightline.core.protocols.Batch, got Tensor"),
    ),
    "extra tensors": (
        pair(lambda ids, mask: (ids, mask, ids)),
        ("got tuple of 3; when words are deleted only ids and mask"),
    ),
    "a list": (
        pair(lambda ids, mask: (ids.tolist(), mask)),
        ("expected ids as whole numbers, .* got list; pad them"),
    ),
    "float ids": (pair(lambda ids, mask: (ids.float(), mask)), "got torch.float32 of shape 6×12"),
    "flat ids": (pair(lambda ids, mask: (ids[0], mask[0])), "got torch.int64 of shape 12"),
    "ones and zeros": (
        pair(lambda ids, mask: (ids, mask.long())),
        ("expected a bool mask, True on real tokens, got torch.int64"),
    ),
    "two shapes": (
        pair(lambda ids, mask: (ids, mask[:, 1:])),
        ("got ids 6×12 and mask 6×11; make the mask from the ids"),
    ),
    "a row lost": (
        pair(lambda ids, mask: (ids[1:], mask[1:])),
        ("expected 6 rows, one a text, got 5; keep every text"),
    ),
    "turned masks": (
        pair(lambda ids, mask: (ids, ~mask)),
        ("text t0 has 7 words, and its row has 5 tokens"),
    ),
    "other order": (
        pair(lambda ids, mask: (ids.flip(0), mask.flip(0))),
        ("the rows are in another order than the texts; keep row i"),
    ),
    "cut": (
        pair(lambda ids, mask: (ids[:, :8], mask[:, :8])),
        ("text t3 has 12 words, and its row has 8 tokens .*--max-tokens"),
    ),
}


@pytest.mark.parametrize("name", BATCHES)
def test_what_collate_returns_is_read_strictly(name: str) -> None:
    collate, message = BATCHES[name]
    with pytest.raises(ModelError, match=message):
        wrapped(collate=collate).collate(TEXTS)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda b: replace(b, index=b.index.flip(0)), "another order"),
        (lambda b: replace(b, labels=b.labels + 1), "another order"),
        (lambda b: replace(b, word=b.word.clamp(max=3)), "not numbered from 0 in order"),
        (
            lambda b: replace(b, attendable=torch.ones_like(b.mask)),
            "padding is attendable; .* so use & mask",
        ),
    ],
)
def test_a_batch_of_the_owners_is_read_as_strictly(change: object, message: str) -> None:
    ours = untrained("bilstm(hidden=6)")
    with pytest.raises(ModelError, match=message):
        wrapped(collate=lambda examples: change(ours.collate(examples))).collate(TEXTS)


def test_running_out_of_memory_is_not_the_users_mistake() -> None:
    def trace(batch: Batch, vectors: torch.Tensor) -> Trace:
        raise MemoryError

    model = wrapped(trace=trace)
    with pytest.raises(MemoryError):
        model.trace(model.collate(TEXTS))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"link": "logistic"}, "expected sigmoid, softmax or sigmoids, got 'logistic'"),
        ({"link": "sigmoid", "labels": ("a", "b", "c")}, "expected two different names"),
        ({"link": "softmax", "labels": ("a", "a")}, "expected two or more different names"),
        ({"link": "softmax", "labels": ("a",)}, "expected two or more different names"),
    ],
)
def test_link_and_labels_are_checked_when_they_are_given(settings: dict, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        wrapped(**settings)


# ---------------------------------------------------------------- audits


def test_an_audit_of_a_wrapped_module_says_what_it_cannot_know() -> None:
    found = sightline.audit(wrapped(), dataset())
    assert found.cards["model"]["training_texts"] == TRAINED_ELSEWHERE
    assert found.cards["model"]["name"] == "Plain"
    assert len(found.texts) == 4
    assert (
        "training_texts"
        not in sightline.audit(untrained("bilstm(hidden=6)"), dataset()).cards["model"]
    )


def test_an_audit_refuses_a_module_whose_proofs_fail() -> None:
    model = wrapped()
    model.module.train()
    with refused(ModelError):
        sightline.audit(model, dataset())
    with pytest.raises(ModelError, match=r"call module.eval\(\)"):
        sightline.audit(untrained("bilstm(hidden=6)"), dataset(), {"uniform": model})


def test_an_audit_refuses_labels_that_are_not_the_models() -> None:
    with refused(ModelError):
        sightline.audit(wrapped(), dataset(classes=4))
    with refused(DataError):
        sightline.audit(wrapped(labels=("yes", "no")), dataset())


def test_labels_are_numbered_as_the_model_does() -> None:
    straight = sightline.audit(wrapped(), dataset())
    turned = sightline.audit(wrapped(labels=("class 1", "class 0")), dataset())
    label, same = (
        np.asarray(a.measurements["outputs"].values["label"]) for a in (straight, turned)
    )
    assert (label + same == 1).all()
    assert [t.label for t in straight.texts] == [t.label for t in turned.texts]


# ---------------------------------------------------------------- devices


def test_on_a_gpu_recurrent_layers_run_without_cudnn(monkeypatch: pytest.MonkeyPatch) -> None:
    """A processor has no cuDNN to refuse a gradient, so what is looked at is the switch."""
    seen = []

    def watched(model: WrappedModule) -> WrappedModule:
        def trace(batch: Batch, vectors: torch.Tensor) -> object:
            seen.append(torch.backends.cudnn.enabled)
            return model.calls.trace(batch, vectors)

        def decode(traced: object, attention: torch.Tensor) -> torch.Tensor:
            seen.append(torch.backends.cudnn.enabled)
            return model.calls.decode(traced, attention)

        return replace(model, calls=replace(model.calls, trace=trace, decode=decode))

    def run(model: WrappedModule) -> list[bool]:
        seen.clear()
        trace = model.trace(batch)
        model.trace(batch, trace.embeddings.clone().requires_grad_()).logits.sum().backward()
        model.decode(trace, trace.attention)
        return list(seen)

    recurrent, layered = watched(wrapped()), watched(wrapped(untrained("mlp(hidden=6)")))
    batch = recurrent.collate(TEXTS)
    assert run(recurrent) == [True, True, True]
    monkeypatch.setattr(WrappedModule, "device", property(lambda self: torch.device("cuda")))
    assert run(recurrent) == [False, False, False]
    assert run(layered) == [True, True, True]
    assert torch.backends.cudnn.enabled


def test_a_module_without_tensors_is_on_the_processor() -> None:
    empty = sightline.wrap(nn.Identity(), collate=list, embed=list, trace=dict)
    assert empty.device == torch.device("cpu")


@pytest.mark.gpu
@pytest.mark.parametrize("spec", ["bilstm(hidden=6)", "mlp(hidden=6)"])
def test_a_module_on_a_gpu_passes_and_gives_the_same(spec: str) -> None:
    from sightline.adapters.compatibility import check

    ours = untrained(spec)
    here = wrapped(ours)
    there = wrapped(ours, exported(ours).to("cuda"))
    batch = there.collate(TEXTS)
    assert batch.ids.device.type == "cuda"
    torch.testing.assert_close(
        there.trace(batch).logits.cpu(),
        here.trace(here.collate(TEXTS)).logits,
        atol=1e-4,
        rtol=1e-4,
    )
    assert [str(proof) for proof in check(there, TEXTS) if proof.outcome == "failed"] == []
    outcomes = taken(there, {})
    assert all(
        isinstance(outcomes[code], Measurement) for code in ("agreement", "erasure", "permutation")
    ), outcomes
