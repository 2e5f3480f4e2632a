"""Every table and figure of the papers, end to end on small corpora: what is run, what is said,
what is drawn.
"""

import csv
import math
from collections import Counter
from dataclasses import replace
from functools import partial, partialmethod
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import matplotlib.image
import numpy as np
import pytest
from scipy.stats import kendalltau

from sightline.config.run_keys import run_key
from sightline.config.spec_syntax import parse_data, parse_model
from sightline.core.errors import SpecError
from sightline.core.results import Estimate
from sightline.data.load_dataset import load
from sightline.experiments.store import Store
from sightline.measures.rank_information import RankInformation
from sightline.numerics import probes, rank_probe_scores
from sightline.studies import aggregate, study_corpora
from sightline.studies.aggregate import Number
from sightline.studies.papers import (
    corpus_statistics,
    jain2019,
    margins,
    meister2021,
    paper_index,
    published_comparison,
    wen2022,
    write_outputs,
)
from sightline.studies.papers.claim_list import CLAIMS
from sightline.studies.papers.claims import Side, findings_of
from sightline.studies.papers.margins import RESULTS, margin_of
from sightline.studies.papers.model_performance import peaked_of
from sightline.studies.papers.own_models import OwnAudit, table_of_audits
from sightline.studies.papers.published_comparison import compare, why_not_comparable
from sightline.studies.papers.published_values import (
    PAPERS,
    PrintedValue,
    later_values,
    printed_values,
    printed_values_in,
    value_of,
)
from sightline.studies.run_plan import Plan, plan_of
from sightline.studies.study_corpora import data_of
from sightline.studies.study_definition import Params
from tests.report.audits import compared
from tests.sampling import slow_but
from tests.studies import small
from tests.studies.runs import run_all
from tests.studies.saying import read
from tests.texts import examples

OURS = 2
"""The place of our number in a line."""
RANKED = ("W-F2", "W-2", "W-4", "W-5")
"""What ranks know takes 200 texts."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Corpora with few test texts, and beside them one with enough for ranks."""
    place = tmp_path_factory.mktemp("corpora")
    small.sst(place / "few")
    small.babi(place / "few")
    small.snli(place / "few")
    small.sst(place / "many", test=250)
    return place


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """One for all tables: many share runs."""
    return Store(tmp_path_factory.mktemp("store"))


@pytest.fixture
def cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask less of two measures whose settings no study sets."""
    monkeypatch.setattr(
        RankInformation, "__init__", partialmethod(RankInformation.__init__, shuffles=2)
    )
    strengths = partial(probes.logistic_scores, strengths=(0.1,))
    monkeypatch.setattr(rank_probe_scores, "logistic_scores", strengths)


def planned(name: str, folder: Path, seeds: int = 1, **changes: object) -> Plan:
    one = paper_index.paper_table_named(name)
    place = folder / ("many" if one.name in RANKED else "few")
    return plan_of(one, replace(Params(place, seeds, ("sst",), scale="smoke"), **changes))


PAPER = [name.partition(":")[0] for name in paper_index.PAPER_TABLES]
FIRST = {PAPER.index(paper) for paper in PAPER}


@pytest.mark.parametrize("name", slow_but(FIRST, paper_index.PAPER_TABLES))
def test_every_table_runs_and_says_something_of_each_of_its_models(
    name: str, folder: Path, store: Store, tmp_path: Path, cheap: None
) -> None:
    plan = planned(name, folder)
    run_all(plan.grid.specs, store)
    table = compare(plan, store)
    assert "not done" not in table.partial
    said = {
        tuple(names[:2]) for names, cells in zip(table.row_names, table.rows, strict=True)
        if isinstance(cells[OURS].value, float) and not math.isnan(cells[OURS].value)
    }  # fmt: skip
    swept = plan.study.name in ("M-2", "M-F3")
    models = {run.model.partition("(")[0] if swept else run.model for run in plan.planned}
    if plan.study.name in ("W-2", "W-4"):
        models.discard("bilstm+additive")  # it is what the others are held against
        models.discard("bilstm+additive, attention fixed")  # texts of equal length: no τ
    if plan.study.name != "W-5":
        assert {("sst", model) for model in models} <= said
    else:
        assert {("classification", "additive"), ("classification", "dot"), ("all", "all")} <= said
    counted = {names[2] for names in table.row_names if names[1] == ""}
    assert bool(counted) == (plan.study.counted is not None)
    _check_claims(plan, store)
    _check_figures(plan, store, tmp_path)
    _check_one_audit(plan, store)


def _check_one_audit(plan: Plan, store: Store) -> None:
    """Read one run as if it were an audit of the user's: the same numbers, each once."""
    if plan.study.of_several or not plan.planned:
        with pytest.raises(SpecError):
            table_of_audits(plan.study.id, [])
        return
    run = plan.runs(store)[0]
    own = table_of_audits(plan.study.id, [OwnAudit("one", run.audit())])
    found = [
        (names[1], cells[0].value, cells[1].value)
        for names, cells in zip(own.row_names, own.rows, strict=True)
        if "printed" not in names[2] and "later run" not in names[2]
    ]
    expected = [
        (name, one.value.value, one.baseline.value if one.baseline else "")
        for name, one in plan.study.estimates(run).items()
    ]
    np.testing.assert_equal(found, expected)
    assert {names[0] for names in own.row_names} == {"sst"}


