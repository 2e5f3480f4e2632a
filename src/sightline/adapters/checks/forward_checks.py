"""Checks of the forward pass: evaluation mode, logits, repeatability, precision, and attention that
is a distribution.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from sightline.adapters.checks.probe_batch import (
    TOLERANCE,
    CheckResult,
    ProbeBatch,
    answers,
    difference,
    furthest,
    module_of,
)
from sightline.core.error_excerpts import show_id
from sightline.core.protocols import (
    Auditable,
    Batch,
    SupportsLogitsInUse,
    SupportsUnknownToken,
    without_cache,
)


def mode(model: Auditable) -> CheckResult:
    """Look for a submodule in training mode, where dropout is random and batch norm depends on the
    batch.
    """
    module = module_of(model)
    training = (
        []
        if module is None
        else [name or "the module" for name, m in module.named_modules() if m.training]
    )
    if not training:
        return CheckResult()
    return CheckResult(
        f"{training[0]} is in training mode", "call module.eval() before it is wrapped"
    )


def link(on: ProbeBatch) -> CheckResult:
    """Compare the number of logits with the link, with the labels of the model, and with those of
    the data.
    """
    logits, named = on.trace.logits.shape[1], on.labels
    if (on.model.link == "sigmoid") != (logits == 1):
        wanted = "one logit" if on.model.link == "sigmoid" else "a logit for each class"
        return CheckResult(
            f"link is {on.model.link}, which takes {wanted}, and trace gives {logits}",
            f"say link={'sigmoid' if logits == 1 else 'softmax'!r}, or mend the last layer",
        )
    sums_to_one = (
        difference(on.trace.logits.sum(1), torch.ones_like(on.trace.logits[:, 0])) <= TOLERANCE
    )
    if logits > 1 and sums_to_one and float(on.trace.logits.min()) >= 0:
        return CheckResult(
            "trace gives probabilities for logits", "give what the last softmax is taken of"
        )
    classes, own = max(logits, 2), on.model.labels
    # Data are numbered by the labels of the model if it has any, so these come first.
    if own is not None and len(own) != classes:
        return CheckResult(
            f"the logits are of {classes} classes, and the labels of the model name {len(own)} "
            f"({_listed(own)})",
            "name one class for each logit (labels), in the order of the logits",
        )
    if named is not None and len(named) != classes:
        return CheckResult(
            f"the logits are of {classes} classes, and the data have {len(named)} labels "
            f"({_listed(named)})",
            "use data with the labels that the model was trained for",
        )
    return CheckResult()


def _listed(labels: Sequence[str]) -> str:
    return ", ".join(labels[:8]) + (", …" if len(labels) > 8 else "")


def finite(on: ProbeBatch) -> CheckResult:
    """Look for NaN and infinities in the required outputs of a trace."""
    for name in ("embeddings", "attention", "logits"):
        bad = ~torch.isfinite(getattr(on.trace, name)).flatten(1).all(1)
        if bad.any():
            text = show_id(on.examples[int(bad.nonzero()[0])].id)
            return CheckResult(
                f"{name} of text {text} are not finite",
                (
                    "mask scores before the softmax rather than logits or states, and divide by "
                    "no sum that may be 0"
                ),
            )
    return CheckResult()


def repeatable(on: ProbeBatch) -> CheckResult:
    """Run the same batch again."""
    _, apart = furthest(answers(without_cache(on.model).trace(on.batch)), answers(on.trace))
    if apart <= TOLERANCE:
        return CheckResult(measured=apart)
    return CheckResult(
        f"two runs of the same batch differ (by {apart:.2g})",
        (
            "draw nothing when the module is used: no dropout called with training=True, no "
            "sampling, no noise"
        ),
        apart,
    )


MOST_UNKNOWN = 0.9
"""The share of unknown tokens from which a model is refused: it cannot distinguish such texts."""


def unknown_share(batch: Batch, unknown: int) -> float:
    """The share of the words' tokens that are unknown."""
    tokens = batch.ids[batch.attendable]
    return float((tokens == unknown).cpu().double().mean()) if len(tokens) else 0.0


