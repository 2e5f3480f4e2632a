"""The verdict table, row by row, from made-up findings."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from sightline.core.results import (
    CAN,
    CANNOT_TELL,
    CAVEATS,
    MUST_NOT,
    Estimate,
    Failed,
    Finding,
    Measurement,
    Verdict,
)
from sightline.verdict.catalogue import AUDIT_TESTS, TOP_WORDS_MATTER, top_words_share
from sightline.verdict.estimators import estimates
from sightline.verdict.evidence import Evidence
from sightline.verdict.number_bounds import ends_of
from sightline.verdict.verdict_table import (
    NO_BETTER,
    NO_SCORE,
    TABLE,
    VerdictContext,
    verdict_of,
)
from tests.verdict.cases import LEARNED, NOTHING_LEARNED, THRESHOLDS, evidence, finding

BASIS = ("SL-303", "SL-301", "SL-304", "SL-305", "SL-306", "SL-307", "SL-101", "SL-102")
"""What "can be shown with caveats" rests on."""


def found(by_class: Mapping[str, str] | None = None, **answers: str) -> dict[str, Finding]:
    """Findings that are all passed, but for some; of class ``b`` too, but for some."""
    codes = {
        **dict.fromkeys(AUDIT_TESTS, "passed"),
        **{code.replace("_", "-"): a for code, a in answers.items()},
    }
    of_b = {code.replace("_", "-"): answer for code, answer in (by_class or {}).items()}
    return {
        code: finding(code, answer, {"a": "passed", "b": of_b.get(code, "passed")})
        for code, answer in codes.items()
    }


ASKED = tuple(code for code, claim in AUDIT_TESTS.items() if claim.for_all)
"""What "can be shown" rests on."""


@pytest.mark.parametrize(
    ("answers", "text", "row", "decided"),
    [
        ({"SL_301": "not run", "SL_303": "not run"}, CANNOT_TELL, 1, ("SL-301", "SL-303")),
        ({"SL_303": "failed"}, MUST_NOT, 2, ("SL-303",)),
        ({"SL_303": "failed", "SL_301": "failed"}, MUST_NOT, 2, ("SL-303",)),
        ({"SL_301": "failed"}, MUST_NOT, 3, ("SL-301",)),
        ({"SL_101": "failed", "SL_102": "failed"}, MUST_NOT, 3, ("SL-101", "SL-102")),
        ({"SL_104": "failed"}, CAVEATS, 5, (*BASIS, "SL-104")),
        ({"SL_104": "failed", "SL_301": "inconclusive"}, MUST_NOT, 3, ("SL-104",)),
        ({"SL_104": "failed", "SL_301": "not run"}, MUST_NOT, 3, ("SL-104",)),
        ({"SL_104": "failed", "SL_301": "failed"}, MUST_NOT, 3, ("SL-301", "SL-104")),
        ({"SL_101": "failed", "SL_102": "inconclusive"}, CANNOT_TELL, 6, ("SL-101", "SL-102")),
        ({"SL_001": "failed"}, CAVEATS, 5, (*BASIS, "SL-001")),
        ({}, CAN, 4, ASKED),
        ({"SL_402": "inconclusive"}, CAVEATS, 5, (*BASIS, "SL-402")),
        ({"SL_402": "not run", "SL_202": "not run"}, CAVEATS, 5, (*BASIS, "SL-202", "SL-402")),
        ({"SL_105": "failed"}, CAVEATS, 5, (*BASIS, "SL-105")),
        ({"SL_301": "inconclusive"}, CANNOT_TELL, 6, ("SL-301",)),
        ({"SL_301": "not run"}, CANNOT_TELL, 6, ("SL-301",)),
        ({"SL_304": "failed"}, CANNOT_TELL, 6, ("SL-304",)),
        ({"SL_304": "inconclusive"}, CANNOT_TELL, 6, ("SL-304",)),
        ({"SL_304": "not run"}, CANNOT_TELL, 6, ("SL-304",)),
        ({"SL_305": "failed"}, CANNOT_TELL, 6, ("SL-305",)),
        ({"SL_305": "inconclusive"}, CAVEATS, 5, BASIS),
        ({"SL_307": "failed"}, CANNOT_TELL, 6, ("SL-307",)),
        ({"SL_307": "inconclusive"}, CAVEATS, 5, BASIS),
        ({"SL_306": "failed"}, CANNOT_TELL, 6, ("SL-306",)),
        ({"SL_306": "inconclusive"}, CAN, 4, ASKED),
        ({"SL_101": "failed"}, CAN, 4, ASKED),
        ({"SL_306": "inconclusive", "SL_101": "failed"}, CANNOT_TELL, 6, ("SL-306", "SL-101")),
        ({"SL_306": "inconclusive", "SL_101": "not run"}, CANNOT_TELL, 6, ("SL-306", "SL-101")),
        ({"SL_306": "not run", "SL_101": "inconclusive"}, CANNOT_TELL, 6, ("SL-306", "SL-101")),
        ({"SL_306": "not run", "SL_101": "not run"}, CANNOT_TELL, 6, ("SL-306", "SL-101")),
        ({"SL_308": "failed"}, CAVEATS, 5, (*BASIS, "SL-308")),
        ({"SL_308": "inconclusive"}, CAVEATS, 5, (*BASIS, "SL-308")),
        ({"SL_303": "inconclusive"}, CANNOT_TELL, 6, ("SL-303",)),
        ({"SL_303": "not run"}, CANNOT_TELL, 6, ("SL-303",)),
        ({"SL_202": "failed"}, CAVEATS, 5, (*BASIS, "SL-202")),
        ({"SL_106": "failed"}, CAVEATS, 5, (*BASIS, "SL-106")),
        ({"SL_101": "inconclusive"}, CAN, 4, ASKED),
        ({"SL_104": "inconclusive"}, CAVEATS, 5, (*BASIS, "SL-104")),
    ],
)
def test_rows(answers: dict[str, str], text: str, row: int, decided: tuple[str, ...]) -> None:
    verdict = verdict_of(found(**answers), evidence(), LEARNED)
    assert (verdict.level, verdict.row) == (text, row)
    assert set(verdict.decided_by) == set(decided)


def test_less_evidence_than_chance_is_a_charge_and_little_evidence_is_a_caveat() -> None:
    removed = found(SL_301="inconclusive")
    few = replace(finding("SL-104", "failed"), score=finding("SL-104", "inconclusive").score)
    assert verdict_of(removed | {"SL-104": few}, evidence(), LEARNED).row == 6
    verdict = verdict_of(found() | {"SL-104": few}, evidence(), LEARNED)
    assert (verdict.row, verdict.decided_by[-1]) == (5, "SL-104")
    assert verdict.reasons[0].words == AUDIT_TESTS["SL-104"].failed
    worse = verdict_of(removed | {"SL-104": finding("SL-104", "failed")}, evidence(), LEARNED)
    assert worse.row == 3
    assert worse.reasons[0].words == AUDIT_TESTS["SL-104"].below


def test_what_the_model_loses_without_the_words_answers_the_charge_of_less_evidence_class_by_class() -> (
    None
):
    """Under uniform attention evidence may lie in the states of other words; then Removal
    decides.
    """
    below = found({"SL_104": "failed"})
    assert verdict_of(below, evidence(), LEARNED).by_class["b"].row == 5
    for answer in ("inconclusive", "failed", "not run"):
        charged = found({"SL_104": "failed", "SL_301": answer})
        verdict = verdict_of(charged, evidence(), LEARNED)
        assert {of: one.row for of, one in verdict.by_class.items()} == {"a": 4, "b": 3}


@pytest.mark.parametrize(
    ("of_all", "of_b", "row"),
    [
        (
            {},
            {"SL_306": "inconclusive", "SL_101": "inconclusive"},
            4,
        ),  # a class has fewer texts: those of all speak
        ({}, {"SL_306": "inconclusive", "SL_101": "failed"}, 4),
        ({"SL_306": "inconclusive"}, {"SL_306": "inconclusive", "SL_101": "failed"}, 6),
        ({"SL_306": "inconclusive"}, {"SL_306": "inconclusive", "SL_101": "inconclusive"}, 4),
        (
            {"SL_306": "inconclusive", "SL_101": "failed"},
            {"SL_306": "inconclusive", "SL_101": "inconclusive"},
            6,
        ),
        ({"SL_306": "inconclusive", "SL_101": "failed"}, {}, 4),
    ],
)
def test_of_a_class_a_test_that_makes_no_texts_may_speak_for_all(
    of_all: dict[str, str], of_b: dict[str, str], row: int
) -> None:
    assert verdict_of(found(of_b, **of_all), evidence(), LEARNED).by_class["b"].row == row


@pytest.mark.parametrize(("of_b", "row"), [("passed", 4), ("inconclusive", 6), ("failed", 6)])
def test_what_is_contradicted_of_all_texts_must_be_supported_of_a_class(
    of_b: str, row: int
) -> None:
    verdict = verdict_of(found({"SL_306": of_b}, SL_306="failed"), evidence(), LEARNED)
    assert (verdict.row, verdict.by_class["a"].row, verdict.by_class["b"].row) == (6, 4, row)


def test_what_is_asked_of_the_model_has_one_answer_for_every_class() -> None:
    of_one = found({"SL_305": "failed"})
    assert of_one["SL-305"].answers["b"] == "failed"
    verdict = verdict_of(of_one, evidence(), LEARNED)
    assert (verdict.row, verdict.by_class["b"].row) == (4, 4)
    of_all = found({"SL_305": "passed"}, SL_305="failed")
    verdict = verdict_of(of_all, evidence(), LEARNED)
    assert {of: one.row for of, one in verdict.by_class.items()} == {"a": 6, "b": 6}


def test_words_that_do_nothing_by_themselves_block_and_do_not_forbid() -> None:
    verdict = verdict_of(found({"SL_304": "failed"}, SL_304="failed"), evidence(), LEARNED)
    assert (verdict.row, verdict.by_class["b"].row) == (6, 6)
    below = finding("SL-304", "failed", {"a": "failed", "b": "failed"})
    assert below.score is not None
    assert below.score.high < 0  # also where they do less than random words
    assert verdict_of(found() | {"SL-304": below}, evidence(), LEARNED).row == 6


def test_a_class_for_which_the_map_misleads_is_judged_by_itself_and_keeps_the_best_row_away() -> (
    None
):
    verdict = verdict_of(found({"SL_303": "failed"}), evidence(), LEARNED)
    assert {of: one.row for of, one in verdict.by_class.items()} == {"a": 4, "b": 2}
    assert verdict.by_class["b"].level == MUST_NOT
    assert verdict.row == 5
    assert "(score -0.400 [-0.450, -0.350], n = 120)" in str(verdict.by_class["b"].reasons[0])


def test_what_is_asked_of_the_task_has_one_answer_for_every_class() -> None:
    of_one = found({"SL_001": "failed"})
    assert (of_one["SL-001"].result, of_one["SL-001"].answers) == (
        "passed",
        {"a": "passed", "b": "failed"},
    )
    verdict = verdict_of(of_one, evidence(), LEARNED)
    assert (verdict.row, verdict.by_class["b"].row) == (4, 4)
    assert verdict_of(found({"SL_402": "failed"}), evidence(), LEARNED).by_class["b"].row == 5


@pytest.mark.parametrize("answer", ["failed", "inconclusive", "not run"])
def test_the_words_of_the_best_row_say_what_it_asks_of_a_class(answer: str) -> None:
    """By each claim: whether one class may answer so, against what the words allow."""
    words = next(row.words for row in TABLE if row.number == 4)
    of_classes = words.partition("predicted class")[2]
    assert "inconclusive or not run" in words
    for code, claim in AUDIT_TESTS.items():
        spared = claim.for_all == "not failed" and answer != "failed"
        allowed = spared or claim.for_all in ("", "one of these") or code in of_classes
        verdict = verdict_of(found({code: answer}), evidence(), LEARNED)
        assert (verdict.row == 4) is allowed, code


def test_the_best_row_says_what_was_not_tested() -> None:
    verdict = verdict_of(found(SL_401="not run"), evidence(), LEARNED)
    assert verdict.row == 4
    (reason,) = verdict.reasons
    assert (reason.code, reason.result) == ("SL-401", "not run")
    assert reason.words == f"not tested whether {AUDIT_TESTS['SL-401'].passed}"
    assert verdict_of(found(), evidence(), LEARNED).reasons == ()


def test_a_class_of_few_texts_cannot_be_told() -> None:
    few = {
        code: replace(one, by_class={"a": replace(one.score, n=120), "b": replace(one.score, n=20)})
        for code, one in found().items()
    }
    verdict = verdict_of(few, evidence(), LEARNED)
    assert {of: one.row for of, one in verdict.by_class.items()} == {"a": 4, "b": 1}
    (reason,) = verdict.by_class["b"].reasons
    assert (reason.too_few, reason.clustered) == (20, False)
    assert "SL-303 rests on 20 texts" in reason.behind


@pytest.mark.parametrize(("groups", "rows"), [(200, (4, 4, 4)), (60, (1, 1, 4)), (6, (1, 1, 1))])
def test_texts_of_one_group_count_as_one(groups: int, rows: tuple[int, int, int]) -> None:
    """Every test passes, and each class has 100 texts; but of how many patients are they?"""
    taken = evidence(texts=200)
    texts = np.arange(200)
    values = {"predicted": texts % 2, "cluster": texts % groups}
    outcomes = {**taken.outcomes, "outputs": Measurement("outputs", values)}
    verdict = verdict_of(found(), Evidence(outcomes, ("a", "b"), THRESHOLDS, 0), LEARNED)
    each = verdict.by_class["a"], verdict.by_class["b"]
    whole = verdict.row == 1
    assert (each[0].row, each[1].row, 1 if whole else 4) == rows
    for few, count in ((each[0], groups // 2), *([(verdict, groups)] if whole else [])):
        if few.row == 1:
            assert few.reasons[0].too_few == count
            assert few.reasons[0].clustered


def test_too_few_texts_and_a_broken_adapter_cannot_tell() -> None:
    few = verdict_of(found(SL_303="failed"), evidence(texts=49), LEARNED)
    assert (few.level, few.row) == (CANNOT_TELL, 1)
    assert "49 test texts; a verdict rests on at least 50" in str(few.reasons[0])
    scarce = {**found(), **{code: finding(code, "passed", n=12) for code in ("SL-301", "SL-303")}}
    verdict = verdict_of(scarce, evidence(), LEARNED)
    assert (verdict.row, set(verdict.decided_by)) == (1, {"SL-301", "SL-303"})
    assert "SL-303 rests on 12 texts" in str(verdict.reasons[0])
    broken = verdict_of(found(), evidence(error=0.01), LEARNED)
    assert (broken.level, broken.row) == (CANNOT_TELL, 1)
    assert "misses its logits by 0.01" in str(broken.reasons[0])
    assert verdict_of(found(), evidence(error=float("nan")), LEARNED).row == 1


@pytest.mark.parametrize(
    ("outputs", "said"),
    [
        ({"predicted": np.zeros(60, int)}, "predicts 'a' for every one of 60 texts"),
        (
            {"predicted": np.arange(60) % 2, "finite": np.arange(60) > 0},
            "on 1 of 60 texts the model’s outputs are not finite",
        ),
    ],
)
def test_answers_that_decide_nothing_cannot_tell(outputs: dict[str, np.ndarray], said: str) -> None:
    given = Evidence({"outputs": Measurement("outputs", outputs)}, ("a", "b"), THRESHOLDS, 0)
    verdict = verdict_of(found(), given, LEARNED)
    assert verdict.row == 1
    assert said in str(verdict.reasons[0])


def test_a_model_that_could_not_be_run_cannot_be_told() -> None:
    none = Evidence({"outputs": Failed("outputs", "ValueError: no")}, ("a", "b"), THRESHOLDS, 0)
    assert "ValueError: no" in verdict_of(found(), none, None).reasons[0].behind


def test_caveats_say_what_was_not_shown_and_no_untested_claim_is_stated() -> None:
    reasons = verdict_of(found(SL_001="failed", SL_202="not run"), evidence(), LEARNED).reasons
    assert [(one.code, one.result) for one in reasons] == [
        ("SL-001", "failed"),
        ("SL-202", "not run"),
    ]
    assert reasons[0].words in (AUDIT_TESTS["SL-001"].failed, AUDIT_TESTS["SL-001"].below)
    assert reasons[1].words == f"not tested whether {AUDIT_TESTS['SL-202'].passed}"


def test_a_map_that_is_shown_and_not_used_says_so() -> None:
    short = found(SL_402="inconclusive")
    reasons = verdict_of(short, evidence(moved=0.0), LEARNED).reasons
    assert any(str(reason).startswith("not used by the model") for reason in reasons)
    assert not any(
        "not used by the model" in str(reason)
        for reason in verdict_of(short, evidence(), LEARNED).reasons
    )


@pytest.mark.parametrize(
    ("same", "rows"),
    [((50, 50), (4, 4, 4)), ((52, 50), (5, 5, 4)), ((52, 52), (5, 5, 5)), ((20, 60), (5, 4, 5))],
)
def test_texts_that_the_query_decides_are_named_where_they_are_most(
    same: tuple[int, int], rows: tuple[int, int, int]
) -> None:
    """Words that change nothing where they go are in no score of Transfer; here they go from 50
    texts of each class into two of the other, whose queries decide.
    """
    texts = np.arange(100)
    partner = (texts[:, None] + np.array([1, 3])) % 100
    by_query = np.zeros((100, 2), dtype=bool)
    for of, count in enumerate(same):  # the receiver is of the other class than the donor
        rows_of = np.flatnonzero(texts % 2 != of)
        by_query.reshape(-1)[(rows_of[:, None] * 2 + np.arange(2)).ravel()[:count]] = True
    values = {"partner": partner, "weight": np.ones(100), "same": by_query}
    asked = evidence(100)
    outcomes = {**asked.outcomes, "transplant": Measurement("transplant", values)}
    verdict = verdict_of(found(), Evidence(outcomes, ("a", "b"), THRESHOLDS, 0), LEARNED)
    assert (verdict.row, *(verdict.by_class[of].row for of in "ab")) == rows
    for one, count in zip(verdict.by_class.values(), same, strict=True):
        said = [reason.words for reason in one.reasons if "query" in reason.words]
        assert [words.split()[1:4] for words in said] == [
            [str(count), "of", "100"] for _ in range(count > 50)
        ]
    assert any("query" in reason.words for reason in verdict.reasons) == (sum(same) > 100)


@pytest.mark.parametrize(
    ("idle", "rows"),
    [((5, 5), (4, 4, 4)), ((15, 15), (5, 5, 5)), ((0, 15), (5, 4, 5)), ((100, 100), (5, 5, 5))],
)
def test_the_best_row_asks_that_the_darkest_words_matter_in_enough_texts(
    idle: tuple[int, int], rows: tuple[int, int, int]
) -> None:
    texts = np.arange(200)
    does = texts // 2 >= np.array(idle)[texts % 2]  # of each class, the first do nothing
    # THRESHOLDS say 0.1 of the way from random words to the most.
    values = {"top.attention": np.where(does, 1.2, 1.05), "top.random": np.ones(200)}
    measured = Measurement("erasure", {**values, "top.most": np.full(200, 2.0)})
    asked = evidence(200)
    given = Evidence({**asked.outcomes, "erasure": measured}, ("a", "b"), THRESHOLDS, 0)
    share = given.top_words_matter()
    assert (share.value, share.n) == (1 - sum(idle) / 200, 200)
    assert given.estimate(TOP_WORDS_MATTER) == share
    numbers = estimates(given)
    of_classes = [numbers[top_words_share(of)] for of in "ab"]
    assert [(one.value, one.n) for one in of_classes] == [(1 - each / 100, 100) for each in idle]
    assert {ends_of(top_words_share(of)) for of in ("", "a")} == {(0.0, 1.0)}
    verdict = verdict_of(found(), given, LEARNED)
    assert (verdict.row, *(verdict.by_class[of].row for of in "ab")) == rows
    said = {
        of: [reason.words.split()[1:4] for reason in one.reasons if not reason.code]
        for of, one in {"": verdict, **verdict.by_class}.items()
    }
    for of, count in zip("ab", idle, strict=True):
        assert said[of] == [[str(count), "of", "100"] for _ in range(rows["ab".index(of) + 1] == 5)]
    failed = verdict_of(found(SL_307="failed"), given, LEARNED)
    assert all(reason.code for reason in failed.reasons)  # the test says it of all texts


@pytest.mark.parametrize("answers", [{}, {"SL_402": "inconclusive"}])
def test_no_map_is_shown_of_a_model_that_is_not_surely_better_than_guessing(
    answers: dict[str, str],
) -> None:
    """Neither for all texts nor for those of a class; a map that is not faithful stays forbidden."""
    known = verdict_of(found(**answers), evidence(200), LEARNED)
    assert all(one.level.permits for one in (known, *known.by_class.values()))
    verdict = verdict_of(found(**answers), evidence(200), NOTHING_LEARNED)
    for one in (verdict, *verdict.by_class.values()):
        assert (one.row, one.level, one.reasons[0].words) == (6, CANNOT_TELL, NO_BETTER)
        assert "accuracy 0.500" in one.reasons[0].behind
    assert verdict_of(found(SL_303="failed"), evidence(200), NOTHING_LEARNED).level == MUST_NOT
    assert verdict_of(found(**answers), evidence(200), None).level.permits  # without labels


def test_context_findings_never_decide() -> None:
    verdict = verdict_of(
        found(SL_103="failed", SL_107="failed", SL_201="failed", SL_403="failed"),
        evidence(),
        LEARNED,
    )
    assert (verdict.row, verdict.decided_by) == (4, ASKED)


Asked = Mapping[str, tuple[str, str, str]]
"""The results of a test of all texts and of those of both classes."""


def of_answers(asked: Asked, *unasked: str) -> Verdict:
    """Judge results, of which some could not be asked."""
    given = {
        code: ("not run",) * 3 if code in unasked else answers for code, answers in asked.items()
    }
    made = {
        code: finding(code, whole, {"a": of_a, "b": of_b})
        for code, (whole, of_a, of_b) in given.items()
    }
    return verdict_of(made, evidence(), LEARNED)


def shown(verdict: Verdict) -> dict[str, bool]:
    by_class = {of: one.level.permits for of, one in verdict.by_class.items()}
    return {"": verdict.level.permits, **by_class}


ONLY_ANSWERS = ("SL-001", "SL-101", "SL-104", "SL-107", "SL-202", "SL-205", "SL-401", "SL-402")
"""What needs gradients, hidden states or other attention."""


def test_no_map_is_shown_because_less_could_be_asked() -> None:
    """Whatever the tests of a model answer, leaving out those that a model that only answers cannot
    be asked permits no map that all of them forbid.
    """
    generator, permitted = np.random.default_rng(0), 0
    kinds = ("passed", "failed", "inconclusive", "not run")
    for _ in range(2000):
        drawn = generator.choice(kinds, (len(AUDIT_TESTS), 3), p=(0.82, 0.06, 0.06, 0.06))
        asked = dict(zip(AUDIT_TESTS, map(tuple, drawn.tolist()), strict=True))
        whole, less = of_answers(asked), of_answers(asked, *ONLY_ANSWERS)
        for of, may in shown(less).items():
            assert not may or shown(whole)[of], (asked, of)
            permitted += may
        assert less.level != CAN
        assert not any(shown(of_answers(asked, *ONLY_ANSWERS, "SL-102")).values())
    assert permitted > 500


@pytest.mark.parametrize("presence", ["failed", "inconclusive", "not run"])
def test_without_gradients_presence_must_pass(presence: str) -> None:
    asked = dict.fromkeys(AUDIT_TESTS, ("passed",) * 3)
    assert of_answers(asked, *ONLY_ANSWERS).level == CAVEATS
    assert of_answers(asked | {"SL-306": (presence,) * 3}, *ONLY_ANSWERS).level == CANNOT_TELL


def test_a_test_that_a_class_has_not_says_why() -> None:
    none = Finding("SL-106", "n", "not run", "must not fail", notes=("no marks in any text",))
    held = Finding(
        "SL-104", "n", "inconclusive", "required", notes=("left open for another", "more"),
        by_class={"a": Estimate(0.2, 0.1, 0.3, 60, "")},
    )  # fmt: skip
    context = VerdictContext({"SL-106": none, "SL-104": held}, None, None, of="a")  # type: ignore[arg-type]
    behind = {one.code: one.behind for one in context.reasons("SL-106", "SL-104")}
    assert behind == {"SL-106": "no marks in any text", "SL-104": "left open for another"}
    (other,) = replace(context, of="b").reasons("SL-104")
    assert other.behind == NO_SCORE
    undefined = replace(
        held, notes=(), by_class={"a": replace(held.by_class["a"], value=float("nan"))}
    )
    (unknown,) = replace(context, found={"SL-104": undefined}).reasons("SL-104")
    assert unknown.behind == NO_SCORE
