"""A model that cannot be read is refused with the reason that is true of it."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import nn

from sightline.adapters.compatibility import check
from sightline.adapters.factory import texts_without_data
from sightline.adapters.huggingface import architecture_probe
from sightline.adapters.huggingface.from_pretrained import load_huggingface, transformer
from sightline.core.errors import ModelError
from tests.adapters.huggingface.toys import classifier, tokenizer_of, word_pieces

SMALL = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "intermediate_size": 48,
}
TEXTS = texts_without_data()


def refused(family: str, **changes: Any) -> ModelError:
    with pytest.raises(ModelError) as error:
        transformer(classifier(family, **changes), tokenizer_of(family))
    return error.value


def test_a_layer_that_takes_several_softmaxes_at_once_is_refused() -> None:
    """DiffLlama has two a layer: neither is its attention, and replacing one changes half a layer."""
    error = refused("diffllama", **SMALL)
    assert "DiffLlamaForSequenceClassification" in error.wrong
    assert "2 softmaxes" in error.wrong
    assert "2 layers" in error.wrong
    assert "model.layers.0.self_attn" in error.wrong
    assert error.change


def test_a_layer_that_runs_again_and_again_is_read() -> None:
    model = transformer(classifier("albert", num_hidden_layers=3), tokenizer_of("albert"))
    assert [site.turn for site in model.architecture.sites] == [0, 1, 2]


class AllLayersInOne(nn.Module):
    """Two layers of attention that one part computes, without a part for each."""

    device = torch.device("cpu")

    def __init__(self, layers: int) -> None:
        super().__init__()
        self.table = nn.Embedding(20, 8)
        self.config = SimpleNamespace(
            num_hidden_layers=layers, is_encoder_decoder=False, pad_token_id=0
        )
        self.config.get_text_config = lambda: self.config

    def get_input_embeddings(self) -> nn.Module:
        return self.table

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> Any:
        states = self.table(input_ids)
        for _ in range(2):
            states = torch.softmax(states @ states.transpose(1, 2), dim=-1) @ states
        return SimpleNamespace(logits=states[:, 0, :2])


def test_one_part_may_compute_as_many_softmaxes_as_there_are_layers() -> None:
    torch.manual_seed(0)
    found = architecture_probe.architecture_of(AllLayersInOne(2), range(1, 9), 0, "Toy")
    assert len(found.sites) == 2
    with pytest.raises(ModelError, match=r"Toy: .*2 softmaxes"):
        architecture_probe.architecture_of(AllLayersInOne(1), range(1, 9), 0, "Toy")


class Differential(AllLayersInOne):
    """One layer that subtracts two softmaxes, both made by one small part."""

    def __init__(self) -> None:
        super().__init__(1)
        self.softmax = nn.Softmax(dim=-1)

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> Any:
        states = self.table(input_ids)
        scores = states @ states.transpose(1, 2)
        states = (self.softmax(scores) - 0.5 * self.softmax(2 * scores)) @ states
        return SimpleNamespace(logits=states[:, 0, :2])


def test_two_softmaxes_of_one_small_part_belong_to_the_layer_around_it() -> None:
    torch.manual_seed(0)
    with pytest.raises(ModelError, match=r"Toy: .*2 softmaxes"):
        architecture_probe.architecture_of(Differential(), range(1, 9), 0, "Toy")


def test_a_row_that_sees_no_word_is_named() -> None:
    """A causal mask hides every word from the first token, which this classifier reads."""
    model = transformer(classifier("bert", is_decoder=True), tokenizer_of("bert"))
    (error,) = [one for one in check(model, TEXTS, model.labels) if one.outcome == "failed"]
    assert error.name == "used"
    assert "no weight on the words" in error.wrong
    assert "is_decoder" in error.change
    assert "decode" not in (error.wrong + error.change).replace("is_decoder", "")


def test_attention_with_sinks_is_refused_as_such() -> None:
    """GPT-OSS has one column more than there are tokens, as the windows of Mistral have not."""
    error = refused("gpt_oss", **SMALL, num_local_experts=2, num_experts_per_tok=1)
    assert "no attention over the tokens of a text" in error.wrong
    assert "sinks" in error.change
    assert "windows" not in error.change


def in_folder(module: Any, folder: Path) -> str:
    module.save_pretrained(folder)
    word_pieces().save_pretrained(folder)
    return f"hf:{folder}"


def test_a_model_that_cannot_run_a_text_is_named_with_its_line(tmp_path: Path) -> None:
    """A Nystromformer with landmarks takes texts of one length alone."""
    module = classifier(
        "nystromformer",
        tokenizer=word_pieces(),
        **{**SMALL, "num_landmarks": 4, "segment_means_seq_len": 16},
    )
    with pytest.raises(ModelError) as error:
        load_huggingface(in_folder(module, tmp_path / "landmarks"))
    wrong = error.value.wrong
    assert "landmarks: NystromformerForSequenceClassification" in wrong
    assert "7 tokens" in wrong
    assert "RuntimeError" in wrong
    assert "modeling_nystromformer.py:" in wrong
    assert "softmax_tracer" not in wrong
    assert "pipeline" in error.value.change
    assert "looking the model over" not in str(error.value)


def test_a_model_that_breaks_before_its_attention_is_found_is_named() -> None:
    error = refused("t5", decoder_start_token_id=None)
    assert "T5ForSequenceClassification could not run" in error.wrong
    assert "tokens" in error.wrong
    assert "modeling_t5.py:" in error.wrong
    assert "pipeline" in error.change
