"""A paper's table for saved audits: numbers of the user's model, and what is printed."""

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import sightline
from sightline.audits.audit_result import Audit
from sightline.config.measure_needs import NEEDS
from sightline.core.errors import DataError, SpecError, StoreError
from sightline.core.needs import offered
from sightline.core.results import Failed, NotRun, Table
from sightline.measures.agreement import NOT_REPORTED
from sightline.report.tables.markdown_table import to_markdown
from sightline.report.tables.terminal_table import to_text
from sightline.studies.papers.own_models import LATER, PRINTED, OwnAudit, _measures
from sightline.studies.papers.paper_index import PAPER_TABLES
from sightline.studies.papers.published_values import (
    NOT_READ,
    later_values_in,
    printed_values_in,
)
from sightline.studies.papers.study_models import positive_f1_of

TABLE = "jain2019:J-2"
NUMBER, CHANCE, SEEDS = range(3)


@pytest.fixture(scope="module")
def audit() -> Audit:
    """An audit in full of a small model on generated texts."""
    data = sightline.load("planted:needle(n=240,length=8)", seed=0)
    model = sightline.train(data, "mlp(hidden=8)+additive", epochs=12, seed=0)
    return sightline.audit(model, data, full=True, seed=0)


def on_sst(audit: Audit, **spec: object) -> Audit:
    """The same audit, as if of the Stanford Sentiment Treebank."""
    card = {**audit.cards["data"], "source": "sst:/data/sst"}
    return replace(audit, cards={**audit.cards, "data": card}, spec={**audit.spec, **spec})


def rows(table: Table) -> dict[tuple[str, ...], tuple]:
    return dict(zip(table.row_names, table.rows, strict=True))


def test_numbers_are_means_over_the_texts_of_each_predicted_class(audit: Audit) -> None:
    found = rows(sightline.table(TABLE, audit))
    predicted = audit.measurements["outputs"].values["predicted"]
    taken = audit.measurements["agreement"].values
    weights = audit.measurements["outputs"].values["attention"].rows()
    data, model = next((names[0], names[2]) for names in found)
    for number in (0, 1):
        texts = [at for at, one in enumerate(predicted) if one == number]
        for name in ("gradient", "deletion"):
            cells = found[data, f"τ with {name}, class {number}", model]
            for place, of in ((NUMBER, f"tau.{name}"), (CHANCE, f"coupling_tau.{name}")):
                known = [taken[of][at] for at in texts if not math.isnan(taken[of][at])]
                assert cells[place].value == pytest.approx(sum(known) / len(known))
                assert cells[place].n == len(known)
            assert cells[SEEDS].value == 1
        largest = [max(weights[at]) for at in texts]
        cell = found[data, f"largest weight, class {number}", model][NUMBER]
        assert cell.value == pytest.approx(np.mean(largest))
        assert cell.low < cell.value < cell.high


def test_a_table_prints_as_the_command_prints_it(audit: Audit) -> None:
    table = sightline.table(TABLE, audit)
    assert str(table) == to_text(table)
    assert str(table).startswith(f"{table.title}\n")
    assert table._repr_markdown_() == to_markdown(table)


def test_an_own_tau_has_the_standard_deviation_that_the_paper_prints_of_its(audit: Audit) -> None:
    tau = audit.measurements["agreement"].values["tau.gradient"]
    first = audit.measurements["outputs"].values["predicted"] == 0
    name, data = audit.cards["model"]["name"], "τ with gradient, class 0"
    for audits in ([on_sst(audit)], [on_sst(audit), other_weights(on_sst(audit, seed=1))]):
        found = rows(sightline.table(TABLE, *audits))
        cell = found["sst", data, name][NUMBER]
        assert cell.sd == pytest.approx(np.nanstd(tau[first], ddof=1))
        assert found["sst", "significant with gradient, class 0", name][NUMBER].sd is None


