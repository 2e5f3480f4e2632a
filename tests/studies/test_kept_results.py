"""What was read of runs outlasts their store: tables made of it are those made of the store, and
what is newer wins.
"""

import csv
import gzip
import json
import math
import re
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

import docs_claims
import docs_protocol
import docs_reproduction
import docs_tables
import numpy as np
import pytest

from sightline._io.atomic_write import plain
from sightline._io.checksums import write_sealed
from sightline.api import study_names
from sightline.config.run_keys import lasting_key, run_key
from sightline.config.spec_syntax import parse_data, parse_model
from sightline.config.specs import RunSpec
from sightline.core.errors import DataError, SpecError
from sightline.core.results import Estimate
from sightline.data.word_vectors import write_vectors
from sightline.experiments.cost_estimate import RunCosts
from sightline.experiments.grid import Grid
from sightline.experiments.store import Store, Summary
from sightline.studies import paper_pages, run_counts, update_results
from sightline.studies.aggregate import AggregateLine, Number, RunName, shortfall
from sightline.studies.kept_results import StudyResults, kept_of, page, row_of, rows_kept
from sightline.studies.papers import margins
from sightline.studies.papers.claim_list import CLAIMS, TAU_BY_RANK
from sightline.studies.papers.margins import RESULTS
from sightline.studies.papers.model_performance import performance_of
from sightline.studies.papers.paper_index import PAPER_TABLES
from sightline.studies.papers.paper_table import of_paper
from sightline.studies.papers.protocol import amounts_of
from sightline.studies.papers.published_comparison import NOT_COMPARABLE, compare
from sightline.studies.papers.published_values import (
    later_values,
    printed_values,
    printed_values_in,
)
from sightline.studies.results_file import COLUMNS, Row, read_rows, rows_of, values_of, write_rows
from sightline.studies.run_plan import COUNTED, Plan, Readings, joint_name
from sightline.studies.study_catalogue import ALL, CALIBRATIONS
from sightline.studies.study_definition import FinishedRun, JointReading, Params
from sightline.studies.study_from_file import check_file, keep, study_of
from sightline.studies.unasked_results import with_unasked
from sightline.studies.update_results import (
    RUNS_DIGEST,
    Work,
    gates_of,
    progress,
    update_file,
    work_on,
    write_kept,
)
from tests.studies import small
from tests.studies.runs import run_all

NEEDLE = parse_data("planted:needle(n=120,length=6)")
MODELS = ("mlp(hidden=4)", "mlp(hidden=4)+uniform")


def needles(asked: Params, corpus: str, seed: int) -> list[tuple[str, RunSpec]]:
    spec = RunSpec(NEEDLE, parse_model(MODELS[0]), seed=seed, companions=(), measures=("need",))
    return [
        (model, replace(spec, model=parse_model(model), fit=replace(spec.fit, epochs=1)))
        for model in MODELS
    ]


def planned(**settings: object) -> Plan:
    one = of_paper(
        "jain2019",
        "J-1",
        "Table 1",
        "what is said",
        ("sst",),
        specs=needles,
        numbers=performance_of,
    )
    return Plan(replace(one, **settings), Params(Path(), 2), ("sst",), {})


def kept(plan: Plan, said: Readings) -> StudyResults:
    """Keep what was read of a plan."""
    named = {one.name: row_of(plan.study, one.run, one.name) for one in plan.readings}
    return StudyResults(readings={name: (named[name], values) for name, values in said.items()})


def written(plan: Plan, said: Readings, file: Path) -> StudyResults:
    """Write what was read of a plan, and read it back."""
    write_rows(file, rows_kept(plan.study.id, kept(plan, said)))
    return kept_of(read_rows(file)).get(plan.study.id, StudyResults())


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    made = Store(tmp_path_factory.mktemp("store"))
    run_all(planned().grid.specs, made)
    return made


@pytest.mark.parametrize("summed", [False, True])
def test_a_table_of_what_was_read_is_that_of_the_store(
    store: Store, tmp_path: Path, summed: bool
) -> None:
    plan = planned(lines=shortfall("accuracy", MODELS[0], "accuracy lost")) if summed else planned()
    file = tmp_path / "results.csv.gz"
    known = written(plan, plan.said(store), file).said
    assert len(known) == len(plan.planned) == 4
    empty = Store(tmp_path / "empty")
    table = compare(plan, empty, plan.read(empty, known))
    assert table.rows == compare(plan, store).rows
    assert table.row_names == compare(plan, store).row_names
    assert all(
        isinstance(cells[2].value, float)
        for names, cells in zip(table.row_names, table.rows, strict=True)
        if names[1] == MODELS[1]
    )
    before = file.read_bytes()
    assert written(plan, plan.said(empty, known), file).said == known
    assert file.read_bytes() == before  # equal rows are equal bytes


def test_runs_of_the_store_stand_before_what_was_read_of_them(store: Store, tmp_path: Path) -> None:
    plan = planned()
    ours = plan.read(store)
    wrong = {
        lasting_key(run.spec): {"accuracy": Number(Estimate(2.0, 2.0, 2.0, 9, "wrong"))}
        for run, _ in ours
    }
    assert plan.read(store, wrong) == ours
    assert [
        said["accuracy"].value.value for _, said in plan.read(Store(tmp_path / "empty"), wrong)
    ] == [2.0] * 4


def test_a_run_of_which_only_lines_are_left_counts_as_done_and_says_nothing(tmp_path: Path) -> None:
    plan, file = planned(), tmp_path / "results.csv.gz"
    first, second = (lasting_key(spec) for spec in plan.grid.specs[:2])
    said: Readings = {first: {}, second: None}
    assert written(plan, said, file).said == said
    assert [run.model for run, _ in plan.read(Store(tmp_path / "empty"), said)] == [MODELS[0]]
    assert read_rows(tmp_path / "none") == []


