"""Each reading is what its formula says, by transformers' own weights and by loops; padding changes
none of it.
"""

from typing import Any

import numpy as np
import pytest
import torch

import sightline
from sightline.adapters.compatibility import check
from sightline.adapters.huggingface.attention_source import AttentionSource
from sightline.adapters.tap.tap import editing
from sightline.core.errors import ModelError
from sightline.core.example import Example
from tests.adapters.huggingface.toys import WORDS, classifier, tokenizer_of, word_pieces
from tests.texts import example

TEXTS = [
    example(" ".join(WORDS[start : start + size]), number)
    for number, (start, size) in enumerate([(0, 6), (4, 3)])
]


PIECES = word_pieces()
"""One for all: training a second one may number the pieces otherwise."""


def made(family: str = "bert", **asked: Any) -> Any:
    tokenizer = PIECES if family == "bert" else tokenizer_of(family)
    return sightline.transformer(classifier(family, tokenizer=tokenizer), tokenizer, **asked)


def ran(text: Example) -> tuple[Any, list[np.ndarray], list[np.ndarray]]:
    """Weights and values of a BERT, layer by layer (head, row, token) and (head, token, size), as
    transformers has them.
    """
    module = classifier("bert", tokenizer=PIECES)
    module.set_attn_implementation("eager")
    values: list[torch.Tensor] = []
    for layer in module.bert.encoder.layer:
        layer.attention.self.value.register_forward_hook(lambda _, __, out: values.append(out))
    with torch.no_grad():
        out = module(**PIECES(text.text, return_tensors="pt"), output_attentions=True)
    by_head = [one[0].reshape(-1, 4, 8).permute(1, 0, 2).double().numpy() for one in values]
    return module, [one[0].double().numpy() for one in out.attentions], by_head


def row_of(model: Any, text: Example) -> np.ndarray:
    return model.trace(model.collate([text])).inside.row[0].double().numpy()


@pytest.mark.parametrize("text", TEXTS)
def test_rollout_is_the_product_of_the_layers(text: Example) -> None:
    _, weights, _ = ran(text)
    size = weights[0].shape[1]
    flow = [[float(i == j) for j in range(size)] for i in range(size)]
    for layer in weights:
        mixed = [
            [layer[:, i, j].mean() / 2 + (i == j) / 2 for j in range(size)] for i in range(size)
        ]
        flow = [
            [sum(mixed[i][k] * flow[k][j] for k in range(size)) for j in range(size)]
            for i in range(size)
        ]
    assert row_of(made(reading="rollout"), text) == pytest.approx(np.array(flow[0]), abs=1e-6)


@pytest.mark.parametrize("attention", ["eager", "sdpa"])
@pytest.mark.parametrize(("layer", "head"), [(1, None), (1, 2), (0, None)])
def test_values_are_weighed_by_how_long_they_are(
    layer: int, head: int | None, attention: str
) -> None:
    _, weights, values = ran(TEXTS[0])
    heads = range(4) if head is None else [head]
    size = weights[layer].shape[1]
    long = [
        sum(weights[layer][h, 0, t] * np.sqrt((values[layer][h, t] ** 2).sum()) for h in heads)
        for t in range(size)
    ]
    model = made(reading="values", layer=layer, **({} if head is None else {"head": head}))
    model.module.set_attn_implementation(attention)
    found = row_of(model, TEXTS[0])
    assert found == pytest.approx(np.array(long) / sum(long), abs=1e-6)


