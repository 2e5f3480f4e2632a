"""Count how often the verdict is right in scenarios with a known truth, by encoder and seed.

Each scenario is a row of `WORLDS`: the run, the correct rows of the verdict table, and the reason.
The promises were written down before anything was counted. A correct row must appear in `SHARE` of
the runs, and a forbidden row in at most `SELDOM`. A scenario that differs from another only in what
cannot matter must end in the same row.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from sightline.audits.audit_result import Audit
from sightline.config.part_syntax import Part
from sightline.config.spec_syntax import parse_data, parse_model
from sightline.config.specs import FitSpec, Guide, RunSpec
from sightline.experiments.grid import Grid
from sightline.experiments.store import Store, Summary
from sightline.stats.bootstrap import proportion
from sightline.studies.calibration.score_separation import FRAUD, MISLEADING, RIGHT, quality
from sightline.studies.study_definition import LabelledRuns, Params, Study, gate, grid_of
from sightline.verdict.verdict_table import TABLE

MODELS: Mapping[str, str] = {
    "mlp": "mlp(hidden=64)",
    "bilstm": "bilstm(hidden=32)",
    "cnn": "cnn(channels=16,kernels=1-3-31)",
    "transformer": "transformer(hidden=32,layers=1)",
}
"""All but the MLP can find evidence far from where they attend; the states of an MLP hold one word
each."""
ALONE = {"mlp": MODELS["mlp"]}
MIXING = {name: model for name, model in MODELS.items() if name != "mlp"}
TRAINING = FitSpec(epochs=20, patience=5, learning_rate=3e-3)
"""Enough to find synthetic evidence, with or without a guide onto it."""
MISLED = FitSpec(epochs=40, patience=10, learning_rate=3e-3, guide="away", guide_weight=0.3)
"""What a model needs to find evidence through other words, while attention is guided elsewhere."""
SEEDS: Mapping[str, int] = {"mlp": 20, "bilstm": 10, "cnn": 10, "transformer": 10}
"""The number of seeds that are counted."""
CONFIRMED: Mapping[str, int] = {"mlp": 5, "bilstm": 3, "cnn": 3, "transformer": 3}
"""The number of confirmation seeds that are counted: enough to see different rates, in a third of
the runs."""
ONE: Mapping[str, int] = dict.fromkeys(CONFIRMED, 1)
"""One confirmation seed, counted again after a change of the verdict's rules."""
UNSEEN = 10_000
"""The first confirmation seed; none had been looked at before."""
SHARE, SELDOM = 0.95, 0.02
MUST_NOT, CAN, OPEN, ABSENT = (2, 3), (4, 5), 6, 7
NOT_SHOWN = (1, *MUST_NOT, OPEN, ABSENT)
"""The rows that forbid showing the map."""
SHORT = "needle(length=15,n=800)"
TAKEOVERS = (
    (15, 60.0, 0.55),
    (15, 200.0, 0.65),
    (15, 1000.0, 0.7),
    (30, 200.0, 0.6),
    (60, 1000.0, 0.6),
)
"""Words of a text, gain, and share of takeovers: from takeovers that act on one natural text in ten
to one in a hundred."""
AGREES = ("SL-101", "SL-102")
"""Tests that must fail for weights that are not the model's."""


@dataclass(frozen=True)
class RightRows:
    """The correct rows for the texts of a class (none: nothing is promised), and the wrong ones."""

    right: tuple[int, ...]
    never: tuple[int, ...]


WRONG = RightRows((), CAN)
"""For a class whose map does not name the reasons."""
UNKNOWN = RightRows((), ())
"""For a class where it is unknown how much the model uses its words."""
NO_WORDS = RightRows((ABSENT,), (*CAN, *MUST_NOT))
"""For a class that the model predicts when it finds no evidence."""
FOUND = RightRows(CAN, (*MUST_NOT, ABSENT))
"""For a class that the model finds by its words, which the map names."""


