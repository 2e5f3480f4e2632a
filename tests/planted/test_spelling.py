"""Models whose map is the whole reason by construction, and which earlier versions wronged: one that
tells names from words by their capitals, and one whose evidence is most of its words.
"""

import numpy as np
import pytest
import torch

import sightline
from sightline.audits.audit_result import Audit
from sightline.core.example import Example
from sightline.core.results import BY_ABSENCE, CAVEATS, Finding
from tests.planted.worded import LABELS, worded

FILLERS = [f"w{number}" for number in range(200)]
NAMES = {"alpha": ("Rome", "Oslo", "Lima", "Bern"), "beta": ("Cairo", "Delhi", "Tunis", "Quito")}
SURE = 6.0


def audited(texts: list[str], worth: dict[str, float]) -> Audit:
    """Audit the sum of what words are worth, as they are spelled; the map is its size."""
    known = {word: number for number, word in enumerate(worth, start=1)}
    table = torch.tensor([0.0, *worth.values()], dtype=torch.float64)[:, None]

    def ids_of(text: Example) -> list[int]:
        return [known.get(word, 0) for word in text.spelled]

    def trace(batch: object, vectors: torch.Tensor) -> dict[str, torch.Tensor]:
        size = (table[batch.ids, 0].abs() + 1e-9) * batch.mask
        logits = (vectors[..., 0] * batch.mask).sum(1, keepdim=True)
        return {"attention": size / size.sum(1, keepdim=True), "logits": logits}

    model = worded(table, ids_of, trace)
    gold = [LABELS[number % 2] for number in range(len(texts))]
    return sightline.audit(model, sightline.data_from(texts, gold, splits="all"), seed=0)


def written(number: int, cues: list[str], length: int, generator: np.random.Generator) -> str:
    words = [*generator.choice(FILLERS, length - len(cues), replace=False), *cues]
    return " ".join(generator.permutation(words))


def finding(audit: Audit, code: str) -> Finding:
    return next(one for one in audit.findings if one.code == code)


@pytest.mark.parametrize("spell", [str, str.lower])
def test_names_are_no_less_evidence_where_the_model_tells_capitals(spell) -> None:
    generator = np.random.default_rng(1)
    names = {label: [spell(name) for name in names] for label, names in NAMES.items()}
    worth = dict(zip(FILLERS, generator.normal(0, 0.1, len(FILLERS)), strict=True))
    worth |= {name: SURE if label == "beta" else -SURE for label in LABELS for name in names[label]}
    texts = [
        written(number, [str(generator.choice(names[LABELS[number % 2]]))], 15, generator)
        for number in range(300)
    ]
    found = audited(texts, worth)
    assert found.verdict.level == CAVEATS
    assert {one.level for one in found.verdict.by_class.values()} == {CAVEATS}
    assert finding(found, "SL-303").score.value > 0.9


def test_where_most_words_are_evidence_not_every_class_is_one_by_absence() -> None:
    generator = np.random.default_rng(3)
    cues = {label: [f"{label[0]}{number}" for number in range(100)] for label in LABELS}
    worth = dict.fromkeys(FILLERS, 0.0)
    worth |= {word: 1.0 if label == "beta" else -1.0 for label in LABELS for word in cues[label]}
    texts = [
        written(
            number, [*generator.choice(cues[LABELS[number % 2]], 12, replace=False)], 20, generator
        )
        for number in range(300)
    ]
    found = audited(texts, worth)
    assert finding(found, "SL-301").result == "passed"
    assert BY_ABSENCE not in {one.level for one in found.verdict.by_class.values()}
