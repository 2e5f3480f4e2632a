"""The protocol of the reproduction: how much of each table, in which order, at what predicted cost;
and its claims.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sightline.config.part_syntax import Part
from sightline.config.run_keys import run_key, training_key
from sightline.core.errors import SpecError
from sightline.core.results import Estimate
from sightline.data.word_vectors import write_vectors
from sightline.experiments import grid
from sightline.experiments.store import Store
from sightline.studies.aggregate import AggregateLine, Number, RunName, RunNumbers
from sightline.studies.papers import (
    adversaries,
    claim_list,
    predicted_cost,
    protocol,
    published_comparison,
)
from sightline.studies.papers.claim_list import CLAIMS
from sightline.studies.papers.claims import (
    ABOVE,
    ADDED,
    AT_CHANCE,
    CHANGED,
    EITHER,
    FIXED,
    NOT_ABOVE,
    NOT_REPLICATED,
    REPLICATED,
    REVERSED,
    UNDETERMINED,
    Claim,
    Order,
    Side,
    findings_of,
    printed_effects,
)
from sightline.studies.papers.paper_index import PAPER_TABLES, plan_named
from sightline.studies.papers.paper_table import PATIENCE
from sightline.studies.papers.published_comparison import UNSAID, compare
from sightline.studies.papers.published_values import later_values_in, printed_values_in
from sightline.studies.papers.run_order import LATER, forecast, ordered
from sightline.studies.run_plan import Plan
from sightline.studies.study_corpora import vectors_of
from sightline.studies.study_definition import Amount, Params
from tests.studies import small
from tests.studies.runs import run_all

EVERY = (*protocol.PRIMARY, *protocol.SECONDARY)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("corpora")
    small.sst(place)
    small.babi(place)
    (place / "vectors").mkdir()
    write_vectors(place / "vectors" / "words.txt", ("fine", "dull"), np.ones((2, 300)))
    return place


@pytest.fixture
def unread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take the bytes of every corpus as known: most are not here."""
    monkeypatch.setattr(grid, "content_digest", lambda data: "ab" * 32)


def plans(folder: Path, seeds: int | None = None) -> dict[str, Plan]:
    """Plan every table on corpora that need not be there."""
    return {
        name: Plan(study, asked, asked.corpora, {})
        for name, study in PAPER_TABLES.items()
        for asked in [protocol.full_protocol(study, folder, None, seeds)]
    }


# ------------------------------------------------------------- how much, in which order


def test_every_table_is_asked_for_and_every_name_of_a_stage_is_a_table_or_a_corpus() -> None:
    assert {name for stage in protocol.STAGES for name in stage.tables} == {*PAPER_TABLES}
    assert {corpus for stage in protocol.STAGES for corpus in stage.corpora} == {*EVERY}


def test_every_table_that_lacks_a_corpus_at_hand_is_named() -> None:
    at_hand = {*protocol.PRIMARY, *protocol.SECONDARY}
    lacking = {
        name
        for name, study in PAPER_TABLES.items()
        if at_hand.intersection(study.corpora) - protocol.amounts_of(study).keys()
    }
    assert lacking == {name for tables in protocol.NOT_RUN.values() for name in tables}


def test_the_seeds_of_the_cited_tables_are_those_of_the_protocol() -> None:
    amounts = {name: protocol.amounts_of(study) for name, study in PAPER_TABLES.items()}
    for name in ("jain2019:J-2", "tutek2020:T-1", "wen2022:W-2"):
        assert [amounts[name][corpus].seeds for corpus in ("sst", "news")] == [10, 10]
    assert {
        amount.seeds
        for of in amounts.values()
        for corpus, amount in of.items()
        if corpus in protocol.SECONDARY
    } == {3}
    assert amounts["jain2019:J-2"]["imdb"].limit == 500
    assert amounts["tutek2020:T-1"]["imdb"].limit is None  # it reads answers alone
    assert amounts["jain2019:J-2"]["sst"].limit is None


def test_runs_are_in_the_order_of_the_stages_and_of_their_seeds(folder: Path, unread: None) -> None:
    runs = ordered(plans(folder))
    stages = [stage.asks for stage in protocol.STAGES]
    places = [stages.index(run.stage) for run in runs]
    assert places == sorted(places)
    first = [run for run in runs if run.stage == stages[0]]
    assert [run.seed for run in first] == sorted(run.seed for run in first)
    assert {run.table for run in first} == {f"jain2019:J-{n}" for n in (1, 2, 3, 4)}
    assert {run.corpus for run in first} == {"sst", "news"}
    assert {run.corpus for run in runs if run.stage == stages[-2]} == {*protocol.SECONDARY}