def test_only_runs_of_which_every_needed_number_is_kept_are_left_out(store: Store) -> None:
    """A run that lacks a number it needs is made again, however much else was read of it."""
    plan = planned(needed=lambda corpus: ("accuracy",))
    whole, *_ = kept(plan, plan.said(store)).readings.values()
    first, second, *others = plan.readings
    _, numbers = whole
    assert numbers is not None
    lacking = {name: one for name, one in numbers.items() if name != "accuracy"}
    said: Readings = {first.name: numbers, second.name: lacking, others[0].name: None}
    work = Work({plan.study.id: [plan]}, {plan.study.id: kept(plan, said)})
    made = work.grid("study", but_known=True)
    assert [*made.keys] == [*second.keys, *others[1].keys]
    assert [*work.grid("study").keys] == [*plan.grid.keys]


def test_what_the_results_file_has_is_left_to_run_unless_it_is_skipped(
    store: Store, tmp_path: Path
) -> None:
    plan, empty = planned(), Store(tmp_path / "empty")
    name = plan.study.id
    known = replace(kept(plan, plan.said(store)), status={"usual_seconds": 36.0})
    work = Work({name: [plan]}, {name: known})
    for each, done in ((work, 4), (work.uncounted, 0)):
        assert progress(each, empty)[name]["done"] == done
        assert each.forecast(empty).status["done"] == done
    assert {*work.uncounted.grid("study", but_known=True).keys} == {*plan.grid.keys}
    assert run_counts.usual_seconds(work.uncounted.before[name].status) == 36.0


def test_floors_and_bounds_are_kept_and_what_is_undefined(tmp_path: Path) -> None:
    plan, file = planned(), tmp_path / "results.csv.gz"
    value, baseline = (
        Estimate(0.5, math.nan, math.nan, 3, "one"),
        Estimate(0.1, 0.0, 0.2, 3, "other"),
    )
    said = {"bounded": Number(value, baseline, (-math.inf, 1.0)), "free": Number(baseline)}
    (read,) = written(plan, {plan.readings[0].name: said}, file).said.values()
    assert str(read) == str(said)  # NaN is not equal to itself


def apart(runs: Sequence[FinishedRun]) -> dict[str, Number]:
    """Give what only both models together say."""
    first, second = (run.audit().metrics["accuracy"].value for run in runs)
    return {"apart": Number(Estimate(first - second, math.nan, math.nan, 9, "one seed"))}


def test_what_runs_say_only_together_is_read_and_kept_a_seed_at_a_time(
    store: Store, tmp_path: Path
) -> None:
    plan, file = (
        planned(joint=JointReading(lambda model: model.partition("(")[0], apart)),
        tmp_path / "results.csv.gz",
    )
    known = written(plan, plan.said(store), file).said
    lines = {line.of: line for line in plan.lines(plan.read(Store(tmp_path / "empty"), known))}
    line = lines["sst", "mlp", "apart"]
    each = [store.audit(key).metrics["accuracy"].value for key in plan.grid.keys]
    assert line.found.value.value == pytest.approx((each[0] - each[1] + each[2] - each[3]) / 2)
    assert line.seeds == 2
    assert plan.unread(known) == set()

    half = Store(tmp_path / "half")  # one seed whole, of the other one run
    run_all(plan.grid.specs[:3], half)
    assert [run.seed for run, message in plan.read(half) if "apart" in message] == [0]
    assert plan.unread(plan.said(half)) == {*plan.grid.keys[2:]}
    assert [run.seed for run, message in plan.read(half, known) if "apart" in message] == [0, 1]
    lost = {name: message for name, message in known.items() if "+" not in name}
    assert plan.unread(lost) == {
        *plan.grid.keys
    }  # what each said is known, and what both did is not


def test_a_run_is_known_by_what_it_is_and_not_by_the_bytes_of_its_vectors() -> None:
    run = needles(Params(Path()), "sst", 0)[0][1]
    assert lasting_key(run) == run_key(run)
    started = [
        replace(run, model=replace(run.model, vectors=f"/{place}", vectors_digest=digest))
        for place, digest in (("here/words.vectors.txt", "ab"), ("there/words.vectors.txt", "cd"))
    ]
    first, second = map(lasting_key, started)
    assert first == second  # learned here: on another machine last digits differ
    given = [replace(one, model=replace(one.model, vectors="words.txt.gz")) for one in started]
    assert len({*map(lasting_key, given)}) == 2  # other bytes are other words
    assert (
        len(
            {first, lasting_key(run), lasting_key(replace(started[0], seed=1)), run_key(started[0])}
        )
        == 4
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n", r"results.csv.gz:1: expected the columns study, "),
        (",".join(COLUMNS) + "\npaper,sst\n", r"results.csv.gz:2: expected 21 cells, got 2"),
    ],
)
def test_a_broken_results_file_is_refused_with_its_line(
    tmp_path: Path, text: str, message: str
) -> None:
    file = tmp_path / "results.csv.gz"
    file.write_bytes(gzip.compress(text.encode()))
    with pytest.raises(DataError, match=message):
        read_rows(file)
    file.write_bytes(text.encode())
    with pytest.raises(DataError, match="expected a results file, compressed CSV"):
        read_rows(file)


def test_a_damaged_results_file_is_refused_with_its_name(tmp_path: Path) -> None:
    file = tmp_path / "results.csv.gz"
    whole = gzip.compress(",".join(COLUMNS).encode() + b"\n")
    long = ",".join(["x" * (csv.field_size_limit() + 1)] * len(COLUMNS)).encode()
    damaged = whole[:10] + b"\xff\xff" + whole[12:]  # an invalid block
    for content in (damaged, whole[:-9], gzip.compress(long)):
        file.write_bytes(content)
        with pytest.raises(DataError) as caught:
            read_rows(file)
        assert str(caught.value).startswith(str(file))


