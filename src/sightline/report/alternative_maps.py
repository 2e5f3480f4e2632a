"""Which map may be shown, if any, in sentences: one family of maps for importance, one for signed
maps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import TypeGuard

from sightline.core.audited_map import ATTENTION, reword_for_map
from sightline.core.results import MUST_NOT, Estimate, MapRow, Results, Verdict
from sightline.report.map_names import map_title
from sightline.report.number_format import count, plainly, texts
from sightline.report.sentences import (
    answers,
    but_not_for,
    by_absence,
    of_classes,
    shown_parts,
)

_HOW = (
    "Numbers are scores: 0 is what random words do to the prediction (below 0 is worse), 1 "
    "what all words of the other text carry, or what the words lose that matter most one by "
    "one."
)
_CHOSEN = "The map was chosen on one half of the texts; its numbers are from the other half."
_NOT_CHOSEN = (
    "No map was chosen, since no other was compared; the numbers are from one half of the texts."
)
_COMPARED = (
    "Leave-one-out alone was compared with {of_map}, on {some} of {all}, and not class by class; "
    "the verdict does not depend on it, and --full compares every map on all texts."
)
_BEYOND = (
    "Numbers can exceed 1: the top words together may shift the prediction more than the "
    "reference does."
)
_ONE_IS_ENOUGH = (
    "Some tests passed, and still the map must not be shown: of the tests that can forbid a map, "
    "one that it fails is enough. The verdict names the tests that decided."
)
_ONLY_ATTENTION = (
    "Attention transfers the prediction over all texts as the other maps have to, and still "
    "must not be shown: it fails a test that only attention takes, or fails for the texts of "
    "a class."
)
NONE_BETTER = "none: no other map does better than attention"
MEASURED = {
    "carried": "carried into another text",
    "deleted": "lost when deleted",
    "replaced": "lost when replaced",
}
"""What the highlighted words did, by the field of a row."""


@dataclass(frozen=True)
class MapFamily:
    """Maps that are compared with each other, and which of them may be shown."""

    signed: bool
    rows: tuple[MapRow, ...]
    verdict: Verdict | None = None
    """The verdict on attention; without it, no class has its own."""

    @property
    def title(self) -> str:
        """What these maps say about a word."""
        return (
            "which words speak for the predicted class, which against"
            if self.signed
            else "how much each word matters"
        )

    @property
    def chosen(self) -> MapRow | None:
        """The map that was chosen on the other half of the texts."""
        return next((row for row in self.rows if row.chosen), None)

    @property
    def name(self) -> str:
        """The name of the chosen map; empty if there is none."""
        return "" if self.chosen is None else self.chosen.name

    @property
    def of_map(self) -> str:
        """The name of the audited map."""
        return ATTENTION if self.verdict is None else self.verdict.of_map

    @property
    def absent(self) -> tuple[str, ...]:
        """The predicted classes that are decided by absence, which no map can explain."""
        return () if self.verdict is None else by_absence(self.verdict)

    @property
    def forbidden(self) -> bool:
        """Whether the verdict permits attention for no texts, whatever it carries."""
        return self.verdict is not None and not shown_parts(self.verdict)

    @property
    def against(self) -> tuple[str, ...]:
        """The predicted classes for which the chosen map was not shown to work. Of attention the
        verdict says which, because it also rests on tests that only attention takes.
        """
        if self.chosen is None:
            return ()
        if self.name != ATTENTION or self.forbidden or not (self.verdict and self.verdict.by_class):
            return self.chosen.against
        return tuple(
            name
            for name, one in self.verdict.by_class.items()
            if not one.level.permits and name not in self.absent
        )

    @property
    def but_not_for(self) -> str:
        """Name the classes for whose texts the chosen map must not be shown."""
        return "" if self.chosen is None else but_not_for(self.against, self.absent)

    @property
    def may_be_shown(self) -> bool:
        """Whether the chosen map passes the tests that every map takes, for some texts."""
        return self._passes and not self._for_no_class

    @property
    def _passes(self) -> bool:
        return self.chosen is not None and self.chosen.answer == "passed"

    @property
    def _for_no_class(self) -> bool:
        return self.verdict is not None and not self.verdict.leaves_texts(self.against)

    def called(self, name: str) -> str:
        """Give the name of one of its maps."""
        return self.of_map if name == ATTENTION else map_title(name)

    @property
    def tested(self) -> bool:
        """Whether any map went through the transfer test."""
        return any(_known(row.carried) for row in self.rows)

    @property
    def alone(self) -> bool:
        """Whether attention was compared with no other map."""
        return all(row.name == ATTENTION for row in self.rows)

    @property
    def permitted(self) -> str:
        """Name attention, with the texts for which the verdict lets it be shown; empty if there are
        none. Of signed maps it is none.
        """
        if self.signed or self.verdict is None or self.forbidden:
            return ""
        return f"{self.of_map}{of_classes(self._permitted_classes)}"

    @property
    def _permitted_classes(self) -> tuple[str, ...]:
        """The predicted classes for which attention may be shown; empty if for all texts."""
        parts = () if self.verdict is None else shown_parts(self.verdict)
        return tuple(name for part in parts for name in part.classes)

    @property
    def answer(self) -> str:
        """Name the map that may be shown; a chosen map that carries too little is none."""
        return self.with_score("")

    def with_score(self, text: str) -> str:
        """Name the map that may be shown, with ``text`` after the name of a map but attention.

        What the verdict says of attention comes first, because the verdict also looks at each
        predicted class, and the choice of a map at all texts together.
        """
        if not self.permitted:
            return self._chosen_answer(text)
        if self.may_be_shown and self.name != ATTENTION:
            return f"{self.permitted}, or {self._chosen_answer(text)}"
        return self.permitted

    def _chosen_answer(self, text: str) -> str:
        """Say whether the chosen map may be shown."""
        if not self.tested:
            return "not measured on these texts"
        if self.alone and not (self.may_be_shown and not self.forbidden):
            return f"no map but {self.of_map} was compared"
        if self.chosen is not None and self.chosen.answer == "failed":
            return "none of the maps that were tried"
        if self._passes:
            called = self.called(self.name)
            if self._for_no_class:
                return f"none: {called} works over all texts together, but for no class by itself"
            if self.name == ATTENTION and self.forbidden:
                return reword_for_map(NONE_BETTER, self.of_map)
            return f"{called}{text}{self.but_not_for}"
        why = "" if self.chosen is None else "; ".join(self.chosen.notes)
        few = f" ({why})" if why else ""
        return f"none of the maps that were tried, as far as these texts can tell{few}"

    @property
    def best(self) -> str:
        """Name the chosen map if it may not be shown."""
        if self.chosen is None or self._passes or not self.tested or self.alone:
            return ""
        if self.permitted and self.name == ATTENTION:
            return ""  # the answer names it
        return f"The best{self._over_all} was {self.called(self.chosen.name)}."

    @property
    def _over_all(self) -> str:
        """Say that a map was chosen over all texts, where the answer is for some classes alone."""
        return " over all texts" if self.permitted and self._permitted_classes else ""

    @property
    def compared_with_attention(self) -> str:
        """Give the transfer scores of the words of the chosen map and of attention."""
        if self.chosen is None or not _known(self.chosen.carried):
            return ""
        others = (row.carried for row in self.rows if row.name == ATTENTION and not row.chosen)
        attention = [f", those of {self.of_map} {plainly(one)}" for one in others if _known(one)]
        half = " on one half of the texts" if self.alone else ""
        start = "Over all texts, copied" if self._over_all and not half else "Copied"
        return (
            f"{start} into another text{half}, {self._whose} score {plainly(self.chosen.carried)}"
            f"{''.join(attention)}, from random words (0) to all words (1)."
        )

    @property
    def measured(self) -> str:
        """Give all scores of the words of the chosen map."""
        known = {} if self.chosen is None else numbers(self.chosen)
        text = "; ".join(f"{did} {plainly(one)}" for did, one in known.items() if _known(one))
        return f"Scores of {self._whose}: {text}." if text else ""

    @property
    def _whose(self) -> str:
        """Name the words that the numbers are about, for a sentence after the answer."""
        several = self.alone or (bool(self.permitted) and self.name != ATTENTION)
        return f"the words of {self.called(self.name)}" if several else "its words"


def _known(one: Estimate | None) -> TypeGuard[Estimate]:
    return one is not None and not isnan(one.value)


def families(rows: Sequence[MapRow], verdict: Verdict | None = None) -> list[MapFamily]:
    """Group maps by family, unsigned ones first; empty families are left out.

    The verdict says which classes no map can explain.
    """
    kinds = [
        MapFamily(signed, tuple(row for row in rows if row.signed == signed), verdict)
        for signed in (False, True)
    ]
    return [family for family in kinds if family.rows]


def numbers(row: MapRow) -> dict[str, Estimate | None]:
    """Give the numbers of a map by what was done with its words."""
    return {did: getattr(row, field) for field, did in MEASURED.items()}


def comparison_method(audit: Results) -> str:
    """Say how maps are compared, and explain what may look odd: numbers above 1, or a map that
    passes and must not be shown.
    """
    known = [one for row in audit.maps for one in numbers(row).values() if one is not None]
    above = any(max(one.value, one.high) > 1 for one in known)
    passes = _forbidden(audit) and any(
        row.name == ATTENTION and row.answer == "passed" for row in audit.maps
    )
    only = reword_for_map(_ONLY_ATTENTION, audit.verdict.of_map)
    held = compared_on(audit)
    chosen = _NOT_CHOSEN if all(row.name == ATTENTION for row in audit.maps) else _CHOSEN
    said = [_HOW, chosen if held is None else held]
    return " ".join([*said, *([_BEYOND] if above else []), *([only] if passes else [])])


def compared_on(audit: Results) -> str | None:
    """Say on how many texts another map was compared, where these are not all."""
    about = audit.spec.get("sequential")
    compared = about.get("compared") if isinstance(about, Mapping) else None
    if not compared or not compared["texts"]:
        return None
    of_map = audit.verdict.of_map
    some, every = count(compared["texts"]), texts(compared["of"])
    return _COMPARED.format(of_map=of_map, some=some, all=every)


def at_odds(audit: Results) -> str:
    """Explain passed tests of a map that must not be shown; empty if there are none."""
    passed = any(one.bears and one.result == "passed" for one in audit.findings)
    return _ONE_IS_ENOUGH if passed and _forbidden(audit) else ""


def _forbidden(audit: Results) -> bool:
    return any(part.level == MUST_NOT for part in answers(audit.verdict))