def test_more_seeds_than_the_protocol_has_come_last(folder: Path, unread: None) -> None:
    few = {"meister2021:M-3": plans(folder, 7)["meister2021:M-3"]}
    runs = ordered(few)
    late = [run.seed for run in runs if run.stage == LATER]
    assert {run.stage for run in runs[-len(late) :]} == {LATER}
    assert {*late} == {*range(1, 7)}  # on film reviews the protocol has one seed
    assert len(runs) == 2 * 3 * 7


def test_the_whole_laboratory_fits_in_sixty_hours(folder: Path, unread: None) -> None:
    found = forecast(plans(folder), None, {})
    assert 30 < found.status["hours_left"] < 60
    assert found.status["done"] == 0
    rows = found.by_table()
    assert sum(row["new"] for row in rows) == found.status["planned"]
    assert sum(row["hours_left"] for row in rows) == pytest.approx(
        found.status["hours_left"], abs=0.5
    )
    by_stage = found.by_stage()
    assert by_stage[-1]["hours_by_its_end"] == pytest.approx(found.status["hours_left"], abs=0.2)
    assert by_stage[0]["hours_by_its_end"] < 2


def test_a_training_is_counted_where_it_is_needed_first(folder: Path, unread: None) -> None:
    (first, second) = (
        plans(folder)[name].grid.specs[0] for name in ("jain2019:J-2", "jain2019:J-6")
    )
    assert training_key(first) == training_key(second)
    assert run_key(first) != run_key(second)
    counted = predicted_cost.Forecast()
    one, two = counted.next(first, "sst"), counted.next(second, "sst")
    alone = predicted_cost.Forecast().next(second, "sst")
    assert alone - two == pytest.approx(predicted_cost.training_seconds(first, "sst"))
    assert one > two


NAMED = {"news": "20news", **{f"babi{task}": f"babi {task}" for task in (1, 2, 3)}}
"""What the counts of the corpora call some of them."""


@pytest.mark.parametrize("corpus", EVERY)
def test_the_sizes_that_hours_rest_on_are_those_of_the_corpora(corpus: str) -> None:
    file = Path(__file__).resolve().parents[2] / "docs" / "verified" / "data.json"
    counted = json.loads(file.read_text(encoding="utf-8"))["corpora"]
    splits = counted[NAMED.get(corpus, corpus)]["paper"]["splits"]
    size = predicted_cost.SIZES[corpus]
    assert (size.training, size.test) == (splits["train"]["n"], splits["test"]["n"])
    assert size.test_square >= size.test_words**2  # as a mean of squares is


def test_hours_grow_with_tokens_epochs_and_what_is_measured(folder: Path, unread: None) -> None:
    run = plans(folder)["jain2019:J-2"].grid.specs[0]
    seconds = predicted_cost.training_seconds
    assert seconds(run, "imdb") > 15 * seconds(run, "sst")
    longer = replace(run, fit=replace(run.fit, epochs=60, patience=20))
    assert seconds(longer, "sst") > 3 * seconds(run, "sst")
    searched = replace(run, measures=("searched",))
    assert predicted_cost.audit_seconds(searched, "sst") > 3 * predicted_cost.audit_seconds(
        run, "sst"
    )
    few = replace(searched, limit=100)
    assert (
        predicted_cost.audit_seconds(few, "sst") < predicted_cost.audit_seconds(searched, "sst") / 5
    )


def test_trainings_end_early_just_where_no_paper_fixes_the_epochs(folder: Path) -> None:
    for plan in plans(folder).values():
        for run in plan.planned:
            fit = run.spec.fit
            assert (fit.patience == PATIENCE) == (fit.epochs in (8, 20, 25, 60)), (run, fit)
            assert not fit.adversary or fit.adversary_patience == PATIENCE


# ------------------------------------------------------------- where words start


def test_adversaries_of_the_papers_have_the_patience_that_their_note_names(folder: Path) -> None:
    runs = plan_named("wiegreffe2019:P-V", Params(folder, 1, ("sst",))).planned
    fits = [run.spec.fit for run in runs if run.spec.fit.adversary]
    assert {(fit.adversary_epochs, fit.adversary_patience) for fit in fits} == {(20, PATIENCE)}
    assert f"at most 20 epochs here, with patience {PATIENCE}" in adversaries.SHORTER


