"""Audits made by hand: a realistic one, and texts and names that mean harm."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np

from sightline.audits.audit_result import Audit
from sightline.core.results import (
    BY_ABSENCE,
    CAN,
    CAVEATS,
    MUST_NOT,
    Answer,
    Estimate,
    Failed,
    Finding,
    Learned,
    MapRow,
    Measurement,
    NotRun,
    Ragged,
    Reason,
    TextRecord,
    Verdict,
)
from tests.verdicts import reached, whys

HOSTILE = (
    "<script>alert(1)</script> was \"great\" & 'fun'",
    "</style></p><img src=x onerror=alert(1)> bad",
    "émoji 👩‍🚀 family 👨‍👩‍👧 fine",
    "שלום עולם, a good film",
    "safe \u202edrow\u202c order",
    "nul \x00 bell \x07 escape \x1b[31m red",
    "a\r\nline  and\ttab \u2028 end \ud800 half",
    "{{ 7 * 7 }} {% raw %} ${x} javascript:alert(1)",
    "&amp; &lt;b&gt; twice",
)
SENTENCES = (
    "An awful film , slow and never funny .",
    "The actors are wonderful , and the ending made me cry .",
    "I would not watch it again , not even for free .",
    "A quiet , generous story told with great care .",
    "Two hours of noise without a single idea .",
)


def record(text: str, index: int, rationale: bool = False) -> TextRecord:
    """Cut a text at white space, as a tokeniser with offsets would."""
    spans = tuple(match.span() for match in re.finditer(r"\S+", text))
    tokens = tuple(text[start:end].lower() for start, end in spans)
    marks = tuple(i % 3 == 0 for i in range(len(tokens))) if rationale else None
    return TextRecord(
        f"t{index:04d}",
        text,
        tokens,
        spans,
        "positive",
        "negative" if index % 4 else "positive",
        marks,
    )


def agreement(texts: tuple[TextRecord, ...], seed: int = 0) -> Measurement:
    """Draw the maps over the words of given texts."""
    random = np.random.default_rng(seed)
    lengths = np.array([len(text.tokens) for text in texts], dtype=np.int64)
    maps: dict[str, np.ndarray | Ragged] = {
        name: Ragged(random.gamma(0.4, size=int(lengths.sum())), lengths)
        for name in ("gradient", "deletion")
    }
    maps["disagreement"] = random.random(len(texts))
    for name in ("gradient_through", "free_gradient", "free_deletion"):
        maps[name] = Ragged(random.gamma(0.4, size=int(lengths.sum())) * 1e-3, lengths)
    return Measurement(
        "agreement",
        maps,
        {"tau": {"fewer than two words": 3, "all weights equal": 1234}},
        {"draws": 20},
    )


def outputs(texts: tuple[TextRecord, ...], seed: int = 2) -> Measurement:
    """Draw weights over the words of given texts."""
    lengths = np.array([len(text.tokens) for text in texts], dtype=np.int64)
    weights = np.random.default_rng(seed).gamma(0.4, size=int(lengths.sum()))
    return Measurement("outputs", {"attention": Ragged(weights, lengths)})


def estimate(value: float, half: float = 0.04, n: int = 872) -> Estimate:
    return Estimate(value, value - half, value + half, n, "bootstrap over texts")


def _tested(
    code: str, claim: str, answer: Answer, value: float, base: float, **more: Any
) -> Finding:
    difference = value - base
    by_class = {
        "negative": estimate(difference + 0.06, 0.06, 428),
        "positive": estimate(difference - 0.07, 0.06, 444),
    }
    pair = {
        "number": estimate(value),
        "baseline": estimate(base, 0.01),
        "score": estimate(difference, 0.05),
    }
    return Finding(
        code, claim, answer, "required", threshold=0.1, by_class=by_class, **(pair | more)
    )


def findings() -> tuple[Finding, ...]:
    """One finding of each answer, with and without p, floor, classes."""
    return (
        _tested("SL-001", "Need", "inconclusive", 0.1204, 0.0, baseline=None, p=None),
        _tested(
            "SL-101",
            "Gradient agreement",
            "passed",
            0.6604,
            0.2304,
            p=0.0002,
            p_adjusted=0.0009,
            beside={("Kendall’s τ-b over all words, as in the papers"): estimate(0.0003, 0.0001)},
        ),
        _tested(
            "SL-104",
            "Attention-free agreement",
            "failed",
            0.2431,
            0.2204,
            p=0.41,
            p_adjusted=0.62,
            notes=("a random choice would look the same",),
        ),
        _tested("SL-301", "Removal", "passed", 0.3127, 0.0511),
        Finding(
            "SL-402", "Own word", "not run", "required", notes=("the model has no linear decoder",)
        ),
        Finding(
            "SL-201",
            "Sensitivity to attention",
            "inconclusive",
            "informational",
            notes=("shown without a threshold",),
            number=estimate(0.9996, 0.0002),
        ),
        Finding(
            "SL-501",
            "Agreement with people's marks",
            "inconclusive",
            "informational",
            notes=("there are few marks",),
            threshold=0.05,
            score=estimate(0.0004, 0.1, 61),
        ),
    )


def audit(
    texts: tuple[TextRecord, ...] | None = None, measured: Measurement | None = None
) -> Audit:
    """A whole audit, over the given texts or over some that could be real."""
    message = (
        texts
        if texts is not None
        else tuple(record(SENTENCES[i % 5] + f" [{i}]", i, i % 2 == 0) for i in range(24))
    )
    return Audit(
        verdict=reached(
            "can be shown with caveats",
            5,
            ("SL-301",),
            (
                (
                    "SL-104 failed: these words were weighted, but a random choice would look the "
                    "same (score 0.023 [−0.027, 0.073])"
                ),
                (
                    "SL-402 not run: not tested whether it encodes its word (the model has "
                    "no linear decoder)"
                ),
            ),
        ),
        findings=findings(),
        estimates={
            "agreement.captured.gradient": estimate(0.6604),
            "agreement.chance.gradient": estimate(0.2304, 0.01),
            "agreement.tau.gradient": estimate(0.0003, 0.0001),
            "undefined.number": Estimate(float("nan"), float("nan"), float("nan"), 0, "no texts"),
        },
        metrics={
            "accuracy": Estimate(1.0, 0.9958, 1.0, 872, "Wilson"),
            "f1": estimate(0.9137, 0.02),
        },
        measurements={
            "outputs": outputs(message),
            "agreement": measured or agreement(message),
            "information": NotRun("information", "needs at least 500 texts, found 24"),
            "reach": Failed("reach", "LinAlgError: singular matrix"),
        },
        spec={
            "meaning": 1,
            "command": (
                "sightline audit --data reviews.csv --text body --label stars --model "
                "bilstm+additive+softmax --seed 7"
            ),
            "data": {"kind": "csv", "path": "reviews.csv", "part": None},
            "model": {
                "encoder": {"name": "bilstm", "options": [["layers", 1]]},
                "embedding": 100,
                "boundaries": False,
            },
            "seed": 7,
            "limit": 872,
        },
        environment={"python": "3.11.2", "torch": "2.13.0", "device": "cpu", "threads": 1},
        cards={
            "data": {
                "name": "reviews",
                "sizes": {"train": 6920, "validation": 872, "test": 1821},
                "dropped": {"empty text": 4},
            },
            "model": {"name": "bilstm+additive+softmax", "parameters": 1204302, "epochs": 9},
        },
        texts=message,
    )


def explored(texts: tuple[TextRecord, ...] | None = None) -> Audit:
    """The realistic audit with everything the explorer can show; some numbers are undefined or
    endless.
    """
    base = audit(texts)
    shown = outputs(base.texts)
    random = np.random.default_rng(1)
    lengths = np.array([len(text.tokens) for text in base.texts], dtype=np.int64)
    evidence = random.normal(size=int(lengths.sum())) * 10.0 ** random.integers(
        -5, 4, size=int(lengths.sum())
    )
    evidence[:3] = (np.nan, np.inf, -np.inf)
    more = {
        "outputs": replace(
            shown, values={**shown.values, "probability": 1 - random.random(len(lengths)) / 2}
        ),
        "reach": Measurement("reach", {"evidence": Ragged(evidence, lengths)}),
    }
    return replace(base, measurements={**base.measurements, **more})


ASTRAY = reached(
    MUST_NOT,
    2,
    ("SL-303",),
    (
        (
            "SL-303 failed: the highlighted words do not take the prediction with them when "
            "copied into a text of another class (score 0.012 [−0.027, 0.051], n = 428)"
        ),
    ),
)
LEARNED = Learned(estimate(0.815), estimate(0.509), estimate(0.306), True, 12, cut_of=872)


def map_row(
    name: str, answer: Answer, value: float, *, chosen: bool = False, n: int = 436
) -> MapRow:
    """One map, measured in all three ways."""
    found = {
        what: estimate(value * size, n=n)
        for what, size in (("carried", 1.0), ("deleted", 0.8), ("replaced", 0.7))
    }
    return MapRow(name, name.startswith("signed"), chosen, answer, **found)


MAPS = (
    map_row("attention", "failed", 0.012),
    map_row("gradient", "passed", 0.372),
    map_row("deletion", "passed", 0.513),
    map_row("contribution", "passed", 0.552, chosen=True),
    replace(
        map_row("given", "inconclusive", 0.05),
        replaced=None,
        deleted=None,
        notes=("12 texts have no scores",),
    ),
    map_row("signed_gradient", "failed", 0.021, chosen=True),
    map_row("signed_deletion", "failed", 0.018),
)


def signs(texts: tuple[TextRecord, ...], seed: int = 3) -> Measurement:
    """Draw the maps that are compared with attention over the words of given texts; the second text
    has no sum.
    """
    random = np.random.default_rng(seed)
    lengths = np.array([len(text.tokens) for text in texts], dtype=np.int64)
    names = (
        "contribution",
        "given",
        "signed_gradient",
        "signed_deletion",
        "signed_contribution",
        "signed_given",
    )
    drawn = {name: random.normal(size=int(lengths.sum())) ** 3 for name in names}
    maps = {
        name: Ragged(v if name[:6] == "signed" else np.abs(v), lengths) for name, v in drawn.items()
    }
    added = np.array([row.sum() for row in maps["signed_contribution"].rows()])
    base = random.normal(size=len(texts))
    off = np.arange(len(texts)) == 1
    sums = {
        name: np.where(off, np.nan, v)
        for name, v in (("base", base), ("added", added), ("total", base + added))
    }
    undefined = (
        {name: {"off by more than rounding": int(off.sum())} for name in sums} if off.any() else {}
    )
    return Measurement("signs", {**maps, **sums, "classes": np.full(len(texts), 2)}, undefined)


def compared(verdict: Verdict = ASTRAY, texts: tuple[TextRecord, ...] | None = None) -> Audit:
    """The realistic audit with everything that stands at the head: what was learned, and the maps
    side by side.
    """
    base = explored(texts)
    measured = {**base.measurements, "signs": signs(base.texts)}
    answers: dict[str, Answer] = {"negative": "failed", "positive": "passed"}
    findings = tuple(
        replace(one, answers=answers) if one.by_class else one for one in base.findings
    )
    return replace(
        base, verdict=verdict, learned=LEARNED, maps=MAPS, measurements=measured, findings=findings
    )


def by_class() -> Verdict:
    """A verdict that differs from class to class."""
    whole = audit().verdict
    fine = replace(whole, level=CAVEATS)
    return replace(fine, by_class={"positive": fine, "negative": ASTRAY})


NO_EVIDENCE = (
    "this is what the model predicts when it finds no evidence for another class; no highlighted "
    "word can explain it"
)
FEW_FLIPS = "removing words flips 1.5 % of its predictions, n = 444"
ABSENT = reached(
    BY_ABSENCE,
    7,
    ("SL-304",),
    (
        Reason(NO_EVIDENCE, behind=FEW_FLIPS),
        (
            "SL-304 failed: the highlighted words hardly change the prediction when put into "
            "another text or taken out of theirs (score 0.013 [−0.020, 0.046], n = 444)"
        ),
    ),
)


def by_absence() -> Verdict:
    """The verdict of a detector: the map of one class can be shown, the other is what is left."""
    fine = reached(CAN, 4, ("SL-303",), ())
    return reached(CAVEATS, 5, ("SL-303",), (), {"spam": fine, "ham": ABSENT})


def moved(
    value: float = 0.93, alone: float = 0.9, **by_class: tuple[float, float]
) -> tuple[Finding, ...]:
    """What the highlighted words carry, and what they do by themselves, of all texts and by
    class.
    """
    whole, each = (value, alone), by_class or {"spam": (value, alone), "ham": (value, 0.01)}
    return tuple(
        Finding(
            code,
            claim,
            "passed",
            "required",
            threshold=0.25,
            number=estimate(whole[place]),
            baseline=estimate(0.1, 0.01),
            score=estimate(whole[place]),
            by_class={name: estimate(one[place], n=436) for name, one in each.items()},
            answers=dict.fromkeys(each, "passed"),
        )
        for place, (code, claim) in enumerate(
            (
                ("SL-303", "Transfer"),
                ("SL-304", "Own effect"),
            )
        )
    )


def detector() -> Audit:
    """An audit of a detector, with texts of both classes; another map fails for the class that is
    left.
    """
    base = compared(by_absence())
    texts = tuple(
        replace(one, predicted="ham" if i % 2 else "spam") for i, one in enumerate(base.texts)
    )
    maps = tuple(replace(row, against=("ham",)) if row.chosen else row for row in base.maps)
    return replace(base, texts=texts, maps=maps, findings=(*moved(), *base.findings))


def hostile() -> Audit:
    """The realistic audit with names, reasons and texts that try to break out of the page."""
    texts = tuple(
        record(text, index, index % 2 == 0)
        for index, text in enumerate((*HOSTILE, "long " + "x" * 100_000))
    )
    evil = '"><script src="http://evil.example/x.js"></script>\u202e'
    base = audit(texts)
    first, *others = base.findings
    classes = {evil: estimate(0.2), "شيء": estimate(0.1)}
    named = replace(
        first, name=evil, notes=(evil,), by_class=classes, answers={evil: "inconclusive"}
    )
    return replace(
        base,
        verdict=reached(
            CAVEATS,
            5,
            (),
            (evil,),
            {evil: replace(ASTRAY, reasons=whys(evil)), "شيء": base.verdict},
        ),
        maps=(replace(MAPS[0], name=evil, notes=(evil,)), replace(MAPS[3], notes=(evil,)), MAPS[5]),
        learned=LEARNED,
        findings=(named, *others),
        estimates={evil: estimate(0.4)},
        spec={evil: evil, "data": {"path": evil}},
        cards={evil: {evil: [evil, {"deep": evil}]}},
        texts=(replace(texts[0], id=evil, label=evil, predicted=evil), *texts[1:]),
    )