def test_f1_and_what_is_lost_of_it_are_of_the_positive_class(audit: Audit) -> None:
    taken = audit.measurements["need"].values
    labels = taken["label"]

    def f1(predicted: np.ndarray) -> float:
        hits = np.sum((labels == 1) & (predicted == 1))
        return float(2 * hits / (np.sum(labels == 1) + np.sum(predicted == 1)))

    learned = f1(taken["learned"])
    found = {
        names[1]: cells for names, cells in rows(sightline.table("tutek2020:T-1", audit)).items()
    }
    assert found["F1"][NUMBER].value == pytest.approx(learned)
    uniform = found["F1 lost under uniform weights"][NUMBER]
    assert uniform.value == pytest.approx(learned - f1(taken["uniform"]))
    assert uniform.low <= uniform.value <= uniform.high
    # Each permutation of a text counts as a tenth of it.
    draws = taken["permuted"]
    whole = np.tile(labels[:, None], (1, draws.shape[1]))
    hits = np.sum((whole == 1) & (draws == 1))
    permuted = 2 * hits / (np.sum(whole == 1) + np.sum(draws == 1))
    lost = found["F1 lost under permuted weights"][NUMBER].value
    assert lost == pytest.approx(learned - permuted)
    assert audit.estimates["need.uniform.F1_drop"].value != pytest.approx(uniform.value)


def test_what_is_printed_stands_below_for_the_same_data_alone(audit: Audit) -> None:
    assert {names[2] for names in rows(sightline.table(TABLE, audit))} == {
        audit.cards["model"]["name"]
    }
    found = sightline.table(TABLE, on_sst(audit))
    known = {
        (one.corpus, one.quantity, f"{one.model}, {how}"): (one.value, one.sd)
        for how, values in ((PRINTED, printed_values_in(TABLE)), (LATER, later_values_in(TABLE)))
        for one in values
        if one.corpus == "sst"
    }
    shown = {
        names: (cells[NUMBER].value, cells[NUMBER].sd)
        for names, cells in rows(found).items()
        if names[2].endswith((PRINTED, LATER))
    }
    assert shown == known
    source = NOT_READ["jain2019"]
    assert [note for note in found.notes if source in note] == [f"{PRINTED}: Table 2, {source}"]
    assert not any(source in note for note in sightline.table(TABLE, audit).notes)
    quantities = [names[1] for names in found.row_names]
    assert quantities == sorted(quantities, key=quantities.index)  # what belongs together, does


def test_seeds_are_averaged_and_other_settings_are_not(audit: Audit) -> None:
    first, other = on_sst(audit), other_weights(on_sst(audit, seed=1))
    tau = ("sst", "τ with gradient, class 0")
    name = audit.cards["model"]["name"]
    value = rows(sightline.table(TABLE, first))[*tau, name][NUMBER].value
    both = rows(sightline.table(TABLE, first, other))[*tau, name]
    assert (both[SEEDS].value, both[NUMBER].value) == (2, pytest.approx(value))
    for changed in (on_sst(audit, seed=1, limit=7), on_sst(audit)):
        apart = rows(sightline.table(TABLE, first, changed))
        for number in (1, 2):
            cells = apart[*tau, f"{name} (audit {number})"]
            assert (cells[SEEDS].value, cells[NUMBER].value) == (1, pytest.approx(value))


def test_shares_of_texts_have_wilsons_interval_and_f1_counts_a_cluster_once(audit: Audit) -> None:
    found = rows(sightline.table(TABLE, on_sst(audit)))
    own = [
        cells[NUMBER].method
        for (_, quantity, model), cells in found.items()
        if quantity.startswith("significant") and not model.endswith((PRINTED, LATER))
    ]
    assert own
    assert all(method.startswith("Wilson") for method in own)
    outputs = audit.measurements["outputs"]
    few = replace(outputs, values={**outputs.values, "cluster": np.arange(len(audit.texts)) % 5})
    of_few = replace(audit, measurements={**audit.measurements, "outputs": few})
    seed = int(audit.spec["seed"])
    alone, clustered = positive_f1_of(audit, seed), positive_f1_of(of_few, seed)
    assert "5 clusters" in clustered["method"]
    assert clustered["value"] == alone["value"]


