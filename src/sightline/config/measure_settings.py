"""The settings of every measure, and of the intervals: values that the numbers of an audit depend
on.

They stand here, without torch, so that the key of a run can hold them
(`sightline.config.key_defaults`). A measure takes the defaults of its fields from here. Every value
is as JSON has it.

What is no setting: how many tokens are run together (numbers do not depend on it, and tests say
so), and the gradient, which a run names itself. Tolerances and working sizes of an algorithm are
code: see docs/decisions/0089.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sightline.config.measure_registry import DEAR, MAPS

Settings = Mapping[str, Any]

_SHARES = [0.01, 0.05, 0.1, 0.2, 0.5]
"""Of the words of a text: DeYoung et al. 2020, §4.2."""
_SMALL = {"epsilon": 0.01, "unit": "total variation"}
_INPUT_INFORMATION = {
    "words": 1000,
    "tokens": 20_000,
    "clusters": 1000,
    "drawn": False,
    "surveys": "train",
    "spare": 2,
    "scaling": 0.75,
    "nulls": 3,
}

SETTINGS: Mapping[str, Settings] = {
    "outputs": {},
    "need": {"permutations": 10, "surveys": "audited"},
    "retrained": {},
    "beside": {"draws": 5},
    # The smallest p-value of 199 draws is .005 (decision 0003).
    "agreement": {"share": 0.1, "draws": 199, "shuffles": 3, "significant": 0.05},
    "types": {"share": 0.1, "permutations": 5, "surveys": "audited"},
    "frozen": {"share": 0.1},
    "polarity": {"share": 0.1},
    "signs": {"tolerance": 1e-4},
    "marks": {"everywhere": 0.95, "least": 20, "surveys": "audited"},
    "own_word": {"surveys": "audited"},
    "reach": {"epsilon": 0.01},
    "permutation": {"permutations": 100, "draws": 5},
    "flips": {"draws": 5},
    "repair": {"share": 0.1},
    "counterfactual": {"epsilon": 0.01, "share": 0.1, "draws": 5, "corners": 20_000},
    "last_layer": {"rounds": 1},
    "layers": {"surveys": "audited"},
    "searched": {
        "starts": 5,
        "penalise": _SMALL,
        "select": _SMALL,
        "released": {"epsilon": 0.05, "unit": "total variation"},
        "descent": {"steps": 500, "rate": 0.01, "strength": 500.0, "mutual": True},
        "points": 10,
        "climb": {
            "pairs": 24,
            "descent": {"steps": 100, "rate": 0.1, "strength": 20.0, "mutual": False},
            "budget": 2500,
        },
        "spread": 3.0,
    },
    "erasure": {"shares": _SHARES, "draws": 5, "farthest": 0.05, "among": 0.2},
    "sufficiency": {"shares": _SHARES, "draws": 5},
    "transplant": {
        "shares": _SHARES,
        "own": [0.05, 0.1, 0.2],
        "donors": 400,
        "fewest": 50,
        "partners": 3,
        "reached": 0.99,
        "right": 0.5,
        "top": 0.1,
        "prior": 2.0,
        "surveys": "audited",
    },
    "information": {
        "shuffles": 39,
        "surveys": "audited",
        "most": 20,
        "exchanges": 999,
        "kept": 199,
        "resamples": 2000,
        "fewest_ranks": 3,
        "fewest_texts": 200,
        "bins": 5,
        "starts": 10,
        "steps": 25,
        "many": 200,
        "few": 100,
        "few_texts": 1000,
        "strengths": [0.01, 0.1, 1.0],
        "strength": 0.1,
        "promising": 0.1,
        "clusters": 50,
        "axes": 32,
        "seeds": 5,
    },
    "mixing": {},
    "mixing_otherwise": {},
    "token_evidence": {},
    "input_information": _INPUT_INFORMATION,
    "input_information_drawn": {**_INPUT_INFORMATION, "drawn": True},
    "rationale": {"draws": 50, "maps": [name for name in MAPS if name not in DEAR]},
    "state_agreement": {"shuffles": 3},
}
"""The settings of each measure: its fields, and the constants that it, or what it calls, reads
beside them."""

INTERVALS: Settings = {
    "level": 0.95,
    "resamples": 2000,
    "few": 10,
    "lost": 0.1,
    "apart": 2.0,
    "family": 20,
}
"""The settings of every interval of a finding: an audit is kept with its intervals, made when it is
judged."""

NEAR_COPIES: Settings = {"alike": 0.75, "fewest": 8, "sketch": 32, "likely": 0.15, "compared": 8}
"""The settings by which near copies are found, which count as one text in every interval."""