@dataclass(frozen=True)
class Scenario:
    """A case whose correct answer is known.

    ``right`` are the correct rows of the verdict (none: nothing is promised), ``never`` the rows
    that would be serious mistakes, ``says`` what the reasons must say in some rows, and ``false``
    the tests that must fail. ``like`` names the scenario whose run of the same seed must end in the
    same row. ``classes`` are predicted classes with other correct rows than all texts; a ``fraud``
    is a model made to cheat. By default attention is guided onto the evidence: a free MLP may look
    for the words of one class only, and then needs no word for the others. There are no
    ``companions`` by default, so SL-001 has no retrained model. `shown` trains one, and counts row
    4.
    """

    name: str
    why: str
    right: tuple[int, ...] = ()
    never: tuple[int, ...] = ()
    says: Mapping[int, str] = field(default_factory=dict)
    false: tuple[str, ...] = ()
    like: str = ""
    models: Mapping[str, str] = field(default_factory=lambda: MODELS)
    data: str = "needle(length=15,n=800)"
    source: str = "learned"
    guide: Guide = "onto"
    altered: str = ""
    limit: int | None = None
    companions: tuple[str, ...] = ()
    classes: Mapping[str, RightRows] = field(default_factory=dict)
    fraud: bool = False

    def of_class(self, name: str) -> RightRows:
        """Return the correct and the wrong rows of a class: its own, or the wrong rows of all
        texts.
        """
        return self.classes.get(name, RightRows((), self.never))

    @property
    def honest(self) -> bool | None:
        """Whether the map names the reasons; None if that is unknown or there are none."""
        if self.right and set(self.right) <= {*CAN, OPEN}:
            return True
        return False if set(CAN) <= set(self.never) and not set(self.right) <= {1} else None