def test_audits_of_other_data_models_or_classes_are_no_seeds(audit: Audit) -> None:
    tau, name = ("sst", "τ with gradient, class 0"), audit.cards["model"]["name"]
    first = with_card(on_sst(audit), data={"digest": "a"})
    other = other_weights(with_card(on_sst(audit, seed=1), data={"digest": "b"}))
    apart = rows(sightline.table(TABLE, first, other))
    assert [apart[*tau, f"{name} (audit {n})"][SEEDS].value for n in (1, 2)] == [1, 1]
    turned = other_weights(with_card(on_sst(audit, seed=1), model={"labels": ["pos", "neg"]}))
    changed = other_weights(on_sst(audit, seed=1, run={"model": "another", "seed": 1}))
    for given, why in (
        ((first, other), "other bytes"),
        ((on_sst(audit), turned), "classes"),
        ((on_sst(audit, run={"model": "one", "seed": 0}), changed), "settings differ in model"),
    ):
        with pytest.raises(SpecError, match=why):
            sightline.table(TABLE, *given, average=True)


def with_card(audit: Audit, **changed: Mapping[str, object]) -> Audit:
    """The same audit with entries of its cards changed."""
    cards = {name: {**card, **changed.get(name, {})} for name, card in audit.cards.items()}
    return replace(audit, cards=cards)


def other_weights(audit: Audit) -> Audit:
    """The same audit, as if of a model that was trained again."""
    card = {**audit.cards["model"], "weights": "other"}
    return replace(audit, cards={**audit.cards, "model": card})


def test_one_model_under_two_seeds_is_no_mean_and_models_trained_elsewhere_may_be(
    audit: Audit,
) -> None:
    first, again = on_sst(audit), on_sst(audit, seed=1)
    tau, name = ("sst", "τ with gradient, class 0"), audit.cards["model"]["name"]
    apart = rows(sightline.table(TABLE, first, again))
    assert [apart[*tau, f"{name} (audit {n})"][SEEDS].value for n in (1, 2)] == [1, 1]
    with pytest.raises(SpecError, match="same weights"):
        sightline.table(TABLE, first, again, average=True)
    elsewhere = other_weights(on_sst(audit, model="py:mine:trained_again"))
    both = rows(sightline.table(TABLE, first, elsewhere, average=True))
    assert both[*tau, name][SEEDS].value == 2
    with pytest.raises(SpecError, match="same data"):
        sightline.table(TABLE, first, other_weights(audit), average=True)


def test_a_measure_that_a_model_does_not_allow_is_not_advised(audit: Audit) -> None:
    card = {**audit.cards["model"], "offers": ["decode", "embedding_grad", "token_logits"]}
    wrapped = replace(audit, cards={**audit.cards, "model": card})
    with pytest.raises(DataError) as refused:
        sightline.table("wen2022:W-F2", wrapped)
    assert "(states)" in str(refused.value)
    assert "--measure" not in str(refused.value)


def test_a_task_of_a_corpus_is_told_from_another(audit: Audit) -> None:
    for source, name in (
        ("babi:/d/tasks(task=2)", "babi2"),
        ("20news:/d", "news"),
        ("csv:/d/own.csv", "csv:own.csv"),
        ("my own texts", "my own texts"),
    ):
        card = {**audit.cards["data"], "source": source}
        one = OwnAudit("a", replace(audit, cards={**audit.cards, "data": card}))
        assert one.data == name


def test_an_audit_is_counted_once(audit: Audit, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="twice"):
        sightline.table(TABLE, audit, audit)
    saved = audit.save(tmp_path / "saved")
    with pytest.raises(SpecError, match="same audit"):
        sightline.table(TABLE, saved, tmp_path / "x" / ".." / "saved")


