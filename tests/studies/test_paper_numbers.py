"""Single numbers that a paper's table reads of an audit, where the definition is easily missed."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sightline.audits.audit_result import Audit
from sightline.core.results import Estimate, Measurement, Ragged
from sightline.data.corpora.sst import read
from sightline.experiments.store import Store
from sightline.numerics.divergences import jensen_shannon
from sightline.studies.calibration import rank_information_papers
from sightline.studies.papers.jain2019 import HIGH, SEARCHED
from sightline.studies.papers.meister2021 import EVENNESS, IMPORTANCES
from sightline.studies.papers.paper_index import PAPER_TABLES
from sightline.studies.papers.published_values import value_of
from sightline.studies.papers.wen2022 import TAU_BY_RANK, TAUS
from sightline.studies.papers.write_outputs import StoredRun, figures_of, file_name
from sightline.studies.study_corpora import QUESTIONS
from tests.report.audits import compared

TAU, _ = TAUS[TAU_BY_RANK]


def with_tau(low: float, high: float) -> Audit:
    tau = Estimate((low + high) / 2, low, high, 500, "starts")
    return replace(compared(), estimates={TAU: tau})


ONCE, TWICE = np.random.default_rng(3).permutation(2**60 + np.arange(20)), np.arange(20) // 2
"""Clusters of one text each, by numbers in any order, and of two."""
NUMBERS = {
    "agreement": (
        *(f"{kind}.{of}" for kind in ("tau", "coupling_tau") for of in ("gradient", "deletion")),
        "significant.gradient",
        "significant.deletion",
        "tau.references",
    ),
    "permutation": ("median",),
    "counterfactual": ("jsd_low", "jsd_high"),
    "searched": ("released",),
    "state_agreement": (
        *(f"{kind}.{of}" for kind in ("tau", "coupling_tau") for of in IMPORTANCES.values()),
        *(f"entropy.{of}" for of in EVENNESS.values()),
        "both_zero",
    ),
}


def in_clusters(clusters: np.ndarray | None) -> Audit:
    rng = np.random.default_rng(0)
    measured = {
        code: Measurement(code, {name: rng.random(20) for name in names})
        for code, names in NUMBERS.items()
    }
    attention = Ragged(rng.random(40), np.full(20, 2))
    outputs = {"predicted": np.arange(20) // 10, "attention": attention, "words": np.full(20, 2)}
    if clusters is not None:
        outputs["cluster"] = clusters
    measured["outputs"] = Measurement("outputs", outputs)
    cards = {"model": {"labels": ("a", "b")}}
    return replace(compared(), spec={"seed": 0}, cards=cards, measurements=measured)


@pytest.mark.parametrize(
    "table",
    [
        "jain2019:J-2",
        "jain2019:J-4",
        "jain2019:J-6",
        "jain2019:J-7",
        "meister2021:M-6",
        "meister2021:M-F2",
    ],
)
def test_texts_of_one_cluster_count_as_one_in_the_intervals_of_a_table(table: str) -> None:
    read = PAPER_TABLES[table].numbers
    assert read is not None
    apart, alone, twice = (read(in_clusters(one)) for one in (None, ONCE, TWICE))
    assert alone == apart
    for label, number in twice.items():
        assert number.value.value == pytest.approx(apart[label].value.value)
        units = "5 clusters" if ", class" in label else "10 clusters"
        assert units in number.value.method
        assert number.baseline is None or units in number.baseline.method


def test_there_is_no_tau_where_all_ranks_weigh_the_same() -> None:
    """It is 0 by definition there, so a claim that it is low could not fail."""
    numbers = PAPER_TABLES["wen2022:W-2"].numbers
    assert numbers is not None
    assert numbers(with_tau(0.0, 0.0)) == {}
    assert numbers(with_tau(-0.1, 0.1))[TAU_BY_RANK].value.value == 0.0
    assert numbers(with_tau(0.9, 0.9))[TAU_BY_RANK].value.value == 0.9


def test_the_study_of_rank_information_is_compared_with_what_is_printed() -> None:
    printed = [
        rank_information_papers._mean(("sst", model, "trained"), [])["printed"]
        for model in ("bilstm+additive", "cnn+deep", "mlp+additive")
    ]
    assert printed == [0.92, 0.83, None]


def test_the_search_on_questions_keeps_what_the_published_code_keeps() -> None:
    """Candidates whose answer moves by up to 0.05 of total variation, and not 0.01."""
    values = {"published": np.array([[0.1, 0.2], [0.1, 0.3]]), "released": np.array([0.4, 0.6])}
    audit = replace(compared(), measurements={"searched": Measurement("searched", values)})
    for table in ("jain2019:J-7", "jain2019:J-8"):
        study = PAPER_TABLES[table]
        assert study.numbers is not None
        assert study.numbers(audit)[SEARCHED].value.value == pytest.approx(0.5)
        assert {corpus for corpus in study.corpora if study.needed(corpus)} == {
            corpus for corpus in study.corpora if corpus in QUESTIONS
        }


def test_the_printed_vocabulary_of_sst_is_of_all_splits_and_has_four_marks(real_data) -> None:
    texts = read(str(real_data("sst")), {}, "paper").texts
    words = {word for text in texts for word in text.tokens}
    printed = value_of("jain2019:J-1", "sst", "", "words of the vocabulary")
    assert len(words) + 4 == printed
    reason = PAPER_TABLES["jain2019:J-1"].apart["words of the vocabulary"]
    assert f"{len(words):,} + 4" in reason


def test_zeros_tell_which_f1_the_paper_took() -> None:
    """In two printed cells fixed weights cost all of F1; macro-F1 of one constant class is not 0."""
    for table, corpus, model in (
        ("tutek2020:T-1", "anemia", "bilstm+dot+tying"),
        ("tutek2020:T-6", "imdb", "bilstm(layers=3)+additive+mlm"),
    ):
        whole, lost = (
            value_of(table, corpus, model, quantity)
            for quantity in ("F1", "F1 lost under uniform weights")
        )
        assert whole == lost is not None


@pytest.mark.parametrize(("words", "passes"), [(8, False), (9, True), (30, True)])
def test_weight_on_two_words_is_far_from_an_even_spread_over_nine(words: int, passes: bool) -> None:
    """Two words suffice for the same output, so uniform weights pass the claim on other attention
    from nine words on, as its page says.
    """
    even, shares = np.full(words, 1 / words), np.linspace(0.0, 1.0, 201)
    two = np.zeros((len(shares), words))
    two[:, 0], two[:, 1] = shares, 1 - shares
    assert (jensen_shannon(two, even).min() > HIGH) == passes


def test_figures_of_two_runs_have_two_files(tmp_path: Path) -> None:
    models = ("a_b", "a b", "a/b", "a-b-2", "A b")
    runs = [((model, "0"), StoredRun(model, Store(tmp_path))) for model in models]
    names = [one.name for one in figures_of("s", ["heat-map"], runs)]
    assert names[:2] == ["s-heat-map-a-b", "s-heat-map-a-b-2"]
    assert len({name.casefold() for name in names}) == len(models)


@pytest.mark.parametrize(
    ("names", "written"),
    [
        (("s", "heat-map", "csv:电影.csv"), "s-heat-map-csv-电影.csv"),
        (("a_b/c",), "a-b-c"),
        (("?",), "unnamed"),
    ],
)
def test_files_of_figures_keep_the_letters_of_every_script(
    names: tuple[str, ...], written: str
) -> None:
    assert file_name(*names) == written
