"""Set the threshold and the minimum sample size of every test, from scenarios in which it should
pass.

Scores run from 0 (chance) to 1 (best achievable). The threshold is a quarter of the median score
over those scenarios: attention that does a quarter as well as correct attention does too little to
matter. The minimum sample size is the smallest of `SIZES` at which hardly any run of the MLP
contradicts the result on all its texts. How often so few texts give a result at all is counted too:
the interval decides when a test is "inconclusive", and this rule ensures that a result can be
trusted. `validation/set_thresholds.py` says which scenarios, and why.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from statistics import median
from typing import Any

from sightline.audits.audit_result import Audit
from sightline.config.measure_registry import ALWAYS, BY_NAME, MEASURES
from sightline.config.spec_syntax import parse_data, parse_model
from sightline.config.specs import FitSpec, RunSpec
from sightline.core.results import Estimate
from sightline.studies.study_definition import FinishedRun, Labels, Params, Rows, Study
from sightline.verdict.catalogue import AUDIT_TESTS, DECIDING
from sightline.verdict.decision_rule import decide
from sightline.verdict.evidence import Evidence
from sightline.verdict.judge import judge
from sightline.verdict.thresholds import Thresholds


@dataclass(frozen=True)
class ThresholdScenario:
    """A corpus and a model for which all tests should pass by construction, except those in
    ``not_here``.
    """

    corpus: str
    model: str
    fit: FitSpec
    not_here: tuple[str, ...] = ()


_TRAINING = FitSpec(epochs=20, patience=4)
_MLP = "mlp(hidden=64)+additive"
_CARRIED = (
    "SL-001", "SL-101", "SL-102", "SL-103", "SL-104", "SL-107", "SL-201", "SL-202", "SL-205",
    "SL-401", "SL-402", "SL-403",
)  # fmt: skip
"""Tests that a BiLSTM need not pass: its other states carry the evidence too, wherever its
attention lies."""
_HELD = ("SL-203",)
"""A test that an MLP need not pass: its answer to a filler alone is untrained, and may
be anything."""
WORLDS: Mapping[str, ThresholdScenario] = {
    "votes, MLP": ThresholdScenario(
        "planted:vote(n=1000,length=30,cues=5,strength=0.7,ending=true)", _MLP, _TRAINING, _HELD
    ),
    "needle, MLP": ThresholdScenario(
        "planted:needle(n=1000,length=30,strength=0.8,ending=true)", _MLP, _TRAINING, _HELD
    ),
    "four classes, MLP": ThresholdScenario(
        "planted:needle(n=1000,length=30,classes=4,ending=true)", _MLP, _TRAINING, _HELD
    ),
    "needle, BiLSTM guided onto the evidence": ThresholdScenario(
        "planted:needle(n=1000,length=30,strength=0.8,ending=true)",
        "bilstm(hidden=32)+additive",
        replace(_TRAINING, guide="onto"),
        _CARRIED,
    ),
}
"""Evidence of moderate strength. In an MLP the state of a word holds that word alone, and every
text ends with a punctuation mark."""
SEEDS = range(1000, 1010)
"""Seeds that the calibration does not use."""
COMPANIONS = ("uniform", "frozen", "seed(by=1)")
"""Control models for the tests that compare models; other scores of a model do not depend
on them."""
SIZES = (50, 100, 200)
"""They start at the least size for which the coverage of intervals was counted."""
SHARE, LEAST, ASTRAY = 0.25, 0.01, 0.05
FIRST = 0.03
"""The threshold while the real one is unknown: it slightly affects which of several ways to ask a
test leads."""
MEASURED = tuple(
    name for name in MEASURES if name != ALWAYS and (name not in BY_NAME or name == "information")
)
"""The measures: those of every audit, and those for SL-401."""


def _runs(params: Params) -> Iterator[tuple[Labels, RunSpec]]:
    """List the audits that give scores, and audits of few texts that show what few texts can
    decide.
    """
    for seed in SEEDS[: params.seeds]:
        for name, world in WORLDS.items():
            whole = RunSpec(
                parse_data(world.corpus),
                parse_model(world.model),
                world.fit,
                seed,
                companions=COMPANIONS,
                measures=MEASURED,
            )
            yield (name, "all", str(seed)), whole
            for texts in SIZES if world.model == _MLP else ():
                yield (name, str(texts), str(seed)), replace(whole, limit=texts)


def _values(run: FinishedRun) -> dict[str, Any]:
    return {code: asdict(score) for code, score in effects(run.audit(), run.seed).items()}


def _summary(rows: Rows) -> dict[str, Any]:
    """Set the threshold and the minimum sample size of each test; this study has no acceptance
    criteria.
    """
    found = {_label(row): _effects(row) for row in rows["rows"]}
    if not {(name, "all", seed) for name in WORLDS for *_, seed in found} <= found.keys():
        return {}  # thresholds are set from all runs
    threshold = deltas([(label[0], each) for label, each in found.items() if label[1] == "all"])
    few = {
        n: [(e, found[w, "all", seed]) for (w, size, seed), e in found.items() if size == str(n)]
        for n in SIZES
    }
    power = {
        code: {str(n): power_at(code, threshold[code], [e for e, _ in few[n]]) for n in SIZES}
        for code in threshold
    }
    astray = {
        code: {str(n): false_failures(code, threshold[code], few[n]) for n in SIZES}
        for code in threshold
    }
    fewest = {code: fewest_texts(shares) for code, shares in astray.items()}
    seeds = [int(seed) for *_, seed in found]
    return {
        "delta": threshold,
        "minimum_texts": max(fewest[code] for code in DECIDING),
        "minimum": fewest,
        "power": power,
        "astray": astray,
        "set_by": "validation/set_thresholds.py",
        "worlds": {
            name: {"corpus": world.corpus, "model": world.model} for name, world in WORLDS.items()
        },
        "seeds": [min(seeds), max(seeds)],
    }


Effects = Mapping[str, Estimate]
"""The scores of one audit, by test."""


def _label(row: Mapping[str, Any]) -> tuple[str, str, str]:
    return row["world"], row["texts"], row["seed"]


def _effects(row: Mapping[str, Any]) -> dict[str, Estimate]:
    return {code: Estimate(**row[code]) for code in AUDIT_TESTS if code in row}


def effects(audit: Audit, seed: int) -> dict[str, Estimate]:
    """Judge the measurements again at one threshold for all tests, so that no score depends on the
    last thresholds.
    """
    once = Thresholds(dict.fromkeys(AUDIT_TESTS, FIRST), 1)
    found = judge(
        Evidence(audit.measurements, tuple(audit.cards["model"]["labels"]), once, seed)
    ).findings
    return {finding.code: finding.score for finding in found if finding.score is not None}


def deltas(found: Sequence[tuple[str, Mapping[str, Estimate]]]) -> dict[str, float]:
    """Return a quarter of the median score of each test, over scenarios in which it should pass."""
    open_ = [code for code, claim in AUDIT_TESTS.items() if claim.fixed is None]
    codes = [code for code in open_ if any(code in effects for _, effects in found)]
    true = {
        code: [
            e[code].value for name, e in found if code in e and code not in WORLDS[name].not_here
        ]
        for code in codes
    }
    return {code: max(LEAST, round(SHARE * median(values), 2)) for code, values in true.items()}


def power_at(code: str, threshold: float, runs: Sequence[Effects]) -> float:
    """Share of runs in which a test passed at its threshold."""
    known = [effects[code] for effects in runs if code in effects]
    return _share(decide(score, threshold) == "passed" for score in known)


def false_failures(code: str, threshold: float, runs: Sequence[tuple[Effects, Effects]]) -> float:
    """Share of runs in which few texts fail a test that passes on all of them."""
    known = [(few[code], all_[code]) for few, all_ in runs if code in few and code in all_]
    return _share(
        decide(few, threshold) == "failed"
        for few, all_ in known
        if decide(all_, threshold) == "passed"
    )


def fewest_texts(astray: Mapping[str, float]) -> int:
    """Return the smallest size that hardly ever misleads; the largest tried if none does."""
    return min((int(n) for n, share in astray.items() if share <= ASTRAY), default=max(SIZES))


def _share(hits: Iterable[bool]) -> float:
    known = [*hits]
    return round(sum(known) / len(known), 3) if known else 0.0


STUDY = Study(
    "thresholds",
    "what the thresholds are set from",
    _runs,
    ("world", "texts", "seed"),
    estimates=_values,
    summary=_summary,
)