@pytest.mark.parametrize(
    "wrong",
    [
        {"value": "0,83"},
        {"n": "12.0"},
        {"text": "{broken", "least": ""},
        {"seed": "0.0"},
        {"seeds": "2.0"},
        dict(zip(COLUMNS, COLUMNS, strict=True)),
        {"quantity": "accuracy"},
        {"quantity": "accuracy/below"},
        {"quantity": "accuracy[one]/below"},
        {"text": "[" * 100_000, "least": ""},
    ],
)
def test_a_wrong_cell_is_refused_with_its_line_before_any_run(
    tmp_path: Path, wrong: dict[str, str]
) -> None:
    number = Number(Estimate(0.5, 0.4, 0.6, 3, "one"))
    first, second = rows_of(Row("own", seed="0", run="r"), {"accuracy": number, "f1": number})
    file = write_rows(tmp_path / "results.csv.gz", [first, replace(second, **wrong)])
    with pytest.raises(DataError) as caught:
        check_file(file, "own")
    assert (caught.value.file, caught.value.line) == (str(file), 3)


def test_plain_values_come_back_as_they_were() -> None:
    estimate = {"value": 0.5, "low": math.nan, "high": None, "n": 3, "method": "one"}
    values = {
        "accuracy": estimate,
        "whole": 12,
        "share": 12.0,
        "tiny": 1e-300,
        "yes": True,
        "no": False,
        "nothing": None,
        "empty": "",
        "like a list": "[sic] and so on",
        "quoted": '"so"',
        "of NumPy": np.float64(0.25),
        "paths": [{"name": "a/b", "count": 1}],
        "counts": [1, 2, 3],
        "reasons": ["one, and another", 'a "third"'],
        "none of them": [],
        "findings": {"a code": {"answer": "passed", "effect": {**estimate, "high": 1.0}}},
        "maps": [{"name": "gradient", "carried": estimate}, {"name": "deletion", "carried": None}],
    }
    found = values_of(rows_of(Row("s"), values))
    values["of NumPy"] = 0.25
    assert str(found) == str(values)  # NaN is not equal to itself, and a flag is no number
    with pytest.raises(ValueError, match="no slash"):
        list(rows_of(Row("s"), {"a/b": 1}))


def test_a_run_keeps_its_labels_on_every_axis(tmp_path: Path) -> None:
    axes = ("corpus", "kind", "state", "seed")
    labels = ("sst", "untrained, weights ^300", "as drawn", "2")
    name = RunName.at(axes, labels, 2)
    assert (name.corpus, name.model, name.seed) == ("sst", "", 2)
    assert name.labels(axes) == labels
    assert RunName.at(("world", "encoder"), ("needle", "mlp"), 0).labels(("world", "encoder")) == (
        "needle",
        "mlp",
    )


def mean(model: str, seeds: int, value: float, corpus: str = "sst") -> AggregateLine:
    estimate = Estimate(value, value, value, 9, "")
    return AggregateLine(corpus, model, "F1", Number(estimate), seeds)


def test_a_mean_stays_where_it_rests_on_more_seeds_than_are_read_now() -> None:
    before = [mean("a", 3, 0.1), mean("c", 1, 0.3)]
    now = [mean("a", 2, 0.5), mean("b", 1, 0.6), mean("c", 1, 0.7)]
    seeds = {("sst", model): {0, 1, 2} for model in "abc"}
    assert run_counts.wanted_means(before, now, seeds) == [before[0]]
    study, known = PAPER_TABLES["tutek2020:T-1"], StudyResults(means=[*before, *now])
    values = {line.model: line.found.value.value for line, _ in paper_pages.all_lines(study, known)}
    assert values == {"a": 0.1, "b": 0.6, "c": 0.7}


def test_a_mean_falls_where_other_runs_are_asked_for_than_it_is_of(store: Store) -> None:
    plan = planned()
    lost = [one.name for one in plan.readings if (one.run.model, one.run.seed) == (MODELS[1], 1)]
    said = {
        name: None if name == lost[0] else message for name, message in plan.said(store).items()
    }
    both = {("sst", model): {0, 1} for model in MODELS}
    assert run_counts.seeds_of(plan, said) == both  # of one only means were kept, and it was read
    del said[lost[0]]
    seeds = run_counts.seeds_of(plan, said)
    assert seeds == {**both, ("sst", MODELS[1]): {0}}
    assert run_counts.seeds_of(plan, {}) == {of: set() for of in both}
    lines = [mean(MODELS[0], 2, 0), mean(MODELS[1], 2, 0), mean(MODELS[1], 1, 0)]
    lines += [mean("any", 2, 0), mean("any", 3, 0)]
    assert [run_counts.is_wanted(one, seeds) for one in lines] == [True, False, True, True, False]


def test_lines_over_several_corpora_or_without_a_number_are_not_kept(store: Store) -> None:
    counted = AggregateLine("sst", "", "texts", Number(Estimate(9, 9, 9, 1, COUNTED)), 0)
    empty = AggregateLine("sst", MODELS[0], "F1", Number(Estimate(math.nan, 0, 0, 0, "")), 0)
    plan = planned(lines=lambda read: [counted, empty])
    before = StudyResults(means=[mean("a", 2, 0.1), mean("a", 2, 0.1, "all")])
    found = run_counts.count(plan.study, [plan], store, [], before).kept
    assert found.means == [counted, before.means[0]]


def test_a_study_counted_again_from_its_file_says_the_same(store: Store, tmp_path: Path) -> None:
    plan = planned()
    runs = [replace(run, seconds=n) for n, run in enumerate(store.summaries(), start=1)]
    others = [
        replace(runs[0], key="of another study", seconds=900),
        replace(runs[0], state="failed", seconds=900),
    ]
    first = run_counts.count(plan.study, [plan], store, runs + others, StudyResults())
    mean = (1 + 2 + 3 + 4) / 4
    assert first.kept.status == {"planned": 4, "done": 4, "hours_left": 0, "usual_seconds": mean}
    file = write_rows(tmp_path / "results.csv.gz", rows_kept(plan.study.id, first.kept))
    again = kept_of(read_rows(file))[plan.study.id]
    empty = run_counts.count(plan.study, [plan], Store(tmp_path / "empty"), (), again)
    assert empty.kept == again
    assert set(empty.left.values()) == {None}