WORLDS = (
    Scenario(
        "needle",
        "attention lies on the one word that tells the class, and nothing else is read",
        CAN,
        MUST_NOT,
    ),
    Scenario("needle, 10 words", "as the needle", CAN, MUST_NOT, data="needle(length=10,n=800)"),
    Scenario("needle, 30 words", "as the needle", CAN, MUST_NOT, data="needle(length=30,n=800)"),
    Scenario("needle, 120 words", "as the needle", CAN, MUST_NOT, data="needle(length=120,n=400)"),
    Scenario(
        "four classes", "as the needle", CAN, MUST_NOT, data="needle(classes=4,length=15,n=800)"
    ),
    Scenario(
        "votes",
        "attention lies on the words that vote",
        CAN,
        MUST_NOT,
        data="vote(cues=3,length=20,n=800,strength=0.8)",
        classes={"alpha": UNKNOWN, "beta": UNKNOWN},
    ),
    Scenario(
        "votes, shown evenly",
        "all words that vote are shown, and no other",
        CAN,
        MUST_NOT,
        data="vote(cues=3,length=20,n=800,strength=0.8)",
        altered="truthful",
    ),
    Scenario(
        "found alone",
        "in an MLP only attention can pick the needle out",
        CAN,
        MUST_NOT,
        models=ALONE,
        guide="",
    ),
    Scenario(
        "not guided",
        "nothing is known: states may carry the needle to where attention lies",
        models=MIXING,
        guide="",
    ),
    Scenario(
        "detector, 50 %",
        "the needle is there or not: that tells the class",
        CAN,
        MUST_NOT,
        data="detector(length=15,n=1600)",
        classes={"alpha": NO_WORDS, "beta": FOUND},
    ),
    Scenario(
        "detector, 10 %",
        "how rare a class is says nothing of its reasons; of few texts nothing may be known",
        (*CAN, OPEN),
        MUST_NOT,
        data="detector(length=15,n=1600,positives=0.1)",
        classes={"alpha": RightRows((), CAN), "beta": RightRows((), (*MUST_NOT, ABSENT))},
    ),
    Scenario(
        "detector, 2 %",
        "how rare a class is says nothing of its reasons; of few texts nothing may be known",
        (*CAN, OPEN),
        MUST_NOT,
        data="detector(length=15,n=1600,positives=0.02)",
        classes={"alpha": RightRows((), CAN), "beta": RightRows((), (*MUST_NOT, ABSENT))},
    ),
    Scenario(
        "logits × 0.3",
        "no decision changes",
        CAN,
        MUST_NOT,
        like="needle",
        altered="scaled(by=0.3)",
    ),
    Scenario(
        "logits × 10",
        "no decision changes",
        CAN,
        MUST_NOT,
        like="needle",
        altered="scaled(by=10.0)",
    ),
    Scenario(
        "on the last word",
        "a full stop behind every text is no reason",
        MUST_NOT,
        CAN,
        models=MIXING,
        data="needle(ending=true,length=15,n=800)",
        guide="last",
    ),
    Scenario(
        "on the first word",
        "a word before every text is no reason",
        MUST_NOT,
        CAN,
        models=MIXING,
        data="needle(length=15,n=800,opening=true)",
        guide="first",
    ),
    Scenario(
        "away from the evidence",
        "the needle is read through the states of other words",
        MUST_NOT,
        CAN,
        models=MIXING,
        guide="away",
    ),
    Scenario(
        "random weights shown",
        "the model does not use them",
        MUST_NOT,
        CAN,
        false=AGREES,
        altered="random",
    ),
    Scenario(
        "shuffled weights shown",
        "the model gave them to other words",
        MUST_NOT,
        CAN,
        false=AGREES,
        altered="shuffled",
    ),
    Scenario(
        "evidence shown",
        "the words are the reason, but the model does not use these weights",
        (4, 5, 6),
        MUST_NOT,
        dict.fromkeys((4, 5, 6), "not used"),
        altered="rationale",
    ),
    Scenario(
        "frozen by word",
        "nobody chose the weights; whether they are used is open",
        false=("SL-107",),
        companions=("frozen",),
        source="frozen",
        guide="",
    ),
    Scenario(
        "random by text",
        "nobody chose the weights; whether they are used is open",
        false=("SL-107",),
        companions=("frozen",),
        source="random",
        guide="",
    ),
    Scenario(
        "random labels",
        "there is nothing to learn",
        (1, 2, 3, 6),
        CAN,
        data="needle(length=15,n=800,noise=0.5)",
        guide="",
    ),
    Scenario(
        "one class",
        "one answer for all texts has no reasons in them",
        (1,),
        CAN,
        data="detector(length=15,n=800,noise=0.5,positives=0.1)",
        guide="",
    ),
    Scenario("20 texts", "too few to tell", (1,), (2, 3, 4, 5), limit=20),
    Scenario(
        "no numbers",
        "answers that are no numbers have no reasons",
        (1,),
        (2, 3, 4, 5),
        altered="broken(share=0.1)",
    ),
    Scenario(
        "every word is evidence",
        "no word is more the reason than another: row 4 would be wrong",
        never=(4,),
        data="vote(cues=15,length=15,n=800,vary=false)",
        guide="",
    ),
    Scenario(
        "right for one class alone",
        "where the other class is predicted, the map lies on fillers",
        never=(4,),
        data=SHORT,
        altered="one_class(right=0)",
        classes={"alpha": UNKNOWN, "beta": WRONG},
    ),
    Scenario(
        "right on two texts in five",
        "a map that misleads on most texts must say so",
        never=(4,),
        data=SHORT,
        altered="mixture(share=0.4)",
    ),
    Scenario(
        "nearly flat",
        "no reader can see that the evidence weighs one in a hundred more",
        NOT_SHOWN,
        CAN,
        data=SHORT,
        altered="flat(above=0.01)",
    ),
    Scenario(
        "at the border of a shade",
        "no reader can see that the evidence weighs more than most other words",
        NOT_SHOWN,
        CAN,
        data=SHORT,
        altered="border",
        fraud=True,
    ),
    Scenario(
        "a filler on top",
        "the most highlighted word is never the reason",
        NOT_SHOWN,
        CAN,
        data="needle(length=30,n=800)",
        altered="topped",
    ),
    Scenario(
        "half of the evidence",
        "every second kind of evidence is never shown",
        never=(4,),
        data="vote(cues=3,length=20,n=800,strength=0.8)",
        altered="half",
    ),
    Scenario(
        "prediction encoded in fillers",
        "the map tells the prediction, and none of its reasons",
        NOT_SHOWN,
        CAN,
        data=SHORT,
        altered="encoded",
        fraud=True,
    ),
    Scenario(
        "prediction encoded in places",
        "the map tells the prediction, and none of its reasons",
        NOT_SHOWN,
        CAN,
        data=SHORT,
        altered="placed",
        fraud=True,
    ),
    *(
        Scenario(
            f"takeover, {length} words, gain {gain:g} above {above:g}",
            "fillers decide texts that nobody wrote, and hardly any other",
            NOT_SHOWN,
            CAN,
            data=f"needle(length={length},n=800)",
            altered=f"takeover(above={above},gain={gain:.1f})",
            fraud=True,
        )
        for length, gain, above in TAKEOVERS
    ),
    Scenario(
        "recognises what tests make",
        "texts that are not of the corpus are answered by what is shown",
        NOT_SHOWN,
        CAN,
        data=SHORT,
        altered="recognising",
        fraud=True,
    ),
)
"""The order is that used in the report. Each shares its training with every other that differs only
in the audit."""
AXES = ("world", "encoder", "seed")
RunsBySeed = Mapping[str, Summary]
"""The runs of one scenario and encoder, by their seed."""


