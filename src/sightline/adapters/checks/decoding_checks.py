"""Checks of decoding: attention that is replaced, and token logits that are mixed by attention."""

from __future__ import annotations

import torch
from jaxtyping import Bool, Float

from sightline.adapters.checks.probe_batch import (
    MOVED,
    TOLERANCE,
    CheckResult,
    ProbeBatch,
    difference,
)
from sightline.core.protocols import Trace
from sightline.numerics.projections import uniform


def identity(on: ProbeBatch) -> CheckResult:
    """Decode the model's own attention twice, because in-place writes show only in the second run.

    If a mean of heads is shown, the weights of all heads are put back at once.
    """
    apart = max(
        difference(on.model.decode(on.trace, on.trace.own), on.trace.logits) for _ in range(2)
    )
    if apart <= TOLERANCE:
        return CheckResult(measured=apart)
    return CheckResult(
        f"decoding the model's own attention misses its logits (by {apart:.2g})",
        "let decode do what the forward pass does after the softmax: same states, same "
        "layers, residuals included, and nothing in place",
        apart,
    )


def used(on: ProbeBatch) -> CheckResult:
    """Replace the attention: the logits of at least one text must change."""
    words, reached = on.batch.attendable, on.trace.in_sight
    several = (words if reached is None else reached).sum(1) > 1
    if not several.any():
        return _one_in_sight() if (words.sum(1) > 1).any() else CheckResult()
    moved = max(
        difference(on.model.decode(on.trace, edit)[several], on.trace.logits[several])
        for edit in edits(on.trace)
    )
    if moved > MOVED:
        return CheckResult(measured=moved)
    if _all_alike(on.trace, several):
        return CheckResult(
            "the words of each text have one and the same embedding, so no attention can matter",
            "give texts whose words the model knows (--data)",
            moved,
        )
    if _all_elsewhere(on.trace, several):
        return _no_word_in_sight(moved)
    return CheckResult(
        "decode gives the same logits whatever attention it is handed",
        "use the second argument of decode, not the attention that trace computed",
        moved,
    )


def _one_in_sight() -> CheckResult:
    return CheckResult(
        "expected a row that sees several words of a text, got one whose window ends behind all but "
        "one, so no other attention is possible",
        "choose another layer, or let less stand between the words and the end of the text",
    )


def _all_elsewhere(trace: Trace, several: Bool[torch.Tensor, " B"]) -> bool:
    return trace.elsewhere is not None and bool((trace.elsewhere[several] >= 1 - MOVED).all())


def _no_word_in_sight(moved: float) -> CheckResult:
    return CheckResult(
        "expected a row of attention with weight on words, got one that has no weight on the words "
        "of any text",
        "if a causal mask hides the words from the token that the classifier reads, no word can "
        "change its prediction: correct is_decoder in its configuration if the model was trained "
        "without that mask, or audit another model; otherwise choose another layer",
        moved,
    )


def edits(trace: Trace) -> list[Float[torch.Tensor, "B T"]]:
    """Give three other attention maps: uniform, all on the first word, all on the last."""
    words = trace.batch.attendable
    place = torch.arange(words.shape[1], device=words.device)
    ends = [
        torch.where(words, place, words.shape[1]).argmin(1),
        torch.where(words, place, -1).argmax(1),
    ]
    corners = [torch.nn.functional.one_hot(end, words.shape[1]).to(trace.attention) for end in ends]
    return [uniform(words, trace.attention), *corners]


def _all_alike(trace: Trace, several: Bool[torch.Tensor, " B"]) -> bool:
    rows = zip(trace.embeddings[several], trace.batch.attendable[several], strict=True)
    return all(bool((vectors[words] == vectors[words][0]).all()) for vectors, words in rows)


def mixture(on: ProbeBatch) -> CheckResult:
    """Mix the token logits by attention, the model's own and others, because exact answers rely on
    it.
    """
    assert on.trace.token_logits is not None  # the model offers them
    tried = [(on.trace.attention, on.trace.logits)]
    if "decode" in on.model.offers:
        tried += [(edit, on.model.decode(on.trace, edit)) for edit in edits(on.trace)]
    apart = max(
        difference(torch.einsum("bt,btl->bl", a, on.trace.token_logits), logits)
        for a, logits in tried
    )
    if apart <= 10 * TOLERANCE:
        return CheckResult(measured=apart)
    return CheckResult(
        f"the token logits, mixed by attention, miss the logits (by {apart:.2g})",
        "leave token_logits out unless what follows the weighted sum is affine",
        apart,
    )