def test_words_start_from_the_vectors_of_the_data_folder_and_others_from_zero(folder: Path) -> None:
    start = vectors_of(folder, None)
    assert start == folder / "vectors" / "words.txt"
    for corpus, wanted in (("sst", start), ("babi1", None)):
        asked = Params(folder, 1, (corpus,), vectors=start)
        (model,) = {run.spec.model for run in plan_named("jain2019:J-1", asked).planned}
        assert model.vectors == ("" if wanted is None else str(wanted))
        assert model.without_vector == ("random" if wanted is None else "zero")
        assert model.embedding == (50 if wanted is None else 300)


def test_which_vectors_must_be_said_where_there_are_two(tmp_path: Path) -> None:
    assert vectors_of(tmp_path, None) is None
    assert vectors_of(None, "words.txt") == Path("words.txt")
    assert vectors_of(tmp_path, "none") is None
    (tmp_path / "vectors").mkdir()
    for name in ("a.txt", "b.vec.gz"):
        (tmp_path / "vectors" / name).touch()
    with pytest.raises(SpecError) as error:
        vectors_of(tmp_path, None)
    assert error.value.field == "vectors"
    assert "a.txt, b.vec.gz" in str(error.value)
    assert vectors_of(tmp_path, "none") is None


def test_other_starts_are_another_table(folder: Path) -> None:
    asked = Params(folder, 1, ("sst",), vectors=vectors_of(folder, None))
    runs = plan_named("jain2019:J-V", asked).planned
    known = {run.model: run.spec.model for run in runs if run.model.startswith("bilstm")}
    assert [model.partition(", ")[2] for model in known] == [
        "random words, sd 0.1", "random words, sd 0.3", "random words, sd 1",
        "vectors × 0.5", "vectors × 1", "vectors × 2",
    ]  # fmt: skip
    assert {spec.embedding for spec in known.values()} == {300}
    assert [spec.vectors_scale for spec in known.values()] == [1, 1, 1, 0.5, 1, 2]
    same = plan_named("jain2019:J-2", asked).grid.keys
    assert len({*same} & {run_key(run.spec) for run in runs}) == 0  # planned runs are not pinned
    assert len({*same} & {*plan_named("jain2019:J-V", asked).grid.keys}) == 2  # vectors × 1


@pytest.mark.parametrize(
    ("table", "corpora", "where", "questions"),
    [
        ("J-1", ("sst",), "from words.txt", False),
        ("J-1", ("sst", "babi1"), "from words.txt", True),
        ("J-V", ("sst",), "as the names of rows say", False),
    ],
)
def test_a_table_says_where_the_words_of_its_own_runs_start(
    folder: Path, table: str, corpora: tuple[str, ...], where: str, questions: bool
) -> None:
    asked = Params(folder, 1, corpora, vectors=vectors_of(folder, None))
    note = published_comparison.start_of(plan_named(f"jain2019:{table}", asked))
    assert note.startswith(f"words start {where}")
    assert ("bAbI" in note) == questions


def test_a_table_of_counts_has_no_seeds_and_says_nothing_of_runs(folder: Path) -> None:
    plan = plan_named("tutek2020:T-5", Params(folder, corpora=("sst", "imdb"), limit=500))
    assert plan.planned == []
    notes = compare(plan, Store(folder / "none")).notes
    assert not [note for note in notes if note.startswith(("words start", "ours: a sample"))]
    amounts = protocol.amounts_of(PAPER_TABLES["tutek2020:T-5"])
    assert {*amounts.values()} == {Amount(0)}


def test_a_quick_try_is_one_corpus_one_seed_and_few_texts(folder: Path) -> None:
    whole = plan_named("jain2019:J-2", Params(folder))
    tried = plan_named("jain2019:J-2", Params(folder), quick=True)
    assert {run.corpus for run in whole.planned} > {"sst", "babi1"}
    assert {run.seed for run in whole.planned} == {*range(10)}
    assert [(run.corpus, run.seed, run.spec.limit) for run in tried.planned] == [
        ("sst", 0, 200)
    ] * 2
    only = plan_named("jain2019:J-2", Params(folder, corpora=("babi1",)), quick=True)
    assert {run.corpus for run in only.planned} == {"babi1"}
    seeds = plan_named("jain2019:J-2", Params(folder, 3), quick=True)
    assert [run.seed for run in seeds.planned] == [0, 0, 1, 1, 2, 2]


