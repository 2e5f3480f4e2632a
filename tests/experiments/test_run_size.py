"""How much a transformer runs at once follows the memory that is allowed, and never changes what is
measured of a model that was made here.
"""

from sightline.adapters.huggingface.from_pretrained import transformer
from sightline.audits.measure_pass import BATCH
from sightline.experiments.run_size import (
    MEMORY,
    ON_CPU,
    RunSize,
    bytes_a_token,
    run_size,
)
from tests.adapters.huggingface.toys import classifier, tokenizer_of
from tests.texts import examples, untrained

LONG = examples((30, 5, 3))


def test_the_size_is_the_same_at_each_call() -> None:
    model = transformer(classifier("bert"), tokenizer_of("bert"))
    assert [run_size(model, LONG, None, None) for _ in range(3)] == [RunSize(ON_CPU, BATCH)] * 3


def test_less_memory_runs_fewer_texts_and_tokens() -> None:
    model = transformer(classifier("bert"), tokenizer_of("bert"))
    width = model.collate(LONG[:1]).ids.shape[1]
    a_text = bytes_a_token(model, width) * width
    assert run_size(model, LONG, 3 * a_text, None) == RunSize(3 * width, 3)
    assert run_size(model, LONG, 1, None) == RunSize(width, 1)
    assert run_size(model, LONG, 10**12, None) == RunSize(ON_CPU, BATCH)
    assert bytes_a_token(model, 2 * width) > bytes_a_token(model, width)


def test_a_batch_of_long_texts_keeps_to_the_default_memory() -> None:
    model = transformer(classifier("bert"), tokenizer_of("bert"))
    model.module.config.hidden_size = 2**14  # a large model, as far as its size is reckoned
    size = run_size(model, LONG, None, None)
    assert size.tokens == ON_CPU
    assert size.texts is not None
    width = model.collate(LONG[:1]).ids.shape[1]
    held = size.texts * width * bytes_a_token(model, width)
    assert held <= MEMORY < held + width * bytes_a_token(model, width)


def test_a_model_that_was_made_here_has_its_own_bound() -> None:
    assert run_size(untrained("mlp(hidden=4)+additive"), LONG, 2**20, 64) == RunSize(64)
