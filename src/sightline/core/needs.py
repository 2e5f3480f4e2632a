"""Names of what a measure may need, of a model or beside it; without torch."""

from __future__ import annotations

COMPANION = "companion."
"""What stands before the name of a companion where a measure needs one, as in
``companion.uniform``."""
UNTRAINED = "untrained"
"""The companion that shows what a model knows, and mixes, before it has learned anything."""
ANY_COMPANION = "companions"
"""What a measure needs that looks at every companion there is."""
OTHER_ATTENTION = "decode or token_logits"
"""What a measure needs that asks for the answer under other attention, by whichever of the two
offers there is."""
AFFINE = "token_logits (the logits of each word alone, which only an affine decoder has)"
"""What to say where token logits are lacking."""
