"""What was read of runs outlasts their store: tables made of it are those made of the store, and what is newer wins."""

import math
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from sightline.errors import DataError
from sightline.experiments.executors.serial import Serial
from sightline.experiments.store import Store
from sightline.results import Estimate
from sightline.spec.keys import lasting_key, run_key
from sightline.spec.texts import parse_data, parse_model
from sightline.spec.values import RunSpec
from sightline.studies.artefact import Artefact, Asked, Done, Plan, Together
from sightline.studies.artefacts import ARTEFACTS
from sightline.studies.beside import compare
from sightline.studies.costs import Costs
from sightline.studies.lines import Found, less
from sightline.studies.performance import performance_of
from sightline.studies.readings import lines_of, read_readings, write_readings
from sightline.studies.study import complete, grid_of, with_earlier

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "validation"))

import docs_reproduction
import reproduced
import studied

NEEDLE = parse_data("planted:needle(n=120,length=6)")
MODELS = ("mlp(hidden=4)", "mlp(hidden=4)+uniform")


def needles(asked: Asked, corpus: str, seed: int) -> list[tuple[str, RunSpec]]:
    spec = RunSpec(NEEDLE, parse_model(MODELS[0]), seed=seed, companions=(), measures=("need",))
    return [(model, replace(spec, model=parse_model(model), fit=replace(spec.fit, epochs=1))) for model in MODELS]


def planned(**settings: object) -> Plan:
    one = Artefact("J-1", "Table 1", "what is said", ("sst",), cells=needles, numbers=performance_of)
    return Plan(replace(one, **settings), Asked(Path(), 2), ("sst",), {})


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    made = Store(tmp_path_factory.mktemp("store"))
    complete(planned().grid.cells, made, Serial())
    return made


@pytest.mark.parametrize("summed", [False, True])
def test_a_table_of_what_was_read_is_that_of_the_store(store: Store, tmp_path: Path, summed: bool) -> None:
    plan = planned(lines=less("accuracy", MODELS[0], "accuracy lost")) if summed else planned()
    file = tmp_path / "readings.jsonl"
    write_readings(file, [*lines_of("paper:J-1", plan, plan.said(store))])
    known = read_readings(file)["paper:J-1"]
    assert len(known) == len(plan.planned) == 4
    empty = Store(tmp_path / "empty")
    table = compare(plan, empty, plan.read(empty, known))
    assert table.rows == compare(plan, store).rows
    assert table.row_names == compare(plan, store).row_names
    assert all(
        isinstance(cells[1].value, float)
        for names, cells in zip(table.row_names, table.rows, strict=True)
        if names[1] == MODELS[1]
    )
    assert [*lines_of("paper:J-1", plan, plan.said(empty, known))] == file.read_text().splitlines()


def test_runs_of_the_store_stand_before_what_was_read_of_them(store: Store, tmp_path: Path) -> None:
    plan = planned()
    ours = plan.read(store)
    wrong = {lasting_key(run.spec): {"accuracy": Found(Estimate(2.0, 2.0, 2.0, 9, "wrong"))} for run, _ in ours}
    assert plan.read(store, wrong) == ours
    assert [*lines_of("paper:J-1", plan, plan.said(store, wrong))] == [*lines_of("paper:J-1", plan, plan.said(store))]
    assert [said["accuracy"].value.value for _, said in plan.read(Store(tmp_path / "empty"), wrong)] == [2.0] * 4


def test_a_run_of_which_only_lines_are_left_counts_as_done_and_says_nothing(tmp_path: Path) -> None:
    plan, file = planned(), tmp_path / "readings.jsonl"
    name, empty = lasting_key(plan.grid.cells[1]), Store(tmp_path / "empty")
    write_readings(file, [*lines_of("paper:J-1", plan, {name: None})])
    assert read_readings(file) == {"paper:J-1": {name: None}}
    assert plan.read(empty, {name: None}) == []
    assert read_readings(tmp_path / "none") == {}


