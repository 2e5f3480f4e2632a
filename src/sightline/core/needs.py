"""Names of the requirements of measures: capabilities of the model, and control models. Without
torch.
"""

from __future__ import annotations

COMPANION = "companion."
"""The prefix of a control model that a measure needs, as in ``companion.uniform``."""
UNTRAINED = "untrained"
"""The untrained control model: what states encode and mix before training."""
ANY_COMPANION = "companions"
"""The requirement of a measure that uses every control model of the run."""
OTHER_ATTENTION = "decode or token_logits"
"""The requirement of a measure that computes predictions under other attention, by either
capability."""
AFFINE = "token_logits (the logits of each word alone, which only an affine decoder has)"
"""How messages name missing token logits."""
