"""What several trainings say: sentences first, with every class and caveat counted, and the numbers
behind them.
"""

from dataclasses import replace

import pytest

from sightline.core.results import BY_ABSENCE, CAN, CANNOT_TELL, CAVEATS, MUST_NOT, Verdict
from sightline.report.html.audit_page import render
from sightline.report.multi_seed_summary import ends, seed_caveats, summary_sentence
from sightline.report.number_format import interval
from sightline.report.seed_advice import together
from sightline.report.sentences import but_not_for
from sightline.report.text.multi_seed_text import across_lines
from sightline.verdict.seed_summary import summarise_seeds
from tests.report.audits import LEARNED, audit, compared, estimate, map_row
from tests.report.pages import Page
from tests.snapshots import same_text
from tests.verdicts import reached

ASTRAY = "SL-301 failed: it leads astray (score 0.01 [0, 0.02])"


def verdict(text: str, reasons: tuple[str, ...] = (), **by_class: str) -> Verdict:
    return reached(
        text, 3, (), reasons, {name: reached(one, 3, (), ()) for name, one in by_class.items()}
    )


def trained(*verdicts: Verdict, **more: object):
    return summarise_seeds(
        {seed: replace(compared(), verdict=one, **more) for seed, one in enumerate(verdicts)}
    )


def said(sentences: list[str]) -> list[str]:
    return [one.replace("\xa0", " ") for one in sentences]


def test_a_difference_by_class_is_said_though_all_texts_end_alike() -> None:
    found = trained(
        verdict(CAVEATS, pos=CAN, neg=MUST_NOT),
        verdict(CAVEATS, pos=CAN, neg=CAVEATS),
        verdict(CAVEATS),
    )
    same_text("report", summary_sentence(found))
    same_text("report", ends(found))


def test_trainings_that_end_alike_say_how_by_class() -> None:
    one = verdict(CAVEATS, pos=CAN, neg=MUST_NOT)
    same_text("report", summary_sentence(trained(one, one)))


def test_every_caveat_is_said_once_with_the_trainings_that_it_holds_in() -> None:
    other = "SL-101 inconclusive: it could not be shown that x (score 0.1 [0, 0.2])"
    found = trained(
        verdict(MUST_NOT, (other, ASTRAY)), verdict(MUST_NOT, (ASTRAY.replace("0.01", "0.02"),))
    )
    same_text("report", seed_caveats(found))


@pytest.mark.parametrize(
    "verdicts",
    [
        (verdict(CAN), verdict(CAN)),
        (verdict(CAN), verdict(CAVEATS)),
        (verdict(MUST_NOT), verdict(CANNOT_TELL)),
        (verdict(CANNOT_TELL), verdict(CANNOT_TELL)),
        (verdict(CAN), verdict(MUST_NOT)),
        (verdict(CANNOT_TELL, a=CAN, b=CANNOT_TELL), verdict(CANNOT_TELL, a=CAN, b=CANNOT_TELL)),
        (verdict(CAVEATS, a=BY_ABSENCE, b=CAN), verdict(CAVEATS, a=BY_ABSENCE, b=CAN)),
        (verdict(CAVEATS, a=BY_ABSENCE, b=CAN), verdict(CAVEATS, a=CAN, b=CAN)),
        (
            verdict(MUST_NOT, a=CANNOT_TELL, b=MUST_NOT),
            verdict(MUST_NOT, a=MUST_NOT, b=CANNOT_TELL),
        ),
    ],
)
def test_what_to_do_follows_from_all_trainings(verdicts: tuple[Verdict, ...]) -> None:
    same_text("report", together(trained(*verdicts))[0])


def test_another_map_is_advised_as_far_as_trainings_agree() -> None:
    bad = replace(compared(), verdict=verdict(MUST_NOT))
    rows = [
        map_row(name, "passed", 0.9, chosen=True) for name in ("gradient", "gradient", "attention")
    ]
    audits = [replace(bad, maps=(row,)) for row in rows]
    same_text("report", together(summarise_seeds(dict(enumerate(audits[:2]))))[1])
    same_text("report", together(summarise_seeds(dict(enumerate(audits))))[1])
    same_text("report", together(summarise_seeds({0: audits[2], 1: audits[2]}))[1])


def test_no_other_map_is_advised_for_a_class_that_is_decided_by_absence() -> None:
    rows = (map_row("gradient", "passed", 0.9, chosen=True),)
    classes = (
        verdict(CAVEATS, a=BY_ABSENCE, b=MUST_NOT),
        verdict(CAVEATS, a=BY_ABSENCE, b=BY_ABSENCE),
    )
    one, none = (together(trained(each, each, maps=rows)) for each in classes)
    same_text("report", one[2])
    assert not any("gradient" in sentence for sentence in none)
    same_text("report", ends(trained(classes[0], classes[0]))[1])


