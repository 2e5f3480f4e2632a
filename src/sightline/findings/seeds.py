"""One model trained from several seeds: each effect by seed, its mean over them, and how often each answer came."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sightline.results import Answer, Estimate, Results
from sightline.statistics.across import across_seeds


@dataclass(frozen=True)
class NumberAcross:
    """A number by seed (None where a seed has none), and its mean with an interval over seeds."""

    name: str
    by_seed: tuple[Estimate | None, ...]
    mean: Estimate


@dataclass(frozen=True)
class ClaimAcross:
    """A claim: its effect by seed, and what each seed answers."""

    code: str
    claim: str
    effect: NumberAcross
    answers: tuple[Answer, ...]


@dataclass(frozen=True)
class AcrossSeeds:
    """The audits of several seeds together; ``same_texts`` tells whether all of them are of the same texts."""

    seeds: tuple[int, ...]
    verdicts: tuple[str, ...]
    claims: tuple[ClaimAcross, ...]
    metrics: tuple[NumberAcross, ...]
    same_texts: bool

    @property
    def counts(self) -> Mapping[str, int]:
        """How often each verdict came, the most frequent first."""
        return dict(Counter(self.verdicts).most_common())

    @property
    def disagree(self) -> bool:
        """Whether another seed gives another verdict."""
        return len(self.counts) > 1

    def to_json(self) -> dict[str, Any]:
        """Summarise as plain JSON values (schema in ``docs/schema.md``)."""
        return asdict(self) | {"counts": self.counts, "disagree": self.disagree}


def across(audits: Mapping[int, Results]) -> AcrossSeeds:
    """Put the audits of a model by their seeds together; the first of them names the claims and their order."""
    found = tuple(audits.values())
    metrics = found[0].metrics
    return AcrossSeeds(
        tuple(audits),
        tuple(audit.verdict.text for audit in found),
        tuple(_claims(found)),
        tuple(_number(name, [audit.metrics.get(name) for audit in found]) for name in metrics),
        len({tuple((text.id, text.text) for text in audit.texts) for audit in found}) == 1,
    )


def _claims(found: Sequence[Results]) -> Iterator[ClaimAcross]:
    by_seed = [{finding.code: finding for finding in audit.findings} for audit in found]
    for finding in found[0].findings:
        each = [findings[finding.code] for findings in by_seed]
        effect = _number(finding.code, [one.effect for one in each])
        yield ClaimAcross(finding.code, finding.claim, effect, tuple(one.verdict for one in each))


def _number(name: str, by_seed: Sequence[Estimate | None]) -> NumberAcross:
    return NumberAcross(name, tuple(by_seed), across_seeds([one for one in by_seed if one is not None]))
