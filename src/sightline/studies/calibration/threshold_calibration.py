"""Set the threshold and the minimum sample size of every test, from worlds in which its claim is
true.

The threshold is a quarter of the median score over those worlds, where 0 is chance and 1 the best
achievable: an attention that does a quarter as well as one of which the claim is true does too
little to matter. The minimum sample size is the smallest of `SIZES` with which hardly any run of
the MLP says the opposite of what all its texts say. How often so few texts give an answer at all
stands beside it: it is up to the interval to say "inconclusive", and to this rule that an answer
can be trusted. `validation/set_thresholds.py` says which worlds, and why.
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
from sightline.studies.study_definition import Done, Labels, Params, Rows, Study
from sightline.verdict.catalogue import AUDIT_TESTS, DECIDING
from sightline.verdict.decision_rule import decide
from sightline.verdict.evidence import Evidence
from sightline.verdict.judge import judge
from sightline.verdict.thresholds import Thresholds


@dataclass(frozen=True)
class ThresholdScenario:
    """A corpus and a model of which claims are true by construction, and which: all others but
    those ``not_here``.
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
"""Claims that a BiLSTM need not fulfil: its other states carry the evidence too, wherever its
attention lies."""
_HELD = ("SL-203",)
"""A claim that an MLP need not fulfil: what it would answer to a filler alone is not trained, and
may be anything."""
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
text ends on a mark."""
SEEDS = range(1000, 1010)
"""Seeds that the calibration does not use."""
COMPANIONS = ("uniform", "frozen", "seed(by=1)")
"""What claims ask for that compare a model with others; no score of a model depends on them
otherwise."""
SIZES = (50, 100, 200)
"""From the least for which it is counted how often an interval holds the truth."""
SHARE, LEAST, ASTRAY = 0.25, 0.01, 0.05
FIRST = 0.03
"""the threshold while the threshold is not known: which of several tests of a finding leads depends
on it, a little."""
MEASURED = tuple(
    name for name in MEASURES if name != ALWAYS and (name not in BY_NAME or name == "information")
)
"""What is taken: all that every audit takes, and what SL-401 rests on."""


def _runs(params: Params) -> Iterator[tuple[Labels, RunSpec]]:
    """List the audits that scores are taken from, and those of few texts that show what few can
    tell.
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


def _values(run: Done) -> dict[str, Any]:
    return {code: asdict(score) for code, score in effects(run.audit(), run.seed).items()}


def _summary(rows: Rows) -> dict[str, Any]:
    """Set threshold and the minimum sample size of each test; there are no gates."""
    found = {_label(row): _effects(row) for row in rows["rows"]}
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
        code: {str(n): astray_at(code, threshold[code], few[n]) for n in SIZES}
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
"""The scores of one audit, by finding."""


def _label(row: Mapping[str, Any]) -> tuple[str, str, str]:
    return row["world"], row["texts"], row["seed"]


def _effects(row: Mapping[str, Any]) -> dict[str, Estimate]:
    return {code: Estimate(**row[code]) for code in AUDIT_TESTS if code in row}


def effects(audit: Audit, seed: int) -> dict[str, Estimate]:
    """Judge what was measured once more, at one threshold for all tests: no score may rest on the
    last thresholds.
    """
    once = Thresholds(dict.fromkeys(AUDIT_TESTS, FIRST), 1)
    found = judge(
        Evidence(audit.measurements, tuple(audit.cards["model"]["labels"]), once, seed)
    ).findings
    return {finding.code: finding.score for finding in found if finding.score is not None}


def deltas(found: Sequence[tuple[str, Mapping[str, Estimate]]]) -> dict[str, float]:
    """Take a quarter of the median score of each finding, over the runs of worlds in which its
    claim is true.
    """
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
    """Share of runs in which a finding passed at its threshold."""
    known = [effects[code] for effects in runs if code in effects]
    return _share(decide(score, threshold) == "passed" for score in known)


def astray_at(code: str, threshold: float, runs: Sequence[tuple[Effects, Effects]]) -> float:
    """Share of runs in which few texts fail a test that passes on all of them."""
    known = [(few[code], all_[code]) for few, all_ in runs if code in few and code in all_]
    return _share(
        decide(few, threshold) == "failed"
        for few, all_ in known
        if decide(all_, threshold) == "passed"
    )


def fewest_texts(astray: Mapping[str, float]) -> int:
    """Give the smallest size that hardly ever leads astray; the largest tried where none is."""
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
