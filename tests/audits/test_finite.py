"""Outputs that are no numbers: the text is left out of every number, under a reason of its own, and
nothing breaks.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from sightline.adapters.validate_model import OURS
from sightline.audits.audit_result import Audit
from sightline.audits.measure_pass import measure
from sightline.audits.run import NO_ANSWER, audit
from sightline.core.protocols import Batch, Trace
from sightline.core.results import CANNOT_TELL, Bracket, Measurement, Ragged
from sightline.core.seeds import Seeds
from sightline.data.dataset import Dataset
from sightline.measures.default_measures import default_measures
from sightline.models.classifier import AttentionClassifier
from tests.sampling import slow_but
from tests.texts import examples, untrained

TEXTS = examples((7, 1, 4, 12, 2, 9, 5, 6), classes=2)
ODD = 3
"""The row of the text that a broken model does not survive."""


class Broken:
    """A model whose logits of one text are another value, however they are asked for."""

    def __init__(self, model: AttentionClassifier, value: float, row: int | None = ODD) -> None:
        self.model, self.value, self.row = model, value, row
        self.name, self.link, self.labels, self.offers = (
            model.name,
            model.link,
            model.labels,
            model.offers - OURS,
        )
        self.origin, self.collate, self.embed = "elsewhere", model.collate, model.embed

    def trace(self, batch: Batch, embeddings: torch.Tensor | None = None) -> Trace:
        found = self.model.trace(batch, embeddings)
        shown = None if found.token_logits is None else self._odd(batch, found.token_logits)
        return replace(found, logits=self._odd(batch, found.logits), token_logits=shown)

    def decode(self, trace: Trace, attention: torch.Tensor) -> torch.Tensor:
        return self._odd(trace.batch, self.model.decode(trace, attention))

    def states(self, trace: Trace) -> torch.Tensor:
        return self.model.states(trace)

    def _odd(self, batch: Batch, logits: torch.Tensor) -> torch.Tensor:
        odd = (
            batch.index == self.row
            if self.row is not None
            else torch.ones_like(batch.index, dtype=torch.bool)
        )
        return logits.masked_fill(odd.view(-1, *[1] * (logits.ndim - 1)), self.value)


def taken(model: object, texts: list = TEXTS) -> dict[str, Measurement]:
    other = untrained("mlp(hidden=6)+additive+uniform", len(model.labels))
    found = measure(
        model, texts, default_measures(), {"uniform": other}, Seeds(0), 3, lambda done, total: None
    )
    lost = {
        name: one
        for name, one in found.items()
        if not isinstance(one, Measurement) and name != "frozen"
    }
    assert not lost, lost
    return {name: one for name, one in found.items() if isinstance(one, Measurement)}


def by_text(value: object) -> list[np.ndarray]:
    """The numbers of each text."""
    if isinstance(value, Bracket):
        return list(np.stack([value.low, value.high], axis=1))
    return value.rows() if isinstance(value, Ragged) else list(np.asarray(value))


@pytest.mark.parametrize(
    ("value", "parts", "classes"),
    slow_but(
        {0, 4, 2},
        [
            (value, parts, classes)
            for parts, classes in (("mlp(hidden=6)+additive", 3), ("bilstm(hidden=4)+additive", 2))
            for value in (np.nan, np.inf, -np.inf)
        ],
    ),
)
def test_a_text_without_a_finite_output_has_no_number_and_the_others_have_theirs(
    value: float, parts: str, classes: int
) -> None:
    model = untrained(parts, classes)
    broken, rest = (
        taken(Broken(model, value)),
        taken(model, [text for text in TEXTS if text.index != ODD]),
    )
    assert broken["outputs"].values["finite"].tolist() == [text.index != ODD for text in TEXTS]
    for code, one in broken.items():
        for name, values in one.values.items():
            rows = [np.asarray(row) for row in by_text(values)]
            assert rows[ODD].dtype.kind != "f" or np.isnan(rows[ODD]).all(), f"{code}.{name}"
            if (
                code in ("outputs", "agreement", "permutation", "reach", "polarity")
                and name in rest[code].values
            ):
                others = [row for place, row in enumerate(rows) if place != ODD]
                for ours, theirs in zip(others, by_text(rest[code].values[name]), strict=True):
                    assert ours == pytest.approx(np.asarray(theirs), abs=1e-3, nan_ok=True), (
                        f"{code}.{name}"
                    )
        for name, counts in one.undefined.items():
            assert counts.get("non-finite output") == 1, f"{code}.{name}: {counts}"
            assert "unexplained" not in counts, f"{code}.{name}: {counts}"


def test_minus_infinity_is_an_answer_where_the_text_does_not_allow_that_class() -> None:
    model = untrained("mlp(hidden=6)+additive", 3)
    trace = model.trace(model.collate(TEXTS[:4]))
    logits = trace.logits.clone()
    logits[1:3, 0] = -torch.inf
    allowed = torch.ones(4, 3, dtype=torch.bool)
    allowed[1, 0] = False
    found = replace(trace, logits=logits, batch=replace(trace.batch, candidates=allowed))
    assert found.finite.tolist() == [True, True, False, True]
    assert replace(found, batch=trace.batch).finite.tolist() == [True, False, False, True]
    logits[1, 0] = torch.nan
    assert found.finite.tolist() == [True, False, False, True]
    attention = trace.attention.clone()
    attention[3, 0] = torch.nan
    assert replace(trace, attention=attention).finite.tolist() == [True, True, True, False]


@pytest.mark.parametrize("all_of_them", [False, True])
def test_an_audit_of_a_broken_model_cannot_tell_and_its_page_is_written(
    all_of_them: bool, tmp_path: Path
) -> None:
    """A word whose embedding is no number spoils the texts that hold it; a bias that is none spoils
    all.
    """
    model = untrained("mlp(hidden=6)+additive")
    texts = examples((9, 6, 7, 5) * 16)
    word = texts[0].tokens[0]
    with torch.no_grad():
        if all_of_them:
            model.decoder.affine.bias.fill_(torch.nan)
        else:
            model.embedding.weight[model.vocabulary.ids([word])] = torch.nan
    found = audit(model, Dataset("texts", (), (), tuple(texts), ("class 0", "class 1"), {}))
    finite = np.array([not all_of_them and word not in text.tokens for text in texts])
    assert found.measurements["outputs"].values["finite"].tolist() == finite.tolist()
    assert found.verdict.level == CANNOT_TELL
    assert [record.predicted == NO_ANSWER for record in found.texts] == (~finite).tolist()
    assert found.metrics["accuracy"].n == finite.sum() if finite.any() else found.metrics == {}
    counted = found.undefined()["agreement.captured.gradient"]
    assert counted == {"non-finite output": (~finite).sum()}
    assert not [counts for counts in found.undefined().values() if "unexplained" in counts]
    assert found.to_html(tmp_path / "page.html").stat().st_size > 0
    kept = Audit.load(found.save(tmp_path / "audit"))
    assert kept.undefined() == found.undefined()
