"""The page of numbers that lie outside: each once, and no cause without a number."""

import docs_other_settings as other_settings
import docs_outside as outside
import docs_reproduction as reproduction
import docs_tried as tried
import pytest
from docs_tables import REPRODUCTION, verified


def line(**changes: object) -> dict[str, object]:
    return {
        "corpus": "sst",
        "model": "bilstm+additive",
        "quantity": "τ with gradient of inputs",
        "written": "0.25",
        "result": "outside",
    } | changes


def test_a_number_is_named_once_and_only_if_it_is_of_a_model_on_a_primary_corpus() -> None:
    again = {"id": "meister2021:M-7", "lines": [line()]}
    first = {
        "id": "meister2021:M-6",
        "lines": [
            line(),
            line(result="within", quantity="another"),
            line(model="", quantity="test texts"),
            line(corpus="snli"),
        ],
    }
    found = list(outside.numbers({"tables": [first, again]}))
    assert found == [(first, first["lines"][0])]


def test_of_what_no_cause_covers_nothing_is_known() -> None:
    one = {"id": "jain2019:J-1"}
    assert outside.because(one, line(quantity="something")) == outside.NOTHING
    known = outside.CAUSES[0]
    covered = line(corpus=known.corpora[0], quantity=known.quantity)
    assert outside.because({"id": f"{known.paper}:J-1"}, covered) == known.because


def test_every_number_outside_has_a_row_and_every_cause_a_number() -> None:
    stored = verified(REPRODUCTION)
    assert stored is not None
    found = list(outside.numbers(stored))
    assert outside.outside(stored).count("\n| [") == len(found) > 0
    unused = [
        cause
        for cause in outside.CAUSES
        if not any(cause.covers(reproduction.paper_of(one), line) for one, line in found)
    ]
    assert unused == []


def test_an_end_has_a_third_digit_where_two_would_give_another_result() -> None:
    def written(low: float, high: float, result: str) -> str:
        ours = {"value": 0.79, "low": low, "high": high, "n": 9, "method": ""}
        about = {"limit": None, "later": "", "floor": None, "planned": 5, "said": result}
        of = line(quantity="F1", ours=ours, published=0.828, result=result, seeds=5, **about)
        return list(reproduction.cells_of(of))[4]

    assert written(0.78, 0.7975, "outside") == "0.790 [0.780, 0.797]"  # 0.80 would be undetermined
    assert written(0.78, 0.794, "outside") == "0.79 [0.78, 0.79]"
    assert written(0.78, 0.7975, "not comparable: other texts") == "0.79 [0.78, 0.80]"


def of_one_seed(low: float, high: float, **changes: object) -> dict[str, object]:
    ours = {"value": (low + high) / 2, "low": low, "high": high, "n": 9, "method": ""}
    about = {"limit": None, "later": "", "floor": None, "said": "", "planned": 1, "seeds": 1}
    return line(ours=ours, published=0.25, result="undetermined", **about) | changes


def test_a_number_of_one_seed_that_is_far_from_the_printed_one_is_listed() -> None:
    far, near = of_one_seed(0.5, 0.6), of_one_seed(0.3, 0.6, quantity="τ with deletion of inputs")
    others = [far | change for change in ({"seeds": 2}, {"model": ""}, {"corpus": "snli"})]
    one = {"id": "meister2021:M-6", "lines": [near, *others]}
    assert outside.one_seed({"tables": [one]}).count("\n| [") == 0
    again = {**one, "lines": [near, far, *others, far]}
    found = outside.one_seed({"tables": [again]})
    assert found.count("\n| [") == 1
    assert "0.55 [0.50, 0.60]" in found


def test_a_printed_number_within_its_margin_of_zero_is_small() -> None:
    for printed, small in ((0.1, True), (-0.1, True), (0.11, False)):
        assert reproduction.is_small(line(published=printed)) == small
    assert not reproduction.is_small(line(quantity="without a margin", published=0.0))


def test_a_printed_number_within_its_margin_of_one_is_full() -> None:
    for quantity in ("significant with gradient, class 0", "τ with gradient of inputs"):
        for printed, full in ((0.9, True), (1.0, True), (0.89, False)):
            assert reproduction.is_full(line(quantity=quantity, published=printed)) == full
    assert not reproduction.is_full(line(quantity="without a margin", published=1.0))