@pytest.mark.parametrize(("limit", "few", "many"), [(None, 50, 200), (80, 50, 80), (8, 8, 8)])
def test_a_run_never_has_more_texts_than_its_name_says(
    folder: Path, limit: int | None, few: int, many: int
) -> None:
    tried = plan_named("meister2021:M-1", Params(folder, 1, ("sst",), limit), quick=True)
    limits = {run.model: run.spec.limit for run in tried.planned}
    assert {model.endswith(", 50 texts") for model in limits} == {True, False}
    assert {limits[model] for model in limits if model.endswith(", 50 texts")} == {few}
    assert {limits[model] for model in limits if not model.endswith(" texts")} == {many}


def test_a_table_says_of_which_corpora_many_words_have_no_vector(
    folder: Path, tmp_path: Path
) -> None:
    asked = Params(folder, 1, ("sst",), 8, vectors=vectors_of(folder, None))
    plan = plan_named("meister2021:M-3", asked)
    spec = plan.grid.specs[0]
    tiny = replace(spec, model=replace(spec.model, encoder=Part("mlp", (("hidden", 4),))))
    quick = replace(tiny, fit=replace(spec.fit, epochs=1, patience=1))
    study = replace(plan.study, runs=lambda params: [(("sst", "m", "0"), quick)])
    short = replace(plan, study=study)
    store = Store(tmp_path / "store")
    before = compare(short, store).notes
    run_all(short.grid.specs, store)
    said = [note for note in compare(short, store).notes if note not in before]
    (card,) = (run.audit().cards["data"]["vectors"] for run in short.runs(store))
    assert card["words_found"] == 2  # fine and dull
    assert [note for note in said if "have no vector" in note] == [
        f"sst: {1 - 2 / card['of']:.0%} of the words and {card['tokens_without']:.0%} of the "
        "tokens of the training texts have no vector"
    ]


# ------------------------------------------------------------- what is printed and not said


