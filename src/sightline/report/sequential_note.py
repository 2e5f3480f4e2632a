"""How an audit ended that stops once its verdict is settled, and the result of each look."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sightline.config.interval_settings import INTERVALS
from sightline.config.measure_registry import ALWAYS
from sightline.core.interval_level import percent_of
from sightline.core.results import MUST_NOT, Results, may_be_guessing
from sightline.core.word_lists import join_words
from sightline.numerics.text_clusters import COUNT_AS_ONE
from sightline.report.number_format import (
    KEEP,
    approximate_count,
    count,
    count_phrase,
    duration,
    rounded_up,
    texts,
)
from sightline.report.sentences import name_classes, quoted
from sightline.verdict.catalogue import AUDIT_TESTS
from sightline.verdict.thresholds import default_thresholds

if TYPE_CHECKING:
    from sightline.verdict.settled import LookState

_STOPPED = {
    "budget": "the budget holds no further look",
    "texts": "all planned texts were measured",
}
BUDGET_SPENT = "the budget of time ended the audit before the tests that decide had run"
MOST = 3
"""Most open tests that are named."""
ABSENCE = "whether they are predicted by absence"
"""What is open for texts of a class of which every test is settled."""


def settled_after(audit: Results) -> list[str]:
    """Say after how many texts the verdict was settled, or what it would take; empty if the audit
    measured all texts.
    """
    about = _sequential(audit)
    if not about:
        return []
    took = duration(about["seconds"])
    of = f"{count(about['texts'])} of {texts(about['planned'])}; {took}"
    said = [*_some_words(about), *_not_compared(about)]
    if about["settled"] and about["texts"] == about["planned"] and audit.verdict.tells_nothing:
        return [f"All {texts(about['planned'])} were measured; {took}.", *said]
    if about["settled"]:
        rest = ": the other texts would not change it" if about["texts"] < about["planned"] else ""
        return [f"The verdict was settled after {of}{rest}.", *said]
    if about.get("unfinished"):
        spent = f"The budget of {as_given(about['budget'])} ended the audit after {duration(about['seconds'])}"
        what = f"before every test that decides had measured {texts(about['texts'])}"
        return [f"{spent}, {what}: the verdict is not settled. {_open(about)}", *said]
    there = max(audit.to_test_on, about["planned"])
    # A map that must not be shown needs no more texts, and a model that may be guessing is mended first.
    no_more = audit.verdict.level == MUST_NOT or may_be_guessing(audit.learned)
    left = _open(about) if no_more else _left(about, there)
    left = f"{_STOPPED[about['stopped']]}. {left}"
    return [f"The verdict is not settled after {of}: {left}", *said]


def as_given(budget: float) -> str:
    """Write a budget as exactly as it was given.

    >>> as_given(100), as_given(300.0)
    ('100 s', '5 min')
    """
    return f"{budget:g} s" if budget % 60 else f"{budget / 60:g} min"


def is_unfinished(audit: Results) -> bool:
    """Check whether the budget of an audit ended before its tests had measured the texts."""
    return bool(_sequential(audit).get("unfinished"))


def ended_by_budget(audit: Results) -> bool:
    """Check whether the budget of an audit ended it before its verdict was settled."""
    about = _sequential(audit)
    return about.get("stopped") == "budget" and not about["settled"]


def _sequential(audit: Results) -> Mapping[str, Any]:
    """Give what an audit says about its looks; empty if it measured everything at once."""
    about = audit.spec.get("sequential")
    return about if isinstance(about, Mapping) else {}


def _some_words(about: Mapping[str, Any]) -> Iterator[str]:
    """Say of how many long texts some words alone were left out and removed."""
    if some := about.get("candidates"):
        words, of = some["words"], texts(about["texts"])
        yield (
            f"{count(some['texts'])} of {of} have more than {words} words: of each of these "
            f"{words} words, drawn at random, were left out one by one and removed; --full takes "
            "all words."
        )


def _not_compared(about: Mapping[str, Any]) -> Iterator[str]:
    """Say why no other map was compared: the budget ended, or it takes longer than the verdict."""
    compared = about.get("compared")
    if about.get("incomplete"):
        yield (
            "The budget ended before what a settled verdict is read with (other maps, measures "
            "asked for) was complete; a larger --budget completes it."
        )
    elif compared and not compared["texts"]:
        yield "Other maps were not compared, because the texts are long; --full compares them."


def is_sequential(audit: Results) -> bool:
    """Check whether an audit stops once its verdict is settled."""
    return bool(_sequential(audit))


def why_wider(audit: Results) -> str:
    """Say why the intervals of scores are wider than usual; empty if looks are not why."""
    usual = INTERVALS["level"]
    if _sequential(audit).get("level", usual) <= usual:
        return ""
    return (
        f"Intervals are wider than at {percent_of(usual)} %, because the audit could stop at any of "
        "several looks at growing numbers of texts."
    )


def answered_texts(audit: Results) -> str:
    """Name the texts that the model answered, of which its metrics are: an audit that stops early
    knows the predictions of all planned texts.
    """
    planned = _sequential(audit).get("planned", len(audit.texts))
    return "the audited texts" if planned == len(audit.texts) else f"all {texts(planned)} planned"


def look_line(state: LookState) -> str:
    """Say the result of a look in one line."""
    head = (
        f"look {state.number} of {state.looks}, {count(state.texts)} of {texts(state.planned)}, "
        f"{duration(state.seconds)}"
    )
    if state.settled.all:
        return f"{head}: settled"
    known = [f"all texts together ({state.verdict.level})"] if state.settled.whole else []
    known += [
        f"{quoted(of)} ({state.verdict.by_class[of].level})"
        for of, done in state.settled.by_class.items()
        if done
    ]
    if not known:
        return f"{head}: open for {_by_scope(state.settled.open_of)}"
    return f"{head}: settled for {join_words(known)}; open for {_by_scope(state.settled.open_of)}"


def measures_line(codes: Sequence[str]) -> str:
    """Name what an audit measures next: the first test that needs it, and how many more.

    >>> measures_line(["outputs"]), measures_line(["own_word"])
    ('auditing, predictions', 'auditing, Own word (SL-402)')
    """
    from sightline.verdict.settled import OTHER_MAPS, measures_of  # noqa: PLC0415  (scipy)

    tests = [claim.title for claim in AUDIT_TESTS.values() if measures_of(claim) & {*codes}]
    if not tests:
        return "auditing, predictions" if ALWAYS in codes else "auditing, what was asked for"
    more = f" and {count_phrase(len(tests) - 1, 'more test')}" if len(tests) > 1 else ""
    maps = ", with other maps" if OTHER_MAPS in codes else ""
    return f"auditing, {tests[0]}{more}{maps}"


def needed_texts(audit: Results) -> int | None:
    """Give the number of texts that may settle the verdict of an audit, if it says one."""
    about = _sequential(audit)
    return about.get("needed_texts") if _has_enough(about) else None


def _has_enough(about: Mapping[str, Any]) -> bool:
    """Check whether the planned texts are enough for a verdict; those of one cluster count as one."""
    least = default_thresholds().least
    return bool(about.get("independent", least) >= least)


def _left(about: Mapping[str, Any], there: int) -> str:
    """Name what is open, and what would settle it; ``there`` are the texts to test on."""
    said, needed, seconds = _open(about), about["needed_texts"], about["needed_seconds"]
    if not _has_enough(about):
        return (
            f"{said} The {texts(about['planned'])} count as {count(about['independent'])}, because "
            f"{COUNT_AS_ONE}; a verdict takes {default_thresholds().least}."
        )
    if needed is None:
        return (
            f"{said} More texts would not settle it soon: a score lies at its threshold, or its "
            "test takes fewer texts than that would need."
        )
    took = "" if seconds is None else f", in about {duration(seconds)}"
    how = f"; the data have {count(there)} to test on" if needed > there else _flags(about, needed)
    caveats = about.get("needed_for_caveats")
    also = f"; for all its caveats, about {approximate_count(caveats)}" if caveats else ""
    return f"{said} About {approximate_count(needed)}{KEEP}texts may settle it{took}{how}{also}."


def _flags(about: Mapping[str, Any], needed: int) -> str:
    """Name the flags that let the next audit measure so many texts."""
    more = [f"--max-texts {rounded_up(needed)}"]
    flags = more if needed > about["planned"] else []
    if about["stopped"] == "budget":
        flags.append("a larger --budget")
    return f" ({' and '.join(flags)})" if flags else ""


def _open(about: Mapping[str, Any]) -> str:
    """Name what is open."""
    whole = {"": about["open_of_all"]} if about["open_whole"] else {}
    return f"Open for {_by_scope({**whole, **about['open_of_class']})}."


def _by_scope(open_of: Mapping[str, Sequence[str]]) -> str:
    """Name the open tests of all texts and of each class; classes with the same tests together. All
    texts without an open test wait for what is open of a class, and are not named.
    """
    scopes: dict[tuple[str, ...], list[str]] = {}
    for of, codes in open_of.items():
        if of or codes or len(open_of) == 1:
            scopes.setdefault((*codes,), []).append(of)
    return "; for ".join(
        f"{join_words(_scope(named))}: {_tests(codes)}" for codes, named in scopes.items()
    )


def _scope(named: Sequence[str]) -> list[str]:
    """Name all texts together, and the classes."""
    classes = [of for of in named if of]
    whole = ["all texts together"] if "" in named else []
    return [*whole, *([f"texts predicted {name_classes(classes)}"] if classes else [])]


def _tests(codes: tuple[str, ...] | list[str]) -> str:
    if not codes:
        return ABSENCE
    more = [f"{len(codes) - MOST} more"] if len(codes) > MOST else []
    return join_words([*_titles(codes[:MOST]), *more])


def _titles(codes: tuple[str, ...] | list[str]) -> Iterator[str]:
    for code in codes:
        yield AUDIT_TESTS[code].title if code in AUDIT_TESTS else code