def test_floors_and_bounds_are_kept_and_what_is_undefined(tmp_path: Path) -> None:
    plan, file = planned(), tmp_path / "readings.jsonl"
    value, floor = Estimate(0.5, math.nan, math.nan, 3, "one"), Estimate(0.1, 0.0, 0.2, 3, "other")
    said = {"bounded": Found(value, floor, (-math.inf, 1.0)), "free": Found(floor)}
    write_readings(file, [*lines_of("paper:J-1", plan, {plan.readings[0].name: said})])
    (read,) = read_readings(file)["paper:J-1"].values()
    assert str(read) == str(said)  # NaN is not equal to itself


def apart(runs: Sequence[Done]) -> dict[str, Found]:
    """Give what only both models together say."""
    first, second = (run.audit().metrics["accuracy"].value for run in runs)
    return {"apart": Found(Estimate(first - second, math.nan, math.nan, 9, "one seed"))}


def test_what_runs_say_only_together_is_read_and_kept_a_seed_at_a_time(store: Store, tmp_path: Path) -> None:
    plan, file = planned(together=Together(lambda model: model.partition("(")[0], apart)), tmp_path / "readings.jsonl"
    said = plan.said(store)
    write_readings(file, [*lines_of("paper:J-1", plan, said)])
    known = read_readings(file)["paper:J-1"]
    lines = {line.of: line for line in plan.lines(plan.read(Store(tmp_path / "empty"), known))}
    line = lines["sst", "mlp", "apart"]
    each = [store.audit(key).metrics["accuracy"].value for key in plan.grid.keys]
    assert line.found.value.value == pytest.approx((each[0] - each[1] + each[2] - each[3]) / 2)
    assert line.seeds == 2
    assert plan.unread(known) == set()

    half = Store(tmp_path / "half")  # one seed whole, of the other one run
    complete(plan.grid.cells[:3], half, Serial())
    assert [run.seed for run, told in plan.read(half) if "apart" in told] == [0]
    assert plan.unread(plan.said(half)) == {*plan.grid.keys[2:]}
    assert [run.seed for run, told in plan.read(half, known) if "apart" in told] == [0, 1]
    lost = {name: told for name, told in known.items() if "+" not in name}
    assert plan.unread(lost) == {*plan.grid.keys}  # what each said is known, and what both did is not


def test_a_broken_line_is_named(tmp_path: Path) -> None:
    file = tmp_path / "readings.jsonl"
    file.write_text('{"artefact": "paper:J-1", "run": "aa", "said": null}\n{"artefact": \n')
    with pytest.raises(DataError, match=r"readings.jsonl:2: expected a run of a table"):
        read_readings(file)


def test_a_run_is_known_by_what_it_is_and_not_by_the_bytes_of_its_vectors() -> None:
    run = needles(Asked(Path()), "sst", 0)[0][1]
    assert lasting_key(run) == run_key(run)
    started = [
        replace(run, model=replace(run.model, vectors=f"/{place}/words.txt", vectors_digest=digest))
        for place, digest in (("here", "ab"), ("there", "cd"))
    ]
    first, second = map(lasting_key, started)
    assert first == second
    assert len({first, lasting_key(run), lasting_key(replace(started[0], seed=1)), run_key(started[0])}) == 4


def test_rows_of_before_stand_where_a_grid_has_their_runs_and_no_newer_row() -> None:
    cells = [((str(seed),), replace(needles(Asked(Path()), "sst", 0)[0][1], seed=seed)) for seed in range(3)]
    grid = grid_of("s", ("seed",), cells)
    first, second, third = (lasting_key(cell) for _, cell in cells)
    before = {
        "rows": [{"run": second, "of": "before"}, {"run": first, "of": "before"}, {"run": "another", "of": "before"}],
        "swept": [{"run": f"{first}+{third}", "of": "before"}, {"run": f"{first}+another", "of": "before"}],
    }
    now = {"rows": [{"run": third, "of": "now"}, {"run": second, "of": "now"}], "swept": [], "new": []}
    told = with_earlier(now, before, grid)
    assert [(row["run"], row["of"]) for row in told["rows"]] == [(first, "before"), (second, "now"), (third, "now")]
    assert [row["run"] for row in told["swept"]] == [f"{first}+{third}"]
    assert told["new"] == []