def test_readings_of_runs_that_a_study_no_longer_has_are_dropped(store: Store) -> None:
    plan = planned()
    other = {"another": (Row(plan.study.id, "sst", "other", run="another"), {})}
    found = run_counts.count(plan.study, [plan], store, (), StudyResults(readings=other))
    assert {*found.kept.readings} == {one.name for one in plan.readings}


def from_words(plan: Plan, words: Path | None) -> Plan:
    """Plan the same runs, as if their words started from a file."""
    asked = replace(plan.asked, vectors=words)
    return replace(plan, study=plan.study.over(plan.grid), asked=asked)


def test_readings_of_other_seeds_and_corpora_are_kept_and_outdated_ones_are_not(
    store: Store,
) -> None:
    """A command with fewer seeds, or on fewer corpora, deletes nothing of the others."""
    plan = from_words(planned(corpora=("sst", "news")), Path("words.txt"))
    study = plan.study
    rows = {
        "other corpus": Row(study.id, "news", MODELS[0], "", "0", "other corpus"),
        "other seed": Row(study.id, "sst", MODELS[0], "", "7", "other seed"),
        "no key": Row(study.id, "sst", MODELS[0], "", "9"),
        "replaced": Row(study.id, "sst", MODELS[0], "", "0"),
        "outdated": Row(study.id, "sst", "gone", "", "1", "outdated"),
        "outdated, too": Row(study.id, "sst", "gone", "", "8", "outdated, too"),
    }
    before = StudyResults(
        {"planned": 9, "done": 7, "hours_left": 1.0},
        {on: {"missing": 1, "planned": 7, "hours_left": 0.5} for on in ("news", "sst")},
        {name: (row, {}) for name, row in rows.items()},
        [mean(MODELS[0], 2, 0.1, "news"), mean(MODELS[0], 2, 0.2)],
    )
    now = run_counts.count(study, [plan], store, (), before).kept
    found = with_unasked(study, [plan], now, before)
    own = {one.name for one in plan.readings}
    assert {*found.readings} - own == {"other corpus", "other seed", "no key"}
    assert own < {*found.readings}
    assert (found.status, found.by_corpus) == (before.status, before.by_corpus)
    assert before.means[0] in found.means
    assert before.means[1] not in found.means
    fewer = replace(plan, asked=replace(plan.asked, seeds=1))
    assert before.means[1] in with_unasked(study, [fewer], now, before).means
    assert with_unasked(study, [plan], now, StudyResults()) == now
    done = replace(before, status={**before.status, "planned": 1}, by_corpus={})
    assert with_unasked(study, [plan], now, done).status == now.status


def test_a_study_file_keeps_the_seeds_that_it_asked_for_before(
    store: Store, tmp_path: Path
) -> None:
    file, specs = tmp_path / "results.csv.gz", planned().grid.specs
    for seeds in ((0,), (1,)):
        some = tuple(spec for spec in specs if spec.seed in seeds)
        labels = tuple((str(spec.model), str(spec.seed)) for spec in some)
        grid = Grid("own", some, ("model", "seed"), labels)
        keep(study_of(grid, ["accuracy"]), store, file)
    known = kept_of(read_rows(file))["own"]
    assert {*known.readings} == {*map(run_key, specs)}
    assert {row.seed for row, _ in known.readings.values()} == {"0", "1"}


def test_rows_of_a_results_file_may_stand_in_any_order(tmp_path: Path) -> None:
    estimate = {"value": 0.5, "low": 0.4, "high": 0.6, "n": 3, "method": "one"}
    said = {
        "accuracy": estimate,
        "findings": {"a code": {"effect": {**estimate, "more": 1}}},
        "text": "x",
    }
    rows = [
        row
        for study in ("a", "b")
        for run in ("first", "second")
        for row in rows_of(Row(study, seed="0", run=run), said)
    ]
    by_quantity = sorted(rows, key=lambda row: (row.quantity, row.run, row.study))
    for order in (rows, by_quantity, by_quantity[::-1]):
        found = kept_of(read_rows(write_rows(tmp_path / "results.csv.gz", order)))
        assert {study: one.said for study, one in found.items()} == {
            study: {"first": said, "second": said} for study in ("a", "b")
        }


def test_nothing_is_outdated_where_word_vectors_are_missing(tmp_path: Path) -> None:
    words = Path("words.txt")
    for place, known, stays in ((None, False, True), (None, True, False), (words, False, False)):
        plan = from_words(planned(), place)
        row = Row(plan.study.id, "sst", MODELS[0], "", "0", "started from vectors")
        said = {plan.readings[0].name: {}} if known else {}
        found = run_counts.count(plan.study, [plan], Store(tmp_path), (), kept(plan, said))
        before = StudyResults(readings={row.run: (row, {})})
        after = with_unasked(plan.study, [plan], found.kept, before)
        assert (row.run in after.readings) == stays


def test_a_command_that_asks_for_little_leaves_the_results_file_whole(tmp_path: Path) -> None:
    names = ("papers", "jain2019:J-1", "jain2019:J-2", "examples", "trained")
    file = write_rows(
        tmp_path / "results.csv.gz", (row for row in read_rows(RESULTS_FILE) if row.study in names)
    )
    before = kept_of(read_rows(file))
    small.sst(tmp_path / "data")
    empty = Store(tmp_path / "store")
    work = work_on(names[1:4], file, tmp_path / "data", tmp_path, 1)
    found = update_file(file, work, empty)
    after = kept_of(read_rows(file))
    assert {name: {*one.said} for name, one in after.items()} == {
        name: {*one.said} for name, one in before.items()
    }
    assert found["jain2019:J-2"].status["planned"] == 2  # the command says what it asked for
    assert [after[name].status for name in names] == [before[name].status for name in names]
    counts = [line.of for line in before["jain2019:J-1"].means if line.corpus != "sst"]
    assert {*counts} <= {line.of for line in after["jain2019:J-1"].means}

    start = write_vectors(tmp_path / "words.txt", ("film", "town"), np.ones((2, 300)))
    work = work_on(names[1:3], file, tmp_path / "data", tmp_path, None, None, start)
    update_file(file, work, empty)  # a whole count of other texts: those of SST are outdated
    left = [row.corpus for row, _ in kept_of(read_rows(file))["jain2019:J-2"].readings.values()]
    assert "sst" not in left
    assert len(left) == sum(
        row.corpus != "sst" for row, _ in before["jain2019:J-2"].readings.values()
    )