def _check_claims(plan: Plan, store: Store) -> None:
    """Find the numbers of each claim about models of the plan, a misspelt one would never be said;
    and its chance level just where the claim says that there is one.
    """
    read = plan.read(store)
    models = {run.model for run, numbers in read if numbers}
    for claim in (one for one in CLAIMS if one.table == plan.study.id):
        sides = [
            side for side in (claim.order.greater, claim.order.lesser) if isinstance(side, Side)
        ]
        if {side.model for side in sides} <= models or claim.of_lines:
            lines = [*plan.lines(read)] if claim.of_lines else ()
            found = [*findings_of(replace(claim, made_on=()), read, lines)]
            assert found, claim.id
            elsewhere = claim.chance is not None or claim.of_lines
            if not elsewhere:
                known = {one.chance is not None for one in found}
                assert known == {not claim.no_chance}, claim.id


def _check_figures(plan: Plan, store: Store, folder: Path) -> None:
    drawings = list(
        write_outputs.figures_of(
            plan.study.name,
            plan.study.figures,
            write_outputs.runs_of(plan.grid, store),
            together=1,
        )
    )
    assert {one.figure for one in drawings} == {*plan.study.figures}
    for one in drawings[:4]:
        svg, png, numbers = one.write(folder, (".svg", ".png"))
        assert ElementTree.parse(svg).getroot().tag.endswith("svg")
        assert matplotlib.image.imread(png).std() > 0.01
        with numbers.open(newline="") as file:
            rows = list(csv.DictReader(file))
        assert rows
        result = numbers.read_text()
        if "texts" in rows[0]:  # a histogram: all texts are in it, or counted as undefined
            groups = {row[next(iter(row))] for row in rows}
            texts = len(one.of[0].audit().texts)
            each = {
                group: sum(int(row["texts"]) for row in rows if row[next(iter(row))] == group)
                for group in groups
            }
            assert sum(each.values()) == texts * (len(groups) if "less" in rows[0] else 1)
        else:
            assert all(run.audit().texts[0].id in result or "," in result for run in one.of)


def test_a_table_holds_what_runs_say_beside_what_is_printed(
    folder: Path, store: Store, cheap: None
) -> None:
    plan = planned("jain2019:J-2", folder, seeds=2)
    run_all(plan.grid.specs, store)
    table = compare(plan, store)
    assert table.title.startswith("Jain & Wallace 2019, Table 2: ")
    row = dict(zip(table.row_names, table.rows, strict=True))[
        "sst", "bilstm+additive", "τ with gradient, class 0"
    ]
    published, later, ours, baseline, seeds, result = row
    assert (published.value, published.sd, later.value) == (0.40, 0.21, 0.343)
    means = []
    for run in plan.runs(store):
        if run.model == "bilstm+additive":
            audit = run.audit()
            tau = [
                value
                for value, text in zip(
                    audit.measurements["agreement"].values["tau.gradient"], audit.texts, strict=True
                )
                if text.predicted == "negative" and not math.isnan(value)
            ]
            means += [sum(tau) / len(tau)] if tau else []
    assert seeds.value == len(means)  # one of which no text is predicted as class 0 has no number
    assert ours.value == pytest.approx(sum(means) / len(means))
    assert baseline.value != ours.value
    assert result.value.split()[0] in RESULTS
    assert "; later run: " in result.value


