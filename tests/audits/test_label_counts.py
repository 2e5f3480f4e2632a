"""How many texts have each label, and how many more an audit of a rare one takes."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

import sightline
from sightline.audits.label_counts import LabelCount, predicted_counts
from sightline.audits.stop_limits import flags_for
from sightline.report.number_format import rounded_up
from tests.planted.many_labels import data, wrapped

ANY = partial(flags_for, limit=None)
RARE = LabelCount(40, 760, 0, (40, 760))


def test_a_rare_label_says_how_many_texts_may_do_and_the_flag_that_takes_them() -> None:
    assert RARE.too_few(40) == ""
    assert RARE.too_few(50).startswith("too few positives: 40 of 800 texts")
    said = RARE.more(50, 3005, partial(flags_for, limit=None, max_texts=800))
    assert said.endswith("--max-texts 1300")  # 50 and two standard deviations, of 5 % of the texts
    assert "3005" in said
    few = RARE.more(50, 1100, partial(flags_for, limit=None, budget=9.0))
    assert few.endswith("--max-texts 1100")  # no more than there are
    assert "--" not in RARE.more(50, 900, ANY)
    assert "about 1000 " in RARE.more(50, 900, ANY)
    none = LabelCount(0, 800, 0, (0, 800))
    assert "3005" in none.more(50, 3005, ANY)
    assert LabelCount(40, 759, 1, (40, 759)).more(50, 3005, ANY) == ""


def test_copies_and_texts_of_one_group_count_as_one() -> None:
    grouped = LabelCount(51, 949, 0, (49, 900))
    assert grouped.too_few(49) == ""
    assert "51 of 1000 texts, which count as 49" in grouped.too_few(50)
    pairs = tuple(replace(one, group=f"patient {n // 2}") for n, one in enumerate(data().test))
    alone = predicted_counts(wrapped(), data())["used"]
    found = predicted_counts(wrapped(), replace(data(), test=pairs))["used"]
    assert (found.positive, found.negative) == (alone.positive, alone.negative)
    assert alone.independent == (alone.positive, alone.negative)
    assert max(found.independent) <= 80
    assert found.independent[0] < found.positive


def test_every_flag_that_bounds_the_texts_is_named() -> None:
    assert flags_for(900, 400, max_texts=600) == "--limit 900 --max-texts 900"
    assert flags_for(900, 1000, budget=5.0) == "--max-texts 900"
    assert flags_for(900, 400, full=True) == "--limit 900"
    assert [rounded_up(n) for n in (99, 1201, 1283)] == [99, 1300, 1300]


def test_a_label_that_a_sample_has_too_rarely_is_named_with_the_texts_there_are(
    tmp_path: Path,
) -> None:
    made = sightline.audit_labels(wrapped(), data(), ["used", "rare"], limit=60)
    assert not made.audits
    assert "of the 160 texts" in made.left_out["used"]
    assert made.left_out["used"].partition("--limit ")[2] in ("140", "150", "160")
    assert "the data have 160" in made.left_out["rare"]
    made.to_html(tmp_path / "page.html")
    assert [one.name for one in tmp_path.iterdir()] == ["page.html"]  # and no empty folder


@pytest.mark.parametrize(("counted", "fewest"), [((50, 40), 50), ((40, 50), 50)])
def test_the_rarer_kind_is_the_one_that_is_too_few(counted: tuple[int, int], fewest: int) -> None:
    kind = "positives" if counted[0] < fewest else "negatives"
    assert f"too few {kind}: 40 of 90" in LabelCount(*counted, 0, counted).too_few(fewest)