def test_a_printed_quantity_that_no_run_says_is_named(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = plan_named("jain2019:J-1", Params(folder, 1, ("sst",), scale="smoke"))
    store = Store(tmp_path / "store")
    run_all(plan.grid.specs, store)
    from sightline.studies.papers import published_comparison

    right = [*published_comparison.printed_values_in("jain2019:J-1")]
    assert not [note for note in compare(plan, store).notes if note.startswith(UNSAID)]
    wrong = [replace(one, quantity="F!") if one.quantity == "F1" else one for one in right]
    monkeypatch.setattr(published_comparison, "printed_values_in", lambda name: iter(wrong))
    table = compare(plan, store)
    row = dict(zip(table.row_names, table.rows, strict=True))["sst", "bilstm+additive", "F!"]
    assert (row[2].value, row[2].note) == (None, UNSAID)
    assert [note for note in table.notes if note.startswith(UNSAID)] == [
        f"{UNSAID}: 'F!' of bilstm+additive on sst"
    ]


# ------------------------------------------------------------- claims

CLAIM = Claim(
    "jain2019", "a", "one above the other", "here", "jain2019:J-2",
    Order(Side("a", "q"), Side("b", "q")),
)  # fmt: skip


def number(value: float, chance: float | None = None) -> Number:
    def estimate(of: float) -> Estimate:
        return Estimate(of, of - 0.1, of + 0.1, 9, "")

    return Number(estimate(value), None if chance is None else estimate(chance))


def runs_of(*seeds: Mapping[str, Mapping[str, Number]], corpus: str = "sst") -> list[RunNumbers]:
    return [
        (RunName(corpus, model, seed), said)
        for seed, models in enumerate(seeds)
        for model, said in models.items()
    ]


def pair(more: float, less: float, by_chance: tuple[float, float] | None = None) -> dict[str, dict]:
    chances = by_chance or (None, None)
    return {"a": {"q": number(more, chances[0])}, "b": {"q": number(less, chances[1])}}


@pytest.mark.parametrize(
    ("seeds", "result"),
    [
        ([pair(0.7, 0.3), pair(0.72, 0.3), pair(0.69, 0.3)], REPLICATED),
        ([pair(0.3, 0.7), pair(0.3, 0.72), pair(0.3, 0.71)], NOT_REPLICATED),
        ([pair(0.7, 0.3), pair(0.3, 0.7), pair(0.5, 0.4)], UNDETERMINED),
        ([pair(0.7, 0.3)], UNDETERMINED),  # one seed
        ([pair(0.7, 0.3, (0.6, 0.1))] * 2 + [pair(0.72, 0.3, (0.6, 0.1))], REVERSED),
        ([pair(0.75, 0.25, (0.5, 0.0))] * 3, UNDETERMINED),  # no interval: all seeds agree
        (  # the effect has an interval, and what is left beyond chance has none
            [pair(0.75 + jitter, 0.25, (0.5 + jitter, 0.0)) for jitter in (0.0, 0.25, 0.125)],
            UNDETERMINED,
        ),
        ([pair(0.7, 0.3, (0.2, 0.1))] * 2 + [pair(0.72, 0.3, (0.2, 0.1))], REPLICATED),
        # all seeds have one number, which decides
        ([pair(0.5, 0.5)] * 3, NOT_REPLICATED),
        ([pair(0.7, 0.3)] * 2, REPLICATED),
        ([pair(0.3, 0.7)] * 2, NOT_REPLICATED),
        (  # the order holds; whether beyond chance hangs on the seed
            [pair(0.7, 0.3, chances) for chances in ((0.6, 0.1), (0.4, 0.1), (0.5, 0.1))],
            UNDETERMINED,
        ),
    ],
)
def test_a_claim_is_held_seed_by_seed_and_against_chance(
    seeds: list[Mapping[str, Mapping[str, Number]]], result: str
) -> None:
    (found,) = findings_of(CLAIM, runs_of(*seeds))
    assert (found.result, found.corpus, found.seeds) == (result, "sst", len(seeds))
    assert (found.chance is None) == (seeds[0]["a"]["q"].baseline is None)


def test_the_effect_is_over_seeds_that_have_both_and_over_predicted_classes() -> None:
    both = {
        "a": {"q, class 0": number(0.8), "q, class 1": number(0.6), "other": number(9.0)},
        "b": {"q, all classes": number(0.3)},
    }
    lone = {"a": {"q": number(0.9)}}
    (found,) = findings_of(CLAIM, runs_of(both, both, lone))
    assert found.effect.value == pytest.approx(0.4)
    assert found.seeds == 2
    never = {**both, "a": {**both["a"], "q, class 0": number(math.nan)}}
    (found,) = findings_of(CLAIM, runs_of(never))  # no text is predicted as class 0
    assert found.effect.value == pytest.approx(0.3)
    read = [*runs_of(both), *runs_of(both, corpus="news")]
    assert [one.corpus for one in findings_of(CLAIM, read)] == ["sst", "news"]
    assert [one.corpus for one in findings_of(replace(CLAIM, made_on=("news",)), read)] == ["news"]
    assert [one.corpus for one in findings_of(replace(CLAIM, left_out=("sst",)), read)] == ["news"]


@pytest.mark.parametrize(
    ("by_chance", "low", "against", "result"),
    [
        ((0.2, 0.2, 0.2), False, ABOVE, REPLICATED),
        ((0.6, 0.6, 0.6), False, NOT_ABOVE, REVERSED),
        ((0.2, 0.6, 0.4), False, EITHER, UNDETERMINED),
        ((0.6, 0.6, 0.6), True, NOT_ABOVE, REPLICATED),  # that something is small: no bar
        ((0.2, 0.6, 0.4), True, EITHER, REPLICATED),
    ],
)
def test_whether_an_order_is_beyond_chance_follows_from_an_interval(
    by_chance: tuple[float, ...], low: bool, against: str, result: str
) -> None:
    seeds = [pair(0.7 + jitter, 0.3, (chance, 0.0))
             for jitter, chance in zip((0.0, 0.01, 0.02), by_chance, strict=True)]  # fmt: skip
    (found,) = findings_of(replace(CLAIM, low=low), runs_of(*seeds))
    assert (found.against, found.result) == (against, result)
    assert found.beyond is not None
    assert found.beyond.value == pytest.approx(0.41 - np.mean(by_chance))


@pytest.mark.parametrize(
    ("quantity", "by_chance", "result", "before"),
    [
        ("τ with gradient", (0.41, 0.40, 0.42), AT_CHANCE, AT_CHANCE),  # nothing is left
        ("τ with gradient", (0.38, 0.39, 0.40), AT_CHANCE, REPLICATED),  # 0.02 is, surely
        ("τ with gradient", (0.42, 0.43, 0.44), AT_CHANCE, AT_CHANCE),  # or −0.02
        ("τ with gradient", (0.30, 0.50, 0.40), UNDETERMINED, AT_CHANCE),  # who knows
        ("τ with gradient", (0.58, 0.59, 0.60), REVERSED, AT_CHANCE),
        ("τ with gradient", (0.20, 0.21, 0.22), REPLICATED, REPLICATED),
        ("TVD of answers", (0.41, 0.40, 0.42), UNDETERMINED, AT_CHANCE),  # its margin is 0.01
        ("share of texts", (0.41, 0.40, 0.42), UNDETERMINED, AT_CHANCE),  # it has no margin
        ("share of texts", (0.38, 0.39, 0.40), REPLICATED, REPLICATED),
    ],
)
def test_an_effect_is_at_chance_level_if_what_is_left_lies_within_the_margin(
    quantity: str, by_chance: tuple[float, ...], result: str, before: str
) -> None:
    claim = replace(CLAIM, order=Order(Side("a", quantity), Side("b", quantity)))
    seeds = [
        {"a": {quantity: number(0.7 + jitter, chance)}, "b": {quantity: number(0.3, 0.0)}}
        for jitter, chance in zip((0.0, 0.0101, 0.02), by_chance, strict=True)
    ]
    (found,) = findings_of(claim, runs_of(*seeds))
    assert (found.result, found.result_before) == (result, before)


def test_a_chance_level_of_fewer_seeds_says_how_many_and_decides_from_two_on() -> None:
    known, unknown = pair(0.7, 0.3, (0.1, 0.0)), pair(0.71, 0.3)
    (three,) = findings_of(CLAIM, runs_of(known, pair(0.7, 0.3, (0.12, 0.0)), unknown))
    assert (three.seeds, three.chance_seeds, three.result) == (3, 2, REPLICATED)
    undefined = pair(0.71, 0.3, (float("nan"), 0.0))
    (same,) = findings_of(CLAIM, runs_of(known, pair(0.7, 0.3, (0.12, 0.0)), undefined))
    assert (same.seeds, same.chance_seeds, same.chance) == (3, 2, three.chance)
    (alone,) = findings_of(CLAIM, runs_of(known, unknown, unknown))
    assert (alone.seeds, alone.chance_seeds, alone.chance) == (3, 1, None)
    assert alone.result == UNDETERMINED
    (low,) = findings_of(replace(CLAIM, low=True), runs_of(known, unknown, unknown))
    assert (low.chance_seeds, low.result) == (1, REPLICATED)  # it is not held against chance


@pytest.mark.parametrize(
    ("by_chance", "low", "before"),
    [
        ((0.2, 0.2, 0.2), False, REPLICATED),
        ((0.6, 0.6, 0.6), False, AT_CHANCE),
        ((0.2, 0.6, 0.4), False, AT_CHANCE),  # what holds 0 was taken for chance
        ((0.6, 0.6, 0.6), True, AT_CHANCE),
    ],
)
def test_a_result_is_known_by_the_rule_that_was_fixed_before_numbers_were_seen(
    by_chance: tuple[float, ...], low: bool, before: str
) -> None:
    seeds = [pair(0.7 + jitter, 0.3, (chance, 0.0))
             for jitter, chance in zip((0.0, 0.01, 0.02), by_chance, strict=True)]  # fmt: skip
    fixed = replace(CLAIM, low=low).as_fixed
    assert fixed is not None
    (found,) = findings_of(fixed, runs_of(*seeds))
    assert found.result_before == before


def test_claims_say_whether_their_criterion_was_fixed_before_numbers_were_seen() -> None:
    standings = {claim.id: claim.standing for claim in CLAIMS}
    assert standings["jain2019:recurrent"] == FIXED
    assert standings["jain2019:gradient"] == CHANGED  # it was held against chance
    assert standings["wen2022:fixed-representation"] == CHANGED  # it had another chance level
    assert standings["jain2019:permutation"] == CHANGED  # another order
    assert standings["jain2019:weak"] == ADDED
    known = {claim.id for claim in CLAIMS if claim.as_fixed is not None}
    assert known == {name for name, standing in standings.items() if standing != ADDED}
    permutation = next(claim for claim in CLAIMS if claim.id == "jain2019:permutation")
    assert permutation.as_fixed is not None
    assert permutation.as_fixed.order == permutation.before


def test_a_claim_without_a_chance_level_says_so_whatever_its_rows_hold() -> None:
    seeds = [pair(0.7 + jitter, 0.3, (0.9, 0.0)) for jitter in (0.0, 0.01, 0.02)]
    (found,) = findings_of(replace(CLAIM, no_chance="other rows"), runs_of(*seeds))
    assert (found.chance, found.beyond, found.against) == (None, None, None)
    assert found.result == REPLICATED


def test_what_chance_is_may_be_said_by_models_of_another_study() -> None:
    """τ by rank of learned attention is high without any training: that is its chance level."""
    claim = next(one for one in CLAIMS if one.id == "wen2022:fixed-attention")
    fixed, untrained = claim_list.FIXED_ATTENTION, claim_list.UNTRAINED

    def found(trained: float, seeds: int) -> tuple[str, str | None]:
        said = [
            {
                model: {claim_list.TAU_BY_RANK: number(value)}
                for model, value in (
                    (claim_list.BILSTM, trained + seed / 100),
                    (fixed, -0.4),
                    (untrained, 0.8),
                )
                if model != untrained or seed < seeds
            }
            for seed in range(4)
        ]
        (one,) = findings_of(claim, runs_of(*said))
        return one.result, one.against

    assert found(0.5, 4) == (REVERSED, NOT_ABOVE)
    assert found(0.9, 3) == (REPLICATED, ABOVE)  # by the seeds that have both
    assert found(0.9, 1) == (UNDETERMINED, None)  # one seed says nothing of others
    assert found(0.9, 0) == (REPLICATED, None)  # no chance level is known


def test_a_constant_may_stand_on_either_side_and_a_claim_may_allow_some() -> None:
    seeds = [{"a": {"q": number(value)}} for value in (0.6, 0.62, 0.61)]
    above = replace(CLAIM, order=Order(Side("a", "q"), 0.5))
    below = replace(CLAIM, order=Order(0.5, Side("a", "q")))
    some = replace(CLAIM, order=Order(0.5, Side("a", "q"), -0.2))
    results = [next(findings_of(one, runs_of(*seeds))).result for one in (above, below, some)]
    assert results == [REPLICATED, NOT_REPLICATED, REPLICATED]


def test_a_claim_of_all_runs_together_is_held_by_its_own_interval() -> None:
    claim = next(one for one in CLAIMS if one.of_lines)
    greater = claim.order.greater
    assert isinstance(greater, Side)

    def found(value: Estimate, beyond: tuple[float, float] | None) -> str:
        floor = None if beyond is None else Estimate(0.5, 0.5, 0.5, 9, "")
        line = AggregateLine("all", "all", greater.quantity, Number(value, floor), 3)
        ends = beyond or (0.0, 0.0)
        left = Estimate(sum(ends) / 2, *ends, 9, "")
        read = replace(claim, beyond=lambda runs: left)
        (one,) = findings_of(read, (), [line, replace(line, corpus="questions")])
        assert one.chance_seeds == (0 if beyond is None else 3)
        return one.result

    most = Estimate(0.8, 0.6, 0.95, 9, "")
    assert found(most, (0.1, 0.45)) == REPLICATED
    assert found(most, (-0.03, 0.32)) == UNDETERMINED
    assert found(most, (-0.36, -0.01)) == REVERSED
    assert found(most, (-0.05, 0.09)) == AT_CHANCE
    # a wider interval makes nothing of less than the margin: its mean lies within
    assert found(most, (0.01, 0.09)) == AT_CHANCE
    assert found(most, (0.01, 0.15)) == found(most, (-0.15, -0.01)) == UNDETERMINED
    assert found(most, None) == REPLICATED
    assert found(Estimate(0.8, 0.4, 0.95, 9, ""), (0.1, 0.65)) == UNDETERMINED
    assert found(Estimate(0.3, 0.2, 0.45, 9, ""), (-0.1, 0.15)) == NOT_REPLICATED


def test_every_claim_is_about_models_that_its_table_runs_and_says_so_shortly() -> None:
    summed = {
        "meister2021:M-2": {"bilstm+additive+sparsegen"},
        "meister2021:M-F3": {"bilstm+additive+sparsegen"},
        "wen2022:W-5": {"all"},
    }
    assert len({claim.id for claim in CLAIMS}) == len(CLAIMS) >= 15
    assert {claim.paper for claim in CLAIMS} == {study.paper for study in PAPER_TABLES.values()}
    for claim in CLAIMS:
        study = PAPER_TABLES[claim.table]
        plan = Plan(study, Params(Path(), 1), study.corpora[:1], {})
        models = {run.model for run in plan.planned} | summed.get(claim.table, set())
        sides = sides_of(claim)
        assert sides
        assert {side.model for side in sides} <= models, claim.id
        assert len(claim.says.split()) <= 25
        assert claim.source
        amounts = protocol.amounts_of(study)
        assert amounts[protocol.DECIDES].seeds > 1  # it decides every claim that is made of all
        assert amounts.keys() >= {*claim.made_on}


def sides_of(claim: Claim) -> list[Side]:
    return [side for side in (claim.order.greater, claim.order.lesser) if isinstance(side, Side)]


NAMES = [claim.id for claim in CLAIMS]
REFUTED = "meister2021:sparsity-text"
"""The claim that the paper's own table refutes; it says so."""


@pytest.mark.parametrize("claim", CLAIMS, ids=NAMES)
def test_a_criterion_holds_on_the_numbers_that_its_paper_prints(claim: Claim) -> None:
    """A criterion that the paper's own numbers fail is no claim of the paper."""
    effects = printed_effects(claim, printed_values_in(claim.table))
    if not isinstance(claim.printed, str):
        assert effects
        assert min(effects.values()) > 0
        return
    assert claim.printed  # why they cannot show it
    assert effects == {}
    plain = printed_effects(replace(claim, printed=None), printed_values_in(claim.table))
    assert bool(plain) == (claim.id == REFUTED)
    assert all(effect < 0 for effect in plain.values())


def test_what_the_authors_later_run_gave_holds_where_nothing_is_printed() -> None:
    for name in ("gradient", "leave-one-out"):
        claim = next(one for one in CLAIMS if one.id == f"jain2019:{name}")
        effects = printed_effects(replace(claim, printed=None), later_values_in(claim.table))
        assert len(effects) == 5
        assert min(effects.values()) > 0.2


def test_a_criterion_that_the_printed_numbers_fail_is_seen() -> None:
    """The base was once said hardly to need its attention: its paper prints that it does."""
    base = Side("bilstm+additive", "F1 lost under permuted weights")
    claim = replace(CLAIM, table="tutek2020:T-1", order=Order(0.05, base))
    effects = printed_effects(claim, printed_values_in("tutek2020:T-1"))
    assert sorted(effects) == ["agnews", "anemia", "imdb", "news", "sst"]
    assert sum(effect > 0 for effect in effects.values()) == 1


@pytest.mark.parametrize("claim", CLAIMS, ids=NAMES)
@pytest.mark.parametrize(("holds", "result"), [(True, REPLICATED), (False, NOT_REPLICATED)])
def test_a_claim_can_hold_and_can_fail(claim: Claim, holds: bool, result: str) -> None:
    """With numbers that each quantity can take: none is replicated whatever is found."""
    greater, lesser = claim.order.greater, claim.order.lesser
    if not isinstance(greater, Side):
        assert isinstance(lesser, Side)
        values = {lesser: greater - 0.3 if holds else greater + 0.3}
    elif not isinstance(lesser, Side):
        values = {greater: lesser + 0.3 if holds else lesser - 0.3}
    else:
        values = {greater: 0.8 if holds else 0.2, lesser: 0.2 if holds else 0.8}
    if claim.of_lines:
        ((side, value),) = values.items()
        found = Number(Estimate(value, value - 0.1, value + 0.1, 9, ""))
        lines = [AggregateLine(side.model, side.model, side.quantity, found, 3)]
        (one,) = findings_of(claim, (), lines)
    else:
        seeds = []
        for seed in range(3):
            said: dict[str, dict[str, Number]] = {}
            for place, (side, value) in enumerate(values.items()):
                moved = value + seed / 100 + place * seed / 1000  # equal differences decide nothing
                said.setdefault(side.model, {})[side.quantity] = number(moved)
            seeds.append(said)
        (one,) = findings_of(claim, runs_of(*seeds, corpus=(claim.made_on or ("sst",))[0]))
    assert one.result == result