def test_what_an_audit_lacks_is_named(audit: Audit) -> None:
    lacking = {**audit.measurements, "agreement": NotRun("agreement", "needs what it has not")}
    without = replace(audit, measurements=lacking)
    with pytest.raises(DataError, match="agreement: needs what it has not"):
        sightline.table(TABLE, without)
    del lacking["agreement"]
    with pytest.raises(DataError, match="agreement"):
        sightline.table(TABLE, replace(audit, measurements=lacking))
    with pytest.raises(DataError, match="--measure state_agreement"):
        sightline.table("meister2021:M-6", audit)
    with pytest.raises(SpecError):
        sightline.table("tutek2020:T-5", audit)
    with pytest.raises(SpecError, match="jain2019:J-2"):
        sightline.table("jain2019:J2", audit)
    with pytest.raises(SpecError):
        sightline.table(TABLE)
    with pytest.raises(StoreError):
        sightline.table(TABLE, "no/such/audit")


@pytest.mark.parametrize(
    ("several", "single"),
    [
        ("jain2019:J-D", "jain2019:J-2"),
        ("jain2019:J-V", "jain2019:J-2"),
        ("tutek2020:T-6", "tutek2020:T-1"),
        ("tutek2020:T-C", "tutek2020:T-1"),
        ("tutek2020:T-F1", ""),
        ("meister2021:M-2", ""),
        ("meister2021:M-5", ""),
        ("wen2022:W-2", ""),
        ("wen2022:W-3", ""),
    ],
)
def test_models_of_a_paper_are_compared_by_the_study_alone(
    audit: Audit, several: str, single: str
) -> None:
    with pytest.raises(SpecError) as refused:
        sightline.table(several, audit)
    assert [name for name in PAPER_TABLES if name in str(refused.value)] == [single, several][
        not single :
    ]
    if single:
        assert sightline.table(single, audit).rows


def test_the_page_names_the_tables_that_can_be_made_of_a_hugging_face_model() -> None:
    offers = offered({"decode", "embedding_grad", "layers"})
    single = {name: one for name, one in PAPER_TABLES.items() if not one.of_several}
    made = {
        name: [NEEDS[measure] <= offers for measure in _measures(one)]
        for name, one in single.items()
    }
    page = (Path(__file__).resolve().parents[2] / "docs" / "papers.md").read_text(encoding="utf-8")
    line = next(one for one in page.splitlines() if one.startswith("Of a Hugging Face model"))
    usual, _, searched = line.partition("`--measure searched`")[0].partition("; ")
    assert {*re.findall(r"`(\w+:[A-Z]-\w+)`", usual)} == {
        name for name, known in made.items() if known and all(known)
    }
    assert {*re.findall(r"`(\w+:[A-Z]-\w+)`", searched)} == {
        name for name, one in single.items() if "searched" in _measures(one)
    }


def test_what_a_failed_measure_said_is_in_no_table(audit: Audit) -> None:
    broken = Failed("agreement", "run: KeyError: 'SECRET'")
    failed = replace(audit, measurements={**audit.measurements, "agreement": broken})
    with pytest.raises(DataError, match="agreement: it failed: run: KeyError") as refused:
        sightline.table(TABLE, failed)
    assert "SECRET" not in str(refused.value)


def test_without_chance_levels_the_note_says_why(audit: Audit) -> None:
    taken = audit.measurements["agreement"]
    left = [name for name in taken.values if name.startswith("coupling_tau")]
    values = {name: one for name, one in taken.values.items() if name not in left}
    fewer = replace(taken, values=values, missing=dict.fromkeys(left, NOT_REPORTED))
    brief = replace(audit, measurements={**audit.measurements, "agreement": fewer})
    found, whole = sightline.table(TABLE, brief), sightline.table(TABLE, audit)
    for names, cells in rows(found).items():
        assert cells[NUMBER] == rows(whole)[names][NUMBER]
        assert cells[CHANCE].value == ""
    assert [*{*found.notes} - {*whole.notes}] == [
        note for note in found.notes if "without --full" in note
    ]
