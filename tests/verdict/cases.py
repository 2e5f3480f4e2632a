"""Made-up measurements whose answer is known."""

from collections.abc import Mapping

import numpy as np

from sightline.core.results import Answer, Estimate, Finding, Learned, Measurement, NotRun, Outcome
from sightline.verdict.catalogue import AUDIT_TESTS
from sightline.verdict.evidence import Evidence
from sightline.verdict.thresholds import Thresholds

N = 120
THRESHOLDS = Thresholds(dict.fromkeys(AUDIT_TESTS, 0.1), minimum_texts=50)
PREDICTED = np.arange(N) % 2
PARTNERS = 2
ENOUGH = {"passed": 0.6, "inconclusive": 0.1, "failed": -0.4, "not run": 0.0}
"""An effect that would be answered so, at the thresholds above."""


def known(value: float, n: int = N) -> Estimate:
    """Give an effect with a narrow interval."""
    return Estimate(value, value - 0.05, value + 0.05, n, "made up")


LEARNED = Learned(known(0.9), known(0.5), known(0.4))
NOTHING_LEARNED = Learned(known(0.5), known(0.5), known(0.0))


def finding(
    code: str, answer: Answer, answers: Mapping[str, Answer] | None = None, n: int = N
) -> Finding:
    """Give a finding that is answered so, on all texts and by class."""
    claim, by_class = AUDIT_TESTS.get(code), answers or {}
    return Finding(
        code,
        "claim",
        answer,
        claim.role if claim else "required",
        notes=(f"because {code}",),
        score=None if answer == "not run" else known(ENOUGH[answer], n),
        by_class={of: known(ENOUGH[one], n) for of, one in by_class.items() if one != "not run"},
        answers=by_class,
    )


def evidence(texts: int = 60, error: float = 0.0, moved: float = 1.0) -> Evidence:
    """What the verdict looks at beside the findings: one finite answer a text, of two classes."""
    taken = {
        "outputs": Measurement("outputs", {"predicted": np.arange(texts) % 2}),
        "need": Measurement(
            "need", {"identity_error": np.full(texts, error), "moved": np.full(texts, moved)}
        ),
    }
    return Evidence(taken, ("a", "b"), THRESHOLDS, 0)


def agreement(effects: dict[str, float]) -> Measurement:
    """Draw captured importance so many above chance."""
    generator = np.random.default_rng(0)
    values: dict[str, np.ndarray] = {}
    for name in ("gradient", "deletion", "free", "references"):
        values[f"chance.{name}"] = generator.uniform(0.1, 0.3, N)
        values[f"captured.{name}"] = (
            values[f"chance.{name}"] + effects.get(name, 0.4) + generator.normal(0, 0.05, N)
        )
        values[f"draws.{name}"] = values[f"chance.{name}"][:, None] + generator.normal(
            0, 0.05, (N, 99)
        )
    return Measurement("agreement", values)


MOVED_SHARES, OWN_SHARES = [0.01, 0.05, 0.1, 0.2, 0.5], [0.05, 0.1, 0.2]


def transplant(
    share: float = 0.8,
    chance: float = 0.2,
    names: Mapping[str, float] | None = None,
    *,
    flipped: float | None = None,
    own: float | None = None,
    present: float = 0.9,
    right: float = 0.9,
    within: float = 0.99,
) -> Measurement:
    """Let words carry a share of the decision from every text into others; the even texts are one
    half.

    As many predictions flip, and the words of a class do as much by themselves, unless it is said
    how many and how much; ``right`` and ``within`` are shares of the texts and of the hybrids.
    """
    generator = np.random.default_rng(1)
    whole = generator.uniform(4.0, 6.0, (N, PARTNERS))
    noise = generator.normal(0, 0.1, (N, PARTNERS))
    shares = {"attention": share, **(names or {})}
    room, most = (
        whole * len(OWN_SHARES) / len(MOVED_SHARES),
        np.full((N, PARTNERS), float(len(MOVED_SHARES))),
    )
    values = {
        "weight": np.ones(N),
        "half": np.arange(N) % 4 < 2,
        "partner": (np.arange(N)[:, None] + 4 * np.arange(1, PARTNERS + 1) + 1) % N,
        "whole": whole,
        "within": within + np.where(np.arange(N) % 4 < 2, 0.01, -0.01),
        "present.all": np.ones((N, PARTNERS)),
    }
    for name, one in shares.items():
        flips, alone = (one if of is None else of for of in (flipped, own))
        values |= {
            f"carried.{name}": whole * one + noise,
            f"random.{name}": whole * chance,
            f"flipped.{name}": most * flips,
            f"random_flipped.{name}": most * chance,
            f"own.{name}": room * alone + noise,
            f"random_own.{name}": room * chance,
            f"present.{name}": np.full((N, PARTNERS), present),
            f"right.{name}": (np.arange(N) % 20 < 20 * right).astype(float),
        }
    return Measurement("transplant", values, settings={"shares": MOVED_SHARES, "own": OWN_SHARES})