def test_more_texts_and_other_trainings_are_advised_with_their_counts() -> None:
    few = reached(CANNOT_TELL, 1, (), ("too few texts: audit more",))
    guessing = replace(LEARNED, above=estimate(0.0))
    first = replace(
        compared(), verdict=replace(verdict(CANNOT_TELL), by_class={"a": few}), learned=guessing
    )
    open_ = tuple(
        replace(one, needed=1234) if one.code == "SL-001" else one for one in first.findings
    )
    first = replace(first, findings=open_)
    other = replace(first, learned=replace(LEARNED, converged=False), verdict=verdict(CAN))
    sentences = said(together(summarise_seeds({0: first, 1: other})))
    assert (
        "Audit more texts that are predicted 'a', in 1 of 2 trainings: too few texts: audit more."
        in sentences
    )
    assert any(
        one.startswith("Audit about 1,300 texts (now 24 texts; the data have 24")
        for one in sentences
    )
    assert (
        "After 1 of 2 trainings the model is not surely better than always predicting the majority "
        "class. Fix that first." in sentences
    )
    assert (
        "Let training run to its end, which it did not in 1 of 2 trainings: --epochs allows more."
        in sentences
    )
    same_text("report", sentences[-1])


def test_where_no_training_allows_a_conclusion_one_line_says_so() -> None:
    guessing = replace(compared(), learned=replace(LEARNED, above=estimate(0.0)))
    few = replace(
        compared(), verdict=reached(CANNOT_TELL, 1, (), ("20 test texts: audit more texts",))
    )
    assert len(together(summarise_seeds({0: guessing, 1: guessing}))) == 1
    assert len(together(summarise_seeds({0: few, 1: few}))) == 1
    assert len(together(summarise_seeds({0: few, 1: replace(compared(), learned=LEARNED)}))) > 1


def test_the_first_screen_holds_no_codes_and_the_table_behind_it_every_number() -> None:
    first = audit()
    found = summarise_seeds({3: first, 4: first, 9: replace(first, verdict=verdict(MUST_NOT))})
    lines = across_lines(found)
    head = lines[: lines.index("Details.")]
    assert not any("SL-" in line for line in head)
    assert "What to do now:" in head
    rows = {line.split()[0]: line for line in lines[lines.index("Details.") + 4 :]}
    for claim in found.claims:
        for one in (*claim.score.by_seed, claim.score.mean):
            assert (
                one is None or one.n == 0 or interval(one).replace("\xa0", " ") in rows[claim.code]
            )


def test_a_page_of_several_seeds_says_first_whether_they_agree() -> None:
    first = audit()
    found = summarise_seeds(
        {
            3: first,
            4: first,
            9: replace(first, verdict=verdict(MUST_NOT, pos=MUST_NOT, **{"<b>": MUST_NOT})),
        }
    )
    page = render(first, seeds=found)
    assert Page(page).torn == []
    text = Page(page).text()
    head = text.index(
        "The verdict depends on the training; of 3 trainings: can be shown with caveats (2), must"
    )
    for sentence in (*ends(found), *seed_caveats(found), *together(found)):
        assert (
            head < text.index(sentence) < text.index("All that follows is of one training, seed 3.")
        )
    assert "seed 9" in text
    assert "All of them were audited on the same texts." in text
    assert "One training was seen" not in text.split("Methods")[0]
    assert render(first) == render(first, seeds=None)
    assert "Across seeds" not in render(first)


def test_a_mean_of_fewer_seeds_says_of_how_many() -> None:
    first = audit()
    without = replace(first, findings=tuple(replace(one, score=None) for one in first.findings))
    lines = across_lines(summarise_seeds({0: first, 1: without}))
    assert any(line.startswith("SL-101") and "(1 of 2 seeds)" in line for line in lines)
    same_text("report", lines[0])


def test_a_map_that_works_for_no_class_by_itself_is_the_map_of_no_training() -> None:
    classes = ("a", "b")
    row = map_row("contribution", "passed", 0.9, chosen=True)
    forbidden, allowed = verdict(MUST_NOT, a=MUST_NOT, b=MUST_NOT), verdict(CAN, a=CAN, b=CAN)

    def shown(one: Verdict, *against: tuple[str, ...]) -> tuple[list[str], tuple[object, ...]]:
        found = summarise_seeds(
            {
                seed: replace(compared(), verdict=one, maps=(replace(row, against=names),))
                for seed, names in enumerate(against)
            }
        )
        (maps,) = found.maps
        return together(found), (maps.by_seed, maps.against)

    told, found = shown(forbidden, classes, classes)
    assert found == ((None, None), ())
    assert not any("contribution" in one or "weight" in one for one in told)
    told, found = shown(forbidden, ("a",), ("a",))
    assert found == (("contribution", "contribution"), ("a",))
    assert but_not_for(["a"]) in told[1]
    told, found = shown(forbidden, ("a",), ("b",))  # together they work for no class
    assert found == (("contribution", "contribution"), classes)
    assert but_not_for(["a", "b"]) not in told[1]
    assert "depends on the training" in told[1]
    absent, _ = shown(verdict(CAVEATS, a=BY_ABSENCE, b=MUST_NOT), ("b",), ("b",))
    assert not any("weight" in one for one in absent)
    assert shown(allowed, (), ())[0][1].split()[0] == "Or"
    assert shown(forbidden, (), ())[0][1].split()[0] == "To"
