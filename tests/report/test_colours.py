"""For and against are told apart by every eye and on paper, and words stay readable on every
shade.
"""

import re
from importlib.resources import files
from itertools import product

import numpy as np
import pytest

from sightline.core.results import CAN
from sightline.report.html.audit_page import render
from tests.report.audits import compared
from tests.verdicts import reached

CSS = (files("sightline.report.html") / "templates" / "page.css").read_text(encoding="utf-8")
LIGHT, DARK = (
    dict(re.findall(r"--([a-z]+): ([^;]+);", block))
    for block in re.findall(r":root \{(.*?)\}", CSS, re.DOTALL)[:2]
)
SCHEMES = {"light": LIGHT, "dark": {**LIGHT, **DARK}}
SEEN = {  # Machado, Oliveira & Fernandes 2009, severity 1, on linear RGB
    "all three cones": np.eye(3),
    "no red": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "no green": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "no blue": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}


def colour(text: str) -> np.ndarray:
    if text.startswith("#"):
        digits = text[1:] if len(text) == 7 else "".join(2 * digit for digit in text[1:])
        return np.array([int(digits[i : i + 2], 16) for i in (0, 2, 4)]) / 255
    return np.array([float(part) for part in text.split()]) / 255


def linear(rgb: np.ndarray) -> np.ndarray:
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def luminance(rgb: np.ndarray) -> float:
    return float(linear(rgb) @ [0.2126, 0.7152, 0.0722])


def contrast(a: np.ndarray, b: np.ndarray) -> float:
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def lab(rgb: np.ndarray) -> np.ndarray:
    xyz = (
        np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
        @ rgb
    )
    x, y, z = np.cbrt(xyz / [0.9505, 1.0, 1.089])
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def shade(scheme: dict[str, str], letter: str, step: int) -> np.ndarray:
    share = (
        int(re.findall(rf"\.{letter}{step} \{{ background: rgb\(var\(--\w+\) / (\d+)%\)", CSS)[0])
        / 100
    )
    ink, paper = colour(scheme["shade" if letter == "s" else "against"]), colour(scheme["paper"])
    return share * ink + (1 - share) * paper


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(("letter", "step"), list(product("sn", range(1, 11))))
def test_a_word_can_be_read_on_every_shade(scheme: str, letter: str, step: int) -> None:
    of = SCHEMES[scheme]
    assert contrast(colour(of["ink"]), shade(of, letter, step)) >= 4.5  # WCAG 2.2, 1.4.3


def test_what_is_said_of_shades_holds_on_every_screen() -> None:
    """The strongest shade is the darkest on a light screen, and the brightest on a dark one."""
    steps = {
        name: [contrast(colour(of["paper"]), shade(of, "s", step)) for step in range(1, 11)]
        for name, of in SCHEMES.items()
    }
    assert all(each == sorted(each) and each[0] < each[-1] for each in steps.values())
    ends = {name: [luminance(shade(of, "s", at)) for at in (1, 10)] for name, of in SCHEMES.items()}
    assert ends["light"][0] > ends["light"][1]
    assert ends["dark"][0] < ends["dark"][1]
    page = render(compared(reached(CAN, 4, (), ())))
    said = " ".join(re.sub(r"<(style|script).*?</\1>|<[^>]+>", " ", page, flags=re.DOTALL).split())
    assert "highlighted" in said
    assert not re.findall(r"\b(?:dark|light|bright|pal|deep)e(?:r|st)\b", said)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("eye", SEEN)
def test_for_and_against_are_told_apart_by_every_eye(scheme: str, eye: str) -> None:
    of = SCHEMES[scheme]
    sides = [np.clip(SEEN[eye] @ linear(shade(of, letter, 6)), 0, 1) for letter in "sn"]
    assert float(np.linalg.norm(lab(sides[0]) - lab(sides[1]))) > 15  # 2.3 is just seen


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_line_under_words_against_is_seen_without_colour(scheme: str) -> None:
    of = SCHEMES[scheme]
    for step in (5, 8, 10):
        assert contrast(colour(of["line"]), shade(of, "n", step)) >= 2
    assert re.search(r"\.n5, [^{]*\.n10 \{ text-decoration: underline 2px dashed", CSS)
    assert not re.search(r"\.s\d+[^{]*\{[^}]*text-decoration", CSS)