def erasure(
    deleted: float = 0.8,
    replaced: float = 0.8,
    names: Mapping[str, float] | None = None,
    *,
    top: float | None = None,
    flips: float = 1.0,
) -> Measurement:
    """Let removing words take a share of what the best words take, by either operator; random words
    take a tenth.

    The top words alone take as much as all shares do on average, unless it is said how much;
    ``flips`` is the share of the texts whose prediction the best words flip.
    """
    most = np.random.default_rng(2).uniform(4.0, 6.0, N)
    values = {}
    for how, share in (("deleted", deleted), ("replaced", replaced)):
        shares = {"attention": share, "random": 0.1, "most": 1.0, **(names or {})}
        values |= {f"{how}.{name}": most * one for name, one in shares.items()}
        values |= {
            f"flips.{how}.{name}": np.where(np.arange(N) % 20 < 20 * flips, one / 2, 0.0)
            for name, one in shares.items()
        }
        if how == "deleted":
            first = shares if top is None else {**shares, "attention": top}
            values |= {f"top.{name}": most * one for name, one in first.items()}
    return Measurement("erasure", values | {"area": np.full(N, 0.5), "floor": np.full((N, 2), 0.1)})


def outcomes(
    agreed: Outcome, learned: np.ndarray, uniform: np.ndarray, **others: Outcome
) -> dict[str, Outcome]:
    """Everything that is measured, so that all is well but for what is given."""
    labels = PREDICTED
    need = {
        "label": labels,
        "learned": learned,
        "uniform": uniform,
        "constant": uniform,
        "permuted": np.stack([uniform] * 3, 1),
        "identity_error": np.zeros(N),
        "moved": np.ones(N),
    }
    low, high = np.full(N, 0.2), np.full(N, 0.9)
    kept = {"attention": np.full(N, 3.0), "random": np.full(N, 1.0), "most": np.full(N, 4.0)}
    taken: dict[str, Outcome] = {
        "outputs": Measurement("outputs", {"predicted": PREDICTED, "label": labels}),
        "need": Measurement("need", need),
        "retrained": NotRun("retrained", "needs a control model (uniform)"),
        "agreement": agreed,
        "types": Measurement("types", {"free": low}),
        "frozen": Measurement("frozen", {"captured": low, "chance": low}),
        "polarity": Measurement("polarity", {"top": high, "random": low}),
        "marks": Measurement("marks", {"words": high, "flat": low}),
        "reach": Measurement("reach", {"proof": (np.arange(N) < 30).astype(float)}),
        "permutation": Measurement(
            "permutation", {"ratio": np.full(N, 0.5), "ratio_floor": np.full((N, 2), 0.1)}
        ),
        "flips": Measurement(
            "flips",
            {
                "found.attention": -low,
                "found.shuffled": np.full((N, 2), -0.8),
                "found.best": np.zeros(N),
            },
        ),
        "own_word": Measurement("own_word", {"word": high, "text": low, "whole": np.ones(N)}),
        "mixing": Measurement("mixing", {"focus": high, "spread": np.zeros(N)}),
        "information": Measurement(
            "information",
            {
                "first.label": high,
                "rest.label": low,
                "most.label": np.ones(N),
                "draws.label": np.random.default_rng(3).uniform(0.1, 0.3, (N, 99)),
            },
        ),
        "sufficiency": Measurement(
            "sufficiency", {f"kept.{name}": one for name, one in kept.items()}
        ),
        "beside": Measurement("beside", {"alike.seeds": high, "alike_chance.seeds": low}),
        "counterfactual": Measurement("counterfactual", {"answer.top": high, "answer.random": low}),
        "erasure": erasure(),
        "transplant": transplant(),
    }
    return taken | others
