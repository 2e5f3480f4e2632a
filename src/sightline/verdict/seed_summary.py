"""Summarise a model trained from several seeds: verdicts, scores by seed, and means over seeds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from sightline.core.results import Answer, Estimate, Learned, Results, Verdict
from sightline.stats.across_seeds import across_seeds
from sightline.stats.bootstrap import proportion
from sightline.verdict.number_bounds import ends_of


@dataclass(frozen=True)
class NumberBySeed:
    """A number by seed (None where a seed has none), and its mean with an interval over seeds."""

    name: str
    by_seed: tuple[Estimate | None, ...]
    mean: Estimate


@dataclass(frozen=True)
class TestBySeed:
    """A test: its score and its result by seed."""

    code: str
    claim: str
    score: NumberBySeed
    answers: tuple[Answer, ...]


@dataclass(frozen=True)
class VerdictShare:
    """A verdict, the number of trainings that end with it, and their share (Wilson).

    The verdict is None for a training that gives these texts none of their own, because it predicts
    the class never or always.
    """

    verdict: str | None
    times: int
    share: Estimate


@dataclass(frozen=True)
class MapsBySeed:
    """The map of a family that may be shown in each training (None: none), and the classes for
    which it fails in some.
    """

    signed: bool
    by_seed: tuple[str | None, ...]
    against: tuple[str, ...]


@dataclass(frozen=True)
class NeededTexts:
    """The largest number of texts that an inconclusive test needs, how many it had, and how many
    there are.
    """

    texts: int
    now: int
    there: int


@dataclass(frozen=True)
class SeedSummary:
    """The audits of several seeds together; ``same_texts`` says whether all are about the same
    texts.
    """

    seeds: tuple[int, ...]
    details: tuple[Verdict, ...]
    claims: tuple[TestBySeed, ...] = ()
    metrics: tuple[NumberBySeed, ...] = ()
    same_texts: bool = True
    maps: tuple[MapsBySeed, ...] = ()
    learned: tuple[Learned | None, ...] = ()
    needed: NeededTexts | None = None

    @property
    def verdicts(self) -> tuple[str, ...]:
        """The verdict over all texts, by seed."""
        return tuple(one.level for one in self.details)

    @property
    def by_class(self) -> Mapping[str, tuple[str | None, ...]]:
        """The verdict over the texts of each predicted class, by seed; None where a training gives
        none.
        """
        names = dict.fromkeys(name for one in self.details for name in one.by_class)
        each = [
            {name: verdict.level for name, verdict in one.by_class.items()} for one in self.details
        ]
        return {name: tuple(one.get(name) for one in each) for name in names}

    @property
    def counts(self) -> Mapping[str, int]:
        """How often each verdict occurs, the most frequent first."""
        return dict(Counter(self.verdicts).most_common())

    @property
    def disagree(self) -> bool:
        """Whether seeds differ in the verdict over all texts."""
        return len(self.counts) > 1

    @property
    def classes_disagree(self) -> bool:
        """Whether seeds differ in the verdict over the texts of some predicted class."""
        return any(len(set(verdicts)) > 1 for verdicts in self.by_class.values())

    def endings(self, of: str = "") -> tuple[VerdictShare, ...]:
        """Give each verdict over all texts, or over those of a predicted class, the most frequent
        first.
        """
        found: Sequence[str | None] = self.by_class[of] if of else self.verdicts
        return tuple(
            VerdictShare(
                text, times, proportion(np.array([one == text for one in found], dtype=float))
            )
            for text, times in Counter(found).most_common()
        )

    def to_json(self) -> dict[str, Any]:
        """Summarise as plain JSON values (schema in ``docs/schema.md``)."""
        parts = ("verdicts", "by_class", "counts", "disagree", "classes_disagree")
        whole = asdict(self)
        return {
            "seeds": whole.pop("seeds"),
            **{name: getattr(self, name) for name in parts},
            **whole,
        }


def summarise_seeds(audits: Mapping[int, Results]) -> SeedSummary:
    """Combine the audits of a model by seed; the first audit gives the tests and their order."""
    found = tuple(audits.values())
    return SeedSummary(
        tuple(audits),
        tuple(audit.verdict for audit in found),
        tuple(_claims(found)),
        tuple(
            _number(name, [audit.metrics.get(name) for audit in found]) for name in found[0].metrics
        ),
        len({_texts_of(audit) for audit in found}) == 1,
        tuple(_maps(found)),
        tuple(audit.learned for audit in found),
        max(_needed(found), key=lambda one: one.texts, default=None),
    )


def _texts_of(audit: Results) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Give the texts of an audit in an order of their own. Their ids may be numbers in the order of
    the audit, which differs between seeds.
    """
    return tuple(sorted((text.text, text.query or ()) for text in audit.texts))


def _claims(found: Sequence[Results]) -> Iterator[TestBySeed]:
    by_seed = [audit.by_test for audit in found]
    for finding in found[0].findings:
        each = [findings[finding.code] for findings in by_seed]
        score = _number(finding.code, [one.score for one in each])
        yield TestBySeed(finding.code, finding.name, score, tuple(one.result for one in each))


def _number(name: str, by_seed: Sequence[Estimate | None]) -> NumberBySeed:
    known = [one for one in by_seed if one is not None]
    return NumberBySeed(name, tuple(by_seed), across_seeds(known, ends_of(name)))


def _maps(found: Sequence[Results]) -> Iterator[MapsBySeed]:
    """Name the map of each family that was chosen on the other half of the texts, if it passes and
    works for texts of some class.
    """
    for signed in (False, True):
        chosen = [
            next((row for row in audit.maps if row.chosen and row.signed == signed), None)
            for audit in found
        ]
        passing = [
            row
            if row and row.answer == "passed" and audit.verdict.leaves_texts(row.against)
            else None
            for row, audit in zip(chosen, found, strict=True)
        ]
        if any(row.signed == signed for audit in found for row in audit.maps):
            against = dict.fromkeys(
                name for row in passing if row is not None for name in row.against
            )
            yield MapsBySeed(
                signed, tuple(None if row is None else row.name for row in passing), tuple(against)
            )


def _needed(found: Sequence[Results]) -> Iterator[NeededTexts]:
    """Give the number of texts that would settle each inconclusive test that affects a verdict."""
    for audit in found:
        for one in audit.findings:
            if one.bears and one.needed is not None and one.score is not None:
                yield NeededTexts(one.needed, len(audit.texts), audit.to_test_on)