def test_what_is_missing_is_told_by_corpus() -> None:
    left = {"a": None, "b": 3600.0, "c": 1800.0, "d": 5400.0, "e": None, "f": 1800.0}
    of = {
        "a": ("sst", "m"),
        "b": ("sst", "m"),
        "c": ("sst", "n"),
        "d": ("news", "m"),
        "e": ("babi1", "m"),
    }
    result = run_counts.missing_of({**of, "f": ("sst", "n")}, left)
    assert result == {
        "sst": {
            "missing": 3,
            "planned": 4,
            "hours_left": 2.0,
            "seconds": {"m": 3600.0, "n": 1800.0},
        },
        "news": {"missing": 1, "planned": 1, "hours_left": 1.5, "seconds": {"m": 5400.0}},
    }
    rows = [{"corpus": corpus, **values} for corpus, values in result.items()]
    assert [docs_reproduction._missing(one) for one in rows] == [
        "sst 3 of 4 (2.0)",
        "news all (1.5)",
    ]


def test_what_a_missing_run_was_reckoned_to_take() -> None:
    assert run_counts.usual_seconds({"planned": 10, "done": 6, "hours_left": 2.0}) == 1800
    assert (
        run_counts.usual_seconds({"planned": 10, "done": 6, "hours_left": 2.0, "usual_seconds": 60})
        == 60
    )
    assert (
        run_counts.usual_seconds({})
        == run_counts.usual_seconds({"planned": 6, "done": 6, "hours_left": 0.0})
        == 0
    )


def test_what_a_run_of_a_corpus_was_reckoned_to_take_outlasts_the_store(
    tmp_path: Path, store: Store
) -> None:
    before = StudyResults(by_corpus={"sst": {"missing": 4, "planned": 9, "hours_left": 0.1}})
    assert [run_counts.earlier_estimate(before, (one, "m"), 60.0) for one in ("sst", "news")] == [
        pytest.approx(90),
        60.0,
    ]
    assert run_counts.earlier_estimate(StudyResults(), ("sst", "m"), 60.0) == 60.0
    took = [one.seconds for one in store.summaries() if one.key in planned().grid.keys]
    assert run_counts.mean_of_done([planned()], [*store.summaries()]) == pytest.approx(
        sum(took) / len(took), abs=0.1
    )
    assert run_counts.mean_of_done([planned()], []) == 0
    known = StudyResults(by_corpus={"sst": {**before.by_corpus["sst"], "seconds": {"m": 30.0}}})
    assert [run_counts.earlier_estimate(known, ("sst", one), 60.0) for one in "mn"] == [
        30.0,
        pytest.approx(90),
    ]
    plan, empty = planned(), Store(tmp_path / "empty")
    keys = plan.grid.keys
    lost = run_counts.seconds_left(plan, keys[1:], RunCosts.of(empty.summaries()), before, 60.0)
    assert lost == {key: pytest.approx(90) for key in keys[1:]}
    took = RunCosts.of(one for one in store.summaries() if one.key == keys[0])
    each = run_counts.seconds_left(plan, keys[1:], took, before, 60.0)
    assert (
        each[keys[2]] == round(took.seconds[str(NEEDLE)], 1) < 90
    )  # the same model under another seed
    assert (
        each[keys[1]] == each[keys[3]] == pytest.approx(90)
    )  # another model: its training may take long
    slow = RunCosts(took.done, dict.fromkeys(took.seconds, 400.0))
    assert run_counts.seconds_left(plan, keys[1:2], slow, before, 60.0) == {keys[1]: 400.0}


def test_hours_counted_twice_are_the_same(store: Store) -> None:
    plan = planned()
    keys = plan.grid.keys
    of = {key: (names[0], names[1]) for names, key in zip(plan.grid.labels, keys, strict=True)}

    def counted(took: RunCosts, before: dict[str, object]) -> dict[str, object]:
        left = run_counts.seconds_left(plan, keys[1:], took, StudyResults(by_corpus=before), 60.0)
        return run_counts.missing_of(of, dict.fromkeys(keys) | left)

    took = RunCosts.of(one for one in store.summaries() if one.key == keys[0])
    slow = RunCosts(took.done, dict.fromkeys(took.seconds, 30.0))  # one of two models was measured
    once = counted(slow, {"sst": {"missing": 4, "planned": 4, "hours_left": 0.1}})
    assert once["sst"]["seconds"] == {MODELS[0]: 30.0, MODELS[1]: 90.0}
    assert once == counted(slow, once) == counted(RunCosts.of(()), once)


def test_a_table_of_which_nothing_is_kept_has_a_page() -> None:
    """A paper's row may be declared before anything of it was run."""
    page = docs_tables.page_of_all({})
    assert len(page["tables"]) == len(PAPER_TABLES)
    assert {(one["planned"], one["done"]) for one in page["tables"]} == {(0, 0)}
    assert "`jain2019:J-2`" in docs_reproduction.overview(page)
    waiting = re.findall(r"\[(\d+) of ", docs_claims.claims(page))
    assert sum(map(int, waiting)) == len(page["claims"])
    assert "no run" in docs_protocol.starts_run(page)


def test_runs_by_corpus_add_up_to_those_of_the_table() -> None:
    page = docs_tables.page_of_all(kept_of(read_rows(RESULTS_FILE)))
    assert sum(one["done"] for one in page["tables"]) > 0
    for one in page["tables"]:
        for count in ("planned", "done"):
            assert sum(runs[count] for runs in one["runs"].values()) == one[count], one["id"]


