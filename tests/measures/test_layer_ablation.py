"""Each layer with weights that no text chose: by an attention function of transformers itself, a
text at a time.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.masking_utils import eager_mask

import sightline
from sightline.audits.measure_pass import measure
from sightline.core.example import Example
from sightline.core.results import Measurement
from sightline.core.seeds import Seeds
from sightline.measures.layer_ablation import LayerAblation
from tests.adapters.huggingface.toys import WORDS, classifier, tokenizer_of, word_pieces
from tests.reference.formulas import probabilities
from tests.texts import example, untrained

PIECES = word_pieces()
PLACES = [(0, 6), (4, 3), (9, 8), (2, 1)]
TEXTS = [
    example(" ".join(WORDS[start : start + size]), number)
    for number, (start, size) in enumerate(PLACES)
]


def taken(model: Any, batch_size: int = 3, texts: list[Example] = TEXTS) -> Measurement:
    found = measure(
        model, texts, (LayerAblation(),), {}, Seeds(0), batch_size, lambda done, total: None
    )["layers"]
    assert isinstance(found, Measurement), found
    return found


def answers(module: Any, change: Callable[[int, torch.Tensor], torch.Tensor]) -> list[np.ndarray]:
    """Logits of each text alone, its weights changed by a function that transformers is told to
    use.
    """

    def attend(
        part: Any, query: Any, key: Any, value: Any, mask: Any, scaling: float, **_: Any
    ) -> tuple[Any, Any]:
        weights = (query @ key.transpose(2, 3) * scaling).softmax(-1)
        layer = next(
            n for n, one in enumerate(module.bert.encoder.layer) if one.attention.self is part
        )
        weights = change(layer, weights)
        return (weights @ value).transpose(1, 2).contiguous(), weights

    AttentionInterface.register("changed", attend)
    AttentionMaskInterface.register("changed", eager_mask)
    module.set_attn_implementation("changed")
    with torch.no_grad():
        found = [
            module(**PIECES(text.text, return_tensors="pt")).logits[0].double().numpy()
            for text in TEXTS
        ]
    module.set_attn_implementation("sdpa")
    return found


def moved(one: list[np.ndarray], other: list[np.ndarray]) -> list[float]:
    pairs = zip(one, other, strict=True)
    return [
        float(np.abs(np.array(probabilities(a)) - np.array(probabilities(b))).sum() / 2)
        for a, b in pairs
    ]


def test_a_text_whose_weights_are_not_finite_does_not_count_among_the_constant_ones() -> None:
    module = classifier("bert", tokenizer=PIECES)
    (piece,) = PIECES("slow", add_special_tokens=False)["input_ids"]
    module.bert.embeddings.word_embeddings.weight.data[piece] = torch.nan
    model = sightline.transformer(module, PIECES)
    with_it = taken(model, 5, [*TEXTS[:2], example("the slow day", 9), *TEXTS[2:]]).values
    alone = taken(model).values
    names = [name for name in alone if name.startswith("constant.")]
    assert len(names) == 3
    for name in names:
        assert with_it[name][[0, 1, 3, 4]] == pytest.approx(alone[name], abs=1e-6)
        assert np.isnan(with_it[name][2])
        assert np.abs(alone[name] - alone[name.replace("constant", "uniform")]).max() > 1e-3


@pytest.mark.parametrize("layer", [0, 1, None])
def test_uniform_weights_in_a_layer_are_those_of_a_function_that_gives_them(
    layer: int | None,
) -> None:
    module = classifier("bert", tokenizer=PIECES)
    found = taken(sightline.transformer(module, PIECES)).values
    own = answers(module, lambda _, weights: weights)
    flat = answers(
        module, lambda n, w: torch.full_like(w, 1 / w.shape[-1]) if layer in (n, None) else w
    )
    name = "all" if layer is None else str(layer)
    assert found[f"uniform.{name}"] == pytest.approx(moved(own, flat), abs=1e-6)
    changed = [a.argmax() != b.argmax() for a, b in zip(own, flat, strict=True)]
    assert np.asarray(found[f"uniform_changed.{name}"]).tolist() == [float(one) for one in changed]


@pytest.mark.parametrize("layer", [0, 1, None])
def test_constant_weights_are_the_mean_of_the_texts_that_have_a_place(layer: int | None) -> None:
    module = classifier("bert", tokenizer=PIECES)
    found = taken(sightline.transformer(module, PIECES)).values
    seen: dict[int, list[np.ndarray]] = {0: [], 1: []}

    def keep(n: int, weights: torch.Tensor) -> torch.Tensor:
        seen[n].append(weights[0].double().numpy())
        return weights

    own = answers(module, keep)

    def put(n: int, weights: torch.Tensor) -> torch.Tensor:
        if layer not in (n, None):
            return weights
        heads, rows, tokens = weights.shape[1:]
        out = torch.zeros_like(weights)
        for head in range(heads):
            for row in range(rows):
                means = []
                for token in range(tokens):
                    those = [
                        one[head, row, token]
                        for one in seen[n]
                        if row < one.shape[1] and token < one.shape[2]
                    ]
                    means.append(sum(those) / len(those))
                out[0, head, row] = torch.tensor([mean / sum(means) for mean in means])
        return out

    name = "all" if layer is None else str(layer)
    assert found[f"constant.{name}"] == pytest.approx(moved(own, answers(module, put)), abs=1e-6)


@pytest.mark.parametrize("family", ["gpt2", "xlnet", "t5", "gemma3_text"])
def test_batches_change_nothing_and_tokens_that_a_row_may_not_see_stay_unseen(family: str) -> None:
    tokenizer = tokenizer_of(family)
    model = sightline.transformer(classifier(family, tokenizer=tokenizer), tokenizer)
    one, other = taken(model, 1).values, taken(model, 4).values
    for name, values in one.items():
        assert np.asarray(values) == pytest.approx(np.asarray(other[name]), abs=1e-5), name


def test_of_models_with_one_attention_nothing_is_said() -> None:
    model = untrained("mlp(hidden=6)+additive")
    found = measure(model, TEXTS, (LayerAblation(),), {}, Seeds(0), 4, lambda done, total: None)
    assert "layers" not in found
