"""What to do now after several training runs, in sentences: what all agree on, and what depends on
the run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from sightline.core.results import (
    BY_ABSENCE,
    CAN,
    CANNOT_TELL,
    Level,
    Verdict,
    may_be_guessing,
)
from sightline.core.word_lists import join_words
from sightline.report.advice import AFTER_GUESSING, NO_WORD, NOT_SURELY, too_few_texts
from sightline.report.map_names import map_title
from sightline.report.multi_seed_summary import of_trainings
from sightline.report.number_format import KEEP, approximate_count, count, texts
from sightline.report.sentences import but_not_for, of_classes, quoted
from sightline.verdict.seed_summary import MapsBySeed, SeedSummary
from sightline.verdict.verdict_table import UNFIT

_DEPENDS = (
    "Whether the attention map may be shown{of} depends on the training: show it only of a "
    "model whose own audit allows it"
)
_SAYS = {
    False: "how much each word matters",
    True: "which words speak for the predicted class and which against",
}
"""What the maps of a family say, by whether they are signed."""


def together(across: SeedSummary) -> list[str]:
    """Give the advice over several training runs, most important first.

    If no run allows a conclusion, that is the only line.
    """
    if first := _first_of_all(across):
        return [first]
    return [
        *_attention(across),
        *_other_maps(across),
        *_more_texts(across),
        *_change(across),
        *_keep(across),
    ]


def _first_of_all(across: SeedSummary) -> str:
    """Say what has to be fixed first, if that is so in every run."""
    guesses = [*map(may_be_guessing, across.learned)]
    if all(one.row == UNFIT and one.reasons for one in across.details):
        why = dict.fromkeys(one.reasons[0].words for one in across.details)
        total = len(across.details)
        return f"No verdict is possible after {of_trainings(total, total)}: {join_words(why)}."
    return f"{_guessing(across)} {AFTER_GUESSING}" if guesses and all(guesses) else ""


def _guessing(across: SeedSummary) -> str:
    """Say after how many runs the model does not beat guessing; empty if it always does."""
    times = sum(map(may_be_guessing, across.learned))
    trainings = of_trainings(times, len(across.details))
    return f"After {trainings} {NOT_SURELY}." if times else ""


def _attention(across: SeedSummary) -> Iterator[str]:
    """Say for which texts the attention map may be shown; classes with the same advice share a
    sentence.
    """
    said: dict[str, list[str]] = {}
    for name in across.by_class or ("",):
        said.setdefault(_may_be_shown([_answer(one, name) for one in across.details]), []).append(
            name
        )
    for label, names in said.items():
        of = of_classes([] if names == [""] else names)
        yield f"{label.format(of=of)}."


def _answer(verdict: Verdict, name: str) -> Level | None:
    """Give the answer of a run for some texts; if attention must not be shown over all texts, no
    class stays open.
    """
    if name not in verdict.by_class:
        return None if verdict.by_class else verdict.level
    return verdict.closed(verdict.by_class[name].level)


def _may_be_shown(by_seed: list[Level | None]) -> str:
    """Combine the answers of all runs; runs without an answer do not count."""
    known = {one for one in by_seed if one}
    if known == {BY_ABSENCE}:
        return f"Show no map{{of}}: {NO_WORD}"
    if all(one.permits for one in known):
        caveats = "" if known == {CAN} else ", with the caveats of its own audit under it"
        return f"Show the attention map{{of}}{caveats}"
    if any(one.permits for one in known):
        return _DEPENDS
    return (
        "Do not show the attention map{of} yet"
        if known == {CANNOT_TELL}
        else "Do not show the attention map{of}"
    )


def _other_maps(across: SeedSummary) -> Iterator[str]:
    """Say for each family which other map may be shown; if attention may be shown, a map of how much
    each word matters is an alternative, and nothing is said where there is none.
    """
    answers = [_answer(one, name) for name in across.by_class or ("",) for one in across.details]
    asked = [one for one in answers if one and one != BY_ABSENCE]
    if not asked:
        return  # no map explains a class that is decided by absence
    allowed = all(one.permits for one in asked)
    for maps in across.maps:
        found = Counter("" if one == "attention" else one or "" for one in maps.by_seed)
        if set(found) != {""}:
            yield _other(across, maps, found, allowed=allowed)
        elif not maps.signed and not allowed:
            yield (
                f"Show no other map of {_SAYS[False]}: no map that was put before attention may be "
                "shown in any training."
            )


def _other(across: SeedSummary, maps: MapsBySeed, found: Counter[str], *, allowed: bool) -> str:
    """Name the map of a family that may be shown, or say how it depends on the run."""
    says, total, (first, times) = _SAYS[maps.signed], len(maps.by_seed), found.most_common(1)[0]
    absent = [name for name, ends in across.by_class.items() if BY_ABSENCE in ends]
    left = {*across.by_class} - {*maps.against, *absent}
    if times == total and (left or not across.by_class):
        which = f"the {map_title(first)} map{but_not_for(maps.against, absent)}"
        what = (
            f"Or show {which}" if allowed and not maps.signed else f"To show {says}, take {which}"
        )
        return f"{what}: it may be shown in {of_trainings(times, total)}."
    each = ", ".join(
        f"{map_title(name) if name else 'none'} in {n}" for name, n in found.most_common()
    )
    text = f"Which other map may show {says} depends on the training (of {count(total)}: {each})"
    return f"{text}: take the one that the audit of your model recommends."


def _more_texts(across: SeedSummary) -> Iterator[str]:
    """Say how many texts would settle what is open, and which classes have too few."""
    if (needed := across.needed) is not None:
        more = f"now {texts(needed.now)}{too_few_texts(needed.texts, needed.there)}"
        text = "that would settle the test that needs most"
        yield f"Audit about {approximate_count(needed.texts)}{KEEP}texts ({more}): {text}."
    for name in across.by_class:
        few = [
            one.by_class[name]
            for one in across.details
            if name in one.by_class and one.by_class[name].row == UNFIT
        ]
        why = dict.fromkeys(one.reasons[0].words for one in few if one.reasons)
        if why:
            trainings = of_trainings(len(few), len(across.details))
            yield (
                f"Audit more texts that are predicted {quoted(name)}, in {trainings}: "
                f"{join_words(why)}."
            )


def _change(across: SeedSummary) -> Iterator[str]:
    """Say what to change about the model and its training."""
    learned, total = [one for one in across.learned if one is not None], len(across.details)
    if guessing := _guessing(across):
        yield f"{guessing} Fix that first."
    if short := sum(one.converged is False for one in learned):
        yield (
            f"Let training run to its end, which it did not in {of_trainings(short, total)}: "
            "--epochs allows more."
        )


def _keep(across: SeedSummary) -> Iterator[str]:
    """Say what to do if runs differ."""
    if across.disagree or across.classes_disagree:
        yield "Keep the model that was audited: trained again, it may get another verdict."
