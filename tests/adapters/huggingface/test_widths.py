"""Shortened texts run in few widths, and their logits are those of the texts without padding."""

from dataclasses import replace

import pytest
import torch

from sightline.adapters.factory import texts_without_data
from sightline.adapters.huggingface.from_pretrained import transformer
from sightline.core.protocols import Batch
from sightline.numerics.projections import uniform
from tests.adapters.huggingface.toys import classifier, tokenizer_of

TEXTS = texts_without_data()


def model(family: str = "bert"):
    return transformer(classifier(family), tokenizer_of(family), layer=1, head=1)


def wide(batch: Batch, width: int) -> Batch:
    """Give a batch of one text that is as wide as asked: its columns, over and over."""
    columns = torch.arange(width) % int(batch.mask[0].sum())
    tensors = {
        name: getattr(batch, name)[:1, columns] for name in ("ids", "mask", "attendable", "word")
    }
    return replace(batch.rows(slice(0, 1)), **tensors)


def test_lengths_share_widths_within_an_eighth() -> None:
    one = model()
    one = replace(one, reader=replace(one.reader, longest=None))
    batch = one.collate(TEXTS)
    widths = {}
    for length in range(1, 520):
        found = one.widened(wide(batch, length)).mask
        widths[length] = found.shape[1]
        assert int(found.sum()) == length
        assert length <= widths[length] <= max(length + 1, length * 9 / 8)
    assert len({widths[length] for length in range(64, 257)}) == 17
    assert all(width % 16 == 0 for length, width in widths.items() if length > 128)


def test_no_text_grows_beyond_the_length_that_the_model_accepts() -> None:
    one = model()
    batch = one.collate(TEXTS)
    for longest, width in ((202, 201), (208, 208), (None, 208)):
        some = replace(one, reader=replace(one.reader, longest=longest))
        assert some.widened(wide(batch, 201)).mask.shape[1] == width


def test_where_padding_is_not_inert_none_is_added() -> None:
    one = replace(model(), together=False)
    batch = wide(one.collate(TEXTS), 201)
    assert one.widened(batch) is batch


@pytest.mark.parametrize("family", ["bert", "gpt2", "albert"])
def test_wider_texts_have_the_same_logits(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    one = model(family)
    batch = one.collate(TEXTS)
    flat = {"flat": uniform(batch.attendable, torch.ones(batch.mask.shape))}
    found, under = [], []
    for width in (batch.mask.shape[1], batch.mask.shape[1] + 3):
        monkeypatch.setattr(type(one), "widened", lambda _, some, w=width: some.widened(w))
        found.append(one.logits(batch))
        if one.answers_under:
            under.append(one.logits_under(batch, flat))
    assert torch.allclose(found[0], found[1], atol=1e-5)
    for name in under and under[0]:
        assert torch.allclose(under[0][name], under[1][name], atol=1e-5), name
    assert bool(under) == (family != "albert")
