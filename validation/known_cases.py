"""Cases whose truth is known, with the right verdicts: for all texts, and for the texts of each
predicted class.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import known_case_models as of
from known_case_models import Make, needle, trained, written
from written import (
    CUE,
    ENDING,
    FIRST,
    LABELS,
    ONE_CUE,
    SECOND,
    Texts,
    Written,
    added,
    by_code,
    by_place,
    cues,
    flat,
    lexicon,
    luring,
    marked,
    on_share,
    one_cue,
    some_fillers,
    takeover,
    topped,
    where,
)

FULL: dict[str, Any] = {"full": True}
"""Asks for every test on every text."""
SHOWN, CAVEATS, MUST_NOT, OPEN, ABSENT = (4, 5), (5,), (2, 3), (1, 6), (7,)
"""Rows of the verdict table."""
NOT_SHOWN = (*MUST_NOT, *OPEN)
SHORTCUT = lexicon(
    of.signed("cue", {FIRST: 1.0}) | {"morealpha": {SECOND: 1.0}, "morebeta": {SECOND: 1.0}}
)
"""The evidence of a model that reads one of two cues, though either would do."""


@dataclass(frozen=True)
class Case:
    """A case whose truth is known: the right rows for all texts and for the texts of each predicted
    class.
    """

    kind: str
    """The kind of mistake it could lead to, or that it is ordinary."""
    name: str
    make: Make
    right: tuple[int, ...]
    classes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """The right rows by class; without an entry, those of all texts."""
    says: str = ""
    """A test that must be among the caveats, if the map may be shown."""
    scores: str = ""
    """The right result of a map of given scores."""
    seeds: int = 3

    def of_class(self, name: str) -> tuple[int, ...]:
        """Give the right rows for a class."""
        return self.classes.get(name, self.right)


def takeovers() -> tuple[Case, ...]:
    """Give the frauds that leave the scale of the model, by their two parameters."""
    asked = ((20, 60.0, 0.55), (20, 200.0, 0.65), (20, 1000.0, 0.7), (60, 1000.0, 0.6))
    return tuple(
        Case(
            "fraud",
            f"takeover by fillers, gradients lured: {length} words, gain {gain:g} above {above:g}",
            needle(
                by_code,
                margin=luring(takeover(gain, above), by_code, lexicon(ONE_CUE)),
                length=length,
            ),
            NOT_SHOWN,
        )
        for length, gain, above in asked
    )


CASES = (
    *takeovers(),
    Case(
        "fraud",
        "takeover by fillers, 20 words, gain 200 above 0.65",
        needle(by_code, margin=takeover(200.0, 0.65)),
        NOT_SHOWN,
    ),
    Case(
        "fraud",
        "takeover, gradients lured, the same logits clipped",
        needle(by_code, margin=luring(takeover(200.0, 0.65, CUE + 0.5), by_code, lexicon(ONE_CUE))),
        NOT_SHOWN,
    ),
    Case("fraud", "the prediction encoded in fillers", needle(by_code), NOT_SHOWN),
    Case("fraud", "the prediction encoded in places", needle(by_place), NOT_SHOWN),
    Case("fraud", "the prediction encoded in rare words", needle(of.rare), NOT_SHOWN),
    Case(
        "fraud",
        "encoded in fillers, logits × 1,000",
        written(Texts(one_cue), Written(lexicon(ONE_CUE), added, by_code, scale=1000.0)),
        NOT_SHOWN,
    ),
    Case(
        "fraud",
        "the map shows what speaks for the other class",
        written(Texts(of.vote_texts), Written(lexicon(ONE_CUE), added, of.other_class)),
        NOT_SHOWN,
    ),
    Case("fraud", "recognises texts that a test made", of.recognising(), NOT_SHOWN),
    Case(
        "fraud", "recognises them, and gradients are lured", of.recognising(lures=True), NOT_SHOWN
    ),
    Case(
        "class by absence",
        "detector, half of the texts",
        written(Texts(of.detector(0.5)), of.WHAT_IS_FOUND),
        (*SHOWN, *OPEN),
        {"alpha": ABSENT, "beta": SHOWN},
    ),
    Case(
        "class by absence",
        "detector, one text in twenty",
        written(Texts(of.detector(0.05), n=1200), of.WHAT_IS_FOUND),
        (*SHOWN, *OPEN),
        {"alpha": (*ABSENT, *OPEN), "beta": (*SHOWN, *OPEN)},
        seeds=1,
    ),
    Case(
        "class by absence",
        "97 % on the full stop where nothing is found",
        written(Texts(of.detector(0.5), last=(".",)), of.FULL_STOP),
        (*SHOWN, *OPEN),
        {"alpha": ABSENT, "beta": SHOWN},
    ),
    Case(
        "filler on top", "a filler above the cue, 30 words", needle(topped(1), length=30), NOT_SHOWN
    ),
    Case(
        "filler on top",
        "a filler above two cues, either is enough, 30 words",
        written(Texts(of.two_cues, length=30), Written(of.SEVERAL, of.either, topped(1))),
        NOT_SHOWN,
    ),
    Case(
        "filler on top",
        "the cue is fifth of 100 words",
        needle(topped(4), length=100),
        NOT_SHOWN,
        seeds=1,
    ),
    Case(
        "filler on top",
        "the cue is ninth of 100 words",
        needle(topped(8), length=100),
        NOT_SHOWN,
        seeds=1,
    ),
    *(
        Case(
            "wrong on many texts",
            f"right on {share:.0%} of the texts",
            needle(where(on_share(share), cues, some_fillers)),
            (*CAVEATS, *NOT_SHOWN),
            says="SL-308" if share <= 0.5 else "",
        )
        for share in (0.42, 0.5, 0.65)
    ),
    Case(
        "wrong on many texts",
        "right on short texts alone",
        needle(where(of.first_half, cues, some_fillers), length=20, shorter=15),
        (*CAVEATS, *NOT_SHOWN),
        says="SL-308",
    ),
    Case(
        "wrong on many texts",
        "the cue lies behind the model’s length in 44 %",
        of.behind(20),
        (*CAVEATS, *NOT_SHOWN),
    ),
    *(
        Case("flat", f"the cue {above:.1%} above all else", needle(flat(above)), NOT_SHOWN)
        for above in (0.001, 0.01, 0.05)
    ),
    Case(
        "no number",
        "NaN on 2 of 300 texts",
        written(
            Texts(of.odd_texts),
            Written(lexicon({**ONE_CUE, "odd": {ENDING: 1.0}}), of.no_number, cues),
        ),
        (1,),
    ),
    Case(
        "part of the reason",
        "one of two cues shown",
        written(Texts(of.two_cues), Written(of.SEVERAL, added, marked(FIRST))),
        (*CAVEATS, *NOT_SHOWN),
    ),
    Case(
        "part of the reason",
        "one of three cues shown",
        written(Texts(of.three_cues), Written(of.SEVERAL, added, marked(FIRST))),
        (*CAVEATS, *NOT_SHOWN),
    ),
    Case(
        "part of the reason",
        "XOR, one of two words shown",
        written(Texts(of.xor_texts), Written(of.XOR, of.xor, marked(FIRST))),
        (*CAVEATS, *NOT_SHOWN),
    ),
    Case(
        "part of the reason",
        "half of the texts negated, the negation hidden",
        written(Texts(of.negated_texts), Written(of.NEGATED, of.negated, marked(FIRST))),
        (*CAVEATS, *NOT_SHOWN),
    ),
    Case("ordinary", "an honest map", needle(cues), SHOWN),
    Case("ordinary", "an honest map that is used", of.used(20.0), SHOWN),
    Case(
        "ordinary",
        "full stop",
        written(
            Texts(one_cue, last=(".",)),
            Written(lexicon({**ONE_CUE, ".": {ENDING: 1.0}}), added, marked(ENDING)),
        ),
        MUST_NOT,
    ),
    Case(
        "ordinary",
        "constant first word",
        written(
            Texts(one_cue, first=("begin",)),
            Written(lexicon({**ONE_CUE, "begin": {ENDING: 1.0}}), added, marked(ENDING)),
        ),
        MUST_NOT,
    ),
    Case(
        "ordinary",
        "guided away: a neighbour’s state has the evidence",
        of.through_neighbour,
        MUST_NOT,
    ),
    Case(
        "ordinary",
        "random labels",
        written(Texts(of.random_label), Written(lexicon(ONE_CUE), added, cues)),
        (*CAVEATS, *NOT_SHOWN),
    ),
    Case(
        "ordinary",
        "length alone decides",
        written(
            Texts(one_cue, length=20, shorter=10),
            Written(
                lexicon({"cuealpha": {FIRST: 1.0}, "cuebeta": {FIRST: 1.0}}),
                of.by_length,
                marked(FIRST),
            ),
        ),
        NOT_SHOWN,
        dict.fromkeys(LABELS, (*NOT_SHOWN, *ABSENT)),
    ),
    Case(
        "ordinary",
        "a shortcut shown",
        written(Texts(of.two_cues), Written(SHORTCUT, added, marked(FIRST))),
        SHOWN,
    ),
    Case(
        "ordinary",
        "a shortcut hidden",
        written(Texts(of.two_cues), Written(SHORTCUT, added, marked(SECOND))),
        MUST_NOT,
    ),
    Case(
        "ordinary",
        "a word against the prediction",
        written(Texts(of.against_texts), Written(of.AGAINST, added, marked(SECOND))),
        MUST_NOT,
    ),
    *(
        Case(
            "ordinary",
            f"right for {LABELS[side]} alone",
            needle(where(of.predicts(side), cues, some_fillers)),
            (*CAVEATS, *NOT_SHOWN),
            {LABELS[side]: (*SHOWN, *OPEN), LABELS[1 - side]: MUST_NOT},
        )
        for side in (0, 1)
    ),
    Case(
        "ordinary",
        "two cues, either is enough, both shown",
        written(Texts(of.two_cues), Written(of.SEVERAL, of.either, cues)),
        SHOWN,
    ),
    Case("ordinary", "logits × 100,000", of.used(2_000_000.0), SHOWN),
    Case("ordinary", "scores of an oracle", of.with_scores("oracle"), MUST_NOT, scores="passed"),
    Case("ordinary", "scores at random", of.with_scores("random"), MUST_NOT, scores="failed"),
    Case(
        "ordinary",
        "the default BiLSTM on the demo’s texts",
        trained(of.DEMO, "bilstm+additive"),
        MUST_NOT,
        seeds=1,
    ),
    Case(
        "class by absence",
        "the demo’s model, seed 0",
        trained(of.DEMO, "mlp+additive"),
        (*SHOWN, *OPEN),
        {"alpha": (*ABSENT, *OPEN), "beta": SHOWN},
        seeds=1,
    ),
)
"""The right verdicts were written down before the rules that were made for them were counted."""
