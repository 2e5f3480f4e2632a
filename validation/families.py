"""Which families of transformers pass the checks: small models with random weights, on a few
English texts.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from checkout import ROOT

from sightline.adapters.compatibility import check
from sightline.adapters.factory import texts_without_data
from sightline.adapters.huggingface.from_pretrained import transformer
from sightline.core.errors import ModelError

sys.path.insert(0, str(ROOT))  # the small models come from the tests
LEAST = 18
"""How many families must be audited."""


def families() -> dict[str, Any]:
    """Check each family, under one head of its last layer, and count how many pass."""
    from tests.adapters.huggingface.toys import FAMILIES  # noqa: PLC0415  (transformers)

    rows = [_row(family) for family in FAMILIES]
    passed = sum(not row["refused"] for row in rows)
    values = {
        "name": "families of transformers that pass all proofs",
        "count": passed,
        "of": len(rows),
    }
    return {
        "rows": rows,
        "versions": {name: version(name) for name in ("transformers", "torch")},
        "gates": [values | {"limit": f">= {LEAST}", "holds": passed >= LEAST}],
    }


def _row(family: str) -> Mapping[str, Any]:
    from tests.adapters.huggingface.toys import classifier, tokenizer_of  # noqa: PLC0415  (transformers)

    module, tokenizer = classifier(family), tokenizer_of(family)
    kind = type(module).__name__
    try:
        model = transformer(module, tokenizer, head=0)
    except ModelError as error:
        return {"family": family, "class": kind, "refused": error.wrong}
    proofs = check(model, texts_without_data(), model.labels)
    wrong = "; ".join(proof.wrong for proof in proofs if proof.outcome == "failed")
    architecture = model.architecture
    return {
        "family": family,
        "class": kind,
        "refused": wrong,
        "passed": sum(proof.outcome == "passed" for proof in proofs),
        "layers": len(architecture.sites),
        "row": architecture.row,
        "decodes": "decode" in model.offers,
        "padded": model.together,
        "last": str(architecture.sites[-1]),
    }