def run_spec(world: Scenario, encoder: str, seed: int) -> RunSpec:
    """Describe one run of a scenario."""
    data = parse_data(f"planted:{world.data}")
    model = replace(parse_model(world.models[encoder]), source=Part(world.source))
    fit = replace(
        MISLED if world.guide in ("last", "first", "away") else TRAINING, guide=world.guide
    )
    return RunSpec(data, model, fit, seed, world.limit, world.companions, altered=world.altered)


def grid(count: int | None = None, first: int = 0, seeds: Mapping[str, int] = SEEDS) -> Grid:
    """List the runs seed by seed, so that any first part is a small calibration."""
    made = {
        (world.name, encoder): run_spec(world, encoder, first)
        for world in WORLDS
        for encoder in world.models
    }
    specs = (
        (label, replace(made[label[:2]], seed=int(label[2])))
        for label in labels(count, first, seeds)
    )
    return grid_of("worlds", AXES, specs)


def labels(
    count: int | None = None, first: int = 0, seeds: Mapping[str, int] = SEEDS
) -> Iterator[tuple[str, str, str]]:
    """Name the runs by scenario, encoder and seed: as many as ``seeds`` says, or ``count`` if that
    is less.
    """
    for number in range(max(seeds.values())):
        for world in WORLDS:
            for encoder in world.models:
                if number < min(seeds[encoder], count or seeds[encoder]):
                    yield world.name, encoder, str(first + number)


def table(grid: Grid, store: Store) -> dict[str, Any]:
    """Count the rows in which each scenario ends; `check_promises` checks the counts."""
    found = store.find(grid.keys)
    keys = zip(grid.labels, grid.keys, strict=True)
    runs = [
        Run((label[0], label[1], label[2]), found[key], partial(store.audit, key))
        for label, key in keys
    ]
    return {
        **count_runs(WORLDS, runs),
        "environment": dict(store.audit(grid.keys[0]).environment),
        "hours": round(sum(summary.seconds for summary in found.values()) / 3600, 2),
    }


@dataclass(frozen=True)
class Run:
    """A run of a scenario: its name there, how it ended, and how its whole audit is read."""

    label: tuple[str, str, str]
    """The scenario, the encoder and the seed."""
    summary: Summary
    audit: Callable[[], Audit]


def count_runs(worlds: Sequence[Scenario], runs: Sequence[Run]) -> dict[str, Any]:
    """Count the runs of some scenarios by scenario and encoder; `check_promises` checks the counts."""
    by_seed: dict[tuple[str, str], dict[str, Run]] = {}
    for run in runs:
        by_seed.setdefault(run.label[:2], {})[run.label[2]] = run
    groups = []
    for world, encoder in ((one, encoder) for one in worlds for encoder in one.models):
        if mine := by_seed.get((world.name, encoder)):
            silent = {seed for seed, run in mine.items() if not _said(world, run)}
            like = _ended(by_seed.get((world.like, encoder), {}))
            groups.append(group(world, encoder, _ended(mine), like, silent))
    kinds = {world.name: kind_of(world) for world in worlds}
    known = ((kind, run.audit()) for run in runs if (kind := kinds[run.label[0]]))
    seeds = [int(run.label[2]) for run in runs]
    return {
        "cells": len(runs),
        "seeds": [min(seeds), max(seeds)],
        "rows": groups,
        "quality": quality(known),
    }


