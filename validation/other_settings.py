"""Run models of the papers under settings that their text leaves open, where numbers lie outside.

    python validation/other_settings.py STORE --data DIR [--models "bilstm+dot on news" ...]

Exploratory: each setting was tried after the numbers of the protocol were seen, to find what
explains numbers outside of their margin (docs/tables/outside.md). Runs are made in the store unless
they are there. Writes ``docs/verified/other_settings.json``, and keeps the rows that it has.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from checkout import VERIFIED
from removed_states import Removal, set_to_zero, taus, with_other_weights_held

from sightline._io.atomic_write import write_bytes
from sightline.config.part_syntax import Part
from sightline.config.run_keys import run_key, training_key
from sightline.config.specs import RunSpec
from sightline.experiments.run_in_store import run_stored
from sightline.experiments.store import Store
from sightline.studies.aggregate import TableRun
from sightline.studies.papers.paper_index import plan_named
from sightline.studies.papers.protocol import DECIDES
from sightline.studies.papers.study_models import BILSTM
from sightline.studies.papers.wen2022 import TAU_BY_RANK
from sightline.studies.run_plan import Plan
from sightline.studies.study_corpora import vectors_of
from sightline.studies.study_definition import FinishedRun, Params

WIDTH = 300
"""The numbers of a state and of an embedding in the models of Tutek & Šnajder."""
SCORERS = ("additive", "dot")
OUT = VERIFIED / "other_settings.json"


@dataclass(frozen=True)
class Setting:
    """A table and a model of it, what is set otherwise, and the seeds.

    ``change`` gets the run, and the run of the same seed without the ablation, if ``less`` names a
    model: what the change loses compared with it is a number, too. ``removal`` says how a hidden
    state is removed, where the model is not changed and its states are removed otherwise.
    """

    table: str
    model: str
    says: str
    change: Callable[[RunSpec, RunSpec], RunSpec]
    seeds: range
    corpus: str = DECIDES
    less: str = ""
    removal: Removal | None = None


def _as_it_is(run: RunSpec, plain: RunSpec) -> RunSpec:
    return run


def _tied(run: RunSpec, plain: RunSpec, delta: float) -> RunSpec:
    tying = Part("tying", (("delta", delta / WIDTH),))
    return replace(run, model=replace(run.model, retention=tying))


def _masked(run: RunSpec, plain: RunSpec, eta: float) -> RunSpec:
    return replace(run, model=replace(run.model, retention=Part("mlm", (("eta", eta),))))


def _shorter(run: RunSpec, plain: RunSpec, epochs: int) -> RunSpec:
    return replace(run, fit=replace(run.fit, epochs=epochs, patience=epochs))


def _later(run: RunSpec, plain: RunSpec, patience: int) -> RunSpec:
    return replace(run, fit=replace(run.fit, patience=patience))


def _faster(run: RunSpec, plain: RunSpec, factor: float) -> RunSpec:
    return replace(run, fit=replace(run.fit, attention_rate_factor=factor))


def _from_random(run: RunSpec, plain: RunSpec, sd: float) -> RunSpec:
    """Start words at random instead of from vectors."""
    started = replace(
        run.model,
        vectors="",
        vectors_digest="",
        without_vector="random",
        embedding=WIDTH,
        embedding_std=sd,
    )
    return replace(run, model=started)


def _under(run: RunSpec, plain: RunSpec, source: str) -> RunSpec:
    """Replace attention by a source; lent weights are those of the plain model."""
    options = (("run", training_key(plain)),) if source == "given" else ()
    return replace(run, model=replace(run.model, source=Part(source, options)))


def _as_drawn(run: RunSpec, plain: RunSpec) -> RunSpec:
    """Train the plain model with its scorer as it was drawn."""
    return replace(plain, fit=replace(plain.fit, fixed=("attention",)))


def _drawn_apart(run: RunSpec, plain: RunSpec, weight: float) -> RunSpec:
    """Weigh the distance from the base model's attention otherwise."""
    return replace(run, fit=replace(run.fit, adversary_weight=weight))