def test_a_corpus_that_lacks_no_run_is_known_by_its_readings() -> None:
    row = Row("t", "sst", "m", run="a")
    readings = {"a": (row, None), "b": (row, None), "c": (Row("t", "imdb", run="c"), None)}
    readings[joint_name(["a", "b"])] = (row, None)  # a number of both runs is no third run
    kept = StudyResults(by_corpus={"imdb": {"planned": 4, "missing": 3}}, readings=readings)
    assert paper_pages.runs_by_corpus(kept) == {
        "sst": {"planned": 2, "done": 2},
        "imdb": {"planned": 4, "done": 1},
    }


RESULTS_FILE = Path(__file__).resolve().parents[2] / "docs" / "verified" / "results.csv.gz"


def test_committed_results_have_every_study_and_its_page() -> None:
    known = kept_of(read_rows(RESULTS_FILE))
    every = {ALL, *PAPER_TABLES, *CALIBRATIONS}
    assert every - {"thresholds"} <= known.keys() <= every  # nothing of a study that is gone
    for name, study in CALIBRATIONS.items():
        if name in known:
            assert page(study, known[name])["gates"] is not None
    lines = [line for one in docs_tables.page_of_all(known)["tables"] for line in one["lines"]]
    assert len(lines) > 1000
    assert {line["result"] for line in lines} == {"", *RESULTS, NOT_COMPARABLE}


def test_chance_of_rank_information_is_that_of_untrained_models() -> None:
    """An untrained model with sharpened weights has most of the published τ of .92."""
    known = kept_of(read_rows(RESULTS_FILE))
    ours = paper_pages.untrained(known)
    assert sorted((run.corpus, run.seed) for run, _ in ours) == [
        (corpus, n) for corpus in ("news", "sst") for n in range(10)
    ]
    on_sst = [said for run, said in ours if run.corpus == "sst"]
    assert all(said[TAU_BY_RANK].value.value > 0.9 for said in on_sst)


def line(quantity: str, published: float, result: str = "outside", **more: object) -> dict:
    return {"corpus": "imdb", "model": "", "quantity": quantity, "published": published,
            "result": result, **more}  # fmt: skip


def test_counts_that_papers_share_and_sums_of_them_are_counted_once() -> None:
    first = [
        line("training texts of class 0", 12500),
        line("training texts of class 1", 12500),
        line("test texts of class 0", 2184, "within"),
    ]
    again = [*first[:2], line("words of the vocabulary", 41919)]
    sums = [line("training texts", 25000), line("test texts", 4356, "within")]
    tables = [{"lines": lines} for lines in (first, again, sums)]
    assert docs_reproduction.counts_once(tables) == {"outside": 3, "within": 2}
    of_a_model = {**line("F1", 0.9), "model": "m"}
    assert docs_reproduction.counts_once([{"lines": [of_a_model]}]) == {}


def test_a_line_that_stands_in_a_table_above_is_left_out_and_counted() -> None:
    ours = {"value": 0.3}
    known = {"ours": ours, "floor": ours, "model": "m", "seeds": 5}
    same = line("τ", 0.4, "within", written="0.40", **known)
    unprinted, other = {**same, "written": ""}, {**same, "written": "0.50"}
    fewer = {**same, "seeds": 4}
    tables = [
        {"id": name, "lines": lines, "notes": []}
        for name, lines in (("one", [same]), ("two", [same, unprinted, other, fewer]))
    ]
    first, second = docs_reproduction._without_repeats(tables)
    assert (first["lines"], first["notes"]) == ([same], [])
    assert second["lines"] == [other, fewer]
    assert [note.rpartition(" ")[2] for note in second["notes"]] == ["2"]


def test_a_note_that_stands_in_a_table_above_is_named_and_not_repeated() -> None:
    known = {"ours": {"value": 0.3}, "floor": None, "model": "", "seeds": 0}
    tables = [
        {"id": name, "lines": [line(name, 0.4, written="0.40", **known)], "notes": notes}
        for name, notes in (("one", ["a", "b"]), ("two", ["b", "c"]))
    ]
    first, second = docs_reproduction._without_repeats(tables)
    assert first["notes"] == ["a", "b"]
    assert second["notes"][0] == "c"
    assert "b" not in second["notes"]
    assert second["notes"][1].endswith("under one")


def test_a_table_whose_lines_all_stand_above_names_the_models_that_are_not_run() -> None:
    known = {"ours": {"value": 0.3}, "floor": None, "model": "bilstm+additive", "seeds": 5}
    same = line("τ", 0.4, "within", written="0.40", **known)
    first, second = (
        {"id": f"jain2019:{name}", "lines": [same], "notes": [], "missing": []}
        for name in ("J-2", "J-D")
    )
    lacking = {**second, "missing": [{"corpus": "sst", "missing": 10, "planned": 15}]}
    *_, last = docs_reproduction._without_repeats([first, lacking])
    assert last["lines"] == []
    (note,) = last["notes"]
    assert "1 under jain2019:J-2" in note
    assert note.endswith("not run yet: bilstm+dot, mlp+dot")
    *_, done = docs_reproduction._without_repeats([first, second])
    assert "1 under jain2019:J-2" in done["notes"][0]
    assert "not run yet" not in done["notes"][0]


def test_corpora_many_of_whose_words_have_no_vector_are_named_where_a_model_has_a_line() -> None:
    news, babi = (
        {**line("τ", 0.4, "within"), "corpus": corpus, "model": "m"} for corpus in ("news", "babi1")
    )
    counted = {**news, "corpus": "agnews", "model": ""}
    table = {"id": "one", "lines": [news, babi, counted], "notes": []}
    assert [note.partition(":")[0] for note in docs_reproduction._without_vectors(table)] == [
        "news"
    ]


def test_numbers_of_models_are_counted_apart_from_counts_of_texts() -> None:
    lines = [
        {**line(name, 0.4, result), "model": model, "corpus": "sst", "written": "0.4"}
        for name, result, model in (("a", "within", "m"), ("b", "within", ""), ("c", "outside", ""))
    ]
    page = {"tables": [{"id": "jain2019:J-1", "runs": {}, "lines": lines}]}
    (row,) = docs_reproduction.runs_and_numbers(page).splitlines()[2:3]
    assert row.split(" | ")[2:] == ["1: 1 within", "2: 1 within, 1 outside |"]