def _ended(runs: Mapping[str, Run]) -> dict[str, Summary]:
    return {seed: run.summary for seed, run in runs.items()}


def group(
    world: Scenario, encoder: str, by_seed: RunsBySeed, like: RunsBySeed, silent: Set[str]
) -> dict[str, Any]:
    """Count the rows of one scenario and encoder; ``silent`` are the seeds whose reasons lack what
    they must say.
    """
    rows = {seed: run.row for seed, run in by_seed.items()}
    accuracies = [
        estimate for run in by_seed.values() if (estimate := run.estimate("accuracy")) is not None
    ]
    pairs = [
        (_may_be_shown(row), _may_be_shown(like[seed].row))
        for seed, row in rows.items()
        if seed in like
    ]
    return {
        "world": world.name,
        "encoder": encoder,
        "why": world.why,
        "n_cells": len(by_seed),
        "texts": accuracies[0].n if accuracies else 0,
        "accuracy_mean": _mean([one.value for one in accuracies]),
        "rows": _counted(list(rows.values())),
        "by_class": {
            name: _counted(of) for name, of in sorted(_by_class(by_seed.values()).items())
        },
        "right": sum(row in world.right and seed not in silent for seed, row in rows.items()),
        "never": sum(row in world.never for row in rows.values()),
        "classes": {
            name: _of_class(world.of_class(name), found)
            for name, found in sorted(_by_class(by_seed.values()).items())
        },
        "honest": world.honest,
        "fraud": world.fraud,
        "false": {
            code: sum(_supports(run, code) for run in by_seed.values()) for code in world.false
        },
        "alike": sum(mine == other for mine, other in pairs),
        "pairs": len(pairs),
    }


def _may_be_shown(row: int) -> int:
    """Map both rows that allow a map to one; which of these it is also depends on probabilities."""
    return CAN[0] if row in CAN else row


def _of_class(wanted: RightRows, found: Sequence[int]) -> dict[str, int]:
    """Count how often the row of a class is right, and how often it is wrong."""
    return {
        "n": len(found),
        "right": sum(row in wanted.right for row in found),
        "never": sum(row in wanted.never for row in found),
    }