def test_importance_by_length_and_by_every_number_are_compared_text_by_text(
    folder: Path, store: Store, cheap: None
) -> None:
    plan = planned("meister2021:M-1", folder)
    run_all(plan.grid.specs, store)
    table = compare(plan, store)
    ours = {
        names: cells[OURS].value for names, cells in zip(table.row_names, table.rows, strict=True)
    }
    for model in ("bilstm+additive, 50 texts", "transformer+dot+sparsemax, 50 texts"):
        length = ours["sst", model, "evenness of inputs for states"]
        facets = ours["sst", model, "evenness by every number of a state"]
        more = ours["sst", model, "evenness by length less that by every number"]
        assert more == pytest.approx(length - facets, abs=1e-9)
        assert abs(more) > 1e-4  # they are two numbers, not one under two names


def test_frequent_and_random_words_stand_beside_what_is_printed_of_each(
    folder: Path, store: Store, cheap: None
) -> None:
    plan = planned("tutek2020:T-2", folder)
    run_all(plan.grid.specs, store)
    table = compare(plan, store)
    rows = dict(zip(table.row_names, table.rows, strict=True))
    for words, theirs in (("frequent", 2.324), ("random", 2.435)):
        published, _, ours, baseline, seeds, result = rows[
            "sst", "bilstm+additive", f"counted information, {words} words"
        ]
        assert (published.value, seeds.value) == (theirs, 1)
        assert ours.value >= baseline.value > 0  # as many clusters as pairs: all is bias
        assert result.value.startswith("not comparable")


def test_how_many_texts_hardly_move_is_a_share_of_all_texts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    numbers = {
        "permutation": {"median": np.array([0.0, jain2019.LITTLE, 0.3, 0.4, 0.5, np.nan])},
        "outputs": {"predicted": np.array([0, 0, 1, 1, 1, 1])},
    }
    monkeypatch.setattr(jain2019, "numbers_of", lambda audit, code: numbers[code])
    cards = {"model": {"labels": ("a", "b")}}
    audit = replace(compared(), spec={"seed": 0}, cards=cards, measurements={})
    found = jain2019._permuted(audit)
    assert found[jain2019.STEADY].value.value == pytest.approx(2 / 5)  # one text has no median
    moved = "output moved, median over permutations, class"
    assert found[f"{moved} 1"].value.value == pytest.approx(0.4)


def test_total_variation_of_adversaries_is_counted_as_the_paper_does() -> None:
    whole = Estimate(0.08, 0.06, 0.1, 9, "")
    audit = SimpleNamespace(
        metrics={"accuracy": whole},
        estimates={"beside.tvd.base": whole, "beside.jsd.base": whole},
    )
    theirs = wen2022._moved_as_theirs(audit)[wen2022.THEIR_TVD].value
    assert (theirs.value, theirs.low, theirs.high) == (0.04, 0.03, 0.05)
    assert wen2022._moved_as_theirs(audit)["JSD of attention"].value == whole
    printed = {one.quantity: margin_of(one) for one in printed_values_in("wen2022:W-3")}
    assert printed[wen2022.THEIR_TVD] == 0.01


def test_ranks_are_summed_up_over_corpora_over_starts_and_over_models(
    folder: Path, store: Store, cheap: None
) -> None:
    plan = planned("wen2022:W-F2", folder)
    run_all(plan.grid.specs, store)
    table = compare(plan, store)
    ours = {names: cells[OURS] for names, cells in zip(table.row_names, table.rows, strict=True)}
    known = {run.model: run.audit().estimates for run in plan.runs(store)}
    taus = {
        model: (one["information.paper.tau.output"], one["information.flatness"].value)
        for model, one in known.items()
    }
    for model, (tau, _) in taus.items():
        assert ours["all eleven", model, wen2022.TAU_BY_RANK].value == pytest.approx(tau.value)
        assert ours["sst", model, wen2022.AGAIN].value == pytest.approx(tau.high - tau.low)
    for scorer in ("additive", "dot"):
        found = ours["all eleven", scorer, wen2022.TAU_BY_RANK]
        each = [tau.value for model, (tau, _) in taus.items() if model.endswith(scorer)]
        assert found.value == pytest.approx(sum(each) / len(each))
        assert -1 <= found.low <= found.high <= 1
    together = kendalltau(
        [tau.value for tau, _ in taus.values()], [uneven for _, uneven in taus.values()]
    )
    assert ours["all eleven", "all", wen2022.UNEVEN].value == pytest.approx(together.statistic)
    twice = [
        (replace(run, seed=seed), wen2022.TAU_BY_RANK)
        for run in plan.runs(store)[:1]
        for seed in (0, 1)
    ]
    values = [
        Number(Estimate(value, value, value, 9, ""), None, wen2022.TAU) for value in (0.7, 0.98)
    ]
    (line,) = aggregate.averaged(
        [(run, {message: one}) for (run, message), one in zip(twice, values, strict=True)]
    )
    assert line.found.value.high == 1  # over seeds, too, there is no τ above 1


