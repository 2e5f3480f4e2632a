"""A small BERT that learned a planted needle, in a folder as save_pretrained writes it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from transformers import AutoTokenizer, BertForSequenceClassification

import sightline
from sightline.config.spec_syntax import parse_data
from sightline.data.dataset import Dataset
from tests.adapters.huggingface.toys import classifier, whole_words

NEEDLE = "planted:needle(n=600,length=8)"


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nobody ask a network, not even whether it is there."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


@pytest.fixture(scope="session")
def needles() -> Dataset:
    return sightline.load(parse_data(NEEDLE), 0)


@pytest.fixture(scope="session")
def taught(needles: Dataset, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Train it for a few seconds, on training texts alone."""
    tokenizer = whole_words(sorted({word for text in needles.train for word in text.tokens}))
    named = {"id2label": dict(enumerate(needles.label_names)), "initializer_range": 0.05}
    off = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
    module = classifier("bert", tokenizer=tokenizer, **named, **off).train()
    optimiser = torch.optim.Adam(module.parameters(), lr=0.003)
    for batch, labels in _batches(needles, epochs=8):
        loss = module(**tokenizer(batch, padding=True, return_tensors="pt"), labels=labels).loss
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    folder = tmp_path_factory.mktemp("models") / "needle"
    module.eval().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _batches(
    data: Dataset, epochs: int, size: int = 25
) -> Iterator[tuple[list[str], torch.Tensor]]:
    for _ in range(epochs):
        for start in range(0, len(data.train), size):
            some = data.train[start : start + size]
            yield [text.text for text in some], torch.tensor([text.label for text in some])


@pytest.fixture
def both(taught: Path) -> tuple[BertForSequenceClassification, AutoTokenizer]:
    return BertForSequenceClassification.from_pretrained(
        taught
    ).eval(), AutoTokenizer.from_pretrained(taught)