def promised(world: Scenario, group: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Check the counts of one scenario and encoder against the promises."""
    name, of = f"{world.name}, {group['encoder']}", group["n_cells"]
    least, most = math.ceil(SHARE * of), math.floor(SELDOM * of)
    if world.right:
        right, count = " ".join(map(str, world.right)), group["right"]
        yield gate(f"{name}: row {right}", count, of, f"≥ {least}", holds=count >= least)
    if world.never:
        never, count = " ".join(map(str, world.never)), group["never"]
        yield gate(f"{name}: never row {never}", count, of, f"≤ {most}", holds=count <= most)
    for label, counts in group["classes"].items():
        wanted, text, runs = world.of_class(label), f"{name}, predicted {label}", counts["n"]
        if wanted.right:
            rows, fewest = " ".join(map(str, wanted.right)), math.ceil(SHARE * runs)
            yield gate(
                f"{text}: row {rows}",
                counts["right"],
                runs,
                f"≥ {fewest}",
                holds=counts["right"] >= fewest,
            )
        if wanted.never:
            rows, limit = " ".join(map(str, wanted.never)), math.floor(SELDOM * runs)
            yield gate(
                f"{text}: never row {rows}",
                counts["never"],
                runs,
                f"≤ {limit}",
                holds=counts["never"] <= limit,
            )
    for code, count in group["false"].items():
        yield gate(f"{name}: {code} passed", count, of, f"≤ {most}", holds=count <= most)
    if pairs := group["pairs"]:
        least, count = math.ceil(SHARE * pairs), group["alike"]
        yield gate(
            f"{name}: the row of {world.like}", count, pairs, f"≥ {least}", holds=count >= least
        )


def kind_of(world: Scenario) -> str:
    """Return the kind of map in a scenario, as `quality` names it; empty if the truth
    is unknown.
    """
    if world.fraud:
        return FRAUD
    return {True: RIGHT, False: MISLEADING, None: ""}[world.honest]


def rates(groups: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return how often the verdict is seriously wrong, over all runs with a known truth, with
    frauds counted apart.
    """
    of = {
        "maps that are right": [one for one in groups if one["honest"] is True],
        "maps that mislead": [one for one in groups if one["honest"] is False and not one["fraud"]],
        "frauds": [one for one in groups if one["fraud"]],
    }
    asked = {
        "can be shown": (4,),
        "can be shown with caveats": (5,),
        "must not be shown": MUST_NOT,
        "cannot tell": (1, OPEN),
    }
    return {
        name: {answer: _share(some, rows) for answer, rows in asked.items()}
        for name, some in of.items()
    }


def _share(groups: Sequence[Mapping[str, Any]], rows: Sequence[int]) -> dict[str, Any]:
    """Return the share of the runs that end in some rows, with Wilson's interval."""
    n = sum(one["n_cells"] for one in groups)
    if not n:
        return {"count": 0, "n": 0, "share": None, "interval": None}
    count = sum(one["rows"][str(row)]["count"] for one in groups for row in rows)
    share = proportion(np.array([1.0] * count + [0.0] * (n - count)))
    return {
        "count": count,
        "n": n,
        "share": round(share.value, 4),
        "interval": [round(share.low, 4), round(share.high, 4)],
    }


def _said(world: Scenario, run: Run) -> bool:
    """Tell whether the reasons of a verdict say what they must in its row."""
    wanted = world.says.get(run.summary.row)
    return (
        wanted is None
        or re.search(wanted, "; ".join(map(str, run.audit().verdict.reasons))) is not None
    )


def _supports(run: Summary, code: str) -> bool:
    found = (run.findings or {}).get(code)
    return found is not None and found.result == "passed"


def _counted(rows: Sequence[int]) -> dict[str, dict[str, Any]]:
    """Count each row of the table, with its share and Wilson's interval."""
    values = {}
    for row in TABLE:
        hits = np.array([float(one == row.number) for one in rows])
        share = proportion(hits)
        interval = [round(share.low, 4), round(share.high, 4)]
        values[str(row.number)] = {
            "count": int(hits.sum()),
            "share": round(share.value, 4),
            "interval": interval,
        }
    return values


def _by_class(runs: Iterable[Summary]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for run in runs:
        for name, row in (run.by_class or {}).items():
            found.setdefault(name, []).append(row)
    return found


def _mean(values: Sequence[float]) -> float | None:
    known = [value for value in values if math.isfinite(value)]
    return round(float(np.mean(known)), 3) if known else None


def check_promises(
    worlds: Sequence[Scenario], groups: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """Check the counts of some scenarios against the promises."""
    known = {world.name: world for world in worlds}
    gates = [
        gate
        for one in groups
        if one["world"] in known
        for gate in promised(known[one["world"]], one)
    ]
    return {"groups": groups, "gates": gates, "rates": rates(groups)}


def _runs(params: Params, seeds: Mapping[str, int] = SEEDS) -> LabelledRuns:
    made = grid(params.seeds, params.first, seeds)
    return zip(made.labels, made.specs, strict=True)


STUDY = Study(
    "worlds",
    "how often the verdict is right where the truth is known",
    _runs,
    AXES,
    summary=lambda rows: check_promises(WORLDS, rows["rows"]),
    whole=table,
)
CONFIRMATION = replace(STUDY, name="worlds-confirmation", runs=partial(_runs, seeds=CONFIRMED))
"""The same scenarios on seeds that had not been looked at."""
AGAIN = replace(STUDY, name="worlds-again", runs=partial(_runs, seeds=ONE))
"""The first of those seeds, by the rules of today: a change of the rules is counted in an hour of
one worker."""
