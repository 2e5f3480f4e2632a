"""A whole audit on a device that no machine has: a tensor that is made on the processor and meets
one of the model fails a measure.
"""

from collections.abc import Callable

import numpy as np
import pytest
import torch

import sightline
from sightline.adapters import precision
from sightline.core.protocols import Auditable
from sightline.core.results import Failed, Measurement
from sightline.data.dataset import Dataset
from sightline.models.lend_attention import attention_of
from sightline.training.loop import predict
from tests.adapters.huggingface.causal_toys import TEMPLATE, byte_pieces, language_model
from tests.adapters.huggingface.toys import classifier, whole_words
from tests.adapters.plain import exported, ids_and_mask
from tests.fake_device import DEVICE, FakeDevice, MixedDevicesError, fake_device
from tests.texts import trained

DATA = "planted:needle(n=200,length=5)"
WANTED = {"outputs", "agreement", "erasure", "transplant", "need"}


Case = tuple[Dataset, Callable[[], Auditable]]
"""Texts, and what puts a model of them on the device."""


def built_in() -> Case:
    model, data = trained(DATA, "bilstm(hidden=4)+additive", epochs=1)
    return data, lambda: model.to(DEVICE)


def tapped() -> Case:
    ours, data = trained(DATA, "bilstm(hidden=4)+additive", epochs=1)
    plain = exported(ours)

    def collate(texts):
        return tuple(one.to(DEVICE) for one in ids_and_mask(ours, texts))

    return data, lambda: sightline.tap(plain.to(DEVICE), collate=collate, link=ours.link)


def words_of(data: Dataset) -> list[str]:
    return sorted({word for text in (*data.train, *data.test) for word in text.tokens})


def bert() -> Case:
    data = sightline.load(DATA)
    tokenizer = whole_words(words_of(data))
    named = {"id2label": dict(enumerate(data.label_names))}
    module = classifier("bert", tokenizer=tokenizer, **named)
    return data, lambda: sightline.transformer(module.to(DEVICE), tokenizer)


def causal() -> Case:
    data = sightline.load(DATA)
    tokenizer = byte_pieces(*words_of(data), *data.label_names)
    module = language_model("llama", tokenizer)
    asked = {"template": TEMPLATE, "answers": {name: name for name in data.label_names}}
    return data, lambda: sightline.prompted(module.to(DEVICE), tokenizer, **asked)


@pytest.mark.parametrize("make", [built_in, tapped, bert, causal])
def test_every_tensor_of_an_audit_is_where_the_model_is(make: Callable) -> None:
    data, placed = make()
    with fake_device():
        audit = sightline.audit(placed(), data, limit=6, full=True)
    broken = {
        name: one.error for name, one in audit.measurements.items() if isinstance(one, Failed)
    }
    assert not broken
    taken = {name for name, one in audit.measurements.items() if isinstance(one, Measurement)}
    assert taken >= WANTED
    assert audit.environment["device"] == str(DEVICE)


def test_a_device_without_double_precision_is_audited(monkeypatch: pytest.MonkeyPatch) -> None:
    """As that of a Mac is: numbers are made wider once they are on the processor."""
    monkeypatch.setattr(precision, "WITHOUT_DOUBLES", {DEVICE.type})
    model, data = trained(DATA, "bilstm(hidden=4)+additive", epochs=1)
    wanted = predict(model, data.test)
    with fake_device(doubles=False):
        placed = model.to(DEVICE)
        assert np.array_equal(predict(placed, data.test), wanted)
        assert len(attention_of(placed, placed.collate(data.test[:5]))) == 5
        audit = sightline.audit(placed, data, limit=6, full=True)
        with pytest.raises(TypeError):
            torch.ones(3, device=DEVICE).double()
    assert not [one for one in audit.measurements.values() if isinstance(one, Failed)]
    assert {
        name for name, one in audit.measurements.items() if isinstance(one, Measurement)
    } >= WANTED


@pytest.fixture
def device():
    with fake_device() as there:
        yield there


def test_a_tensor_lives_where_it_was_made_and_so_does_what_is_made_of_it(
    device: FakeDevice,
) -> None:
    there, here = torch.ones(3, device=DEVICE), torch.ones(3)
    assert {there.device, (there * 2).device, here.to(DEVICE).device, here.to(there).device} == {
        DEVICE
    }
    assert {here.device, there.cpu().device, there.to("cpu").device} == {torch.device("cpu")}
    assert {there[1:].device, there.detach().device, torch.zeros_like(there).device} == {DEVICE}
    assert here.device.type == "cpu"  # what was copied stays
    assert (there * torch.tensor(2.0)).tolist() == [2.0, 2.0, 2.0]
    assert there[torch.tensor([0])].device == DEVICE
    layer = torch.nn.Linear(3, 2).to(DEVICE)
    assert {one.device for one in layer.parameters()} == {DEVICE}
    assert np.array_equal(there.cpu().numpy(), [1, 1, 1])


@pytest.mark.parametrize(
    "mixed",
    [
        lambda there: there + torch.ones(3),
        lambda there: torch.stack([there, torch.ones(3)]),
        lambda there: torch.ones(3)[there.long()],
        lambda there: there.where(torch.ones(3) > 0, 0.0),
        lambda there: there.numpy(),
        lambda there: torch.nn.Linear(3, 2)(there),
    ],
)
def test_tensors_of_two_devices_do_not_meet(device: FakeDevice, mixed: Callable) -> None:
    with pytest.raises(MixedDevicesError):
        mixed(torch.ones(3, device=DEVICE))