@pytest.mark.parametrize(
    "name", ["jain2019:J-1", "tutek2020:T-1", "meister2021:M-1", "wen2022:W-3", "wiegreffe2019:P-V"]
)
def test_words_of_all_papers_models_start_from_vectors_that_are_named(
    name: str, folder: Path, tmp_path: Path
) -> None:
    file = tmp_path / "vectors.txt"
    file.write_text(
        "".join(f"{word}{f' {number}' * 300}\n" for number, word in enumerate(("fine", "dull")))
    )
    drawn = planned(name, folder, scale="full")
    started = planned(
        name, folder, scale="full", vectors=file
    )  # as long as residual states are wide
    assert {run.spec.model.vectors for run in drawn.planned} == {""}
    assert {(run.spec.model.vectors, run.spec.model.embedding) for run in started.planned} == {
        (str(file), 300)
    }
    assert not {*drawn.grid.keys} & {*started.grid.keys}


def test_what_is_missing_is_said(folder: Path, tmp_path: Path) -> None:
    plan = planned("jain2019:J-1", folder)
    table = compare(plan, Store(tmp_path / "new"))
    assert table.partial == "1 of 1 run not done"
    assert "missing: bilstm+additive on sst, seed 0" in table.notes
    row = dict(zip(table.row_names, table.rows, strict=True))["sst", "bilstm+additive", "F1"]
    assert (row[0].value, row[OURS].value, row[OURS].note) == (0.81, None, "no run is done")


def test_corpora_that_are_not_there_are_named(folder: Path) -> None:
    plan = plan_of(
        paper_index.paper_table_named("tutek2020:T-5"), Params(folder / "few", 1, ("sst", "imdb"))
    )
    assert (plan.corpora, [*plan.absent]) == (("sst",), ["imdb"])
    table = compare(plan, Store(folder / "none"))
    assert table.partial == "not there: imdb"
    rows = dict(zip(table.row_names, table.rows, strict=True))
    assert rows["imdb", "", "words of the vocabulary"][0].value == 41919
    assert "no " in rows["imdb", "", "words of the vocabulary"][OURS].note
    assert not any(corpus == "agnews" for corpus, *_ in table.row_names)


def test_counts_of_a_corpus_are_those_of_its_files(folder: Path) -> None:
    plan = planned("meister2021:M-3", folder)
    ours = {line.quantity: line.found.value.value for line in plan.counted()}
    # The longest text of each split is dropped, because the longest length seen is itself the
    # bound.
    longest = {
        seed: max(len(words) for words, _ in small.sentences(n, seed))
        for n, seed in ((40, 1), (16, 3))
    }
    kept = {
        seed: sum(len(words) < longest[seed] for words, _ in small.sentences(n, seed))
        for n, seed in ((40, 1), (16, 3))
    }
    assert ours == {"training texts": kept[1], "test texts": kept[3]}


def test_words_are_counted_as_the_recipe_of_their_corpus_knows_them(
    folder: Path, tmp_path: Path
) -> None:
    small.snli(
        tmp_path, n=9
    )  # so few that some words are in fewer than the three texts of the recipe
    plan = plan_of(paper_index.paper_table_named("jain2019:J-1"), Params(tmp_path, 1, ("snli",)))
    ours = {line.quantity: line.found.value.value for line in plan.counted()}
    known = Counter(
        word
        for text in load(data_of(tmp_path, "snli"), 0).train
        for word in {*text.tokens, *(text.query or ())}
    )
    assert (
        ours["words of the vocabulary"] == sum(count >= 3 for count in known.values()) < len(known)
    )
    assert [name for name in ours if name.startswith("test")] == [
        f"test texts of {label}" for label in ("contradiction", "entailment", "neutral")
    ]