def test_a_change_is_over_the_seeds_that_both_have() -> None:
    place = {"table": "t", "corpus": "sst", "model": "m"}
    own = [{**place, "seed": seed, "numbers": {"q": 0.5 + seed}} for seed in range(3)]
    before = {("t", "sst", "m", 0): {"q": 0.4}, ("t", "sst", "m", 2): {"q": 2.2}}
    assert other_settings._changes(own, "q", before) == pytest.approx([0.1, 0.3])
    assert other_settings._changes(own, "other", before) == []


def test_a_setting_may_explain_a_number_only_if_it_is_nearer_by_more_than_luck(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Printed: 0.69, margin 0.10; the protocol has 0.56 under each seed."""
    tau = "τ with gradient, class 1"
    of = ("sst", "mlp+additive")

    def seeds(*values: float) -> dict[int, dict[str, float]]:
        return {seed: {tau: value} for seed, value in enumerate(values)}

    others = {
        "nearer": seeds(0.70, 0.69, 0.71),
        "nearer by luck": seeds(0.50, 0.70, 0.86),
        "farther": seeds(0.41, 0.40, 0.42),
        "once": seeds(0.70),
    }
    monkeypatch.setattr(tried, "_tried", lambda table: {of: others})
    monkeypatch.setattr(tried, "numbers_of", lambda table: {of: seeds(0.56, 0.56, 0.56)})
    found = {one.name: one for one in tried.settings_of(tried.STARTS, *of, tau)}
    assert [*found] == [*others]
    assert [one.result for one in found.values()] == [
        "within", "undetermined", "outside", "undetermined",
    ]  # fmt: skip
    assert found["nearer"].change.value == pytest.approx(0.14)
    assert [one.may_explain(0.69) for one in found.values()] == [True, False, False, False]
    perhaps, rest = tried.by_tried(tried.STARTS, *of, tau, 0.69)
    assert perhaps.endswith(found["nearer"].written)
    assert (found["once"].written in rest, found["farther"].written in rest) == (True, False)
    others.pop("nearer")
    assert tried.by_tried(tried.STARTS, *of, tau, 0.69) == ("", rest)


def test_undivided_scores_are_another_setting_of_the_same_model() -> None:
    split = tried.TRIED["tutek2020:T-1"].split
    assert split("bilstm+dot(scaled=false)+mlm") == (
        "bilstm+dot+mlm", "scores are not divided by √H",
    )  # fmt: skip
    assert split("bilstm+dot+mlm") is None
    assert tried.TRIED[tried.STARTS].split("mlp+additive, vectors × 1") is None


def test_a_share_is_read_at_the_printed_tau(monkeypatch: pytest.MonkeyPatch) -> None:
    """The share is twice τ here; the paper prints a τ of 0.40 (SST, class 0)."""
    of = ("sst", "bilstm+additive")
    runs = {
        seed: {"τ with gradient, class 0": tau, "significant with gradient, class 0": 2 * tau}
        for seed, tau in enumerate((0.1, 0.2, 0.3, 0.35))
    }
    monkeypatch.setattr(tried, "_tried", lambda table: {})
    monkeypatch.setattr(tried, "numbers_of", lambda table: {of: runs})
    assert "0.80" in tried.at_printed_tau(*of, "significant with gradient, class 0")


def test_a_chance_level_says_how_far_it_moves_over_the_same_seeds() -> None:
    own = [
        {"table": "t", "corpus": "c", "model": "m", "seed": seed, "by_chance": {"τ": 0.5}}
        for seed in (0, 1, 2)
    ]
    before = {("t", "c", "m", 0): {"τ": 0.4}, ("t", "c", "m", 1): {"τ": 0.2}}
    assert other_settings._chance([0.5] * 3, own, "τ", before).endswith(" (+0.20)")
    assert other_settings._chance([], own, "τ", before) == "—"


def test_where_another_setting_explains_a_number_nothing_is_not_said_to() -> None:
    by_hand = f"{outside.NOTHING}; from random words it is no nearer"
    assert outside._beside("perhaps the start", by_hand) == "From random words it is no nearer"
    assert outside._beside("perhaps the start", "") == ""
    assert (outside._beside("", by_hand), outside._beside("", "")) == (by_hand, outside.NOTHING)
