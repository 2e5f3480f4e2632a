"""Checks, before any measurement, that a model satisfies what an audit relies on; each result has a
name and plain words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, fields
from typing import Any, Literal

import numpy as np
import torch

from sightline._io.unused_memory import give_back
from sightline.adapters.checks import (
    decoding_checks,
    forward_checks,
    gradient_checks,
    invariance_checks,
    state_checks,
)
from sightline.adapters.checks.probe_batch import (
    TOLERANCE,
    CheckResult,
    ProbeBatch,
    difference,
    module_of,
)
from sightline.adapters.validate_outputs import call_user_code, rows_of, trace_of
from sightline.core.errors import DataError, ModelError
from sightline.core.example import Example
from sightline.core.needs import lacking
from sightline.core.protocols import Auditable, Batch, SupportsLogitsInUse

CheckOutcome = Literal["passed", "failed", "not run"]
SAMPLE = 8
"""The number of texts in a check, from the shortest to the longest."""


@dataclass(frozen=True)
class CompatibilityCheck:
    """The result of one compatibility check: what an audit relies on, whether it holds, and
    otherwise what is wrong and what to change.
    """

    name: str
    claim: str
    outcome: CheckOutcome
    wrong: str = ""
    change: str = ""
    measured: float | None = None

    def __str__(self) -> str:
        """Write the check on one line."""
        sign = {"passed": "✓", "failed": "✕", "not run": "–"}[self.outcome]
        endings = {"passed": "", "failed": f": {self.complaint}", "not run": f" ({self.wrong})"}
        return f"{sign} {self.claim}{endings[self.outcome]}"

    @property
    def complaint(self) -> str:
        """What is wrong, and what to change if known."""
        return "; ".join(part for part in (self.wrong, self.change) if part)

    def to_json(self) -> dict[str, Any]:
        """Write the check as plain values."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


@dataclass(frozen=True)
class Demand:
    """One compatibility check: its claim, its function, the capabilities that it needs, and
    whether the other checks rely on it.
    """

    claim: str
    look: Callable[[ProbeBatch], CheckResult]
    needs: Set[str] = frozenset()
    first: bool = False


MODE = "no part of the module is in training mode"
COLLATE = "collate gives a row a text, in order, and a token a word"
TRACE = "trace runs, and gives what it must"
UNCHANGED = "nothing that is handed in is changed"
DEMANDS: Mapping[str, Demand] = {
    "link": Demand("the logits fit the link and the labels", forward_checks.link, first=True),
    "finite": Demand(
        "embeddings, attention and logits are finite", forward_checks.finite, first=True
    ),
    "repeatable": Demand("two runs give the same", forward_checks.repeatable, first=True),
    "precision": Demand(
        "rounding stays below what an audit measures", forward_checks.precision, first=True
    ),
    "recognised": Demand(
        "its tokenizer has tokens for the words", forward_checks.recognised, first=True
    ),
    "unattended": Demand("padding gets exactly no attention", forward_checks.unattended),
    "distribution": Demand(
        "attention is a distribution over the words", forward_checks.distribution
    ),
    "padding": Demand("more padding changes nothing", invariance_checks.padding),
    "alone": Demand("a text gives the same alone and among others", invariance_checks.alone),
    "deletion": Demand(
        "a word deleted from the batch is a text read without it", invariance_checks.deletion
    ),
    "identity": Demand(
        "decoding the model's own attention gives its logits", decoding_checks.identity, {"decode"}
    ),
    "used": Demand("decoding other attention gives other logits", decoding_checks.used, {"decode"}),
    "mixture": Demand(
        "the logits are the token logits mixed by attention",
        decoding_checks.mixture,
        {"token_logits"},
    ),
    "embeddings": Demand(
        "trace starts from the embeddings it is given",
        gradient_checks.starts_from,
        {"embedding_grad"},
    ),
    "gradient": Demand(
        "gradients reach the embeddings, whole", gradient_checks.reaches, {"embedding_grad"}
    ),
}
"""Every check after the first run of the model, in order."""
OF_STATES: Mapping[str, Demand] = {
    "states": Demand(
        "hidden states replaced by themselves give the attention and the logits",
        state_checks.replaced,
    ),
}
"""The additional checks of a model whose hidden states can be replaced."""
OF_GIVEN_STATES: Mapping[str, Demand] = {
    "states": Demand(
        "with all attention on one word, the logits come from its hidden state alone",
        state_checks.given,
        {"decode", "embedding_grad"},
    ),
}
"""The additional checks of a model that gives hidden states which cannot be replaced."""
OF_TOKENIZERS: Mapping[str, Demand] = {
    "in_use": Demand(
        "the logits are those of the module on what its tokenizer gives", forward_checks.in_use
    ),
}
"""The additional checks of a model with a tokenizer of its own."""


def check(
    model: Auditable, examples: Sequence[Example], labels: Sequence[str] | None = None
) -> tuple[CompatibilityCheck, ...]:
    """Check on a few texts that a model can be audited; ``labels`` are the labels of the data, if
    known.

    If a check on which others rely (`Demand.first`) fails, the remaining checks are not run.
    Torch's random state is restored.
    """
    if not examples:
        raise DataError(
            "check: expected at least one text, got none; give texts that the model can read"
        )
    device = next((t.device for t in _parameters(model)), torch.device("cpu"))
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        return tuple(_closed(model, _check_results(model, sample(examples), labels)))


