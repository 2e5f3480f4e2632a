"""What each measure needs of a model, and the paper that introduced it. Without torch, so that
listings stay fast.

A measure reads the defaults of its fields ``needs`` and ``paper`` from here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Set

from sightline.core.needs import ANY_COMPANION, OTHER_ATTENTION, lacking, of_model, offered

NEEDS: Mapping[str, frozenset[str]] = defaultdict(
    frozenset,
    {
        "need": frozenset({"decode"}),
        "retrained": frozenset({"companion.uniform"}),
        "beside": frozenset({ANY_COMPANION}),
        "types": frozenset({"decode", "embedding_grad"}),
        "frozen": frozenset({"companion.frozen"}),
        "own_word": frozenset({"token_logits"}),
        "reach": frozenset({OTHER_ATTENTION}),
        "permutation": frozenset({OTHER_ATTENTION}),
        "flips": frozenset({"token_logits"}),
        "repair": frozenset({"decode"}),
        "counterfactual": frozenset({"token_logits"}),
        "layers": frozenset({"layers"}),
        "searched": frozenset({OTHER_ATTENTION}),
        "information": frozenset({"decode", "states"}),
        "mixing": frozenset({"embedding_grad", "states"}),
        "mixing_otherwise": frozenset({"embedding_grad", "states"}),
        "token_evidence": frozenset({"token_logits"}),
        "input_information": frozenset({"states"}),
        "input_information_drawn": frozenset({"states"}),
        "state_agreement": frozenset({"decode", "embedding_grad", "from_states", "states"}),
    },
)
"""What the model must offer and which control models (``companion.NAME``) it needs, by the code of
the measure. Measures that are not listed need nothing."""
PAPERS: Mapping[str, str] = defaultdict(
    str,
    {
        "need": "Tutek & Šnajder 2020, Table 1",
        "retrained": "Wiegreffe & Pinter 2019",
        "beside": "Wiegreffe & Pinter 2019; Meister et al. 2021, Table 5",
        "agreement": "Jain & Wallace 2019; Meister et al. 2021, §4",
        "marks": "Clark et al. 2019, §3.2 (attention to separators); Xiao et al. 2024 (sinks)",
        "reach": "Jain & Wallace 2019, made exact",
        "permutation": "Jain & Wallace 2019",
        "flips": "Serrano & Smith 2019, §5, made exact",
        "counterfactual": "Jain & Wallace 2019, made exact",
        "layers": (
            "Hassid et al. 2022, §3 (constant attention); without training, and with uniform "
            "attention too"
        ),
        "searched": "Jain & Wallace 2019",
        "erasure": (
            "DeYoung et al. 2020, §4.2 (area over the shares 1, 5, 10, 20, 50 %); limits "
            "after Edin et al. 2025"
        ),
        "sufficiency": "DeYoung et al. 2020, §4.2 (area over the shares 1, 5, 10, 20, 50 %)",
        "transplant": (
            "ours; an interchange intervention (Geiger et al. 2021) on words: "
            "docs/decisions/0036-transplant.md"
        ),
        "information": "Wen et al. 2022, §3.2",
        "mixing": "Meister et al. 2021, §4, eq. 5 and Table 1",
        "mixing_otherwise": "Meister et al. 2021, eq. 6 and App. A",
        "token_evidence": "Tutek & Šnajder 2020, §5 and Table 3",
        "input_information": "Tutek & Šnajder 2020, §3.4 and Table 2",
        "input_information_drawn": "Tutek & Šnajder 2020, §3.4 and Table 2",
        "rationale": "DeYoung et al. 2020, §4.1",
        "state_agreement": "Meister et al. 2021, §3.1, Table 6 and Figure 2",
    },
)
"""The paper that introduced each measure, by its code; empty for our own."""


def missing_from(measure: str, capabilities: Set[str]) -> str:
    """Say what a model with these capabilities lacks for a measure, or nothing; control models can
    be added.
    """
    return lacking(of_model(NEEDS[measure]), offered(capabilities))
