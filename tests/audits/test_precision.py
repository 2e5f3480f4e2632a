"""No number depends on the batch a text is in, on the order of the texts, on memory or threads;
equals are equal.
"""

import warnings
from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest
import torch
from scipy.stats import kendalltau

from sightline.adapters.precision import to_float64
from sightline.adapters.validate_model import OURS, admit
from sightline.audits.measure_pass import measure
from sightline.audits.run import audit
from sightline.config.spec_syntax import parse_data, parse_model
from sightline.core.example import Example
from sightline.core.protocols import Auditable, Capability
from sightline.core.results import Bracket, Measurement, NotRun, Ragged, Values
from sightline.core.seeds import Seeds
from sightline.data.load_dataset import load
from sightline.data.vocabulary import Vocabulary
from sightline.measures.agreement import Agreement
from sightline.measures.default_measures import default_measures
from sightline.measures.predictions import Predictions
from sightline.models.alterations import alter
from sightline.models.classifier import AttentionClassifier, build
from tests.sampling import slow_but

SAME = 1e-9
DATASET = load(parse_data("planted:needle(n=160,length=12,fillers=12)"), 0)
"""Few fillers: nearly every text has a word twice."""


@cache
def lively(parts: str) -> AttentionClassifier:
    """An untrained model whose weights are uneven, and none where they are sparse."""
    spec = parse_model(parts, embedding=8, embedding_std=1.0)
    return build(spec, Vocabulary.fit(DATASET.train), DATASET.label_names, 3)


def take(
    model: Auditable,
    texts: tuple[Example, ...],
    batch_size: int,
    *measures: object,
    threads: int = 1,
) -> dict[str, Measurement]:
    companions = {"uniform": to_float64(lively("mlp(hidden=6)+additive+uniform"))}
    asked = measures or default_measures()
    torch.set_num_threads(threads)
    try:
        found = measure(
            model, texts, asked, companions, Seeds(0), batch_size, lambda done, total: None
        )
    finally:
        torch.set_num_threads(1)
    broken = {name: one for name, one in found.items() if not isinstance(one, Measurement | NotRun)}
    assert not broken, broken
    return {name: one for name, one in found.items() if isinstance(one, Measurement)}


def flat(values: Values) -> Iterator[np.ndarray]:
    if isinstance(values, Bracket):
        yield from (values.low, values.high)
    else:
        yield values.flat if isinstance(values, Ragged) else np.asarray(values)


def turned(name: str, values: Values) -> Values:
    """What a measure gives of the texts the other way round."""
    if isinstance(values, Ragged):
        return Ragged(np.concatenate(values.rows()[::-1]), values.lengths[::-1])
    if isinstance(values, Bracket):
        return Bracket(values.low[::-1], values.high[::-1])
    rows = np.asarray(values)[::-1]
    return np.where(rows >= 0, len(rows) - 1 - rows, rows) if name == "transplant.partner" else rows


@pytest.mark.parametrize("parts", slow_but({1, 4}, [
    "mlp(hidden=6)+additive+softmax", "mlp(hidden=6)+additive+sparsemax", "mlp(hidden=6)+additive+sparsegen(lambda=0.9)",
    "mlp(hidden=6)+additive+entmax", "bilstm(hidden=4)+additive+sparsegen(lambda=0.9)",
]))  # fmt: skip
def test_batches_order_memory_and_threads_change_no_number(parts: str) -> None:
    model, texts = to_float64(lively(parts)), DATASET.test[:6]
    whole = take(model, texts, 32)
    other = {
        "batches of 1, 30 tokens at once": take(model, texts, 1, *default_measures(30)),
        "batches of 4, the other way round, 2 threads": take(model, texts[::-1], 4, threads=2),
    }
    for how, found in other.items():
        assert found.keys() == whole.keys()
        for code, one in whole.items():
            for name, values in one.values.items():
                again = found[code].values[name]
                again = turned(f"{code}.{name}", again) if "other way" in how else again
                for here, there in zip(flat(values), flat(again), strict=True):
                    assert here == pytest.approx(there, abs=SAME, nan_ok=True), (
                        f"{how}: {code}.{name}"
                    )


class Plain(AttentionClassifier):
    """A model that runs every text for itself."""

    @property
    def offers(self) -> frozenset[Capability]:
        return super().offers - OURS


def ranked_as_they_are(model: AttentionClassifier, batch_size: int) -> float:
    """Mean τ of the deletion map as a library gives it, which ranks whatever differs."""
    found = take(model, DATASET.test[:20], batch_size, Predictions(), Agreement())
    maps = found["outputs"].values["attention"].rows(), found["agreement"].values["deletion"].rows()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(np.nanmean([kendalltau(a, b).statistic for a, b in zip(*maps, strict=True)]))


def test_words_without_a_weight_are_no_longer_ranked_by_rounding() -> None:
    """A sparse attention in float32: τ of the same model and texts was off by more than .05 in
    batches of 1 and of 32.
    """
    model = lively("mlp(hidden=6)+additive+sparsegen(lambda=0.9)")
    model.__class__ = Plain  # what texts share is summed alike in every batch
    assert abs(ranked_as_they_are(model, 1) - ranked_as_they_are(model, 32)) > 0.05
    first, second = (
        np.nanmean(
            take(to_float64(model), DATASET.test[:20], size, Agreement())["agreement"].values[
                "tau.deletion"
            ]
        )
        for size in (1, 32)
    )
    assert first == pytest.approx(second, abs=SAME)


@pytest.mark.parametrize("altered", ["", "random", "shuffled", "rationale", "scaled(by=0.3)"])
def test_a_model_made_here_is_asked_in_double_precision_and_stays_as_it_was(altered: str) -> None:
    own = lively("bilstm(hidden=4)+additive")
    model = alter(altered, own, DATASET, 0)
    before = {name: value.clone() for name, value in own.state_dict().items()}
    admitted = admit(model, DATASET.test[:3])
    assert type(admitted) is type(model)
    assert admitted is not model
    trace = admitted.trace(admitted.collate(DATASET.test[:3]))
    assert {trace.logits.dtype, trace.attention.dtype, trace.embeddings.dtype} == {torch.float64}
    assert all(torch.equal(value, before[name]) for name, value in own.state_dict().items())
    assert {value.dtype for value in own.parameters()} == {torch.float32}
    assert trace.logits.float() == pytest.approx(
        model.trace(model.collate(DATASET.test[:3])).logits, abs=1e-5
    )


def test_the_environment_says_in_which_precision_was_computed() -> None:
    found = audit(lively("mlp(hidden=6)+additive"), DATASET, limit=4, measures=(Predictions(),))
    assert found.environment["precision"] == "float64"
    assert found.environment["capability"] == torch.backends.cpu.get_cpu_capability()


def test_the_vocabulary_is_not_copied():
    model = lively("mlp(hidden=6)+additive")
    exact = to_float64(model)
    assert exact.vocabulary is model.vocabulary
    assert exact.embedding is not model.embedding
