"""Names of the requirements of measures: capabilities of the model, and control models. Without
torch.
"""

from __future__ import annotations

from collections.abc import Set

COMPANION = "companion."
"""The prefix of a control model that a measure needs, as in ``companion.uniform``."""
UNTRAINED = "untrained"
"""The untrained control model: what states encode and mix before training."""
ANY_COMPANION = "companions"
"""The requirement of a measure that uses every control model of the run."""
OTHER_ATTENTION = "decode or token_logits"
"""The requirement of a measure that computes predictions under other attention, by either
capability."""
NEEDS_PREFIX = "needs "
"""How the reason begins why a measure was not taken of a model that does not offer what it needs."""
MORE = f"{NEEDS_PREFIX}more than answers: "
"""The same for a model that gives only predictions."""
UNASKED = "it was not asked for"
"""The reason why a measure was not taken that nobody asked for, though the model allows it."""
SAME_UNDER_QUERY = "same prediction under the other query"
"""The reason why the words of a text are moved nowhere: they change nothing where they go."""
UNANSWERED = "no finite answer to a changed text"
"""The reason why a number is undefined for a text whose own answer is finite."""
REPLACED = "weights that can be replaced"
ALONE = "the logits of each word alone, which only an affine decoder has"
_MEANING = {
    ANY_COMPANION: "a control model of any kind",
    OTHER_ATTENTION: f"{REPLACED} (decode or token_logits)",
    "decode": f"{REPLACED} (decode)",
    "token_logits": f"{ALONE} (token_logits)",
    "embedding_grad": "gradients (embedding_grad)",
    "states": "hidden states (states)",
    "from_states": "predictions from other hidden states (from_states)",
    "layers": "layers whose attention can be replaced (layers)",
}
"""What a model must offer, in words, and by the name under which an adapter offers it."""
OF_TRANSFORMERS = "layers"
"""What Hugging Face models offer, whatever the attention source, and no other adapter here."""
NEVER_OF_TRANSFORMERS = frozenset({"from_states", "states", "token_logits"})
"""What no Hugging Face model offers here, whatever the settings."""


def offered(capabilities: Set[str]) -> frozenset[str]:
    """Name the needs that a model with these capabilities meets.

    >>> sorted(offered({"decode"}))
    ['decode', 'decode or token_logits']
    """
    either = {OTHER_ATTENTION} if capabilities & {"decode", "token_logits"} else set()
    return frozenset(capabilities | either)


def lacking(needs: Set[str], offers: Set[str]) -> str:
    """Say which needs are not met, or nothing.

    >>> lacking({"states", "companion.uniform"}, {"decode"})
    'needs a control model (uniform), hidden states (states)'
    """
    return needed(missing) if (missing := needs - offers) else ""


def needed(needs: Set[str]) -> str:
    """Say what a measure needs."""
    return NEEDS_PREFIX + ", ".join(map(_describe, sorted(needs)))


def out_of_reach(needs: Set[str], offers: Set[str]) -> str:
    """Say what keeps a measure from every Hugging Face model, if these are the offers of one;
    otherwise nothing. Other attention can be replaced under another attention source, so a lack of
    that is no reason.

    >>> out_of_reach({"decode", "states"}, {"layers"}), out_of_reach({"decode"}, {"layers"})
    ('hidden states', '')
    """
    missing = (needs - offers) & NEVER_OF_TRANSFORMERS if OF_TRANSFORMERS in offers else set()
    return ", ".join(_describe(need).partition(" (")[0] for need in sorted(missing))


def of_model(needs: Set[str]) -> frozenset[str]:
    """Leave out the control models, which a user may add."""
    return frozenset(need for need in needs if not names_companion(need))


def names_companion(need: str) -> bool:
    """Tell whether a need is a control model: one by its name, or any."""
    return need == ANY_COMPANION or (need.startswith(COMPANION) and need != COMPANION)


def _describe(need: str) -> str:
    return (
        f"a control model ({need.removeprefix(COMPANION)})"
        if need.startswith(COMPANION)
        else _MEANING.get(need, need)
    )