SETTINGS = (
    Setting(
        "meister2021:M-5",
        "bilstm+additive, unfrozen",
        "λ = 1, as where frozen",
        partial(_drawn_apart, weight=1.0),
        range(5),
    ),
    *(
        Setting(
            "tutek2020:T-1",
            model,
            "words start at random, standard deviation 0.1",
            partial(_from_random, sd=0.1),
            range(3),
            "news",
        )
        for model in (
            "bilstm+dot",
            "bilstm+dot+concat",
            *(f"bilstm+{scorer}+{kept}" for kept in ("tying", "mlm") for scorer in SCORERS),
        )
    ),
    *(
        Setting(
            "tutek2020:T-1",
            "bilstm+additive+tying",
            f"δ = {delta}, averaged over the {WIDTH} numbers of a state",
            partial(_tied, delta=delta),
            range(5),
        )
        for delta in (10, 20, 30)
    ),
    *(
        Setting(
            "tutek2020:T-1",
            f"bilstm+{scorer}+mlm",
            f"η = {eta:g}",
            partial(_masked, eta=eta),
            range(3),
        )
        for scorer in SCORERS
        for eta in (0.3, 1.0)
    ),
    *(
        Setting("tutek2020:T-1", f"bilstm+{scorer}+{kept}", says, change, range(3), "news")
        for scorer in SCORERS
        for kept, says, change in (
            (
                "tying",
                f"δ = 10, averaged over the {WIDTH} numbers of a state",
                partial(_tied, delta=10),
            ),
            ("mlm", "η = 1", partial(_masked, eta=1.0)),
        )
    ),
    *(
        Setting(
            "tutek2020:T-6",
            f"bilstm(layers={layers})+additive+tying",
            f"δ = 10, averaged over the {WIDTH} numbers of a state",
            partial(_tied, delta=10),
            range(3),
            corpus,
        )
        for corpus in ("sst", "news")
        for layers in (2, 3)
    ),
    *(
        Setting(
            "tutek2020:T-6",
            f"bilstm(layers={layers})+additive+mlm",
            "η = 1",
            partial(_masked, eta=1.0),
            range(3),
        )
        for layers in (2, 3)
    ),
    *(
        Setting(
            "tutek2020:T-3",
            "bilstm+dot",
            f"trained for {epochs} of 8 epochs",
            partial(_shorter, epochs=epochs),
            range(3),
            corpus,
        )
        for corpus, epochs in (("sst", 1), ("news", 3))
    ),
    *(
        Setting(
            "meister2021:M-6",
            model,
            "attention learns 10 times as fast",
            partial(_faster, factor=10.0),
            range(3),
            corpus,
        )
        for corpus, model in (
            ("sst", "bilstm+additive"),
            ("sst", "transformer+dot"),
            ("sst", "transformer+dot+sparsemax"),
            ("news", "transformer+dot"),
        )
    ),
    *(
        Setting(
            f"meister2021:{table}",
            model,
            "patience 10",
            partial(_later, patience=10),
            range(2, 5),
            "news",
        )
        for table, model in (
            ("M-1", "bilstm+additive"),
            ("M-1", "bilstm+additive+sparsemax"),
            ("M-3", "bilstm+additive"),
            ("M-6", "bilstm+additive"),
        )
    ),
    *(
        Setting("meister2021:M-6", model, says, _as_it_is, seeds, corpus, removal=removal)
        for corpus, seeds in (("sst", range(3)), ("news", range(2, 5)))
        for says, removal in (
            ("a state is set to 0, weights are computed again", set_to_zero),
            ("a state is left out, the other weights stay", with_other_weights_held),
        )
        for model in (
            "bilstm+additive",
            "bilstm+additive+sparsemax",
            "transformer+dot",
            "transformer+dot+sparsemax",
        )
    ),
    *(
        Setting(
            "wen2022:W-2",
            "bilstm+additive, attention fixed",
            says,
            change,
            range(3),
            corpus,
            BILSTM,
        )
        for corpus in ("sst", "news")
        for says, change in (
            ("the trained model’s mean weights by position", partial(_under, source="constant")),
            ("the trained model’s own weights", partial(_under, source="given")),
            ("scorer as it was drawn", _as_drawn),
        )
    ),
)


