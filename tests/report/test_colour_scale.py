"""A shade of one text stands for a number, whatever the other words have; what is too small is said
and not coloured.
"""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.config.word_maps import MAPS
from sightline.report.html.colour_scale import DEEPEST, LEAST, none_of_size, scale_of, shades_of
from sightline.report.html.explanation_view import in_notebook, rows_of
from sightline.report.html.token_highlights import STEPS
from sightline.report.text.explanation_text import lines
from tests.report.pages import Page
from tests.report.test_reading import reading, shaded
from tests.snapshots import same_text

KNOWN = {name: kind for name, kind in MAPS.items() if kind.unit}
numbers = st.lists(st.floats(-50, 50), min_size=1, max_size=12)


@pytest.mark.parametrize("name", ["attention", "deletion", "signed_gradient"])
@given(values=numbers)
def test_a_shade_depends_on_its_own_number_alone_and_grows_with_it(
    name: str, values: list[float]
) -> None:
    kind = KNOWN[name]
    shades = shades_of(np.array(values), kind)
    assert shades == [shade for value in values for shade in shades_of(np.array([value]), kind)]
    steps = [int(shade[1:]) for shade in shades]
    assert [steps[i] for i in np.argsort(np.abs(values), kind="stable")] == sorted(steps)
    for value, shade in zip(values, shades, strict=True):
        assert (shade[0] == "n") == (kind.signed and value <= -LEAST * DEEPEST[kind.unit])


@pytest.mark.parametrize("name", KNOWN)
def test_the_deepest_shade_is_all_of_it_and_the_legend_shows_what_stands_for_what(
    name: str,
) -> None:
    kind = KNOWN[name]
    deepest = DEEPEST[kind.unit]
    assert shades_of(np.array([deepest, 2 * deepest, deepest / 4, 0.0, np.nan]), kind) == [
        "s10",
        "s10",
        "s5",
        "s0",
        "na",
    ]
    legend = [*scale_of(kind)]
    values = np.array([float(message.replace("−", "-")) for _, message in legend])
    assert shades_of(values, kind) == [shade for shade, _ in legend]
    assert legend[-1] == (f"s{STEPS}", f"{deepest:g}")
    assert (values.min() < 0) == kind.signed


def test_what_gets_no_colour_moves_no_probability_by_more_than_a_thousandth() -> None:
    """Of log-odds a change of d moves a probability by tanh(d / 4) at most, where it crosses even
    odds.
    """
    least = LEAST * DEEPEST["log-odds"]
    odds = np.linspace(-6, 6, 10_001)
    moved = 1 / (1 + np.exp(-odds - least)) - 1 / (1 + np.exp(-odds))
    assert moved.max() == pytest.approx(math.tanh(least / 4), rel=1e-5)
    assert moved.max() <= 0.001


@pytest.mark.parametrize("name", ["deletion", "signed_gradient"])
def test_a_map_of_tiny_numbers_is_not_shaded_as_a_map_of_large_ones(name: str) -> None:
    message = "By this map no word moves the prediction by more than 0.001: nothing to colour."
    large = np.array([0.5, -0.25 if MAPS[name].signed else 0.25, 0.0, 0.1])
    shown, tiny = (reading(maps={name: large * size}) for size in (1, 1e-3))
    for each, said in ((shown, 0), (tiny, 1)):
        printed = [line.plain for line in shaded(each)]
        for text in (Page(in_notebook(each)).text(), "\n".join(lines(each)), "\n".join(printed)):
            assert text.count(message) == said
    assert not any(line.plain.startswith("colours") for line in shaded(tiny))
    (row,) = rows_of(shown)
    assert not row.nothing


def test_a_weight_and_a_missing_number_are_spoken_of_as_what_they_are() -> None:
    thin = np.full(2000, 1 / 2000)
    same_text("report", none_of_size(thin, MAPS["attention"]))
    assert "no number for any word" in none_of_size(np.array([np.nan]), MAPS["deletion"])


@pytest.mark.parametrize(
    ("known", "message"),
    [
        (
            (False,) * 4,
            (
                "The model knows none of the 4 words of this text: any other unknown words in "
                "their place would get the same prediction."
            ),
        ),
        ((True, False, False, True), "The model does not know 2 of the 4 words: 'good', 'film'."),
        ((True,) * 4, ""),
    ],
)
def test_how_many_words_the_model_does_not_know_is_said_first(
    known: tuple[bool, ...], message: str
) -> None:
    each = reading(known=known)
    for text in (" ".join(Page(in_notebook(each)).text().split()), "\n".join(lines(each))):
        assert (
            (message or "not know") in text
            if message
            else "not know 0" not in text and "knows none" not in text
        )
        if message:
            assert text.index(message) < text.index("not evidence")


def test_one_unknown_word_is_no_words() -> None:
    alone = replace(reading("zzz", maps={"attention": np.ones(1)}), known=(False,))
    assert "The model does not know the one word of this text" in "\n".join(lines(alone))


def test_a_notebook_tells_the_number_of_each_word_and_folds_those_of_a_long_text() -> None:
    cells = [
        data.strip()
        for path, data in Page(in_notebook(reading())).pieces
        if dict(path).keys() & {"td", "th"}
    ]
    at = cells.index("indeed (unknown)")
    assert cells[at - 1 : at + 3] == ["3", "indeed (unknown)", "1", "1"]
    assert "<details" in in_notebook(reading())
    assert " open>" in in_notebook(reading())
    assert " open>" not in in_notebook(reading(" ".join(["word"] * 26)))