def test_a_line_stays_where_it_rests_on_more_seeds_than_are_read_now() -> None:
    def line(model: str, seeds: int, value: float, limit: int | None = None) -> dict[str, object]:
        return {"corpus": "sst", "model": model, "quantity": "F1", "seeds": seeds, "ours": value, "limit": limit}

    before = [line("a", 3, 0.1), line("c", 1, 0.3), line("c", 1, 0.4, 500)]
    now = [line("a", 2, 0.5), line("b", 1, 0.6), line("c", 1, 0.7)]
    told = reproduced._with_earlier(now, before, [("sst", "b", "F1"), ("sst", "a", "F1")])
    assert [(one["model"], one["ours"]) for one in told] == [("b", 0.6), ("a", 0.1), ("c", 0.7), ("c", 0.4)]


def test_a_line_falls_where_other_runs_are_asked_for_than_it_is_of(store: Store) -> None:
    def line(model: str, seeds: int, corpus: str = "sst", limit: int | None = None) -> dict[str, object]:
        return {"corpus": corpus, "model": model, "seeds": seeds, "limit": limit}

    plan = planned()
    lost = [one.name for one in plan.readings if (one.run.model, one.run.seed) == (MODELS[1], 1)]
    said = {name: None if name == lost[0] else told for name, told in plan.said(store).items()}
    both = {(None, "sst", model): {0, 1} for model in MODELS}
    assert reproduced.seeds_of(plan, said) == both  # of one only lines were kept, and it was read
    del said[lost[0]]
    seeds = reproduced.seeds_of(plan, said)
    assert seeds == {**both, (None, "sst", MODELS[1]): {0}}
    assert reproduced.seeds_of(plan, {}) == {of: set() for of in both}
    lines = [line(MODELS[0], 2), line(MODELS[1], 2), line(MODELS[1], 1), line("any", 2, "all"), line("any", 3, "all")]
    assert [reproduced.stands(one, seeds) for one in lines] == [True, False, True, True, False]
    assert not reproduced.stands(line("any", 1, "all", 500), seeds)
    assert reproduced.stands(line("", 0), {})  # counted of the corpus itself


def test_a_count_goes_on_with_what_no_row_has() -> None:
    cells = [cell for _, cell in needles(Asked(Path()), "sst", 0)]
    before = {"rows": [{"run": lasting_key(cells[0])}, {"of": "a row without a run"}]}
    assert studied.uncounted(cells, before) == (cells[1],)
    assert studied.uncounted(cells, {}) == tuple(cells)


def test_a_run_that_several_tables_read_is_counted_once_and_as_left_where_one_waits_for_it() -> None:
    told = reproduced.once([{"a": None, "b": 3600.0}, {"b": 600.0, "c": None}, {"c": 1800.0, "a": None}])
    assert told == {"planned": 3, "done": 1, "hours_left": 1.5}
    assert reproduced.once([{}]) == {"planned": 0, "done": 0, "hours_left": 0.0}


def test_what_is_missing_is_told_by_corpus() -> None:
    left = {"a": None, "b": 3600.0, "c": 1800.0, "d": 5400.0, "e": None, "f": 1800.0}
    of = {"a": ("sst", "m"), "b": ("sst", "m"), "c": ("sst", "n"), "d": ("news", "m"), "e": ("babi1", "m")}
    told = reproduced.missing_of({**of, "f": ("sst", "n")}, left)
    assert told == [
        {"corpus": "sst", "missing": 3, "planned": 4, "hours_left": 2.0, "seconds": {"m": 3600.0, "n": 1800.0}},
        {"corpus": "news", "missing": 1, "planned": 1, "hours_left": 1.5, "seconds": {"m": 5400.0}},
    ]
    assert [docs_reproduction._missing(one) for one in told] == ["sst 3 of 4 (2.0)", "news all (1.5)"]


def test_what_a_missing_run_was_reckoned_to_take() -> None:
    assert studied.usual_seconds({"planned": 10, "hours_left": 2.0}, 6) == 1800
    assert studied.usual_seconds({"planned": 10, "hours_left": 2.0, "usual_seconds": 60}, 6) == 60
    assert studied.usual_seconds({"rows": [{}] * 6}, 6) == 0  # a whole table says nothing of what is missing
    assert studied.usual_seconds({}, 0) == studied.usual_seconds({"planned": 6, "hours_left": 0.0}, 6) == 0


