"""What to do now, in sentences: which map to show for which texts, how many more texts to audit,
and what to change.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import ceil
from shlex import quote

from sightline.config.word_maps import USER_MAPS
from sightline.core.audited_map import ATTENTION, reword_for_map
from sightline.core.results import (
    BY_ABSENCE,
    CAN,
    CANNOT_TELL,
    CAVEATS,
    MUST_NOT,
    Reason,
    Results,
    Verdict,
    may_be_guessing,
)
from sightline.core.word_lists import join_words
from sightline.numerics.text_clusters import AS_ONE
from sightline.report.alternative_maps import MapFamily, families
from sightline.report.data_notes import has_groups
from sightline.report.map_names import map_title
from sightline.report.number_format import KEEP, approximate_count, count
from sightline.report.sentences import (
    ALL_TOGETHER,
    answers,
    name_classes,
    of_classes,
    opened,
    quoted,
    shown_parts,
)
from sightline.report.sequential_note import (
    BUDGET_SPENT,
    is_sequential,
    is_unfinished,
    needed_texts,
)
from sightline.verdict.audit_clusters import clusters_of
from sightline.verdict.thresholds import default_thresholds
from sightline.verdict.verdict_table import UNFIT

TITLE = "What to do now"
LARGER_BUDGET = f"give the audit a larger --budget: {BUDGET_SPENT}"
NOT_SURELY = "the model is not surely better than always predicting the majority class"
GUESSING = f"{opened(NOT_SURELY)}."
WORSE = (
    "The model is surely worse than always predicting the majority class: are its classes, or those "
    "of --label-map, in the right order?"
)
UNBALANCED = (
    "It has learned something, because its predictions are better than the same ones in random "
    "order: audit texts of which fewer have the majority class, or fix the model first; until then "
    "this audit permits no map."
)
NOT_YET = "Do not display any explanation of this model yet."
"""Comes before what has to be fixed first."""
AFTER_GUESSING = "Fix the model first; until then this audit permits no map."
_ATTENTION = {
    CAN: "Show the attention map",
    CAVEATS: "Show the attention map with the caveats of this verdict under it",
    MUST_NOT: "Do not show the attention map",
    CANNOT_TELL: "Do not show the attention map yet",
    BY_ABSENCE: "Show no map",
}
NO_WORD = "no highlighted word can explain that prediction"
"""Why no map is shown for texts of a class that is decided by absence."""


def shown_maps_advice(audit: Results) -> list[str]:
    """Say which map may be shown for which texts, and nothing else."""
    if first := first_of_all(audit):
        return [first]
    return [*_attention(audit.verdict), *_maps(audit)]


def first_of_all(audit: Results) -> str:
    """Say what has to be fixed before any other advice is useful; empty if nothing has to be.

    That is so if the first row of the verdict table applies, or if the model is no better than
    guessing.
    """
    if audit.verdict.row == UNFIT and audit.verdict.reasons:
        return f"{opened(_unfit(audit, audit.verdict.reasons[0]))}."
    if not may_be_guessing(audit.learned):
        return ""
    if audit.learned.worse:
        return f"{WORSE} {AFTER_GUESSING}"
    if audit.learned.beats_chance:
        return f"{GUESSING} {UNBALANCED}"
    return f"{GUESSING} {AFTER_GUESSING}"


def recommended(audit: Results) -> tuple[str, ...]:
    """Name the maps other than attention that may be shown; none while the model has to be fixed
    first.
    """
    if first_of_all(audit):
        return ()
    shown = (one.name for one in families(audit.maps, audit.verdict) if one.may_be_shown)
    return tuple(name for name in shown if name != ATTENTION)


def drawn_of_any_text(audit: Results) -> tuple[str, ...]:
    """Name the recommended maps that a model gives of any text."""
    return tuple(name for name in recommended(audit) if name not in USER_MAPS)


def look_command(audit: Results, saved: str = "") -> str:
    """Write the command that draws the other maps of a new text, if attention may be shown for no
    texts and another map may; otherwise nothing. ``saved`` is the folder of the audit.
    """
    if not (drawn := drawn_of_any_text(audit)) or shown_parts(audit.verdict):
        return ""
    # Another model has to be saved first, or is known to Python alone.
    by_place = "command" in audit.spec and "run" not in audit.spec
    model = quote(str(audit.spec.get("model", ""))) if by_place else "MODEL"
    label = f" --label-name {quote(str(audit.spec['label']))}" if "label" in audit.spec else ""
    query = ' --query "a question"' if any(one.query is not None for one in audit.texts) else ""
    maps = f"--audit {quote(saved)}" if saved else " ".join(f"--map {name}" for name in drawn)
    return f'sightline look {model} "a text"{query}{label} {maps}'


def _unfit(audit: Results, reason: Reason) -> str:
    """Say how to fix what makes a conclusion impossible."""
    if is_unfinished(audit):
        return LARGER_BUDGET
    if reason.code:
        return "no verdict is possible: none of the tests that decide could be run"
    if reason.too_few is None:
        return reason.words
    other = "texts of more groups" if has_groups(audit) else "texts that differ more"
    return f"audit {other if reason.clustered else 'more texts'}: {reason.words}"


def _attention(verdict: Verdict) -> Iterator[str]:
    """Say for which texts the attention map may be shown."""
    for part in (one for one in answers(verdict) if one.advised):
        level = verdict.closed(part.level)
        which = of_classes(part.classes, part.level)
        why = f": {NO_WORD}" if level == BY_ABSENCE else ""
        yield f"{reword_for_map(_ATTENTION[level], verdict.of_map)}{which}{why}."


def _maps(audit: Results) -> Iterator[str]:
    """Say which other map may be shown."""
    asked = [part for part in answers(audit.verdict) if part.level != BY_ABSENCE]
    if not any(part.advised for part in asked):
        return  # no map explains a class that is decided by absence
    allowed = all(part.level.permits for part in asked)
    for family in families(audit.maps, audit.verdict):
        if family.chosen is not None and family.may_be_shown and family.name != ATTENTION:
            yield _other(family, allowed or _works_as_attention_does(audit.verdict, family))
        elif family.chosen is not None and family.tested and not family.signed and not allowed:
            yield reword_for_map(_none(family), audit.verdict.of_map)


def _works_as_attention_does(verdict: Verdict, family: MapFamily) -> bool:
    """Check whether attention may be shown for all texts for which another map works."""
    left = [one.level for name, one in verdict.by_class.items() if name not in family.against]
    return bool(left) and all(level.permits for level in left)


def _other(family: MapFamily, allowed: bool) -> str:
    what = (
        "To show which words speak for the predicted class and which against, take"
        if family.signed
        else "Show"
    )
    if allowed and not family.signed:
        what = "Or show"
    instead = "" if family.signed or allowed else " instead"
    return f"{what} the {map_title(family.name)} map{instead}{family.but_not_for}."


def _none(family: MapFamily) -> str:
    if family.alone:
        return "No other map of how much each word matters was compared; --full compares them."
    if family.may_be_shown:
        return (
            "Show no other map of how much each word matters: of those compared, none was put "
            "before attention."
        )
    return (
        "Show no other map of how much each word matters: none of those compared is known to pass "
        "both Transfer and Removal."
    )


def more_of_classes(audit: Results) -> Iterator[str]:
    """Say how many texts would give each predicted class enough for a verdict, or that time was too
    short for the texts there are.
    """
    if is_unfinished(audit):
        yield f"{opened(LARGER_BUDGET)}."
        return
    few = [
        name
        for name, one in audit.verdict.by_class.items()
        if one.reasons and one.reasons[0].too_few is not None
    ]
    predicted = _independent(audit)
    if not few or not all(predicted[name] for name in few):
        return
    least = default_thresholds().least
    now = audit.spec["sequential"]["planned"] if is_sequential(audit) else len(audit.texts)
    needed = ceil(least / min(_share(audit, name, predicted[name]) for name in few))
    # An audit that looks says how many texts may settle its verdict: one number, not two.
    needed = max(needed, needed_texts(audit) or 0)
    if needed > now:
        as_one = AS_ONE if predicted.total() < len(audit.texts) else ""
        yield (
            f"Audit about {approximate_count(needed)}{KEEP}texts (now {count(now)}): a verdict for "
            f"texts predicted {name_classes(few)} takes at least {least} of each{as_one}."
        )


def _share(audit: Results, name: str, independent: int) -> float:
    """Give the share of the texts of a class, of which ``independent`` were measured, among all that
    were planned: the first looks hold more of a rare class.
    """
    measured = sum(one.predicted == name for one in audit.texts)
    of_all = audit.learned.classes if is_sequential(audit) and audit.learned else None
    planned = (of_all or {}).get(name)
    share = measured / len(audit.texts) if planned is None else planned.predicted.value
    return share * independent / measured


def _independent(audit: Results) -> Counter[str]:
    """Count the texts of each predicted class; those of one cluster count as one."""
    known = clusters_of(audit)
    clusters = range(len(audit.texts)) if known is None else known.tolist()
    found = {(one.predicted, number) for one, number in zip(audit.texts, clusters, strict=True)}
    return Counter(predicted for predicted, _ in found)


def more_texts(audit: Results) -> Iterator[str]:
    """Say how many texts would settle each test that is inconclusive."""
    found = [
        (one.needed, one.title)
        for one in audit.findings
        if one.bears and one.needed and one.score is not None
    ]
    if not found or is_sequential(audit):  # such an audit has said what would settle its verdict
        return
    groups: dict[str, list[str]] = {}
    for needed, title in sorted(found, key=lambda one: one[0]):
        groups.setdefault(approximate_count(needed), []).append(title)
    most = max(needed for needed, _ in found)
    each = join_words(f"{number} for {join_words(named)}" for number, named in groups.items())
    yield (
        f"Audit more texts (now {count(len(audit.texts))}). About so many settle a test: {each}"
        f"{too_few_texts(most, audit.to_test_on)}."
    )


def too_few_texts(number: int, there: int) -> str:
    """Say if the data have too few texts to test on."""
    return f"; the data have {count(there)} to test on" if number > there else ""


def close_calls(audit: Results) -> Iterator[str]:
    """Name the tests that would change a verdict if their interval ended a little further."""
    titles = {finding.code: finding.title for finding in audit.findings}
    calls: dict[tuple[str, str], list[str]] = {}
    for call in audit.verdict.close:
        calls.setdefault((call.otherwise, call.of), []).append(
            f"{titles.get(call.code, call.code)} by {call.distance:.3f}"
        )
    for (otherwise, of), near in calls.items():
        which, instead = of_classes([of] if of else []), ""
        if not of and len(answers(audit.verdict)) > 1:
            # Where classes differ, the verdict for all texts may be printed nowhere.
            which, instead = f" {ALL_TOGETHER}", f" instead of {quoted(audit.verdict.level)}"
        yield (
            f"Close call: other texts or another --seed may make the verdict{which} "
            f"{quoted(otherwise)}{instead}. Distance to the threshold: {join_words(near)}."
        )


def changes(audit: Results) -> Iterator[str]:
    """Say what to change about the model and its training before the next audit."""
    learned = audit.learned
    if learned is None:
        return
    if learned.converged is False:
        yield "Let training converge: --epochs allows more."
    if learned.cut:
        yield "Let the model read whole texts: --max-tokens allows longer ones."


def one_training(audit: Results) -> str:
    """Say that there was one training run, and how to see how much depends on it."""
    if "run" in audit.spec:
        return "One training run; check with --seeds 3."
    return "One training run: another training of the model may get another verdict."