def recognised(on: ProbeBatch) -> CheckResult:
    """Count the tokens that are the unknown token of the tokenizer."""
    unknown = on.model.unknown if isinstance(on.model, SupportsUnknownToken) else None
    if unknown is None:
        return CheckResult(not_asked="needs a tokenizer with an unknown token")
    tokens, share = on.batch.ids[on.batch.attendable], unknown_share(on.batch, unknown)
    if share <= MOST_UNKNOWN:
        return CheckResult(measured=share)
    return CheckResult(
        f"its tokenizer knows almost none of these words: {share:.0%} of {len(tokens)} tokens "
        f"are its unknown token (allowed: {MOST_UNKNOWN:.0%})",
        (
            "save the tokenizer that the model was trained with next to it, and give texts in its "
            "language"
        ),
        share,
    )


def in_use(on: ProbeBatch) -> CheckResult:
    """Run the module on each text as its tokenizer gives it, without any part of the audit."""
    assert isinstance(on.model, SupportsLogitsInUse)  # only such a model is asked
    wanted = [on.model.logits_in_use(example) for example in on.examples]
    row, apart = furthest(list(on.trace.logits.detach()), wanted)
    if apart <= 10 * TOLERANCE:
        return CheckResult(measured=apart)
    return CheckResult(
        f"expected the logits that its module gives of what its tokenizer gives, got others on "
        f"text {show_id(on.examples[row].id)} (by {apart:.2g})",
        "an audit hands over input_ids, attention_mask and the token_type_ids of a pair: let the "
        "tokenizer give only what the model was trained with (model_input_names in "
        "tokenizer_config.json)",
        apart,
    )


def precision(on: ProbeBatch) -> CheckResult:
    """Measure the noise floor of half precision: how far the logits move when embeddings move by
    one rounding step.
    """
    module = module_of(on.model)
    tensors = [
        on.trace.embeddings,
        on.trace.logits,
        *(module.parameters() if module is not None else ()),
    ]
    coarse = max(
        (t.dtype for t in tensors if t.is_floating_point()),
        key=lambda dtype: torch.finfo(dtype).eps,
    )
    step = torch.finfo(coarse).eps
    if step <= torch.finfo(torch.float32).eps:
        return CheckResult()
    with torch.no_grad():
        moved = on.model.trace(on.batch, on.trace.embeddings * (1 + step))
    noise = difference(moved.logits, on.trace.logits)
    if noise <= TOLERANCE:
        return CheckResult(measured=noise)
    kind = str(coarse).removeprefix("torch.")
    return CheckResult(
        (
            f"the module computes in {kind}, whose rounding alone moves the logits by {noise:.2g} "
            f"(allowed: {TOLERANCE:g})"
        ),
        "call module.float() before it is wrapped",
        noise,
    )


def distribution(on: ProbeBatch) -> CheckResult:
    """Check that attention is a distribution over the words."""
    attention = on.trace.attention
    if float(attention.min()) < 0:
        return CheckResult(
            f"a weight is negative ({float(attention.min()):.2g})",
            "give the weights after the softmax, not scores",
        )
    sums = attention.masked_fill(~on.batch.attendable, 0).cpu().double().sum(1)
    row = int((sums - 1).abs().argmax())
    apart = abs(float(sums[row]) - 1)
    if apart <= 10 * TOLERANCE:
        return CheckResult(measured=apart)
    return CheckResult(
        f"the weights of text {show_id(on.examples[row].id)} sum to {float(sums[row]):.4g} over its words",
        "give one distribution a text: take the softmax over its words only, average heads "
        "rather than add them, and round nothing to half precision (autocast)",
        apart,
    )


def unattended(on: ProbeBatch) -> CheckResult:
    """Check that tokens that are no word get exactly no attention."""
    outside = on.trace.attention.masked_fill(on.batch.attendable, 0).abs().sum(1)
    most = float(outside.max())
    if most == 0:
        return CheckResult(measured=0.0)
    text = show_id(on.examples[int(outside.argmax())].id)
    return CheckResult(
        f"padding, or a token that is no word, gets attention ({most:.2g} in text {text})",
        "fill scores with −inf outside of batch.attendable before the softmax",
        most,
    )
