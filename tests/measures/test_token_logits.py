"""Token evidence is the log-odds of the decided class when one word alone is attended to."""

import numpy as np
import pytest
import torch

from sightline.audits.measure_pass import measure
from sightline.core.results import Measurement, Ragged
from sightline.core.seeds import Seeds
from sightline.measures.decision_bounds import DecisionBounds
from sightline.numerics.divergences import probabilities
from tests.texts import examples, untrained

TEXTS = examples((7, 4, 6, 2, 5))


@pytest.mark.parametrize("classes", [2, 3])
def test_token_evidence_is_what_the_model_says_of_one_word_alone(classes: int) -> None:
    model = untrained("bilstm(hidden=6)+additive", classes)
    outcome = measure(model, TEXTS, (DecisionBounds(),), {}, Seeds(0), 3, lambda done, total: None)[
        "reach"
    ]
    assert isinstance(outcome, Measurement)
    evidence = outcome.values["evidence"]
    assert isinstance(evidence, Ragged)
    assert evidence.lengths.tolist() == [len(text.tokens) for text in TEXTS]
    for text, found in zip(TEXTS, evidence.rows(), strict=True):
        trace = model.trace(model.collate([text]))
        decided = probabilities(trace.logits.detach().double().numpy())[0].argmax()
        for word, value in enumerate(found):
            alone = torch.zeros_like(trace.attention)
            alone[0, word] = 1
            chance = probabilities(model.decode(trace, alone).detach().double().numpy())[0, decided]
            assert value == pytest.approx(np.log(chance / (1 - chance)), abs=1e-5)