def test_a_number_that_a_paper_prints_in_two_tables_counts_once_by_the_first() -> None:
    def printed(table: str, result: str, written: str = "0.4") -> dict[str, object]:
        one = {**line("F1", 0.4, result), "model": "m", "corpus": "sst", "written": written}
        return {"id": table, "lines": [one]}

    first, again = printed("tutek2020:T-1", "within"), printed("tutek2020:T-6", "undetermined")
    assert docs_reproduction.kinds_of([first, again]) == {"within": 1}
    other = printed("tutek2020:T-6", "undetermined", "0.5"), printed("wen2022:W-1", "outside")
    assert docs_reproduction.kinds_of([first, *other]).total() == 3
    not_run = printed("tutek2020:T-1", "")
    assert docs_reproduction.kinds_of([not_run, again]) == {"undetermined": 1}


def test_results_that_hang_on_a_later_criterion_are_exploratory() -> None:
    same = {"result": "replicated", "result_before": "replicated"}
    other = {**same, "result_before": "undetermined"}
    shown = [
        docs_claims._is_exploratory({"standing": standing}, finding)
        for standing, finding in (
            ("fixed before", same), ("fixed before", other), ("changed after", same)
        )
    ]  # fmt: skip
    assert shown == [False, True, True]


def test_how_far_authors_are_from_themselves_is_counted_from_what_they_publish() -> None:
    found = margins.apart_from_themselves(printed_values("jain2019"), later_values("jain2019"))
    most = {of: max(apart) for of, apart in found.items()}
    assert most[("τ", False)] == pytest.approx(0.137)  # 20 Newsgroups, MLP: .65 and .787
    assert most[("significant with", True)] == pytest.approx(0.30)  # bAbI 2: .57 and .27
    assert most[("accuracy", True)] == pytest.approx(0.173)  # bAbI 2: .48 and .653
    assert most[("τ", False)] > margins.TAU  # they are outside of their own paper
    assert margins.kind_of("F1 lost under permuted weights") == "F1 lost"
    assert margins.kind_of("F1") == "F1"
    assert margins.kind_of("zeros") == ""


def test_counts_that_differ_from_the_printed_ones_are_listed_once() -> None:
    page = docs_tables.page_of_all(kept_of(read_rows(RESULTS_FILE)))
    rows = docs_protocol.corpora_differ(page).splitlines()[2:]
    assert len({*rows}) == len(rows)
    assert sum("| imdb | words of the vocabulary" in row for row in rows) == 1
    assert not [row for row in rows if "agnews" in row]  # said to be in part anyway


def test_a_result_of_fewer_seeds_than_planned_is_interim() -> None:
    known = kept_of(read_rows(RESULTS_FILE))
    for claim in CLAIMS:
        for one in paper_pages.claim_page(claim, known)["findings"]:
            amount = amounts_of(PAPER_TABLES[claim.table]).get(one["corpus"])
            if amount is not None:
                assert one["interim"] == (one["seeds"] < amount.seeds)
    assert docs_reproduction.seeds_done(4, 5) == "4 of 5, interim"
    assert docs_reproduction.seeds_done(5, 5) == docs_reproduction.seeds_done(5, 0) == "5"


def test_an_end_near_the_bar_that_decides_has_a_third_digit() -> None:
    near = {"value": -0.03, "low": -0.068, "high": 0.0046}
    assert docs_claims._decisive(near) == "-0.030 [-0.068, 0.005]"
    beyond = {"value": -0.05, "low": -0.2015, "high": 0.09}
    assert docs_claims._decisive(beyond) == "-0.05 [-0.20, 0.09]"
    assert docs_claims._decisive(beyond, margin=0.2) == "-0.050 [-0.202, 0.090]"
    assert docs_claims._decisive({**near, "high": 0.0}) == "-0.03 [-0.07, 0.00]"
    assert docs_claims._decisive({**near, "high": 0.02}) == "-0.03 [-0.07, 0.02]"
    alone = {"value": 0.16, "low": None, "high": None}
    assert docs_claims._decisive(alone) == "0.16"


def test_what_was_not_held_against_chance_and_what_nobody_claims_is_counted() -> None:
    def claim(source: str, against: str | None, *, low: bool, result: str = "replicated") -> dict:
        found = {
            "corpus": "sst", "seeds": 5, "result": result, "result_before": result,
            "against": against, "interim": False,
        }  # fmt: skip
        return {"source": source, "low": low, "standing": "fixed before", "findings": [found]}

    said = docs_claims._of_claims(
        [
            claim("Table 1", "above", low=False),
            claim("ours: no place", "above", low=False),
            claim("Table 2", None, low=False),
            claim("Table 3", "at or below", low=True),
            claim("Table 4", None, low=False, result="undetermined"),
        ]
    )
    assert "Of those replicated 2 were not held against a chance level" in said
    assert "1 of the 5 are ours: 1 replicated (" in said


def test_seeds_of_a_start_are_named_by_model_where_they_differ() -> None:
    def lines(model: str, seeds: int) -> dict:
        number = {"value": 0.3, "low": None, "high": None}
        return {
            "model": f"{model}, x", "quantity": "τ with gradient, class 0", "ours": number,
            "floor": number, "seeds": seeds, "planned": 3,
        }  # fmt: skip

    *_, same = docs_protocol._by_start([lines("bilstm+additive", 3), lines("mlp+additive", 3)], "x")
    assert same == "3"
    *_, apart = docs_protocol._by_start(
        [lines("bilstm+additive", 2), lines("mlp+additive", 3)], "x"
    )
    assert apart == "bilstm+additive: 2 of 3, interim; mlp+additive: 3"