def test_the_longest_story_is_counted(folder: Path) -> None:
    ours = {
        line.quantity: line.found.value.value
        for line in planned("jain2019:J-1", folder, corpora=("babi1",)).counted()
    }
    dataset = load(data_of(folder / "few", "babi1"), 0)
    assert ours["words of the longest text"] == max(len(text.tokens) for text in dataset.train)
    # Printed before validation was cut off: 10,000 stories, of which 8,500 train.
    assert ours["training texts"] == len(dataset.train) + len(dataset.validation)
    assert dataset.validation
    assert not any("class" in name for name in ours)


@pytest.mark.parametrize(
    ("source", "counted"),
    [("cnn:cnn", 3), ("mimic:mimic(task=diabetes)", 3), ("mimic:mimic(task=anemia)", 5)],
)
def test_published_validation_texts_are_no_training_texts(
    source: str, counted: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = tuple(examples((3,) * 6))
    parts = {"train": texts[:3], "validation": texts[3:5], "test": texts[5:]}
    corpus = replace(load(parse_data("planted:needle(n=60)"), 0), **parts)
    monkeypatch.setattr(corpus_statistics, "load", lambda data, seed: corpus)
    assert corpus_statistics.totals(parse_data(source)) == {
        "training texts": counted,
        "test texts": 1,
    }


def test_one_number_may_not_be_comparable(folder: Path) -> None:
    study = planned("meister2021:M-5", folder).study
    model, quantity = "transformer+dot, frozen", "accuracy"
    for of in (("sst", model, quantity), ("news", model, "JSD of attention")):
        assert why_not_comparable(study, of)
    for other in (
        ("imdb", model, quantity),
        ("sst", "bilstm+additive, frozen", quantity),
        ("news", "bilstm+additive, frozen", "JSD of attention"),
    ):
        assert not why_not_comparable(study, other)


def test_one_quantity_of_one_corpus_may_not_be_comparable(folder: Path) -> None:
    plan = planned("wen2022:W-1", folder, corpora=("sst", "snli"))
    one = replace(plan.study, apart={("snli", "words of a text, mean"): "a reason"})
    table = compare(replace(plan, study=one), Store(folder / "none"))
    said = {
        names: cells[-1].value for names, cells in zip(table.row_names, table.rows, strict=True)
    }
    assert said["snli", "", "words of a text, mean"] == "not comparable: a reason"
    assert (
        "reason"
        not in said["sst", "", "words of a text, mean"]
        + said["snli", "", "words of the vocabulary"]
    )


def printed_tau(quantity: str, corpus: str = "sst", model: str = "bilstm+additive") -> PrintedValue:
    return next(one for one in printed_values("jain2019") if one.of == (corpus, model, quantity))


@pytest.mark.parametrize(
    ("ours", "seeds", "result"),
    [
        (Estimate(0.45, 0.39, 0.49, 9, ""), 3, "within"),
        (Estimate(0.40, 0.30, 0.50, 9, ""), 3, "within"),  # the whole margin
        (Estimate(0.40, 0.20, 0.60, 9, ""), 3, "undetermined"),  # noise is no agreement
        (Estimate(0.45, 0.39, 0.52, 9, ""), 3, "undetermined"),
        (Estimate(0.15, 0.09, 0.21, 9, ""), 3, "outside"),
        (Estimate(0.60, 0.51, 0.69, 9, ""), 3, "outside"),
        (Estimate(0.45, 0.44, 0.46, 9, ""), 1, "undetermined"),  # other seeds are others
        (Estimate(0.15, 0.14, 0.16, 9, ""), 1, "undetermined"),
        (Estimate(0.41, math.nan, math.nan, 9, "3 seeds, all equal"), 3, "undetermined"),
        (Estimate(0.41, math.nan, math.nan, 9, "a count"), 0, "within"),
        (Estimate(0.41, math.nan, math.nan, 9, "2 seeds, all equal"), 2, "undetermined"),
        (Estimate(math.nan, math.nan, math.nan, 0, ""), 3, None),
    ],
)
def test_ours_is_compared_by_the_margin(ours: Estimate, seeds: int, result: str | None) -> None:
    theirs = printed_tau("τ with gradient, class 0")  # 0.40, of which the margin is 0.10
    found = margins.compare_to(theirs, ours, seeds)
    assert (None if found is None else found.result) == result


def test_the_margin_is_that_of_the_quantity_and_the_task() -> None:
    tau = printed_tau("τ with gradient, class 0")
    on_questions = printed_tau("τ with gradient, all classes", "babi1")
    assert [margins.margin_of(one) for one in (tau, on_questions)] == [0.10, 0.20]
    words = next(
        one for one in printed_values("jain2019") if one.quantity == "words of the vocabulary"
    )
    length = next(
        one for one in printed_values("jain2019") if one.quantity == "words of a text, mean"
    )
    assert margins.margin_of(words) == pytest.approx(161.75)  # a hundredth of 16,175
    assert margins.margin_of(length) == 0.5  # it is printed in whole words
    counted = Estimate(18.7, 18.7, 18.7, 1, "counted")
    compared = margins.compare_to(length, counted, 0)
    assert compared is not None
    assert (compared.result, compared.apart) == ("within", pytest.approx(-0.3))
    assert [
        one.of for paper in PAPERS for one in printed_values(paper) if not margins.margin_of(one)
    ] == []


@pytest.mark.parametrize(
    ("theirs", "again", "reason", "begins"),
    [
        (True, False, "", "within (0.100), apart by 0.020"),
        (True, True, "", "within (0.100), apart by 0.020; later run: within (0.100), apart by"),
        (False, True, "", "later run: within (0.100), apart by"),
        (True, False, "of other texts", "not comparable: of other texts"),
        (False, False, "", ""),
    ],
)
def test_both_published_numbers_are_compared(
    theirs: bool, again: bool, reason: str, begins: str
) -> None:
    tau = printed_tau("τ with gradient, class 0")
    second = next(
        one for one in later_values("jain2019") if one.of == tau.of and one.table == "J-2"
    )
    said = published_comparison.said_of(
        tau if theirs else None,
        second if again else None,
        Estimate(0.42, 0.41, 0.43, 9, ""),
        reason,
        3,
    )
    assert said.startswith(begins)
    assert bool(said) == bool(begins)


def test_the_later_run_of_the_authors_is_of_what_is_run_here() -> None:
    assert len(later_values("jain2019")) > 90
    assert later_values("wen2022") == ()
    known = {one.name: one for one in paper_index.PAPER_TABLES.values() if one.paper == "jain2019"}
    for one in later_values("jain2019"):
        plan = Plan(known[one.table], Params(Path(), 1), (one.corpus,), {})
        assert one.model in {run.model for run in plan.planned}, one
        assert margins.margin_of(one) is not None


def test_averages_over_seeds_leave_out_what_a_seed_lacks() -> None:
    every = [Number(Estimate(value, value, value, 5, ""), None, None) for value in (0.2, 0.4)]
    assert aggregate.mean_of(every).value.value == pytest.approx(0.3)
    assert aggregate.mean_of(every).baseline is None


def test_every_figure_that_is_printed_has_a_place_in_a_table() -> None:
    known = {one.name: one for one in paper_index.PAPER_TABLES.values()}
    for paper in PAPERS:
        for one in printed_values(paper):
            assert one.corpus in known[one.table].corpora or one.corpus in (
                "all eleven",
                "all",
                *wen2022.TASKS,
            ), one
            assert one.value >= 0 or one.quantity.startswith(("τ", "accuracy gained")), one
    assert len({(one.table, one.of) for paper in PAPERS for one in printed_values(paper)}) == sum(
        len(printed_values(paper)) for paper in PAPERS
    )


def test_what_is_printed_of_a_model_is_of_one_that_is_run() -> None:
    """A printed line would stay empty for ever if its model were called otherwise than ours."""
    summed = {"W-F2": {"additive", "deep", "dot"}, "W-5": {"additive", "deep", "dot", "all"}}
    for one in paper_index.PAPER_TABLES.values():
        plan = Plan(one, Params(Path(), 1), one.corpora, {})
        models = {"", *summed.get(one.name, ()), *(run.model for run in plan.planned)}
        swept = {model.partition("(lambda")[0] for model in models}
        assert {each.model for each in printed_values_in(one.id)} <= models | swept, one.name


def test_ids_are_unique_and_a_wrong_one_is_refused_with_the_nearest() -> None:
    assert (
        len({one.name for one in paper_index.PAPER_TABLES.values()})
        == len(paper_index.PAPER_TABLES)
        == 32
    )
    with pytest.raises(SpecError, match=r"near it: .*jain2019:J-2"):
        paper_index.paper_table_named("jain2019:J2")


def test_corpora_are_looked_for_in_each_of_their_places(tmp_path: Path) -> None:
    assert (
        study_corpora.lacking(tmp_path, "imdb")
        == f"no {tmp_path / 'imdb/aclImdb_v1_labelled.tar.gz'}"
    )
    (tmp_path / "imdb" / "aclImdb").mkdir(parents=True)
    assert study_corpora.lacking(tmp_path, "imdb") == ""
    assert study_corpora.data_of(tmp_path, "imdb").path == str(tmp_path / "imdb/aclImdb")


def test_a_printed_value_is_found_by_what_it_is_of() -> None:
    assert value_of(
        "wen2022:W-5", "questions", "dot", "share of models whose τ is higher or unchanged"
    ) == pytest.approx(6 / 9, abs=1e-4)
    assert value_of("wen2022:W-5", "questions", "dot", "accuracy") is None


def test_accuracy_that_adversaries_gain_is_over_the_base_of_their_seed() -> None:
    right = partial(read, "accuracy")
    bases = [right("bilstm+additive", seed, accuracy) for seed, accuracy in enumerate((0.8, 0.6))]
    others = [right("transformer+dot", 1, 0.9), right("transformer+dot, frozen", 1, 0.95)]
    frozen = [
        right("bilstm+additive, frozen", seed, accuracy) for seed, accuracy in ((1, 0.5), (2, 0.7))
    ]
    values = {line.of: line for line in meister2021.TABLE_5([*bases, *others, *frozen])}
    gained = {
        model: line
        for (_, model, quantity), line in values.items()
        if quantity == "accuracy gained"
    }
    assert {model: (line.found.value.value, line.seeds) for model, line in gained.items()} == {
        "bilstm+additive, frozen": (pytest.approx(-0.1), 1),  # seed 2 has no base
        "transformer+dot, frozen": (pytest.approx(0.05), 1),
    }
    assert values["sst", "bilstm+additive, frozen", "accuracy"].found.value.value == pytest.approx(
        0.6
    )


def test_over_seeds_attention_is_no_farther_apart_than_it_can_be(
    folder: Path, store: Store, cheap: None
) -> None:
    plan = planned("tutek2020:T-F1", folder)
    run_all(plan.grid.specs, store)
    result = plan.study.estimates(plan.runs(store)[0])
    for name, most in (("JSD of attention", math.log(2)), ("TVD of answers", 1.0)):
        seeds = [
            replace(result[name], value=Estimate(value, 0.0, most, 9, ""))
            for value in (0.05, 0.4, most)
        ]
        assert (
            aggregate.mean_of(seeds).value.high == most
        )  # Student's t over these three ends above 1


def test_how_peaked_attention_is_does_not_grow_with_a_text(
    folder: Path, store: Store, cheap: None
) -> None:
    plan = planned("tutek2020:T-C", folder)
    uniform = replace(plan.grid.specs[0], model=parse_model("mlp(hidden=4)+uniform"))
    run_all([*plan.grid.specs, uniform], store)
    for key in (run_key(uniform), *plan.grid.keys):
        rows = list(store.audit(key).measurements["outputs"].values["attention"].rows())
        message = peaked_of(store.audit(key))["largest weight over an even one"]
        assert message.value.value == pytest.approx(
            sum(max(row) * len(row) for row in rows) / len(rows)
        )
        assert (message.value.value == pytest.approx(1)) == (key == run_key(uniform))
        assert len({len(row) for row in rows}) > 1
    scorers = {str(run.model.scorer) for run in plan.grid.specs}
    assert scorers == {"dot(start=uniform)", "dot(start=normal)", "dot(scaled=false,start=normal)"}
