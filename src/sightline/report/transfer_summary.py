"""How much of the prediction the highlighted words carry, in words and numbers, if a map may be
shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite

from sightline.core.results import Estimate, Finding, MapRow, Results
from sightline.core.word_lists import join_words
from sightline.report.advice import first_of_all
from sightline.report.alternative_maps import families
from sightline.report.map_names import map_title
from sightline.report.number_format import CHANCE_TO_BEST, bracketed, percent, plainly
from sightline.report.sentences import opened, quoted, shown_parts
from sightline.verdict.audit_test import FLIPS
from sightline.verdict.catalogue import OWN, top_words_share

TITLE = "How much is shown"
TRANSFER = "SL-303"
"""The test whose score says how much the highlighted words carry."""
AMOUNTS = (
    (0.9, "nearly all"),
    (0.6, "most"),
    (0.45, "about half"),
    (0.37, "about two fifths"),
    (0.29, "about a third"),
    (0.2, "about a quarter"),
)
"""Words for a share from this size on, the largest first."""
LITTLE = "less than a fifth"
DIGITS = 2
"""Decimals that are shown; words are chosen after this rounding, so that they match the number."""


@dataclass(frozen=True)
class Amount:
    """What the highlighted words carry, and their own effect when put in or taken out.

    Moved words replace others, and losing those also changes the prediction; ``alone`` leaves that
    out.
    """

    carried: Estimate
    alone: Estimate | None = None

    @property
    def words(self) -> tuple[str, str]:
        """Both in words; the second only if it is surely less and has another name."""
        first = amount(self.carried.value)
        less = self.alone is not None and self.alone.high < self.carried.low
        second = amount(self.alone.value) if less and self.alone is not None else first
        return first, "" if second == first else second


@dataclass(frozen=True)
class TransferredShare:
    """How much is shown: 0 is what random words do, 1 what all words do.

    Parameters
    ----------
    all_texts
        For all texts together; None if classes have their own verdicts.
    by_class
        For the classes for whose texts the map may be shown, if classes have their own verdicts.
    best_map, best_carried, attention_carried
        Another map, if it surely carries more than attention on the same texts, and the score of
        both.
    """

    all_texts: Amount | None = None
    by_class: Mapping[str, Amount] = field(default_factory=dict)
    best_map: str | None = None
    best_carried: Estimate | None = None
    attention_carried: Estimate | None = None


def amount(share: float) -> str:
    """Say a share in words, rounded like its number.

    >>> [amount(share) for share in (0.896, 0.5, 0.39, 0.33, 0.25, 0.1)]
    ['nearly all', 'about half', 'about two fifths', 'about a third', 'about a quarter', 'less than a fifth']
    """
    return next((words for least, words in AMOUNTS if round(share, DIGITS) >= least), LITTLE)


def transferred_share(audit: Results) -> TransferredShare | None:
    """Compute what the highlighted words carry; None if no map may be shown or nothing is known."""
    shown = shown_parts(audit.verdict)
    if not shown or first_of_all(audit):
        return None
    moved, own = audit.by_test.get(TRANSFER), audit.by_test.get(OWN)
    classes = [name for part in shown for name in part.classes]
    amounts = {name: _amount(_of(moved, name), _of(own, name)) for name in classes or [""]}
    known = {name: one for name, one in amounts.items() if one is not None}
    if not known:
        return None
    return TransferredShare(
        known.get(""), {name: one for name, one in known.items() if name}, *_better(audit)
    )


def transfer_sentences(audit: Results, *, numbers: bool = True) -> list[str]:
    """Say how much of the prediction the highlighted words carry, and another map if it carries
    more; without ``numbers``, they are shown elsewhere.
    """
    found = transferred_share(audit)
    if found is None:
        return []
    alike: dict[tuple[str, str], dict[str, Amount]] = {}
    for name, one in (
        {"": found.all_texts} if found.all_texts is not None else found.by_class
    ).items():
        alike.setdefault(one.words, {})[name] = one
    said = (_sentence(one, numbers=numbers) for one in alike.values())
    if not numbers:
        return [*said]
    return [
        *said,
        *_of_another(found, audit.verdict.of_map),
        *of_top_words(audit, [*found.by_class]),
    ]


def of_top_words(audit: Results, classes: Sequence[str] = ()) -> list[str]:
    """Say in how many texts, of all or of some predicted classes, the top words matter alone: a score
    over all texts can hide some.
    """
    found = {name: audit.estimates.get(top_words_share(name)) for name in classes or [""]}
    known = {
        name: percent(one) for name, one in found.items() if one is not None and isfinite(one.value)
    }
    if not known:
        return []
    which = f" predicted {join_words(map(quoted, known))}" if classes else ""
    shares = join_words(known.values())
    return [
        f"Share of texts{which} whose most highlighted words alone change the output: {shares}."
    ]


def _amount(carried: Estimate | None, alone: Estimate | None) -> Amount | None:
    return None if carried is None else Amount(carried, alone)


def _of(finding: Finding | None, name: str) -> Estimate | None:
    """Give the score of the margin, not of flips, for a class or for all texts."""
    if finding is None or (not name and finding.comparison == FLIPS):
        return None
    score = finding.by_class.get(name) if name else finding.score
    return score if score is not None and isfinite(score.value) else None


def _better(audit: Results) -> tuple[str | None, Estimate | None, Estimate | None]:
    """Name the chosen map and its score, if it surely carries more than attention."""
    weighing = next((family for family in families(audit.maps) if not family.signed), None)
    first = None if weighing is None else weighing.chosen
    attention = next((row for row in audit.maps if row.name == "attention"), None)
    if first is None or attention is None or not _surely_more(first, attention):
        return None, None, None
    return first.name, first.carried, attention.carried


def _surely_more(first: MapRow, other: MapRow) -> bool:
    """Check whether the first interval lies above the other."""
    return (
        first.carried is not None
        and other.carried is not None
        and first.carried.low > other.carried.high
    )


def _sentence(by_class: Mapping[str, Amount], *, numbers: bool) -> str:
    """Say it for classes with the same words, with the numbers of each."""
    words, alone = next(iter(by_class.values())).words
    names = [quoted(name) for name in by_class if name]
    which = f"for texts predicted {join_words(names)}, " if names else ""
    carried = _numbers([one.carried for one in by_class.values()]) if numbers else ""
    text = opened(
        f"{which}the highlighted words carry {words} of the prediction into another text{carried}."
    )
    if not alone:
        return text
    changed = [one.alone for one in by_class.values() if one.alone is not None]
    own = _numbers(changed) if numbers else ""
    return f"{text} By themselves, put in or taken out, they change {alone} of it{own}."


def _numbers(estimates: Sequence[Estimate]) -> str:
    return f" (score {join_words(map(bracketed, estimates))}; {CHANCE_TO_BEST})"


def _of_another(found: TransferredShare, noun: str) -> list[str]:
    if found.best_map is None or found.best_carried is None or found.attention_carried is None:
        return []
    words, number = amount(found.best_carried.value), plainly(found.best_carried)
    over = "" if found.all_texts is not None else "over all texts, "
    text = f"{over}the words of the {map_title(found.best_map)} map carry {words} of it: {number}"
    return [
        opened(
            f"{text}; on the same texts those of {noun} carry {plainly(found.attention_carried)}."
        )
    ]