def test_a_claim_is_decided_on_the_corpus_that_was_named_beforehand() -> None:
    found = [{"corpus": corpus, "result": "undetermined"} for corpus in ("news", "sst")]
    assert docs_claims._deciding({"findings": found}) is found[1]
    assert docs_claims._deciding({"findings": found[:1]}) is None


def test_counts_of_a_corpus_say_nothing_of_a_sample_of_test_texts() -> None:
    known = kept_of(read_rows(RESULTS_FILE))
    lines = paper_pages.page_of(PAPER_TABLES["tutek2020:T-5"], known["tutek2020:T-5"])["lines"]
    assert {line["corpus"] for line in lines} >= {"imdb"}
    assert {line["limit"] for line in lines} == {None}


def test_printed_numbers_are_shown_as_they_are_printed() -> None:
    (found,) = [
        one for one in printed_values_in("jain2019:J-2")
        if one.of == ("sst", "bilstm+additive", "τ with gradient, class 0")
    ]  # fmt: skip
    assert (found.written, found.value) == ("0.40 ± 0.21", 0.4)
    table = {"id": "x:1", "place": "p", "told": "τ of a", "notes": [], "lines": []}
    assert "\nτ of a.\n" in docs_reproduction._paper_table(table)


WHOLE = "shown"
"""A study whose runs are counted together."""


def kept_whole(tmp_path: Path) -> tuple[Path, Work]:
    """Give a results file with all counts of that study, and the work on it."""
    file = write_rows(
        tmp_path / "results.csv.gz", (row for row in read_rows(RESULTS_FILE) if row.study == WHOLE)
    )
    return file, work_on([WHOLE], file, Path("nowhere"), tmp_path)


def with_one_run(work: Work, folder: Path) -> Store:
    """Give a store with a single run of the study."""
    ((plan,),) = work.plans.values()
    key, spec = plan.grid.keys[0], plan.grid.specs[0]
    accuracy = {"accuracy": Estimate(1.0, 0.9, 1.0, 100, "Wilson")}
    labels = (str(spec.data), str(spec.model), spec.seed)
    run = Summary(key, *labels, "done", 1.0, "", "can be shown", {}, accuracy, 4, {"alpha": 4})
    store = Store(folder)

    def write(aside: Path) -> None:
        aside.mkdir()
        (aside / "summary.json").write_text(json.dumps(plain(asdict(run))))

    write_sealed(store.run_folder(key), write)
    return store


def test_counts_of_a_whole_study_are_not_replaced_by_those_of_fewer_runs(tmp_path: Path) -> None:
    file, work = kept_whole(tmp_path)
    before = read_rows(file)
    update_file(file, work, with_one_run(work, tmp_path / "store"))
    assert sorted(map(str, read_rows(file))) == sorted(map(str, before))
    assert len(work.grid(WHOLE).specs) == 200
    assert not work.grid(WHOLE, but_known=True).specs  # all are counted


def with_digest(work: Work, digest: str | None) -> Work:
    """Let the earlier counts of the study record which runs they count, or None: not record it."""
    known = work.before[WHOLE]
    status = {name: value for name, value in known.status.items() if name != RUNS_DIGEST}
    if digest is not None:
        status[RUNS_DIGEST] = digest
    return replace(work, before={WHOLE: replace(known, status=status)})


def runs_left(work: Work, store: Store, folder: Path) -> tuple[int, int, int]:
    """Say how many runs are left by ``--dry-run``, ``--so-far`` and ``--skip-counted``."""
    planned = progress(work, store)[WHOLE]
    (counted,) = study_names.count(study_names.NamedStudy(WHOLE, folder), work, store)
    made = work.grid(WHOLE, but_known=True).specs
    return planned["planned"] - planned["done"], counted["planned"] - counted["done"], len(made)


def test_every_output_has_the_same_runs_of_a_whole_study_left(tmp_path: Path) -> None:
    _, work = kept_whole(tmp_path)
    ((plan,),) = work.plans.values()
    store = Store(tmp_path / "store")
    without = with_digest(work, None)
    assert runs_left(without, store, tmp_path) == (0, 0, 0)
    (note,) = without.notes
    assert note.startswith(WHOLE)
    same = with_digest(work, update_results._digest(plan))
    assert (runs_left(same, store, tmp_path), same.notes) == ((0, 0, 0), [])
    other = with_digest(work, "of other settings")
    assert runs_left(other, store, tmp_path) == (200, 200, 200)
    (changed,) = other.notes
    assert changed != note


def test_counts_of_a_whole_study_record_their_runs(tmp_path: Path) -> None:
    file, work = kept_whole(tmp_path)
    ((plan,),) = work.plans.values()
    other = with_digest(work, "of other settings")
    write_kept(file, other.before)
    update_file(file, other, with_one_run(work, tmp_path / "store"))
    status = kept_of(read_rows(file))[WHOLE].status
    assert status[RUNS_DIGEST] == update_results._digest(plan)
    assert (status["planned"], status["done"]) == (200, 1)


def test_what_another_command_wrote_meanwhile_stays(tmp_path: Path) -> None:
    file, work = kept_whole(tmp_path)
    other = Row("of another command", quantity="x", value="1")
    write_rows(file, [*read_rows(file), other])
    update_file(file, work, Store(tmp_path / "store"))
    assert [row for row in read_rows(file) if row.study == other.study] == [other]


@pytest.mark.parametrize("name", ["worlds", "papers", "jain2019:J-2"])
def test_a_study_file_does_not_take_the_name_of_a_study(tmp_path: Path, name: str) -> None:
    with pytest.raises(SpecError) as caught:
        check_file(tmp_path / "results.csv.gz", name)
    assert caught.value.field == "name"
    check_file(tmp_path / "results.csv.gz", "mine")


@pytest.mark.parametrize("study", ["random_attention", "examples"])
def test_a_study_of_which_few_runs_are_there_has_few_gates(study: str) -> None:
    known = kept_of(read_rows(RESULTS_FILE))[study]
    name, reading = next(iter(known.readings.items()))
    few = gates_of(study, replace(known, readings={name: reading}))
    assert 0 < len(few) < len(gates_of(study, known))