def require(
    model: Auditable, examples: Sequence[Example], labels: Sequence[str] | None = None
) -> tuple[CompatibilityCheck, ...]:
    """Raise an error with every complaint if a check fails."""
    found = check(model, examples, labels)
    failed = [result for result in found if result.outcome == "failed"]
    if failed:
        message = " | ".join(dict.fromkeys(result.complaint for result in failed))
        checks_failed = (
            f"{len(failed)} of its compatibility checks fail"
            if len(failed) > 1
            else "one of its compatibility checks fails"
        )
        raise ModelError(f"{model.name} cannot be audited, {checks_failed}: {message}")
    return found


def sample(examples: Sequence[Example]) -> tuple[Example, ...]:
    """Choose a few texts evenly over the lengths, with the shortest and the longest, in their
    order.
    """
    by_length = sorted(range(len(examples)), key=lambda i: len(examples[i].tokens))
    places = np.unique(
        np.linspace(0, len(examples) - 1, min(SAMPLE, len(examples))).round().astype(int)
    )
    return tuple(examples[i] for i in sorted(by_length[place] for place in places))


def _closed(model: Auditable, found: Iterator[CompatibilityCheck]) -> Iterator[CompatibilityCheck]:
    """Give the checks up to the first failure that others rely on, and list the remaining ones as
    not run.
    """
    asked = []
    for result in found:
        asked.append(result.name)
        yield result
    for name, claim in _claims(model).items():
        if name not in asked:
            yield CompatibilityCheck(
                name, claim, "not run", "not looked at before the above is mended"
            )


def _demands(model: Auditable) -> Mapping[str, Demand]:
    asked = dict(DEMANDS)
    if isinstance(model, SupportsLogitsInUse):
        asked |= OF_TOKENIZERS
    if "from_states" in model.offers:
        asked |= OF_STATES
    elif "states" in model.offers:
        asked |= OF_GIVEN_STATES
    return asked


def _claims(model: Auditable) -> dict[str, str]:
    before = {"mode": MODE, "collate": COLLATE, "trace": TRACE, "unchanged": UNCHANGED}
    return before | {name: demand.claim for name, demand in _demands(model).items()}


def _check_results(
    model: Auditable, examples: tuple[Example, ...], labels: Sequence[str] | None
) -> Iterator[CompatibilityCheck]:
    """Run one check after the other; stop early if no further check is possible."""
    mode = _check_result("mode", MODE, forward_checks.mode(model))
    yield mode
    if mode.outcome == "failed":
        return
    try:
        batch = rows_of(call_user_code("collate", model.collate, examples), examples)
    except ModelError as error:
        yield _failed("collate", COLLATE, error)
        return
    yield CompatibilityCheck("collate", COLLATE, "passed")
    kept = _copy(batch)
    try:
        trace = trace_of(call_user_code("trace", model.trace, batch), batch)
    except ModelError as error:
        yield _failed("trace", TRACE, error)
        return
    yield CompatibilityCheck("trace", TRACE, "passed")
    exhibit = ProbeBatch(model, examples, batch, trace, labels)
    try:
        unchanged = _check_result(
            "unchanged", UNCHANGED, call_user_code("embed", _changed, kept, exhibit)
        )
    except ModelError as error:
        unchanged = _failed("unchanged", UNCHANGED, error)
    yield unchanged
    if unchanged.outcome == "passed":
        yield from _asked(exhibit)


def _asked(on: ProbeBatch) -> Iterator[CompatibilityCheck]:
    for name, demand in _demands(on.model).items():
        if missing := lacking(demand.needs, on.model.offers):
            why = f"{missing}; the model does not offer it"
            yield CompatibilityCheck(name, demand.claim, "not run", why)
            continue
        try:
            result = _check_result(name, demand.claim, call_user_code("the model", demand.look, on))
        except ModelError as error:
            result = _failed(name, demand.claim, error)
        give_back()
        yield result
        if demand.first and result.outcome == "failed":
            return


def _check_result(name: str, claim: str, found: CheckResult) -> CompatibilityCheck:
    if found.not_asked:
        return CompatibilityCheck(name, claim, "not run", found.not_asked)
    outcome: CheckOutcome = "failed" if found.wrong else "passed"
    return CompatibilityCheck(name, claim, outcome, found.wrong, found.change, found.measured)


def _failed(name: str, claim: str, error: ModelError) -> CompatibilityCheck:
    return CompatibilityCheck(name, claim, "failed", error.wrong, error.change)


def _copy(batch: Batch) -> dict[str, torch.Tensor]:
    return {
        f.name: value.clone()
        for f in fields(batch)
        if isinstance(value := getattr(batch, f.name), torch.Tensor)
    }


def _changed(kept: Mapping[str, torch.Tensor], on: ProbeBatch) -> CheckResult:
    """Compare a batch with a copy made before its use, and embeddings with fresh ones."""
    changed = [
        f"batch.{name}"
        for name, before in kept.items()
        if not torch.equal(getattr(on.batch, name), before)
    ]
    with torch.no_grad():
        if not changed and difference(on.model.embed(on.batch), on.trace.embeddings) > TOLERANCE:
            changed = ["the embeddings it is given, or embed gives others the second time"]
    change = (
        "work on a copy (.clone()) where trace or embed write in place, and draw nothing in embed"
    )
    return (
        CheckResult(f"running the module changes {changed[0]}", change)
        if changed
        else CheckResult()
    )


def _parameters(model: Auditable) -> Iterator[torch.Tensor]:
    module = module_of(model)
    return iter(()) if module is None else iter(module.parameters())