@pytest.mark.parametrize("layer", [0, 1])
def test_evidence_is_weight_times_slope_by_runs_with_a_little_more_weight(layer: int) -> None:
    model = made(reading="evidence", layer=layer)
    batch = model.collate(TEXTS[:1])
    module, site = model.module.double(), model.architecture.sites[layer]
    trace = model.trace(batch)
    chosen = int(trace.logits.argmax())
    size = batch.ids.shape[1]

    def odds(place: int, more: float) -> float:
        def change(given: torch.Tensor) -> torch.Tensor:
            return given + more * given * (torch.arange(size) == place)

        with torch.no_grad(), editing(module, {site: change}, 1):
            logits = module(input_ids=batch.ids, attention_mask=batch.mask.long()).logits[0]
        return float(logits[chosen] - logits[1 - chosen])

    step = 1e-5
    slopes = [(odds(place, step) - odds(place, -step)) / (2 * step) for place in range(size)]
    found = trace.inside.row[0].numpy()
    assert found == pytest.approx(np.abs(slopes) / np.abs(slopes).sum(), abs=1e-6)


def test_a_mixture_is_the_sum_of_its_heads() -> None:
    model = made().mixed({"(layer=0,head=1)": 0.25, "(layer=1,head=3)": 0.75})
    _, weights, _ = ran(TEXTS[0])
    wanted = 0.25 * weights[0][1, 0] + 0.75 * weights[1][3, 0]
    assert row_of(model, TEXTS[0]) == pytest.approx(wanted, abs=1e-6)
    assert model.heads == made().heads
    assert "(reading=mixture)" in model.readings


@pytest.mark.parametrize(
    "family", ["bert", "albert", "gpt2", "xlnet", "t5", "qwen3_next", "eurobert"]
)
def test_all_readings_at_once_are_each_by_itself_padded_or_alone(family: str) -> None:
    model = made(family)
    batch = model.collate(TEXTS)
    shown = model.read_all(batch)
    assert list(shown) == list(model.readings)
    for name, one in shown.items():
        trace = model.under(name).trace(batch)
        assert not trace.logits.requires_grad
        assert torch.allclose(trace.attention, one, atol=1e-6)
        alone = model.under(name).trace(model.collate(TEXTS[1:])).attention[0]
        assert torch.allclose(one[1, : len(alone)], alone, atol=1e-5), name
        assert torch.allclose(one.sum(1), torch.ones(2), atol=1e-6)


def test_a_few_texts_at_a_time_are_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    model = made()
    batch = model.collate([*TEXTS, *TEXTS])
    whole = model.read_all(batch)
    monkeypatch.setattr("sightline.adapters.huggingface.auditable.HELD", 1)
    for name, one in model.read_all(batch).items():
        assert torch.allclose(one, whole[name], atol=1e-6)


def test_weights_of_a_head_or_of_a_layer_can_be_replaced_and_nothing_else() -> None:
    model = made()
    for name, one in model.readings.items():
        assert ("decode" in model.under(name).offers) is (one.kind == "weights"), name


@pytest.mark.parametrize(
    ("family", "reading", "message"),
    [
        ("xlnet", "values", "the values that its weights mix are not seen"),
        ("t5", "rollout", "some layer reads something"),
    ],
)
def test_what_a_family_does_not_have_is_refused(family: str, reading: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        made(family, reading=reading)
    assert not [one for one in made(family).readings.values() if one.kind == reading]


def test_readings_are_named_as_they_are_asked_for() -> None:
    names = list(made().readings)
    assert names[:2] == ["(layer=0,head=0)", "(layer=0,head=1)"]
    assert names[-1] == "(reading=rollout)"
    assert "(reading=values,layer=1)" in names
    assert str(AttentionSource(1)) == "(layer=1,head=mean)"


def test_evidence_of_a_model_whose_weights_are_frozen_passes_its_checks() -> None:
    """As a model that is loaded from a folder."""
    model = made(reading="evidence", layer=1)
    model.module.requires_grad_(False)
    batch = model.collate(TEXTS)
    with torch.no_grad():
        embeddings = model.trace(batch).embeddings.detach()
        again = model.trace(batch, embeddings)
    assert torch.equal(again.attention, model.trace(batch).attention)
    failed = [one.name for one in check(model, TEXTS, model.labels) if one.outcome == "failed"]
    assert failed == []