Row = Mapping[str, object]


def rows(
    store: Store, plans: Mapping[str, Plan], known: Sequence[Row], models: Sequence[str]
) -> Iterator[Row]:
    """Make the runs of some models, seeds slowest, and give what each says. A known one is made
    again only if it lacks a number that its table needs; those of other models stay as they are.
    """
    made = {_place(row): row for row in known}
    for seed in sorted({seed for one in SETTINGS for seed in one.seeds}):
        for one in SETTINGS:
            row = made.get((one.table, one.corpus, one.model, one.says, seed))
            asked = seed in one.seeds and f"{one.model} on {one.corpus}" in models
            if asked and (row is None or not _is_whole(row, plans)):
                yield _row(one, seed, store, plans[one.table])
            elif row is not None:
                yield row


def _is_whole(row: Row, plans: Mapping[str, Plan]) -> bool:
    table, corpus, numbers = str(row["table"]), str(row["corpus"]), row["numbers"]
    assert isinstance(numbers, Mapping)
    return {*plans[table].study.needed(corpus)} <= numbers.keys()


def _place(row: Row) -> tuple[object, ...]:
    return tuple(row[name] for name in ("table", "corpus", "model", "setting", "seed"))


def _row(one: Setting, seed: int, store: Store, plan: Plan) -> Row:
    runs = {
        run.model: (run, planned)
        for run, planned in zip(plan.planned, plan.grid.specs, strict=True)
        if (run.corpus, run.seed) == (one.corpus, seed)
    }
    run, planned = runs[one.model]
    plain = runs[one.less or one.model][1]
    spec = one.change(planned, plain)
    if one.removal is None:
        numbers, by_chance = _numbers(run, spec, store, plan)
    else:
        numbers, by_chance = taus(spec, store, one.removal)
    if one.less:
        own, _ = _numbers(run, plain, store, plan)
        numbers["τ lost"] = own[TAU_BY_RANK] - numbers[TAU_BY_RANK]
    print(one.corpus, one.model, one.says, seed, numbers, file=sys.stderr, flush=True)
    place = {"table": one.table, "corpus": one.corpus, "model": one.model}
    return {**place, "setting": one.says, "seed": seed, "numbers": numbers, "by_chance": by_chance}


def _numbers(
    run: TableRun, spec: RunSpec, store: Store, plan: Plan
) -> tuple[dict[str, float], dict[str, float]]:
    """Give what the table reads of a run, and its chance levels; the run is made unless it is
    there.
    """
    if run_stored(spec, store) != "done":
        raise SystemExit(f"{run_key(spec)}: {store.summary(run_key(spec))}")
    done = FinishedRun(**{**vars(run), "spec": spec}, key=run_key(spec), store=store)
    found = plan.study.estimates(done)
    return (
        {name: round(one.value.value, 6) for name, one in found.items()},
        {name: round(one.baseline.value, 6) for name, one in found.items() if one.baseline},
    )


def main() -> int:
    """Count, and write the file."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("store", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    every = dict.fromkeys(f"{one.model} on {one.corpus}" for one in SETTINGS)
    parser.add_argument("--models", nargs="+", default=[*every], choices=every, metavar="MODEL")
    asked = parser.parse_args()
    params = Params(asked.data, None, ("sst", "news"), vectors=vectors_of(asked.data, None))
    plans = {name: plan_named(name, params) for name in {one.table for one in SETTINGS}}
    known = json.loads(OUT.read_bytes())["rows"] if OUT.exists() else []
    found = [*rows(Store(asked.store), plans, known, asked.models)]
    write_bytes(OUT, (json.dumps({"rows": found}, indent=1) + "\n").encode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