def test_what_a_run_of_a_corpus_was_reckoned_to_take_outlasts_the_store(tmp_path: Path, store: Store) -> None:
    before = {"missing": [{"corpus": "sst", "missing": 4, "planned": 9, "hours_left": 0.1}]}
    assert [reproduced.reckoned(before, (one, "m"), 60.0) for one in ("sst", "news")] == [pytest.approx(90), 60.0]
    assert reproduced.reckoned({}, ("sst", "m"), 60.0) == 60.0
    took = [one.seconds for one in store.summaries() if one.key in planned().grid.keys]
    assert reproduced.mean_of_done([planned()], [*store.summaries()]) == pytest.approx(sum(took) / len(took), abs=0.1)
    assert reproduced.mean_of_done([planned()], []) == 0
    known = {"missing": [{**before["missing"][0], "seconds": {"m": 30.0}}]}
    assert [reproduced.reckoned(known, ("sst", one), 60.0) for one in "mn"] == [30.0, pytest.approx(90)]
    plan, empty = planned(), Store(tmp_path / "empty")
    keys = plan.grid.keys
    lost = reproduced._left(plan, keys[1:], Costs.of(empty.summaries()), before, 60.0)
    assert lost == {key: pytest.approx(90) for key in keys[1:]}
    took = Costs.of(one for one in store.summaries() if one.key == keys[0])
    each = reproduced._left(plan, keys[1:], took, before, 60.0)
    assert each[keys[2]] == round(took.seconds[str(NEEDLE)], 1) < 90  # the same model under another seed
    assert each[keys[1]] == each[keys[3]] == pytest.approx(90)  # another model: the training of that one may be dear
    slow = Costs(took.done, dict.fromkeys(took.seconds, 400.0))
    assert reproduced._left(plan, keys[1:2], slow, before, 60.0) == {keys[1]: 400.0}


def test_hours_counted_twice_are_the_same(store: Store) -> None:
    plan = planned()
    keys = plan.grid.keys
    of = {key: (names[0], names[1]) for names, key in zip(plan.grid.labels, keys, strict=True)}

    def counted(took: Costs, before: list[dict[str, object]]) -> list[dict[str, object]]:
        left = reproduced._left(plan, keys[1:], took, {"missing": before}, 60.0)
        return list(reproduced.missing_of(of, dict.fromkeys(keys) | left))

    took = Costs.of(one for one in store.summaries() if one.key == keys[0])
    slow = Costs(took.done, dict.fromkeys(took.seconds, 30.0))  # one of two models was measured
    once = counted(slow, [{"corpus": "sst", "missing": 4, "planned": 4, "hours_left": 0.1}])
    assert [one["seconds"] for one in once] == [{MODELS[0]: 30.0, MODELS[1]: 90.0}]
    assert once == counted(slow, once) == counted(Costs.of(()), once)


def test_tables_along_lambda_ask_for_the_film_reviews_of_their_study() -> None:
    wanted = {
        name: [one.limit for one in reproduced.asked(ARTEFACTS[name])] for name in ("meister2021:M-2", "jain2019:J-2")
    }
    assert wanted == {"meister2021:M-2": [None, 1000], "jain2019:J-2": [None, 500]}
    assert [one.limit for one in reproduced.asked(ARTEFACTS["wen2022:W-1"])] == [None]


def test_words_start_from_vectors_that_know_them_in_the_tables_of_one_paper_alone() -> None:
    def told(name: str) -> set[tuple[str, tuple[str, ...], int | None]]:
        every = reproduced.asked(ARTEFACTS[name])
        return {(one.vectors.name if one.vectors else "", one.corpora, one.limit) for one in every}

    films, news = "film-reviews.vectors.txt", "news.vectors.txt"
    assert told("tutek2020:T-1") == {(films, ("sst", "imdb"), None), (news, ("news", "agnews"), None)}
    assert told("tutek2020:T-2") == {
        (films, ("sst",), None), (films, ("imdb",), 500), (news, ("news",), None), (news, ("agnews",), 500),
    }  # fmt: skip
    assert {vectors for vectors, *_ in told("jain2019:J-1") | told("wen2022:W-1")} == {""}
