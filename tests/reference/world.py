"""The generated world, told again: a story is read sentence by sentence, and each answer is looked
up from its words.
"""

import re
from collections.abc import Sequence

Sentence = tuple[str, str, str]
_SENTENCE = re.compile(r"(\w+) (went to|took|left) the (\w+)\.")


def sentences(text: str) -> list[Sentence]:
    """Read who did what, and where or with which thing."""
    found = _SENTENCE.findall(text)
    assert " ".join(f"{who} {deed} the {what}." for who, deed, what in found) == text
    return found


def last(
    story: Sequence[Sentence], who: str | None, deeds: set[str], what: str | None = None
) -> int | None:
    """Number of the last sentence that fits, or nothing."""
    fitting = [
        number
        for number, (person, deed, thing) in enumerate(story)
        if deed in deeds and who in (None, person) and what in (None, thing)
    ]
    return fitting[-1] if fitting else None


def where_is(story: Sequence[Sentence], thing: str) -> tuple[str, set[int]] | None:
    """Place of a thing after a story, and the sentences that say so; nothing where nobody took it,
    or from nowhere.
    """
    touched = last(story, None, {"took", "left"}, thing)
    if touched is None:
        return None
    who, deed, _ = story[touched]
    walked = last(story if deed == "took" else story[:touched], who, {"went to"})
    return None if walked is None else (story[walked][2], {touched, walked})


def answer(text: str, query: Sequence[str]) -> tuple[str, set[int]]:
    """Answer a question by a place, and say by which sentences."""
    story = sentences(text)
    if query[:2] == ("where", "is") and len(query) == 3:
        walked = last(story, query[2], {"went to"})
        return story[walked][2], {walked}
    if query[:3] == ("where", "is", "the"):
        return where_is(story, query[3])
    _, _, _, thing, _, _, after = query
    places = [where_is(story[: end + 1], thing) for end in range(len(story))]
    arrived = [
        end
        for end in range(1, len(story))
        if places[end] and places[end - 1] and places[end][0] == after != places[end - 1][0]
    ]
    who = story[arrived[-1]][0]
    before = story[: arrived[-1]]
    return places[arrived[-1] - 1][0], {
        arrived[-1],
        last(before, who, {"took"}, thing),
        last(before, who, {"went to"}),
    }


def impossible(text: str) -> str:
    """Say which sentence cannot happen after those before it; empty where all can."""
    story = sentences(text)
    for number, (who, deed, what) in enumerate(story):
        before = story[:number]
        walked = last(before, who, {"went to"})
        place = None if walked is None else before[walked][2]
        touched = last(before, None, {"took", "left"}, what)
        held = touched is not None and before[touched][1] == "took"
        known = where_is(before, what)
        fine = {
            "went to": what != place,
            "took": place is not None and not held and known in (None, (place, known and known[1])),
            "left": held and before[touched][0] == who,
        }
        if not fine[deed]:
            return f"{number}: {who} {deed} the {what}"
    return ""
